//! House rules as tests: who may use whom, what the documents name exists, nothing of one machine is left in a file.

use std::path::{Path, PathBuf};

use crate::tools;

/// Which packages of the house a package may use. Prose with reasons: ARCHITECTURE.md. A new line needs an ADR.
const MAY_USE: &[(&str, &[&str])] = &[
    ("pliant-linalg", &[]),
    ("pliant-mesh", &["pliant-linalg"]),
    ("pliant-energy", &["pliant-linalg", "pliant-mesh"]),
    ("pliant-dynamics", &["pliant-linalg"]),
    ("pliant-reduce", &["pliant-linalg", "pliant-mesh", "pliant-energy"]),
    ("pliant-sim", &["pliant-linalg", "pliant-mesh", "pliant-energy", "pliant-dynamics", "pliant-reduce"]),
    (
        "pliant-world",
        &[
            "pliant-linalg",
            "pliant-mesh",
            "pliant-energy",
            "pliant-dynamics",
            "pliant-reduce",
            "pliant-sim",
        ],
    ),
    ("pliant-draw", &["pliant-linalg", "pliant-mesh"]),
    ("pliant-testkit", &["pliant-linalg", "pliant-mesh"]),
    (
        "pliant",
        &[
            "pliant-linalg",
            "pliant-mesh",
            "pliant-energy",
            "pliant-dynamics",
            "pliant-reduce",
            "pliant-sim",
            "pliant-world",
            "pliant-draw",
        ],
    ),
    ("pliant-truth", &["pliant", "pliant-testkit"]),
    ("pliant-tables", &["pliant", "pliant-testkit", "pliant-truth"]),
    ("pliant-cli", &["pliant", "pliant-studio"]),
    ("pliant-studio", &["pliant", "pliant-testkit"]),
    ("xtask", &[]),
];

/// Crates that only one room names: a major upgrade is a change in that room alone.
const ONLY_IN: &[(&str, &str)] = &[
    ("nalgebra", "pliant-linalg"),
    ("faer", "pliant-linalg"),
    ("png", "pliant-draw"),
    ("plotters", "pliant-draw"),
    ("clap", "pliant-cli"),
    ("axum", "pliant-studio"),
    ("tokio", "pliant-studio"),
];

/// Past this many lines a file has more than one subject.
const MOST_LINES: usize = 1000;

/// Files under version control, or about to be.
fn files() -> Vec<PathBuf> {
    let args = ["ls-files", "--cached", "--others", "--exclude-standard"];
    let listed = tools::output(std::process::Command::new("git").current_dir(tools::root()).args(args))
        .expect("the project is a git checkout");
    listed.lines().map(PathBuf::from).filter(|p| tools::root().join(p).is_file()).collect()
}

fn text(path: &Path) -> Option<String> {
    String::from_utf8(std::fs::read(tools::root().join(path)).ok()?).ok()
}

/// (name, names under `[dependencies]`) of every package of the workspace.
fn packages() -> Vec<(String, Vec<String>)> {
    let manifests = files().into_iter().filter(|p| p.ends_with("Cargo.toml") && !p.starts_with("fuzz"));
    manifests
        .map(|path| {
            let manifest = text(&path).expect("a manifest is text");
            let name = manifest
                .lines()
                .find_map(|l| l.strip_prefix("name = \"")?.strip_suffix('"'))
                .unwrap_or_else(|| panic!("{} names its package", path.display()));
            let section = manifest.split("\n[dependencies]\n").nth(1).unwrap_or("");
            let section = section.split("\n[").next().unwrap_or("");
            let word = |l: &str| l.split(['.', ' ', '=']).next().unwrap_or("").to_owned();
            let dependencies =
                section.lines().filter(|l| !l.is_empty() && !l.starts_with('#')).map(word).collect();
            (name.to_owned(), dependencies)
        })
        .collect()
}

#[test]
fn rooms_use_only_the_rooms_they_may() {
    for (name, dependencies) in packages() {
        let (_, allowed) = MAY_USE
            .iter()
            .find(|(n, _)| *n == name)
            .unwrap_or_else(|| panic!("{name} has no line in MAY_USE; write one, and an ADR"));
        for used in dependencies.iter().filter(|d| d.starts_with("pliant")) {
            assert!(allowed.contains(&used.as_str()), "{name} may not use {used}");
        }
        for (library, room) in ONLY_IN {
            assert!(
                name == *room || !dependencies.iter().any(|d| d == library),
                "only {room} may name {library}"
            );
        }
    }
}

#[test]
fn links_in_the_documents_lead_somewhere() {
    for path in files().into_iter().filter(|p| p.extension().is_some_and(|e| e == "md")) {
        let folder = path.parent().unwrap_or(Path::new(""));
        for link in text(&path).expect("documents are text").split("](").skip(1) {
            let link = link.split([')', '#', ' ']).next().unwrap_or("");
            if link.is_empty() || link.contains("://") {
                continue;
            }
            let target = tools::root().join(folder).join(link);
            assert!(target.exists(), "{} links to {link}, which is not there", path.display());
        }
    }
}

