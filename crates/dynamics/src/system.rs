//! What an integrator sees of a body.

use std::sync::Arc;

use pliant_linalg::{DenseSymmetric, Modes};

use crate::OutOfDomain;
use crate::vector::{dot, largest};

/// Which second derivative a solver wants.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tangent {
    /// K as it is, perhaps indefinite.
    Exact,
    /// K with the negative part taken out of each component.
    Positive,
}

/// Rayleigh damping, C = α M + β K.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Damping {
    /// α, 1/s.
    pub mass: f64,
    /// β, s.
    pub stiffness: f64,
    /// Which K.
    pub kind: DampingKind,
}

/// The stiffness that damps.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum DampingKind {
    /// K at the end of the step: rotation is not damped.
    #[default]
    Tangent,
    /// K at rest: constant, but a body that rotates is over-damped by far.
    Rest,
}

/// How much of each matrix a linear system takes: m M + k K + k₀ K(0) + l (−∂f_ext/∂q) + c (−∂f_ext/∂v).
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Weights {
    /// m, of the mass.
    pub mass: f64,
    /// k, of the elastic stiffness at the last [`System::linearise`].
    pub stiffness: f64,
    /// k₀, of the elastic stiffness at rest.
    pub rest_stiffness: f64,
    /// l, of the loads' stiffness at the last [`System::linearise`].
    pub load_stiffness: f64,
    /// c, of the loads' damping at the last [`System::linearise`]; a system whose loads do not depend on v passes over it.
    pub load_damping: f64,
}

/// The matrix of a linear solve is not positive definite.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NotDefinite;

/// A mechanical system in coordinates q of any kind.
///
/// All vectors have [`System::size`] entries. Coordinates that are held are zero in q, v and a, and come out as zero from
/// every method. Methods may use scratch space inside, hence `&mut self`. Those of a reduced system do not allocate once they
/// have run; a full-order system may.
pub trait System {
    /// How many coordinates.
    fn size(&self) -> usize;

    /// W(q), J: the elastic energy.
    ///
    /// # Errors
    /// [`OutOfDomain`] where it is not defined.
    fn elastic_energy(&mut self, q: &[f64]) -> Result<f64, OutOfDomain>;

    /// f_int(q) = +∂W/∂q.
    ///
    /// # Errors
    /// [`OutOfDomain`] where W is not defined.
    fn internal_force(&mut self, q: &[f64], out: &mut [f64]) -> Result<(), OutOfDomain>;

    /// W(q) and f_int(q) at once, for line searches, which want both.
    ///
    /// # Errors
    /// [`OutOfDomain`] where W is not defined.
    fn energy_and_force(&mut self, q: &[f64], out: &mut [f64]) -> Result<f64, OutOfDomain> {
        self.internal_force(q, out)?;
        self.elastic_energy(q)
    }

    /// f_int(q) with its derivative along x: `along` = K(q) x, elastic part only. Systems that can do it without a matrix
    /// should; here it takes the place of the last [`System::linearise`], at the velocity x.
    ///
    /// # Errors
    /// [`OutOfDomain`] where W is not defined.
    fn internal_force_along(
        &mut self,
        t: f64,
        q: &[f64],
        x: &[f64],
        force: &mut [f64],
        along: &mut [f64],
    ) -> Result<(), OutOfDomain> {
        self.internal_force(q, force)?;
        self.linearise(t, q, x, Tangent::Exact)?;
        self.apply_stiffness(x, along);
        Ok(())
    }

    /// How far f_int(q) as computed may be from exact by rounding alone, N, in the Euclidean norm: about ε ‖ |K(0)| |q| ‖. Where
    /// forces cancel, no relative tolerance could ever be met. A spring of the loads that holds a place adds ε k |x|.
    /// Asked once a solve.
    fn round_off(&mut self, q: &[f64]) -> f64;

    /// f_ext(t, q, v): loads at time t, with those that depend on where the body is, such as springs and pressure, and on how
    /// it moves, such as drag.
    fn external_force(&mut self, t: f64, q: &[f64], v: &[f64], out: &mut [f64]);

