//! Results of this room and those below it as [`pliant_linalg::facts`]: of a mesh, of modes, of a model, of a run.

mod body;
mod built;
mod mesh;
mod model;
mod run;

pub use body::{loose_parts, of_modes, of_state, of_warp};
pub use built::{Built, missed};
pub use mesh::of_mesh;
pub use model::{first_columns, of_model};
pub use pliant_linalg::facts::{Fact, Facts, Value, constant, measured, text_of};
pub use run::{of_comparison, of_run};
