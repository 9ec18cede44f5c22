//! The container of a model file: safetensors, with one string beside the tensors and a checksum over everything.
//!
//! ```text
//! 8 bytes    length of the header, little-endian
//! header     JSON: __metadata__ = {"pliant": description}, then type, shape and place of each tensor; spaces at its end
//! tensors    one after another, row by row, little-endian; the widest type first, so that all of them are aligned
//! ```
//! The checksum is SHA-256 of the whole file with the 64 digits of the checksum itself as zeros. It stands in the
//! description, so it must be known where: its first occurrence behind the word `checksum` in the header.

use std::borrow::Cow;
use std::collections::BTreeMap;

use bytemuck::cast_slice;
use safetensors::Dtype;
use safetensors::tensor::{Metadata, TensorInfo};
use sha2::{Digest as _, Sha256};

pub(crate) mod map;
mod rows;

use map::Bytes;
use pliant_linalg::{foreign, quote};
pub(crate) use rows::{offsets, offsets_of, positions, read_faces, read_positions, rows, write_faces};

const _: () = assert!(cfg!(target_endian = "little"), "tensors are used as they lie in the file");

/// The one key of the metadata.
const KEY: &str = "pliant";
/// What other readers of safetensors accept.
const LONGEST_HEADER: usize = 100_000_000;
/// Digits of a checksum.
pub(crate) const DIGITS: usize = 64;
/// Said of a file that was good once.
pub(crate) const DAMAGED: &str = "the file is damaged: copy it again, or build the model again";

/// A tensor to be written.
pub(crate) struct Tensor<'a> {
    kind: Dtype,
    shape: Vec<usize>,
    bytes: Cow<'a, [u8]>,
}

impl<'a> Tensor<'a> {
    pub(crate) fn reals(shape: &[usize], numbers: &'a [f64]) -> Self {
        Self::new(Dtype::F64, shape, cast_slice(numbers))
    }

    pub(crate) fn indices(shape: &[usize], numbers: &'a [u32]) -> Self {
        Self::new(Dtype::U32, shape, cast_slice(numbers))
    }

    pub(crate) fn new(kind: Dtype, shape: &[usize], bytes: &'a [u8]) -> Self {
        Self { kind, shape: shape.to_vec(), bytes: Cow::Borrowed(bytes) }
    }

    pub(crate) fn owned_reals(shape: &[usize], numbers: Vec<f64>) -> Tensor<'static> {
        Tensor { kind: Dtype::F64, shape: shape.to_vec(), bytes: cast_slice(&numbers).to_vec().into() }
    }

    pub(crate) fn owned_indices(shape: &[usize], numbers: Vec<u32>) -> Tensor<'static> {
        Tensor { kind: Dtype::U32, shape: shape.to_vec(), bytes: cast_slice(&numbers).to_vec().into() }
    }

    pub(crate) fn owned_bytes(shape: &[usize], bytes: Vec<u8>) -> Tensor<'static> {
        Tensor { kind: Dtype::U8, shape: shape.to_vec(), bytes: bytes.into() }
    }
}

/// Tensors on their way into a file, each under a name that is there once.
#[derive(Default)]
pub struct TensorWriter<'a>(pub(crate) BTreeMap<String, Tensor<'a>>);

impl<'a> TensorWriter<'a> {
    /// Numbers, row by row.
    pub fn reals(&mut self, name: &str, shape: &[usize], numbers: &'a [f64]) {
        self.put(name, Tensor::reals(shape, numbers));
    }

    /// Indices, row by row.
    pub fn indices(&mut self, name: &str, shape: &[usize], numbers: &'a [u32]) {
        self.put(name, Tensor::indices(shape, numbers));
    }

    /// Numbers that nobody else keeps.
    pub fn owned_reals(&mut self, name: &str, shape: &[usize], numbers: Vec<f64>) {
        self.put(name, Tensor::owned_reals(shape, numbers));
    }

    /// Indices that nobody else keeps.
    pub fn owned_indices(&mut self, name: &str, shape: &[usize], numbers: Vec<u32>) {
        self.put(name, Tensor::owned_indices(shape, numbers));
    }

    pub(crate) fn put(&mut self, name: &str, tensor: Tensor<'a>) {
        let before = self.0.insert(name.to_owned(), tensor);
        assert!(before.is_none(), "the tensor {name:?} is written twice");
    }
}

/// A file to be written: its pieces, one after another.
pub(crate) struct Sealed<'a> {
    head: Vec<u8>,
    tensors: Vec<Cow<'a, [u8]>>,
}

impl<'a> Sealed<'a> {
    /// `description` has [`DIGITS`] zeros where its checksum will be.
    pub(crate) fn new(tensors: TensorWriter<'a>, description: String) -> Result<Self, String> {
        let mut sealed = Self::unsealed(tensors, description)?;
        let sum = checksum(sealed.pieces());
        let place = digits(&sealed.head).ok_or("the description has no place for a checksum")?;
        sealed.head[place..place + DIGITS].copy_from_slice(sum.as_bytes());
        Ok(sealed)
    }

