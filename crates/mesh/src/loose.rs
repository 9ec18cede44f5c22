//! Parts of a mesh that nothing joins to its main part: what is held of them holds nothing else, and what is not held drifts off.
//!
//! Elements that share a vertex are joined. The main part is the largest: by volume of a solid, by area of a surface.
//!
//! ```
//! use pliant_mesh::{loose, select, shapes};
//! let bar = shapes::bar(pliant_linalg::Vec3::new(1.0, 0.1, 0.1), [4, 1, 1]).into_data();
//! let fixed = [select::select(&bar, "x<5%")?];
//! assert!(loose::loose_parts(&bar, &fixed).is_none(), "it is in one piece");
//! # Ok::<(), pliant_mesh::MeshError>(())
//! ```

use pliant_linalg::{Note, Vec3};

use crate::measure::{area_vector, tet_volume, triangulate};
use crate::select::Selection;
use crate::topology::components;
use crate::{Elements, MeshData, terms};

/// The joined parts of a mesh.
struct Parts {
    /// For each vertex its part; `None` of one that no element uses.
    of_vertex: Vec<Option<u32>>,
    /// Of each part its volume (of a solid) or its area, and that times its middle.
    sizes: Vec<(f64, Vec3)>,
    main: u32,
}

/// Parts that are neither held nor joined to one that is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LooseParts {
    /// How many.
    pub count: usize,
    /// How many parts there are in all.
    pub parts: usize,
    /// The largest of them, as a share of the whole body: of its volume, or of the area of a surface.
    pub largest_share: f64,
    /// The middle of that one, m.
    pub place: Vec3,
    /// Whether the main part is one of them, while another part is held.
    pub main: bool,
}

impl Parts {
    fn new(mesh: &MeshData) -> Self {
        let elements = (0..mesh.elements.len()).map(|e| mesh.elements.get(e));
        let (of_vertex, count) = components(mesh.vertices.len(), elements);
        let mut sizes = vec![(0.0, Vec3::zeros()); count];
        let at = |v: u32| mesh.vertices[v as usize];
        let mut add = |corners: &[u32], size: f64| {
            if let Some(part) = corners.first().and_then(|&v| of_vertex[v as usize]) {
                let middle = corners.iter().map(|&v| at(v)).sum::<Vec3>() / corners.len() as f64;
                let sum = &mut sizes[part as usize];
                *sum = (sum.0 + size, sum.1 + middle * size);
            }
        };
        match &mesh.elements {
            Elements::Tets(tets) => tets.iter().for_each(|t| add(t, tet_volume(&t.map(at)).abs())),
            Elements::Faces(faces) => {
                let triangles = triangulate(&mesh.vertices, faces);
                triangles.iter().for_each(|t| add(t, area_vector(&t.map(at)).norm()));
            }
        }
        let main = (0..sizes.len()).fold(0, |best, p| if sizes[p].0 > sizes[best].0 { p } else { best });
        Self { of_vertex, sizes, main: main as u32 }
    }
}

/// Whether each vertex belongs to the main part; `None` of a mesh in one part.
pub fn main_part(mesh: &MeshData) -> Option<Vec<bool>> {
    let parts = Parts::new(mesh);
    (parts.sizes.len() > 1).then(|| parts.of_vertex.iter().map(|p| *p == Some(parts.main)).collect())
}

