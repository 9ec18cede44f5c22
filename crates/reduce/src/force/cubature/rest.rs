//! The rest correction: a cubature whose softest vibrations are those of the body, frequencies and shapes.
//!
//! A few points couple soft and stiff coordinates at rest that all of them together do not: forces on stiff coordinates
//! from soft motion that should cancel. It turns the shapes of vibrations even where frequencies are next to right, and
//! spoils the motion more than anything that an error of forces tells. A change of coordinates in front of the components
//! takes it away:
//!
//! ```text
//! W̃(q) = Σ_c w_c W_c(B_c R q),   R = 1 + D (Ŝ − 1) DᵀK̃,   D = Φ/ω,   DᵀK̃D = 1
//! G = Dᵀ (Σ_c w_c B_cᵀ ∂²W_c(0) B_c) D,   a: the k lowest vibrations, b: the others
//! X = −G_bb⁻¹ G_ba,   C = G_aa + G_ab X,   Ŝ_aa = C^(−1/2),   Ŝ_ba = X Ŝ_aa,   Ŝ_ab = 0,   Ŝ_bb = 1
//! ⇒ Ŝᵀ G Ŝ = diag(1, G_bb)
//! ```
//! G is the identity where the cubature is exact. W̃ is a sum of energies as before, its force is its gradient, and a step
//! costs what it cost: R goes into the rows B_c.
//!
//! A body that can turn must do so for nothing. Finite rotations are uniform strains beside infinitesimal ones, so that
//! R must leave those alone: Ŝ ← 1 + (Ŝ − 1)(1 − P), where P projects on the uniform strains that the basis has.

use pliant_energy::Body;
use pliant_linalg::product::{Dense, dot, multiply};
use pliant_linalg::{DenseCholesky, DenseSymmetric, Mat3, Vec3};

use super::poses::Spectrum;
use crate::Basis;

/// The part of the vibrations, the softest, that become exact.
const SOFT: usize = 3;

/// Where G has an eigenvalue below this, points are too few for a correction to mend anything.
const LEAST: f64 = 0.2;

/// A uniform strain is in the basis when what is not of it is below this part, in mass.
const WITHIN: f64 = 1e-6;

/// R by rows; `None` where the points are too few for one.
pub(super) fn correction(spectrum: &Spectrum, cubature: &DenseSymmetric) -> Option<Vec<f64>> {
    let (r, D) = (spectrum.rank, &spectrum.directions);
    let m = D.len() / r;
    let G = congruence(cubature, D);
    let (values, _) = G.eigen()?;
    if values[0] < LEAST {
        return None;
    }
    let mut change = softest_made_exact(&G, m.div_ceil(SOFT))?;
    leave_alone(&mut change, &spectrum.uniform, m);
    // Rᵀ = 1 + K̃D (D T)ᵀ, by columns.
    let (mut changed, mut out) = (vec![0.0; r * m], vec![0.0; r * r]);
    multiply(&mut changed, Dense::new(D, r), Dense::new(&change, m));
    multiply(&mut out, Dense::new(&applied(&spectrum.stiffness, D), r), Dense::new(&changed, r).t());
    (0..r).for_each(|i| out[i * r + i] += 1.0);
    out.iter().all(|x| x.is_finite()).then_some(out)
}

/// Ŝ − 1 by columns.
fn softest_made_exact(G: &DenseSymmetric, k: usize) -> Option<Vec<f64>> {
    let m = G.size();
    let stiff = m - k;
    let mut factor = DenseCholesky::new(stiff);
    factor.factorise(&DenseSymmetric::from_upper(stiff, |i, j| G.get(k + i, k + j))).ok()?;
    // X, a column for each soft vibration.
    let mut X = vec![0.0; stiff * k];
    for (j, x) in X.chunks_exact_mut(stiff.max(1)).enumerate() {
        (0..stiff).for_each(|i| x[i] = -G.get(k + i, j));
        factor.solve(x);
    }
    let x = |j: usize| &X[j * stiff..(j + 1) * stiff];
    let C = DenseSymmetric::from_upper(k, |i, j| {
        G.get(i, j) + x(j).iter().enumerate().map(|(l, x)| G.get(i, k + l) * x).sum::<f64>()
    });
    let (values, vectors) = C.eigen()?;
    if values.first().is_some_and(|least| *least <= 0.0) {
        return None;
    }
    // C^(−1/2) = Σ_l v_l v_lᵀ / √λ_l.
    let mut S_aa = vec![0.0; k * k];
    for (value, v) in values.iter().zip(vectors.chunks_exact(k)) {
        for (j, column) in S_aa.chunks_exact_mut(k).enumerate() {
            column.iter_mut().zip(v).for_each(|(s, x)| *s += x * v[j] / value.sqrt());
        }
    }
    let mut S_ba = vec![0.0; stiff * k];
    multiply(&mut S_ba, Dense::new(&X, stiff), Dense::new(&S_aa, k));
    let mut change = vec![0.0; m * m];
    for j in 0..k {
        let column = &mut change[j * m..(j + 1) * m];
        column[..k].copy_from_slice(&S_aa[j * k..(j + 1) * k]);
        column[k..].copy_from_slice(&S_ba[j * stiff..(j + 1) * stiff]);
        column[j] -= 1.0;
    }
    Some(change)
}

