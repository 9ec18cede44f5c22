//! Limited-memory BFGS around a fixed solve.
//!
//! ```text
//! p = −H g,    H from H₀ = A₀⁻¹ and the last m pairs s = x⁺ − x, y = g⁺ − g, by the two-loop recursion
//! ```
//! Source: N80 in docs/papers.md. H₀ is not rescaled by s·y / y·H₀y, as is common where H₀ is the identity: A₀ has the
//! right size, and the scale, set by the stiffest direction of the last pair, would slow all others.

use crate::vector::{axpy, dot, norm, scale};

/// Pairs kept. Between 5 and 8 makes no difference to speak of (LBK17, figure 6, stops at 5).
const MEMORY: usize = 8;

/// The pairs, oldest first from `first`, in a ring.
#[derive(Clone, Debug, Default)]
pub(crate) struct Lbfgs {
    s: [Vec<f64>; MEMORY],
    y: [Vec<f64>; MEMORY],
    curvature: [f64; MEMORY],
    first: usize,
    count: usize,
}

impl Lbfgs {
    /// Forgets all pairs, for vectors of n numbers.
    pub(crate) fn clear(&mut self, n: usize) {
        self.s.iter_mut().chain(&mut self.y).for_each(|x| x.resize(n, 0.0));
        (self.first, self.count) = (0, 0);
    }

    /// Whether there is nothing to forget.
    pub(crate) fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// x ← H x.
    pub(crate) fn apply(&self, x: &mut [f64], mut solve: impl FnMut(&mut [f64])) {
        let place = |age: usize| (self.first + age) % MEMORY;
        let mut weights = [0.0; MEMORY];
        for i in (0..self.count).map(place).rev() {
            weights[i] = dot(&self.s[i], x) / self.curvature[i];
            axpy(-weights[i], &self.y[i], x);
        }
        solve(x);
        for i in (0..self.count).map(place) {
            let back = dot(&self.y[i], x) / self.curvature[i];
            axpy(weights[i] - back, &self.s[i], x);
        }
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
            let p: Vec<f64> = (0..3).map(|i| ((k * 7 + i * 5) as f64).sin()).collect();
            memory.learn(0.5, &p, &[0.0; 3], &g(&p).map(|x| 0.5 * x));
            let mut x = g(&p).to_vec();
            memory.apply(&mut x, |x| scale(0.3, x));
            (0..3).for_each(|i| assert!((x[i] - p[i]).abs() < 1e-12, "H y = s, pair {k}"));
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
        let mut x = [1.0];
        memory.apply(&mut x, |_| ());
        assert_eq!((memory.count, x), (MEMORY - 1, [0.5]));
    }
}
