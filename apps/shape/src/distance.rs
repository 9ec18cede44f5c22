//! How far places are from each other in their signatures.
//!
//! ```text
//! δ(v, w)² = Σ_i a_i ((S_i(v) − S_i(w)) / l₁(t_i))²       a_i: trapezoid rule over log t            (T14 eq. 6.4)
//! ```
//! T14 weighs all samples alike; the trapezoid rule gives the ends half, so that two ranges beside each other add up. From
//! several vertices it is the distance to the nearest of them. A pseudo-metric: places that vibrate alike have distance 0,
//! mirror images do. Source: T14 in docs/papers.md.

use pliant_linalg::grouped;
use pliant_sim::SimError;
use rayon::prelude::*;

use crate::Signature;
use crate::terms::{AT, FROM, refused};
use crate::times::weights;

/// Vertices in one task.
const TASK: usize = 2048;

impl Signature {
    /// The distance of every vertex to the nearest of `from`, no unit but that of S; NaN where a vertex weighs nothing.
    ///
    /// # Errors
    /// No vertex, one that is not there, or one that belongs to nothing.
    pub fn distance(&self, from: &[u32]) -> Result<Vec<f64>, SimError> {
        self.distance_between(from, 0..self.times.len())
    }

    /// The same over some of the times alone.
    ///
    /// # Errors
    /// As [`Signature::distance`].
    pub fn distance_between(
        &self,
        from: &[u32],
        range: std::ops::Range<usize>,
    ) -> Result<Vec<f64>, SimError> {
        if from.is_empty() {
            return Err(refused("a distance needs a vertex that it is measured from", &[FROM]));
        }
        check_vertices(from, self.vertices, &self.massless)?;
        let times = &self.times[range.clone()];
        let scales: Vec<f64> = weights(times)
            .iter()
            .zip(&self.l1[range.clone()])
            // Where all modes have died away nothing is told apart.
            .map(|(a, l1)| if *l1 > 0.0 { a.sqrt() / l1 } else { 0.0 })
            .collect();
        let sources: Vec<Vec<f64>> =
            from.iter().map(|&v| self.of_vertex(v)[range.clone()].to_vec()).collect();
        let mut nearest = vec![f64::INFINITY; self.vertices];
        nearest.par_chunks_mut(TASK).enumerate().for_each(|(task, nearest)| {
            let (first, count) = (task * TASK, nearest.len());
            let mut sums = [0.0; TASK];
            for source in &sources {
                sums[..count].fill(0.0);
                for ((i, scale), own) in range.clone().zip(&scales).zip(source) {
                    let values = &self.at_time(i)[first..first + count];
                    sums.iter_mut().zip(values).for_each(|(sum, s)| {
                        let d = (s - own) * scale;
                        *sum += d * d;
                    });
                }
                nearest.iter_mut().zip(&sums).for_each(|(near, sum)| *near = near.min(*sum));
            }
            nearest.iter_mut().for_each(|near| *near = near.sqrt());
        });
        self.massless.iter().for_each(|&v| nearest[v as usize] = f64::NAN);
        Ok(nearest)
    }
}

/// Refuses vertices that are not there, or that weigh nothing.
pub(crate) fn check_vertices(named: &[u32], vertices: usize, massless: &[u32]) -> Result<(), SimError> {
    if let Some(&v) = named.iter().find(|&&v| v as usize >= vertices) {
        let last = vertices.saturating_sub(1);
        let sentence =
            format!("there is no vertex {v}; the body has {} vertices, 0 to {last}", grouped(vertices));
        return Err(refused(sentence, &[]));
    }
    if let Some(v) = named.iter().find(|v| massless.binary_search(v).is_ok()) {
        let sentence =
            format!("vertex {v} belongs to no element, weighs nothing and has no signature; take another");
        return Err(refused(sentence, &[FROM, AT]));
    }
    Ok(())
}
