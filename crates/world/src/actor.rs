//! What a scenario moves: a body with all its vertices, or a reduced model; and the state that it starts from.

use std::path::Path;
use std::sync::Arc;

use pliant_linalg::{Note, shown};
use pliant_mesh::MeshData;
use pliant_mesh::io::arrays;
use pliant_mesh::loose::{LooseParts, loose_parts};
use pliant_reduce::{Basis, Model};
use pliant_sim::{
    Full, InitialState, Motion, Onlookers, Record, Reduced, RunOptions, Scenario, Subject, caution,
    run_watched,
};

use crate::{FullBody, OpenError};

/// A body or a model with the loads of a scenario on it.
pub struct Actor {
    /// What is seen of it at rest.
    pub mesh: MeshData,
    /// Of a reduced model: u = U q.
    pub basis: Option<Basis>,
    materials: Vec<&'static str>,
    /// Parts that nothing holds and nothing joins to what is held.
    pub loose: Option<LooseParts>,
    subject: Box<dyn Subject>,
}

impl Actor {
    /// A body at full order.
    ///
    /// # Errors
    /// Loads that it cannot bear.
    pub fn of_body(body: FullBody, scenario: &Scenario) -> Result<Self, OpenError> {
        let materials = body.recipe.resolve(&body.mesh)?.materials();
        let full = Full::new(body.body, scenario.loads.clone())?;
        Ok(Self { mesh: body.mesh, basis: None, materials, loose: body.loose, subject: Box::new(full) })
    }

    /// A reduced model, that moves by the forces that it was built with.
    ///
    /// # Errors
    /// Loads that it cannot bear.
    pub fn of_model(model: Model, scenario: &Scenario) -> Result<Self, OpenError> {
        Self::of_moving_model(model, scenario, Motion::default())
    }

    /// A reduced model in one of its motions.
    ///
    /// # Errors
    /// Loads that it cannot bear, or a warped motion of a model without a warp.
    pub fn of_moving_model(model: Model, scenario: &Scenario, motion: Motion) -> Result<Self, OpenError> {
        let (mesh, basis, materials) = (model.mesh().clone(), Some(model.basis().clone()), model.materials());
        let loose = loose_parts(&mesh, &model.recipe().fixed);
        let reduced = Reduced::moving(Arc::new(model), &scenario.loads, motion)?;
        Ok(Self { mesh, basis, materials, loose, subject: Box::new(reduced) })
    }

    /// The body that a model was built from.
    ///
    /// # Errors
    /// As [`Actor::of_body`], or a model whose body cannot be made again.
    pub fn of_full_model(model: &Model, scenario: &Scenario) -> Result<Self, OpenError> {
        let full = Full::new(model.body()?, scenario.loads.clone())?;
        let (mesh, materials) = (model.mesh().clone(), model.materials());
        let loose = loose_parts(&mesh, &model.recipe().fixed);
        Ok(Self { mesh, basis: None, materials, loose, subject: Box::new(full) })
    }

    /// How many coordinates it moves in.
    pub fn size(&self) -> usize {
        self.subject.size()
    }

    /// The integrator for those who name none.
    pub fn usual_integrator(&self) -> &'static str {
        self.subject.usual_integrator()
    }

    /// Runs the scenario that it was made for.
    ///
    /// # Errors
    /// As [`pliant_sim::run()`].
    pub fn run(
        &mut self,
        scenario: &Scenario,
        options: &RunOptions,
        initial: Option<InitialState>,
        onlookers: Onlookers<'_, '_, '_>,
    ) -> Result<Record, OpenError> {
        Ok(run_watched(self.subject.as_mut(), scenario, options, initial, onlookers)?)
    }

    /// What a user should know before it runs so.
    pub fn caution(&self, options: &RunOptions) -> Option<Note> {
        caution(options, &self.materials)
    }

    /// What a user should know of a run.
    pub fn remarks(&self, record: &Record, scenario: &Scenario) -> Vec<Note> {
        record.remarks(scenario.steps, self.basis.is_none())
    }
}

