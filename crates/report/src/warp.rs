//! A warped displacement as a file, by its ending: an array, the warped mesh, a picture of it.

use std::path::Path;

use pliant_draw::{Deformed, Options, deformed_picture};
use pliant_linalg::shown;
use pliant_mesh::io::{self, arrays, arrays::Numbers};
use pliant_mesh::{MeshData, MeshError};
use pliant_world::{FullBody, Warped};

use crate::parts::name;

/// What the ending of a name asks for.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Ending {
    Array,
    Picture,
    Mesh,
}

fn ending(path: &Path) -> Result<Ending, MeshError> {
    let text = path.extension().and_then(|e| e.to_str()).unwrap_or("").to_lowercase();
    match &*text {
        "npy" => Ok(Ending::Array),
        "png" => Ok(Ending::Picture),
        _ if io::format_of(path).is_ok() => Ok(Ending::Mesh),
        _ => {
            let sentence = format!(
                "{}: expected an ending of .npy, .png, or of a format of meshes (.obj, .glb, …)",
                shown(path)
            );
            Err(MeshError::Request(sentence.into()))
        }
    }
}

/// Whether a warped displacement can be written under this name.
///
/// # Errors
/// Another ending.
pub fn check_ending(path: &Path) -> Result<(), MeshError> {
    ending(path).map(|_| ())
}

/// Writes the displacement (`.npy`, n×3, m), the mesh where it has moved to, or a picture of that; what the format cannot hold is in the
/// notes that come back.
///
/// # Errors
/// A name with another ending, or a disk that refuses.
pub fn save(path: &Path, source: &Path, body: &FullBody, warped: &Warped) -> Result<Vec<String>, MeshError> {
    let displacement = &warped.displacement[..];
    match ending(path)? {
        Ending::Array => {
            arrays::save_npy(path, &[displacement.len() / 3, 3], Numbers::Reals(displacement))?;
            Ok(Vec::new())
        }
        Ending::Picture => {
            let deformed = Deformed { displacement, times: 1.0, label: "displacement, m".into() };
            let options = Options::titled(name(source));
            let bytes = deformed_picture(&body.mesh, &deformed, &options).to_png();
            io::write_whole(&[(path.to_owned(), bytes)])?;
            Ok(Vec::new())
        }
        Ending::Mesh => {
            let mut mesh: MeshData = body.mesh.clone();
            // It is tied to the mesh at rest.
            mesh.attributes.embedded = None;
            for (x, u) in mesh.vertices.iter_mut().zip(displacement.as_chunks::<3>().0) {
                (0..3).for_each(|c| x[c] += u[c]);
            }
            io::save(path, &mesh, None)
        }
    }
}
