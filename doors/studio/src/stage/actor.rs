//! A body on the stage: its name and number, where it stands, and what the pages are told of it.

use std::collections::BTreeMap;

use pliant::linalg::{Mat3, Vec3, quaternion_rotation};
use pliant::mesh::Kind;
use pliant::reduce::Model;
use pliant::world::open::{Proposal, own_constants, proposed};
use pliant::world::{BodyId, Form, LiveBody, Matter, Plate};
use serde::Serialize;

use crate::command::Remark;
use crate::hub::Shapes;
use crate::job::Finished;
use crate::words;

/// Where a body stands: a point X of it is seen at position + turn · X.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Place {
    pub(crate) position: Vec3,
    pub(crate) turn: Mat3,
    /// The same turn: x, y, z, w.
    pub(crate) quaternion: [f64; 4],
}

impl Default for Place {
    /// Where the body's own origin is that of the stage.
    fn default() -> Self {
        Self { position: Vec3::zeros(), turn: Mat3::identity(), quaternion: [0.0, 0.0, 0.0, 1.0] }
    }
}

impl Place {
    /// Of a position and a quaternion x, y, z, w of any length.
    ///
    /// # Errors
    /// A quaternion without a direction, or what is not finite.
    pub(crate) fn new(position: Vec3, quaternion: [f64; 4]) -> Result<Self, String> {
        let length = quaternion.iter().map(|x| x * x).sum::<f64>().sqrt();
        if !position.iter().all(|x| x.is_finite()) || !length.is_finite() || length < 1e-6 {
            return Err("a place is three finite numbers, and a turn four that are not all zero".into());
        }
        let quaternion = quaternion.map(|component| component / length);
        Ok(Self { position, turn: quaternion_rotation(quaternion), quaternion })
    }

    /// A point of the stage, as the body sees it.
    pub(crate) fn into_body(self, point: Vec3) -> Vec3 {
        self.turn.transpose() * (point - self.position)
    }

    /// A point of the body, as the stage sees it.
    pub(crate) fn onto_stage(self, point: Vec3) -> Vec3 {
        self.turn * point + self.position
    }

    /// The box around a box of the body.
    pub(super) fn bounds(self, low: Vec3, high: Vec3) -> [Vec3; 2] {
        let corners = (0..8).map(|k| {
            let pick = |axis: usize| if k >> axis & 1 == 0 { low[axis] } else { high[axis] };
            self.onto_stage(Vec3::new(pick(0), pick(1), pick(2)))
        });
        let empty = [Vec3::repeat(f64::INFINITY), Vec3::repeat(f64::NEG_INFINITY)];
        corners.fold(empty, |[low, high], p| [low.inf(&p), high.sup(&p)])
    }
}

/// A body on the stage.
#[derive(Clone)]
pub(crate) struct Actor {
    pub(crate) number: u32,
    /// The number of the draft that it finishes.
    pub(crate) draft: Option<u32>,
    pub(crate) name: String,
    /// In the world.
    pub(crate) id: BodyId,
    pub(crate) place: Place,
    /// Of the stage, m/s².
    pub(crate) gravity: Vec3,
    /// Factors of stiffness and density when a rebuild was last asked for: what it is built with.
    pub(crate) asked: [f64; 2],
    /// Young's modulus (of a surface: 1) and density as built.
    pub(crate) matter: [f64; 2],
    /// What it was to be made as, where that was asked for.
    pub(crate) form: Option<Form>,
    /// What it became.
    pub(crate) became: Option<Form>,
    /// What it can be made as.
    pub(crate) forms: Vec<Form>,
    pub(crate) remarks: Vec<Remark>,
    pub(crate) shapes: Shapes,
}

