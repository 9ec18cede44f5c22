//! Numbers of formats that exist as text and as binary: the same reader and the same writer serve both.

use pliant_linalg::Vec3;

use super::Source;
use super::text::{Words, parse_number};
use crate::error::coordinates;
use crate::{MeshError, Place, Result};

/// How numbers are stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Coding {
    /// Words between white space.
    Text,
    /// Lowest byte first.
    Little,
    /// Highest byte first.
    Big,
}

/// What a binary number is; text does not care.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Scalar {
    I8,
    U8,
    I16,
    U16,
    I32,
    U32,
    I64,
    U64,
    F32,
    F64,
}

impl Scalar {
    /// Bytes of one number.
    pub(crate) fn size(self) -> usize {
        match self {
            Self::I8 | Self::U8 => 1,
            Self::I16 | Self::U16 => 2,
            Self::I32 | Self::U32 | Self::F32 => 4,
            Self::I64 | Self::U64 | Self::F64 => 8,
        }
    }

    /// A whole number from its bytes; `None` when it is none or beyond `i64`.
    pub(crate) fn integer(self, bytes: &[u8], big: bool) -> Option<i64> {
        let raw = join(bytes, big);
        match self {
            Self::I8 => Some((raw as i8).into()),
            Self::I16 => Some((raw as i16).into()),
            Self::I32 => Some((raw as i32).into()),
            Self::I64 => Some(raw as i64),
            Self::U8 | Self::U16 | Self::U32 | Self::U64 => i64::try_from(raw).ok(),
            Self::F32 | Self::F64 => Some(self.real(bytes, big))
                .filter(|x| x.fract() == 0.0 && x.abs() <= 9.007e15)
                .map(|x| x as i64),
        }
    }

    /// A number from its bytes.
    pub(crate) fn real(self, bytes: &[u8], big: bool) -> f64 {
        let raw = join(bytes, big);
        match self {
            Self::F32 => f32::from_bits(raw as u32).into(),
            Self::F64 => f64::from_bits(raw),
            Self::U8 | Self::U16 | Self::U32 | Self::U64 => raw as f64,
            Self::I8 => (raw as i8).into(),
            Self::I16 => (raw as i16).into(),
            Self::I32 => (raw as i32).into(),
            Self::I64 => raw as i64 as f64,
        }
    }
}

/// Up to eight bytes as one number.
fn join(bytes: &[u8], big: bool) -> u64 {
    // The usual sizes first: one load each, where the loop below takes a step for every byte.
    match (<[u8; 8]>::try_from(bytes), <[u8; 4]>::try_from(bytes)) {
        (Ok(b), _) => {
            if big {
                u64::from_be_bytes(b)
            } else {
                u64::from_le_bytes(b)
            }
        }
        (_, Ok(b)) => if big { u32::from_be_bytes(b) } else { u32::from_le_bytes(b) }.into(),
        _ => {
            let push = |n: u64, b: &u8| n << 8 | u64::from(*b);
            if big { bytes.iter().fold(0, push) } else { bytes.iter().rev().fold(0, push) }
        }
    }
}

/// Reads numbers one after another, as text or binary.
pub(crate) struct Numbers<'a> {
    /// The file; keywords are words in either coding.
    pub(crate) words: Words<'a>,
    source: &'a Source<'a>,
    coding: Coding,
}

impl<'a> Numbers<'a> {
    /// Numbers of a file whose words have no comments.
    pub(crate) fn new(source: &'a Source<'a>) -> Self {
        Self { words: Words::new(source, 0, b""), source, coding: Coding::Text }
    }

    /// Sets how the numbers that follow are stored.
    pub(crate) fn set_coding(&mut self, coding: Coding) {
        self.coding = coding;
    }

    /// Whether numbers are words.
    pub(crate) fn is_text(&self) -> bool {
        self.coding == Coding::Text
    }

    /// Where the reader is: a line in a text, a byte in a binary file.
    pub(crate) fn place(&self) -> Place {
        if self.is_text() { self.words.place() } else { Place::Byte(self.words.offset()) }
    }

    /// An error here.
    pub(crate) fn error(&self, found: impl Into<String>, expected: impl Into<String>) -> MeshError {
        self.source.error(self.place(), found, expected)
    }

    /// The file ends where more is due.
    pub(crate) fn cut_off(&self, expected: &str) -> MeshError {
        self.error("the file ends here", format!("{expected}; it is cut off"))
    }

    /// The next whole number.
    pub(crate) fn integer(&mut self, kind: Scalar, what: &str) -> Result<i64> {
        if self.is_text() {
            return self.words.signed(what);
        }
        let bytes = self.words.raw(kind.size()).ok_or_else(|| self.cut_off(what))?;
        kind.integer(bytes, self.coding == Coding::Big)
            .ok_or_else(|| self.error("a number that is not whole or too large", what))
    }

    /// The next number.
    pub(crate) fn real(&mut self, kind: Scalar, what: &str) -> Result<f64> {
        if self.is_text() {
            let word = self.words.next();
            return word.and_then(parse_number).ok_or_else(|| self.words.unexpected(word, what));
        }
        let bytes = self.words.raw(kind.size()).ok_or_else(|| self.cut_off(what))?;
        Ok(kind.real(bytes, self.coding == Coding::Big))
    }

    /// The next three numbers as a finite position.
    pub(crate) fn position(&mut self, kind: Scalar) -> Result<Vec3> {
        let mut p = Vec3::zeros();
        for c in 0..3 {
            p[c] = self.real(kind, "a coordinate")?;
        }
        if p.iter().all(|x| x.is_finite()) {
            Ok(p)
        } else {
            Err(self.error(format!("the coordinates {}", coordinates(&p.into())), "finite numbers"))
        }
    }

