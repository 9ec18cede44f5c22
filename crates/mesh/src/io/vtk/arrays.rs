//! The arrays of a `.vtu` file: text, base64 or raw bytes, in place or appended, as they are or packed by zlib.
//!
//! ```text
//! as they are   length, bytes                                        (base64: both together)
//! packed        blocks, size, size of the last, packed size …, bytes (base64: the numbers and the bytes separately)
//! ```
//! The numbers in front are `UInt32` or `UInt64`, as the head of the file says.

use std::io::Read as _;
use std::ops::Range;

use pliant_linalg::quote;

use super::super::Source;
use super::super::numbers::Scalar;
use super::super::text::{Words, parse_number, parse_signed};
use crate::{MeshError, Place, Result};

/// Unpacked bytes that a file may become, as a multiple of its size. Connectivity of a regular grid packs to about a
/// twentieth; what goes beyond this is made to fill memory.
const MOST_UNPACKED: usize = 64;

/// An array as the file announces it.
pub(super) struct Array {
    pub(super) name: String,
    /// `None` for strings and what else is no number.
    pub(super) kind: Option<Scalar>,
    /// Numbers for each point or cell.
    pub(super) components: usize,
    /// How many times so many; field data says so itself.
    pub(super) tuples: usize,
    pub(super) stored: Stored,
}

/// Where the numbers are.
pub(super) enum Stored {
    /// Words, from the given line on.
    Text(Range<usize>, usize),
    Base64(Range<usize>),
    /// From this byte of the appended data on.
    Appended(usize),
}

/// How the numbers of a file are stored.
pub(super) struct Store<'a> {
    pub(super) source: &'a Source<'a>,
    /// Highest byte first.
    pub(super) big: bool,
    /// The numbers in front of an array.
    pub(super) header: Scalar,
    pub(super) packed: bool,
    /// Where the appended data starts, and whether it is base64.
    pub(super) appended: Option<(usize, bool)>,
    unpacked: usize,
}

impl<'a> Store<'a> {
    pub(super) fn new(source: &'a Source<'a>) -> Self {
        Self { source, big: false, header: Scalar::U32, packed: false, appended: None, unpacked: 0 }
    }

    /// The numbers of an array, as whole ones.
    pub(super) fn integers(&mut self, array: &Array, expected: usize) -> Result<Vec<i64>> {
        if let Stored::Text(range, line) = &array.stored {
            return self.words(array, range, *line, expected, parse_signed);
        }
        let (kind, bytes) = (self.kind(array)?, self.bytes(array, expected)?);
        let whole = |x: Option<i64>| {
            x.ok_or_else(|| self.error(array, "a number that is not whole", "whole numbers"))
        };
        bytes.chunks_exact(kind.size()).map(|b| whole(kind.integer(b, self.big))).collect()
    }

    /// The numbers of an array.
    pub(super) fn reals(&mut self, array: &Array, expected: usize) -> Result<Vec<f64>> {
        if let Stored::Text(range, line) = &array.stored {
            return self.words(array, range, *line, expected, parse_number);
        }
        let (kind, bytes) = (self.kind(array)?, self.bytes(array, expected)?);
        Ok(bytes.chunks_exact(kind.size()).map(|b| kind.real(b, self.big)).collect())
    }

    fn kind(&self, array: &Array) -> Result<Scalar> {
        array.kind.ok_or_else(|| self.error(array, "no numbers", "numbers, such as Float64 or Int64"))
    }

    fn error(&self, array: &Array, found: impl Into<String>, expected: impl Into<String>) -> MeshError {
        self.source.error(Place::Part(format!("array {}", quote(&array.name))), found, expected)
    }

    fn words<T>(
        &mut self,
        array: &Array,
        range: &Range<usize>,
        line: usize,
        expected: usize,
        parse: fn(&[u8]) -> Option<T>,
    ) -> Result<Vec<T>> {
        self.spend(array, range.len())?;
        let mut words = Words::part(self.source, range.clone(), line);
        let mut numbers = Vec::new();
        while let Some(word) = words.next() {
            numbers.push(parse(word).ok_or_else(|| words.unexpected(Some(word), "a number"))?);
        }
        if numbers.len() != expected {
            return Err(words.error(
                format!("the array {} has {} numbers", quote(&array.name), numbers.len()),
                format!("{expected}, as the head of the piece demands"),
            ));
        }
        Ok(numbers)
    }

    /// Counts bytes against what a file of this size may become: arrays can share their bytes, and packed ones grow.
    fn spend(&mut self, array: &Array, bytes: usize) -> Result<()> {
        self.unpacked = self.unpacked.saturating_add(bytes);
        let most = (MOST_UNPACKED * self.source.bytes.len()).max(1 << 20);
        if self.unpacked > most {
            return Err(self.error(
                array,
                format!("arrays of more than {most} bytes in a file of {}", self.source.bytes.len()),
                format!("at most {MOST_UNPACKED} times the size of the file; save it without compression"),
            ));
        }
        Ok(())
    }

