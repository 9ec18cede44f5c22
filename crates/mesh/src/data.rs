//! What a mesh file states: vertices, elements, regions, materials, vertex sets and an embedded surface.
//!
//! [`MeshData`] promises only that it is consistent with itself ([`MeshData::check`]): every index is in range and
//! every coordinate finite. Whether the shape is any good is `doctor`'s question; whether it can be computed with is
//! decided by [`crate::TetMesh::new`] and [`crate::SurfaceMesh::new`].

use pliant_linalg::{Vec3, quote};

use crate::{MeshError, Result};

/// What the elements of a mesh are. The words are those of `--json`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Four-node tetrahedra.
    Tets,
    /// A surface of triangles.
    Triangles,
    /// A surface of quadrilaterals.
    Quads,
    /// A surface of faces with different numbers of corners.
    Polygons,
}

impl Kind {
    /// `tets`, `triangles`, `quads` or `polygons`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Tets => "tets",
            Self::Triangles => "triangles",
            Self::Quads => "quads",
            Self::Polygons => "polygons",
        }
    }
}

/// Faces of a surface with any number of corners, counter-clockwise seen from outside.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Faces {
    /// Face f owns `corners[offsets[f] .. offsets[f + 1]]`; starts with 0.
    offsets: Vec<u32>,
    corners: Vec<u32>,
}

impl Default for Faces {
    fn default() -> Self {
        Self { offsets: vec![0], corners: Vec::new() }
    }
}

impl Faces {
    /// No faces yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// Triangles.
    pub fn from_triangles(triangles: &[[u32; 3]]) -> Self {
        triangles.iter().map(|t| &t[..]).collect()
    }

    /// Appends a face.
    pub fn push(&mut self, corners: &[u32]) {
        self.corners.extend_from_slice(corners);
        let end = u32::try_from(self.corners.len()).expect("a surface has fewer than 2³² corners");
        self.offsets.push(end);
    }

    /// How many faces there are.
    pub fn len(&self) -> usize {
        self.offsets.len() - 1
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The corners of face `f`.
    pub fn get(&self, f: usize) -> &[u32] {
        &self.corners[self.offsets[f] as usize..self.offsets[f + 1] as usize]
    }

    /// All faces in order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &[u32]> + Clone {
        self.offsets.windows(2).map(|w| &self.corners[w[0] as usize..w[1] as usize])
    }

    /// All corners of all faces, one after another.
    pub fn corners(&self) -> &[u32] {
        &self.corners
    }

    /// Triangles if all faces have three corners, quads if all have four, else polygons.
    pub fn kind(&self) -> Kind {
        let all = |n: u32| self.offsets.windows(2).all(|w| w[1] - w[0] == n);
        match () {
            () if all(3) => Kind::Triangles,
            () if all(4) => Kind::Quads,
            () => Kind::Polygons,
        }
    }
}

impl<'a> FromIterator<&'a [u32]> for Faces {
    fn from_iter<I: IntoIterator<Item = &'a [u32]>>(faces: I) -> Self {
        let mut all = Self::new();
        faces.into_iter().for_each(|f| all.push(f));
        all
    }
}

/// The elements of a mesh, as in its file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Elements {
    /// Tetrahedra. (p1 − p0) × (p2 − p0) · (p3 − p0) is positive in a sound one.
    Tets(Vec<[u32; 4]>),
    /// A surface.
    Faces(Faces),
}

impl Elements {
    /// How many there are.
    pub fn len(&self) -> usize {
        match self {
            Self::Tets(tets) => tets.len(),
            Self::Faces(faces) => faces.len(),
        }
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// What they are.
    pub fn kind(&self) -> Kind {
        match self {
            Self::Tets(_) => Kind::Tets,
            Self::Faces(faces) => faces.kind(),
        }
    }

    /// The corners of element `e`.
    pub fn get(&self, e: usize) -> &[u32] {
        match self {
            Self::Tets(tets) => &tets[e],
            Self::Faces(faces) => faces.get(e),
        }
    }

    /// All corners of all elements, one after another.
    pub fn corners(&self) -> &[u32] {
        match self {
            Self::Tets(tets) => tets.as_flattened(),
            Self::Faces(faces) => faces.corners(),
        }
    }
}

pub use crate::matter::{Law, Material};

/// A named group of elements. Every element is in at most one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Region {
    /// Its name, unique in the mesh.
    pub name: String,
    /// Index into [`Attributes::materials`].
    pub material: Option<u32>,
}

/// A named group of vertices, such as the fixed ones.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VertexSet {
    /// Its name, unique in the mesh.
    pub name: String,
    /// 0-based, ascending, without repetition.
    pub vertices: Vec<u32>,
}

