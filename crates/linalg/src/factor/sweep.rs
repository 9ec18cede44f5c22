//! Solving with one panel for few right-hand sides: one, four or eight numbers a row.
//!
//! ```text
//! forward:   x ← L11⁻¹ x,  r ← r − L21 x        one front's rows are [x; r]
//! backward:  x ← L11⁻ᵀ (x − L21ᵀ r)
//! ```
//! Four columns at a time: each entry of the panel is read once, each row a quarter as often as column by column. One
//! right-hand side is worked on four rows at a time, several row by row, all of a row at once.
//!
//! Compiled for the processor's wide registers as well, and chosen when it runs. Sums are in a fixed order and nothing is
//! fused, so that the bits are the same on any machine. No closures, and everything `#[inline(always)]`: what the compiler
//! does not inline is compiled without wide registers. With more right-hand sides (measured: from five on)
//! a product of matrices is quicker.

use std::ops::Range;

use pulp::{Arch, Simd, WithSimd};

/// How many columns of a panel are worked on at once.
const COLUMNS_AT_ONCE: usize = 4;

/// How many entries a row needs for so many right-hand sides; those beyond are zeros. `None` where they are not few.
pub(super) fn padded(columns: usize) -> Option<usize> {
    match columns {
        0 | 1 => Some(1),
        2..=4 => Some(4),
        5..=8 => Some(8),
        _ => None,
    }
}

/// x ← L11⁻¹ x, r ← r − L21 x, for `rows` = [x; r] with a number of columns that [`padded`] gives, interleaved.
pub(super) fn forward(arch: Arch, panel: &[f64], width: usize, rows: &mut [f64], columns: usize) {
    match columns {
        1 => arch.dispatch(Forward::<1> { panel, width, rows: rows.as_chunks_mut().0 }),
        4 => arch.dispatch(Forward::<4> { panel, width, rows: rows.as_chunks_mut().0 }),
        _ => arch.dispatch(Forward::<8> { panel, width, rows: rows.as_chunks_mut().0 }),
    }
}

/// x ← L11⁻ᵀ (x − L21ᵀ r), for `rows` as in [`forward`].
pub(super) fn backward(arch: Arch, panel: &[f64], width: usize, rows: &mut [f64], columns: usize) {
    match columns {
        1 => arch.dispatch(Backward::<1> { panel, width, rows: rows.as_chunks_mut().0 }),
        4 => arch.dispatch(Backward::<4> { panel, width, rows: rows.as_chunks_mut().0 }),
        _ => arch.dispatch(Backward::<8> { panel, width, rows: rows.as_chunks_mut().0 }),
    }
}

struct Forward<'a, const K: usize> {
    panel: &'a [f64],
    width: usize,
    rows: &'a mut [[f64; K]],
}

impl<const K: usize> WithSimd for Forward<'_, K> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) {
        let mut start = 0;
        while start < self.width {
            let end = self.width.min(start + COLUMNS_AT_ONCE);
            let (before, below) = self.rows.split_at_mut(end);
            let x = &mut before[start..];
            let mut factors = [[0.0; K]; COLUMNS_AT_ONCE];
            // The triangle of these columns, then everything below it. A column that is not there counts zero times.
            let height = end + below.len();
            let columns = columns_of_panel(self.panel, start, end, height, start..end);
            for c in 0..x.len() {
                for k in 0..K {
                    x[c][k] /= columns[c][c];
                }
                factors[c] = x[c];
                for r in c + 1..x.len() {
                    for k in 0..K {
                        x[r][k] -= columns[c][r] * factors[c][k];
                    }
                }
            }
            let columns = columns_of_panel(self.panel, start, end, height, end..height);
            if K == 1 {
                let factors = [factors[0][0], factors[1][0], factors[2][0], factors[3][0]];
                subtract_one(below.as_flattened_mut(), factors, columns);
            } else {
                subtract_several(below, factors, columns);
            }
            start = end;
        }
    }
}

struct Backward<'a, const K: usize> {
    panel: &'a [f64],
    width: usize,
    rows: &'a mut [[f64; K]],
}