impl Actor {
    pub(super) fn new(finished: &Finished, number: u32, id: BodyId) -> Self {
        Self {
            number,
            draft: None,
            name: finished.name.clone(),
            id,
            place: Place::default(),
            gravity: Vec3::zeros(),
            asked: [1.0; 2],
            matter: Matter::of(&finished.model).map_or([1.0; 2], |m| [m.stiffness, m.density]),
            form: finished.form,
            became: finished.became,
            forms: finished.shapes.forms.clone(),
            remarks: finished.remarks.clone(),
            shapes: finished.shapes.clone(),
        }
    }

    /// Gives `body`, which takes its place, the settings that it has `now`. What that one cannot have stays as it is.
    pub(super) fn pass_on(&self, now: &LiveBody, body: &mut LiveBody) {
        let live = now.live();
        let _ = body.set_strength(now.strength());
        // Built with what was set when it was asked for; set since then is the rest.
        let [stiffness, density] = [live.stiffness() / self.asked[0], live.density() / self.asked[1]];
        let (damping, gravity, integrator) = (live.damping(), live.gravity(), live.integrator());
        body.change(|live| {
            let _ = live.set_stiffness(stiffness);
            let _ = live.set_density(density);
            let _ = live.set_damping(damping);
            let _ = live.set_gravity(gravity);
            let _ = live.set_integrator(integrator);
        });
    }
}

/// A length that a body is likely meant to have.
#[derive(Clone, Debug, PartialEq, Serialize)]
struct Proposed {
    /// m.
    length: f64,
    /// The unit in which its file says so.
    unit: Option<&'static str>,
}

/// What a surface is cut from.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
struct PlateFacts {
    /// Young's modulus, Pa.
    young: f64,
    /// kg/m³.
    density: f64,
    /// m.
    thickness: f64,
}

/// What is known of a body.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(crate) struct BodyFacts {
    pub(crate) body: u32,
    /// The body whose place it has taken.
    pub(crate) replaces: Option<u32>,
    /// `opened`, `dropped`, `refined`, `rebuilt`, `reshaped`, `restored` or `duplicated`.
    pub(crate) why: &'static str,
    /// The client that asked for it.
    pub(crate) by: Option<u32>,
    pub(crate) position: [f64; 3],
    pub(crate) turn: [f64; 4],
    /// Of the file or shape.
    name: String,
    /// `tets` or `triangles`.
    kind: &'static str,
    /// Of the simulated mesh.
    vertices: usize,
    elements: usize,
    /// Of the shown surface.
    surface_vertices: usize,
    triangles: usize,
    /// r.
    rank: usize,
    /// Linear modes that it was made from.
    modes: usize,
    /// Of the full body, ascending, Hz.
    frequencies_hz: Vec<f64>,
    basis: String,
    forces: &'static str,
    cubature_points: Option<usize>,
    /// Of a cubature, as a part of the force.
    validation_error: Option<f64>,
    /// Of a cubature, of shapes under loads, as a part of the displacement.
    static_error: Option<f64>,
    /// Of a cubature, of the ten lowest frequencies.
    frequency_error: Option<f64>,
    /// Of a standard pull, in the coordinates of the model, as a part of the displacement.
    pull_error: Option<f64>,
    /// What more coordinates or points would bring; `None` where no pull was measured.
    outlook: Option<String>,
    material: String,
    /// Constants that the material has of its own, by their keys; what follows from others is not among them.
    constants: BTreeMap<&'static str, f64>,
    /// Poisson's ratio, of solids.
    poisson: Option<f64>,
    /// What a surface is cut from, by its name on the menu; empty where that is nothing of the menu. `None` of solids.
    sheet: Option<&'static str>,
    /// The numbers of that; `None` where it is no plate.
    plate: Option<PlateFacts>,
    /// What a surface of which nobody says what it is made of may be cut from, by its name on the menu.
    proposed_sheet: Option<&'static str>,
    /// Simulated vertices that cannot move.
    pinned: usize,
    /// Whether nothing holds it.
    free: bool,
    /// What it was made as: a name of `forms`.
    form: &'static str,
    /// What it can be made as.
    forms: Vec<&'static str>,
    /// Longest side, m.
    length: f64,
    /// What that is likely meant to be; `None` where it can be meant.
    proposed: Option<Proposed>,
    /// kg.
    mass: f64,
    /// Of the model.
    bytes: usize,
    remarks: Vec<Remark>,
}

