//! What holds of every model: checked before it is written and after it was read, so that all behind it can trust it.

use pliant_energy::Resolved;
use pliant_linalg::DenseSymmetric;
use pliant_mesh::Kind;

use super::{Facts, ForceData, Model};
use crate::force::Ghost;

/// What the recipe comes to, if the parts of the model fit each other. A sentence otherwise.
pub(super) fn check(model: &Model) -> Result<Resolved, String> {
    let (n, r) = (model.mesh.vertices.len(), model.basis.rank());
    model.mesh.check().map_err(|e| e.to_string())?;
    if n > u32::MAX as usize / 3 {
        return Err(format!("the mesh has {n} vertices, expected fewer than 2³² / 3"));
    }
    let entries: usize = model.mesh.attributes.sets.iter().map(|s| s.vertices.len()).sum();
    if u32::try_from(entries).is_err() {
        return Err(format!("the vertex sets have {entries} vertices, expected fewer than 2³² in all"));
    }
    let mut fixed = model.recipe.fixed.iter().flat_map(|s| &s.vertices);
    if let Some(v) = fixed.find(|&&v| v as usize >= n) {
        return Err(format!("vertex {v} is held, but there are {n} vertices (0 to {})", n - 1));
    }
    if model.basis.size() != 3 * n {
        return Err(format!(
            "the basis has {} rows, expected three for each of {n} vertices",
            model.basis.size()
        ));
    }
    for (what, rank) in [
        ("the mass", model.mass.size()),
        ("the stiffness", model.stiffness.size()),
        ("gravity along x", model.gravity[0].len()),
        ("gravity along y", model.gravity[1].len()),
        ("gravity along z", model.gravity[2].len()),
    ] {
        if rank != r {
            return Err(format!("{what} has {rank} coordinates, but the basis has {r}"));
        }
    }
    finite("the basis U", model.basis.rows())?;
    finite_upper("the mass", &model.mass)?;
    finite_upper("the stiffness", &model.stiffness)?;
    model.gravity.iter().try_for_each(|along| finite("gravity", along))?;
    facts(&model.facts, r)?;
    let resolved = model.recipe.resolve(&model.mesh).map_err(|e| e.to_string())?;
    // That there is an energy is known only when it was made; it also says what a component is.
    let energy = model.recipe.energy(model.mesh.clone()).map_err(|e| e.to_string())?;
    match &model.force {
        ForceData::Projected | ForceData::Linear => {}
        ForceData::Cubature(cubature) => {
            let (points, count) = (&cubature.components, energy.count());
            if points.len() != cubature.weights.len() {
                let weights = cubature.weights.len();
                return Err(format!("the cubature has {} components and {weights} weights", points.len()));
            }
            if let Some(c) = points.iter().find(|&&c| c as usize >= count) {
                let last = count.saturating_sub(1);
                return Err(format!("the cubature names component {c}, but there are {count} (0 to {last})"));
            }
            if !points.is_sorted_by(|a, b| a < b) {
                return Err(
                    "the components of the cubature are not ascending, or one is named twice".to_owned()
                );
            }
            if let Some(w) = cubature.weights.iter().find(|w| !(w.is_finite() && **w > 0.0)) {
                return Err(format!("the cubature has the weight {w}, expected finite numbers > 0"));
            }
        }
        ForceData::Ghost(ghost) => check_ghost(ghost, model)?,
        ForceData::Cubic(polynomial) => {
            let orders = [
                ("quadratic", &polynomial.quadratic, 2),
                ("cubic", &polynomial.cubic, 3),
                ("quartic", &polynomial.quartic, 4),
            ];
            if polynomial.rank != r {
                return Err(format!(
                    "the polynomial has {} coordinates, but the basis has {r}",
                    polynomial.rank
                ));
            }
            for (what, numbers, order) in orders {
                if Some(numbers.len()) != coefficients(r, order) {
                    return Err(format!(
                        "the {what} part of the polynomial has {} numbers, which do not fit {r} coordinates",
                        numbers.len()
                    ));
                }
                finite("the polynomial", numbers)?;
            }
        }
    }
    Ok(resolved)
}

fn check_ghost(ghost: &Ghost, model: &Model) -> Result<(), String> {
    let (n, r) = (ghost.vertices.len(), model.basis.rank());
    if ghost.rank != r || Some(ghost.rows.len()) != n.checked_mul(3).and_then(|rows| rows.checked_mul(r)) {
        let numbers = ghost.rows.len();
        return Err(format!(
            "the ghost's basis has {numbers} numbers, which do not fit {n} vertices and {r} coordinates"
        ));
    }
    let solid = |kind: Kind| kind == Kind::Tets;
    if solid(ghost.elements.kind()) != solid(model.mesh.kind()) {
        let (ghost, body) = (ghost.elements.kind().name(), model.mesh.kind().name());
        return Err(format!("the ghost is made of {ghost}, but the body of {body}"));
    }
    if ghost.region_of.is_empty() != model.mesh.attributes.region_of.is_empty() {
        return Err("either the ghost or its body has regions, expected both or none".to_owned());
    }
    let of_ghost = |e: &dyn std::fmt::Display| format!("the ghost: {e}");
    ghost.mesh(&model.mesh).check().map_err(|e| of_ghost(&e))?;
    let energy = ghost.energy(&model.recipe, &model.mesh).map_err(|e| of_ghost(&e))?;
    let (count, weights) = (energy.count(), ghost.weights.len());
    if weights != count {
        return Err(format!("the ghost has {count} components and {weights} weights"));
    }
    if let Some(w) = ghost.weights.iter().find(|w| !(w.is_finite() && **w > 0.0)) {
        return Err(format!("the ghost has the weight {w}, expected finite numbers > 0"));
    }
    finite("the ghost's basis", &ghost.rows)
}

/// How many numbers a symmetric tensor of some order has: C(r + order − 1, order). `None`: too many to count.
pub(super) fn coefficients(rank: usize, order: usize) -> Option<usize> {
    // Each quotient is a binomial coefficient, so that nothing is lost.
    (1..=order).try_fold(1usize, |count, k| Some(count.checked_mul(rank.checked_add(k - 1)?)? / k))
}

fn facts(facts: &Facts, rank: usize) -> Result<(), String> {
    if facts.affine > rank {
        return Err(format!("{} columns are affine fields, but the basis has {rank}", facts.affine));
    }
    finite("the eigenvalues", &facts.eigenvalues)?;
    finite("the singular values", &facts.singular_values)?;
    match &facts.training {
        Some(t) => finite("the training", &[t.pose_scale, t.training_error, t.validation_error]),
        None => Ok(()),
    }
}

fn finite(what: &str, numbers: &[f64]) -> Result<(), String> {
    match numbers.iter().position(|x| !x.is_finite()) {
        Some(i) => Err(format!("number {i} of {what} is {}, expected finite numbers", numbers[i])),
        None => Ok(()),
    }
}

/// What stands below the diagonal does not count.
fn finite_upper(what: &str, matrix: &DenseSymmetric) -> Result<(), String> {
    let r = matrix.size();
    (0..r).try_for_each(|i| finite(what, &matrix.values()[i * r + i..(i + 1) * r]))
}
