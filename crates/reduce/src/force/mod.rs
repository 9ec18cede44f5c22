//! Reduced forces: elastic energy, force and stiffness in the coordinates of a basis. One file each, one line in [`ALL`].
//!
//! A force has two sides: [`StoredForce`], the numbers that a model keeps and its file holds, and [`ReducedForce`], what
//! evaluates them at run time.
//!
//! ```text
//! W̃(q),   f̃ = ∂W̃/∂q,   K̃ = ∂²W̃/∂q²
//! ```
//! | name | what | cost of force + stiffness |
//! |---|---|---|
//! | `projected` | through the full mesh, exact: the reference of all others | grows with the mesh |
//! | `linear` | K̃ q with the stiffness at rest | r² |
//! | `cubic` | St. Venant-Kirchhoff as its exact polynomial | r⁴/8 |
//! | `cubature` | a few weighted components, for every energy | s r² |
//! | `ghost` | all components of a coarse stand-in, untrained | n_s r beside its components |

pub mod cubature;
pub mod cubic;
mod facts;
pub mod ghost;
pub mod linear;
pub mod projected;
mod scaled;
mod stored;
mod table;

use pliant_energy::{Inadmissible, Tangent};
use pliant_linalg::DenseSymmetric;

pub use cubature::{Cubature, CubatureForce, Pieces, Trained, Trainer, Training, TrainingSet, trainer};
pub use cubic::{Cubic, Polynomial};
pub use facts::TrainingFacts;
pub use ghost::{Ghost, GhostForce};
pub use linear::{Linear, StoredLinear};
pub use projected::{Projected, StoredProjected};
pub use scaled::Scaled;
pub use stored::{Context, Stored, StoredForce};
pub use table::{ALL, Entry, Prepared, Settings, Source, find, setting};

/// An elastic energy of r coordinates.
///
/// Methods use scratch space inside, hence `&mut self`; but for `projected`, which goes through the whole mesh, they do
/// not allocate. Several evaluators of one model share its numbers: [`ReducedForce::duplicate`].
pub trait ReducedForce: Send + Sync {
    /// r.
    fn rank(&self) -> usize;

    /// Another evaluator of the same force, which shares all that is constant.
    fn duplicate(&self) -> Box<dyn ReducedForce>;

    /// W̃(q), J; zero at rest.
    ///
    /// # Errors
    /// [`Inadmissible`] where the energy of a component is not defined.
    fn energy(&mut self, q: &[f64]) -> Result<f64, Inadmissible>;

    /// f̃(q) = ∂W̃/∂q.
    ///
    /// # Errors
    /// As [`ReducedForce::energy`].
    fn force(&mut self, q: &[f64], out: &mut [f64]) -> Result<(), Inadmissible>;

    /// f̃(q) and W̃(q) at once, for line searches, which want both.
    ///
    /// # Errors
    /// As [`ReducedForce::energy`].
    fn energy_and_force(&mut self, q: &[f64], force: &mut [f64]) -> Result<f64, Inadmissible> {
        self.force(q, force)?;
        self.energy(q)
    }

    /// The gradient of the projective energy in place of f̃ (C17 eq. 4.7); `false` and nothing in `out` where there is none.
    fn projective_force(&mut self, _q: &[f64], _out: &mut [f64]) -> bool {
        false
    }

    /// UᵀLU, the constant Hessian of projective dynamics (C17 eq. 4.4), N/m; `None` where there is none.
    fn projective_stiffness(&mut self) -> Option<DenseSymmetric> {
        None
    }

    /// K̃(q) = ∂²W̃/∂q², or with each component's negative part taken out ([`Tangent::Positive`]) where the force is
    /// made of components; a force that is not gives its exact K̃ for both.
    ///
    /// # Errors
    /// As [`ReducedForce::energy`].
    fn stiffness(
        &mut self,
        q: &[f64],
        tangent: Tangent,
        out: &mut DenseSymmetric,
    ) -> Result<(), Inadmissible>;

    /// f̃(q) with its derivative along x: `along` = K̃(q) x. This one assembles K̃, for which there is `room`; a force that can
    /// should do better.
    ///
    /// # Errors
    /// As [`ReducedForce::energy`].
    fn force_along(
        &mut self,
        q: &[f64],
        x: &[f64],
        force: &mut [f64],
        along: &mut [f64],
        room: &mut DenseSymmetric,
    ) -> Result<(), Inadmissible> {
        self.force(q, force)?;
        self.stiffness(q, Tangent::Exact, room)?;
        room.apply(x, along);
        Ok(())
    }

    /// What rounding leaves of f̃(q) beside ε |K̃(0)| |q|, N. Nothing for a polynomial of q; a force made of components adds up what
    /// rounding makes of each ([`pliant_energy::rounding`]).
    fn round_off(&mut self, q: &[f64]) -> f64;
}
