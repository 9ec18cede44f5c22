//! Where a handle is to go, and the way there.
//!
//! ```text
//! x ↦ L x + o                                                                                      (1)
//! T = (x ↦ R x + t) ∘ (x ↦ S (x − c) + c),   L = R S,   c the middle of the handle                    (2)
//! T(s) = exp(s log (R, t)) ∘ S^s,   s from 0 to 1                                                   (3)
//! exp(s log (R, t)):  R(s) = exp(s [ω]),   t(s) = V(s ω) s V(ω)⁻¹ t,   V(ω) = ∫₀¹ exp(s [ω]) ds        (4)
//! ```
//! (4) is the screw: a turn about an axis in space with an advance along it. Where V is nearly singular, for turns of whole circles that
//! also move, the axis would be far away; then the middle of the handle goes straight while it turns.

use pliant_linalg::small::rotation;
use pliant_linalg::{Mat3, Vec3, polar3, symmetric_eigen3};

/// An affine map: (1).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Transform {
    /// L; row = space, column = rest.
    pub linear: Mat3,
    /// o, m.
    pub offset: Vec3,
}

impl Default for Transform {
    /// Nothing moves.
    fn default() -> Self {
        Self { linear: Mat3::identity(), offset: Vec3::zeros() }
    }
}

impl Transform {
    /// A turn by an angle, radians, about an axis (any length but zero) through a point.
    pub fn turn(axis: &Vec3, angle: f64, about: &Vec3) -> Self {
        let linear = rotation(axis, angle);
        Self { linear, offset: about - linear * about }
    }

    /// Everything moves by that, m.
    pub fn shift(by: Vec3) -> Self {
        Self { offset: by, ..Self::default() }
    }

    /// Where a point goes.
    pub fn apply(&self, x: &Vec3) -> Vec3 {
        self.linear * x + self.offset
    }

    /// This, then that.
    #[must_use]
    pub fn then(&self, next: &Self) -> Self {
        Self { linear: next.linear * self.linear, offset: next.apply(&self.offset) }
    }

    /// The way back; `None` of a map that flattens.
    pub fn inverse(&self) -> Option<Self> {
        let linear = self.linear.try_inverse()?;
        Some(Self { linear, offset: -(linear * self.offset) })
    }

    /// The same for a body that is larger by `factor` about the origin.
    #[must_use]
    pub fn scaled(&self, factor: f64) -> Self {
        Self { offset: self.offset * factor, ..*self }
    }

    /// From a 4×4 matrix, row by row, whose last row is 0 0 0 1.
    ///
    /// # Errors
    /// A sentence for numbers that are not finite, another last row, or a matrix that flattens or mirrors.
    pub fn from_matrix(matrix: &[[f64; 4]; 4]) -> Result<Self, String> {
        if matrix.iter().flatten().any(|x| !x.is_finite()) {
            return Err("a number of the matrix is not finite".into());
        }
        let [x, y, z, last] = matrix;
        if last.iter().zip([0.0, 0.0, 0.0, 1.0]).any(|(a, b)| (a - b).abs() > 1e-9) {
            let [a, b, c, d] = last;
            return Err(format!("the last row of the matrix is {a} {b} {c} {d}; expected 0 0 0 1"));
        }
        let linear = Mat3::new(x[0], x[1], x[2], y[0], y[1], y[2], z[0], z[1], z[2]);
        let size = linear.norm();
        let det = linear.determinant();
        if det.abs() <= 1e-9 * size.powi(3) || det == 0.0 {
            return Err(
                "the matrix is singular: it would flatten its handle; expected one that turns and moves"
                    .into(),
            );
        }
        if det < 0.0 {
            return Err(
                "the matrix mirrors, which no motion does; expected a positive determinant, as turns have"
                    .into(),
            );
        }
        Ok(Self { linear, offset: Vec3::new(x[3], y[3], z[3]) })
    }

