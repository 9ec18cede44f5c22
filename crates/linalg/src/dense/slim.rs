//! Products of a tall matrix of many columns with one of a few: a basis and the block that joins it.
//!
//! ```text
//! H = AᵀB,    C ← C − A H         A is n × m, B and C are n × p, p small
//! ```
//! A is hundreds of megabytes and is read once; for each of its numbers there are only p multiplications, too few to pay for
//! the copy that a general product makes of it first. Rows are cut into chunks of a fixed length that keep B in the first
//! cache; parts of H are summed in the order of the chunks: the same bits for any number of threads.

use faer::Mat;
use rayon::prelude::*;

use crate::simd::{self, Kernel, Quad, Wide};

/// Rows in one chunk: eight columns of B are 32 kB. Part of the result's bits: never derived from the number of threads.
const ROWS: usize = 512;

/// Chunks whose parts of H are in memory at once.
const STRETCH: usize = 64;

/// Columns of B or C that are worked on at once.
const SIDE: usize = 4;

/// AᵀB for columns of `rows` numbers each.
pub(crate) fn transposed_product(a: &[f64], b: &[f64], rows: usize) -> Mat<f64> {
    let (m, p) = (a.len() / rows, b.len() / rows);
    let mut sum = Mat::zeros(m, p);
    if m == 0 || p == 0 {
        return sum;
    }
    for first in (0..rows.div_ceil(ROWS)).step_by(STRETCH) {
        let last = (first + STRETCH).min(rows.div_ceil(ROWS));
        let parts: Vec<Vec<f64>> = (first..last)
            .into_par_iter()
            .map(|chunk| {
                let (begin, end) = (chunk * ROWS, rows.min((chunk + 1) * ROWS));
                let mut part = vec![0.0; m * p];
                simd::run(Transposed { a, b, rows, begin, end, out: &mut part });
                part
            })
            .collect();
        for part in &parts {
            for (j, part) in part.chunks_exact(m).enumerate() {
                sum.col_as_slice_mut(j).iter_mut().zip(part).for_each(|(s, x)| *s += x);
            }
        }
    }
    sum
}

/// C ← C − A h, h m × p.
pub(crate) fn subtract_product(c: &mut [f64], a: &[f64], h: &Mat<f64>, rows: usize) {
    let (m, p) = (a.len() / rows, c.len() / rows);
    assert_eq!((h.nrows(), h.ncols()), (m, p), "a coefficient for each pair of columns");
    if m == 0 || p == 0 {
        return;
    }
    let mut columns: Vec<_> = c.chunks_exact_mut(rows).map(|column| column.chunks_mut(ROWS)).collect();
    let chunks: Vec<Vec<&mut [f64]>> =
        (0..rows.div_ceil(ROWS)).map(|_| columns.iter_mut().filter_map(Iterator::next).collect()).collect();
    chunks.into_par_iter().enumerate().for_each(|(chunk, mut c)| {
        simd::run(Subtract { a, rows, begin: chunk * ROWS, h, c: &mut c });
    });
}

/// Rows `begin..end` of AᵀB.
struct Transposed<'a> {
    a: &'a [f64],
    b: &'a [f64],
    rows: usize,
    begin: usize,
    end: usize,
    /// m × p, column by column.
    out: &'a mut [f64],
}

impl Kernel for Transposed<'_> {
    type Output = ();

    #[inline(always)]
    fn run<W: Wide>(self, wide: W) {
        let (m, p) = (self.a.len() / self.rows, self.b.len() / self.rows);
        let mut i = 0;
        while i < m {
            // Where there is one column left it is taken twice.
            let pair = [i, (i + 1).min(m - 1)];
            let a = pair.map(|i| &self.a[i * self.rows + self.begin..i * self.rows + self.end]);
            let mut j = 0;
            while j < p {
                let four: [usize; SIDE] = [j, (j + 1).min(p - 1), (j + 2).min(p - 1), (j + 3).min(p - 1)];
                let b = four.map(|j| &self.b[j * self.rows + self.begin..j * self.rows + self.end]);
                let dots = dots(wide, a, b);
                for s in 0..2 {
                    for k in 0..SIDE {
                        self.out[four[k] * m + pair[s]] = dots[s].0[k];
                    }
                }
                j += SIDE;
            }
            i += 2;
        }
    }
}

/// Two columns times four.
#[inline(always)]
fn dots<W: Wide>(wide: W, a: [&[f64]; 2], b: [&[f64]; SIDE]) -> [Quad; 2] {
    let ((a0, rest_a0), (a1, rest_a1)) = (a[0].as_chunks::<4>(), a[1].as_chunks::<4>());
    let ((b0, rest_b0), (b1, rest_b1)) = (b[0].as_chunks::<4>(), b[1].as_chunks::<4>());
    let ((b2, rest_b2), (b3, rest_b3)) = (b[2].as_chunks::<4>(), b[3].as_chunks::<4>());
    let zero = wide.splat(0.0);
    let mut sums = [[zero; SIDE]; 2];
    for (((((a0, a1), b0), b1), b2), b3) in a0.iter().zip(a1).zip(b0).zip(b1).zip(b2).zip(b3) {
        let (a0, a1) = (wide.load_slice(a0), wide.load_slice(a1));
        let (b0, b1) = (wide.load_slice(b0), wide.load_slice(b1));
        let (b2, b3) = (wide.load_slice(b2), wide.load_slice(b3));
        sums[0][0] = wide.mul_add(a0, b0, sums[0][0]);
        sums[1][0] = wide.mul_add(a1, b0, sums[1][0]);
        sums[0][1] = wide.mul_add(a0, b1, sums[0][1]);
        sums[1][1] = wide.mul_add(a1, b1, sums[1][1]);
        sums[0][2] = wide.mul_add(a0, b2, sums[0][2]);
        sums[1][2] = wide.mul_add(a1, b2, sums[1][2]);
        sums[0][3] = wide.mul_add(a0, b3, sums[0][3]);
        sums[1][3] = wide.mul_add(a1, b3, sums[1][3]);
    }
    let mut dots = [wide.store(wide.sums(sums[0])), wide.store(wide.sums(sums[1]))];
    let rest = [rest_b0, rest_b1, rest_b2, rest_b3];
    for k in 0..SIDE {
        for r in 0..rest_a0.len() {
            dots[0].0[k] += rest_a0[r] * rest[k][r];
            dots[1].0[k] += rest_a1[r] * rest[k][r];
        }
    }
    dots
}

