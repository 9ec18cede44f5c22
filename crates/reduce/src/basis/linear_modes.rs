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
use pliant_linalg::{Note, Watch, eigen, ignore_progress, par};

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

/// The lowest modes of a body, ascending.
#[derive(Clone, Debug)]
pub struct LinearModes {
    /// λ, 1/s².
    pub eigenvalues: Vec<f64>,
    /// 3n×k, column by column; mass-orthonormal; the largest entry of each is positive.
    pub shapes: Vec<f64>,
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
pub fn linear_modes(body: &Body, count: usize, watch: &mut Watch<'_>) -> Result<LinearModes, ReduceError> {
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
    Ok(LinearModes {
        eigenvalues: pairs.values,
        shapes: pairs.vectors,
        residuals: pairs.residuals,
        rigid,
        warnings,
    })
}

/// [`linear_modes`] without a watch.
///
/// # Errors
/// As there.
pub fn linear_modes_quietly(body: &Body, count: usize) -> Result<LinearModes, ReduceError> {
    linear_modes(body, count, &mut ignore_progress)
}

/// The basis: rigid motions where there are any, then modes; with a rank, the first of them.
fn make(body: &Body, request: &Request<'_>, watch: &mut Watch<'_>) -> Result<Built, ReduceError> {
    of_modes(body, linear_modes(body, request.modes, watch)?, Columns::Asked(request.rank))
}

/// The same of modes that are there.
pub(super) fn of_modes(body: &Body, modes: LinearModes, columns: Columns) -> Result<Built, ReduceError> {
    let affine = modes.rigid.len();
    let available = affine + modes.len();
    let rank = columns.rank(available, available);
    let and = if affine > 0 { format!(" and {affine} rigid motions") } else { String::new() };
    super::check_rank(rank, 0, available, || super::modes_in_words(modes.len()) + &and)?;
    let mut columns = [modes.rigid.concat(), modes.shapes].concat();
    columns.truncate(rank * body.size());
    Ok(Built {
        basis: Basis::from_columns(&columns, body.size()),
        eigenvalues: modes.eigenvalues,
        affine: affine.min(rank),
        singular_values: Vec::new(),
        dropped: 0,
        warnings: modes.warnings,
    })
}

impl LinearModes {
    /// How many.
    pub fn len(&self) -> usize {
        self.eigenvalues.len()
    }

    /// The first `count` of them, or all.
    pub fn first(&self, count: usize) -> Self {
        let count = count.min(self.len());
        let rows = self.shapes.len() / self.len().max(1);
        Self {
            eigenvalues: self.eigenvalues[..count].to_vec(),
            shapes: self.shapes[..count * rows].to_vec(),
            residuals: self.residuals[..count].to_vec(),
            rigid: self.rigid.clone(),
            warnings: self.warnings.clone(),
        }
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.eigenvalues.is_empty()
    }

    /// Mode k, 3n numbers.
    pub fn shape(&self, k: usize) -> &[f64] {
        let rows = self.shapes.len() / self.len();
        &self.shapes[k * rows..(k + 1) * rows]
    }

    /// √λ / 2π, Hz.
    pub fn frequencies_hz(&self) -> Vec<f64> {
        self.eigenvalues.iter().map(|x| x.max(0.0).sqrt() / std::f64::consts::TAU).collect()
    }

    /// How much of mode k a shaking of the ground along x, y, z excites: Γ_d = φᵀ M 1_d, √kg. Its square is the
    /// effective mass, kg. Over all modes of a held body with lumped mass these add up to the mass that is free to move; with
    /// consistent mass, what held vertices share with their neighbours is missing from it.
    pub fn participation(&self, body: &Body, k: usize) -> [f64; 3] {
        let mut M_phi = vec![0.0; body.size()];
        body.mass().apply_alike(self.shape(k), &mut M_phi);
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

    fn modes(data: MeshData, fixed: &[&str], count: usize) -> LinearModes {
        let fixed = fixed.iter().map(|spec| select::select(&data, spec).expect("a selection")).collect();
        let body = Recipe { young: Some(1e7), fixed, ..Recipe::default() }.build(data).expect("a body");
        linear_modes(&body, count, &mut ignore_progress).expect("modes")
    }

    fn warns(modes: &LinearModes, what: &str) -> bool {
        modes.warnings.iter().any(|warning| warning.contains(what))
    }

    #[test]
    fn a_slender_wire_is_slow_but_not_free() {
        // 1 m long, 1 mm thick, clamped: its first bending has 3e-13 of the λ of tr K / tr M, yet it is a vibration.
        let wire = shapes::bar(Vec3::new(1.0, 1e-3, 1e-3), [1000, 1, 1]).into_data();
        let modes = modes(wire, &["x<0.01%"], 4);
        // A beam's is λ = 3.516² E h² / (12 ρ L⁴) = 0.0103, which tets one layer thick make several times stiffer.
        let first = modes.eigenvalues[0];
        assert!(first > 0.0103 && first < 0.2, "{:?}", modes.eigenvalues);
        assert!(!warns(&modes, NO_ENERGY), "{:?}", modes.warnings);
        // Its K x is a difference of numbers 1e12 times as large, which is said.
        assert!(warns(&modes, ROUNDING), "{:?} {:?}", modes.warnings, modes.residuals);
        assert!(
            modes.warnings[0]
                .contains(&format!("{:.1e}", modes.residuals.iter().fold(0.0, |a: f64, &r| a.max(r))))
        );
    }

    #[test]
    fn two_tets_at_an_edge_turn_about_it() {
        let vertices = [[0, 0, 0], [0, 0, 1], [1, 0, 0], [1, 1, 0], [-1, 0, 0], [-1, -1, 0]];
        let vertices = vertices.map(|p: [i8; 3]| Vec3::from(p.map(f64::from))).to_vec();
        let modes = modes(MeshData::from_tets(vertices, vec![[0, 2, 3, 1], [0, 4, 5, 1]]), &[], 5);
        assert_eq!(modes.rigid.len(), 6);
        assert!(modes.warnings[0].starts_with("1 of the modes cost no energy"), "{:?}", modes.warnings);
        assert!(modes.eigenvalues[0] < 1e-9 * modes.eigenvalues[1], "{:?}", modes.eigenvalues);
    }

    #[test]
    fn an_ordinary_bar_has_nothing_to_warn_of() {
        let bar = shapes::bar(Vec3::new(1.0, 0.2, 0.2), [10, 2, 2]).into_data();
        let modes = modes(bar, &["x<1%"], 6);
        assert!(modes.warnings.is_empty(), "{:?}", modes.warnings);
        assert!(modes.residuals.iter().all(|&r| r < 1e-8), "{:?}", modes.residuals);
    }
}
