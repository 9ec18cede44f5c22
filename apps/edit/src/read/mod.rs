//! Handles of files: a `.def` with its `.sel` beside it, as surveys of editing methods hand them around, or a `.toml` of our own.
//!
//! Everything in a file is in its own units: a body that was made larger by a factor takes that factor along.

mod def;
mod table;

use std::path::Path;

use pliant_linalg::{one_line, quote};
use pliant_mesh::io::Source;
use pliant_mesh::{MeshData, MeshError};
use pliant_reduce::ReduceError;
use pliant_sim::SimError;

use crate::Handle;

pub use def::of_pair;
pub use table::{of_toml, to_toml};

/// A sentence about a file.
fn refused(file: &str, sentence: impl std::fmt::Display) -> SimError {
    crate::terms::refused(one_line(&format!("{file}: {sentence}")), &[])
}

/// The text of a file.
fn text(source: &Source<'_>) -> Result<String, SimError> {
    let name = pliant_linalg::shown(&source.path);
    String::from_utf8(source.bytes.clone())
        .map_err(|_| refused(&name, "this is no text; expected handles as .toml or .def says them"))
}

/// The handles that a file names on this mesh, which is `scale` times as large as the file's own.
///
/// # Errors
/// A file that cannot be read, of another ending, or that says what cannot be done.
pub fn read(path: &Path, mesh: &MeshData, scale: f64) -> Result<Vec<Handle>, SimError> {
    let name = pliant_linalg::shown(path);
    let open = |error: MeshError| SimError::from(ReduceError::from(error));
    match path.extension().and_then(|e| e.to_str()).unwrap_or("").to_lowercase().as_str() {
        "toml" => of_toml(&name, &text(&Source::open(path).map_err(open)?)?, mesh, scale, true),
        "def" => {
            let def = Source::open(path).map_err(open)?;
            let sel = def.with_extension("sel").map_err(open)?;
            let names = [name, pliant_linalg::shown(&sel.path)];
            of_pair([&names[0], &names[1]], [&text(&def)?, &text(&sel)?], mesh, scale)
        }
        other => Err(refused(
            &name,
            format!("handles are a .toml, or a .def with a .sel beside it, not {}", quote(other)),
        )),
    }
}
