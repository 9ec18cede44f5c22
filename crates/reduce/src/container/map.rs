//! The bytes of a model file: mapped into memory, or copied there. The one place of this room that is `unsafe`.
//!
//! A map costs nothing until a page is looked at, and the system may drop its pages when memory is short: the basis is the
//! bulk of a model, and every evaluator and every process that opens the file shares one copy of it. The price: a
//! program that changes the file *in place* changes the numbers under us, and one that cuts it short ends us (SIGBUS). Ours
//! never do that: they write another file and rename it, and the old one lives on for those who have it open. For files on
//! a disk that others write to, use [`crate::Model::from_bytes`].
#![expect(unsafe_code, reason = "a memory map is only as safe as the other users of its file")]

use std::fs::File;
use std::io;
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

use memmap2::Mmap;

/// The bytes of a file, at an address that is a multiple of eight.
pub(crate) enum Bytes {
    Mapped(Mmap),
    /// In words, so that eight bytes are aligned.
    Copied {
        words: Vec<u64>,
        length: usize,
    },
}

impl Bytes {
    /// Maps a file, to be read.
    pub(crate) fn map(path: &Path) -> io::Result<Self> {
        let file = File::open(path)?;
        if !file.metadata()?.is_file() {
            return Err(io::Error::new(io::ErrorKind::InvalidInput, "it is not a file"));
        }
        // SAFETY: the map is read only and private. What is left is a promise about others: nobody changes a model file in
        // place while it is open. Our writers never do (module header), and every number in a map was checked when it was
        // read: a change behind our back can make numbers wrong or end the process, but every index that is used for
        // memory was copied out of the map first.
        let map = unsafe { Mmap::map(&file)? };
        Ok(Self::Mapped(map))
    }

    /// Copies bytes that are in memory already.
    pub(crate) fn copy(bytes: &[u8]) -> Self {
        let mut words = vec![0u64; bytes.len().div_ceil(8)];
        bytemuck::cast_slice_mut::<u64, u8>(&mut words)[..bytes.len()].copy_from_slice(bytes);
        Self::Copied { words, length: bytes.len() }
    }
}

impl std::ops::Deref for Bytes {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        match self {
            Self::Mapped(map) => map,
            Self::Copied { words, length } => &bytemuck::cast_slice(words)[..*length],
        }
    }
}

/// Numbers inside of [`Bytes`], which live as long as somebody looks at them.
pub(crate) struct Reals {
    bytes: Arc<Bytes>,
    range: Range<usize>,
}

impl Reals {
    /// The numbers in `range`; `None` where that is no range of whole, aligned numbers.
    pub(crate) fn new(bytes: Arc<Bytes>, range: Range<usize>) -> Option<Self> {
        bytemuck::try_cast_slice::<u8, f64>(bytes.get(range.clone())?).ok()?;
        Some(Self { bytes, range })
    }
}

impl AsRef<[f64]> for Reals {
    fn as_ref(&self) -> &[f64] {
        bytemuck::cast_slice(&self.bytes[self.range.clone()])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_map_is_the_file_and_outlives_its_name() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("numbers");
        let numbers = [1.5, -0.0, f64::MAX, 3.0];
        std::fs::write(&path, bytemuck::cast_slice(&numbers)).unwrap();
        let bytes = Arc::new(Bytes::map(&path).unwrap());
        let inside = Reals::new(bytes.clone(), 8..32).unwrap();
        drop(bytes);
        // As our writers replace a file: another one takes its name.
        let other = dir.path().join("other");
        std::fs::write(&other, [7; 32]).unwrap();
        std::fs::rename(&other, &path).unwrap();
        assert_eq!(inside.as_ref(), &numbers[1..]);
        std::fs::remove_file(&path).unwrap();
        assert_eq!(inside.as_ref(), &numbers[1..]);
    }

    #[test]
    fn what_is_no_file_is_refused_and_an_empty_one_is_empty() {
        let dir = tempfile::tempdir().unwrap();
        assert!(Bytes::map(dir.path()).is_err());
        assert!(Bytes::map(&dir.path().join("nothing")).is_err());
        let path = dir.path().join("empty");
        std::fs::write(&path, []).unwrap();
        assert!(Bytes::map(&path).unwrap().is_empty());
    }

    #[test]
    fn ranges_that_hold_no_whole_numbers_are_refused() {
        let bytes = Arc::new(Bytes::copy(&[1; 30]));
        assert_eq!(&bytes[..], [1; 30]);
        for range in [0..7, 4..12, 24..32, 8..1000] {
            assert!(Reals::new(bytes.clone(), range.clone()).is_none(), "{range:?}");
        }
        assert_eq!(Reals::new(bytes, 8..24).unwrap().as_ref().len(), 2);
    }
}
