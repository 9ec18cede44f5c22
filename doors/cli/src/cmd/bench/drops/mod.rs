//! What people drop: how long until it moves and until it is finished, whether it looks whole, and whether it bears being pulled.

mod files;

use std::sync::Arc;

use pliant::linalg::{Random, Vec3, ignore_progress};
use pliant::mesh::ShownSurface;
use pliant::reduce::Model;
use pliant::world::{Contents, LiveBody, Open, World};

use super::Row;
use super::busy::own_seconds;

/// Places that are pulled.
const PULLS: usize = 20;

/// Frames of a pull, and of the time after it.
const FRAMES: usize = 15;

/// Of its length a body is pulled by.
const REACH: f64 = 0.2;

/// What may be missing of the surface that was dropped, and how far it may slip where it is held, in lengths of the body.
const MISSING: f64 = 0.02;

pub(super) fn rows() -> anyhow::Result<Vec<Row>> {
    let mut rows = Vec::new();
    for file in files::ALL {
        let bytes = file.bytes()?;
        let begin = own_seconds();
        let contents = bytes.read()?;
        let Contents::Mesh { mesh, .. } = &contents else { anyhow::bail!("a mesh was dropped") };
        let dropped = ShownSurface::of(mesh).rest;
        let mut moves = f64::NAN;
        let (opened, _) = Open::default().open_drafted(
            contents,
            &mut |_, _| (),
            &mut |_| moves = own_seconds() - begin,
            &mut ignore_progress,
        )?;
        let finished = own_seconds() - begin;
        // What needs no long work has no draft.
        let moves = if moves.is_nan() { finished } else { moves };
        let row = |what: &str, value, unit, limit| {
            let name = format!("dropped, {}: {what}", file.name);
            Row { name, value, unit, limit: Some(limit) }
        };
        rows.push(row("processor time until it moves", moves, "s", file.limits[0]));
        rows.push(row("processor time until it is finished", finished, "s", file.limits[1]));
        let model = Arc::new(opened.model);
        rows.push(row("what is missing of it, in lengths", missing(&model, &dropped), "", MISSING));
        let Pulled { put_back, slipped } = pull(&model)?;
        // One is too many.
        rows.push(row("put back in 20 pulls", f64::from(put_back), "times", 0.5));
        rows.push(row("how far it slips where it is held, in lengths", slipped, "", MISSING));
    }
    Ok(rows)
}

/// How far a vertex of the file is from all that is shown, at most.
fn missing(model: &Model, dropped: &[Vec3]) -> f64 {
    let shown = &model.surface().rest;
    // A few hundred of either tell.
    let some = dropped.iter().step_by(dropped.len().div_ceil(300));
    let nearest =
        |p: &Vec3| shown.iter().map(|x| (x - p).norm_squared()).fold(f64::INFINITY, f64::min).sqrt();
    some.map(nearest).fold(0.0, f64::max) / model.longest_side()
}

/// What pulls did to a body.
struct Pulled {
    /// How often it must be put back.
    put_back: u32,
    /// Of what is shown within a hundredth of a length from what is held: the farthest from where it was, in lengths.
    slipped: f64,
}

/// Pulls a body here and there, as hard as a hand on the page does.
fn pull(model: &Arc<Model>) -> anyhow::Result<Pulled> {
    let mut world = World::default();
    let mut body = LiveBody::new(model.clone())?;
    let strength = body.suiting_strength();
    body.set_strength(Some(strength))?;
    let surface = body.surface().clone();
    let free: Vec<u32> = (0..surface.len() as u32).filter(|v| !surface.is_held(*v as usize)).collect();
    anyhow::ensure!(!free.is_empty() && model.held() > 0, "a body is held somewhere and free elsewhere");
    let id = world.add(Box::new(body));
    let (rest, length, near) = (&model.surface().rest, model.longest_side(), near_held(model));
    let mut now = vec![0.0; 3 * rest.len()];
    let (mut random, mut pulled) = (Random(11), Pulled { put_back: 0, slipped: 0.0 });
    for _ in 0..PULLS {
        let vertex = free[random.below(free.len())];
        let way = Vec3::new(random.normal(), random.normal(), random.normal()).normalize();
        let here = rest[vertex as usize];
        // A vertex that nothing can move is no place to pull.
        let Ok(hand) = world.grab(id, vertex, here) else { continue };
        for frame in 1..=FRAMES {
            let far = REACH * length * frame as f64 / FRAMES as f64;
            if world.drag(hand, here + far * way).is_ok() {
                pulled.put_back += world.advance(1.0 / 60.0).stumbles;
            }
        }
        world.surface_f64(id, &mut now)?;
        for &v in &near {
            let slipped = (Vec3::from_column_slice(&now[3 * v..3 * v + 3]) - rest[v]).norm() / length;
            pulled.slipped = pulled.slipped.max(slipped);
        }
        let _ = world.release(hand);
        for _ in 0..FRAMES {
            pulled.put_back += world.advance(1.0 / 60.0).stumbles;
        }
    }
    Ok(pulled)
}

/// Shown vertices within a hundredth of a length from a vertex that is held.
fn near_held(model: &Model) -> Vec<usize> {
    let vertices = model.mesh().vertices.iter().zip(model.held_components());
    let held: Vec<Vec3> = vertices.filter(|(_, held)| held.contains(&true)).map(|(p, _)| *p).collect();
    let near = 0.01 * model.longest_side();
    let rest = &model.surface().rest;
    (0..rest.len()).filter(|&v| held.iter().any(|p| (p - rest[v]).norm() < near)).collect()
}