    /// V(t, q) with f_ext = −∂V/∂q, J, of the loads that have a potential; the others count as nothing. Serves line searches.
    fn load_potential(&mut self, t: f64, q: &[f64], v: &[f64]) -> f64;

    /// Whether [`System::load_potential`] is all of the loads: `false` where one has none, as drag. A minimiser then judges its
    /// steps by slopes.
    fn loads_have_potential(&self) -> bool {
        true
    }

    /// The name of the first load whose force at (t, q, v) is not finite, for the sentence of a step that fails. `None` where
    /// there is none, and for systems whose loads have no names.
    fn load_to_blame(&mut self, _t: f64, _q: &[f64], _v: &[f64]) -> Option<Arc<str>> {
        None
    }

    /// How far a change d of the coordinates moves the body, m: √(dᵀM d / m), the mean over its mass. Without a better answer the
    /// largest of d.
    fn distance(&mut self, d: &[f64]) -> f64 {
        largest(d)
    }

    /// out = M x.
    fn apply_mass(&mut self, x: &[f64], out: &mut [f64]);

    /// x ← M⁻¹ x.
    fn solve_mass(&mut self, x: &mut [f64]);

    /// Takes K(q) = ∂²W/∂q², and the loads' stiffness −∂f_ext/∂q and damping −∂f_ext/∂v, at (t, q, v) for the methods below.
    ///
    /// # Errors
    /// [`OutOfDomain`] where W is not defined.
    fn linearise(&mut self, t: f64, q: &[f64], v: &[f64], tangent: Tangent) -> Result<(), OutOfDomain>;

    /// out = K x, elastic part only, of the last [`System::linearise`].
    fn apply_stiffness(&mut self, x: &[f64], out: &mut [f64]);

    /// out = K(0) x.
    fn apply_rest_stiffness(&mut self, x: &[f64], out: &mut [f64]);

    /// Factorises the sum that [`Weights`] states, of the last [`System::linearise`].
    ///
    /// # Errors
    /// [`NotDefinite`] when it is not positive definite.
    fn factorise(&mut self, weights: &Weights) -> Result<(), NotDefinite>;

    /// x ← (what was factorised)⁻¹ x.
    fn solve(&mut self, x: &mut [f64]);

    /// Factorises m M + L once and for all, L a constant stand-in for the stiffness: for solids the Hessian of the
    /// projective energy (C17 eq. 3.4), else K(0).
    ///
    /// # Errors
    /// [`NotDefinite`] when it is not positive definite.
    fn factorise_fixed(&mut self, mass: f64) -> Result<(), NotDefinite>;

    /// x ← (m M + L)⁻¹ x.
    fn solve_fixed(&mut self, x: &mut [f64]);

    /// The gradient of the projective energy, L q − J p (C17 eq. 3.3), in place of f_int. `false` and nothing in `out`
    /// when the system has none.
    fn projective_force(&mut self, q: &[f64], out: &mut [f64]) -> bool;

    /// The oscillators of a system whose f_int is K(0) q for every q and whose coordinates are few; computed when the
    /// system was made. `None` for all others.
    fn modes(&self) -> Option<Arc<Modes>> {
        None
    }

    /// The loads' stiffness at the last [`System::linearise`]. `None` where no load depends on q, and for systems
    /// without [`System::modes`], of which nobody asks it.
    fn load_stiffness(&self) -> Option<&DenseSymmetric> {
        None
    }

    /// The loads' damping at the last [`System::linearise`]. `None` where no load depends on v, and for systems without
    /// [`System::modes`], of which nobody asks it.
    fn load_damping(&self) -> Option<&DenseSymmetric> {
        None
    }
}

/// ½ vᵀ M v, J; `scratch` has the size of v.
pub fn kinetic_energy(system: &mut dyn System, v: &[f64], scratch: &mut [f64]) -> f64 {
    system.apply_mass(v, scratch);
    0.5 * dot(v, scratch)
}
