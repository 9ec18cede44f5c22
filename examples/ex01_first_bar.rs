//! Example 1: a first bar. From a shape to a body of 20 coordinates that is pushed and swings.
//!
//! Shows: a mesh, what it is made of and what is held, its reduction, and steps of a frame loop.
//! Run:   cargo run --release --example ex01_first_bar
//! Picture: docs/gallery/dino-sag.png, a body of as few coordinates that bends; the outline is its shape at rest.
//! Read next: ex02_your_obj (your own mesh), ex04_modes (what it vibrates like).
//!
//! ```text
//!  held │▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓│ ← a push of 2 N for a tenth of a second
//! ```

#![expect(clippy::print_stdout, reason = "an example talks to the terminal")]

use std::error::Error;
use std::sync::Arc;

use pliant::prelude::*;

/// The whole of it.
pub fn main() -> Result<(), Box<dyn Error>> {
    // A bar of 1 m by 0.1 m by 0.1 m, of rubber, held at its left end.
    let bar = shapes::bar(Vec3::new(1.0, 0.1, 0.1), [20, 2, 2]).into_data();
    let fixed = vec![select(&bar, "x<1%")?];
    let tip = select(&bar, "x>99%")?.vertices[0];
    let recipe = Recipe { young: Some(1e6), poisson: Some(0.45), fixed, ..Recipe::default() };

    // Five linear modes and their derivatives; forces by a trained cubature.
    let precompute = Precompute { modes: Some(5), rank: Some(20), ..Precompute::default() };
    let model = precompute.build_quietly(bar, recipe)?.model;
    println!("{} coordinates, lowest frequency {:.3} Hz", model.rank(), model.frequencies_hz()[0]);

    // The first bending frequency of a slender clamped bar is 1.875² / 2π √(E I / ρ A) / L² = 0.511 Hz; tets of this size
    // are too stiff in bending, and the body is right from above.
    let slender = 1.8751_f64.powi(2) / std::f64::consts::TAU * (1e6 * 0.1_f64.powi(2) / 12.0 / 1000.0).sqrt();
    assert!((1.0..2.0).contains(&(model.frequencies_hz()[0] / slender)), "{slender} Hz");

    let mut live = Live::new(Arc::new(model), &LiveOptions::default())?;
    let rest = Vec3::from(live.vertex(tip)?);
    let mut highest: f64 = 0.0;
    for frame in 0..60 {
        if frame < 6 {
            live.push(tip, Vec3::new(0.0, 2.0, 0.0))?;
        }
        live.step(1.0 / 60.0)?;
        highest = highest.max(live.vertex(tip)?[1] - rest.y);
    }
    println!("its tip rose by {:.1} mm", 1e3 * highest);
    assert!((0.005..0.2).contains(&highest), "{highest} m");
    Ok(())
}
