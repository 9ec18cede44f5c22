//! As much of zip as `.npz` needs: a table at the end, entries stored or deflated, sizes of 32 or 64 bits.
//!
//! Nothing is believed: every offset and size is held against the bytes that are there, and checksums are compared.

use std::io::Read as _;

use pliant_linalg::{foreign, quote};

use crate::io::Source;
use crate::{Place, Result};

pub(super) const LOCAL: u32 = 0x0403_4b50;
pub(super) const CENTRAL: u32 = 0x0201_4b50;
pub(super) const END: u32 = 0x0605_4b50;
pub(super) const END_64: u32 = 0x0606_4b50;
pub(super) const LOCATOR_64: u32 = 0x0706_4b50;
/// In a field of 32 bits: the number is in the 64-bit extra field.
pub(super) const ELSEWHERE: u32 = u32::MAX;
/// The extra field with numbers of 64 bits.
pub(super) const EXTRA_64: u16 = 1;

/// Unpacked bytes that a file may become: this many times its size and this many more. What goes beyond is made to fill
/// memory.
const MOST_UNPACKED: (u64, u64) = (64, 32 << 20);

/// A line of the table at the end.
#[derive(Clone, Debug)]
pub(super) struct Entry {
    pub(super) name: String,
    deflated: bool,
    crc: u32,
    packed: u64,
    size: u64,
    offset: u64,
}

/// The little-endian number of `N` bytes at `at`.
fn number<const N: usize>(bytes: &[u8], at: usize) -> Option<u64> {
    let part = bytes.get(at..at.checked_add(N)?)?;
    Some(part.iter().rev().fold(0, |n, b| n << 8 | u64::from(*b)))
}

/// Whether the mark stands at `at`.
fn is(bytes: &[u8], at: usize, mark: u32) -> bool {
    number::<4>(bytes, at) == Some(u64::from(mark))
}

/// All entries, in the order of the table.
pub(super) fn entries(source: &Source<'_>) -> Result<Vec<Entry>> {
    let bytes = &source.bytes[..];
    let bad = |found: &str| {
        source.error(Place::Whole, found, "a zip file as numpy.savez writes it (.npz); it may be cut off")
    };
    // Behind the end there may be a comment of up to 64 kB.
    let first = bytes.len().saturating_sub(22 + 0xFFFF);
    let end = (first..bytes.len().saturating_sub(21))
        .rev()
        .find(|&at| is(bytes, at, END))
        .ok_or_else(|| bad("no table of contents at its end"))?;
    let mut count = number::<2>(bytes, end + 10);
    let mut start = number::<4>(bytes, end + 16);
    let locator = end.checked_sub(20).filter(|&at| is(bytes, at, LOCATOR_64));
    if let Some(locator) = locator {
        let at = number::<8>(bytes, locator + 8).and_then(|at| usize::try_from(at).ok());
        let at = at.filter(|&at| is(bytes, at, END_64));
        let at = at.ok_or_else(|| bad("a 64-bit table that is not where it should be"))?;
        count = at.checked_add(32).and_then(|at| number::<8>(bytes, at));
        start = at.checked_add(48).and_then(|at| number::<8>(bytes, at));
    }
    let broken = || bad("a table of contents that leads nowhere");
    let mut at = start.and_then(|at| usize::try_from(at).ok()).ok_or_else(broken)?;
    let mut entries = Vec::new();
    for _ in 0..count.ok_or_else(broken)? {
        let (entry, next) = entry(bytes, at).ok_or_else(broken)?;
        entries.push(entry.ok_or_else(|| bad("an entry that is encrypted or packed in an unknown way"))?);
        at = next;
    }
    Ok(entries)
}

/// The line of the table at `at` (`None` inside for one that cannot be read), and where the next one is.
fn entry(bytes: &[u8], at: usize) -> Option<(Option<Entry>, usize)> {
    if !is(bytes, at, CENTRAL) {
        return None;
    }
    let field = |offset: usize| number::<2>(bytes, at + offset);
    let long = |offset: usize| number::<4>(bytes, at + offset);
    let (flags, method) = (field(8)?, field(10)?);
    let (name, extra, comment) = (field(28)? as usize, field(30)? as usize, field(32)? as usize);
    let (mut packed, mut size, mut offset) = (long(20)?, long(24)?, long(42)?);
    let extras = bytes.get(at + 46 + name..at + 46 + name + extra)?;
    let mut wide = wide(extras).unwrap_or_default();
    // In this order, and only those that did not fit.
    for slot in [&mut size, &mut packed, &mut offset] {
        if *slot == u64::from(ELSEWHERE) {
            *slot = number::<8>(wide, 0)?;
            wide = &wide[8..];
        }
    }
    let name_bytes = bytes.get(at + 46..at + 46 + name)?;
    let known = flags & 1 == 0 && (method == 8 || (method == 0 && packed == size));
    let entry = Entry {
        name: String::from_utf8_lossy(name_bytes).into_owned(),
        deflated: method == 8,
        crc: long(16)? as u32,
        packed,
        size,
        offset,
    };
    Some((known.then_some(entry), at + 46 + name + extra + comment))
}

/// The contents of the 64-bit extra field.
fn wide(mut extras: &[u8]) -> Option<&[u8]> {
    loop {
        let (id, size) = (number::<2>(extras, 0)?, number::<2>(extras, 2)? as usize);
        let inside = extras.get(4..4 + size)?;
        if id == u64::from(EXTRA_64) {
            return Some(inside);
        }
        extras = &extras[4 + size..];
    }
}

/// The unpacked bytes of an entry.
pub(super) fn unpack(source: &Source<'_>, entry: &Entry) -> Result<Vec<u8>> {
    let bytes = &source.bytes[..];
    let place = || Place::Part(format!("entry {}", quote(&entry.name)));
    let bad = |found: &str, expected: &str| source.error(place(), found, expected);
    let data = || {
        let at = usize::try_from(entry.offset).ok()?;
        if !is(bytes, at, LOCAL) {
            return None;
        }
        let before = 30 + number::<2>(bytes, at + 26)? + number::<2>(bytes, at + 28)?;
        let start = at.checked_add(usize::try_from(before).ok()?)?;
        bytes.get(start..start.checked_add(usize::try_from(entry.packed).ok()?)?)
    };
    let data = data().ok_or_else(|| bad("it is not all there", "a whole file; it is cut off or damaged"))?;
    let unpacked = if entry.deflated {
        let (times, more) = MOST_UNPACKED;
        if entry.size > (bytes.len() as u64).saturating_mul(times).saturating_add(more) {
            return Err(bad(
                &format!("{} bytes of a file of {}", entry.size, bytes.len()),
                "less; write it with numpy.savez, without compression",
            ));
        }
        let mut unpacked = Vec::new();
        flate2::read::DeflateDecoder::new(data)
            .take(entry.size.saturating_add(1))
            .read_to_end(&mut unpacked)
            .map_err(|e| {
                bad(
                    &format!("it cannot be unpacked: {}", foreign(&e.to_string())),
                    "a whole file; it is damaged",
                )
            })?;
        unpacked
    } else {
        data.to_vec()
    };
    let mut crc = flate2::Crc::new();
    crc.update(&unpacked);
    if unpacked.len() as u64 != entry.size || crc.sum() != entry.crc {
        return Err(bad("its checksum is wrong", "a whole file; it is damaged"));
    }
    Ok(unpacked)
}