/// What is loose while `held` is held: where anything is, every part of which nothing is; else every part but the main one.
pub fn loose_parts(mesh: &MeshData, held: &[Selection]) -> Option<LooseParts> {
    let Parts { of_vertex, sizes, main } = Parts::new(mesh);
    if sizes.len() < 2 {
        return None;
    }
    let mut is_held = vec![false; sizes.len()];
    for selection in held.iter().filter(|s| s.components.contains(&true)) {
        let parts = selection.vertices.iter().filter_map(|&v| of_vertex.get(v as usize).copied().flatten());
        parts.for_each(|p| is_held[p as usize] = true);
    }
    let anything = is_held.contains(&true);
    let is_loose = |p: &usize| !is_held[*p] && (anything || *p != main as usize);
    let loose: Vec<usize> = (0..sizes.len()).filter(is_loose).collect();
    let largest = loose.iter().copied().reduce(|a, b| if sizes[b].0 > sizes[a].0 { b } else { a })?;
    let whole: f64 = sizes.iter().map(|s| s.0).sum();
    let (size, moment) = sizes[largest];
    Some(LooseParts {
        count: loose.len(),
        parts: sizes.len(),
        largest_share: size / whole,
        place: moment / size,
        main: loose.contains(&(main as usize)),
    })
}

impl LooseParts {
    /// How many, how large, where, and what it means.
    pub fn note(&self) -> Note {
        let p = &self.place;
        let share = format!("{:.2} % of the body", 100.0 * self.largest_share);
        let place = format!("({:.4}, {:.4}, {:.4}) m", p.x, p.y, p.z);
        let next = "nothing joins them to the rest, so they drift off: make a solid of the boundary with smaller cells, or \
                    hold them too";
        let sentence = match (self.main, self.count) {
            (true, _) => format!(
                "the main part of the body, {share} around {place}, is held by nothing: what is held belongs to other parts \
                 that nothing joins to it; hold the main part"
            ),
            (_, 1) => format!(
                "1 of {} parts is loose, {share} around {place}; nothing joins it to the rest, so it drifts off: make a solid \
                 of the boundary with smaller cells, or hold it too",
                self.parts
            ),
            _ => format!(
                "{} of {} parts are loose, the largest {share} around {place}; {next}",
                self.count, self.parts
            ),
        };
        Note::new(sentence, if self.main { &[] } else { &[terms::LOOSE] })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{select, shapes};

    /// A large bar, and a crumb below it.
    fn bar_and_crumb() -> MeshData {
        let bar = shapes::bar(Vec3::new(1.0, 0.2, 0.2), [5, 1, 1]);
        let crumb = shapes::bar(Vec3::repeat(0.01), [1, 1, 1]);
        let mut vertices = bar.vertices().to_vec();
        let start = vertices.len() as u32;
        vertices.extend(crumb.vertices().iter().map(|p| p - Vec3::y()));
        let mut tets = bar.tets().to_vec();
        tets.extend(crumb.tets().iter().map(|t| t.map(|v| v + start)));
        MeshData::from_tets(vertices, tets)
    }

    #[test]
    fn a_crumb_is_loose_unless_it_is_held() {
        let mesh = bar_and_crumb();
        let held = |spec: &str| loose_parts(&mesh, &[select::select(&mesh, spec).expect("a selection")]);
        let free = loose_parts(&mesh, &[]).expect("a crumb");
        assert_eq!((free.count, free.parts, free.main), (1, 2, false));
        assert!((free.largest_share - 1e-6 / (0.04 + 1e-6)).abs() < 1e-9, "{free:?}");
        assert!((free.place - Vec3::new(0.005, -0.995, 0.005)).norm() < 1e-9, "{free:?}");
        assert!(free.note().contains("1 of 2 parts is loose"), "{}", free.note());
        assert_eq!(held("x>95%").map(|l| l.main), Some(false), "the bar is held, the crumb is not");
        let feet = held("y<5%").expect("the bar");
        assert!(feet.main && feet.largest_share > 0.99 && feet.note().contains("held by nothing"));
        assert_eq!(held("x<5%"), None, "both are held");
    }

    #[test]
    fn the_main_part_is_the_largest_and_one_part_needs_no_name() {
        let mesh = bar_and_crumb();
        let main = main_part(&mesh).expect("two parts");
        assert_eq!(main.iter().filter(|m| **m).count(), mesh.vertices.len() - 8);
        assert_eq!(main_part(&shapes::ball(1.0, 2).into_data()), None);
    }
}
