//! What one tet or triangle sees of a displacement, and what it should see after warping.
//!
//! ```text
//! tet:       G = Σ_a u_a ⊗ g_a                          g_a: gradient of the shape function of corner a          (1)
//! triangle:  T = Σ_a u_a ⊗ g_a,   g_a in its plane,   G = T + (½ tr T n̂ − Tᵀn̂) n̂ᵀ                                (2)
//! G = ε + ω,   r = exp(ω)(I + ε) − I − G                                                    (B12 eqs 19, 20)
//! ```
//! (2) is the derivative at rest of B12 eqs 26, 27: with n = e₁ × e₂ the fourth vertex n/√|n| moves by (δn − ½ n̂ n̂·δn)/√|n|, and
//! δn/|n| = tr T n̂ − Tᵀn̂. It is linear in u, so that a linearised rotation ω × X has G = ω whatever the angle.
//!
//! Source: HTZBD11 in docs/papers.md.

use pliant_energy::{Body, ComponentKind};
use pliant_linalg::{Mat3, Vec3};
use pliant_mesh::{Elements, MeshData, measure};

use crate::ReduceError;

/// A tet or a triangle at rest.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Element {
    corners: [u32; 4],
    count: usize,
    /// g_a, 1/m; zero past the last corner.
    slopes: [Vec3; 4],
    /// n̂ of a triangle; zero of a tet.
    normal: Vec3,
    /// Volume, m³, or area, m².
    pub(crate) size: f64,
}

impl Element {
    fn tet(corners: [u32; 4], x: &[Vec3]) -> Option<Self> {
        let p = corners.map(|v| x[v as usize]);
        let sides = Mat3::from_columns(&[p[1] - p[0], p[2] - p[0], p[3] - p[0]]);
        // Rows of the inverse are the gradients of the shape functions of corners 1, 2, 3.
        let inverse = sides.try_inverse()?;
        let g: [Vec3; 3] = std::array::from_fn(|a| inverse.row(a).transpose());
        let slopes = [-(g[0] + g[1] + g[2]), g[0], g[1], g[2]];
        let size = measure::tet_volume(&p).abs();
        Self { corners, count: 4, slopes, normal: Vec3::zeros(), size }.sound()
    }

    fn triangle(corners: [u32; 3], x: &[Vec3]) -> Option<Self> {
        let p = corners.map(|v| x[v as usize]);
        let n = (p[1] - p[0]).cross(&(p[2] - p[0]));
        let (length, normal) = (n.norm(), n.normalize());
        // g_a = n̂ × (the side opposite to a) / |n|.
        let slope = |a: usize| normal.cross(&(p[(a + 2) % 3] - p[(a + 1) % 3])) / length;
        let slopes = [slope(0), slope(1), slope(2), Vec3::zeros()];
        let [a, b, c] = corners;
        Self { corners: [a, b, c, c], count: 3, slopes, normal, size: 0.5 * length }.sound()
    }

    fn sound(self) -> Option<Self> {
        let finite = |v: &Vec3| v.iter().all(|x| x.is_finite());
        (self.size > 0.0 && self.slopes.iter().all(finite) && finite(&self.normal)).then_some(self)
    }

    /// Four of a tet, three of a triangle.
    pub(crate) fn corners(&self) -> &[u32] {
        &self.corners[..self.count]
    }

    /// g_a of each corner.
    pub(crate) fn slopes(&self) -> &[Vec3] {
        &self.slopes[..self.count]
    }

    /// G of displacements of the corners.
    #[inline]
    pub(crate) fn gradient(&self, u: impl Fn(usize) -> Vec3) -> Mat3 {
        let mut T = Mat3::zeros();
        for (a, g) in self.slopes().iter().enumerate() {
            T += u(a) * g.transpose();
        }
        if self.count == 3 {
            let n = self.normal;
            T += (0.5 * T.trace() * n - T.transpose() * n) * n.transpose();
        }
        T
    }

    /// Volume or area where the gradient is G; a tet that is turned inside out has a negative one.
    pub(crate) fn stretched(&self, G: &Mat3) -> f64 {
        let F = Mat3::identity() + G;
        if self.count == 4 {
            return self.size * F.determinant();
        }
        let (x, y, z) = (F.column(0), F.column(1), F.column(2));
        let cofactor = Mat3::from_columns(&[y.cross(&z), z.cross(&x), x.cross(&y)]);
        self.size * (cofactor * self.normal).norm()
    }

