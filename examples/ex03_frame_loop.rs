//! Example 3: a frame loop with a hand. What a game holds: a world, a clock that takes elapsed seconds, a ray from the mouse.
//!
//! Shows: frames of any length over steps of one length, picking, pulling, letting go, what is told when something goes wrong.
//! Run:   cargo run --release --example ex03_frame_loop
//! Picture: docs/gallery/studio.png, a page whose loop is this one.
//! Read next: ex06_custom_load (wind), docs/first-hour.md.
//!
//! ```text
//! frame: 4 ms, 17 ms, 33 ms …  →  steps of 1/240 s  →  positions for the screen
//! ```

#![expect(clippy::print_stdout, reason = "an example talks to the terminal")]

use std::error::Error;

use pliant::prelude::*;

/// The whole of it.
pub fn main() -> Result<(), Box<dyn Error>> {
    let pillar = shapes::bar(Vec3::new(0.1, 0.5, 0.1), [2, 10, 2]).into_data();
    let quick = Precompute { modes: Some(5), rank: Some(15), ..Precompute::default() };
    let open = Open { precompute: quick, ..Open::default() };
    let mut world = World::default();
    let id = world.add_model(open.open_mesh_quietly(pillar)?.model)?;
    let mut buffer = vec![0_f32; 3 * world.shown(id)?.rest.len()];

    // The mouse points at the upper end from the front.
    let eye = Vec3::new(0.05, 0.45, 2.0);
    let taken = world.pick(eye, -Vec3::z()).ok_or("the ray misses")?;
    assert_eq!(taken.body, id);
    let hand = world.grab(id, taken.vertex, taken.point)?;

    // Frames come as the screen wants them: the world steps evenly all the same.
    let (mut steps, mut seconds, mut farthest) = (0, 0.0, 0.0_f64);
    for frame in 0..90 {
        let elapsed = [0.004, 0.017, 0.033][frame % 3];
        if frame < 60 {
            world.drag(hand, taken.point + Vec3::x() * (0.002 * frame as f64))?;
        } else if frame == 60 {
            world.release(hand)?;
        }
        steps += world.advance(elapsed).steps;
        seconds += elapsed;
        world.surface(id, &mut buffer)?;
        farthest = farthest.max(f64::from(buffer[3 * taken.vertex as usize]) - taken.point.x);
        if let Some(stumble) = world.take_stumble() {
            println!("put back: {}", stumble.trouble);
        }
    }
    let energies = world.energies(id)?;
    println!("{steps} steps in {seconds:.2} s, {:.0} mm to the side, {energies:?}", 1e3 * farthest);
    assert!((f64::from(steps) - 240.0 * seconds).abs() <= 1.0, "{steps} steps in {seconds} s");
    assert!((0.02..0.15).contains(&farthest), "{farthest} m");
    Ok(())
}
