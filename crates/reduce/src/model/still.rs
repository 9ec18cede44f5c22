//! Rigid motions cost no energy, also after rounding.
//!
//! ```text
//! R = U y,  yᵀM̃y = 1:     K̃ ← (I − M̃y yᵀ) K̃ (I − y yᵀM̃)                                                            (1)
//! ```
//! UᵀKU of a rigid motion is not zero but ε times the stiffness of single elements, which is far above the largest
//! eigenvalue of a reduced stiffness that has only slow modes, times ε. Nothing behind this could tell it from a slow
//! mode, and where it is negative, a body that drifts gathers speed. (1) leaves ε times the reduced stiffness itself.
//!
//! Taken out are the motions of [`Body::rigid_motions`], and sums of them, that lie in the span of U; a basis from
//! elsewhere may have none.

use pliant_energy::Body;
use pliant_linalg::{DenseCholesky, DenseSymmetric, par};

use crate::Basis;

/// A motion of length 1 (by mass) lies in the span of U when what is left of it outside is no longer than this; its energy
/// is then less than 10⁻¹⁶ of that of the stiffest mode.
const INSIDE: f64 = 1e-8;

/// An eigenvalue of a reduced stiffness below this part of the largest is rounding.
pub(super) const ROUNDING: f64 = 1e-12;

/// (1) for every rigid motion in the span of `basis`.
pub(super) fn clean(stiffness: &mut DenseSymmetric, mass: &DenseSymmetric, body: &Body, basis: &Basis) {
    let rank = basis.rank();
    let mut factor = DenseCholesky::new(rank);
    // More motions than coordinates: a heap of loose parts, of which a basis keeps what it can.
    if !(1..=rank).contains(&body.rigid_count()) || factor.factorise(mass).is_err() {
        return;
    }
    for (y, My) in inside(mass, &factor, body, basis) {
        let mut Ky = vec![0.0; rank];
        stiffness.apply(&y, &mut Ky);
        let yKy = dot(&y, &Ky);
        *stiffness = DenseSymmetric::from_upper(rank, |i, j| {
            stiffness.get(i, j) - Ky[i] * My[j] - My[i] * Ky[j] + yKy * My[i] * My[j]
        });
    }
}

/// Coordinates y of orthonormal rigid motions in the span, and M̃y.
fn inside(
    mass: &DenseSymmetric,
    factor: &DenseCholesky,
    body: &Body,
    basis: &Basis,
) -> Vec<(Vec<f64>, Vec<f64>)> {
    let motions = body.rigid_motions();
    let (size, rank, count) = (basis.size(), basis.rank(), motions.len());
    let mut weighted = vec![0.0; size];
    // M̃ y = UᵀM R: the nearest that the basis has.
    let nearest = motions.iter().map(|motion| {
        body.mass().apply_per_axis(motion, &mut weighted);
        let mut c = vec![0.0; rank];
        basis.project(&weighted, &mut c);
        let mut y = c.clone();
        factor.solve(&mut y);
        (y, c)
    });
    let nearest: Vec<(Vec<f64>, Vec<f64>)> = nearest.collect();
    // Sums of motions that the basis has as they are have the eigenvalue 1 of yᵀM̃y.
    let gram = DenseSymmetric::from_upper(count, |i, j| dot(&nearest[i].0, &nearest[j].1));
    let Some((values, vectors)) = gram.eigen() else { return Vec::new() };
    let mut found = Vec::new();
    for (value, parts) in values.iter().zip(vectors.chunks_exact(count)) {
        if (value - 1.0).abs() > INSIDE {
            continue;
        }
        let (mut y, mut motion) = (vec![0.0; rank], vec![0.0; size]);
        for (part, (from, whole)) in parts.iter().zip(nearest.iter().map(|n| &n.0).zip(&motions)) {
            y.iter_mut().zip(from).for_each(|(y, x)| *y += part * x);
            motion.iter_mut().zip(whole).for_each(|(y, x)| *y += part * x);
        }
        let mut left = vec![0.0; size];
        basis.expand(&y, &mut left);
        left.iter_mut().zip(&motion).for_each(|(left, x)| *left -= x);
        body.mass().apply_per_axis(&left, &mut weighted);
        if par::dot(&left, &weighted).max(0.0).sqrt() <= INSIDE {
            let mut My = vec![0.0; rank];
            mass.apply(&y, &mut My);
            let length = dot(&y, &My).sqrt();
            y.iter_mut().chain(&mut My).for_each(|x| *x /= length);
            found.push((y, My));
        }
    }
    found
}

