//! Vibration modes as files: `.npz` with `eigenvalues` (K), `frequencies_hz` (K), `modes` (3n, K), `rest`, `elements`,
//! or `.glb` with one morph target and one clip for each mode, named with its frequency.
//!
//! In the clip of mode k its weight is a sin(2πt/T): T is [`PERIOD`] whatever the frequency, and a makes the largest
//! displacement [`SHARE`] of the body's longest side. A mode has no size of its own.

use std::f64::consts::TAU;
use std::path::Path;

use pliant_linalg::Modes;

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

/// The factor that makes the largest displacement of `shape` the given share of the longest side of the body at rest; 1
/// for a shape that moves nothing.
pub fn amplitude(rest: &MeshData, shape: &[f64], share: f64) -> f64 {
    let [low, high] = rest.bounds();
    let largest = super::vectors(shape).map(|u| u.norm()).fold(0.0, f64::max);
    if largest > 0.0 { share * (high - low).max() / largest } else { 1.0 }
}

/// Refuses modes that are not those of the body at `rest`.
fn check(rest: &MeshData, modes: &Modes) -> Result<()> {
    rest.check()?;
    let size = 3 * rest.vertices.len();
    let bad = |sentence: String| Err(MeshError::Inconsistent(sentence));
    if modes.is_empty() {
        return bad("no modes, expected at least one".into());
    }
    if modes.size() != size || modes.shapes.len() != modes.len() * size {
        return bad(format!(
            "{} modes of a body with {} coordinates have {} entries, expected {}: three for each of {} vertices",
            modes.len(),
            modes.size(),
            modes.shapes.len(),
            modes.len() * size,
            rest.vertices.len()
        ));
    }
    match modes.each_shape().position(|shape| !shape.iter().all(|x| x.is_finite())) {
        Some(k) => bad(format!("mode {k} has an entry that is not finite")),
        None => Ok(()),
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

/// Writes the modes of a body with the mesh `rest` as `.npz` or `.glb`, by the ending of the name, whole or not at all; returns what the format could not
/// keep.
///
/// # Errors
/// When the ending is another, the parts do not belong together, or the disk refuses.
pub fn save(path: &Path, rest: &MeshData, modes: &Modes) -> Result<Vec<String>> {
    let ending = path.extension().and_then(|e| e.to_str()).unwrap_or("").to_lowercase();
    check(rest, modes)?;
    match &*ending {
        "npz" => save_npz(path, rest, modes).map(|()| Vec::new()),
        "glb" => {
            write_whole(&[(path.to_owned(), to_glb(rest, modes)?)])?;
            Ok(vec![format!(
                "glTF animation: every mode swings once in {PERIOD} s, by {:.0} % of the body's longest side",
                100.0 * SHARE
            )])
        }
        _ => Err(MeshError::UnknownFormat { path: path.to_owned(), ending, known: ".npz .glb".into() }),
    }
}

fn save_npz(path: &Path, rest: &MeshData, modes: &Modes) -> Result<()> {
    let (rows, columns) = (modes.size(), modes.len());
    let mut files = Pending::new();
    files.file(path, |out| {
        let mut npz = NpzWriter::new(out);
        npz.array("eigenvalues", &[columns], Numbers::Reals(&modes.eigenvalues))?;
        npz.array("frequencies_hz", &[columns], Numbers::Reals(&modes.frequencies_hz()))?;
        let mut matrix = npz.reals("modes", &[rows, columns])?;
        let mut row = vec![0.0; columns];
        for i in 0..rows {
            row.iter_mut().zip(modes.each_shape()).for_each(|(x, shape)| *x = shape[i]);
            matrix.push(&row)?;
        }
        matrix.finish()?;
        npz::mesh_arrays(&mut npz, rest)?;
        npz.finish()
    })?;
    files.commit()
}

fn to_glb(rest: &MeshData, modes: &Modes) -> Result<Vec<u8>> {
    let (surface, shown) = (super::surface(rest)?, ShownSurface::of(rest));
    let count = modes.len();
    let targets: Vec<_> = (0..count)
        .map(|k| {
            let size = amplitude(rest, modes.shape(k), SHARE);
            shown.displacement(modes.shape(k)).into_iter().map(|u| u * size).collect()
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
