//! Linear modes: the shapes and frequencies in which a body vibrates about its rest.
//!
//! ```text
//! K φ = λ M φ,   K = ∂²W(0),   φᵢᵀ M φⱼ = δᵢⱼ,   f = √λ / 2π        (004 eq. 2.9)
//! ```
//! Rigid motions that the constraints leave have λ = 0. They are not searched for but known, by construction; they are
//! kept out of the modes and returned beside them. Source: PW89 in docs/papers.md.

use pliant_energy::{Body, Tangent};
use pliant_linalg::{Watch, eigen, par};

use crate::ReduceError;

/// The lowest modes of a body, ascending.
#[derive(Clone, Debug)]
pub struct LinearModes {
    /// λ, 1/s².
    pub eigenvalues: Vec<f64>,
    /// 3n×k, column by column; mass-orthonormal; the largest entry of each is positive.
    pub shapes: Vec<f64>,
    /// ‖Kφ − λMφ‖ / ‖Kφ‖ of each.
    pub residuals: Vec<f64>,
    /// Rigid motions that the constraints leave, mass-orthonormal.
    pub rigid: Vec<Vec<f64>>,
    /// What a user should know.
    pub warnings: Vec<String>,
}

/// A mode this far below the scale of the stiffness is a motion that costs nothing.
const FREE: f64 = 1e-12;

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
        warnings.push(format!(
            "the body has {} rigid modes, more than the 6 of one free part: it falls into parts that nothing joins",
            rigid.len()
        ));
    }
    // tr K / tr M is of the order of the highest λ, whatever the units.
    let mass: f64 = 3.0 * body.mass().diagonal().iter().sum::<f64>();
    let highest = K.diagonal().iter().sum::<f64>() / mass;
    let free = pairs.values.iter().take_while(|&&value| value < FREE * highest).count();
    if free > 0 {
        warnings.push(format!(
            "{free} of the modes cost no energy though they are no rigid motions: some part hangs by an edge or a vertex"
        ));
    }
    Ok(LinearModes {
        eigenvalues: pairs.values,
        shapes: pairs.vectors,
        residuals: pairs.residuals,
        rigid,
        warnings,
    })
}

impl LinearModes {
    /// How many.
    pub fn len(&self) -> usize {
        self.eigenvalues.len()
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
