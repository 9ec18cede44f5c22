//! Newton's method for the end of a step, with a line search that lets a bending body rotate.
//!
//! ```text
//! ∂R/∂d p = −R,   d ← d + τ p        converged:  ‖R‖ ≤ TOL · max(‖f_int‖, ‖f_ext‖, ‖M a‖)   or at round-off     (1)
//! ```
//! **Round-off**: ‖R‖ is no more than what rounding makes of these forces ([`System::round_off`] and 4 ε of each), or
//! the last full step was below 4 ε of the state and ‖R‖ did not fall by it. A body that has come to rest ends there.
//!
//! **Matrix**: the exact tangent; where it is not positive definite the positive one; where that fails too (a free body
//! in statics; a polynomial force, which has no other than the exact one), mass is added. Each makes p a descent direction of the potential; a solve that is not one is not used.
//!
//! **Line search**: what is judged is the slope along p, p·R. It costs nothing, since R at the new state is needed
//! anyway; it exists for damping and loads without a potential; it has no cancellation at the end, where energies
//! differ in their last digits. A step is taken when the slope behind it is at most half as steep uphill as it was
//! downhill before it (0 for a quadratic potential).
//!
//! A slender body that bends breaks this rule, and any that asks ‖R‖ or the energy to fall: a step turns its parts
//! along straight lines, the axial strain that this makes dwarfs the bending, and the next iteration removes it.
//! Steps cut until nothing rises crawl. So a step that breaks the rule is taken on trial: if within [`PATIENCE`]
//! iterations the decrement −p·R = Rᵀ(∂R/∂d)⁻¹R, an affine-invariant measure of the distance to go, is not below what
//! it was, the iteration returns to where the trial began and from then on cuts every step to obey. This is the
//! watchdog technique, CPLP82 in docs/papers.md. A number of iterations that was given may end in the midst of a trial: then the
//! potential decides whether what it has come to is kept.

use crate::balance::{Balance, Magnitudes, Problem, Trouble};
use crate::vector::{add, dot, largest, norm, worst};
use crate::{StepError, System, Tangent, Weights, error::Failure};

/// When a solver stops.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Options {
    /// TOL: ‖R‖ relative to the largest of ‖f_int‖, ‖f_ext‖, ‖M a‖.
    pub tolerance: f64,
    /// A correction that moves the body by less, m ([`System::distance`]), is the last of its step: it is taken, and what it leaves
    /// is not looked at. For bodies that are watched; `None`: the tolerance alone decides.
    pub least_correction: Option<f64>,
    /// A step takes at most so many iterations and is then accepted as it is: 1 is the classic semi-implicit step.
    /// `None`: as many as the tolerance needs; a step that does not get there is halved.
    pub iterations: Option<usize>,
    /// How often a step that fails may be halved: 8 means parts of down to dt / 256.
    pub halvings: usize,
}

impl Default for Options {
    fn default() -> Self {
        Self { tolerance: 1e-8, least_correction: None, iterations: None, halvings: 8 }
    }
}

impl Options {
    /// # Errors
    /// [`StepError::Setting`] for a tolerance that is not positive or no iteration at all.
    pub fn check(&self) -> Result<(), StepError> {
        if !(self.tolerance > 0.0 && self.tolerance < 1.0) {
            return Err(StepError::Setting {
                what: "tolerance",
                value: self.tolerance,
                allowed: "between 0 and 1, such as 1e-8",
            });
        }
        if let Some(value) = self.least_correction.filter(|x| !(x.is_finite() && *x > 0.0)) {
            let allowed = "a length above 0, such as 1e-4 of the body's";
            return Err(StepError::Setting { what: "the least correction", value, allowed });
        }
        if self.iterations == Some(0) {
            return Err(StepError::Setting { what: "iterations", value: 0.0, allowed: "1 or more" });
        }
        Ok(())
    }
}

impl Options {
    /// Whether the correction p is too small for another look.
    pub(crate) fn is_last(&self, system: &mut dyn System, p: &[f64]) -> bool {
        self.least_correction.is_some_and(|least| system.distance(p) <= least)
    }
}

/// Iterations without a cap from outside; ordinary steps need 2 to 6.
const MOST_ITERATIONS: usize = 50;

/// Iterations on trial. Bending takes one to stretch and one or two to unstretch.
const PATIENCE: usize = 4;

/// How steep uphill a step may end, relative to the slope down which it started.
const UPHILL: f64 = 0.5;

/// Powers of ten by which M is added where K is not positive, relative to the size of K.
const LEAST_SHIFT: i32 = -6;
const MOST_SHIFT: i32 = 4;

/// Cuts of one step; 2⁻⁴⁰ of a step is no step.
const MOST_CUTS: usize = 40;

/// How a solve ended.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Solved {
    pub(crate) iterations: usize,
    pub(crate) residual: f64,
    pub(crate) converged: bool,
    pub(crate) worst: usize,
}

