//! A law of a program's own, with two constants: St. Venant-Kirchhoff with more of its stiffness.
//!
//! ```text
//! E' = E (1 + fibres) + matrix
//! ```

use pliant::energy::material::{ALL, Entry, Isotropic, StVk};
use pliant::energy::{Allowed, Constant};

/// Its line in the table.
static ENTRY: Entry = Entry {
    name: "toy-fibres",
    about: "St. Venant-Kirchhoff with fibres in all directions",
    constants: &[
        Constant {
            key: "fibres",
            name: "the share of fibres",
            unit: "",
            allowed: Allowed::NotNegative,
            scales: false,
            usual: 0.0,
            needed: true,
        },
        Constant {
            key: "matrix",
            name: "the stiffness of the matrix",
            unit: "Pa",
            allowed: Allowed::Positive,
            scales: true,
            usual: 0.1,
            needed: false,
        },
    ],
    small_strain: None,
    make: |c| {
        let own = |key| c.own(key).expect("declared, so that it is there");
        let young = c.isotropic.young() * (1.0 + own("fibres")) + own("matrix");
        Ok(Box::new(StVk(Isotropic::from_young_poisson(young, c.isotropic.poisson())?)))
    },
};

pub(super) fn add() {
    ALL.add(&ENTRY).expect("a new name");
}
