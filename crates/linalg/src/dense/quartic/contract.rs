//! The first stage: every coefficient times one coordinate, in three ways.
//!
//! ```text
//! for every c(j,k,l) of the tile:   M_jk += c q_l,   M_jl += c q_k,   M_kl += c q_j
//! ```
//! Three fused multiply-adds for each number read, all four lanes alike. Two rows j and two columns k at a time, so that
//! what is added to lies in registers for half of them. With equal indices a slot is differentiated as often as it
//! stands there, which gives the factors 2 and 3.

use crate::simd::{Quad, Wide};

/// M of one tile (rows of `stride` numbers, upper triangle from `first` to `end`), whatever stood there; gives the rest
/// of the stream.
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
        let (above, below) = M[first * stride..].split_at_mut((x - first) * stride);
        let (row_x, below) = below.split_at_mut(stride);
        let mut columns = Columns::new(wide, q, x, &mut row_x[x..end], &mut below[x..end]);
        let (mut rows, mut j) = (above, first);
        // The first to touch the rows of x and y does not read them.
        if j < x {
            let (pair, rest) = rows.split_at_mut(2 * stride);
            c = columns.add::<true>(wide, [q[j], q[j + 1]], pair, (x, end, stride), c);
            (rows, j) = (rest, j + 2);
        }
        while j < x {
            let (pair, rest) = rows.split_at_mut(2 * stride);
            c = columns.add::<false>(wide, [q[j], q[j + 1]], pair, (x, end, stride), c);
            (rows, j) = (rest, j + 2);
        }
        c = if x == first { columns.finish::<true>(wide, c) } else { columns.finish::<false>(wide, c) };
        x += 2;
    }
    c
}

/// The columns x and y = x + 1 of M so far, and their rows. What stands where they cross waits in M: the registers are
/// full, and the stack is a worse place.
struct Columns<'a, W: Wide> {
    qx: W::V,
    qy: W::V,
    /// q past y.
    q: &'a [f64],
    corner_x: &'a mut [Quad],
    corner_y: &'a mut [Quad],
    /// Rows x and y past y.
    row_x: &'a mut [Quad],
    row_y: &'a mut [Quad],
}

impl<'a, W: Wide> Columns<'a, W> {
    #[inline(always)]
    fn new(wide: W, q: &'a [f64], x: usize, row_x: &'a mut [Quad], row_y: &'a mut [Quad]) -> Self {
        let (qx, qy) = (wide.splat(q[x]), wide.splat(q[x + 1]));
        let (corner_x, row_x) = row_x.split_at_mut(2);
        let (corner_y, row_y) = row_y.split_at_mut(2);
        let q = &q[x + 2..];
        let (row_x, row_y) = (&mut row_x[..q.len()], &mut row_y[..q.len()]);
        Self { qx, qy, q, corner_x, corner_y, row_x, row_y }
    }

    /// c(j,·,·) and c(i,·,·) with i = j + 1, whose rows of M are `pair`.
    #[inline(always)]
    fn add<'c, const FIRST: bool>(
        &mut self,
        wide: W,
        q: [f64; 2],
        pair: &mut [Quad],
        (x, end, stride): (usize, usize, usize),
        c: &'c [Quad],
    ) -> &'c [Quad] {
        let zero = wide.splat(0.0);
        let (qx, qy) = (self.qx, self.qy);
        let (qx2, qy2) = (wide.add(qx, qx), wide.add(qy, qy));
        let (row_j, row_i) = pair.split_at_mut(stride);
        let (row_j, row_i) = (&mut row_j[x..end], &mut row_i[x..end]);
        let (corner_j, row_j) = row_j.split_at_mut(2);
        let (corner_i, row_i) = row_i.split_at_mut(2);
        let (qj, qi) = (wide.splat(q[0]), wide.splat(q[1]));
        let (head, rest) = c.split_at(6);
        let (mut xx, mut xy, mut yy) = if FIRST { (zero, zero, zero) } else { self.corner(wide) };
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

        self.corner_x[0] = wide.store(xx);
        self.corner_x[1] = wide.store(xy);
        self.corner_y[1] = wide.store(yy);

        let tail = self.q.len();
        let (four, rest) = rest.split_at(4 * tail);
        let (four, row_j, row_i) = (&four.as_chunks::<4>().0[..tail], &mut row_j[..tail], &mut row_i[..tail]);
        let (row_x, row_y) = (&mut self.row_x[..tail], &mut self.row_y[..tail]);
        for l in 0..tail {
            let ql = wide.splat(self.q[l]);
            let (mut jl, mut il) = (wide.load(&row_j[l]), wide.load(&row_i[l]));
            let (mut xl, mut yl) =
                if FIRST { (zero, zero) } else { (wide.load(&row_x[l]), wide.load(&row_y[l])) };
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
        rest
    }

    /// M_xx, M_xy and M_yy so far.
    #[inline(always)]
    fn corner(&self, wide: W) -> (W::V, W::V, W::V) {
        (wide.load(&self.corner_x[0]), wide.load(&self.corner_x[1]), wide.load(&self.corner_y[1]))
    }

    /// What has x and y alone, or once more.
    #[inline(always)]
    fn finish<const FIRST: bool>(self, wide: W, c: &[Quad]) -> &[Quad] {
        let zero = wide.splat(0.0);
        let (mut xx, mut xy, mut yy) = if FIRST { (zero, zero, zero) } else { self.corner(wide) };
        let Self { qx, qy, q, corner_x, corner_y, row_x, row_y } = self;
        let (qx2, qy2) = (wide.add(qx, qx), wide.add(qy, qy));
        let (head, rest) = c.split_at(4);
        let (c_xxx, c_xxy) = (wide.load(&head[0]), wide.load(&head[1]));
        let (c_xyy, c_yyy) = (wide.load(&head[2]), wide.load(&head[3]));
        xx = wide.mul_add(c_xxx, wide.add(qx2, qx), xx);
        xx = wide.mul_add(c_xxy, qy, xx);
        xy = wide.mul_add(c_xxy, qx2, xy);
        xy = wide.mul_add(c_xyy, qy2, xy);
        yy = wide.mul_add(c_xyy, qx, yy);
        yy = wide.mul_add(c_yyy, wide.add(qy2, qy), yy);
        let tail = q.len();
        let (three, rest) = rest.split_at(3 * tail);
        let three = &three.as_chunks::<3>().0[..tail];
        let (row_x, row_y) = (&mut row_x[..tail], &mut row_y[..tail]);
        for l in 0..tail {
            let ql = wide.splat(q[l]);
            let (mut xl, mut yl) =
                if FIRST { (zero, zero) } else { (wide.load(&row_x[l]), wide.load(&row_y[l])) };
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
        rest
    }
}
