//! Flat matter that everybody has held, for surfaces whose file says nothing of matter.

use pliant_energy::Recipe;
use pliant_linalg::table::Unknown;

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

impl Plate {
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
