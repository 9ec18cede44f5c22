//! Shapes as they go over the wire: safetensors of the shown surface, of the inside, and of what a job works on.
//!
//! ```text
//! U_p = Σ_v w_pv U_v          a point p of the shown surface is carried by the vertices v of the body
//! U_pk ≈ scale_k · half(U_pk / scale_k),   scale_k = max_p |U_pk|
//! ```
//! so that each coordinate keeps eleven bits of its own largest displacement. docs/protocol lists the tensors.

use half::f16;
use pliant::linalg::{Vec3, ignore_progress};
use pliant::mesh::shapes::{self, ShapeOptions};
use pliant::mesh::{Elements, MeshError, ShownSurface};
use pliant::reduce::Model;
use pliant::sim::Thinned;
use safetensors::tensor::{Dtype, TensorView};

/// Of a region without a colour beside others that have one, sRGB.
const PLAIN: [u8; 3] = [200, 200, 200];

/// The shape of docs/protocol/bodies.md.
pub(crate) fn shape(model: &Model) -> Result<Vec<u8>, String> {
    let (r, shown, surface) = (model.rank(), model.surface(), model.surface_basis());
    let narrow = |numbers: &[f64]| numbers.iter().map(|x| *x as f32).collect::<Vec<_>>();
    let rows = narrow(surface.rows());
    let mut file = File::default();
    file.surface(shown);
    let pinned = (0..surface.len()).map(|p| u8::from(surface.is_held(p))).collect();
    file.basis(r, &rows, pinned);
    file.colours(shown);
    file.finish()
}

/// The file of docs/protocol/modes.md.
pub(crate) fn modes(model: &Model) -> Result<Vec<u8>, String> {
    let narrow = |numbers: &[f64]| numbers.iter().map(|x| *x as f32).collect::<Vec<_>>();
    let own = model.shown_modes().map_err(|e| e.to_string())?;
    let (modes, frequencies) = (narrow(&own.coordinates), narrow(&own.frequencies_hz));
    let mut file = File::default();
    file.put("modes", Dtype::F32, &[frequencies.len(), model.rank()], bytes(&modes));
    file.put("frequencies", Dtype::F32, &[frequencies.len()], bytes(&frequencies));
    file.finish()
}

/// The file of docs/protocol/inside.md; `None` of a surface.
pub(crate) fn inside(model: &Model) -> Result<Option<Vec<u8>>, String> {
    let Elements::Tets(tets) = &model.mesh().elements else { return Ok(None) };
    let rows: Vec<f32> = model.basis().rows().iter().map(|x| *x as f32).collect();
    let mut file = File::default();
    file.put("rest", Dtype::F32, &[model.mesh().vertices.len(), 3], points(&model.mesh().vertices));
    file.put("tets", Dtype::U32, &[tets.len(), 4], bytes(tets.as_flattened()));
    let r = model.basis().rank();
    let still = |rows: &[f32]| u8::from(rows.iter().all(|x| *x == 0.0));
    let pinned = rows.chunks_exact(3 * r).map(still).collect();
    file.basis(r, &rows, pinned);
    if let Some(cubature) = model.cubature() {
        let weights: Vec<f32> = cubature.weights.iter().map(|w| *w as f32).collect();
        file.put("cubature", Dtype::U32, &[weights.len()], bytes(&cubature.components));
        file.put("weights", Dtype::F32, &[weights.len()], bytes(&weights));
    }
    file.finish().map(Some)
}

/// The file of docs/protocol/time.md: the last seconds of a body.
pub(crate) fn past(motion: &Thinned) -> Result<Vec<u8>, String> {
    let narrow = |numbers: &[f64]| numbers.iter().map(|x| *x as f32).collect::<Vec<_>>();
    let mut file = File::default();
    file.put("times", Dtype::F32, &[motion.times.len()], bytes(&narrow(&motion.times)));
    file.put("q", Dtype::F32, &[motion.times.len(), motion.rank], bytes(&narrow(&motion.q)));
    file.finish()
}

/// The file of docs/protocol/colours.md.
pub(crate) fn values(values: &[f64]) -> Result<Vec<u8>, String> {
    let narrow: Vec<f32> = values.iter().map(|x| *x as f32).collect();
    let mut file = File::default();
    file.put("values", Dtype::F32, &[narrow.len()], bytes(&narrow));
    file.finish()
}

