//! The records of a PLY file, in text or bytes: numbers one after another, with their place.

use std::fmt::Write as _;

use pliant_linalg::quote;

use crate::io::Source;
use crate::io::text::Words;
use crate::{Place, Result};

/// How numbers are written.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Order {
    Text,
    Little,
    Big,
}

impl Order {
    pub(super) fn named(word: &[u8]) -> Option<Self> {
        [Self::Text, Self::Little, Self::Big].into_iter().find(|o| o.name().as_bytes() == word)
    }

    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Text => "ascii",
            Self::Little => "binary_little_endian",
            Self::Big => "binary_big_endian",
        }
    }
}

/// A type of the header.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Scalar {
    I8,
    U8,
    I16,
    U16,
    I32,
    U32,
    F32,
    F64,
}

impl Scalar {
    pub(super) fn named(word: &[u8]) -> Option<Self> {
        Some(match word {
            b"char" | b"int8" => Self::I8,
            b"uchar" | b"uint8" => Self::U8,
            b"short" | b"int16" => Self::I16,
            b"ushort" | b"uint16" => Self::U16,
            b"int" | b"int32" => Self::I32,
            b"uint" | b"uint32" => Self::U32,
            b"float" | b"float32" => Self::F32,
            b"double" | b"float64" => Self::F64,
            _ => return None,
        })
    }

    /// The older of its two names, which every program knows.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::I8 => "char",
            Self::U8 => "uchar",
            Self::I16 => "short",
            Self::U16 => "ushort",
            Self::I32 => "int",
            Self::U32 => "uint",
            Self::F32 => "float",
            Self::F64 => "double",
        }
    }

    pub(super) fn is_integer(self) -> bool {
        !matches!(self, Self::F32 | Self::F64)
    }

    fn size(self) -> usize {
        match self {
            Self::I8 | Self::U8 => 1,
            Self::I16 | Self::U16 => 2,
            Self::I32 | Self::U32 | Self::F32 => 4,
            Self::F64 => 8,
        }
    }

    /// The number in the first bytes of `bytes`, lowest byte first. Every type fits an `f64` exactly.
    fn decode(self, b: [u8; 8]) -> f64 {
        match self {
            Self::I8 => f64::from(b[0] as i8),
            Self::U8 => f64::from(b[0]),
            Self::I16 => f64::from(i16::from_le_bytes([b[0], b[1]])),
            Self::U16 => f64::from(u16::from_le_bytes([b[0], b[1]])),
            Self::I32 => f64::from(i32::from_le_bytes([b[0], b[1], b[2], b[3]])),
            Self::U32 => f64::from(u32::from_le_bytes([b[0], b[1], b[2], b[3]])),
            Self::F32 => f64::from(f32::from_le_bytes([b[0], b[1], b[2], b[3]])),
            Self::F64 => f64::from_le_bytes(b),
        }
    }
}

/// A property of an element.
pub(super) struct Property {
    pub(super) name: String,
    /// Of a list: the type of its length.
    pub(super) list: Option<Scalar>,
    pub(super) scalar: Scalar,
}

/// An element of the header.
pub(super) struct Element {
    pub(super) name: String,
    pub(super) count: usize,
    pub(super) properties: Vec<Property>,
    /// Its line in the header.
    pub(super) place: Place,
}

impl Element {
    /// The single number called `name`.
    pub(super) fn scalar(&self, name: &str) -> Option<usize> {
        self.properties.iter().position(|p| p.list.is_none() && p.name == name)
    }

    /// The first list with one of these names.
    pub(super) fn list(&self, names: &[&str]) -> Option<usize> {
        self.properties.iter().position(|p| p.list.is_some() && names.contains(&p.name.as_str()))
    }
}

/// Walks through the records.
pub(super) struct Body<'a> {
    pub(super) source: &'a Source<'a>,
    order: Order,
    at: usize,
    words: Words<'a>,
    values: Vec<f64>,
}

