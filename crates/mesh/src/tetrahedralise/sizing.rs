//! How fine the lattice must be: for a number of tets, or for a volume within one percent.

use pliant_linalg::{Vec3, Watch};

use super::tidy::Filled;
use crate::{MeshError, Result};

/// Fills with a lattice of some edge (metres), moved by some share of a cell.
pub(super) trait Run {
    fn run(&self, edge: f64, shift: &Vec3, watch: &mut Watch<'_>) -> Result<Filled>;
}

/// What is promised of the count.
pub(super) const PROMISED: f64 = 0.15;

/// Places of the lattice against the body, in cells. In the middle first: that is where flat faces come out best.
const SHIFTS: [[f64; 3]; 6] = [
    [0.0, 0.0, 0.0],
    [0.31, 0.17, 0.43],
    [0.11, 0.37, 0.23],
    [0.25, 0.45, 0.05],
    [0.4, 0.08, 0.29],
    [0.21, 0.34, 0.13],
];

/// An edge for which about `wanted` tets come out; `start` (metres) is where the search begins.
///
/// The count is nearly a power of the edge, so each run but the first gives a straight line in logarithms to go along.
/// A lattice in step with flat faces loses or wins a whole layer at once; moving it against the body parts the layers.
pub(super) fn by_count(
    run: &dyn Run,
    wanted: usize,
    start: f64,
    watch: &mut Watch<'_>,
) -> Result<(Filled, f64)> {
    let goal = (wanted.max(1) as f64).ln();
    let mut best: Option<(f64, Filled, f64)> = None;
    let mut edge = start;
    // A body that gives far too many tets or none at all would be filled again and again.
    let mut left = 20 * wanted + 2_000_000;
    for (round, shift) in SHIFTS.iter().enumerate() {
        let mut tried: Vec<(f64, f64)> = Vec::new();
        // A third of the promise is aimed at first; what jumps may come nearer to it.
        let (attempts, enough) = if round == 0 { (8, PROMISED / 3.0) } else { (4, 0.7 * PROMISED) };
        for _ in 0..attempts {
            if best.as_ref().is_some_and(|b| b.0 < enough || left == 0) {
                break;
            }
            match run.run(edge, &Vec3::from(*shift), watch) {
                Ok(filled) => {
                    left = left.saturating_sub(filled.tets.len());
                    let count = (filled.tets.len().max(1) as f64).ln();
                    let off = (count - goal).abs();
                    tried.push((edge.ln(), count));
                    if best.as_ref().is_none_or(|b| off < b.0) {
                        best = Some((off, filled, edge));
                    }
                    edge = next_edge(&tried, goal).exp();
                }
                // Too coarse for anything to be inside: finer.
                Err(MeshError::NothingInside) => edge /= 2.0,
                // The step was too long: half of it.
                Err(MeshError::TooFine { .. }) if best.is_some() => {
                    let back = best.as_ref().map_or(edge, |b| b.2.max(edge));
                    edge = if back > edge { (edge * back).sqrt() } else { 2.0 * edge };
                }
                Err(error) => return Err(error),
            }
        }
        match &best {
            // Another place of the lattice brings a layer more or less, not half as many tets again.
            Some((off, _, at)) if *off >= 0.7 * PROMISED && *off < 0.4 => edge = *at,
            _ => break,
        }
    }
    let (_, filled, edge) = best.ok_or(MeshError::NothingInside)?;
    Ok((filled, edge))
}

/// Along the line through the tries just above and just below the goal, or with the last slope where all are on one
/// side.
fn next_edge(tried: &[(f64, f64)], goal: f64) -> f64 {
    let above = tried.iter().filter(|t| t.1 >= goal).min_by(|a, b| a.1.total_cmp(&b.1));
    let below = tried.iter().filter(|t| t.1 < goal).max_by(|a, b| a.1.total_cmp(&b.1));
    let last = tried[tried.len() - 1];
    // Between a surface (−2) and a body (−3).
    let slope_of = |a: &(f64, f64), b: &(f64, f64)| (b.1 - a.1) / (b.0 - a.0);
    match (above, below) {
        (Some(a), Some(b)) if (a.0 - b.0).abs() > 1e-9 && slope_of(a, b) < -0.5 => {
            a.0 + (goal - a.1) / slope_of(a, b)
        }
        (Some(a), Some(b)) => (a.0 + b.0) / 2.0,
        _ => {
            let before = tried.len().checked_sub(2).map(|i| tried[i]);
            let slope = before.map_or(-2.5, |b| slope_of(&b, &last)).clamp(-3.5, -1.8);
            // A long way is gone in steps: the power changes on the way.
            last.0 + ((goal - last.1) / slope).clamp(-1.4, 1.4)
        }
    }
}

/// What the volume may be off by, relative, where it is known.
const KNOWN_ERROR: f64 = 0.0095;
/// The same where it is extrapolated: a fifth of the promised percent is kept for the doubt in that.
const GUESSED_ERROR: f64 = 0.008;

/// Tets at which the search for the volume gives up, and where each try costs a second run of half the edge.
const MOST_KNOWN: usize = 1_000_000;
const MOST_GUESSED: usize = 150_000;

/// What [`by_volume`] found.
pub(super) struct Sized {
    pub(super) filled: Filled,
    pub(super) edge: f64,
    /// The volume it was held against, m³.
    pub(super) volume: f64,
}

/// An edge for which the volume is right within a percent and no more pieces come out than there should.
///
/// The error falls with the square of the edge. Where the volume is not known, a second run with half the edge gives
/// it by extrapolation to an edge of zero (Richardson); a coarser one beside would be cheaper, but faces that are
/// nearly in step with the lattice fool it.
pub(super) fn by_volume(
    run: &dyn Run,
    known: Option<f64>,
    pieces: usize,
    start: f64,
    watch: &mut Watch<'_>,
) -> Result<Sized> {
    let (allowed, most, attempts) =
        if known.is_some() { (KNOWN_ERROR, MOST_KNOWN, 12) } else { (GUESSED_ERROR, MOST_GUESSED, 6) };
    let mut edge = start;
    let mut guessed: Option<(f64, f64)> = None;
    for attempt in 0..attempts {
        let filled = match run.run(edge, &Vec3::zeros(), watch) {
            Err(MeshError::NothingInside) if attempt < 5 => {
                edge /= 2.0;
                continue;
            }
            other => other?,
        };
        let volume = filled.volume();
        let reference = match (known, guessed) {
            (Some(known), _) => known,
            // Still from a good deal finer than this.
            (None, Some((fine_edge, reference))) if fine_edge < 0.75 * edge => reference,
            (None, _) => {
                let fine = run.run(edge / 2.0, &Vec3::zeros(), watch)?.volume();
                let reference = fine + (fine - volume) / 3.0;
                guessed = Some((edge / 2.0, reference));
                reference
            }
        };
        let error = (volume / reference - 1.0).abs();
        // The count grows with the edge to the power −2 to −3; the next one must not go far beyond the most.
        let least_step = (filled.tets.len() as f64 / most as f64).powf(0.4);
        if error < allowed && filled.components <= pieces || least_step > 0.95 || attempt + 1 == attempts {
            return Ok(Sized { filled, edge, volume: reference });
        }
        // Just below the goal, but no step that overshoots on an unlucky error.
        let by_error = (0.9 * allowed / error).sqrt();
        edge *= by_error.clamp(0.5, if error < allowed { 0.85 } else { 0.95 }).max(least_step);
    }
    Err(MeshError::NothingInside)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// As many tets as a body of unit volume has cells, none below ten and an error above a hundred thousand.
    struct Cells;

    impl Run for Cells {
        fn run(&self, edge: f64, _: &Vec3, _: &mut Watch<'_>) -> Result<Filled> {
            // A jump of its power, so that going along the line through the first tries overshoots.
            let count = if edge > 0.1 { edge.powf(-1.0) } else { 10.0 * (0.1 / edge).powf(6.0) };
            match count as usize {
                n if n > 100_000 => Err(MeshError::TooFine { edge, length: 1.0 }),
                n => Ok(Filled { tets: vec![[0; 4]; n], ..Filled::default() }),
            }
        }
    }

    #[test]
    fn a_step_that_overshoots_is_no_error() {
        for wanted in [5_000, 90_000] {
            let found = by_count(&Cells, wanted, 0.4, &mut pliant_linalg::ignore_progress).unwrap();
            let share = found.0.tets.len() as f64 / wanted as f64;
            assert!((share - 1.0).abs() < PROMISED, "{share} of {wanted}");
        }
        // More than can be: the nearest that was seen.
        let found = by_count(&Cells, 1_000_000, 0.4, &mut pliant_linalg::ignore_progress).unwrap();
        assert!(found.0.tets.len() > 1_000, "{}", found.0.tets.len());
    }
}
