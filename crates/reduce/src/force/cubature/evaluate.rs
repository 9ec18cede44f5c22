//! A cubature at run time: energy, force and stiffness of a few components, each through its own rows of U.
//!
//! ```text
//! d_c = B_c q,   W̃ = Σ_c w_c W_c(d_c),   f̃ = Σ_c w_c B_cᵀ ∂W_c(d_c),   K̃ = Σ_c w_c B_cᵀ ∂²W_c(d_c) B_c
//! ```
//! An energy does not feel a translation, so that a component sees only how its corners move against its first one: B_c
//! has the rows of U of the other corners minus those of the first, 9 for a tet or a hinge, 6 for a triangle, 3 for an
//! edge; a [rest correction](super::Cubature::correction) R makes them B_c R. All B_c together are read once for a force: components go through the three products a few at a time, while
//! their rows are still near.

use std::sync::Arc;

use pliant_energy::{Energy, Inadmissible, Tangent};
use pliant_linalg::product::{Dense, multiply};
use pliant_linalg::row_blocks::Workspace;
use pliant_linalg::{DenseSymmetric, LocalVector, RowBlocks};

use super::{Cubature, Pieces};
use crate::Basis;
use crate::force::ReducedForce;

/// Components that go through B, the energy and Bᵀ together: as many as registers have lanes for the energy, and few
/// enough that most of their rows (10 kB a tet, r = 135) are still in the first cache for Bᵀ.
const GROUP: usize = 4;

/// The force of a [`Cubature`]. Clones share the numbers.
#[derive(Clone)]
pub struct CubatureForce {
    parts: Arc<Parts>,
    /// q and f̃, x and K̃ x, with the padding of the blocks.
    q: Vec<f64>,
    f: Vec<f64>,
    x: Vec<f64>,
    g: Vec<f64>,
    work: Workspace,
    /// What rounding leaves of f̃ for each unit of each coordinate, N; empty until it is asked for.
    round_off: Vec<f64>,
}

/// What clones share.
struct Parts {
    /// Of the chosen components alone.
    energy: Box<dyn Energy>,
    /// 0, 1, 2, …: the names of those.
    names: Vec<u32>,
    cubature: Cubature,
    blocks: RowBlocks,
}

impl CubatureForce {
    /// The components of `energy`, or its flaps, that `cubature` names, in the coordinates of `basis`.
    ///
    /// # Panics
    /// Where flaps are named and `energy` has none.
    pub fn new(energy: &dyn Energy, cubature: &Cubature, basis: &Basis) -> Self {
        match cubature.pieces {
            Pieces::Components => Self::of_pieces(energy, cubature, basis),
            Pieces::Flaps => {
                let flaps = energy.flaps().expect("the energy of a surface");
                Self::of_pieces(flaps.as_ref(), cubature, basis)
            }
        }
    }

    /// The same of an energy whose components are the pieces that are named.
    pub(super) fn of_pieces(energy: &dyn Energy, cubature: &Cubature, basis: &Basis) -> Self {
        let Cubature { components, weights, correction, .. } = cubature;
        assert_eq!(components.len(), weights.len(), "a weight for every component");
        assert!(components.is_sorted(), "components in ascending order");
        let mut rows = Vec::new();
        let mut heights = Vec::with_capacity(components.len());
        for &c in components {
            heights.push(differences(energy.corners(c as usize), basis, &mut rows));
        }
        let rank = basis.rank();
        if let Some(R) = correction {
            let plain = std::mem::take(&mut rows);
            rows.resize(plain.len(), 0.0);
            multiply(&mut rows, Dense::new(R, rank), Dense::new(&plain, rank));
        }
        let blocks = RowBlocks::new(rank, &heights, |i| &rows[i * rank..(i + 1) * rank]);
        let ([q, f, x, g], work) = ([(); 4].map(|()| vec![0.0; blocks.padded()]), blocks.workspace());
        let names = (0..components.len() as u32).collect();
        let parts = Parts { energy: energy.pick(components), names, cubature: cubature.clone(), blocks };
        Self { parts: Arc::new(parts), q, f, x, g, work, round_off: Vec::new() }
    }

    /// From now on it knows its own rounding, which a solver has to know to see where it can stop.
    pub fn with_rounding(mut self) -> Self {
        self.round_off = self.parts.round_off();
        self
    }

    /// Which components, and how much each counts.
    pub fn cubature(&self) -> &Cubature {
        &self.parts.cubature
    }
}

impl Parts {
    /// `work(first, names, locals)` on [`GROUP`] components after the other.
    fn by_groups(
        &self,
        q: &[f64],
        mut work: impl FnMut(usize, &[u32], &[LocalVector]) -> Result<(), Inadmissible>,
    ) -> Result<(), Inadmissible> {
        for (group, names) in self.names.chunks(GROUP).enumerate() {
            let mut locals = [[0.0; 12]; GROUP];
            self.locals(group * GROUP, q, &mut locals[..names.len()]);
            work(group * GROUP, names, &locals[..names.len()]).map_err(|e| self.named(e))?;
        }
        Ok(())
    }

