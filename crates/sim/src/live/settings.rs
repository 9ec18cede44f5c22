//! What can be changed on a live model while it moves: damping, integrator, stiffness, density, level of detail.
//!
//! Stiffness and density are factors over what the model was built with: every law is linear in Young's modulus, so that
//! nothing has to be built again. A change takes hold at once: the acceleration becomes the one that the new forces give
//! where the body is, so that the next step begins as a motion with the new settings would. What was pushed waits for that
//! step. A change that cannot be is an error, and everything is as it was.

use std::f64::consts::TAU;
use std::sync::Arc;

use super::Live;
use pliant_dynamics::integrator::{self, Entry};
use pliant_dynamics::{Damping, Integrator, Options, Settings, Start, State, StepError, System};
use pliant_energy::load::Loads;
use pliant_linalg::{Modes, Vec3};
use pliant_reduce::Model;

use crate::reduced::Factors;
use crate::run::find;
use crate::{Motion, Reduced, SimError, Still, Subject};

impl Live {
    /// Rayleigh's, from now on.
    ///
    /// # Errors
    /// A number that is not finite or below zero.
    pub fn set_damping(&mut self, damping: Damping) -> Result<(), SimError> {
        check_damping(&damping)?;
        let before = std::mem::replace(&mut self.settings.damping, damping);
        self.integrator.renew(damping);
        self.accelerate().inspect_err(|_| {
            self.settings.damping = before;
            self.integrator.renew(before);
        })
    }

    /// Another integrator, a name of [`integrator::ALL`]; the state stays as it is, bit for bit. Takes memory.
    ///
    /// # Errors
    /// One that is not there, or not for this model.
    pub fn set_integrator(&mut self, name: &str) -> Result<(), SimError> {
        let entry = find(name)?;
        self.integrator = prepared(&mut self.system, entry, self.settings)?;
        self.entry = entry;
        Ok(())
    }

    /// `factor` times the Young's modulus (or the stiffnesses of a surface) that the model was built with. 1 is as built.
    ///
    /// # Errors
    /// A factor that is not a finite number > 0.
    pub fn set_stiffness(&mut self, factor: f64) -> Result<(), SimError> {
        positive("the factor of the stiffness", factor)?;
        self.rescale(Factors { stiffness: factor, ..self.system.factors() })
    }

    /// `factor` times the density that the model was built with. 1 is as built.
    ///
    /// # Errors
    /// A factor that is not a finite number > 0.
    pub fn set_density(&mut self, factor: f64) -> Result<(), SimError> {
        positive("the factor of the density", factor)?;
        self.rescale(Factors { density: factor, ..self.system.factors() })
    }

    /// Level of detail: from now on only the first `count` coordinates are used, 1 to the rank of the model, and the others
    /// are zero. Grabs and loads stay as they are; what was pushed is forgotten. Makes a smaller model inside: takes memory, and
    /// time that grows with the mesh.
    ///
    /// # Errors
    /// A number that is out of range, or a state whose energy is not defined without the other coordinates.
    pub fn set_coordinates(&mut self, count: usize) -> Result<(), SimError> {
        if count == self.coordinates() {
            return Ok(());
        }
        let rank = self.model.basis().rank();
        if self.motion() == Motion::Warped {
            return Err(SimError::WarpCoordinates { used: count, rank });
        }
        let whole = count == rank;
        let model: Arc<_> = if whole { self.model.clone() } else { self.model.truncated(count)?.into() };
        let mut state = self.state.clone();
        [&mut state.q, &mut state.v, &mut state.a].into_iter().for_each(|x| x.resize(count, 0.0));
        self.become_another(model, self.motion(), self.entry, state)
    }

    /// How it moves.
    pub fn motion(&self) -> Motion {
        self.system.motion()
    }

