//! How much the components of a ghost count: so much that stretching costs what it costs the body.
//!
//! ```text
//! w_c = mean over the corners s of component c of  S_kind(s, body) / S_kind(s, ghost)                               (1)
//! ```
//! S_kind(s) is what a small uniform stretch costs the components of one kind, each shared evenly by its corners: at the
//! fine vertices that went into s, and at s in the ghost. All w_c W_c of a kind then sum to what the body pays. Where no
//! vertex went together nothing changes. Without a map from fine to coarse vertices the whole body is one place.
//!
//! Why: the length term of Discrete Shells (T14 eq. 2.4) pays Σ |e₀| ε²/2 for a strain ε, half as much where edges are twice
//! as long; a coarse solid lacks some volume. Hinges do not feel a uniform stretch and keep weight 1.

use pliant_energy::{Body, ComponentKind, Energy};
use pliant_linalg::Vec3;

/// A stretch that is small enough for every law, and large enough for sixteen digits.
const STRETCH: f64 = 1e-3;

/// A weight for every component of the ghost's energy. `coarse_of`: the ghost vertex of every vertex of the body.
pub(super) fn weights(
    ghost: &dyn Energy,
    vertices: &[Vec3],
    body: &Body,
    coarse_of: Option<&[Option<u32>]>,
) -> Vec<f64> {
    let places = if coarse_of.is_some() { vertices.len() } else { 1 };
    let fine = shares(body.components(), body.rest(), places, |v| match coarse_of {
        Some(coarse_of) => coarse_of[v as usize].map(|s| s as usize),
        None => Some(0),
    });
    let own = |v: u32| if coarse_of.is_some() { v as usize } else { 0 };
    let coarse = shares(ghost, vertices, places, |v| Some(own(v)));
    let weight = |c: usize| {
        let (corners, kind) = (ghost.corners(c), ghost.kind(c) as usize);
        let ratio = |&v: &u32| fine[kind][own(v)] / coarse[kind][own(v)];
        let mean = corners.iter().map(ratio).sum::<f64>() / corners.len() as f64;
        if ghost.kind(c) != ComponentKind::Hinge && mean.is_finite() && mean > 0.0 { mean } else { 1.0 }
    };
    (0..ghost.count()).map(weight).collect()
}

/// What a uniform stretch costs, J, for each [`ComponentKind`] and place.
fn shares(
    energy: &dyn Energy,
    rest: &[Vec3],
    places: usize,
    place: impl Fn(u32) -> Option<usize>,
) -> [Vec<f64>; 4] {
    let mut sums = [(); 4].map(|()| vec![0.0; places]);
    for c in 0..energy.count() {
        let corners = energy.corners(c);
        let (mut local, mut cost) = ([[0.0; 12]], [0.0]);
        for (a, &v) in corners.iter().enumerate() {
            let u = (rest[v as usize] - rest[corners[0] as usize]) * STRETCH;
            local[0][3 * a..3 * a + 3].copy_from_slice(u.as_slice());
        }
        // A law that does not admit a thousandth tells nothing: such a place keeps weight 1.
        let cost = energy.energies(&[c as u32], &local, &mut cost).map_or(f64::NAN, |()| cost[0]);
        for s in corners.iter().filter_map(|&v| place(v)) {
            sums[energy.kind(c) as usize][s] += cost / corners.len() as f64;
        }
    }
    sums
}
