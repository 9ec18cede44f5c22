//! Mass: what a vertex weighs, and what it shares with its neighbours.
//!
//! ```text
//! consistent:  m_ij = ρV/20 (1 + δ_ij) a tet,  ρhA/12 (1 + δ_ij) a triangle
//! lumped:      m_ii = ρV/4 a tet,              ρhA/3 a triangle
//! ```
//! The same for x, y and z, so n×n numbers do for 3n.

use std::sync::Arc;

use pliant_linalg::{Pattern, Symmetric};

/// Which mass matrix.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MassKind {
    /// What linear shape functions give: exact for linear motion.
    Consistent,
    /// All of it on the diagonal.
    Lumped,
}

impl MassKind {
    /// The word behind `--mass` and in files.
    pub fn name(self) -> &'static str {
        match self {
            Self::Consistent => "consistent",
            Self::Lumped => "lumped",
        }
    }

    /// The kind called `name`.
    pub fn named(name: &str) -> Option<Self> {
        [Self::Consistent, Self::Lumped].into_iter().find(|kind| kind.name() == name)
    }
}

/// The mass over `vertices`, from elements with their own masses (kg). Consistent mass is stored on `pattern`, which
/// holds all pairs of an element's corners; lumped mass on the diagonal.
pub fn mass<'a>(
    kind: MassKind,
    pattern: &Arc<Pattern>,
    elements: impl Iterator<Item = (&'a [u32], f64)>,
) -> Symmetric<1> {
    let pattern = match kind {
        MassKind::Consistent => pattern.clone(),
        MassKind::Lumped => Pattern::diagonal(pattern.size()),
    };
    let mut mass = Symmetric::zeros(pattern.clone());
    let values = mass.values_mut();
    for (corners, m) in elements {
        let k = corners.len() as f64;
        for (a, &i) in corners.iter().enumerate() {
            let own = pattern.column(i as usize).0.start;
            match kind {
                MassKind::Lumped => values[own][0][0] += m / k,
                MassKind::Consistent => {
                    values[own][0][0] += 2.0 * m / (k * (k + 1.0));
                    for &j in &corners[..a] {
                        let slot = pattern.slot(i.max(j) as usize, i.min(j) as usize);
                        values[slot.expect("the pattern holds every pair of an element")][0][0] +=
                            m / (k * (k + 1.0));
                    }
                }
            }
        }
    }
    mass
}
