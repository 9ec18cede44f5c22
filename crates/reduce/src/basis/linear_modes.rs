//! Linear modes: the shapes and frequencies in which a body vibrates about its rest.
//!
//! ```text
//! K φ = λ M φ,   K = ∂²W(0),   φᵢᵀ M φⱼ = δᵢⱼ,   f = √λ / 2π        (T14 eq. 2.9)
//! ```
//! Rigid motions that the constraints leave have λ = 0. They are not searched for but known, by construction; they are
//! kept out of the modes and returned beside them.
//!
//! As a basis: the rigid motions that are left, then the modes, so that UᵀKU is diagonal. Rigid motions and not affine
//! fields, which are no eigenvectors; they are linearised, so that a body that turns far in this basis grows.
//! Source: PW89 in docs/papers.md.

use pliant_energy::{Body, Tangent};
use pliant_linalg::{Mass, Modes, Note, Watch, eigen, ignore_progress, par};

use super::from_modes::Columns;
use super::{Basis, Built, Entry, Needs, Request};
use crate::ReduceError;

/// Its line in the table.
pub(super) const ENTRY: Entry = Entry {
    name: "modes",
    about: "linear modes: small vibrations; stiff and swollen when the body turns or bends far",
    needs: Needs::Modes,
    make,
    of_modes: Some(|body, modes, columns, _| of_modes(body, modes, columns)),
};

/// Modal analysis of a body: its lowest modes, and what is known about them.
#[derive(Clone, Debug)]
pub struct ModalAnalysis {
    /// The modes; the largest entry of each shape is positive. Rigid motions are not among them.
    pub modes: Modes,
    /// ‖Kφ − λMφ‖ / ‖Kφ‖ of each; where λ is zero to rounding, as [`eigen::Pairs::residuals`] says.
    pub residuals: Vec<f64>,
    /// Rigid motions that the constraints leave, mass-orthonormal.
    pub rigid: Vec<Vec<f64>>,
    /// What a user should know.
    pub warnings: Vec<Note>,
}

/// The `count` lowest modes of `body`, rigid motions not counted.
///
/// # Errors
/// More modes than the body has, or no convergence; never a guess.
pub fn linear_modes(body: &Body, count: usize, watch: &mut Watch<'_>) -> Result<ModalAnalysis, ReduceError> {
    let mut K = body.zero_matrix();
    body.stiffness(&vec![0.0; body.size()], Tangent::Exact, &mut K).expect("every energy is defined at rest");
    let rigid = body.rigid_motions();
    let problem = eigen::Problem { stiffness: &K, mass: body.mass(), dofs: body.dofs(), known: &rigid };
    let pairs = eigen::lowest(&problem, count, &eigen::Options::default(), watch)?;
    let mut warnings = Vec::new();
    if rigid.len() > 6 {
        warnings.push(Note::from(format!(
            "the body has {} rigid modes, more than the 6 of one free part: it falls into parts that nothing joins",
            rigid.len()
        )));
    }
    let free = pairs.zeros.len();
    if free > 0 {
        warnings.push(Note::from(format!(
            "{free} of the modes cost no energy though they are no rigid motions: some part hangs by an edge or a vertex"
        )));
    }
    let rounded = pairs.rounded.len();
    if rounded > 0 {
        let worst = pairs.rounded.iter().fold(0.0, |worst: f64, &i| worst.max(pairs.residuals[i]));
        warnings.push(Note::from(format!(
            "{rounded} of the modes have residuals up to {worst:.1e}: the stiffness is so much larger than what these modes \
             feel that rounding allows no better"
        )));
    }
    let mass = Mass::Vertices(body.mass().clone());
    Ok(ModalAnalysis {
        modes: Modes { eigenvalues: pairs.values, shapes: pairs.vectors, mass },
        residuals: pairs.residuals,
        rigid,
        warnings,
    })
}

/// [`linear_modes`] without a watch.
///
/// # Errors
/// As there.
pub fn linear_modes_quietly(body: &Body, count: usize) -> Result<ModalAnalysis, ReduceError> {
    linear_modes(body, count, &mut ignore_progress)
}

/// The basis: rigid motions where there are any, then modes; with a rank, the first of them.
fn make(body: &Body, request: &Request<'_>, watch: &mut Watch<'_>) -> Result<Built, ReduceError> {
    of_modes(body, linear_modes(body, request.modes, watch)?, Columns::Asked(request.rank))
}

