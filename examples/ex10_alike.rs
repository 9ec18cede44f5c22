//! Example 10: which places of a shape vibrate alike. A box whose corners find each other, and a fold that heat does not see.
//!
//! Shows: signatures by vibration and by heat, distances, places that are alike, and one vertex without modes.
//! Run:   cargo run --release --example ex10_alike
//! Picture: docs/gallery/signature.png, how different all places of a dinosaur are from its toe.
//! Read next: docs/signatures.md.

#![expect(clippy::print_stdout, reason = "an example talks to the terminal")]

use std::error::Error;

use pliant::prelude::*;

/// The whole of it.
pub fn main() -> Result<(), Box<dyn Error>> {
    // A thin box as a shell, its corners the only places of their kind.
    let mesh = shapes::bar(Vec3::new(1.0, 0.7, 0.5), [12, 8, 6]).boundary().into_data();
    let body = Recipe::default().build(mesh.clone())?;
    let [low, high] = mesh.bounds();
    let is_corner = |x: &Vec3| (0..3).all(|c| x[c] == low[c] || x[c] == high[c]);
    let corners: Vec<u32> = (0..).zip(&mesh.vertices).filter(|(_, x)| is_corner(x)).map(|(v, _)| v).collect();

    let times = shape::Times::Relative { from: 0.02, to: 0.3, count: 20 };
    let request = shape::Request {
        modes: Some(100),
        times: times.clone(),
        from: vec![corners[0]],
        alike: 7,
        ..shape::Request::default()
    };
    let found = request.run(&mesh, &Recipe::default(), &body, &mut ignore_progress)?;
    let mut alike: Vec<u32> = found.alike.iter().map(|place| place.vertex).collect();
    alike.sort_unstable();
    println!("vertex {} is most like {alike:?}", corners[0]);
    assert_eq!(alike, corners[1..], "the other corners");

    // The signature is a trace that is shared out: weighed by mass it sums to Σ exp(−λt).
    let spectrum = shape::Spectrum::vibration(&body, 100, false, &mut ignore_progress)?;
    let signature = spectrum.signature(&times.of(&spectrum)?);
    let sum: f64 = signature.at_time(7).iter().zip(body.vertex_masses()).map(|(s, m)| s * m).sum();
    assert!((sum / signature.l1[7] - 1.0).abs() < 1e-10, "{sum} and {}", signature.l1[7]);

    // At one vertex it needs no modes, and nothing is cut off.
    let late = [2.0 / signature.slowest];
    let exact =
        shape::flow::signature_quietly(&body, &corners[..1], &late, &shape::flow::Options::default())?;
    let by_modes = spectrum.signature(&late).of_vertex(corners[0])[0];
    println!("S = {by_modes:.6} by 100 modes, {:.6} by {} solves", exact.values[0][0], exact.solves);
    assert!((exact.values[0][0] / by_modes - 1.0).abs() < 1e-5);

    // A strip, flat and folded along a line of edges: an isometry. Heat sees none of it, vibration does.
    let changed = |kind| -> Result<f64, Box<dyn Error>> {
        let [flat, folded] = [0.0_f64, 80.0].map(strip);
        let modes = |mesh: &MeshData| match kind {
            shape::Kind::Heat => shape::Spectrum::heat(mesh, 40, true, &mut ignore_progress),
            shape::Kind::Vibration => {
                let body = Recipe::default().build(mesh.clone())?;
                shape::Spectrum::vibration(&body, 40, false, &mut ignore_progress)
            }
        };
        let (flat, folded) = (modes(&flat)?, modes(&folded)?);
        let t = [0.5 / flat.eigenvalues[0]];
        let (flat, folded) = (flat.signature(&t), folded.signature(&t));
        let pairs = flat.at_time(0).iter().zip(folded.at_time(0));
        Ok(pairs.fold(0.0, |most: f64, (a, b)| most.max((b / a - 1.0).abs())))
    };
    let (heat, vibration) = (changed(shape::Kind::Heat)?, changed(shape::Kind::Vibration)?);
    println!("a fold changes heat by {heat:.0e}, vibration by {vibration:.2}");
    assert!(heat < 1e-9 && vibration > 0.2);
    Ok(())
}

/// A strip of 2 m by 1 m, folded along its middle.
fn strip(degrees: f64) -> MeshData {
    let (sine, cosine) = degrees.to_radians().sin_cos();
    let at = |i: u32, j: u32| {
        let (x, y) = (f64::from(i) / 8.0 - 1.0, f64::from(j) / 8.0);
        if x > 0.0 { Vec3::new(x * cosine, y, x * sine) } else { Vec3::new(x, y, 0.0) }
    };
    let vertices = (0..9).flat_map(|j| (0..17).map(move |i| (i, j))).map(|(i, j)| at(i, j)).collect();
    let cells = (0..8).flat_map(|j| (0..16).map(move |i| 17 * j + i));
    let triangles = cells.flat_map(|a| [[a, a + 1, a + 18], [a, a + 18, a + 17_u32]]);
    MeshData::from_faces(vertices, triangles.collect::<Vec<_>>().iter().map(|t| &t[..]).collect())
}