    /// As a 4×4 matrix, row by row.
    pub fn matrix(&self) -> [[f64; 4]; 4] {
        let row = |r: usize| [self.linear[(r, 0)], self.linear[(r, 1)], self.linear[(r, 2)], self.offset[r]];
        [row(0), row(1), row(2), [0.0, 0.0, 0.0, 1.0]]
    }
}

/// The way of a handle: (3).
#[derive(Clone, Debug, PartialEq)]
pub struct Path {
    /// Where it ends.
    end: Transform,
    /// c, m.
    middle: Vec3,
    /// ω, radians; longer than π where a turn says so.
    turn: Vec3,
    slide: Slide,
    /// Eigenvalues of S and their directions, in the columns; `None`: S = 1.
    stretch: Option<(Vec3, Mat3)>,
}

/// How the turn moves on.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Slide {
    /// V(ω)⁻¹ t.
    Screw(Vec3),
    /// Where the middle goes, straight.
    Straight(Vec3),
}

/// Shorter than that of a turn by π, which is 2/π: V is no longer good to divide by.
const LEAST_ARC: f64 = 0.1;

impl Path {
    /// The shortest screw to `end` of a handle whose middle is there.
    pub fn to(end: &Transform, middle: Vec3) -> Self {
        let (R, S) = polar3(&end.linear);
        Self::turning(end, middle, log(&R), &S)
    }

    /// A turn by `angle`, radians, which may be more than a circle, about an axis through a point; then a move, m.
    pub fn turn_and_move(axis: &Vec3, angle: f64, about: &Vec3, by: Vec3, middle: Vec3) -> Self {
        let end = Transform::turn(axis, angle, about).then(&Transform::shift(by));
        Self::turning(&end, middle, axis.normalize() * angle, &Mat3::identity())
    }

    fn turning(end: &Transform, middle: Vec3, turn: Vec3, S: &Mat3) -> Self {
        let (values, directions) = symmetric_eigen3(S);
        let plain = (S - Mat3::identity()).norm() <= 1e-12;
        let stretch = (!plain).then_some((values, directions));
        // Where the middle goes is where the turn takes it: the stretch leaves it.
        let to = end.apply(&middle);
        let angle = turn.norm();
        let arc = if angle > 1e-3 { (2.0 * (0.5 * angle).sin() / angle).abs() } else { 1.0 };
        let slide = if arc > LEAST_ARC {
            let t = to - exp(&turn) * middle;
            Slide::Screw(left_jacobian(&turn).try_inverse().map_or(t, |inverse| inverse * t))
        } else {
            Slide::Straight(to - middle)
        };
        Self { end: *end, middle, turn, slide, stretch }
    }

    /// T(s).
    pub fn at(&self, s: f64) -> Transform {
        if s >= 1.0 {
            return self.end;
        }
        let turn = self.turn * s;
        let R = exp(&turn);
        let t = match self.slide {
            Slide::Screw(v) => left_jacobian(&turn) * v * s,
            Slide::Straight(by) => self.middle + by * s - R * self.middle,
        };
        let S = self.stretch.map_or(Mat3::identity(), |(values, directions)| {
            directions * Mat3::from_diagonal(&values.map(|x| x.max(0.0).powf(s))) * directions.transpose()
        });
        let stretched = Transform { linear: S, offset: self.middle - S * self.middle };
        stretched.then(&Transform { linear: R, offset: t })
    }

    /// Where it ends.
    pub fn end(&self) -> &Transform {
        &self.end
    }

    /// By how much it turns, radians.
    pub fn angle(&self) -> f64 {
        self.turn.norm()
    }

    /// How far a point travels, m.
    pub fn length(&self, x: &Vec3) -> f64 {
        let pieces = 8 + (self.angle() / 0.2) as usize;
        let places = (0..=pieces).map(|k| self.at(k as f64 / pieces as f64).apply(x));
        let mut length = 0.0;
        let mut last = *x;
        for place in places {
            length += (place - last).norm();
            last = place;
        }
        length
    }
}

/// exp([ω]).
fn exp(turn: &Vec3) -> Mat3 {
    let angle = turn.norm();
    if angle < 1e-150 { Mat3::identity() } else { rotation(turn, angle) }
}

