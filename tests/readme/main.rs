//! The program of the README does what the README says, in a folder that has a `cup.obj`.

mod program;

use pliant::prelude::*;

/// Lines that a program of the README may have.
const MOST_LINES: usize = 25;

#[test]
fn the_program_of_the_readme_runs() {
    let readme = include_str!("../../README.md");
    let shown = readme.split("```rust,no_run\n").nth(1).and_then(|rest| rest.split("```").next());
    let shown = shown.expect("the README shows a program");
    // Only the header and a word for the module are different.
    let run = include_str!("program.rs")
        .split_once("\n\n")
        .expect("a header")
        .1
        .replace("pub(crate) fn main", "fn main");
    assert_eq!(shown, run, "tests/readme/program.rs is the program of the README");
    assert!(shown.lines().count() <= MOST_LINES && shown.matches("use ").count() == 1, "{shown}");
    let folder = tempfile::tempdir().expect("a folder");
    let cup = shapes::bar(Vec3::new(0.1, 0.3, 0.1), [2, 6, 2]).boundary().into_data();
    io::save(&folder.path().join("cup.obj"), &cup, None).expect("a file");
    std::env::set_current_dir(folder.path()).expect("a folder to run in");
    program::main().unwrap_or_else(|error| panic!("{error}"));
}
