//! Reading text formats: words and numbers with their lines, errors with their place.

use pliant_linalg::Vec3;

use super::Source;
use crate::error::coordinates;
use crate::{MeshError, Place, Result};

/// Walks through a text file word by word. White space and the extra separators end words; a comment sign hides the
/// rest of its line.
pub(crate) struct Words<'a> {
    source: &'a Source<'a>,
    bytes: &'a [u8],
    at: usize,
    line: usize,
    comment: u8,
    /// What each byte means; one look instead of a chain of comparisons, for every byte of the file.
    class: [Class; 256],
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Class {
    Word,
    Space,
    LineEnd,
    Comment,
}

impl<'a> Words<'a> {
    /// Words of the whole file; `comment` starts a comment (0 for none), `separators` count as white space.
    pub(crate) fn new(source: &'a Source<'a>, comment: u8, separators: &'static [u8]) -> Self {
        let mut class = [Class::Word; 256];
        for b in b" \t\x0C\r".iter().chain(separators) {
            class[usize::from(*b)] = Class::Space;
        }
        class[usize::from(b'\n')] = Class::LineEnd;
        if comment != 0 {
            class[usize::from(comment)] = Class::Comment;
        }
        Self { source, bytes: &source.bytes, at: 0, line: 1, comment, class }
    }

    /// Words of a part of the file, which starts in `line`; without comments.
    pub(crate) fn part(source: &'a Source<'a>, range: std::ops::Range<usize>, line: usize) -> Self {
        Self { at: range.start, bytes: &source.bytes[..range.end], line, ..Self::new(source, 0, b"") }
    }

    /// Words without comments from byte `at` on, which is in line `line`.
    pub(crate) fn starting(source: &'a Source<'a>, at: usize, line: usize) -> Self {
        Self { at, line, ..Self::new(source, 0, b"") }
    }

    /// The line of the last word.
    pub(crate) fn place(&self) -> Place {
        Place::Line(self.line)
    }

    /// The byte behind the last word.
    pub(crate) fn offset(&self) -> usize {
        self.at
    }

    /// Goes behind the end of this line, where binary data starts.
    pub(crate) fn end_line(&mut self) {
        self.rest_of_line();
        if self.at < self.bytes.len() {
            self.at += 1;
            self.line += 1;
        }
    }

