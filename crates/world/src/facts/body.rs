//! Facts of a body at full order: its modes, its energy at a state.

use pliant_mesh::Elements;
use pliant_mesh::loose::LooseParts;
use pliant_reduce::ModalAnalysis;

use super::{Fact, Facts};
use crate::{AtState, FullBody, Warped};

/// The modes of a body, which took so many seconds.
pub fn of_modes(body: &FullBody, found: &ModalAnalysis, seconds: f64) -> Facts {
    let hertz = found.modes.frequencies_hz();
    let mut frequencies = Fact::new("frequencies_hz", hertz.clone()).unit("Hz");
    for (k, (f, r)) in hertz.iter().zip(&found.residuals).enumerate() {
        frequencies = frequencies.read_as(format!("mode {}", k + 1), format!("{f:.6} Hz, residual {r:.1e}"));
    }
    [
        Fact::new("eigenvalues", found.modes.eigenvalues.clone()).unit("1/s²"),
        frequencies,
        Fact::new("rigid_modes", found.rigid.len()).labelled("rigid modes"),
        Fact::new("residuals", found.residuals.clone()),
        Fact::new("seconds", seconds).unit("s").read_as("time", format!("{seconds:.2} s")),
        Fact::new("vertices", body.body.rest().len()),
        Fact::new("degrees_of_freedom", body.body.dofs().free().len()),
        loose_parts(body.loose.as_ref()),
    ]
    .into_iter()
    .collect()
}

/// How many parts are loose; a row where there are any.
pub fn loose_parts(found: Option<&LooseParts>) -> Fact {
    let fact = Fact::new("loose_parts", found.map_or(0, |parts| parts.count));
    found
        .into_iter()
        .fold(fact, |fact, parts| fact.read_as("loose parts", format!("{} of {}", parts.count, parts.parts)))
}

/// Energy and forces at a state.
pub fn of_state(at: &AtState) -> Facts {
    let number = |key: &str, label: &str, value: Option<f64>, unit: &'static str| {
        let fact = Fact::new(key, value).unit(unit);
        value.map_or(fact.clone(), |x| fact.read_as(label, format!("{x:.12e} {unit}").trim_end()))
    };
    [
        number("energy", "energy", Some(at.energy), "J"),
        number("force_norm", "force norm", Some(at.force_norm), "N"),
        number("force_dot", "probe · force", at.probe.map(|p| p[0]), ""),
        number("stiffness_quadratic", "probe · K probe", at.probe.map(|p| p[1]), ""),
    ]
    .into_iter()
    .collect()
}

/// A warped displacement, which took so many seconds.
pub fn of_warp(body: &FullBody, warped: &Warped, seconds: f64) -> Facts {
    let size = if matches!(body.mesh.elements, Elements::Tets(_)) { "volume" } else { "area" };
    let [linear, after] = warped.size_ratio;
    let ratio: Facts = [Fact::new("linear", linear), Fact::new("warped", after)].into_iter().collect();
    let degrees = warped.largest_rotation.to_degrees();
    [
        Fact::new("volume_ratio", ratio)
            .read_as(size, format!("{after:.4} of that at rest; linear {linear:.4}")),
        Fact::new("largest_rotation_deg", degrees)
            .unit("°")
            .read_as("largest rotation", format!("{degrees:.2}°")),
        Fact::new("seconds", seconds).unit("s").read_as("time", format!("{seconds:.3} s")),
        Fact::new("vertices", body.mesh.vertices.len()),
        Fact::new("elements", body.mesh.elements.len()),
    ]
    .into_iter()
    .collect()
}