#[test]
fn folders_in_the_architecture_exist() {
    // What is planned stands below its own headline.
    let all = text(Path::new("ARCHITECTURE.md")).expect("ARCHITECTURE.md is there");
    let now = all.split("## Rooms to come").next().unwrap_or("");
    let named =
        now.split('`').skip(1).step_by(2).filter(|w| w.contains('/') && !w.contains([' ', '<', '*', '{']));
    for name in named {
        assert!(tools::root().join(name).exists(), "ARCHITECTURE.md names {name}, which is not there");
    }
    // The tree: the first word of a line behind its branches; what is indented once lies in `crates`.
    let tree: Vec<&str> = now.lines().filter(|l| l.contains(['├', '└']) && !l.contains('─')).collect();
    assert!(tree.len() > 5, "ARCHITECTURE.md shows the tree");
    for line in tree {
        let name = line.trim_start_matches(['│', '├', '└', ' ']).split(' ').next().unwrap_or("");
        let folder = if line.starts_with('│') { tools::root().join("crates") } else { tools::root() };
        assert!(folder.join(name).exists(), "the tree in ARCHITECTURE.md names {name}, which is not there");
    }
}

#[test]
fn nothing_of_one_machine_is_left_in_a_file() {
    // Put together here, so that this file does not accuse itself.
    let foreign: Vec<String> =
        ["home", "root", "tmp", "work"].iter().map(|folder| format!("/{folder}/")).collect();
    for path in files() {
        for (i, line) in text(&path).unwrap_or_default().lines().enumerate() {
            for word in line.split([' ', '"', '\'', '`', '(', '=', ':']) {
                let found = foreign.iter().any(|f| word.starts_with(f.as_str()));
                assert!(!found, "{}:{}: a path of one machine: {word}", path.display(), i + 1);
            }
        }
    }
}

#[test]
fn files_have_one_subject() {
    for path in files().into_iter().filter(|p| p.extension().is_some_and(|e| e == "rs" || e == "py")) {
        let lines = text(&path).expect("sources are text").lines().count();
        assert!(
            lines <= MOST_LINES,
            "{} has {lines} lines, more than {MOST_LINES}: split it",
            path.display()
        );
    }
}

#[test]
fn every_source_file_says_what_it_is() {
    for path in files().into_iter().filter(|p| p.extension().is_some_and(|e| e == "rs")) {
        let first = text(&path).expect("sources are text");
        assert!(first.starts_with("//!"), "{} does not start with a module header", path.display());
    }
}

#[test]
fn papers_and_code_name_each_other() {
    // | **KEY** | paper | `file`, `file` |
    let listed = text(Path::new("docs/papers.md")).expect("docs/papers.md is there");
    let mut keys = Vec::new();
    for row in listed.lines().filter(|l| l.starts_with("| **")) {
        let key = row.split("**").nth(1).expect("a key in bold");
        for file in row.split('`').skip(1).step_by(2) {
            let source = text(Path::new(file)).unwrap_or_default();
            let cites = source.lines().any(|l| l.contains("docs/papers.md") && l.contains(key));
            assert!(cites, "docs/papers.md says that {file} implements {key}, but {file} does not cite it");
        }
        keys.push(key);
    }
    assert!(!keys.is_empty());
    for path in
        files().into_iter().filter(|p| p.starts_with("crates") && p.extension().is_some_and(|e| e == "rs"))
    {
        for line in text(&path).expect("sources are text").lines().filter(|l| l.contains("docs/papers.md")) {
            let known = keys.iter().any(|k| line.contains(k));
            assert!(known, "{} cites a paper that docs/papers.md does not list: {line}", path.display());
        }
    }
}

/// Licences under which a dependency may be part of what we ship; of `A OR B` one is enough.
const LICENCES: &[&str] = &[
    "MIT",
    "MIT-0",
    "Apache-2.0",
    "Apache-2.0 WITH LLVM-exception",
    "BSD-2-Clause",
    "BSD-3-Clause",
    "0BSD",
    "ISC",
    "Zlib",
    "Unlicense",
    "CC0-1.0",
    "BSL-1.0",
    "Unicode-3.0",
];

#[test]
fn every_dependency_has_a_permissive_licence() {
    let metadata = tools::output(&mut tools::cargo(&["metadata", "--format-version", "1", "--locked"]))
        .expect("cargo describes the workspace");
    let metadata: serde_json::Value = serde_json::from_str(&metadata).expect("as JSON");
    let packages = metadata["packages"].as_array().expect("with packages");
    assert!(packages.len() > 10);
    for package in packages {
        let (name, licence) = (&package["name"], package["license"].as_str().unwrap_or("none"));
        // `A OR B`, also written `A/B`; `A AND B` needs both.
        let fine = licence.replace('/', " OR ").split(" OR ").any(|one| {
            one.trim_matches(['(', ')'])
                .split(" AND ")
                .all(|l| LICENCES.contains(&l.trim_matches(['(', ')', ' '])))
        });
        assert!(fine, "{name} has the licence {licence:?}");
    }
}
