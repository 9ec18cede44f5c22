//! The least-squares problem of a cubature, whose matrix is never written down.
//!
//! ```text
//! A_i = [f̃_i(q_1)/‖F̃(q_1)‖; …; f̃_i(q_T)/‖F̃(q_T)‖],   b = [F̃(q_1)/‖F̃(q_1)‖; …],   T ε(w)² = ‖Aw − b‖²    (T14 eq. 3.7)
//! f̃_i(q_t) = B_iᵀ g_it,   g_it = ∂W_i(B_i q_t)
//! ```
//! A column of A has dT numbers, but the component behind it only 9 rows B_i (of d numbers) and 9 T numbers g_i. All that
//! a trainer asks of A comes from those, T-vectors of g written as the columns of G_i (T×9, divided by ‖F̃‖):
//!
//! ```text
//! A_iᵀ x = ⟨G_i, Xᵀ B_iᵀ⟩,   A_iᵀ A_j = ⟨B_i B_jᵀ, G_iᵀ G_j⟩,   A w = Σ_i B_iᵀ (w_i G_iᵀ)
//! ```
//! where x, as a d×T matrix, is X. All are products of small dense matrices; none needs dT numbers for a component.
//!
//! Forces may be measured by what they do to vibrations of equal energy, Dᵀf̃ in place of f̃ with D = Φ/ω: soft ones, which are
//! what is seen, then count as much as stiff ones, whose forces are larger by ω. It is DᵀB_iᵀ in place of B_iᵀ in front of g_it,
//! and d is then the number of vibrations.
//!
//! Gentle poses q_k, behind the others, have one row each, for the work along themselves:
//!
//! ```text
//! a_ki = √γ q_kᵀ f̃_i(q_k) / q_kᵀ F̃(q_k) = √γ ⟨B_i q_k, g_ik⟩ / q_kᵀ F̃(q_k),   b_k = √γ
//! ```

use std::sync::Arc;

use pliant_energy::{Energy, Inadmissible};
use pliant_linalg::product::{Dense, dot, multiply};
use pliant_linalg::{DenseSymmetric, LocalVector, par};
use rayon::prelude::*;

use super::evaluate::differences;
use super::{Cubature, CubatureForce};
use crate::force::ReducedForce;
use crate::{Basis, ReduceError};

/// Components in one task.
const TASK: usize = 16;

/// Poses in one call of the energy, and in one task of A w.
const POSES: usize = 64;

/// What a cubature adds up: components, each with a vector over its corners that depends on how they moved.
pub trait Summands: Send + Sync {
    /// How many components there are.
    fn count(&self) -> usize;

    /// The vertices of component `c`, at most four.
    fn corners(&self, c: usize) -> &[u32];

    /// What one component adds at some poses, `u` by `u`: displacements of its corners, the first at rest. `poses` are the numbers of
    /// these poses in the list of all; none where they are gentle ones.
    ///
    /// # Errors
    /// [`Inadmissible`] where it is not defined.
    fn at(
        &self,
        component: u32,
        poses: &[u32],
        u: &[LocalVector],
        out: &mut [LocalVector],
    ) -> Result<(), Inadmissible>;
}

/// The force of an energy.
struct Forces<'a>(&'a dyn Energy);

impl Summands for Forces<'_> {
    fn count(&self) -> usize {
        self.0.count()
    }

    fn corners(&self, c: usize) -> &[u32] {
        self.0.corners(c)
    }

    fn at(
        &self,
        component: u32,
        _: &[u32],
        u: &[LocalVector],
        out: &mut [LocalVector],
    ) -> Result<(), Inadmissible> {
        self.0.gradients(&[component; POSES][..u.len()], u, out)
    }
}

/// Poses and the exact forces there: what a trainer knows.
pub struct Samples<'a> {
    pub(super) sum: Arc<dyn Summands + 'a>,
    /// The number of each pose in the list of all.
    numbers: Vec<u32>,
    pub(super) basis: &'a Basis,
    /// D, r numbers a vibration, where forces are measured along those.
    along: Option<Arc<[f64]>>,
    /// r×T: q_t, one after the other.
    pub(super) poses: Vec<f64>,
    /// 1/‖F̃(q_t)‖, or 1/‖DᵀF̃(q_t)‖.
    inverse: Vec<f64>,
    /// d×T: F̃(q_t)/‖F̃(q_t)‖; then √γ for each gentle pose.
    pub(super) b: Vec<f64>,
    /// r×K: gentle poses q_k, one after the other.
    gentle: Vec<f64>,
    /// √γ/q_kᵀ F̃(q_k).
    gentle_inverse: Vec<f64>,
}

