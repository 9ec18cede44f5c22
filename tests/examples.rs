//! Every example, run as it stands: its own assertions are the test. And every example has a line in docs/first-hour.md.

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

/// A test for each.
macro_rules! runs {
    ($($example:ident)+) => {$(
        #[test]
        fn $example() {
            self::$example::main().unwrap_or_else(|error| panic!("{error}"));
        }
    )+};
}

runs!(ex01_first_bar ex02_your_obj ex03_frame_loop ex04_modes ex05_own_material ex06_custom_load);
runs!(ex07_full_against_reduced ex08_scenario_to_glb);

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
        for part in ["//! Shows:", "//! Run:", "//! Read next:"] {
            assert!(text.contains(part), "{name} has no line {part:?} in its header");
        }
        count += 1;
    }
    assert!(count >= 8, "{count} examples");
}
