//! All loads of a scenario.

use std::collections::BTreeMap;
use std::sync::Arc;

use pliant_energy::load::Loads;
use pliant_linalg::Vec3;

use super::{ALL, Form, Gravity, Load};
use crate::SimError;

/// Any number of loads of any kinds.
///
/// ```
/// use std::sync::Arc;
/// use pliant_energy::load::{Loads, Spring};
/// use pliant_linalg::Vec3;
/// use pliant_sim::load::{Gravity, LoadSet};
/// let mut loads = LoadSet::default();
/// loads.add(Arc::new(Gravity(Vec3::new(0.0, -9.81, 0.0))));
/// loads.add(Arc::new(Spring::always(3, 500.0, vec![(0.0, Vec3::zeros())])));
/// assert_eq!(loads.of::<Spring>().next().map(|spring| spring.stiffness), Some(500.0));
/// assert_eq!(loads.check(2).unwrap_err().to_string(), "spring 1 names vertex 3; the body has 2 vertices, 0 to 1");
/// // The plain lists of the energy room are loads too.
/// let same = Loads { gravity: loads.gravity(), springs: loads.of().cloned().collect(), ..Loads::default() };
/// assert_eq!(LoadSet::from(same), loads);
/// ```
#[derive(Clone, Debug, Default)]
pub struct LoadSet {
    loads: Vec<Arc<dyn Load>>,
}

impl LoadSet {
    /// One more.
    pub fn add(&mut self, load: Arc<dyn Load>) {
        self.loads.push(load);
    }

    /// In the order in which they were added.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &Arc<dyn Load>> {
        self.loads.iter()
    }

    /// How many.
    pub fn len(&self) -> usize {
        self.loads.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.loads.is_empty()
    }

    /// Those of one type, such as [`pliant_energy::load::Spring`].
    pub fn of<T: Load>(&self) -> impl Iterator<Item = &T> {
        self.loads.iter().filter_map(|load| load.downcast_ref())
    }

    /// The sum of all gravities, m/s².
    pub fn gravity(&self) -> Vec3 {
        self.of::<Gravity>().map(|gravity| gravity.0).sum()
    }

    /// Those of each kind together: kinds in the order of the table, then others as they come first.
    pub(crate) fn groups(&self) -> Vec<(&'static str, Vec<&dyn Load>)> {
        let mut groups: Vec<(&'static str, Vec<&dyn Load>)> = Vec::new();
        let mut place_of = BTreeMap::new();
        for load in &self.loads {
            let place = *place_of.entry(load.kind()).or_insert_with(|| {
                groups.push((load.kind(), Vec::new()));
                groups.len() - 1
            });
            groups[place].1.push(&**load);
        }
        let order = ALL.names();
        let rank = |kind: &str| order.iter().position(|name| *name == kind).unwrap_or(order.len());
        groups.sort_by_key(|(kind, _)| rank(kind));
        groups
    }

    /// Each with the name that sentences give it, such as "force 2", kind by kind.
    pub fn named(&self) -> Vec<(String, &dyn Load)> {
        let mut named = Vec::with_capacity(self.loads.len());
        for (kind, loads) in self.groups() {
            let count = loads.len();
            let name = |k: usize| name_of(kind, k, count, count).as_ref().to_owned();
            named.extend(loads.into_iter().enumerate().map(|(k, load)| (name(k), load)));
        }
        named
    }

    /// Whether all can act on a body of so many vertices.
    ///
    /// # Errors
    /// [`SimError::BadLoad`] of the first that cannot.
    pub fn check(&self, vertices: usize) -> Result<(), SimError> {
        for (name, load) in self.named() {
            load.check(&name, vertices).map_err(|sentence| SimError::BadLoad { name, sentence })?;
        }
        Ok(())
    }
}

/// The name of the k-th of `made` loads that `count` descriptions of one kind became.
pub(crate) fn name_of(kind: &str, k: usize, made: usize, count: usize) -> Arc<str> {
    let once = ALL.find(kind).is_some_and(|entry| entry.form == Form::Value) && count == 1;
    if once || made != count { kind.into() } else { format!("{kind} {}", k + 1).into() }
}

impl PartialEq for LoadSet {
    /// The same loads kind by kind, by what stands in a scenario.
    fn eq(&self, other: &Self) -> bool {
        let text = |set: &Self| -> Vec<(String, String)> {
            set.named().into_iter().map(|(name, load)| (name, load.to_toml())).collect()
        };
        text(self) == text(other)
    }
}

impl FromIterator<Arc<dyn Load>> for LoadSet {
    fn from_iter<I: IntoIterator<Item = Arc<dyn Load>>>(loads: I) -> Self {
        Self { loads: loads.into_iter().collect() }
    }
}

impl From<Loads> for LoadSet {
    /// Gravity only where there is any.
    fn from(loads: Loads) -> Self {
        let mut set = Self::default();
        if loads.gravity != Vec3::zeros() {
            set.add(Arc::new(Gravity(loads.gravity)));
        }
        loads.forces.into_iter().for_each(|force| set.add(Arc::new(force)));
        loads.pressures.into_iter().for_each(|pressure| set.add(Arc::new(pressure)));
        loads.springs.into_iter().for_each(|spring| set.add(Arc::new(spring)));
        set
    }
}

impl From<&Loads> for LoadSet {
    fn from(loads: &Loads) -> Self {
        loads.clone().into()
    }
}

impl From<&Self> for LoadSet {
    fn from(loads: &Self) -> Self {
        loads.clone()
    }
}
