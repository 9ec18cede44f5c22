//! Rooms to let in a model file: what apps keep in a model, under a name and a version of their own.
//!
//! A section is a JSON object and tensors. Programs that do not know it keep it byte for byte; its owner gets it by
//! [`Model::section`], which refuses what was made for another basis or by a newer program. docs/model-format.md says how it
//! lies in the file.
//!
//! ```
//! # use pliant_reduce::{Precompute, model::Section};
//! # let bar = pliant_mesh::shapes::bar(pliant_linalg::Vec3::new(1.0, 0.1, 0.1), [4, 1, 1]).into_data();
//! # let small = Precompute { modes: Some(3), forces: Some("linear".into()), ..Precompute::default() };
//! # let model = small.build(bar, Default::default(), &mut pliant_linalg::ignore_progress)?.model;
//! let mut section = Section::new(1);
//! section.set("loss_factor", 0.02);
//! section.put_reals("damping", &[3], &[0.1, 0.2, 0.4])?;
//! let model = model.with_section("sound", section)?;
//! let sound = model.section("sound", 1)?.expect("it was put there");
//! assert_eq!(sound.reals("damping", &[Some(3)])?, [0.1, 0.2, 0.4]);
//! # Ok::<(), pliant_reduce::ReduceError>(())
//! ```

use std::collections::BTreeMap;

use safetensors::Dtype;
use serde_json::{Map, Value};
use sha2::{Digest as _, Sha256};

use super::Model;
use crate::container::{Tensor, TensorReader, TensorWriter, hexadecimal};
use crate::error::LONGEST_NAME;
use crate::{ReduceError, TensorFault};

/// What an app keeps in a model.
#[derive(Clone, Debug, PartialEq)]
pub struct Section {
    /// Its name in a model; empty until it is put into one.
    pub(super) name: String,
    pub(super) version: u64,
    /// Of the basis it was made for, in hexadecimal digits; empty until it is put into a model.
    pub(super) digest: String,
    pub(super) facts: Map<String, Value>,
    pub(super) tensors: BTreeMap<String, SectionTensor>,
}

/// A tensor of a section: its type, its shape and its bytes, little-endian, row by row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SectionTensor {
    kind: Dtype,
    shape: Vec<usize>,
    bytes: Vec<u8>,
}

impl Section {
    /// An empty section of its owner's format `version`.
    pub fn new(version: u64) -> Self {
        Self {
            name: String::new(),
            version,
            digest: String::new(),
            facts: Map::new(),
            tensors: BTreeMap::new(),
        }
    }

    /// The version of its owner's format.
    pub fn version(&self) -> u64 {
        self.version
    }

    /// The JSON object.
    pub fn facts(&self) -> &Map<String, Value> {
        &self.facts
    }

    /// Sets an entry of the JSON object.
    pub fn set(&mut self, key: &str, value: impl Into<Value>) {
        self.facts.insert(key.to_owned(), value.into());
    }

    /// Names and shapes of its tensors.
    pub fn tensors(&self) -> impl Iterator<Item = (&str, &[usize])> {
        self.tensors.iter().map(|(name, tensor)| (name.as_str(), tensor.shape.as_slice()))
    }

    /// How many bytes its tensors have.
    pub fn size_in_bytes(&self) -> usize {
        self.tensors.values().map(|tensor| tensor.bytes.len()).sum()
    }

    /// Keeps numbers, row by row.
    ///
    /// # Errors
    /// A shape of another size, a number that is not finite, or a name that is none.
    pub fn put_reals(&mut self, name: &str, shape: &[usize], numbers: &[f64]) -> Result<(), ReduceError> {
        self.put(name, Dtype::F64, shape, numbers)
    }

    /// Keeps numbers in single precision.
    ///
    /// # Errors
    /// As [`Section::put_reals`].
    pub fn put_floats(&mut self, name: &str, shape: &[usize], numbers: &[f32]) -> Result<(), ReduceError> {
        self.put(name, Dtype::F32, shape, numbers)
    }

    /// Keeps indices.
    ///
    /// # Errors
    /// As [`Section::put_reals`].
    pub fn put_indices(&mut self, name: &str, shape: &[usize], numbers: &[u32]) -> Result<(), ReduceError> {
        self.put(name, Dtype::U32, shape, numbers)
    }

