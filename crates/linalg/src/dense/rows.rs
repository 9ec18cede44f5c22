//! Products with a tall matrix that lies row by row: u = U q and p = Uᵀ f, at the speed of memory.
//!
//! Rows of a basis lie together, so that what one vertex needs is one stretch of memory; reading U once is all the time
//! that a product takes. It is read strictly from front to back, row after row: several rows at once would need fewer
//! instructions, but the processor then no longer sees what it should fetch next, and half the speed is lost. The order of a
//! row's sum depends on its length alone: a row has the same bits alone and among others. One thread: a core or two
//! saturate the memory, and a frame of a game has other work for the rest.

use crate::simd::{self, Kernel, Wide};

/// u = U q: `rows` holds one row of q.len() numbers for each number of u.
pub fn expand(rows: &[f64], q: &[f64], u: &mut [f64]) {
    assert_eq!(rows.len(), q.len() * u.len(), "a row of {} numbers for each of {}", q.len(), u.len());
    if q.is_empty() {
        return u.fill(0.0);
    }
    simd::run(Expand { rows, q, u });
}

/// p = Uᵀ f: `rows` holds one row of p.len() numbers for each number of f.
pub fn project(rows: &[f64], f: &[f64], p: &mut [f64]) {
    assert_eq!(rows.len(), p.len() * f.len(), "a row of {} numbers for each of {}", p.len(), f.len());
    p.fill(0.0);
    if !p.is_empty() {
        simd::run(Project { rows, f, p });
    }
}

struct Expand<'a> {
    rows: &'a [f64],
    q: &'a [f64],
    u: &'a mut [f64],
}

impl Kernel for Expand<'_> {
    type Output = ();

    #[inline(always)]
    fn run<W: Wide>(self, wide: W) {
        let Self { rows, q, u } = self;
        for (u, row) in u.iter_mut().zip(rows.chunks_exact(q.len())) {
            *u = dot(wide, row, q);
        }
    }
}

/// A row times q, in sixteen partial sums.
#[inline(always)]
fn dot<W: Wide>(wide: W, row: &[f64], q: &[f64]) -> f64 {
    let (row, row_rest) = row.as_chunks::<4>();
    let (q, q_rest) = q.as_chunks::<4>();
    let (rows, row_last) = row.as_chunks::<4>();
    let (qs, q_last) = q.as_chunks::<4>();
    let mut sums = [wide.splat(0.0); 4];
    for (a, q) in rows.iter().zip(qs) {
        sums[0] = wide.mul_add(wide.load_slice(&a[0]), wide.load_slice(&q[0]), sums[0]);
        sums[1] = wide.mul_add(wide.load_slice(&a[1]), wide.load_slice(&q[1]), sums[1]);
        sums[2] = wide.mul_add(wide.load_slice(&a[2]), wide.load_slice(&q[2]), sums[2]);
        sums[3] = wide.mul_add(wide.load_slice(&a[3]), wide.load_slice(&q[3]), sums[3]);
    }
    for (a, q) in row_last.iter().zip(q_last) {
        sums[0] = wide.mul_add(wide.load_slice(a), wide.load_slice(q), sums[0]);
    }
    let sum = wide.store(wide.add(wide.add(sums[0], sums[1]), wide.add(sums[2], sums[3]))).0;
    let mut out = (sum[0] + sum[1]) + (sum[2] + sum[3]);
    for (a, q) in row_rest.iter().zip(q_rest) {
        out += a * q;
    }
    out
}

struct Project<'a> {
    rows: &'a [f64],
    f: &'a [f64],
    p: &'a mut [f64],
}

impl Kernel for Project<'_> {
    type Output = ();

    #[inline(always)]
    fn run<W: Wide>(self, wide: W) {
        let Self { rows, f, p } = self;
        for (&f, row) in f.iter().zip(rows.chunks_exact(p.len())) {
            add(wide, f, row, p);
        }
    }
}

/// p ← p + f · row.
#[inline(always)]
fn add<W: Wide>(wide: W, f: f64, row: &[f64], p: &mut [f64]) {
    let (row, row_rest) = row.as_chunks::<4>();
    let (p, p_rest) = p.as_chunks_mut::<4>();
    let factor = wide.splat(f);
    for (p, a) in p.iter_mut().zip(row) {
        *p = wide.store(wide.mul_add(wide.load_slice(a), factor, wide.load_slice(p))).0;
    }
    for (p, a) in p_rest.iter_mut().zip(row_rest) {
        *p += a * f;
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
