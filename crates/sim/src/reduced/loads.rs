//! Loads in the coordinates of a basis, exactly: p = Uᵀ f_ext(t, Uq, Uq̇).
//!
//! Gravity and what hands do are kept here; every other load is a [`ReducedLoad`] in a place of its own. Sums are always taken
//! in the same order: gravity and pushes, loads, grabs. Nothing here allocates after it was made.

use std::sync::Arc;

use pliant_linalg::{DenseSymmetric, Vec3};
use pliant_reduce::{Basis, Model};

use crate::SimError;
use crate::load::{Gravity, Load, LoadSet, ReducedLoad, ReducedSpring, name_of};

/// What acts on a reduced model.
pub(crate) struct ReducedLoads {
    basis: Basis,
    /// Of all vertices at once, for now.
    gravity: Vec<f64>,
    /// What was pushed by hand, until it is taken away.
    pub(crate) push: Vec<f64>,
    slots: Vec<Slot>,
    /// What hands hold.
    pub(crate) springs: Vec<Held>,
    /// The id of the next load.
    next: u64,
    /// Whether all loads had a potential when it was last asked for.
    conservative: bool,
}

/// A load, and what it was made of.
struct Slot {
    id: u64,
    name: Arc<str>,
    load: Box<dyn ReducedLoad>,
    described: Option<Arc<dyn Load>>,
}

/// A spring that may be let go.
#[derive(Clone)]
pub(crate) struct Held {
    pub(crate) pulls: ReducedSpring,
    pub(crate) active: bool,
    /// How many springs had this place before.
    pub(crate) generation: u32,
}

/// Loads, out of the way.
pub(crate) struct Aside {
    gravity: Vec<f64>,
    push: Vec<f64>,
    slots: Vec<Slot>,
    springs: Vec<Held>,
}

impl ReducedLoads {
    /// The loads must have passed [`LoadSet::check`].
    pub(crate) fn new(model: &Model, loads: &LoadSet) -> Result<Self, SimError> {
        let (basis, r) = (model.basis().clone(), model.rank());
        let mut all = Self {
            basis,
            gravity: vec![0.0; r],
            push: vec![0.0; r],
            slots: Vec::new(),
            springs: Vec::new(),
            next: 0,
            conservative: true,
        };
        all.set_gravity(model, loads.gravity());
        let mut groups = loads.groups();
        groups.retain(|(_, loads)| loads[0].downcast_ref::<Gravity>().is_none());
        // What goes through the whole boundary comes last; a sum in another order has other bits.
        groups.sort_by_key(|(kind, _)| *kind == "pressure");
        for (kind, loads) in groups {
            let made = loads[0].all_on_model(&loads, model)?;
            let count = made.len();
            for (k, load) in made.into_iter().enumerate() {
                all.insert(name_of(kind, k, count, loads.len()), load, None);
            }
        }
        Ok(all)
    }

    pub(crate) fn set_gravity(&mut self, model: &Model, gravity: Vec3) {
        for (k, p) in self.gravity.iter_mut().enumerate() {
            *p = (0..3).map(|d| model.gravity()[d][k] * gravity[d]).sum();
        }
    }

    /// Tells all loads of the density.
    pub(crate) fn set_density(&mut self, factor: f64) {
        self.slots.iter_mut().for_each(|slot| slot.load.set_density(factor));
    }

    /// Of all vertices at once, in coordinates.
    pub(crate) fn gravity(&self) -> &[f64] {
        &self.gravity
    }

    /// Adds a load, with what it was made of where that is known; returns its id.
    pub(crate) fn insert(
        &mut self,
        name: Arc<str>,
        load: Box<dyn ReducedLoad>,
        described: Option<Arc<dyn Load>>,
    ) -> u64 {
        let id = self.next;
        self.next += 1;
        self.slots.push(Slot { id, name, load, described });
        id
    }

    /// Takes a load away; whether it was there.
    pub(crate) fn remove(&mut self, id: u64) -> bool {
        let place = self.slots.iter().position(|slot| slot.id == id);
        place.map(|place| self.slots.remove(place)).is_some()
    }

    /// The loads of `other` on another model of the same body: made again where that is possible, else copied.
    pub(crate) fn take_over(&mut self, other: &Self, model: &Model, density: f64) -> Result<(), SimError> {
        for Slot { id, name, load, described } in &other.slots {
            let mut load = match described {
                Some(described) => described.on_model(model)?,
                None => load.duplicate(),
            };
            load.set_density(density);
            self.slots.push(Slot { id: *id, name: name.clone(), load, described: described.clone() });
        }
        self.next = other.next;
        Ok(())
    }

