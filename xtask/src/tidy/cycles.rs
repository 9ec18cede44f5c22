//! Modules of a crate use each other in one direction: what is in a cycle can neither be read nor moved alone.
//!
//! A module here is a file or folder directly below `src`, with all that is in it; the root (`lib.rs`, `main.rs`) declares
//! them all and is none. An edge is a path `crate::name`, or as many `super::` as lead to the root, in code that is no test. A
//! name that the root only passes on, as by `pub use a::Name`, is a path to a.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use super::source::{parts, test_files, without_tests};
use super::{hold, sources};

/// Cycles of today: the folder of a crate and the modules that use each other. No line may be added.
const ALLOWED: &[(&str, &[&str])] = &[];

/// Which module uses which.
type Edges = BTreeMap<String, BTreeSet<String>>;

/// The module of a file below `src`, and how many `super::` lead from it to the root.
fn module(path: &Path) -> Option<(String, usize)> {
    let names: Vec<&str> = path.iter().filter_map(|part| part.to_str()).collect();
    let (file, folders) = names.split_last()?;
    let stem = file.strip_suffix(".rs")?;
    match (folders, stem) {
        ([], "lib" | "main") => None,
        ([], name) => Some((name.to_owned(), 1)),
        ([first, ..], "mod") => Some(((*first).to_owned(), folders.len())),
        ([first, ..], _) => Some(((*first).to_owned(), folders.len() + 1)),
    }
}

/// The first names behind a prefix: `crate::a::b` → a, `crate::{a, b::{c, d}}` → a, b.
fn heads(code: &str, prefix: &str) -> Vec<String> {
    let word =
        |text: &str| -> String { text.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect() };
    let mut found = Vec::new();
    for (at, _) in code.match_indices(prefix) {
        // Not the end of a longer word or path: `my_crate::`, `super::` before `super::`.
        if code[..at].ends_with(|c: char| c.is_alphanumeric() || c == '_' || c == ':') {
            continue;
        }
        let rest = &code[at + prefix.len()..];
        let Some(list) = rest.strip_prefix('{') else {
            found.push(word(rest));
            continue;
        };
        let mut depth = 0;
        let mut fresh = true;
        for (k, c) in list.char_indices() {
            match c {
                '{' => depth += 1,
                '}' if depth == 0 => break,
                '}' => depth -= 1,
                ',' if depth == 0 => fresh = true,
                c if fresh && c.is_alphabetic() => {
                    found.push(word(&list[k..]));
                    fresh = false;
                }
                _ => {}
            }
        }
    }
    found
}

/// The names that a `use` brings, each with the first of its path: `a::{self, B, c::D as E}` → (a, a), (B, a), (E, a).
fn brought(tree: &str) -> Vec<(String, String)> {
    let tree = tree.trim();
    if let Some((path, list)) = tree.split_once('{') {
        let path = path.trim();
        let list = list.trim_end().strip_suffix('}').unwrap_or(list);
        let mut depth = 0;
        let between = |c: char| {
            match c {
                '{' => depth += 1,
                '}' => depth -= 1,
                _ => {}
            }
            c == ',' && depth == 0
        };
        return list.split(between).flat_map(|one| brought(&format!("{path}{}", one.trim()))).collect();
    }
    let (path, alias) = tree.split_once(" as ").map_or((tree, None), |(path, alias)| (path, Some(alias)));
    let inside = ["crate::", "self::"].iter().find_map(|root| path.strip_prefix(root)).unwrap_or(path);
    let names: Vec<&str> = inside.split("::").map(str::trim).filter(|name| *name != "self").collect();
    let (Some(first), Some(last)) = (names.first(), names.last()) else { return Vec::new() };
    let name = alias.unwrap_or(last).trim();
    if name.is_empty() { Vec::new() } else { vec![(name.to_owned(), (*first).to_owned())] }
}

/// What the root of a crate passes on: names, and the first of the path behind each.
fn passed_on(files: &[(PathBuf, String)]) -> BTreeMap<String, String> {
    let roots = files.iter().filter(|(path, _)| module(path).is_none());
    let code: Vec<String> = roots.map(|(_, source)| parts(&without_tests(source)).code).collect();
    // rustfmt begins a line with it; a list may go over several.
    let uses = code.iter().flat_map(|code| code.split(';')).filter_map(|statement| {
        let starts = ["\npub use ", "\npub(crate) use ", "\nuse "];
        starts.iter().find_map(|start| statement.split_once(start)).map(|(_, tree)| tree)
    });
    uses.flat_map(brought).collect()
}

/// The edges between the modules of one crate; files are relative to its `src`.
fn edges(files: &[(PathBuf, String)]) -> Edges {
    let tests = test_files(files);
    let names: BTreeSet<String> =
        files.iter().filter_map(|(path, _)| module(path)).map(|(name, _)| name).collect();
    let passed_on = passed_on(files);
    // A name may be passed on more than once: `pub use a::b; pub use b::C;`.
    let behind = |name: String| {
        let mut steps = std::iter::successors(Some(name), |name| passed_on.get(name).cloned()).take(9);
        steps.find(|name| names.contains(name))
    };
    let mut edges = Edges::new();
    for (path, source) in files.iter().filter(|(path, _)| !tests.contains(path)) {
        let Some((from, depth)) = module(path) else { continue };
        let code = parts(&without_tests(source)).code;
        let used = [heads(&code, "crate::"), heads(&code, &"super::".repeat(depth))].concat();
        let used = used.into_iter().filter_map(&behind).filter(|to| *to != from);
        edges.entry(from.clone()).or_default().extend(used);
    }
    edges
}

