//! Which places of a shape vibrate alike: signatures of vertices by vibration modes, and by heat for comparison.
//!
//! ```text
//! S_t(v) = Σ_j exp(−λ_j t) |Φ_j(v)|²                                                              (T14 eq. 6.1)
//! δ(v, w)² = ∫ ((S_t(v) − S_t(w)) / Σ_k exp(−λ_k t))² d log t                                     (T14 eq. 6.4)
//! ```
//! Heat sees distances within the surface alone, so that a bent finger is a straight one to it; vibration sees the bend.
//!
//! - [`Spectrum`]: modes of a body, or of the heat on a surface, as far as signatures need them.
//! - [`Times`]: where to look; by default in units of the slowest mode, so that they fit any size, unit and resolution.
//! - [`Signature`]: S_t at all vertices, and how far places are from each other.
//! - [`flow`]: S_t at a few vertices without modes, and without cutting anything off.
//! - [`Skin`]: the surface on which places lie: feature points, regions, and the places that are most alike.
//! - [`Kept`]: a body that is compared again and again, as on a page.
//! - [`Request`]: all of it in one call, and [`Found`], what doors write, tell and show.
//!
//! ```
//! use pliant_shape::{Spectrum, Times};
//! let mesh = pliant_mesh::shapes::bar(pliant_linalg::Vec3::new(1.0, 0.2, 0.2), [10, 2, 2]).boundary().into_data();
//! let body = pliant_energy::Recipe::default().build(mesh)?;
//! let spectrum = Spectrum::vibration(&body, 60, false, &mut pliant_linalg::ignore_progress)?;
//! let signature = spectrum.signature(&Times::default().of(&spectrum)?);
//! // Vertex 0 is a corner: the other corners are more like it than the middle of a side.
//! let far = signature.distance(&[0])?;
//! let [corner, middle] = [[1.0, 0.2, 0.2], [0.5, 0.1, 0.0]].map(|p| {
//!     let p = pliant_linalg::Vec3::from(p);
//!     (0..far.len()).min_by(|&a, &b| (body.rest()[a] - p).norm().total_cmp(&(body.rest()[b] - p).norm())).unwrap()
//! });
//! assert!(far[corner] < 0.2 * far[middle], "{} {}", far[corner], far[middle]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! An app: it uses `sim` and what is below it, and no other app. What it refuses comes out as [`SimError`], which doors know.

#![expect(non_snake_case, reason = "S, K, M are the papers' letters")]

mod coarse;
mod compare;
mod distance;
mod facts;
mod features;
mod files;
pub mod flow;
mod heat;
mod kept;
mod page;
mod persistence;
mod regions;
mod signature;
mod skin;
mod spectrum;
mod terms;
mod times;

pub use coarse::Coarse;
pub use compare::{Check, Found, Request, Stages, Threshold};
pub use features::Feature;
pub use files::check_ending;
pub use kept::{Kept, bytes};
pub use pliant_sim::SimError;
pub use regions::{Alike, Region};
pub use signature::Signature;
pub use skin::Skin;
pub use spectrum::{Kind, MODES, Spectrum};
pub use times::{SAMPLES, Times};
