//! Work at a chosen depth of the stack.
//!
//! A kernel that keeps more numbers than there are registers puts the rest on the stack, and pays several times over for
//! one that lies across two pages. Where it lies depends on the callers: it is part of the measurement to vary that.

use std::hint::black_box;

/// Depths that differ by 16 bytes or a few times that, from one page into the next.
pub(super) const DEPTHS: usize = 288;

/// Runs `work`, the deeper on the stack the larger `depth`.
#[inline(never)]
pub(super) fn at_depth(depth: usize, work: &mut dyn FnMut()) {
    match depth % 4 {
        0 => padded::<1>(depth / 4, work),
        1 => padded::<2>(depth / 4, work),
        2 => padded::<3>(depth / 4, work),
        _ => padded::<4>(depth / 4, work),
    }
}

/// 16 N bytes, then so many levels.
#[inline(never)]
fn padded<const N: usize>(levels: usize, work: &mut dyn FnMut()) {
    let room = [0u128; N];
    black_box(&room);
    descend(levels, work);
    black_box(&room);
}

/// About 64 bytes a level.
#[inline(never)]
fn descend(levels: usize, work: &mut dyn FnMut()) {
    let room = [0u128; 2];
    black_box(&room);
    if levels == 0 {
        work()
    } else {
        descend(levels - 1, work)
    }
    black_box(&room);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn depths_reach_every_quarter_line_of_a_page() {
        let mut places = Vec::new();
        for depth in 0..DEPTHS {
            at_depth(depth, &mut || {
                let here = 0u128;
                places.push(std::ptr::from_ref(black_box(&here)).addr());
            });
        }
        let reach = places.iter().max().expect("some") - places.iter().min().expect("some");
        assert!(reach >= 4096, "{reach} bytes");
        let mut quarters: Vec<usize> = places.iter().map(|place| place % 64 / 16).collect();
        quarters.sort_unstable();
        quarters.dedup();
        assert_eq!(quarters, [0, 1, 2, 3]);
    }
}