/// Everything a mesh carries beside its shape.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Attributes {
    /// Named groups of elements.
    pub regions: Vec<Region>,
    /// For every element its index into `regions`, or [`Attributes::NO_REGION`]. Empty when there are no regions.
    pub region_of: Vec<u32>,
    /// The materials the file names, used or not.
    pub materials: Vec<Material>,
    /// Named groups of vertices.
    pub sets: Vec<VertexSet>,
    /// A fine surface that moves with the solid.
    pub embedded: Option<Embedded>,
}

impl Attributes {
    /// In [`Attributes::region_of`]: an element that belongs to no region.
    pub const NO_REGION: u32 = u32::MAX;

    /// The region of element `e`, if it has one.
    pub fn region(&self, e: usize) -> Option<&Region> {
        self.region_of.get(e).and_then(|&r| self.regions.get(r as usize))
    }

    /// The set called `name`.
    pub fn set(&self, name: &str) -> Option<&VertexSet> {
        self.sets.iter().find(|s| s.name == name)
    }

    /// The elements of every region, ascending, in one pass over all elements.
    pub fn elements_by_region(&self) -> Vec<Vec<u32>> {
        let mut members = vec![Vec::new(); self.regions.len()];
        for (e, &r) in (0..).zip(&self.region_of) {
            // Nobody owns the elements of no region.
            if let Some(members) = members.get_mut(r as usize) {
                members.push(e);
            }
        }
        members
    }

    fn check(&self, vertices: usize, elements: usize) -> Result<()> {
        let bad = |sentence: String| Err(MeshError::Inconsistent(sentence));
        for material in &self.materials {
            material.check().map_err(MeshError::Inconsistent)?;
        }
        if !self.region_of.is_empty() && self.region_of.len() != elements {
            return bad(format!("{} region numbers for {elements} elements", self.region_of.len()));
        }
        for (e, &r) in self.region_of.iter().enumerate() {
            if r != Self::NO_REGION && r as usize >= self.regions.len() {
                return bad(format!(
                    "element {e} is in region {r}, but there are {} regions",
                    self.regions.len()
                ));
            }
        }
        for region in &self.regions {
            if region.material.is_some_and(|m| m as usize >= self.materials.len()) {
                return bad(format!("region {} has a material that is not there", quote(&region.name)));
            }
        }
        for (what, mut names) in [
            ("region", self.regions.iter().map(|r| &r.name).collect::<Vec<_>>()),
            ("vertex set", self.sets.iter().map(|s| &s.name).collect()),
            ("material", self.materials.iter().map(|m| &m.name).collect()),
        ] {
            names.sort();
            if let Some(w) = names.windows(2).find(|w| w[0] == w[1]) {
                return bad(format!("two {what}s are called {}; names must differ", quote(w[0])));
            }
        }
        for set in &self.sets {
            if let Some(&v) = set.vertices.iter().find(|&&v| v as usize >= vertices) {
                return bad(format!(
                    "vertex set {} names vertex {v}, but there are {vertices}",
                    quote(&set.name)
                ));
            }
            if !set.vertices.is_sorted_by(|a, b| a < b) {
                return bad(format!(
                    "vertex set {} is not ascending or names a vertex twice",
                    quote(&set.name)
                ));
            }
        }
        if let Some(embedded) = &self.embedded {
            embedded.check(vertices)?;
        }
        Ok(())
    }
}

/// For each point of a fine surface, the vertices of the solid that carry it and their weights (sum 1).
#[derive(Clone, Debug, PartialEq)]
pub struct Embedding {
    /// Row p owns entries `offsets[p] .. offsets[p + 1]`; starts with 0.
    pub offsets: Vec<u32>,
    /// Vertices of the solid.
    pub vertices: Vec<u32>,
    /// Their weights; negative ones mean that the point lies outside its tet.
    pub weights: Vec<f64>,
}

impl Default for Embedding {
    fn default() -> Self {
        Self { offsets: vec![0], vertices: Vec::new(), weights: Vec::new() }
    }
}

impl Embedding {
    /// Appends a point.
    pub fn push(&mut self, entries: impl IntoIterator<Item = (u32, f64)>) {
        for (v, w) in entries {
            self.vertices.push(v);
            self.weights.push(w);
        }
        self.offsets.push(u32::try_from(self.vertices.len()).expect("fewer than 2³² weights"));
    }

    /// How many points there are.
    pub fn len(&self) -> usize {
        self.offsets.len() - 1
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The carriers of point `p` and their weights.
    pub fn row(&self, p: usize) -> impl Iterator<Item = (u32, f64)> + '_ {
        let range = self.offsets[p] as usize..self.offsets[p + 1] as usize;
        self.vertices[range.clone()].iter().copied().zip(self.weights[range].iter().copied())
    }