/// Some columns of A, as B and G.
pub(super) struct Columns {
    pub(super) components: Vec<u32>,
    /// d.
    rank: usize,
    count: usize,
    /// The first row of each component, and the number of all.
    first: Vec<usize>,
    /// d numbers a row of B, or of BD.
    maps: Vec<f64>,
    /// T numbers a row of B: G.
    gradients: Vec<f64>,
    /// K numbers a component: its rows of the gentle poses.
    gentle: Vec<f64>,
    gentle_count: usize,
}

impl<'a> Samples<'a> {
    pub(super) fn new(
        energy: &'a dyn Energy,
        basis: &'a Basis,
        poses: Vec<f64>,
        forces: Vec<f64>,
        along: Option<Arc<[f64]>>,
    ) -> Result<Self, ReduceError> {
        Self::of(Arc::new(Forces(energy)), basis, poses, forces, along)
    }

    /// Of any sum, whose value at each of the `poses` is in `forces`, r numbers each.
    pub(crate) fn of(
        sum: Arc<dyn Summands + 'a>,
        basis: &'a Basis,
        poses: Vec<f64>,
        forces: Vec<f64>,
        along: Option<Arc<[f64]>>,
    ) -> Result<Self, ReduceError> {
        let r = basis.rank();
        let mut inverse = Vec::with_capacity(poses.len() / r);
        let (d, mut forces) = match &along {
            None => (r, forces),
            Some(D) => {
                let mut seen = vec![0.0; D.len() / r * inverse.capacity()];
                multiply(&mut seen, Dense::new(D, r).t(), Dense::new(&forces, r));
                (D.len() / r, seen)
            }
        };
        for force in forces.chunks_exact_mut(d) {
            let norm = force.iter().map(|f| f * f).sum::<f64>().sqrt();
            if !(norm.is_finite() && norm > 0.0) {
                return Err(ReduceError::request(format!(
                    "a training pose has a force of {norm:e}; choose another pose scale (0.1 is usual)"
                )));
            }
            force.iter_mut().for_each(|f| *f /= norm);
            inverse.push(1.0 / norm);
        }
        let (gentle, gentle_inverse) = (Vec::new(), Vec::new());
        let numbers = (0..inverse.len() as u32).collect();
        Ok(Self { sum, numbers, basis, along, poses, inverse, b: forces, gentle, gentle_inverse })
    }

    /// Measured by other lengths than those of the forces, one a pose, up to a factor that leaves the mean square of b at one.
    pub(crate) fn by_lengths(mut self, lengths: &[f64]) -> Self {
        let d = self.height();
        let times: Vec<f64> =
            self.inverse.iter().zip(lengths).map(|(inverse, length)| 1.0 / (inverse * length)).collect();
        let mean = times.iter().map(|x| x * x).sum::<f64>() / times.len() as f64;
        for ((b, inverse), times) in self.b.chunks_exact_mut(d).zip(&mut self.inverse).zip(times) {
            let times = times / mean.sqrt();
            *inverse *= times;
            b.iter_mut().for_each(|b| *b *= times);
        }
        self
    }

    /// With gentle poses and the exact forces there, all of which together weigh `share` of the others.
    pub(super) fn with_gentle(
        mut self,
        poses: Vec<f64>,
        forces: &[f64],
        share: f64,
    ) -> Result<Self, ReduceError> {
        let r = self.basis.rank();
        let weight = (share * self.count() as f64 / (poses.len() / r) as f64).sqrt();
        for (q, F) in poses.chunks_exact(r).zip(forces.chunks_exact(r)) {
            let work = dot(q, F);
            if !(work.is_finite() && work > 0.0) {
                return Err(ReduceError::request(format!(
                    "a vibration of the reduced body costs {work:e} J; choose another pose scale (0.1 is usual)"
                )));
            }
            self.gentle_inverse.push(weight / work);
            self.b.push(weight);
        }
        self.gentle = poses;
        Ok(self)
    }

