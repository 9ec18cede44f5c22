//! Hexahedra as tets on the same vertices, without cracks between neighbours.
//!
//! Corners as Vega, VTK, Gmsh and MEDIT number them: 0 1 2 3 around the bottom, 4 5 6 7 above them.
//!
//! - Six tets: the corner with the smallest number is joined to the three faces that it is not on, and each face is cut
//!   along the diagonal through its own smallest number. Both neighbours of a face choose the same diagonal, whatever
//!   their orientation. (The rule: DLVC99 in docs/papers.md.)
//! - Five tets: a tet in the middle and one at every second corner. Which corners is decided by the first cube of each
//!   part; its neighbours must then take the other ones, and so on.

use std::collections::BTreeMap;

use super::{CubeSplit, Source};
use crate::{Place, Result};

const FACES: [[usize; 4]; 6] =
    [[0, 3, 2, 1], [4, 5, 6, 7], [0, 1, 5, 4], [1, 2, 6, 5], [2, 3, 7, 6], [3, 0, 4, 7]];

/// The tets and, for each, the cube it came from; in the order of the cubes.
pub(crate) fn into_tets(source: &Source<'_>, cubes: &[[u32; 8]]) -> Result<Vec<([u32; 4], u32)>> {
    match source.cubes {
        CubeSplit::Six => Ok(six(cubes)),
        CubeSplit::Five => five(source, cubes),
    }
}

fn six(cubes: &[[u32; 8]]) -> Vec<([u32; 4], u32)> {
    let mut tets = Vec::with_capacity(cubes.len() * 6);
    for (c, cube) in cubes.iter().enumerate() {
        let apex = (0..8).min_by_key(|&i| cube[i]).unwrap_or(0);
        for face in FACES.iter().filter(|f| !f.contains(&apex)) {
            let start = (0..4).min_by_key(|&i| cube[face[i]]).unwrap_or(0);
            let corner = |i: usize| cube[face[(start + i) % 4]];
            // The face is counter-clockwise from outside, so from the apex, which is inside, it is clockwise:
            // (p1 − p0) × (p2 − p0) · (p3 − p0) > 0 as it stands.
            tets.push(([cube[apex], corner(0), corner(1), corner(2)], c as u32));
            tets.push(([cube[apex], corner(0), corner(2), corner(3)], c as u32));
        }
    }
    tets
}

/// Corner tets of the two ways to cut a cube in five; the middle tet joins the four other corners.
const MIDDLE: [[usize; 4]; 2] = [[1, 3, 4, 6], [0, 2, 7, 5]];
const CORNERS: [[[usize; 4]; 4]; 2] = [
    [[0, 1, 3, 4], [2, 3, 1, 6], [5, 4, 6, 1], [7, 6, 4, 3]],
    [[1, 2, 0, 5], [3, 0, 2, 7], [4, 7, 5, 0], [6, 5, 7, 2]],
];

