//! A stack of short, wide blocks, multiplied block by block: what a reduced force does thousands of times a second.
//!
//! ```text
//! B = [B₁; …; B_s],  B_c of 3, 6 or 9 rows and r columns:   d = B_c q,   f ← f + B_cᵀ g,   K ← K + Σ_c B_cᵀ H_c B_c
//! ```
//! Each is one pass over the block's rows with as many sums in registers as it has rows, so that q or f is read once for
//! all of them. K is summed in tiles of 4 rows and 12 columns that stay in registers, upper triangle only.
//!
//! Nothing here allocates after it was made, wakes a thread, or panics on numbers that are not finite. Multiplications and
//! additions are fused where the processor can: bits may differ between processors, never between runs.

use pulp::{Arch, Simd, WithSimd};

use crate::DenseSymmetric;

/// Columns whose numbers lie together: those of a register, or of a few.
const COLUMNS: usize = 4;

/// Numbers in a cache line.
const LINE: usize = 8;

/// The most rows a block may have.
const MOST: usize = 9;

/// Blocks whose H B is kept at a time: with their rows of B it fits the second cache.
const STRETCH: usize = 16;

/// Registers of columns that a tile of K is wide.
const WIDE: usize = 3;

/// Blocks of up to nine rows, all of r columns. A block lies in memory four columns after four columns, each with all of
/// its rows: every product runs through it from one end to the other.
#[derive(Debug)]
pub struct RowBlocks {
    columns: usize,
    /// Where the first block starts: on a cache line.
    start: usize,
    values: Vec<f64>,
    /// The first row of each block, and the number of all rows.
    first: Vec<usize>,
}

/// What [`RowBlocks::stiffness`] works in.
#[derive(Clone, Debug)]
pub struct Workspace {
    /// Numbers from one row to the next of the two below: an odd number of cache lines, so that rows do not crowd a few
    /// sets of the cache.
    stride: usize,
    /// H B of some blocks.
    product: Vec<f64>,
    /// K.
    sum: Vec<f64>,
}

impl RowBlocks {
    /// Blocks of these heights, each 3, 6 or 9; `row(i)` gives the i-th of all rows, r = `columns` numbers.
    pub fn new<R: AsRef<[f64]>>(columns: usize, heights: &[usize], mut row: impl FnMut(usize) -> R) -> Self {
        let mut first = vec![0];
        for &height in heights {
            assert!([3, 6, MOST].contains(&height), "blocks of 3, 6 or 9 rows");
            first.push(first[first.len() - 1] + height);
        }
        let padded = columns.next_multiple_of(COLUMNS);
        let mut values = vec![0.0; first[heights.len()] * padded + LINE];
        let start = values.as_ptr().align_offset(LINE * size_of::<f64>()).min(LINE);
        for (&begin, &height) in first.iter().zip(heights) {
            let block = &mut values[start + begin * padded..][..height * padded];
            for k in 0..height {
                for (j, &x) in row(begin + k).as_ref()[..columns].iter().enumerate() {
                    block[place(height, k, j)] = x;
                }
            }
        }
        Self { columns, start, values, first }
    }

    /// r.
    pub fn columns(&self) -> usize {
        self.columns
    }

    /// Numbers that a vector of r numbers must have room for, the last ones zero: `q` and `f` below.
    pub fn padded(&self) -> usize {
        self.columns.next_multiple_of(COLUMNS)
    }

    /// How many blocks there are.
    pub fn count(&self) -> usize {
        self.first.len() - 1
    }

    /// Rows of block c.
    pub fn height(&self, c: usize) -> usize {
        self.first[c + 1] - self.first[c]
    }

    /// Entry (k, j) of block c.
    pub fn get(&self, c: usize, k: usize, j: usize) -> f64 {
        assert!(k < self.height(c) && j < self.columns, "an entry of the block");
        self.block(c)[place(self.height(c), k, j)]
    }

    /// out\[i\] = B_c q for c = first + i: the numbers past the block's height are left as they are.
    pub fn apply(&self, first: usize, q: &[f64], out: &mut [[f64; MOST]]) {
        assert_eq!(q.len(), self.padded(), "a vector with its padding");
        Arch::new().dispatch(Apply { blocks: self, first, q, out });
    }

