//! How far a vertex is from the planes and points that went into it, as one quadratic function.
//!
//! ```text
//! Q(x) = Σ w (n·x + d)² + ε Σ w |x − p|² = xᵀA x + 2 b·x + c + ε (w |x|² − 2 m·x + s)              (1)
//! ```
//! The first sum is the error quadric of Garland and Heckbert (GH97 in docs/papers.md, section 4.1), planes weighted by
//! area. It says nothing about directions in which the surface is flat, where every place costs the same: the second
//! sum is small and says there that a vertex that stands for many should stay in their middle, and that small
//! neighbourhoods merge before large ones. Triangles of a flat part come out of one size and well shaped.

#![expect(non_snake_case, reason = "A, Q, V are the paper's letters")]

use pliant_linalg::{Mat3, Vec3, symmetric_eigen3};

/// ε of (1): how much a distance along the surface counts against one away from it.
const ALONG: f64 = 1e-3;

/// Directions in which A is smaller than this part of its largest eigenvalue are flat: there the middle decides.
/// Bounds the condition of the solve.
const FLAT: f64 = 1e-3;

/// The function (1).
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Quadric {
    A: Mat3,
    b: Vec3,
    c: f64,
    weight: f64,
    moment: Vec3,
    square: f64,
}

impl Quadric {
    /// Adds the plane through `p` with the unit normal `n`.
    pub(super) fn add_plane(&mut self, n: &Vec3, p: &Vec3, weight: f64) {
        let d = -n.dot(p);
        self.A += n * n.transpose() * weight;
        self.b += n * (weight * d);
        self.c += weight * d * d;
    }

    /// Adds a point that should not be far away.
    pub(super) fn add_point(&mut self, p: &Vec3, weight: f64) {
        self.weight += weight;
        self.moment += p * weight;
        self.square += weight * p.norm_squared();
    }

    /// Both functions in one.
    pub(super) fn and(&self, other: &Self) -> Self {
        Self {
            A: self.A + other.A,
            b: self.b + other.b,
            c: self.c + other.c,
            weight: self.weight + other.weight,
            moment: self.moment + other.moment,
            square: self.square + other.square,
        }
    }

    /// Q(x), not below zero.
    pub(super) fn at(&self, x: &Vec3) -> f64 {
        let planes = x.dot(&(self.A * x)) + 2.0 * self.b.dot(x) + self.c;
        let points = self.weight * x.norm_squared() - 2.0 * self.moment.dot(x) + self.square;
        planes.max(0.0) + ALONG * points.max(0.0)
    }

    /// The place nearest to the planes; where they leave it open, in the middle of the points. `None` if there is nothing
    /// that a place could follow from.
    pub(super) fn lowest(&self) -> Option<Vec3> {
        if self.weight <= 0.0 {
            return None;
        }
        let middle = self.moment / self.weight;
        let (lambda, V) = symmetric_eigen3(&self.A);
        let downhill = -(self.b + self.A * middle);
        let mut x = middle;
        for i in (0..3).filter(|&i| lambda[i] > 0.0 && lambda[i] > FLAT * lambda[0]) {
            let v = V.column(i);
            x += v * (v.dot(&downhill) / lambda[i]);
        }
        x.iter().all(|x| x.is_finite()).then_some(x)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_value_is_the_sum_of_squared_distances() {
        let mut q = Quadric::default();
        let n = Vec3::new(1.0, 2.0, -2.0) / 3.0;
        let (on, p, x) = (Vec3::new(0.3, 0.1, 0.2), Vec3::new(-0.4, 0.2, 0.9), Vec3::new(0.5, -0.7, 0.1));
        q.add_plane(&n, &on, 0.7);
        q.add_point(&p, 1.3);
        let expected = 0.7 * (x - on).dot(&n).powi(2) + 1e-3 * 1.3 * (x - p).norm_squared();
        assert!((q.at(&x) - expected).abs() < 1e-15);
        let twice = q.and(&q);
        assert!((twice.at(&x) - 2.0 * expected).abs() < 1e-15);
    }

    #[test]
    fn planes_decide_first_and_the_middle_where_they_leave_it_open() {
        let mut q = Quadric::default();
        assert_eq!(q.lowest(), None);
        q.add_point(&Vec3::new(1.0, 2.0, 3.0), 1.0);
        q.add_point(&Vec3::new(3.0, 2.0, 1.0), 1.0);
        let near = |q: &Quadric, x: [f64; 3]| (q.lowest().unwrap() - Vec3::from(x)).norm() < 1e-14;
        assert!(near(&q, [2.0, 2.0, 2.0]));
        // A plane, an edge, a corner.
        q.add_plane(&Vec3::x(), &Vec3::zeros(), 1.0);
        assert!(near(&q, [0.0, 2.0, 2.0]));
        q.add_plane(&Vec3::y(), &Vec3::zeros(), 10.0);
        assert!(near(&q, [0.0, 0.0, 2.0]));
        q.add_plane(&Vec3::z(), &Vec3::zeros(), 0.1);
        assert!(near(&q, [0.0, 0.0, 0.0]));
        // Hardly bent is flat: no place far away.
        let mut q = Quadric::default();
        q.add_point(&Vec3::zeros(), 1.0);
        q.add_plane(&Vec3::z(), &Vec3::zeros(), 1.0);
        q.add_plane(&Vec3::new(1e-6, 0.0, 1.0).normalize(), &Vec3::new(0.0, 0.0, 1e-3), 1.0);
        assert!(q.lowest().unwrap().norm() < 1e-3);
    }
}
