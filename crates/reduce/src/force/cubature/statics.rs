//! How far off a cubature is where users look: shapes under loads that stay, and the lowest frequencies.
//!
//! ```text
//! load_l = K̃ y_l,   y_l = σ_l Σ_{i ≤ 6} N(0, 1/ω_i²) Φ_i,   ∂W(q_l) = load_l = ∂W̃(q̃_l)
//! static error = mean over l of ‖q̃_l − q_l‖ / ‖q_l‖ in the norm of M̃
//! frequency error = mean over the ten lowest of |ω̃_i / ω_i − 1|
//! ```
//! σ_l makes the linear answer y_l reach as far as the training poses, every second time half as far. The error of forces
//! (T14 eq. 3.7) ranks motions poorly; these two say what is seen.

use pliant_energy::{Body, Inadmissible, Tangent};
use pliant_linalg::product::dot;
use pliant_linalg::{DenseCholesky, DenseSymmetric, Progress, Random, Watch};

use super::CubatureForce;
use super::poses::{Spectrum, mean_reach};
use super::rest::congruence;
use crate::force::ReducedForce;
use crate::{Basis, ReduceError};

const LOADS: usize = 8;
/// The softest vibrations, along which loads pull.
const SOFTEST: usize = 6;
/// Frequencies that are compared.
const FREQUENCIES: usize = 10;
/// What is left of a load where its shape is found.
const TOLERANCE: f64 = 1e-5;
const ITERATIONS: usize = 60;
const HALVINGS: usize = 12;

/// Loads and the exact shapes under them, in the coordinates z of q = D z.
pub(super) struct Statics {
    /// Dᵀ load and z, for each.
    answers: Vec<(Vec<f64>, Vec<f64>)>,
}

impl Statics {
    /// Loads that bring `body` about `reach` m away. The exact tangent is not asked for: that of `guide`, a cubature, finds
    /// the same shapes. A load under which no shape is found is left out.
    pub(super) fn new(
        body: &Body,
        basis: &Basis,
        spectrum: &Spectrum,
        reach: f64,
        random: &mut Random,
        guide: &mut CubatureForce,
        watch: &mut Watch<'_>,
    ) -> Result<Self, ReduceError> {
        let (m, r) = (spectrum.eigenvalues.len(), spectrum.rank);
        let mut answers = Vec::new();
        for l in 0..LOADS {
            Progress { stage: "shapes under loads", done: l, total: LOADS }.tell(watch)?;
            // DᵀK̃D = 1: what K̃ makes of z is z.
            let mut load = vec![0.0; m];
            for (z, value) in load.iter_mut().zip(&spectrum.eigenvalues).take(SOFTEST) {
                *z = random.normal() / value.sqrt();
            }
            let far = reach / mean_reach(basis, &expanded(spectrum, &load));
            load.iter_mut().for_each(|z| *z *= if l % 2 == 0 { far } else { far / 2.0 });
            let mut work = Work::new(m, r);
            let rest = vec![0.0; m];
            let near = work.shape(&load, &rest, spectrum, guide, None).unwrap_or(rest);
            let mut exact = Exact { body, basis, u: vec![0.0; body.size()], f: vec![0.0; body.size()] };
            if let Some(z) = work.shape(&load, &near, spectrum, guide, Some(&mut exact)) {
                answers.push((load, z));
            }
        }
        Ok(Self { answers })
    }

    /// The mean relative error of the shapes; one where a cubature finds none. `None` without loads.
    pub(super) fn error(&self, spectrum: &Spectrum, force: &mut CubatureForce) -> Option<f64> {
        let mut work = Work::new(spectrum.eigenvalues.len(), spectrum.rank);
        let mut sum = 0.0;
        for (load, exact) in &self.answers {
            // In the mass: M̃ is 1/ω² in z.
            let norm = |z: &dyn Fn(usize) -> f64| {
                let squares = spectrum.eigenvalues.iter().enumerate().map(|(i, value)| z(i).powi(2) / value);
                squares.sum::<f64>().sqrt()
            };
            sum += match work.shape(load, exact, spectrum, force, None) {
                Some(z) => norm(&|i| z[i] - exact[i]) / norm(&|i| exact[i]),
                None => 1.0,
            };
        }
        (!self.answers.is_empty()).then(|| sum / self.answers.len() as f64)
    }
}

