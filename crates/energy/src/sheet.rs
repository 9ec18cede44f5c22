//! What is felt in a deformed surface: strain of its middle and, where it has a thickness, of its two sides; stress where it is a plate.
//!
//! ```text
//! E₀ = ½(HᵀB + BᵀH + HᵀH)          in the plane of a triangle at rest, B its two directions, H = ∂u/∂X
//! K_v = Σ_e s_e (θ_e − θ_e⁰) |e| n_e n_eᵀ / A_v      over edges of the triangles at v, A_v their area, s_e = 1 at v and ½ around it
//! K = the mean of its three corners, in the plane of a triangle; n_e across e
//! E = E₀ ± t/2 K,   strain = max |λ_i − 1|,  λ_i = √(1 + 2e_i)
//! S = Y/(1 − ν²) ((1 − ν) E + ν tr(E) 1),  ν = 1/3,  e₃ = −ν/(1 − ν) tr E,   σ_i = λ_i² S_i / (λ₁λ₂λ₃)
//! von Mises' stress = √(σ₁² − σ₁σ₂ + σ₂²)
//! ```
//! Of the two sides the one that feels more counts. Folds have a curvature only over an area, whatever its triangles are: that of one
//! triangle hangs on which of its sides are folded. At a rim, where folds are missing, less is felt than there is. ν is that of the plate for
//! which `shell/plate.rs` finds stiffnesses; hinges and springs approach its law, so that the stress is that of the plate they stand for.
//! Derived here.

use std::f64::consts::TAU;

use pliant_linalg::{Mat3, Vec3};
use pliant_mesh::Faces;
use pliant_mesh::topology::{EdgeUse, Edges};

use crate::Body;

/// ν of the plate.
const POISSON: f64 = 1.0 / 3.0;

/// A symmetric 2 × 2 matrix: xx, yy, xy.
type Plane = [f64; 3];

impl Body {
    /// The strain at every vertex of a surface when the displacement is `u`: of its middle, or with a thickness (m) of the side that feels
    /// more; `None` of a solid.
    pub fn sheet_strain(&self, thickness: Option<f64>, u: &[f64]) -> Option<Vec<f64>> {
        self.of_sheet(u, |middle, bend| {
            let half = thickness.unwrap_or(0.0) / 2.0;
            sides(middle, bend, half).map(|E| principal(E).into_iter().map(stretch).fold(0.0, f64::max))
        })
    }

    /// Von Mises' stress (Pa) at every vertex of a surface that is a plate of this Young's modulus (Pa) and thickness (m); `None` of a
    /// solid.
    pub fn sheet_stress(&self, young: f64, thickness: f64, u: &[f64]) -> Option<Vec<f64>> {
        self.of_sheet(u, |middle, bend| sides(middle, bend, thickness / 2.0).map(|E| von_mises(young, E)))
    }

    /// The larger of what is felt on both sides, the mean of the triangles at each vertex weighted by their areas at rest.
    fn of_sheet(&self, u: &[f64], felt: impl Fn(Plane, Plane) -> [f64; 2]) -> Option<Vec<f64>> {
        if self.components().solid().is_some() {
            return None;
        }
        let triangles = self.boundary();
        let at = |v: u32| Vec3::from_column_slice(&u[3 * v as usize..3 * v as usize + 3]);
        let curvatures = self.curvatures(&at);
        let mut sums = vec![[0.0; 2]; self.rest().len()];
        for corners in triangles {
            let Some(flat) = Flat::of(corners.map(|v| self.rest()[v as usize])) else { continue };
            let bend = corners.iter().map(|&v| curvatures[v as usize]).sum::<Mat3>() / 3.0;
            let [one, two] = felt(flat.strain(&corners.map(at)), flat.within(&bend));
            for &v in corners {
                let [sum, weight] = &mut sums[v as usize];
                *sum += flat.area * one.max(two);
                *weight += flat.area;
            }
        }
        let mean = |[sum, weight]: [f64; 2]| if weight > 0.0 { sum / weight } else { 0.0 };
        Some(sums.into_iter().map(mean).collect())
    }

    /// K_v, 1/m.
    fn curvatures(&self, at: &impl Fn(u32) -> Vec3) -> Vec<Mat3> {
        let triangles = self.boundary();
        let faces = Faces::from_triangles(triangles);
        let edges = Edges::new(&faces);
        let rest = |v: u32| self.rest()[v as usize];
        let mut bends = vec![Mat3::zeros(); self.rest().len()];
        let mut areas = vec![0.0; bends.len()];
        for corners in triangles {
            let [p, q, r] = corners.map(rest);
            let area = (q - p).cross(&(r - p)).norm() / 2.0;
            corners.iter().for_each(|&v| areas[v as usize] += area);
        }
        for e in 0..edges.len() {
            // Faces that look to different sides do not say to which side they fold.
            let [a, b] = edges.uses(e) else { continue };
            if a.forward == b.forward {
                continue;
            }
            let third = |of: &EdgeUse| triangles[of.face as usize][(of.side as usize + 2) % 3];
            let [p, q] = edges.run(&faces, *a);
            let four = [p, q, third(a), third(b)];
            let Some(bend) = fold(four.map(rest), four.map(at)) else { continue };
            for (v, part) in four.into_iter().zip([1.0, 1.0, 0.5, 0.5]) {
                bends[v as usize] += bend * part;
            }
        }
        bends.iter_mut().zip(areas).for_each(|(bend, area)| *bend /= if area > 0.0 { area } else { 1.0 });
        bends
    }
}

