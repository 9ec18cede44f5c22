//! Bodies in time: where energies meet integrators.
//!
//! - [`scenario::Scenario`]: what happens to a body, read from TOML and checked, or made by a program.
//! - [`load::ALL`]: the kinds of load that a scenario may hold, which a program may lengthen.
//! - [`full::Full`]: a body as a [`pliant_dynamics::System`] with all its 3n degrees of freedom: the slow truth that everything
//!   reduced is measured against.
//! - [`reduced::Reduced`]: a reduced model as such a system, with its tens of coordinates.
//! - [`live::Live`]: what a game loop holds: a reduced model that is pushed, grabbed and stepped.
//! - [`motion::Motion`]: by the forces that a model was built with, or as oscillators, shown as they are or warped.
//! - [`history::History`]: the last seconds of that, to be saved: as a scenario that repeats them, and as a motion.
//! - [`compare::compare`]: a model beside the full body.
//! - [`convergence::convergence`]: the residual of each solver after every iteration of one step.
//! - [`accuracy::Goal`]: the smallest model that is as accurate as asked.
//! - [`study::studies`]: what other choices of basis, points, ghost and solver would have come to.
//! - [`run::run`]: a scenario from its first step to its last, on either, with energies and probes.

#![expect(non_snake_case, reason = "A, K, L, M are the papers' letters")]

pub mod accuracy;
mod balance;
pub mod compare;
pub mod convergence;
mod error;
pub mod full;
pub mod history;
pub mod live;
pub mod load;
pub mod motion;
mod per_axis;
pub mod reduced;
mod remarks;
pub mod run;
pub mod scenario;
mod still;
pub mod study;
pub mod subject;
mod vertex_rows;

pub use compare::{Comparison, compare, compare_quietly, compare_timed};
pub use convergence::convergence;
pub use error::SimError;
pub use full::Full;
pub use history::{Conditions, History, Thinned};
pub use live::{Bounded, Grab, Live, LiveOptions, LoadId};
pub use load::{Load, LoadSet};
pub use motion::Motion;
pub use reduced::{Reduced, usual_integrator};
pub use remarks::caution;
pub use run::{Frame, Onlookers, Record, RunOptions, run, run_frames, run_quietly, run_watched};
pub use scenario::Scenario;
pub use still::Still;
pub use subject::{InitialCoordinates, InitialState, Subject};
