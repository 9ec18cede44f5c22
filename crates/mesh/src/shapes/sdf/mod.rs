//! A small language of signed distances: a shape is a function d(p), negative inside, positive outside.
//!
//! ```text
//! |d(p) − d(q)| ≤ |p − q|   for every shape this language can say                                    (1)
//! ```
//! so |d(p)| is never larger than the distance to the surface: a ball of that radius around p is empty of surface.
//! Primitives are exact; unions are exact outside, and blends, cuts and ripples are lower bounds with the property (1).
//! The smooth minimum of width k is the cubic
//!
//! ```text
//! smin(a, b) = min(a, b) − h³ / (6 k²),   h = max(k − |a − b|, 0)                                    (2)
//! ```
//! which is twice differentiable, differs from min only where |a − b| < k, and never by more than k/6. Its
//! derivatives by a and b lie in [0, 1] and sum to 1, which is why (1) survives.
//!
//! Not for shapes that come as triangles: those have winding numbers. Sources: Hart, "Sphere tracing", 1996, for (1)
//! and the algebra of minimum and maximum; Ricci, "A constructive geometry for computer graphics", 1973, for blends.

mod primitives;

use pliant_linalg::{Mat3, Vec3};

use crate::bvh::Aabb;
use primitives::Primitive;

/// A shape as a signed distance, metres.
///
/// ```
/// use pliant_linalg::Vec3;
/// use pliant_mesh::shapes::sdf::Sdf;
/// let snowman = Sdf::blend(0.1, [Sdf::sphere(Vec3::zeros(), 1.0), Sdf::sphere(Vec3::y() * 1.4, 0.7)]);
/// assert!(snowman.distance(Vec3::y() * 0.9) < 0.0);
/// assert!((snowman.distance(Vec3::x() * 3.0) - 2.0).abs() < 1e-12);
/// ```
#[derive(Clone, Debug)]
pub struct Sdf {
    node: Node,
    /// A ball with d(p) ≥ |p − centre| − radius everywhere, so that far parts of a union need not be asked.
    ball: Ball,
}

#[derive(Clone, Copy, Debug)]
struct Ball {
    centre: Vec3,
    radius: f64,
}

#[derive(Clone, Debug)]
enum Node {
    Primitive(Primitive),
    /// Smooth minimum of the parts, one after another; width 0 is the plain union.
    Union {
        parts: Vec<Sdf>,
        width: f64,
    },
    /// Smooth maximum.
    Both {
        a: Box<Sdf>,
        b: Box<Sdf>,
        width: f64,
    },
    Complement(Box<Sdf>),
    /// p = s R q + t with q in the part's own frame.
    Moved {
        part: Box<Sdf>,
        rotation: Mat3,
        shift: Vec3,
        scale: f64,
    },
    /// The half z ≥ 0 and its mirror image.
    Mirror(Box<Sdf>),
    Grown {
        part: Box<Sdf>,
        margin: f64,
    },
    /// (d + a sin(w·p)) / (1 + a |w|): the division keeps (1).
    Ripple {
        part: Box<Sdf>,
        amplitude: f64,
        wave: Vec3,
    },
}

impl Sdf {
    /// A ball.
    pub fn sphere(centre: Vec3, radius: f64) -> Self {
        Self::round_cone(centre, radius, centre, radius)
    }

    /// An ellipsoid with half axes `radii` along x, y, z.
    pub fn ellipsoid(centre: Vec3, radii: Vec3) -> Self {
        Self::primitive(Primitive::Ellipsoid { centre, radii }, centre, radii.max())
    }

    /// All points within `radius` of the segment from `a` to `b`.
    pub fn capsule(a: Vec3, b: Vec3, radius: f64) -> Self {
        Self::round_cone(a, radius, b, radius)
    }

