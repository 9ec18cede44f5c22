//! What stands beside the tensors: one JSON string with sorted keys. docs/model-format.md explains each key.
//!
//! Numbers are written with as many digits as it takes to come back bit for bit. Nothing of the moment is in it: no time,
//! path, command or number of threads; the same model gives the same bytes.

use std::collections::BTreeMap;

use pliant_energy::{MassKind, Recipe, Resolved};
use pliant_linalg::{foreign, quote};
use pliant_mesh::{Attributes, Law, Material, Region};
use serde::{Deserialize, Serialize};

use super::section::Section;
use super::{Facts, Model};
use crate::PullError;
use crate::container::{DAMAGED, DIGITS, TensorReader};
use crate::force::TrainingFacts;

/// What the file calls itself.
const FORMAT: &str = "pliant-model";
/// The latest version: 2 knows ghosts, 3 sections and any constants that a law has of its own, 4 corrections of a cubature and
/// errors under loads, 5 the error of a pull. Whatever needs none of them is written as version 1, which older programs read.
pub(super) const VERSION: u64 = 5;
const UNITS: &str = "SI: metre, kilogram, second, pascal";

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Description {
    basis: Basis,
    body: ResolvedBody,
    pub(super) checksum: String,
    pub(super) elements: usize,
    forces: Forces,
    format: String,
    held: usize,
    pub(super) kind: String,
    materials: Vec<Stated>,
    pub(super) rank: usize,
    recipe: Given,
    regions: Vec<Group>,
    #[serde(default, skip_serializing_if = "Sections::is_empty")]
    sections: Sections,
    seed: u64,
    /// Of the vertex sets, in order.
    pub(super) sets: Vec<String>,
    pub(super) surface: Option<Surface>,
    units: String,
    version: u64,
    pub(super) vertices: usize,
}

/// What apps keep in it, without the tensors, by name.
#[derive(Default, Serialize)]
#[serde(transparent)]
struct Sections(BTreeMap<String, Stowed>);

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Stowed {
    basis: String,
    facts: serde_json::Map<String, serde_json::Value>,
    version: u64,
}

impl Sections {
    fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl<'de> Deserialize<'de> for Sections {
    /// A name that comes twice is refused; JSON itself would take the last.
    fn deserialize<D: serde::Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        struct Once;
        impl<'de> serde::de::Visitor<'de> for Once {
            type Value = Sections;

            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str("sections by name")
            }

            fn visit_map<A: serde::de::MapAccess<'de>>(self, mut map: A) -> Result<Sections, A::Error> {
                let mut all = BTreeMap::new();
                while let Some((name, section)) = map.next_entry::<String, Stowed>()? {
                    if all.insert(name.clone(), section).is_some() {
                        let twice = format!("the section {} is there twice", quote(&name));
                        return Err(serde::de::Error::custom(twice));
                    }
                }
                Ok(Sections(all))
            }
        }
        from.deserialize_map(Once)
    }
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Basis {
    affine: usize,
    dropped: usize,
    eigenvalues: Vec<f64>,
    name: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pull: Option<Pull>,
    singular_values: Vec<f64>,
}