    /// T.
    pub fn count(&self) -> usize {
        self.inverse.len()
    }

    /// d.
    fn height(&self) -> usize {
        self.along.as_ref().map_or(self.basis.rank(), |D| D.len() / self.basis.rank())
    }

    /// The columns of A of these components.
    pub(super) fn columns(&self, components: &[u32]) -> Result<Columns, ReduceError> {
        let parts: Vec<Columns> =
            components.par_chunks(TASK).map(|part| self.few_columns(part)).collect::<Result<_, _>>()?;
        Ok(parts.into_iter().fold(self.no_columns(), Columns::and))
    }

    /// None of them.
    pub(super) fn no_columns(&self) -> Columns {
        Columns {
            components: Vec::new(),
            rank: self.height(),
            count: self.count(),
            first: vec![0],
            maps: Vec::new(),
            gradients: Vec::new(),
            gentle: Vec::new(),
            gentle_count: self.gentle_inverse.len(),
        }
    }

    /// (A_iᵀ x + δ) / √(‖A_i‖² + δ) of these components, which is along the columns with their ridge where w_i = 0 and
    /// x is what is left of b; zero where A_i is, although the ridge alone would have such a component at w = 1.
    pub(super) fn correlations(
        &self,
        components: &[u32],
        x: &[f64],
        ridge: f64,
    ) -> Result<Vec<f64>, ReduceError> {
        let part = |part: &[u32]| {
            let columns = self.few_columns(part)?;
            let along = columns.few_against(0, part.len(), x);
            let scaled = |(k, a): (usize, f64)| {
                let square = columns.squared_length(k);
                if square > 0.0 { (a + ridge) / (square + ridge).sqrt() } else { 0.0 }
            };
            Ok(along.into_iter().enumerate().map(scaled).collect())
        };
        let parts: Vec<Vec<f64>> =
            components.par_chunks(TASK).map(part).collect::<Result<_, ReduceError>>()?;
        Ok(parts.concat())
    }

    /// A_iᵀ x and ‖A_i‖² of these components.
    pub(super) fn against_and_squares(
        &self,
        components: &[u32],
        x: &[f64],
    ) -> Result<(Vec<f64>, Vec<f64>), ReduceError> {
        let part = |part: &[u32]| {
            let columns = self.few_columns(part)?;
            let squares = (0..part.len()).map(|k| columns.squared_length(k)).collect();
            Ok((columns.few_against(0, part.len(), x), squares))
        };
        let parts: Vec<(Vec<f64>, Vec<f64>)> =
            components.par_chunks(TASK).map(part).collect::<Result<_, ReduceError>>()?;
        let (along, squares): (Vec<_>, Vec<_>) = parts.into_iter().unzip();
        Ok((along.concat(), squares.concat()))
    }

    /// A_iᵀ A_j of these components with one component, no columns kept.
    pub(super) fn products(&self, components: &[u32], one: u32) -> Result<Vec<f64>, ReduceError> {
        let part = |part: &[u32]| {
            let (n, columns) = (part.len(), self.few_columns(&[part, &[one]].concat())?);
            Ok(columns.gram_of((0, n), (n, n + 1)))
        };
        let parts: Vec<Vec<f64>> =
            components.par_chunks(TASK).map(part).collect::<Result<_, ReduceError>>()?;
        Ok(parts.concat())
    }

    /// The same problem with some of the poses, no gentle ones.
    pub(super) fn some(&self, poses: &[u32]) -> Self {
        let rows = |x: &[f64], height: usize| {
            poses.iter().flat_map(|&t| x[t as usize * height..][..height].to_vec()).collect()
        };
        Self {
            sum: self.sum.clone(),
            numbers: poses.iter().map(|&t| self.numbers[t as usize]).collect(),
            basis: self.basis,
            along: self.along.clone(),
            poses: rows(&self.poses, self.basis.rank()),
            inverse: poses.iter().map(|&t| self.inverse[t as usize]).collect(),
            b: rows(&self.b, self.height()),
            gentle: Vec::new(),
            gentle_inverse: Vec::new(),
        }
    }

