//! Example 2: your OBJ as a body. Any mesh file becomes a body that can be pulled; its surface is written into a buffer.
//!
//! Shows: `open_file` (examine, weld, fill, hold, reduce), what it tells, and a `World`.
//! Run:   cargo run --release --example ex02_your_obj -- bunny.obj      (without a file: a cup that it makes)
//! Read next: ex03_frame_loop (hands, rays, the clock).
//!
//! ```text
//! bunny.obj → 9,000 tets → 44 coordinates → 60 frames of positions
//! ```

#![expect(clippy::print_stdout, reason = "an example talks to the terminal")]

use std::error::Error;

use pliant::prelude::*;

/// The whole of it.
pub fn main() -> Result<(), Box<dyn Error>> {
    let given = std::env::args().nth(1).filter(|name| name.ends_with(".obj"));
    let path = match given {
        Some(path) => path.into(),
        None => {
            // A surface of our own, without tets: only triangles, as most files have.
            let path = std::env::temp_dir().join(format!("pliant-cup-{}.obj", std::process::id()));
            let cup = shapes::bar(Vec3::new(0.1, 0.3, 0.1), [3, 9, 3]).boundary().into_data();
            io::save(&path, &cup, None)?;
            path
        }
    };
    let open = Open { tets: 2_000, ..Open::default() };
    let body = open.open_file(&path, &mut ignore_progress)?;
    body.notes.iter().for_each(|note| println!("note: {note}"));
    let top = body.model.mesh().bounds()[1];
    println!("{} tets, {} coordinates", body.model.mesh().elements.len(), body.model.rank());

    let mut world = World::default();
    let id = world.add_model(body.model)?;
    let mut buffer = vec![0_f32; 3 * world.shown(id)?.rest.len()];
    // Take it from above, and pull it to the side for a second.
    let above = Vec3::new(top.x - 0.05, top.y + 1.0, top.z - 0.05);
    let taken = world.pick(above, -Vec3::y()).ok_or("nothing lies below")?;
    let hand = world.grab(id, taken.vertex, taken.point)?;
    for frame in 1..=60 {
        world.drag(hand, taken.point + Vec3::x() * (0.1 * f64::from(frame) / 60.0))?;
        world.advance(1.0 / 60.0);
        world.surface(id, &mut buffer)?;
    }
    let moved = f64::from(buffer[3 * taken.vertex as usize]) - taken.point.x;
    println!("the vertex in the hand moved by {:.0} mm", 1e3 * moved);
    assert!((0.02..0.12).contains(&moved), "{moved} m");
    Ok(())
}
