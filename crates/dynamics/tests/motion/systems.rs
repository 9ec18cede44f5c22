//! Small systems with everything exact: dense chains with cubic springs and barriers, and trusses in the plane.
#![expect(non_snake_case, reason = "M, K, L are the papers' letters")]
#![expect(unreachable_pub, reason = "two test programs share this file")]

use std::sync::Arc;

use pliant_dynamics::{NotDefinite, OutOfDomain, System, Tangent, Weights};
use pliant_linalg::{DenseSymmetric, Modes};

/// A dense symmetric matrix, row-major.
#[derive(Clone, Debug, Default)]
pub struct Dense {
    n: usize,
    x: Vec<f64>,
}

impl Dense {
    pub fn zeros(n: usize) -> Self {
        Self { n, x: vec![0.0; n * n] }
    }

    pub fn diagonal(d: &[f64]) -> Self {
        let mut A = Self::zeros(d.len());
        (0..d.len()).for_each(|i| *A.at(i, i) = d[i]);
        A
    }

    pub fn at(&mut self, r: usize, c: usize) -> &mut f64 {
        &mut self.x[r * self.n + c]
    }

    pub fn apply(&self, x: &[f64], out: &mut [f64]) {
        (0..self.n).for_each(|r| out[r] = (0..self.n).map(|c| self.x[r * self.n + c] * x[c]).sum());
    }

    fn symmetric(&self) -> DenseSymmetric {
        DenseSymmetric::from_upper(self.n, |r, c| self.x[r * self.n + c])
    }

    fn add(&mut self, a: f64, B: &Self) {
        self.x.iter_mut().zip(&B.x).for_each(|(x, b)| *x += a * b);
    }

    /// L Lᵀ in place, in the lower triangle.
    fn cholesky(&mut self) -> Result<(), NotDefinite> {
        let n = self.n;
        for c in 0..n {
            let mut pivot = self.x[c * n + c];
            (0..c).for_each(|k| pivot -= self.x[c * n + k].powi(2));
            if pivot.is_nan() || pivot <= 0.0 {
                return Err(NotDefinite);
            }
            let pivot = pivot.sqrt();
            self.x[c * n + c] = pivot;
            for r in c + 1..n {
                let mut s = self.x[r * n + c];
                (0..c).for_each(|k| s -= self.x[r * n + k] * self.x[c * n + k]);
                self.x[r * n + c] = s / pivot;
            }
        }
        Ok(())
    }

    fn solve(&self, x: &mut [f64]) {
        let n = self.n;
        for r in 0..n {
            (0..r).for_each(|c| x[r] -= self.x[r * n + c] * x[c]);
            x[r] /= self.x[r * n + r];
        }
        for r in (0..n).rev() {
            (r + 1..n).for_each(|c| x[r] -= self.x[c * n + r] * x[c]);
            x[r] /= self.x[r * n + r];
        }
    }
}

/// What pulls: f_ext(t, q) into the last argument.
pub type Load = fn(f64, &[f64], &mut [f64]);

pub fn no_load(_: f64, _: &[f64], out: &mut [f64]) {
    out.fill(0.0);
}

/// How a spring of rest length l resists at length r.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Law {
    /// k/2 (r − l)²: the projective energy.
    Hooke,
    /// k/8l² (r² − l²)²: St. Venant-Kirchhoff in one dimension.
    Green,
}

/// A spring between two nodes of the plane.
#[derive(Clone, Copy, Debug)]
pub struct Spring {
    pub ends: [usize; 2],
    pub k: f64,
}

/// ½ qᵀK q + Σ c/4 qᵢ⁴ + Σ b (qᵢ − ln(1 + qᵢ)) + springs + loads f(t) and ½ s qᵀq, and drag.
#[derive(Clone)]
pub struct Toy {
    pub M: Dense,
    pub K: Dense,
    pub cubic: f64,
    pub barrier: f64,
    pub springs: Vec<Spring>,
    pub law: Law,
    /// Rest positions of the nodes, x and y in turn; empty without springs.
    pub rest: Vec<f64>,
    pub held: Vec<bool>,
    pub load: Load,
    pub load_stiffness: f64,
    /// −c v − c₂ |v| v, number by number.
    pub drag: [f64; 2],
    /// As a polynomial force, which gives its exact tangent whatever it is asked for.
    pub exact_only: bool,
    /// J: W is told as the difference of terms of this size, as laws do that are written in invariants.
    pub cancelled: f64,
    pub evaluations: usize,
    pub factorisations: usize,
    pub fixed_factorisations: usize,
    mass_factor: Dense,
    tangent: Dense,
    rest_tangent: Dense,
    factor: Dense,
    fixed: Dense,
    load_matrix: DenseSymmetric,
    drag_matrix: DenseSymmetric,
    modes: Option<Arc<Modes>>,
}

