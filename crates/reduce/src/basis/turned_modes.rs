//! Turned modes: how a free body bends when it has turned a little.
//!
//! ```text
//! x = R(θω) (X + p ψ),   R(θω) = I + θ [ω]× + O(θ²),   u = θ ω × X + p ψ + θ p ω × ψ + ½ θ² ω × (ω × X) + …     (1)
//! ```
//! The derivative of u along a rotation and a mode is ω × ψ, and that along two rotations is an affine field, which a free
//! body's basis has (`affine.rs`). A basis that lacks ω × ψ bends as it should only in its first orientation. k modes
//! and three rotations have 3k, as many as T14 counts: 9 modes of a free body and 6 rigid ones have (12² + 12)/2 = 78
//! derivatives, 45 + 27 + 6.
//!
//! T14 eq. 3.3 defines the derivative by K Φ = −(H : ψ)(ω × X) for these pairs too. Turning costs nothing, f(R(X + u) − X) =
//! R f(u); differentiated by θ and by u that is (H : ψ)(ω × X) = ω × Kψ − K(ω × ψ), so that
//!
//! ```text
//! Φ = ω × ψ − λ K⁺ M (ω × ψ)                                                                                    (2)
//! ```
//! What is subtracted is the answer to a load that does not turn with the body. We leave it out: what bends a free body turns
//! with it, and (1) then holds exactly.
//!
//! Where constraints leave fewer rotations (a hinge), those; of several parts, each turns alone. Not for bodies that tumble:
//! second order in the angle is what is missing next, and the `extended` basis has it all.
//! Source: TSSH13 in docs/papers.md (section 3.2.1 of the thesis).

use pliant_energy::Body;
use pliant_linalg::small::Mat3;
use pliant_linalg::{Vec3, par};

use super::affine;
use crate::ModalAnalysis;

/// A spin below this part of the largest is rounding of a translation.
const ROUNDING: f64 = 1e-8;

/// A mode with less than this part of its length in a part of the body does not move it.
const STILL: f64 = 1e-9;

/// ω × ψ for the rotations that each part of a body has left and the modes that move it.
#[derive(Clone, Debug)]
pub struct TurnedModes {
    /// ψ of each.
    pub modes: Vec<usize>,
    /// ω × ψ on one part of the body, for a unit vector ω: 3n entries each, one after the other. Held degrees of freedom
    /// are zero.
    pub shapes: Vec<f64>,
}

/// The turned modes of a body that were `found`; none where nothing can turn.
pub fn turned_modes(body: &Body, found: &ModalAnalysis) -> TurnedModes {
    let mut turned = TurnedModes { modes: Vec::new(), shapes: Vec::new() };
    for (part, motions) in affine::loose_parts(body, &found.rigid) {
        let spins = axes(motions.iter().map(|motion| spin(body, &part, motion)).collect());
        for j in 0..found.modes.len() {
            let mode = found.modes.shape(j).as_chunks::<3>().0;
            let here: f64 = part.iter().map(|&v| Vec3::from(mode[v as usize]).norm_squared()).sum();
            if here <= (STILL * par::norm(found.modes.shape(j))).powi(2) {
                continue;
            }
            for w in &spins {
                let mut shape = vec![0.0; body.size()];
                for &v in &part {
                    let moved = w.cross(&Vec3::from(mode[v as usize]));
                    shape[3 * v as usize..3 * v as usize + 3].copy_from_slice(moved.as_slice());
                }
                body.dofs().hold(&mut shape);
                turned.modes.push(j);
                turned.shapes.extend(shape);
            }
        }
    }
    turned
}

/// ω of the motion a + ω × X of a part: Σ r × u = Σ (|r|² I − r rᵀ) ω for r from the middle.
fn spin(body: &Body, part: &[u32], motion: &[f64]) -> Vec3 {
    let at = |v: u32| body.rest()[v as usize];
    let middle = part.iter().map(|&v| at(v)).sum::<Vec3>() / part.len() as f64;
    let (mut moment, mut inertia) = (Vec3::zeros(), Mat3::zeros());
    for &v in part {
        let r = at(v) - middle;
        moment += r.cross(&Vec3::from(motion.as_chunks::<3>().0[v as usize]));
        inertia += Mat3::identity() * r.norm_squared() - r * r.transpose();
    }
    inertia.try_inverse().map_or_else(Vec3::zeros, |inverse| inverse * moment)
}

/// Orthonormal axes of the span of some spins, the largest remainder first.
fn axes(mut spins: Vec<Vec3>) -> Vec<Vec3> {
    let largest = spins.iter().fold(0.0, |most: f64, w| most.max(w.norm()));
    let mut axes: Vec<Vec3> = Vec::new();
    while axes.len() < 3 {
        let next = spins.iter().fold(Vec3::zeros(), |best, w| if w.norm() > best.norm() { *w } else { best });
        if next.norm() <= ROUNDING * largest || largest == 0.0 {
            break;
        }
        let next = next.normalize();
        for _ in 0..2 {
            spins.iter_mut().for_each(|w| *w -= next * next.dot(w));
        }
        axes.push(next);
    }
    axes
}
