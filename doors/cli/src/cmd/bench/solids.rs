//! Solids of bodies with limbs thinner than the cells: how many come out with other pieces or handles, or without a limb.

use std::time::Instant;

use pliant::linalg::{Vec3, ignore_progress};
use pliant::mesh::shapes::limbed::Limbed;
use pliant::mesh::tetrahedralise::{Options, Size, tetrahedralise};
use pliant::mesh::{TetMesh, doctor};

use super::Row;

/// Bodies, and the edge of the cells, m: the ball of each body is ten cells wide.
const BODIES: usize = 200;
const CELL: f64 = 0.2;

pub(super) fn rows() -> anyhow::Result<Vec<Row>> {
    let start = Instant::now();
    let (mut changed, mut silent) = (0, 0);
    for i in 0..BODIES {
        let body = Limbed::of_series(i, BODIES, CELL);
        let (surface, tips) = body.surface();
        let options = Options { size: Size::Edge(CELL), ..Options::default() };
        let solid = tetrahedralise(&surface, &options, &mut ignore_progress)?;
        if !is_kept(&body, solid.mesh, &tips)? {
            changed += 1;
            silent += usize::from(solid.whole.is_whole());
        }
    }
    let seconds = start.elapsed().as_secs_f64() / BODIES as f64;
    let count = |name: &str, value: usize, limit: f64| Row {
        name: format!("of {BODIES} bodies with limbs of 2 to 0.3 cells, {name}"),
        value: value as f64,
        unit: "",
        limit: Some(limit),
    };
    Ok(vec![
        count("with other pieces or handles or a limb lost", changed, 10.0),
        count("of these not said to be", silent, 5.0),
        Row { name: "a solid of such a body".into(), value: seconds, unit: "s", limit: Some(1.0) },
    ])
}

/// Counted by the doctor, not by the rule that the solid was made with.
fn is_kept(body: &Limbed, solid: TetMesh, tips: &[Vec3]) -> anyhow::Result<bool> {
    let near = |tip: &Vec3| solid.vertices().iter().any(|p| (p - tip).norm() < 2.5 * CELL);
    let reached = tips.iter().all(near);
    let quick = doctor::Options { crossings: false, ..doctor::Options::default() };
    let report = doctor::examine(&solid.into_data(), &quick, &mut ignore_progress)?;
    let whole = report.manifold && report.components == 1 && report.genus == Some(body.handles as u64);
    Ok(reached && whole)
}