impl Toy {
    /// A linear system.
    pub fn linear(M: Dense, K: Dense) -> Self {
        let n = M.n;
        let mut mass_factor = M.clone();
        mass_factor.cholesky().expect("a mass is positive");
        let empty = Dense::zeros(n);
        let modes = Modes::of(&K.symmetric(), &M.symmetric()).map(Arc::new);
        let mut toy = Self {
            mass_factor,
            M,
            K,
            exact_only: false,
            cancelled: 0.0,
            cubic: 0.0,
            barrier: 0.0,
            springs: Vec::new(),
            law: Law::Hooke,
            rest: Vec::new(),
            held: vec![false; n],
            load: no_load,
            load_stiffness: 0.0,
            drag: [0.0; 2],
            evaluations: 0,
            factorisations: 0,
            fixed_factorisations: 0,
            tangent: empty.clone(),
            rest_tangent: empty.clone(),
            factor: empty.clone(),
            fixed: empty,
            load_matrix: DenseSymmetric::zeros(n),
            drag_matrix: DenseSymmetric::zeros(n),
            modes,
        };
        toy.settle();
        toy
    }

    /// One mass on one spring.
    pub fn oscillator(m: f64, k: f64) -> Self {
        Self::linear(Dense::diagonal(&[m]), Dense::diagonal(&[k]))
    }

    /// n masses in a row with a consistent mass, held at both ends.
    pub fn chain(n: usize, m: f64, k: f64) -> Self {
        let (mut M, mut K) = (Dense::zeros(n), Dense::zeros(n));
        for i in 0..n {
            *M.at(i, i) = 2.0 * m / 3.0;
            *K.at(i, i) = 2.0 * k;
            if i + 1 < n {
                (*M.at(i, i + 1), *M.at(i + 1, i)) = (m / 6.0, m / 6.0);
                (*K.at(i, i + 1), *K.at(i + 1, i)) = (-k, -k);
            }
        }
        Self::linear(M, K)
    }

    /// Nodes of mass m in the plane, joined by springs.
    pub fn truss(rest: Vec<f64>, m: f64, springs: Vec<Spring>, held: Vec<bool>, law: Law) -> Self {
        let n = rest.len();
        let mut toy = Self::linear(Dense::diagonal(&vec![m; n]), Dense::zeros(n));
        (toy.rest, toy.springs, toy.held, toy.law) = (rest, springs, held, law);
        toy.settle();
        toy
    }

    /// A spring pendulum: one node on a spring of length 1 from a held one.
    pub fn pendulum(m: f64, k: f64) -> Self {
        let held = vec![true, true, false, false];
        let springs = vec![Spring { ends: [0, 1], k }];
        Self::truss(vec![0.0, 0.0, 1.0, 0.0], m, springs, held, Law::Hooke)
    }

    /// A cantilever of `cells` square cells of side h = 1 / cells with both diagonals, held at the left.
    pub fn cantilever(cells: usize, k: f64, law: Law) -> Self {
        let h = 1.0 / cells as f64;
        let rest = (0..=cells).flat_map(|i| [i as f64 * h, 0.0, i as f64 * h, h]).collect();
        let mut springs = Vec::new();
        for i in 0..cells {
            let (a, b, c, d) = (2 * i, 2 * i + 1, 2 * i + 2, 2 * i + 3);
            springs.extend([[a, c], [b, d], [c, d], [a, d], [b, c]].map(|ends| Spring { ends, k }));
        }
        let held = (0..4 * (cells + 1)).map(|i| i < 4).collect();
        Self::truss(rest, 0.1, springs, held, law)
    }

    /// Computes K(0) again, after a change.
    pub fn settle(&mut self) {
        let zero = vec![0.0; self.M.n];
        self.linearise(0.0, &zero, &zero, Tangent::Exact).expect("rest is allowed");
        self.rest_tangent = self.tangent.clone();
    }

    /// The spring's vector now and its rest length.
    fn spring(&self, s: &Spring, q: &[f64]) -> ([f64; 2], f64) {
        let [a, b] = s.ends;
        let rest = [0, 1].map(|c| self.rest[2 * b + c] - self.rest[2 * a + c]);
        let now = [0, 1].map(|c| rest[c] + q[2 * b + c] - q[2 * a + c]);
        (now, rest[0].hypot(rest[1]))
    }

    fn hold(&self, x: &mut [f64]) {
        x.iter_mut().zip(&self.held).for_each(|(x, held)| {
            if *held {
                *x = 0.0;
            }
        });
    }