    /// What at most [`GROUP`] components from `first` on see of q, their first corners at rest.
    fn locals(&self, first: usize, q: &[f64], locals: &mut [LocalVector]) {
        let mut moved = [[0.0; 9]; GROUP];
        let moved = &mut moved[..locals.len()];
        self.blocks.apply(first, q, moved);
        locals.iter_mut().zip(moved).for_each(|(local, d)| local[3..].copy_from_slice(d));
    }

    /// f ← f + Σ_c w_c B_cᵀ g_c for at most [`GROUP`] components from `first` on.
    fn add(&self, first: usize, gradients: &[LocalVector], f: &mut [f64]) {
        let mut weighted = [[0.0; 9]; GROUP];
        for ((weighted, g), w) in weighted.iter_mut().zip(gradients).zip(&self.cubature.weights[first..]) {
            (0..9).for_each(|k| weighted[k] = w * g[3 + k]);
        }
        self.blocks.add_transposed(first, &weighted[..gradients.len()], f);
    }

    /// For each coordinate m, ε √Σ_c w_c² Σ_ik (B_c)_ik² e_im² with e_im = Σ_j |∂²W_c|_ij |B_jm| of each component at rest: what
    /// rounding of its displacements makes of its forces, which are independent of each other.
    fn round_off(&self) -> Vec<f64> {
        let columns = self.blocks.columns();
        let mut sums = vec![0.0; columns];
        for (c, w) in self.cubature.weights.iter().enumerate() {
            let mut H = [[[0.0; 12]; 12]];
            self.energy
                .hessians(&self.names[c..=c], &[[0.0; 12]], Tangent::Exact, &mut H)
                .expect("every energy is defined at rest");
            // The first corner has no rows.
            let height = self.blocks.height(c);
            for i in 0..height {
                let row: f64 = (0..columns).map(|m| self.blocks.get(c, i, m).powi(2)).sum();
                for (m, sum) in sums.iter_mut().enumerate() {
                    let e: f64 =
                        (0..height).map(|j| H[0][3 + i][3 + j].abs() * self.blocks.get(c, j, m).abs()).sum();
                    *sum += (w * e).powi(2) * row;
                }
            }
        }
        sums.iter().map(|sum| f64::EPSILON * sum.sqrt()).collect()
    }

    /// The error of a picked component under the name that it has in the whole energy.
    fn named(&self, error: Inadmissible) -> Inadmissible {
        Inadmissible { component: self.cubature.components[error.component] as usize }
    }
}

impl ReducedForce for CubatureForce {
    fn rank(&self) -> usize {
        self.parts.blocks.columns()
    }

    fn duplicate(&self) -> Box<dyn ReducedForce> {
        Box::new(self.clone())
    }

    fn energy(&mut self, q: &[f64]) -> Result<f64, Inadmissible> {
        self.q[..q.len()].copy_from_slice(q);
        let parts = &*self.parts;
        let mut sum = 0.0;
        parts.by_groups(&self.q, |first, names, locals| {
            let mut energies = [0.0; GROUP];
            let energies = &mut energies[..names.len()];
            parts.energy.energies(names, locals, energies)?;
            energies.iter().zip(&parts.cubature.weights[first..]).for_each(|(W, w)| sum += w * W);
            Ok(())
        })?;
        Ok(sum)
    }

    fn force(&mut self, q: &[f64], out: &mut [f64]) -> Result<(), Inadmissible> {
        self.q[..q.len()].copy_from_slice(q);
        self.f.fill(0.0);
        let (parts, f) = (&*self.parts, &mut self.f);
        parts.by_groups(&self.q, |first, names, locals| {
            let mut gradients = [[0.0; 12]; GROUP];
            parts.energy.gradients(names, locals, &mut gradients[..names.len()])?;
            parts.add(first, &gradients[..names.len()], f);
            Ok(())
        })?;
        out.copy_from_slice(&self.f[..out.len()]);
        Ok(())
    }

    fn energy_and_force(&mut self, q: &[f64], force: &mut [f64]) -> Result<f64, Inadmissible> {
        self.q[..q.len()].copy_from_slice(q);
        self.f.fill(0.0);
        let (parts, f) = (&*self.parts, &mut self.f);
        let mut sum = 0.0;
        parts.by_groups(&self.q, |first, names, locals| {
            let (mut energies, mut gradients) = ([0.0; GROUP], [[0.0; 12]; GROUP]);
            let (energies, gradients) = (&mut energies[..names.len()], &mut gradients[..names.len()]);
            parts.energy.energies_and_gradients(names, locals, energies, gradients)?;
            energies.iter().zip(&parts.cubature.weights[first..]).for_each(|(W, w)| sum += w * W);
            parts.add(first, gradients, f);
            Ok(())
        })?;
        force.copy_from_slice(&self.f[..force.len()]);
        Ok(sum)
    }