    /// The balls of radius `ra` around `a` and `rb` around `b`, and every ball between them.
    pub fn round_cone(a: Vec3, ra: f64, b: Vec3, rb: f64) -> Self {
        let [small, large] = if ra <= rb { [(a, ra), (b, rb)] } else { [(b, rb), (a, ra)] };
        let apart = (a - b).norm();
        let (centre, radius) = if apart + small.1 <= large.1 {
            large
        } else {
            let radius = (apart + ra + rb) / 2.0;
            (large.0 + (small.0 - large.0) * ((radius - large.1) / apart), radius)
        };
        Self::primitive(Primitive::RoundCone { a, ra, b, rb }, centre, radius)
    }

    /// A box with half sides `half`, its edges rounded with the radius `round` (inside the box).
    pub fn cuboid(centre: Vec3, half: Vec3, round: f64) -> Self {
        Self::primitive(Primitive::Cuboid { centre, half, round }, centre, half.norm())
    }

    /// A cylinder along y, `2 half_height` high, its rims rounded with the radius `round` (inside the cylinder).
    pub fn cylinder(centre: Vec3, radius: f64, half_height: f64, round: f64) -> Self {
        let ball = radius.hypot(half_height);
        Self::primitive(Primitive::Cylinder { centre, radius, half_height, round }, centre, ball)
    }

    /// A ring around the y axis through `centre`.
    pub fn torus(centre: Vec3, ring: f64, tube: f64) -> Self {
        Self::primitive(Primitive::Torus { centre, ring, tube }, centre, ring + tube)
    }

    /// A tube through `stations` (point, radius): round cones along a Catmull-Rom spline, `pieces` between stations.
    pub fn tube(stations: &[(Vec3, f64)], pieces: usize) -> Self {
        let at = |i: isize| stations[i.clamp(0, stations.len() as isize - 1) as usize];
        let mut chain = vec![at(0)];
        for i in 0..stations.len() as isize - 1 {
            let [p0, p1, p2, p3] = [at(i - 1), at(i), at(i + 1), at(i + 2)];
            for j in 1..=pieces {
                let t = j as f64 / pieces as f64;
                let w = [
                    t * (-0.5 + t * (1.0 - 0.5 * t)),
                    1.0 + t * t * (-2.5 + 1.5 * t),
                    t * (0.5 + t * (2.0 - 1.5 * t)),
                    t * t * (-0.5 + 0.5 * t),
                ];
                let point = p0.0 * w[0] + p1.0 * w[1] + p2.0 * w[2] + p3.0 * w[3];
                chain.push((point, p0.1 * w[0] + p1.1 * w[1] + p2.1 * w[2] + p3.1 * w[3]));
            }
        }
        let cones: Vec<Self> =
            chain.windows(2).map(|w| Self::round_cone(w[0].0, w[0].1, w[1].0, w[1].1)).collect();
        // In groups, so that a whole stretch of the tube can be passed over at once.
        Self::union(cones.chunks(4).map(|group| Self::union(group.iter().cloned())))
    }

    /// All parts together.
    pub fn union(parts: impl IntoIterator<Item = Self>) -> Self {
        Self::blend(0.0, parts)
    }

    /// All parts together, with fillets of about the given width (metres) where they meet.
    ///
    /// # Panics
    /// Without any part.
    pub fn blend(width: f64, parts: impl IntoIterator<Item = Self>) -> Self {
        let parts: Vec<Self> = parts.into_iter().collect();
        let bounds = parts.iter().fold(Aabb::EMPTY, |b, p| {
            b.union(&Aabb { low: p.ball.centre, high: p.ball.centre }.grown(p.ball.radius))
        });
        let centre = bounds.centre();
        let radius =
            parts.iter().map(|p| (p.ball.centre - centre).norm() + p.ball.radius).fold(0.0, f64::max);
        assert!(!parts.is_empty(), "a union of nothing has no distance");
        // Each of the parts may pull the minimum down by width / 6 once more.
        let bulge = width / 6.0 * (parts.len() - 1) as f64;
        Self { node: Node::Union { parts, width }, ball: Ball { centre, radius: radius + bulge } }
    }

