//! Energies with known minima.

use pliant_dynamics::minimise::Objective;
use pliant_dynamics::{NotDefinite, Tangent};
use pliant_linalg::{DenseCholesky, DenseSymmetric};

/// What an energy is made of: E, ∂E, ∂²E.
pub(crate) trait Law {
    fn size(&self) -> usize;
    fn energy(&self, q: &[f64]) -> f64;
    fn gradient(&self, q: &[f64], out: &mut [f64]);
    fn hessian(&self, q: &[f64], out: &mut DenseSymmetric);
    /// Where B₁ is taken.
    fn origin(&self) -> Vec<f64>;
}

/// A law as an objective.
pub(crate) struct Toy<L> {
    pub(crate) law: L,
    /// How often B₁ was asked for.
    pub(crate) asked: usize,
    /// States at which the energy was not defined.
    pub(crate) refused: usize,
    H: DenseSymmetric,
    factor: DenseCholesky,
    column: Vec<f64>,
}

impl<L: Law> Toy<L> {
    pub(crate) fn new(law: L) -> Self {
        let n = law.size();
        let H = DenseSymmetric::zeros(n);
        Self { law, asked: 0, refused: 0, H, factor: DenseCholesky::new(n), column: vec![0.0; n] }
    }
}

impl<L: Law> Objective for Toy<L> {
    fn size(&self) -> usize {
        self.law.size()
    }

    fn evaluate(&mut self, q: &[f64], gradient: &mut [f64]) -> f64 {
        self.law.gradient(q, gradient);
        let energy = self.law.energy(q);
        self.refused += usize::from(!energy.is_finite());
        energy
    }

    fn first_inverse(&mut self, out: &mut DenseSymmetric) {
        self.asked += 1;
        let (n, origin) = (self.size(), self.law.origin());
        self.factorise(&origin, Tangent::Exact, 0.0).expect("positive definite there");
        for j in 0..n {
            self.column.fill(0.0);
            self.column[j] = 1.0;
            self.factor.solve(&mut self.column);
            (0..=j).for_each(|i| out.values_mut()[i * n + j] = self.column[i]);
        }
    }

    fn factorise(&mut self, q: &[f64], _: Tangent, shift: f64) -> Result<(), NotDefinite> {
        self.law.hessian(q, &mut self.H);
        let n = self.law.size();
        (0..n).for_each(|i| self.H.values_mut()[i * (n + 1)] += shift);
        self.factor.factorise(&self.H).map_err(|_| NotDefinite)
    }

    fn solve(&mut self, x: &mut [f64]) {
        self.factor.solve(x);
    }
}

/// ½ qᵀK q − bᵀq, whose minimum is K⁻¹ b.
pub(crate) struct Quadratic {
    pub(crate) K: DenseSymmetric,
    pub(crate) b: Vec<f64>,
}

impl Quadratic {
    pub(crate) fn sample(n: usize) -> Self {
        let noise = |i: usize, j: usize| ((i * 31 + j * 17) as f64).sin();
        let K = DenseSymmetric::from_upper(n, |i, j| if i == j { (n + i) as f64 } else { noise(i, j) });
        Self { K, b: (0..n).map(|i| (i as f64).cos()).collect() }
    }

    pub(crate) fn minimum(&self) -> Vec<f64> {
        let mut factor = DenseCholesky::new(self.b.len());
        factor.factorise(&self.K).expect("positive definite");
        let mut q = self.b.clone();
        factor.solve(&mut q);
        q
    }
}

impl Law for Quadratic {
    fn size(&self) -> usize {
        self.b.len()
    }

    fn energy(&self, q: &[f64]) -> f64 {
        let mut Kq = vec![0.0; q.len()];
        self.K.apply(q, &mut Kq);
        q.iter().zip(&Kq).zip(&self.b).map(|((q, Kq), b)| q * (0.5 * Kq - b)).sum()
    }

    fn gradient(&self, q: &[f64], out: &mut [f64]) {
        self.K.apply(q, out);
        out.iter_mut().zip(&self.b).for_each(|(g, b)| *g -= b);
    }

    fn hessian(&self, _: &[f64], out: &mut DenseSymmetric) {
        out.clear();
        out.add(1.0, &self.K);
    }

    fn origin(&self) -> Vec<f64> {
        vec![0.0; self.b.len()]
    }
}

