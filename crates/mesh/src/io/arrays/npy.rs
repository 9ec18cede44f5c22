//! One array: a line that says what it is, then its bytes.
//!
//! ```text
//! \x93NUMPY  version (2 bytes)  length of the line (2 bytes in version 1, 4 in 2 and 3)
//! {'descr': '<f8', 'fortran_order': False, 'shape': (3, 4), }   …spaces… \n          (all before the bytes: 64 k)
//! ```

use std::fmt::Write as _;

use pliant_linalg::quote;

use super::Array;
use crate::io::Source;
use crate::io::numbers::Scalar;
use crate::{Place, Result};

/// What we write.
pub(super) const REAL: &str = "<f8";
pub(super) const INTEGER: &str = "<i8";

const MAGIC: &[u8] = b"\x93NUMPY";
/// NumPy itself has no arrays of more axes.
const MOST_AXES: usize = 64;
/// Up to here every whole number is a 64-bit real.
const EXACT: i64 = 1 << 53;

/// Everything before the numbers; its length is a multiple of 64, as NumPy wants it.
pub(super) fn header(descr: &str, shape: &[usize]) -> Vec<u8> {
    let mut line =
        format!("{{'descr': '{descr}', 'fortran_order': False, 'shape': {}, }}", tuple(shape)).into_bytes();
    let length = (MAGIC.len() + 4 + line.len() + 1).next_multiple_of(64);
    line.resize(length - MAGIC.len() - 4 - 1, b' ');
    line.push(b'\n');
    // 64 axes of 20 digits are shorter than 2¹⁶.
    let size = u16::try_from(line.len()).expect("a line of at most 64 axes").to_le_bytes();
    [MAGIC, &[1, 0], &size, &line].concat()
}

/// A shape as Python writes it: `()`, `(3,)`, `(3, 4)`.
pub(super) fn tuple(shape: &[usize]) -> String {
    let mut text = String::from("(");
    for (i, n) in shape.iter().enumerate() {
        let _ = write!(text, "{}{n}", if i == 0 { "" } else { ", " });
    }
    text.push_str(if shape.len() == 1 { ",)" } else { ")" });
    text
}

/// Reads an array from `bytes`, which is all of `source` or one `entry` of it.
pub(super) fn read(source: &Source<'_>, bytes: &[u8], entry: Option<&str>) -> Result<Array> {
    let place = |byte: usize| match entry {
        None => Place::Byte(byte),
        Some(name) => Place::Part(format!("array {}, byte {byte}", quote(name))),
    };
    let bad = |at: usize, found: String, expected: &str| source.error(place(at), found, expected);
    if bytes.get(..6) != Some(MAGIC) {
        return Err(bad(0, "no NumPy array".into(), "an array as numpy.save writes it (.npy)"));
    }
    let wide = match bytes.get(6) {
        Some(1) => 2,
        Some(2 | 3) => 4,
        other => {
            let found = other.map_or("the file ends here".into(), |v| format!("version {v}"));
            return Err(bad(6, found, "version 1, 2 or 3 of the format"));
        }
    };
    let length = bytes.get(8..8 + wide).map(|b| b.iter().rev().fold(0, |n, b| n << 8 | usize::from(*b)));
    let start = 8 + wide;
    let Some(line) = length.and_then(|n| bytes.get(start..start.checked_add(n)?)) else {
        return Err(bad(8, "the file ends in its header".into(), "a whole header; the file is cut off"));
    };
    let says = Header::parse(line).map_err(|(found, expected)| bad(start, found, expected))?;
    let rest = &bytes[start + line.len()..];
    let count = says.shape.iter().try_fold(1usize, |n, d| n.checked_mul(*d));
    let size = count.and_then(|n| n.checked_mul(says.kind.size()));
    if size != Some(rest.len()) {
        let found = format!("{} bytes for the shape {}", rest.len(), tuple(&says.shape));
        let expected = match size {
            Some(size) => format!("{size}; the file is cut off or damaged"),
            None => "a shape that memory can hold; the file is damaged".into(),
        };
        return Err(bad(start + line.len(), found, &expected));
    }
    let mut data = Vec::with_capacity(rest.len() / says.kind.size());
    for number in rest.chunks_exact(says.kind.size()) {
        if matches!(says.kind, Scalar::I64 | Scalar::U64) {
            let whole = says.kind.integer(number, says.big);
            if !whole.is_some_and(|n| (-EXACT..=EXACT).contains(&n)) {
                let at = start + line.len() + data.len() * 8;
                return Err(bad(at, "a whole number beyond 2^53".into(), "numbers that float64 can hold"));
            }
        }
        data.push(says.kind.real(number, says.big));
    }
    if says.fortran {
        data = to_c_order(&data, &says.shape);
    }
    Ok(Array { shape: says.shape, data })
}

