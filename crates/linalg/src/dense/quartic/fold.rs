//! The second stage, once a tile, and what comes out at the end.
//!
//! With M from the first stage and s the cubic coefficients of the tile, per lane i:
//!
//! ```text
//! P_ab += q_i (M_ab + s_ab)                            pairs of slots without i
//! g_a  += ½ (M_ab + 2 s_ab) q_b,   g_b likewise        pairs of slots with i: row i of the Hessian
//! f_i   = ⅓ (g·q + Σ s_ab q_a q_b),   f_b += q_i g_b   since g·q counts quartic terms three times, cubic ones twice
//! ```

use super::Scratch;
use crate::simd::{Quad, Wide};

/// Folds M of one tile into P, g and f, leaves g zero, and gives the rest of the stream of s. The `FIRST` tile writes P
/// and the parts, whatever stood there.
#[inline(always)]
pub(super) fn fold<'s, W: Wide, const FIRST: bool>(
    wide: W,
    (first, end, stride): (usize, usize, usize),
    mut s: &'s [Quad],
    scratch: &mut Scratch,
) -> &'s [Quad] {
    let Scratch { q, M, P, g, part, rows, slot, .. } = scratch;
    let q = &q[..];
    let zero = wide.splat(0.0);
    let qi = wide.load_slice(&q.as_chunks::<4>().0[first / 4]);
    let mut cubic = zero;
    let mut a = first;
    while a < end {
        let b = a + 1;
        let tail = end - a - 2;
        let (m_a, m_b) = M[a * stride..(a + 2) * stride].split_at(stride);
        let (p_a, p_b) = P[a * stride..(a + 2) * stride].split_at_mut(stride);
        let ((corner_a, m_a), (corner_b, m_b)) = (m_a[a..end].split_at(2), m_b[a..end].split_at(2));
        let (p_corner_a, p_a) = p_a[a..end].split_at_mut(2);
        let (p_corner_b, p_b) = p_b[a..end].split_at_mut(2);
        let (g_pair, g_tail) = g[a..end].split_at_mut(2);
        let (qa, qb) = (wide.splat(q[a]), wide.splat(q[b]));
        let (head, rest) = s.split_at(3);

        let (s_aa, s_ab, s_bb) = (wide.load(&head[0]), wide.load(&head[1]), wide.load(&head[2]));
        let t_aa = wide.add(wide.load(&corner_a[0]), s_aa);
        let t_ab = wide.add(wide.load(&corner_a[1]), s_ab);
        let t_bb = wide.add(wide.load(&corner_b[1]), s_bb);
        put::<W, FIRST>(wide, qi, t_aa, &mut p_corner_a[0]);
        put::<W, FIRST>(wide, qi, t_ab, &mut p_corner_a[1]);
        put::<W, FIRST>(wide, qi, t_bb, &mut p_corner_b[1]);
        let (u_aa, u_ab, u_bb) = (wide.add(t_aa, s_aa), wide.add(t_ab, s_ab), wide.add(t_bb, s_bb));
        let mut ga = wide.mul_add(u_aa, wide.add(qa, qa), wide.load(&g_pair[0]));
        let mut gb = wide.mul_add(u_bb, wide.add(qb, qb), wide.load(&g_pair[1]));
        ga = wide.mul_add(u_ab, qb, ga);
        gb = wide.mul_add(u_ab, qa, gb);
        let mut sa = wide.mul_add(s_ab, qb, wide.mul(s_aa, qa));
        let mut sb = wide.mul(s_bb, qb);

        let (two, rest) = rest.split_at(2 * tail);
        let (two, q_tail, g_tail) =
            (&two.as_chunks::<2>().0[..tail], &q[a + 2..][..tail], &mut g_tail[..tail]);
        let (m_a, m_b) = (&m_a[..tail], &m_b[..tail]);
        let (p_a, p_b) = (&mut p_a[..tail], &mut p_b[..tail]);
        for l in 0..tail {
            let (ql, mut gl) = (wide.splat(q_tail[l]), wide.load(&g_tail[l]));
            let s_al = wide.load(&two[l][0]);
            let t_al = wide.add(wide.load(&m_a[l]), s_al);
            put::<W, FIRST>(wide, qi, t_al, &mut p_a[l]);
            let u_al = wide.add(t_al, s_al);
            ga = wide.mul_add(u_al, ql, ga);
            gl = wide.mul_add(u_al, qa, gl);
            sa = wide.mul_add(s_al, ql, sa);
            let s_bl = wide.load(&two[l][1]);
            let t_bl = wide.add(wide.load(&m_b[l]), s_bl);
            put::<W, FIRST>(wide, qi, t_bl, &mut p_b[l]);
            let u_bl = wide.add(t_bl, s_bl);
            gb = wide.mul_add(u_bl, ql, gb);
            gl = wide.mul_add(u_bl, qb, gl);
            sb = wide.mul_add(s_bl, ql, sb);
            g_tail[l] = wide.store(gl);
        }
        g_pair[0] = wide.store(ga);
        g_pair[1] = wide.store(gb);
        cubic = wide.mul_add(sa, qa, cubic);
        cubic = wide.mul_add(sb, qb, cubic);
        s = rest;
        a += 2;
    }

    // Row i of the Hessian, four rows at once. g is zero past `end`, and so is q.
    let half = wide.splat(0.5);
    let mut along = zero;
    let width = stride / 4;
    let rows = &mut rows[first * width..][..4 * width];
    let g = g.as_chunks_mut::<4>().0;
    let part = part.as_chunks_mut::<4>().0;
    let quads = q.as_chunks::<4>().0;
    for n in first / 4..width {
        let (g, part, q) = (&mut g[n], &mut part[n], &quads[n]);
        let mut four = [zero; 4];
        for k in 0..4 {
            four[k] = wide.mul(half, wide.load(&g[k]));
            put::<W, FIRST>(wide, qi, four[k], &mut part[k]);
            along = wide.mul_add(four[k], wide.splat(q[k]), along);
            g[k] = wide.store(zero);
        }
        let turned = wide.transpose(four);
        for k in 0..4 {
            rows[k * width + n] = wide.store(turned[k]);
        }
    }
    slot[first / 4] = wide.store(wide.mul(wide.add(along, cubic), wide.splat(1.0 / 3.0)));
    s
}

