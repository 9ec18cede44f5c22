//! A ghost at run time: its vertices are moved once, and its components gather.
//!
//! ```text
//! u = U^s q,   W̃ = Σ_c w_c W_c(u_c),   f̃ = U^sᵀ Σ_c w_c ∂W_c(u_c),   K̃ = U^sᵀ (Σ_c w_c ∂²W_c(u_c)) U^s
//! ```
//! All components of a ghost take part, so that each of its vertices is needed by a dozen of them: to multiply 9 rows of U a component,
//! as a cubature of a few scattered ones does, would read every row six to twelve times. Here a force is 2 · 3 n_s r multiplications beside
//! the components themselves, and the stiffness is assembled as a sparse matrix before it meets U^s.

use std::sync::Arc;

use pliant_energy::{Energy, Inadmissible, Tangent};
use pliant_linalg::rows::{apply_sparse, expand, gram, project};
use pliant_linalg::{DenseSymmetric, LocalMatrix, LocalVector, Pattern, Symmetric};

use crate::force::ReducedForce;

/// Components that are asked together.
const GROUP: usize = 8;

/// Blocks (a, b), a ≥ b, of a local matrix.
const PAIRS: [(usize, usize); 10] =
    [(0, 0), (1, 0), (1, 1), (2, 0), (2, 1), (2, 2), (3, 0), (3, 1), (3, 2), (3, 3)];

/// The force of a [`Ghost`](super::Ghost). Clones share the numbers.
#[derive(Clone)]
pub struct GhostForce {
    parts: Arc<Parts>,
    /// U^s q; U^s x.
    u: Vec<f64>,
    x: Vec<f64>,
    /// Σ_c w_c ∂W_c, and that of a second kind.
    g: Vec<f64>,
    h: Vec<f64>,
    /// For the stiffness: H and H U^s.
    H: Symmetric<3>,
    product: Vec<f64>,
    /// What rounding leaves of f̃ for each unit of each coordinate, N.
    round_off: Arc<Vec<f64>>,
}

/// What clones share.
struct Parts {
    energy: Box<dyn Energy>,
    /// 0, 1, 2, …
    names: Vec<u32>,
    weights: Vec<f64>,
    rank: usize,
    /// U^s.
    rows: Vec<f64>,
    /// Where the blocks of a component go, in the order of [`PAIRS`].
    places: Vec<[Place; 10]>,
}

/// A block of the sparse matrix, and whether what comes is to be transposed.
#[derive(Clone, Copy, Default)]
struct Place {
    slot: u32,
    transposed: bool,
}

impl GhostForce {
    /// All components of `energy`, each with its weight, over vertices with three rows of `rank` numbers each.
    pub(super) fn new(energy: Box<dyn Energy>, weights: &[f64], rows: &[f64], rank: usize) -> Self {
        let count = energy.count();
        assert_eq!(weights.len(), count, "a weight for every component");
        let n = rows.len().checked_div(3 * rank).unwrap_or(0);
        let pattern = Pattern::from_cliques(n, (0..count).map(|c| energy.corners(c)));
        let places = (0..count).map(|c| places(energy.corners(c), &pattern)).collect();
        let names = (0..count as u32).collect();
        let [u, x, g, h] = [(); 4].map(|()| vec![0.0; 3 * n]);
        let (weights, rows) = (weights.to_vec(), rows.to_vec());
        let (H, product) = (Symmetric::zeros(pattern), vec![0.0; rows.len()]);
        let parts = Parts { energy, names, weights, rank, rows, places };
        let round_off = Arc::new(parts.rounding(H.clone()));
        Self { parts: Arc::new(parts), u, x, g, h, H, product, round_off }
    }
}

impl Parts {
    /// ε √(Σ_i ρ_i e_im²) with e = |∂²W(0)| |U| and ρ_i = |U_i|²: what rounding of displacements makes of forces.
    fn rounding(&self, mut H: Symmetric<3>) -> Vec<f64> {
        let r = self.rank;
        let rest = vec![0.0; H.size()];
        self.assemble(&rest, Tangent::Exact, &mut H).expect("every energy is defined at rest");
        H.values_mut().iter_mut().flatten().flatten().for_each(|x| *x = x.abs());
        let sizes: Vec<f64> = self.rows.iter().map(|x| x.abs()).collect();
        let mut e = vec![0.0; sizes.len()];
        apply_sparse(&H, &sizes, r, &mut e);
        let mut sums = vec![0.0; r];
        for (row, e) in sizes.chunks_exact(r.max(1)).zip(e.chunks_exact(r.max(1))) {
            let square: f64 = row.iter().map(|x| x * x).sum();
            sums.iter_mut().zip(e).for_each(|(sum, e)| *sum += square * e * e);
        }
        sums.iter().map(|sum| f64::EPSILON * sum.sqrt()).collect()
    }