    /// What both have, with a fillet of the given width along the common edge.
    #[must_use]
    pub fn and(self, other: Self, width: f64) -> Self {
        let ball = if self.ball.radius <= other.ball.radius { self.ball } else { other.ball };
        Self { ball, node: Node::Both { a: Box::new(self), b: Box::new(other), width } }
    }

    /// This without the other, with a fillet of the given width along the cut.
    #[must_use]
    pub fn minus(self, other: Self, width: f64) -> Self {
        let ball = self.ball;
        let rest = Self { ball: Ball::EVERYWHERE, node: Node::Complement(Box::new(other)) };
        Self { ball, node: Node::Both { a: Box::new(self), b: Box::new(rest), width } }
    }

    /// Shifted by `shift`.
    #[must_use]
    pub fn moved(self, shift: Vec3) -> Self {
        self.placed(Mat3::identity(), shift, 1.0)
    }

    /// Turned about the origin by `angle` (radians) around `axis`.
    #[must_use]
    pub fn turned(self, axis: Vec3, angle: f64) -> Self {
        // Rodrigues: R = I + sin φ [u] + (1 − cos φ) [u]².
        let cross = axis.normalize().cross_matrix();
        let rotation = Mat3::identity() + cross * angle.sin() + cross * cross * (1.0 - angle.cos());
        self.placed(rotation, Vec3::zeros(), 1.0)
    }

    /// `scale` times as large, seen from the origin.
    #[must_use]
    pub fn scaled(self, scale: f64) -> Self {
        self.placed(Mat3::identity(), Vec3::zeros(), scale)
    }

    /// All points within `margin` (metres) of the shape; exact where the distance is.
    #[must_use]
    pub fn grown(self, margin: f64) -> Self {
        let ball = Ball { radius: self.ball.radius + margin, ..self.ball };
        Self { ball, node: Node::Grown { part: Box::new(self), margin } }
    }

    /// The part at z ≥ 0 and its mirror image. Exact where the part does not reach across z = 0 by more than it
    /// would blend with its image; (1) holds in any case.
    #[must_use]
    pub fn mirrored(self) -> Self {
        let (c, r) = (self.ball.centre, self.ball.radius);
        let ball = Ball { centre: Vec3::new(c.x, c.y, 0.0), radius: r + c.z.abs() };
        Self { ball, node: Node::Mirror(Box::new(self)) }
    }

    /// Waves of the given amplitude (metres) on the surface, with the wave vector `wave` (radians per metre).
    #[must_use]
    pub fn rippled(self, amplitude: f64, wave: Vec3) -> Self {
        Self { ball: Ball::EVERYWHERE, node: Node::Ripple { part: Box::new(self), amplitude, wave } }
    }

    /// d(p), metres: negative inside.
    pub fn distance(&self, p: Vec3) -> f64 {
        self.below(p, f64::INFINITY)
    }

    /// d(p) if that is less than `cap`, else any number that is not: far parts need not be asked.
    fn below(&self, p: Vec3, cap: f64) -> f64 {
        if cap < f64::INFINITY {
            let far = (p - self.ball.centre).norm() - self.ball.radius;
            if far >= cap {
                return far;
            }
        }
        match &self.node {
            Node::Primitive(primitive) => primitive.distance(p),
            Node::Union { parts, width } => {
                // Parts at cap + bulge or beyond cannot blend to less than cap.
                let bulge = width / 6.0 * (parts.len() - 1) as f64;
                parts.iter().fold(f64::INFINITY, |d, part| {
                    // Beyond d + width a part changes nothing.
                    smooth_min(d, part.below(p, d.min(cap + bulge) + width), *width)
                })
            }
            Node::Both { a, b, width } => {
                // The maximum is at least a, and b below a − width changes nothing.
                let a = a.below(p, cap);
                if a >= cap { a } else { -smooth_min(-a, -b.above(p, a - width), *width) }
            }
            Node::Complement(part) => -part.distance(p),
            Node::Moved { part, rotation, shift, scale } => {
                part.below(rotation.tr_mul(&(p - shift)) / *scale, cap / scale) * scale
            }
            Node::Mirror(part) => part.below(Vec3::new(p.x, p.y, p.z.abs()), cap),
            Node::Grown { part, margin } => part.below(p, cap + margin) - margin,
            Node::Ripple { part, amplitude, wave } => {
                (part.distance(p) + amplitude * wave.dot(&p).sin()) / (1.0 + amplitude.abs() * wave.norm())
            }
        }
    }

