//! The same body with another recipe: other matter, other pins, another basis, other forces.

use std::collections::BTreeSet;

use pliant_linalg::Watch;
use pliant_mesh::select::Selection;
use pliant_reduce::{Model, Precompute};

use super::{Open, Opened, Plate, Prepared};
use crate::OpenError;

/// What is to be different; `None` stays as it is, or follows from what changes.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Remake {
    /// A name of `energy::material::ALL` or `energy::shell::ALL`.
    pub material: Option<String>,
    /// Poisson's ratio.
    pub poisson: Option<f64>,
    /// What a surface is cut from; takes the place of all that was said of its stiffness and weight.
    pub plate: Option<Plate>,
    /// Exactly these vertices of the shown surface are pinned.
    pub pins: Option<Vec<u32>>,
    /// A name of `reduce::basis::ALL`.
    pub basis: Option<String>,
    /// Linear modes to start from.
    pub modes: Option<usize>,
    /// Coordinates.
    pub rank: Option<usize>,
    /// A name of `reduce::force::ALL`.
    pub forces: Option<String>,
    /// Cubature points.
    pub points: Option<usize>,
}

impl Open {
    /// The mesh of a model, reduced again with some things changed. What is not given follows the model where it still can:
    /// a rank that was chosen for one basis is chosen again for another.
    ///
    /// # Errors
    /// As [`Open::reduce`].
    pub fn remake(&self, model: &Model, change: &Remake, watch: &mut Watch<'_>) -> Result<Opened, OpenError> {
        let mut recipe = model.recipe().clone();
        recipe.material = change.material.clone().or(recipe.material);
        recipe.poisson = change.poisson.or(recipe.poisson);
        if let Some(plate) = change.plate {
            plate.put_into(&mut recipe);
        }
        if let Some(pins) = &change.pins {
            recipe.fixed = pinned(model, pins);
        }
        // What follows from something else is chosen again when that changes.
        let facts = model.facts();
        let other_basis = change.basis.is_some() || change.modes.is_some() || change.pins.is_some();
        let rank = change.rank.or((!other_basis).then(|| model.rank()));
        let same_force = change.material.is_none()
            && change.plate.is_none()
            && change.forces.is_none()
            && change.points.is_none();
        let points = facts.training.as_ref().map(|t| t.points);
        let points = points.filter(|_| same_force && change.rank.is_none() && !other_basis);
        let same_force = same_force.then(|| model.force().name().to_owned());
        let precompute = Precompute {
            basis: change.basis.clone().unwrap_or_else(|| facts.basis.clone()),
            modes: Some(change.modes.unwrap_or(facts.eigenvalues.len())),
            rank,
            forces: change.forces.clone().or(same_force),
            points: change.points.or(points),
            ..self.precompute.clone()
        };
        let again = Self { precompute, fewer_coordinates: change.rank.is_none(), ..self.clone() };
        let mesh = model.mesh().clone();
        let prepared = Prepared { mesh, recipe, report: None, notes: Vec::new(), differs: false };
        again.reduce(prepared, watch)
    }
}

/// What is fixed when exactly the shown vertices `wanted` are pinned: what was fixed, without the carriers of what was
/// unpinned, with those of what is pinned now. Nothing wanted is nothing fixed, inside too.
pub fn pinned(model: &Model, wanted: &[u32]) -> Vec<Selection> {
    if wanted.is_empty() {
        return Vec::new();
    }
    let (shown, surface) = (model.surface(), model.surface_basis());
    let count = surface.len() as u32;
    let wanted: BTreeSet<u32> = wanted.iter().copied().filter(|p| *p < count).collect();
    let pinned: BTreeSet<u32> = (0..count).filter(|p| surface.is_held(*p as usize)).collect();
    let carriers = |points: &mut dyn Iterator<Item = &u32>| -> BTreeSet<u32> {
        let rows = points.flat_map(|p| shown.carriers.row(*p as usize));
        rows.filter(|(_, w)| *w != 0.0).map(|(v, _)| v).collect()
    };
    // What also carries something that stays pinned stays held.
    let stay = carriers(&mut wanted.iter());
    let loose = &carriers(&mut pinned.difference(&wanted)) - &stay;
    let held = carriers(&mut wanted.difference(&pinned));
    let mut fixed: Vec<Selection> = model.recipe().fixed.clone();
    fixed.iter_mut().for_each(|selection| selection.vertices.retain(|v| !loose.contains(v)));
    fixed.push(Selection { vertices: held.into_iter().collect(), components: [true; 3] });
    fixed.retain(|selection| !selection.vertices.is_empty());
    fixed
}
