//! Example 7: full against reduced. The same scenario on all vertices and on a few coordinates: how far off, how much faster.
//!
//! Shows: a scenario made by code, `compare`, and how the error falls with the rank.
//! Run:   cargo run --release --example ex07_full_against_reduced
//! Picture: docs/gallery/dino-sag.png, such a fall; `pliant compare MODEL SCENARIO` tells the same of your model.
//! Read next: docs/truth.md for the same against exact solutions and other programs.

#![expect(clippy::print_stdout, reason = "an example talks to the terminal")]

use std::error::Error;
use std::sync::Arc;

use pliant::prelude::*;

/// The whole of it.
pub fn main() -> Result<(), Box<dyn Error>> {
    let bar = shapes::bar(Vec3::new(1.0, 0.1, 0.1), [12, 2, 2]).into_data();
    let fixed = vec![select(&bar, "x<1%")?];
    let recipe = Recipe { material: Some("stvk".into()), young: Some(2e6), fixed, ..Recipe::default() };

    // It falls under half its weight and swings.
    let mut scenario = Scenario::new(0.01, 60);
    scenario.loads.add(Arc::new(Gravity(Vec3::new(0.0, -4.9, 0.0))));
    scenario.damping.stiffness = 0.002;

    let mut errors = Vec::new();
    for rank in [2, 5, 15] {
        let ask = Precompute { modes: Some(5), rank: Some(rank), ..Precompute::default() };
        let model = Arc::new(ask.build_quietly(bar.clone(), recipe.clone())?.model);
        let compared = compare_quietly(&model, &scenario, &RunOptions::default())?;
        println!("rank {rank:>2}: {:.3} % off", 100.0 * compared.relative_l2_mean());
        errors.push(compared.relative_l2_mean());
    }
    // Exact forces in each basis: what is left is the basis' share, and that falls.
    assert!(errors.is_sorted_by(|a, b| a > b) && errors[2] < 0.02, "{errors:?}");
    Ok(())
}
