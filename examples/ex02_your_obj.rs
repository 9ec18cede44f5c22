//! Example 2: your OBJ as a body. A mesh file of any format becomes a body that can be pulled; its surface is written into a
//! buffer.
//!
//! Shows: `open_file` (examine, weld, fill, hold, reduce), what it tells, and a `World`.
//! Run:   cargo run --release --example ex02_your_obj -- bunny.obj      (without a file: a cup that it makes)
//! Picture: docs/gallery/mended.png, a surface that was made a solid.
//! Read next: ex03_frame_loop (hands, rays, the clock).
//!
//! ```text
//! bunny.obj → 9,000 tets → 44 coordinates → 60 frames of positions
//! ```

#![expect(clippy::print_stdout, reason = "an example talks to the terminal")]

use std::error::Error;
use std::path::PathBuf;

use pliant::prelude::*;

/// With the file that the command line names.
pub fn main() -> Result<(), Box<dyn Error>> {
    show(std::env::args_os().nth(1).map(PathBuf::from))
}

/// The whole of it.
pub fn show(file: Option<PathBuf>) -> Result<(), Box<dyn Error>> {
    let path = match file {
        Some(path) => path,
        None => {
            // A surface of our own, without tets: only triangles, as most files have.
            let path = std::env::temp_dir().join(format!("pliant-cup-{}.obj", std::process::id()));
            let cup = shapes::bar(Vec3::new(0.1, 0.3, 0.1), [3, 9, 3]).boundary().into_data();
            io::save(&path, &cup, None)?;
            path
        }
    };
    let open = Open { tets: 2_000, ..Open::default() };
    let body = open.open_file_quietly(&path)?;
    body.notes.iter().for_each(|note| println!("note: {note}"));
    println!("{} tets, {} coordinates", body.model.mesh().elements.len(), body.model.rank());

    // The highest triangle that can move, and a ray that comes to it from outside, at right angles.
    let [low, high] = body.model.mesh().bounds();
    let (size, basis) = ((high - low).norm(), body.model.surface_basis().clone());
    let rest = &basis.shown().rest;
    let corners = |t: &[u32; 3]| t.map(|v| rest[v as usize]);
    let height = |t: &[u32; 3]| corners(t).iter().map(|x| x.y).sum::<f64>();
    let can_move = basis.shown().triangles.iter().filter(|t| t.iter().all(|v| !basis.is_held(*v as usize)));
    let top = can_move.max_by(|a, b| height(a).total_cmp(&height(b))).ok_or("nothing can move")?;
    let [a, b, c] = corners(top);
    let out = (b - a).cross(&(c - a)).normalize();

    let mut world = World::default();
    let id = world.add_model(body.model)?;
    let mut buffer = vec![0_f32; 3 * rest.len()];
    let taken = world.pick((a + b + c) / 3.0 + out * size, -out).ok_or("the ray misses")?;
    let hand = world.grab(id, taken.vertex, taken.point)?;
    // Pull it to the side for a second, by a third of the body's size.
    let far = size / 3.0;
    for frame in 1..=60 {
        world.drag(hand, taken.point + Vec3::x() * (far * f64::from(frame) / 60.0))?;
        world.advance(1.0 / 60.0);
        world.surface(id, &mut buffer)?;
    }
    let moved = f64::from(buffer[3 * taken.vertex as usize]) - rest[taken.vertex as usize].x;
    println!("the vertex in the hand moved by {:.0} mm of {:.0} mm", 1e3 * moved, 1e3 * far);
    assert!((0.1..1.5).contains(&(moved / far)), "{moved} m of {far} m");
    Ok(())
}
