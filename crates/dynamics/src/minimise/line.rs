//! A step length that meets the weak Wolfe conditions.
//!
//! ```text
//! E(q + t p) ≤ E(q) + c₁ t m,      ∂E(q + t p)·p ≥ c₂ m,      m = ∂E(q)·p < 0                       (NW06 eq. 3.6)
//! ```
//! The first says that the step leads down, the second that it is not needlessly short: then yᵀs > 0, so that what BFGS learns stays
//! positive definite. A bracket is halved or, at its open end, doubled; inside, a parabola through what is known says where. States
//! where E is infinite or NaN are too far. Near the end energies differ in their last digits only: then slopes are asked instead,
//! (2 c₁ − 1) m ≥ ∂E·p (HZ05 eq. 4.1).
//!
//! Source: NW06 and HZ05 in docs/papers.md.

use super::Objective;
use crate::vector::{add, dot};

/// c₁ and c₂: usual for methods whose steps have a length of their own.
const LOWER: f64 = 1e-4;
const STEEPER: f64 = 0.9;

/// Energies of one search; 2⁻⁴⁰ of a step is no step.
const MOST: usize = 40;

/// What rounding does to an energy, relative to it.
const ROUNDING: f64 = 1e-13;

/// A step that was found; its state and gradient are where the search was told to put them.
#[derive(Clone, Copy, Debug)]
pub(super) struct Step {
    pub(super) length: f64,
    pub(super) energy: f64,
}

/// From q along p; `evaluations` counts.
pub(super) fn search(
    objective: &mut dyn Objective,
    (q, energy): (&[f64], f64),
    (p, slope): (&[f64], f64),
    first: f64,
    (to, gradient): (&mut [f64], &mut [f64]),
    evaluations: &mut usize,
) -> Option<Step> {
    let (mut near, mut far) = (0.0, f64::INFINITY);
    let mut length = first;
    // What is lower than the start but not flat enough is better than nothing.
    let mut lower = None;
    for _ in 0..MOST {
        add(q, length, p, to);
        *evaluations += 1;
        let here = objective.evaluate(to, gradient);
        let along = dot(gradient, p);
        if !(here.is_finite() && along.is_finite()) {
            far = length;
            length = near + 0.25 * (far - near);
            continue;
        }
        let falls = here <= energy + LOWER * length * slope;
        let level = here <= energy + ROUNDING * energy.abs() && along <= (2.0 * LOWER - 1.0) * slope;
        if !falls && !level {
            far = length;
            // The parabola through E and m at 0 and E here.
            let bottom = -0.5 * slope * length * length / (here - energy - slope * length);
            let width = far - near;
            length = if bottom.is_finite() { bottom } else { near + 0.5 * width };
            length = length.clamp(near + 0.1 * width, near + 0.5 * width);
            continue;
        }
        if along < STEEPER * slope {
            (near, lower) = (length, Some(length));
            length = if far.is_finite() { 0.5 * (near + far) } else { 2.0 * length };
            continue;
        }
        return Some(Step { length, energy: here });
    }
    let length = lower?;
    add(q, length, p, to);
    *evaluations += 1;
    let energy = objective.evaluate(to, gradient);
    Some(Step { length, energy })
}
