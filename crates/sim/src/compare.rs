//! A reduced model beside the full body, on the same scenario.
//!
//! ```text
//! e(t) = ‖U q(t) − u(t)‖_M / max_t ‖u(t)‖_M,    ‖x‖²_M = xᵀMx                                 (1)
//! ```
//! (1) is relative to the largest motion of the run: relative to the motion at the same time it would be a quotient of
//! two small numbers whenever the body swings through its rest. Beside it stands the root mean square of the same
//! difference in parts of the body's longest side, as T14 Table 3.1 has it.

use std::sync::Arc;

use pliant_energy::{Body, Tangent};
use pliant_linalg::{DenseSymmetric, Modes, Watch, ignore_progress, par};
use pliant_reduce::Model;

use crate::run::{Onlookers, Stopwatch, run_watched};
use crate::{Full, InitialState, Record, Reduced, RunOptions, Scenario, SimError};

/// Two runs and how far they are apart.
#[derive(Clone, Debug)]
pub struct Comparison {
    /// The body that was run at full order.
    pub body: Arc<Body>,
    /// The full body.
    pub full: Record,
    /// The model.
    pub reduced: Record,
    /// (1) at every time that both runs reached, relative to the largest motion of the whole full run.
    pub relative_l2: Vec<f64>,
    /// Root mean square of the difference over the mass, in parts of the longest side of the bounding box.
    pub of_the_body: Vec<f64>,
    /// Natural frequencies at rest, Hz: full and reduced, as many as the model has linear modes, at most ten.
    pub frequencies_hz: Vec<[f64; 2]>,
}

/// How many natural frequencies are compared.
const FREQUENCIES: usize = 10;

/// Runs both. The full body takes `options.integrator`, unless that is only for linear systems: then Newmark.
///
/// # Errors
/// As [`crate::run()`] and [`Model::body`].
pub fn compare(
    model: &Arc<Model>,
    scenario: &Scenario,
    options: &RunOptions,
    initial: Option<InitialState>,
    watch: &mut Watch<'_>,
) -> Result<Comparison, SimError> {
    compare_timed(model, scenario, options, initial, watch, None)
}

/// [`compare()`] from rest, that nobody watches.
///
/// # Errors
/// As [`compare()`].
pub fn compare_quietly(
    model: &Arc<Model>,
    scenario: &Scenario,
    options: &RunOptions,
) -> Result<Comparison, SimError> {
    compare(model, scenario, options, None, &mut ignore_progress)
}

/// [`compare()`] with a stopwatch that measures the steps of both: [`Comparison::speedup`].
///
/// # Errors
/// As [`compare()`].
pub fn compare_timed(
    model: &Arc<Model>,
    scenario: &Scenario,
    options: &RunOptions,
    initial: Option<InitialState>,
    watch: &mut Watch<'_>,
    mut stopwatch: Option<&mut Stopwatch<'_>>,
) -> Result<Comparison, SimError> {
    let body = Arc::new(model.body()?);
    let mass = body.mass().clone();
    let (total, rigid) = (body.total_mass(), body.rigid_count());
    let [low, high] = model.mesh().bounds();
    let longest = (high - low).max();

    let mut system = Reduced::new(model.clone(), &scenario.loads)?;
    let onlookers = Onlookers { watch, frame: &mut |_| {}, stopwatch: stopwatch.as_deref_mut(), keep: true };
    let mut reduced = run_watched(&mut system, scenario, options, initial.clone(), onlookers)?;
    let motion = std::mem::take(&mut reduced.frames);

    let mut full_options = options.clone();
    // The same motion, by what suits a body of many coordinates.
    if ["modal", "newmark-broyden"].contains(&&*options.integrator) {
        full_options.integrator = "newmark".into();
    }
    let (mut u, mut weighted) = (vec![0.0; body.size()], vec![0.0; body.size()]);
    let mut norm = |x: &[f64]| {
        mass.apply_per_axis(x, &mut weighted);
        par::dot(x, &weighted).max(0.0).sqrt()
    };
    let (mut apart, mut largest) = (Vec::new(), 0_f64);
    let mut system = Full::new(Arc::clone(&body), scenario.loads.clone())?;
    let mut judge = |frame: crate::Frame<'_>| {
        largest = largest.max(norm(frame.q));
        let Some(q) = motion.get(frame.step) else { return };
        model.basis().expand(q, &mut u);
        u.iter_mut().zip(frame.q).for_each(|(u, truth)| *u -= truth);
        apart.push(norm(&u));
    };
    let onlookers = Onlookers { watch, frame: &mut judge, stopwatch, keep: false };
    let full = run_watched(&mut system, scenario, &full_options, initial, onlookers)?;
    let relative = if largest > 0.0 { largest } else { 1.0 };
    // Where both begin alike and neither has made a step, nothing was compared.
    if apart.len() < 2 {
        apart = vec![f64::NAN];
    }
    Ok(Comparison {
        body,
        full,
        reduced,
        relative_l2: apart.iter().map(|e| e / relative).collect(),
        of_the_body: apart.iter().map(|e| e / total.sqrt() / longest).collect(),
        frequencies_hz: frequencies(model, rigid)?,
    })
}

