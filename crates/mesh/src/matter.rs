//! Materials of a file: a density, the name of a law and named numbers. What they mean is the energy room's business.
//!
//! Two constants are so common that formats have places of their own for them: `young` (Pa) and `poisson`. Every other
//! key belongs to the law that is named, or, where none is, to the law that has constants of these names.

use std::collections::BTreeMap;

use pliant_linalg::{number, one_line, quote};

/// The key of Young's modulus, Pa.
pub const YOUNG: &str = "young";
/// The key of Poisson's ratio.
pub const POISSON: &str = "poisson";

/// A constitutive law, as files carry it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Law {
    /// Its name, where the file says one.
    pub name: Option<String>,
    /// Its constants by their keys, SI.
    pub constants: BTreeMap<String, f64>,
}

impl Law {
    /// Young's modulus (Pa) and Poisson's ratio, of no law in particular.
    pub fn isotropic(young: f64, poisson: f64) -> Self {
        Self { name: None, constants: numbers([(YOUNG, young), (POISSON, poisson)]) }
    }

    /// The law called `name` with these constants.
    ///
    /// ```
    /// use pliant_mesh::Law;
    /// let foam = Law::named("foam", [("stiffening", 3.0)]);
    /// assert_eq!((foam.constant("stiffening"), foam.constant("young")), (Some(3.0), None));
    /// ```
    pub fn named<'a>(name: &str, constants: impl IntoIterator<Item = (&'a str, f64)>) -> Self {
        Self { name: Some(name.to_owned()), constants: numbers(constants) }
    }

    /// The constant `key`, where the file states it.
    pub fn constant(&self, key: &str) -> Option<f64> {
        self.constants.get(key).copied()
    }

    /// Young's modulus (Pa) and Poisson's ratio of a law that is nothing but these.
    pub fn as_isotropic(&self) -> Option<[f64; 2]> {
        self.exactly(None, [YOUNG, POISSON])
    }

    /// The constants `keys` of a law of that name that has them and no others: for formats with a place for just these.
    pub fn exactly<const N: usize>(&self, name: Option<&str>, keys: [&str; N]) -> Option<[f64; N]> {
        if self.name.as_deref() != name || self.constants.len() != N {
            return None;
        }
        let mut found = [0.0; N];
        for (slot, key) in found.iter_mut().zip(keys) {
            *slot = self.constant(key)?;
        }
        Some(found)
    }
}

fn numbers<'a>(pairs: impl IntoIterator<Item = (&'a str, f64)>) -> BTreeMap<String, f64> {
    pairs.into_iter().map(|(key, value)| (key.to_owned(), value)).collect()
}

/// A named material of a file.
#[derive(Clone, Debug, PartialEq)]
pub struct Material {
    /// Its name in the file.
    pub name: String,
    /// kg/m³.
    pub density: f64,
    /// Its law and constants.
    pub law: Law,
}

impl Material {
    /// Refuses a density, Young's modulus or Poisson's ratio that no body can have, and constants that are not finite.
    ///
    /// # Errors
    /// A sentence with the name, the number and what is allowed.
    pub fn check(&self) -> Result<(), String> {
        self.fault().map_or(Ok(()), |fault| Err(fault.to_string()))
    }

    /// The first thing that is wrong with it.
    pub(crate) fn fault(&self) -> Option<Fault> {
        let name = quote(&self.name);
        let positive = |what: &str, unit: &str, x: f64| {
            let fault = || Fault {
                found: format!("material {name} has the {what} {} {unit}", number(x)),
                allowed: "a finite number > 0",
            };
            (!(x.is_finite() && x > 0.0)).then(fault)
        };
        let constant = |(key, &x): (&String, &f64)| match key.as_str() {
            YOUNG => positive("Young's modulus", "Pa", x),
            POISSON if !(x > -1.0 && x < 0.5) => Some(Fault {
                found: format!("material {name} has Poisson's ratio {}", number(x)),
                allowed: "a number in (-1, 0.5); for nearly incompressible matter try 0.49",
            }),
            _ if !x.is_finite() => Some(Fault {
                found: format!("material {name} has {} = {x}", one_line(key)),
                allowed: "a finite number",
            }),
            _ => None,
        };
        positive("density", "kg/m³", self.density).or_else(|| self.law.constants.iter().find_map(constant))
    }
}

/// What no material can have: readers say where it stands.
pub(crate) struct Fault {
    /// The name and the number.
    pub(crate) found: String,
    /// What would do.
    pub(crate) allowed: &'static str,
}

impl std::fmt::Display for Fault {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}, expected {}", self.found, self.allowed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_law_is_isotropic_only_with_these_two_constants_and_no_name() {
        assert_eq!(Law::isotropic(2.0, 0.3).as_isotropic(), Some([2.0, 0.3]));
        assert_eq!(Law::named("x", [(YOUNG, 2.0), (POISSON, 0.3)]).as_isotropic(), None);
        let mut more = Law::isotropic(2.0, 0.3);
        more.constants.insert("k".into(), 1.0);
        assert_eq!(more.as_isotropic(), None);
        assert_eq!(more.exactly(None, ["k", "poisson", "young"]), Some([1.0, 0.3, 2.0]));
        assert_eq!(more.exactly(None, ["k", "poisson", "x"]), None);
    }

    #[test]
    fn constants_that_no_body_has_are_named() {
        let check = |law: Law| Material { name: "m".into(), density: 1.0, law }.check();
        assert_eq!(check(Law::named("x", [("k", -1.0)])), Ok(()));
        for (law, words) in [
            (Law::isotropic(0.0, 0.3), "Young's modulus 0 Pa"),
            (Law::isotropic(1.0, 0.5), "Poisson's ratio 0.5"),
            (Law::isotropic(1.0, f64::NAN), "Poisson's ratio NaN"),
            (Law::named("x", [("k", f64::INFINITY)]), "k = inf"),
        ] {
            let sentence = check(law).expect_err("refused");
            assert!(sentence.contains(words), "{sentence}");
        }
    }
}
