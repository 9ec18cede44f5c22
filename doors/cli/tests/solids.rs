//! Solids that are whole, as a script sees them: pieces and handles that are kept or said to be missing, parts that are loose.

use std::path::Path;
use std::process::{Command, Output};

use pliant::mesh::shapes::limbed::Limbed;
use pliant::mesh::{Faces, MeshData, io, shapes};
use pliant::prelude::Vec3;
use serde_json::Value;

fn pliant(folder: &Path, args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_pliant")).current_dir(folder).args(args).output().expect("pliant starts")
}

fn json(out: &Output) -> Value {
    let said = String::from_utf8_lossy(&out.stderr);
    serde_json::from_slice(&out.stdout).unwrap_or_else(|e| panic!("one JSON object: {e}; {said}"))
}

fn warned(report: &Value, words: &str) -> bool {
    let warnings = report["warnings"].as_array().expect("a list");
    warnings.iter().any(|w| w.as_str().is_some_and(|w| w.contains(words)))
}

#[test]
fn thin_limbs_stay_with_a_note_and_what_is_lost_is_status_1() {
    let folder = tempfile::tempdir().expect("a folder");
    let (limbs, _) = Limbed { seed: 2, limbs: 3, handles: 0, thickness: 0.08 }.surface();
    io::save(&folder.path().join("limbs.obj"), &limbs.into_data(), None).expect("a file");
    let made =
        pliant(folder.path(), &["mesh", "limbs.obj", "-o", "limbs.msh", "--tets", "--edge", "0.2", "--json"]);
    let report = json(&made);
    assert_eq!(made.status.code(), Some(0), "{report:#}");
    assert_eq!((&report["components"], &report["manifold"]), (&1.into(), &true.into()));
    assert!(warned(&report, "cells were halved down to"), "{report:#}");

    io::save(&folder.path().join("sieve.obj"), &sieve(), None).expect("a file");
    let made =
        pliant(folder.path(), &["mesh", "sieve.obj", "-o", "sieve.msh", "--tets", "--edge", "0.2", "--json"]);
    let report = json(&made);
    assert_eq!(made.status.code(), Some(1), "{report:#}");
    assert!(warned(&report, "where the surface has 16 near ("), "{report:#}");
    assert!(folder.path().join("sieve.msh").exists(), "what was made is written");
}

/// A plate with 16 holes much smaller than the cells.
fn sieve() -> MeshData {
    let n = 9i64;
    let full = |x: i64, y: i64| (0..n).contains(&x) && (0..n).contains(&y) && (x % 2 == 0 || y % 2 == 0);
    let point = |x: i64, y: i64, z: i64| (x * (n + 1) + y) * 2 + z;
    let mut faces = Faces::new();
    let mut push = |corners: [i64; 4]| faces.push(&corners.map(|c| c as u32));
    for (x, y) in (0..n).flat_map(|x| (0..n).map(move |y| (x, y))).filter(|(x, y)| full(*x, *y)) {
        let ring = [[x, y], [x + 1, y], [x + 1, y + 1], [x, y + 1]];
        push(ring.map(|[x, y]| point(x, y, 1)));
        push([3, 2, 1, 0].map(|i: usize| point(ring[i][0], ring[i][1], 0)));
        let beside = [[x, y - 1], [x + 1, y], [x, y + 1], [x - 1, y]];
        for i in (0..4).filter(|&i| !full(beside[i][0], beside[i][1])) {
            let ([a, b], [c, d]) = (ring[i], ring[(i + 1) % 4]);
            push([point(a, b, 0), point(c, d, 0), point(c, d, 1), point(a, b, 1)]);
        }
    }
    let all = (0..=n).flat_map(|x| (0..=n).flat_map(move |y| [0, 1].map(|z| (x, y, z))));
    let place = |(x, y, z): (i64, i64, i64)| Vec3::new(0.024 * x as f64, 0.024 * y as f64, 0.3 * z as f64);
    MeshData::from_faces(all.map(place).collect(), faces)
}

#[test]
fn loose_parts_are_named_by_modes_build_and_simulate() {
    let folder = tempfile::tempdir().expect("a folder");
    let here = folder.path();
    let bar = shapes::bar(Vec3::new(0.2, 1.0, 0.2), [1, 4, 1]);
    let crumb = shapes::bar(Vec3::repeat(0.05), [1, 1, 1]);
    let mut vertices = bar.vertices().to_vec();
    let start = vertices.len() as u32;
    vertices.extend(crumb.vertices().iter().map(|p| p + Vec3::y() * 1.5));
    let mut tets = bar.tets().to_vec();
    tets.extend(crumb.tets().iter().map(|t| t.map(|v| v + start)));
    io::save(&here.join("both.msh"), &MeshData::from_tets(vertices, tets), None).expect("a file");
    std::fs::write(here.join("fall.toml"), "dt = 0.01\nsteps = 2\ngravity = [0.0, -9.81, 0.0]")
        .expect("a file");
    let asked = |args: &[&str]| {
        let out = pliant(here, &[args, &["--json"]].concat());
        assert_eq!(out.status.code(), Some(0), "{args:?}: {}", String::from_utf8_lossy(&out.stderr));
        json(&out)
    };
    let said = |report: &Value, words: &str| {
        assert_eq!(report["loose_parts"], 1, "{report:#}");
        assert!(warned(report, words), "{report:#}");
    };
    // Six rigid modes of the crumb: as many as one free body has.
    let modes = asked(&["modes", "both.msh", "--modes", "2", "--fix", "y<5%"]);
    assert_eq!(modes["rigid_modes"], 6);
    said(&modes, "1 of 2 parts is loose");
    let quick = ["--modes", "2", "--forces", "linear", "--basis", "modes"];
    let build = [&["build", "both.msh", "-o", "both.pliant", "--fix", "y<5%"][..], &quick].concat();
    said(&asked(&build), "1 of 2 parts is loose");
    said(&asked(&["simulate", "both.pliant", "fall.toml"]), "1 of 2 parts is loose");
    let full = asked(&["simulate", "both.msh", "fall.toml", "--full", "--fix", "y>95%"]);
    said(&full, "the main part of the body");
    let bar = asked(&["modes", "both.msh", "--modes", "2", "--fix", "y<5%", "--fix", "y>98%"]);
    assert_eq!((&bar["loose_parts"], &bar["rigid_modes"]), (&0.into(), &0.into()));
}
