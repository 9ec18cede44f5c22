//! What acts on a live model: pushes for one step, and loads for as long as they are there.

use std::sync::Arc;

use pliant_linalg::Vec3;

use super::{Live, finite};
use crate::load::{Load, ReducedLoad};
use crate::vertex_rows::add;
use crate::{SimError, Subject};

/// A load on a live model, until it is removed. Belongs to the [`Live`] that gave it, and to its copies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LoadId(u64);

impl Live {
    /// A force on a vertex, N, for the next step only; several add up. On a fixed vertex it has no effect. In the warped motion it acts on the
    /// linear one as it is; what pulls at what is seen is a grab.
    ///
    /// # Errors
    /// A vertex that is not there, a force that is not finite.
    pub fn push(&mut self, vertex: u32, force: Vec3) -> Result<(), SimError> {
        self.exists(vertex)?;
        finite("a component of the force", force)?;
        let model = self.system.model().clone();
        add(model.basis().vertex(vertex as usize), force, &mut self.system.loads.push);
        Ok(())
    }

    /// Forces on all vertices, 3n entries, N, for the next step only; they add to what was pushed before.
    ///
    /// # Errors
    /// Another number of them, a force that is not finite.
    pub fn push_all(&mut self, forces: &[f64]) -> Result<(), SimError> {
        let expected = 3 * self.system.vertices();
        check("the list of forces", forces, expected, "components of vertices")?;
        // The acceleration of the spare state is free between calls.
        let p = &mut self.spare.a;
        self.system.model().basis().project(forces, p);
        self.system.loads.push.iter_mut().zip(&*p).for_each(|(push, p)| *push += p);
        Ok(())
    }

    /// Forces on the coordinates in use, for the next step only; they add to what was pushed before.
    ///
    /// # Errors
    /// Another number of them, a force that is not finite.
    pub fn push_coordinates(&mut self, forces: &[f64]) -> Result<(), SimError> {
        check("the list of forces", forces, self.coordinates(), "coordinates")?;
        self.system.loads.push.iter_mut().zip(forces).for_each(|(push, f)| *push += f);
        Ok(())
    }

    /// A load as scenarios know them, from the next step on. Its times are those of [`Live::time`]. It follows every change of
    /// settings, also to other coordinates. May take memory; later steps do not, unless the load itself does.
    ///
    /// ```
    /// # use std::sync::Arc;
    /// # use pliant_sim::{Live, SimError};
    /// use pliant_energy::load::Pressure;
    /// # fn example(live: &mut Live) -> Result<(), SimError> {
    /// let breath = live.add_load(Arc::new(Pressure::always(-200.0)))?;
    /// live.step(1.0 / 60.0)?;
    /// live.remove_load(breath)?;
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// A load that cannot act on this body.
    pub fn add_load(&mut self, load: Arc<dyn Load>) -> Result<LoadId, SimError> {
        let name = load.kind();
        let checked = load.check(name, self.vertices());
        checked.map_err(|sentence| SimError::BadLoad { name: name.into(), sentence })?;
        let mut made = load.on_model(self.system.model())?;
        made.set_density(self.density());
        Ok(LoadId(self.system.loads.insert(name.into(), made, Some(load))))
    }

    /// A load in the coordinates in use, from the next step on. Where their number changes, the load goes on with the new one.
    ///
    /// ```
    /// use pliant_sim::load::ReducedLoad;
    /// # use pliant_sim::{Live, SimError};
    /// /// Treacle: f = −c v.
    /// #[derive(Clone)]
    /// struct Treacle(f64);
    /// impl ReducedLoad for Treacle {
    ///     fn force(&mut self, _t: f64, _q: &[f64], v: &[f64], out: &mut [f64]) {
    ///         out.iter_mut().zip(v).for_each(|(out, v)| *out -= self.0 * v);
    ///     }
    /// }
    /// # fn example(live: &mut Live) {
    /// live.add_reduced_load(Box::new(Treacle(0.3)));
    /// # }
    /// ```
    pub fn add_reduced_load(&mut self, mut load: Box<dyn ReducedLoad>) -> LoadId {
        load.set_density(self.density());
        LoadId(self.system.loads.insert(load.name().into(), load, None))
    }

    /// Takes a load away.
    ///
    /// # Errors
    /// One that was removed before.
    pub fn remove_load(&mut self, load: LoadId) -> Result<(), SimError> {
        self.system.loads.remove(load.0).then_some(()).ok_or(SimError::Removed)
    }

    /// What every coordinate received from gravity, pushes, grabs and loads in the last step, N s in coordinates: dt f_ext with
    /// f_ext at the end of the step, as the integrator used it; of a step that was halved the sum over its parts. Zero before the
    /// first step, after one that failed, and after one that left the body where it was.
    pub fn impulse(&self) -> &[f64] {
        self.guard.impulse(self.integrator.impulse(), &self.no_push)
    }
}

fn check(what: &'static str, forces: &[f64], expected: usize, of: &'static str) -> Result<(), SimError> {
    if forces.len() != expected {
        return Err(SimError::Length { what, found: forces.len(), expected, of });
    }
    match forces.iter().find(|x| !x.is_finite()) {
        Some(&value) => {
            Err(SimError::Number { what: "a component of the force", value, expected: "a finite number" })
        }
        None => Ok(()),
    }
}
