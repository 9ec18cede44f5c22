//! The same body with another recipe: other matter, other pins, another basis, other forces.

use std::collections::{BTreeMap, BTreeSet};

use pliant_energy::{Constant, Recipe, material, shell};
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
    /// Constants that this law, or the one that there is, has of its own, by their keys.
    pub constants: BTreeMap<String, f64>,
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
        put_law(change, model, &mut recipe);
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
        let prepared = Prepared { mesh, recipe, report: None, notes: Vec::new(), differs: false, form: None };
        again.reduce(prepared, watch)
    }
}

/// Constants that the law of a model has of its own, with the number of each; `None` where it follows from others.
pub fn own_constants(model: &Model) -> Vec<(Constant, Option<f64>)> {
    let Some(first) = model.resolved().matter.first() else { return Vec::new() };
    let number = |key: &str| first.constants.iter().find(|(name, _)| *name == key).map(|(_, x)| *x);
    let declared = Declared::of(first.material).map_or(&[][..], |law| law.constants);
    declared.iter().map(|constant| (*constant, number(constant.key))).collect()
}

/// What a law says of its constants.
#[derive(Clone, Copy)]
struct Declared {
    constants: &'static [Constant],
    /// Whether they take the place of Young's modulus and Poisson's ratio.
    replace: bool,
}

impl Declared {
    fn of(law: &str) -> Option<Self> {
        let solid = |e: &material::Entry| Self { constants: e.constants, replace: e.small_strain.is_some() };
        let surface = |e: &shell::Entry| Self { constants: e.constants, replace: false };
        material::find(law).map(solid).or_else(|| shell::find(law).map(surface))
    }

    fn has(&self, key: &str) -> bool {
        self.constants.iter().any(|constant| constant.key == key)
    }
}

/// The law that the body gets, with its constants: what was said of a constant stays where the law has it. Where it goes, and was all
/// of the stiffness, the stiffness stays.
fn put_law(change: &Remake, model: &Model, recipe: &mut Recipe) {
    let now = model.resolved().matter.first();
    let had = now.and_then(|now| Declared::of(now.material));
    let law = match &change.material {
        Some(name) => Declared::of(name),
        None => had,
    };
    recipe.material = change.material.clone().or(recipe.material.take());
    let was_all = had.is_some_and(|had| had.replace) && !recipe.constants.is_empty();
    let is_all = law.is_some_and(|law| law.replace);
    if let Some(law) = law {
        recipe.constants.retain(|key, _| law.has(key));
    }
    // A law has its own constants or Poisson's ratio, whichever was said last.
    if is_all && change.poisson.is_some() {
        recipe.constants.clear();
    }
    recipe.constants.extend(change.constants.clone());
    if is_all && !change.constants.is_empty() {
        (recipe.young, recipe.poisson) = (None, None);
    } else if was_all && recipe.constants.is_empty() {
        let number = |key: &str| now?.constants.iter().find(|(name, _)| *name == key).map(|(_, x)| *x);
        (recipe.young, recipe.poisson) = (number("young"), number("poisson"));
    }
    recipe.poisson = change.poisson.or(recipe.poisson);
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
