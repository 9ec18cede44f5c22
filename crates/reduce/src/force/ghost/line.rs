//! Potential energy along a line in the subspace: the whole body, its Taylor series, and ghosts of several sizes.
//!
//! The data of T14 Figure 3.13, which shows that ghosts follow the energy farther than a Taylor series of second or third
//! order does, and the better the larger they are:
//! ```text
//! W(t) = W(U t d),   W₂ = ½ t² dᵀK̃d,   W₃ = W₂ + ⅙ t³ ∂³W[d, d, d],   W^s(t) of each ghost
//! ```

use pliant_linalg::Watch;

use super::{Ghost, Source};
use crate::force::ReducedForce as _;
use crate::{Basis, ReduceError};
use pliant_energy::Tangent;

/// Energies along a line, J.
#[derive(Clone, Debug, PartialEq)]
pub struct Line {
    /// Where, in multiples of the direction, ascending.
    pub at: Vec<f64>,
    /// Of the fine body.
    pub full: Vec<f64>,
    /// The Taylor series at rest up to the second order.
    pub quadratic: Vec<f64>,
    /// Up to the third.
    pub cubic: Vec<f64>,
    /// Of the ghosts, in the order asked for.
    pub ghosts: Vec<Curve>,
}

/// The energy of one ghost along the line.
#[derive(Clone, Debug, PartialEq)]
pub struct Curve {
    /// Vertices that it has.
    pub vertices: usize,
    /// J.
    pub energy: Vec<f64>,
}

impl Line {
    /// How far `energy` is from the full one: √(Σ (a − b)² / Σ b²).
    pub fn error(&self, energy: &[f64]) -> f64 {
        let square = |x: f64| x * x;
        let off: f64 = energy.iter().zip(&self.full).map(|(a, b)| square(a - b)).sum();
        (off / self.full.iter().map(|b| square(*b)).sum::<f64>()).sqrt()
    }
}

/// Energies at t d for `samples` (at least 2) values of t, evenly from −1 to 1; d are r coordinates. `sizes` are numbers
/// of vertices of ghosts.
///
/// # Errors
/// As [`Ghost::make`]; also where the energy is not defined on the line, which is then too long.
pub fn line(
    of: Source<'_>,
    basis: &Basis,
    direction: &[f64],
    samples: usize,
    sizes: &[usize],
    watch: &mut Watch<'_>,
) -> Result<Line, ReduceError> {
    assert_eq!(direction.len(), basis.rank(), "coordinates of this basis");
    let body = of.body;
    let too_far = |bad: &dyn std::fmt::Display| {
        ReduceError::request(format!(
            "the line leaves what the material admits ({bad}); take a shorter direction"
        ))
    };
    let steps = samples.max(2) - 1;
    let at: Vec<f64> = (0..=steps).map(|k| 2.0 * k as f64 / steps as f64 - 1.0).collect();
    let mut d = vec![0.0; body.size()];
    basis.expand(direction, &mut d);
    let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
    let mut K = body.zero_matrix();
    body.stiffness(&vec![0.0; body.size()], Tangent::Exact, &mut K).map_err(|bad| too_far(&bad))?;
    let mut along = vec![0.0; body.size()];
    K.apply(&d, &mut along);
    let second = dot(&along, &d);
    body.third_at_rest(&d, &d, &mut along);
    let third = dot(&along, &d);
    let full = at.iter().map(|t| {
        let u: Vec<f64> = d.iter().map(|d| t * d).collect();
        body.energy(&u).map_err(|bad| too_far(&bad))
    });
    let full = full.collect::<Result<Vec<_>, _>>()?;
    let quadratic: Vec<f64> = at.iter().map(|t| 0.5 * t * t * second).collect();
    let cubic = at.iter().zip(&quadratic).map(|(t, W)| W + t * t * t * third / 6.0).collect();
    let mut ghosts = Vec::with_capacity(sizes.len());
    for &size in sizes {
        let ghost = Ghost::make(of, basis, size, watch)?.ghost;
        let mut force = ghost.force(of.recipe, of.mesh)?;
        let energy = at.iter().map(|t| {
            let q: Vec<f64> = direction.iter().map(|d| t * d).collect();
            force.energy(&q).map_err(|bad| too_far(&bad))
        });
        ghosts.push(Curve { vertices: ghost.vertices.len(), energy: energy.collect::<Result<_, _>>()? });
    }
    Ok(Line { at, full, quadratic, cubic, ghosts })
}