    /// The next `count` bytes, whatever they are; `None` when there are fewer.
    pub(crate) fn raw(&mut self, count: usize) -> Option<&'a [u8]> {
        let raw = self.bytes.get(self.at..self.at.checked_add(count)?)?;
        self.at += count;
        Some(raw)
    }

    /// Goes behind the next occurrence of `needle` and returns the bytes before it.
    pub(crate) fn until(&mut self, needle: &[u8]) -> Option<&'a [u8]> {
        let rest = &self.bytes[self.at..];
        let end = memchr::memmem::find(rest, needle)?;
        self.line += rest[..end].iter().filter(|&&b| b == b'\n').count();
        self.at += end + needle.len();
        Some(&rest[..end])
    }

    /// Skips to the next word; with `same_line` it stops at the end of this one.
    fn skip(&mut self, same_line: bool) {
        while let Some(&b) = self.bytes.get(self.at) {
            match self.class[usize::from(b)] {
                Class::Word => return,
                Class::Space => self.at += 1,
                Class::LineEnd if same_line => return,
                Class::LineEnd => {
                    self.line += 1;
                    self.at += 1;
                }
                Class::Comment => {
                    let rest = &self.bytes[self.at..];
                    self.at += memchr::memchr(b'\n', rest).unwrap_or(rest.len());
                }
            }
        }
    }

    fn take(&mut self) -> Option<&'a [u8]> {
        let rest = &self.bytes[self.at..];
        let end = rest.iter().position(|&b| self.class[usize::from(b)] != Class::Word).unwrap_or(rest.len());
        self.at += end;
        (end > 0).then(|| &rest[..end])
    }

    /// The next word, on any line.
    pub(crate) fn next(&mut self) -> Option<&'a [u8]> {
        self.skip(false);
        self.take()
    }

    /// The next word on this line.
    pub(crate) fn next_on_line(&mut self) -> Option<&'a [u8]> {
        self.skip(true);
        self.take()
    }

    /// The next word, left where it is.
    pub(crate) fn peek(&mut self) -> Option<&'a [u8]> {
        self.skip(false);
        let at = self.at;
        let word = self.take();
        self.at = at;
        word
    }

    /// What remains of this line, trimmed, without its comment; stops at its end, before the line break.
    pub(crate) fn rest_of_line(&mut self) -> &'a [u8] {
        let rest = &self.bytes[self.at..];
        let end = memchr::memchr(b'\n', rest).unwrap_or(rest.len());
        self.at += end;
        let line = &rest[..end];
        let comment = line.iter().position(|&b| b == self.comment && b != 0).unwrap_or(line.len());
        line[..comment].trim_ascii()
    }

    /// An error at this line.
    pub(crate) fn error(&self, found: impl Into<String>, expected: impl Into<String>) -> MeshError {
        self.source.error(self.place(), found, expected)
    }

    /// An error about a word, or about the end of the file.
    pub(crate) fn unexpected(&self, word: Option<&[u8]>, expected: impl Into<String>) -> MeshError {
        match word {
            Some(word) => self.error(format!("found {}", quote(word)), expected),
            None => self.error("the file ends here", expected.into() + "; it is cut off"),
        }
    }

    /// The next word as a number.
    pub(crate) fn number(&mut self, what: &str) -> Result<f64> {
        let word = self.next();
        self.to_number(word, what)
    }

    /// The next word on this line as a number.
    pub(crate) fn number_on_line(&mut self, what: &str) -> Result<f64> {
        match self.next_on_line() {
            None if self.at < self.bytes.len() => Err(self.error("the line ends here", what)),
            word => self.to_number(word, what),
        }
    }

    fn to_number(&self, word: Option<&[u8]>, what: &str) -> Result<f64> {
        word.and_then(parse_number).ok_or_else(|| self.unexpected(word, what))
    }

    /// The next word as a whole number of 0 or more.
    pub(crate) fn integer(&mut self, what: &str) -> Result<u64> {
        if let Some(n) = self.digits() {
            return Ok(n);
        }
        let word = self.next();
        word.and_then(parse_integer).ok_or_else(|| self.unexpected(word, what))
    }

    /// The next word as a whole number; one that is written as `3.0` counts too.
    pub(crate) fn signed(&mut self, what: &str) -> Result<i64> {
        if let Some(n) = self.digits() {
            return Ok(n as i64);
        }
        let word = self.next();
        word.and_then(parse_signed).ok_or_else(|| self.unexpected(word, what))
    }

    /// The next word if it is a plain number of at most 18 digits: found and read in one pass, since most words of a
    /// mesh are such numbers. Otherwise stays where it is.
    fn digits(&mut self) -> Option<u64> {
        self.skip(false);
        let mut n = 0;
        for (length, &b) in self.bytes[self.at..].iter().take(19).enumerate() {
            if !b.is_ascii_digit() {
                if length == 0 || self.class[usize::from(b)] == Class::Word {
                    return None;
                }
                self.at += length;
                return Some(n);
            }
            n = n * 10 + u64::from(b - b'0');
        }
        None
    }

    /// The next word on this line as a whole number of 0 or more.
    pub(crate) fn integer_on_line(&mut self, what: &str) -> Result<u64> {
        match self.next_on_line() {
            None if self.at < self.bytes.len() => Err(self.error("the line ends here", what)),
            word => word.and_then(parse_integer).ok_or_else(|| self.unexpected(word, what)),
        }
    }

    /// The next words as a finite position; `dimension` is 2 or 3, a missing z is 0.
    pub(crate) fn position(&mut self, dimension: usize) -> Result<Vec3> {
        let mut p = Vec3::zeros();
        for c in 0..dimension {
            p[c] = self.number("a coordinate")?;
        }
        if p.iter().all(|x| x.is_finite()) {
            Ok(p)
        } else {
            Err(self.error(format!("the coordinates {}", coordinates(&p.into())), "finite numbers"))
        }
    }

    /// The next word as the number of a vertex, from `first`; returned from 0.
    pub(crate) fn vertex(&mut self, first: u64, vertices: usize) -> Result<u32> {
        let id = self.integer("the number of a vertex")?;
        if id < first || id - first >= vertices as u64 {
            return Err(self.error(
                format!("vertex {id}"),
                format!("a number from {first} to {}", (first + vertices as u64).saturating_sub(1)),
            ));
        }
        Ok((id - first) as u32)
    }

    /// The next word as a count of records of at least `bytes_each` bytes; refused when the file cannot hold them.
    pub(crate) fn count(&mut self, what: &str, bytes_each: u64) -> Result<usize> {
        let count = self.integer(&format!("the number of {what}"))?;
        self.source.plausible(self.place(), what, count, bytes_each)
    }
}

/// A word for an error message: short, and never a control character.
pub(crate) use pliant_linalg::quote_bytes as quote;

/// A number as any of the formats writes it. Words such as `nan` and `inf` are numbers too: whoever reads a
/// coordinate refuses them with a better sentence.
pub(crate) fn parse_number(word: &[u8]) -> Option<f64> {
    let text = std::str::from_utf8(word).ok()?;
    // Fortran writes 1.0D-3.
    text.parse().ok().or_else(|| text.replace(['d', 'D'], "e").parse().ok())
}

/// A whole number of 0 or more, with or without a sign that says so.
pub(crate) fn parse_integer(word: &[u8]) -> Option<u64> {
    let word = word.strip_prefix(b"+").unwrap_or(word);
    if word.is_empty() || word.len() > 19 {
        return None;
    }
    word.iter().try_fold(0u64, |n, b| b.is_ascii_digit().then(|| n * 10 + u64::from(b - b'0')))
}

/// A whole number; one that is written as `3.0` counts too.
pub(crate) fn parse_signed(word: &[u8]) -> Option<i64> {
    let (negative, digits) = match word {
        [b'-', rest @ ..] if !rest.starts_with(b"+") => (true, rest),
        _ => (false, word),
    };
    match parse_integer(digits).and_then(|n| i64::try_from(n).ok()) {
        Some(n) => Some(if negative { -n } else { n }),
        // 2⁵³: beyond it an f64 does not hold every whole number.
        None => parse_number(word).filter(|x| x.fract() == 0.0 && x.abs() <= 9.007e15).map(|x| x as i64),
    }
}
