//! Several arrays by name: reading them from a zip file, and writing them into one, frame by frame if need be.
//!
//! Entries are stored as they are: displacements in 64 bits hardly pack, and a stored file can be mapped into memory.
//! Every entry has the date 1980-01-01, the first that zip knows, so that the same arrays give the same bytes.

use std::collections::HashSet;
use std::path::Path;

use flate2::Crc;
use pliant_linalg::{quote, quote_few};

use super::zip::{self, CENTRAL, ELSEWHERE, END, END_64, EXTRA_64, Entry, LOCAL, LOCATOR_64};
use super::{Array, Numbers, fits, npy};
use crate::io::{Out, Source};
use crate::{MeshError, Place, Result};

/// An `.npz` file that was read.
pub struct Npz<'a> {
    source: Source<'a>,
    entries: Vec<Entry>,
}

impl Npz<'static> {
    /// Reads the table of a file on disk; arrays are made when they are asked for.
    ///
    /// # Errors
    /// When it cannot be read or is no zip file.
    pub fn open(path: &Path) -> Result<Self> {
        Npz::read(Source::open(path)?)
    }
}

impl<'a> Npz<'a> {
    /// Reads the table of a file in memory.
    ///
    /// # Errors
    /// When it is no zip file.
    pub fn read(source: Source<'a>) -> Result<Self> {
        let entries = zip::entries(&source)?;
        Ok(Self { source, entries })
    }

    /// The names of the arrays, in the order of the file.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.entries.iter().map(|e| e.name.strip_suffix(".npy").unwrap_or(&e.name))
    }

    /// Whether there is an array of that name.
    pub fn has(&self, name: &str) -> bool {
        self.names().any(|n| n == name)
    }

    /// The array of that name.
    ///
    /// # Errors
    /// When there is none, or it is damaged.
    pub fn get(&self, name: &str) -> Result<Array> {
        let Some(i) = self.names().position(|n| n == name) else {
            let there = match self.names().next() {
                None => "none".to_owned(),
                Some(_) => quote_few(self.names()),
            };
            return Err(self.source.error(
                Place::Whole,
                format!("no array {}", quote(name)),
                format!("it beside {there}"),
            ));
        };
        let bytes = zip::unpack(&self.source, &self.entries[i])?;
        npy::read(&self.source, &bytes, Some(name))
    }
}

/// Writes an `.npz` file, array after array.
///
/// ```
/// # fn main() -> pliant_mesh::Result<()> {
/// use pliant_mesh::io::{Pending, arrays::{Npz, NpzWriter}};
/// # let path = std::env::temp_dir().join(format!("pliant-npz-{}.npz", std::process::id()));
/// let (frames, vertices) = (100, 8);
/// let mut files = Pending::new();
/// files.file(&path, |out| {
///     let mut npz = NpzWriter::new(out);
///     let mut displacement = npz.reals("displacement", &[frames, vertices, 3])?;
///     for i in 0..frames {
///         displacement.push(&vec![i as f64; 3 * vertices])?;     // only one frame is ever in memory
///     }
///     displacement.finish()?;
///     npz.finish()
/// })?;
/// files.commit()?;
/// assert_eq!(Npz::open(&path)?.get("displacement")?.shape, [100, 8, 3]);
/// # std::fs::remove_file(&path).unwrap();
/// # Ok(())
/// # }
/// ```
#[must_use = "the file is no zip file until `.finish()`"]
pub struct NpzWriter<'a> {
    out: &'a mut Out,
    at: u64,
    /// The table at the end, as it grows.
    table: Vec<u8>,
    names: HashSet<String>,
}

impl<'a> NpzWriter<'a> {
    /// Begins a file.
    pub fn new(out: &'a mut Out) -> Self {
        Self { out, at: 0, table: Vec::new(), names: HashSet::new() }
    }

    /// Adds an array that is in memory.
    ///
    /// # Errors
    /// When there are more or fewer numbers than the shape says, the name was used, or the disk refuses.
    pub fn array(&mut self, name: &str, shape: &[usize], numbers: Numbers<'_>) -> Result<()> {
        fits(&format!("the array {}", quote(name)), shape, numbers.len())?;
        let mut entry = self.begin(name, numbers.descr(), shape)?;
        numbers.put(|bytes| entry.put(bytes))?;
        entry.finish()
    }