    fn projective_force(&mut self, q: &[f64], out: &mut [f64]) -> bool {
        let parts = self.parts.clone();
        let Some(projective) = parts.energy.projective() else { return false };
        self.q[..q.len()].copy_from_slice(q);
        self.f.fill(0.0);
        let f = &mut self.f;
        let walked = parts.by_groups(&self.q, |first, names, locals| {
            let mut gradients = [[0.0; 12]; GROUP];
            projective.gradients(names, locals, &mut gradients[..names.len()]);
            parts.add(first, &gradients[..names.len()], f);
            Ok(())
        });
        walked.expect("the projective energy is defined everywhere");
        out.copy_from_slice(&self.f[..out.len()]);
        true
    }

    /// Σ_c w_c B_cᵀ L_c B_c, of the chosen components alone.
    fn projective_stiffness(&mut self) -> Option<DenseSymmetric> {
        let parts = self.parts.clone();
        let projective = parts.energy.projective()?;
        let mut out = DenseSymmetric::zeros(self.rank());
        let fill = |first: usize, out: &mut [[[f64; 9]; 9]]| {
            for ((c, out), w) in (first..).zip(out).zip(&parts.cubature.weights[first..]) {
                // The first corner has no rows; x, y and z do not mix.
                let L = projective.laplacian(c);
                let entry =
                    |i: usize, j: usize| if i % 3 == j % 3 { w * L[1 + i / 3][1 + j / 3] } else { 0.0 };
                *out = std::array::from_fn(|i| std::array::from_fn(|j| entry(i, j)));
            }
            Ok::<(), Inadmissible>(())
        };
        parts.blocks.stiffness(&mut self.work, fill, &mut out).expect("nothing here is inadmissible");
        Some(out)
    }

    /// Component by component, ∂²W_c (B_c x): no matrix of r rows.
    fn force_along(
        &mut self,
        q: &[f64],
        x: &[f64],
        force: &mut [f64],
        along: &mut [f64],
        _: &mut DenseSymmetric,
    ) -> Result<(), Inadmissible> {
        self.q[..q.len()].copy_from_slice(q);
        self.x[..x.len()].copy_from_slice(x);
        self.f.fill(0.0);
        self.g.fill(0.0);
        let (parts, x, f, g) = (&*self.parts, &self.x, &mut self.f, &mut self.g);
        parts.by_groups(&self.q, |first, names, locals| {
            let count = names.len();
            let [mut moved, mut gradients, mut along] = [[[0.0; 12]; GROUP]; 3];
            let (gradients, along) = (&mut gradients[..count], &mut along[..count]);
            parts.locals(first, x, &mut moved[..count]);
            parts.energy.gradients_along(names, locals, &moved[..count], gradients, along)?;
            parts.add(first, gradients, f);
            parts.add(first, along, g);
            Ok(())
        })?;
        force.copy_from_slice(&self.f[..force.len()]);
        along.copy_from_slice(&self.g[..along.len()]);
        Ok(())
    }

    fn stiffness(
        &mut self,
        q: &[f64],
        tangent: Tangent,
        out: &mut DenseSymmetric,
    ) -> Result<(), Inadmissible> {
        self.q[..q.len()].copy_from_slice(q);
        let (parts, q) = (&*self.parts, &self.q);
        let fill = |first: usize, out: &mut [[[f64; 9]; 9]]| {
            for (group, out) in out.chunks_mut(GROUP).enumerate() {
                let first = first + group * GROUP;
                let names = &parts.names[first..first + out.len()];
                let (mut locals, mut hessians) = ([[0.0; 12]; GROUP], [[[0.0; 12]; 12]; GROUP]);
                let (locals, hessians) = (&mut locals[..out.len()], &mut hessians[..out.len()]);
                parts.locals(first, q, locals);
                parts.energy.hessians(names, locals, tangent, hessians)?;
                for ((out, H), w) in out.iter_mut().zip(hessians).zip(&parts.cubature.weights[first..]) {
                    *out = std::array::from_fn(|i| std::array::from_fn(|j| w * H[3 + i][3 + j]));
                }
            }
            Ok(())
        };
        parts.blocks.stiffness(&mut self.work, fill, out).map_err(|e| parts.named(e))
    }

    fn round_off(&mut self, q: &[f64]) -> f64 {
        self.round_off.iter().zip(q).map(|(unit, q)| unit * q.abs()).sum()
    }
}

/// Appends B_c: the rows of U of every corner but the first, minus those of the first. Gives their number.
pub(crate) fn differences(corners: &[u32], basis: &Basis, rows: &mut Vec<f64>) -> usize {
    let origin = basis.vertex(corners[0] as usize);
    for &corner in &corners[1..] {
        rows.extend(basis.vertex(corner as usize).iter().zip(origin).map(|(u, o)| u - o));
    }
    3 * (corners.len() - 1)
}
