//! The contract of the command line (docs/cli.md), tried as a user would: from outside.

use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;

fn pliant(folder: &Path, args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_pliant")).current_dir(folder).args(args).output().expect("pliant starts")
}

#[track_caller]
fn json(folder: &Path, args: &[&str]) -> Value {
    let out = pliant(folder, &[&["--json"], args].concat());
    let stderr = String::from_utf8_lossy(&out.stderr);
    assert!(out.status.success(), "pliant {args:?}: {stderr}");
    serde_json::from_slice(&out.stdout).expect("standard output is one JSON object and nothing else")
}

/// Fails with status 2, nothing on standard output, a sentence with all of `words` on standard error, no panic.
#[track_caller]
fn refused(folder: &Path, args: &[&str], words: &[&str]) {
    let out = pliant(folder, &[&["--json"], args].concat());
    let stderr = String::from_utf8_lossy(&out.stderr);
    assert_eq!(out.status.code(), Some(2), "pliant {args:?}: {stderr}");
    assert!(out.stdout.is_empty(), "pliant {args:?}: standard output must stay empty");
    assert!(!stderr.contains("panicked"), "{stderr}");
    pliant_testkit::sentence::message(&stderr);
    for word in words {
        assert!(stderr.contains(word), "pliant {args:?}: {word:?} is missing in: {stderr}");
    }
}

fn files(folder: &Path) -> Vec<String> {
    let mut names: Vec<String> = std::fs::read_dir(folder)
        .expect("the folder is there")
        .map(|e| e.expect("an entry").file_name().into_string().expect("text"))
        .collect();
    names.sort();
    names
}

#[test]
fn a_shape_is_made_converted_and_described() {
    let dir = tempfile::tempdir().unwrap();
    let made =
        json(dir.path(), &["mesh", "--shape", "bar", "-o", "bar.veg", "--fix", "x<5%", "--young", "2e5"]);
    assert_eq!(made["kind"], "tets");
    assert!(made["seconds"].as_f64().unwrap() > 0.0);
    json(dir.path(), &["mesh", "bar.veg", "-o", "bar.vtu"]);
    let info = json(dir.path(), &["info", "bar.vtu"]);
    for key in [
        "kind",
        "vertices",
        "elements",
        "components",
        "bbox",
        "volume",
        "area",
        "closed",
        "manifold",
        "inverted",
        "degenerate",
        "quality",
        "warnings",
    ] {
        assert!(info.get(key).is_some(), "{key} is missing");
        if key != "warnings" {
            assert_eq!(info[key], made[key], "{key}");
        }
    }
    assert_eq!(info["sets"][0]["name"], "fixed");
    assert_eq!(info["inverted"], 0);
    assert!(info["quality"]["min_dihedral_deg"].as_f64().unwrap() > 10.0);
    assert_eq!(files(dir.path()), ["bar.veg", "bar.vtu"]);
}

