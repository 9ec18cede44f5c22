//! Vibration modes as files: `.npz` with `eigenvalues` (K), `frequencies_hz` (K), `modes` (3n, K), `rest`, `elements`,
//! or `.glb` with one morph target and one clip for each mode, named with its frequency.
//!
//! In the clip of mode k its weight is a sin(2πt/T): T is [`PERIOD`] whatever the frequency, and a makes the largest
//! displacement [`SHARE`] of the body's longest side. A mode has no size of its own.

use std::f64::consts::TAU;
use std::path::Path;

use super::{glb, npz};
use crate::io::arrays::{NpzWriter, Numbers};
use crate::io::gltf::{MorphAnimation, MorphClip, write_animation};
use crate::io::{Pending, write_whole};
use crate::{MeshData, MeshError, Result, ShownSurface};

/// One swing in a clip, seconds.
pub const PERIOD: f64 = 2.0;
/// The largest displacement in a clip, of the longest side of the body's box.
pub const SHARE: f64 = 0.1;
/// Weights in a swing; between them viewers draw lines, at most 0.2 % off.
const KEYS: usize = 48;

/// Vibration modes of a body.
#[derive(Clone, Copy, Debug)]
pub struct Modes<'a> {
    /// The body at rest: n vertices.
    pub rest: &'a MeshData,
    /// ω², 1/s², for each mode.
    pub eigenvalues: &'a [f64],
    /// For each mode 3n numbers, x y z of each vertex in turn.
    pub shapes: &'a [&'a [f64]],
}

impl Modes<'_> {
    /// √λ / 2π of each mode, hertz.
    pub fn frequencies_hz(&self) -> Vec<f64> {
        self.eigenvalues.iter().map(|l| l.max(0.0).sqrt() / TAU).collect()
    }

    /// The factor that makes the largest displacement of mode `k` the given share of the body's longest side; 1 for a
    /// mode that moves nothing.
    pub fn amplitude(&self, k: usize, share: f64) -> f64 {
        let [low, high] = self.rest.bounds();
        let largest = super::vectors(self.shapes[k]).map(|u| u.norm()).fold(0.0, f64::max);
        if largest > 0.0 { share * (high - low).max() / largest } else { 1.0 }
    }

    fn check(&self) -> Result<()> {
        self.rest.check()?;
        let numbers = 3 * self.rest.vertices.len();
        let bad = |sentence: String| Err(MeshError::Inconsistent(sentence));
        if self.shapes.len() != self.eigenvalues.len() || self.shapes.is_empty() {
            return bad(format!(
                "{} eigenvalues for {} modes, expected as many and at least one",
                self.eigenvalues.len(),
                self.shapes.len()
            ));
        }
        for (k, shape) in self.shapes.iter().enumerate() {
            if shape.len() != numbers || !shape.iter().all(|x| x.is_finite()) {
                return bad(format!(
                    "mode {k} has {} numbers, expected {numbers} finite ones, three for each vertex",
                    shape.len()
                ));
            }
        }
        Ok(())
    }
}

/// Refuses a name that [`save`] could not write, before the modes are computed.
///
/// # Errors
/// When the ending is neither `.npz` nor `.glb`.
pub fn check_ending(path: &Path) -> Result<()> {
    let ending = path.extension().and_then(|e| e.to_str()).unwrap_or("").to_lowercase();
    match &*ending {
        "npz" | "glb" => Ok(()),
        _ => Err(MeshError::UnknownFormat { path: path.to_owned(), ending, known: ".npz .glb .html".into() }),
    }
}

/// Writes modes as `.npz` or `.glb`, by the ending of the name, whole or not at all; returns what the format could not
/// keep.
///
/// # Errors
/// When the ending is another, the parts do not belong together, or the disk refuses.
pub fn save(path: &Path, modes: &Modes<'_>) -> Result<Vec<String>> {
    let ending = path.extension().and_then(|e| e.to_str()).unwrap_or("").to_lowercase();
    modes.check()?;
    match &*ending {
        "npz" => save_npz(path, modes).map(|()| Vec::new()),
        "glb" => {
            write_whole(&[(path.to_owned(), to_glb(modes)?)])?;
            Ok(vec![format!(
                "glTF animation: every mode swings once in {PERIOD} s, by {:.0} % of the body's longest side",
                100.0 * SHARE
            )])
        }
        _ => Err(MeshError::UnknownFormat { path: path.to_owned(), ending, known: ".npz .glb".into() }),
    }
}

fn save_npz(path: &Path, modes: &Modes<'_>) -> Result<()> {
    let (rows, columns) = (3 * modes.rest.vertices.len(), modes.shapes.len());
    let mut files = Pending::new();
    files.file(path, |out| {
        let mut npz = NpzWriter::new(out);
        npz.array("eigenvalues", &[columns], Numbers::Reals(modes.eigenvalues))?;
        npz.array("frequencies_hz", &[columns], Numbers::Reals(&modes.frequencies_hz()))?;
        let mut matrix = npz.reals("modes", &[rows, columns])?;
        let mut row = vec![0.0; columns];
        for i in 0..rows {
            row.iter_mut().zip(modes.shapes).for_each(|(x, shape)| *x = shape[i]);
            matrix.push(&row)?;
        }
        matrix.finish()?;
        npz::mesh_arrays(&mut npz, modes.rest)?;
        npz.finish()
    })?;
    files.commit()
}

fn to_glb(modes: &Modes<'_>) -> Result<Vec<u8>> {
    let (surface, shown) = (super::surface(modes.rest)?, ShownSurface::of(modes.rest));
    let count = modes.shapes.len();
    let targets: Vec<_> = (0..count)
        .map(|k| {
            let size = modes.amplitude(k, SHARE);
            shown.displacement(modes.shapes[k]).into_iter().map(|u| u * size).collect()
        })
        .collect();
    let times: Vec<f64> = (0..=KEYS).map(|i| PERIOD * i as f64 / KEYS as f64).collect();
    let names: Vec<String> =
        (1..).zip(modes.frequencies_hz()).map(|(k, f)| format!("mode {k}: {} Hz", significant(f))).collect();
    // In each clip the others are at rest.
    let swing = |k: usize| -> Vec<Vec<f64>> {
        (0..=KEYS)
            .map(|i| {
                let mut weights = vec![0.0; count];
                weights[k] = (TAU * i as f64 / KEYS as f64).sin();
                weights
            })
            .collect()
    };
    let weights: Vec<Vec<Vec<f64>>> = (0..count).map(swing).collect();
    let clips: Vec<MorphClip<'_>> = names
        .iter()
        .zip(&weights)
        .map(|(name, weights)| MorphClip { name: name.clone(), times: &times, weights })
        .collect();
    write_animation(&MorphAnimation {
        surface: &surface,
        targets: &targets,
        names: &names,
        clips: &clips,
        base_color: glb::COLOUR,
    })
}

/// A number with five significant digits.
fn significant(x: f64) -> String {
    let decimals = if x > 0.0 { (4.0 - x.log10().floor()).clamp(0.0, 12.0) as usize } else { 0 };
    format!("{x:.decimals$}")
}