    /// What a column takes at most, as B and G.
    pub(super) fn bytes_a_column(&self) -> usize {
        8 * (9 * (self.basis.rank() + self.count()) + self.gentle_inverse.len())
    }

    /// ε(w) of T14 eq. 3.7, of forces as they are measured here.
    pub(super) fn error(&self, cubature: &Cubature) -> Result<f64, ReduceError> {
        let approximation = self.columns(&cubature.components)?.combine(&cubature.weights);
        let residual: Vec<f64> = self.b.iter().zip(&approximation).map(|(b, a)| b - a).collect();
        Ok(self.error_of(&residual))
    }

    /// ε of T14 eq. 3.7 of a cubature as it is evaluated, its correction included; of forces as they are, not along vibrations.
    pub(super) fn error_in_use(&self, force: &mut CubatureForce) -> Result<f64, ReduceError> {
        assert!(self.along.is_none(), "forces as they are");
        let r = self.basis.rank();
        let (mut sum, mut f) = (0.0, vec![0.0; r]);
        for (t, q) in self.poses.chunks_exact(r).enumerate() {
            force.force(q, &mut f).map_err(at_the_edge)?;
            let b = &self.b[t * r..(t + 1) * r];
            sum += b.iter().zip(&f).map(|(b, f)| (b - f * self.inverse[t]).powi(2)).sum::<f64>();
        }
        Ok((sum / self.count() as f64).sqrt())
    }

    /// ε where b − Aw is known.
    pub(super) fn error_of(&self, residual: &[f64]) -> f64 {
        let counted = &residual[..self.count() * self.height()];
        (par::dot(counted, counted) / self.count() as f64).sqrt()
    }

    /// As [`Samples::error_of`], over all poses: what is made small.
    pub(super) fn objective_of(&self, residual: &[f64]) -> f64 {
        (par::dot(residual, residual) / self.count() as f64).sqrt()
    }

    /// [`Samples::columns`] on this thread.
    fn few_columns(&self, components: &[u32]) -> Result<Columns, ReduceError> {
        let (r, count) = (self.basis.rank(), self.count());
        let (mut maps, mut first) = (Vec::with_capacity(9 * r * components.len()), vec![0]);
        for (k, &c) in components.iter().enumerate() {
            first.push(first[k] + differences(self.sum.corners(c as usize), self.basis, &mut maps));
        }
        // d_it for every row of B and every pose, then g_it in its place.
        let rows = first[components.len()];
        let mut values = vec![0.0; count * rows];
        multiply(&mut values, Dense::new(&self.poses, r).t(), Dense::new(&maps, r));
        for (k, &c) in components.iter().enumerate() {
            self.gradients(
                c,
                &self.numbers,
                &self.inverse,
                &mut values[first[k] * count..first[k + 1] * count],
            )?;
        }
        let gentle_count = self.gentle_inverse.len();
        let mut gentle = vec![0.0; components.len() * gentle_count];
        if gentle_count > 0 {
            let mut moved = vec![0.0; gentle_count * rows];
            multiply(&mut moved, Dense::new(&self.gentle, r).t(), Dense::new(&maps, r));
            let mut pull = moved.clone();
            for (k, &c) in components.iter().enumerate() {
                let range = first[k] * gentle_count..first[k + 1] * gentle_count;
                self.gradients(c, &[], &self.gentle_inverse, &mut pull[range.clone()])?;
                let work = &mut gentle[k * gentle_count..(k + 1) * gentle_count];
                for (d, g) in moved[range.clone()]
                    .chunks_exact(gentle_count)
                    .zip(pull[range].chunks_exact(gentle_count))
                {
                    work.iter_mut().zip(d).zip(g).for_each(|((w, d), g)| *w += d * g);
                }
            }
        }
        if let Some(D) = &self.along {
            let plain = std::mem::take(&mut maps);
            maps.resize(self.height() * rows, 0.0);
            multiply(&mut maps, Dense::new(D, r).t(), Dense::new(&plain, r));
        }
        Ok(Columns {
            components: components.to_vec(),
            rank: self.height(),
            count,
            first,
            maps,
            gradients: values,
            gentle,
            gentle_count,
        })
    }

