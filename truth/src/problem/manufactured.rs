//! A manufactured solution: a displacement is chosen, the load that makes it is applied, and the error is measured.
//!
//! ```text
//! u = a sin πx sin πy sin πz,   b = −div σ(u) = 3π² μ u − (λ + μ) ∇ div u
//! ```
//! on the unit cube, held at its boundary. Linear tets: order 2 in L², order 1 in H¹.

use std::f64::consts::PI;

use anyhow::Result;
use pliant::draw::Plot;
use pliant::energy::element::Tet4;
use pliant::energy::material::Isotropic;
use pliant::energy::{Recipe, Tangent};
use pliant::linalg::{Cholesky, Mat3, Vec3};
use pliant::mesh::{TetMesh, select::Selection, shapes};

use super::Problem;
use crate::{Effort, Figure, Outcome, Row};

pub(super) const MANUFACTURED: Problem = Problem {
    name: "manufactured",
    title: "Manufactured solution",
    about: "u = a sin πx sin πy sin πz on the unit cube, on meshes whose inner vertices are moved at random; the load is \
            what linear elasticity asks for. Reference: the orders 2 in L² and 1 in H¹ of linear tets.",
    run,
};

const AMPLITUDE: Vec3 = Vec3::new(1.0, 0.5, -0.7);

fn exact(p: Vec3) -> (Vec3, Mat3) {
    let (s, c) = ((p * PI).map(f64::sin), (p * PI).map(f64::cos));
    let gradient = Vec3::new(c.x * s.y * s.z, s.x * c.y * s.z, s.x * s.y * c.z) * PI;
    (AMPLITUDE * (s.x * s.y * s.z), AMPLITUDE * gradient.transpose())
}

fn body_force(p: Vec3, law: &Isotropic) -> Vec3 {
    let (s, c) = ((p * PI).map(f64::sin), (p * PI).map(f64::cos));
    let a = AMPLITUDE;
    let grad_div = Vec3::new(
        -a.x * s.x * s.y * s.z + a.y * c.x * c.y * s.z + a.z * c.x * s.y * c.z,
        a.x * c.x * c.y * s.z - a.y * s.x * s.y * s.z + a.z * s.x * c.y * c.z,
        a.x * c.x * s.y * c.z + a.y * s.x * c.y * c.z - a.z * s.x * s.y * s.z,
    ) * (PI * PI);
    exact(p).0 * (3.0 * PI * PI * law.mu()) - grad_div * (law.lambda() + law.mu())
}

/// Barycentric points and weights of a rule of degree 5 (15 points would do; these are 4³ conical points).
fn quadrature() -> Vec<([f64; 4], f64)> {
    // Gauss-Legendre with four points on (0, 1), mapped from the cube to the tet (Duffy): degree 5 is exact.
    let nodes: [f64; 4] = [0.069431844202973, 0.330009478207571, 0.669990521792428, 0.930568155797026];
    let weights = [0.173927422568726, 0.326072577431273, 0.326072577431273, 0.173927422568726];
    let mut all = Vec::new();
    for i in 0..4 {
        for j in 0..4 {
            for k in 0..4 {
                let (r, s, t) = (nodes[i], nodes[j], nodes[k]);
                let (x, y, z) = (r, s * (1.0 - r), t * (1.0 - r) * (1.0 - s));
                let jacobian = (1.0 - r).powi(2) * (1.0 - s);
                // Of the tet's volume, which is a sixth of the cube's.
                all.push(([1.0 - x - y - z, x, y, z], 6.0 * weights[i] * weights[j] * weights[k] * jacobian));
            }
        }
    }
    all
}

/// A cube of n³ cells with its inner vertices moved by up to a tenth of a cell along each axis.
fn distorted(n: usize) -> Result<TetMesh> {
    let mut data = shapes::bar(Vec3::new(1.0, 1.0, 1.0), [n, n, n]).into_data();
    let mut state = 12345_u64;
    let mut next = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
    };
    for p in &mut data.vertices {
        if p.iter().all(|&x| x > 1e-9 && x < 1.0 - 1e-9) {
            *p += Vec3::new(next(), next(), next()) * (0.1 / n as f64);
        }
    }
    Ok(TetMesh::from_data(data)?)
}