/// (θ − θ⁰) |e| n nᵀ of the edge between the first two, the others beside it.
fn fold(rest: [Vec3; 4], u: [Vec3; 4]) -> Option<Mat3> {
    let [p, q, r, o] = rest;
    let edge = q - p;
    let out =
        (edge.cross(&(r - p)).try_normalize(0.0)? + (o - p).cross(&edge).try_normalize(0.0)?).cross(&edge);
    let across = out.try_normalize(0.0)?;
    let moved: [Vec3; 4] = std::array::from_fn(|k| rest[k] + u[k]);
    let turn = angle(moved)? - angle(rest)?;
    let turn = turn - TAU * (turn / TAU).round();
    Some(across * across.transpose() * (turn * edge.norm()))
}

/// A triangle at rest in its own plane.
struct Flat {
    directions: [Vec3; 2],
    corners: [[f64; 2]; 3],
    area: f64,
}

impl Flat {
    /// `None` of one without an area.
    fn of([p, q, r]: [Vec3; 3]) -> Option<Self> {
        let normal = (q - p).cross(&(r - p));
        let x = (q - p).try_normalize(0.0)?;
        let y = normal.try_normalize(0.0)?.cross(&x);
        let corners = [p, q, r].map(|c| [x.dot(&(c - p)), y.dot(&(c - p))]);
        Some(Self { directions: [x, y], corners, area: normal.norm() / 2.0 })
    }

    /// E₀ when its corners move so.
    fn strain(&self, u: &[Vec3; 3]) -> Plane {
        let [_, q, r] = self.corners;
        // H = (u_q − u_p, u_r − u_p) (q, r)⁻¹, and q lies on the first direction.
        let along = (u[1] - u[0]) / q[0];
        let across = (u[2] - u[0] - along * r[0]) / r[1];
        let [x, y] = self.directions;
        let green = |a: &Vec3, b: &Vec3, da: &Vec3, db: &Vec3| (a.dot(db) + da.dot(b) + da.dot(db)) / 2.0;
        [green(&x, &x, &along, &along), green(&y, &y, &across, &across), green(&x, &y, &along, &across)]
    }

    /// What a tensor is in this plane.
    fn within(&self, bend: &Mat3) -> Plane {
        let [x, y] = self.directions;
        [x.dot(&(bend * x)), y.dot(&(bend * y)), x.dot(&(bend * y))]
    }
}

/// In which two triangles meet at the side p → q, rad: 0 where they are flat, of one sign to one side.
fn angle([p, q, r, beyond]: [Vec3; 4]) -> Option<f64> {
    let e = (q - p).try_normalize(0.0)?;
    let (n, m) = ((q - p).cross(&(r - p)), (beyond - p).cross(&(q - p)));
    let (n, m) = (n.try_normalize(0.0)?, m.try_normalize(0.0)?);
    Some(e.dot(&m.cross(&n)).atan2(n.dot(&m)))
}

/// E of both sides.
fn sides(middle: Plane, bend: Plane, half: f64) -> [Plane; 2] {
    [half, -half].map(|z| std::array::from_fn(|k| middle[k] + z * bend[k]))
}

/// The two eigenvalues.
fn principal([xx, yy, xy]: Plane) -> [f64; 2] {
    let (mean, radius) = ((xx + yy) / 2.0, ((xx - yy) / 2.0).hypot(xy));
    [mean + radius, mean - radius]
}

/// |λ − 1| of e, with all its digits.
fn stretch(e: f64) -> f64 {
    (2.0 * e / (1.0 + (1.0 + 2.0 * e).max(0.0).sqrt())).abs()
}

/// Of a plate under E in its plane, nothing pressing on it.
fn von_mises(young: f64, E: Plane) -> f64 {
    let e = principal(E);
    let trace = e[0] + e[1];
    let stiffness = young / (1.0 - POISSON * POISSON);
    let S = e.map(|e| stiffness * ((1.0 - POISSON) * e + POISSON * trace));
    let squares = e.map(|e| (1.0 + 2.0 * e).max(0.0));
    let thinner = (1.0 - 2.0 * POISSON / (1.0 - POISSON) * trace).max(0.0);
    let volume = (squares[0] * squares[1] * thinner).sqrt();
    if volume <= 0.0 {
        return 0.0;
    }
    let [a, b] = [0, 1].map(|i| squares[i] * S[i] / volume);
    (a * a - a * b + b * b).max(0.0).sqrt()
}

#[cfg(test)]
mod tests {
    use pliant_mesh::shapes;

