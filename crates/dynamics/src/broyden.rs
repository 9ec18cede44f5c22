//! Broyden's method for the end of a step: no matrix is assembled and none is factorised, but now and then.
//!
//! ```text
//! p = −H R,  d ← d + p,  s = p,  y = R⁺ − R        H⁺ = H + (s − H y) sᵀH / (sᵀH y)                     (1)
//! H = (1 + u_k s_kᵀ) … (1 + u_1 s_1ᵀ) A₀⁻¹,        u = (s − H y) / (sᵀH y)                              (2)
//! ```
//! (1) is the update that changes H⁻¹ least of all that know y = H⁻¹s; (2) is how H is kept: a base A₀ that the system has
//! factorised, and the pairs that were learned since. One iteration is one force, one solve with A₀ and a few products of
//! vectors: O(d²) for a dense A₀. With z = H R⁺, which the next direction needs anyway, H y = z + s costs nothing.
//!
//! **Base**: ∂R/∂d of the body at rest, factorised once for a length of step and a damping. The pairs are kept from step to
//! step, since the motion goes on and with it what they say, until there are too many; then all are forgotten. Where the
//! body is bent so far that its rest is no guide any more, ∂R/∂d of the present state takes its place: at once where a step
//! does not converge or its corrections hardly shrink ([`SLOW`]), and where steps have taken more iterations than a new base is worth ([`WORTH`]).
//!
//! **Start**: where `prediction.rs` guesses the end, which takes no force. Where nothing is known of the last step, where
//! this one ends without an acceleration, which is nearer than d = 0.
//!
//! **End**: by the same rule as Newton's method. A step that does not converge, not even from a base of its own, is given
//! to Newton's method, which has a line search; what that cannot do is halved. After a step that a limit of iterations has
//! cut short the next one takes a new base: it is then as stable as Newton's method cut as short, for one matrix a step.
//!
//! **Measured**, d = 135, 150 tets, in times of one force (44 µs): a step takes 4.4 under constant loads (2.2 iterations), 14 driven and
//! undamped (5.3 iterations, many bases, each 18; 12 with a base after twelve iterations too many in place of six, which takes twice as
//! long for a free body that is led around). There the tangent turns so far
//! in one step that an iteration gains one digit, not four; neither updates that keep all secants of the step (s made
//! orthogonal to those before it), nor a base ahead of the motion, nor pairs of one step only change more than 3 %.
//!
//! Not for a step that needs several Newton iterations of its own (a large dt, a thin body that whips): every such step
//! pays for both. Source: B65 in docs/papers.md; the warm start from rest is that of T14 section 4.3.

use crate::balance::{Balance, Magnitudes, Problem};
use crate::newton::{Newton, Solved, at_round_off};
use crate::prediction::Prediction;
use crate::vector::{axpy, dot, norm, worst};
use crate::{Options, System, Tangent, Weights, error::Failure};

/// Iterations from one base, in one step.
const MOST_ITERATIONS: usize = 16;

/// Pairs kept.
const MEMORY: usize = 20;

/// Iterations that a step takes from a base as good as new, until one has shown what it takes.
const FEW: usize = 3;

/// Iterations beyond those, summed over steps, that a new base is worth: a stiffness and its factor cost some of them.
const WORTH: usize = 6;

/// How much longer than the one before a step may be.
const LONGER: f64 = 2.0;

/// Steps that are longer than this part of the one before, so many in a row, say that an old base is no guide any more: a new one costs
/// less than to go on.
const SLOW: f64 = 0.5;
const PATIENCE: usize = 3;

/// Broyden's method with its memory.
#[derive(Clone, Debug, Default)]
pub(crate) struct Broyden {
    /// For what Broyden's method cannot do; its balance is where the end of the step is found after a solve.
    pub(crate) newton: Newton,
    /// The weights of what the system has factorised for this.
    base: Option<Weights>,
    /// Whether the next base is of the present state, not of rest.
    bent: bool,
    /// Iterations of the first step from the last base that was of a present state.
    good: usize,
    /// Whether the next step is the first from such a base.
    fresh: bool,
    /// Iterations beyond that since the last base.
    excess: usize,
    pairs: Pairs,
    prediction: Prediction,
    d: Vec<f64>,
    r: Vec<f64>,
    p: Vec<f64>,
    z: Vec<f64>,
}

/// How an iteration ended.
enum End {
    Solved(Solved),
    /// The residual does not fall.
    Lost {
        iterations: usize,
    },
}

impl Broyden {
    pub(crate) fn balance(&mut self) -> &mut Balance {
        &mut self.newton.balance
    }

