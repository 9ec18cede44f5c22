//! Bodies that move: one file of this folder for each format of a motion, one line in [`ALL`].
//!
//! A [`Motion`] is a mesh at rest, the times of its frames and a way to each frame's displacement, so a motion of many
//! gigabytes need not be in memory. Every file appears whole or not at all. [`modes`] writes vibration modes,
//! [`save_reduced`] a motion in the few coordinates of a basis.
//!
//! | ending | who reads it | what is in it |
//! |---|---|---|
//! | `.npz` | NumPy | every number: `times`, `displacement`, `rest`, `elements`, and the series by name |
//! | `.glb` | Blender, viewers, pages | the surface, moved by at most 64 morph targets; the note says how exactly |
//! | `.pc2` | Blender | every vertex of every frame in 32 bits, for the mesh in the `.ply` beside it |
//! | `.pvd` | ParaView | a `.vtu` file for each frame in a folder beside it |
//! | `.csv` | spreadsheets | the series: energies, probes |

use std::collections::HashSet;
use std::path::Path;

use pliant_linalg::{Watch, quote};

use crate::io::{gltf, store};
use crate::{Kind, MeshData, MeshError, Result};

mod basis;
mod csv;
mod glb;
pub mod modes;
mod npz;
mod pc2;
mod pvd;
mod reduced;

pub use csv::table;
pub use reduced::{ReducedMotion, glb_bytes, glb_bytes_quietly, save_reduced};

/// Every format of a motion. A new one is a file in this folder and a line here.
#[rustfmt::skip] // one line each
pub static ALL: &[&MotionFormat] = &[
    &npz::FORMAT,
    &glb::FORMAT,
    &pc2::FORMAT,
    &pvd::FORMAT,
    &csv::FORMAT,
];

/// One format of a motion.
pub struct MotionFormat {
    /// For people: `point cache`.
    pub title: &'static str,
    /// The ending, without the dot, lower case.
    pub extension: &'static str,
    /// Writes a motion that has passed [`Motion::check`]; returns what the format could not keep, in sentences.
    pub write: fn(&Path, &Motion<'_>, &mut Watch<'_>) -> Result<Vec<String>>,
}

/// A body that moves.
#[derive(Clone, Copy)]
pub struct Motion<'a> {
    /// The body at rest: n vertices.
    pub rest: &'a MeshData,
    /// The time of each frame, seconds, ascending.
    pub times: &'a [f64],
    /// Fills in the displacement of a frame: 3n entries, x y z of each vertex in turn, metres.
    pub displacement: &'a dyn Fn(usize, &mut [f64]),
    /// What else is known at each time, such as energies and probes.
    pub series: &'a [Series<'a>],
}

/// A number at each time.
#[derive(Clone, Debug)]
pub struct Series<'a> {
    /// Its name: `kinetic`, `tip.x`.
    pub name: String,
    /// As many values as there are frames, SI units.
    pub values: &'a [f64],
}

impl Motion<'_> {
    /// Whether the parts belong together.
    ///
    /// # Errors
    /// When there is no frame, the times do not ascend, a series has another length, or two have one name.
    pub fn check(&self) -> Result<()> {
        let bad = |sentence: String| Err(MeshError::Inconsistent(sentence));
        self.rest.check()?;
        if self.times.is_empty() {
            return bad("a motion without frames; expected at least the first state".into());
        }
        if !(self.times.is_sorted_by(|s, t| s < t) && self.times.iter().all(|t| t.is_finite())) {
            return bad("the times of the frames are not ascending finite numbers".into());
        }
        let mut names = HashSet::with_capacity(self.series.len());
        for series in self.series {
            if series.values.len() != self.times.len() {
                return bad(format!(
                    "{} has {} values for {} frames, expected one for each",
                    quote(&series.name),
                    series.values.len(),
                    self.times.len()
                ));
            }
            if !names.insert(&series.name) {
                return bad(format!("two series are called {}; names must differ", quote(&series.name)));
            }
        }
        Ok(())
    }

    /// Room for the displacement of one frame.
    fn room(&self) -> Vec<f64> {
        vec![0.0; 3 * self.rest.vertices.len()]
    }
}

/// Writes a motion in the format of its name, whole or not at all; returns what the format could not keep.
///
/// # Errors
/// When no format in [`ALL`] has that ending, the parts do not belong together, the disk refuses, or `watch` stops it.
pub fn save(path: &Path, motion: &Motion<'_>, watch: &mut Watch<'_>) -> Result<Vec<String>> {
    let format = format_of(path)?;
    motion.check()?;
    (format.write)(path, motion, watch)
}

/// The format of a motion, by the ending of the file's name.
///
/// # Errors
/// When no format in [`ALL`] has that ending.
pub fn format_of(path: &Path) -> Result<&'static MotionFormat> {
    let ending = path.extension().and_then(|e| e.to_str()).unwrap_or("").to_lowercase();
    ALL.iter().find(|f| f.extension == ending).copied().ok_or_else(|| MeshError::UnknownFormat {
        path: path.to_owned(),
        ending,
        known: ALL.iter().map(|f| format!(".{}", f.extension)).collect::<Vec<_>>().join(" "),
    })
}

/// The displacements of all vertices as vectors.
fn vectors(u: &[f64]) -> impl Iterator<Item = pliant_linalg::Vec3> + '_ {
    u.chunks_exact(3).map(|u| pliant_linalg::Vec3::new(u[0], u[1], u[2]))
}

/// What is seen of a body, as a mesh of triangles with its regions: the vertices are those of [`crate::ShownSurface`].
fn surface(mesh: &MeshData) -> Result<MeshData> {
    match mesh.kind() {
        Kind::Triangles => Ok(mesh.clone()),
        _ => store::fit(&gltf::FORMAT, mesh, &mut Vec::new()),
    }
}

#[cfg(test)]
mod tests;