    /// The bytes of `expected` numbers.
    fn bytes(&mut self, array: &Array, expected: usize) -> Result<Vec<u8>> {
        let (range, base64) = match (&array.stored, self.appended) {
            (Stored::Base64(range), _) => (range.clone(), true),
            (Stored::Appended(offset), Some((start, base64)))
                if *offset <= self.source.bytes.len() - start =>
            {
                (start + offset..self.source.bytes.len(), base64)
            }
            _ => return Err(self.error(array, "an offset behind the end of the file", "appended data")),
        };
        let stream = &self.source.bytes[range];
        let take = |count: usize| {
            if base64 { decode(stream, count) } else { stream.get(..count).map(<[u8]>::to_vec) }
        };
        let cut = || self.error(array, "the data ends too early", "all of it; the file is cut off");
        let each = self.header.size();
        let number = |bytes: &[u8], i: usize| -> Option<usize> {
            usize::try_from(self.header.integer(&bytes[i * each..(i + 1) * each], self.big)?).ok()
        };
        let wanted = expected.saturating_mul(self.kind(array)?.size());
        let wrong = |found: Option<usize>| {
            let found = found.map_or("an impossible number of".into(), |n| n.to_string());
            self.error(array, format!("{found} bytes"), format!("{wanted}, as the head of the piece demands"))
        };
        if !self.packed {
            let length = number(&take(each).ok_or_else(cut)?, 0);
            if length != Some(wanted) {
                return Err(wrong(length));
            }
            if wanted > stream.len() {
                return Err(cut());
            }
            let mut bytes = take(each + wanted).ok_or_else(cut)?;
            bytes.drain(..each);
            self.spend(array, wanted)?;
            return Ok(bytes);
        }
        let blocks =
            number(&take(each).ok_or_else(cut)?, 0).filter(|b| *b <= stream.len() / each).ok_or_else(cut)?;
        if blocks == 0 {
            return if wanted == 0 { Ok(Vec::new()) } else { Err(wrong(Some(0))) };
        }
        let front = (3 + blocks) * each;
        let head = take(front).ok_or_else(cut)?;
        let (size, last) = (number(&head, 1), number(&head, 2));
        let last = if last == Some(0) { size } else { last };
        let whole = size.zip(last).and_then(|(s, l)| s.checked_mul(blocks - 1)?.checked_add(l));
        if whole != Some(wanted) {
            return Err(wrong(whole));
        }
        let packed: Option<Vec<usize>> = (0..blocks).map(|b| number(&head, 3 + b)).collect();
        let all = packed.as_ref().and_then(|p| p.iter().try_fold(front, |sum, n| sum.checked_add(*n)));
        let data = all.filter(|a| *a <= stream.len()).and_then(take).ok_or_else(cut)?;
        self.spend(array, wanted)?;
        let mut bytes = Vec::with_capacity(wanted);
        let mut start = front;
        for (b, length) in packed.into_iter().flatten().enumerate() {
            let size = if b + 1 == blocks { last } else { size }.unwrap_or(0);
            let due = bytes.len() + size;
            let mut unpack =
                flate2::read::ZlibDecoder::new(&data[start..start + length]).take(size as u64 + 1);
            let done = unpack.read_to_end(&mut bytes);
            if done.is_err() || bytes.len() != due {
                return Err(self.error(
                    array,
                    format!("block {b} cannot be unpacked"),
                    "data packed by zlib",
                ));
            }
            start += length;
        }
        Ok(bytes)
    }
}

/// The first `count` bytes of base64 text. Several encoded pieces may follow each other, each with its own padding.
fn decode(text: &[u8], count: usize) -> Option<Vec<u8>> {
    let value = |b: u8| match b {
        b'A'..=b'Z' => Some(b - b'A'),
        b'a'..=b'z' => Some(b - b'a' + 26),
        b'0'..=b'9' => Some(b - b'0' + 52),
        b'+' => Some(62),
        b'/' => Some(63),
        _ => None,
    };
    if count > text.len() {
        return None;
    }
    let mut bytes = Vec::with_capacity(count + 2);
    let mut signs = text.iter().filter(|b| !b.is_ascii_whitespace());
    while bytes.len() < count {
        let quad = [*signs.next()?, *signs.next()?, *signs.next()?, *signs.next()?];
        let padding = quad.iter().rev().take_while(|&&b| b == b'=').count();
        let mut n = 0u32;
        for &b in &quad[..4 - padding.min(2)] {
            n = n << 6 | u32::from(value(b)?);
        }
        n <<= 6 * padding.min(2);
        bytes.extend_from_slice(&n.to_be_bytes()[1..4 - padding.min(2)]);
    }
    bytes.truncate(count);
    Some(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn base64_of_several_pieces() {
        assert_eq!(decode(b"aGVsbG8=\n IHdvcmxk", 11).unwrap(), b"hello world");
        assert_eq!(decode(b"aA==aQ==", 2).unwrap(), b"hi");
        assert_eq!(decode(b"aGVsbG8=", 3).unwrap(), b"hel");
        assert_eq!(decode(b"aGVsbG8=", 6), None);
        assert_eq!(decode(b"aGV?", 3), None);
    }
}