    use super::*;
    use crate::{Recipe, quantity::Quantity};

    const YOUNG: f64 = 3e6;
    const THICKNESS: f64 = 0.004;

    /// A square of one metre, and what it is made of.
    fn sheet(cells: usize) -> Body {
        let options = shapes::ShapeOptions { subdivision: Some(cells), ..Default::default() };
        let mesh =
            shapes::find("cloth").expect("a shape").make(&options, &mut pliant_linalg::ignore_progress);
        let recipe = Recipe { young: Some(YOUNG), thickness: Some(THICKNESS), ..Recipe::default() };
        recipe.build(mesh.expect("a sheet")).expect("a body")
    }

    fn moved(body: &Body, to: impl Fn(&Vec3) -> Vec3) -> Vec<f64> {
        body.rest().iter().flat_map(|p| <[f64; 3]>::from(to(p) - p)).collect()
    }

    /// The axis that a flat sheet does not have, and the two that it has.
    fn axes(body: &Body) -> [usize; 3] {
        let flat = |k: &usize| body.rest().iter().all(|p| (p[*k] - body.rest()[0][*k]).abs() < 1e-12);
        let out = (0..3).find(flat).expect("a flat sheet");
        [(out + 1) % 3, (out + 2) % 3, out]
    }

    #[track_caller]
    fn all_are(found: Option<Vec<f64>>, wanted: f64, apart: f64) {
        for x in found.expect("a surface") {
            assert!((x - wanted).abs() <= apart * wanted.abs(), "{x} instead of {wanted}");
        }
    }

    /// A strip that is pulled, its sides free: S₁ = Y e₁, σ₁ = λ₁² S₁ / (λ₁ λ₂ λ₃).
    #[test]
    fn a_sheet_that_is_pulled_has_the_strain_and_the_stress_of_the_books() {
        let body = sheet(5);
        let [x, y, _] = axes(&body);
        for pull in [1e-6_f64, 0.2, -0.1] {
            let green = pull + pull * pull / 2.0;
            let across = (1.0 - 2.0 * POISSON * green).sqrt();
            let mut by = Mat3::identity();
            (by[(x, x)], by[(y, y)]) = (1.0 + pull, across);
            let u = moved(&body, |p| by * p);
            all_are(body.sheet_strain(None, &u), pull.abs(), 1e-8);
            all_are(body.sheet_strain(Some(THICKNESS), &u), pull.abs(), 1e-8);
            let stress = YOUNG * green * (1.0 + pull) / (across * across);
            all_are(body.sheet_stress(YOUNG, THICKNESS, &u), stress.abs(), 1e-7);
        }
    }

    #[test]
    fn a_sheet_that_is_wound_feels_half_its_thickness_over_the_radius_and_a_turn_nothing() {
        let body = sheet(16);
        let [x, y, z] = axes(&body);
        let centre = body.rest().iter().sum::<Vec3>() / body.rest().len() as f64;
        for (axis, beside) in [(x, y), (y, x)] {
            let radius = 2.0;
            let u = moved(&body, |p| {
                let (along, mut to) = (p[axis] - centre[axis], Vec3::zeros());
                (to[axis], to[beside]) = (radius * (along / radius).sin(), p[beside]);
                to[z] = radius * (1.0 - (along / radius).cos());
                to
            });
            let strain = body.sheet_strain(Some(THICKNESS), &u).expect("a surface");
            let stress = body.sheet_stress(YOUNG, THICKNESS, &u).expect("a surface");
            let wanted = THICKNESS / 2.0 / radius;
            let nu = POISSON;
            let bent = YOUNG * wanted / (1.0 - nu * nu) * (1.0 - nu + nu * nu).sqrt();
            for (v, p) in body.rest().iter().enumerate() {
                let from_rim = |k: usize| (p[k] - centre[k]).abs() < 0.35;
                if !(from_rim(x) && from_rim(y)) {
                    continue;
                }
                assert!((strain[v] / wanted - 1.0).abs() < 0.05, "{} instead of {wanted}", strain[v]);
                assert!((stress[v] / bent - 1.0).abs() < 0.05, "{} Pa instead of {bent}", stress[v]);
            }
        }
        let (sin, cos) = 1.2_f64.sin_cos();
        let turn = Mat3::new(cos, -sin, 0.0, sin, cos, 0.0, 0.0, 0.0, 1.0);
        let u = moved(&body, |p| turn * p);
        let felt = body.sheet_stress(YOUNG, THICKNESS, &u).expect("a surface");
        assert!(felt.iter().all(|x| x.abs() < 1e-9 * YOUNG), "{felt:?}");
    }

    #[test]
    fn a_solid_is_no_sheet() {
        let ball = Recipe::default().build(shapes::ball(0.3, 1).into_data()).expect("a body");
        let u = vec![0.0; ball.size()];
        assert!(ball.sheet_strain(None, &u).is_none() && ball.sheet_stress(1.0, 1.0, &u).is_none());
        assert!(ball.quantity(Quantity::Strain, &u).expect("defined").is_some());
    }
}
