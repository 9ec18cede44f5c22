//! What all minimisers share: a direction, a step along it, and when to stop.

use std::ops::ControlFlow;

use super::{End, Objective, Onlooker, Outcome, Stopping, line};
use crate::vector::{dot, first_not_finite, largest};

/// Where to go, and what is learnt on the way.
pub(super) trait Direction {
    /// Takes the memory for n coordinates, and makes itself ready.
    fn begin(&mut self, objective: &mut dyn Objective);

    /// p, downhill of ∂E(q) = g. `false`: there is none.
    fn point(&mut self, objective: &mut dyn Objective, q: &[f64], g: &[f64], p: &mut [f64]) -> bool;

    /// How much of p is tried first.
    fn first_length(&self, _g: &[f64], _slope: f64) -> f64 {
        1.0
    }

    /// A step s was taken, ∂E changed by y; the slope along the direction was that, and so much of it was taken.
    fn learn(&mut self, _s: &[f64], _y: &[f64], _slope: f64, _length: f64) {}

    /// Nothing led down: forgets what may have been wrong. `false`: there is nothing to forget.
    fn renew(&mut self, _objective: &mut dyn Objective) -> bool {
        false
    }
}

/// Long vectors of a descent.
#[derive(Clone, Debug, Default)]
pub(super) struct Room {
    g: Vec<f64>,
    p: Vec<f64>,
    /// The next q and its gradient; then s and y.
    to: Vec<f64>,
    g_to: Vec<f64>,
}

/// Falls that are lost in rounding, relative to E.
const NOTHING: f64 = 4.0 * f64::EPSILON;

/// The same relative to the unit of energy, where E itself is nothing.
const LEAST: f64 = 1e-24;

impl Room {
    pub(super) fn descend(
        &mut self,
        way: &mut dyn Direction,
        objective: &mut dyn Objective,
        q: &mut [f64],
        stopping: &Stopping,
        look: &mut Onlooker<'_>,
    ) -> Outcome {
        let n = objective.size();
        assert_eq!(q.len(), n, "q has {} coordinates, the energy has {n}", q.len());
        let Self { g, p, to, g_to } = self;
        [&mut *g, &mut *p, &mut *to, &mut *g_to].into_iter().for_each(|x| x.resize(n, 0.0));
        let mut energy = objective.evaluate(q, g);
        let (mut iterations, mut evaluations) = (0, 1);
        let outcome = |energy, g: &[f64], iterations, evaluations, end| Outcome {
            energy,
            steepest: largest(g),
            iterations,
            evaluations,
            end,
        };
        if !energy.is_finite() || first_not_finite(g).is_some() {
            return outcome(energy, g, iterations, evaluations, End::Inadmissible);
        }
        way.begin(objective);
        let mut renewed = false;
        let end = loop {
            if let ControlFlow::Break(()) = look(iterations, energy) {
                break End::Stopped;
            }
            if largest(g) == 0.0 {
                break End::Converged;
            }
            if iterations >= stopping.iterations {
                break End::Iterations;
            }
            let slope = if way.point(objective, q, g, p) { dot(g, p) } else { f64::NAN };
            if slope < 0.0 && -slope <= NOTHING * energy.abs() + LEAST * stopping.units.energy {
                break if stopping.is_flat(energy, largest(g)) { End::Converged } else { End::Stalled };
            }
            let step = if slope < 0.0 && slope.is_finite() {
                let first = way.first_length(g, slope);
                line::search(objective, (q, energy), (p, slope), first, (to, g_to), &mut evaluations)
            } else {
                None
            };
            let Some(step) = step else {
                if !renewed && way.renew(objective) {
                    renewed = true;
                    continue;
                }
                // What rounding leaves may be too rough to go on, and flat enough.
                let little = -slope < stopping.epsilon * (stopping.units.energy + energy.abs());
                break if little && stopping.is_flat(energy, largest(g)) {
                    End::Converged
                } else {
                    End::Stalled
                };
            };
            renewed = false;
            iterations += 1;
            let fall = energy - step.energy;
            energy = step.energy;
            // s and y, and the new state in place of the old one.
            for (q, to) in q.iter_mut().zip(&mut *to) {
                let s = *to - *q;
                *q = *to;
                *to = s;
            }
            for (g, new) in g.iter_mut().zip(&mut *g_to) {
                let y = *new - *g;
                *g = *new;
                *new = y;
            }
            way.learn(to, g_to, slope, step.length);
            if stopping.met(energy, fall, largest(to), largest(q), largest(g)) {
                let _ = look(iterations, energy);
                break End::Converged;
            }
        };
        outcome(energy, g, iterations, evaluations, end)
    }
}
