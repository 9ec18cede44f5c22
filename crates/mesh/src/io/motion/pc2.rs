//! `.pc2`, a point cache: the position of every vertex in every frame, 32 bits, as Blender's Mesh Cache modifier reads.
//!
//! ```text
//! "POINTCACHE2\0"  version 1  points  first frame 0  frames a sample 1  samples     then x y z of each point, of each sample
//! ```
//! Points are in the order of the simulated mesh, inner vertices of a solid included. The mesh that it moves is the
//! `.ply` beside it: the same vertices in the same order, and the faces of the boundary. (A `.ply`, since Blender's
//! reader of `.obj` drops vertices that no face uses.) In Blender: import the `.ply`, add the modifier Mesh Cache, choose
//! the `.pc2` and leave its axes as they are. Times are not kept: a frame is a sample.

use std::path::Path;

use pliant_linalg::{Progress, Watch};

use super::{Motion, MotionFormat, vectors};
use crate::io::{self, Pending, to_f32};
use crate::topology::boundary_faces;
use crate::{Attributes, Elements, Faces, MeshData, MeshError, Result};

pub(super) static FORMAT: MotionFormat = MotionFormat { title: "point cache", extension: "pc2", write };

fn write(path: &Path, motion: &Motion<'_>, watch: &mut Watch<'_>) -> Result<Vec<String>> {
    let (frames, vertices) = (motion.times.len(), motion.rest.vertices.len());
    let count = |what: &str, n: usize| {
        i32::try_from(n).map_err(|_| MeshError::Format {
            format: "point cache",
            problem: format!("it cannot hold {n} {what}"),
            next: "write .npz".into(),
        })
    };
    let (points, samples) = (count("vertices", vertices)?, count("frames", frames)?);
    let mut files = Pending::new();
    let ply = path.with_extension("ply");
    for part in io::encode(io::format_of(&ply)?, &shown(motion.rest), &ply, None)? {
        files.file(&ply, |out| out.put(&part.bytes))?;
    }
    files.file(path, |out| {
        out.put(b"POINTCACHE2\0")?;
        out.put(&1i32.to_le_bytes())?;
        out.put(&points.to_le_bytes())?;
        out.put(&0f32.to_le_bytes())?;
        out.put(&1f32.to_le_bytes())?;
        out.put(&samples.to_le_bytes())?;
        let mut u = motion.room();
        let mut bytes = Vec::with_capacity(12 * vertices);
        for frame in 0..frames {
            Progress { stage: "writing frames", done: frame, total: frames }.tell(watch)?;
            (motion.displacement)(frame, &mut u);
            bytes.clear();
            for (rest, u) in motion.rest.vertices.iter().zip(vectors(&u)) {
                for x in (rest + u).iter() {
                    bytes.extend_from_slice(&to_f32("point cache", *x)?.to_le_bytes());
                }
            }
            out.put(&bytes)?;
        }
        Ok(())
    })?;
    files.commit()?;
    let name = ply.file_name().unwrap_or_default().to_string_lossy().into_owned();
    Ok(vec![format!("the points are those of {name}, which was written beside it")])
}

/// All vertices, and the faces that are seen.
fn shown(mesh: &MeshData) -> MeshData {
    let faces = match &mesh.elements {
        Elements::Tets(tets) => Faces::from_triangles(&boundary_faces(tets)),
        Elements::Faces(faces) => faces.clone(),
    };
    MeshData {
        vertices: mesh.vertices.clone(),
        elements: Elements::Faces(faces),
        attributes: Attributes::default(),
    }
}
