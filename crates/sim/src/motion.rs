//! The motions that a model has in one and the same basis.
//!
//! | name | moves by | looks like |
//! |---|---|---|
//! | `nonlinear` | the forces that it was built with | U q |
//! | `linear` | its stiffness at rest: exact oscillators | U q, which swells where it turns |
//! | `warped` | the same oscillators | U p(q), which turns (`reduce::warp`) |

use pliant_linalg::{Named, Table};

/// How a model moves, and how it is shown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Motion {
    /// By the forces that it was built with.
    #[default]
    Nonlinear,
    /// By its stiffness at rest.
    Linear,
    /// By its stiffness at rest, shown warped. The model needs a warp.
    Warped,
}

/// A line of the table.
#[derive(Clone, Copy)]
pub struct Entry {
    /// The name by which it is asked for.
    pub name: &'static str,
    /// What it is, in one line.
    pub about: &'static str,
    /// Which.
    pub motion: Motion,
}

impl Named for Entry {
    fn name(&self) -> &'static str {
        self.name
    }
}

/// Every motion, the default first.
pub static ALL: Table<Entry> = Table::new(
    "motion",
    &[
        Entry {
            name: "nonlinear",
            about: "by the forces that the model was built with",
            motion: Motion::Nonlinear,
        },
        Entry {
            name: "linear",
            about: "by the stiffness at rest, as exact oscillators",
            motion: Motion::Linear,
        },
        Entry {
            name: "warped",
            about: "the same, shown so that it turns instead of swelling; the model needs a warp",
            motion: Motion::Warped,
        },
    ],
);

impl Motion {
    /// Its name.
    pub fn name(self) -> &'static str {
        ALL.iter().find(|entry| entry.motion == self).map_or("", |entry| entry.name)
    }

    /// Whether it is a set of oscillators.
    pub fn is_linear(self) -> bool {
        self != Self::Nonlinear
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_motion_has_its_name() {
        for entry in ALL.iter() {
            assert_eq!(
                (entry.motion.name(), ALL.find(entry.name).map(|e| e.motion)),
                (entry.name, Some(entry.motion))
            );
        }
        assert_eq!(Motion::default().name(), "nonlinear");
        assert!(Motion::Warped.is_linear() && !Motion::Nonlinear.is_linear());
    }
}
