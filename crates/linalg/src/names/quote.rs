//! What others wrote, in our sentences: on one line, and never more of it than helps to find it.
//!
//! A word of a file may be a gigabyte long, a name may hold line ends or the codes that move a terminal's cursor. Whoever says
//! what was found says it through these.

use std::path::Path;

/// Characters of a word or a name.
const WORD: usize = 60;

/// Characters of a sentence of another library, and of a path.
const SENTENCE: usize = 200;

/// Characters of a message: the longest of the house has four hundred.
const MESSAGE: usize = 600;

/// A word or a name in quotation marks: control characters escaped, cut behind 60 characters.
///
/// ```
/// use pliant_linalg::quote;
/// assert_eq!(quote("left foot"), "\"left foot\"");
/// assert_eq!(quote("two\nlines"), "\"two\\nlines\"");
/// assert_eq!(quote(&"x".repeat(1000)).chars().count(), 63);
/// ```
pub fn quote(text: &str) -> String {
    let (kept, cut) = first(text, WORD);
    let mut quoted = format!("{kept:?}");
    if cut {
        quoted.insert(quoted.len() - 1, '…');
    }
    quoted
}

/// As [`quote`], of bytes that may be no text.
pub fn quote_bytes(bytes: &[u8]) -> String {
    // No character has more than four bytes; what is behind those that are shown need not be looked at.
    quote(&String::from_utf8_lossy(&bytes[..bytes.len().min(4 * (WORD + 1))]))
}

/// The first few of several names, each as [`quote`] says it: `"a", "b", "c" and 997 more`.
pub fn quote_few<'a>(names: impl IntoIterator<Item = &'a str>) -> String {
    let mut names = names.into_iter();
    let first: Vec<String> = names.by_ref().take(5).map(quote).collect();
    match names.count() {
        0 => first.join(", "),
        more => format!("{} and {more} more", first.join(", ")),
    }
}

/// A sentence of another library, which may repeat what it was given: on one line, cut behind 200 characters.
///
/// ```
/// assert_eq!(pliant_linalg::one_line("no\n  value\u{7}\n"), "no value\\u{7}");
/// ```
pub fn one_line(sentence: &str) -> String {
    // The rest is not even walked through: it may be what a whole file holds.
    let (start, mut cut) = first(sentence, 4 * SENTENCE);
    let joined = start.split_whitespace().collect::<Vec<_>>().join(" ");
    let (kept, more) = first(&joined, SENTENCE);
    cut |= more;
    let mut line = escaped(kept);
    if cut {
        line.push('…');
    }
    line
}

/// A whole message, as a last resort before somebody reads it: on one line, cut behind six hundred characters. Sentences of the
/// house are shorter; this is for those that repeat more than their author thought of.
pub fn in_bounds(message: &str) -> String {
    let (kept, cut) = first(message, MESSAGE);
    let line = escaped(&kept.replace(['\n', '\r'], " "));
    if cut { line + "…" } else { line }
}

/// As [`one_line`], for a sentence that becomes a part of one of ours, which says itself what was expected.
///
/// ```
/// assert_eq!(pliant_linalg::foreign("invalid type: map, expected f64"), "invalid type: map, should be f64");
/// ```
pub fn foreign(sentence: &str) -> String {
    one_line(sentence).replace("expected", "should be")
}

/// A path for a sentence: control characters escaped, and of one with more than 200 characters the end, where the name is.
pub fn shown(path: &Path) -> String {
    let text = path.to_string_lossy();
    let behind = text.chars().count().saturating_sub(SENTENCE);
    if behind == 0 {
        return escaped(&text);
    }
    format!("…{}", escaped(&text.chars().skip(behind).collect::<String>()))
}

/// At most `most` characters, and whether there are more.
fn first(text: &str, most: usize) -> (&str, bool) {
    match text.char_indices().nth(most) {
        Some((end, _)) => (&text[..end], true),
        None => (text, false),
    }
}

fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        if c.is_control() { out.extend(c.escape_debug()) } else { out.push(c) }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whatever_is_quoted_is_one_short_line() {
        let hostile = ["\u{1b}[2J".repeat(300), "ä".repeat(300), "\n".repeat(300), "\"\\".repeat(300)];
        for text in hostile {
            for said in [
                quote(&text),
                quote_bytes(text.as_bytes()),
                one_line(&format!("found {text}")),
                shown(Path::new(&text)),
            ] {
                // An escaped character takes up to eight.
                assert!(said.chars().count() <= 8 * (SENTENCE + 1), "{said}");
                assert!(!said.chars().any(char::is_control), "{said:?}");
            }
        }
        assert_eq!(quote_bytes(&[0xff; 1000]), format!("\"{}…\"", "\u{fffd}".repeat(WORD)));
    }

    #[test]
    fn what_is_short_stays_as_it_is() {
        assert_eq!(quote(&"x".repeat(WORD)), format!("{:?}", "x".repeat(WORD)));
        assert_eq!(one_line("expected a value at line 3"), "expected a value at line 3");
        assert_eq!(shown(Path::new("folder/größe 1.obj")), "folder/größe 1.obj");
    }

    #[test]
    fn of_a_long_path_the_name_is_kept() {
        let path = format!("{}/bunny.obj", "folder/".repeat(100));
        let said = shown(Path::new(&path));
        assert!(said.starts_with('…') && said.ends_with("/bunny.obj"), "{said}");
        assert_eq!(said.chars().count(), SENTENCE + 1);
    }

    #[test]
    fn of_many_names_a_few_are_said() {
        assert_eq!(quote_few(["a", "b"]), "\"a\", \"b\"");
        let many: Vec<String> = (0..1000).map(|i| i.to_string()).collect();
        assert_eq!(
            quote_few(many.iter().map(String::as_str)),
            "\"0\", \"1\", \"2\", \"3\", \"4\" and 995 more"
        );
    }
}
