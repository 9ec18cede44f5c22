//! Limited-memory BFGS around a fixed solve.
//!
//! ```text
//! p = −H g,    H from H₀ = A₀⁻¹ and the last m pairs s = x⁺ − x, y = g⁺ − g, by the two-loop recursion
//! ```
//! Source: N80 in docs/papers.md. H₀ = γ A₀⁻¹ with γ = s·y / y·A₀⁻¹y of the last pair: on small trusses that takes two
//! thirds of the iterations of γ = 1. A₀⁻¹y costs no solve: it is the difference of two A₀⁻¹g, and with the A₀⁻¹y of
//! all pairs kept, one solve with g is all an iteration needs.

use crate::vector::{add, axpy, dot, norm, scale};

/// Pairs kept.
const MEMORY: usize = 8;

/// The pairs, oldest first from `first`, in a ring.
#[derive(Clone, Debug, Default)]
pub(crate) struct Lbfgs {
    s: [Vec<f64>; MEMORY],
    y: [Vec<f64>; MEMORY],
    /// A₀⁻¹ y.
    z: [Vec<f64>; MEMORY],
    /// A₀⁻¹ g of the last direction.
    solved: Vec<f64>,
    /// The pair whose z is not known before the next solve.
    pending: Option<usize>,
    curvature: [f64; MEMORY],
    first: usize,
    count: usize,
}

impl Lbfgs {
    /// Forgets all pairs, for vectors of n entries.
    pub(crate) fn clear(&mut self, n: usize) {
        let all = self.s.iter_mut().chain(&mut self.y).chain(&mut self.z).chain([&mut self.solved]);
        all.for_each(|x| x.resize(n, 0.0));
        (self.first, self.count, self.pending) = (0, 0, None);
    }

    /// Whether there is nothing to forget.
    pub(crate) fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// p = −H g. `solve` is x ← A₀⁻¹ x; a pair learned since the last call began at the g of that call.
    pub(crate) fn direction(&mut self, g: &[f64], p: &mut [f64], solve: impl FnOnce(&mut [f64])) {
        let Self { s, y, z, solved, pending, curvature, first, count } = self;
        let place = |age: usize| (*first + age) % MEMORY;
        p.copy_from_slice(g);
        solve(p);
        if let Some(i) = pending.take() {
            add(p, -1.0, solved, &mut z[i]);
        }
        solved.copy_from_slice(p);
        // The first loop on g and on A₀⁻¹g at once; s·(g − Σ w y) needs only products of pairs.
        let mut weights = [0.0; MEMORY];
        for age in (0..*count).rev() {
            let i = place(age);
            let newer = (age + 1..*count).map(place);
            let left = dot(&s[i], g) - newer.map(|j| weights[j] * dot(&s[i], &y[j])).sum::<f64>();
            weights[i] = left / curvature[i];
            axpy(-weights[i], &z[i], p);
        }
        if *count > 0 {
            let last = place(*count - 1);
            let scaled = curvature[last] / dot(&y[last], &z[last]);
            if scaled.is_finite() && scaled > 0.0 {
                scale(scaled, p);
            }
        }
        for i in (0..*count).map(place) {
            let back = dot(&y[i], p) / curvature[i];
            axpy(weights[i] - back, &s[i], p);
        }
        scale(-1.0, p);
    }

    /// Learns s = length · p and y = g_new − g, in place of the oldest pair. A pair without positive curvature would
    /// make H indefinite and is left out.
    pub(crate) fn learn(&mut self, length: f64, p: &[f64], g: &[f64], g_new: &[f64]) {
        let at = (self.first + self.count) % MEMORY;
        let (s, y) = (&mut self.s[at], &mut self.y[at]);
        s.copy_from_slice(p);
        scale(length, s);
        y.copy_from_slice(g_new);
        axpy(-1.0, g, y);
        let curvature = dot(s, y);
        if curvature.is_nan() || curvature <= 1e-12 * norm(s) * norm(y) {
            // The slot of a full ring is the oldest pair, now overwritten.
            if self.count == MEMORY {
                self.first = (self.first + 1) % MEMORY;
                self.count -= 1;
            }
            return;
        }
        self.curvature[at] = curvature;
        self.pending = Some(at);
        if self.count == MEMORY {
            self.first = (self.first + 1) % MEMORY;
        } else {
            self.count += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_secant_equation_holds_for_the_last_pair() {
        let mut memory = Lbfgs::default();
        memory.clear(3);
        let g = |x: &[f64]| [3.0 * x[0] + x[1], x[0] + 2.0 * x[1], 9.0 * x[2]];
        for k in 0..20 {
            let step: Vec<f64> = (0..3).map(|i| ((k * 7 + i * 5) as f64).sin()).collect();
            let (from, mut p) = ([0.1, 0.2, -0.3], [0.0; 3]);
            let to: [f64; 3] = std::array::from_fn(|i| from[i] + 0.5 * g(&step)[i]);
            memory.direction(&from, &mut p, |x| scale(0.3, x));
            memory.learn(0.5, &step, &from, &to);
            let mut at = [0.0; 3];
            memory.direction(&to, &mut at, |x| scale(0.3, x));
            // H is the same for both from now on: H (to − from) = s.
            memory.direction(&from, &mut p, |x| scale(0.3, x));
            (0..3).for_each(|i| assert!((p[i] - at[i] - 0.5 * step[i]).abs() < 1e-12, "H y = s, pair {k}"));
        }
    }

    #[test]
    fn a_pair_of_negative_curvature_is_not_learned() {
        let mut memory = Lbfgs::default();
        memory.clear(1);
        memory.learn(1.0, &[1.0], &[0.0], &[-1.0]);
        assert!(memory.is_empty());
        (0..MEMORY + 1).for_each(|_| memory.learn(1.0, &[1.0], &[0.0], &[2.0]));
        memory.learn(1.0, &[1.0], &[0.0], &[-1.0]);
        assert_eq!((memory.count, memory.pending), (MEMORY - 1, Some(0)));
    }
}
