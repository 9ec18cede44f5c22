//! What can be changed at once: stiffness, density, damping, gravity, integrator, coordinates.

use pliant::dynamics::{Damping as Rayleigh, integrator};
use pliant::linalg::Vec3;
use pliant::sim::{RunOptions, caution};
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::{Answer, Family, News, done};
use crate::protocol::{Ask, event};
use crate::stage::Stage;
use crate::words::{note, sentence};

/// Times the length of the body in a second squared, at most: more would only flatten it.
const MOST_GRAVITY: f64 = 1e4;

/// Factors over what the body was built with.
const FACTORS: std::ops::RangeInclusive<f64> = 1e-6..=1e9;

pub(super) struct Feel;

#[derive(Deserialize)]
#[serde(tag = "do", rename_all = "kebab-case", deny_unknown_fields)]
enum Words {
    Set(Box<Change>),
}

/// Settings to change at once; what is `None` stays.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Change {
    body: u32,
    /// Young's modulus, Pa; for surfaces a factor.
    stiffness: Option<f64>,
    /// kg/m³.
    density: Option<f64>,
    damping: Option<Damping>,
    /// m/s².
    gravity: Option<[f64; 3]>,
    integrator: Option<String>,
    /// How many coordinates are used.
    coordinates: Option<usize>,
}

/// Rayleigh's damping.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Damping {
    /// α, 1/s.
    mass: f64,
    /// β, s.
    stiffness: f64,
}

impl Feel {
    fn tell(stage: &Stage, body: u32) {
        let Ok(actor) = stage.actor(body) else { return };
        let live = stage.live_body(actor.id).live();
        let Rayleigh { mass, stiffness, .. } = live.damping();
        let gravity: [f64; 3] = actor.gravity.into();
        let options = RunOptions { integrator: live.integrator().into(), ..RunOptions::default() };
        let caution = caution(&options, &live.model().materials()).map(|said| note(&said));
        let settings = json!({
            "body": body,
            "stiffness": actor.matter[0] * live.stiffness(),
            "density": actor.matter[1] * live.density(),
            "damping": Damping { mass, stiffness },
            "gravity": gravity,
            "integrator": live.integrator(),
            "coordinates": live.coordinates(),
            "caution": caution,
            "built": { "stiffness": actor.matter[0], "density": actor.matter[1] },
        });
        stage.hub.keep("feel", body, event("feel.settings", &settings));
    }
}

impl Family for Feel {
    fn ask(&mut self, _: u32, ask: &Ask, stage: &mut Stage) -> Answer {
        let Words::Set(change) = ask.read_as()?;
        let body = change.body;
        stage.actor(body)?;
        let done = set(stage, &change);
        // What comes before something that cannot be has been done.
        stage.tell(News::Changed { body });
        done
    }

    fn hear(&mut self, news: &News, stage: &mut Stage) {
        match *news {
            News::Came { body, replaces, .. } => {
                if let Some(old) = replaces {
                    stage.hub.forget("feel", old);
                }
                Self::tell(stage, body);
            }
            News::Changed { body } => Self::tell(stage, body),
            News::Stumbled { body, ref stumble } if stumble.gravity_taken => Self::tell(stage, body),
            News::Went { body, .. } => stage.hub.forget("feel", body),
            _ => {}
        }
    }
}

fn set(stage: &mut Stage, change: &Change) -> Answer {
    let Change { stiffness, density, damping, gravity, integrator, coordinates, .. } = change;
    let actor = stage.actor(change.body)?;
    let (id, matter, turn) = (actor.id, actor.matter, actor.place.turn);
    let length = stage.live_body(id).live().model().longest_side();
    let gravity = gravity.map(|gravity| bearable(gravity, length)).transpose()?;
    stage.live_body_mut(id).change(|live| {
        if let Some(stiffness) = stiffness {
            let factor = factor("stiffness", *stiffness, matter[0])?;
            live.set_stiffness(factor).map_err(|e| sentence(&e))?;
        }
        if let Some(density) = density {
            let factor = factor("density", *density, matter[1])?;
            live.set_density(factor).map_err(|e| sentence(&e))?;
        }
        if let Some(Damping { mass, stiffness }) = *damping {
            let damping = Rayleigh { mass, stiffness, ..live.damping() };
            live.set_damping(damping).map_err(|e| sentence(&e))?;
        }
        if let Some(gravity) = gravity {
            live.set_gravity(turn.transpose() * gravity).map_err(|e| sentence(&e))?;
        }
        if let Some(name) = integrator {
            let linear = integrator::find(name).is_some_and(|entry| entry.linear_only);
            if linear && live.model().force().name() != "linear" {
                return Err(format!("{name} is for linear forces; build with the forces linear first"));
            }
            live.set_integrator(name).map_err(|e| sentence(&e))?;
        }
        if let Some(count) = coordinates {
            live.set_coordinates(*count).map_err(|e| sentence(&e))?;
        }
        Ok(())
    })?;
    if let Some(gravity) = gravity {
        stage.actor_mut(change.body)?.gravity = gravity;
    }
    done()
}

/// A gravity that a body of this length can be asked to bear.
fn bearable(gravity: [f64; 3], length: f64) -> Result<Vec3, String> {
    let most = MOST_GRAVITY * length;
    let sound = gravity.iter().all(|x| x.abs() <= most).then(|| Vec3::from(gravity));
    sound.ok_or_else(|| format!("gravity needs three numbers of at most {most:.0e} m/s²"))
}

/// How many times what was built.
fn factor(what: &str, value: f64, built: f64) -> Result<f64, String> {
    let factor = value / built;
    if FACTORS.contains(&factor) {
        return Ok(factor);
    }
    let (low, high) = (FACTORS.start() * built, FACTORS.end() * built);
    Err(format!("the {what} of this body must be from {low:.0e} to {high:.0e}, got {value}"))
}
