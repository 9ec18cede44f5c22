//! Stiffnesses of a shell that stand for a plate of Young's modulus E and thickness t.
//!
//! ```text
//! κ_b = D/3 = E t³ / (36 (1 − ν²)),    κ_m = 3 E t A / Σ l,    ν = 1/3
//! ```
//! A is the area and Σ l the length of all edges at rest. κ_b: a sheet of equilateral triangles that is wound around a cylinder of
//! curvature k folds so in its edges that E_F is 3/2 k² A κ_b, whatever the direction; a plate has D/2 k² A. κ_m: a sheet that grows by ε in
//! all directions has E_L = ε²/2 Σ l κ_m; a plate has E t ε² A/(1 − ν). Springs between equal triangles have ν = 1/3, so that this is the
//! ratio of the plate; E_A, whose unit differs from that of E_L, adds the part l/(1 m) or so to its resistance against growing.
//! On triangles of other shapes bending is right on the mean only: hinges do not converge to a plate on every mesh. Derived here;
//! `tests.rs` winds and stretches.

use pliant_linalg::Vec3;
use pliant_mesh::{Faces, measure, topology::Edges};

/// ν of a net of equal triangles.
const POISSON: f64 = 1.0 / 3.0;

/// κ_b, J, and κ_m, N, of a plate of Young's modulus E, Pa, and thickness t, m, over these triangles.
pub fn of_plate(young: f64, thickness: f64, vertices: &[Vec3], triangles: &[[u32; 3]]) -> [f64; 2] {
    let edges = Edges::new(&Faces::from_triangles(triangles));
    let length = |e: usize| {
        let [p, q] = edges.ends(e).map(|v| vertices[v as usize]);
        (p - q).norm()
    };
    let lengths: f64 = (0..edges.len()).map(length).sum();
    let area = measure::total_area(vertices, triangles);
    let bend = young * thickness.powi(3) / (36.0 * (1.0 - POISSON * POISSON));
    [bend, 3.0 * young * thickness * area / lengths]
}
