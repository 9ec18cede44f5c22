//! Products with a tall matrix that lies row by row: u = U q and p = Uᵀ f, at the speed of memory; and UᵀHU of a sparse H.
//!
//! Rows of a basis lie together, so that what one vertex needs is one stretch of memory; reading U once is all the time
//! that a product takes. It is read strictly from front to back, row after row: several rows at once would need fewer
//! instructions, but the processor then no longer sees what it should fetch next, and half the speed is lost. The order of a
//! row's sum depends on its length alone: a row has the same bits alone and among others. One thread: a core or two
//! saturate the memory, and a frame of a game has other work for the rest.

use crate::simd::{self, Kernel, Wide};
use crate::{DenseSymmetric, Symmetric};

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

/// C = AᵀB where that is symmetric: A and B lie row by row, as long as C is wide. One thread, nothing is allocated.
pub fn gram(a: &[f64], b: &[f64], out: &mut DenseSymmetric) {
    let size = out.size();
    assert_eq!(a.len(), b.len(), "matrices of one shape");
    out.clear();
    if size > 0 {
        assert_eq!(a.len() % size, 0, "rows of {size} numbers");
        simd::run(Gram { a, b, size, out: out.values_mut() });
    }
}

/// B = H A for a sparse H: A and B lie row by row, with `columns` numbers each. One thread, nothing is allocated.
pub fn apply_sparse(H: &Symmetric<3>, a: &[f64], columns: usize, b: &mut [f64]) {
    assert_eq!((a.len(), b.len()), (H.size() * columns, H.size() * columns), "a row for each of the matrix");
    b.fill(0.0);
    if columns > 0 {
        simd::run(ApplySparse { H, a, columns, b });
    }
}

struct Gram<'a> {
    a: &'a [f64],
    b: &'a [f64],
    size: usize,
    out: &'a mut [f64],
}

/// Rows of A and B that go through C together, so that C is read and written once for all of them.
const TOGETHER: usize = 4;

impl Kernel for Gram<'_> {
    type Output = ();

    #[inline(always)]
    fn run<W: Wide>(self, wide: W) {
        let Self { a, b, size, out } = self;
        let whole = a.len() / size / TOGETHER * TOGETHER * size;
        for (a, b) in a[..whole].chunks_exact(TOGETHER * size).zip(b[..whole].chunks_exact(TOGETHER * size)) {
            let ((b01, b23), half) = (b.split_at(2 * size), size);
            let ((b0, b1), (b2, b3)) = (b01.split_at(half), b23.split_at(half));
            for (i, row) in out.chunks_exact_mut(size).enumerate() {
                let factors = [a[i], a[size + i], a[2 * size + i], a[3 * size + i]];
                combine(wide, factors, [&b0[i..], &b1[i..], &b2[i..], &b3[i..]], &mut row[i..]);
            }
        }
        for (a, b) in a[whole..].chunks_exact(size).zip(b[whole..].chunks_exact(size)) {
            for (i, row) in out.chunks_exact_mut(size).enumerate() {
                add(wide, a[i], &b[i..], &mut row[i..]);
            }
        }
    }
}

struct ApplySparse<'a> {
    H: &'a Symmetric<3>,
    a: &'a [f64],
    columns: usize,
    b: &'a mut [f64],
}

impl Kernel for ApplySparse<'_> {
    type Output = ();

    #[inline(always)]
    fn run<W: Wide>(self, wide: W) {
        let Self { H, a, columns: r, b } = self;
        let rows = |v: usize| &a[3 * v * r..(3 * v + 3) * r];
        for j in 0..H.pattern().size() {
            let (slots, neighbours) = H.pattern().column(j);
            for (block, &i) in H.values()[slots].iter().zip(neighbours) {
                let i = i as usize;
                for (k, out) in b[3 * i * r..(3 * i + 3) * r].chunks_exact_mut(r).enumerate() {
                    three(wide, block[k], rows(j), out);
                }
                if i != j {
                    for (k, out) in b[3 * j * r..(3 * j + 3) * r].chunks_exact_mut(r).enumerate() {
                        three(wide, [block[0][k], block[1][k], block[2][k]], rows(i), out);
                    }
                }
            }
        }
    }
}

