//! Materials of solids: one file each, one line in [`ALL`].
//!
//! A material is an energy density ψ(F) with its derivatives. The tests below run over the whole table: a new material
//! gets derivative, rotation, rest-state and symmetry tests for its one line.

mod corotational;
mod invariants;
mod invertible_stvk;
mod isotropic;
mod linear;
mod mooney_rivlin;
mod neo_hookean;
mod positive;
mod principal;
mod projective;
mod stable_neo_hookean;
mod stvk;
mod third_order;

pub use corotational::Corotational;
pub use invertible_stvk::InvertibleStVk;
pub use isotropic::Isotropic;
pub use linear::Linear;
pub use mooney_rivlin::MooneyRivlin;
pub use neo_hookean::NeoHookean;
pub use positive::make_positive;
pub use projective::Rigidity;
pub use stable_neo_hookean::StableNeoHookean;
pub use stvk::StVk;

use pliant_linalg::{Mat3, Named, Table};

pub use crate::element::Stiffness9;

/// A hyperelastic law. F is 3×3, row = space, column = rest.
///
/// The plural methods take several gradients of one material at once, for laws that are faster that way; their default
/// goes one by one.
pub trait Material: Send + Sync {
    /// Its name in [`ALL`].
    fn name(&self) -> &'static str;

    /// ψ(F), J/m³; zero at rest.
    fn energy_density(&self, F: &Mat3) -> f64;

    /// P = ∂ψ/∂F, Pa.
    fn stress(&self, F: &Mat3) -> Mat3;

    /// ∂P/∂F, Pa.
    fn stiffness(&self, F: &Mat3) -> Stiffness9;

    /// ∂³ψ/∂F³ at F = I, applied to two directions, Pa.
    fn third_at_rest(&self, A: &Mat3, B: &Mat3) -> Mat3;

    /// μ and λ of the small-strain limit, Pa.
    fn small_strain(&self) -> Isotropic;

    /// μ and λ if this is St. Venant-Kirchhoff's law, whose forces are cubic polynomials of the displacement.
    fn as_stvk(&self) -> Option<Isotropic> {
        None
    }

    /// Whether ψ is defined at F.
    fn admits(&self, _F: &Mat3) -> bool {
        true
    }

    /// Whether ψ(RF) = ψ(F) for rotations R: true of all but the linear law.
    fn is_frame_indifferent(&self) -> bool {
        true
    }

    /// ψ of several.
    fn energy_densities(&self, F: &[Mat3], out: &mut [f64]) {
        F.iter().zip(out).for_each(|(F, out)| *out = self.energy_density(F));
    }

    /// P of several.
    fn stresses(&self, F: &[Mat3], out: &mut [Mat3]) {
        F.iter().zip(out).for_each(|(F, out)| *out = self.stress(F));
    }

    /// ψ and P of several: what both need, such as a rotation, may be found once.
    fn energies_and_stresses(&self, F: &[Mat3], energies: &mut [f64], stresses: &mut [Mat3]) {
        self.energy_densities(F, energies);
        self.stresses(F, stresses);
    }

    /// ∂P/∂F of several.
    fn stiffnesses(&self, F: &[Mat3], out: &mut [Stiffness9]) {
        F.iter().zip(out).for_each(|(F, out)| *out = self.stiffness(F));
    }

    /// ∂P/∂F of several, their negative eigenvalues set to zero.
    fn positive_stiffnesses(&self, F: &[Mat3], out: &mut [Stiffness9]) {
        self.stiffnesses(F, out);
        principal::each_svd(F, |k, svd| positive::make_positive_in(&mut out[k], svd));
    }
}

/// The constants a material is made from.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Constants {
    /// The small-strain limit.
    pub isotropic: Isotropic,
    /// Mooney-Rivlin's own, where they are given.
    pub mooney: Option<Mooney>,
}

/// Mooney-Rivlin coefficients, Pa.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Mooney {
    /// Pa.
    pub mu10: f64,
    /// Pa.
    pub mu01: f64,
    /// Pa.
    pub v1: f64,
}

/// A line of the table.
pub struct Entry {
    /// The word behind `--material`.
    pub name: &'static str,
    /// What it is good for, in one line.
    pub about: &'static str,
    /// Makes it.
    pub make: fn(&Constants) -> Box<dyn Material>,
}

impl Named for Entry {
    fn name(&self) -> &'static str {
        self.name
    }
}

/// Every material of solids. A new one is a file in this folder and a line here.
pub static ALL: Table<Entry> = Table::new(
    "material of solids",
    &[
        Entry {
            name: "linear",
            about: "Hooke's law: constant stiffness; for small displacements and small rotations only",
            make: |c| Box::new(Linear(c.isotropic)),
        },
        Entry {
            name: "corotational",
            about: "corotational: Hooke's law that turns with the body; large rotations, moderate strains",
            make: |c| Box::new(Corotational(c.isotropic)),
        },
        Entry {
            name: "stvk",
            about: "St. Venant-Kirchhoff: large rotations, small strains; collapses under strong compression",
            make: |c| Box::new(StVk(c.isotropic)),
        },
        Entry {
            name: "invertible-stvk",
            about: "St. Venant-Kirchhoff that survives compression and inversion",
            make: |c| Box::new(InvertibleStVk(c.isotropic)),
        },
        Entry {
            name: "neo-hookean",
            about: "neo-Hookean: rubber that resists compression without bound; cannot be turned inside out",
            make: |c| Box::new(NeoHookean(c.isotropic)),
        },
        Entry {
            name: "stable-neo-hookean",
            about: "stable neo-Hookean: rubber and flesh that survives everything; the default",
            make: |c| Box::new(StableNeoHookean::new(c.isotropic)),
        },
        Entry {
            name: "mooney-rivlin",
            about: "Mooney-Rivlin: rubber with two shear constants; cannot be turned inside out",
            make: |c| Box::new(MooneyRivlin::new(c)),
        },
        Entry {
            name: "projective",
            about: "distance to the closest rotation: what projective dynamics minimises; no Poisson's ratio",
            make: |c| Box::new(Rigidity::new(c.isotropic)),
        },
    ],
);

/// The line called `name`.
pub fn find(name: &str) -> Option<&'static Entry> {
    ALL.find(name)
}

#[cfg(test)]
mod tests;