/// T ← T (1 − Q Qᵀ) for orthonormal columns Q.
fn leave_alone(change: &mut [f64], Q: &[f64], m: usize) {
    for q in Q.chunks_exact(m) {
        let mut moved = vec![0.0; m];
        for (column, x) in change.chunks_exact(m).zip(q) {
            moved.iter_mut().zip(column).for_each(|(sum, t)| *sum += t * x);
        }
        for (column, x) in change.chunks_exact_mut(m).zip(q) {
            column.iter_mut().zip(&moved).for_each(|(t, moved)| *t -= moved * x);
        }
    }
}

/// An orthonormal set of columns DᵀK̃a, of m numbers each, of the uniform strains Ua that the basis has; none of a body that
/// cannot turn.
pub(super) fn uniform_strains(
    body: &Body,
    basis: &Basis,
    [stiffness, mass]: [&DenseSymmetric; 2],
    directions: &[f64],
) -> Vec<f64> {
    let (rest, r) = (body.rest(), basis.rank());
    // Strains around what is held, if a point or a line is: only so does it stay where it is.
    let held: Vec<Vec3> =
        (0..rest.len()).filter(|v| (0..3).any(|c| body.dofs().is_held(3 * v + c))).map(|v| rest[v]).collect();
    let origin = if held.is_empty() { rest[0] } else { held.iter().sum::<Vec3>() / held.len() as f64 };
    let mut factor = DenseCholesky::new(r);
    if factor.factorise(mass).is_err() {
        return Vec::new();
    }
    let mut found: Vec<Vec<f64>> = Vec::new();
    for (i, j) in [(0, 0), (1, 1), (2, 2), (0, 1), (1, 2), (0, 2)] {
        let mut strain = Mat3::zeros();
        (strain[(i, j)], strain[(j, i)]) = (1.0, 1.0);
        let field: Vec<f64> = rest.iter().flat_map(|x| <[f64; 3]>::from(strain * (x - origin))).collect();
        let mut weighted = vec![0.0; field.len()];
        body.mass().apply_per_axis(&field, &mut weighted);
        let mut a = vec![0.0; r];
        basis.project(&weighted, &mut a);
        let projected = a.clone();
        factor.solve(&mut a);
        let (whole, within) = (dot(&field, &weighted), dot(&projected, &a));
        if whole - within > WITHIN * whole {
            continue;
        }
        let mut pull = vec![0.0; r];
        stiffness.apply(&a, &mut pull);
        let mut column: Vec<f64> = directions.chunks_exact(r).map(|d| dot(d, &pull)).collect();
        let length = dot(&column, &column).sqrt();
        // Twice, so that rounding leaves nothing of the others.
        for q in found.iter().chain(&found) {
            let along = dot(q, &column);
            column.iter_mut().zip(q).for_each(|(x, q)| *x -= along * q);
        }
        let left = dot(&column, &column).sqrt();
        if left > 1e-8 * length {
            column.iter_mut().for_each(|x| *x /= left);
            found.push(column);
        }
    }
    found.concat()
}

/// A times each column.
fn applied(A: &DenseSymmetric, columns: &[f64]) -> Vec<f64> {
    let mut out = vec![0.0; columns.len()];
    for (x, y) in columns.chunks_exact(A.size()).zip(out.chunks_exact_mut(A.size())) {
        A.apply(x, y);
    }
    out
}

/// Dᵀ A D for D by columns.
pub(super) fn congruence(A: &DenseSymmetric, columns: &[f64]) -> DenseSymmetric {
    let (r, AD) = (A.size(), applied(A, columns));
    let column = |j: usize| j * r..(j + 1) * r;
    DenseSymmetric::from_upper(columns.len() / r, |i, j| dot(&columns[column(i)], &AD[column(j)]))
}
