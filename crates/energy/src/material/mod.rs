//! Materials of solids: one file each, one line in [`ALL`].
//!
//! A material is an energy density ψ(F) with its derivatives, F = 1 + H; it is given H, the gradient of the displacement: at small
//! strains F has lost the digits of H, and what subtracts it from rest has nothing left (`strain.rs`). The tests below run over the whole table: a new material
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
mod strain;
mod stvk;
mod third_order;

pub use corotational::Corotational;
pub(crate) use corotational::each_stretch;
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
use crate::{Constant, EnergyError, Own};

/// A hyperelastic law. F is 3×3, row = space, column = rest; all methods take H = F − 1 = ∂u/∂X.
///
/// The plural methods take several gradients of one material at once, for laws that are faster that way; their default
/// goes one by one.
pub trait Material: Send + Sync {
    /// Its name in [`ALL`].
    fn name(&self) -> &'static str;

    /// ψ(F), J/m³; zero at rest.
    fn energy_density(&self, H: &Mat3) -> f64;

    /// P = ∂ψ/∂F, Pa.
    fn stress(&self, H: &Mat3) -> Mat3;

    /// ∂P/∂F, Pa.
    fn stiffness(&self, H: &Mat3) -> Stiffness9;

    /// ∂³ψ/∂F³ at F = I, applied to two directions, Pa.
    fn third_at_rest(&self, A: &Mat3, B: &Mat3) -> Mat3;

    /// μ and λ of the small-strain limit, Pa.
    fn small_strain(&self) -> Isotropic;

    /// μ and λ if this is St. Venant-Kirchhoff's law, whose forces are cubic polynomials of the displacement.
    fn as_stvk(&self) -> Option<Isotropic> {
        None
    }

    /// Whether ψ is defined at 1 + H.
    fn admits(&self, _H: &Mat3) -> bool {
        true
    }

    /// Whether ψ(RF) = ψ(F) for rotations R: true of all but the linear law.
    fn is_frame_indifferent(&self) -> bool {
        true
    }

    /// ψ of several.
    fn energy_densities(&self, H: &[Mat3], out: &mut [f64]) {
        H.iter().zip(out).for_each(|(H, out)| *out = self.energy_density(H));
    }

    /// P of several.
    fn stresses(&self, H: &[Mat3], out: &mut [Mat3]) {
        H.iter().zip(out).for_each(|(H, out)| *out = self.stress(H));
    }

    /// ψ and P of several: what both need, such as a rotation, may be found once.
    fn energies_and_stresses(&self, H: &[Mat3], energies: &mut [f64], stresses: &mut [Mat3]) {
        self.energy_densities(H, energies);
        self.stresses(H, stresses);
    }

    /// P of several, and δP = (∂P/∂F):δH, what a small change δH makes of it: what damping and line searches ask for. Laws that
    /// know δP without the 81 entries of ∂P/∂F should say so.
    fn stresses_along(&self, H: &[Mat3], dH: &[Mat3], stresses: &mut [Mat3], along: &mut [Mat3]) {
        self.stresses(H, stresses);
        for ((H, dH), along) in H.iter().zip(dH).zip(along) {
            *along = product(&self.stiffness(H), dH);
        }
    }

    /// ∂P/∂F of several.
    fn stiffnesses(&self, H: &[Mat3], out: &mut [Stiffness9]) {
        H.iter().zip(out).for_each(|(H, out)| *out = self.stiffness(H));
    }

    /// ∂P/∂F of several, their negative eigenvalues set to zero.
    fn positive_stiffnesses(&self, H: &[Mat3], out: &mut [Stiffness9]) {
        self.stiffnesses(H, out);
        principal::each_svd(H, |k, svd| positive::make_positive_in(&mut out[k], svd));
    }
}

/// ψ of one, of a law that is faster with several.
fn one_energy(law: &impl Material, H: &Mat3) -> f64 {
    let mut out = [0.0];
    law.energy_densities(std::slice::from_ref(H), &mut out);
    out[0]
}

