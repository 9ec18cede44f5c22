//! A stack of short, wide blocks, multiplied block by block: what a reduced force does thousands of times a second.
//!
//! ```text
//! B = [B₁; …; B_s],  B_c of 3, 6 or 9 rows and r columns:   d = B_c q,   f ← f + B_cᵀ g,   K ← K + Σ_c B_cᵀ H_c B_c
//! ```
//! Each is one pass over the block's rows with as many sums in registers as it has rows, so that q or f is read once for
//! all of them. K is summed in tiles of 6 rows and 8 columns that stay in registers, upper triangle only.
//!
//! Nothing here allocates after it was made, wakes a thread, or panics on numbers that are not finite. Multiplications and
//! additions are fused where the processor can: bits may differ between processors, never between runs.

use pulp::{Arch, Simd, WithSimd};

use crate::DenseSymmetric;
use crate::simd::{self, Kernel, Quad, Wide};

/// Columns whose numbers lie together: those of a register, or of a few.
const COLUMNS: usize = 4;

/// Numbers in a cache line.
const LINE: usize = 8;

/// The most rows a block may have.
const MOST: usize = 9;

/// Blocks whose H B is kept at a time: with their rows of B it fits the second cache.
const STRETCH: usize = 16;

/// Rows of so many blocks, at most.
const LONG: usize = STRETCH * MOST;

/// A tile of K is six rows tall and twice four columns wide: a pair of quads, a register where there are such of eight. Its twelve sums, two numbers to be multiplied and a factor
/// are what sixteen registers hold; with four rows and three times four columns the compiler wants a second factor, puts
/// one of the sums on the stack, and the whole waits for that: 2.2 times longer.
const TALL: usize = 2 * PAIRS;
const PAIRS: usize = 3;
const WIDE: usize = 2;

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