/// Of the reduced force at rest, whatever its kind, beside those that the full body was found to have. `rigid` motions
/// of the full body have none.
fn frequencies(model: &Model, rigid: usize) -> Result<Vec<[f64; 2]>, SimError> {
    let r = model.basis().rank();
    let mut K = DenseSymmetric::zeros(r);
    let at_rest = vec![0.0; r];
    model.evaluator().stiffness(&at_rest, Tangent::Exact, &mut K).expect("every energy is defined at rest");
    let Some(modes) = Modes::of(&K, model.reduced_mass()) else { return Ok(Vec::new()) };
    // A basis that lacks a rigid motion has no zero for it.
    let zeros = rigid.min(model.facts().affine);
    let reduced = modes.frequencies_hz().into_iter().skip(zeros);
    Ok(model.frequencies_hz().into_iter().zip(reduced).take(FREQUENCIES).map(|(a, b)| [a, b]).collect())
}

/// The largest, NaN where one is.
fn most(all: &[f64]) -> f64 {
    all.iter().copied().fold(0.0, |most, x| if x > most || x.is_nan() { x } else { most })
}

impl Comparison {
    /// The mean of [`Comparison::relative_l2`] over time.
    pub fn relative_l2_mean(&self) -> f64 {
        self.relative_l2.iter().sum::<f64>() / self.relative_l2.len() as f64
    }

    /// The largest of [`Comparison::relative_l2`].
    pub fn relative_l2_max(&self) -> f64 {
        most(&self.relative_l2)
    }

    /// The mean of [`Comparison::of_the_body`] over time.
    pub fn of_the_body_mean(&self) -> f64 {
        self.of_the_body.iter().sum::<f64>() / self.of_the_body.len() as f64
    }

    /// The largest of [`Comparison::of_the_body`].
    pub fn of_the_body_max(&self) -> f64 {
        most(&self.of_the_body)
    }

    /// The largest relative error of a natural frequency.
    pub fn frequency_error(&self) -> f64 {
        self.frequencies_hz.iter().map(|[full, reduced]| (reduced / full - 1.0).abs()).fold(0.0, f64::max)
    }

    /// How many times faster a step is, by the medians.
    pub fn speedup(&self) -> Option<f64> {
        Some(self.full.median_seconds()? / self.reduced.median_seconds()?)
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn what_was_not_measured_is_no_small_error() {
        assert_eq!(super::most(&[0.1, 0.3, 0.2]), 0.3);
        assert!(super::most(&[f64::NAN]).is_nan() && super::most(&[0.1, f64::NAN, 0.2]).is_nan());
    }
}
