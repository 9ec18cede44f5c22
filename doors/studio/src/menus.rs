//! Names that requests may use, for `welcome`: the tables of the house as a page reads them.

use pliant::dynamics::{Damping, integrator};
use pliant::energy::{Constant, material, shell};
use pliant::mesh::shapes;
use pliant::reduce::{basis, force};
use pliant::world::{PLATES, PRESETS, Plate, Preset, SurfaceQuantity};
use serde_json::{Value, json};

/// `menus` of docs/protocol.md.
pub(crate) fn menus() -> Value {
    let solids = material::ALL.iter().map(|e| (e.name, e.about, "tets", e.constants));
    let surfaces = shell::ALL.iter().map(|e| (e.name, e.about, "triangles", e.constants));
    let constant = |c: &Constant| json!({"key": c.key, "name": c.name, "unit": c.unit});
    let materials = solids.chain(surfaces).map(|(name, about, of, constants)| {
        let constants: Vec<Value> = constants.iter().map(constant).collect();
        json!({"name": name, "title": title(name), "about": about, "of": of, "constants": constants})
    });
    let integrators = integrator::ALL.iter().map(
        |e| json!({"name": e.name, "title": title(e.name), "about": e.about, "linear_only": e.linear_only}),
    );
    let plain = |name: &str, about: &str| json!({"name": name, "title": title(name), "about": about});
    let presets = PRESETS.iter().map(|preset| {
        let Preset { name, title, young, density, .. } = *preset;
        let Damping { mass, stiffness, .. } = preset.damping();
        let damping = json!({"mass": mass, "stiffness": stiffness});
        json!({"name": name, "title": title, "young": young, "density": density, "damping": damping})
    });
    let quantities = SurfaceQuantity::ALL.iter().map(
        |e| json!({"name": e.name, "title": e.title, "unit": e.unit, "paused": e.quantity.takes_long()}),
    );
    json!({
        "materials": materials.collect::<Vec<_>>(),
        "integrators": integrators.collect::<Vec<_>>(),
        "bases": basis::ALL.iter().filter(|e| e.needs == basis::Needs::Modes).map(|e| plain(e.name, e.about)).collect::<Vec<_>>(),
        "forces": force::ALL.iter().map(|e| plain(e.name, e.about)).collect::<Vec<_>>(),
        "shapes": shapes::ALL.iter().map(|e| plain(e.name, e.about)).collect::<Vec<_>>(),
        "sheets": PLATES.iter().map(sheet).collect::<Vec<_>>(),
        "presets": presets.collect::<Vec<_>>(),
        "quantities": quantities.collect::<Vec<_>>(),
    })
}

fn sheet(plate: &Plate) -> Value {
    let Plate { name, young, density, thickness } = *plate;
    let title = format!("{}, {} mm", title(name), 1e3 * thickness);
    json!({"name": name, "title": title, "young": young, "density": density, "thickness": thickness})
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
        "derivatives" => "Modes and derivatives",
        "extended" => "Extended modes",
        "letter-a" => "Letter A",
        "dino" => "Dinosaur",
        "backward-euler" => "Backward Euler",
        "newmark-broyden" => "Newmark-Broyden",
        "quasi-newton" => "Quasi-Newton",
        "quasi-newton-projective" => "Quasi-Newton, projective",
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_table_is_on_the_menu() {
        let menus = menus();
        let names = |menu: &str| -> Vec<String> {
            let menu = menus[menu].as_array().expect("a menu");
            assert!(menu.iter().all(|m| m["title"].as_str().is_some_and(|t| !t.is_empty())), "{menu:?}");
            menu.iter().map(|m| m["name"].as_str().expect("a name").to_owned()).collect()
        };
        assert_eq!(names("materials").len(), material::ALL.names().len() + shell::ALL.names().len());
        let rubber =
            menus["materials"].as_array().expect("a menu").iter().find(|m| m["name"] == "mooney-rivlin");
        let constants = &rubber.expect("in the table")["constants"];
        assert_eq!(constants[2], json!({"key": "v1", "name": "the volume coefficient", "unit": "Pa"}));
        assert_eq!(names("integrators").len(), integrator::ALL.names().len());
        assert_eq!(names("shapes")[0], "dino");
        assert!(
            names("bases").contains(&"derivatives".into()) && names("forces").contains(&"cubature".into())
        );
        for preset in menus["presets"].as_array().expect("presets") {
            let positive = |x: &Value| x.as_f64().is_some_and(|x| x.is_finite() && x > 0.0);
            assert!(positive(&preset["young"]) && positive(&preset["density"]), "{preset}");
            assert!(
                positive(&preset["damping"]["stiffness"]) && preset["damping"]["mass"] == 0.0,
                "{preset}"
            );
        }
        assert_eq!(menus["sheets"][3]["title"], "Card, 0.5 mm");
        assert_eq!(
            (title("backward-euler").as_str(), title("some-name").as_str()),
            ("Backward Euler", "Some name")
        );
    }
}
