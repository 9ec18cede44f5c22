//! Example 9: linear motions that turn. The cheapest motion there is, shown so that it does not swell.
//!
//! Shows: the warp of all vertices and what it keeps, a model with a warp, its three motions, a hand that pulls where it sees.
//! Run:   cargo run --release --example ex09_warp
//! Picture: docs/gallery/dino-linear.png beside docs/gallery/dino-warped.png.
//! Read next: docs/warping.md.

#![expect(clippy::print_stdout, reason = "an example talks to the terminal")]

use std::error::Error;
use std::f64::consts::PI;
use std::sync::Arc;

use pliant::prelude::*;

/// The whole of it.
pub fn main() -> Result<(), Box<dyn Error>> {
    let bar = shapes::bar(Vec3::new(1.0, 0.1, 0.1), [20, 2, 2]).into_data();
    let fixed = vec![select(&bar, "x<1%")?];
    let recipe = Recipe { young: Some(1e6), fixed, ..Recipe::default() };

    // The lowest mode, so far out that the end of the bar would turn by three quarters of a turn.
    let body = recipe.build(bar.clone())?;
    let mode = linear_modes_quietly(&body, 1)?.modes.shape(0).to_vec();
    let warp = Warp::new(&body)?;
    let times = 1.5 * PI / warp.largest_rotation(&mode);
    let linear: Vec<f64> = mode.iter().map(|u| times * u).collect();
    let mut warped = vec![0.0; linear.len()];
    warp.apply(&linear, &mut warped);
    let [swollen, kept] = [&linear, &warped].map(|u| warp.size_ratio(u));
    println!("volume: linear {swollen:.2} times that at rest, warped {kept:.3} times");
    assert!(swollen > 5.0 && (kept - 1.0).abs() < 0.05, "{swollen} {kept}");

    // The same for a model: a few numbers in, as many out, whatever the mesh.
    let precompute = Precompute {
        basis: "extended".into(),
        modes: Some(5),
        forces: Some("linear".into()),
        warp: Some(WarpTraining { points: Some(60), poses: 60, ..WarpTraining::default() }),
        ..Precompute::default()
    };
    let model = Arc::new(precompute.build_quietly(bar, recipe)?.model);
    let facts = model.warp_facts()?.expect("it was asked for");
    println!("{} points, off by {:.2} % on fresh poses", facts.points, 100.0 * facts.validation_error);
    assert!(facts.validation_error < 0.03, "{facts:?}");

    // One motion, seen in two ways; what hangs on a hand follows the hand.
    let mut options = LiveOptions::default();
    options.damping.mass = 4.0;
    let mut live = Live::new(model.clone(), &options)?;
    let tip = (live.vertices() - 1) as u32;
    let home = Vec3::from(live.vertex(tip)?);
    let target = home + Vec3::new(-0.5, 0.7, 0.0);
    let mut offs = Vec::new();
    for motion in [Motion::Linear, Motion::Warped] {
        live.reset()?;
        live.set_motion(motion)?;
        let hand = live.grab(tip, 200.0, home)?;
        for frame in 0..300 {
            live.drag(hand, home + (target - home) * (f64::from(frame) / 120.0).min(1.0))?;
            live.step(1.0 / 60.0)?;
        }
        let mut u = vec![0.0; 3 * live.vertices()];
        live.displacement(&mut u);
        let (off, ratio) = ((Vec3::from(live.vertex(tip)?) - target).norm(), warp.size_ratio(&u));
        println!("{}: {off:.3} m from the hand, {ratio:.2} times its volume", motion.name());
        match motion {
            Motion::Warped => assert!((ratio - 1.0).abs() < 0.1, "{ratio}"),
            _ => assert!(ratio > 1.2, "{ratio}"),
        }
        offs.push(off);
    }
    // What is straight cannot come back towards its foot; what bends can.
    assert!(offs[0] > 0.4 && offs[1] < 0.7 * offs[0], "{offs:?}");
    Ok(())
}
