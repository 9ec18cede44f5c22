//! A law for the tests, as a program would add one: this file, and one line that adds [`ENTRY`] to the table.
//!
//! ```text
//! ψ = μ E:E + ½λ (tr E)² + h (E:E)² / l²
//! ```
//! St. Venant-Kirchhoff that hardens beyond strains of about l. The new term is of fourth order in E, so that nothing
//! changes at rest, up to the third derivative.

use std::sync::Once;

use pliant_linalg::Mat3;

use super::strain::green;
use super::{ALL, Constants, Entry, Isotropic, Material, StVk, Stiffness9};
use crate::{Allowed, Constant, EnergyError};

pub(crate) static ENTRY: Entry = Entry {
    name: "toy",
    about: "St. Venant-Kirchhoff that hardens",
    constants: &[
        Constant {
            key: "hardening",
            name: "the hardening modulus",
            unit: "Pa",
            allowed: Allowed::NotNegative,
            scales: true,
            usual: 0.1,
            needed: false,
        },
        Constant {
            key: "limit",
            name: "the strain where it hardens",
            unit: "",
            allowed: Allowed::Positive,
            scales: false,
            usual: 0.8,
            needed: true,
        },
    ],
    small_strain: None,
    make: |c| Toy::new(c).map(|toy| Box::new(toy) as Box<dyn Material>),
};

/// Adds it to the table, once.
pub(crate) fn add() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| ALL.add(&ENTRY).expect("a new name"));
}

struct Toy {
    base: StVk,
    /// h/l², Pa.
    hardening: f64,
}

impl Toy {
    fn new(constants: &Constants) -> Result<Self, EnergyError> {
        let own = |key: &str| constants.own(key).expect("declared, so that it is there");
        let (hardening, limit) = (own("hardening"), own("limit"));
        Ok(Self { base: StVk(constants.isotropic), hardening: hardening / (limit * limit) })
    }
}

impl Material for Toy {
    fn name(&self) -> &'static str {
        "toy"
    }

    fn energy_density(&self, H: &Mat3) -> f64 {
        self.base.energy_density(H) + self.hardening * green(H).norm_squared().powi(2)
    }

    fn stress(&self, H: &Mat3) -> Mat3 {
        let (E, F) = (green(H), Mat3::identity() + H);
        self.base.stress(H) + F * E * (4.0 * self.hardening * E.norm_squared())
    }

    fn stiffness(&self, H: &Mat3) -> Stiffness9 {
        let (E, F, mut C) = (green(H), Mat3::identity() + H, self.base.stiffness(H));
        let h = 4.0 * self.hardening;
        for q in 0..9 {
            let mut d = Mat3::zeros();
            d[(q / 3, q % 3)] = 1.0;
            let dE = (F.transpose() * d + d.transpose() * F) * 0.5;
            let dS = (dE * E.norm_squared() + E * (2.0 * E.dot(&dE))) * h;
            let dP = d * E * (h * E.norm_squared()) + F * dS;
            (0..9).for_each(|p| C[p][q] += dP[(p / 3, p % 3)]);
        }
        C
    }

    fn third_at_rest(&self, A: &Mat3, B: &Mat3) -> Mat3 {
        self.base.third_at_rest(A, B)
    }

    fn small_strain(&self) -> Isotropic {
        self.base.0
    }
}
