//! `.pvd` for ParaView: a list of times, and for each a `.vtu` file in the folder `NAME.frames` beside it.
//!
//! The points of a frame are where the vertices are then, so that it plays at once; the point array `displacement` (m)
//! colours it, and Warp By Vector with −1 gives the rest shape. Regions and vertex sets are in every frame. Numbers have
//! 64 bits. All files appear together; the list, which names the others, last.

use std::fmt::Write as _;
use std::path::Path;

use pliant_linalg::{Progress, Watch};

use super::{Motion, MotionFormat, vectors};
use crate::Result;
use crate::io::{Pending, vtk};

pub(super) static FORMAT: MotionFormat = MotionFormat { title: "ParaView series", extension: "pvd", write };

fn write(path: &Path, motion: &Motion<'_>, watch: &mut Watch<'_>) -> Result<Vec<String>> {
    let frames = motion.times.len();
    let folder = path.with_extension("frames");
    let folder_name = folder.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let mut list = String::from(
        "<?xml version=\"1.0\"?>\n<VTKFile type=\"Collection\" version=\"1.0\" byte_order=\"LittleEndian\">\n<Collection>\n",
    );
    let mut files = Pending::new();
    files.folder(&folder)?;
    let mut moved = motion.rest.clone();
    let mut u = motion.room();
    for (frame, time) in motion.times.iter().enumerate() {
        Progress { stage: "writing frames", done: frame, total: frames }.tell(watch)?;
        (motion.displacement)(frame, &mut u);
        for ((x, rest), u) in moved.vertices.iter_mut().zip(&motion.rest.vertices).zip(vectors(&u)) {
            *x = rest + u;
        }
        let name = format!("{frame:06}.vtu");
        files.file(&folder.join(&name), |out| out.put(&vtk::with_vectors(&moved, "displacement", &u)))?;
        let file = escaped(&format!("{folder_name}/{name}"));
        let _ = writeln!(list, "<DataSet timestep=\"{time:?}\" part=\"0\" file=\"{file}\"/>");
    }
    list.push_str("</Collection>\n</VTKFile>\n");
    files.file(path, |out| out.put(list.as_bytes()))?;
    files.commit()?;
    Ok(vec![format!("its {frames} frames are in the folder {folder_name}")])
}

fn escaped(name: &str) -> String {
    name.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}