    /// The next number as a count of records of at least `bytes_each` bytes; refused when the file cannot hold them.
    pub(crate) fn count(&mut self, kind: Scalar, what: &str, bytes_each: u64) -> Result<usize> {
        let count = self.integer(kind, &format!("the number of {what}"))?;
        let Ok(count) = u64::try_from(count) else {
            return Err(self.error(format!("{count} {what}"), "a number from 0"));
        };
        self.source.plausible(self.place(), what, count, bytes_each)
    }

    /// Passes over `count` numbers.
    pub(crate) fn skip(&mut self, kind: Scalar, count: usize, what: &str) -> Result<()> {
        if !self.is_text() {
            let bytes = count.checked_mul(kind.size()).and_then(|n| self.words.raw(n));
            return bytes.map(|_| ()).ok_or_else(|| self.cut_off(what));
        }
        for _ in 0..count {
            if self.words.next().is_none() {
                return Err(self.cut_off(what));
            }
        }
        Ok(())
    }
}

/// Writes numbers one after another, as text or binary.
pub(crate) struct Writer {
    /// What is written so far.
    pub(crate) bytes: Vec<u8>,
    coding: Coding,
}

impl Writer {
    /// An empty file.
    pub(crate) fn new(coding: Coding) -> Self {
        Self { bytes: Vec::new(), coding }
    }

    /// Whether numbers are words.
    pub(crate) fn is_text(&self) -> bool {
        self.coding == Coding::Text
    }

    /// A line of text, in either coding.
    pub(crate) fn line(&mut self, text: &str) {
        if self.bytes.last().is_some_and(|&b| b != b'\n') {
            self.bytes.push(b'\n');
        }
        self.text_line(text);
    }

    /// A line of text behind binary data that may end with any byte, a line end included.
    pub(crate) fn line_after_data(&mut self, text: &str) {
        match self.coding {
            Coding::Text => self.line(text),
            _ => {
                self.bytes.push(b'\n');
                self.text_line(text);
            }
        }
    }

    fn text_line(&mut self, text: &str) {
        self.bytes.extend_from_slice(text.as_bytes());
        self.bytes.push(b'\n');
    }

    /// Ends a record: a line end in a text, nothing in a binary file.
    pub(crate) fn end(&mut self) {
        if self.coding == Coding::Text {
            self.bytes.push(b'\n');
        }
    }

    /// A number of 64 bits.
    pub(crate) fn real(&mut self, x: f64) {
        match self.coding {
            Coding::Text => self.word(format_args!("{x:?}")),
            Coding::Little => self.bytes.extend(x.to_le_bytes()),
            Coding::Big => self.bytes.extend(x.to_be_bytes()),
        }
    }

    /// A whole number of 32 bits.
    pub(crate) fn int(&mut self, n: u32) {
        match self.coding {
            Coding::Text => self.word(format_args!("{n}")),
            Coding::Little => self.bytes.extend(n.to_le_bytes()),
            Coding::Big => self.bytes.extend(n.to_be_bytes()),
        }
    }

    /// A whole number of 64 bits.
    pub(crate) fn long(&mut self, n: u64) {
        match self.coding {
            Coding::Text => self.word(format_args!("{n}")),
            Coding::Little => self.bytes.extend(n.to_le_bytes()),
            Coding::Big => self.bytes.extend(n.to_be_bytes()),
        }
    }

    /// A whole number of 8 bits.
    pub(crate) fn byte(&mut self, n: u8) {
        match self.coding {
            Coding::Text => self.word(format_args!("{n}")),
            _ => self.bytes.push(n),
        }
    }

    fn word(&mut self, text: std::fmt::Arguments<'_>) {
        use std::io::Write as _;
        if self.bytes.last().is_some_and(|&b| b != b'\n') {
            self.bytes.push(b' ');
        }
        self.bytes.write_fmt(text).expect("writing to memory does not fail");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read_again_in_every_coding() {
        for coding in [Coding::Text, Coding::Little, Coding::Big] {
            let mut out = Writer::new(coding);
            out.real(-1.0 / 3.0);
            out.int(70_000);
            out.end();
            out.long(1 << 40);
            out.byte(200);
            let source = Source::memory("t", out.bytes, &|_| Err(std::io::ErrorKind::NotFound.into()));
            let mut numbers = Numbers::new(&source);
            numbers.set_coding(coding);
            assert_eq!(numbers.real(Scalar::F64, "").unwrap(), -1.0 / 3.0);
            assert_eq!(numbers.integer(Scalar::I32, "").unwrap(), 70_000);
            assert_eq!(numbers.integer(Scalar::U64, "").unwrap(), 1 << 40);
            assert_eq!(numbers.integer(Scalar::U8, "").unwrap(), 200);
            assert!(numbers.integer(Scalar::U8, "").unwrap_err().to_string().contains("cut off"));
        }
    }

    #[test]
    fn signs_and_widths() {
        assert_eq!(Scalar::I8.integer(&[0xFE], false), Some(-2));
        assert_eq!(Scalar::I16.integer(&[0xFF, 0xFE], true), Some(-2));
        assert_eq!(Scalar::U64.integer(&[0xFF; 8], true), None);
        assert_eq!(Scalar::F32.real(&1.5f32.to_be_bytes(), true), 1.5);
        assert_eq!(Scalar::F64.integer(&2.5f64.to_le_bytes(), false), None);
    }
}