    /// Keeps bytes.
    ///
    /// # Errors
    /// As [`Section::put_reals`].
    pub fn put_bytes(&mut self, name: &str, shape: &[usize], bytes: &[u8]) -> Result<(), ReduceError> {
        self.put(name, Dtype::U8, shape, bytes)
    }

    /// Numbers; a `None` in the shape may be any length.
    ///
    /// # Errors
    /// [`ReduceError::SectionTensor`] where there is no such tensor, or one of another type or shape.
    pub fn reals(&self, name: &str, shape: &[Option<usize>]) -> Result<Vec<f64>, ReduceError> {
        self.get(name, Dtype::F64, shape)
    }

    /// Numbers in single precision, as [`Section::reals`].
    ///
    /// # Errors
    /// As there.
    pub fn floats(&self, name: &str, shape: &[Option<usize>]) -> Result<Vec<f32>, ReduceError> {
        self.get(name, Dtype::F32, shape)
    }

    /// Indices, as [`Section::reals`].
    ///
    /// # Errors
    /// As there.
    pub fn indices(&self, name: &str, shape: &[Option<usize>]) -> Result<Vec<u32>, ReduceError> {
        self.get(name, Dtype::U32, shape)
    }

    /// Bytes, as [`Section::reals`].
    ///
    /// # Errors
    /// As there.
    pub fn bytes(&self, name: &str, shape: &[Option<usize>]) -> Result<Vec<u8>, ReduceError> {
        self.get(name, Dtype::U8, shape)
    }

    fn put<T: bytemuck::NoUninit>(
        &mut self,
        name: &str,
        kind: Dtype,
        shape: &[usize],
        numbers: &[T],
    ) -> Result<(), ReduceError> {
        let bytes = bytemuck::cast_slice(numbers).to_vec();
        let tensor = SectionTensor { kind, shape: shape.to_vec(), bytes };
        let count = shape.iter().try_fold(1usize, |product, n| product.checked_mul(*n));
        let fault = if !is_name(name) {
            Some(TensorFault::Name)
        } else if count != Some(numbers.len()) {
            Some(TensorFault::Size { found: numbers.len(), shape: shape.to_vec() })
        } else {
            tensor.not_finite().map(TensorFault::NotFinite)
        };
        match fault {
            Some(fault) => Err(self.refuse(name, fault)),
            None => {
                self.tensors.insert(name.to_owned(), tensor);
                Ok(())
            }
        }
    }

    fn refuse(&self, tensor: &str, fault: TensorFault) -> ReduceError {
        let section = Some(self.name.clone()).filter(|name| !name.is_empty());
        ReduceError::SectionTensor { section, tensor: tensor.to_owned(), fault }
    }

    fn get<T: bytemuck::AnyBitPattern>(
        &self,
        name: &str,
        kind: Dtype,
        shape: &[Option<usize>],
    ) -> Result<Vec<T>, ReduceError> {
        let Some(tensor) = self.tensors.get(name) else {
            return Err(self.refuse(name, TensorFault::Missing));
        };
        let fits = tensor.shape.len() == shape.len()
            && tensor.shape.iter().zip(shape).all(|(found, wanted)| wanted.is_none_or(|w| w == *found));
        if tensor.kind != kind || !fits {
            let wanted: Vec<String> =
                shape.iter().map(|s| s.map_or("any".into(), |s| s.to_string())).collect();
            let found = format!("{} {:?}", tensor.kind, tensor.shape);
            let expected = format!("{kind} [{}]", wanted.join(", "));
            return Err(self.refuse(name, TensorFault::Other { found, expected }));
        }
        Ok(tensor.bytes.chunks_exact(size_of::<T>()).map(bytemuck::pod_read_unaligned).collect())
    }

    /// Whether it can stand in a file under `name`.
    pub(super) fn check(&self, name: &str) -> Result<(), ReduceError> {
        if !is_name(name) {
            return Err(ReduceError::SectionName { name: name.to_owned() });
        }
        let bad = self.tensors.iter().find_map(|(tensor, numbers)| Some((tensor, numbers.not_finite()?)));
        match bad {
            Some((tensor, found)) => Err(ReduceError::SectionTensor {
                section: Some(name.to_owned()),
                tensor: tensor.clone(),
                fault: TensorFault::NotFinite(found),
            }),
            None => Ok(()),
        }
    }

