//! Every example, run as it stands: its own assertions are the test. Every example has a line in docs/first-hour.md, a header
//! that leads on, and one line of `use` for the library.

#![expect(unreachable_pub, reason = "the main of an example is its own")]

#[path = "../examples/ex01_first_bar.rs"]
mod ex01_first_bar;
#[path = "../examples/ex02_your_obj.rs"]
mod ex02_your_obj;
#[path = "../examples/ex03_frame_loop.rs"]
mod ex03_frame_loop;
#[path = "../examples/ex04_modes.rs"]
mod ex04_modes;
#[path = "../examples/ex05_own_material.rs"]
mod ex05_own_material;
#[path = "../examples/ex06_custom_load.rs"]
mod ex06_custom_load;
#[path = "../examples/ex07_full_against_reduced.rs"]
mod ex07_full_against_reduced;
#[path = "../examples/ex08_scenario_to_glb.rs"]
mod ex08_scenario_to_glb;
#[path = "../examples/ex09_warp.rs"]
mod ex09_warp;
#[path = "../examples/ex10_alike.rs"]
mod ex10_alike;
#[path = "../examples/ex11_edit.rs"]
mod ex11_edit;

/// What an example is.
type Outcome = Result<(), Box<dyn std::error::Error>>;

/// A test for each, with what it does where the command line names nothing.
macro_rules! runs {
    ($($example:ident: $run:ident($($nothing:expr)?);)+) => {$(
        #[test]
        fn $example() {
            let _: fn() -> Outcome = self::$example::main;
            self::$example::$run($($nothing)?).unwrap_or_else(|error| panic!("{error}"));
        }
    )+};
}

runs! {
    ex01_first_bar: main();
    ex02_your_obj: show(None);
    ex03_frame_loop: main();
    ex04_modes: show(None);
    ex05_own_material: main();
    ex06_custom_load: main();
    ex07_full_against_reduced: main();
    ex08_scenario_to_glb: show(None);
    ex09_warp: main();
    ex10_alike: main();
    ex11_edit: main();
}

#[test]
fn a_file_of_any_format_size_and_place_is_a_body() {
    use pliant::prelude::*;
    let folder = tempfile::tempdir().expect("a folder");
    let mut ball = shapes::ball(1.5, 3).boundary().into_data();
    ball.vertices.iter_mut().for_each(|x| *x += Vec3::new(-40.0, 7.0, 3.0));
    let mut table = shapes::bar(Vec3::new(0.02, 0.01, 0.05), [2, 1, 5]).into_data();
    table.vertices.iter_mut().for_each(|x| x.y -= 2.0);
    for (name, mesh) in [("ball.stl", ball), ("table.veg", table)] {
        let path = folder.path().join(name);
        io::save(&path, &mesh, None).expect("a mesh file");
        ex02_your_obj::show(Some(path)).unwrap_or_else(|error| panic!("{name}: {error}"));
    }
    let error = ex02_your_obj::show(Some(folder.path().join("gone.obj"))).expect_err("not there");
    assert!(error.to_string().contains("gone.obj"), "{error}");
}

#[test]
fn a_material_of_your_own_is_forty_lines() {
    let text = include_str!("../examples/ex05_own_material.rs");
    let (_, from) = text.split_once("\nstatic HARDENING").expect("the law begins with its line of the table");
    let (law, _) = from.split_once("\n/// The whole of it.").expect("the program follows it");
    assert!(law.trim_end().lines().count() <= 40, "{} lines", law.trim_end().lines().count());
}

/// What is wrong with the text of an example, `is_there` telling whether the project has a file.
fn faults(text: &str, is_there: impl Fn(&str) -> bool) -> Vec<String> {
    let mut faults = Vec::new();
    let header: Vec<&str> = text.lines().take_while(|line| line.starts_with("//!")).collect();
    let line = |part: &str| header.iter().find_map(|line| line.strip_prefix(&format!("//! {part}:")));
    for part in ["Shows", "Run", "Picture", "Read next"] {
        if line(part).is_none() {
            faults.push(format!("no line {part:?} in its header"));
        }
    }
    let code = || text.lines().map(str::trim_start).filter(|line| !line.starts_with("//"));
    if let Some(picture) = line("Picture") {
        let word = |word: &str| word.trim_matches([',', ';', '.', '`']).to_owned();
        let mut shown = picture.split(' ').map(word).filter(|word| word.starts_with("docs/gallery/"));
        let writes = picture.contains("it writes ") && code().any(|line| line.contains("std::fs::write("));
        if !writes && !shown.any(|file| is_there(&file)) {
            faults.push("its picture is neither a file that it writes nor one of docs/gallery".to_owned());
        }
    }
    let uses: Vec<&str> = code().filter(|line| line.contains("pliant::")).collect();
    if uses != ["use pliant::prelude::*;"] {
        faults.push(format!("it names the library by {uses:?}, expected the prelude alone"));
    }
    let others = code().filter(|line| line.starts_with("use ") && !line.contains("pliant::"));
    faults
        .extend(others.filter(|line| !line.starts_with("use std::")).map(|line| format!("it has {line:?}")));
    faults
}

#[test]
fn every_example_is_run_here_and_named_in_the_first_hour() {
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR"));
    let hour = std::fs::read_to_string(root.join("docs/first-hour.md")).expect("docs/first-hour.md");
    let here = include_str!("examples.rs");
    let mut count = 0;
    for file in std::fs::read_dir(root.join("examples")).expect("the examples") {
        let name = file.expect("a file").file_name().into_string().expect("a name");
        let stem = name.trim_end_matches(".rs");
        assert!(here.matches(stem).count() >= 3, "{name} is not run in tests/examples.rs");
        assert!(hour.contains(&name), "{name} is not in docs/first-hour.md");
        let text = std::fs::read_to_string(root.join("examples").join(&name)).expect("text");
        let faults = faults(&text, |file| root.join(file).is_file());
        assert!(faults.is_empty(), "{name}: {}", faults.join("; "));
        count += 1;
    }
    assert!(count >= 8, "{count} examples");
}

#[test]
fn a_header_that_leads_nowhere_is_found() {
    let header =
        "//! A.\n//!\n//! Shows: a\n//! Run:   b\n//! Picture: docs/gallery/a.png, an a.\n//! Read next: c\n";
    let good = format!("{header}\nuse std::fmt;\n\nuse pliant::prelude::*;\n");
    let judge = |text: &str| faults(text, |file| file == "docs/gallery/a.png");
    assert_eq!(judge(&good), Vec::<String>::new());
    assert!(
        judge(&good.replace("docs/gallery/a.png", "it writes a.png"))[0].contains("picture"),
        "it does not"
    );
    let writes = format!(
        "{}fn main() {{\n    std::fs::write(a, b);\n}}\n",
        good.replace("docs/gallery/a.png", "it writes a.png")
    );
    assert!(judge(&writes).is_empty());
    for (from, to) in [
        ("//! Picture: docs/gallery/a.png, an a.\n", ""),
        ("gallery/a.png", "gallery/b.png"),
        ("//! Read next", "//! Read"),
        ("prelude::*;", "prelude::*;\nuse pliant::mesh::io;"),
        ("use std::fmt", "use serde::Serialize"),
    ] {
        assert_eq!(judge(&good.replace(from, to)).len(), 1, "{to}");
    }
}
