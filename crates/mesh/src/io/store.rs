//! Where meshes meet the disk: files whole or not at all, the embedded surface beside its solid, boundaries of solids.

use std::path::{Path, PathBuf};

use pliant_linalg::shown;

use super::{Format, Loaded, Source, interp};
use crate::data::{Embedded, Faces};
use crate::{Elements, Kind, MeshData, MeshError, Result};

/// Makes of a mesh what `format` can hold: the embedded surface of a solid, else its boundary; triangles of polygons.
pub(super) fn fit(format: &Format, mesh: &MeshData, notes: &mut Vec<String>) -> Result<MeshData> {
    let holds = |kind| format.holds.contains(&kind);
    match (&mesh.elements, &mesh.attributes.embedded) {
        (Elements::Tets(_), Some(embedded)) if holds(embedded.faces.kind()) || holds(Kind::Triangles) => {
            notes.push(format!("{} holds surfaces only: the embedded surface was written", format.title));
            let surface = embedded.to_mesh();
            if holds(surface.kind()) { Ok(surface) } else { fit(format, &surface, notes) }
        }
        (Elements::Tets(tets), None) if holds(Kind::Triangles) => {
            notes
                .push(format!("{} holds surfaces only: the boundary of the solid was written", format.title));
            Ok(crate::tet::boundary(&mesh.vertices, tets))
        }
        (Elements::Faces(faces), _) if holds(Kind::Triangles) => {
            notes.push(format!("{} holds triangles only: the faces were cut into triangles", format.title));
            let triangles = crate::measure::triangulate(&mesh.vertices, faces);
            let mut attributes = mesh.attributes.clone();
            // A face of n corners becomes n − 2 triangles, all of its region.
            if !attributes.region_of.is_empty() {
                attributes.region_of = faces
                    .iter()
                    .zip(&mesh.attributes.region_of)
                    .flat_map(|(f, &r)| std::iter::repeat_n(r, f.len().saturating_sub(2)))
                    .collect();
            }
            let elements = Elements::Faces(Faces::from_triangles(&triangles));
            Ok(MeshData { vertices: mesh.vertices.clone(), elements, attributes })
        }
        _ => Err(MeshError::CannotHold { format: format.title, kind: mesh.kind().name() }),
    }
}

/// `bar.veg` → `bar.surface.obj`.
fn beside(path: &Path, ending: &str) -> PathBuf {
    path.with_extension(format!("surface.{ending}"))
}

/// The two files that carry an embedded surface.
pub(super) fn embedded_files(path: &Path, mesh: &MeshData) -> Result<Vec<(PathBuf, Vec<u8>)>> {
    let Some(embedded) = &mesh.attributes.embedded else { return Ok(Vec::new()) };
    let obj = beside(path, "obj");
    let parts = super::encode(super::format_of(&obj)?, &embedded.to_mesh(), &obj, None)?;
    let mut files: Vec<(PathBuf, Vec<u8>)> = parts.into_iter().map(|p| (obj.clone(), p.bytes)).collect();
    files.push((beside(path, "interp"), interp::write(&embedded.embedding)));
    Ok(files)
}

/// A surface beside a solid belongs to it if its weights put every vertex where it is, to this part of the body. Vega
/// writes six digits.
const BELONGS: f64 = 1e-4;

/// Ties the surface that lies beside a solid to it. One that is left over from another solid of that name is skipped
/// with a note, and so is one that cannot be read: the solid is good without it.
pub(super) fn find_embedded(path: &Path, loaded: &mut Loaded) {
    let (obj, weights) = (beside(path, "obj"), beside(path, "interp"));
    if loaded.mesh.kind() != Kind::Tets || !obj.is_file() || !weights.is_file() {
        return;
    }
    let read = || Ok((super::load(&obj)?.mesh, interp::read(&Source::open(&weights)?)?));
    let (surface, embedding) = match read() {
        Ok(both) => both,
        Err::<_, MeshError>(e) => {
            loaded.notes.push(format!("the surface beside the solid cannot be read and was skipped: {e}"));
            return;
        }
    };
    let Elements::Faces(faces) = surface.elements else { return };
    let mut attributes = surface.attributes;
    attributes.regions.iter_mut().for_each(|r| r.material = None);
    let embedded = Embedded {
        vertices: surface.vertices,
        faces,
        embedding,
        regions: attributes.regions,
        region_of: attributes.region_of,
    };
    let solid = &mut loaded.mesh;
    let [low, high] = solid.bounds();
    let limit = BELONGS * (high - low).norm();
    let fits = embedded.check(solid.vertices.len()).is_ok()
        && embedded
            .embedding
            .apply(&solid.vertices)
            .iter()
            .zip(&embedded.vertices)
            .all(|(a, b)| (a - b).norm() <= limit);
    if fits {
        solid.attributes.embedded = Some(embedded);
    } else {
        loaded.notes.push(format!(
            "{} lies beside the solid but does not belong to it: skipped; tie it to this solid again",
            shown(&obj)
        ));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_surface_left_over_from_another_solid_is_skipped() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("ball.veg");
        let ball = crate::shapes::ball(1.0, 2);
        let surface = ball.boundary();
        let (tied, _) = crate::embed::attach(ball, &surface).unwrap();
        crate::io::save(&path, &tied.into_data(), None).unwrap();
        assert!(crate::io::load(&path).unwrap().mesh.attributes.embedded.is_some());
        crate::io::save(&path, &crate::shapes::ball(2.0, 2).into_data(), None).unwrap();
        let other = crate::io::load(&path).unwrap();
        assert!(other.mesh.attributes.embedded.is_none());
        // The note before it says that the file has no materials.
        assert!(other.notes[1].contains("does not belong"), "{:?}", other.notes);
    }

    #[test]
    fn a_surface_that_cannot_be_read_leaves_the_solid() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("ball.veg");
        let ball = crate::shapes::ball(1.0, 2);
        let surface = ball.boundary();
        let (tied, _) = crate::embed::attach(ball, &surface).unwrap();
        for broken in ["obj", "interp"] {
            crate::io::save(&path, &tied.clone().into_data(), None).unwrap();
            let broken = beside(&path, broken);
            std::fs::write(&broken, "f 1 2 nonsense\n").unwrap();
            let loaded = crate::io::load(&path).unwrap();
            assert!(loaded.mesh.attributes.embedded.is_none());
            let name = broken.file_name().unwrap().to_str().unwrap();
            assert!(
                loaded.notes[1].contains(name) && loaded.notes[1].contains("line 1"),
                "{:?}",
                loaded.notes
            );
        }
    }
}
