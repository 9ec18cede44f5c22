//! What is painted on the dinosaur, in the frame and the centimetres of its form.

use pliant_linalg::{Vec3, Watch};

use super::form::{EYE, EYE_RADIUS, Form, nails, nostrils, on_head, smile};
use crate::Result;
use crate::shapes::paint::{Field, paint, refine};
use crate::shapes::polygonise::{Triangles, polygonise};
use crate::shapes::sdf::{Sdf, smooth_min};

/// The regions of the surface with their colours (sRGB); a later one is painted over an earlier one.
pub(super) const REGIONS: [(&str, [f32; 3]); 12] = [
    ("skin", [0.36, 0.72, 0.38]),
    ("belly", [0.99, 0.95, 0.72]),
    ("spots", [0.25, 0.58, 0.33]),
    ("spikes", [0.98, 0.60, 0.22]),
    ("cheeks", [0.95, 0.55, 0.55]),
    ("mouth", [0.42, 0.12, 0.14]),
    ("nostrils", [0.16, 0.36, 0.20]),
    ("nails", [0.97, 0.93, 0.80]),
    ("plinth", [0.62, 0.48, 0.37]),
    ("eyes", [0.99, 0.99, 0.99]),
    ("pupils", [0.08, 0.08, 0.10]),
    ("sparkle", [1.0, 1.0, 1.0]),
];

/// The surface with about `target` vertices, and for each triangle its number in [`REGIONS`].
pub(super) fn painted(form: &Form, target: usize, watch: &mut Watch<'_>) -> Result<(Triangles, Vec<u32>)> {
    // What is refined and cut below adds about a third.
    let plain = polygonise(&form.whole, target * 3 / 4, watch)?;
    let face = Sdf::union([
        on_head(Sdf::sphere(EYE, EYE_RADIUS + 0.25).mirrored()),
        on_head(smile(0.75)),
        on_head(nostrils(0.6)),
        nails(0.8),
    ]);
    let at_foot = |p: Vec3| {
        p.y < 2.6 && form.base.distance(p) - form.skin.distance(p) < 0.25 && form.skin.distance(p) < 0.35
    };
    let at_tip = |p: Vec3| form.spikes.distance(p) < 0.05 && form.skin.distance(p) > 0.45;
    let fine = refine(plain, &form.whole, |p| face.distance(p) < 0.0 || at_foot(p) || at_tip(p));
    Ok(paint(fine, &form.whole, &fields(form)))
}

/// In the order of [`REGIONS`], the skin left out: it is what remains.
fn fields(form: &Form) -> Vec<Field<'_>> {
    let within = |shape: Sdf| -> Field<'static> { Box::new(move |p| shape.distance(p)) };
    let belly = belly();
    // Both eyes look a little less outwards than they stand, as eyes do that look at somebody.
    let gaze = Vec3::new(0.84, 0.0, 0.55).normalize();
    let glint = |aside: Vec3, r: f64| Sdf::sphere(EYE + (gaze + aside).normalize() * EYE_RADIUS, r);
    vec![
        // Not on the legs, and softly around them.
        Box::new(move |p| {
            -smooth_min(-belly.distance(p), form.legs.distance(p) - form.trunk.distance(p), 1.5)
        }),
        within(spots()),
        Box::new(|p| form.spikes.distance(p) - form.skin.distance(p)),
        within(on_head(Sdf::sphere(Vec3::new(2.9, -0.9, 3.6), 0.85).mirrored())),
        within(on_head(smile(0.36))),
        within(on_head(nostrils(0.42))),
        within(nails(0.68)),
        Box::new(|p| form.base.distance(p) - form.skin.distance(p)),
        within(on_head(Sdf::sphere(EYE, EYE_RADIUS + 0.03).mirrored())),
        within(on_head(Sdf::sphere(EYE + gaze * 1.45, 1.2).mirrored())),
        within(on_head(
            Sdf::union([glint(Vec3::new(0.0, 0.38, 0.12), 0.45), glint(Vec3::new(0.0, -0.3, -0.25), 0.24)])
                .mirrored(),
        )),
    ]
}

/// Throat, chest and the underside, out to the tail.
fn belly() -> Sdf {
    let stations = [
        ([9.5, 16.5, 0.5], 1.6),
        ([8.4, 12.5, 0.0], 2.2),
        ([7.0, 8.6, 0.0], 2.8),
        ([3.0, 3.6, 0.0], 3.2),
        ([-4.0, 3.2, 0.0], 3.0),
        ([-8.5, 4.0, -0.2], 1.8),
        ([-12.0, 4.6, 0.7], 0.9),
    ];
    Sdf::tube(&stations.map(|(p, r)| (Vec3::from(p), r)), 6)
}

fn spots() -> Sdf {
    let spots =
        [([-1.5, 11.6, 4.2], 1.1), ([1.8, 11.0, 4.6], 0.8), ([-4.6, 9.6, 4.3], 0.9), ([-8.0, 8.4, 2.3], 0.8)];
    Sdf::union(spots.map(|(p, r)| Sdf::sphere(Vec3::from(p), r))).mirrored()
}