    fn check(&self, q: &[f64]) -> Result<(), OutOfDomain> {
        let out = if self.barrier == 0.0 { None } else { q.iter().position(|q| *q <= -1.0) };
        out.map_or(Ok(()), |component| Err(OutOfDomain { component }))
    }

    /// Held rows and columns become those of the identity.
    fn hold_matrix(held: &[bool], A: &mut Dense) {
        for r in (0..A.n).filter(|&r| held[r]) {
            (0..A.n).for_each(|c| (*A.at(r, c), *A.at(c, r)) = (0.0, 0.0));
            *A.at(r, r) = 1.0;
        }
    }

    fn add_spring(A: &mut Dense, ends: [usize; 2], block: [[f64; 2]; 2]) {
        for (i, a) in ends.into_iter().enumerate() {
            for (j, b) in ends.into_iter().enumerate() {
                let sign = if i == j { 1.0 } else { -1.0 };
                (0..2).for_each(|r| (0..2).for_each(|c| *A.at(2 * a + r, 2 * b + c) += sign * block[r][c]));
            }
        }
    }
}

impl System for Toy {
    fn size(&self) -> usize {
        self.M.n
    }

    fn elastic_energy(&mut self, q: &[f64]) -> Result<f64, OutOfDomain> {
        self.check(q)?;
        let mut W = 0.0;
        for r in 0..q.len() {
            W += 0.5 * q[r] * (0..q.len()).map(|c| self.K.x[r * q.len() + c] * q[c]).sum::<f64>();
            W += 0.25 * self.cubic * q[r].powi(4);
            if self.barrier != 0.0 {
                W += self.barrier * (q[r] - q[r].ln_1p());
            }
        }
        for s in &self.springs {
            let (x, l) = self.spring(s, q);
            let r = x[0].hypot(x[1]);
            W += match self.law {
                Law::Hooke => 0.5 * s.k * (r - l).powi(2),
                Law::Green => s.k / (8.0 * l * l) * (r * r - l * l).powi(2),
            };
        }
        Ok((W + self.cancelled) - self.cancelled)
    }

    fn internal_force(&mut self, q: &[f64], out: &mut [f64]) -> Result<(), OutOfDomain> {
        self.evaluations += 1;
        self.check(q)?;
        self.K.apply(q, out);
        for (out, q) in out.iter_mut().zip(q) {
            *out += self.cubic * q.powi(3);
            if self.barrier != 0.0 {
                *out += self.barrier * q / (1.0 + q);
            }
        }
        for s in &self.springs {
            let (x, l) = self.spring(s, q);
            let r = x[0].hypot(x[1]);
            let pull = match self.law {
                Law::Hooke => s.k * (1.0 - l / r),
                Law::Green => s.k / (2.0 * l * l) * (r * r - l * l),
            };
            for c in 0..2 {
                out[2 * s.ends[1] + c] += pull * x[c];
                out[2 * s.ends[0] + c] -= pull * x[c];
            }
        }
        self.hold(out);
        Ok(())
    }

    fn round_off(&mut self, q: &[f64]) -> f64 {
        let n = q.len();
        let size = |i: usize| q[i].abs() + self.rest.get(i).map_or(0.0, |x| x.abs());
        let row = |r: usize| (0..n).map(|c| self.rest_tangent.x[r * n + c].abs() * size(c)).sum::<f64>();
        f64::EPSILON * (0..n).map(|r| row(r).powi(2)).sum::<f64>().sqrt()
    }

    fn external_force(&mut self, t: f64, q: &[f64], v: &[f64], out: &mut [f64]) {
        (self.load)(t, q, out);
        out.iter_mut().zip(q).for_each(|(out, q)| *out -= self.load_stiffness * q);
        let [c, c2] = self.drag;
        out.iter_mut().zip(v).for_each(|(out, v)| *out -= c * v + c2 * v.abs() * v);
        self.hold(out);
    }

    /// Of a load that does not depend on q, and the springs.
    fn load_potential(&mut self, t: f64, q: &[f64], _: &[f64]) -> f64 {
        let mut f = [0.0; 512];
        let f = &mut f[..q.len()];
        (self.load)(t, q, f);
        (0..q.len()).map(|i| -f[i] * q[i] + 0.5 * self.load_stiffness * q[i] * q[i]).sum()
    }

    fn loads_have_potential(&self) -> bool {
        self.drag == [0.0; 2]
    }

    fn apply_mass(&mut self, x: &[f64], out: &mut [f64]) {
        self.M.apply(x, out);
        self.hold(out);
    }