    /// Adds an array of reals that is given piece by piece, in C order.
    ///
    /// # Errors
    /// When the name was used or the disk refuses.
    pub fn reals(&mut self, name: &str, shape: &[usize]) -> Result<Reals<'_, 'a>> {
        self.begin(name, npy::REAL, shape)
    }

    fn begin(&mut self, name: &str, descr: &str, shape: &[usize]) -> Result<Reals<'_, 'a>> {
        let inconsistent = |what: String| MeshError::Inconsistent(what);
        if self.names.contains(name) {
            return Err(inconsistent(format!("two arrays are called {}; names must differ", quote(name))));
        }
        if name.is_empty() || name.len() > 200 || name.chars().any(|c| c.is_control() || "/\\".contains(c)) {
            return Err(inconsistent(format!(
                "an array is called {}; expected 1 to 200 bytes without slashes",
                quote(name)
            )));
        }
        let header = npy::header(descr, shape);
        let numbers = shape.iter().try_fold(1u64, |n, d| n.checked_mul(*d as u64));
        let size = numbers.and_then(|n| n.checked_mul(8)?.checked_add(header.len() as u64));
        let size = size.ok_or_else(|| {
            inconsistent(format!("the array {} has the shape {}: too large", quote(name), npy::tuple(shape)))
        })?;
        self.names.insert(name.to_owned());
        let file = format!("{name}.npy");
        let local = local_header(&file, size, 0);
        let start = self.at;
        self.put(&local)?;
        let mut entry = Reals { npz: self, file, start, size, left: size, crc: Crc::new() };
        entry.put(&header)?;
        Ok(entry)
    }

    fn put(&mut self, bytes: &[u8]) -> Result<()> {
        self.at += bytes.len() as u64;
        self.out.put(bytes)
    }

    /// Ends the file with its table.
    ///
    /// # Errors
    /// When the disk refuses.
    pub fn finish(mut self) -> Result<()> {
        let table = std::mem::take(&mut self.table);
        let (count, start, size) = (self.names.len() as u64, self.at, table.len() as u64);
        self.put(&table)?;
        let end = end_of_file(count, start, size);
        self.put(&end)
    }
}

/// The table's place, in 64 bits as well where 32 do not do.
fn end_of_file(count: u64, start: u64, size: u64) -> Vec<u8> {
    let mut end = Bytes::default();
    if count >= 0xFFFF || start >= u64::from(ELSEWHERE) || size >= u64::from(ELSEWHERE) {
        end.u32(END_64).u64(44).u16(45).u16(45).u32(0).u32(0);
        end.u64(count).u64(count).u64(size).u64(start);
        end.u32(LOCATOR_64).u32(0).u64(start + size).u32(1);
    }
    let short = u16::try_from(count).unwrap_or(u16::MAX);
    end.u32(END).u16(0).u16(0).u16(short).u16(short).u32(clamped(size)).u32(clamped(start)).u16(0);
    end.0
}

/// An array that is being written.
#[must_use = "the array is not in the file until `.finish()`"]
pub struct Reals<'w, 'a> {
    npz: &'w mut NpzWriter<'a>,
    file: String,
    start: u64,
    size: u64,
    /// Bytes that are still to come.
    left: u64,
    crc: Crc,
}

impl Reals<'_, '_> {
    /// Appends numbers.
    ///
    /// # Errors
    /// When the disk refuses, or there are more than the shape has.
    pub fn push(&mut self, numbers: &[f64]) -> Result<()> {
        Numbers::Reals(numbers).put(|bytes| self.put(bytes))
    }

    fn put(&mut self, bytes: &[u8]) -> Result<()> {
        self.left = self.left.checked_sub(bytes.len() as u64).ok_or_else(|| {
            MeshError::Inconsistent(format!("{} gets more numbers than its shape has", self.file))
        })?;
        self.crc.update(bytes);
        self.npz.put(bytes)
    }