    /// From d_it to g_it times a number for each pose, of one component; a number for each pose in a row.
    fn gradients(
        &self,
        component: u32,
        numbers: &[u32],
        times: &[f64],
        rows: &mut [f64],
    ) -> Result<(), ReduceError> {
        let count = times.len();
        let [mut locals, mut out] = [[[0.0; 12]; POSES]; 2];
        for begin in (0..count).step_by(POSES) {
            let many = POSES.min(count - begin);
            for (k, row) in rows.chunks_exact(count).enumerate() {
                row[begin..begin + many].iter().zip(&mut locals).for_each(|(&d, local)| local[3 + k] = d);
            }
            let numbers = if numbers.is_empty() { numbers } else { &numbers[begin..begin + many] };
            self.sum.at(component, numbers, &locals[..many], &mut out[..many]).map_err(at_the_edge)?;
            for (k, row) in rows.chunks_exact_mut(count).enumerate() {
                for t in 0..many {
                    row[begin + t] = out[t][3 + k] * times[begin + t];
                }
            }
        }
        Ok(())
    }
}

impl Columns {
    /// These, then those.
    pub(super) fn and(mut self, others: Self) -> Self {
        let rows = self.first[self.components.len()];
        self.first.extend(others.first[1..].iter().map(|f| f + rows));
        self.components.extend(others.components);
        self.maps.extend(others.maps);
        self.gradients.extend(others.gradients);
        self.gentle.extend(others.gentle);
        self
    }

    /// A_iᵀ x for the columns from `first` on and x of d×T + K numbers.
    pub(super) fn against(&self, x: &[f64], first: usize) -> Vec<f64> {
        tasks(first, self.components.len())
            .par_iter()
            .map(|&(begin, end)| self.few_against(begin, end, x))
            .collect::<Vec<_>>()
            .concat()
    }

    /// A w, d×T + K numbers.
    pub(super) fn combine(&self, w: &[f64]) -> Vec<f64> {
        let (r, rows) = (self.rank, self.maps.len() / self.rank);
        let mut weighted = self.maps.clone();
        for (k, w) in w.iter().enumerate() {
            weighted[self.first[k] * r..self.first[k + 1] * r].iter_mut().for_each(|x| *x *= w);
        }
        let mut out = vec![0.0; r * self.count + self.gentle_count];
        let (forces, work) = out.split_at_mut(r * self.count);
        for (k, w) in w.iter().enumerate() {
            work.iter_mut().zip(self.gentle_of(k)).for_each(|(sum, a)| *sum += w * a);
        }
        if rows > 0 {
            forces.par_chunks_mut(r * POSES).enumerate().for_each(|(chunk, out)| {
                let G = Dense::new(&self.gradients, self.count).rows(chunk * POSES, out.len() / r);
                multiply(out, Dense::new(&weighted, r), G.t());
            });
        }
        out
    }

    /// Some of these columns.
    pub(super) fn pick(&self, which: &[usize]) -> Self {
        let mut picked = Self {
            components: which.iter().map(|&k| self.components[k]).collect(),
            rank: self.rank,
            count: self.count,
            first: vec![0],
            maps: Vec::new(),
            gradients: Vec::new(),
            gentle: Vec::new(),
            gentle_count: self.gentle_count,
        };
        for &k in which {
            picked.gentle.extend_from_slice(self.gentle_of(k));
            let rows = self.first[k]..self.first[k + 1];
            picked.first.push(picked.first[picked.first.len() - 1] + rows.len());
            picked.maps.extend_from_slice(&self.maps[rows.start * self.rank..rows.end * self.rank]);
            picked
                .gradients
                .extend_from_slice(&self.gradients[rows.start * self.count..rows.end * self.count]);
        }
        picked
    }

    /// ‖A_i‖² of each.
    pub(super) fn squared_lengths(&self) -> Vec<f64> {
        (0..self.components.len()).into_par_iter().map(|k| self.squared_length(k)).collect()
    }

