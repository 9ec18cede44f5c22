//! A surface of many groups, read, examined and described: the work grows with their number, not with its square.

use std::fmt::Write as _;

use anyhow::Context as _;
use pliant::linalg::ignore_progress;
use pliant::mesh::doctor;
use pliant::mesh::io::{self, Source};
use pliant::world::facts::of_mesh;

use super::{Row, median};

/// Groups, and how many times fewer they are compared with.
const MANY: usize = 100_000;
const TIMES: usize = 10;

pub(super) fn rows() -> anyhow::Result<Vec<Row>> {
    let few = seconds(MANY / TIMES)?;
    let many = seconds(MANY)?;
    let name = format!("an OBJ of {MANY} groups read, examined and described");
    Ok(vec![
        Row { name: name.clone(), value: many, unit: "s", limit: Some(2.0) },
        // What grows with the square takes a hundred times as long.
        Row {
            name: format!("{name}, times that of {}", MANY / TIMES),
            value: many / few,
            unit: "",
            limit: Some(15.0),
        },
    ])
}

fn seconds(groups: usize) -> anyhow::Result<f64> {
    let format = io::ALL.iter().find(|format| format.name == "obj").context("a line of the table")?;
    let nothing_beside = |_: &std::path::Path| Err(std::io::ErrorKind::NotFound.into());
    let bytes = tiles(groups).into_bytes();
    median(3, || {
        let loaded = io::read(format, &Source::memory("tiles.obj", bytes.clone(), &nothing_beside))?;
        let found = doctor::examine(&loaded.mesh, &doctor::Options::default(), &mut ignore_progress)?;
        let regions = loaded.mesh.attributes.regions.len();
        anyhow::ensure!(regions == groups, "{regions} regions of {groups} groups");
        std::hint::black_box(of_mesh(&loaded.mesh, &found, &loaded.notes));
        Ok(())
    })
}

/// A floor of triangles, each a group of its own, not in the order of their names.
fn tiles(groups: usize) -> String {
    let wide = groups.isqrt();
    let mut text = String::new();
    for i in 0..groups {
        let (x, z) = (i % wide, i / wide);
        let name = (i as u32).wrapping_mul(0x9E37_79B1);
        let _ = writeln!(text, "v {x} 0 {z}\nv {x} 0 {z}.5\nv {x}.5 0 {z}\ng tile{name}\nf -3 -2 -1");
    }
    text
}
