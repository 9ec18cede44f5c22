//! Doors convert and call; they never compute. What takes minutes, or decides what a body is, is a function of a room, which
//! then serves every door.

use std::collections::BTreeMap;

use super::source::{parts, test_files, without_tests};
use super::{hold, ratchet, sources};

/// Measuring is computing: these may.
const BENCHES: &str = "doors/cli/src/cmd/bench";

/// What only rooms call, and what it is.
const WORK: &[(&str, &str)] = &[
    ("linear_modes", "an eigenproblem"),
    ("generalised_eigen", "an eigenproblem"),
    ("natural_modes", "an eigenproblem"),
    ("Modes::of", "an eigenproblem"),
    ("tetrahedralise::tetrahedralise", "a solid"),
    ("Recipe::build", "a full body"),
    ("recipe.build(", "a full body"),
    ("recipe().build(", "a full body"),
    ("Recipe::default() }.build(", "a full body"),
    (".body()", "a full body"),
    ("Full::new", "a full body"),
    ("Reduced::new", "a reduced body"),
    ("run_watched", "a motion"),
    ("decimate::decimate", "a surface"),
    ("embed::attach", "a tie"),
    ("deformed_picture", "a picture of a result"),
    ("html_page", "a page of a result"),
    ("TrainingSet", "a training"),
    ("train_by", "a training"),
];

/// Files of doors that still compute, and how many of their lines do.
const ALLOWED: &[(&str, usize)] = &[];

/// Lines that a door may have, measurements and tests not counted: words in, a call, a report out.
const THIN: &[(&str, usize)] = &[("doors/cli/src/", 2_500)];

/// Lines of a source up to its tests, which stand last.
fn lines(source: &str) -> usize {
    without_tests(source).trim_end().lines().count()
}

/// A group of imports with the path before it written out before each of its members, on the same lines:
/// `use a::{b, c::{d}};` becomes `use a::b, a::c::d;`.
fn ungrouped(code: &str) -> String {
    let mut out = String::with_capacity(code.len());
    // Paths before the groups that are open; `None` for braces of other kinds.
    let mut open: Vec<Option<String>> = Vec::new();
    let mut path = String::new();
    for c in code.chars() {
        match c {
            '{' if path.ends_with("::") => {
                out.truncate(out.len() - path.len());
                open.push(Some(std::mem::take(&mut path)));
                continue;
            }
            '{' => open.push(None),
            '}' => {
                path.clear();
                if open.pop().is_some_and(|group| group.is_some()) {
                    continue;
                }
            }
            c if c.is_alphanumeric() || c == '_' || c == ':' => {
                if path.is_empty()
                    && let Some(before) = innermost(&open)
                {
                    path.push_str(&before);
                    out.push_str(&before);
                }
                path.push(c);
                out.push(c);
                continue;
            }
            _ => {}
        }
        path.clear();
        out.push(c);
    }
    out
}

/// The path before the members of the group that is open, if the innermost brace is one. It begins with that of the groups
/// around it already.
fn innermost(open: &[Option<String>]) -> Option<String> {
    open.last().cloned().flatten()
}

/// Lines of code that compute, each as `line: what (code)`.
fn computed(source: &str) -> Vec<String> {
    // The hub's body is a number.
    let code = ungrouped(&parts(&without_tests(source)).code).replace("hub.body()", "");
    let mut found = Vec::new();
    for (i, line) in code.lines().enumerate() {
        let named = WORK.iter().find(|(name, _)| line.contains(name)).map(|(_, what)| *what);
        // A function of that module is a solver; a type of it, and the module itself, is only a name.
        let is_function = |rest: &str| {
            let name = rest.split(|c: char| !(c.is_alphanumeric() || c == '_')).next().unwrap_or("");
            name != "self" && name.starts_with(|c: char| c.is_ascii_lowercase())
        };
        let solver = line.split("eigen::").skip(1).any(is_function);
        if let Some(what) = named.or(solver.then_some("an eigenproblem")) {
            found.push(format!("{}: {what} ({})", i + 1, line.trim()));
        }
    }
    found
}

#[test]
fn doors_do_not_compute() {
    let sources =
        sources(|path| path.starts_with("doors/") && path.contains("/src/") && !path.starts_with(BENCHES));
    let tests = test_files(&sources);
    let mut found = BTreeMap::new();
    for (path, source) in sources.iter().filter(|(path, _)| !tests.contains(path)) {
        let computed = computed(source);
        if !computed.is_empty() {
            found.insert(path.display().to_string(), computed);
        }
    }
    hold(ratchet("a door computes; make it one call of a room", ALLOWED, &found));
}

#[test]
fn doors_are_thin() {
    for (door, most) in THIN {
        let sources = sources(|path| path.starts_with(door) && !path.starts_with(BENCHES));
        let tests = test_files(&sources);
        assert!(!sources.is_empty(), "{door} is no door");
        let all: usize =
            sources.iter().filter(|(path, _)| !tests.contains(path)).map(|(_, source)| lines(source)).sum();
        let next = "move what is not about words into a room, which then serves every door";
        assert!(all < *most, "{door} has {all} lines, expected fewer than {most}: {next}");
    }
}

#[test]
fn tests_are_no_lines_of_a_door() {
    let test = "#[cfg(test)]\nmod tests {\n    fn f() {}\n\n    fn g() {}\n}\n";
    assert_eq!(lines("//! A door.\n\nfn f() {}\n"), 3);
    // The mark itself stays.
    assert_eq!(lines(&format!("//! A door.\n\nfn f() {{}}\n\n{test}")), 5);
}

#[test]
fn a_door_that_computes_is_found() {
    for bad in [
        "let m = eigen::lowest(&k, &m, 5)?;",
        "let m = linear_modes(&body, 5, watch)?;",
        "let m = Modes::of(&k, &m);",
        "let t = tetrahedralise::tetrahedralise(&s, &o, w)?;",
        "use pliant::mesh::tetrahedralise::{tetrahedralise, Options};",
        "use pliant::mesh::{io, tetrahedralise::{Options, tetrahedralise}};",
        "use pliant::linalg::eigen::{lowest};",
        "use pliant::linalg::{eigen::{EigenError, lowest}, Vec3};",
        "use pliant::mesh::{decimate::{self, decimate}, embed::{attach}};",
        "let m = model.natural_modes()?;",
        "let b = recipe.build(mesh)?;",
        "let b = x.recipe().build(mesh)?;",
        "let b = model.body()?;",
        "let f = Full::new(b, l)?;",
        "let s = TrainingSet::new(b)?;",
        "s.train_by(t, 3, w)?;",
    ] {
        assert_eq!(computed(&format!("fn f() {{\n    {bad}\n}}\n")).len(), 1, "{bad}");
    }
    for good in [
        "use pliant::linalg::eigen::EigenError;",
        "use pliant::linalg::{eigen::{EigenError}, Vec3};",
        "use pliant::linalg::eigen::{self, EigenError};",
        "use pliant::mesh::{tetrahedralise::{self, Options, Size}, io};",
        "use pliant::reduce::{Precompute, force::{self, trainer}};\nfn f() { match x { A::B { c } => d } }",
        "// linear_modes",
        "let said = \"Full::new\";",
        "let b = hub.body();",
    ] {
        assert!(computed(good).is_empty(), "{good}");
    }
}