    /// What the gradient b puts on corner a: size · b g_a, the derivative of ½ size |T − b|² with a minus.
    #[inline]
    pub(crate) fn pull(&self, b: &Mat3, a: usize) -> Vec3 {
        self.size * (b * self.slopes[a])
    }
}

/// The elements of a body: the tets of a solid, the triangles of a surface.
///
/// # Errors
/// An element without volume or area.
pub(crate) fn elements(body: &Body) -> Result<Vec<Element>, ReduceError> {
    let (x, energy) = (body.rest(), body.components());
    let solid = energy.count() > 0 && energy.kind(0) == ComponentKind::Tet;
    let all = if solid { energy.count() } else { body.boundary().len() };
    let corners = |c: &[u32]| [c[0], c[1], c[2], c[3]];
    let tet = |c: usize| one("tet", c, Element::tet(corners(energy.corners(c)), x));
    let triangle = |c: usize| one("triangle", c, Element::triangle(body.boundary()[c], x));
    (0..all).map(|c| if solid { tet(c) } else { triangle(c) }).collect()
}

/// Some elements of the mesh that a body is made of.
///
/// # Errors
/// As [`elements`]; one that is not there.
pub(crate) fn picked(mesh: &MeshData, which: &[u32]) -> Result<Vec<Element>, ReduceError> {
    let x = &mesh.vertices;
    let missing = |what: &str, c: u32, all: usize| {
        ReduceError::Unfit(format!("the warp names {what} {c}, but there are {all}; train it again"))
    };
    match &mesh.elements {
        Elements::Tets(tets) => which
            .iter()
            .map(|&c| match tets.get(c as usize) {
                Some(tet) => one("tet", c as usize, Element::tet(*tet, x)),
                None => Err(missing("tet", c, tets.len())),
            })
            .collect(),
        Elements::Faces(faces) => {
            let triangles = measure::triangulate(x, faces);
            which
                .iter()
                .map(|&c| match triangles.get(c as usize) {
                    Some(triangle) => one("triangle", c as usize, Element::triangle(*triangle, x)),
                    None => Err(missing("triangle", c, triangles.len())),
                })
                .collect()
        }
    }
}

/// Whether all elements of a mesh have a gradient.
///
/// # Errors
/// As [`elements`].
pub(crate) fn check_all(mesh: &MeshData) -> Result<(), ReduceError> {
    let x = &mesh.vertices;
    match &mesh.elements {
        Elements::Tets(tets) => {
            tets.iter().enumerate().try_for_each(|(c, tet)| one("tet", c, Element::tet(*tet, x)).map(drop))
        }
        Elements::Faces(faces) => measure::triangulate(x, faces)
            .into_iter()
            .enumerate()
            .try_for_each(|(c, triangle)| one("triangle", c, Element::triangle(triangle, x)).map(drop)),
    }
}

fn one(what: &str, number: usize, element: Option<Element>) -> Result<Element, ReduceError> {
    element.ok_or_else(|| {
        let size = if what == "tet" { "volume" } else { "area" };
        ReduceError::request(format!(
            "{what} {number} has no {size}, so that it has no gradient; repair the mesh"
        ))
    })
}

/// ω of G: the axis times the angle, radians.
#[inline]
pub(crate) fn spin(G: &Mat3) -> Vec3 {
    0.5 * Vec3::new(G[(2, 1)] - G[(1, 2)], G[(0, 2)] - G[(2, 0)], G[(1, 0)] - G[(0, 1)])
}

/// The angle below which the series of the rotation is as good as the sines.
const SERIES: f64 = 1e-6;

/// exp(ω) − I − ω, and ω as a matrix: without the loss of digits that a difference would have.
#[inline]
fn beyond_spin(w: &Vec3) -> (Mat3, Mat3) {
    let W = w.cross_matrix();
    let square = w.norm_squared();
    let angle = square.sqrt();
    let (a, b) = if angle < SERIES {
        (-square / 6.0, 0.5 - square / 24.0)
    } else {
        let (sine, cosine) = (0.5 * angle).sin_cos();
        let half = sine / angle;
        (2.0 * half * cosine - 1.0, 2.0 * half * half)
    };
    // W² = w wᵀ − |w|² I.
    let squared = w * w.transpose() - Mat3::identity() * square;
    (W * a + squared * b, W)
}

/// exp(ω): the rotation about w by |w|, radians.
#[inline]
pub fn rotation(w: &Vec3) -> Mat3 {
    let (beyond, W) = beyond_spin(w);
    Mat3::identity() + W + beyond
}