/// Displacement, velocity, and acceleration where there is one, of so many vertices from an `.npz` file.
///
/// # Errors
/// A file that cannot be read, or arrays of other shapes, or numbers that are not finite.
pub fn initial_state(path: &Path, vertices: usize) -> Result<InitialState, OpenError> {
    let read = |name: &str| field(path, name, vertices);
    let (displacement, velocity) = (read("displacement")?, read("velocity")?);
    let has = arrays::Npz::open(path)?.has("acceleration");
    Ok(InitialState { displacement, velocity, acceleration: has.then(|| read("acceleration")).transpose()? })
}

/// Three finite numbers for each of so many vertices: an array of an `.npz` file, or an `.npy` file.
///
/// # Errors
/// A file that cannot be read, an array of another shape, or numbers that are not finite.
pub fn field(path: &Path, name: &str, vertices: usize) -> Result<Vec<f64>, OpenError> {
    let numbers = arrays::load(path, name)?.expect_shape(path, name, &[vertices, 3])?;
    let Some(k) = numbers.iter().position(|x| !x.is_finite()) else { return Ok(numbers) };
    let (file, row, found) = (shown(path), k / 3, numbers[k]);
    let sentence = format!("{file}: {name}, row {row}, holds {found}; expected finite numbers");
    Err(OpenError::Request(sentence.into()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use pliant_linalg::{Vec3, ignore_progress};
    use pliant_mesh::io::arrays::Numbers;
    use pliant_reduce::Precompute;

    #[test]
    fn a_model_and_its_body_fall_alike() {
        let bar = pliant_mesh::shapes::bar(Vec3::new(1.0, 0.1, 0.1), [4, 1, 1]).into_data();
        let text = "dt = 0.01\nsteps = 3\ngravity = [0.0, -9.81, 0.0]\n[[probe]]\nname = 'p'\nvertex = 0";
        let scenario = Scenario::parse(text, bar.vertices.len()).expect("a scenario");
        let body = crate::BodyOptions::default().make(bar, &mut ignore_progress).expect("a body");
        let linear = Precompute { modes: Some(2), forces: Some("linear".into()), ..Precompute::default() };
        let model = body.reduce(&linear, &mut ignore_progress).expect("a model").model;
        let end = |mut actor: Actor| {
            let onlookers =
                Onlookers { watch: &mut ignore_progress, frame: &mut |_| {}, stopwatch: None, keep: false };
            let options = RunOptions::default();
            let record = actor.run(&scenario, &options, None, onlookers).expect("a run");
            assert!(actor.remarks(&record, &scenario).is_empty());
            record.probes[0].1[3][1]
        };
        let full = Actor::of_full_model(&model, &scenario).expect("its body");
        assert_eq!(full.size(), body.body.size());
        let reduced = Actor::of_model(model, &scenario).expect("a model");
        assert!(reduced.size() < full.size());
        let fallen = [end(full), end(reduced), end(Actor::of_body(body, &scenario).expect("a body"))];
        let exact = -0.5 * 9.81 * 0.03 * 0.03;
        assert!(fallen.iter().all(|y| (y - exact).abs() < 1e-9), "{fallen:?} against {exact}");
    }

    #[test]
    fn a_state_that_is_no_state_is_refused() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("state.npz");
        let write = |velocity: f64| {
            let (u, v) = ([0.0; 6], [0.0, 0.0, 0.0, 0.0, velocity, 0.0]);
            let arrays: [(&str, &[usize], Numbers<'_>); 2] =
                [("displacement", &[2, 3], Numbers::Reals(&u)), ("velocity", &[2, 3], Numbers::Reals(&v))];
            arrays::save_npz(&path, &arrays).expect("a file");
        };
        write(1.0);
        let state = initial_state(&path, 2).expect("a state");
        assert_eq!((state.velocity[4], state.acceleration), (1.0, None));
        assert!(initial_state(&path, 3).is_err());
        write(f64::NAN);
        let said = initial_state(&path, 2).expect_err("not a number").to_string();
        assert!(said.contains("velocity, row 1, holds NaN"), "{said}");
    }
}
