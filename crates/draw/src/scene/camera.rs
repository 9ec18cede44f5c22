//! Where one looks from: perspective, fitted to what there is to see.
//!
//! Fitting is exact. With z towards the eye, t the tangent of half the lens angle and the eye at (cₓ, D), a point stays
//! inside the right and left side of the picture when
//! ```text
//! x + t z ≤ cₓ + t D      and      −x + t z ≤ −cₓ + t D          (1)
//! ```
//! so with a = max(x + t z), b = max(−x + t z) over all points: D = (a + b) / 2t, cₓ = (a − b) / 2, the same for y, and
//! the larger D counts.

use pliant_linalg::Vec3;

/// Which axis of the file points up.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Up {
    /// The one on which the body stands on the larger area; y where neither does.
    #[default]
    Auto,
    /// y, as in most graphics programs; the front is seen from +z.
    Y,
    /// z, as in most engineering programs; the front is seen from −y.
    Z,
}

/// A camera.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Camera {
    /// Which axis points up.
    pub up: Up,
    /// Degrees around the vertical, counter-clockwise seen from above; 0 looks at the front.
    pub azimuth: f64,
    /// Degrees above the horizon.
    pub elevation: f64,
    /// Vertical angle of view, degrees.
    pub lens: f64,
    /// Share of the picture left free at each side.
    pub margin: f64,
    /// A fixed eye and the point it looks at, metres, instead of the fitted ones.
    pub fixed: Option<[Vec3; 2]>,
}

impl Default for Camera {
    fn default() -> Self {
        Self { up: Up::Auto, azimuth: 30.0, elevation: 20.0, lens: 24.0, margin: 0.07, fixed: None }
    }
}

impl Camera {
    /// Shows everything there is, from the front, a little from the side and from above.
    pub fn fit() -> Self {
        Self::default()
    }

    /// Stands at `eye` and looks at `target`, metres.
    pub fn look(eye: Vec3, target: Vec3) -> Self {
        Self { fixed: Some([eye, target]), ..Self::default() }
    }

    /// Goes to the given azimuth and elevation, degrees.
    pub fn turn(self, azimuth: f64, elevation: f64) -> Self {
        Self { azimuth, elevation, ..self }
    }

    /// Chooses the axis that points up.
    pub fn up(self, up: Up) -> Self {
        Self { up, ..self }
    }

    /// Angle of view, degrees: small is calm, large is dramatic.
    pub fn lens(self, degrees: f64) -> Self {
        Self { lens: degrees, ..self }
    }
}

/// A camera that has found its place; everything in the unit frame, z up.
#[derive(Clone, Copy, Debug)]
pub(crate) struct View {
    pub(crate) eye: Vec3,
    pub(crate) right: Vec3,
    pub(crate) above: Vec3,
    /// From the scene to the eye.
    pub(crate) back: Vec3,
    /// Pixels for a tangent of 1.
    pub(crate) focal: f64,
    /// Middle of the picture, pixels.
    pub(crate) middle: [f64; 2],
}

/// Nothing nearer to the eye than this is drawn; the scene is about 1 in size.
pub(crate) const NEAR: f64 = 1e-3;

impl View {
    /// Places `camera` for `points` (unit frame) and a picture of the given size. `fixed` is the camera's own eye and
    /// target, already in that frame.
    pub(crate) fn new(
        camera: &Camera,
        fixed: Option<[Vec3; 2]>,
        points: &[Vec3],
        [width, height]: [usize; 2],
    ) -> Self {
        let or = |x: f64, usual: f64| if x.is_finite() { x } else { usual };
        let lens = or(camera.lens, 24.0).clamp(0.5, 150.0).to_radians();
        let [w, h] = [width as f64, height as f64];
        // A tall picture keeps its lens over its width instead of its height, so that it never becomes a fish eye.
        let focal = h.min(w * 1.5) / 2.0 / (lens / 2.0).tan();
        let azimuth = or(camera.azimuth, 0.0).to_radians();
        let elevation = or(camera.elevation, 0.0).clamp(-89.9, 89.9).to_radians();
        let around = Vec3::new(azimuth.sin(), -azimuth.cos(), 0.0);
        let mut back = around * elevation.cos() + Vec3::z() * elevation.sin();
        let fixed = fixed.filter(|f| f.iter().all(|p| p.iter().all(|x| x.is_finite())) && f[0] != f[1]);
        if let Some([eye, target]) = fixed {
            back = (eye - target).normalize();
        }
        let sideways = Vec3::z().cross(&back);
        let right = if sideways.norm() > 1e-9 { sideways.normalize() } else { Vec3::x() };
        let above = back.cross(&right);
        let middle = [w / 2.0, h / 2.0];
        let eye = match fixed {
            Some([eye, _]) => eye,
            None => {
                let inner = 1.0 - 2.0 * or(camera.margin, 0.07).clamp(0.0, 0.45);
                let (tx, ty) = (inner * w / 2.0 / focal, inner * h / 2.0 / focal);
                let (cx, dx) = fitted(points.iter().map(|p| (p.dot(&right), p.dot(&back))), tx);
                let (cy, dy) = fitted(points.iter().map(|p| (p.dot(&above), p.dot(&back))), ty);
                // A single point fits at any distance: stay off it.
                let nearest = points.iter().map(|p| p.dot(&back)).fold(f64::NEG_INFINITY, f64::max);
                let distance = dx.max(dy).max(nearest + 0.1);
                let distance = if distance.is_finite() { distance } else { 5.0 };
                right * cx + above * cy + back * distance
            }
        };
        Self { eye, right, above, back, focal, middle }
    }