/// ω of a rotation, at most π long; of a half turn the axis whose largest component is positive.
fn log(R: &Mat3) -> Vec3 {
    // The axis times the sine, and the cosine.
    let sine = Vec3::new(R[(2, 1)] - R[(1, 2)], R[(0, 2)] - R[(2, 0)], R[(1, 0)] - R[(0, 1)]) * 0.5;
    let cosine = 0.5 * (R.trace() - 1.0);
    let size = sine.norm();
    let angle = size.atan2(cosine);
    if cosine > -0.9 {
        // size/angle → 1 at 0.
        return if size > 1e-8 { sine * (angle / size) } else { sine };
    }
    // Near a half turn R + Rᵀ = 2 cos 1 + 2 (1 − cos) a aᵀ: its longest column is the axis.
    let outer = (R + R.transpose()) * 0.5 - Mat3::identity() * cosine;
    let longest = (0..3).max_by(|&a, &b| outer[(a, a)].total_cmp(&outer[(b, b)])).unwrap_or(0);
    let axis = outer.column(longest).into_owned().normalize();
    axis * if axis.dot(&sine) < 0.0 { -angle } else { angle }
}

/// V(ω).
fn left_jacobian(turn: &Vec3) -> Mat3 {
    let x = turn.norm_squared();
    let angle = x.sqrt();
    let (a, b) = if angle < 1e-2 {
        (0.5 - x / 24.0 + x * x / 720.0, 1.0 / 6.0 - x / 120.0 + x * x / 5040.0)
    } else {
        ((1.0 - angle.cos()) / x, (angle - angle.sin()) / (x * angle))
    };
    let W = turn.cross_matrix();
    Mat3::identity() + W * a + W * W * b
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::f64::consts::PI;

    const AXES: [[f64; 3]; 4] = [[1.0, 0.0, 0.0], [0.3, -0.8, 0.5], [0.0, 0.0, -2.0], [1.0, 1.0, 1.0]];

    #[test]
    fn the_logarithm_undoes_the_exponential_up_to_a_half_turn() {
        for axis in AXES.map(Vec3::from) {
            for angle in [0.0, 1e-9, 1e-3, 0.7, 2.0, 2.7, 3.0, PI - 1e-7, PI] {
                let turn = axis.normalize() * angle;
                let R = exp(&turn);
                let found = log(&R);
                assert!((exp(&found) - R).norm() < 1e-13, "{axis:?} {angle}: {found:?}");
                assert!((found.norm() - angle).abs() < 1e-12, "{angle}: {}", found.norm());
            }
        }
    }

    #[test]
    fn the_way_begins_at_rest_and_ends_where_it_is_to() {
        let squeeze = Mat3::new(1.2, 0.1, 0.0, 0.1, 0.8, 0.0, 0.0, 0.0, 1.1);
        for axis in AXES.map(Vec3::from) {
            for angle in [0.0, 0.4, 2.3, PI] {
                for S in [Mat3::identity(), squeeze] {
                    let linear = rotation(&axis, angle) * S;
                    let end = Transform { linear, offset: Vec3::new(0.3, -1.0, 2.0) };
                    let middle = Vec3::new(1.0, 2.0, -0.5);
                    let path = Path::to(&end, middle);
                    let before = path.at(1.0 - 1e-12);
                    assert!((before.linear - linear).norm() < 1e-10, "{angle}: {}", before.linear);
                    assert!((before.offset - end.offset).norm() < 1e-10, "{angle}");
                    let start = path.at(0.0);
                    assert!((start.linear - Mat3::identity()).norm() < 1e-13);
                    assert!(start.offset.norm() < 1e-13, "{}", start.offset);
                }
            }
        }
    }

    /// The screw is a group: T(s) T(t) = T(s + t); distances within the handle stay.
    #[test]
    fn the_way_of_a_rigid_motion_is_a_screw() {
        let end = Transform::turn(&Vec3::new(0.2, 1.0, -0.4), 2.1, &Vec3::new(1.0, 0.0, 3.0))
            .then(&Transform::shift(Vec3::new(0.5, 0.2, 0.1)));
        let path = Path::to(&end, Vec3::new(-1.0, 0.4, 0.0));
        for (s, t) in [(0.1, 0.3), (0.5, 0.49), (0.2, 0.2)] {
            let (both, together) = (path.at(s).then(&path.at(t)), path.at(s + t));
            assert!((both.linear - together.linear).norm() < 1e-13);
            assert!((both.offset - together.offset).norm() < 1e-13, "{} {}", both.offset, together.offset);
        }
        // A turn about an axis goes along circles about it, and its length is that of the arc.
        let about = Vec3::new(0.0, 2.0, 0.0);
        let path = Path::to(&Transform::turn(&Vec3::z(), 1.5, &about), Vec3::zeros());
        for s in [0.2, 0.5, 0.9] {
            let place = path.at(s).apply(&Vec3::new(0.0, 5.0, 1.0));
            assert!(((place - about - Vec3::z()).norm() - 3.0).abs() < 1e-12);
        }
        assert!((path.length(&Vec3::new(0.0, 5.0, 1.0)) / 4.5 - 1.0).abs() < 1e-2);
    }

    #[test]
    fn more_than_a_half_turn_goes_the_long_way() {
        let (axis, about, by) = (Vec3::z(), Vec3::new(1.0, 0.0, 0.0), Vec3::new(0.0, 0.0, 0.5));
        for angle in [1.5 * PI, 2.0 * PI, 5.0 * PI] {
            let path = Path::turn_and_move(&axis, angle, &about, by, Vec3::new(2.0, 0.0, 0.0));
            assert!((path.angle() - angle).abs() < 1e-12);
            // A quarter of the way it has turned by a quarter of the angle.
            let R = path.at(0.25).linear;
            assert!((R - rotation(&axis, 0.25 * angle)).norm() < 1e-12, "{angle}");
            let end = path.at(1.0).apply(&Vec3::new(2.0, 0.0, 0.0));
            let wanted = about + rotation(&axis, angle) * Vec3::x() + by;
            assert!((end - wanted).norm() < 1e-12, "{angle}");
        }
        // A whole circle that also moves sideways: straight, not about an axis far away.
        let path = Path::turn_and_move(&axis, 2.0 * PI, &about, Vec3::x(), about);
        assert!((path.at(0.5).apply(&about) - about - Vec3::x() * 0.5).norm() < 1e-12);
    }

    #[test]
    fn matrices_that_are_no_motion_are_refused_in_words() {
        let good = Transform::turn(&Vec3::y(), 1.0, &Vec3::x());
        let again = Transform::from_matrix(&good.matrix()).expect("a turn");
        assert!((again.linear - good.linear).norm() < 1e-15 && again.offset == good.offset);
        let with = |change: fn(&mut [[f64; 4]; 4])| {
            let mut matrix = good.matrix();
            change(&mut matrix);
            Transform::from_matrix(&matrix).expect_err("refused")
        };
        assert!(with(|m| m[1][2] = f64::NAN).contains("not finite"));
        assert!(with(|m| m[2] = [0.0; 4]).contains("singular"));
        assert!(with(|m| m[0].iter_mut().for_each(|x| *x = -*x)).contains("mirrors"));
        assert!(with(|m| m[3][3] = 0.0).contains("last row"));
    }

    #[test]
    fn a_scaled_body_moves_as_far_as_it_is_larger() {
        let motion = Transform::turn(&Vec3::y(), 1.0, &Vec3::x()).then(&Transform::shift(Vec3::z()));
        let x = Vec3::new(0.3, 0.2, -0.7);
        let larger = motion.scaled(10.0).apply(&(x * 10.0));
        assert!((larger - motion.apply(&x) * 10.0).norm() < 1e-13);
        assert!((motion.inverse().expect("a motion").apply(&motion.apply(&x)) - x).norm() < 1e-14);
    }
}