    /// How many bytes it will have.
    pub(crate) fn length(tensors: TensorWriter<'a>, description: String) -> Result<usize, String> {
        Ok(Self::unsealed(tensors, description)?.pieces().map(<[u8]>::len).sum())
    }

    /// Without its checksum.
    fn unsealed(tensors: TensorWriter<'a>, description: String) -> Result<Self, String> {
        let mut tensors: Vec<(String, Tensor<'a>)> = tensors.0.into_iter().collect();
        // Stable: by name within a type.
        tensors.sort_by_key(|(_, tensor)| std::cmp::Reverse(tensor.kind));
        let mut end = 0;
        let infos = tensors
            .iter()
            .map(|(name, tensor)| {
                let start = end;
                end += tensor.bytes.len();
                let info = TensorInfo {
                    dtype: tensor.kind,
                    shape: tensor.shape.clone(),
                    data_offsets: (start, end),
                };
                (name.clone(), info)
            })
            .collect();
        let beside = [(KEY.to_owned(), description)].into_iter().collect();
        let metadata = Metadata::new(Some(beside), infos).expect("tensors of their own shapes, in order");
        let mut header = serde_json::to_vec(&metadata).map_err(|e| e.to_string())?;
        header.resize(header.len().next_multiple_of(8), b' ');
        if header.len() > LONGEST_HEADER {
            return Err(format!(
                "names and facts would take {} bytes, expected at most {LONGEST_HEADER}; shorten the names of \
                 regions, materials and sets",
                header.len()
            ));
        }
        let mut head = (header.len() as u64).to_le_bytes().to_vec();
        head.extend(header);
        Ok(Self { head, tensors: tensors.into_iter().map(|(_, tensor)| tensor.bytes).collect() })
    }

    /// All bytes of the file, in order.
    pub(crate) fn pieces(&self) -> impl Iterator<Item = &[u8]> {
        std::iter::once(&self.head[..]).chain(self.tensors.iter().map(|t| &t[..]))
    }
}

/// The tensors of a container that was opened: its frame is sound, what is in it is not judged yet.
pub struct TensorReader<'a> {
    bytes: &'a Bytes,
    metadata: Metadata,
    /// Where the tensors begin.
    start: usize,
}

impl<'a> TensorReader<'a> {
    /// Reads the frame.
    pub(crate) fn new(bytes: &'a Bytes) -> Result<Self, String> {
        let none = "expected a model, as a build writes it";
        let Some(length) = bytes.first_chunk::<8>() else {
            return Err(format!("the file has {} bytes, too few for a model; {none}", bytes.len()));
        };
        let length = u64::from_le_bytes(*length);
        if length > LONGEST_HEADER as u64 || bytes.get(8).is_some_and(|&b| b != b'{') {
            return Err(format!("this is no safetensors container; {none}"));
        }
        let start = 8 + length as usize;
        let cut = |wanted: usize| {
            let found = bytes.len();
            format!("the file ends after {found} bytes, but its header announces {wanted}; {DAMAGED}")
        };
        let header = bytes.get(8..start).ok_or_else(|| cut(start))?;
        let metadata: Metadata = serde_json::from_slice(header).map_err(|e| {
            format!("the header of the container cannot be read ({}); {DAMAGED}", foreign(&e.to_string()))
        })?;
        match start.checked_add(metadata.data_len()) {
            Some(end) if end == bytes.len() => Ok(Self { bytes, metadata, start }),
            Some(end) if end < bytes.len() => {
                Err(format!("{} bytes stand behind the last tensor; {DAMAGED}", bytes.len() - end))
            }
            end => Err(cut(end.unwrap_or(usize::MAX))),
        }
    }

    /// The description beside the tensors.
    pub(crate) fn description(&self) -> Result<&str, String> {
        let beside = self.metadata.metadata().as_ref().and_then(|all| all.get(KEY));
        beside.map(String::as_str).ok_or_else(|| {
            format!(
                "this is a safetensors container of something else: its metadata has no key {KEY:?}; expected a \
                 model, as a build writes it"
            )
        })
    }

    /// Whether the bytes are those that were written.
    pub(crate) fn check(&self, stated: &str) -> Result<(), String> {
        let place = digits(&self.bytes[..self.start]).filter(|_| stated.len() == DIGITS);
        let place = place.ok_or_else(|| format!("the description has no checksum; {DAMAGED}"))?;
        let (before, rest) = self.bytes.split_at(place);
        let found = checksum([before, &[b'0'; DIGITS], &rest[DIGITS..]].into_iter());
        if found == stated {
            Ok(())
        } else {
            Err(format!("the checksum of the file is {found}, but it states {stated}; {DAMAGED}"))
        }
    }

