//! Example 11: a shape that follows handles. A bar that is bent by its ends, frame by frame in a few coordinates, and once at full order.
//!
//! Shows: an editor that is moved in a loop, what it costs a frame, undoing, the whole way in one call beside full order.
//! Run:   cargo run --release --example ex11_edit
//! Picture: docs/gallery/edit.png, a dinosaur that looks around.
//! Read next: docs/edit.md.

#![expect(clippy::print_stdout, reason = "an example talks to the terminal")]

use std::error::Error;
use std::sync::Arc;

use pliant::prelude::*;

/// The whole of it.
pub fn main() -> Result<(), Box<dyn Error>> {
    let mesh = shapes::bar(Vec3::new(1.0, 0.1, 0.1), [16, 2, 2]).into_data();
    let body = Arc::new(Recipe::default().build(mesh.clone())?);
    let made = Precompute {
        modes: Some(15),
        rank: Some(67),
        forces: Some("cubature".into()),
        ..Precompute::default()
    };
    let model = Arc::new(made.reduce(mesh.clone(), Recipe::default(), &body, &mut ignore_progress)?.model);
    let [left, right] = [select(&mesh, "x<6%")?.vertices, select(&mesh, "x>94%")?.vertices];

    // A page, or a game: handles are added once, and moved in every frame.
    let mut editor = edit::Editor::new(model.clone(), &edit::Options::default())?;
    editor.add(&left)?;
    let hand = editor.add(&right)?;
    let end = |part: f64| {
        edit::Transform::turn(&Vec3::z(), 1.2 * part, &Vec3::new(0.6, 0.05, 0.05))
            .then(&edit::Transform::shift(Vec3::new(-0.05, 0.1, 0.0) * part))
    };
    let mut iterations = 0;
    for frame in 1..=20 {
        editor.place(hand, &end(f64::from(frame) / 20.0))?;
        let outcome = editor.solve();
        assert!(outcome.converged());
        iterations += outcome.iterations;
    }
    let lag = editor.lag(hand)?;
    let [energy, elastic] = editor.energies();
    println!(
        "{iterations} iterations in 20 frames; the hand lags by {lag:.4} m, {elastic:.1} of {energy:.1} J are in the body"
    );
    assert!(lag < 0.01 && elastic < energy && iterations < 20 * 20);

    // Undone, it is as it was.
    let mut there = vec![0.0; 3 * mesh.vertices.len()];
    model.basis().expand(editor.q(), &mut there);
    editor.set_epsilon(1e-14)?;
    for frame in (0..20).rev() {
        editor.place(hand, &end(f64::from(frame) / 20.0))?;
        editor.solve();
    }
    let mut back = vec![0.0; 3 * mesh.vertices.len()];
    model.basis().expand(editor.q(), &mut back);
    assert!(back.iter().all(|u| u.abs() < 1e-6), "at rest again");

    // The whole way in one call, and how far 67 coordinates are from all 3n.
    let handles = [edit::Handle::stays("left", left), edit::Handle::moves("right", right, &end(1.0), &mesh)];
    let recipe = Recipe::default();
    let source = edit::Source { mesh: &mesh, recipe: &recipe, body: &body };
    let request = edit::Request { compare: true, ..edit::Request::default() };
    let found = request.run(source, Some(&model), &handles, &mut ignore_progress)?;
    let beside = found.full.as_ref().ok_or("compared")?;
    println!("{} steps; {:.4} from the shape at full order", found.steps, beside.relative_l2);
    assert!(found.converged && beside.converged && beside.relative_l2 < 0.5);
    // Another way to the same place.
    let apart = found.displacement.iter().zip(&there).fold(0.0, |most: f64, (a, b)| most.max((a - b).abs()));
    assert!(apart < 2e-2, "{apart}");
    Ok(())
}
