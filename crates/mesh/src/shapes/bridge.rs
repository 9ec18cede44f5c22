//! A small suspension bridge: a deck on two towers, two cables, hangers as thick as the tets allow.

use pliant_linalg::{Vec3, Watch};

use super::sdf::Sdf;
use super::solid::body;
use super::{ShapeOptions, subdivision};
use crate::{MeshData, Result};

/// Lattice cells along half of the deck, unless the options say otherwise.
pub(super) const CELLS: usize = 30;

/// Vertices of the surface, unless the options say otherwise.
const SURFACE: usize = 20_000;

/// Metres: half length of the deck, place of the towers, their height, height of the deck, where the cables run.
const HALF: f64 = 1.0;
const TOWER: f64 = 0.55;
const TOP: f64 = 0.72;
const DECK: f64 = 0.28;
const CABLE: f64 = 0.17;

/// Height of the lowest point of the cables above the deck, metres.
const LOW: f64 = 0.15;

/// Makes the bridge.
///
/// # Errors
/// When the subdivision is out of range or the work is cancelled.
pub(super) fn make(options: &ShapeOptions, watch: &mut Watch<'_>) -> Result<MeshData> {
    let cells = subdivision("bridge", options, CELLS, 26..=200)?;
    body(&form(), HALF / cells as f64, options.surface_vertices.unwrap_or(SURFACE), watch)
}

/// Along x, standing on y = 0.
fn form() -> Sdf {
    let deck = Sdf::cuboid(Vec3::new(0.0, DECK, 0.0), Vec3::new(HALF, 0.045, 0.24), 0.02);
    let block = |x: f64, y: [f64; 2], half_x: f64, half_z: f64, z: f64| {
        let (low, high) = (y[0], y[1]);
        Sdf::cuboid(Vec3::new(x, (low + high) / 2.0, z), Vec3::new(half_x, (high - low) / 2.0, half_z), 0.012)
    };
    let mut parts = vec![deck];
    for x in [-TOWER, TOWER] {
        parts.push(block(x, [0.0, TOP], 0.06, 0.05, CABLE));
        parts.push(block(x, [TOP - 0.14, TOP - 0.05], 0.04, CABLE, 0.0));
        parts.push(block(x, [0.0, 0.07], 0.11, 0.26, 0.0));
    }
    for x in [-HALF + 0.09, HALF - 0.09] {
        // Abutments, which also hold the ends of the cables.
        parts.push(block(x, [0.0, DECK], 0.09, 0.24, 0.0));
    }
    // The cable hangs as a parabola between the towers and runs straight to the ends of the deck.
    let sag = |x: f64| DECK + LOW + (TOP - 0.03 - DECK - LOW) * (x / TOWER).powi(2);
    let stations: Vec<(Vec3, f64)> =
        (-6..=6).map(|i| TOWER * f64::from(i) / 6.0).map(|x| (Vec3::new(x, sag(x), CABLE), 0.036)).collect();
    parts.push(Sdf::tube(&stations, 2));
    for side in [-1.0, 1.0] {
        let (from, to) =
            (Vec3::new(side * TOWER, TOP - 0.03, CABLE), Vec3::new(side * (HALF - 0.06), DECK, CABLE));
        parts.push(Sdf::capsule(from, to, 0.036));
        for x in [0.14, 0.28, 0.41].map(|x| side * x) {
            parts.push(Sdf::capsule(Vec3::new(x, DECK, CABLE), Vec3::new(x, sag(x), CABLE), 0.032));
        }
    }
    // The lowest point of the cable rests on the deck.
    parts.push(Sdf::capsule(Vec3::new(0.0, DECK, CABLE), Vec3::new(0.0, sag(0.0), CABLE), 0.032));
    let ground = Sdf::cuboid(Vec3::new(0.0, 1.0, 0.0), Vec3::new(2.0, 1.0, 1.0), 0.0);
    ground.and(Sdf::blend(0.025, parts).mirrored(), 0.0)
}