/// Lists of numbers by their names.
pub(crate) fn numbers(
    reals: &[(&'static str, &[f32])],
    counts: &[(&'static str, &[u32])],
    small: &[(&'static str, &[u8])],
) -> Result<Vec<u8>, String> {
    let mut file = File::default();
    reals.iter().for_each(|(name, x)| file.put(name, Dtype::F32, &[x.len()], bytes(x)));
    counts.iter().for_each(|(name, x)| file.put(name, Dtype::U32, &[x.len()], bytes(x)));
    small.iter().for_each(|(name, x)| file.put(name, Dtype::U8, &[x.len()], x.to_vec()));
    file.finish()
}

/// What a job works on, or one of our shapes: `rest`, `triangles`, and `colours` where it brings some.
pub(crate) fn preview(shown: &ShownSurface) -> Result<Vec<u8>, String> {
    let mut file = File::default();
    file.surface(shown);
    file.colours(shown);
    file.finish()
}

/// Vertices of the surface of a shape of ours that has one of its own, for a small picture.
const SMALL: usize = 4_000;

/// A shape of so few cells stays as it is.
const FEW_CELLS: usize = 24;

/// The surface of one of our shapes, as coarse as a small picture or a first one may be, where the shape can be so.
pub(crate) fn coarse(entry: &shapes::Shape) -> Result<ShownSurface, MeshError> {
    let cells = entry.default_subdivision;
    let subdivision = (cells > FEW_CELLS).then_some(cells / 2);
    let coarse = ShapeOptions { subdivision, surface_vertices: Some(SMALL) };
    let usual = |_| entry.make(&ShapeOptions::default(), &mut ignore_progress);
    Ok(ShownSurface::of(&entry.make(&coarse, &mut ignore_progress).or_else(usual)?))
}

/// Tensors on their way into a file.
#[derive(Default)]
struct File(Vec<(&'static str, Dtype, Vec<usize>, Vec<u8>)>);

impl File {
    fn put(&mut self, name: &'static str, kind: Dtype, shape: &[usize], bytes: Vec<u8>) {
        self.0.push((name, kind, shape.to_vec(), bytes));
    }

    fn surface(&mut self, shown: &ShownSurface) {
        let ShownSurface { rest, triangles, .. } = shown;
        self.put("rest", Dtype::F32, &[rest.len(), 3], points(rest));
        self.put("triangles", Dtype::U32, &[triangles.len(), 3], bytes(triangles.as_flattened()));
    }

    /// Of each triangle, where it brings some.
    fn colours(&mut self, shown: &ShownSurface) {
        let colours = shown.triangle_colours(PLAIN);
        if !colours.is_empty() {
            self.put("colours", Dtype::U8, &[colours.len(), 3], colours.as_flattened().to_vec());
        }
    }

    /// `basis`, `basis_scale` and `pinned` of U, three rows of r numbers for each vertex.
    fn basis(&mut self, r: usize, rows: &[f32], pinned: Vec<u8>) {
        let vertices = rows.len() / (3 * r);
        let mut scale = vec![0.0_f32; r];
        for row in rows.chunks_exact(r) {
            scale.iter_mut().zip(row).for_each(|(scale, x)| *scale = scale.max(x.abs()));
        }
        // A coordinate that moves nothing that is shown.
        scale.iter_mut().filter(|scale| **scale == 0.0).for_each(|scale| *scale = 1.0);
        let mut halves = Vec::with_capacity(rows.len());
        for k in 0..r {
            halves.extend(rows.chunks_exact(r).map(|row| f16::from_f32(row[k] / scale[k])));
        }
        self.put("basis", Dtype::F16, &[r, vertices, 3], bytes(&halves));
        self.put("basis_scale", Dtype::F32, &[r], bytes(&scale));
        self.put("pinned", Dtype::U8, &[vertices], pinned);
    }

    fn finish(self) -> Result<Vec<u8>, String> {
        let views = self.0.iter().map(|(name, kind, shape, bytes)| {
            Ok((*name, TensorView::new(*kind, shape.clone(), bytes).map_err(|e| e.to_string())?))
        });
        let views = views.collect::<Result<Vec<_>, String>>()?;
        safetensors::serialize(views, None).map_err(|e| format!("the shape cannot be sent: {e}"))
    }
}

/// The protocol is little-endian, as are all machines that this is built for.
fn bytes<T: bytemuck::NoUninit>(numbers: &[T]) -> Vec<u8> {
    bytemuck::cast_slice(numbers).to_vec()
}

fn points(points: &[Vec3]) -> Vec<u8> {
    points
        .iter()
        .flat_map(|p| p.iter().flat_map(|x| (*x as f32).to_le_bytes()).collect::<Vec<u8>>())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use pliant::energy::Recipe;
    use pliant::mesh::{embed, select};
    use pliant::reduce::Precompute;
    use safetensors::SafeTensors;

    /// A ball with a finer one tied to it, and the same without.
    fn models() -> Vec<Model> {
        let coarse = shapes::ball(0.4, 2);
        let (tied, _) = embed::attach(coarse.clone(), &shapes::ball(0.4, 5).boundary()).expect("tied");
        let sheet = shapes::find("cloth").expect("a shape");
        let options = shapes::ShapeOptions { subdivision: Some(6), ..Default::default() };
        let sheet = sheet.make(&options, &mut ignore_progress).expect("a sheet");
        let meshes = [(tied.into_data(), "y<20%"), (coarse.into_data(), "y<20%"), (sheet, "x<5%")];
        let made = meshes.map(|(mesh, held)| {
            let fixed = vec![select::select(&mesh, held).expect("a slab")];
            let precompute = Precompute { modes: Some(4), poses: Some(10), ..Precompute::default() };
            let recipe = Recipe { fixed, ..Recipe::default() };
            precompute.build(mesh, recipe, &mut ignore_progress).expect("a model").model
        });
        made.into()
    }

    fn numbers<T: bytemuck::AnyBitPattern>(bytes: &[u8]) -> Vec<T> {
        bytes.chunks_exact(size_of::<T>()).map(bytemuck::pod_read_unaligned).collect()
    }

    fn floats(file: &SafeTensors<'_>, name: &str) -> Vec<f32> {
        numbers(file.tensor(name).expect("a tensor").data())
    }

    /// Coordinate by coordinate, as a client multiplies it out.
    fn basis(file: &SafeTensors<'_>, r: usize) -> Vec<Vec<f64>> {
        let tensor = file.tensor("basis").expect("a basis");
        let halves: Vec<f16> = numbers(tensor.data());
        let scale = floats(file, "basis_scale");
        assert_eq!((tensor.dtype(), tensor.shape()[0], tensor.shape()[2]), (Dtype::F16, r, 3));
        let columns = halves.chunks_exact(halves.len() / r).zip(scale);
        columns.map(|(c, s)| c.iter().map(|x| f64::from(x.to_f32() * s)).collect()).collect()
    }

    fn applied(basis: &[Vec<f64>], q: &[f64]) -> Vec<Vec3> {
        let mut u = vec![0.0; basis[0].len()];
        for (column, q) in basis.iter().zip(q) {
            u.iter_mut().zip(column).for_each(|(u, x)| *u += x * q);
        }
        u.chunks_exact(3).map(Vec3::from_column_slice).collect()
    }

    #[test]
    fn a_client_sees_what_the_model_means() {
        for model in models() {
            let (shown, r) = (model.surface(), model.rank());
            let bytes = shape(&model).expect("a shape");
            let file = SafeTensors::deserialize(&bytes).expect("safetensors");
            assert_eq!(file.tensor("rest").expect("rest").shape(), [shown.rest.len(), 3]);
            assert_eq!(file.tensor("triangles").expect("triangles").shape(), [shown.triangles.len(), 3]);
            let columns = basis(&file, r);
            let q: Vec<f64> = (0..r).map(|k| (1.0 + k as f64).sin()).collect();
            let (seen, mut all) = (applied(&columns, &q), vec![0.0; model.basis().size()]);
            model.basis().expand(&q, &mut all);
            let meant = shown.displacement(&all);
            let largest = meant.iter().map(|u| u.norm()).fold(0.0, f64::max);
            for (p, (seen, meant)) in seen.iter().zip(&meant).enumerate() {
                assert!((seen - meant).norm() < 1e-3 * largest, "vertex {p}: {seen} instead of {meant}");
                let place = model.surface_basis().place(&q, p);
                assert!((place - shown.rest[p] - meant).norm() < 1e-12 * largest);
            }
            let pinned = file.tensor("pinned").expect("pins").data().to_vec();
            for (p, pinned) in pinned.iter().enumerate() {
                assert_eq!(*pinned == 1, model.surface_basis().is_held(p));
            }
            assert!(pinned.contains(&1) && pinned.contains(&0));
            let bytes = super::modes(&model).expect("modes");
            let file = SafeTensors::deserialize(&bytes).expect("safetensors");
            let frequencies = floats(&file, "frequencies");
            // A sheet that is held along a line swings about it for nothing.
            let hinged = usize::from(matches!(model.mesh().elements, Elements::Faces(_)));
            assert!(frequencies.is_sorted() && frequencies.len() == 4 + hinged, "{frequencies:?}");
            for mode in floats(&file, "modes").chunks_exact(r) {
                let q: Vec<f64> = mode.iter().map(|x| f64::from(*x)).collect();
                let largest = applied(&columns, &q).iter().map(|u| u.norm()).fold(0.0, f64::max);
                assert!((largest - 1.0).abs() < 2e-3, "{largest}");
            }
        }
    }

    #[test]
    fn the_inside_has_all_tets_and_the_cubature_of_them() {
        for model in models() {
            let Some(bytes) = inside(&model).expect("an inside") else {
                assert!(matches!(model.mesh().elements, Elements::Faces(_)));
                continue;
            };
            let file = SafeTensors::deserialize(&bytes).expect("safetensors");
            let tets = file.tensor("tets").expect("tets").shape()[0];
            assert_eq!(tets, model.mesh().elements.len());
            let points: Vec<u32> = numbers(file.tensor("cubature").expect("points").data());
            assert!(points.iter().all(|t| (*t as usize) < tets));
            assert_eq!(floats(&file, "weights").len(), points.len());
            let columns = basis(&file, model.rank());
            assert_eq!(columns[0].len(), model.basis().size());
        }
    }
}
