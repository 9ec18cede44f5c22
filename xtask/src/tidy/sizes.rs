//! Lengths: a file has one subject, a function fits on two screens.

use std::collections::BTreeMap;

use super::source::parts;
use super::{files, hold, ratchet, sources, text};

/// Past this many lines a file has more than one subject.
const MOST_LINES: usize = 700;

/// Past this many lines a function does more than one thing.
const MOST_IN_FUNCTION: usize = 120;

/// Files with functions that are too long, and how many of them.
const ALLOWED: &[(&str, usize)] = &[];

/// Functions of a source with more lines than that, each as `line: name has N lines`.
fn long_functions(source: &str, most: usize) -> Vec<String> {
    let code = parts(source).code;
    let lines: Vec<&str> = code.lines().collect();
    let mut found = Vec::new();
    for (i, line) in lines.iter().enumerate() {
        let Some(name) = function(line) else { continue };
        let indent = line.len() - line.trim_start().len();
        let close = format!("{}}}", " ".repeat(indent));
        // One that has no body, or has it on its own line, ends before any brace closes at its indentation.
        let ends = |l: &str| {
            l.trim_end() == close || (l.trim_end().ends_with(';') && l.find(|c| c != ' ') == Some(indent))
        };
        let own = matches!(line.trim_end().chars().next_back(), Some('}' | ';'));
        let length = if own { 1 } else { lines[i + 1..].iter().position(|l| ends(l)).map_or(1, |k| k + 2) };
        if length > most {
            found.push(format!("{}: {name} has {length} lines, at most {most}", i + 1));
        }
    }
    found
}

/// The name of the function that a line begins.
fn function(line: &str) -> Option<&str> {
    let mut rest = line.trim_start();
    if let Some(after) = rest.strip_prefix("pub") {
        let inner = after.strip_prefix('(').and_then(|a| a.split_once(')')).map_or(after, |(_, a)| a);
        rest = inner.strip_prefix(' ')?;
    }
    while let Some(after) = ["const ", "async ", "unsafe "].iter().find_map(|word| rest.strip_prefix(word)) {
        rest = after;
    }
    let name = rest.strip_prefix("fn ")?;
    Some(name.split(|c: char| !c.is_alphanumeric() && c != '_').next().unwrap_or(""))
}

/// Whether a text is too long for one file.
fn too_long(source: &str) -> Option<usize> {
    Some(source.lines().count()).filter(|lines| *lines > MOST_LINES)
}

#[test]
fn files_have_one_subject() {
    for path in files().into_iter().filter(|p| p.extension().is_some_and(|e| e == "rs" || e == "py")) {
        let long = too_long(&text(&path).expect("sources are text"));
        assert!(
            long.is_none(),
            "{} has {} lines, more than {MOST_LINES}: split it",
            path.display(),
            long.unwrap_or(0)
        );
    }
}

#[test]
fn functions_do_one_thing() {
    let mut found = BTreeMap::new();
    for (path, source) in sources(|_| true) {
        let long = long_functions(&source, MOST_IN_FUNCTION);
        if !long.is_empty() {
            found.insert(path.display().to_string(), long);
        }
    }
    hold(ratchet("a function is too long: split it", ALLOWED, &found));
}

#[test]
fn what_is_too_long_is_found() {
    assert_eq!(too_long(&"x\n".repeat(MOST_LINES + 1)), Some(MOST_LINES + 1));
    assert_eq!(too_long(&"x\n".repeat(MOST_LINES)), None);
    let body = "        let s = \"}\"; // }\n".repeat(4);
    for head in [
        "fn f() {",
        "pub fn f() {",
        "pub(crate) const unsafe fn f<T>() -> T {",
        "async fn f(\n        a: u8,\n    ) {",
    ] {
        let source = format!("impl A {{\n    {head}\n{body}    }}\n\n    fn g() {{}}\n}}\n");
        let extra = head.matches('\n').count();
        assert_eq!(long_functions(&source, 5 + extra).len(), 1, "{head}");
        assert!(long_functions(&source, 6 + extra).is_empty(), "{head}");
    }
    let declared = "trait A {\n    fn f(\n        a: u8,\n    ) -> u8;\n\n    fn g();\n}\n".to_owned()
        + &"x\n".repeat(9);
    assert!(long_functions(&declared, 5).is_empty(), "a function without a body");
}
