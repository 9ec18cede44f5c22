//! The first stage: every coefficient times one coordinate, in three ways.
//!
//! ```text
//! for every c(j,k,l) of the tile:   M_jk += c q_l,   M_jl += c q_k,   M_kl += c q_j
//! ```
//! Three fused multiply-adds for each number read, all four lanes alike. Two rows j and two columns k at a time, so that
//! what is added to lies in registers for half of them. With equal indices a slot is differentiated as often as it
//! stands there, which gives the factors 2 and 3.

use crate::four::{Quad, Wide};

/// Adds one tile to M (rows of `stride` numbers, upper triangle from `first` to `end`) and gives the rest of the stream.
#[inline(always)]
pub(super) fn contract<'c, W: Wide>(
    wide: W,
    (first, end, stride): (usize, usize, usize),
    q: &[f64],
    mut c: &'c [Quad],
    M: &mut [Quad],
) -> &'c [Quad] {
    let q = &q[..end];
    let mut x = first;
    while x < end {
        let y = x + 1;
        let tail = end - x - 2;
        let (above, below) = M.split_at_mut(x * stride);
        let (row_x, below) = below.split_at_mut(stride);
        let (row_x, row_y) = (&mut row_x[x..end], &mut below[x..end]);
        let (corner_x, row_x) = row_x.split_at_mut(2);
        let (corner_y, row_y) = row_y.split_at_mut(2);
        let (qx, qy) = (wide.splat(q[x]), wide.splat(q[y]));
        let (qx2, qy2) = (wide.add(qx, qx), wide.add(qy, qy));
        let tail_q = &q[x + 2..];
        let mut xx = wide.load(&corner_x[0]);
        let mut xy = wide.load(&corner_x[1]);
        let mut yy = wide.load(&corner_y[1]);

        for (rows, q) in above[first * stride..].chunks_exact_mut(2 * stride).zip(q[first..].chunks_exact(2))
        {
            let (row_j, row_i) = rows.split_at_mut(stride);
            let (row_j, row_i) = (&mut row_j[x..end], &mut row_i[x..end]);
            let (corner_j, row_j) = row_j.split_at_mut(2);
            let (corner_i, row_i) = row_i.split_at_mut(2);
            // i is j + 1.
            let (qj, qi) = (wide.splat(q[0]), wide.splat(q[1]));
            let (head, rest) = c.split_at(6);
            let mut jx = wide.load(&corner_j[0]);
            let mut jy = wide.load(&corner_j[1]);
            let mut ix = wide.load(&corner_i[0]);
            let mut iy = wide.load(&corner_i[1]);
            let (c_jxx, c_jxy, c_jyy) = (wide.load(&head[0]), wide.load(&head[1]), wide.load(&head[2]));
            jx = wide.mul_add(c_jxx, qx2, jx);
            xx = wide.mul_add(c_jxx, qj, xx);
            jx = wide.mul_add(c_jxy, qy, jx);
            jy = wide.mul_add(c_jxy, qx, jy);
            xy = wide.mul_add(c_jxy, qj, xy);
            jy = wide.mul_add(c_jyy, qy2, jy);
            yy = wide.mul_add(c_jyy, qj, yy);
            let (c_ixx, c_ixy, c_iyy) = (wide.load(&head[3]), wide.load(&head[4]), wide.load(&head[5]));
            ix = wide.mul_add(c_ixx, qx2, ix);
            xx = wide.mul_add(c_ixx, qi, xx);
            ix = wide.mul_add(c_ixy, qy, ix);
            iy = wide.mul_add(c_ixy, qx, iy);
            xy = wide.mul_add(c_ixy, qi, xy);
            iy = wide.mul_add(c_iyy, qy2, iy);
            yy = wide.mul_add(c_iyy, qi, yy);

            let (four, rest) = rest.split_at(4 * tail);
            let (four, row_j, row_i) =
                (&four.as_chunks::<4>().0[..tail], &mut row_j[..tail], &mut row_i[..tail]);
            let (row_x, row_y, tail_q) = (&mut row_x[..tail], &mut row_y[..tail], &tail_q[..tail]);
            for l in 0..tail {
                let ql = wide.splat(tail_q[l]);
                let (mut jl, mut il) = (wide.load(&row_j[l]), wide.load(&row_i[l]));
                let (mut xl, mut yl) = (wide.load(&row_x[l]), wide.load(&row_y[l]));
                let c_jxl = wide.load(&four[l][0]);
                jx = wide.mul_add(c_jxl, ql, jx);
                jl = wide.mul_add(c_jxl, qx, jl);
                xl = wide.mul_add(c_jxl, qj, xl);
                let c_jyl = wide.load(&four[l][1]);
                jy = wide.mul_add(c_jyl, ql, jy);
                jl = wide.mul_add(c_jyl, qy, jl);
                yl = wide.mul_add(c_jyl, qj, yl);
                let c_ixl = wide.load(&four[l][2]);
                ix = wide.mul_add(c_ixl, ql, ix);
                il = wide.mul_add(c_ixl, qx, il);
                xl = wide.mul_add(c_ixl, qi, xl);
                let c_iyl = wide.load(&four[l][3]);
                iy = wide.mul_add(c_iyl, ql, iy);
                il = wide.mul_add(c_iyl, qy, il);
                yl = wide.mul_add(c_iyl, qi, yl);
                row_j[l] = wide.store(jl);
                row_i[l] = wide.store(il);
                row_x[l] = wide.store(xl);
                row_y[l] = wide.store(yl);
            }
            corner_j[0] = wide.store(jx);
            corner_j[1] = wide.store(jy);
            corner_i[0] = wide.store(ix);
            corner_i[1] = wide.store(iy);
            c = rest;
        }

        let (head, rest) = c.split_at(4);
        let (c_xxx, c_xxy) = (wide.load(&head[0]), wide.load(&head[1]));
        let (c_xyy, c_yyy) = (wide.load(&head[2]), wide.load(&head[3]));
        xx = wide.mul_add(c_xxx, wide.add(qx2, qx), xx);
        xx = wide.mul_add(c_xxy, qy, xx);
        xy = wide.mul_add(c_xxy, qx2, xy);
        xy = wide.mul_add(c_xyy, qy2, xy);
        yy = wide.mul_add(c_xyy, qx, yy);
        yy = wide.mul_add(c_yyy, wide.add(qy2, qy), yy);
        let (three, rest) = rest.split_at(3 * tail);
        let three = &three.as_chunks::<3>().0[..tail];
        let (row_x, row_y, tail_q) = (&mut row_x[..tail], &mut row_y[..tail], &tail_q[..tail]);
        for l in 0..tail {
            let ql = wide.splat(tail_q[l]);
            let (mut xl, mut yl) = (wide.load(&row_x[l]), wide.load(&row_y[l]));
            let c_xxl = wide.load(&three[l][0]);
            xx = wide.mul_add(c_xxl, ql, xx);
            xl = wide.mul_add(c_xxl, qx2, xl);
            let c_xyl = wide.load(&three[l][1]);
            xy = wide.mul_add(c_xyl, ql, xy);
            xl = wide.mul_add(c_xyl, qy, xl);
            yl = wide.mul_add(c_xyl, qx, yl);
            let c_yyl = wide.load(&three[l][2]);
            yy = wide.mul_add(c_yyl, ql, yy);
            yl = wide.mul_add(c_yyl, qy2, yl);
            row_x[l] = wide.store(xl);
            row_y[l] = wide.store(yl);
        }
        corner_x[0] = wide.store(xx);
        corner_x[1] = wide.store(xy);
        corner_y[1] = wide.store(yy);
        c = rest;
        x += 2;
    }
    c
}
