//! What holds of every model: checked once, when it is made, so that all behind it can trust it.

use pliant_linalg::DenseSymmetric;

use super::{Facts, ModelParts};
use crate::ReduceError;
use crate::container::finite;

/// Whether an energy can be made of mesh and recipe as far as can be told without it. A sentence otherwise.
pub(super) fn check_mesh(parts: &ModelParts) -> Result<(), String> {
    let n = parts.mesh.vertices.len();
    parts.mesh.check().map_err(|e| e.to_string())?;
    if n > u32::MAX as usize / 3 {
        return Err(format!("the mesh has {n} vertices, expected fewer than 2³² / 3"));
    }
    let entries: usize = parts.mesh.attributes.sets.iter().map(|s| s.vertices.len()).sum();
    if u32::try_from(entries).is_err() {
        return Err(format!("the vertex sets have {entries} vertices, expected fewer than 2³² in all"));
    }
    let mut fixed = parts.recipe.fixed.iter().flat_map(|s| &s.vertices);
    match fixed.find(|&&v| v as usize >= n) {
        Some(v) => Err(format!("vertex {v} is held, but there are {n} vertices (0 to {})", n - 1)),
        None => Ok(()),
    }
}

/// Whether the parts of a model fit each other, but for its force. A sentence otherwise.
pub(super) fn check(parts: &ModelParts) -> Result<(), String> {
    let (n, r) = (parts.mesh.vertices.len(), parts.basis.rank());
    check_mesh(parts)?;
    if parts.basis.size() != 3 * n {
        return Err(format!(
            "the basis has {} rows, expected three for each of {n} vertices",
            parts.basis.size()
        ));
    }
    for (what, rank) in [
        ("the mass", parts.mass.size()),
        ("the stiffness", parts.stiffness.size()),
        ("gravity along x", parts.gravity[0].len()),
        ("gravity along y", parts.gravity[1].len()),
        ("gravity along z", parts.gravity[2].len()),
    ] {
        if rank != r {
            return Err(format!("{what} has {rank} coordinates, but the basis has {r}"));
        }
    }
    finite("the basis U", parts.basis.rows())?;
    check_numbers(parts)?;
    parts.sections.iter().try_for_each(|(name, section)| section.check(name)).map_err(ReduceError::in_a_file)
}

/// Whether all reduced numbers are finite.
pub(super) fn check_numbers(parts: &ModelParts) -> Result<(), String> {
    finite_upper("the mass", &parts.mass)?;
    finite_upper("the stiffness", &parts.stiffness)?;
    parts.gravity.iter().try_for_each(|along| finite("gravity", along))?;
    facts(&parts.facts, parts.basis.rank())
}

fn facts(facts: &Facts, rank: usize) -> Result<(), String> {
    if facts.affine > rank {
        return Err(format!("{} columns are affine fields, but the basis has {rank}", facts.affine));
    }
    finite("the eigenvalues", &facts.eigenvalues)?;
    finite("the singular values", &facts.singular_values)?;
    let pull = facts.pull.iter().flat_map(|pull| [pull.error, pull.with_half]);
    finite("the error of a pull", &pull.collect::<Vec<f64>>())?;
    match &facts.training {
        Some(t) => {
            let always = [t.pose_scale, t.training_error, t.validation_error];
            let measured = t.static_error.into_iter().chain(t.frequency_error);
            finite("the training", &always.into_iter().chain(measured).collect::<Vec<f64>>())
        }
        None => Ok(()),
    }
}

/// What stands below the diagonal does not count.
fn finite_upper(what: &str, matrix: &DenseSymmetric) -> Result<(), String> {
    let r = matrix.size();
    (0..r).try_for_each(|i| finite(what, &matrix.values()[i * r + i..(i + 1) * r]))
}
