//! Looking into a solid: whole tets on one side of a plane are taken away.

use pliant_linalg::Vec3;
use pliant_mesh::measure::TET_FACES;
use rayon::prelude::*;

/// What of a solid is taken away.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Cut {
    /// Nothing.
    None,
    /// Tets whose middle lies on the side of the plane to which `normal` points.
    Plane {
        /// A point of the plane, metres.
        point: Vec3,
        /// Its normal, of any length.
        normal: Vec3,
    },
}

impl Cut {
    /// Takes away what lies on the side of `normal`.
    pub fn plane(point: Vec3, normal: Vec3) -> Self {
        Self::Plane { point, normal }
    }

    /// The plane across `normal` that takes away about half of the tets: of the places between 40 % and 60 % the one
    /// that lays open the fewest faces, so that a mesh built in layers is cut between two of them.
    pub fn half(vertices: &[Vec3], tets: &[[u32; 4]], normal: Vec3) -> Self {
        let height: Vec<f64> =
            tets.par_iter().map(|t| middle(vertices, t).map_or(f64::NAN, |m| m.dot(&normal))).collect();
        let mut order: Vec<u32> =
            (0..tets.len() as u32).filter(|&t| height[t as usize].is_finite()).collect();
        if order.is_empty() {
            return Self::None;
        }
        order
            .par_sort_unstable_by(|&a, &b| height[a as usize].total_cmp(&height[b as usize]).then(a.cmp(&b)));
        // A face between tets at heights a < b is laid open by every plane in [a, b).
        let (mut starts, mut ends): (Vec<f64>, Vec<f64>) = sorted_faces(tets)
            .chunk_by(|a, b| a.0 == b.0)
            .filter(|g| g.len() == 2)
            .map(|g| (height[g[0].1 as usize], height[g[1].1 as usize]))
            .map(|(a, b)| (a.min(b), a.max(b)))
            .unzip();
        starts.par_sort_unstable_by(f64::total_cmp);
        ends.par_sort_unstable_by(f64::total_cmp);
        let last = order.len() - 1;
        let best = (0..=PLACES)
            .map(|i| order[last * (2 * PLACES + i) / (5 * PLACES)])
            .min_by_key(|&t| {
                let h = height[t as usize];
                starts.partition_point(|s| *s <= h) - ends.partition_point(|e| *e <= h).min(starts.len())
            })
            .map(|t| tets[t as usize]);
        best.and_then(|t| middle(vertices, &t)).map_or(Self::None, |point| Self::plane(point, normal))
    }

    pub(crate) fn keeps(&self, vertices: &[Vec3], tet: &[u32; 4]) -> bool {
        match self {
            Self::None => true,
            Self::Plane { point, normal } => {
                middle(vertices, tet).is_some_and(|m| (m - point).dot(normal) <= 0.0)
            }
        }
    }
}

/// Places between 40 % and 60 % that [`Cut::half`] tries.
const PLACES: usize = 60;

/// A face of a tet that is to be seen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Shown {
    /// Outward corners.
    pub(crate) corners: [u32; 3],
    /// The tet it belongs to.
    pub(crate) tet: u32,
    /// Whether it lies inside the solid, where the cut has laid it open.
    pub(crate) inside: bool,
}

/// The faces that belong to exactly one of the tets that are kept, in the order of the tets.
pub(crate) fn shown(vertices: &[Vec3], tets: &[[u32; 4]], cut: &Cut) -> Vec<Shown> {
    let kept: Vec<bool> = tets.par_iter().map(|t| cut.keeps(vertices, t)).collect();
    let faces = sorted_faces(tets);
    let mut seen: Vec<(u32, u8, bool)> = Vec::new();
    for group in faces.chunk_by(|a, b| a.0 == b.0) {
        let mut there = group.iter().filter(|(_, t, _)| kept[*t as usize]);
        if let (Some(&(_, t, f)), None) = (there.next(), there.next()) {
            seen.push((t, f, group.len() > 1));
        }
    }
    seen.sort_unstable();
    seen.into_iter()
        .map(|(t, f, inside)| Shown {
            corners: TET_FACES[f as usize].map(|c| tets[t as usize][c]),
            tet: t,
            inside,
        })
        .collect()
}

/// (sorted corners, tet, local face) of all faces, sorted, so that equal faces stand together.
fn sorted_faces(tets: &[[u32; 4]]) -> Vec<([u32; 3], u32, u8)> {
    let mut faces: Vec<([u32; 3], u32, u8)> = tets
        .par_iter()
        .enumerate()
        .flat_map_iter(|(t, tet)| {
            TET_FACES.iter().enumerate().map(move |(f, face)| {
                let mut key = face.map(|c| tet[c]);
                key.sort_unstable();
                (key, t as u32, f as u8)
            })
        })
        .collect();
    faces.par_sort_unstable();
    faces
}

/// The middle of a tet; `None` if a corner is missing or not finite.
fn middle(vertices: &[Vec3], tet: &[u32; 4]) -> Option<Vec3> {
    let mut sum = Vec3::zeros();
    for &v in tet {
        sum += vertices.get(v as usize)? / 4.0;
    }
    sum.iter().all(|x| x.is_finite()).then_some(sum)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn without_a_cut_the_boundary_is_seen_and_with_one_the_open_inside_too() {
        let bar = pliant_mesh::shapes::bar(Vec3::new(2.0, 1.0, 1.0), [4, 2, 2]);
        let (x, t) = (bar.vertices(), bar.tets());
        let whole = shown(x, t, &Cut::None);
        let boundary: Vec<[u32; 3]> = whole.iter().map(|s| s.corners).collect();
        assert_eq!(boundary, pliant_mesh::topology::boundary_faces(t));
        assert!(whole.iter().all(|s| !s.inside));
        let half = shown(x, t, &Cut::plane(Vec3::x(), Vec3::x()));
        // Half of the four long sides and one end remain; the open face has 2 × 2 cells of two triangles.
        assert_eq!(half.iter().filter(|s| !s.inside).count(), 4 * 2 * 2 * 2 + 8);
        assert_eq!(half.iter().filter(|s| s.inside).count(), 8);
    }

    #[test]
    fn a_layered_body_is_cut_between_layers() {
        let bar = pliant_mesh::shapes::bar(Vec3::new(2.0, 1.0, 1.0), [4, 4, 4]);
        for axis in [Vec3::x(), -Vec3::y(), Vec3::z()] {
            let cut = Cut::half(bar.vertices(), bar.tets(), axis);
            let open = shown(bar.vertices(), bar.tets(), &cut).iter().filter(|s| s.inside).count();
            assert_eq!(open, 32, "sixteen cells of two triangles");
        }
        assert_eq!(Cut::half(&[], &[], Vec3::x()), Cut::None);
        assert_eq!(Cut::half(&[], &[[0, 1, 2, 3]], Vec3::x()), Cut::None);
    }
}
