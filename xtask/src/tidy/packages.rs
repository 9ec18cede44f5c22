//! Who may use whom, and under which licence: rules on manifests.

use std::path::{Path, PathBuf};

use super::{files, hold, text};
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
        &["pliant-linalg", "pliant-mesh", "pliant-energy", "pliant-dynamics", "pliant-reduce", "pliant-sim"],
    ),
    ("pliant-draw", &["pliant-linalg", "pliant-mesh"]),
    (
        "pliant-report",
        &[
            "pliant-linalg",
            "pliant-mesh",
            "pliant-energy",
            "pliant-reduce",
            "pliant-sim",
            "pliant-world",
            "pliant-draw",
        ],
    ),
    ("pliant-edit", APP),
    ("pliant-shape", APP),
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
            "pliant-report",
            "pliant-edit",
            "pliant-shape",
        ],
    ),
    ("pliant-truth", &["pliant", "pliant-testkit"]),
    ("pliant-tables", &["pliant", "pliant-testkit", "pliant-truth"]),
    ("pliant-cli", &["pliant", "pliant-studio"]),
    ("pliant-studio", &["pliant", "pliant-testkit"]),
    (
        "pliant-fuzz",
        &["pliant-linalg", "pliant-mesh", "pliant-energy", "pliant-reduce", "pliant-edit", "pliant-testkit"],
    ),
    ("xtask", &[]),
];

/// What every app may use: `sim` and what is below it, and pictures of what it finds.
const APP: &[&str] = &[
    "pliant-linalg",
    "pliant-mesh",
    "pliant-energy",
    "pliant-dynamics",
    "pliant-reduce",
    "pliant-sim",
    "pliant-draw",
];

/// Crates that only one room names: a major upgrade is a change in that room alone.
const ONLY_IN: &[(&str, &str)] = &[
    ("nalgebra", "pliant-linalg"),
    ("faer", "pliant-linalg"),
    ("png", "pliant-draw"),
    ("plotters", "pliant-draw"),
    ("clap", "pliant-cli"),
    ("axum", "pliant-studio"),
    ("hyper", "pliant-studio"),
    ("hyper-util", "pliant-studio"),
    ("tungstenite", "pliant-studio"),
    ("tokio", "pliant-studio"),
];

/// Manifests of the workspace, with their text.
fn manifests() -> Vec<(PathBuf, String)> {
    let manifests =
        files().into_iter().filter(|p| p.ends_with("Cargo.toml") && !p.starts_with("fuzz/libfuzzer"));
    manifests.map(|path| (path.clone(), text(&path).expect("a manifest is text"))).collect()
}

/// The name of a manifest's package.
fn name(path: &Path, manifest: &str) -> String {
    let found = manifest.lines().find_map(|l| l.strip_prefix("name = \"")?.strip_suffix('"'));
    found.unwrap_or_else(|| panic!("{} names its package", path.display())).to_owned()
}

/// (name, names under `[dependencies]`) of every package.
fn packages(manifests: &[(PathBuf, String)]) -> Vec<(String, Vec<String>)> {
    let of = |(path, manifest): &(PathBuf, String)| {
        (name(path, manifest), dependencies(manifest, |section| section == "dependencies"))
    };
    manifests.iter().map(of).collect()
}

/// Packages that the sections of a manifest for which `so` holds name: `name = …`, `name.workspace = true`,
/// `alias = { package = "name" }`, `[dependencies.name]`.
fn dependencies(manifest: &str, so: impl Fn(&str) -> bool) -> Vec<String> {
    let mut named = Vec::new();
    let mut counts = false;
    for line in manifest.lines().map(str::trim).filter(|l| !l.is_empty() && !l.starts_with('#')) {
        if let Some(section) = line.strip_prefix('[').and_then(|l| l.strip_suffix(']')) {
            counts = so(section);
            if let Some((_, one)) = section
                .rsplit_once("dependencies.")
                .filter(|(before, _)| so(&format!("{before}dependencies")))
            {
                named.push(one.to_owned());
            }
        } else if counts {
            named.push(line.split(['.', ' ', '=']).next().unwrap_or("").to_owned());
            let package = line.split("package = \"").nth(1).and_then(|rest| rest.split('"').next());
            named.extend(package.map(str::to_owned));
        }
    }
    named
}

/// Apps never use each other, not even in tests: what two of them need moves to a room that both may use.
fn apps_are_strangers(manifests: &[(PathBuf, String)]) -> Result<(), String> {
    let apps: Vec<(String, &str)> = manifests
        .iter()
        .filter(|(path, _)| path.starts_with("apps"))
        .map(|(path, manifest)| (name(path, manifest), manifest.as_str()))
        .collect();
    for (app, manifest) in &apps {
        let used = dependencies(manifest, |section| section.ends_with("dependencies"));
        if let Some(other) = used.iter().find(|d| apps.iter().any(|(name, _)| name == *d && name != app)) {
            return Err(format!(
                "the app {app} uses the app {other}; move what both need into a crate below them"
            ));
        }
    }
    Ok(())
}

#[test]
fn apps_do_not_use_each_other() {
    hold(apps_are_strangers(&manifests()));
}

#[test]
fn an_app_that_uses_another_is_found() {
    let app = |name: &str, rest: &str| {
        let text = format!("[package]\nname = \"pliant-{name}\"\n\n{rest}\n");
        (PathBuf::from(format!("apps/{name}/Cargo.toml")), text)
    };
    let edit = app("edit", "[dependencies]\npliant-sim.workspace = true");
    assert_eq!(apps_are_strangers(&[edit.clone(), app("sound", "[dependencies]\nserde = \"1\"")]), Ok(()));
    for bad in [
        "[dependencies]\npliant-edit.workspace = true",
        "[dev-dependencies]\npliant-edit = { path = \"../edit\" }",
        "[dependencies]\nediting = { path = \"../edit\", package = \"pliant-edit\" }",
        "[dependencies.pliant-edit]\npath = \"../edit\"",
        "[target.'cfg(unix)'.dependencies]\npliant-edit.workspace = true",
    ] {
        let judged = apps_are_strangers(&[edit.clone(), app("sound", bad)]);
        assert!(judged.is_err_and(|why| why.contains("pliant-sound uses the app pliant-edit")), "{bad}");
    }
}

#[test]
fn rooms_use_only_the_rooms_they_may() {
    for (name, dependencies) in packages(&manifests()) {
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