    /// Pixel column, pixel row and distance along the view of a point; distance ≤ 0 is behind the eye.
    pub(crate) fn project(&self, p: &Vec3) -> [f64; 3] {
        let [x, y, w] = self.seen(p);
        self.flat([x, y, w])
    }

    /// Coordinates right, above and away from the eye.
    pub(crate) fn seen(&self, p: &Vec3) -> [f64; 3] {
        let d = p - self.eye;
        [d.dot(&self.right), d.dot(&self.above), -d.dot(&self.back)]
    }

    /// Seen coordinates to pixels.
    pub(crate) fn flat(&self, [x, y, w]: [f64; 3]) -> [f64; 3] {
        [self.middle[0] + self.focal * x / w, self.middle[1] - self.focal * y / w, w]
    }

    /// Direction of sight through a pixel position; its part along the view is 1.
    pub(crate) fn ray(&self, x: f64, y: f64) -> Vec3 {
        self.right * ((x - self.middle[0]) / self.focal)
            - self.above * ((y - self.middle[1]) / self.focal)
            - self.back
    }
}

/// Equation (1): the middle and the distance for points (across, towards the eye) and a tangent.
fn fitted(points: impl Iterator<Item = (f64, f64)>, t: f64) -> (f64, f64) {
    let (a, b) = points
        .fold((f64::NEG_INFINITY, f64::NEG_INFINITY), |(a, b), (x, z)| (a.max(x + t * z), b.max(-x + t * z)));
    if a.is_finite() && b.is_finite() { ((a - b) / 2.0, (a + b) / (2.0 * t)) } else { (0.0, 5.0) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_fit_touches_two_opposite_sides_and_leaves_the_margin() {
        let cube: Vec<Vec3> = (0..8)
            .map(|i| Vec3::new((i & 1) as f64, (i >> 1 & 1) as f64 * 0.5, (i >> 2) as f64 * 0.2))
            .collect();
        for (azimuth, elevation, size) in
            [(30.0, 20.0, [960, 540]), (200.0, -40.0, [100, 700]), (0.0, 90.0, [64, 64])]
        {
            let camera = Camera::fit().turn(azimuth, elevation);
            let view = View::new(&camera, None, &cube, size);
            let p: Vec<[f64; 3]> = cube.iter().map(|p| view.project(p)).collect();
            let gap = |c: usize, side: f64| {
                let low = p.iter().map(|q| q[c]).fold(f64::INFINITY, f64::min);
                let high = p.iter().map(|q| q[c]).fold(f64::NEG_INFINITY, f64::max);
                (low / side, 1.0 - high / side)
            };
            let (x, y) = (gap(0, size[0] as f64), gap(1, size[1] as f64));
            let tight = |g: (f64, f64)| (g.0 - 0.07).abs() < 1e-9 && (g.1 - 0.07).abs() < 1e-9;
            assert!(tight(x) || tight(y), "{x:?} {y:?}");
            assert!(x.0.min(x.1).min(y.0).min(y.1) > 0.07 - 1e-9, "{x:?} {y:?}");
        }
    }

    #[test]
    fn a_pixel_and_its_ray_belong_together() {
        let view = View::new(&Camera::fit(), None, &[Vec3::x(), -Vec3::y()], [300, 200]);
        let p = Vec3::new(0.2, -0.1, 0.3);
        let [x, y, w] = view.project(&p);
        assert!((view.eye + view.ray(x, y) * w - p).norm() < 1e-12);
    }
}