    /// Whether [`Embedding::row`] is in range for every point: the fields are open to everybody.
    fn check(&self) -> Result<()> {
        let entries = self.vertices.len();
        let starts_and_ends =
            self.offsets.first() == Some(&0) && self.offsets.last() == Some(&(entries as u32));
        if self.weights.len() != entries || !starts_and_ends || !self.offsets.is_sorted() {
            return Err(MeshError::Inconsistent(format!(
                "the embedding has {entries} vertices and {} weights in rows that do not fit them; expected offsets \
                 that rise from 0 to the number of both",
                self.weights.len()
            )));
        }
        Ok(())
    }

    /// Where the points are when the solid's vertices are at `x`.
    pub fn apply(&self, x: &[Vec3]) -> Vec<Vec3> {
        (0..self.len()).map(|p| self.row(p).map(|(v, w)| x[v as usize] * w).sum()).collect()
    }
}

/// A fine surface tied to a solid.
#[derive(Clone, Debug, PartialEq)]
pub struct Embedded {
    /// Rest positions of the surface's own vertices.
    pub vertices: Vec<Vec3>,
    /// Its faces.
    pub faces: Faces,
    /// Which vertices of the solid carry each of its vertices.
    pub embedding: Embedding,
    /// Named groups of its faces, for colours.
    pub regions: Vec<Region>,
    /// For every face its index into `regions`, or [`Attributes::NO_REGION`]. Empty when there are no regions.
    pub region_of: Vec<u32>,
}

impl Embedded {
    /// The surface as a mesh of its own, without its ties.
    pub fn to_mesh(&self) -> MeshData {
        MeshData {
            vertices: self.vertices.clone(),
            elements: Elements::Faces(self.faces.clone()),
            attributes: Attributes {
                regions: self.regions.clone(),
                region_of: self.region_of.clone(),
                ..Attributes::default()
            },
        }
    }

    pub(crate) fn check(&self, solid_vertices: usize) -> Result<()> {
        let bad = |sentence: String| Err(MeshError::Inconsistent(sentence));
        check_vertices(&self.vertices)?;
        check_indices(self.faces.iter(), self.vertices.len())?;
        if !self.region_of.is_empty() && self.region_of.len() != self.faces.len() {
            return bad(format!(
                "the embedded surface has {} region numbers for {} faces",
                self.region_of.len(),
                self.faces.len()
            ));
        }
        if let Some(r) =
            self.region_of.iter().find(|&&r| r != Attributes::NO_REGION && r as usize >= self.regions.len())
        {
            return bad(format!(
                "a face of the embedded surface is in region {r}, but there are {} regions",
                self.regions.len()
            ));
        }
        self.embedding.check()?;
        if self.embedding.len() != self.vertices.len() {
            return bad(format!(
                "the embedding has {} rows, but the surface has {} vertices; they belong to different files",
                self.embedding.len(),
                self.vertices.len()
            ));
        }
        if let Some(&v) = self.embedding.vertices.iter().find(|&&v| v as usize >= solid_vertices) {
            return bad(format!(
                "the embedding names vertex {v}, but the solid has {solid_vertices} vertices"
            ));
        }
        if let Some(w) = self.embedding.weights.iter().find(|w| !w.is_finite()) {
            return bad(format!("the embedding has the weight {w}, expected finite numbers"));
        }
        Ok(())
    }
}

/// A mesh as a file states it.
#[derive(Clone, Debug, PartialEq)]
pub struct MeshData {
    /// Positions, metres, in the order of the file, unused ones included.
    pub vertices: Vec<Vec3>,
    /// Tets or faces.
    pub elements: Elements,
    /// Regions, materials, sets, embedded surface.
    pub attributes: Attributes,
}

impl MeshData {
    /// A mesh of tets without attributes.
    pub fn from_tets(vertices: Vec<Vec3>, tets: Vec<[u32; 4]>) -> Self {
        Self { vertices, elements: Elements::Tets(tets), attributes: Attributes::default() }
    }

    /// A surface without attributes.
    pub fn from_faces(vertices: Vec<Vec3>, faces: Faces) -> Self {
        Self { vertices, elements: Elements::Faces(faces), attributes: Attributes::default() }
    }

    /// What the elements are.
    pub fn kind(&self) -> Kind {
        self.elements.kind()
    }

