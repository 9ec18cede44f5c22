//! What is in a file: a mesh, or a model.

use std::path::Path;

use pliant_mesh::MeshData;
use pliant_mesh::io::{self, Source};
use pliant_reduce::Model;

use crate::OpenError;

/// The ending of models, without the dot.
pub const MODEL: &str = "pliant";

/// What was in a file.
#[derive(Debug)]
#[expect(clippy::large_enum_variant, reason = "there is one of it, for a moment")]
pub enum Contents {
    /// A mesh.
    Mesh {
        /// As the file states it.
        mesh: MeshData,
        /// What the reader skipped or changed, in sentences.
        notes: Vec<String>,
    },
    /// A reduced model.
    Model(Model),
}

/// Whether a file holds a model, by its ending.
pub fn is_model(path: &Path) -> bool {
    path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case(MODEL))
}

/// Reads a file in memory, of any format that there is.
///
/// # Errors
/// An ending that nobody knows, bytes that are not what it promises.
pub fn read(source: &Source<'_>) -> Result<Contents, OpenError> {
    if is_model(&source.path) {
        return Ok(Contents::Model(Model::from_bytes(&source.path, &source.bytes)?));
    }
    let loaded = io::read(io::format_of(&source.path)?, source)?;
    Ok(Contents::Mesh { mesh: loaded.mesh, notes: loaded.notes })
}

/// Reads a file on the disk: a model is mapped into memory, a solid has the surface that lies beside it.
///
/// # Errors
/// As [`read`], or the disk refuses.
pub fn read_file(path: &Path) -> Result<Contents, OpenError> {
    if is_model(path) {
        return Ok(Contents::Model(Model::read(path)?));
    }
    let loaded = io::load(path)?;
    Ok(Contents::Mesh { mesh: loaded.mesh, notes: loaded.notes })
}
