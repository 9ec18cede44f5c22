//! Which law holds where, with which constants: what the user says, else the mesh file, else the default.

use std::collections::BTreeMap;

use pliant_mesh::data;
use pliant_mesh::matter;

use super::{DENSITY, POISSON, Recipe, SHELL, YOUNG, positive};
use crate::material::{self, Constants, Isotropic};
use crate::own::{self, Own};
use crate::{EnergyError, shell, terms};

/// The law of solids where nobody names one.
const SOLID: &str = "stable-neo-hookean";
/// The law of surfaces where nobody names one.
const SURFACE: &str = "discrete-shells";

/// The law of a region of a solid.
pub(crate) struct Choice {
    pub(crate) entry: &'static material::Entry,
    pub(crate) constants: Constants,
    /// What was given beside Young's modulus and Poisson's ratio, or in their place: its own constants, or those of the
    /// file's law that its small-strain limit was taken from.
    pub(crate) stated: Own,
    /// kg/m³.
    pub(crate) density: f64,
}

/// What the file says of the stiffness of a region.
#[derive(Default)]
struct FromFile {
    /// The name of its law.
    law: Option<String>,
    young: Option<f64>,
    poisson: Option<f64>,
    /// Constants of that law.
    own: BTreeMap<String, f64>,
}

impl FromFile {
    fn new(law: &data::Law) -> Result<Self, EnergyError> {
        let mut own = law.constants.clone();
        let (young, poisson) = (own.remove(matter::YOUNG), own.remove(matter::POISSON));
        let law = match &law.name {
            None if !own.is_empty() => Some(owner_among_solids(&own)?.to_owned()),
            name => name.clone(),
        };
        Ok(Self { law, young, poisson, own })
    }

    /// The small-strain limit where the law's own constants say it, with these.
    fn limit(&self) -> Result<Option<(Isotropic, Own)>, EnergyError> {
        let Some(entry) = self.law.as_deref().and_then(material::find) else { return Ok(None) };
        let Some(small_strain) = entry.small_strain.filter(|_| !self.own.is_empty()) else { return Ok(None) };
        let own = own::gather(entry.name, entry.constants, &self.own, &BTreeMap::new())?;
        all_of(entry, &own)?;
        Ok(Some((small_strain(&own)?, own)))
    }
}

impl Recipe {
    /// The law of what the file calls `stated`, its constants and its density.
    pub(crate) fn of_region(&self, stated: Option<&data::Material>) -> Result<Choice, EnergyError> {
        let density = self.density.or(stated.map(|s| s.density)).unwrap_or(DENSITY);
        positive(terms::DENSITY, density, "kg/m³")?;
        let file = stated.map_or_else(|| Ok(FromFile::default()), |s| FromFile::new(&s.law))?;
        let name = match &self.material {
            Some(name) => name,
            None if !self.constants.is_empty() => owner_among_solids(&self.constants)?,
            None => file.law.as_deref().unwrap_or(SOLID),
        };
        let entry = solid_entry(name)?;
        let by_hand = self.young.is_some() || self.poisson.is_some();
        if entry.small_strain.is_some() && !self.constants.is_empty() {
            let twice = [(terms::YOUNG, self.young.is_some()), (terms::POISSON, self.poisson.is_some())];
            let instead = "they are all of its stiffness; give them, or Young's modulus and Poisson's ratio";
            refuse(&twice, "solid with constants of its own", instead, &[])?;
        }
        let same = file.law.as_deref() == Some(entry.name);
        let nothing = BTreeMap::new();
        let of_file = if same { &file.own } else { &nothing };
        let mut own = own::gather(entry.name, entry.constants, &self.constants, of_file)?;
        if let Some(small_strain) = entry.small_strain.filter(|_| !own.is_empty() && !by_hand) {
            all_of(entry, &own)?;
            let isotropic = small_strain(&own)?;
            let constants = Constants { isotropic, own: own.clone() };
            return Ok(Choice { entry, constants, stated: own, density });
        }
        // The user changes one number or both: what is left is the file's.
        let limit = file.limit()?;
        let (isotropic, from_limit) = match &limit {
            Some((law, own)) if !by_hand => (*law, own.clone()),
            Some((law, _)) => {
                let (young, poisson) =
                    (self.young.unwrap_or(law.young()), self.poisson.unwrap_or(law.poisson()));
                (Isotropic::from_young_poisson(young, poisson)?, Own::default())
            }
            None => (self.isotropic(&file)?, Own::default()),
        };
        if entry.small_strain.is_some() {
            // Replaced by Young's modulus and Poisson's ratio.
            own = Own::default();
        } else {
            own = own::complete(entry.name, entry.constants, &own, isotropic.young())?;
        }
        let stated = if own.is_empty() { from_limit } else { own.clone() };
        Ok(Choice { entry, constants: Constants { isotropic, own }, stated, density })
    }

    /// From Young's modulus and Poisson's ratio: the user's, else the file's, else the defaults.
    fn isotropic(&self, file: &FromFile) -> Result<Isotropic, EnergyError> {
        let (young, poisson) = (self.young.or(file.young), self.poisson.or(file.poisson));
        if let (Some(law), true) = (&file.law, young.is_none() || poisson.is_none()) {
            // How stiff a law is that is not in the table nobody knows.
            solid_entry(law)?;
        }
        Isotropic::from_young_poisson(young.unwrap_or(YOUNG), poisson.unwrap_or(POISSON))
    }

