//! As much XML as VTK files need: tags, attributes, the text between tags. No entities of one's own, no schemas.

use super::super::Source;
use crate::{Place, Result};

/// A tag.
pub(super) struct Tag {
    pub(super) name: String,
    attributes: Vec<(String, String)>,
    pub(super) kind: TagKind,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TagKind {
    /// `<a>`
    Open,
    /// `</a>`
    Close,
    /// `<a/>`
    Empty,
}

impl Tag {
    /// The value of an attribute.
    pub(super) fn get(&self, name: &str) -> Option<&str> {
        self.attributes.iter().find(|a| a.0 == name).map(|a| a.1.as_str())
    }
}

/// Walks through a file tag by tag.
pub(super) struct Tags<'a> {
    source: &'a Source<'a>,
    /// The byte behind the last tag.
    pub(super) at: usize,
    /// Its line.
    pub(super) line: usize,
}

impl<'a> Tags<'a> {
    pub(super) fn new(source: &'a Source<'a>) -> Self {
        Self { source, at: 0, line: 1 }
    }

    /// The place of the last tag.
    pub(super) fn place(&self) -> Place {
        Place::Line(self.line)
    }

    /// Goes behind the next `needle`; false when there is none.
    fn pass(&mut self, needle: &[u8]) -> bool {
        let rest = &self.source.bytes[self.at..];
        let end = memchr::memmem::find(rest, needle);
        let passed = end.map_or(rest.len(), |e| e + needle.len());
        self.line += rest[..passed].iter().filter(|&&b| b == b'\n').count();
        self.at += passed;
        end.is_some()
    }

    /// The next tag; `None` at the end of the file. Comments and declarations are skipped.
    pub(super) fn next(&mut self) -> Result<Option<Tag>> {
        while self.pass(b"<") {
            let rest = &self.source.bytes[self.at..];
            let whole = match rest {
                [b'!', b'-', b'-', ..] => self.pass(b"-->"),
                [b'?', ..] => self.pass(b"?>"),
                [b'!', ..] => self.pass(b">"),
                _ => return self.tag().map(Some),
            };
            if !whole {
                return Err(self.cut_off());
            }
        }
        Ok(None)
    }

    fn cut_off(&self) -> crate::MeshError {
        self.source.error(self.place(), "the file ends in a tag", "its end, \">\"; it is cut off")
    }

    fn tag(&mut self) -> Result<Tag> {
        let start = self.at;
        let mut quote = None;
        let rest = &self.source.bytes[start..];
        let end = rest.iter().position(|&b| {
            match quote {
                Some(q) if q == b => quote = None,
                None if b == b'"' || b == b'\'' => quote = Some(b),
                _ => {}
            }
            b == b'>' && quote.is_none()
        });
        let Some(end) = end else { return Err(self.cut_off()) };
        self.line += rest[..end].iter().filter(|&&b| b == b'\n').count();
        self.at = start + end + 1;
        let text = String::from_utf8_lossy(&rest[..end]);
        let (kind, text) = match (text.strip_prefix('/'), text.strip_suffix('/')) {
            (Some(text), _) => (TagKind::Close, text),
            (_, Some(text)) => (TagKind::Empty, text),
            _ => (TagKind::Open, &*text),
        };
        let (name, mut rest) = text.split_once(|c: char| c.is_ascii_whitespace()).unwrap_or((text, ""));
        let mut attributes = Vec::new();
        while let Some((name, value)) = rest.split_once('=') {
            let value = value.trim_start();
            let quoted = value
                .chars()
                .next()
                .filter(|q| matches!(q, '"' | '\''))
                .and_then(|q| value[1..].split_once(q));
            let Some((value, after)) = quoted else {
                return Err(self.source.error(
                    self.place(),
                    format!("the attribute {} without a quoted value", pliant_linalg::quote(name.trim())),
                    "name=\"value\"",
                ));
            };
            attributes.push((name.trim().to_owned(), unescape(value)));
            rest = after;
        }
        Ok(Tag { name: name.to_owned(), attributes, kind })
    }
}

/// The value of an attribute without its entities.
fn unescape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('&') {
        out.push_str(before);
        let (entity, behind) = after.split_once(';').unwrap_or(("", after));
        let code = entity.strip_prefix('#').and_then(|n| match n.strip_prefix('x') {
            Some(hex) => u32::from_str_radix(hex, 16).ok(),
            None => n.parse().ok(),
        });
        match (entity, code.and_then(char::from_u32)) {
            ("amp", _) => out.push('&'),
            ("lt", _) => out.push('<'),
            ("gt", _) => out.push('>'),
            ("quot", _) => out.push('"'),
            ("apos", _) => out.push('\''),
            (_, Some(c)) => out.push(c),
            _ => {
                // Not an entity: the sign stands for itself.
                out.push('&');
                rest = after;
                continue;
            }
        }
        rest = behind;
    }
    out.push_str(rest);
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tags_attributes_and_comments() {
        let text = "<?xml version='1.0'?>\n<!-- <no> -->\n<a b=\"1 > 0\"\n c = '&lt;&#65;&x'><d/></a>";
        let source = Source::memory("t", text.into(), &|_| Err(std::io::ErrorKind::NotFound.into()));
        let mut tags = Tags::new(&source);
        let a = tags.next().unwrap().unwrap();
        assert_eq!(
            (a.name.as_str(), a.kind, a.get("b"), a.get("c")),
            ("a", TagKind::Open, Some("1 > 0"), Some("<A&x"))
        );
        assert_eq!(tags.place(), Place::Line(4));
        assert_eq!(tags.next().unwrap().unwrap().kind, TagKind::Empty);
        let close = tags.next().unwrap().unwrap();
        assert_eq!((close.name.as_str(), close.kind), ("a", TagKind::Close));
        assert!(tags.next().unwrap().is_none());
    }

    #[test]
    fn entities() {
        assert_eq!(unescape("a &lt; b &amp;&amp; &#x63; &gt; &quot;d&apos;"), "a < b && c > \"d'");
        assert_eq!(unescape("&amp;amp; & &; &none;"), "&amp; & &; &none;");
    }
}