/// P of one, likewise.
fn one_stress(law: &impl Material, H: &Mat3) -> Mat3 {
    let mut out = [Mat3::zeros()];
    law.stresses(std::slice::from_ref(H), &mut out);
    out[0]
}

/// C:δH.
pub(crate) fn product(C: &Stiffness9, dH: &Mat3) -> Mat3 {
    let x = invariants::by_rows(dH);
    Mat3::from_fn(|r, c| C[3 * r + c].iter().zip(&x).map(|(C, x)| C * x).sum())
}

/// The constants a material is made from.
#[derive(Clone, Debug, PartialEq)]
pub struct Constants {
    /// The small-strain limit.
    pub isotropic: Isotropic,
    /// Those of the law alone. Where they take the place of Young's modulus and Poisson's ratio all or none.
    pub own: Own,
}

impl Constants {
    /// The law's own constant `key`.
    pub fn own(&self, key: &str) -> Option<f64> {
        self.own.get(key)
    }
}

impl From<Isotropic> for Constants {
    fn from(isotropic: Isotropic) -> Self {
        Self { isotropic, own: Own::default() }
    }
}

/// The small-strain limit that a law's own constants say, where they take the place of Young's modulus and Poisson's ratio.
pub type SmallStrain = fn(&Own) -> Result<Isotropic, EnergyError>;

/// A line of the table.
pub struct Entry {
    /// The name by which files and people ask for it.
    pub name: &'static str,
    /// What it is good for, in one line.
    pub about: &'static str,
    /// What it has beside Young's modulus and Poisson's ratio, or in their place.
    pub constants: &'static [Constant],
    /// `Some` for laws whose own constants take the place of Young's modulus and Poisson's ratio: then all of them are
    /// given, or none.
    pub small_strain: Option<SmallStrain>,
    /// Makes it.
    pub make: fn(&Constants) -> Result<Box<dyn Material>, EnergyError>,
}

impl Entry {
    /// A law that has nothing but Young's modulus and Poisson's ratio.
    const fn isotropic(
        name: &'static str,
        about: &'static str,
        make: fn(&Constants) -> Result<Box<dyn Material>, EnergyError>,
    ) -> Self {
        Self { name, about, constants: &[], small_strain: None, make }
    }
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
        Entry::isotropic(
            "linear",
            "Hooke's law: constant stiffness; for small displacements and small rotations only",
            |c| Ok(Box::new(Linear(c.isotropic))),
        ),
        Entry::isotropic(
            "corotational",
            "corotational: Hooke's law that turns with the body; large rotations, moderate strains",
            |c| Ok(Box::new(Corotational(c.isotropic))),
        ),
        Entry::isotropic(
            "stvk",
            "St. Venant-Kirchhoff: large rotations, small strains; collapses under strong compression",
            |c| Ok(Box::new(StVk(c.isotropic))),
        ),
        Entry::isotropic(
            "invertible-stvk",
            "St. Venant-Kirchhoff that survives compression and inversion",
            |c| Ok(Box::new(InvertibleStVk(c.isotropic))),
        ),
        Entry::isotropic(
            "neo-hookean",
            "neo-Hookean: rubber that resists compression without bound; cannot be turned inside out",
            |c| Ok(Box::new(NeoHookean(c.isotropic))),
        ),
        Entry::isotropic(
            "stable-neo-hookean",
            "stable neo-Hookean: rubber and flesh that survives everything; the default",
            |c| Ok(Box::new(StableNeoHookean::new(c.isotropic))),
        ),
        mooney_rivlin::ENTRY,
        Entry::isotropic(
            "projective",
            "distance to the closest rotation: what projective dynamics minimises; no Poisson's ratio",
            |c| Ok(Box::new(Rigidity::new(c.isotropic))),
        ),
    ],
);

/// The line called `name`.
pub fn find(name: &str) -> Option<&'static Entry> {
    ALL.find(name)
}

#[cfg(test)]
mod tests;
#[cfg(test)]
pub(crate) mod toy;
