//! Cholesky's factorisation of small matrices, four rows at a time.
//!
//! ```text
//! A = UᵀU:   S = A_block − Σ_p U_pᵀ U_p over the rows p above,   S_diagonal = TᵀT,   U_block = T⁻ᵀ S
//! ```
//! Every number is read once from A and written once to U; between the two it lies in a register. The triangle T of four
//! rows is factorised number by number, the rest four columns at a time. Past a few hundred rows a blocked
//! factorisation that minds the caches is quicker.

use super::DenseSymmetric;
use crate::simd::{self, Kernel, Quad, Wide};

/// A = Uᵀ U of a positive definite matrix.
#[derive(Clone, Debug)]
pub struct DenseCholesky {
    size: usize,
    /// U by rows of whole fours, an identity behind the last row; what is below the diagonal is zero.
    factor: Vec<Quad>,
    /// 1 / U_ii, four at a time.
    inverses: Vec<Quad>,
}

impl DenseCholesky {
    /// Room for matrices of this size.
    pub fn new(size: usize) -> Self {
        let width = size.div_ceil(4);
        let quads = |count: usize| vec![Quad::default(); count];
        Self { size, factor: quads(4 * width * width), inverses: quads(width) }
    }

    /// Factorises; after an error there is no factor.
    ///
    /// # Errors
    /// The row at which a pivot was not positive, or not finite.
    pub fn factorise(&mut self, matrix: &DenseSymmetric) -> Result<(), usize> {
        assert_eq!(matrix.size(), self.size, "a matrix of the size it was made for");
        simd::run(Factorise {
            values: matrix.values(),
            size: self.size,
            factor: &mut self.factor,
            inverses: &mut self.inverses,
        })
    }

    /// x ← A⁻¹ x.
    pub fn solve(&self, x: &mut [f64]) {
        assert_eq!(x.len(), self.size, "a vector of the matrix's size");
        let (x, rest) = x.as_chunks_mut::<4>();
        let mut last = Quad::default();
        last.0[..rest.len()].copy_from_slice(rest);
        simd::run(Solve { factor: &self.factor, inverses: &self.inverses, x, last: &mut last });
        rest.copy_from_slice(&last.0[..rest.len()]);
    }

    /// x ← U⁻ᵀ x: the first half of a solve, and what turns a generalised eigenproblem into an ordinary one. Number by
    /// number: not for the run of time.
    pub fn solve_transposed_half(&self, x: &mut [f64]) {
        assert_eq!(x.len(), self.size, "a vector of the matrix's size");
        for i in 0..x.len() {
            let xi = x[i] / self.entry(i, i);
            x[i] = xi;
            (i + 1..x.len()).for_each(|j| x[j] -= xi * self.entry(i, j));
        }
    }

    /// x ← U⁻¹ x: the second half, likewise.
    pub fn solve_half(&self, x: &mut [f64]) {
        assert_eq!(x.len(), self.size, "a vector of the matrix's size");
        for i in (0..x.len()).rev() {
            let sum: f64 = (i + 1..x.len()).map(|j| self.entry(i, j) * x[j]).sum();
            x[i] = (x[i] - sum) / self.entry(i, i);
        }
    }

    /// U_ij, i ≤ j.
    pub(super) fn entry(&self, i: usize, j: usize) -> f64 {
        self.factor[i * self.inverses.len() + j / 4].0[j % 4]
    }
}

/// Numbers 4n … 4n+3 of a row, zero past its end.
#[inline(always)]
fn read(row: &[f64], n: usize) -> Quad {
    match row[4 * n..].first_chunk::<4>() {
        Some(four) => Quad(*four),
        None => {
            let mut quad = Quad::default();
            // Not a copy of so many: that would be a call.
            let rest = &row[4 * n..];
            for k in 0..3 {
                if k < rest.len() {
                    quad.0[k] = rest[k];
                }
            }
            quad
        }
    }
}

struct Factorise<'a> {
    values: &'a [f64],
    size: usize,
    factor: &'a mut [Quad],
    inverses: &'a mut [Quad],
}