    /// The law of a surface and its constants; `plate` are the stiffnesses of a plate, where Young's modulus is given.
    pub(crate) fn shell(
        &self,
        plate: Option<[f64; 2]>,
    ) -> Result<(&'static shell::Entry, shell::Constants), EnergyError> {
        let name = match &self.material {
            Some(name) => name,
            None if !self.constants.is_empty() => owner_among_surfaces(&self.constants)?,
            None => SURFACE,
        };
        let entry = surface_entry(name)?;
        let usual = plate.unwrap_or([SHELL; 2]);
        let (bend, membrane) = (self.bend.unwrap_or(usual[0]), self.membrane.unwrap_or(usual[1]));
        let own = own::gather(entry.name, entry.constants, &self.constants, &BTreeMap::new())?;
        let own = own::complete(entry.name, entry.constants, &own, membrane)?;
        Ok((entry, shell::Constants { bend, membrane, own }))
    }

    /// What the law of the recipe's own constants declares; `None` where there are none, or it is not clear whose.
    pub(crate) fn law_of_constants(&self, solid: bool) -> Option<Declared> {
        if self.constants.is_empty() {
            return None;
        }
        match (solid, self.material.as_deref()) {
            (true, Some(name)) => material::find(name).map(Declared::of_solid),
            (true, None) => declared_by_owner(&self.constants),
            (false, Some(name)) => shell::find(name).map(Declared::of_surface),
            (false, None) => {
                let name = owner_among_surfaces(&self.constants).ok()?;
                shell::find(name).map(Declared::of_surface)
            }
        }
    }
}

/// What a law declares.
#[derive(Clone, Copy)]
pub(crate) struct Declared {
    pub(crate) constants: &'static [crate::Constant],
    /// Whether these take the place of Young's modulus and Poisson's ratio.
    pub(crate) replace: bool,
}

impl Declared {
    fn of_solid(entry: &'static material::Entry) -> Self {
        Self { constants: entry.constants, replace: entry.small_strain.is_some() }
    }

    fn of_surface(entry: &'static shell::Entry) -> Self {
        Self { constants: entry.constants, replace: false }
    }

    /// Of a law of a mesh file; `None` where it is not known.
    pub(crate) fn of_file(law: &data::Law) -> Option<Self> {
        match &law.name {
            Some(name) => {
                material::find(name).map(Self::of_solid).or_else(|| shell::find(name).map(Self::of_surface))
            }
            None => {
                let mut own = law.constants.clone();
                own.retain(|key, _| key != matter::YOUNG && key != matter::POISSON);
                if own.is_empty() { None } else { declared_by_owner(&own) }
            }
        }
    }

    /// Whether the constant `key` is multiplied with the stiffness.
    pub(crate) fn scales(&self, key: &str) -> bool {
        self.constants.iter().any(|constant| constant.key == key && constant.scales)
    }
}

fn declared_by_owner(constants: &BTreeMap<String, f64>) -> Option<Declared> {
    owner_among_solids(constants).ok().and_then(material::find).map(Declared::of_solid)
}

fn owner_among_solids(constants: &BTreeMap<String, f64>) -> Result<&'static str, EnergyError> {
    own::owner("solids", constants, material::ALL.iter().map(|e| (e.name, e.constants)))
}

fn owner_among_surfaces(constants: &BTreeMap<String, f64>) -> Result<&'static str, EnergyError> {
    own::owner("surfaces", constants, shell::ALL.iter().map(|e| (e.name, e.constants)))
}

/// All constants of a law whose constants are given together or not at all.
fn all_of(entry: &'static material::Entry, own: &Own) -> Result<(), EnergyError> {
    let missing: Vec<_> = entry.constants.iter().filter(|c| own.get(c.key).is_none()).copied().collect();
    if missing.is_empty() { Ok(()) } else { Err(EnergyError::MissingConstants { law: entry.name, missing }) }
}

fn solid_entry(name: &str) -> Result<&'static material::Entry, EnergyError> {
    material::ALL.get(name).map_err(|unknown| match shell::find(name) {
        Some(_) => EnergyError::OtherMaterial {
            name: name.to_owned(),
            belongs: "surfaces",
            found: "solid",
            allowed: unknown.known,
            next: terms::BOUNDARY,
        },
        None => unknown.into(),
    })
}

fn surface_entry(name: &str) -> Result<&'static shell::Entry, EnergyError> {
    shell::ALL.get(name).map_err(|unknown| match material::find(name) {
        Some(_) => EnergyError::OtherMaterial {
            name: name.to_owned(),
            belongs: "solids",
            found: "surface",
            allowed: unknown.known,
            next: terms::TETS,
        },
        None => unknown.into(),
    })
}

/// Refuses the first of some quantities that was given.
pub(crate) fn refuse(
    quantities: &[(pliant_linalg::Term, bool)],
    found: &'static str,
    instead: &'static str,
    terms: &'static [pliant_linalg::Term],
) -> Result<(), EnergyError> {
    match quantities.iter().find(|(_, given)| *given) {
        Some(&(what, _)) => Err(EnergyError::Misplaced { what, found, instead, terms }),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests;