/// r of G: what exp(ω)(I + ε) has beyond I + G.
#[inline]
pub(crate) fn beyond_linear(G: &Mat3) -> Mat3 {
    let (beyond, W) = beyond_spin(&spin(G));
    let strain = 0.5 * (G + G.transpose());
    beyond + (beyond + W) * strain
}

#[cfg(test)]
mod tests {
    use super::*;
    use pliant_linalg::small;

    #[test]
    fn rotations_are_those_of_the_exponential() {
        for (axis, angle) in [
            (Vec3::new(1.0, 2.0, -0.5), 0.7),
            (Vec3::new(0.1, -1.0, 0.3), 5.0 * std::f64::consts::PI),
            (Vec3::new(0.3, 0.2, 0.9), 3e-7),
            (Vec3::z(), 1e-6),
        ] {
            let w = axis.normalize() * angle;
            let off = (rotation(&w) - small::rotation(&axis, angle)).norm();
            assert!(off < 1e-13, "{angle}: {off:e}");
        }
        assert_eq!(rotation(&Vec3::zeros()), Mat3::identity());
    }

    #[test]
    fn what_is_beyond_linear_is_what_is_left() {
        let G = Mat3::new(0.3, -0.9, 0.4, 0.8, -0.1, 0.2, 0.5, -0.7, 0.25);
        let w = spin(&G);
        let strain = 0.5 * (G + G.transpose());
        let whole = rotation(&w) * (Mat3::identity() + strain) - Mat3::identity() - G;
        assert!((beyond_linear(&G) - whole).norm() < 1e-15);
        // ½ω² + ωε to second order.
        let W = w.cross_matrix();
        for h in [1e-3, 1e-4] {
            let second = W * W * (0.5 * h * h) + W * strain * (h * h);
            let off = (beyond_linear(&(G * h)) - second).norm();
            assert!(off < 2.0 * h.powi(3), "{h}: {off:e}");
        }
    }

    /// B12 eqs 26, 27 as printed, by finite differences: the order of the error is that of the difference.
    #[test]
    fn the_gradient_of_a_triangle_is_the_derivative_of_the_printed_one() {
        let x = [Vec3::new(0.1, 0.2, -0.1), Vec3::new(1.3, 0.4, 0.2), Vec3::new(0.4, 1.1, 0.5)];
        let u = [Vec3::new(0.3, -0.2, 0.5), Vec3::new(-0.4, 0.1, 0.2), Vec3::new(0.2, 0.6, -0.3)];
        let frame = |x: &[Vec3; 3]| {
            let n = (x[1] - x[0]).cross(&(x[2] - x[0]));
            Mat3::from_columns(&[x[1] - x[0], x[2] - x[0], n / n.norm().sqrt()])
        };
        let printed = |h: f64| {
            let moved: [Vec3; 3] = std::array::from_fn(|a| x[a] + u[a] * h);
            frame(&moved) * frame(&x).try_inverse().expect("a triangle")
        };
        let G = Element::triangle([0, 1, 2], &x).expect("a triangle").gradient(|a| u[a]);
        let error = |h: f64| ((printed(h) - printed(-h)) / (2.0 * h) - G).norm();
        let order = (error(1e-2) / error(1e-3)).log10();
        assert!((order - 2.0).abs() < 0.05, "order {order}");
    }

    #[test]
    fn elements_know_uniform_fields() {
        let x =
            [Vec3::zeros(), Vec3::new(1.0, 0.2, 0.1), Vec3::new(0.1, 0.9, -0.2), Vec3::new(0.2, 0.1, 1.2)];
        let F = Mat3::new(0.3, -0.9, 0.4, 0.8, -0.1, 0.2, 0.5, -0.7, 0.25);
        let tet = Element::tet([0, 1, 2, 3], &x).expect("a tet");
        assert!((tet.gradient(|a| F * x[a] + Vec3::x()) - F).norm() < 1e-14);
        let w = Vec3::new(0.4, -2.0, 7.0);
        let triangle = Element::triangle([1, 2, 3], &x).expect("a triangle");
        let turned = triangle.gradient(|a| w.cross(&x[a + 1]));
        assert!((turned - w.cross_matrix()).norm() < 1e-13, "also about axes in its plane");
        assert!((triangle.gradient(|a| x[a + 1] * 0.3) - Mat3::identity() * 0.3).norm() < 1e-14);
        assert!(Element::triangle([0, 0, 1], &x).is_none() && Element::tet([0, 1, 1, 2], &x).is_none());
    }
}