/// The same of modes that are there.
pub(super) fn of_modes(body: &Body, analysis: ModalAnalysis, columns: Columns) -> Result<Built, ReduceError> {
    let ModalAnalysis { modes, rigid, warnings, .. } = analysis;
    let affine = rigid.len();
    let available = affine + modes.len();
    let rank = columns.rank(available, available);
    let and = if affine > 0 { format!(" and {affine} rigid motions") } else { String::new() };
    super::check_rank(rank, 0, available, || super::modes_in_words(modes.len()) + &and)?;
    let mut columns = [rigid.concat(), modes.shapes].concat();
    columns.truncate(rank * body.size());
    Ok(Built {
        basis: Basis::from_columns(&columns, body.size()),
        eigenvalues: modes.eigenvalues,
        affine: affine.min(rank),
        singular_values: Vec::new(),
        dropped: 0,
        warnings,
    })
}

impl ModalAnalysis {
    /// The same with the first `count` modes alone, or all.
    pub fn first(&self, count: usize) -> Self {
        Self {
            modes: self.modes.first(count),
            residuals: self.residuals[..count.min(self.modes.len())].to_vec(),
            rigid: self.rigid.clone(),
            warnings: self.warnings.clone(),
        }
    }

    /// How much of mode k a shaking of the ground along x, y, z excites: Γ_d = φᵀ M 1_d, √kg. Its square is the
    /// effective mass, kg. Over all modes of a held body with lumped mass these add up to the mass that is free to move; with
    /// consistent mass, what held vertices share with their neighbours is missing from it.
    pub fn participation(&self, k: usize) -> [f64; 3] {
        let mut M_phi = vec![0.0; self.modes.size()];
        self.modes.mass.apply(self.modes.shape(k), &mut M_phi);
        std::array::from_fn(|d| par::sum(M_phi.len() / 3, |i| M_phi[3 * i + d]))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pliant_energy::Recipe;
    use pliant_linalg::{Vec3, ignore_progress};
    use pliant_mesh::{MeshData, select, shapes};

    const NO_ENERGY: &str = "cost no energy";
    const ROUNDING: &str = "rounding allows no better";

    fn analysis(data: MeshData, fixed: &[&str], count: usize) -> ModalAnalysis {
        let fixed = fixed.iter().map(|spec| select::select(&data, spec).expect("a selection")).collect();
        let body = Recipe { young: Some(1e7), fixed, ..Recipe::default() }.build(data).expect("a body");
        linear_modes(&body, count, &mut ignore_progress).expect("modes")
    }

    fn warns(found: &ModalAnalysis, what: &str) -> bool {
        found.warnings.iter().any(|warning| warning.contains(what))
    }

    #[test]
    fn a_slender_wire_is_slow_but_not_free() {
        // 1 m long, 1 mm thick, clamped: its first bending has 3e-13 of the λ of tr K / tr M, yet it is a vibration.
        let wire = shapes::bar(Vec3::new(1.0, 1e-3, 1e-3), [1000, 1, 1]).into_data();
        let found = analysis(wire, &["x<0.01%"], 4);
        // A beam's is λ = 3.516² E h² / (12 ρ L⁴) = 0.0103, which tets one layer thick make several times stiffer.
        let first = found.modes.eigenvalues[0];
        assert!(first > 0.0103 && first < 0.2, "{:?}", found.modes.eigenvalues);
        assert!(!warns(&found, NO_ENERGY), "{:?}", found.warnings);
        // Its K x is a difference of numbers 1e12 times as large, which is said.
        assert!(warns(&found, ROUNDING), "{:?} {:?}", found.warnings, found.residuals);
        assert!(
            found.warnings[0]
                .contains(&format!("{:.1e}", found.residuals.iter().fold(0.0, |a: f64, &r| a.max(r))))
        );
    }

    #[test]
    fn two_tets_at_an_edge_turn_about_it() {
        let vertices = [[0, 0, 0], [0, 0, 1], [1, 0, 0], [1, 1, 0], [-1, 0, 0], [-1, -1, 0]];
        let vertices = vertices.map(|p: [i8; 3]| Vec3::from(p.map(f64::from))).to_vec();
        let found = analysis(MeshData::from_tets(vertices, vec![[0, 2, 3, 1], [0, 4, 5, 1]]), &[], 5);
        assert_eq!(found.rigid.len(), 6);
        assert!(found.warnings[0].starts_with("1 of the modes cost no energy"), "{:?}", found.warnings);
        assert!(
            found.modes.eigenvalues[0] < 1e-9 * found.modes.eigenvalues[1],
            "{:?}",
            found.modes.eigenvalues
        );
    }

    #[test]
    fn an_ordinary_bar_has_nothing_to_warn_of() {
        let bar = shapes::bar(Vec3::new(1.0, 0.2, 0.2), [10, 2, 2]).into_data();
        let found = analysis(bar, &["x<1%"], 6);
        assert!(found.warnings.is_empty(), "{:?}", found.warnings);
        assert!(found.residuals.iter().all(|&r| r < 1e-8), "{:?}", found.residuals);
    }
}
