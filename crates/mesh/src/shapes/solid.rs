//! Signed distances as solids for the tetrahedraliser.

use pliant_linalg::{Vec3, Watch};

use super::polygonise::polygonise;
use super::sdf::Sdf;
use crate::bvh::Aabb;
use crate::data::VertexSet;
use crate::tetrahedralise::{Grading, Solid, fill};
use crate::{Faces, MeshData, Result, SurfaceMesh, TetMesh, embed};

impl Solid for Sdf {
    fn bounds(&self) -> Aabb {
        Sdf::bounds(self)
    }

    fn inside(&self, p: &Vec3) -> bool {
        self.distance(*p) < 0.0
    }

    /// The root of d along the segment: the secant, kept between the ends by halving the value of an end that stays
    /// (the Illinois method, Dowell and Jarratt 1971).
    fn crossing(&self, inner: &Vec3, outer: &Vec3) -> f64 {
        let at = |t: f64| self.distance(Vec3::lerp(inner, outer, t));
        let (mut a, mut b) = ((0.0, at(0.0)), (1.0, at(1.0)));
        let size = (outer - inner).norm();
        for _ in 0..60 {
            let t = a.0 + (b.0 - a.0) * (a.1 / (a.1 - b.1)).clamp(0.0, 1.0);
            let d = at(t);
            if d.abs() <= 1e-14 * size || b.0 - a.0 <= 1e-15 {
                return t;
            }
            if d < 0.0 {
                a = (t, d);
                b.1 *= 0.5;
            } else {
                b = (t, d);
                a.1 *= 0.5;
            }
        }
        (a.0 + b.0) / 2.0
    }

    fn side(&self, cube: &Aabb) -> Option<bool> {
        let d = self.distance(cube.centre());
        // |d| never exceeds the distance to the surface.
        (d.abs() > (cube.high - cube.low).norm() / 2.0).then_some(d < 0.0)
    }
}

/// A solid of the given lattice edge (metres) that carries a fine surface of about `vertices` vertices, with the set
/// `fixed` on the ground y = 0.
pub(super) fn body(shape: &Sdf, edge: f64, vertices: usize, watch: &mut Watch<'_>) -> Result<MeshData> {
    let mut data = fill_shape(shape, edge, Grading::Coarser, watch)?.into_data();
    data.attributes.sets.push(fixed_below(&data.vertices, 0.02 * edge));
    let skin = polygonise(shape, vertices, watch)?;
    let surface = SurfaceMesh::new(skin.vertices, Faces::from_triangles(&skin.triangles))?;
    Ok(embed::attach(TetMesh::from_data(data)?, &surface)?.0.into_data())
}

/// The shape filled with tets of the given lattice edge (in the units of the shape).
pub(super) fn fill_shape(shape: &Sdf, edge: f64, grading: Grading, watch: &mut Watch<'_>) -> Result<TetMesh> {
    fill(shape, edge, grading, watch)
}

/// The vertices with y < `height`, under the name `fixed`.
pub(super) fn fixed_below(vertices: &[Vec3], height: f64) -> VertexSet {
    set("fixed", vertices, |p| p.y < height)
}

/// The vertices that `wanted` picks, under a name.
pub(super) fn set(name: &str, vertices: &[Vec3], wanted: impl Fn(&Vec3) -> bool) -> VertexSet {
    let vertices = (0..vertices.len() as u32).filter(|&v| wanted(&vertices[v as usize])).collect();
    VertexSet { name: name.into(), vertices }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pliant_linalg::ignore_progress;

    #[test]
    fn crossings_lie_on_the_surface() {
        let shape = Sdf::blend(0.2, [Sdf::sphere(Vec3::zeros(), 0.5), Sdf::torus(Vec3::zeros(), 0.9, 0.3)]);
        for i in 0..200 {
            let a = f64::from(i) * 0.7;
            let outer = Vec3::new(a.cos() * 1.5, (a * 1.7).sin(), a.sin() * 1.5);
            let t = shape.crossing(&Vec3::new(0.1, 0.0, 0.05), &outer);
            let d = shape.distance(Vec3::lerp(&Vec3::new(0.1, 0.0, 0.05), &outer, t));
            assert!(d.abs() < 1e-12, "{d:e}");
        }
    }

    #[test]
    fn the_volume_of_a_filled_torus_converges() {
        let shape = Sdf::torus(Vec3::zeros(), 1.0, 0.4);
        let exact = 2.0 * std::f64::consts::PI.powi(2) * 0.16;
        let order = pliant_testkit::order::observed(&[0.2, 0.1, 0.05], |edge| {
            (fill_shape(&shape, edge, Grading::Coarser, &mut ignore_progress).unwrap().volume() - exact).abs()
        });
        assert!((order - 2.0).abs() < 0.3, "order {order:.2}");
    }
}
