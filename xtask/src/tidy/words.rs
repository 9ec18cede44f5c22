//! Libraries do not speak the language of the command line: an option or a command in one of their sentences is of no use to
//! those who call them from a program or from the page. What to do next is said in the words of the library; the door adds its own.

use std::collections::BTreeMap;
use std::path::Path;

use super::source::{parts, test_files, without_tests};
use super::{files, hold, ratchet, sources};

/// Files of libraries that still name options or commands, and how many of their literals do.
const ALLOWED: &[(&str, usize)] = &[];

/// Names of the commands: the files of the door.
fn commands() -> Vec<String> {
    let files = files();
    let stems = files.iter().filter(|p| p.parent() == Some(Path::new("doors/cli/src/cmd")));
    stems.filter_map(|p| p.file_stem()?.to_str()).filter(|s| *s != "mod").map(str::to_owned).collect()
}

/// Literals of a source that name an option or a command, each as `line: words`.
fn spoken(source: &str, commands: &[String]) -> Vec<String> {
    let literals = parts(&without_tests(source)).literals;
    let bad = literals.iter().filter(|l| names_option(&l.words) || names_command(&l.words, commands));
    bad.map(|l| format!("{}: {:?}", l.line, l.words)).collect()
}

/// `--word`, but not the dashes of a comment in HTML, of a rule, or of a variable in a style sheet (`--ink:`, `var(--ink)`).
fn names_option(words: &str) -> bool {
    words.match_indices("--").any(|(at, _)| {
        let (before, after) = (&words[..at], &words[at + 2..]);
        let rest = after.trim_start_matches(|c: char| c.is_ascii_alphanumeric() || c == '-');
        let style = before.ends_with("var(") || rest.starts_with(':');
        let glued = before.ends_with(|c: char| c.is_alphanumeric() || "-!".contains(c));
        after.starts_with(|c: char| c.is_ascii_lowercase()) && !glued && !style
    })
}

/// `pliant build`; `pliant` alone is the name of the house.
fn names_command(words: &str, commands: &[String]) -> bool {
    words.match_indices("pliant ").any(|(at, _)| {
        let before = words[..at].chars().next_back();
        let rest = &words[at + "pliant ".len()..];
        let word: String = rest.chars().take_while(|c| c.is_ascii_lowercase()).collect();
        before == Some('`') || before != Some('.') && commands.contains(&word)
    })
}

#[test]
fn libraries_name_no_option_and_no_command() {
    let library = |path: &str| ["apps/", "crates/"].iter().any(|root| path.starts_with(root));
    let sources = sources(|path| library(path) && path.contains("/src/"));
    let (tests, commands) = (test_files(&sources), commands());
    assert!(commands.len() > 5 && !tests.is_empty());
    let mut found = BTreeMap::new();
    for (path, source) in sources.iter().filter(|(path, _)| !tests.contains(path)) {
        let spoken = spoken(source, &commands);
        if !spoken.is_empty() {
            found.insert(path.display().to_string(), spoken);
        }
    }
    hold(ratchet("a sentence of a library names an option or a command of the door", ALLOWED, &found));
}

#[test]
fn an_option_or_a_command_in_a_sentence_is_found() {
    let commands = ["build".to_owned()];
    let count = |source: &str| spoken(source, &commands).len();
    for bad in [
        "try --rank 30",
        "--rank",
        "(--tets)",
        "run `pliant x`",
        "pliant build makes one",
        "see pliant build",
    ] {
        assert_eq!(count(&format!("fn f() {{ g(\"{bad}\"); }}")), 1, "{bad}");
    }
    for good in [
        "a -- b",
        "<!--note-->",
        "----",
        "a--b",
        "--ink:#222;color:var(--ink)",
        "pliant is soft",
        "a.pliant build",
    ] {
        assert_eq!(count(&format!("fn f() {{ g(\"{good}\"); }}")), 0, "{good}");
    }
    assert_eq!(count("/// `--rank`\nfn f() {} // --rank\n"), 0, "comments may");
    assert_eq!(count("#[cfg(test)]\nmod tests {\n    const A: &str = \"--rank\";\n}\n"), 0, "tests may");
}
