//! BFGS: what gradients tell about curvature takes the place of second derivatives.
//!
//! ```text
//! p = −B ∂E,   B⁺ = (1 − ρ s yᵀ) B (1 − ρ y sᵀ) + ρ s sᵀ,   ρ = 1 / yᵀs                            (T14 section 5.3)
//!            = B + (ρ + ρ² yᵀB y) s sᵀ − ρ (B y sᵀ + s (B y)ᵀ)                                         (1)
//! ```
//! `bfgs` begins with B₁ of the energy and keeps B from call to call, until it is told to forget or leads nowhere; `bfgs-cold` begins
//! every call with B₁ = 1, as most programs do. An iteration is one energy with its gradient and 3 r² multiplications.
//!
//! Source: T14 section 5.3 in docs/papers.md.

use pliant_linalg::DenseSymmetric;

use super::descent::{Direction, Room};
use super::{Entry, Minimiser, Objective, Onlooker, Outcome, Stopping};
use crate::vector::{dot, norm};

/// With B₁ of the energy, kept.
pub(super) const WARM: Entry = Entry {
    name: "bfgs",
    about: "gradients alone, from a good start, and it remembers from frame to frame",
    dense: true,
    hessian: false,
    make: || Box::new(Bfgs::new(true)),
};

/// With B₁ = 1.
pub(super) const COLD: Entry = Entry {
    name: "bfgs-cold",
    about: "the same from nothing, every time; for comparison",
    dense: true,
    hessian: false,
    make: || Box::new(Bfgs::new(false)),
};

/// The cosine between s and y below which they tell nothing but rounding.
const LEAST_COSINE: f64 = 1e-14;

struct Bfgs {
    room: Room,
    way: Way,
}

struct Way {
    warm: bool,
    /// B is of this energy.
    known: bool,
    /// B is not B₁ any more.
    learnt: bool,
    B: DenseSymmetric,
    By: Vec<f64>,
}

impl Bfgs {
    fn new(warm: bool) -> Self {
        let way = Way { warm, known: false, learnt: false, B: DenseSymmetric::zeros(0), By: Vec::new() };
        Self { room: Room::default(), way }
    }
}

impl Way {
    fn first(&mut self, objective: &mut dyn Objective) {
        if self.warm {
            objective.first_inverse(&mut self.B);
        } else {
            let n = self.B.size();
            self.B.clear();
            (0..n).for_each(|i| self.B.values_mut()[i * (n + 1)] = 1.0);
        }
        (self.known, self.learnt) = (true, false);
    }
}

impl Direction for Way {
    fn begin(&mut self, objective: &mut dyn Objective) {
        let n = objective.size();
        if self.B.size() != n {
            (self.B, self.known) = (DenseSymmetric::zeros(n), false);
            self.By.resize(n, 0.0);
        }
        if !self.warm || !self.known {
            self.first(objective);
        }
    }

    fn point(&mut self, _: &mut dyn Objective, _: &[f64], g: &[f64], p: &mut [f64]) -> bool {
        self.B.apply(g, p);
        p.iter_mut().for_each(|p| *p = -*p);
        true
    }

    fn learn(&mut self, s: &[f64], y: &[f64], _: f64, _: f64) {
        let ys = dot(y, s);
        if ys.is_nan() || ys <= LEAST_COSINE * norm(y) * norm(s) {
            return;
        }
        self.B.apply(y, &mut self.By);
        let rho = 1.0 / ys;
        let ss = rho + rho * rho * dot(y, &self.By);
        if !ss.is_finite() {
            return;
        }
        let n = s.len();
        for (i, row) in self.B.values_mut().chunks_exact_mut(n).enumerate() {
            // (1) with what belongs to row i outside.
            let (a, b) = (ss * s[i] - rho * self.By[i], -rho * s[i]);
            let rest = row[i..].iter_mut().zip(&s[i..]).zip(&self.By[i..]);
            rest.for_each(|((B, s), By)| *B += a * s + b * By);
        }
        self.learnt = true;
    }

    fn renew(&mut self, objective: &mut dyn Objective) -> bool {
        let learnt = self.learnt;
        self.first(objective);
        learnt
    }
}

impl Minimiser for Bfgs {
    fn minimise(
        &mut self,
        objective: &mut dyn Objective,
        q: &mut [f64],
        stopping: &Stopping,
        look: &mut Onlooker<'_>,
    ) -> Outcome {
        self.room.descend(&mut self.way, objective, q, stopping, look)
    }

    fn forget(&mut self) {
        self.way.known = false;
    }
}