    /// Ends the array.
    ///
    /// # Errors
    /// When numbers are missing, or the disk refuses.
    pub fn finish(self) -> Result<()> {
        let Self { npz, file, start, size, left, crc } = self;
        if left > 0 {
            return Err(MeshError::Inconsistent(format!("{} lacks {} of its numbers", file, left / 8)));
        }
        // The checksum is known only now.
        npz.out.patch(start, &local_header(&file, size, crc.sum()))?;
        npz.table.extend(table_line(&file, start, size, crc.sum()));
        Ok(())
    }
}

/// What stands in front of an entry.
fn local_header(file: &str, size: u64, crc: u32) -> Vec<u8> {
    let wide = size >= u64::from(ELSEWHERE);
    let mut bytes = Bytes::default();
    bytes.u32(LOCAL).u16(if wide { 45 } else { 20 });
    described(&mut bytes, file, crc, clamped(size));
    bytes.u16(if wide { 20 } else { 0 }).bytes(file.as_bytes());
    if wide {
        bytes.u16(EXTRA_64).u16(16).u64(size).u64(size);
    }
    bytes.0
}

/// The line of an entry in the table at the end.
fn table_line(file: &str, start: u64, size: u64, crc: u32) -> Vec<u8> {
    let (wide, far) = (size >= u64::from(ELSEWHERE), start >= u64::from(ELSEWHERE));
    let mut extra = Bytes::default();
    if wide {
        extra.u64(size).u64(size);
    }
    if far {
        extra.u64(start);
    }
    let version = if wide || far { 45 } else { 20 };
    let mut bytes = Bytes::default();
    bytes.u32(CENTRAL).u16(version).u16(version);
    described(&mut bytes, file, crc, clamped(size));
    let length = extra.0.len() as u16;
    bytes.u16(if length > 0 { length + 4 } else { 0 });
    // No comment, first disk, no attributes.
    bytes.u16(0).u16(0).u16(0).u32(0).u32(clamped(start)).bytes(file.as_bytes());
    if length > 0 {
        bytes.u16(EXTRA_64).u16(length).bytes(&extra.0);
    }
    bytes.0
}

/// The fields that both have: names are UTF-8, nothing is packed, 1980-01-01 00:00.
fn described(bytes: &mut Bytes, file: &str, crc: u32, size: u32) {
    bytes.u16(1 << 11).u16(0).u16(0).u16(1 << 5 | 1).u32(crc).u32(size).u32(size).u16(file.len() as u16);
}

fn clamped(n: u64) -> u32 {
    u32::try_from(n).unwrap_or(ELSEWHERE)
}

#[derive(Default)]
struct Bytes(Vec<u8>);

impl Bytes {
    fn bytes(&mut self, bytes: &[u8]) -> &mut Self {
        self.0.extend_from_slice(bytes);
        self
    }
    fn u16(&mut self, n: u16) -> &mut Self {
        self.bytes(&n.to_le_bytes())
    }
    fn u32(&mut self, n: u32) -> &mut Self {
        self.bytes(&n.to_le_bytes())
    }
    fn u64(&mut self, n: u64) -> &mut Self {
        self.bytes(&n.to_le_bytes())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::io::{Pending, arrays};

    fn memory(bytes: Vec<u8>) -> Source<'static> {
        Source::memory("a.npz", bytes, &|_| Err(std::io::ErrorKind::NotFound.into()))
    }