/// Four rows of A, of which those past the end are an identity's.
#[derive(Clone, Copy)]
struct Block<'a> {
    values: &'a [f64],
    size: usize,
    first: usize,
}

impl Block<'_> {
    /// Numbers 4n … 4n+3 of row m.
    #[inline(always)]
    fn read(self, m: usize, n: usize) -> Quad {
        let row = self.first + m;
        if row < self.size {
            return read(&self.values[row * self.size..(row + 1) * self.size], n);
        }
        let mut quad = Quad::default();
        if 4 * n == self.first {
            quad.0[m] = 1.0;
        }
        quad
    }
}

impl Kernel for Factorise<'_> {
    type Output = Result<(), usize>;

    #[inline(always)]
    fn run<W: Wide>(self, wide: W) -> Result<(), usize> {
        let Self { values, size, factor, inverses } = self;
        let width = inverses.len();
        for n in 0..width {
            let block = Block { values, size, first: 4 * n };
            let (above, rows) = factor.split_at_mut(4 * n * width);
            let rows = &mut rows[..4 * width];

            let [diagonal] = remainder::<W, 1>(wide, block, above, width, n, n);
            let mut S = [Quad::default(); 4];
            for m in 0..4 {
                S[m] = wide.store(diagonal[m]);
            }
            let inverse = triangle(&mut S).map_err(|m| 4 * n + m)?;
            inverses[n] = inverse;
            for m in 0..4 {
                rows[m * width + n] = S[m];
            }

            let mut g = n + 1;
            while g + 1 < width {
                let both = remainder::<W, 2>(wide, block, above, width, n, g);
                put(wide, &S, &inverse, both[0], rows, width, g);
                put(wide, &S, &inverse, both[1], rows, width, g + 1);
                g += 2;
            }
            if g < width {
                let [one] = remainder::<W, 1>(wide, block, above, width, n, g);
                put(wide, &S, &inverse, one, rows, width, g);
            }
        }
        Ok(())
    }
}

/// A − Σ U_pᵀ U_p over the rows above, for the four rows of block n and G times four columns from group g on.
#[inline(always)]
fn remainder<W: Wide, const G: usize>(
    wide: W,
    block: Block<'_>,
    above: &[Quad],
    width: usize,
    n: usize,
    g: usize,
) -> [[W::V; 4]; G] {
    let mut sum = [[wide.splat(0.0); 4]; G];
    for k in 0..G {
        for m in 0..4 {
            sum[k][m] = wide.load(&block.read(m, g + k));
        }
    }
    assert!(n <= g && g + G <= width, "a group of columns that is there");
    for row in above.chunks_exact(width) {
        let factors = &row[n].0;
        let mut own = [wide.splat(0.0); G];
        for k in 0..G {
            own[k] = wide.load(&row[g + k]);
        }
        for m in 0..4 {
            let factor = wide.splat(factors[m]);
            for k in 0..G {
                sum[k][m] = wide.minus(sum[k][m], factor, own[k]);
            }
        }
    }
    sum
}

/// U = T⁻ᵀ S for four columns, written to group g.
#[inline(always)]
fn put<W: Wide>(
    wide: W,
    T: &[Quad; 4],
    inverse: &Quad,
    S: [W::V; 4],
    rows: &mut [Quad],
    width: usize,
    g: usize,
) {
    let mut U = S;
    for m in 0..4 {
        for p in 0..m {
            U[m] = wide.minus(U[m], wide.splat(T[p].0[m]), U[p]);
        }
        U[m] = wide.mul(U[m], wide.splat(inverse.0[m]));
        rows[m * width + g] = wide.store(U[m]);
    }
}

