//! Products with a tall matrix that lies row by row: u = U q and p = Uᵀ f, at the speed of memory.
//!
//! Rows of a basis lie together, so that what one vertex needs is one stretch of memory; reading U once is all the time
//! that a product takes. Number k of a row goes to lane k mod 4 of its sum, and the last r mod 4 numbers are added to the
//! sum of the lanes one after the other, whatever rows are computed beside it: a row has the same bits alone and among
//! others. One thread: a core or two saturate the memory, and a frame of a game has other work for the rest.

use crate::four::{self, Kernel, Wide};

/// u = U q: `rows` holds one row of q.len() numbers for each number of u.
pub fn expand(rows: &[f64], q: &[f64], u: &mut [f64]) {
    assert_eq!(rows.len(), q.len() * u.len(), "a row of {} numbers for each of {}", q.len(), u.len());
    if q.is_empty() {
        return u.fill(0.0);
    }
    four::run(Expand { rows, q, u });
}

/// p = Uᵀ f: `rows` holds one row of p.len() numbers for each number of f.
pub fn project(rows: &[f64], f: &[f64], p: &mut [f64]) {
    assert_eq!(rows.len(), p.len() * f.len(), "a row of {} numbers for each of {}", p.len(), f.len());
    p.fill(0.0);
    if !p.is_empty() {
        four::run(Project { rows, f, p });
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
        let r = q.len();
        let (fours, rest) = u.as_chunks_mut::<4>();
        let (blocks, last) = rows.split_at(4 * r * fours.len());
        // Four rows at a time read q once for all of them.
        for (u, block) in fours.iter_mut().zip(blocks.chunks_exact(4 * r)) {
            let (ab, cd) = block.split_at(2 * r);
            let ((a, b), (c, d)) = (ab.split_at(r), cd.split_at(r));
            *u = dots(wide, [a, b, c, d], q);
        }
        for (u, row) in rest.iter_mut().zip(last.chunks_exact(r)) {
            *u = dots(wide, [row; 4], q)[0];
        }
    }
}

/// Four rows times q, each of q's length.
#[inline(always)]
fn dots<W: Wide>(wide: W, [a, b, c, d]: [&[f64]; 4], q: &[f64]) -> [f64; 4] {
    let (q, q_rest) = q.as_chunks::<4>();
    let ((a, a_rest), (b, b_rest)) = (a.as_chunks::<4>(), b.as_chunks::<4>());
    let ((c, c_rest), (d, d_rest)) = (c.as_chunks::<4>(), d.as_chunks::<4>());
    let mut sums = [wide.splat(0.0); 4];
    for ((((q, a), b), c), d) in q.iter().zip(a).zip(b).zip(c).zip(d) {
        let q = wide.load_slice(q);
        sums[0] = wide.mul_add(wide.load_slice(a), q, sums[0]);
        sums[1] = wide.mul_add(wide.load_slice(b), q, sums[1]);
        sums[2] = wide.mul_add(wide.load_slice(c), q, sums[2]);
        sums[3] = wide.mul_add(wide.load_slice(d), q, sums[3]);
    }
    let mut out = wide.store(wide.sums(sums)).0;
    for ((((q, a), b), c), d) in q_rest.iter().zip(a_rest).zip(b_rest).zip(c_rest).zip(d_rest) {
        out[0] += a * q;
        out[1] += b * q;
        out[2] += c * q;
        out[3] += d * q;
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
        let r = p.len();
        let (fours, rest) = f.as_chunks::<4>();
        let (blocks, last) = rows.split_at(4 * r * fours.len());
        // Four rows for each time that p is read and written.
        for (f, block) in fours.iter().zip(blocks.chunks_exact(4 * r)) {
            let (ab, cd) = block.split_at(2 * r);
            let ((a, b), (c, d)) = (ab.split_at(r), cd.split_at(r));
            add(wide, f, [a, b, c, d], p);
        }
        for (f, row) in rest.iter().zip(last.chunks_exact(r)) {
            p.iter_mut().zip(row).for_each(|(p, a)| *p += a * f);
        }
    }
}

/// p ← p + f₀ a + f₁ b + f₂ c + f₃ d.
#[inline(always)]
fn add<W: Wide>(wide: W, f: &[f64; 4], [a, b, c, d]: [&[f64]; 4], p: &mut [f64]) {
    let (p, p_rest) = p.as_chunks_mut::<4>();
    let ((a, a_rest), (b, b_rest)) = (a.as_chunks::<4>(), b.as_chunks::<4>());
    let ((c, c_rest), (d, d_rest)) = (c.as_chunks::<4>(), d.as_chunks::<4>());
    let factors = [wide.splat(f[0]), wide.splat(f[1]), wide.splat(f[2]), wide.splat(f[3])];
    for ((((p, a), b), c), d) in p.iter_mut().zip(a).zip(b).zip(c).zip(d) {
        let mut sum = wide.mul_add(wide.load_slice(a), factors[0], wide.load_slice(p));
        sum = wide.mul_add(wide.load_slice(b), factors[1], sum);
        sum = wide.mul_add(wide.load_slice(c), factors[2], sum);
        *p = wide.store(wide.mul_add(wide.load_slice(d), factors[3], sum)).0;
    }
    for ((((p, a), b), c), d) in p_rest.iter_mut().zip(a_rest).zip(b_rest).zip(c_rest).zip(d_rest) {
        *p += a * f[0] + b * f[1] + c * f[2] + d * f[3];
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