impl<'a> Body<'a> {
    /// Records that start at byte `at`, behind `lines` lines.
    pub(super) fn new(source: &'a Source<'a>, order: Order, at: usize, lines: usize) -> Self {
        Self { source, order, at, words: Words::starting(source, at, lines + 1), values: Vec::new() }
    }

    /// Where the next record starts.
    pub(super) fn place(&mut self) -> Place {
        if self.order == Order::Text {
            self.words.peek();
            self.words.place()
        } else {
            Place::Byte(self.at)
        }
    }

    /// Refuses an element that what is left of the file cannot hold.
    pub(super) fn plausible(&self, element: &Element) -> Result<()> {
        let bytes: usize = if self.order == Order::Text {
            2 * element.properties.len()
        } else {
            element.properties.iter().map(|p| p.list.unwrap_or(p.scalar).size()).sum()
        };
        if bytes > 0 {
            let what = format!("records of {}", quote(&element.name));
            self.source.plausible(element.place.clone(), &what, element.count as u64, bytes as u64)?;
        }
        Ok(())
    }

    /// Reads a record and gives `take` the number of each property and its values.
    pub(super) fn record(&mut self, element: &Element, mut take: impl FnMut(usize, &[f64])) -> Result<()> {
        let mut values = std::mem::take(&mut self.values);
        for (i, property) in element.properties.iter().enumerate() {
            values.clear();
            let count = match property.list {
                None => 1,
                Some(length) => {
                    let place = self.place();
                    let count = self.number(length)?;
                    if count < 0.0 || count.fract() != 0.0 {
                        return Err(self.source.error(
                            place,
                            format!("a list of length {count}"),
                            "0 or more",
                        ));
                    }
                    let size = if self.order == Order::Text { 2 } else { property.scalar.size() as u64 };
                    self.source.plausible(place, "numbers in a list", count as u64, size)?
                }
            };
            for _ in 0..count {
                values.push(self.number(property.scalar)?);
            }
            take(i, &values);
        }
        self.values = values;
        Ok(())
    }

    /// Passes over all records of an element.
    pub(super) fn skip(&mut self, element: &Element) -> Result<()> {
        if element.properties.is_empty() {
            return Ok(());
        }
        (0..element.count).try_for_each(|_| self.record(element, |_, _| {}))
    }

    fn number(&mut self, scalar: Scalar) -> Result<f64> {
        if self.order == Order::Text {
            return self.words.number("a number");
        }
        let size = scalar.size();
        let Some(bytes) = self.source.bytes.get(self.at..self.at + size) else {
            return Err(self.source.error(
                Place::Byte(self.at),
                "the file ends here",
                "more records, as the header announces; it is cut off",
            ));
        };
        let mut word = [0; 8];
        word[..size].copy_from_slice(bytes);
        if self.order == Order::Big {
            word[..size].reverse();
        }
        self.at += size;
        Ok(scalar.decode(word))
    }
}

/// Writes records.
pub(super) struct Out {
    order: Order,
    line: String,
    pub(super) bytes: Vec<u8>,
}

impl Out {
    pub(super) fn new(order: Order, header: String, expected: usize) -> Self {
        let mut bytes = header.into_bytes();
        bytes.reserve(expected);
        Self { order, line: String::new(), bytes }
    }

    /// Appends a number that fits `scalar`.
    pub(super) fn number(&mut self, scalar: Scalar, x: f64) {
        match (self.order, scalar) {
            (Order::Text, Scalar::F64) => {
                let _ = write!(self.line, "{x:?} ");
            }
            (Order::Text, _) => {
                let _ = write!(self.line, "{x} ");
            }
            (order, scalar) => {
                let mut word = if scalar == Scalar::F64 { x.to_le_bytes() } else { (x as u64).to_le_bytes() };
                let word = &mut word[..scalar.size()];
                if order == Order::Big {
                    word.reverse();
                }
                self.bytes.extend_from_slice(word);
            }
        }
    }

    /// Ends a line of text.
    pub(super) fn end_record(&mut self) {
        if self.order == Order::Text {
            self.bytes.extend_from_slice(self.line.trim_end().as_bytes());
            self.bytes.push(b'\n');
            self.line.clear();
        }
    }
}