    pub(super) fn write<'a>(&'a self, name: &str, out: &mut TensorWriter<'a>) {
        for (tensor, SectionTensor { kind, shape, bytes }) in &self.tensors {
            out.put(&format!("{PREFIX}{name}.{tensor}"), Tensor::new(*kind, shape, bytes));
        }
    }

    /// The tensors of the section `name` of a file.
    pub(super) fn read(file: &TensorReader<'_>, name: &str) -> BTreeMap<String, SectionTensor> {
        let prefix = format!("{PREFIX}{name}.");
        let of = file.tensors().filter_map(|(tensor, kind, shape, bytes)| {
            let word = tensor.strip_prefix(&prefix)?;
            Some((word.to_owned(), SectionTensor { kind, shape, bytes: bytes.to_vec() }))
        });
        of.collect()
    }
}

/// What the tensors of all sections begin with.
const PREFIX: &str = "section.";

impl SectionTensor {
    /// The first number that is not finite.
    fn not_finite(&self) -> Option<f64> {
        let chunks = |size: usize| self.bytes.chunks_exact(size);
        match self.kind {
            Dtype::F64 => chunks(8).map(bytemuck::pod_read_unaligned::<f64>).find(|x| !x.is_finite()),
            Dtype::F32 => {
                chunks(4).map(bytemuck::pod_read_unaligned::<f32>).find(|x| !x.is_finite()).map(f64::from)
            }
            _ => None,
        }
    }
}

fn is_name(name: &str) -> bool {
    let letter = |b: u8| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-' || b == b'_';
    (1..=LONGEST_NAME).contains(&name.len()) && name.bytes().all(letter)
}

impl Model {
    /// What apps keep in this model, by name; as it is, whoever owns it.
    pub fn sections(&self) -> &BTreeMap<String, Section> {
        &self.parts.sections
    }

    /// The section `name` for its owner, who reads versions up to `latest`; `None` where there is none.
    ///
    /// # Errors
    /// [`ReduceError::SectionVersion`] where it is of a newer version, [`ReduceError::StaleSection`] where it was made for another
    /// basis, mass or stiffness.
    pub fn section(&self, name: &str, latest: u64) -> Result<Option<&Section>, ReduceError> {
        let Some(section) = self.parts.sections.get(name) else { return Ok(None) };
        let (name, version) = (name.to_owned(), section.version);
        if !(1..=latest).contains(&version) {
            return Err(ReduceError::SectionVersion { name, version, latest });
        }
        if section.digest != self.digest() {
            return Err(ReduceError::StaleSection { name });
        }
        Ok(Some(section))
    }

    /// The model with `section` in it, in place of one of that name; it is of this basis from now on.
    ///
    /// # Errors
    /// A name that is none; the version 0, which no program reads.
    pub fn with_section(mut self, name: &str, mut section: Section) -> Result<Self, ReduceError> {
        section.check(name)?;
        if section.version == 0 {
            return Err(ReduceError::SectionVersion { name: name.to_owned(), version: 0, latest: 0 });
        }
        (section.name, section.digest) = (name.to_owned(), self.digest());
        self.parts.sections.insert(name.to_owned(), section);
        self.bytes = Default::default();
        Ok(self)
    }

    /// The model without the section `name`.
    #[must_use]
    pub fn without_section(mut self, name: &str) -> Self {
        self.parts.sections.remove(name);
        self.bytes = Default::default();
        self
    }

    /// SHA-256 of r, U, UᵀMU and UᵀK(0)U, little-endian, in hexadecimal digits: what sections are made for.
    pub fn digest(&self) -> String {
        let r = self.rank();
        let mut sum = Sha256::new();
        sum.update((r as u64).to_le_bytes());
        sum.update(bytemuck::cast_slice::<f64, u8>(self.basis().rows()));
        for matrix in [self.reduced_mass(), self.reduced_stiffness()] {
            (0..r * r).for_each(|k| sum.update(matrix.get(k / r, k % r).to_le_bytes()));
        }
        hexadecimal(&sum.finalize())
    }
}