/// The mean relative error of the lowest frequencies.
pub(super) fn frequency_error(spectrum: &Spectrum, force: &mut CubatureForce) -> f64 {
    let r = spectrum.rank;
    let mut H = DenseSymmetric::zeros(r);
    force.stiffness(&vec![0.0; r], Tangent::Exact, &mut H).expect("every energy is defined at rest");
    let m = spectrum.eigenvalues.len();
    // In z the mass is 1/ω².
    let stiffness = congruence(&H, &spectrum.directions);
    let mass = DenseSymmetric::from_upper(m, |i, j| if i == j { 1.0 / spectrum.eigenvalues[i] } else { 0.0 });
    let Some((values, _)) = stiffness.generalised_eigen(&mass) else { return f64::INFINITY };
    let off = values.iter().zip(&spectrum.eigenvalues).take(FREQUENCIES);
    off.map(|(found, exact)| ((found.max(0.0) / exact).sqrt() - 1.0).abs()).sum::<f64>()
        / m.min(FREQUENCIES) as f64
}

/// The body itself in the coordinates of a basis.
struct Exact<'a> {
    body: &'a Body,
    basis: &'a Basis,
    u: Vec<f64>,
    f: Vec<f64>,
}

impl Exact<'_> {
    fn energy_and_force(&mut self, q: &[f64], force: &mut [f64]) -> Result<f64, Inadmissible> {
        self.basis.expand(q, &mut self.u);
        self.body.force(&self.u, &mut self.f)?;
        self.basis.project(&self.f, force);
        self.body.energy(&self.u)
    }
}

/// Room for the search of a shape.
struct Work {
    factor: DenseCholesky,
    tangent: DenseSymmetric,
    force: Vec<f64>,
}

impl Work {
    fn new(m: usize, r: usize) -> Self {
        Self { factor: DenseCholesky::new(m), tangent: DenseSymmetric::zeros(r), force: vec![0.0; r] }
    }

    /// z where W − load·z is least, from `start` on, by the tangent of `guide`; W is that of `exact`, else that of the guide.
    fn shape(
        &mut self,
        load: &[f64],
        start: &[f64],
        spectrum: &Spectrum,
        guide: &mut CubatureForce,
        mut exact: Option<&mut Exact<'_>>,
    ) -> Option<Vec<f64>> {
        let Self { factor, tangent, force } = self;
        let (r, whole) = (spectrum.rank, dot(load, load).sqrt());
        let mut potential = |z: &[f64], guide: &mut CubatureForce| -> Option<(f64, Vec<f64>)> {
            let q = expanded(spectrum, z);
            let energy = match &mut exact {
                Some(exact) => exact.energy_and_force(&q, force),
                None => guide.energy_and_force(&q, force),
            };
            let pull = spectrum.directions.chunks_exact(r).map(|d| dot(d, force));
            let gradient: Vec<f64> = pull.zip(load).map(|(f, load)| f - load).collect();
            let value = energy.ok()? - dot(load, z);
            value.is_finite().then_some((value, gradient))
        };
        let mut z = start.to_vec();
        let (mut value, mut gradient) = potential(&z, guide)?;
        for _ in 0..ITERATIONS {
            if dot(&gradient, &gradient).sqrt() <= TOLERANCE * whole {
                return Some(z);
            }
            let q = expanded(spectrum, &z);
            // The exact tangent where that has a factor, else one that always has.
            [Tangent::Exact, Tangent::Positive].into_iter().find_map(|kind| {
                guide.stiffness(&q, kind, tangent).ok()?;
                factor.factorise(&congruence(tangent, &spectrum.directions)).ok()
            })?;
            let mut step = gradient.clone();
            factor.solve(&mut step);
            let slope = dot(&step, &gradient);
            let mut part = 1.0;
            let found = (0..HALVINGS).find_map(|_| {
                let trial: Vec<f64> = z.iter().zip(&step).map(|(z, s)| z - part * s).collect();
                let better = potential(&trial, guide).filter(|(new, _)| *new <= value - 1e-4 * part * slope);
                part /= 2.0;
                better.map(|(value, gradient)| (trial, value, gradient))
            });
            (z, value, gradient) = found?;
        }
        None
    }
}

/// q = D z.
fn expanded(spectrum: &Spectrum, z: &[f64]) -> Vec<f64> {
    let mut q = vec![0.0; spectrum.rank];
    for (direction, z) in spectrum.directions.chunks_exact(spectrum.rank).zip(z) {
        q.iter_mut().zip(direction).for_each(|(q, d)| *q += z * d);
    }
    q
}