/// Newton's method with its memory.
#[derive(Clone, Debug, Default)]
pub(crate) struct Newton {
    /// Where the end of the step is found after a solve.
    pub(crate) balance: Balance,
    d: Vec<f64>,
    r: Vec<f64>,
    p: Vec<f64>,
    d_try: Vec<f64>,
    r_try: Vec<f64>,
    trial: Trial,
}

/// Where a trial began.
#[derive(Clone, Debug, Default)]
struct Trial {
    /// Iterations since; `None`: there is no trial.
    age: Option<usize>,
    d: Vec<f64>,
    p: Vec<f64>,
    slope: f64,
    residual: f64,
}

impl Newton {
    /// Solves R(d) = 0 from d = 0. `balance` has been told where the step starts.
    ///
    /// Starting at the old state, not at a prediction, makes the first iteration the linearly implicit step, which is
    /// right for stiff vibrations too; a prediction dt v₀ is far off for them.
    pub(crate) fn solve(
        &mut self,
        system: &mut dyn System,
        problem: &Problem,
        options: &Options,
    ) -> Result<Solved, Failure> {
        self.resize(system.size());
        self.d.fill(0.0);
        self.trial.age = None;
        let mut lenient = true;
        let mut round_off = None;
        let mut sizes = self.balance.residual(system, problem, &self.d, &mut self.r)?;
        let most = options.iterations.unwrap_or(MOST_ITERATIONS);
        for iterations in 0.. {
            let mut converged = sizes.residual <= options.tolerance * sizes.largest();
            if !converged {
                let rounding = *round_off.get_or_insert_with(|| 4.0 * system.round_off(&self.balance.q));
                converged = sizes.residual <= rounding + sizes.rounding();
            }
            if !converged && iterations == most {
                sizes = self.end_trial(system, problem, sizes)?;
            }
            if converged || iterations == most {
                let (residual, worst) = (sizes.relative(), worst(&self.r));
                return Ok(Solved { iterations, residual, converged, worst });
            }
            let mut slope = match self.direction(system, problem) {
                Err(Failure::NotDefinite) if sizes.is_nothing() => {
                    let (residual, worst) = (sizes.relative(), worst(&self.r));
                    return Ok(Solved { iterations, residual, converged: true, worst });
                }
                other => other?,
            };
            if self.trial_failed(slope) {
                (slope, sizes.residual) = self.go_back();
                lenient = false;
            }
            if self.trial.age.is_none() && options.is_last(system, &self.p) {
                add(&self.d, 1.0, &self.p, &mut self.d_try);
                self.balance.settle(system, problem, &self.d_try, &self.p, &self.r)?;
                let (residual, worst) = (sizes.relative(), worst(&self.r));
                return Ok(Solved { iterations: iterations + 1, residual, converged: true, worst });
            }
            add(&self.d, 1.0, &self.p, &mut self.d_try);
            let full = self.balance.residual(system, problem, &self.d_try, &mut self.r_try);
            let steep = dot(&self.p, &self.r_try);
            sizes = match full {
                Ok(new) if at_round_off(&self.p, &self.balance.q, new.residual, sizes.residual) => {
                    let (residual, worst) = (new.relative(), worst(&self.r_try));
                    return Ok(Solved { iterations: iterations + 1, residual, converged: true, worst });
                }
                Ok(new) if steep <= -UPHILL * slope => new,
                Ok(new) if lenient => {
                    self.begin_trial(slope, sizes.residual);
                    new
                }
                _ => {
                    if self.trial.age.is_some() {
                        (slope, sizes.residual) = self.go_back();
                        lenient = false;
                    }
                    match self.cut(system, problem, slope) {
                        Some(new) => new,
                        None => return Err(self.give_up(full, &sizes, iterations)),
                    }
                }
            };
            std::mem::swap(&mut self.d, &mut self.d_try);
            std::mem::swap(&mut self.r, &mut self.r_try);
        }
        unreachable!("the loop ends at the cap")
    }

    /// Takes the memory for n coordinates.
    pub(crate) fn resize(&mut self, n: usize) {
        let Self { d, r, p, d_try, r_try, trial, .. } = self;
        [d, r, p, d_try, r_try, &mut trial.d, &mut trial.p].into_iter().for_each(|x| x.resize(n, 0.0));
    }