    /// `work(first, names, locals)` on [`GROUP`] components after the other.
    fn by_groups(
        &self,
        u: &[f64],
        mut work: impl FnMut(usize, &[u32], &[LocalVector]) -> Result<(), Inadmissible>,
    ) -> Result<(), Inadmissible> {
        for (group, names) in self.names.chunks(GROUP).enumerate() {
            let mut locals = [[0.0; 12]; GROUP];
            self.gather(names, u, &mut locals);
            work(group * GROUP, names, &locals[..names.len()])?;
        }
        Ok(())
    }

    /// How the corners of these components move against the first one of each, which stays where it is.
    fn gather(&self, names: &[u32], u: &[f64], locals: &mut [LocalVector]) {
        let u = u.as_chunks::<3>().0;
        for (local, &c) in locals.iter_mut().zip(names) {
            let corners = self.energy.corners(c as usize);
            let origin = u[corners[0] as usize];
            for (a, &v) in corners.iter().enumerate().skip(1) {
                (0..3).for_each(|c| local[3 * a + c] = u[v as usize][c] - origin[c]);
            }
        }
    }

    /// Adds what these components pull with.
    fn scatter(&self, names: &[u32], gradients: &[LocalVector], g: &mut [f64]) {
        let g = g.as_chunks_mut::<3>().0;
        for (gradient, &name) in gradients.iter().zip(names) {
            let w = self.weights[name as usize];
            for (a, &v) in self.energy.corners(name as usize).iter().enumerate() {
                (0..3).for_each(|c| g[v as usize][c] += w * gradient[3 * a + c]);
            }
        }
    }

    /// Adds w times the matrix of one component.
    fn put(&self, component: usize, local: &LocalMatrix, H: &mut Symmetric<3>) {
        let w = self.weights[component];
        let corners = self.energy.corners(component).len();
        let blocks = PAIRS.iter().zip(&self.places[component]).take_while(|((a, _), _)| *a < corners);
        for (&(a, b), place) in blocks {
            let out = &mut H.values_mut()[place.slot as usize];
            let entry = |r: usize, c: usize| w * local[3 * a + r][3 * b + c];
            for r in 0..3 {
                (0..3).for_each(|c| out[r][c] += if place.transposed { entry(c, r) } else { entry(r, c) });
            }
        }
    }

    /// Σ_c w_c ∂²W_c(u_c).
    fn assemble(&self, u: &[f64], tangent: Tangent, H: &mut Symmetric<3>) -> Result<(), Inadmissible> {
        H.clear();
        self.by_groups(u, |first, names, locals| {
            let mut hessians = [[[0.0; 12]; 12]; GROUP];
            let hessians = &mut hessians[..names.len()];
            self.energy.hessians(names, locals, tangent, hessians)?;
            hessians.iter().enumerate().for_each(|(k, local)| self.put(first + k, local, H));
            Ok(())
        })
    }
}

fn places(corners: &[u32], pattern: &Pattern) -> [Place; 10] {
    let mut places = [Place::default(); 10];
    for (place, (a, b)) in places.iter_mut().zip(PAIRS).filter(|(_, (a, _))| *a < corners.len()) {
        let (i, j) = (corners[a], corners[b]);
        let slot = pattern.slot(i.max(j) as usize, i.min(j) as usize);
        let slot = slot.expect("the pattern holds every pair of a component") as u32;
        *place = Place { slot, transposed: i < j };
    }
    places
}

impl ReducedForce for GhostForce {
    fn rank(&self) -> usize {
        self.parts.rank
    }

    fn duplicate(&self) -> Box<dyn ReducedForce> {
        Box::new(self.clone())
    }

    fn energy(&mut self, q: &[f64]) -> Result<f64, Inadmissible> {
        let parts = &*self.parts;
        expand(&parts.rows, q, &mut self.u);
        let mut sum = 0.0;
        parts.by_groups(&self.u, |first, names, locals| {
            let mut energies = [0.0; GROUP];
            let energies = &mut energies[..names.len()];
            parts.energy.energies(names, locals, energies)?;
            energies.iter().zip(&parts.weights[first..]).for_each(|(W, w)| sum += w * W);
            Ok(())
        })?;
        Ok(sum)
    }

