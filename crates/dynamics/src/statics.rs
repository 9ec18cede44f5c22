//! Statics: where a body comes to rest under its loads.
//!
//! ```text
//! f_int(q) = s f_ext(t, q),    s from 0 to 1 in load steps
//! ```
//! Each load step is solved by Newton's method from the one before. A load step that fails is halved; after one that
//! was easy the next is twice as long. A body that buckles or snaps through has no path to follow at some load: that is
//! an error that says how much was carried; use damped dynamics there.
//!
//! A start that is far from the first load step, such as the last equilibrium before a body buckles, may lead Newton's method astray
//! at once, and shorter load steps, which are further away still, do not help. Where no load step at all was carried, the body is let go first:
//!
//! ```text
//! f_int(q) = h f_int(q₀),    h from 1 to 0
//! ```
//! begins with an equilibrium, q₀, ends with one without loads, and is followed in the same way; the loads follow from there.

use pliant_linalg::{Progress, Watch};

use crate::balance::Problem;
use crate::newton::Newton;
use crate::{Options, StepError, System, error::Failure};

/// How the load is applied.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Loading {
    /// Length of the first load step, in (0, 1]; 1 is all at once.
    pub first: f64,
    /// Tolerance, and iterations of one load step; `iterations: None` allows 50. A load step that needs more fails.
    pub options: Options,
    /// How often a load step may be halved below the first.
    pub halvings: usize,
}

impl Default for Loading {
    fn default() -> Self {
        Self { first: 0.25, options: Options::default(), halvings: 10 }
    }
}

/// How an equilibrium was found.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct StaticsReport {
    /// Load steps that were carried.
    pub load_steps: usize,
    /// Load steps that failed and were halved.
    pub halvings: usize,
    /// Iterations of all of them.
    pub iterations: usize,
    /// ‖R‖ at the full load, relative to the largest force.
    pub residual: f64,
}

/// A load step of so many iterations was easy.
const EASY: usize = 8;

/// Takes q to the equilibrium under the loads at time t, s. `watch` hears of every load step, in thousandths.
///
/// # Errors
/// [`StepError`] when none was found; q is then, bit for bit, what it was.
pub fn solve(
    system: &mut dyn System,
    t: f64,
    q: &mut [f64],
    loading: &Loading,
    watch: &mut Watch<'_>,
) -> Result<StaticsReport, StepError> {
    let Path { at, report, lost, .. } = follow(system, t, q, loading, watch)?;
    match lost {
        Some(error) => Err(error),
        None => {
            q.copy_from_slice(&at);
            Ok(report)
        }
    }
}

/// As [`solve`], as far as an equilibrium is found: the part of the loads that is carried at q, 0 to 1. A body that buckles is then in
/// the last equilibrium before that.
///
/// # Errors
/// [`StepError`] of settings and of a state that no step can start from, and when the watch asked to stop; q is then, bit for bit,
/// what it was.
pub fn solve_as_far_as_possible(
    system: &mut dyn System,
    t: f64,
    q: &mut [f64],
    loading: &Loading,
    watch: &mut Watch<'_>,
) -> Result<f64, StepError> {
    let Path { at, carried, .. } = follow(system, t, q, loading, watch)?;
    q.copy_from_slice(&at);
    Ok(carried)
}

/// Equilibria under more and more of the loads, and where they ended.
#[derive(Clone)]
struct Path {
    at: Vec<f64>,
    /// The part of the loads there.
    carried: f64,
    report: StaticsReport,
    /// Why there is no next one, where the loads are not carried whole.
    lost: Option<StepError>,
}

fn follow(
    system: &mut dyn System,
    t: f64,
    q: &[f64],
    loading: &Loading,
    watch: &mut Watch<'_>,
) -> Result<Path, StepError> {
    loading.options.check()?;
    if !(loading.first > 0.0 && loading.first <= 1.0) {
        let allowed = "above 0 and at most 1";
        return Err(StepError::Setting { what: "the first load step", value: loading.first, allowed });
    }
    assert_eq!(q.len(), system.size(), "q has {} coordinates, system has {}", q.len(), system.size());
    if let Some(worst) = crate::vector::first_not_finite(q) {
        return Err(StepError::NotFinite { t, what: "state", worst, halvings: 0 });
    }
    let mut newton = Newton::default();
    let start = Path { at: q.to_vec(), carried: 0.0, report: StaticsReport::default(), lost: None };
    let mut path = walk(system, t, start, loading, &mut newton, &|s| (s, 0.0), watch)?;
    let by_load = |lost: &StepError| {
        matches!(lost, StepError::LoadNotFinite { .. } | StepError::NotFinite { what: "load", .. })
    };
    if path.carried > 0.0 || path.lost.as_ref().is_none_or(by_load) {
        return Ok(path);
    }
    // Not one load step: from rest instead, if there is a way to it.
    if newton.balance.keep(system, q).is_err() || newton.balance.kept_is_nothing() {
        return Ok(path);
    }
    let start = Path { at: q.to_vec(), lost: None, ..path.clone() };
    let free = walk(system, t, start, loading, &mut newton, &|s| (0.0, 1.0 - s), watch)?;
    path.report = free.report;
    if free.lost.is_some() {
        return Ok(path);
    }
    let again = walk(system, t, Path { carried: 0.0, ..free }, loading, &mut newton, &|s| (s, 0.0), watch)?;
    Ok(if again.carried > 0.0 { again } else { Path { report: again.report, ..path } })
}

/// Equilibria for s from `path.carried` to 1, where `acts` says what parts of the loads and of what was kept act at s.
fn walk(
    system: &mut dyn System,
    t: f64,
    path: Path,
    loading: &Loading,
    newton: &mut Newton,
    acts: &dyn Fn(f64) -> (f64, f64),
    watch: &mut Watch<'_>,
) -> Result<Path, StepError> {
    let Path { mut at, mut carried, mut report, .. } = path;
    let mut step = loading.first;
    let shortest = loading.first * 0.5f64.powi(loading.halvings as i32);
    while carried < 1.0 {
        Progress { stage: "load steps", done: (carried * 1000.0) as usize, total: 1000 }.tell(watch)?;
        let part = if carried + step > 1.0 - 1e-9 { 1.0 } else { carried + step };
        newton.balance.begin_at(&at);
        let (load, kept) = acts(part);
        let tried = newton.solve(system, &Problem::statics(t, load, kept), &loading.options);
        let failure = match tried {
            Ok(solved) if solved.converged => {
                at.copy_from_slice(&newton.balance.q);
                report.load_steps += 1;
                report.iterations += solved.iterations;
                report.residual = solved.residual;
                carried = part;
                if solved.iterations <= EASY {
                    step *= 2.0;
                }
                continue;
            }
            Ok(solved) => Failure::NotConverged {
                residual: solved.residual,
                iterations: solved.iterations,
                worst: solved.worst,
            },
            Err(failure) => failure,
        };
        report.halvings += 1;
        step = 0.5 * (part - carried);
        if step < shortest {
            let lost = match failure {
                Failure::NotConverged { residual, iterations, worst } => {
                    StepError::NoEquilibrium { load: carried, residual, iterations, worst }
                }
                other => other.into_error(t, 0.0, report.halvings),
            };
            return Ok(Path { at, carried, report, lost: Some(lost) });
        }
    }
    Ok(Path { at, carried, report, lost: None })
}