/// out ← out + the sum of three rows, each with its factor.
#[inline(always)]
fn three<W: Wide>(wide: W, factors: [f64; 3], rows: &[f64], out: &mut [f64]) {
    let r = out.len();
    let (a, rest) = rows.split_at(r);
    let (b, c) = rest.split_at(r);
    let ((a, a_rest), (b, b_rest), (c, c_rest)) =
        (a.as_chunks::<4>(), b.as_chunks::<4>(), c.as_chunks::<4>());
    let (out, out_rest) = out.as_chunks_mut::<4>();
    let f = [wide.splat(factors[0]), wide.splat(factors[1]), wide.splat(factors[2])];
    for (((out, a), b), c) in out.iter_mut().zip(a).zip(b).zip(c) {
        let sum = wide.mul_add(wide.load_slice(a), f[0], wide.load_slice(out));
        let sum = wide.mul_add(wide.load_slice(b), f[1], sum);
        *out = wide.store(wide.mul_add(wide.load_slice(c), f[2], sum)).0;
    }
    for (((out, a), b), c) in out_rest.iter_mut().zip(a_rest).zip(b_rest).zip(c_rest) {
        *out += factors[0] * a + factors[1] * b + factors[2] * c;
    }
}

/// out ← out + the sum of four rows, each with its factor.
#[inline(always)]
fn combine<W: Wide>(wide: W, factors: [f64; TOGETHER], rows: [&[f64]; TOGETHER], out: &mut [f64]) {
    let ((a, a_rest), (b, b_rest)) = (rows[0].as_chunks::<4>(), rows[1].as_chunks::<4>());
    let ((c, c_rest), (d, d_rest)) = (rows[2].as_chunks::<4>(), rows[3].as_chunks::<4>());
    let (out, out_rest) = out.as_chunks_mut::<4>();
    let f = [wide.splat(factors[0]), wide.splat(factors[1]), wide.splat(factors[2]), wide.splat(factors[3])];
    for ((((out, a), b), c), d) in out.iter_mut().zip(a).zip(b).zip(c).zip(d) {
        let one = wide.mul_add(wide.load_slice(a), f[0], wide.load_slice(out));
        let one = wide.mul_add(wide.load_slice(b), f[1], one);
        let one = wide.mul_add(wide.load_slice(c), f[2], one);
        *out = wide.store(wide.mul_add(wide.load_slice(d), f[3], one)).0;
    }
    for ((((out, a), b), c), d) in out_rest.iter_mut().zip(a_rest).zip(b_rest).zip(c_rest).zip(d_rest) {
        *out += factors[0] * a + factors[1] * b + factors[2] * c + factors[3] * d;
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
    fn products_with_a_sparse_matrix_and_with_each_other_are_the_plain_sums() {
        let pattern = crate::Pattern::from_cliques(5, [&[0_u32, 1, 2][..], &[2, 3], &[4, 1]].into_iter());
        let mut H = Symmetric::<3>::zeros(pattern.clone());
        for j in 0..5 {
            let (slots, rows) = pattern.column(j);
            for (slot, &i) in slots.zip(rows) {
                H.values_mut()[slot] = std::array::from_fn(|a| {
                    std::array::from_fn(|b| {
                        let (a, b) = if i as usize == j { (a.min(b), a.max(b)) } else { (a, b) };
                        ((7 * slot + 3 * a + b) as f64).sin()
                    })
                });
            }
        }
        for r in [1, 3, 4, 7, 8, 13] {
            let U: Vec<f64> = (0..15 * r).map(|k| ((5 * k) as f64).cos()).collect();
            let mut HU = vec![f64::NAN; 15 * r];
            apply_sparse(&H, &U, r, &mut HU);
            for k in 0..r {
                let (column, mut wanted): (Vec<f64>, _) =
                    ((0..15).map(|i| U[i * r + k]).collect(), [0.0; 15]);
                H.apply(&column, &mut wanted);
                (0..15).for_each(|i| assert!((HU[i * r + k] - wanted[i]).abs() < 1e-13, "{i} {k}, r = {r}"));
            }
            let mut K = DenseSymmetric::zeros(r);
            gram(&U, &HU, &mut K);
            for i in 0..r {
                for j in 0..r {
                    let wanted: f64 = (0..15).map(|k| U[k * r + i] * HU[k * r + j]).sum();
                    assert!((K.get(i, j) - wanted).abs() < 1e-12, "({i}, {j}), r = {r}");
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