    fn force(&mut self, q: &[f64], out: &mut [f64]) -> Result<(), Inadmissible> {
        let (parts, g) = (&*self.parts, &mut self.g);
        expand(&parts.rows, q, &mut self.u);
        g.fill(0.0);
        parts.by_groups(&self.u, |_, names, locals| {
            let mut gradients = [[0.0; 12]; GROUP];
            let gradients = &mut gradients[..names.len()];
            parts.energy.gradients(names, locals, gradients)?;
            parts.scatter(names, gradients, g);
            Ok(())
        })?;
        project(&parts.rows, g, out);
        Ok(())
    }

    fn energy_and_force(&mut self, q: &[f64], force: &mut [f64]) -> Result<f64, Inadmissible> {
        let (parts, g) = (&*self.parts, &mut self.g);
        expand(&parts.rows, q, &mut self.u);
        g.fill(0.0);
        let mut sum = 0.0;
        parts.by_groups(&self.u, |first, names, locals| {
            let (mut energies, mut gradients) = ([0.0; GROUP], [[0.0; 12]; GROUP]);
            let (energies, gradients) = (&mut energies[..names.len()], &mut gradients[..names.len()]);
            parts.energy.energies_and_gradients(names, locals, energies, gradients)?;
            energies.iter().zip(&parts.weights[first..]).for_each(|(W, w)| sum += w * W);
            parts.scatter(names, gradients, g);
            Ok(())
        })?;
        project(&parts.rows, g, force);
        Ok(sum)
    }

    fn projective_force(&mut self, q: &[f64], out: &mut [f64]) -> bool {
        let (parts, g) = (&*self.parts, &mut self.g);
        let Some(projective) = parts.energy.projective() else { return false };
        expand(&parts.rows, q, &mut self.u);
        g.fill(0.0);
        let walked = parts.by_groups(&self.u, |_, names, locals| {
            let mut gradients = [[0.0; 12]; GROUP];
            let gradients = &mut gradients[..names.len()];
            projective.gradients(names, locals, gradients);
            parts.scatter(names, gradients, g);
            Ok(())
        });
        walked.expect("the projective energy is defined everywhere");
        project(&parts.rows, g, out);
        true
    }

    fn projective_stiffness(&mut self) -> Option<DenseSymmetric> {
        let (parts, H, product) = (&*self.parts, &mut self.H, &mut self.product);
        let projective = parts.energy.projective()?;
        H.clear();
        for c in 0..parts.energy.count() {
            // x, y and z do not mix.
            let L = projective.laplacian(c);
            let entry = |i: usize, j: usize| if i % 3 == j % 3 { L[i / 3][j / 3] } else { 0.0 };
            parts.put(c, &std::array::from_fn(|i| std::array::from_fn(|j| entry(i, j))), H);
        }
        apply_sparse(H, &parts.rows, parts.rank, product);
        let mut out = DenseSymmetric::zeros(parts.rank);
        gram(&parts.rows, product, &mut out);
        Some(out)
    }

    /// Component by component: no matrix.
    fn force_along(
        &mut self,
        q: &[f64],
        x: &[f64],
        force: &mut [f64],
        along: &mut [f64],
        _: &mut DenseSymmetric,
    ) -> Result<(), Inadmissible> {
        let (parts, moved, g, h) = (&*self.parts, &mut self.x, &mut self.g, &mut self.h);
        expand(&parts.rows, q, &mut self.u);
        expand(&parts.rows, x, moved);
        g.fill(0.0);
        h.fill(0.0);
        parts.by_groups(&self.u, |_, names, locals| {
            let count = names.len();
            let [mut directions, mut gradients, mut products] = [[[0.0; 12]; GROUP]; 3];
            let (gradients, products) = (&mut gradients[..count], &mut products[..count]);
            parts.gather(names, moved, &mut directions[..count]);
            parts.energy.gradients_along(names, locals, &directions[..count], gradients, products)?;
            parts.scatter(names, gradients, g);
            parts.scatter(names, products, h);
            Ok(())
        })?;
        project(&parts.rows, g, force);
        project(&parts.rows, h, along);
        Ok(())
    }

    fn stiffness(
        &mut self,
        q: &[f64],
        tangent: Tangent,
        out: &mut DenseSymmetric,
    ) -> Result<(), Inadmissible> {
        let (parts, H, product) = (&*self.parts, &mut self.H, &mut self.product);
        expand(&parts.rows, q, &mut self.u);
        parts.assemble(&self.u, tangent, H)?;
        apply_sparse(H, &parts.rows, parts.rank, product);
        gram(&parts.rows, product, out);
        Ok(())
    }

    fn round_off(&mut self, q: &[f64]) -> f64 {
        self.round_off.iter().zip(q).map(|(unit, q)| unit * q.abs()).sum()
    }
}