/// The error of a standard pull.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Pull {
    error: f64,
    with_half: f64,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Forces {
    name: String,
    training: Option<Training>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Training {
    points: usize,
    pose_scale: f64,
    poses: usize,
    trainer: String,
    training_error: f64,
    validation_error: f64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    static_error: Option<f64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    frequency_error: Option<f64>,
}

/// The embedded surface.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Surface {
    pub(super) kind: String,
    regions: Vec<Group>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Group {
    material: Option<u32>,
    name: String,
}

/// A material of the mesh.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Stated {
    density: f64,
    law: StatedLaw,
    name: String,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
enum StatedLaw {
    Isotropic {
        poisson: f64,
        young: f64,
    },
    MooneyRivlin {
        mu01: f64,
        mu10: f64,
        v1: f64,
    },
    /// Format 3: any other.
    Named {
        constants: BTreeMap<String, f64>,
        name: Option<String>,
    },
}

/// The recipe as it was given; null means: what the mesh says, else the default.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Given {
    bend: Option<f64>,
    /// Format 3: of any law but Mooney-Rivlin.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    constants: BTreeMap<String, f64>,
    density: Option<f64>,
    mass: Option<String>,
    material: Option<String>,
    membrane: Option<f64>,
    mooney: Option<GivenMooney>,
    poisson: Option<f64>,
    thickness: Option<f64>,
    young: Option<f64>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct GivenMooney {
    mu01: f64,
    mu10: f64,
    v1: f64,
}

/// Body as its recipe was resolved: laws and constants after every default.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct ResolvedBody {
    mass: String,
    matter: Vec<Matter>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Matter {
    constants: BTreeMap<String, f64>,
    material: String,
    region: Option<String>,
}

/// What is looked at first, and is in every version. The rest is skipped without a copy.
#[derive(Default, Deserialize)]
#[serde(default)]
struct Front {
    checksum: String,
    format: String,
    version: Option<u64>,
}

impl Description {
    pub(super) fn new(model: &Model) -> Self {
        let (mesh, made) = (model.mesh(), model.resolved());
        let a = &mesh.attributes;
        // Taken apart without `..`: whatever is added to them has to be written down here.
        let Facts { basis, eigenvalues, affine, singular_values, dropped, seed, training, pull } =
            model.facts();
        let training = training.as_ref().map(|facts| {
            let TrainingFacts {
                trainer,
                poses,
                pose_scale,
                points,
                training_error,
                validation_error,
                static_error,
                frequency_error,
            } = facts.clone();
            Training {
                points,
                pose_scale,
                poses,
                trainer,
                training_error,
                validation_error,
                static_error,
                frequency_error,
            }
        });
        Self {
            basis: Basis {
                affine: *affine,
                dropped: *dropped,
                eigenvalues: eigenvalues.clone(),
                name: basis.clone(),
                pull: pull.map(|PullError { error, with_half }| Pull { error, with_half }),
                singular_values: singular_values.clone(),
            },
            body: ResolvedBody::of(made),
            checksum: "0".repeat(DIGITS),
            elements: mesh.elements.len(),
            forces: Forces { name: model.force().name().to_owned(), training },
            format: FORMAT.to_owned(),
            held: model.held(),
            kind: mesh.kind().name().to_owned(),
            materials: a.materials.iter().map(stated).collect(),
            rank: model.rank(),
            recipe: Given::of(model.recipe()),
            regions: groups(&a.regions),
            sections: Sections(model.sections().iter().map(|(name, s)| (name.clone(), stowed(s))).collect()),
            seed: *seed,
            sets: a.sets.iter().map(|s| s.name.clone()).collect(),
            surface: a
                .embedded
                .as_ref()
                .map(|e| Surface { kind: e.faces.kind().name().to_owned(), regions: groups(&e.regions) }),
            units: UNITS.to_owned(),
            version: version_of(model),
            vertices: mesh.vertices.len(),
        }
    }

    /// As text, keys sorted.
    pub(super) fn to_text(&self) -> Result<String, String> {
        let mut value = serde_json::to_value(self).map_err(|e| e.to_string())?;
        value.sort_all_objects();
        Ok(value.to_string())
    }

    /// The checksum that a text states, if the text is a description of a version that is known here.
    pub(super) fn recognise(text: &str) -> Result<String, String> {
        let Front { format, version, checksum } = serde_json::from_str(text).map_err(|e| {
            format!("the description cannot be read ({}); {DAMAGED}", foreign(&e.to_string()))
        })?;
        if format != FORMAT {
            return Err(format!("the description is of {}, expected {FORMAT:?}; {DAMAGED}", quote(&format)));
        }
        match version {
            Some(1..=VERSION) => Ok(checksum),
            Some(newer) if newer > VERSION => Err(format!(
                "made by a newer pliant: format {newer}, this program reads {VERSION}; update pliant, or build the \
                 model again with this one"
            )),
            _ => Err(format!("the description states no format version; {DAMAGED}")),
        }
    }

    /// From a text that was recognised.
    pub(super) fn from_text(text: &str) -> Result<Self, String> {
        serde_json::from_str(text).map_err(|e| {
            format!("the description is not as expected ({}); {DAMAGED}", foreign(&e.to_string()))
        })
    }

    /// Regions and materials; sets and surface come from tensors.
    pub(super) fn attributes(&self) -> Attributes {
        Attributes {
            regions: regions(&self.regions),
            materials: self.materials.iter().map(material).collect(),
            ..Attributes::default()
        }
    }

    /// The name of the force.
    pub(super) fn force(&self) -> &str {
        &self.forces.name
    }

    /// What was measured.
    pub(super) fn facts(&self) -> Facts {
        Facts {
            basis: self.basis.name.clone(),
            eigenvalues: self.basis.eigenvalues.clone(),
            affine: self.basis.affine,
            singular_values: self.basis.singular_values.clone(),
            dropped: self.basis.dropped,
            seed: self.seed,
            training: self.forces.training.as_ref().map(|t| TrainingFacts {
                trainer: t.trainer.clone(),
                poses: t.poses,
                pose_scale: t.pose_scale,
                points: t.points,
                training_error: t.training_error,
                validation_error: t.validation_error,
                static_error: t.static_error,
                frequency_error: t.frequency_error,
            }),
            pull: self.basis.pull.as_ref().map(|p| PullError { error: p.error, with_half: p.with_half }),
        }
    }

    /// The recipe but for what is fixed, which is a tensor.
    pub(super) fn recipe(&self) -> Result<Recipe, String> {
        let given = &self.recipe;
        let mass = match given.mass.as_deref() {
            None => None,
            Some(word) => Some(MassKind::named(word).ok_or_else(|| {
                format!("the mass is {}, expected \"consistent\" or \"lumped\"; {DAMAGED}", quote(word))
            })?),
        };
        Ok(Recipe {
            material: given.material.clone(),
            young: given.young,
            poisson: given.poisson,
            density: given.density,
            constants: given.own(),
            bend: given.bend,
            membrane: given.membrane,
            thickness: given.thickness,
            mass,
            fixed: Vec::new(),
        })
    }

    /// The sections, with their tensors.
    pub(super) fn sections(&self, file: &TensorReader<'_>) -> Result<BTreeMap<String, Section>, String> {
        let each = self.sections.0.iter().map(|(name, Stowed { basis, facts, version })| {
            let tensors = Section::read(file, name);
            let (facts, digest) = (facts.clone(), basis.clone());
            (name.clone(), Section { name: name.clone(), version: *version, digest, facts, tensors })
        });
        let sections: BTreeMap<String, Section> = each.collect();
        // A tensor of a section that nobody claims would be lost when the model is written again.
        let claimed = |tensor: &str| {
            let name = tensor.strip_prefix("section.").and_then(|rest| rest.split('.').next());
            name.is_none_or(|name| sections.contains_key(name))
        };
        match file.tensors().map(|(tensor, ..)| tensor).find(|tensor| !claimed(tensor)) {
            Some(tensor) => {
                Err(format!("the tensor {} is of no section that is described; {DAMAGED}", quote(&tensor)))
            }
            None => Ok(sections),
        }
    }

    /// Whether tensors and recipe came to what is stated.
    pub(super) fn agrees(&self, model: &Model) -> Result<(), String> {
        let (held, kind, made) = (model.held(), model.mesh().kind().name(), model.resolved());
        if self.held != held {
            return Err(format!(
                "{held} degrees of freedom are held, but the description states {}; {DAMAGED}",
                self.held
            ));
        }
        if self.version != version_of(model) {
            return Err(format!(
                "the description states format {}, but what it holds is of format {}; {DAMAGED}",
                self.version,
                version_of(model)
            ));
        }
        if kind != self.kind {
            return Err(format!(
                "the elements are {kind}, but the description states {}; {DAMAGED}",
                self.kind
            ));
        }
        if !self.body.is(&ResolvedBody::of(made)) {
            return Err(
                "its recipe means another body here than where it was made: the defaults of laws or constants \
                 differ; build the model again"
                    .to_owned(),
            );
        }
        Ok(())
    }
}

impl Surface {
    /// The regions of its faces.
    pub(super) fn regions(&self) -> Vec<Region> {
        regions(&self.regions)
    }
}

impl Given {
    fn of(recipe: &Recipe) -> Self {
        // What is fixed is a tensor.
        let Recipe {
            material,
            young,
            poisson,
            density,
            constants,
            bend,
            membrane,
            thickness,
            mass,
            fixed: _,
        } = recipe.clone();
        // These have a place of their own since format 1.
        let mooney = mooney(&constants).map(|[mu01, mu10, v1]| GivenMooney { mu01, mu10, v1 });
        let constants = if mooney.is_some() { BTreeMap::new() } else { constants };
        let mass = mass.map(|m| m.name().to_owned());
        Self { bend, constants, density, mass, material, membrane, mooney, poisson, thickness, young }
    }

    /// Constants that the material has of its own.
    fn own(&self) -> BTreeMap<String, f64> {
        let mut own = self.constants.clone();
        if let Some(GivenMooney { mu01, mu10, v1 }) = self.mooney {
            own.extend(MOONEY.map(str::to_owned).into_iter().zip([mu01, mu10, v1]));
        }
        own
    }
}

impl ResolvedBody {
    fn of(made: &Resolved) -> Self {
        let matter = made.matter.iter().map(|m| Matter {
            constants: m.constants.iter().map(|(name, value)| ((*name).to_owned(), *value)).collect(),
            material: m.material.to_owned(),
            region: m.region.clone(),
        });
        Self { mass: made.mass.name().to_owned(), matter: matter.collect() }
    }

    /// The same, but for the rounding of constants that are made of others.
    fn is(&self, other: &Self) -> bool {
        let same = |(a, b): (&Matter, &Matter)| {
            let near = |(name, x): (&String, &f64)| {
                b.constants.get(name).is_some_and(|y| (x - y).abs() <= 1e-12 * y.abs())
            };
            a.material == b.material
                && a.region == b.region
                && a.constants.len() == b.constants.len()
                && a.constants.iter().all(near)
        };
        self.mass == other.mass
            && self.matter.len() == other.matter.len()
            && self.matter.iter().zip(&other.matter).all(same)
    }
}

/// The first version that can say this.
fn version_of(model: &Model) -> u64 {
    let named = needs_named_constants(model.recipe(), &model.mesh().attributes.materials);
    let own = if named || !model.sections().is_empty() { 3 } else { 1 };
    let training = model.facts().training.as_ref();
    let measured = training.is_some_and(|t| t.static_error.is_some() || t.frequency_error.is_some());
    let pulled = if model.facts().pull.is_some() { 5 } else { 1 };
    model.force().format().max(own).max(if measured { 4 } else { 1 }).max(pulled)
}

fn stowed(section: &Section) -> Stowed {
    Stowed { basis: section.digest.clone(), facts: section.facts.clone(), version: section.version }
}

/// Whether recipe or materials name laws or constants that formats 1 and 2 have no place for.
pub(super) fn needs_named_constants(recipe: &Recipe, materials: &[Material]) -> bool {
    let own = &recipe.constants;
    (!own.is_empty() && mooney(own).is_none())
        || materials.iter().any(|material| matches!(stated(material).law, StatedLaw::Named { .. }))
}

/// Constants that formats 1 and 2 have a place for, and the law that they belong to.
const MOONEY: [&str; 3] = ["mu01", "mu10", "v1"];
const MOONEY_RIVLIN: &str = "mooney-rivlin";

/// These three, if they are all there is.
fn mooney(constants: &BTreeMap<String, f64>) -> Option<[f64; 3]> {
    Law { name: None, constants: constants.clone() }.exactly(None, MOONEY)
}

fn groups(regions: &[Region]) -> Vec<Group> {
    regions.iter().map(|r| Group { material: r.material, name: r.name.clone() }).collect()
}

fn regions(groups: &[Group]) -> Vec<Region> {
    groups.iter().map(|g| Region { name: g.name.clone(), material: g.material }).collect()
}

fn stated(material: &Material) -> Stated {
    let law = &material.law;
    let law = match (law.as_isotropic(), law.exactly(Some(MOONEY_RIVLIN), MOONEY)) {
        (Some([young, poisson]), _) => StatedLaw::Isotropic { poisson, young },
        (_, Some([mu01, mu10, v1])) => StatedLaw::MooneyRivlin { mu01, mu10, v1 },
        _ => StatedLaw::Named { constants: law.constants.clone(), name: law.name.clone() },
    };
    Stated { density: material.density, law, name: material.name.clone() }
}

fn material(stated: &Stated) -> Material {
    let law = match &stated.law {
        StatedLaw::Isotropic { poisson, young } => Law::isotropic(*young, *poisson),
        StatedLaw::MooneyRivlin { mu01, mu10, v1 } => {
            Law::named(MOONEY_RIVLIN, MOONEY.into_iter().zip([*mu01, *mu10, *v1]))
        }
        StatedLaw::Named { constants, name } => Law { name: name.clone(), constants: constants.clone() },
    };
    Material { name: stated.name.clone(), density: stated.density, law }
}