    /// f ← f + Σ_i B_cᵀ g\[i\] for c = first + i; the last one first: after [`RowBlocks::apply`] it is still in the cache.
    pub fn add_transposed(&self, first: usize, g: &[[f64; MOST]], f: &mut [f64]) {
        assert_eq!(f.len(), self.padded(), "a vector with its padding");
        Arch::new().dispatch(AddTransposed { blocks: self, first, g, f });
    }

    /// Room for [`RowBlocks::stiffness`].
    pub fn workspace(&self) -> Workspace {
        let stride = LINE * (self.columns.div_ceil(LINE) | 1);
        Workspace {
            stride,
            product: vec![0.0; STRETCH * MOST * stride],
            sum: vec![0.0; self.padded() * stride],
        }
    }

    /// K = Σ_c B_cᵀ H_c B_c. `fill(first, H)` writes the symmetric matrices of the blocks from `first` on.
    ///
    /// # Errors
    /// What `fill` gives; K is then not touched.
    pub fn stiffness<E>(
        &self,
        work: &mut Workspace,
        mut fill: impl FnMut(usize, &mut [[[f64; MOST]; MOST]]) -> Result<(), E>,
        out: &mut DenseSymmetric,
    ) -> Result<(), E> {
        assert_eq!(out.size(), self.columns, "a matrix as wide as the blocks");
        work.sum.fill(0.0);
        let mut H = [[[0.0; MOST]; MOST]; STRETCH];
        let mut begin = 0;
        while begin < self.count() {
            let H = &mut H[..STRETCH.min(self.count() - begin)];
            fill(begin, H)?;
            Arch::new().dispatch(AddStiffness { blocks: self, begin, H, work });
            begin += H.len();
        }
        let r = self.columns;
        for (i, row) in out.values_mut().chunks_exact_mut(r.max(1)).enumerate() {
            row[i..].copy_from_slice(&work.sum[i * work.stride + i..i * work.stride + r]);
        }
        Ok(())
    }

    #[inline(always)]
    fn block(&self, c: usize) -> &[f64] {
        let padded = self.padded();
        &self.values[self.start + self.first[c] * padded..self.start + self.first[c + 1] * padded]
    }
}

/// Where entry (k, j) of a block of this height lies.
#[inline(always)]
fn place(height: usize, k: usize, j: usize) -> usize {
    (j / COLUMNS * height + k) * COLUMNS + j % COLUMNS
}

struct Apply<'a> {
    blocks: &'a RowBlocks,
    first: usize,
    q: &'a [f64],
    out: &'a mut [[f64; MOST]],
}

impl WithSimd for Apply<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        const { assert!(S::F64_LANES <= COLUMNS, "registers no wider than the columns that lie together") };
        let q = S::as_simd_f64s(self.q).0;
        for (i, out) in self.out.iter_mut().enumerate() {
            let block = S::as_simd_f64s(self.blocks.block(self.first + i)).0;
            match self.blocks.height(self.first + i) {
                3 => dots::<S, 3>(simd, block, q, out),
                6 => dots::<S, 6>(simd, block, q, out),
                _ => dots::<S, 9>(simd, block, q, out),
            }
        }
    }
}

/// The products of N rows with q.
#[inline(always)]
fn dots<S: Simd, const N: usize>(simd: S, block: &[S::f64s], q: &[S::f64s], out: &mut [f64; MOST]) {
    let parts = COLUMNS / S::F64_LANES;
    let mut sums = [simd.splat_f64s(0.0); N];
    for (block, q) in block.chunks_exact(N * parts).zip(q.chunks_exact(parts)) {
        for k in 0..N {
            for p in 0..parts {
                sums[k] = simd.mul_add_e_f64s(block[k * parts + p], q[p], sums[k]);
            }
        }
    }
    for k in 0..N {
        out[k] = simd.reduce_sum_f64s(sums[k]);
    }
}

struct AddTransposed<'a> {
    blocks: &'a RowBlocks,
    first: usize,
    g: &'a [[f64; MOST]],
    f: &'a mut [f64],
}