    /// d(p) if that is greater than `floor`, else any number that is not.
    fn above(&self, p: Vec3, floor: f64) -> f64 {
        match &self.node {
            Node::Complement(part) => -part.below(p, -floor),
            _ => self.distance(p),
        }
    }

    /// ∇d by differences along the diagonals of a cube of half side `step` (metres): four values instead of six.
    pub fn gradient(&self, p: Vec3, step: f64) -> Vec3 {
        let mut sum = Vec3::zeros();
        for k in [[1., -1., -1.], [-1., 1., -1.], [-1., -1., 1.], [1., 1., 1.]].map(Vec3::from) {
            sum += k * self.distance(p + k * step);
        }
        sum / (4.0 * step)
    }

    /// A box that holds the whole shape; a tighter one is found where the ball of a union is generous.
    pub fn bounds(&self) -> Aabb {
        match &self.node {
            Node::Union { parts, width } => {
                let bulge = width / 6.0 * (parts.len() - 1) as f64;
                parts.iter().fold(Aabb::EMPTY, |b, p| b.union(&p.bounds())).grown(bulge)
            }
            Node::Both { a, .. } => a.bounds(),
            Node::Mirror(part) => {
                let b = part.bounds();
                let z = b.low.z.abs().max(b.high.z.abs());
                Aabb { low: Vec3::new(b.low.x, b.low.y, -z), high: Vec3::new(b.high.x, b.high.y, z) }
            }
            Node::Moved { part, rotation, shift, scale } => {
                let b = part.bounds();
                let corners = (0..8usize).map(|c| {
                    let pick = |i: usize| if c >> i & 1 == 0 { b.low[i] } else { b.high[i] };
                    rotation * Vec3::new(pick(0), pick(1), pick(2)) * *scale + shift
                });
                Aabb::around(&corners.collect::<Vec<_>>())
            }
            Node::Grown { part, margin } => part.bounds().grown(*margin),
            Node::Ripple { part, amplitude, .. } => part.bounds().grown(amplitude.abs()),
            Node::Primitive(primitive) => primitive.bounds(),
            Node::Complement(_) => {
                Aabb { low: Vec3::repeat(f64::NEG_INFINITY), high: Vec3::repeat(f64::INFINITY) }
            }
        }
    }

    fn primitive(primitive: Primitive, centre: Vec3, radius: f64) -> Self {
        Self { node: Node::Primitive(primitive), ball: Ball { centre, radius } }
    }

    fn placed(self, rotation: Mat3, shift: Vec3, scale: f64) -> Self {
        let Ball { centre, radius } = self.ball;
        let ball = Ball { centre: rotation * centre * scale + shift, radius: radius * scale };
        let node = match self.node {
            // One move after another is one move.
            Node::Moved { part, rotation: r, shift: t, scale: s } => Node::Moved {
                part,
                rotation: rotation * r,
                shift: rotation * t * scale + shift,
                scale: scale * s,
            },
            node => {
                let part = Box::new(Self { node, ball: self.ball });
                Node::Moved { part, rotation, shift, scale }
            }
        };
        Self { node, ball }
    }
}

impl Ball {
    /// Promises nothing: a part with this ball is always asked.
    const EVERYWHERE: Self = Self { centre: Vec3::new(0.0, 0.0, 0.0), radius: f64::INFINITY };
}

