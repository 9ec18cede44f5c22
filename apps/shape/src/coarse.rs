//! The signature by a thinned surface: a few thousand vertices stand for many.
//!
//! Edges collapse until N vertices are left; each carries the mass of those that went into it, and the energy is weighed so
//! that a uniform stretch costs what it costs the fine surface ([`pliant_reduce::force::ghost`]). S of a fine vertex is
//! interpolated in the coarse triangle that is nearest to it, among those around the vertex it went to, so that colours have no
//! steps. Source: T14 section 6.3, Figure 6.1 in docs/papers.md.

use pliant_energy::{Body, Recipe, Tangent};
use pliant_linalg::{Dofs, LocalMatrix, Note, Symmetric, Vec3, Watch, eigen, grouped};
use pliant_mesh::{Elements, MeshData, measure};
use pliant_reduce::force::ghost::{Source, StandIn, stand_in};
use pliant_sim::SimError;
use rayon::prelude::*;

use crate::spectrum::{Kind, Spectrum, diagonal};
use crate::terms::{COARSE, refused};
use crate::{Signature, Skin};

/// Fewer vertices than this show no shape that could bend.
const FEWEST: usize = 4;

/// A thinned surface, and how the fine one hangs on it.
pub struct Coarse {
    /// Its shape.
    pub mesh: MeshData,
    /// What should be known of it.
    pub warnings: Vec<Note>,
    body: Body,
    weights: Vec<f64>,
    /// For every fine vertex corners of a coarse triangle and their shares; nothing where it belongs to nothing.
    carried: Vec<Option<([u32; 3], [f64; 3])>>,
}

impl Coarse {
    /// `body`, which is of `mesh` and made by `recipe`, thinned to `vertices`.
    ///
    /// # Errors
    /// A solid, more vertices than there are or too few, or the watch asked to stop.
    pub fn new(
        mesh: &MeshData,
        recipe: &Recipe,
        body: &Body,
        vertices: usize,
        watch: &mut Watch<'_>,
    ) -> Result<Self, SimError> {
        if !matches!(mesh.elements, Elements::Faces(_)) {
            let sentence = "only surfaces are thinned, but this body is a solid; leave coarse out";
            return Err(refused(sentence, &[COARSE]));
        }
        let there = body.rest().len() - body.unused().len();
        if !(FEWEST..=there).contains(&vertices) {
            let sentence = format!(
                "coarse by {} vertices: expected {FEWEST} to {}, those of the body",
                grouped(vertices),
                grouped(there)
            );
            return Err(refused(sentence, &[COARSE]));
        }
        let StandIn { mesh: thin, coarse_of, weights, warnings } =
            stand_in(Source { mesh, recipe, body }, vertices, watch)?;
        let energy = recipe.energy(thin.clone())?;
        let n = thin.vertices.len();
        let mut masses = vec![0.0; n];
        let mut held = vec![false; 3 * n];
        for (v, coarse) in coarse_of.iter().enumerate() {
            let Some(s) = coarse.map(|s| s as usize) else { continue };
            masses[s] += body.vertex_masses()[v];
            (0..3).for_each(|c| held[3 * s + c] |= body.dofs().is_held(3 * v + c));
        }
        let dofs = Dofs::new(held);
        if dofs.free().is_empty() {
            let sentence = "on the thinned surface nothing is free to move; fix less of it, or thin it less";
            return Err(refused(sentence, &[COARSE]));
        }
        let Elements::Faces(faces) = &thin.elements else { unreachable!("a thinned surface is one") };
        let triangles = measure::triangulate(&thin.vertices, faces);
        let skin = Skin::new(thin.vertices.clone(), triangles.clone());
        let at = around(&triangles, n);
        let carried = mesh
            .vertices
            .par_iter()
            .zip(&coarse_of)
            .map(|(x, coarse)| coarse.map(|s| place(&skin, &at, x, s)))
            .collect();
        let body = Body::new(thin.vertices.clone(), energy, |_| diagonal(&masses), dofs, triangles);
        let warnings = warnings.into_iter().map(Into::into).collect();
        Ok(Self { mesh: thin, warnings, body, weights, carried })
    }

    /// Its modes, as [`Spectrum::vibration`].
    ///
    /// # Errors
    /// As there.
    pub fn vibration(&self, count: usize, rigid: bool, watch: &mut Watch<'_>) -> Result<Spectrum, SimError> {
        let known = self.body.rigid_motions();
        let K = self.stiffness();
        let problem =
            eigen::Problem { stiffness: &K, mass: self.body.mass(), dofs: self.body.dofs(), known: &known };
        Spectrum::solve(Kind::Vibration, &problem, count, rigid, watch)
    }