/// S ← T, upper, with S = TᵀT of which only the upper half is read; gives 1 / T_mm, or the row whose pivot is unsound.
#[inline(always)]
fn triangle(S: &mut [Quad; 4]) -> Result<Quad, usize> {
    let mut inverse = Quad::default();
    for m in 0..4 {
        let pivot = S[m].0[m];
        if !(pivot > 0.0 && pivot.is_finite()) {
            return Err(m);
        }
        let root = pivot.sqrt();
        inverse.0[m] = 1.0 / root;
        S[m].0[m] = root;
        for j in 0..m {
            S[m].0[j] = 0.0;
        }
        for j in m + 1..4 {
            S[m].0[j] *= inverse.0[m];
        }
        for i in m + 1..4 {
            for j in i..4 {
                S[i].0[j] -= S[m].0[i] * S[m].0[j];
            }
        }
    }
    Ok(inverse)
}

struct Solve<'a> {
    factor: &'a [Quad],
    inverses: &'a [Quad],
    /// The whole fours of a right-hand side.
    x: &'a mut [[f64; 4]],
    /// What is left of it; the factor has no such columns where nothing is.
    last: &'a mut Quad,
}

impl Kernel for Solve<'_> {
    type Output = ();

    #[inline(always)]
    fn run<W: Wide>(self, wide: W) {
        let Self { factor, inverses, x, last } = self;
        let (width, whole) = (inverses.len(), x.len());
        if width == 0 {
            return;
        }
        // Uᵀ y = x, row by row of U: what is known is taken from all that follows.
        for n in 0..width {
            let rows = four_rows(&factor[4 * n * width..], width);
            let (inverse, mut y) = (&inverses[n].0, if n < whole { x[n] } else { last.0 });
            for m in 0..4 {
                y[m] *= inverse[m];
                for k in m + 1..4 {
                    y[k] -= rows[m][n].0[k] * y[m];
                }
            }
            if n == whole {
                last.0 = y;
                break;
            }
            x[n] = y;
            let y = [wide.splat(y[0]), wide.splat(y[1]), wide.splat(y[2]), wide.splat(y[3])];
            for g in n + 1..whole {
                x[g] = wide.store(take(wide, wide.load_slice(&x[g]), rows, g, y)).0;
            }
            if whole < width {
                *last = wide.store(take(wide, wide.load(last), rows, whole, y));
            }
        }
        // U x = y, from below.
        for n in (0..width).rev() {
            let rows = four_rows(&factor[4 * n * width..], width);
            let mut sums = [wide.splat(0.0); 4];
            for g in n + 1..whole {
                sums = along(wide, sums, rows, g, wide.load_slice(&x[g]));
            }
            if n < whole && whole < width {
                sums = along(wide, sums, rows, whole, wide.load(last));
            }
            let own = if n < whole { wide.load_slice(&x[n]) } else { wide.load(last) };
            let (inverse, mut y) = (&inverses[n].0, wide.store(wide.sub(own, wide.sums(sums))).0);
            for m in [3, 2, 1, 0] {
                y[m] *= inverse[m];
                for k in 0..m {
                    y[k] -= rows[k][n].0[m] * y[m];
                }
            }
            if n < whole {
                x[n] = y;
            } else {
                last.0 = y;
            }
        }
    }
}

/// x − Σ y_m rows_m, for four columns.
#[inline(always)]
fn take<W: Wide>(wide: W, x: W::V, rows: [&[Quad]; 4], g: usize, y: [W::V; 4]) -> W::V {
    let mut x = x;
    for m in 0..4 {
        x = wide.minus(x, wide.load(&rows[m][g]), y[m]);
    }
    x
}

/// The products of four rows with x, for four columns, added lane by lane.
#[inline(always)]
fn along<W: Wide>(wide: W, sums: [W::V; 4], rows: [&[Quad]; 4], g: usize, x: W::V) -> [W::V; 4] {
    let mut sums = sums;
    for m in 0..4 {
        sums[m] = wide.mul_add(wide.load(&rows[m][g]), x, sums[m]);
    }
    sums
}

/// Four rows that lie one after the other.
#[inline(always)]
fn four_rows(rows: &[Quad], width: usize) -> [&[Quad]; 4] {
    let (a, rest) = rows.split_at(width);
    let (b, rest) = rest.split_at(width);
    let (c, rest) = rest.split_at(width);
    [a, b, c, &rest[..width]]
}