/// Σ 100 (q_{i+1} − q_i²)² + (1 − q_i)²: a bent valley, with its minimum at (1, 1, …).
pub(crate) struct Valley(pub(crate) usize);

impl Law for Valley {
    fn size(&self) -> usize {
        self.0
    }

    fn energy(&self, q: &[f64]) -> f64 {
        q.windows(2).map(|q| 100.0 * (q[1] - q[0] * q[0]).powi(2) + (1.0 - q[0]).powi(2)).sum()
    }

    fn gradient(&self, q: &[f64], out: &mut [f64]) {
        out.fill(0.0);
        for i in 0..q.len() - 1 {
            let off = q[i + 1] - q[i] * q[i];
            out[i] += -400.0 * q[i] * off - 2.0 * (1.0 - q[i]);
            out[i + 1] += 200.0 * off;
        }
    }

    fn hessian(&self, q: &[f64], out: &mut DenseSymmetric) {
        out.clear();
        let n = self.0;
        for i in 0..n - 1 {
            out.values_mut()[i * (n + 1)] += 1200.0 * q[i] * q[i] - 400.0 * q[i + 1] + 2.0;
            out.values_mut()[i * n + i + 1] += -400.0 * q[i];
            out.values_mut()[(i + 1) * (n + 1)] += 200.0;
        }
    }

    fn origin(&self) -> Vec<f64> {
        vec![0.0; self.0]
    }
}

/// Σ k_i (q_i − ln q_i): defined for q > 0 alone, with its minimum at (1, 1, …).
pub(crate) struct Walls(pub(crate) usize);

impl Walls {
    fn stiffness(i: usize) -> f64 {
        1.0 + i as f64
    }
}

impl Law for Walls {
    fn size(&self) -> usize {
        self.0
    }

    fn energy(&self, q: &[f64]) -> f64 {
        q.iter().enumerate().map(|(i, q)| Self::stiffness(i) * (q - q.ln())).sum()
    }

    fn gradient(&self, q: &[f64], out: &mut [f64]) {
        out.iter_mut().zip(q).enumerate().for_each(|(i, (g, q))| *g = Self::stiffness(i) * (1.0 - 1.0 / q));
    }

    fn hessian(&self, q: &[f64], out: &mut DenseSymmetric) {
        out.clear();
        let n = self.0;
        (0..n).for_each(|i| out.values_mut()[i * (n + 1)] = Self::stiffness(i) / (q[i] * q[i]));
    }

    /// Where it is softer than at the minimum: first steps are too long.
    fn origin(&self) -> Vec<f64> {
        vec![6.0; self.0]
    }
}

/// √(1 + |q|²) + ¼|q|⁴ of a skewed q: convex, not quadratic, with its minimum at 0.
pub(crate) struct Bowl(pub(crate) usize);

impl Bowl {
    fn weight(i: usize) -> f64 {
        1.0 + 0.7 * i as f64
    }

    fn square(q: &[f64]) -> f64 {
        q.iter().enumerate().map(|(i, q)| Self::weight(i) * q * q).sum()
    }
}

impl Law for Bowl {
    fn size(&self) -> usize {
        self.0
    }

    fn energy(&self, q: &[f64]) -> f64 {
        let x = Self::square(q);
        // √(1 + x) − 1 with all its digits.
        x / ((1.0 + x).sqrt() + 1.0) + 0.25 * x * x + 0.1 * q.iter().map(|q| q.powi(3)).sum::<f64>()
    }

    fn gradient(&self, q: &[f64], out: &mut [f64]) {
        let x = Self::square(q);
        let slope = 1.0 / (1.0 + x).sqrt() + x;
        for (i, (g, q)) in out.iter_mut().zip(q).enumerate() {
            *g = slope * Self::weight(i) * q + 0.3 * q * q;
        }
    }

    fn hessian(&self, q: &[f64], out: &mut DenseSymmetric) {
        let x = Self::square(q);
        let slope = 1.0 / (1.0 + x).sqrt() + x;
        let bend = 2.0 - (1.0 + x).powf(-1.5);
        let n = self.0;
        for i in 0..n {
            for j in i..n {
                let own = if i == j { slope * Self::weight(i) + 0.6 * q[i] } else { 0.0 };
                out.values_mut()[i * n + j] = own + bend * Self::weight(i) * q[i] * Self::weight(j) * q[j];
            }
        }
    }

    fn origin(&self) -> Vec<f64> {
        vec![0.8; self.0]
    }
}
