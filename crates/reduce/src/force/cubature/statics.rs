//! How far off a cubature is where users look: shapes under loads that stay, and the lowest frequencies.
//!
//! ```text
//! load_l = K̃ y_l,   y_l = σ_l Σ_{i ≤ 6} N(0, 1/ω_i²) Φ_i,   ∂W(q_l) = load_l = ∂W̃(q̃_l)
//! static error = mean over l of ‖q̃_l − q_l‖ / ‖q_l‖ in the norm of M̃
//! frequency error = mean over the ten lowest of |ω̃_i / ω_i − 1|
//! ```
//! q_l is found by steps p of the tangent H of a cubature, which is nearly that of the body, and by what the last steps s_k = z_{k+1} − z_k
//! showed of the difference, y_k the change of the gradient g along s_k (N80 in docs/papers.md, with H in the middle):
//! ```text
//! p = Q_kᵀ … Q_1ᵀ H⁻¹ Q_1 … Q_k g + Σ …,   Q_k = 1 − y_k s_kᵀ / y_kᵀs_k
//! ```
//! so that the body itself, whose every force takes long, is asked a third as often.
//!
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
/// Steps that are remembered.
const REMEMBERED: usize = 12;

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
        let is_exact = exact.is_some();
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
        // The guide's own tangent is exact for the guide.
        let mut seen = Seen { most: if is_exact { REMEMBERED } else { 0 }, pairs: Vec::new() };
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
            seen.through(&mut step, |g| factor.solve(g));
            let slope = dot(&step, &gradient);
            let mut part = 1.0;
            let found = (0..HALVINGS).find_map(|_| {
                let trial: Vec<f64> = z.iter().zip(&step).map(|(z, s)| z - part * s).collect();
                let better = potential(&trial, guide).filter(|(new, _)| *new <= value - 1e-4 * part * slope);
                part /= 2.0;
                better.map(|(value, gradient)| (trial, value, gradient))
            });
            let (trial, new, after) = match found {
                Some(found) => found,
                // What was seen elsewhere may lead astray; the tangent alone does not.
                None if !seen.pairs.is_empty() => {
                    seen.pairs.clear();
                    continue;
                }
                None => return None,
            };
            seen.note(&trial, &z, &after, &gradient);
            (z, value, gradient) = (trial, new, after);
        }
        None
    }
}

/// What the last steps showed of the tangent: s, y and 1/yᵀs, the newest last.
struct Seen {
    most: usize,
    pairs: Vec<(Vec<f64>, Vec<f64>, f64)>,
}

impl Seen {
    /// g becomes p; `solve` is H⁻¹.
    fn through(&self, g: &mut [f64], solve: impl FnOnce(&mut [f64])) {
        let add = |to: &mut [f64], times: f64, of: &[f64]| {
            to.iter_mut().zip(of).for_each(|(to, of)| *to += times * of);
        };
        let mut parts = Vec::with_capacity(self.pairs.len());
        for (s, y, inverse) in self.pairs.iter().rev() {
            let part = inverse * dot(s, g);
            add(g, -part, y);
            parts.push(part);
        }
        solve(g);
        for ((s, y, inverse), part) in self.pairs.iter().zip(parts.into_iter().rev()) {
            add(g, part - inverse * dot(y, g), s);
        }
    }

    /// A step along which the gradient does not grow says nothing.
    fn note(&mut self, z: &[f64], before: &[f64], gradient: &[f64], gradient_before: &[f64]) {
        let difference = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a - b).collect::<Vec<f64>>();
        let (s, y) = (difference(z, before), difference(gradient, gradient_before));
        let curved = dot(&s, &y);
        if self.most > 0 && curved > 1e-12 * (dot(&s, &s) * dot(&y, &y)).sqrt() {
            self.pairs.push((s, y, 1.0 / curved));
            self.pairs.drain(..self.pairs.len().saturating_sub(self.most));
        }
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

#[cfg(test)]
mod tests {
    use super::*;

    /// Of a quadratic W the pairs of n steps are all of its tangent, whatever H is.
    #[test]
    fn what_was_seen_of_a_tangent_is_undone_exactly() {
        let n = 5;
        let A =
            DenseSymmetric::from_upper(
                n,
                |i, j| if i == j { 2.0 + i as f64 } else { 0.3 / (1.0 + (i + j) as f64) },
            );
        let times =
            |x: &[f64]| -> Vec<f64> { (0..n).map(|i| (0..n).map(|j| A.get(i, j) * x[j]).sum()).collect() };
        let mut seen = Seen { most: 12, pairs: Vec::new() };
        // Steps that do not see each other: A-orthogonal.
        let mut steps: Vec<Vec<f64>> = Vec::new();
        for k in 0..n {
            let mut s: Vec<f64> =
                (0..n).map(|i| f64::from(u8::from(i == k)) + 0.2 * ((3 * i + 5 * k) as f64).sin()).collect();
            for other in &steps {
                let part = dot(&s, &times(other)) / dot(other, &times(other));
                s.iter_mut().zip(other).for_each(|(s, o)| *s -= part * o);
            }
            seen.note(&s, &vec![0.0; n], &times(&s), &vec![0.0; n]);
            steps.push(s);
        }
        assert_eq!(seen.pairs.len(), n);
        let wanted: Vec<f64> = (0..n).map(|i| 1.0 + i as f64).collect();
        let mut g = times(&wanted);
        seen.through(&mut g, |g| g.iter_mut().for_each(|x| *x *= 7.0));
        for (p, wanted) in g.iter().zip(&wanted) {
            assert!((p - wanted).abs() < 1e-9, "{p} instead of {wanted}");
        }
        seen.note(&[1.0; 5], &[0.0; 5], &[-1.0; 5], &[0.0; 5]);
        assert_eq!(seen.pairs.len(), n, "a tangent that is negative along a step is not kept");
    }
}