    fn solve_mass(&mut self, x: &mut [f64]) {
        self.mass_factor.solve(x);
        self.hold(x);
    }

    fn linearise(&mut self, _t: f64, q: &[f64], v: &[f64], tangent: Tangent) -> Result<(), OutOfDomain> {
        self.check(q)?;
        for i in 0..q.len() {
            self.load_matrix.values_mut()[i * q.len() + i] = self.load_stiffness;
            self.drag_matrix.values_mut()[i * q.len() + i] = self.drag[0] + 2.0 * self.drag[1] * v[i].abs();
        }
        let positive = tangent == Tangent::Positive && !self.exact_only;
        let keep = |x: f64| if positive { x.max(0.0) } else { x };
        self.tangent.x.copy_from_slice(&self.K.x);
        for i in 0..q.len() {
            *self.tangent.at(i, i) += keep(3.0 * self.cubic * q[i] * q[i]);
            if self.barrier != 0.0 {
                *self.tangent.at(i, i) += self.barrier / (1.0 + q[i]).powi(2);
            }
        }
        for s in &self.springs {
            let (x, l) = self.spring(s, q);
            let r2 = x[0] * x[0] + x[1] * x[1];
            let r = r2.sqrt();
            let (along, all) = match self.law {
                Law::Hooke => (s.k * (1.0 - keep(1.0 - l / r)) / r2, s.k * keep(1.0 - l / r)),
                Law::Green => (s.k / (l * l), keep(s.k / (2.0 * l * l) * (r2 - l * l))),
            };
            let block = [0, 1].map(|a| [0, 1].map(|b| along * x[a] * x[b] + if a == b { all } else { 0.0 }));
            Self::add_spring(&mut self.tangent, s.ends, block);
        }
        Ok(())
    }

    fn apply_stiffness(&mut self, x: &[f64], out: &mut [f64]) {
        self.tangent.apply(x, out);
        self.hold(out);
    }

    fn apply_rest_stiffness(&mut self, x: &[f64], out: &mut [f64]) {
        self.rest_tangent.apply(x, out);
        self.hold(out);
    }

    fn factorise(&mut self, weights: &Weights) -> Result<(), NotDefinite> {
        self.factorisations += 1;
        self.factor.x.fill(0.0);
        self.factor.add(weights.mass, &self.M);
        self.factor.add(weights.stiffness, &self.tangent);
        self.factor.add(weights.rest_stiffness, &self.rest_tangent);
        for i in 0..self.M.n {
            *self.factor.at(i, i) += weights.load_stiffness * self.load_stiffness;
            *self.factor.at(i, i) += weights.load_damping * self.drag_matrix.get(i, i);
        }
        Self::hold_matrix(&self.held, &mut self.factor);
        self.factor.cholesky()
    }

    fn solve(&mut self, x: &mut [f64]) {
        self.factor.solve(x);
        self.hold(x);
    }

    fn factorise_fixed(&mut self, mass: f64) -> Result<(), NotDefinite> {
        self.fixed_factorisations += 1;
        self.fixed.x.fill(0.0);
        self.fixed.add(mass, &self.M);
        self.fixed.add(1.0, &self.K);
        for s in &self.springs {
            Self::add_spring(&mut self.fixed, s.ends, [[s.k, 0.0], [0.0, s.k]]);
        }
        (0..self.M.n).for_each(|i| *self.fixed.at(i, i) += self.barrier);
        Self::hold_matrix(&self.held, &mut self.fixed);
        self.fixed.cholesky()
    }

    fn solve_fixed(&mut self, x: &mut [f64]) {
        self.fixed.solve(x);
        self.hold(x);
    }

    /// Springs as if they were Hooke's; no cubic term, no barrier.
    fn projective_force(&mut self, q: &[f64], out: &mut [f64]) -> bool {
        if self.barrier != 0.0 {
            return false;
        }
        let (law, cubic) = (self.law, self.cubic);
        (self.law, self.cubic) = (Law::Hooke, 0.0);
        self.internal_force(q, out).expect("no barrier");
        (self.law, self.cubic) = (law, cubic);
        true
    }

    fn modes(&self) -> Option<Arc<Modes>> {
        let linear = self.cubic == 0.0 && self.barrier == 0.0 && self.springs.is_empty();
        self.modes.clone().filter(|_| linear)
    }

    fn load_stiffness(&self) -> Option<&DenseSymmetric> {
        (self.load_stiffness != 0.0).then_some(&self.load_matrix)
    }

    fn load_damping(&self) -> Option<&DenseSymmetric> {
        (self.drag != [0.0; 2]).then_some(&self.drag_matrix)
    }
}
