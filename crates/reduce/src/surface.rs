//! U at the shown surface: what a page, a graphics card or a picture needs to follow a model.
//!
//! ```text
//! U_p = Σ_v w_pv U_v,   x_p = X_p + U_p q          p: a shown vertex, v: the vertices of the body that carry it
//! ```
//! Three rows of r numbers for each shown vertex, made once; [`SurfaceBasis::expand`] takes no memory.

use std::sync::Arc;

use pliant_linalg::{Vec3, rows};
use pliant_mesh::ShownSurface;

use crate::Basis;

/// The rows of U that belong to the shown surface of a model.
#[derive(Clone, Debug)]
pub struct SurfaceBasis {
    shown: Arc<ShownSurface>,
    rank: usize,
    /// Three rows for each shown vertex.
    rows: Vec<f64>,
    /// By shown vertex: whether what carries most of it cannot move.
    held: Vec<bool>,
}

impl SurfaceBasis {
    /// Of the vertices of a body with the basis `basis`.
    pub fn new(shown: Arc<ShownSurface>, basis: &Basis) -> Self {
        let (rank, count) = (basis.rank(), shown.rest.len());
        let width = 3 * rank;
        let mut rows = vec![0.0; width * count];
        for (p, sum) in rows.chunks_exact_mut(width).enumerate() {
            for (v, w) in shown.carriers.row(p) {
                sum.iter_mut().zip(basis.vertex(v as usize)).for_each(|(sum, u)| *sum += w * u);
            }
        }
        let moved = |v: u32| basis.vertex(v as usize).iter().any(|u| *u != 0.0);
        let held = (0..count as u32).map(|p| !shown.heaviest_carrier(p).is_some_and(moved)).collect();
        Self { shown, rank, rows, held }
    }

    /// The surface at rest.
    pub fn shown(&self) -> &Arc<ShownSurface> {
        &self.shown
    }

    /// r.
    pub fn rank(&self) -> usize {
        self.rank
    }

    /// How many vertices are shown.
    pub fn len(&self) -> usize {
        self.held.len()
    }

    /// Whether nothing is shown.
    pub fn is_empty(&self) -> bool {
        self.held.is_empty()
    }

    /// All numbers, row by row: three rows of r numbers for each shown vertex.
    pub fn rows(&self) -> &[f64] {
        &self.rows
    }

    /// The three rows of shown vertex p, one after the other.
    pub fn vertex(&self, p: usize) -> &[f64] {
        &self.rows[3 * p * self.rank..3 * (p + 1) * self.rank]
    }

    /// Whether what carries most of shown vertex p cannot move.
    pub fn is_held(&self, p: usize) -> bool {
        self.held[p]
    }

    /// Where shown vertex p is in the state q, m. Fewer coordinates than r mean that the others are zero.
    pub fn place(&self, q: &[f64], p: usize) -> Vec3 {
        let mut u = [0.0; 3];
        self.along(q, self.vertex(p), &mut u);
        self.shown.rest[p] + Vec3::from(u)
    }

    /// Where every shown vertex is in the state q: x y z of each in turn, m. Fewer coordinates than r mean that the others
    /// are zero. Takes no memory.
    pub fn expand(&self, q: &[f64], positions: &mut [f64]) {
        assert_eq!(positions.len(), 3 * self.len(), "three entries for each shown vertex");
        self.along(q, &self.rows, positions);
        let rest = self.shown.rest.iter();
        positions.chunks_exact_mut(3).zip(rest).for_each(|(x, rest)| (0..3).for_each(|d| x[d] += rest[d]));
    }

    /// As [`SurfaceBasis::expand`], rounded to 32 bits at the end.
    pub fn expand_f32(&self, q: &[f64], positions: &mut [f32]) {
        assert_eq!(positions.len(), 3 * self.len(), "three entries for each shown vertex");
        for (p, x) in positions.chunks_exact_mut(3).enumerate() {
            let place = self.place(q, p);
            (0..3).for_each(|d| x[d] = place[d] as f32);
        }
    }

