//! From a file on the command line to a reduced model.

use std::path::Path;

use anyhow::bail;
use pliant::mesh::io::{self, CubeSplit};
use pliant::reduce::Model;

/// Whether a path names a reduced model.
pub(crate) fn is_model(path: &Path) -> bool {
    path.extension().is_some_and(|e| e.eq_ignore_ascii_case("pliant"))
}

/// Reads a mesh, where a reduced model will not do.
pub(crate) fn load_mesh(path: &Path, cubes: CubeSplit) -> anyhow::Result<io::Loaded> {
    if is_model(path) {
        bail!(
            "{}: this is a reduced model, not a mesh; `pliant info`, `simulate` and `compare` take models, and `pliant build` \
             makes them of meshes",
            path.display()
        );
    }
    Ok(io::load_with(path, cubes)?)
}

/// Reads a reduced model.
pub(crate) fn load(path: &Path) -> anyhow::Result<Model> {
    Ok(Model::read(path)?)
}
