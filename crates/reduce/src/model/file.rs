//! The model file: [`Model::write`] and [`Model::read`]. What is in it: docs/model-format.md; why: docs/adr/0009.

use std::path::Path;
use std::sync::Arc;

use pliant_linalg::DenseSymmetric;
use pliant_mesh::io;

use super::check::{check, coefficients};
use super::container::{DAMAGED, Opened, Sealed, Tensor};
use super::description::Description;
use super::map::{Bytes, Reals};
use super::{ForceData, Model, shape};
use crate::force::cubature::Cubature;
use crate::force::cubic::Polynomial;
use crate::{Basis, ReduceError};

impl Model {
    /// Writes the file, whole or not at all. The same model gives the same bytes.
    ///
    /// # Errors
    /// When the parts of the model do not fit each other, or the disk refuses.
    pub fn write(&self, path: &Path) -> Result<(), ReduceError> {
        let sealed = self.sealed().map_err(|sentence| bad(path, sentence))?;
        let mut file = io::Pending::new();
        file.file(path, |out| sealed.pieces().try_for_each(|piece| out.put(piece)))?;
        Ok(file.commit()?)
    }

    /// The bytes of the file.
    ///
    /// # Errors
    /// When the parts of the model do not fit each other.
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
                    format!(
                        "this is a mesh ({}), but a model is needed here; make one of it with `pliant build {} -o \
                         MODEL.pliant`",
                        format.title,
                        path.display()
                    ),
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
        let made = check(self)?;
        let (n, r) = (self.mesh.vertices.len(), self.basis.rank());
        let held = shape::held(&self.recipe.fixed, n);
        let mut tensors = shape::write(&self.mesh);
        let mut put = |name: &str, tensor| drop(tensors.insert(name.to_owned(), tensor));
        put("held", Tensor::owned_bytes(&[n, 3], held));
        put("U", Tensor::reals(&[3 * n, r], self.basis.rows()));
        put("mass", whole(&self.mass));
        put("stiffness", whole(&self.stiffness));
        put("gravity", Tensor::owned_reals(&[3, r], self.gravity.concat()));
        match &self.force {
            ForceData::Projected | ForceData::Linear => {}
            ForceData::Cubature(cubature) => {
                let s = cubature.components.len();
                put("cubature.components", Tensor::indices(&[s], &cubature.components));
                put("cubature.weights", Tensor::reals(&[s], &cubature.weights));
            }
            ForceData::Ghost(ghost) => shape::write_ghost(ghost, &mut put),
            ForceData::Cubic(polynomial) => {
                let orders = [
                    ("quadratic", &polynomial.quadratic),
                    ("cubic", &polynomial.cubic),
                    ("quartic", &polynomial.quartic),
                ];
                for (order, numbers) in orders {
                    put(&format!("polynomial.{order}"), Tensor::reals(&[numbers.len()], numbers));
                }
            }
        }
        let description = Description::new(self, &made).to_text()?;
        Sealed::new(tensors, description)
    }
}

fn bad(path: &Path, sentence: String) -> ReduceError {
    ReduceError::File { path: path.to_owned(), sentence }
}

pub(super) fn parse(bytes: &Arc<Bytes>) -> Result<Model, String> {
    let file = Opened::new(bytes)?;
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
    let model = Model {
        mesh,
        recipe,
        basis: Basis::new(r, Arc::new(U)),
        mass: symmetric(&file, "mass", r)?,
        stiffness: symmetric(&file, "stiffness", r)?,
        gravity: std::array::from_fn(|d| gravity[d * r..(d + 1) * r].to_vec()),
        force: force(&file, &description)?,
        facts: description.facts(),
    };
    let made = check(&model).map_err(|sentence| format!("{sentence}; {DAMAGED}"))?;
    description.agrees(&model, &made)?;
    Ok(model)
}

fn force(file: &Opened<'_>, description: &Description) -> Result<ForceData, String> {
    let r = description.rank;
    match description.force() {
        "projected" => Ok(ForceData::Projected),
        "linear" => Ok(ForceData::Linear),
        "cubature" => {
            let components = file.indices("cubature.components", &[None])?.to_vec();
            let weights = file.reals("cubature.weights", &[Some(components.len())])?.to_vec();
            Ok(ForceData::Cubature(Arc::new(Cubature { components, weights })))
        }
        "ghost" => Ok(ForceData::Ghost(Arc::new(shape::read_ghost(file, &description.kind, r)?))),
        "cubic" => {
            let part = |name: &str, order: usize| {
                let count = coefficients(r, order).ok_or_else(|| {
                    format!("a polynomial of {r} coordinates has too many terms; {DAMAGED}")
                })?;
                Ok::<_, String>(file.reals(&format!("polynomial.{name}"), &[Some(count)])?.to_vec())
            };
            Ok(ForceData::Cubic(Arc::new(Polynomial {
                rank: r,
                quadratic: part("quadratic", 2)?,
                cubic: part("cubic", 3)?,
                quartic: part("quartic", 4)?,
            })))
        }
        other => Err(format!(
            "the force is {other:?}, expected \"projected\", \"linear\", \"cubic\", \"cubature\" or \"ghost\"; {DAMAGED}"
        )),
    }
}

/// Both triangles of a symmetric matrix.
fn whole(matrix: &DenseSymmetric) -> Tensor<'static> {
    let r = matrix.size();
    Tensor::owned_reals(&[r, r], (0..r * r).map(|k| matrix.get(k / r, k % r)).collect())
}

fn symmetric(file: &Opened<'_>, name: &str, r: usize) -> Result<DenseSymmetric, String> {
    let numbers = file.reals(name, &[Some(r), Some(r)])?;
    for (i, j) in (0..r).flat_map(|i| (0..i).map(move |j| (i, j))) {
        if numbers[i * r + j].to_bits() != numbers[j * r + i].to_bits() {
            return Err(format!("the tensor {name:?} is not symmetric at ({i}, {j}); {DAMAGED}"));
        }
    }
    Ok(DenseSymmetric::from_upper(r, |i, j| numbers[i * r + j]))
}
