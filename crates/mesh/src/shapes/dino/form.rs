//! The form of the dinosaur, in centimetres: y up, nose along x, the head turned towards z, where whoever looks is.

use pliant_linalg::Vec3;

use crate::shapes::sdf::Sdf;

/// The parts that the solid, the surface and the colours are made of.
pub(super) struct Form {
    /// Torso, neck, tail and head.
    pub trunk: Sdf,
    /// The four legs, feet included.
    pub legs: Sdf,
    /// Everything but spikes and base, with eyes, nails, mouth and nostrils.
    pub skin: Sdf,
    /// The row along the back.
    pub spikes: Sdf,
    /// The round plate it stands on; its underside is y = 0.
    pub base: Sdf,
    /// All of it.
    pub whole: Sdf,
    /// The same with thicker spikes and nails and without pits: tets are too coarse for the fine ones, and what they
    /// carry should lie in them.
    pub stout: Sdf,
}

/// Middle of the head.
const HEAD: Vec3 = Vec3::new(8.4, 20.6, 0.5);

/// Middle of the left eye, in the frame of the head.
pub(super) const EYE: Vec3 = Vec3::new(2.25, 1.5, 2.0);

/// Radius of an eye.
pub(super) const EYE_RADIUS: f64 = 1.72;

/// How far the tail is followed by the spikes, and where the row starts: on the crown.
const SPINE: [Vec3; 11] = [
    Vec3::new(9.4, 21.0, 1.1),
    Vec3::new(8.1, 20.8, 0.4),
    Vec3::new(7.2, 16.6, 0.2),
    Vec3::new(5.8, 13.2, 0.0),
    Vec3::new(3.0, 9.6, 0.0),
    Vec3::new(0.0, 8.4, 0.0),
    Vec3::new(-3.5, 8.1, 0.0),
    Vec3::new(-7.5, 6.9, -0.3),
    Vec3::new(-11.2, 6.6, 0.5),
    Vec3::new(-13.6, 8.1, 1.5),
    Vec3::new(-14.6, 10.6, 2.5),
];

impl Form {
    pub(super) fn new() -> Self {
        let trunk = Sdf::blend(2.2, [torso(), tail(), neck(), head()]);
        let legs = Sdf::union([leg(3.6, 0.2), leg(-3.9, -0.2)]).mirrored();
        let body = Sdf::blend(1.4, [trunk.clone(), legs.clone()]);
        let eyes = on_head(Sdf::sphere(EYE, EYE_RADIUS).mirrored());
        let bulk = Sdf::blend(0.35, [body.clone(), nails(0.8), eyes.clone()]);
        let skin = Sdf::blend(0.35, [Sdf::blend(0.2, [body, nails(0.6)]), eyes])
            .minus(on_head(smile(0.26)), 0.35)
            .minus(on_head(nostrils(0.34)), 0.3);
        let spikes = spikes(&skin);
        let base = Sdf::cylinder(v(0.0, 0.9, 0.0), 9.2, 0.9, 0.7);
        let whole = Sdf::blend(0.7, [skin.clone(), spikes.clone(), base.clone()]);
        let stout = Sdf::blend(0.7, [bulk, spikes.clone().grown(0.4), base.clone()]);
        Self { trunk, legs, skin, spikes, base, whole, stout }
    }
}

/// Places a part of the face: nods, turns to the side, sits on the neck.
pub(super) fn on_head(part: Sdf) -> Sdf {
    part.turned(Vec3::z(), -0.06).turned(Vec3::y(), -0.55).moved(HEAD)
}

/// A tube of radius `r` along the smile, in the frame of the head: a curve on the muzzle whose corners go up.
pub(super) fn smile(r: f64) -> Sdf {
    let stations: Vec<(Vec3, f64)> = (-6..=6)
        .map(|i| {
            let t = f64::from(i) / 6.0;
            let angle = 1.15 * t;
            let y = -2.2 + 1.75 * t * t;
            // On the muzzle's ellipsoid at that height.
            let s = (1.0 - ((y - MUZZLE.y) / MUZZLE_RADII.y).powi(2)).sqrt();
            let x = MUZZLE.x + MUZZLE_RADII.x * s * angle.cos();
            (v(x, y, (MUZZLE_RADII.z - 0.1) * s * angle.sin()), r)
        })
        .collect();
    Sdf::tube(&stations, 2)
}

/// Balls of radius `r` where the nostrils are, in the frame of the head.
pub(super) fn nostrils(r: f64) -> Sdf {
    Sdf::sphere(v(5.75, -0.3, 0.95), r).mirrored()
}