    /// Another motion, while it moves. What is seen stays as it is, as nearly as the new motion can say it; but between linear and
    /// warped, which are one motion seen in two ways, the coordinates stay. Oscillators are exact whatever the step, which is what
    /// they are stepped with; back in the motion by the forces of the model its own integrator is there again. Grabs and loads stay;
    /// what was pushed is forgotten. Takes memory.
    ///
    /// # Errors
    /// The warped motion of a model without a warp, or in a part of its coordinates; a state where the energy is not defined.
    pub fn set_motion(&mut self, motion: Motion) -> Result<(), SimError> {
        let before = self.motion();
        if motion == before {
            return Ok(());
        }
        let (used, rank) = (self.coordinates(), self.model.rank());
        if motion == Motion::Warped && used != rank {
            return Err(SimError::WarpCoordinates { used, rank });
        }
        let nonlinear_entry = if before.is_linear() { self.nonlinear_entry } else { self.entry };
        let entry = if motion.is_linear() { find("modal")? } else { nonlinear_entry };
        let mut state = self.state.clone();
        match (before, motion) {
            (Motion::Warped, Motion::Nonlinear) => state.q.copy_from_slice(self.shown()),
            (Motion::Nonlinear, Motion::Warped) => {
                let mut warp = self.model.warp()?.ok_or(SimError::NoWarp)?;
                warp.undo(&self.state.q, &mut state.q);
            }
            _ => {}
        }
        let model = self.system.model().clone();
        self.become_another(model, motion, entry, state)?;
        self.nonlinear_entry = nonlinear_entry;
        Ok(())
    }

    /// The same body, with all that acts on it, in another system that is in `state`.
    pub(super) fn become_another(
        &mut self,
        model: Arc<Model>,
        motion: Motion,
        entry: &'static Entry,
        mut state: State,
    ) -> Result<(), SimError> {
        let count = model.rank();
        let natural = Modes::of(model.reduced_stiffness(), model.reduced_mass()).map(Arc::new);
        let mut system = Reduced::moving(model.clone(), Loads::default(), motion)?;
        system.set_gravity(self.system.gravity());
        system.set_factors(self.system.factors());
        system.loads.take_over(&self.system.loads, &model, self.density())?;
        let integrator = prepared(&mut system, entry, self.settings)?;
        let guard = super::Guard::new(&mut system)?;
        std::mem::swap(&mut system.loads.springs, &mut self.system.loads.springs);
        system.loads.springs.iter_mut().for_each(|held| held.pulls.look_away());
        system.look(&state.q);
        let damping = &self.settings.damping;
        let begun =
            integrator::start_in(&mut system, &mut state, damping, Start::FromLoad, &mut self.scratch);
        if let Err(error) = begun {
            std::mem::swap(&mut system.loads.springs, &mut self.system.loads.springs);
            self.system.loads.springs.iter_mut().for_each(|held| held.pulls.look_away());
            self.look();
            return Err(error.into());
        }
        (self.spare, self.no_push) = (state.clone(), vec![0.0; count]);
        (self.system, self.integrator, self.natural, self.state) = (system, integrator, natural, state);
        (self.guard, self.entry) = (guard, entry);
        Ok(())
    }

    /// Puts the body somewhere: coordinates and their rates, [`Live::coordinates`] numbers each. Time, grabs and settings
    /// stay.
    ///
    /// # Errors
    /// Another number of coordinates, numbers that are not finite, a state where the energy is not defined.
    pub fn set_state(&mut self, q: &[f64], v: &[f64]) -> Result<(), SimError> {
        let expected = self.coordinates();
        for (what, x) in [("q", q), ("the velocity", v)] {
            if x.len() != expected {
                return Err(SimError::Size { what, found: x.len(), expected });
            }
            if let Some(&value) = x.iter().find(|x| !x.is_finite()) {
                return Err(SimError::Number { what: "a coordinate", value, expected: "a finite number" });
            }
        }
        self.spare.t = self.state.t;
        self.spare.q.copy_from_slice(q);
        self.spare.v.copy_from_slice(v);
        std::mem::swap(&mut self.state, &mut self.spare);
        self.guard.forget();
        self.look();
        let begun = self.accelerate();
        if begun.is_err() {
            std::mem::swap(&mut self.state, &mut self.spare);
            self.look();
        }
        begun
    }

    /// Multiplies the coordinates by `part`, between 0 and 1, and takes the speed away: a body that went too far comes as much nearer. Takes no memory.
    pub fn pull_in(&mut self, part: f64) {
        self.state.q.iter_mut().for_each(|q| *q *= part.clamp(0.0, 1.0));
        self.state.v.fill(0.0);
        self.state.a.fill(0.0);
        self.guard.forget();
        self.look();
    }

    /// How many coordinates are used: the first ones of the model.
    pub fn coordinates(&self) -> usize {
        self.system.size()
    }