    /// The product of some rows with q.
    pub(crate) fn along(&self, q: &[f64], rows: &[f64], u: &mut [f64]) {
        assert!(q.len() <= self.rank, "{} coordinates, the basis has {}", q.len(), self.rank);
        if q.len() == self.rank {
            return rows::expand(rows, q, u);
        }
        for (u, row) in u.iter_mut().zip(rows.chunks_exact(self.rank)) {
            *u = row.iter().zip(q).map(|(u, q)| u * q).sum();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Model, Precompute};
    use pliant_energy::Recipe;
    use pliant_linalg::ignore_progress;
    use pliant_mesh::{embed, select, shapes};

    /// A ball with a finer one tied to it, and the same without.
    fn models() -> [Model; 2] {
        let coarse = shapes::ball(0.4, 2);
        let (tied, _) = embed::attach(coarse.clone(), &shapes::ball(0.4, 4).boundary()).expect("tied");
        [tied.into_data(), coarse.into_data()].map(|mesh| {
            let fixed = vec![select::select(&mesh, "y<20%").expect("a slab")];
            let forces = Some("linear".into());
            let precompute = Precompute { modes: Some(4), forces, ..Precompute::default() };
            let recipe = Recipe { fixed, ..Recipe::default() };
            precompute.build(mesh, recipe, &mut ignore_progress).expect("a model").model
        })
    }

    #[test]
    fn shown_modes_move_the_farthest_vertex_by_a_metre() {
        for model in models() {
            let (modes, r) = (model.shown_modes().expect("modes"), model.rank());
            assert_eq!((modes.frequencies_hz.len(), modes.coordinates.len()), (4, 4 * r));
            assert!(modes.frequencies_hz.is_sorted() && modes.frequencies_hz[0] > 0.0);
            for (q, own) in
                modes.coordinates.chunks_exact(r).zip(model.natural_modes().expect("modes").each_shape())
            {
                let far = |p: usize| (model.surface_basis().place(q, p) - model.surface().rest[p]).norm();
                let largest = (0..model.surface_basis().len()).map(far).fold(0.0, f64::max);
                assert!((largest - 1.0).abs() < 1e-12, "{largest}");
                let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
                let cosine = dot(q, own) / (dot(q, q) * dot(own, own)).sqrt();
                assert!((cosine - 1.0).abs() < 1e-12, "the same shape: {cosine}");
            }
        }
    }

    #[test]
    fn the_shown_surface_follows_its_carriers() {
        for model in models() {
            let (basis, r) = (model.surface_basis(), model.rank());
            let q: Vec<f64> = (0..r).map(|k| 0.1 * (1.0 + k as f64).sin()).collect();
            for count in [r, r - 1, 1] {
                let mut short = q.clone();
                short[count..].fill(0.0);
                let mut u = vec![0.0; model.basis().size()];
                model.basis().expand(&short, &mut u);
                let meant = model.surface().displacement(&u);
                let (mut x, mut x32) = (vec![0.0; 3 * basis.len()], vec![0_f32; 3 * basis.len()]);
                basis.expand(&q[..count], &mut x);
                basis.expand_f32(&q[..count], &mut x32);
                for (p, u) in meant.iter().enumerate() {
                    let meant = model.surface().rest[p] + u;
                    let near = 1e-12 * (1.0 + meant.norm());
                    assert!((basis.place(&q[..count], p) - meant).norm() < near);
                    for d in 0..3 {
                        assert!((x[3 * p + d] - meant[d]).abs() < near, "vertex {p}");
                        assert!((x32[3 * p + d] - meant[d] as f32).abs() < 1e-6);
                    }
                }
            }
            let held = (0..basis.len()).filter(|p| basis.is_held(*p)).count();
            assert!(held > 0 && held < basis.len());
            assert!(Arc::ptr_eq(model.surface(), model.surface()), "made once");
        }
    }
}
