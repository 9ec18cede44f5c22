//! Steps that cannot gain energy that nobody gave.
//!
//! ```text
//! H = T + W + V,    V of the loads, hands and gravity among them, as they are at the end of the step
//! ```
//! H never grows in a step of a body, as damping only takes; where a load has no potential, T + W grows by no more than the work of the
//! loads, ½ (f₀ + f₁)·(q₁ − q₀). A step that makes it grow has gone wrong although it ended well: average
//! acceleration where the stiffness changes fast or has both signs, damping by such a stiffness, an iteration that came to the end of
//! its budget. What H has grown by is summed; where the sum is more than a tenth of T + W, the step is taken back and done again by
//! backward Euler with damping by the stiffness at rest, which only loses where the energy is convex. A sheet that crumples is not:
//! there the last integrator goes downhill (`downhill.rs`), to a place for which there is enough energy, and where the body would come there
//! too fast it is slowed down to what there is,
//!
//! ```text
//! v ← v √(1 − (H₁ − H₀)/T₁),    H₁ − H₀ ≤ T₁                                                                              (1)
//! ```
//! A step that not even this can do ends where it began, without its speed.

use pliant_dynamics::integrator;
use pliant_dynamics::{
    Damping, DampingKind, Integrator, Options, Settings, State, StepError, StepReport, System,
};

use super::Live;
use super::downhill::Downhill;
use crate::{Reduced, Subject};

/// The part of T + W that a body may gain before a step is done again.
const GAIN: f64 = 0.1;

/// When the second attempt has converged: better than can be seen. Of what does not get there soon its energy is judged.
const AGAIN: Options = Options { tolerance: 1e-4, least_correction: None, iterations: Some(20), halvings: 1 };

/// How a bounded step was done.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Bounded {
    /// At once.
    Done(StepReport),
    /// The integrator failed or gained energy; backward Euler did it.
    Again(StepReport),
    /// That, too; it went downhill from where it was, and kept the part `kept` of the speed with which it came there.
    Downhill {
        /// How far it came.
        report: StepReport,
        /// 1 where there was energy for all of its speed, 0 where there was none.
        kept: f64,
    },
    /// Neither could: the body is where it was, without its speed.
    Stopped,
}

/// Where the step began, and the energy then.
pub(super) struct Guard {
    /// Backward Euler.
    again: Box<dyn Integrator>,
    downhill: Downhill,
    before: State,
    /// f_ext there and where it ends, where a load has no potential.
    loads: [Vec<f64>; 2],
    /// W of the state, where it is known.
    elastic: Option<f64>,
    /// What H has grown by in the last steps, J.
    excess: f64,
    /// Who did the last step.
    by: By,
}

/// Who did a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum By {
    First,
    Again,
    Downhill,
    Nobody,
}

impl Guard {
    /// Takes all memory that later steps need.
    pub(super) fn new(system: &mut Reduced) -> Result<Self, StepError> {
        let entry = integrator::find("backward-euler").expect("a line of the table");
        let settings = Settings { damping: Damping::default(), options: AGAIN };
        let again = super::settings::prepared(system, entry, settings)?;
        let size = system.size();
        Ok(Self {
            again,
            downhill: Downhill::new(size),
            before: State::at_rest(size),
            loads: [(); 2].map(|()| vec![0.0; size]),
            elastic: None,
            excess: 0.0,
            by: By::First,
        })
    }

    pub(super) fn duplicate(&self) -> Self {
        Self {
            again: self.again.duplicate(),
            downhill: self.downhill.clone(),
            before: self.before.clone(),
            loads: self.loads.clone(),
            elastic: self.elastic,
            excess: self.excess,
            by: self.by,
        }
    }

    /// The state or a setting was changed from outside.
    pub(super) fn forget(&mut self) {
        (self.elastic, self.excess) = (None, 0.0);
    }

