//! What the house rules know about Rust: which characters are code, which are words in a literal, which belong to tests.
//!
//! No parser: rustfmt has laid the code out, so that a scan over characters and indentation is enough.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// A string literal and the line (from 1) on which it begins.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Literal {
    pub(super) line: usize,
    pub(super) words: String,
}

/// A source file in two parts.
#[derive(Debug, Default)]
pub(super) struct Parts {
    /// The code, line by line as in the file: comments, and what stands in literals, are blank.
    pub(super) code: String,
    /// Every string literal, as it is written.
    pub(super) literals: Vec<Literal>,
}

/// Takes a source apart.
pub(super) fn parts(source: &str) -> Parts {
    let chars: Vec<char> = source.chars().collect();
    let mut out = Parts::default();
    let (mut i, mut line) = (0, 1);
    while i < chars.len() {
        let end = match chars[i] {
            '/' if chars.get(i + 1) == Some(&'/') => find(&chars, i, |c, k| c[k] == '\n'),
            '/' if chars.get(i + 1) == Some(&'*') => end_of_block(&chars, i),
            '\'' if is_char_literal(&chars, i) => {
                find(&chars, i + 1, |c, k| c[k] == '\'' && !is_escaped(c, k)) + 1
            }
            '"' => end_of_string(&chars, i, &mut out, line),
            c => {
                out.code.push(c);
                line += usize::from(c == '\n');
                i += 1;
                continue;
            }
        };
        for &c in &chars[i..end.min(chars.len())] {
            out.code.push(if c == '\n' { '\n' } else { ' ' });
            line += usize::from(c == '\n');
        }
        i = end;
    }
    out
}

/// The first place from `from` on that is so, else the end.
fn find(chars: &[char], from: usize, so: impl Fn(&[char], usize) -> bool) -> usize {
    (from..chars.len()).find(|&k| so(chars, k)).unwrap_or(chars.len())
}

/// Whether an odd number of backslashes stands before a character.
fn is_escaped(chars: &[char], at: usize) -> bool {
    chars[..at].iter().rev().take_while(|c| **c == '\\').count() % 2 == 1
}

/// `'a'` and `'\n'`, not the lifetime `'a`.
fn is_char_literal(chars: &[char], at: usize) -> bool {
    chars.get(at + 1) == Some(&'\\') || chars.get(at + 2) == Some(&'\'')
}

/// Comments of this kind nest.
fn end_of_block(chars: &[char], from: usize) -> usize {
    let (mut depth, mut k) = (0, from);
    while k + 1 < chars.len() {
        match (chars[k], chars[k + 1]) {
            ('/', '*') => (depth, k) = (depth + 1, k + 1),
            ('*', '/') => (depth, k) = (depth - 1, k + 1),
            _ => {}
        }
        k += 1;
        if depth == 0 {
            return k;
        }
    }
    chars.len()
}

/// The end of a string literal, plain or raw; the literal is kept.
fn end_of_string(chars: &[char], at: usize, out: &mut Parts, line: usize) -> usize {
    let hashes = chars[..at].iter().rev().take_while(|c| **c == '#').count();
    let raw = at > hashes && chars[at - hashes - 1] == 'r';
    let closes = |c: &[char], k: usize| match raw {
        true => c[k] == '"' && c[k + 1..].iter().take(hashes).filter(|c| **c == '#').count() == hashes,
        false => c[k] == '"' && !is_escaped(c, k),
    };
    let end = find(chars, at + 1, closes);
    out.literals.push(Literal { line, words: chars[at + 1..end].iter().collect() });
    end + 1
}

/// The source without its test modules, whose lines become blank.
pub(super) fn without_tests(source: &str) -> String {
    let mut out = String::with_capacity(source.len());
    // The indentation at which the module that is left out ends.
    let mut leaving: Option<usize> = None;
    let mut marked = false;
    for line in source.lines() {
        let indent = line.len() - line.trim_start().len();
        match leaving {
            Some(end) if indent == end && line.trim_start().starts_with('}') => leaving = None,
            Some(_) => {}
            None if marked && line.ends_with('{') => leaving = Some(indent),
            None => out.push_str(line),
        }
        out.push('\n');
        // Other attributes may stand between the mark and what it marks.
        marked = line.trim() == "#[cfg(test)]" || marked && line.trim().starts_with("#[");
    }
    out
}

/// Files that are modules of tests: those that `#[cfg(test)] mod name;` declares, and all below them.
pub(super) fn test_files(sources: &[(PathBuf, String)]) -> BTreeSet<PathBuf> {
    let mut folders: Vec<PathBuf> = Vec::new();
    for (path, source) in sources {
        let mut marked = false;
        for line in source.lines() {
            let word = line.strip_prefix("mod ").and_then(|rest| rest.strip_suffix(';'));
            if let Some(name) = word.filter(|_| marked) {
                folders.push(children(path).join(name));
            }
            marked = line == "#[cfg(test)]" || marked && line.starts_with("#[");
        }
    }
    let is_test = |path: &Path| {
        folders.iter().any(|folder| path.starts_with(folder) || path.with_extension("") == *folder)
    };
    sources.iter().map(|(path, _)| path).filter(|path| is_test(path)).cloned().collect()
}

/// The folder of a module's children: that of `mod.rs` and `lib.rs` itself, else one of its name.
fn children(path: &Path) -> PathBuf {
    let root = ["mod.rs", "lib.rs", "main.rs"].iter().any(|name| path.ends_with(name));
    if root { path.parent().unwrap_or(Path::new("")).to_owned() } else { path.with_extension("") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_and_literals_are_no_code() {
        let source =
            "let a = \"x // y\"; // c \"d\"\n/* e /* f */ g */ let b = '\"'; let c: &'a str = r#\"q\"r\"#;\n";
        let Parts { code, literals } = parts(source);
        for word in ["x", "d", "e", "g", "q"] {
            assert!(!code.split(|c: char| !c.is_alphanumeric()).any(|w| w == word), "{word} in {code}");
        }
        assert!(code.contains("let a") && code.contains("let b") && code.contains("let c: &'a str"));
        assert_eq!(code.lines().count(), 2);
        let words: Vec<_> = literals.iter().map(|l| (l.line, l.words.as_str())).collect();
        assert_eq!(words, [(1, "x // y"), (2, "q\"r")]);
        assert_eq!(parts("f(\"a\\\"b\", \"c\")").literals[1].words, "c");
        assert_eq!(parts("f('\\'', \"c\")").literals[0].words, "c");
    }

    #[test]
    fn modules_of_tests_are_left_out() {
        let source = "fn a() {}\n#[cfg(test)]\nmod tests {\n    fn b() {\n    }\n}\nfn c() {}\n";
        let left = without_tests(source);
        assert!(left.contains("fn a") && left.contains("fn c") && !left.contains("fn b"), "{left}");
        assert_eq!(left.lines().count(), source.lines().count());

        let file = |path: &str, source: &str| (PathBuf::from(path), source.to_owned());
        let sources = [
            file("src/lib.rs", "mod a;\n#[cfg(test)]\nmod checks;\n"),
            file("src/a.rs", "#[cfg(test)]\nmod tests;\n"),
            file("src/a/tests.rs", ""),
            file("src/checks/mod.rs", ""),
            file("src/checks/more.rs", ""),
        ];
        let tests: Vec<_> = test_files(&sources).into_iter().collect();
        let expected = ["src/a/tests.rs", "src/checks/mod.rs", "src/checks/more.rs"].map(PathBuf::from);
        assert_eq!(tests, expected);
    }
}