    /// Whether the mesh is consistent with itself: at least one element, every index in range, every coordinate
    /// finite, every name unique, every material's constants physically valid.
    ///
    /// # Errors
    /// The first thing that is not so.
    pub fn check(&self) -> Result<()> {
        if self.elements.is_empty() {
            let what = if matches!(self.elements, Elements::Tets(_)) { "tets" } else { "faces" };
            return Err(MeshError::Empty { vertices: self.vertices.len(), what });
        }
        check_vertices(&self.vertices)?;
        match &self.elements {
            Elements::Tets(tets) => check_indices(tets.iter().map(|t| &t[..]), self.vertices.len())?,
            Elements::Faces(faces) => check_indices(faces.iter(), self.vertices.len())?,
        }
        self.attributes.check(self.vertices.len(), self.elements.len())
    }

    /// Scales about the origin so that the longest side of the bounding box is `length` metres; the embedded surface
    /// too. Returns the factor.
    ///
    /// # Errors
    /// When `length` is not positive or the mesh has no extent.
    pub fn scale_to(&mut self, length: f64) -> Result<f64> {
        let [low, high] = self.bounds();
        let factor = length / (high - low).max();
        if !(length > 0.0 && factor.is_finite() && factor > 0.0) {
            return Err(MeshError::Inconsistent(format!(
                "the longest side of {} m cannot be scaled to {length} m; expected finite lengths > 0",
                (high - low).max()
            )));
        }
        self.vertices.iter_mut().for_each(|p| *p *= factor);
        if let Some(embedded) = &mut self.attributes.embedded {
            embedded.vertices.iter_mut().for_each(|p| *p *= factor);
        }
        Ok(factor)
    }

    /// Lowest and highest corner of the box around all vertices.
    pub fn bounds(&self) -> [Vec3; 2] {
        bounds(&self.vertices)
    }
}

/// Lowest and highest corner of the box around `points`; `[0, 0]` when there are none.
pub fn bounds(points: &[Vec3]) -> [Vec3; 2] {
    let Some(&first) = points.first() else { return [Vec3::zeros(); 2] };
    points.iter().fold([first; 2], |[low, high], p| [low.inf(p), high.sup(p)])
}

pub(crate) fn check_vertices(vertices: &[Vec3]) -> Result<()> {
    match vertices.iter().position(|p| !p.iter().all(|x| x.is_finite())) {
        Some(vertex) => Err(MeshError::NotFinite { vertex, position: vertices[vertex].into() }),
        None => Ok(()),
    }
}

pub(crate) fn check_indices<'a>(
    elements: impl IntoIterator<Item = &'a [u32]>,
    vertices: usize,
) -> Result<()> {
    for (element, corners) in elements.into_iter().enumerate() {
        if let Some(&v) = corners.iter().find(|&&v| v as usize >= vertices) {
            return Err(MeshError::IndexOutOfRange { element, vertex: v as usize, vertices });
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn one_tet() -> MeshData {
        MeshData::from_tets(vec![Vec3::zeros(), Vec3::x(), Vec3::y(), Vec3::z()], vec![[0, 1, 2, 3]])
    }

    #[test]
    fn elements_by_region_are_those_of_region_of() {
        let regions = ["a", "b", "c"].map(|n| Region { name: n.into(), material: None }).into();
        let region_of = vec![2, 0, Attributes::NO_REGION, 2, 0, 0];
        let a = Attributes { regions, region_of, ..Attributes::default() };
        assert_eq!(a.elements_by_region(), [vec![1, 4, 5], vec![], vec![0, 3]]);
    }

    #[test]
    fn an_embedding_whose_rows_are_out_of_range_is_refused() {
        let surface = |embedding| {
            let mut mesh = one_tet();
            mesh.attributes.embedded = Some(Embedded {
                vertices: mesh.vertices[..3].to_vec(),
                faces: Faces::from_triangles(&[[0, 1, 2]]),
                embedding,
                regions: Vec::new(),
                region_of: Vec::new(),
            });
            mesh.check()
        };
        let rows = |offsets: &[u32], weights: usize| Embedding {
            offsets: offsets.to_vec(),
            vertices: vec![0, 1, 2],
            weights: vec![1.0; weights],
        };
        surface(rows(&[0, 1, 2, 3], 3)).unwrap();
        for (offsets, weights) in
            [(&[0, 1, 2, 4][..], 3), (&[0, 2, 1, 3], 3), (&[1, 1, 2, 3], 3), (&[0, 1, 2, 3], 2), (&[], 3)]
        {
            let error = surface(rows(offsets, weights)).unwrap_err().to_string();
            assert!(error.contains("offsets"), "{offsets:?}: {error}");
        }
    }

    #[test]
    fn a_material_that_no_body_can_have_is_refused() {
        let mut mesh = one_tet();
        let law = Law::isotropic(1e5, 0.5);
        mesh.attributes.materials = vec![Material { name: "gum".into(), density: 1e3, law }];
        let error = mesh.check().unwrap_err().to_string();
        assert!(error.contains("gum") && error.contains("0.5"), "{error}");
    }
}