impl<const K: usize> WithSimd for Backward<'_, K> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) {
        let (x, below) = self.rows.split_at_mut(self.width);
        let height = x.len() + below.len();
        // All that is known first, in the order in which the panel lies in memory: going backwards, it comes late.
        let mut start = 0;
        while start < self.width {
            let end = self.width.min(start + COLUMNS_AT_ONCE);
            let columns = columns_of_panel(self.panel, start, end, height, self.width..height);
            take_dots(&mut x[start..end], columns, below);
            start = end;
        }
        let mut end = self.width;
        while end > 0 {
            let start = end.saturating_sub(COLUMNS_AT_ONCE);
            let (before, after) = x.split_at_mut(end);
            let x = &mut before[start..];
            take_dots(x, columns_of_panel(self.panel, start, end, height, end..self.width), after);
            let columns = columns_of_panel(self.panel, start, end, height, start..end);
            for c in (0..x.len()).rev() {
                for k in 0..K {
                    let mut sum = x[c][k];
                    for r in c + 1..x.len() {
                        sum -= columns[c][r] * x[r][k];
                    }
                    x[c][k] = sum / columns[c][c];
                }
            }
            end = start;
        }
    }
}

/// x ← x − the columns times y, for the columns that are there.
#[inline(always)]
fn take_dots<const K: usize>(x: &mut [[f64; K]], columns: [&[f64]; 4], y: &[[f64; K]]) {
    if K == 1 {
        let dots = dots_of_one(columns, y.as_flattened());
        for (x, dot) in x.iter_mut().zip(dots) {
            x[0] -= dot;
        }
    } else {
        let dots = dots_of_several(columns, y);
        for (x, dots) in x.iter_mut().zip(dots) {
            for k in 0..K {
                x[k] -= dots[k];
            }
        }
    }
}

/// These rows of columns `start..end` of a panel; a column that is not there is the last again.
#[inline(always)]
fn columns_of_panel(
    panel: &[f64],
    start: usize,
    end: usize,
    height: usize,
    rows: Range<usize>,
) -> [&[f64]; COLUMNS_AT_ONCE] {
    let mut columns = [&panel[..0]; COLUMNS_AT_ONCE];
    for (c, column) in columns.iter_mut().enumerate() {
        let top = (start + c).min(end - 1) * height;
        *column = &panel[top + rows.start..top + rows.end];
    }
    columns
}

/// y ← y − f₀ a − f₁ b − f₂ c − f₃ d.
#[inline(always)]
fn subtract_one(y: &mut [f64], f: [f64; 4], columns: [&[f64]; 4]) {
    let (y, y_rest) = y.as_chunks_mut::<4>();
    let ((a, a_rest), (b, b_rest)) = (columns[0].as_chunks::<4>(), columns[1].as_chunks::<4>());
    let ((c, c_rest), (d, d_rest)) = (columns[2].as_chunks::<4>(), columns[3].as_chunks::<4>());
    for ((((y, a), b), c), d) in y.iter_mut().zip(a).zip(b).zip(c).zip(d) {
        for k in 0..4 {
            y[k] -= (f[0] * a[k] + f[1] * b[k]) + (f[2] * c[k] + f[3] * d[k]);
        }
    }
    for ((((y, a), b), c), d) in y_rest.iter_mut().zip(a_rest).zip(b_rest).zip(c_rest).zip(d_rest) {
        *y -= (f[0] * a + f[1] * b) + (f[2] * c + f[3] * d);
    }
}

/// As [`subtract_one`], for the K numbers of a row.
#[inline(always)]
fn subtract_several<const K: usize>(y: &mut [[f64; K]], f: [[f64; K]; 4], columns: [&[f64]; 4]) {
    let [a, b, c, d] = columns;
    for ((((y, a), b), c), d) in y.iter_mut().zip(a).zip(b).zip(c).zip(d) {
        for k in 0..K {
            y[k] -= (f[0][k] * a + f[1][k] * b) + (f[2][k] * c + f[3][k] * d);
        }
    }
}

