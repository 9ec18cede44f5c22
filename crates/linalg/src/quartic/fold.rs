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
use crate::four::{Quad, Wide};

/// Folds M of one tile into P, g and f, leaves M and g zero, and gives the rest of the stream of s.
#[inline(always)]
pub(super) fn fold<'s, W: Wide>(
    wide: W,
    (first, end, stride): (usize, usize, usize),
    mut s: &'s [Quad],
    scratch: &mut Scratch,
) -> &'s [Quad] {
    let Scratch { q, M, P, g, part, rows, slot, .. } = scratch;
    let q = &q[..];
    let zero = wide.splat(0.0);
    let qi = wide.load_slice(&q.as_chunks::<4>().0[first / 4]);
    let g = &mut g[..end];
    let mut cubic = zero;
    let pairs = M.chunks_exact_mut(2 * stride).zip(P.chunks_exact_mut(2 * stride));
    let mut a = first;
    for (m, p) in pairs.take(end / 2).skip(first / 2) {
        let b = a + 1;
        let tail = end - a - 2;
        let ((m_a, m_b), (p_a, p_b)) = (m.split_at_mut(stride), p.split_at_mut(stride));
        let ((corner_a, m_a), (corner_b, m_b)) = (m_a[a..end].split_at_mut(2), m_b[a..end].split_at_mut(2));
        let ((p_corner_a, p_a), (p_corner_b, p_b)) =
            (p_a[a..end].split_at_mut(2), p_b[a..end].split_at_mut(2));
        let (g_pair, g_tail) = g[a..].split_at_mut(2);
        let (qa, qb) = (wide.splat(q[a]), wide.splat(q[b]));
        let (head, rest) = s.split_at(3);

        let (s_aa, s_ab, s_bb) = (wide.load(&head[0]), wide.load(&head[1]), wide.load(&head[2]));
        let t_aa = wide.add(wide.load(&corner_a[0]), s_aa);
        let t_ab = wide.add(wide.load(&corner_a[1]), s_ab);
        let t_bb = wide.add(wide.load(&corner_b[1]), s_bb);
        p_corner_a[0] = wide.store(wide.mul_add(qi, t_aa, wide.load(&p_corner_a[0])));
        p_corner_a[1] = wide.store(wide.mul_add(qi, t_ab, wide.load(&p_corner_a[1])));
        p_corner_b[1] = wide.store(wide.mul_add(qi, t_bb, wide.load(&p_corner_b[1])));
        let (u_aa, u_ab, u_bb) = (wide.add(t_aa, s_aa), wide.add(t_ab, s_ab), wide.add(t_bb, s_bb));
        let mut ga = wide.mul_add(u_aa, wide.add(qa, qa), wide.load(&g_pair[0]));
        let mut gb = wide.mul_add(u_bb, wide.add(qb, qb), wide.load(&g_pair[1]));
        ga = wide.mul_add(u_ab, qb, ga);
        gb = wide.mul_add(u_ab, qa, gb);
        let mut sa = wide.mul_add(s_ab, qb, wide.mul(s_aa, qa));
        let mut sb = wide.mul(s_bb, qb);
        corner_a[0] = wide.store(zero);
        corner_a[1] = wide.store(zero);
        corner_b[1] = wide.store(zero);

        let (two, rest) = rest.split_at(2 * tail);
        let (two, q_tail, g_tail) =
            (&two.as_chunks::<2>().0[..tail], &q[a + 2..][..tail], &mut g_tail[..tail]);
        let (m_a, m_b) = (&mut m_a[..tail], &mut m_b[..tail]);
        let (p_a, p_b) = (&mut p_a[..tail], &mut p_b[..tail]);
        for l in 0..tail {
            let (ql, mut gl) = (wide.splat(q_tail[l]), wide.load(&g_tail[l]));
            let s_al = wide.load(&two[l][0]);
            let t_al = wide.add(wide.load(&m_a[l]), s_al);
            p_a[l] = wide.store(wide.mul_add(qi, t_al, wide.load(&p_a[l])));
            let u_al = wide.add(t_al, s_al);
            ga = wide.mul_add(u_al, ql, ga);
            gl = wide.mul_add(u_al, qa, gl);
            sa = wide.mul_add(s_al, ql, sa);
            m_a[l] = wide.store(zero);
            let s_bl = wide.load(&two[l][1]);
            let t_bl = wide.add(wide.load(&m_b[l]), s_bl);
            p_b[l] = wide.store(wide.mul_add(qi, t_bl, wide.load(&p_b[l])));
            let u_bl = wide.add(t_bl, s_bl);
            gb = wide.mul_add(u_bl, ql, gb);
            gl = wide.mul_add(u_bl, qb, gl);
            sb = wide.mul_add(s_bl, ql, sb);
            m_b[l] = wide.store(zero);
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
    let g = scratch.g.as_chunks_mut::<4>().0;
    let part = part.as_chunks_mut::<4>().0;
    let quads = q.as_chunks::<4>().0;
    for n in first / 4..width {
        let (g, part, q) = (&mut g[n], &mut part[n], &quads[n]);
        let mut four = [zero; 4];
        for k in 0..4 {
            four[k] = wide.mul(half, wide.load(&g[k]));
            part[k] = wide.store(wide.mul_add(qi, four[k], wide.load(&part[k])));
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

/// f and the Hessian (upper triangle, r×r) from what the tiles left; gives the energy, and leaves P and the parts zero.
#[inline(always)]
pub(super) fn finish<W: Wide>(
    wide: W,
    (r, stride): (usize, usize),
    S2: &[Quad],
    scratch: &mut Scratch,
    force: &mut [f64],
    hessian: &mut [f64],
) -> f64 {
    let Scratch { q, P, part, rows, slot, linear, .. } = scratch;
    let width = stride / 4;
    let zero = wide.splat(0.0);
    linear.fill(Quad::default());
    let per_row = S2.chunks_exact(width).zip(rows.chunks_exact(width)).zip(P.chunks_exact_mut(stride));
    for (a, (((S2, row), P), out)) in per_row.zip(hessian.chunks_exact_mut(r)).enumerate() {
        let qa = wide.splat(q[a]);
        for (sum, S2) in linear.iter_mut().zip(S2) {
            *sum = wide.store(wide.mul_add(wide.load(S2), qa, wide.load(sum)));
        }
        let P = P.as_chunks_mut::<4>().0;
        let diagonal = a / 4;
        for n in diagonal..width {
            let P = &mut P[n];
            let sums = wide.sums([wide.load(&P[0]), wide.load(&P[1]), wide.load(&P[2]), wide.load(&P[3])]);
            *P = [Quad::default(); 4];
            let twice = wide.add(sums, wide.load(&row[n]));
            let mut entries = wide.store(wide.add(twice, wide.load(&S2[n]))).0;
            if n == diagonal {
                entries[a % 4] += wide.store(twice).0[a % 4];
            }
            match out[4 * n..].first_chunk_mut::<4>() {
                Some(out) => *out = entries,
                None => out[4 * n..].copy_from_slice(&entries[..r - 4 * n]),
            }
        }
    }
    let half = wide.splat(0.5);
    let mut energy = zero;
    let quads = q.as_chunks::<4>().0;
    for (n, part) in part.as_chunks_mut::<4>().0.iter_mut().enumerate() {
        let (linear, slot, q) = (wide.load(&linear[n]), wide.load(&slot[n]), wide.load_slice(&quads[n]));
        let sums =
            wide.sums([wide.load(&part[0]), wide.load(&part[1]), wide.load(&part[2]), wide.load(&part[3])]);
        *part = [Quad::default(); 4];
        energy = wide.mul_add(q, wide.mul_add(half, linear, slot), energy);
        let entries = wide.store(wide.add(wide.add(linear, slot), sums)).0;
        match force[4 * n..].first_chunk_mut::<4>() {
            Some(out) => *out = entries,
            None => force[4 * n..].copy_from_slice(&entries[..r - 4 * n]),
        }
    }
    let energy = wide.store(energy).0;
    (energy[0] + energy[1]) + (energy[2] + energy[3])
}
