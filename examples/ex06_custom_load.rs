//! Example 6: a load of your own. Wind that pushes the upper half of a pole, and weakens as they move with it.
//!
//! Shows: a load that depends on the velocity, in `Live`, with its exact damping, and the impulse that each step received.
//! Run:   cargo run --release --example ex06_custom_load
//! Picture: docs/gallery/cloth.png, another body for the wind.
//! Read next: `pliant::sim::load` for kinds of load that scenario files know by name, ex08_scenario_to_glb.
//!
//! ```text
//! f = c (w − v) on each vertex,     −∂f/∂v = c
//! ```

#![expect(clippy::print_stdout, reason = "an example talks to the terminal")]

use std::error::Error;
use std::sync::Arc;

use pliant::prelude::*;

/// Wind of w m/s on some vertices, c N s/m on each.
#[derive(Clone, Debug)]
struct Wind {
    w: Vec3,
    c: f64,
    vertices: Vec<u32>,
}

impl VertexLoad for Wind {
    fn vertices(&self) -> &[u32] {
        &self.vertices
    }

    fn force(&self, _t: f64, _x: Vec3, v: Vec3) -> Vec3 {
        (self.w - v) * self.c
    }

    fn damping(&self, _t: f64, _x: Vec3, _v: Vec3) -> Option<Mat3> {
        Some(Mat3::identity() * self.c)
    }
}

/// The whole of it.
pub fn main() -> Result<(), Box<dyn Error>> {
    let pole = shapes::bar(Vec3::new(0.1, 1.0, 0.1), [1, 10, 1]).into_data();
    let fixed = vec![select(&pole, "y<1%")?];
    let vertices = select(&pole, "y>50%")?.vertices;
    let (count, tip) = (vertices.len() as f64, vertices[vertices.len() - 1]);
    let linear = Precompute {
        basis: "modes".into(),
        modes: Some(6),
        forces: Some("linear".into()),
        ..Precompute::default()
    };
    let model = Arc::new(linear.build_quietly(pole, Recipe { fixed, ..Recipe::default() })?.model);
    let mut live = Live::new(model.clone(), &LiveOptions::default())?;
    let wind = Wind { w: Vec3::new(5.0, 0.0, 0.0), c: 0.05, vertices };
    let id = live.add_reduced_load(load::local::on_model(&wind, &model));

    // It swings, and comes to rest where the wind holds it: K̃ q = Σ c w. In the end the impulse of a step is c w dt.
    let dt = 1.0 / 120.0;
    (0..6000).try_for_each(|_| live.step(dt).map(|_| ()))?;
    let leaning = live.vertex(tip)?[0] - model.mesh().vertices[tip as usize].x;
    let mut force = vec![0.0; model.rank()];
    model.reduced_stiffness().apply(live.q(), &mut force);
    let (impulse, held): (f64, f64) = (norm(live.impulse()) / dt, norm(&force));
    println!("leans by {:.1} mm under {:.2} N", 1e3 * leaning, count * 0.05 * 5.0);
    assert!(leaning > 1e-3 && (impulse / held - 1.0).abs() < 1e-3, "{impulse} N and {held} N");

    // Without the wind nothing damps it: it swings back through the middle.
    live.remove_load(id)?;
    let mut lowest = leaning;
    for _ in 0..240 {
        live.step(dt)?;
        lowest = lowest.min(live.vertex(tip)?[0] - model.mesh().vertices[tip as usize].x);
    }
    assert!(lowest < -0.5 * leaning, "{lowest} m");
    Ok(())
}

fn norm(x: &[f64]) -> f64 {
    x.iter().map(|x| x * x).sum::<f64>().sqrt()
}
