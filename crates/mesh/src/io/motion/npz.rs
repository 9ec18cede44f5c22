//! `.npz` for NumPy: `times` (f), `displacement` (f, n, 3), `rest` (n, 3), `elements` (m, 4 or 3), and every series.
//!
//! Polygons of different sizes are rows of `elements` that end with −1. Only one frame is in memory at a time.

use std::path::Path;

use pliant_linalg::{Progress, Watch};

use super::{Motion, MotionFormat};
use crate::io::Pending;
use crate::io::arrays::{NpzWriter, Numbers};
use crate::{MeshData, Result};

pub(super) static FORMAT: MotionFormat = MotionFormat { title: "NumPy arrays", extension: "npz", write };

fn write(path: &Path, motion: &Motion<'_>, watch: &mut Watch<'_>) -> Result<Vec<String>> {
    let (frames, vertices) = (motion.times.len(), motion.rest.vertices.len());
    let mut files = Pending::new();
    files.file(path, |out| {
        let mut npz = NpzWriter::new(out);
        npz.array("times", &[frames], Numbers::Reals(motion.times))?;
        let mut u = motion.room();
        let mut displacement = npz.reals("displacement", &[frames, vertices, 3])?;
        for frame in 0..frames {
            Progress { stage: "writing frames", done: frame, total: frames }.tell(watch)?;
            (motion.displacement)(frame, &mut u);
            displacement.push(&u)?;
        }
        displacement.finish()?;
        mesh_arrays(&mut npz, motion.rest)?;
        for series in motion.series {
            npz.array(&series.name, &[frames], Numbers::Reals(series.values))?;
        }
        npz.finish()
    })?;
    files.commit()?;
    Ok(Vec::new())
}

/// `rest` and `elements`.
pub(super) fn mesh_arrays(npz: &mut NpzWriter<'_>, mesh: &MeshData) -> Result<()> {
    let rest: Vec<f64> = mesh.vertices.iter().flat_map(|p| p.iter().copied()).collect();
    npz.array("rest", &[mesh.vertices.len(), 3], Numbers::Reals(&rest))?;
    let each = || (0..mesh.elements.len()).map(|e| mesh.elements.get(e));
    let width = each().map(<[u32]>::len).max().unwrap_or(0);
    let mut elements = Vec::with_capacity(width * mesh.elements.len());
    for corners in each() {
        elements.extend(corners.iter().map(|v| i64::from(*v)));
        elements.extend(std::iter::repeat_n(-1, width - corners.len()));
    }
    npz.array("elements", &[mesh.elements.len(), width], Numbers::Integers(&elements))
}
