//! Steps that cannot gain energy that nobody gave.
//!
//! ```text
//! H = T + W + V,    V of the loads, hands and gravity among them, whose places stand still during a step
//! ```
//! H never grows in a step of a body, as damping only takes. A step that makes it grow has gone wrong although it ended well: average
//! acceleration where the stiffness changes fast or has both signs, damping by such a stiffness, an iteration that came to the end of
//! its budget. What H has grown by is summed; where the sum is more than a tenth of T + W, the step is taken back and done again by
//! backward Euler with damping by the stiffness at rest, which only loses. A step that not even this can do ends where it began,
//! without its speed.

use pliant_dynamics::integrator;
use pliant_dynamics::{
    Damping, DampingKind, Integrator, Options, Settings, State, StepError, StepReport, System,
};

use super::Live;
use crate::{Reduced, Subject};

/// The part of T + W that a body may gain before a step is done again.
const GAIN: f64 = 0.1;

/// When the second attempt has converged: better than can be seen.
const SECOND: Options = Options { tolerance: 1e-4, least_correction: None, iterations: None, halvings: 4 };

/// How a bounded step was done.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Bounded {
    /// At once.
    Done(StepReport),
    /// The integrator failed or gained energy; backward Euler did it.
    Again(StepReport),
    /// Neither could: the body is where it was, without its speed.
    Stopped,
}

/// Where the step began, and the energy then.
pub(super) struct Guard {
    second: Box<dyn Integrator>,
    before: State,
    push: Vec<f64>,
    /// W of the state, where it is known.
    elastic: Option<f64>,
    /// What H has grown by in the last steps, J.
    excess: f64,
    /// Whether the last step was done by the second integrator.
    pub(super) again: bool,
}

impl Guard {
    /// Takes all memory that later steps need.
    pub(super) fn new(system: &mut Reduced) -> Result<Self, StepError> {
        let entry = integrator::find("backward-euler").expect("a line of the table");
        let settings = Settings { damping: Damping::default(), options: SECOND };
        let second = super::settings::prepared(system, entry, settings)?;
        let size = system.size();
        Ok(Self {
            second,
            before: State::at_rest(size),
            push: vec![0.0; size],
            elastic: None,
            excess: 0.0,
            again: false,
        })
    }

    pub(super) fn duplicate(&self) -> Self {
        Self {
            second: self.second.duplicate(),
            before: self.before.clone(),
            push: self.push.clone(),
            elastic: self.elastic,
            excess: self.excess,
            again: self.again,
        }
    }

    /// The state or a setting was changed from outside.
    pub(super) fn forget(&mut self) {
        (self.elastic, self.excess) = (None, 0.0);
    }

    /// What the second integrator received.
    pub(super) fn impulse(&self) -> &[f64] {
        self.second.impulse()
    }

    fn remember(&mut self, state: &State, push: &[f64]) {
        self.before.t = state.t;
        self.before.q.copy_from_slice(&state.q);
        self.before.v.copy_from_slice(&state.v);
        self.before.a.copy_from_slice(&state.a);
        self.push.copy_from_slice(push);
    }

    /// Whether the body has about what it had, or less.
    fn is_bounded(&mut self, system: &mut Reduced, state: &State, start: f64) -> bool {
        let Some([kinetic, elastic, load]) = energies(system, state, None) else { return false };
        self.elastic = Some(elastic);
        // Where the first energy is none there is nothing to compare with.
        if start.is_finite() {
            self.excess = (self.excess + kinetic + elastic + load - start).max(0.0);
        }
        self.excess <= GAIN * (kinetic + elastic)
    }
}

/// T, W and V, if they are finite.
fn energies(system: &mut Reduced, state: &State, elastic: Option<f64>) -> Option<[f64; 3]> {
    let elastic = elastic.or_else(|| system.elastic_energy(&state.q).ok())?;
    let kinetic = Subject::kinetic_energy(system, &state.v);
    let all = [kinetic, elastic, system.load_potential(state.t, &state.q, &state.v)];
    all.iter().all(|x| x.is_finite()).then_some(all)
}

impl Live {
    /// [`Live::step`] for hands that pull without measure: one that fails, or gives the body energy that no load gave, is taken back
    /// and done again by backward Euler; where that fails, too, the body stays where it is, without its speed.
    ///
    /// # Errors
    /// Settings that no step can be done with: [`StepError::Setting`], [`StepError::NotLinear`],
    /// [`StepError::NoProjectiveGradient`], and a load whose force is not finite.
    pub fn step_bounded(&mut self, dt: f64) -> Result<Bounded, StepError> {
        let Self { system, state, integrator, settings, guard, .. } = self;
        guard.again = false;
        guard.remember(state, &system.loads.push);
        let known = guard.elastic;
        let start = energies(system, state, known).map_or(f64::NAN, |all| all.iter().sum());
        let first = integrator.step(system, state, dt);
        match first {
            Ok(report) => {
                if guard.is_bounded(system, state, start) {
                    system.loads.push.fill(0.0);
                    return Ok(Bounded::Done(report));
                }
            }
            Err(
                error @ (StepError::Setting { .. }
                | StepError::NoProjectiveGradient
                | StepError::NotLinear
                | StepError::LoadNotFinite { .. }),
            ) => {
                system.loads.push.fill(0.0);
                return Err(error);
            }
            Err(_) => {}
        }
        guard.again = true;
        restore(state, &guard.before);
        guard.forget();
        let damping = Damping { kind: DampingKind::Rest, ..settings.damping };
        guard.second.renew(damping);
        let second = guard.second.step(system, state, dt);
        let bounded = second.is_ok() && guard.is_bounded(system, state, start);
        system.loads.push.fill(0.0);
        if let (Ok(report), true) = (second, bounded) {
            return Ok(Bounded::Again(report));
        }
        restore(state, &guard.before);
        state.t += dt;
        state.v.fill(0.0);
        state.a.fill(0.0);
        guard.forget();
        Ok(Bounded::Stopped)
    }
}

fn restore(state: &mut State, before: &State) {
    state.t = before.t;
    state.q.copy_from_slice(&before.q);
    state.v.copy_from_slice(&before.v);
    state.a.copy_from_slice(&before.a);
}