impl WithSimd for AddTransposed<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        let f = S::as_mut_simd_f64s(self.f).0;
        for (i, g) in self.g.iter().enumerate().rev() {
            let block = S::as_simd_f64s(self.blocks.block(self.first + i)).0;
            match self.blocks.height(self.first + i) {
                3 => combine::<S, 3>(simd, block, g, f),
                6 => combine::<S, 6>(simd, block, g, f),
                _ => combine::<S, 9>(simd, block, g, f),
            }
        }
    }
}

/// f ← f + Σ_k g_k row_k over N rows.
#[inline(always)]
fn combine<S: Simd, const N: usize>(simd: S, block: &[S::f64s], g: &[f64; MOST], f: &mut [S::f64s]) {
    let parts = COLUMNS / S::F64_LANES;
    let mut factors = [simd.splat_f64s(0.0); N];
    for k in 0..N {
        factors[k] = simd.splat_f64s(g[k]);
    }
    for (block, f) in block.chunks_exact(N * parts).zip(f.chunks_exact_mut(parts)) {
        for p in 0..parts {
            // Three sums: one alone would wait for each of its nine additions.
            let mut sums = [f[p], simd.splat_f64s(0.0), simd.splat_f64s(0.0)];
            for k in 0..N {
                sums[k % 3] = simd.mul_add_e_f64s(factors[k], block[k * parts + p], sums[k % 3]);
            }
            f[p] = simd.add_f64s(simd.add_f64s(sums[0], sums[1]), sums[2]);
        }
    }
}

struct AddStiffness<'a> {
    blocks: &'a RowBlocks,
    begin: usize,
    H: &'a [[[f64; MOST]; MOST]],
    work: &'a mut Workspace,
}

impl WithSimd for AddStiffness<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        let Self { blocks, begin, H, work } = self;
        let width = work.stride / S::F64_LANES;
        let first = |c: usize| blocks.first[c] - blocks.first[begin];
        let product = S::as_mut_simd_f64s(&mut work.product).0;
        for (i, H) in H.iter().enumerate() {
            let c = begin + i;
            let block = S::as_simd_f64s(blocks.block(c)).0;
            let into = &mut product[first(c) * width..first(c + 1) * width];
            match blocks.height(c) {
                3 => small_product::<S, 3>(simd, H, block, into, width),
                6 => small_product::<S, 6>(simd, H, block, into, width),
                _ => small_product::<S, 9>(simd, H, block, into, width),
            }
        }
        let used = blocks.columns.div_ceil(S::F64_LANES);
        let mut j = 0;
        while j < used {
            let tile = WIDE.min(used - j);
            // Rows of K that reach into these columns from above the diagonal.
            let last = ((j + tile) * S::F64_LANES).min(blocks.columns);
            for i in (0..last).step_by(COLUMNS) {
                let range = begin..begin + H.len();
                match tile {
                    1 => tile_of::<S, 1>(simd, blocks, range, work, i, j),
                    2 => tile_of::<S, 2>(simd, blocks, range, work, i, j),
                    _ => tile_of::<S, 3>(simd, blocks, range, work, i, j),
                }
            }
            j += tile;
        }
    }
}

/// H B_c of N rows, row by row.
#[inline(always)]
fn small_product<S: Simd, const N: usize>(
    simd: S,
    H: &[[f64; MOST]; MOST],
    block: &[S::f64s],
    into: &mut [S::f64s],
    width: usize,
) {
    let parts = COLUMNS / S::F64_LANES;
    for (chunk, block) in block.chunks_exact(N * parts).enumerate() {
        for p in 0..parts {
            let mut column = [simd.splat_f64s(0.0); N];
            for k in 0..N {
                column[k] = block[k * parts + p];
            }
            for i in 0..N {
                let mut sum = simd.mul_f64s(simd.splat_f64s(H[i][0]), column[0]);
                for k in 1..N {
                    sum = simd.mul_add_e_f64s(simd.splat_f64s(H[i][k]), column[k], sum);
                }
                into[i * width + chunk * parts + p] = sum;
            }
        }
    }
}

