//! Other programs (PyPI) on what we write.

use std::path::PathBuf;
use std::process::Command;

use crate::tools::{self, BuildScope};

/// What reads our meshes, arrays and motions.
fn reader_of_meshes() -> anyhow::Result<PathBuf> {
    tools::python(&["meshio==5.3.5", "numpy"])
}

/// What reads our models.
fn reader_of_models() -> anyhow::Result<PathBuf> {
    tools::python_in("python-model", &["safetensors==0.8.0", "numpy"])
}

/// Fetches what the checks below run.
pub(super) fn fetch() -> anyhow::Result<()> {
    reader_of_meshes()?;
    reader_of_models()?;
    Ok(())
}

/// meshio reads what we write, and sees the same points and cells.
pub(super) fn files(scope: BuildScope) -> anyhow::Result<bool> {
    let pliant = scope.pliant()?;
    let python = reader_of_meshes()?;
    let script = tools::root().join("xtask/src/oracle.py");
    tools::succeeds(Command::new(python).arg(script).arg(pliant).arg(tools::scratch("oracle")?))
}

/// NumPy and meshio read the arrays and motions that we write, and we read NumPy's arrays.
pub(super) fn arrays(scope: BuildScope) -> anyhow::Result<bool> {
    let tool = scope.tool("pliant-mesh", "motion_files")?;
    let python = reader_of_meshes()?;
    let script = tools::root().join("xtask/src/oracle_arrays.py");
    tools::succeeds(Command::new(python).arg(script).arg(tool).arg(tools::scratch("arrays")?))
}

/// The package safetensors reads our models, also by the lines that docs/model-format.md shows.
pub(super) fn models(scope: BuildScope) -> anyhow::Result<bool> {
    let tool = scope.tool("pliant-reduce", "model_files")?;
    let python = reader_of_models()?;
    let (script, document) =
        (tools::root().join("xtask/src/oracle_model.py"), tools::root().join("docs/model-format.md"));
    tools::succeeds(Command::new(python).arg(script).arg(tool).arg(tools::scratch("model")?).arg(document))
}