/// Balls of radius `r` where the toenails are: three on each foot.
pub(super) fn nails(r: f64) -> Sdf {
    Sdf::union([4.25, -3.65].into_iter().flat_map(|x| {
        [-0.8, 0.0, 0.8].map(|a: f64| Sdf::sphere(v(x + 2.25 * a.cos(), 2.65, 3.2 + 2.05 * a.sin()), r))
    }))
    .mirrored()
}

const MUZZLE: Vec3 = Vec3::new(2.6, -1.3, 0.0);
const MUZZLE_RADII: Vec3 = Vec3::new(3.4, 2.5, 3.3);

fn head() -> Sdf {
    let skull = Sdf::ellipsoid(v(0.0, 0.6, 0.0), v(4.2, 4.0, 4.2));
    on_head(Sdf::blend(1.6, [skull, Sdf::ellipsoid(MUZZLE, MUZZLE_RADII)]))
}

fn torso() -> Sdf {
    let rump = Sdf::ellipsoid(v(-0.6, 8.55, 0.0), v(6.2, 5.0, 5.1));
    let chest = Sdf::ellipsoid(v(3.0, 8.6, 0.0), v(4.0, 4.5, 4.3));
    Sdf::blend(2.0, [rump, chest])
}

fn neck() -> Sdf {
    let stations = [(v(2.0, 8.8, 0.0), 4.0), (v(5.6, 12.6, 0.0), 3.0), (v(7.2, 16.6, 0.2), 2.6), (HEAD, 2.4)];
    Sdf::tube(&stations, 8)
}

/// Thick at the root, curled up at the end: it wobbles.
fn tail() -> Sdf {
    let stations = [
        (v(-2.5, 8.2, 0.0), 4.2),
        (v(-7.5, 6.9, -0.3), 2.9),
        (v(-11.2, 6.6, 0.5), 2.0),
        (v(-14.0, 8.6, 1.8), 1.5),
        (v(-14.8, 11.6, 2.8), 1.05),
    ];
    Sdf::tube(&stations, 8)
}

/// The leg at z > 0.
fn leg(x: f64, lean: f64) -> Sdf {
    let shank = Sdf::round_cone(v(x, 6.8, 2.7), 2.4, v(x + lean, 3.0, 3.1), 1.9);
    let foot = Sdf::ellipsoid(v(x + lean + 0.45, 2.5, 3.2), v(2.5, 1.4, 2.25));
    Sdf::blend(0.8, [shank, foot])
}

/// Soft cones that stand on the skin along the spine, largest on the back, each next to the last.
fn spikes(skin: &Sdf) -> Sdf {
    let row: Vec<Vec3> = (0..=400).map(|i| on_back(skin, 0.5 + f64::from(i) / 400.0 * 9.3)).collect();
    let total: f64 = row.windows(2).map(|w| (w[1] - w[0]).norm()).sum();
    let (mut walked, mut next) = (0.0, 0.0);
    let mut cones = Vec::new();
    for w in row.windows(2) {
        if walked >= next {
            let from_middle: f64 = (walked / total - 0.56) / 0.22;
            let r = 0.68 + 0.72 * (-from_middle * from_middle).exp();
            let up = skin.gradient(w[0], 1e-3).normalize();
            cones.push(Sdf::round_cone(w[0] - up * (0.4 * r), r, w[0] + up * (1.1 * r), 0.48 * r));
            next = walked + 2.15 * r + 0.25;
        }
        walked += (w[1] - w[0]).norm();
    }
    Sdf::union(cones)
}

/// The point of the skin above the spine at the parameter `s` (stations are at whole numbers).
fn on_back(skin: &Sdf, s: f64) -> Vec3 {
    let k = (s as usize).min(SPINE.len() - 2);
    let t = s - k as f64;
    let chord = |i: usize| SPINE[(i + 1).min(SPINE.len() - 1)] - SPINE[i.saturating_sub(1)];
    let tangent = Vec3::lerp(&chord(k), &chord(k + 1), t).normalize();
    let up = (Vec3::y() - tangent * tangent.y).normalize();
    // From well above, steps of the distance never pass through the skin.
    (0..60).fold(Vec3::lerp(&SPINE[k], &SPINE[k + 1], t) + up * 9.0, |p, _| p - up * skin.distance(p))
}

fn v(x: f64, y: f64, z: f64) -> Vec3 {
    Vec3::new(x, y, z)
}