    /// Takes all loads away, until they are put back.
    pub(crate) fn set_aside(&mut self) -> Aside {
        let zeros = || vec![0.0; self.basis.rank()];
        let (gravity, push) = (zeros(), zeros());
        Aside {
            gravity: std::mem::replace(&mut self.gravity, gravity),
            push: std::mem::replace(&mut self.push, push),
            slots: std::mem::take(&mut self.slots),
            springs: std::mem::take(&mut self.springs),
        }
    }

    pub(crate) fn put_back(&mut self, aside: Aside) {
        (self.gravity, self.push) = (aside.gravity, aside.push);
        (self.slots, self.springs) = (aside.slots, aside.springs);
    }

    /// At the beginning of a step: where the linear motion is q, the body is shown as U p.
    pub(crate) fn look(&mut self, model: &Model, q: &[f64], p: &[f64]) {
        self.slots.iter_mut().for_each(|slot| slot.load.look(model, q, p));
        self.springs.iter_mut().filter(|held| held.active).for_each(|held| held.pulls.look(model, q, p));
    }

    /// The force of a spring on its vertex, N.
    pub(crate) fn pull(&self, held: &Held, t: f64, q: &[f64]) -> Vec3 {
        held.pulls.pull(&self.basis, t, q)
    }

    fn active(&self) -> impl Iterator<Item = &ReducedSpring> {
        self.springs.iter().filter(|held| held.active).map(|held| &held.pulls)
    }

    pub(crate) fn force(&mut self, t: f64, q: &[f64], v: &[f64], out: &mut [f64]) {
        out.iter_mut().zip(&self.gravity).zip(&self.push).for_each(|((out, g), p)| *out = g + p);
        for slot in &mut self.slots {
            slot.load.force(t, q, v, out);
        }
        self.active().for_each(|spring| spring.force(&self.basis, t, q, out));
    }

    /// Of all loads that have one.
    pub(crate) fn potential(&mut self, t: f64, q: &[f64]) -> f64 {
        let dot = |p: &[f64]| p.iter().zip(q).map(|(p, q)| p * q).sum::<f64>();
        let mut potential = -dot(&self.gravity) - dot(&self.push);
        self.conservative = true;
        for slot in &mut self.slots {
            match slot.load.potential(t, q) {
                Some(more) => potential += more,
                None => self.conservative = false,
            }
        }
        self.active().for_each(|spring| potential += spring.potential(&self.basis, t, q));
        potential
    }

    /// Whether all had a potential when it was last asked for.
    pub(crate) fn have_potential(&self) -> bool {
        self.conservative
    }

    /// out ← out − ∂p/∂q; whether a load depends on q.
    pub(crate) fn stiffness(&mut self, t: f64, q: &[f64], v: &[f64], out: &mut DenseSymmetric) -> bool {
        let mut stiff = false;
        for slot in &mut self.slots {
            stiff |= slot.load.stiffness(t, q, v, out);
        }
        for spring in self.active() {
            spring.stiffness(&self.basis, t, out);
            stiff = true;
        }
        stiff
    }

    /// out ← out − ∂p/∂q̇; whether a load depends on q̇.
    pub(crate) fn damping(&mut self, t: f64, q: &[f64], v: &[f64], out: &mut DenseSymmetric) -> bool {
        let mut damped = false;
        for slot in &mut self.slots {
            damped |= slot.load.damping(t, q, v, out);
        }
        damped
    }

    /// What times ε is the rounding of the loads, N.
    pub(crate) fn rounding(&self, q: &[f64]) -> f64 {
        let loads: f64 = self.slots.iter().map(|slot| slot.load.rounding(q)).sum();
        loads + self.active().map(|spring| spring.rounding(&self.basis, q)).sum::<f64>()
    }

    /// The first load whose force is not finite; `scratch` has room for one.
    pub(crate) fn blame(&mut self, t: f64, q: &[f64], v: &[f64], scratch: &mut [f64]) -> Option<Arc<str>> {
        let of = |slot: &mut Slot| {
            scratch.fill(0.0);
            slot.load.force(t, q, v, scratch);
            scratch.iter().any(|x| !x.is_finite()).then(|| slot.name.clone())
        };
        self.slots.iter_mut().find_map(of)
    }
}

impl Clone for ReducedLoads {
    fn clone(&self) -> Self {
        let slots = self.slots.iter().map(|slot| Slot {
            id: slot.id,
            name: slot.name.clone(),
            load: slot.load.duplicate(),
            described: slot.described.clone(),
        });
        Self {
            basis: self.basis.clone(),
            gravity: self.gravity.clone(),
            push: self.push.clone(),
            slots: slots.collect(),
            springs: self.springs.clone(),
            next: self.next,
            conservative: self.conservative,
        }
    }
}