/// K ← K + Bᵀ (H B) for four rows from i on and N registers of columns from j on.
#[inline(always)]
fn tile_of<S: Simd, const N: usize>(
    simd: S,
    blocks: &RowBlocks,
    range: std::ops::Range<usize>,
    work: &mut Workspace,
    i: usize,
    j: usize,
) {
    let width = work.stride / S::F64_LANES;
    let mut products = S::as_simd_f64s(&work.product).0.chunks_exact(width);
    let mut tile = [[simd.splat_f64s(0.0); N]; COLUMNS];
    for c in range {
        let height = blocks.height(c);
        let rows = blocks.block(c)[i * height..(i + COLUMNS) * height].as_chunks::<COLUMNS>().0;
        for (b, product) in rows.iter().zip(&mut products) {
            let product = &product[j..j + N];
            for a in 0..COLUMNS {
                let factor = simd.splat_f64s(b[a]);
                for l in 0..N {
                    tile[a][l] = simd.mul_add_e_f64s(factor, product[l], tile[a][l]);
                }
            }
        }
    }
    let sum = S::as_mut_simd_f64s(&mut work.sum).0;
    for a in 0..COLUMNS {
        for l in 0..N {
            let at = (i + a) * width + j + l;
            sum[at] = simd.add_f64s(sum[at], tile[a][l]);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Random;

    fn noise(size: usize, scale: f64, seed: u64) -> Vec<f64> {
        let mut random = Random(seed);
        (0..size).map(|_| 0.5 * scale * random.symmetric()).collect()
    }

    #[test]
    fn products_are_those_of_the_whole_matrix() {
        for r in [1, 3, 4, 7, 8, 12, 13, 30, 64, 135] {
            let heights: Vec<usize> = (0..37).map(|c| [9, 3, 6, 9][c % 4]).collect();
            let rows: usize = heights.iter().sum();
            let all = noise(rows * r, 2.0, r as u64);
            let blocks = RowBlocks::new(r, &heights, |i| &all[i * r..(i + 1) * r]);
            let mut q = noise(r, 2.0, 5);
            q.resize(blocks.padded(), 0.0);
            let close =
                |a: f64, b: f64| assert!((a - b).abs() < 1e-12 * (r + rows) as f64, "{r}: {a} vs {b}");

            let mut d = vec![[f64::NAN; 9]; 30];
            blocks.apply(5, &q, &mut d);
            let first = |c: usize| heights[..c].iter().sum::<usize>();
            for (c, d) in (5..).zip(&d) {
                for k in 0..9 {
                    if k >= heights[c] {
                        assert!(d[k].is_nan());
                        continue;
                    }
                    let row = &all[(first(c) + k) * r..][..r];
                    assert!((0..r).all(|j| row[j] == blocks.get(c, k, j)));
                    close(d[k], row.iter().zip(&q).map(|(a, q)| a * q).sum());
                }
            }

            let g: Vec<[f64; 9]> = (0..30).map(|i| noise(9, 1.0, 70 + i).try_into().expect("nine")).collect();
            let mut f = vec![0.5; blocks.padded()];
            blocks.add_transposed(5, &g, &mut f);
            for j in 0..r {
                let term = |c: usize, k: usize| g[c - 5][k] * all[(first(c) + k) * r + j];
                let sum: f64 =
                    (5..35).flat_map(|c| (0..heights[c]).map(move |k| (c, k))).map(|(c, k)| term(c, k)).sum();
                close(f[j], 0.5 + sum);
            }

            let H: Vec<[[f64; 9]; 9]> = (0..37)
                .map(|c| {
                    let n = noise(81, 1.0, 200 + c);
                    std::array::from_fn(|i| std::array::from_fn(|j| n[9 * i.min(j) + i.max(j)]))
                })
                .collect();
            let mut K = DenseSymmetric::zeros(r);
            let mut work = blocks.workspace();
            for _ in 0..2 {
                let fill = |first: usize, out: &mut [[[f64; 9]; 9]]| {
                    out.copy_from_slice(&H[first..first + out.len()]);
                    Ok::<(), ()>(())
                };
                blocks.stiffness(&mut work, fill, &mut K).expect("filled");
            }
            for i in 0..r {
                for j in i..r {
                    let mut sum = 0.0;
                    for c in 0..37 {
                        for k in 0..heights[c] {
                            for l in 0..heights[c] {
                                sum += all[(first(c) + k) * r + i] * H[c][k][l] * all[(first(c) + l) * r + j];
                            }
                        }
                    }
                    close(K.get(i, j), sum);
                }
            }
        }
    }
}