/// sum + q x, or q x alone.
#[inline(always)]
fn put<W: Wide, const FIRST: bool>(wide: W, q: W::V, x: W::V, sum: &mut Quad) {
    *sum = wide.store(if FIRST { wide.mul(q, x) } else { wide.mul_add(q, x, wide.load(sum)) });
}

/// Rows of the identity: what stands on the diagonal counts twice. Not an entry of a row in memory, which would have to
/// be written there first.
const UNIT: [Quad; 4] = [
    Quad([1.0, 0.0, 0.0, 0.0]),
    Quad([0.0, 1.0, 0.0, 0.0]),
    Quad([0.0, 0.0, 1.0, 0.0]),
    Quad([0.0, 0.0, 0.0, 1.0]),
];

/// f and the Hessian (upper triangle, r×r) from what the tiles left; gives the energy.
#[inline(always)]
pub(super) fn finish<W: Wide>(
    wide: W,
    (r, stride): (usize, usize),
    S2: &[Quad],
    scratch: &Scratch,
    force: &mut [f64],
    hessian: &mut [f64],
) -> f64 {
    let Scratch { q, P, part, rows, slot, .. } = scratch;
    let width = stride / 4;
    let mut a = 0;
    while a < r {
        let (S2, row) = (&S2[a * width..][..width], &rows[a * width..][..width]);
        let (P, out) = (&P[a * stride..][..stride].as_chunks::<4>().0[..width], &mut hessian[a * r..][..r]);
        let n = a / 4;
        let nonlinear = wide.add(sums(wide, &P[n]), wide.load(&row[n]));
        let once = wide.add(nonlinear, wide.load(&S2[n]));
        write(&wide.store(wide.mul_add(nonlinear, wide.load(&UNIT[a % 4]), once)).0, out, n);
        for n in n + 1..width {
            let nonlinear = wide.add(sums(wide, &P[n]), wide.load(&row[n]));
            write(&wide.store(wide.add(nonlinear, wide.load(&S2[n]))).0, out, n);
        }
        a += 1;
    }
    let half = wide.splat(0.5);
    let mut energy = wide.splat(0.0);
    let (quads, part) = (&q.as_chunks::<4>().0[..width], &part.as_chunks::<4>().0[..width]);
    for n in 0..width {
        let linear = four_products(wide, &S2[4 * n * width..][..4 * width], quads);
        let (slot, q) = (wide.load(&slot[n]), wide.load_slice(&quads[n]));
        energy = wide.mul_add(q, wide.mul_add(half, linear, slot), energy);
        write(&wide.store(wide.add(wide.add(linear, slot), sums(wide, &part[n]))).0, force, n);
    }
    let energy = wide.store(energy).0;
    (energy[0] + energy[1]) + (energy[2] + energy[3])
}

/// The sum of the lanes of each of four.
#[inline(always)]
fn sums<W: Wide>(wide: W, x: &[Quad; 4]) -> W::V {
    wide.sums([wide.load(&x[0]), wide.load(&x[1]), wide.load(&x[2]), wide.load(&x[3])])
}

/// Four rows, one after the other, times q.
#[inline(always)]
fn four_products<W: Wide>(wide: W, rows: &[Quad], q: &[[f64; 4]]) -> W::V {
    let width = q.len();
    let mut products = [wide.splat(0.0); 4];
    let (a, rest) = rows.split_at(width);
    let (b, rest) = rest.split_at(width);
    let (c, rest) = rest.split_at(width);
    let d = &rest[..width];
    for n in 0..width {
        let q = wide.load_slice(&q[n]);
        products[0] = wide.mul_add(wide.load(&a[n]), q, products[0]);
        products[1] = wide.mul_add(wide.load(&b[n]), q, products[1]);
        products[2] = wide.mul_add(wide.load(&c[n]), q, products[2]);
        products[3] = wide.mul_add(wide.load(&d[n]), q, products[3]);
    }
    wide.sums(products)
}

/// Entries 4n … 4n+3 of a row, as far as it goes.
#[inline(always)]
fn write(entries: &[f64; 4], row: &mut [f64], n: usize) {
    let row = &mut row[4 * n..];
    match row.first_chunk_mut::<4>() {
        Some(row) => *row = *entries,
        None => {
            // Not a copy of so many: that would be a call.
            for k in 0..3 {
                if k < row.len() {
                    row[k] = entries[k];
                }
            }
        }
    }
}