    /// How many modes it has, rigid ones left out.
    pub(crate) fn available(&self) -> usize {
        self.body.dofs().free().len() - self.body.rigid_count()
    }

    /// ∂²W(0) of the weighed energy.
    fn stiffness(&self) -> Symmetric<3> {
        let (energy, assembly) = (self.body.components(), self.body.assembly());
        let mut K = self.body.zero_matrix();
        let compute = |first: usize, out: &mut [LocalMatrix]| -> Result<(), pliant_energy::Inadmissible> {
            for (k, out) in out.iter_mut().enumerate() {
                let c = first + k;
                energy.hessians(&[c as u32], &[[0.0; 12]], Tangent::Exact, std::slice::from_mut(out))?;
                out.as_flattened_mut().iter_mut().for_each(|x| *x *= self.weights[c]);
            }
            Ok(())
        };
        assembly.matrix(energy.count(), compute, &mut K).expect("every energy is defined at rest");
        K
    }

    /// S of the thinned surface carried to the fine one.
    pub fn carry(&self, coarse: &Signature) -> Signature {
        let n = self.carried.len();
        let mut values = vec![0.0; n * coarse.times.len()];
        values.par_chunks_mut(n.max(1)).enumerate().for_each(|(i, values)| {
            let own = coarse.at_time(i);
            for (s, carried) in values.iter_mut().zip(&self.carried) {
                if let Some((corners, shares)) = carried {
                    *s = (0..3).map(|k| shares[k] * own[corners[k] as usize]).sum();
                }
            }
        });
        let massless = (0..).zip(&self.carried).filter(|(_, c)| c.is_none()).map(|(v, _)| v).collect();
        Signature { values, vertices: n, massless, ..coarse.clone() }
    }
}

/// For every vertex its triangles.
fn around(triangles: &[[u32; 3]], vertices: usize) -> pliant_mesh::topology::Rows {
    pliant_mesh::topology::vertex_elements(vertices, triangles.iter().map(|t| &t[..]))
}

/// The point of the triangles near coarse vertex `s` that is nearest to `x`.
fn place(skin: &Skin, at: &pliant_mesh::topology::Rows, x: &Vec3, s: u32) -> ([u32; 3], [f64; 3]) {
    let mut best = (f64::INFINITY, [s; 3], [1.0, 0.0, 0.0]);
    for v in skin.around(s, 1) {
        for &t in at.row(v as usize) {
            let corners = skin.triangles[t as usize];
            let shares = nearest(x, &corners.map(|v| skin.rest[v as usize]));
            let point: Vec3 = (0..3).map(|k| skin.rest[corners[k] as usize] * shares[k]).sum();
            let far = (x - point).norm_squared();
            if far < best.0 {
                best = (far, corners, shares);
            }
        }
    }
    (best.1, best.2)
}

/// Shares of the corners in the point of a triangle that is nearest to `x`.
fn nearest(x: &Vec3, p: &[Vec3; 3]) -> [f64; 3] {
    let (a, b) = (p[1] - p[0], p[2] - p[0]);
    let normal = a.cross(&b);
    let area = normal.norm_squared();
    let d = x - p[0];
    if area > 0.0 {
        let second = d.cross(&b).dot(&normal) / area;
        let third = a.cross(&d).dot(&normal) / area;
        if second >= 0.0 && third >= 0.0 && second + third <= 1.0 {
            return [1.0 - second - third, second, third];
        }
    }
    let mut best = (f64::INFINITY, [1.0, 0.0, 0.0]);
    for i in 0..3 {
        let j = (i + 1) % 3;
        let along = p[j] - p[i];
        let length = along.norm_squared();
        let t = if length > 0.0 { ((x - p[i]).dot(&along) / length).clamp(0.0, 1.0) } else { 0.0 };
        let far = (x - p[i] - along * t).norm_squared();
        if far < best.0 {
            let mut shares = [0.0; 3];
            shares[i] = 1.0 - t;
            shares[j] = t;
            best = (far, shares);
        }
    }
    best.1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_point_of_a_triangle() {
        let p = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]].map(Vec3::from);
        for (x, shares) in [
            ([0.25, 0.25, 3.0], [0.5, 0.25, 0.25]),
            ([-1.0, -1.0, 0.0], [1.0, 0.0, 0.0]),
            ([0.5, -2.0, 1.0], [0.5, 0.5, 0.0]),
            ([1.0, 1.0, 0.0], [0.0, 0.5, 0.5]),
        ] {
            let found = nearest(&Vec3::from(x), &p);
            assert!((0..3).all(|k| (found[k] - shares[k]).abs() < 1e-15), "{x:?}: {found:?}");
        }
    }
}