    /// Whether there is a tensor of that name.
    pub fn has(&self, name: &str) -> bool {
        self.metadata.info(name).is_some()
    }

    /// Numbers; a `None` in the shape may be any length.
    ///
    /// # Errors
    /// A sentence where there is no such tensor, or one of another type or shape.
    pub fn reals(&self, name: &str, shape: &[Option<usize>]) -> Result<&'a [f64], String> {
        self.numbers(name, Dtype::F64, shape)
    }

    /// Indices, as [`TensorReader::reals`].
    ///
    /// # Errors
    /// As there.
    pub fn indices(&self, name: &str, shape: &[Option<usize>]) -> Result<&'a [u32], String> {
        self.numbers(name, Dtype::U32, shape)
    }

    /// Bytes, as [`TensorReader::reals`].
    ///
    /// # Errors
    /// As there.
    pub fn bytes(&self, name: &str, shape: &[Option<usize>]) -> Result<&'a [u8], String> {
        self.numbers(name, Dtype::U8, shape)
    }

    /// Every tensor: name, type, shape and bytes.
    pub(crate) fn tensors(&self) -> impl Iterator<Item = (String, Dtype, Vec<usize>, &'a [u8])> {
        let all = self.metadata.tensors().into_iter();
        all.map(|(name, info)| {
            let (from, to) = info.data_offsets;
            (name, info.dtype, info.shape.clone(), &self.bytes[self.start + from..self.start + to])
        })
    }

    /// Where in the file the numbers of a tensor are.
    pub(crate) fn range(&self, name: &str) -> Option<std::ops::Range<usize>> {
        let (from, to) = self.metadata.info(name)?.data_offsets;
        Some(self.start + from..self.start + to)
    }

    fn numbers<T: bytemuck::AnyBitPattern>(
        &self,
        name: &str,
        kind: Dtype,
        shape: &[Option<usize>],
    ) -> Result<&'a [T], String> {
        let (Some(info), Some(range)) = (self.metadata.info(name), self.range(name)) else {
            return Err(format!("the tensor {} is missing; {DAMAGED}", quote(name)));
        };
        let fits = info.shape.len() == shape.len()
            && info.shape.iter().zip(shape).all(|(found, wanted)| wanted.is_none_or(|w| w == *found));
        if info.dtype != kind || !fits {
            let found: Vec<String> = info.shape.iter().map(usize::to_string).collect();
            let wanted: Vec<String> =
                shape.iter().map(|s| s.map_or("any".into(), |s| s.to_string())).collect();
            return Err(format!(
                "the tensor {} is {} ({}), expected {kind} ({}); {DAMAGED}",
                quote(name),
                info.dtype,
                found.join(", "),
                wanted.join(", ")
            ));
        }
        let start = range.start;
        bytemuck::try_cast_slice(&self.bytes[range]).map_err(|_| {
            format!(
                "the tensor {} begins at byte {start}, expected a multiple of its numbers' size; {DAMAGED}",
                quote(name)
            )
        })
    }
}

/// Whether all of `numbers` are finite; a sentence that names the first that is not.
pub(crate) fn finite(what: &str, numbers: &[f64]) -> Result<(), String> {
    match numbers.iter().position(|x| !x.is_finite()) {
        Some(i) => Err(format!("entry {i} of {what} is {}, expected finite numbers", numbers[i])),
        None => Ok(()),
    }
}

/// Gives bytes that were changed on purpose the checksum that fits them. Bytes that are no model stay as they are. For
/// tools that mend or test model files.
pub fn seal(bytes: &mut [u8]) {
    let header = bytes.first_chunk::<8>().map(|n| u64::from_le_bytes(*n));
    let header =
        header.and_then(|n| usize::try_from(n).ok()?.checked_add(8)).filter(|end| *end <= bytes.len());
    let Some(place) = header.and_then(|end| digits(&bytes[..end])) else { return };
    bytes[place..place + DIGITS].fill(b'0');
    let sum = checksum(std::iter::once(&*bytes));
    bytes[place..place + DIGITS].copy_from_slice(sum.as_bytes());
}

/// Where in the head of a file the digits of its checksum begin.
fn digits(head: &[u8]) -> Option<usize> {
    // A quotation mark inside of a string of the header.
    const BEFORE: &[u8] = b"\\\"checksum\\\":\\\"";
    let place = head.windows(BEFORE.len()).position(|w| w == BEFORE)? + BEFORE.len();
    (place + DIGITS <= head.len()).then_some(place)
}

/// In hexadecimal digits.
fn checksum<'a>(pieces: impl Iterator<Item = &'a [u8]>) -> String {
    let mut sum = Sha256::new();
    pieces.for_each(|piece| sum.update(piece));
    hexadecimal(&sum.finalize())
}

/// Two digits a byte.
pub(crate) fn hexadecimal(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