/// Relative errors in L² and in the H¹ seminorm.
fn errors(n: usize) -> Result<[f64; 2]> {
    let mesh = distorted(n)?;
    let law = Isotropic::from_young_poisson(1.0, 0.3)?;
    let outer = |p: &Vec3| p.iter().any(|x| !(1e-9..=1.0 - 1e-9).contains(x));
    let held = mesh.vertices().iter().enumerate().filter(|(_, p)| outer(p)).map(|(v, _)| v as u32).collect();
    let body = Recipe {
        material: Some("linear".into()),
        young: Some(1.0),
        poisson: Some(0.3),
        fixed: vec![Selection { vertices: held, components: [true; 3] }],
        ..Recipe::default()
    }
    .build(mesh.clone().into_data())?;
    let rule = quadrature();
    let mut u = vec![0.0; body.size()];
    let place = |t: usize, l: &[f64; 4]| (0..4).fold(Vec3::zeros(), |p, a| p + mesh.corners(t)[a] * l[a]);
    for (t, tet) in mesh.tets().iter().enumerate() {
        let volume = Tet4::new(&mesh.corners(t)).volume;
        for (l, w) in &rule {
            let b = body_force(place(t, l), &law) * (w * volume);
            for a in 0..4 {
                (0..3).for_each(|c| u[3 * tet[a] as usize + c] += l[a] * b[c]);
            }
        }
    }
    let mut K = body.zero_matrix();
    body.stiffness(&vec![0.0; body.size()], Tangent::Exact, &mut K)?;
    let mut factor = Cholesky::analyse(K.pattern(), body.dofs())?;
    factor.factorise(&K)?;
    factor.solve(&mut u);
    let (mut l2, mut h1, mut l2_all, mut h1_all) = (0.0, 0.0, 0.0, 0.0);
    for (t, tet) in mesh.tets().iter().enumerate() {
        let element = Tet4::new(&mesh.corners(t));
        let at = |a: usize| Vec3::from_column_slice(&u[3 * tet[a] as usize..3 * tet[a] as usize + 3]);
        let mut local = [0.0; 12];
        (0..4).for_each(|a| local[3 * a..3 * a + 3].copy_from_slice(at(a).as_slice()));
        let gradient = element.displacement_gradient(&local);
        for (l, w) in &rule {
            let (value, slope) = exact(place(t, l));
            let ours = (0..4).fold(Vec3::zeros(), |p, a| p + at(a) * l[a]);
            let w = w * element.volume;
            l2 += w * (ours - value).norm_squared();
            l2_all += w * value.norm_squared();
            h1 += w * (gradient - slope).norm_squared();
            h1_all += w * slope.norm_squared();
        }
    }
    Ok([(l2 / l2_all).sqrt(), (h1 / h1_all).sqrt()])
}

fn run(effort: Effort) -> Result<Outcome> {
    let sizes: &[usize] = if effort == Effort::Full { &[6, 12, 24] } else { &[4, 8, 12] };
    let found = sizes.iter().map(|&n| errors(n)).collect::<Result<Vec<_>>>()?;
    let h: Vec<f64> = sizes.iter().map(|&n| 1.0 / n as f64).collect();
    let slope = |which: usize| {
        // Between the two finest meshes: the coarsest is not yet where the error falls as it should.
        let (a, b) = (h.len() - 2, h.len() - 1);
        (found[a][which] / found[b][which]).ln() / (h[a] / h[b]).ln()
    };
    let allowed = if effort == Effort::Full { 0.1 } else { 0.25 };
    let curve =
        |which: usize| -> Vec<[f64; 2]> { h.iter().zip(&found).map(|(&h, e)| [h, e[which]]).collect() };
    let plot = Plot::new("Manufactured solution").x("h").y("relative error").log_x().log_y();
    let plot = plot.curve("L²", &curve(0)).curve("H¹", &curve(1));
    let guide: Vec<[f64; 2]> = h.iter().map(|&x| [x, found[0][0] * (x / h[0]).powi(2)]).collect();
    let guide1: Vec<[f64; 2]> = h.iter().map(|&x| [x, found[0][1] * (x / h[0])]).collect();
    let plot = plot.dashed("slope 2", &guide).dashed("slope 1", &guide1);
    Ok(Outcome {
        rows: vec![
            Row::absolute("order in L² (absolute)", 2.0, slope(0), allowed),
            Row::absolute("order in H¹ (absolute)", 1.0, slope(1), allowed),
        ],
        notes: Vec::new(),
        figures: vec![(
            "manufactured.svg".into(),
            "Error against mesh size".into(),
            Figure::Svg(plot.to_svg()),
        )],
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_load_is_minus_the_divergence_of_the_stress() {
        let law = Isotropic::from_young_poisson(1.0, 0.3).expect("sound constants");
        let p = Vec3::new(0.21, 0.37, 0.64);
        let stress = |p: Vec3| {
            let H = exact(p).1;
            let strain = (H + H.transpose()) * 0.5;
            strain * (2.0 * law.mu()) + Mat3::identity() * (law.lambda() * strain.trace())
        };
        let h = 1e-5;
        let mut divergence = Vec3::zeros();
        for d in 0..3 {
            let e = Vec3::from_fn(|i, _| if i == d { h } else { 0.0 });
            divergence += (stress(p + e) - stress(p - e)).column(d) / (2.0 * h);
        }
        assert!((divergence + body_force(p, &law)).norm() < 1e-8);
        let volume: f64 = quadrature().iter().map(|(_, w)| w).sum();
        assert!((volume - 1.0).abs() < 1e-12, "{volume}");
    }
}