impl BodyFacts {
    pub(crate) fn of(actor: &Actor, model: &Model) -> Self {
        let matter = Matter::of(model);
        let solid = model.mesh().kind() == Kind::Tets;
        let plate = Plate::of(model.recipe()).filter(|_| !solid);
        let own = own_constants(model).into_iter();
        let pinned = model.held_components().iter().filter(|held| held.contains(&true)).count();
        let training = model.facts().training.as_ref();
        Self {
            body: actor.number,
            replaces: None,
            why: "opened",
            by: None,
            position: actor.place.position.into(),
            turn: actor.place.quaternion,
            name: actor.name.clone(),
            kind: if solid { "tets" } else { "triangles" },
            vertices: model.mesh().vertices.len(),
            elements: model.mesh().elements.len(),
            surface_vertices: model.surface().rest.len(),
            triangles: model.surface().triangles.len(),
            rank: model.rank(),
            modes: model.facts().eigenvalues.len(),
            frequencies_hz: model.frequencies_hz(),
            basis: model.facts().basis.clone(),
            forces: model.force().name(),
            cubature_points: model.force().size("cubature_points"),
            validation_error: training.map(|t| t.validation_error),
            static_error: training.and_then(|t| t.static_error),
            frequency_error: training.and_then(|t| t.frequency_error),
            pull_error: model.facts().pull.map(|pull| pull.error),
            outlook: model.outlook().as_ref().map(words::note),
            material: matter.as_ref().map_or_else(String::new, |m| m.material.to_owned()),
            constants: own.filter_map(|(constant, number)| Some((constant.key, number?))).collect(),
            poisson: matter.as_ref().and_then(|m| m.poisson),
            sheet: (!solid).then(|| plate.map_or("", |plate| plate.name)),
            plate: plate.map(|Plate { young, density, thickness, .. }| PlateFacts {
                young,
                density,
                thickness,
            }),
            proposed_sheet: (!solid && plate.is_none()).then(|| Plate::suiting(model.longest_side()).name),
            pinned,
            free: pinned == 0,
            form: match actor.became {
                _ if !solid => Form::Shell,
                Some(Form::Cage) => Form::Cage,
                _ => Form::Solid,
            }
            .name(),
            forms: actor.forms.iter().map(|form| form.name()).collect(),
            length: model.longest_side(),
            proposed: proposed(model.longest_side())
                .map(|Proposal { length, unit }| Proposed { length, unit }),
            mass: model.total_mass(),
            bytes: model.size_in_bytes(),
            remarks: actor.remarks.clone(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_turns_as_its_quaternion_says() {
        // A quarter turn about y takes z to x.
        let half = std::f64::consts::FRAC_1_SQRT_2;
        let place =
            Place::new(Vec3::new(1.0, 2.0, 3.0), [0.0, 2.0 * half, 0.0, 2.0 * half]).expect("a place");
        let seen = place.onto_stage(Vec3::new(0.0, 0.0, 1.0));
        assert!((seen - Vec3::new(2.0, 2.0, 3.0)).norm() < 1e-14, "{seen}");
        assert!((place.into_body(seen) - Vec3::new(0.0, 0.0, 1.0)).norm() < 1e-14);
        let [low, high] = place.bounds(Vec3::zeros(), Vec3::new(1.0, 2.0, 3.0));
        assert!((low - Vec3::new(1.0, 2.0, 2.0)).norm() < 1e-14, "{low}");
        assert!((high - Vec3::new(4.0, 4.0, 3.0)).norm() < 1e-14, "{high}");
        assert!(Place::new(Vec3::zeros(), [0.0; 4]).is_err());
        assert!(Place::new(Vec3::new(f64::NAN, 0.0, 0.0), [0.0, 0.0, 0.0, 1.0]).is_err());
    }
}