    /// p = −(∂R/∂d)⁻¹ R at the last evaluation; returns the slope p·R < 0.
    fn direction(&mut self, system: &mut dyn System, problem: &Problem) -> Result<f64, Failure> {
        let weights = problem.weights();
        let linearise = |system: &mut dyn System, balance: &Balance, tangent| {
            system.linearise(problem.t, &balance.q, &balance.v, tangent).map_err(Trouble::from)
        };
        linearise(system, &self.balance, Tangent::Exact)?;
        if let Some(slope) = self.descend(system, &weights) {
            return Ok(slope);
        }
        linearise(system, &self.balance, Tangent::Positive)?;
        if let Some(slope) = self.descend(system, &weights) {
            return Ok(slope);
        }
        // A multiple of M of the size of K, as the residual sees both; first little of it. The quotient of the lengths
        // ‖Kr‖/‖Mr‖, not rᵀKr/rᵀMr, which a K with both signs makes negative or nothing at all. In dynamics K is below
        // −(weight of M) somewhere, so that less than that weight is not its size.
        system.apply_stiffness(&self.r, &mut self.p);
        let k = norm(&self.p);
        system.apply_mass(&self.r, &mut self.p);
        let typical = (k / norm(&self.p)).max(weights.mass);
        for power in LEAST_SHIFT..=MOST_SHIFT {
            let shift = typical * 10f64.powi(power);
            if shift.is_finite()
                && shift > 0.0
                && let Some(slope) = self.descend(system, &Weights { mass: weights.mass + shift, ..weights })
            {
                return Ok(slope);
            }
        }
        Err(Failure::NotDefinite)
    }

    /// p with these weights, if it is a descent direction.
    fn descend(&mut self, system: &mut dyn System, weights: &Weights) -> Option<f64> {
        system.factorise(weights).ok()?;
        self.p.iter_mut().zip(&self.r).for_each(|(p, r)| *p = -r);
        system.solve(&mut self.p);
        let slope = dot(&self.p, &self.r);
        (slope.is_finite() && slope < 0.0).then_some(slope)
    }

    fn begin_trial(&mut self, slope: f64, residual: f64) {
        if self.trial.age.is_none() {
            self.trial.age = Some(0);
            self.trial.slope = slope;
            self.trial.residual = residual;
            self.trial.d.copy_from_slice(&self.d);
            self.trial.p.copy_from_slice(&self.p);
        }
    }

    /// Judges the trial, if there is one, by the new slope; ends it if it was a success.
    fn trial_failed(&mut self, slope: f64) -> bool {
        let Some(age) = &mut self.trial.age else { return false };
        *age += 1;
        if -slope <= -0.9 * self.trial.slope {
            self.trial.age = None;
            return false;
        }
        *age >= PATIENCE
    }

    /// The budget is spent. A trial that is not over may be anywhere, uphill by orders of magnitude: unless it has lowered the
    /// potential since it began, the iteration returns to where that was and takes a step that obeys.
    fn end_trial(
        &mut self,
        system: &mut dyn System,
        problem: &Problem,
        sizes: Magnitudes,
    ) -> Result<Magnitudes, Failure> {
        if self.trial.age.is_none() {
            return Ok(sizes);
        }
        let began = self.balance.potential(system, problem, &self.trial.d)?.0;
        let ended = self.balance.potential(system, problem, &self.d);
        if !ended.is_ok_and(|(ended, _)| ended <= began) {
            let (slope, _) = self.go_back();
            if let Some(new) = self.cut(system, problem, slope) {
                std::mem::swap(&mut self.d, &mut self.d_try);
                std::mem::swap(&mut self.r, &mut self.r_try);
                return Ok(new);
            }
        }
        // The last evaluation is the state at the end.
        Ok(self.balance.residual(system, problem, &self.d, &mut self.r)?)
    }

    /// Back to where the trial began.
    fn go_back(&mut self) -> (f64, f64) {
        self.trial.age = None;
        self.d.copy_from_slice(&self.trial.d);
        self.p.copy_from_slice(&self.trial.p);
        (self.trial.slope, self.trial.residual)
    }

    /// The longest part τ of p that is found by cutting and obeys; its state is then the last one evaluated.
    fn cut(&mut self, system: &mut dyn System, problem: &Problem, slope: f64) -> Option<Magnitudes> {
        let mut length = 1.0;
        for _ in 0..MOST_CUTS {
            add(&self.d, length, &self.p, &mut self.d_try);
            let shorter = match self.balance.residual(system, problem, &self.d_try, &mut self.r_try) {
                Ok(new) => {
                    let steep = dot(&self.p, &self.r_try);
                    if steep <= -UPHILL * slope {
                        return Some(new);
                    }
                    // Where the slope would vanish if it were linear.
                    (slope / (slope - steep)).clamp(0.1, 0.5)
                }
                Err(_) => 0.5,
            };
            length *= shorter;
        }
        None
    }

    fn give_up(&self, full: Result<Magnitudes, Trouble>, sizes: &Magnitudes, iterations: usize) -> Failure {
        match full {
            Err(trouble @ (Trouble::NotFinite { .. } | Trouble::Load { .. })) => trouble.into(),
            _ => Failure::NotConverged { residual: sizes.relative(), iterations, worst: worst(&self.r) },
        }
    }
}

/// Whether the full step p changed nothing that can be told from rounding.
pub(crate) fn at_round_off(p: &[f64], q: &[f64], new: f64, old: f64) -> bool {
    new >= 0.5 * old && largest(p) <= 4.0 * f64::EPSILON * largest(q)
}
