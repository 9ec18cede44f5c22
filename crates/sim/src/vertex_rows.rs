//! A force on one vertex in the coordinates of a basis.

use pliant_linalg::Vec3;

/// out ← out + Bᵀ f for the three rows B of a vertex.
pub(crate) fn add(rows: &[f64], f: Vec3, out: &mut [f64]) {
    for (row, f) in rows.chunks_exact(out.len()).zip(f.iter()) {
        out.iter_mut().zip(row).for_each(|(out, b)| *out += b * f);
    }
}
