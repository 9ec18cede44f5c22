//! A few displacements whose sums are all frames of a motion, found greedily.
//!
//! ```text
//! r_i ← u_i;   repeat:  p = argmax ‖r_i‖,  q_k = r_p/‖r_p‖,  w_ik = q_k·r_i,  r_i ← r_i − w_ik q_k                (1)
//! u_i = Σ_k w_ik q_k + r_i                                                                                     (2)
//! ```
//! (2) holds to round-off whatever happens, so what is left in r is the error, known for every vertex of every frame.
//! m directions give m frames exactly. Proper orthogonal decomposition would be best on average and needs an eigenvalue
//! solver; this bounds the worst frame, which is what one sees. All frames are in memory.

use pliant_linalg::Vec3;
use rayon::prelude::*;

/// The frames of a motion in few coordinates.
pub(super) struct Basis {
    /// Displacements of all vertices, of norm 1.
    pub(super) directions: Vec<Vec<Vec3>>,
    /// For each frame a weight for each direction.
    pub(super) weights: Vec<Vec<f64>>,
    /// The greatest distance of any vertex in any frame from where it should be, metres.
    pub(super) error: f64,
}

/// At most `most` directions, fewer when every vertex is within `tolerance` (metres) in every frame. Frames must be
/// finite.
pub(super) fn greedy(mut frames: Vec<Vec<Vec3>>, most: usize, tolerance: f64) -> Basis {
    let mut basis = Basis { directions: Vec::new(), weights: vec![Vec::new(); frames.len()], error: 0.0 };
    loop {
        // The length of each frame and of its longest vector.
        let left: Vec<(f64, f64)> = frames
            .par_iter()
            .map(|r| {
                let sizes = r.iter().map(Vec3::norm_squared);
                let (sum, longest) = sizes.fold((0.0, 0f64), |(s, m), x| (s + x, m.max(x)));
                (sum.sqrt(), longest.sqrt())
            })
            .collect();
        basis.error = left.iter().fold(0.0, |m, l| l.1.max(m));
        let Some(worst) = (0..left.len()).rev().max_by(|a, b| left[*a].0.total_cmp(&left[*b].0)) else {
            return basis;
        };
        if basis.error <= tolerance || basis.directions.len() == most || left[worst].0 == 0.0 {
            return basis;
        }
        // (1)
        let direction: Vec<Vec3> = frames[worst].iter().map(|r| r / left[worst].0).collect();
        let weights: Vec<f64> = frames
            .par_iter_mut()
            .map(|r| {
                let w: f64 = direction.iter().zip(r.iter()).map(|(q, r)| q.dot(r)).sum();
                r.iter_mut().zip(&direction).for_each(|(r, q)| *r -= q * w);
                w
            })
            .collect();
        basis.weights.iter_mut().zip(weights).for_each(|(all, w)| all.push(w));
        basis.directions.push(direction);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A wave that runs through 50 points: no finite number of directions is exact for all times.
    fn wave(frames: usize) -> Vec<Vec<Vec3>> {
        let at = |t: usize, v: usize| {
            let phase = 0.21 * v as f64 - 0.13 * t as f64;
            Vec3::new(0.0, phase.sin(), 0.3 * (3.0 * phase).sin().powi(3))
        };
        (0..frames).map(|t| (0..50).map(|v| at(t, v)).collect()).collect()
    }

    #[test]
    fn weights_and_directions_give_the_frames_to_the_stated_error() {
        for (most, frames) in [(2, 40), (4, 40), (64, 40), (64, 3)] {
            let truth = wave(frames);
            let basis = greedy(truth.clone(), most, 1e-9);
            assert!(basis.directions.len() <= most.min(frames));
            let mut worst = 0f64;
            for (frame, w) in truth.iter().zip(&basis.weights) {
                for (v, u) in frame.iter().enumerate() {
                    let sum: Vec3 = w.iter().zip(&basis.directions).map(|(w, q)| q[v] * *w).sum();
                    worst = worst.max((u - sum).norm());
                }
            }
            assert!((worst - basis.error).abs() < 1e-12, "{worst} instead of {}", basis.error);
            assert_eq!(basis.error < 1e-9, most == 64, "{most} directions: {}", basis.error);
        }
    }

    #[test]
    fn a_motion_of_three_shapes_needs_three() {
        let shapes = wave(3);
        let mix = |t: usize| -> Vec<Vec3> {
            let c = [1.0, (t as f64).sin(), 0.01 * (t * t) as f64];
            (0..50).map(|v| (0..3).map(|k| shapes[k][v] * c[k]).sum()).collect()
        };
        let basis = greedy((0..30).map(mix).collect(), 64, 1e-12);
        assert_eq!(basis.directions.len(), 3);
    }

    #[test]
    fn rest_needs_none() {
        let basis = greedy(vec![vec![Vec3::zeros(); 4]; 5], 64, 0.0);
        assert!(basis.directions.is_empty() && basis.error == 0.0);
    }
}
