//! Names of files on the command line: what is read, what is written, and what is better refused before any work.

use std::path::Path;

use anyhow::bail;
use pliant::linalg::shown;
use pliant::mesh::io::{self, CubeSplit};
use pliant::world::open::is_model;

/// How hexahedra become tets.
#[derive(clap::Args)]
pub(crate) struct Cubes {
    /// How many tets a cube of the file becomes.
    #[arg(long, value_name = "5|6", default_value = "6", value_parser = ["5", "6"])]
    cubes: String,
}

impl Cubes {
    pub(crate) fn split(&self) -> CubeSplit {
        if self.cubes == "5" { CubeSplit::Five } else { CubeSplit::Six }
    }
}

/// Reads a mesh, where a reduced model will not do.
pub(crate) fn load_mesh(path: &Path, cubes: CubeSplit) -> anyhow::Result<io::Loaded> {
    if is_model(path) {
        bail!(
            "{}: this is a reduced model, not a mesh; `pliant info`, `simulate` and `compare` take models, and `pliant build` \
             makes them of meshes",
            shown(path)
        );
    }
    Ok(io::load_with(path, cubes)?)
}

/// The ending of a name in lower case, without the dot.
pub(crate) fn ending(path: &Path) -> String {
    path.extension().and_then(|e| e.to_str()).unwrap_or("").to_lowercase()
}

/// Refuses a file in a folder that is not there, before anything is computed for it.
pub(crate) fn check_folder(path: &Path) -> anyhow::Result<()> {
    match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() && !folder.is_dir() => {
            bail!("{}: the folder {} is not there; make it first", shown(path), shown(folder))
        }
        _ => Ok(()),
    }
}

/// Refuses a page that is called otherwise.
pub(crate) fn check_page(path: &Path) -> anyhow::Result<()> {
    if ending(path) != "html" {
        bail!("{}: a report is a page: expected a name that ends in .html", shown(path));
    }
    check_folder(path)
}