    /// A step was done without guard.
    pub(super) fn unguarded(&mut self) {
        self.forget();
        self.by = By::First;
    }

    /// What was received in the last step, of which the first integrator says `first`; of a step that nobody did `nothing`.
    pub(super) fn impulse<'a>(&'a self, first: &'a [f64], nothing: &'a [f64]) -> &'a [f64] {
        match self.by {
            By::First => first,
            By::Again => self.again.impulse(),
            By::Downhill => self.downhill.impulse(),
            By::Nobody => nothing,
        }
    }

    /// Where a step by `dt` begins; T + W and V there, NaN where they are not defined.
    fn begin(&mut self, system: &mut Reduced, state: &State, dt: f64) -> Start {
        self.before.t = state.t;
        self.before.q.copy_from_slice(&state.q);
        self.before.v.copy_from_slice(&state.v);
        self.before.a.copy_from_slice(&state.a);
        let t = state.t + dt;
        let [kinetic, elastic, load] = energies(system, state, t, self.elastic).unwrap_or([f64::NAN; 3]);
        let conservative = system.loads_have_potential();
        if !conservative {
            system.external_force(t, &state.q, &state.v, &mut self.loads[0]);
        }
        Start { own: kinetic + elastic, load: conservative.then_some(load) }
    }

    /// What a body has at the end of a step, and what of that nobody gave; `None` where it has no energy.
    fn end(&mut self, system: &mut Reduced, state: &State, start: &Start) -> Option<End> {
        let [kinetic, elastic, load] = energies(system, state, state.t, None)?;
        self.elastic = Some(elastic);
        let given = match start.load {
            Some(before) => before - load,
            None => {
                let [first, last] = &mut self.loads;
                system.external_force(state.t, &state.q, &state.v, last);
                let moved = state.q.iter().zip(&self.before.q).map(|(q, before)| q - before);
                moved.zip(first.iter().zip(&*last)).map(|(by, (f0, f1))| 0.5 * by * (f0 + f1)).sum()
            }
        };
        Some(End { kinetic, elastic, gained: kinetic + elastic - start.own - given })
    }

    /// What became of a step: whether the body has about what it had and was given, or less.
    ///
    /// # Errors
    /// What no other integrator would mend; the state is then as it was.
    fn judge(
        &mut self,
        system: &mut Reduced,
        state: &mut State,
        start: &Start,
        done: Result<StepReport, StepError>,
    ) -> Result<Judged, StepError> {
        let report = match done {
            Ok(report) => report,
            Err(error) if is_refusal(&error) => {
                self.take_back(state);
                return Err(error);
            }
            Err(_) => return Ok(Judged::Failed),
        };
        let Some(end) = self.end(system, state, start) else { return Ok(Judged::Failed) };
        // Where the first energy is none there is nothing to compare with.
        if end.gained.is_finite() {
            self.excess = (self.excess + end.gained).max(0.0);
        }
        let bounded = self.excess <= GAIN * (end.kinetic + end.elastic);
        Ok(if bounded { Judged::Bounded(report) } else { Judged::Gained(report, end) })
    }

    /// Back to where the step began.
    fn take_back(&mut self, state: &mut State) {
        state.t = self.before.t;
        state.q.copy_from_slice(&self.before.q);
        state.v.copy_from_slice(&self.before.v);
        state.a.copy_from_slice(&self.before.a);
        self.forget();
    }
}

/// What became of a step.
enum Judged {
    /// Nothing was gained that matters.
    Bounded(StepReport),
    /// It ended well, with energy that nobody gave.
    Gained(StepReport, End),
    /// It did not end, or where there is no energy.
    Failed,
}

/// The energy where a step ended, J.
struct End {
    /// T.
    kinetic: f64,
    /// W.
    elastic: f64,
    /// T + W less what it was and what loads gave; NaN where it was not defined.
    gained: f64,
}

