//! The broken files of the shared data, given to the program itself: refused with file and place, or used with a warning;
//! never a panic, a long wait or much memory.

use std::path::Path;
use std::process::{Command, Output};
use std::time::{Duration, Instant};

use serde_json::Value;

/// Runs `pliant info` with 200 MB of address space, and measures its time.
fn info(file: &Path) -> (Output, Duration) {
    let start = Instant::now();
    let out = Command::new("sh")
        // Kilobytes. One arena: the allocator would reserve 64 MB of addresses for every thread.
        .args(["-c", r#"ulimit -v 204800 && exec "$0" "$@""#, env!("CARGO_BIN_EXE_pliant")])
        .env("MALLOC_ARENA_MAX", "1")
        .args(["--json", "--threads", "2", "info"])
        .arg(file)
        .output()
        .expect("a shell starts");
    (out, start.elapsed())
}

#[test]
fn every_defective_file_behaves_as_its_readme_says() {
    let Some(data) = pliant_testkit::shared::data() else { return };
    // name, refused?, words that the message or the warnings must hold
    let expected: &[(&str, bool, &[&str])] = &[
        ("truncated_in_elements.veg", true, &["line"]),
        ("truncated_in_nodes.msh", true, &["line"]),
        ("truncated_binary.ply", true, &["byte"]),
        ("nan_coordinate.veg", true, &["finite", "line"]),
        ("index_out_of_range.mesh", true, &["28", "line"]),
        ("index_zero.veg", true, &["element 4", "vertex 0", "line"]),
        ("degenerate_tet.veg", false, &["volume"]),
        ("inverted_tet.mesh", false, &["10"]),
        ("nonmanifold_edge.obj", false, &["edge"]),
        ("empty.veg", true, &[]),
        ("empty.obj", true, &[]),
        ("huge_vertex_count.ply", true, &["4000000000"]),
        ("negative_density.veg", true, &["-1000", "density", "line"]),
        ("poisson_half.veg", true, &["0.5", "Poisson", "line"]),
        ("all_fixed.veg", false, &[]),
        ("one_tet.veg", false, &[]),
    ];
    for (name, is_refused, words) in expected {
        let file = data.join("defective").join(name);
        let (out, took) = info(&file);
        let stderr = String::from_utf8_lossy(&out.stderr);
        // A second is the promise and a fraction of it the rule; a busy machine must not fail the test.
        assert!(took < Duration::from_secs(10), "{name} took {took:?}");
        assert!(!stderr.contains("panicked"), "{name}: {stderr}");
        let said = if *is_refused {
            assert_eq!(out.status.code(), Some(2), "{name}: {stderr}");
            assert!(out.stdout.is_empty() && stderr.contains(name), "{name}: {stderr}");
            pliant_testkit::sentence::message(&stderr);
            stderr.into_owned()
        } else {
            assert_eq!(out.status.code(), Some(0), "{name}: {stderr}");
            let facts: Value = serde_json::from_slice(&out.stdout).expect("one JSON object");
            facts["warnings"].to_string()
        };
        for word in *words {
            assert!(said.contains(word), "{name}: {word:?} is missing in: {said}");
        }
    }
}
