//! Shapes that follow handles: deformation-based editing, in a few coordinates at the rate of a screen, or at full order.
//!
//! ```text
//! u* = arg min E(u) + κ E^C(u)                                                                (T14 eqs 5.1, 5.2)
//! q* = arg min Ẽ(q) + κ E^C(U q)                                                                  (T14 eq. 5.5)
//! E^C = ½ Σ_h Σ_{i∈h} (m_i/m_h) |x_i − t_i|²
//! ```
//! Regions that are selected stay or are moved and turned, and the body takes the shape that costs it least. E is the elastic energy of
//! any material; κ, N/m, is the stiffness of a handle as a whole, one for each of them.
//!
//! - [`Handle`]: a region and where it goes; [`Path`]: the way there, a screw; [`read()`]: handles of a file.
//! - [`Editor`]: a reduced model under handles, to be moved and looked at frame by frame.
//! - [`FullEdit`]: the same at full order, the slow truth.
//! - [`Session`]: a body that is edited on a page.
//! - [`Request`]: all of it in one call, and [`Edited`], what doors write, tell and show.
//!
//! An app: it uses `sim` and what is below it, and no other app. What it refuses comes out as [`SimError`], which doors know.

#![expect(non_snake_case, reason = "A, B, E, K, M, U are the papers' letters")]

mod editor;
mod facts;
mod files;
mod full;
mod handles;

pub mod read;
mod request;
mod responses;
mod session;
mod targets;
mod terms;
mod transform;
mod units;

pub use editor::{Editor, HandleId, Options};
pub use files::check_ending;
pub use full::FullEdit;
pub use handles::{Handle, check, steps};
pub use pliant_sim::SimError;
pub use read::read;
pub use request::{Beside, Edited, Request, Source, usual_model};
pub use responses::with_responses;
pub use session::{Followed, MOST_HANDLES, Session};
pub use transform::{Path, Transform};
