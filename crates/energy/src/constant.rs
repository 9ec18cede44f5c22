//! What a law declares of the constants that it has of its own, in its line of the table; their numbers: [`crate::Own`].
//!
//! Young's modulus and Poisson's ratio belong to every solid, bending and membrane stiffness to every surface. Whatever
//! else a law needs it declares here, and from then on recipes, mesh files, model files, menus and help texts know it.

use pliant_linalg::Term;

/// What a constant may be. All are finite.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Allowed {
    /// Anything.
    Finite,
    /// Zero and above.
    NotNegative,
    /// Above zero.
    Positive,
}

/// A constant of one law.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Constant {
    /// What programs and files call it, such as `mu10`: a word that is unique in its law.
    pub key: &'static str,
    /// What people call it, such as "first shear coefficient".
    pub name: &'static str,
    /// Such as "Pa"; empty for pure numbers.
    pub unit: &'static str,
    /// What it may be.
    pub allowed: Allowed,
    /// Whether it is multiplied when the body is made stiffer, as everything in Pa is.
    pub scales: bool,
    /// What it usually is. Of a constant that scales: as a part of Young's modulus, of a surface's law as a part of the
    /// membrane stiffness.
    pub usual: f64,
    /// Whether it must be given; else it is what it usually is. Of a law whose own constants take the place of Young's
    /// modulus and Poisson's ratio all are given or none.
    pub needed: bool,
}

impl Constant {
    /// A modulus that a law can do without, Pa: zero and above, multiplied when the body is made stiffer, usually as large as
    /// Young's modulus.
    pub const fn modulus(key: &'static str, name: &'static str) -> Self {
        Self { key, name, unit: "Pa", allowed: Allowed::NotNegative, scales: true, usual: 1.0, needed: false }
    }

    /// For sentences.
    pub fn term(&self) -> Term {
        Term::new(self.key, self.name)
    }

    /// What it usually is in a body of that stiffness.
    pub fn usual_at(&self, stiffness: f64) -> f64 {
        if self.scales { self.usual * stiffness } else { self.usual }
    }
}