    /// Times the stiffness that the model was built with.
    pub fn stiffness(&self) -> f64 {
        self.system.factors().stiffness
    }

    /// Times the density that the model was built with.
    pub fn density(&self) -> f64 {
        self.system.factors().density
    }

    /// m/s².
    pub fn gravity(&self) -> Vec3 {
        self.system.gravity()
    }

    /// Rayleigh's.
    pub fn damping(&self) -> Damping {
        self.settings.damping
    }

    /// The name of the integrator.
    pub fn integrator(&self) -> &'static str {
        self.entry.name
    }

    /// When a step has converged.
    pub fn solver(&self) -> Options {
        self.settings.options
    }

    /// How hard it is to push a vertex away, N/m: one over its displacement under a steady force of 1 N, the mean over all
    /// directions, for small displacements from rest in the coordinates in use.
    ///
    /// ```text
    /// 1/k = ⅓ Σ_i |B φ_i|² / s max(λ_i, λ₁)         B: the rows of the vertex;   K̃φ = λM̃φ, φᵀM̃φ = 1;   λ₁: the lowest λ > 0
    /// ```
    /// A motion that costs nothing, as the rigid ones of a free body, would give way for ever: it counts as if it swung
    /// with the lowest frequency that the body has (of a body that has none: 1 Hz).
    ///
    /// # Errors
    /// A vertex that is not there, fixed, or not moved by these coordinates; a model without natural modes.
    pub fn static_stiffness(&self, vertex: u32) -> Result<f64, SimError> {
        self.exists(vertex)?;
        match self.system.still(vertex) {
            Some(Still::Fixed) => return Err(SimError::FixedVertex { vertex }),
            Some(Still::Unmoved) => return Err(SimError::UnmovedVertex { vertex }),
            None => {}
        }
        let modes = self.natural.as_ref().ok_or_else(|| {
            SimError::Model("its reduced stiffness has no eigenvalues; build it again".into())
        })?;
        let lowest = modes.eigenvalues.iter().copied().find(|x| *x > self.costless).unwrap_or(TAU * TAU);
        let mut compliance = 0.0;
        for (lambda, shape) in modes.eigenvalues.iter().zip(modes.each_shape()) {
            let moved = Vec3::from(self.basis().at(shape, vertex as usize));
            compliance += moved.norm_squared() / (3.0 * self.stiffness() * lambda.max(lowest));
        }
        Ok(1.0 / compliance)
    }

    fn rescale(&mut self, factors: Factors) -> Result<(), SimError> {
        let before = self.system.factors();
        self.integrator.renew(self.settings.damping);
        self.system.set_factors(factors);
        self.guard.forget();
        self.accelerate().inspect_err(|_| {
            self.integrator.renew(self.settings.damping);
            self.system.set_factors(before);
        })
    }

    /// The acceleration that the forces give where the body is, but for what was pushed.
    fn accelerate(&mut self) -> Result<(), SimError> {
        let Self { system, state, settings, scratch, no_push, .. } = self;
        std::mem::swap(&mut system.loads.push, no_push);
        let begun = integrator::start_in(system, state, &settings.damping, Start::FromLoad, scratch);
        std::mem::swap(&mut system.loads.push, no_push);
        Ok(begun?)
    }
}

/// An integrator that has taken all its memory: in one step without loads that is thrown away, and which tells whether it is
/// for this model.
pub(super) fn prepared(
    system: &mut Reduced,
    entry: &Entry,
    settings: Settings,
) -> Result<Box<dyn Integrator>, StepError> {
    let mut integrator = (entry.make)(settings);
    let aside = system.loads.set_aside();
    let mut state = State::at_rest(system.size());
    let done = integrator.step(system, &mut state, 1.0 / 60.0);
    system.loads.put_back(aside);
    done.map(|_| integrator)
}

pub(super) fn check_damping(damping: &Damping) -> Result<(), SimError> {
    for (what, value) in
        [("the damping by mass", damping.mass), ("the damping by stiffness", damping.stiffness)]
    {
        if !(value.is_finite() && value >= 0.0) {
            return Err(SimError::Number { what, value, expected: "a finite number >= 0" });
        }
    }
    Ok(())
}

fn positive(what: &'static str, value: f64) -> Result<(), SimError> {
    let sound = value.is_finite() && value > 0.0;
    sound.then_some(()).ok_or(SimError::Number { what, value, expected: "a finite number > 0" })
}
