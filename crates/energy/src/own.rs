//! The numbers of a law's own constants: gathered from recipes and files, checked against what the law declares, completed.

use std::collections::BTreeMap;

use crate::{Allowed, Constant, EnergyError};

impl Constant {
    /// Refuses what it may not be.
    ///
    /// # Errors
    /// [`EnergyError::NotAllowed`].
    pub fn check(&self, value: f64) -> Result<(), EnergyError> {
        let fits = match self.allowed {
            Allowed::Finite => true,
            Allowed::NotNegative => value >= 0.0,
            Allowed::Positive => value > 0.0,
        };
        if value.is_finite() && fits {
            Ok(())
        } else {
            Err(EnergyError::NotAllowed { constant: *self, value })
        }
    }
}

/// Constants of a law with their numbers, in the order in which its line declares them.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Own(Vec<(&'static str, f64)>);

impl Own {
    /// The number behind `key`.
    pub fn get(&self, key: &str) -> Option<f64> {
        self.0.iter().find(|(own, _)| *own == key).map(|(_, value)| *value)
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// All, in order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (&'static str, f64)> + '_ {
        self.0.iter().copied()
    }
}

impl FromIterator<(&'static str, f64)> for Own {
    fn from_iter<I: IntoIterator<Item = (&'static str, f64)>>(pairs: I) -> Self {
        Self(pairs.into_iter().collect())
    }
}

/// The numbers of the law `law`, which declares `declared`: what `first` says, else `second`. Neither may say more.
pub(crate) fn gather(
    law: &'static str,
    declared: &'static [Constant],
    first: &BTreeMap<String, f64>,
    second: &BTreeMap<String, f64>,
) -> Result<Own, EnergyError> {
    for key in first.keys().chain(second.keys()) {
        if declared.iter().all(|constant| constant.key != key) {
            let declared = declared.iter().map(|constant| constant.key).collect();
            return Err(EnergyError::UnknownConstant { key: key.clone(), law, declared });
        }
    }
    let mut own = Vec::new();
    for constant in declared {
        if let Some(&value) = first.get(constant.key).or_else(|| second.get(constant.key)) {
            constant.check(value)?;
            own.push((constant.key, value));
        }
    }
    Ok(Own(own))
}

/// `own` with what is not in it as it usually is in a body of that stiffness.
pub(crate) fn complete(
    law: &'static str,
    declared: &'static [Constant],
    own: &Own,
    stiffness: f64,
) -> Result<Own, EnergyError> {
    let missing: Vec<Constant> =
        declared.iter().filter(|c| c.needed && own.get(c.key).is_none()).copied().collect();
    if !missing.is_empty() {
        return Err(EnergyError::MissingConstants { law, missing });
    }
    let value = |c: &Constant| own.get(c.key).unwrap_or_else(|| c.usual_at(stiffness));
    Ok(declared.iter().map(|c| (c.key, value(c))).collect())
}

/// The only law that declares all of these constants. `laws`: names and what they declare, of "solids" or "surfaces".
pub(crate) fn owner(
    kind: &'static str,
    constants: &BTreeMap<String, f64>,
    laws: impl Iterator<Item = (&'static str, &'static [Constant])>,
) -> Result<&'static str, EnergyError> {
    let laws: Vec<_> = laws.filter(|(_, declared)| !declared.is_empty()).collect();
    let has = |declared: &[Constant], key: &str| declared.iter().any(|constant| constant.key == key);
    let fits = |declared: &[Constant]| constants.keys().all(|key| has(declared, key));
    let found: Vec<&'static str> =
        laws.iter().filter(|(_, declared)| fits(declared)).map(|(name, _)| *name).collect();
    match found[..] {
        [one] => Ok(one),
        _ => {
            let keys = constants.keys().cloned().collect();
            let of = |(name, declared): &(&'static str, &'static [Constant])| {
                (*name, declared.iter().map(|constant| constant.key).collect())
            };
            let known = laws.iter().filter(|(name, _)| found.is_empty() || found.contains(name)).map(of);
            Err(EnergyError::WhoseConstants { kind, keys, known: known.collect() })
        }
    }
}
