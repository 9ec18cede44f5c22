//! Motions in few coordinates, u = U q: written as such where a format can hold them.
//!
//! `.npz` gets `times` (f), `q` (f, r), `U` (3n, r), `rest`, `elements` and every series; `.glb` the columns of U as morph
//! targets with the coordinates as their weights, exact to 32 bits. All others, and a `.glb` of more columns than viewers
//! like, get every frame reconstructed.

use std::path::Path;

use pliant_linalg::{Progress, Watch, ignore_progress, rows};

use super::glb::{self, COLOUR, MOST_TARGETS};
use super::{Motion, Series, format_of, npz::mesh_arrays, save};
use crate::io::arrays::{NpzWriter, Numbers};
use crate::io::gltf::{MorphAnimation, MorphClip, write_animation};
use crate::io::{Pending, write_whole};
use crate::{MeshData, MeshError, Result, ShownSurface};

/// A body that moves in few coordinates.
#[derive(Clone, Copy)]
pub struct ReducedMotion<'a> {
    /// The body at rest: n vertices.
    pub rest: &'a MeshData,
    /// The time of each frame, seconds, ascending.
    pub times: &'a [f64],
    /// U, 3n rows of r numbers, row by row.
    pub basis: &'a [f64],
    /// r.
    pub rank: usize,
    /// r numbers for each frame, frame by frame.
    pub q: &'a [f64],
    /// What else is known at each time, such as energies and probes.
    pub series: &'a [Series<'a>],
}

/// Writes a motion in the format of its name, whole or not at all; returns what the format could not keep.
///
/// # Errors
/// As [`save`].
pub fn save_reduced(path: &Path, motion: &ReducedMotion<'_>, watch: &mut Watch<'_>) -> Result<Vec<String>> {
    let format = format_of(path)?;
    check(motion)?;
    match format.extension {
        "npz" => write_npz(path, motion),
        "glb" => {
            let (bytes, notes) = glb_bytes(motion, watch)?;
            write_whole(&[(path.to_owned(), bytes)])?;
            Ok(notes)
        }
        _ => reconstructed(motion, |plain| save(path, plain, watch)),
    }
}

/// The bytes of the `.glb` file that [`save_reduced`] writes, and what it says about them.
///
/// # Errors
/// As [`save`], but for the disk.
pub fn glb_bytes(motion: &ReducedMotion<'_>, watch: &mut Watch<'_>) -> Result<(Vec<u8>, Vec<String>)> {
    check(motion)?;
    if motion.rank <= MOST_TARGETS {
        columns_as_targets(motion, watch)
    } else {
        reconstructed(motion, |plain| glb::bytes(plain, watch))
    }
}

/// [`glb_bytes`] that nobody watches.
///
/// # Errors
/// As [`glb_bytes`].
pub fn glb_bytes_quietly(motion: &ReducedMotion<'_>) -> Result<(Vec<u8>, Vec<String>)> {
    glb_bytes(motion, &mut ignore_progress)
}

/// Every frame as the displacement of all vertices.
fn reconstructed<T>(motion: &ReducedMotion<'_>, with: impl FnOnce(&Motion<'_>) -> T) -> T {
    let ReducedMotion { rest, times, basis, rank, q, series } = *motion;
    let displacement = |k: usize, u: &mut [f64]| rows::expand(basis, &q[k * rank..(k + 1) * rank], u);
    with(&Motion { rest, times, displacement: &displacement, series })
}

/// Whether the parts belong together.
fn check(motion: &ReducedMotion<'_>) -> Result<()> {
    let ReducedMotion { rest, times, basis, rank, q, .. } = *motion;
    reconstructed(motion, |plain| plain.check())?;
    if basis.len() != 3 * rest.vertices.len() * rank || q.len() != times.len() * rank {
        return Err(MeshError::Inconsistent(format!(
            "a motion of {rank} coordinates with {} numbers in its basis for {} vertices and {} coordinates for {} frames",
            basis.len(),
            rest.vertices.len(),
            q.len(),
            times.len()
        )));
    }
    Ok(())
}

fn write_npz(path: &Path, motion: &ReducedMotion<'_>) -> Result<Vec<String>> {
    let (frames, r) = (motion.times.len(), motion.rank);
    let mut files = Pending::new();
    files.file(path, |out| {
        let mut npz = NpzWriter::new(out);
        npz.array("times", &[frames], Numbers::Reals(motion.times))?;
        npz.array("q", &[frames, r], Numbers::Reals(motion.q))?;
        npz.array("U", &[motion.basis.len() / r, r], Numbers::Reals(motion.basis))?;
        mesh_arrays(&mut npz, motion.rest)?;
        for series in motion.series {
            npz.array(&series.name, &[frames], Numbers::Reals(series.values))?;
        }
        npz.finish()
    })?;
    files.commit()?;
    Ok(Vec::new())
}

fn columns_as_targets(motion: &ReducedMotion<'_>, watch: &mut Watch<'_>) -> Result<(Vec<u8>, Vec<String>)> {
    let (surface, shown) = (super::surface(motion.rest)?, ShownSurface::of(motion.rest));
    let mut targets = Vec::with_capacity(motion.rank);
    for k in 0..motion.rank {
        Progress { stage: "morph targets", done: k, total: motion.rank }.tell(watch)?;
        let column: Vec<f64> = motion.basis.chunks_exact(motion.rank).map(|row| row[k]).collect();
        targets.push(shown.displacement(&column));
    }
    // Animations start at 0.
    let times: Vec<f64> = motion.times.iter().map(|t| t - motion.times[0]).collect();
    let weights: Vec<Vec<f64>> = motion.q.chunks_exact(motion.rank).map(<[f64]>::to_vec).collect();
    let bytes = write_animation(&MorphAnimation {
        surface: &surface,
        targets: &targets,
        names: &[],
        clips: &[MorphClip { name: "motion".into(), times: &times, weights: &weights }],
        base_color: COLOUR,
    })?;
    Ok((bytes, vec![format!("glTF animation: the {} columns of the basis as morph targets", motion.rank)]))
}
