//! The model file: [`Model::write`] and [`Model::read`]. What is in it: docs/model-format.md; why: docs/adr/0009.

use std::path::Path;
use std::sync::Arc;

use pliant_linalg::DenseSymmetric;
use pliant_mesh::io;

use super::description::Description;
use super::{Model, ModelParts, shape};
use crate::container::map::{Bytes, Reals};
use crate::container::{DAMAGED, Sealed, Tensor, TensorReader, TensorWriter};
use crate::force::{self, Stored};
use crate::{Basis, ReduceError};

impl Model {
    /// Writes the file, whole or not at all. The same model gives the same bytes.
    ///
    /// # Errors
    /// When names and facts are too long for a file, or the disk refuses.
    pub fn write(&self, path: &Path) -> Result<(), ReduceError> {
        let sealed = self.sealed().map_err(|sentence| bad(path, sentence))?;
        let mut file = io::Pending::new();
        file.file(path, |out| sealed.pieces().try_for_each(|piece| out.put(piece)))?;
        Ok(file.commit()?)
    }

    /// The bytes of the file.
    ///
    /// # Errors
    /// When names and facts are too long for a file.
    pub fn to_bytes(&self) -> Result<Vec<u8>, ReduceError> {
        let sealed = self.sealed().map_err(|sentence| bad(Path::new("model"), sentence))?;
        Ok(sealed.pieces().collect::<Vec<_>>().concat())
    }

    /// Reads a file and checks every byte of it. Its basis stays in the file, which is mapped into memory: nobody may
    /// change the file in place as long as the model lives. (Writing it again is no such change, and neither is removing
    /// it.)
    ///
    /// # Errors
    /// When the file cannot be read, is no model, is damaged, or was made by a newer program.
    pub fn read(path: &Path) -> Result<Self, ReduceError> {
        let refused = |source| ReduceError::Io { path: path.to_owned(), action: "read", source };
        parse(&Arc::new(Bytes::map(path).map_err(refused)?)).map_err(|sentence| {
            // A file of the wrong kind is the likeliest mistake.
            match io::format_of(path) {
                Ok(format) => bad(
                    path,
                    format!("this is a mesh ({}), but a model is needed here; build one of it", format.title),
                ),
                Err(_) => bad(path, sentence),
            }
        })
    }

    /// As [`Model::read`], from bytes in memory, which are copied; errors call them `name`.
    ///
    /// # Errors
    /// As [`Model::read`].
    pub fn from_bytes(name: &Path, bytes: &[u8]) -> Result<Self, ReduceError> {
        parse(&Arc::new(Bytes::copy(bytes))).map_err(|sentence| bad(name, sentence))
    }

    fn sealed(&self) -> Result<Sealed<'_>, String> {
        let (tensors, description) = self.contents()?;
        Sealed::new(tensors, description)
    }

    /// How many bytes the file has; 0 where no file can hold it.
    pub(super) fn file_length(&self) -> usize {
        self.contents().and_then(|(tensors, text)| Sealed::length(tensors, text)).unwrap_or(0)
    }

    fn contents(&self) -> Result<(TensorWriter<'_>, String), String> {
        let (n, r) = (self.mesh().vertices.len(), self.rank());
        let mut out = TensorWriter::default();
        shape::write(self.mesh(), &mut out);
        let held = self.held_components().as_flattened().iter().map(|held| u8::from(*held)).collect();
        out.put("held", Tensor::owned_bytes(&[n, 3], held));
        out.reals("U", &[3 * n, r], self.basis().rows());
        out.put("mass", whole(self.reduced_mass()));
        out.put("stiffness", whole(self.reduced_stiffness()));
        out.owned_reals("gravity", &[3, r], self.gravity().concat());
        self.force().write(&mut out);
        for (name, section) in self.sections() {
            section.write(name, &mut out);
        }
        Ok((out, Description::new(self).to_text()?))
    }
}

fn bad(path: &Path, sentence: String) -> ReduceError {
    ReduceError::File { path: path.to_owned(), sentence }
}

pub(super) fn parse(bytes: &Arc<Bytes>) -> Result<Model, String> {
    let file = TensorReader::new(bytes)?;
    let text = file.description()?;
    // The version first: another one may have another checksum.
    file.check(&Description::recognise(text)?)?;
    let description = Description::from_text(text)?;
    let (n, r) = (description.vertices, description.rank);
    if r == 0 {
        return Err(format!("the rank is 0, expected at least 1; {DAMAGED}"));
    }
    let mesh = shape::read(&file, &description)?;
    let held = file.bytes("held", &[Some(n), Some(3)])?;
    let mut recipe = description.recipe()?;
    recipe.fixed = shape::selections(held)?;
    file.reals("U", &[Some(n.saturating_mul(3)), Some(r)])?;
    let U = file.range("U").and_then(|range| Reals::new(bytes.clone(), range));
    let U = U.ok_or_else(|| format!("the tensor \"U\" cannot be used where it lies; {DAMAGED}"))?;
    let gravity = file.reals("gravity", &[Some(3), Some(r)])?;
    let entry = force::ALL.get(description.force()).map_err(|unknown| {
        format!("{unknown}; the model was made by a program that has this force, open it with that one")
    })?;
    let stored = Stored { tensors: &file, kind: &description.kind, rank: r };
    let parts = ModelParts {
        mesh,
        recipe,
        basis: Basis::new(r, Arc::new(U)),
        mass: symmetric(&file, "mass", r)?,
        stiffness: symmetric(&file, "stiffness", r)?,
        gravity: std::array::from_fn(|d| gravity[d * r..(d + 1) * r].to_vec()),
        force: (entry.read)(&stored)?,
        facts: description.facts(),
        sections: description.sections(&file)?,
    };
    let model = Model::new(parts).map_err(|error| format!("{}; {DAMAGED}", error.in_a_file()))?;
    description.agrees(&model)?;
    Ok(model)
}

/// Both triangles of a symmetric matrix.
fn whole(matrix: &DenseSymmetric) -> Tensor<'static> {
    let r = matrix.size();
    Tensor::owned_reals(&[r, r], (0..r * r).map(|k| matrix.get(k / r, k % r)).collect())
}

fn symmetric(file: &TensorReader<'_>, name: &str, r: usize) -> Result<DenseSymmetric, String> {
    let numbers = file.reals(name, &[Some(r), Some(r)])?;
    for (i, j) in (0..r).flat_map(|i| (0..i).map(move |j| (i, j))) {
        if numbers[i * r + j].to_bits() != numbers[j * r + i].to_bits() {
            return Err(format!("the tensor {name:?} is not symmetric at ({i}, {j}); {DAMAGED}"));
        }
    }
    Ok(DenseSymmetric::from_upper(r, |i, j| numbers[i * r + j]))
}