/// (2).
pub(super) fn smooth_min(a: f64, b: f64, width: f64) -> f64 {
    let h = width - (a - b).abs();
    if h <= 0.0 { a.min(b) } else { a.min(b) - h * h * h / (6.0 * width * width) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn v(x: f64, y: f64, z: f64) -> Vec3 {
        Vec3::new(x, y, z)
    }

    /// One of everything.
    fn samples() -> Vec<(&'static str, Sdf)> {
        let ball = || Sdf::sphere(v(0.1, 0.2, 0.3), 0.5);
        let block = || Sdf::cuboid(v(-0.2, 0.0, 0.1), v(0.5, 0.3, 0.4), 0.05);
        vec![
            ("sphere", ball()),
            ("ellipsoid", Sdf::ellipsoid(v(0.1, 0.0, 0.0), v(0.9, 0.3, 0.5))),
            ("pancake", Sdf::ellipsoid(Vec3::zeros(), v(0.7, 0.1, 0.7))),
            ("capsule", Sdf::capsule(v(-0.4, 0.0, 0.1), v(0.4, 0.3, 0.0), 0.2)),
            ("round cone", Sdf::round_cone(v(-0.4, 0.0, 0.1), 0.35, v(0.4, 0.3, 0.0), 0.1)),
            ("cone in its ball", Sdf::round_cone(Vec3::zeros(), 0.5, v(0.1, 0.0, 0.0), 0.2)),
            ("cuboid", block()),
            ("cylinder", Sdf::cylinder(v(0.0, 0.1, 0.0), 0.5, 0.3, 0.1)),
            ("torus", Sdf::torus(v(0.0, 0.1, 0.0), 0.6, 0.2)),
            ("tube", Sdf::tube(&[(Vec3::zeros(), 0.3), (v(0.5, 0.1, 0.0), 0.2), (v(0.6, 0.7, 0.2), 0.1)], 6)),
            ("union", Sdf::union([ball(), block()])),
            ("blend", Sdf::blend(0.3, [ball(), block(), Sdf::torus(Vec3::zeros(), 0.6, 0.1)])),
            ("cut", block().minus(ball(), 0.1)),
            ("both", block().and(ball(), 0.1)),
            ("placed", block().turned(v(1.0, 2.0, 3.0), 0.7).scaled(1.3).moved(v(0.1, -0.2, 0.0))),
            (
                "mirrored",
                Sdf::blend(0.2, [ball(), Sdf::capsule(Vec3::zeros(), v(0.5, 0.5, 0.9), 0.1)]).mirrored(),
            ),
            ("grown", block().minus(ball(), 0.1).grown(0.07)),
            ("rippled", ball().rippled(0.02, v(20.0, 5.0, 0.0))),
        ]
    }

    fn point() -> impl Strategy<Value = Vec3> {
        [-1.5..1.5f64, -1.5..1.5, -1.5..1.5].prop_map(Vec3::from)
    }

    proptest! {
        #[test]
        fn no_distance_changes_faster_than_its_point(p in point(), step in point(), size in -6.0..0.0f64) {
            let q = p + step * 10f64.powf(size);
            for (name, shape) in samples() {
                let change = (shape.distance(p) - shape.distance(q)).abs();
                prop_assert!(change <= (p - q).norm() * (1.0 + 1e-9) + 1e-14, "{}: {} over {}", name, change, (p - q).norm());
            }
        }

        #[test]
        fn parts_are_passed_over_only_where_they_do_not_matter(p in point(), cap in -0.3..1.0f64) {
            for (name, shape) in samples() {
                let (d, capped) = (shape.distance(p), shape.below(p, cap));
                prop_assert!(if d < cap { capped == d } else { capped >= cap }, "{}: {} under {} became {}", name, d, cap, capped);
            }
        }

        #[test]
        fn the_ball_and_the_box_bound_the_shape(p in point()) {
            for (name, shape) in samples() {
                let d = shape.distance(p);
                prop_assert!(d >= (p - shape.ball.centre).norm() - shape.ball.radius - 1e-12, "{}: ball", name);
                prop_assert!(d > -1e-12 || shape.bounds().grown(1e-9).distance_squared(&p) == 0.0, "{}: box", name);
            }
        }

        #[test]
        fn a_blend_adds_and_a_cut_takes_away(p in point(), width in 0.001..0.5f64) {
            let (a, b) = (Sdf::sphere(v(0.1, 0.2, 0.3), 0.5), Sdf::cuboid(v(-0.2, 0.0, 0.1), v(0.5, 0.3, 0.4), 0.05));
            let (da, db) = (a.distance(p), b.distance(p));
            let blend = Sdf::blend(width, [a.clone(), b.clone()]).distance(p);
            prop_assert!(blend <= da.min(db) && blend >= da.min(db) - width / 6.0);
            if (da - db).abs() >= width {
                prop_assert_eq!(blend, da.min(db));
            }
            let cut = a.clone().minus(b.clone(), width).distance(p);
            prop_assert!(cut >= da.max(-db) && cut <= da.max(-db) + width / 6.0);
            let both = a.and(b, width).distance(p);
            prop_assert!(both >= da.max(db) && both <= da.max(db) + width / 6.0);
        }

        #[test]
        fn a_mirror_shows_both_sides(p in point()) {
            let (_, shape) = samples().into_iter().find(|s| s.0 == "mirrored").unwrap();
            prop_assert_eq!(shape.distance(p), shape.distance(v(p.x, p.y, -p.z)));
        }

        /// Exactness: from outside, one step of length d against the gradient lands on the surface.
        #[test]
        fn primitives_are_exact(p in point()) {
            for (name, shape) in samples().into_iter().take(9) {
                let d = shape.distance(p);
                if d > 0.02 {
                    let foot = p - shape.gradient(p, 1e-6).normalize() * d;
                    prop_assert!(shape.distance(foot).abs() < 1e-5, "{}: {}", name, shape.distance(foot));
                }
            }
        }

        #[test]
        fn placing_a_shape_places_its_distances(p in point(), angle in -3.0..3.0f64) {
            let shape = Sdf::cuboid(v(0.1, 0.2, 0.3), v(0.3, 0.2, 0.1), 0.02);
            let placed = shape.clone().turned(Vec3::z(), angle).scaled(2.0).moved(Vec3::x());
            let turned = v(p.x * angle.cos() - p.y * angle.sin(), p.x * angle.sin() + p.y * angle.cos(), p.z);
            prop_assert!((placed.distance(turned * 2.0 + Vec3::x()) - 2.0 * shape.distance(p)).abs() < 1e-12);
        }
    }

    #[test]
    fn signs_are_right_where_the_answer_is_known() {
        assert_eq!(Sdf::sphere(Vec3::x(), 0.5).distance(Vec3::x()), -0.5);
        assert_eq!(Sdf::cuboid(Vec3::zeros(), v(1.0, 2.0, 3.0), 0.0).distance(Vec3::zeros()), -1.0);
        assert_eq!(Sdf::torus(Vec3::zeros(), 1.0, 0.25).distance(Vec3::zeros()), 0.75);
        assert_eq!(Sdf::cylinder(Vec3::zeros(), 1.0, 2.0, 0.0).distance(Vec3::y() * 2.5), 0.5);
        let ellipsoid = Sdf::ellipsoid(Vec3::zeros(), v(3.0, 2.0, 1.0));
        assert!((ellipsoid.distance(Vec3::zeros()) + 1.0).abs() < 1e-12, "the centre is one short axis deep");
        assert!((ellipsoid.distance(v(0.0, 0.0, 0.5)) + 0.5).abs() < 1e-12);
        assert!((ellipsoid.distance(v(5.0, 0.0, 0.0)) - 2.0).abs() < 1e-12);
        let cone = Sdf::round_cone(Vec3::zeros(), 0.5, Vec3::x() * 2.0, 0.25);
        assert!((cone.distance(Vec3::x() * 3.0) - 0.75).abs() < 1e-15);
        assert!((cone.distance(-Vec3::x()) - 0.5).abs() < 1e-15);
    }
}