/// Four columns times one vector.
#[inline(always)]
fn dots_of_one(columns: [&[f64]; 4], y: &[f64]) -> [f64; 4] {
    let (y, y_rest) = y.as_chunks::<4>();
    let ((a, a_rest), (b, b_rest)) = (columns[0].as_chunks::<4>(), columns[1].as_chunks::<4>());
    let ((c, c_rest), (d, d_rest)) = (columns[2].as_chunks::<4>(), columns[3].as_chunks::<4>());
    let mut sums = [[0.0; 4]; 4];
    for ((((y, a), b), c), d) in y.iter().zip(a).zip(b).zip(c).zip(d) {
        for k in 0..4 {
            sums[0][k] += a[k] * y[k];
            sums[1][k] += b[k] * y[k];
            sums[2][k] += c[k] * y[k];
            sums[3][k] += d[k] * y[k];
        }
    }
    let mut dots = [0.0; 4];
    for ((((y, a), b), c), d) in y_rest.iter().zip(a_rest).zip(b_rest).zip(c_rest).zip(d_rest) {
        dots[0] += a * y;
        dots[1] += b * y;
        dots[2] += c * y;
        dots[3] += d * y;
    }
    let sums = across(&sums);
    for m in 0..4 {
        dots[m] += sums[m];
    }
    dots
}

/// The sum of each four. Not inlined: seen together with it, the loop above is compiled to sum across as well.
#[inline(never)]
fn across(sums: &[[f64; 4]; 4]) -> [f64; 4] {
    let mut across = [0.0; 4];
    for m in 0..4 {
        across[m] = (sums[m][0] + sums[m][1]) + (sums[m][2] + sums[m][3]);
    }
    across
}

/// As [`dots_of_one`], for the K numbers of a row.
#[inline(always)]
fn dots_of_several<const K: usize>(columns: [&[f64]; 4], y: &[[f64; K]]) -> [[f64; K]; 4] {
    let [a, b, c, d] = columns;
    let mut sums = [[0.0; K]; 4];
    for ((((y, a), b), c), d) in y.iter().zip(a).zip(b).zip(c).zip(d) {
        for k in 0..K {
            sums[0][k] += a * y[k];
            sums[1][k] += b * y[k];
            sums[2][k] += c * y[k];
            sums[3][k] += d * y[k];
        }
    }
    sums
}

#[cfg(test)]
mod tests {
    use pulp::Scalar;

    use super::*;

    fn numbers(count: usize, seed: usize) -> Vec<f64> {
        (0..count).map(|i| ((i * 37 + seed * 11) % 101) as f64 / 101.0 - 0.5).collect()
    }

    fn check<const K: usize>(width: usize, below: usize) {
        let height = width + below;
        let mut panel = numbers(width * height, 1);
        (0..width).for_each(|j| panel[j * height + j] += 3.0);
        let l = |r: usize, c: usize| if r < c { 0.0 } else { panel[c * height + r] };
        let given = numbers(height * K, 2);

        let (mut forward, mut plain) = (given.clone(), given.clone());
        super::forward(Arch::new(), &panel, width, &mut forward, K);
        Scalar.vectorize(Forward::<K> { panel: &panel, width, rows: plain.as_chunks_mut().0 });
        assert_eq!(forward, plain, "wide registers change nothing");
        // L11 x and r + L21 x are what was given.
        for (i, given) in given.iter().enumerate() {
            let (r, k) = (i / K, i % K);
            let own = if r < width { 0.0 } else { forward[i] };
            let back = own + (0..width).map(|c| l(r, c) * forward[c * K + k]).sum::<f64>();
            assert!((back - given).abs() < 1e-13, "forward, width {width}, below {below}, row {r}");
        }

        let (mut backward, mut plain) = (given.clone(), given.clone());
        super::backward(Arch::new(), &panel, width, &mut backward, K);
        Scalar.vectorize(Backward::<K> { panel: &panel, width, rows: plain.as_chunks_mut().0 });
        assert_eq!(backward, plain, "wide registers change nothing");
        // L11ᵀ x + L21ᵀ r is what was given.
        for (i, given) in given[..width * K].iter().enumerate() {
            let back = (0..height).map(|r| l(r, i / K) * backward[r * K + i % K]).sum::<f64>();
            assert!((back - given).abs() < 1e-13, "backward, width {width}, below {below}, column {}", i / K);
        }
        assert_eq!(backward[width * K..], given[width * K..]);
    }

    #[test]
    fn a_panel_is_solved_with_the_same_bits_on_any_processor() {
        for (width, below) in [(1, 0), (3, 1), (4, 4), (5, 7), (9, 30), (14, 3)] {
            check::<1>(width, below);
            check::<4>(width, below);
            check::<8>(width, below);
        }
    }
}