/// What [`RowBlocks::stiffness`] works in. The tiles of K run through `rows` and `product` from one end to the other.
#[derive(Clone, Debug)]
pub struct Workspace {
    /// Strips of columns that K has.
    strips: usize,
    /// B of some blocks: six columns after six columns, each with the rows of all these blocks.
    rows: Vec<[[f64; 2]; PAIRS]>,
    /// H B of the same blocks: strip after strip, each with all rows.
    product: Vec<[Quad; WIDE]>,
    /// K, row by row, with zeros past the last row and the last column.
    sum: Vec<[Quad; WIDE]>,
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
        let (strips, tiles) = (self.columns.div_ceil(WIDE * COLUMNS), self.padded().div_ceil(TALL));
        Workspace {
            strips,
            rows: vec![[[0.0; 2]; PAIRS]; tiles * LONG],
            product: vec![[Quad::default(); WIDE]; strips * LONG],
            sum: vec![[Quad::default(); WIDE]; tiles * TALL * strips],
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
        work.sum.fill([Quad::default(); WIDE]);
        let mut H = [[[0.0; MOST]; MOST]; STRETCH];
        let mut begin = 0;
        while begin < self.count() {
            let H = &mut H[..STRETCH.min(self.count() - begin)];
            fill(begin, H)?;
            simd::run_widest(AddStiffness { blocks: self, begin, H, work });
            begin += H.len();
        }
        let rows = out.values_mut().chunks_exact_mut(self.columns.max(1));
        for (i, (row, sum)) in rows.zip(work.sum.chunks_exact(work.strips.max(1))).enumerate() {
            let first = i / COLUMNS;
            for (row, sum) in row[first * COLUMNS..].chunks_mut(COLUMNS).zip(&sum.as_flattened()[first..]) {
                row.copy_from_slice(&sum.0[..row.len()]);
            }
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

impl Kernel for AddStiffness<'_> {
    type Output = ();

    #[inline(always)]
    fn run<W: Wide>(self, wide: W) {
        let Self { blocks, begin, H, work } = self;
        for (i, H) in H.iter().enumerate() {
            let (c, at) = (begin + i, blocks.first[begin + i] - blocks.first[begin]);
            let block = blocks.block(c).as_chunks::<COLUMNS>().0;
            match blocks.height(c) {
                3 => spread::<W, 3>(wide, H, block, at, work),
                6 => spread::<W, 6>(wide, H, block, at, work),
                _ => spread::<W, 9>(wide, H, block, at, work),
            }
        }
        let count = blocks.first[begin + H.len()] - blocks.first[begin];
        for j in 0..work.strips {
            let product = &work.product[j * LONG..][..count];
            // Rows of K that reach into these columns from above the diagonal.
            let last = ((j + 1) * WIDE * COLUMNS).min(blocks.columns);
            for i in 0..last.div_ceil(TALL) {
                let rows = &work.rows[i * LONG..][..count];
                let sum = &mut work.sum[i * TALL * work.strips..][..TALL * work.strips];
                tile(wide, rows, product, sum, j);
            }
        }
    }
}

/// B_c of N rows and H B_c, to where the tiles read them: from row `at` on.
#[inline(always)]
fn spread<W: Wide, const N: usize>(
    wide: W,
    H: &[[f64; MOST]; MOST],
    block: &[[f64; COLUMNS]],
    at: usize,
    work: &mut Workspace,
) {
    for (n, block) in block.as_chunks::<N>().0.iter().enumerate() {
        for half in 0..2 {
            let pair = 2 * n + half;
            let rows = &mut work.rows[pair / PAIRS * LONG + at..][..N];
            for k in 0..N {
                rows[k][pair % PAIRS] = [block[k][2 * half], block[k][2 * half + 1]];
            }
        }
        let mut column = [wide.splat(0.0); N];
        for k in 0..N {
            column[k] = wide.load_slice(&block[k]);
        }
        let product = &mut work.product[n / WIDE * LONG + at..][..N];
        for i in 0..N {
            let mut sum = wide.mul(wide.splat(H[i][0]), column[0]);
            for k in 1..N {
                sum = wide.mul_add(wide.splat(H[i][k]), column[k], sum);
            }
            product[i][n % WIDE] = wide.store(sum);
        }
    }
}

/// K ← K + Bᵀ (H B) for the rows of K that are in `sum`, and strip j of its columns.
#[inline(always)]
fn tile<W: Wide>(
    wide: W,
    rows: &[[[f64; 2]; PAIRS]],
    product: &[[Quad; WIDE]],
    sum: &mut [[Quad; WIDE]],
    j: usize,
) {
    let mut tile = [wide.splat_pair(0.0); TALL];
    for (row, product) in rows.iter().zip(product) {
        let right = wide.load_pair(product);
        for a in 0..TALL {
            tile[a] = wide.mul_add_pair(wide.splat_pair(row[a / 2][a % 2]), right, tile[a]);
        }
    }
    let strips = sum.len() / TALL;
    for a in 0..TALL {
        let sum = &mut sum[a * strips + j];
        *sum = wide.store_pair(wide.add_pair(wide.load_pair(sum), tile[a]));
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

    #[test]
    fn registers_of_eight_have_the_bits_of_registers_of_four() {
        for r in [1, 5, 8, 44, 135] {
            let heights: Vec<usize> = (0..STRETCH).map(|c| [9, 3, 6][c % 3]).collect();
            let rows: usize = heights.iter().sum();
            let all = noise(rows * r, 2.0, r as u64);
            let blocks = RowBlocks::new(r, &heights, |i| &all[i * r..(i + 1) * r]);
            let H: Vec<[[f64; 9]; 9]> = (0..STRETCH as u64)
                .map(|c| noise(81, 1.0, 300 + c).as_chunks::<9>().0.to_vec().try_into().expect("nine rows"))
                .collect();
            let [mut eight, mut four] = [blocks.workspace(), blocks.workspace()];
            simd::run_widest(AddStiffness { blocks: &blocks, begin: 0, H: &H, work: &mut eight });
            simd::run(AddStiffness { blocks: &blocks, begin: 0, H: &H, work: &mut four });
            let bits = |work: &Workspace| -> Vec<u64> {
                work.sum.as_flattened().iter().flat_map(|quad| quad.0.map(f64::to_bits)).collect()
            };
            assert!(bits(&eight) == bits(&four), "{r} columns");
            assert!(eight.sum.iter().any(|sum| *sum != [Quad::default(); WIDE]));
        }
    }
}
