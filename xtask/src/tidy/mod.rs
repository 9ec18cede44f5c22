//! House rules as tests: what holds for every file, and what the families of rules share.
//!
//! Who may use whom: `packages`. What documents name and repeat: `documents`. Words of the command line outside its door: `words`.
//! What a door may not compute: `doors`. Modules that use each other: `cycles`. Lengths: `sizes`.
//!
//! A rule is a function of text, so that a test can show that it fails. What breaks a rule today stands in a list that may
//! only become shorter: [`ratchet`].

mod cycles;
mod documents;
mod doors;
mod packages;
mod sizes;
mod source;
mod words;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use crate::tools;

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

/// Rust sources below a folder for which `so` holds, with their text.
fn sources(so: impl Fn(&str) -> bool) -> Vec<(PathBuf, String)> {
    let rust = files().into_iter().filter(|p| p.extension().is_some_and(|e| e == "rs"));
    rust.filter(|p| p.to_str().is_some_and(&so))
        .map(|p| (p.clone(), text(&p).expect("sources are text")))
        .collect()
}

/// Holds what a rule found in each file, a line for each finding, against how many it may find there.
///
/// More than allowed is a new sin; fewer means that the list can be shortened, and must be, lest the sin come back unseen.
fn ratchet(
    rule: &str,
    allowed: &[(&str, usize)],
    found: &BTreeMap<String, Vec<String>>,
) -> Result<(), String> {
    let mut wrong = String::new();
    for (file, lines) in found {
        let limit = allowed.iter().find(|(name, _)| name == file).map_or(0, |(_, limit)| *limit);
        if lines.len() > limit {
            wrong += &format!("{file}: {} found, {limit} allowed: mend what is new\n", lines.len());
            lines.iter().for_each(|line| wrong += &format!("    {line}\n"));
        }
    }
    for (file, limit) in allowed {
        let now = found.get(*file).map_or(0, Vec::len);
        match (now < *limit, now) {
            (false, _) => {}
            (true, 0) => wrong += &format!("{file}: nothing found any more: take it off the list\n"),
            (true, _) => {
                wrong += &format!("{file}: {limit} allowed, only {now} left: write {now} into the list\n")
            }
        }
    }
    if wrong.is_empty() { Ok(()) } else { Err(format!("{rule}\n{wrong}")) }
}

/// Fails a test with the sentences of a rule, as they are.
#[track_caller]
fn hold(judged: Result<(), String>) {
    if let Err(sentences) = judged {
        panic!("{sentences}");
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
fn every_source_file_says_what_it_is() {
    for path in files().into_iter().filter(|p| p.extension().is_some_and(|e| e == "rs")) {
        let first = text(&path).expect("sources are text");
        assert!(first.starts_with("//!"), "{} does not start with a module header", path.display());
    }
}

#[test]
fn a_list_of_exceptions_can_only_become_shorter() {
    let found = |count: usize| BTreeMap::from([("a.rs".to_owned(), vec!["1: sin".to_owned(); count])]);
    let judge = |allowed: usize, count| ratchet("no sin", &[("a.rs", allowed)], &found(count));
    assert_eq!(judge(2, 2), Ok(()));
    assert!(judge(1, 2).unwrap_err().contains("2 found, 1 allowed"));
    assert!(judge(3, 2).unwrap_err().contains("write 2"));
    assert!(ratchet("no sin", &[], &found(1)).is_err());
    assert!(ratchet("no sin", &[("a.rs", 1)], &BTreeMap::new()).unwrap_err().contains("take it off"));
}