/// Sets of modules each of which reaches all others of its set.
fn cycles(edges: &Edges) -> BTreeSet<Vec<String>> {
    let reached = |from: &String| {
        let mut seen = BTreeSet::new();
        let mut left = vec![from];
        while let Some(at) = left.pop() {
            for next in edges.get(at).into_iter().flatten() {
                if seen.insert(next.clone()) {
                    left.push(next);
                }
            }
        }
        seen
    };
    let reach: BTreeMap<&String, BTreeSet<String>> = edges.keys().map(|name| (name, reached(name))).collect();
    let together =
        |a: &String, b: &String| reach[a].contains(b) && reach.get(b).is_some_and(|r| r.contains(a));
    let set = |a: &String| edges.keys().filter(|b| together(a, b)).cloned().collect::<Vec<_>>();
    edges.keys().map(set).filter(|set| set.len() > 1).collect()
}

/// Holds the cycles of a crate against those that are allowed.
fn judge(krate: &str, edges: &Edges, allowed: &[(&str, &[&str])]) -> Result<(), String> {
    let found = cycles(edges);
    let listed: BTreeSet<Vec<String>> = allowed
        .iter()
        .filter(|(name, _)| *name == krate)
        .map(|(_, modules)| modules.iter().map(|m| (*m).to_owned()).collect())
        .collect();
    let mut wrong = String::new();
    for modules in found.difference(&listed) {
        wrong += &format!("{krate}: these modules use each other: {}\n", modules.join(", "));
        for from in modules {
            let used: Vec<&str> =
                edges[from].iter().filter(|to| modules.contains(to)).map(String::as_str).collect();
            wrong += &format!("    {from} uses {}\n", used.join(", "));
        }
    }
    for modules in listed.difference(&found) {
        wrong += &format!(
            "{krate}: no longer a cycle as it is listed: {}; shorten the list\n",
            modules.join(", ")
        );
    }
    if wrong.is_empty() { Ok(()) } else { Err(wrong) }
}

#[test]
fn modules_use_each_other_in_one_direction() {
    let mut crates: BTreeMap<String, Vec<(PathBuf, String)>> = BTreeMap::new();
    for (path, source) in sources(|path| path.contains("/src/")) {
        let (krate, below) = path.to_str().and_then(|p| p.split_once("/src/")).expect("a path with src");
        // Programs beside the library are crates of their own.
        if !below.starts_with("bin/") {
            crates.entry(krate.to_owned()).or_default().push((PathBuf::from(below), source));
        }
    }
    assert!(crates.len() > 5);
    let known = |krate: &str| crates.contains_key(krate);
    assert!(ALLOWED.iter().all(|(krate, _)| known(krate)), "the list names a crate that is not there");
    let wrong: String =
        crates.iter().filter_map(|(name, files)| judge(name, &edges(files), ALLOWED).err()).collect();
    hold(if wrong.is_empty() { Ok(()) } else { Err(wrong) });
}

#[test]
fn a_cycle_is_found_however_the_path_is_written() {
    const ROOT: &str = "mod a;\nmod b;\n\nuse crate::a::A;\npub use a::deep;\npub use b::{\n    B, self as c,\n    d::{D, E as F},\n};\npub use F as G;\n";
    let crate_of = |a: &str| {
        let file = |path: &str, source: &str| (PathBuf::from(path), source.to_owned());
        [
            file("lib.rs", ROOT),
            file("a/mod.rs", "mod deep;\n"),
            file("a/deep.rs", a),
            file("b.rs", "use crate::a::A;\n#[cfg(test)]\nmod tests {\n    use crate::b::B;\n}\n"),
        ]
    };
    for bad in [
        "use crate::b::B;",
        "use crate::{a::C, b::{B, D}};",
        "use super::super::b::B;",
        "fn f() { crate::b::g(); }",
        "use crate::B;",
        "use crate::{A, F};",
        "fn f() { crate::D::new(); }",
        "use super::super::c::B;",
        "use crate::G;",
    ] {
        let judged = judge("x", &edges(&crate_of(bad)), &[]);
        assert!(judged.is_err_and(|why| why.contains("a uses b") && why.contains("b uses a")), "{bad}");
        assert_eq!(judge("x", &edges(&crate_of(bad)), &[("x", &["a", "b"])]), Ok(()));
    }
    for good in [
        "use super::B;",
        "use super::b::B;",
        "// use crate::b::B",
        "use crate::{a::b, a::{b}};",
        "use other_crate::b::B;",
        "use crate::{A, E, deep};",
    ] {
        assert_eq!(judge("x", &edges(&crate_of(good)), &[]), Ok(()), "{good}");
    }
    let test = "#[cfg(test)]\nmod tests {\n    use crate::b::B;\n}\n";
    assert_eq!(judge("x", &edges(&crate_of(test)), &[]), Ok(()), "tests may look at everything");
    let listed: &[(&str, &[&str])] = &[("x", &["a", "b"])];
    assert!(judge("x", &edges(&crate_of("")), listed).is_err_and(|why| why.contains("shorten")));
}
