//! `.glb`: the surface of the body, moved by morph targets whose weights are animated.
//!
//! The targets are directions that `basis` finds in the frames, at most [`MOST_TARGETS`], until every vertex is within
//! [`TOLERANCE`] of the body's length of its place (a tenth of a pixel in a picture of a thousand); the note says how
//! far it got. How they are written so that every program plays them: `gltf::write_animation`.

use std::path::Path;

use pliant_linalg::{Progress, Watch};

use super::{Motion, MotionFormat, basis};
use crate::io::gltf::{MorphAnimation, MorphClip, write_animation};
use crate::io::write_whole;
use crate::{MeshError, Result, ShownSurface};

pub(super) static FORMAT: MotionFormat = MotionFormat { title: "glTF animation", extension: "glb", write };

/// More make files large and viewers slow.
pub(super) const MOST_TARGETS: usize = 64;
/// Of the diagonal of the body's box.
const TOLERANCE: f64 = 1e-4;
/// Frames are in memory while directions are sought: at most so many vectors (1.6 GB), else only every second, third …
/// frame is taken.
const MOST_VECTORS: usize = 1 << 26;
/// A calm blue, linear.
pub(super) const COLOUR: [f64; 3] = [0.27, 0.45, 0.64];

fn write(path: &Path, motion: &Motion<'_>, watch: &mut Watch<'_>) -> Result<Vec<String>> {
    let (bytes, notes) = bytes(motion, watch)?;
    write_whole(&[(path.to_owned(), bytes)])?;
    Ok(notes)
}

/// The file in memory, and what it could not keep.
pub(super) fn bytes(motion: &Motion<'_>, watch: &mut Watch<'_>) -> Result<(Vec<u8>, Vec<String>)> {
    let (surface, shown) = (super::surface(motion.rest)?, ShownSurface::of(motion.rest));
    let [low, high] = surface.bounds();
    let length = (high - low).norm();
    let step = (motion.times.len() * surface.vertices.len()).div_ceil(MOST_VECTORS).max(1);
    let chosen: Vec<usize> = (0..motion.times.len()).step_by(step).collect();
    let mut notes = Vec::new();
    if step > 1 {
        notes.push(format!("glTF animation: one of {step} frames was taken, to fit into memory"));
    }
    let mut u = motion.room();
    let mut frames = Vec::with_capacity(chosen.len());
    for (done, &frame) in chosen.iter().enumerate() {
        Progress { stage: "reading frames", done, total: chosen.len() }.tell(watch)?;
        (motion.displacement)(frame, &mut u);
        let moved = shown.displacement(&u);
        if !moved.iter().all(|u| u.iter().all(|x| x.is_finite())) {
            return Err(MeshError::Format {
                format: "glTF animation",
                problem: format!("frame {frame} has a displacement that is not finite"),
                next: "write .npz, which holds every number, or fewer steps".into(),
            });
        }
        frames.push(moved);
    }
    Progress::stage("morph targets").tell(watch)?;
    let basis = basis::greedy(frames, MOST_TARGETS, TOLERANCE * length);
    // Animations start at 0.
    let times: Vec<f64> = chosen.iter().map(|&f| motion.times[f] - motion.times[0]).collect();
    let clip = MorphClip { name: "motion".into(), times: &times, weights: &basis.weights };
    let bytes = write_animation(&MorphAnimation {
        surface: &surface,
        targets: &basis.directions,
        names: &[],
        clips: &[clip],
        base_color: COLOUR,
    })?;
    notes.push(format!(
        "glTF animation: {} morph targets, every vertex within {:.1e} of the body's length of its place",
        basis.directions.len(),
        basis.error / length
    ));
    Ok((bytes, notes))
}