/// Numbers whose first index runs fastest, put in the order in which the last one does.
fn to_c_order(data: &[f64], shape: &[usize]) -> Vec<f64> {
    let mut strides = Vec::with_capacity(shape.len());
    let mut stride = 1;
    for n in shape {
        strides.push(stride);
        stride *= n;
    }
    let mut index = vec![0; shape.len()];
    let mut at = 0;
    let mut sorted = Vec::with_capacity(data.len());
    for _ in 0..data.len() {
        sorted.push(data[at]);
        for axis in (0..shape.len()).rev() {
            index[axis] += 1;
            at += strides[axis];
            if index[axis] < shape[axis] {
                break;
            }
            at -= strides[axis] * shape[axis];
            index[axis] = 0;
        }
    }
    sorted
}

/// What the line says.
struct Header {
    kind: Scalar,
    big: bool,
    fortran: bool,
    shape: Vec<usize>,
}

/// What was found, and what was expected.
type Wrong = (String, &'static str);

impl Header {
    fn parse(line: &[u8]) -> std::result::Result<Self, Wrong> {
        let text = String::from_utf8_lossy(line);
        let mut rest = text.trim();
        let (mut descr, mut fortran, mut shape) = (None, None, None);
        let broken = || (format!("the header {}", quote(&text)), "a dictionary as NumPy writes it");
        rest = rest.strip_prefix('{').and_then(|r| r.strip_suffix('}')).ok_or_else(broken)?;
        loop {
            rest = rest.trim_start_matches([',', ' ']);
            if rest.is_empty() {
                break;
            }
            let (key, after) = quoted(rest).ok_or_else(broken)?;
            rest = after.trim_start().strip_prefix(':').ok_or_else(broken)?.trim_start();
            match key {
                "descr" => {
                    let Some((value, after)) = quoted(rest) else {
                        return Err(("records instead of numbers".into(), KINDS));
                    };
                    descr = Some(kind(value)?);
                    rest = after;
                }
                "fortran_order" => {
                    let word = ["True", "False"].into_iter().find(|w| rest.starts_with(w));
                    let word = word.ok_or_else(broken)?;
                    fortran = Some(word == "True");
                    rest = &rest[word.len()..];
                }
                "shape" => {
                    let (inside, after) =
                        rest.strip_prefix('(').and_then(|r| r.split_once(')')).ok_or_else(broken)?;
                    // Python 2 wrote 3L.
                    let axes = inside.split(',').map(|n| n.trim().trim_end_matches('L'));
                    let axes: Option<Vec<usize>> =
                        axes.filter(|n| !n.is_empty()).map(|n| n.parse().ok()).collect();
                    let axes = axes.filter(|a| a.len() <= MOST_AXES);
                    shape = Some(axes.ok_or_else(broken)?);
                    rest = after;
                }
                _ => return Err(broken()),
            }
        }
        match (descr, fortran, shape) {
            (Some((kind, big)), Some(fortran), Some(shape)) => Ok(Self { kind, big, fortran, shape }),
            _ => Err(broken()),
        }
    }
}

const KINDS: &str = "real or whole numbers (b1, i1 to i8, u1 to u8, f4, f8); convert with .astype('f8')";

/// `<f8` → a number type, and whether its highest byte comes first.
fn kind(descr: &str) -> std::result::Result<(Scalar, bool), Wrong> {
    let unknown = || (format!("numbers of the type {}", quote(descr)), KINDS);
    let (order, name) = descr.split_at_checked(1).ok_or_else(unknown)?;
    let kind = match name {
        "b1" | "u1" => Scalar::U8,
        "i1" => Scalar::I8,
        "i2" => Scalar::I16,
        "u2" => Scalar::U16,
        "i4" => Scalar::I32,
        "u4" => Scalar::U32,
        "i8" => Scalar::I64,
        "u8" => Scalar::U64,
        "f4" => Scalar::F32,
        "f8" => Scalar::F64,
        _ => return Err(unknown()),
    };
    match order {
        "<" => Ok((kind, false)),
        ">" => Ok((kind, true)),
        "|" if kind.size() == 1 => Ok((kind, false)),
        _ => Err(unknown()),
    }
}

/// A string in single or double quotes, and what follows it.
fn quoted(text: &str) -> Option<(&str, &str)> {
    let mark = text.chars().next().filter(|c| matches!(c, '\'' | '"'))?;
    text[1..].split_once(mark)
}

/// The beginning of a text that may be anything.
#[cfg(test)]
mod tests {
    use super::*;

    fn read_bytes(bytes: Vec<u8>) -> Result<Array> {
        let source = Source::memory("a.npy", bytes, &|_| Err(std::io::ErrorKind::NotFound.into()));
        read(&source, &source.bytes, None)
    }

    /// An array with the given header, as any version writes it.
    fn file(version: u8, header: &str, data: &[u8]) -> Vec<u8> {
        let size = (header.len() as u32).to_le_bytes();
        let size = if version == 1 { &size[..2] } else { &size[..] };
        [MAGIC, &[version, 0], size, header.as_bytes(), data].concat()
    }

    #[test]
    fn the_header_is_what_numpy_writes() {
        // numpy 2.2: numpy.lib.format.header_data_from_array_1_0, write_array_header_1_0.
        let bytes = header(REAL, &[3, 4]);
        assert_eq!(bytes.len() % 64, 0);
        assert_eq!(&bytes[..10], b"\x93NUMPY\x01\x00\x76\x00");
        assert!(bytes[10..].starts_with(b"{'descr': '<f8', 'fortran_order': False, 'shape': (3, 4), }  "));
        assert_eq!(bytes.last(), Some(&b'\n'));
        assert_eq!((tuple(&[]), tuple(&[7])), ("()".into(), "(7,)".into()));
    }

    #[test]
    fn every_version_type_and_byte_order() {
        let header =
            |descr: &str| format!("{{'descr': '{descr}', 'fortran_order': False, 'shape': (2,), }}\n");
        let both = |bytes: [&[u8]; 2]| bytes.concat();
        for version in 1..=3 {
            for (descr, data) in [
                ("<f8", both([&1.5f64.to_le_bytes(), &(-2.0f64).to_le_bytes()])),
                (">f8", both([&1.5f64.to_be_bytes(), &(-2.0f64).to_be_bytes()])),
                ("<f4", both([&1.5f32.to_le_bytes(), &(-2.0f32).to_le_bytes()])),
            ] {
                let array = read_bytes(file(version, &header(descr), &data)).unwrap();
                assert_eq!(array, Array { shape: vec![2], data: vec![1.5, -2.0] }, "{version} {descr}");
            }
        }
        for (descr, data) in [
            ("|i1", vec![3, 0xFE]),
            (">i2", vec![0, 3, 0xFF, 0xFE]),
            ("<i8", both([&3i64.to_le_bytes(), &(-2i64).to_le_bytes()])),
        ] {
            assert_eq!(read_bytes(file(1, &header(descr), &data)).unwrap().data, [3.0, -2.0], "{descr}");
        }
        assert_eq!(read_bytes(file(1, &header("|b1"), &[1, 0])).unwrap().data, [1.0, 0.0]);
        let large = both([&(EXACT + 1).to_le_bytes(), &0i64.to_le_bytes()]);
        assert!(read_bytes(file(1, &header("<i8"), &large)).unwrap_err().to_string().contains("2^53"));
    }

    #[test]
    fn fortran_order_is_turned() {
        let header = "{'shape': (2, 3, 2), 'fortran_order': True, \"descr\": '|u1'}\n";
        // a[i, j, k] = 100 i + 10 j + k, the first index fastest.
        let at = |i: u8, j: u8, k: u8| 100 * i + 10 * j + k;
        let mut data = Vec::new();
        for k in 0..2 {
            for j in 0..3 {
                for i in 0..2 {
                    data.push(at(i, j, k));
                }
            }
        }
        let array = read_bytes(file(1, header, &data)).unwrap();
        assert_eq!(array.shape, [2, 3, 2]);
        assert_eq!(array.data, [0, 1, 10, 11, 20, 21, 100, 101, 110, 111, 120, 121].map(f64::from));
    }

    #[test]
    fn damaged_files_are_refused_with_a_reason() {
        let good = file(1, "{'descr': '<f8', 'fortran_order': False, 'shape': (2, 1), }\n", &[0; 16]);
        assert_eq!(read_bytes(good.clone()).unwrap().shape, [2, 1]);
        for cut in 0..good.len() {
            assert!(read_bytes(good[..cut].to_vec()).is_err(), "cut at {cut}");
        }
        for (header, reason) in [
            (
                "{'descr': '<f8', 'fortran_order': False, 'shape': (99999999999, 99999999999), }",
                "memory can hold",
            ),
            ("{'descr': '<f8', 'fortran_order': False, 'shape': (1000000000,), }", "8000000000"),
            ("{'descr': '<c16', 'fortran_order': False, 'shape': (1,), }", "astype"),
            ("{'descr': [('x', '<f8')], 'fortran_order': False, 'shape': (1,), }", "records"),
            ("{'descr': '=f8', 'fortran_order': False, 'shape': (1,), }", "astype"),
            ("{'descr': '<f8', 'fortran_order': No, 'shape': (1,), }", "dictionary"),
            ("{'descr': '<f8', 'fortran_order': False, 'shape': (-1,), }", "dictionary"),
            ("{'descr': '<f8', 'fortran_order': False}", "dictionary"),
            ("{'descr': '\u{e9}', 'fortran_order': False}", "astype"),
            ("{'descr': '", "dictionary"),
        ] {
            let error = read_bytes(file(1, header, &[0; 8])).unwrap_err().to_string();
            assert!(error.contains(reason) && error.starts_with("a.npy: "), "{header}: {error}");
        }
        assert!(read_bytes(file(4, "", &[])).unwrap_err().to_string().contains("version 4"));
    }

    #[test]
    fn a_single_number_and_no_number() {
        let scalar = file(1, "{'descr': '<f8', 'fortran_order': True, 'shape': (), }", &2.5f64.to_le_bytes());
        assert_eq!(read_bytes(scalar).unwrap(), Array { shape: vec![], data: vec![2.5] });
        let none = file(1, "{'descr': '<f8', 'fortran_order': True, 'shape': (0, 3), }", &[]);
        assert_eq!(read_bytes(none).unwrap(), Array { shape: vec![0, 3], data: vec![] });
    }
}
