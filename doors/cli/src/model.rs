//! From a file on the command line to a reduced model.

use std::path::Path;

use pliant::reduce::Model;

/// Whether a path names a reduced model.
pub(crate) fn is_model(path: &Path) -> bool {
    path.extension().is_some_and(|e| e.eq_ignore_ascii_case("pliant"))
}

/// Reads a reduced model.
pub(crate) fn load(path: &Path) -> anyhow::Result<Model> {
    Ok(Model::read(path)?)
}
