use pliant_dynamics::integrator::{ALL};
use pliant_dynamics::*;
use crate::systems::*;
#[test]
fn scratch() {
    for law in [Law::Hooke, Law::Green] {
    for (cells, push, dt) in [(3, 2.0, 0.02), (8, 4.0, 0.02), (8, 4.0, 0.1), (8,300.0,0.02), (20, 10.0, 0.1)] {
    for entry in ALL {
        let mut toy = Toy::cantilever(cells, 1e4, law);
        toy.load = match push as i32 { 2 => |_, _, out| (0..out.len()).for_each(|i| out[i] = 2.0 * (i as f64).sin()),
          4 => |_, _, out| (0..out.len()).for_each(|i| out[i] = if i % 2 == 1 { -4.0 } else { 0.0 }),
          300 => |_, _, out| (0..out.len()).for_each(|i| out[i] = 300.0* (i as f64).sin()),
          _ => |_, _, out| (0..out.len()).for_each(|i| out[i] = if i % 2 == 1 { -10.0 } else { 0.0 }) };
        let mut state = State::at_rest(toy.size());
        let mut g = (entry.make)(Settings { damping: Damping { mass: 0.1, stiffness: 1e-4, kind: DampingKind::Tangent }, ..Settings::default() });
        let mut its = vec![]; let mut h = 0;
        for _ in 0..20 {
            match g.step(&mut toy, &mut state, dt) { Ok(r) => { its.push(r.iterations); h += r.halvings; } Err(e) => { println!("  {e}"); break; } }
        }
        println!("{law:?} {cells} {push} {dt} {}: {h} halvings, {its:?}", entry.name);
    }}}
}
