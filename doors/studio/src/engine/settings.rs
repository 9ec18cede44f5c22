//! What can be changed at once.

use pliant::dynamics::{Damping as Rayleigh, integrator};
use pliant::linalg::Vec3;

use super::clock::DT;
use super::playing::Playing;
use crate::protocol::{Built, Change, Damping, Settings};
use crate::words::sentence;

/// Slower and faster than real time cannot be asked for.
const SPEEDS: std::ops::RangeInclusive<f64> = 0.01..=1.0;

/// Times the length of the body in a second squared, at most: more would only flatten it.
const MOST_GRAVITY: f64 = 1e4;

/// Factors over what the body was built with.
const FACTORS: std::ops::RangeInclusive<f64> = 1e-6..=1e9;

impl Playing {
    /// All settings.
    pub(super) fn settings(&self, paused: bool) -> Settings {
        let Rayleigh { mass, stiffness, .. } = self.live().damping();
        Settings {
            stiffness: self.matter[0] * self.live().stiffness(),
            density: self.matter[1] * self.live().density(),
            damping: Damping { mass, stiffness },
            gravity: self.live().gravity().into(),
            integrator: self.live().integrator().to_owned(),
            coordinates: self.live().coordinates(),
            speed: self.world.clock().speed(),
            paused,
            dt: DT,
            built: Built { stiffness: self.matter[0], density: self.matter[1] },
        }
    }

    /// Everything that is asked for; what comes before something that cannot be has been done.
    ///
    /// # Errors
    /// A sentence.
    pub(super) fn change(&mut self, change: &Change) -> Result<(), String> {
        let Change { stiffness, density, damping, gravity, integrator, coordinates, speed } = change;
        if let Some(asked) = speed {
            self.world.clock_mut().set_speed(in_range(*asked)?);
        }
        let (matter, length) = (self.matter, self.live().model().longest_side());
        self.change_live(|live| {
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
                live.set_gravity(bearable(*gravity, length)?).map_err(|e| sentence(&e))?;
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
        })
    }

    /// As `old` had them, for a body that was rebuilt. What this one cannot have stays as it is.
    pub(super) fn inherit(&mut self, old: &Playing) {
        // Built with what was set when it was asked for; set since then is the rest.
        let [stiffness, density] = old.factors();
        let (damping, gravity) = (old.live().damping(), old.live().gravity());
        self.change_live(|live| {
            let _ = live.set_stiffness(stiffness / old.asked[0]);
            let _ = live.set_density(density / old.asked[1]);
            let _ = live.set_damping(damping);
            let _ = live.set_gravity(gravity);
            let _ = live.set_integrator(old.live().integrator());
        });
        self.world.clock_mut().set_speed(old.world.clock().speed());
    }
}

/// A gravity that a body of this length can be asked to bear.
fn bearable(gravity: [f64; 3], length: f64) -> Result<Vec3, String> {
    let most = MOST_GRAVITY * length;
    let sound = gravity.iter().all(|x| x.abs() <= most).then(|| Vec3::from(gravity));
    sound.ok_or_else(|| format!("gravity needs three numbers of at most {most:.0e} m/s²"))
}

/// A speed that can be.
///
/// # Errors
/// A sentence.
fn in_range(speed: f64) -> Result<f64, String> {
    let (low, high) = (SPEEDS.start(), SPEEDS.end());
    if SPEEDS.contains(&speed) {
        Ok(speed)
    } else {
        Err(format!("the speed must be from {low} to {high}, got {speed}"))
    }
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