fn dot(x: &[f64], y: &[f64]) -> f64 {
    x.iter().zip(y).map(|(x, y)| x * y).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::force::projected::project_matrix;
    use pliant_energy::{Recipe, Tangent};
    use pliant_linalg::Vec3;
    use pliant_mesh::{Elements, MeshData, shapes};

    /// Two bars apart from each other, stiff as steel.
    fn two_bars() -> Body {
        let one = shapes::bar(Vec3::new(1.0, 0.4, 0.3), [2, 1, 1]).into_data();
        let Elements::Tets(tets) = &one.elements else { unreachable!("a bar is a solid") };
        let n = one.vertices.len() as u32;
        let mut vertices = one.vertices.clone();
        vertices.extend(one.vertices.iter().map(|p| p + Vec3::new(3.0, 1.0, 0.0)));
        let both = tets.iter().copied().chain(tets.iter().map(|t| t.map(|v| v + n))).collect();
        let recipe = Recipe { young: Some(1e11), ..Recipe::default() };
        recipe.build(MeshData::from_tets(vertices, both)).expect("a body")
    }

    #[test]
    fn motions_in_the_span_cost_nothing_and_the_rest_is_as_it_was() {
        let body = two_bars();
        let size = body.size();
        let motions = body.rigid_motions();
        assert_eq!(motions.len(), 12);
        // Neither orthonormal nor with a motion of one bar alone: a sum of two, and a field mixed with another sum.
        let field = |k: usize| (0..size).map(move |i| 0.1 * ((i * (k + 3)) as f64).sin());
        let sum = |a: usize, b: usize| motions[a].iter().zip(&motions[b]).map(|(a, b)| a + 0.5 * b);
        let mut columns: Vec<f64> = sum(0, 6).collect();
        columns.extend(sum(1, 9).zip(field(0)).map(|(a, b)| a + b));
        (0..11).for_each(|k| columns.extend(field(k)));
        let basis = Basis::from_columns(&columns, size);
        let rank = basis.rank();
        let mut K = body.zero_matrix();
        body.stiffness(&vec![0.0; size], Tangent::Exact, &mut K).expect("rest");
        let mut M = body.zero_matrix();
        M.add_per_axis(1.0, body.mass());
        let (before, mass) = (project_matrix(&K, &columns), project_matrix(&M, &columns));
        let mut after = before.clone();
        clean(&mut after, &mass, &body, &basis);
        let largest = (0..rank).map(|i| before.get(i, i)).fold(0.0, f64::max);
        for i in 0..rank {
            for j in i..rank {
                let off = (before.get(i, j) - after.get(i, j)).abs();
                assert!(off < 1e-7 * largest, "({i}, {j}) changed by {:.1e}", off / largest);
            }
        }
        // The first column, and the second without its field, which is the third.
        let mut y = vec![0.0; rank];
        let mut Ky = vec![0.0; rank];
        for parts in [&[1.0][..], &[0.0, 1.0, -1.0]] {
            y.fill(0.0);
            y[..parts.len()].copy_from_slice(parts);
            let cost = |matrix: &DenseSymmetric, Ky: &mut Vec<f64>| {
                matrix.apply(&y, Ky);
                Ky.iter().fold(0.0, |m: f64, x| m.max(x.abs()))
            };
            let (was, is) = (cost(&before, &mut Ky), cost(&after, &mut Ky));
            assert!(is < 1e-14 * largest, "{parts:?}: {:.1e}, {:.1e} before", is / largest, was / largest);
        }
        // A basis without any is left alone.
        let fields = Basis::from_columns(&columns[2 * size..], size);
        let untouched = project_matrix(&K, &columns[2 * size..]);
        let mut after = untouched.clone();
        clean(&mut after, &project_matrix(&M, &columns[2 * size..]), &body, &fields);
        assert_eq!(after, untouched);
    }
}
