//! A cage: cubes that the surface touches or that lie inside it, cut into the tets of the graded lattice.
//!
//! Nothing is cut along the surface, so features thinner than a cell, sheets and garbage are all enclosed. A face
//! between two cubes belongs to four tets as in [`super::lattice`]; a face on the outside, cut along a diagonal, to two
//! with the centre of its cube. All dihedral angles lie between 45° and 120°. Cubes are added where two of them would
//! touch in an edge or a corner only.

use pliant_linalg::{Progress, Vec3, Watch};
use rayon::prelude::*;

use super::lattice::{Which, face_corners, face_tets};
use super::octree::{FACES, FINEST, Key, Leaf, Octree, Side, pack};
use super::shell::Shell;
use crate::Result;

/// Encloses the surface: vertices in metres and positive tets.
pub(super) fn enclose(
    shell: &Shell,
    edge: f64,
    shift: &Vec3,
    coarser: bool,
    watch: &mut Watch<'_>,
) -> Result<(Vec<Vec3>, Vec<[u32; 4]>)> {
    use super::Solid as _;
    let side = |cube: &crate::bvh::Aabb| {
        let small = cube.high.x - cube.low.x < 1.5 * edge;
        shell.side(cube).filter(|inside| coarser || !inside || small)
    };
    let mut tree = Octree::new(&shell.bounds(), edge, shift, side, watch)?;
    tree.balance(|side| side != Side::Outside);
    Progress::stage("enclosing").tell(watch)?;
    let open: Vec<Leaf> = tree.leaves().into_iter().filter(|l| l.side == Side::Surface).collect();
    let taken: Vec<bool> = open
        .par_iter()
        .map(|leaf| {
            let cube = tree.frame.cube(leaf.low, leaf.size);
            shell.touches(&cube) || shell.inside(&cube.centre())
        })
        .collect();
    for (leaf, taken) in open.iter().zip(taken) {
        tree.set_side(leaf, if taken { Side::Inside } else { Side::Outside });
    }
    fill_in(&mut tree);
    Progress::stage("numbering").tell(watch)?;
    let tets = tets(&tree);
    let mut keys: Vec<Key> = tets.par_iter().flat_map_iter(|t| *t).collect();
    keys.par_sort_unstable();
    keys.dedup();
    let number = |key: Key| keys.binary_search(&key).expect("every corner was collected") as u32;
    let points = keys.iter().map(|&k| tree.frame.position(k)).collect();
    Ok((points, tets.par_iter().map(|t| t.map(number)).collect()))
}

/// Adds finest cubes until no two touch in an edge or a corner only.
fn fill_in(tree: &mut Octree) {
    let mut corners: Vec<[u32; 3]> = tree
        .leaves()
        .iter()
        .filter(|l| l.side == Side::Inside && l.size == FINEST)
        .flat_map(|l| (0..8).map(|i| l.corner(i)))
        .collect();
    while !corners.is_empty() {
        corners.par_sort_unstable();
        corners.dedup();
        let mut next = Vec::new();
        for corner in corners {
            let cell = |i: usize| {
                [0, 1, 2].map(|c| i64::from(corner[c]) - if i >> c & 1 == 1 { 0 } else { i64::from(FINEST) })
            };
            let full = |i: usize| tree.find(cell(i), FINEST).is_some_and(|(l, _)| l.side == Side::Inside);
            let mask = (0..8).filter(|&i| full(i)).fold(0u8, |mask, i| mask | 1 << i);
            let added = closure(mask) & !mask;
            for i in (0..8).filter(|i| added >> i & 1 == 1) {
                if let Some(leaf) = tree.take_finest(cell(i)) {
                    next.extend((0..8).map(|k| leaf.corner(k)));
                }
            }
        }
        corners = next;
    }
}

/// The eight cubes around a corner, with as few added as a simple rule finds so that the full ones hang together
/// through faces, at the corner and at each of its edges.
fn closure(mut mask: u8) -> u8 {
    let full = |mask: u8, i: usize| mask >> i & 1 == 1;
    loop {
        // Two cubes that are diagonal across an edge need one of the two others.
        let loose = (0..8usize).flat_map(|i| [3usize, 5, 6].map(|d| (i, i ^ d, d))).find(|&(i, j, d)| {
            let low = 1 << d.trailing_zeros();
            full(mask, i) && full(mask, j) && !full(mask, i ^ low) && !full(mask, j ^ low)
        });
        if let Some((i, _, d)) = loose {
            mask |= 1 << (i ^ (1 << d.trailing_zeros()));
            continue;
        }
        // Two that are opposite across the corner, with no way between them.
        let opposite = (0..4usize).find(|&i| {
            let neighbours = |i: usize| [1usize, 2, 4].iter().any(|&d| full(mask, i ^ d));
            full(mask, i) && full(mask, i ^ 7) && !(neighbours(i) && neighbours(i ^ 7))
        });
        match opposite {
            Some(i) => mask |= 1 << (i ^ 1) | 1 << (i ^ 3),
            None => return mask,
        }
    }
}

fn tets(tree: &Octree) -> Vec<[Key; 4]> {
    tree.leaves()
        .par_iter()
        .flat_map_iter(|leaf| {
            let mut tets = Vec::new();
            for d in FACES {
                let beside = tree.beside(leaf, d);
                if beside.is_some_and(|(_, divided)| divided) {
                    continue;
                }
                let beside = beside.map(|(l, _)| l).filter(|l| l.side == Side::Inside);
                let mine = leaf.side == Side::Inside;
                match beside {
                    Some(other) if other.size > leaf.size || mine && d.iter().sum::<i64>() > 0 => {
                        face_tets(tree, leaf, &other, d, &mut |corners: [(Which, [u32; 3]); 4]| {
                            // An empty cube beside a large full one speaks for that one only.
                            if mine || corners[0].0 == Which::Other {
                                tets.push(corners.map(|(_, p)| pack(p, false)));
                            }
                        });
                    }
                    None if mine => {
                        let ([a, b, c, e], m) = (face_corners(leaf, d), leaf.centre());
                        tets.extend([[m, a, b, c], [m, a, c, e]].map(|t| t.map(|p| pack(p, false))));
                    }
                    _ => {}
                }
            }
            tets
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cubes_around_a_corner_hang_together_after_the_closure() {
        for mask in 1..=255u8 {
            let closed = closure(mask);
            assert_eq!(closed & mask, mask);
            assert_eq!(closure(closed), closed);
            let mut reached = 1u8 << closed.trailing_zeros();
            for _ in 0..8 {
                for i in 0..8usize {
                    if reached >> i & 1 == 1 {
                        [1usize, 2, 4].iter().for_each(|d| reached |= closed & 1 << (i ^ d));
                    }
                }
            }
            assert_eq!(reached, closed, "{mask:08b} became {closed:08b}");
        }
    }
}