impl End {
    /// What the speed must be multiplied by so that nothing is gained, (1); 0 where no speed is low enough.
    fn kept(&self) -> f64 {
        if self.gained <= 0.0 { 1.0 } else { ((self.kinetic - self.gained) / self.kinetic).max(0.0).sqrt() }
    }
}

/// The energy where a step began, J.
struct Start {
    /// T + W.
    own: f64,
    /// V; `None` where a load has none.
    load: Option<f64>,
}

/// T, W and V of the loads at `t`, if they are finite.
fn energies(system: &mut Reduced, state: &State, t: f64, elastic: Option<f64>) -> Option<[f64; 3]> {
    let elastic = elastic.or_else(|| system.elastic_energy(&state.q).ok())?;
    let kinetic = Subject::kinetic_energy(system, &state.v);
    let all = [kinetic, elastic, system.load_potential(t, &state.q, &state.v)];
    all.iter().all(|x| x.is_finite()).then_some(all)
}

impl Live {
    /// [`Live::step`] for hands that pull without measure: one that fails, or gives the body energy that no load gave, is taken back
    /// and done again by backward Euler; where that fails or gains, too, the body goes downhill as far as it comes and is slowed down to the energy
    /// that there is; at last it stays where it is, without its speed.
    ///
    /// # Errors
    /// Settings that no step can be done with: [`StepError::Setting`], [`StepError::NotLinear`],
    /// [`StepError::NoProjectiveGradient`], and a load whose force is not finite, in either attempt:
    /// [`StepError::LoadNotFinite`]. The state is then, bit for bit, what it was. What was pushed is forgotten in any case.
    pub fn step_bounded(&mut self, dt: f64) -> Result<Bounded, StepError> {
        let done = self.step_guarded(dt);
        self.system.loads.push.fill(0.0);
        self.look();
        self.guard.by = match &done {
            Ok(Bounded::Done(_)) => By::First,
            Ok(Bounded::Again(_)) => By::Again,
            Ok(Bounded::Downhill { .. }) => By::Downhill,
            Ok(Bounded::Stopped) | Err(_) => By::Nobody,
        };
        done
    }

    fn step_guarded(&mut self, dt: f64) -> Result<Bounded, StepError> {
        let Self { system, state, integrator, settings, guard, .. } = self;
        let start = guard.begin(system, state, dt);
        let done = integrator.step(system, state, dt);
        if let Judged::Bounded(report) = guard.judge(system, state, &start, done)? {
            return Ok(Bounded::Done(report));
        }
        guard.take_back(state);
        // Both factorise in the same system: what the first has kept there is gone.
        integrator.renew(settings.damping);
        let damping = Damping { kind: DampingKind::Rest, ..settings.damping };
        guard.again.renew(damping);
        let done = guard.again.step(system, state, dt);
        if let Judged::Bounded(report) = guard.judge(system, state, &start, done)? {
            return Ok(Bounded::Again(report));
        }
        guard.take_back(state);
        let done = guard.downhill.step(system, state, dt, damping);
        match guard.judge(system, state, &start, done)? {
            Judged::Bounded(report) => return Ok(Bounded::Downhill { report, kept: 1.0 }),
            Judged::Gained(report, end) if end.kept() > 0.0 => {
                let kept = end.kept();
                state.v.iter_mut().for_each(|v| *v *= kept);
                guard.excess = 0.0;
                return Ok(Bounded::Downhill { report, kept });
            }
            Judged::Gained(..) | Judged::Failed => guard.take_back(state),
        }
        state.t += dt;
        state.v.fill(0.0);
        state.a.fill(0.0);
        Ok(Bounded::Stopped)
    }
}

/// Whether no other integrator and no shorter step would help.
fn is_refusal(error: &StepError) -> bool {
    matches!(
        error,
        StepError::Setting { .. }
            | StepError::NoProjectiveGradient
            | StepError::NotLinear
            | StepError::LoadNotFinite { .. }
    )
}