fn five(source: &Source<'_>, cubes: &[[u32; 8]]) -> Result<Vec<([u32; 4], u32)>> {
    // Way w cuts a face along the diagonal whose corners are in its middle tet.
    let diagonal = |cube: &[u32; 8], face: &[usize; 4], way: usize| -> [u32; 2] {
        let mut ends: Vec<u32> = face.iter().filter(|c| MIDDLE[way].contains(c)).map(|&c| cube[c]).collect();
        ends.sort_unstable();
        [ends[0], ends[1]]
    };
    let mut across: BTreeMap<[u32; 4], Vec<(usize, usize)>> = BTreeMap::new();
    for (c, cube) in cubes.iter().enumerate() {
        for (f, face) in FACES.iter().enumerate() {
            let mut key = face.map(|i| cube[i]);
            key.sort_unstable();
            let sides = across.entry(key).or_default();
            // Each side visits all others: any number of them would also cost its square.
            if sides.len() == 2 {
                return Err(source.error(
                    Place::Part(format!("cubes {}, {} and {c}", sides[0].0, sides[1].0)),
                    format!("three of their faces have the same corners, vertices {key:?} counted from 0"),
                    "at most two cubes at a face; remove the cubes that are there twice",
                ));
            }
            sides.push((c, f));
        }
    }
    let mut way: Vec<Option<usize>> = vec![None; cubes.len()];
    for first in 0..cubes.len() {
        let mut stack = vec![first];
        way[first].get_or_insert(0);
        while let Some(c) = stack.pop() {
            let mine = way[c].unwrap_or(0);
            for face in &FACES {
                let mut key = face.map(|i| cubes[c][i]);
                key.sort_unstable();
                for &(other, f) in across.get(&key).into_iter().flatten().filter(|o| o.0 != c) {
                    let wanted = diagonal(&cubes[c], face, mine);
                    match (0..2).find(|&w| diagonal(&cubes[other], &FACES[f], w) == wanted) {
                        Some(w) if way[other].is_none() => {
                            way[other] = Some(w);
                            stack.push(other);
                        }
                        Some(w) if way[other] == Some(w) => {}
                        _ => {
                            return Err(source.error(
                                Place::Part(format!("cubes {c} and {other}")),
                                "they cannot both be cut into five tets without a crack",
                                "cubes that alternate like a chess board; use six tets a cube",
                            ));
                        }
                    }
                }
            }
        }
    }
    let mut tets = Vec::with_capacity(cubes.len() * 5);
    for (c, cube) in cubes.iter().enumerate() {
        let way = way[c].unwrap_or(0);
        for tet in CORNERS[way].iter().chain([&MIDDLE[way]]) {
            tets.push((tet.map(|i| cube[i]), c as u32));
        }
    }
    Ok(tets)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::TetMesh;
    use pliant_linalg::Vec3;

    /// n³ cubes of edge 1; `turn` rotates the corners of every cube differently, as other programs may.
    fn grid(n: u32, turn: bool) -> (Vec<Vec3>, Vec<[u32; 8]>) {
        let at = |x: u32, y: u32, z: u32| x + (n + 1) * (y + (n + 1) * z);
        let mut vertices = Vec::new();
        let mut cubes = Vec::new();
        for z in 0..=n {
            for y in 0..=n {
                for x in 0..=n {
                    vertices.push(Vec3::new(x.into(), y.into(), z.into()));
                    if x < n && y < n && z < n {
                        let c = [(0, 0), (1, 0), (1, 1), (0, 1)];
                        let r = if turn { (x + 2 * y + 3 * z) as usize } else { 0 };
                        let corner =
                            |i: usize| at(x + c[(i + r) % 4].0, y + c[(i + r) % 4].1, z + (i / 4) as u32);
                        cubes.push([0, 1, 2, 3, 4, 5, 6, 7].map(|i: usize| {
                            if i < 4 { corner(i) } else { corner(i % 4) + (n + 1) * (n + 1) }
                        }));
                    }
                }
            }
        }
        (vertices, cubes)
    }

    #[test]
    fn many_cubes_at_one_face_are_refused_at_once() {
        let mut source = Source::memory("t", vec![], &|_| Err(std::io::ErrorKind::NotFound.into()));
        source.cubes = CubeSplit::Five;
        let error = into_tets(&source, &[[0, 1, 2, 3, 4, 5, 6, 7]; 20_000]).unwrap_err().to_string();
        assert!(error.contains("cubes 0, 1 and 2") && error.contains("[0, 1, 2, 3]"), "{error}");
    }

    #[test]
    fn both_ways_fill_the_box_with_a_closed_boundary() {
        for (split, each) in [(CubeSplit::Five, 5), (CubeSplit::Six, 6)] {
            for turn in [false, true] {
                let (vertices, cubes) = grid(3, turn);
                let mut source = Source::memory("t", vec![], &|_| Err(std::io::ErrorKind::NotFound.into()));
                source.cubes = split;
                let tets: Vec<_> = into_tets(&source, &cubes).unwrap().into_iter().map(|t| t.0).collect();
                assert_eq!(tets.len(), 27 * each);
                let mesh = TetMesh::new(vertices, tets).unwrap();
                assert!((mesh.volume() - 27.0).abs() < 1e-12);
                // A crack inside would show up as extra boundary faces.
                assert_eq!(crate::topology::boundary_faces(mesh.tets()).len(), 6 * 9 * 2);
            }
        }
    }
}
