//! Arrays of numbers in NumPy's formats: `.npy`, one array, and `.npz`, several by name in a zip file.
//!
//! Reading takes every real and integer type, either byte order, C and Fortran order, stored and deflated entries, and
//! makes `f64` in C order of them. Writing is deterministic (64 bits, lowest byte first, C order, entries in the given
//! order, stored, no clock) and can go frame by frame ([`NpzWriter::reals`]), so that an array need not be in memory.
//!
//! ```
//! # fn main() -> pliant_mesh::Result<()> {
//! use pliant_mesh::io::arrays::{self, Npz, Numbers};
//! # let path = std::env::temp_dir().join(format!("pliant-arrays-{}.npz", std::process::id()));
//! arrays::save_npz(&path, &[
//!     ("times", &[3], Numbers::Reals(&[0.0, 0.1, 0.2])),
//!     ("elements", &[1, 4], Numbers::Integers(&[0, 1, 2, 3])),
//! ])?;
//! let npz = Npz::open(&path)?;
//! assert_eq!(npz.names().collect::<Vec<_>>(), ["times", "elements"]);
//! assert_eq!(npz.get("times")?.data, [0.0, 0.1, 0.2]);
//! # std::fs::remove_file(&path).unwrap();
//! # Ok(())
//! # }
//! ```
//! Own code instead of a crate: the format of an array is a line of text before its bytes, the zip file needs neither
//! compression nor dates, and both must not believe what a damaged file says. Not read: complex numbers, records,
//! strings, half precision, encrypted or split zip files.
//!
//! Sources: NumPy Enhancement Proposal 1, "A simple file format for NumPy arrays"; PKWARE, "APPNOTE.TXT", version 6.3.

use std::path::Path;

use pliant_linalg::{quote, shown};

use super::{Out, Pending, Source, in_memory};
use crate::{MeshError, Place, Result};

mod npy;
mod npz;
mod zip;

pub use npz::{Npz, NpzWriter, Reals};

/// Numbers in a grid, in C order: the last index runs fastest.
#[derive(Clone, Debug, PartialEq)]
pub struct Array {
    /// How many there are along each axis; empty for a single number.
    pub shape: Vec<usize>,
    /// As many numbers as the product of the shape.
    pub data: Vec<f64>,
}

impl Array {
    /// The numbers, if the shape is as expected; `file` and `name` are for the message.
    ///
    /// # Errors
    /// When it is not, with both shapes.
    pub fn expect_shape(self, file: &Path, name: &str, shape: &[usize]) -> Result<Vec<f64>> {
        if self.shape == shape {
            return Ok(self.data);
        }
        Err(MeshError::Parse {
            file: shown(file),
            place: Place::Part(format!("array {}", quote(name))),
            found: format!("the shape {}", npy::tuple(&self.shape)),
            expected: format!("{}; is it of another mesh?", npy::tuple(shape)),
        })
    }
}

/// Numbers to be written, in C order.
#[derive(Clone, Copy, Debug)]
pub enum Numbers<'a> {
    /// As `float64`.
    Reals(&'a [f64]),
    /// As `int64`.
    Integers(&'a [i64]),
}

impl Numbers<'_> {
    fn len(&self) -> usize {
        match self {
            Self::Reals(x) => x.len(),
            Self::Integers(x) => x.len(),
        }
    }

    fn descr(&self) -> &'static str {
        match self {
            Self::Reals(_) => npy::REAL,
            Self::Integers(_) => npy::INTEGER,
        }
    }

    /// The numbers as bytes, some at a time.
    fn put(&self, mut out: impl FnMut(&[u8]) -> Result<()>) -> Result<()> {
        const SOME: usize = 8192;
        let mut bytes = Vec::with_capacity(8 * SOME);
        let mut flush = |bytes: &mut Vec<u8>| {
            let done = out(bytes);
            bytes.clear();
            done
        };
        match self {
            Self::Reals(x) => x.chunks(SOME).try_for_each(|x| {
                x.iter().for_each(|x| bytes.extend_from_slice(&x.to_le_bytes()));
                flush(&mut bytes)
            }),
            Self::Integers(x) => x.chunks(SOME).try_for_each(|x| {
                x.iter().for_each(|x| bytes.extend_from_slice(&x.to_le_bytes()));
                flush(&mut bytes)
            }),
        }
    }
}

/// Reads an array: the one of a `.npy` file, or the one called `name` of an `.npz` file.
///
/// # Errors
/// When the file cannot be read, is neither, or has no such array.
pub fn load(path: &Path, name: &str) -> Result<Array> {
    let source = Source::open(path)?;
    // By the first bytes: what is called .npy is sometimes .npz.
    if source.bytes.starts_with(b"PK") { Npz::read(source)?.get(name) } else { read_npy(&source) }
}

/// Reads the array of a `.npy` file.
///
/// # Errors
/// When it is none, is cut off, or holds something else than numbers.
pub fn read_npy(source: &Source<'_>) -> Result<Array> {
    npy::read(source, &source.bytes, None)
}

/// Writes a `.npy` file, whole or not at all.
///
/// # Errors
/// When there are more or fewer numbers than the shape says, or the disk refuses.
pub fn save_npy(path: &Path, shape: &[usize], numbers: Numbers<'_>) -> Result<()> {
    fits("the array", shape, numbers.len())?;
    let mut files = Pending::new();
    files.file(path, |out: &mut Out| {
        out.put(&npy::header(numbers.descr(), shape))?;
        numbers.put(|bytes| out.put(bytes))
    })?;
    files.commit()
}

/// Writes an `.npz` file of several arrays in this order, whole or not at all.
///
/// # Errors
/// As [`save_npy`], and when two arrays have the same name.
pub fn save_npz(path: &Path, arrays: &[(&str, &[usize], Numbers<'_>)]) -> Result<()> {
    let mut files = Pending::new();
    files.file(path, |out| put_npz(out, arrays))?;
    files.commit()
}

/// The bytes of the file that [`save_npz`] writes.
///
/// # Errors
/// As there, but for the disk.
pub fn npz_bytes(arrays: &[(&str, &[usize], Numbers<'_>)]) -> Result<Vec<u8>> {
    in_memory(|out| put_npz(out, arrays))
}

fn put_npz(out: &mut Out, arrays: &[(&str, &[usize], Numbers<'_>)]) -> Result<()> {
    let mut npz = NpzWriter::new(out);
    for (name, shape, numbers) in arrays {
        npz.array(name, shape, *numbers)?;
    }
    npz.finish()
}

/// Refuses numbers that are not as many as their shape says.
fn fits(what: &str, shape: &[usize], found: usize) -> Result<()> {
    let product = shape.iter().try_fold(1usize, |n, d| n.checked_mul(*d));
    if product == Some(found) {
        return Ok(());
    }
    Err(MeshError::Inconsistent(format!(
        "{what} has {found} numbers for the shape {}, expected their product",
        npy::tuple(shape)
    )))
}
