//! The program of the README, word for word.

use pliant::prelude::*;

pub(crate) fn main() -> Result<(), Box<dyn std::error::Error>> {
    let body = open_file("cup.obj")?; // examined, filled with tets, held at its lowest 5 %, reduced
    let mut world = World::default();
    let id = world.add_model(body.model)?;
    let mut buffer = vec![0_f32; 3 * world.shown(id)?.rest.len()];
    let taken = world.pick(Vec3::new(0.05, 1.0, 0.05), -Vec3::y()).ok_or("nothing lies below")?;
    let hand = world.grab(id, taken.vertex, taken.point)?;
    for frame in 0..60 {
        world.drag(hand, taken.point + Vec3::x() * (0.1 * f64::from(frame) / 60.0))?;
        world.advance(1.0 / 60.0);
        world.surface(id, &mut buffer)?;
    }
    assert!(f64::from(buffer[3 * taken.vertex as usize]) > taken.point.x + 0.02);
    Ok(())
}