/// One chunk of C − A h.
struct Subtract<'a, 'c> {
    a: &'a [f64],
    rows: usize,
    begin: usize,
    h: &'a Mat<f64>,
    /// This chunk of each column of C.
    c: &'a mut [&'c mut [f64]],
}

impl Kernel for Subtract<'_, '_> {
    type Output = ();

    #[inline(always)]
    fn run<W: Wide>(self, wide: W) {
        let (m, p) = (self.h.nrows(), self.c.len());
        let mut i = 0;
        while i < m {
            let there = SIDE.min(m - i);
            let four: [usize; SIDE] = [i, (i + 1).min(m - 1), (i + 2).min(m - 1), (i + 3).min(m - 1)];
            let height = self.c[0].len();
            let begin = self.begin;
            let a = four.map(|i| &self.a[i * self.rows + begin..i * self.rows + begin + height]);
            for j in 0..p {
                let h = self.h.col_as_slice(j);
                // A column that is not there counts zero times.
                let mut factors = [0.0; SIDE];
                factors[..there].copy_from_slice(&h[i..i + there]);
                subtract(wide, self.c[j], a, factors);
            }
            i += SIDE;
        }
    }
}

/// c ← c − f₀ a₀ − … − f₃ a₃.
#[inline(always)]
fn subtract<W: Wide>(wide: W, c: &mut [f64], a: [&[f64]; SIDE], f: [f64; SIDE]) {
    let ((a0, rest0), (a1, rest1)) = (a[0].as_chunks::<4>(), a[1].as_chunks::<4>());
    let ((a2, rest2), (a3, rest3)) = (a[2].as_chunks::<4>(), a[3].as_chunks::<4>());
    let (c, rest) = c.as_chunks_mut::<4>();
    let (f0, f1, f2, f3) = (wide.splat(f[0]), wide.splat(f[1]), wide.splat(f[2]), wide.splat(f[3]));
    for ((((c, a0), a1), a2), a3) in c.iter_mut().zip(a0).zip(a1).zip(a2).zip(a3) {
        let mut x = wide.load_slice(c);
        x = wide.minus(x, wide.load_slice(a0), f0);
        x = wide.minus(x, wide.load_slice(a1), f1);
        x = wide.minus(x, wide.load_slice(a2), f2);
        x = wide.minus(x, wide.load_slice(a3), f3);
        *c = wide.store(x).0;
    }
    for ((((c, a0), a1), a2), a3) in rest.iter_mut().zip(rest0).zip(rest1).zip(rest2).zip(rest3) {
        *c -= (f[0] * a0 + f[1] * a1) + (f[2] * a2 + f[3] * a3);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn numbers(count: usize, seed: usize) -> Vec<f64> {
        (0..count).map(|i| ((i * 37 + seed * 11) % 101) as f64 / 101.0 - 0.5).collect()
    }

    #[test]
    fn few_columns_are_multiplied_like_many_and_with_the_same_bits_on_any_number_of_threads() {
        for (rows, m, p) in [(1, 1, 1), (7, 3, 2), (1027, 5, 8), (40_001, 6, 5)] {
            let (a, b) = (numbers(rows * m, 1), numbers(rows * p, 2));
            let run = |threads: usize| {
                let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads");
                pool.install(|| {
                    let h = transposed_product(&a, &b, rows);
                    let mut c = b.clone();
                    subtract_product(&mut c, &a, &h, rows);
                    (h, c)
                })
            };
            let ((h, c), many) = (run(1), run(7));
            assert!((&h, &c) == (&many.0, &many.1), "{rows} rows: other bits on many threads");
            for (i, j) in (0..m).flat_map(|i| (0..p).map(move |j| (i, j))) {
                let dot: f64 = (0..rows).map(|k| a[i * rows + k] * b[j * rows + k]).sum();
                assert!(
                    (h[(i, j)] - dot).abs() < 1e-14 * rows as f64 + 1e-13,
                    "{rows} rows, entry ({i}, {j})"
                );
            }
            for (k, j) in (0..rows).step_by(97).flat_map(|k| (0..p).map(move |j| (k, j))) {
                let part: f64 = (0..m).map(|i| a[i * rows + k] * h[(i, j)]).sum();
                let expected = b[j * rows + k] - part;
                assert!(
                    (c[j * rows + k] - expected).abs() < 1e-11 * (1.0 + part.abs()),
                    "row {k}, column {j}"
                );
            }
        }
        assert_eq!(transposed_product(&[], &[1.0, 2.0], 2).ncols(), 1);
    }
}
