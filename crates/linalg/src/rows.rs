//! Products with a tall matrix that lies row by row: u = U q and p = Uᵀ f, at the speed of memory.
//!
//! Rows of a basis lie together, so that what one vertex needs is one stretch of memory; reading U once is all the time
//! that a product takes. Sums run in eight lanes of a fixed order (number k of a row goes to lane k mod 8) without fused
//! multiply-add: the same bits with any registers and for any choice of rows. One thread: a core or two saturate the
//! memory, and a frame of a game has other work for the rest.

use pulp::Arch;

/// Partial sums of one product.
const LANES: usize = 8;

/// u = U q: `rows` holds one row of q.len() numbers for each number of u.
pub fn expand(rows: &[f64], q: &[f64], u: &mut [f64]) {
    assert_eq!(rows.len(), q.len() * u.len(), "a row of {} numbers for each of {}", q.len(), u.len());
    if q.is_empty() {
        return u.fill(0.0);
    }
    Arch::new().dispatch(|| expand_all(rows, q, u));
}

/// p = Uᵀ f: `rows` holds one row of p.len() numbers for each number of f.
pub fn project(rows: &[f64], f: &[f64], p: &mut [f64]) {
    assert_eq!(rows.len(), p.len() * f.len(), "a row of {} numbers for each of {}", p.len(), f.len());
    p.fill(0.0);
    if !p.is_empty() {
        Arch::new().dispatch(|| project_all(rows, f, p));
    }
}

#[inline(always)]
fn expand_all(rows: &[f64], q: &[f64], u: &mut [f64]) {
    let r = q.len();
    // Three rows at a time read q once for all of a vertex.
    let mut threes = u.chunks_exact_mut(3);
    let mut at = 0;
    for u in &mut threes {
        let three = &rows[at..at + 3 * r];
        u.copy_from_slice(&dots([&three[..r], &three[r..2 * r], &three[2 * r..]], q));
        at += 3 * r;
    }
    for u in threes.into_remainder() {
        [*u] = dots([&rows[at..at + r]], q);
        at += r;
    }
}

/// N rows times q.
#[inline(always)]
fn dots<const N: usize>(rows: [&[f64]; N], q: &[f64]) -> [f64; N] {
    let (q, q_rest) = q.as_chunks::<LANES>();
    let mut sums = [[0.0; LANES]; N];
    let mut out = [0.0; N];
    let rows = rows.map(|row| row.as_chunks::<LANES>());
    for (k, q) in q.iter().enumerate() {
        for n in 0..N {
            let row = &rows[n].0[k];
            for l in 0..LANES {
                sums[n][l] += row[l] * q[l];
            }
        }
    }
    for n in 0..N {
        for (l, (a, q)) in rows[n].1.iter().zip(q_rest).enumerate() {
            sums[n][l] += a * q;
        }
        let s = &sums[n];
        out[n] = ((s[0] + s[4]) + (s[2] + s[6])) + ((s[1] + s[5]) + (s[3] + s[7]));
    }
    out
}

#[inline(always)]
fn project_all(rows: &[f64], f: &[f64], p: &mut [f64]) {
    let r = p.len();
    // Four rows for each time that p is read and written.
    let (fours, rest) = f.as_chunks::<4>();
    for (f, rows) in fours.iter().zip(rows.chunks_exact(4 * r)) {
        let (a, b) = rows.split_at(2 * r);
        let ((a, b), (c, d)) = (a.split_at(r), b.split_at(r));
        for ((((p, a), b), c), d) in p.iter_mut().zip(a).zip(b).zip(c).zip(d) {
            *p += (a * f[0] + b * f[1]) + (c * f[2] + d * f[3]);
        }
    }
    for (f, row) in rest.iter().zip(rows[4 * r * fours.len()..].chunks_exact(r)) {
        p.iter_mut().zip(row).for_each(|(p, a)| *p += a * f);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_products_are_the_plain_sums() {
        for r in [1, 2, 7, 8, 9, 16, 20, 60, 61] {
            for rows in [1, 2, 3, 4, 5, 12, 31] {
                let U: Vec<f64> = (0..rows * r).map(|k| ((7 * k) as f64).sin()).collect();
                let q: Vec<f64> = (0..r).map(|k| (k as f64).cos()).collect();
                let f: Vec<f64> = (0..rows).map(|k| (3.0 * k as f64).cos()).collect();
                let (mut u, mut p) = (vec![f64::NAN; rows], vec![f64::NAN; r]);
                expand(&U, &q, &mut u);
                project(&U, &f, &mut p);
                for i in 0..rows {
                    let wanted: f64 = (0..r).map(|k| U[i * r + k] * q[k]).sum();
                    assert!((u[i] - wanted).abs() < 1e-13, "row {i} of {rows}, r = {r}");
                }
                for k in 0..r {
                    let wanted: f64 = (0..rows).map(|i| U[i * r + k] * f[i]).sum();
                    assert!((p[k] - wanted).abs() < 1e-13, "column {k} of {r}, {rows} rows");
                }
            }
        }
    }

    #[test]
    fn a_row_has_the_same_bits_alone_and_among_others() {
        let (r, rows) = (61, 11);
        let U: Vec<f64> = (0..rows * r).map(|k| ((7 * k) as f64).sin()).collect();
        let q: Vec<f64> = (0..r).map(|k| (k as f64).cos()).collect();
        let mut all = vec![0.0; rows];
        expand(&U, &q, &mut all);
        for i in 0..rows {
            let mut alone = [0.0];
            expand(&U[i * r..(i + 1) * r], &q, &mut alone);
            assert_eq!(alone[0].to_bits(), all[i].to_bits(), "row {i}");
        }
    }
}
