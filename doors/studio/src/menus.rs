//! Names that requests may use, for `welcome`: the tables of the house, and matter that everybody has held.

use pliant::dynamics::integrator;
use pliant::energy::{material, shell};
use pliant::mesh::shapes;
use pliant::reduce::{basis, force};
use serde_json::{Value, json};

/// Everyday matter: name, title, Young's modulus (Pa), density (kg/m³), and the part of critical damping at 5 Hz that its
/// β is made from. Round figures of engineering tables; wood along the grain.
const PRESETS: &[(&str, &str, f64, f64, f64)] = &[
    ("gelatine", "Gelatine", 1e4, 1000.0, 0.02),
    ("silicone", "Soft silicone", 1e5, 1070.0, 0.03),
    ("rubber", "Rubber", 1e6, 1100.0, 0.04),
    ("leather", "Leather", 1e8, 900.0, 0.05),
    ("wood", "Wood", 1e10, 600.0, 0.01),
    ("steel", "Steel", 2e11, 7850.0, 0.002),
];

/// `menus` of docs/protocol.md.
pub(crate) fn menus() -> Value {
    let solids = material::ALL.iter().map(|e| (e.name, e.about, "tets"));
    let surfaces = shell::ALL.iter().map(|e| (e.name, e.about, "triangles"));
    let materials = solids
        .chain(surfaces)
        .map(|(name, about, of)| json!({"name": name, "title": title(name), "about": about, "of": of}));
    let integrators = integrator::ALL.iter().map(
        |e| json!({"name": e.name, "title": title(e.name), "about": e.about, "linear_only": e.linear_only}),
    );
    let plain = |name: &str, about: &str| json!({"name": name, "title": title(name), "about": about});
    // At 5 Hz, ω = 31 1/s: β = 2 ζ / ω.
    let beta = |part: f64| 2.0 * part / (std::f64::consts::TAU * 5.0);
    let presets = PRESETS.iter().map(|&(name, title, young, density, part)| {
        let damping = json!({"mass": 0.0, "stiffness": beta(part) * (1e6 / young).sqrt().min(1.0)});
        json!({"name": name, "title": title, "young": young, "density": density, "damping": damping})
    });
    json!({
        "materials": materials.collect::<Vec<_>>(),
        "integrators": integrators.collect::<Vec<_>>(),
        "bases": basis::ALL.iter().map(|e| plain(e.name, e.about)).collect::<Vec<_>>(),
        "forces": force::ALL.iter().map(|e| plain(e.name, e.about)).collect::<Vec<_>>(),
        "shapes": shapes::ALL.iter().map(|e| plain(e.name, e.about)).collect::<Vec<_>>(),
        "presets": presets.collect::<Vec<_>>(),
    })
}

/// What people call it.
fn title(name: &str) -> String {
    let known = match name {
        "stvk" => "St. Venant-Kirchhoff",
        "invertible-stvk" => "St. Venant-Kirchhoff, invertible",
        "neo-hookean" => "Neo-Hookean",
        "stable-neo-hookean" => "Stable neo-Hookean",
        "mooney-rivlin" => "Mooney-Rivlin",
        "modes" => "Linear modes",
        "derivatives" => "Modes and their derivatives",
        "extended" => "Extended modes",
        "letter-a" => "Letter A",
        "dino" => "Dinosaur",
        other => {
            let words = other.replace('-', " ");
            let mut letters = words.chars();
            return letters
                .next()
                .map_or(words.clone(), |first| first.to_uppercase().chain(letters).collect());
        }
    };
    known.to_owned()
}