    /// What was prepared is for another matter.
    pub(crate) fn forget(&mut self) {
        self.base = None;
        self.bent = false;
        self.good = 0;
        self.excess = 0;
    }

    /// Solves R(d) = 0. The balance has been told where the step starts.
    pub(crate) fn solve(
        &mut self,
        system: &mut dyn System,
        problem: &Problem,
        options: &Options,
    ) -> Result<Solved, Failure> {
        let n = system.size();
        let Self { d, r, p, z, .. } = self;
        [d, r, p, z].into_iter().for_each(|x| x.resize(n, 0.0));
        self.pairs.resize(n);
        self.prediction.resize(n);
        self.newton.resize(n);
        let stale = self.base != Some(problem.weights());
        let start = self.prediction.start();
        let known = !stale && self.newton.balance.residual_at_start(system, problem, start);
        if known {
            self.prediction.predict(system, &mut self.d);
        } else {
            self.newton.balance.coast(problem, &mut self.d);
            self.prediction.forget();
        }
        let tired = self.excess >= WORTH;
        self.bent |= tired;
        let mut sound = true;
        if stale || tired {
            sound = self.take_base(system, problem);
            if sound && known {
                self.prediction.rebase(system);
                self.prediction.predict(system, &mut self.d);
            }
        }
        let mut done = 0;
        for attempt in 0..2 {
            if !sound {
                break;
            }
            match self.iterate(system, problem, options, done) {
                End::Solved(solved) => {
                    // Of another base, or of a step that has been cut short, there is nothing to learn.
                    if known && attempt == 0 && solved.converged {
                        self.prediction.learn(&self.d);
                    } else {
                        self.prediction.forget();
                    }
                    return Ok(solved);
                }
                End::Lost { iterations } => done = iterations,
            }
            if attempt == 0 {
                self.bent = true;
                sound = self.take_base(system, problem);
            }
        }
        self.prediction.forget();
        // Newton's method factorises where it likes.
        self.base = None;
        let iterations = options.iterations.map(|most| most - done);
        let solved = self.newton.solve(system, problem, &Options { iterations, ..*options })?;
        Ok(Solved { iterations: solved.iterations + done, ..solved })
    }

    /// ∂R/∂d at rest, or where d is; whether there is one.
    fn take_base(&mut self, system: &mut dyn System, problem: &Problem) -> bool {
        self.base = None;
        self.pairs.count = 0;
        self.excess = 0;
        self.fresh = self.bent;
        // q and v there.
        self.z.fill(0.0);
        self.p.fill(0.0);
        if self.bent {
            self.newton.balance.place_of(problem, &self.d, &mut self.z, &mut self.p);
        }
        let weights = problem.weights();
        for tangent in [Tangent::Exact, Tangent::Positive] {
            if system.linearise(problem.t, &self.z, &self.p, tangent).is_err() {
                return false;
            }
            if system.factorise(&weights).is_ok() {
                self.base = Some(weights);
                return true;
            }
        }
        false
    }

    /// From d on, until it has converged or is lost.
    fn iterate(
        &mut self,
        system: &mut dyn System,
        problem: &Problem,
        options: &Options,
        before: usize,
    ) -> End {
        let Ok(mut sizes) = self.newton.balance.residual(system, problem, &self.d, &mut self.r) else {
            return End::Lost { iterations: before };
        };
        let most = options.iterations.unwrap_or(before + MOST_ITERATIONS);
        let mut round_off = None;
        let mut met = |system: &mut dyn System, q: &[f64], sizes: &Magnitudes| {
            sizes.residual <= options.tolerance * sizes.largest() || {
                let rounding = *round_off.get_or_insert_with(|| 4.0 * system.round_off(q));
                sizes.residual <= rounding + sizes.rounding()
            }
        };
        let (mut last, mut slow) = (f64::INFINITY, 0);
        let old_base = !self.fresh;
        let mut converged = met(system, &self.newton.balance.q, &sizes);
        if !converged {
            self.direction(system);
        }
        for iterations in before.. {
            if converged || options.iterations == Some(iterations) {
                if std::mem::take(&mut self.fresh) {
                    self.good = iterations - before;
                } else {
                    self.excess += iterations.saturating_sub(self.good.max(FEW));
                }
                // Cut short from an old base step after step, an undamped body explodes.
                if !converged {
                    self.excess = WORTH;
                }
                let (residual, worst) = (sizes.relative(), worst(&self.r));
                return End::Solved(Solved { iterations, residual, converged, worst });
            }
            let length = norm(&self.p);
            slow = if length > SLOW * last { slow + 1 } else { 0 };
            let stalls = old_base && slow >= PATIENCE;
            if iterations >= most || length.is_nan() || length > LONGER * last || stalls {
                return End::Lost { iterations };
            }
            last = length;
            axpy(1.0, &self.p, &mut self.d);
            if options.is_last(system, &self.p) {
                let Self { newton, d, p, r, .. } = self;
                if newton.balance.settle(system, problem, d, p, r).is_err() {
                    return End::Lost { iterations };
                }
                converged = true;
                continue;
            }
            let old = sizes.residual;
            sizes = match self.newton.balance.residual(system, problem, &self.d, &mut self.r) {
                Ok(sizes) => sizes,
                // This iteration led nowhere and does not count.
                Err(_) => return End::Lost { iterations },
            };
            let q = &self.newton.balance.q;
            converged = met(system, q, &sizes) || at_round_off(&self.p, q, sizes.residual, old);
            // Of a step that has converged rounding is all that is left to learn.
            if !converged {
                self.learn(system);
            }
        }
        unreachable!("the loop ends at the cap")
    }