    /// AᵀA + δ, of which the part of the first columns is `known`.
    pub(super) fn gram(&self, known: &DenseSymmetric, ridge: f64) -> DenseSymmetric {
        let (k, n) = (known.size(), self.components.len());
        let (old, new) = (tasks(0, k), tasks(k, n));
        let above = |b: usize| old.iter().chain(&new[..=b]).map(move |&a| (a, b));
        let pairs: Vec<((usize, usize), usize)> = (0..new.len()).flat_map(above).collect();
        let blocks: Vec<Vec<f64>> = pairs.par_iter().map(|&(a, b)| self.gram_of(a, new[b])).collect();
        let mut gram = DenseSymmetric::zeros(n);
        let values = gram.values_mut();
        (0..k).for_each(|i| {
            values[i * n + i..i * n + k].copy_from_slice(&known.values()[i * k + i..(i + 1) * k])
        });
        for (&(rows, b), block) in pairs.iter().zip(blocks) {
            let width = new[b].1 - new[b].0;
            for (at, value) in block.into_iter().enumerate() {
                let (i, j) = (rows.0 + at / width, new[b].0 + at % width);
                if i <= j {
                    values[i * n + j] = value;
                }
            }
        }
        (k..n).for_each(|i| values[i * n + i] += ridge);
        gram
    }

    /// A_iᵀ A_j of every column i with column j.
    pub(super) fn products(&self, j: usize) -> Vec<f64> {
        let all = tasks(0, self.components.len());
        all.par_iter().map(|&range| self.gram_of(range, (j, j + 1))).collect::<Vec<_>>().concat()
    }

    /// A_iᵀ x = ⟨G_i, Xᵀ B_iᵀ⟩ for some components, on this thread.
    fn few_against(&self, begin: usize, end: usize, x: &[f64]) -> Vec<f64> {
        let (from, to) = (self.first[begin], self.first[end]);
        let mut along = vec![0.0; self.count * (to - from)];
        let (x, work) = x.split_at(self.rank * self.count);
        multiply(
            &mut along,
            Dense::new(x, self.rank).t(),
            Dense::new(&self.maps, self.rank).columns(from, to - from),
        );
        let range = |k: usize| self.first[k] * self.count..self.first[k + 1] * self.count;
        let shift = from * self.count;
        (begin..end)
            .map(|k| {
                dot(&self.gradients[range(k)], &along[range(k).start - shift..range(k).end - shift])
                    + dot(self.gentle_of(k), work)
            })
            .collect()
    }

    /// The rows of the gentle poses, of component k.
    fn gentle_of(&self, k: usize) -> &[f64] {
        &self.gentle[k * self.gentle_count..(k + 1) * self.gentle_count]
    }

    /// A_iᵀ A_j for i and j of two ranges, row by row, on this thread.
    fn gram_of(&self, (i0, i1): (usize, usize), (j0, j1): (usize, usize)) -> Vec<f64> {
        let rows = |begin: usize, end: usize| (self.first[begin], self.first[end] - self.first[begin]);
        let ((a, m), (b, n)) = (rows(i0, i1), rows(j0, j1));
        let product = |values: &[f64], height: usize| {
            let mut out = vec![0.0; m * n];
            let all = Dense::new(values, height);
            multiply(&mut out, all.columns(a, m).t(), all.columns(b, n));
            out
        };
        let (BB, GG) = (product(&self.maps, self.rank), product(&self.gradients, self.count));
        let mut out = Vec::with_capacity((i1 - i0) * (j1 - j0));
        for i in i0..i1 {
            for j in j0..j1 {
                let mut sum = dot(self.gentle_of(i), self.gentle_of(j));
                for l in self.first[j] - b..self.first[j + 1] - b {
                    for k in self.first[i] - a..self.first[i + 1] - a {
                        sum += BB[l * m + k] * GG[l * m + k];
                    }
                }
                out.push(sum);
            }
        }
        out
    }

    /// ‖A_k‖².
    fn squared_length(&self, k: usize) -> f64 {
        self.gram_of((k, k + 1), (k, k + 1))[0]
    }
}

fn at_the_edge(error: Inadmissible) -> ReduceError {
    ReduceError::request(format!("a training pose is at the edge of what the energy allows: {error}"))
}

/// Ranges of [`TASK`] columns.
fn tasks(begin: usize, end: usize) -> Vec<(usize, usize)> {
    (begin..end).step_by(TASK).map(|first| (first, (first + TASK).min(end))).collect()
}