    fn sample(dir: &Path) -> Vec<u8> {
        let path = dir.join("a.npz");
        let x: Vec<f64> = (0..24).map(|i| f64::from(i).sqrt()).collect();
        let both: [(&str, &[usize], Numbers<'_>); 2] =
            [("x", &[2, 4, 3], Numbers::Reals(&x)), ("ids", &[2], Numbers::Integers(&[-7, 9]))];
        arrays::save_npz(&path, &both).unwrap();
        let bytes = std::fs::read(path).unwrap();
        assert_eq!(bytes, arrays::npz_bytes(&both).unwrap(), "in memory as on the disk");
        bytes
    }

    #[test]
    fn what_is_written_is_read_again_and_always_the_same() {
        let dir = tempfile::tempdir().unwrap();
        let bytes = sample(dir.path());
        assert_eq!(bytes, sample(dir.path()));
        let npz = Npz::read(memory(bytes)).unwrap();
        assert_eq!(npz.names().collect::<Vec<_>>(), ["x", "ids"]);
        let x = npz.get("x").unwrap();
        assert_eq!((&x.shape[..], x.data[5]), (&[2, 4, 3][..], 5f64.sqrt()));
        assert_eq!(npz.get("ids").unwrap().data, [-7.0, 9.0]);
        let error = npz.get("y").err().unwrap().to_string();
        assert!(error.contains("no array \"y\"") && error.contains("\"x\", \"ids\""), "{error}");
        assert!(x.expect_shape(Path::new("a"), "x", &[2, 12]).unwrap_err().to_string().contains("(2, 4, 3)"));
    }

    #[test]
    fn damage_is_found() {
        let dir = tempfile::tempdir().unwrap();
        let bytes = sample(dir.path());
        let whole = |bytes: Vec<u8>| {
            let npz = Npz::read(memory(bytes))?;
            Ok::<_, MeshError>((npz.get("x")?, npz.get("ids")?))
        };
        let truth = whole(bytes.clone()).unwrap();
        for cut in 0..bytes.len() {
            assert!(whole(bytes[..cut].to_vec()).is_err(), "cut at {cut}");
        }
        for at in 0..bytes.len() {
            for flip in [1, 0x80, 0xFF] {
                let mut bytes = bytes.clone();
                bytes[at] ^= flip;
                // Dates and versions do not matter; numbers never change unnoticed.
                if let Ok(read) = whole(bytes) {
                    assert_eq!(read, truth, "byte {at}");
                }
            }
        }
    }

    #[test]
    fn too_many_or_too_few_numbers_are_refused() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("a.npz");
        let attempt = |fill: fn(&mut NpzWriter<'_>) -> Result<()>| {
            let mut files = Pending::new();
            files.file(&path, |out| fill(&mut NpzWriter::new(out))).unwrap_err().to_string()
        };
        let few = attempt(|npz| npz.reals("x", &[3])?.finish());
        assert!(few.contains("lacks 3"), "{few}");
        let many = attempt(|npz| npz.reals("x", &[3])?.push(&[0.0; 4]));
        assert!(many.contains("more numbers"), "{many}");
        let twice = attempt(|npz| {
            npz.array("x", &[], Numbers::Reals(&[1.0]))?;
            npz.array("x", &[], Numbers::Reals(&[1.0]))
        });
        assert!(twice.contains("two arrays"), "{twice}");
        assert!(attempt(|npz| npz.array("x", &[2], Numbers::Reals(&[1.0]))).contains("(2,)"));
        assert!(attempt(|npz| npz.reals("x", &[usize::MAX, 2])?.finish()).contains("too large"));
        assert!(attempt(|npz| npz.reals("../x", &[1])?.finish()).contains("slashes"));
        assert_eq!(std::fs::read_dir(dir.path()).unwrap().count(), 0);
    }

    #[test]
    fn beyond_four_gigabytes_the_numbers_are_64_bits_wide() {
        // The headers only: nobody wants to wait for the bytes between them.
        let (size, start) = (5 << 30, 6u64 << 30);
        let local = local_header("x.npy", size, 7);
        assert_eq!(&local[18..26], &[0xFF; 8]);
        assert_eq!(local.len(), 30 + 5 + 20);
        let line = table_line("x.npy", start, size, 7);
        let end = end_of_file(1, 0, line.len() as u64);
        let source = memory([line, end].concat());
        let entries = zip::entries(&source).unwrap();
        assert!(format!("{:?}", entries[0]).contains(&format!("size: {size}, offset: {start}")));
        let end = end_of_file(1, start, 50);
        assert_eq!(end.len(), 56 + 20 + 22);
        assert_eq!(end[48..56], start.to_le_bytes());
        assert_eq!(end[64..72], (start + 50).to_le_bytes());
        let small = end_of_file(2, 1000, 50);
        assert_eq!(small.len(), 22);
    }
}