    /// p = −H R.
    fn direction(&mut self, system: &mut dyn System) {
        self.p.iter_mut().zip(&self.r).for_each(|(p, r)| *p = -r);
        system.solve(&mut self.p);
        self.pairs.apply(&mut self.p);
    }

    /// Learns from the step p, and takes the next.
    fn learn(&mut self, system: &mut dyn System) {
        self.z.copy_from_slice(&self.r);
        system.solve(&mut self.z);
        self.pairs.apply(&mut self.z);
        self.pairs.learn(&self.p, &mut self.z);
        self.p.iter_mut().zip(&self.z).for_each(|(p, z)| *p = -z);
    }
}

/// u and s of (2), oldest first.
#[derive(Clone, Debug, Default)]
struct Pairs {
    u: [Vec<f64>; MEMORY],
    s: [Vec<f64>; MEMORY],
    count: usize,
}

impl Pairs {
    fn resize(&mut self, n: usize) {
        self.u.iter_mut().chain(&mut self.s).for_each(|x| x.resize(n, 0.0));
    }

    /// x ← (1 + u_k s_kᵀ) … (1 + u_1 s_1ᵀ) x.
    fn apply(&self, x: &mut [f64]) {
        for (u, s) in self.u.iter().zip(&self.s).take(self.count) {
            axpy(dot(s, x), u, x);
        }
    }

    /// From s and z = H R⁺, where s = −H R: z becomes H⁺ R⁺.
    fn learn(&mut self, s: &[f64], z: &mut [f64]) {
        let (sz, ss) = (dot(s, z), dot(s, s));
        let sHy = sz + ss;
        // H⁺ is singular where sᵀHy = 0; Hy = s where H was right.
        if !sHy.is_finite() || sHy.abs() <= 0.1 * ss {
            return;
        }
        if self.count == MEMORY {
            self.count = 0;
            return;
        }
        let u = &mut self.u[self.count];
        u.iter_mut().zip(&*z).for_each(|(u, z)| *u = -z / sHy);
        self.s[self.count].copy_from_slice(s);
        axpy(sz, u, z);
        self.count += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_secant_equation_holds_for_the_last_pair_and_others_are_left() {
        // H₀ = 0.3; s = −H R and y = R⁺ − R of no system at all.
        let mut pairs = Pairs::default();
        pairs.resize(3);
        let solve = |pairs: &Pairs, x: [f64; 3]| {
            let mut x = x.map(|x| 0.3 * x);
            pairs.apply(&mut x);
            x
        };
        for k in 0..MEMORY {
            let R: [f64; 3] = std::array::from_fn(|i| ((k * 7 + i * 5) as f64).sin());
            let R_new: [f64; 3] = std::array::from_fn(|i| 0.2 * ((k * 3 + i * 4) as f64).cos());
            let s = solve(&pairs, R).map(|x| -x);
            let mut z = solve(&pairs, R_new);
            pairs.learn(&s, &mut z);
            assert_eq!(pairs.count, k + 1, "nothing here is singular");
            let y = std::array::from_fn(|i| R_new[i] - R[i]);
            let (Hy, next) = (solve(&pairs, y), solve(&pairs, R_new));
            (0..3).for_each(|i| {
                assert!((Hy[i] - s[i]).abs() < 1e-12 * s[i].abs().max(1.0), "H y = s, pair {k}")
            });
            (0..3).for_each(|i| assert!((next[i] - z[i]).abs() < 1e-12, "z is H⁺ R⁺, pair {k}"));
        }
        // One more than there is room for: all are forgotten.
        let mut z = [0.1; 3];
        pairs.learn(&[1.0, 0.0, 0.0], &mut z);
        assert_eq!((pairs.count, z), (0, [0.1; 3]));
    }
}
