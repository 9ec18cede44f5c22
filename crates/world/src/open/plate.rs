//! Flat matter that everybody has held, for surfaces whose file says nothing of matter.
//!
//! ```text
//! f = λ²/(2π L²) √(D/(ρ t)),   D = E t³/(12 (1 − ν²)),   ν = 1/3,   λ = 1.8751
//! ```
//! is how often a strip of length L that is held at one end swings in a second; cos λ cosh λ = −1. A surface that is curved swings faster.

use std::f64::consts::PI;

use pliant_energy::Recipe;
use pliant_linalg::table::Unknown;

use super::SWINGS;
use crate::OpenError;

/// Matter of even thickness: stiffness in bending and in the plane and the weight of a surface follow from it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Plate {
    /// What it is called.
    pub name: &'static str,
    /// Young's modulus, Pa.
    pub young: f64,
    /// kg/m³.
    pub density: f64,
    /// m.
    pub thickness: f64,
}

/// Round figures of engineering tables. Woven cloth is not among them: it bends far more easily than a plate that is
/// stretched as hard.
pub const PLATES: &[Plate] = &[
    Plate { name: "silicone", young: 1e6, density: 1100.0, thickness: 0.005 },
    Plate { name: "rubber", young: 5e6, density: 1100.0, thickness: 0.003 },
    Plate { name: "leather", young: 5e7, density: 900.0, thickness: 0.002 },
    Plate { name: "card", young: 2e9, density: 700.0, thickness: 0.0005 },
    Plate { name: "plywood", young: 8e9, density: 600.0, thickness: 0.004 },
    Plate { name: "steel", young: 2e11, density: 7850.0, thickness: 0.001 },
];

/// λ² of the lowest mode of a strip that is held at one end.
const LOWEST: f64 = 1.875_104_068_711_961 * 1.875_104_068_711_961;

/// ν, as the stiffnesses of plates have it.
const POISSON: f64 = 1.0 / 3.0;

impl Plate {
    /// f, Hz, of a strip that is `length` metres long.
    pub fn swings(&self, length: f64) -> f64 {
        let rigidity = self.young * self.thickness.powi(3) / (12.0 * (1.0 - POISSON * POISSON));
        LOWEST / (2.0 * PI * length * length) * (rigidity / (self.density * self.thickness)).sqrt()
    }

    /// The one of [`PLATES`] of which a surface of this length swings nearest to a pace that can be seen.
    pub fn suiting(length: f64) -> &'static Self {
        let off = |plate: &&Self| (plate.swings(length) / SWINGS).ln().abs();
        PLATES.iter().min_by(|a, b| off(a).total_cmp(&off(b))).unwrap_or(&PLATES[0])
    }

    /// One of [`PLATES`].
    ///
    /// # Errors
    /// [`OpenError::Unknown`] of a name that none of them has.
    pub fn find(name: &str) -> Result<Self, OpenError> {
        PLATES.iter().find(|plate| plate.name == name).copied().ok_or_else(|| {
            let known = PLATES.iter().map(|plate| plate.name).collect();
            Unknown { what: "sheet", name: name.to_owned(), known }.into()
        })
    }

    /// What a surface was made of, where Young's modulus, density and thickness were said; without a name, unless it is one of [`PLATES`].
    pub fn of(recipe: &Recipe) -> Option<Self> {
        let (young, thickness) = (recipe.young?, recipe.thickness?);
        let said = Self { name: "", young, density: recipe.density?, thickness };
        let known = PLATES.iter().find(|plate| plate.is_of(recipe)).copied();
        (recipe.bend.is_none() && recipe.membrane.is_none()).then_some(known.unwrap_or(said))
    }

    /// Whether a surface was made of this.
    pub fn is_of(&self, recipe: &Recipe) -> bool {
        let said = [recipe.young, recipe.density, recipe.thickness];
        let same = said == [self.young, self.density, self.thickness].map(Some);
        same && recipe.bend.is_none() && recipe.membrane.is_none()
    }

    /// Takes the place of all that was said of stiffness and weight.
    pub(super) fn put_into(self, recipe: &mut Recipe) {
        [recipe.young, recipe.density, recipe.thickness] =
            [self.young, self.density, self.thickness].map(Some);
        [recipe.bend, recipe.membrane] = [None; 2];
    }
}

#[cfg(test)]
mod tests {
    use pliant_linalg::ignore_progress;
    use pliant_mesh::{select, shapes};
    use pliant_reduce::Precompute;

    use super::*;

    #[test]
    fn a_strip_swings_as_its_model_does_and_the_plate_that_suits_is_seen_to_swing() {
        // A square of one metre that is held along one side swings in its lowest mode as a strip does, nearly.
        let options = shapes::ShapeOptions { subdivision: Some(12), ..Default::default() };
        let mesh =
            shapes::find("cloth").expect("a shape").make(&options, &mut ignore_progress).expect("a sheet");
        let plate = PLATES[4];
        let mut recipe =
            Recipe { fixed: vec![select::select(&mesh, "x<9%").expect("a rim")], ..Recipe::default() };
        plate.put_into(&mut recipe);
        assert_eq!(Plate::of(&recipe), Some(plate));
        let precompute =
            Precompute { modes: Some(3), forces: Some("linear".into()), ..Precompute::default() };
        let model = precompute.build(mesh, recipe, &mut ignore_progress).expect("a model").model;
        // Held at two rows of vertices: it begins to bend between them.
        let wanted = plate.swings(1.0 - 0.5 / 12.0);
        let found = model.frequencies_hz()[0];
        assert!((found / wanted - 1.0).abs() < 0.15, "{found} Hz instead of {wanted} Hz");
        for length in [0.1, 0.3, 1.0, 2.0] {
            let pace = Plate::suiting(length).swings(length);
            assert!((0.5..12.0).contains(&pace), "{length} m: {pace} Hz");
        }
    }
}
