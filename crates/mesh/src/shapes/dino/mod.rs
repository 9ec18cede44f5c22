//! A rubber dinosaur on a small plate: the first thing everybody sees.
//!
//! A young sauropod of 25 cm with a big head, a thick tail and a row of soft spikes. The solid is coarse, the surface
//! that it carries is fine and coloured; neck and tail are free to sway, the plate is stiff and its underside fixed.

mod colours;
mod form;

use pliant_linalg::{Vec3, Watch};

use super::solid::{fill_shape, fixed_below};
use super::{ShapeOptions, subdivision};
use crate::data::{Attributes, Law, Material, MeshData, Region};
use crate::tetrahedralise::Grading;
use crate::{Faces, Result, SurfaceMesh, embed};
use form::Form;

/// Lattice cells along the height, unless the options say otherwise.
pub(super) const CELLS: usize = 22;

/// Vertices of the surface, unless the options say otherwise.
const SURFACE: usize = 25_000;

/// Metres per unit of the form.
const CENTIMETRE: f64 = 0.01;

/// Makes the dinosaur.
///
/// # Errors
/// When the subdivision is out of range or the work is cancelled.
pub(super) fn make(options: &ShapeOptions, watch: &mut Watch<'_>) -> Result<MeshData> {
    let cells = subdivision("dino", options, CELLS, 16..=120)?;
    let form = Form::new();
    let height = form.whole.bounds().high.y;
    let edge = height / cells as f64;
    let solid = fill_shape(&form.stout, edge, Grading::Coarser, watch)?;
    let mut data = solid.into_data();
    let middle =
        |e: usize| data.elements.get(e).iter().map(|&v| data.vertices[v as usize]).sum::<Vec3>() / 4.0;
    let region_of = (0..data.elements.len())
        .map(|e| u32::from(form.base.distance(middle(e)) < form.skin.distance(middle(e))))
        .collect();
    data.attributes = Attributes {
        regions: vec![
            Region { name: "body".into(), material: Some(0) },
            Region { name: "base".into(), material: Some(1) },
        ],
        region_of,
        materials: vec![material("rubber", 1000.0, 2e5, 0.45), material("hard rubber", 1100.0, 5e6, 0.45)],
        sets: vec![fixed_below(&data.vertices, 0.02)],
        embedded: None,
    };
    data.vertices.iter_mut().for_each(|p| *p *= CENTIMETRE);
    let surface = surface(&form, options.surface_vertices.unwrap_or(SURFACE), watch)?;
    let (solid, _) = embed::attach(crate::TetMesh::from_data(data)?, &surface)?;
    Ok(solid.into_data())
}

/// Colours (sRGB) of the regions of the surface.
pub(super) fn colour_of(region: &str) -> Option<[f32; 3]> {
    colours::REGIONS.iter().find(|r| r.0 == region).map(|r| r.1)
}

/// The fine surface in metres, its faces in the regions of [`colours::REGIONS`].
fn surface(form: &Form, vertices: usize, watch: &mut Watch<'_>) -> Result<SurfaceMesh> {
    let (mut skin, colour_of) = colours::painted(form, vertices, watch)?;
    skin.vertices.iter_mut().for_each(|p| *p *= CENTIMETRE);
    // One region after another: a format that draws regions one by one needs few pieces.
    let mut faces: Vec<(u32, [u32; 3])> = colour_of.into_iter().zip(skin.triangles).collect();
    faces.sort_by_key(|(region, _)| *region);
    let (region_of, triangles): (Vec<u32>, Vec<[u32; 3]>) = faces.into_iter().unzip();
    let mut data = MeshData::from_faces(skin.vertices, Faces::from_triangles(&triangles));
    let names = colours::REGIONS.iter().map(|r| Region { name: r.0.into(), material: None });
    data.attributes = Attributes { regions: names.collect(), region_of, ..Attributes::default() };
    SurfaceMesh::from_data(data)
}

fn material(name: &str, density: f64, young: f64, poisson: f64) -> Material {
    Material { name: name.into(), density, law: Law::isotropic(young, poisson) }
}