#[test]
fn what_is_fixed_is_replaced_and_cleared() {
    let dir = tempfile::tempdir().unwrap();
    json(dir.path(), &["mesh", "--shape", "bar", "-o", "bar.veg", "--fix", "x<5%:z", "--fix", "ids:3,4"]);
    let sets = |file: &str| json(dir.path(), &["info", file])["sets"].to_string();
    assert!(sets("bar.veg").contains("fixed:z") && sets("bar.veg").contains(r#""fixed","vertices":2"#));
    let made = json(dir.path(), &["mesh", "bar.veg", "-o", "none.veg", "--fix", "none"]);
    assert_eq!(made["sets"].as_array().unwrap().len(), 0);
    let made = json(dir.path(), &["mesh", "bar.veg", "-o", "empty.veg", "--fix", "box:8,8,8,9,9,9"]);
    assert!(made["warnings"].to_string().contains("fixes nothing"), "{}", made["warnings"]);
}

#[test]
fn both_pictures_are_drawn_when_both_are_asked_for() {
    let dir = tempfile::tempdir().unwrap();
    json(dir.path(), &["mesh", "--shape", "cloth", "-o", "a.png", "--picture", "b.png"]);
    assert_eq!(files(dir.path()), ["a.png", "b.png"]);
}

#[test]
fn a_surface_becomes_a_solid_with_the_surface_tied_to_it() {
    let dir = tempfile::tempdir().unwrap();
    json(dir.path(), &["mesh", "--shape", "ball", "-o", "ball.obj"]);
    let surface = json(dir.path(), &["info", "ball.obj"]);
    let solid =
        json(dir.path(), &["mesh", "ball.obj", "-o", "ball.mesh", "--tets", "--elements", "3000", "--embed"]);
    assert_eq!(solid["kind"], "tets");
    let tets = solid["elements"].as_f64().unwrap();
    assert!((tets / 3000.0 - 1.0).abs() < 0.15, "{tets} tets");
    assert_eq!(solid["embedded_vertices"], surface["vertices"]);
    assert_eq!(json(dir.path(), &["info", "ball.mesh"])["embedded_vertices"], surface["vertices"]);
    let (a, b) = (solid["volume"].as_f64().unwrap(), surface["volume"].as_f64().unwrap());
    assert!((a / b - 1.0).abs() < 0.05, "{a} against {b}");
}

#[test]
fn a_sheet_encloses_nothing_and_the_message_says_what_to_do() {
    let dir = tempfile::tempdir().unwrap();
    json(dir.path(), &["mesh", "--shape", "cloth", "-o", "cloth.obj"]);
    refused(dir.path(), &["mesh", "cloth.obj", "-o", "solid.veg", "--tets"], &["--cage"]);
    assert_eq!(files(dir.path()), ["cloth.obj"], "nothing was written");
    let cage =
        json(dir.path(), &["mesh", "cloth.obj", "-o", "cage.veg", "--tets", "--cage", "--resolution", "10"]);
    assert_eq!(cage["inverted"], 0);
}

#[test]
fn bad_usage_and_bad_files_are_refused_with_a_reason() {
    let dir = tempfile::tempdir().unwrap();
    let write = |name: &str, bytes: &[u8]| std::fs::write(dir.path().join(name), bytes).unwrap();
    write("empty.veg", b"");
    write("short.mesh", b"MeshVersionFormatted 1\nDimension 3\nVertices\n3\n0 0 0 0\n1 0 0 0\n");
    write("bad.obj", b"v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 4\n");
    write("noise.stl", &[7; 100]);
    write("what.blend", b"BLENDER");
    refused(dir.path(), &["info", "missing.obj"], &["missing.obj"]);
    refused(dir.path(), &["info", "empty.veg"], &["empty.veg"]);
    refused(dir.path(), &["info", "short.mesh"], &["short.mesh", "line"]);
    refused(dir.path(), &["info", "bad.obj"], &["bad.obj", "line 4"]);
    refused(dir.path(), &["info", "noise.stl"], &["noise.stl"]);
    refused(dir.path(), &["info", "what.blend"], &["what.blend", ".obj", "pliant formats"]);
    refused(dir.path(), &["info", "."], &["format"]);
    refused(dir.path(), &["mesh", "bad.obj", "-o", "out.xyz"], &["out.xyz"]);
    refused(dir.path(), &["mesh", "-o", "out.obj"], &["--shape"]);
    refused(dir.path(), &["mesh", "--shape", "teapot", "-o", "t.veg"], &["teapot", "dino"]);
    refused(dir.path(), &["mesh", "--shape", "bar", "-o", "nowhere/t.veg"], &["nowhere"]);
    refused(
        dir.path(),
        &["mesh", "--shape", "bar", "-o", "t.veg", "--variant", "binary"],
        &["variant", "text"],
    );
    refused(dir.path(), &["mesh", "--shape", "bar", "-o", "t.veg", "--poisson", "0.5"], &["0.5"]);
    refused(dir.path(), &["mesh", "--shape", "bar", "-o", "t.veg", "--fix", "left"], &["x<5%"]);
    refused(dir.path(), &["mesh", "--shape", "bar", "-o", "t.veg", "--tets"], &["--tets"]);
    refused(dir.path(), &["mesh", "--shape", "bar", "-o", "t.veg", "--picture", "t.jpg"], &["t.jpg", ".png"]);
    refused(dir.path(), &["mesh", "--tets", "--embed", "bad.obj", "-o", "t.veg"], &["--embed"]);
    refused(
        dir.path(),
        &["mesh", "--shape", "bar", "-o", "t.veg", "--picture", "nowhere/t.png"],
        &["nowhere"],
    );
    assert!(!dir.path().join("t.veg").exists(), "nothing is written when something cannot be");
    refused(dir.path(), &["frobnicate"], &["frobnicate"]);
    refused(dir.path(), &["info", "bad.obj", "-o", "report.pdf"], &["report.pdf", ".html"]);
}

#[test]
fn help_version_formats_and_completions_answer() {
    let dir = tempfile::tempdir().unwrap();
    for args in [&["help"][..], &["--help"], &["--version"], &["help", "mesh"], &["completions", "bash"]] {
        let out = pliant(dir.path(), args);
        assert!(out.status.success() && !out.stdout.is_empty(), "{args:?}");
    }
    for command in ["info", "mesh", "formats", "completions", "bench"] {
        let out = pliant(dir.path(), &[command, "--help"]);
        assert!(String::from_utf8_lossy(&out.stdout).contains("EXAMPLES"), "{command} --help shows examples");
    }
    let formats = json(dir.path(), &["formats"]);
    let names: Vec<&str> =
        formats["formats"].as_array().unwrap().iter().map(|f| f["name"].as_str().unwrap()).collect();
    for name in ["veg", "medit", "obj", "bou", "interp"] {
        assert!(names.contains(&name), "{name} in {names:?}");
    }
}

#[test]
fn a_closed_pipe_is_no_failure() {
    let dir = tempfile::tempdir().unwrap();
    json(dir.path(), &["mesh", "--shape", "bar", "-o", "bar.veg"]);
    let mut child = Command::new(env!("CARGO_BIN_EXE_pliant"))
        .current_dir(dir.path())
        .args(["info", "bar.veg"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let out = child.wait_with_output().unwrap();
    assert_eq!(out.status.code(), Some(0), "{}", String::from_utf8_lossy(&out.stderr));
}

#[test]
fn the_same_words_give_the_same_bytes_whatever_the_threads() {
    let dir = tempfile::tempdir().unwrap();
    for (shape, ending) in [("letter-a", "veg"), ("letter-a", "png"), ("cloth", "glb")] {
        let name = |threads: &str| format!("{shape}{threads}.{ending}");
        for threads in ["1", "3"] {
            json(dir.path(), &["--threads", threads, "mesh", "--shape", shape, "-o", &name(threads)]);
        }
        let bytes = |threads| std::fs::read(dir.path().join(name(threads))).unwrap();
        assert!(bytes("1") == bytes("3"), "{shape} as {ending}");
    }
}

#[test]
fn an_interrupt_leaves_no_file() {
    let dir = tempfile::tempdir().unwrap();
    let mut child = Command::new(env!("CARGO_BIN_EXE_pliant"))
        .current_dir(dir.path())
        .args(["mesh", "--shape", "sponge", "--subdivision", "4", "-o", "sponge.mesh"])
        .stdout(Stdio::null())
        .spawn()
        .unwrap();
    std::thread::sleep(Duration::from_millis(400));
    let sent = Command::new("kill").args(["-INT", &child.id().to_string()]).status();
    if !sent.is_ok_and(|s| s.success()) {
        child.kill().unwrap();
        child.wait().unwrap();
        return;
    }
    let start = Instant::now();
    assert_eq!(child.wait().unwrap().code(), Some(130));
    assert!(start.elapsed() < Duration::from_secs(20), "it stops soon");
    assert_eq!(files(dir.path()), Vec::<String>::new());
}

#[test]
fn a_report_is_one_page_with_a_picture() {
    let dir = tempfile::tempdir().unwrap();
    // Two triangles on the same three corners and a third far away: several findings.
    let obj = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 5 5 5\nv 6 5 5\nv 5 6 5\nf 1 2 3\nf 1 2 3\nf 4 5 6\n";
    std::fs::write(dir.path().join("odd.obj"), obj).unwrap();
    let info = json(dir.path(), &["info", "odd.obj", "-o", "report.html"]);
    assert!(info["warnings"].as_array().unwrap().len() >= 2, "{}", info["warnings"]);
    let page = std::fs::read_to_string(dir.path().join("report.html")).unwrap();
    assert!(page.contains("data:image/png;base64,"));
    assert!(!page.contains("http://") && !page.contains("https://"), "nothing is fetched");
    json(dir.path(), &["info", "odd.obj", "-o", "report.png"]);
    assert!(std::fs::read(dir.path().join("report.png")).unwrap().starts_with(b"\x89PNG"));
}

/// Every command has a page, linked from docs/cli.md, which has all its options: on itself, on that of bodies where it takes one,
/// or among those that hold everywhere.
#[test]
fn every_option_of_every_command_is_on_its_page() {
    let docs = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs");
    let read =
        |name: &str| std::fs::read_to_string(docs.join(name)).unwrap_or_else(|e| panic!("docs/{name}: {e}"));
    let help = |args: &[&str]| String::from_utf8(pliant(&docs, args).stdout).unwrap();
    let (index, bodies) = (read("cli.md"), read("cli/bodies.md"));
    let listed = help(&["--help"]);
    let commands: Vec<&str> = listed
        .lines()
        .skip_while(|l| !l.starts_with("Commands:"))
        .skip(1)
        .map_while(|l| l.strip_prefix("  "))
        .filter_map(|l| l.split_whitespace().next().filter(|_| !l.starts_with(' ')))
        .filter(|name| *name != "help")
        .collect();
    assert!(commands.len() >= 11, "{commands:?}");
    for command in commands {
        let page = read(&format!("cli/{command}.md"));
        assert!(index.contains(&format!("(cli/{command}.md)")), "docs/cli.md has no link to {command}");
        let takes_a_body = page.contains("(bodies.md)");
        // An option stands at the left; what is said about it goes on further right.
        let is_option = |line: &&str| line.starts_with("      --") || line.starts_with("  -");
        for line in help(&[command, "--help"]).lines().filter(is_option) {
            let option = line.split_whitespace().find(|w| w.starts_with("--")).unwrap_or("--help");
            let told = page.contains(option)
                || index.contains(option)
                || takes_a_body && bodies.contains(option)
                || option == "--help";
            assert!(told, "docs/cli/{command}.md does not tell {option}");
        }
    }
}
