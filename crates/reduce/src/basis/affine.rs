//! Affine fields: what a body needs in its basis to travel and to turn.
//!
//! ```text
//! u(X) = a + B X,   zero on the held degrees of freedom: up to 12 for each part that the constraints leave rigid motions
//! ```
//! The rigid motions come first, then what strains. A part that is held fast gets none.
//!
//! What they can do: every rigid motion, exactly and at any angle, since x = R X + t is u = (R − I) X + t; also every
//! uniform stretch and shear. What they cannot: the other columns of a basis do not turn with the body. A body turned by R
//! needs R φ where φ was; modes and their derivatives have that to first order in the angle (`turned_modes.rs`), so that a body
//! far from its first orientation is stiffer than it should be, and bends in other ways. The `extended` basis has R φ for every R (its columns are all the linear
//! maps of every φ) and is the one for bodies that tumble. For the linear force no rotation is free of cost.

use pliant_energy::Body;
use pliant_linalg::{Watch, orth::Metric, tall};

use crate::ReduceError;

/// A held vertex that is off the plane, line or point of those before it by less than this part of the body's size counts
/// as lying in it: what rigid motions are judged by.
const STRAIGHT: f64 = 1e-6;

type Four = [f64; 4];

/// The affine fields that the held degrees of freedom leave to the parts that have rigid motions left: mass-orthonormal
/// columns of 3n entries, rigid motions first, part by part; the largest entry of each is positive.
///
/// # Errors
/// A mass that is none, or cancelled.
pub fn affine_fields(body: &Body, watch: &mut Watch<'_>) -> Result<Vec<f64>, ReduceError> {
    let rigid = body.rigid_motions();
    let metric = Metric { mass: body.mass(), dofs: body.dofs() };
    let mut columns = Vec::new();
    for (part, own) in loose_parts(body, &rigid) {
        let mut vectors: Vec<f64> = own.into_iter().flatten().copied().collect();
        vectors.extend(fields(body, &part));
        // What is 1e-8 of a field of length 1 is a thickness that a flat part does not have.
        columns.extend(metric.extend(&columns, &vectors, 1.0, watch)?.columns);
    }
    tall::make_largest_positive(&mut columns, body.size());
    Ok(columns)
}

/// The parts that have rigid motions left, and which ones.
pub(super) fn loose_parts<'a>(body: &Body, rigid: &'a [Vec<f64>]) -> Vec<(Vec<u32>, Vec<&'a Vec<f64>>)> {
    let own = |part: &[u32]| -> Vec<&'a Vec<f64>> {
        let moves =
            |motion: &&Vec<f64>| part.iter().any(|&v| motion.as_chunks::<3>().0[v as usize] != [0.0; 3]);
        rigid.iter().filter(moves).collect()
    };
    let parts = if rigid.is_empty() { Vec::new() } else { body.parts() };
    let with_own = parts.into_iter().map(|part| {
        let own = own(&part);
        (part, own)
    });
    with_own.filter(|(_, own)| !own.is_empty()).collect()
}

/// The affine fields of one part that vanish where it is held, of length about 1.
///
/// Row c of u = a + B X has four coefficients of its own, and the held degrees of freedom with component c are all that
/// bind them.
fn fields(body: &Body, part: &[u32]) -> Vec<f64> {
    let at = |v: u32| body.rest()[v as usize];
    let middle = part.iter().map(|&v| at(v)).sum::<pliant_linalg::Vec3>() / part.len() as f64;
    let size = part.iter().map(|&v| (at(v) - middle).norm()).fold(0.0, f64::max);
    let row = |v: u32| -> Four {
        let r = (at(v) - middle) / if size > 0.0 { size } else { 1.0 };
        [1.0, r.x, r.y, r.z]
    };
    let scale = 1.0 / part.iter().map(|&v| body.vertex_masses()[v as usize]).sum::<f64>().sqrt();
    let mut fields = Vec::new();
    for c in 0..3 {
        let held = |v: u32| body.dofs().is_held(3 * v as usize + c);
        let rows = part.iter().filter(|&&v| held(v)).map(|&v| row(v)).collect();
        for coefficients in left(rows) {
            let mut field = vec![0.0; body.size()];
            for &v in part.iter().filter(|&&v| !held(v)) {
                field[3 * v as usize + c] = scale * dot(&row(v), &coefficients);
            }
            fields.extend(field);
        }
    }
    fields
}

/// An orthonormal basis of the vectors of R⁴ that are orthogonal to these rows.
fn left(mut rows: Vec<Four>) -> Vec<Four> {
    let mut taken = Vec::new();
    largest_first(&mut rows, STRAIGHT, 4, &mut taken);
    let bound = taken.len();
    let mut units: Vec<Four> = (0..4).map(|k| std::array::from_fn(|j| f64::from(u8::from(j == k)))).collect();
    units.iter_mut().for_each(|unit| taken.iter().for_each(|q| remove(q, unit)));
    // Of the 4 − bound that remain none is small.
    largest_first(&mut units, 0.0, 4, &mut taken);
    taken.split_off(bound)
}

/// Orthonormalises vectors that are orthogonal to `taken` and adds them to it, always the one with the largest remainder
/// next (of equal ones the first), until there are `most` or nothing larger than `small` remains.
fn largest_first(vectors: &mut [Four], small: f64, most: usize, taken: &mut Vec<Four>) {
    while taken.len() < most {
        let largest =
            vectors.iter().fold([0.0; 4], |best, x| if dot(x, x) > dot(&best, &best) { *x } else { best });
        let norm = dot(&largest, &largest).sqrt();
        if norm <= small {
            return;
        }
        let mut next = largest.map(|x| x / norm);
        taken.iter().for_each(|q| remove(q, &mut next));
        let norm = dot(&next, &next).sqrt();
        let next = next.map(|x| x / norm);
        vectors.iter_mut().for_each(|x| remove(&next, x));
        taken.push(next);
    }
}

fn dot(x: &Four, y: &Four) -> f64 {
    (0..4).map(|k| x[k] * y[k]).sum()
}

/// x ← x − (q·x) q, twice, so that nothing of q remains.
fn remove(q: &Four, x: &mut Four) {
    for _ in 0..2 {
        let along = dot(q, x);
        (0..4).for_each(|k| x[k] -= along * q[k]);
    }
}
