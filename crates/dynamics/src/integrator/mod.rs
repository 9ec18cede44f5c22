//! Integrators: one file each, one line in [`ALL`].
//!
//! All but `modal` are implicit, and all evaluate loads at the end of the step, with the velocity there (`modal`: the mean one
//! of the step). They keep their memory between steps, so that only the
//! first step allocates; one integrator serves one system. The tests run over the table: a new integrator gets its
//! order and its energy balance checked for its one line.

mod backward_euler;
mod implicit;
mod lbfgs;
mod modal;
mod newmark;
mod newmark_broyden;
mod quasi_newton;

pub use backward_euler::BackwardEuler;
pub use modal::Modal;
pub use newmark::Newmark;
pub use newmark_broyden::NewmarkBroyden;
pub use quasi_newton::QuasiNewton;

use pliant_linalg::{Named, Table};

use crate::vector::{axpy, first_not_finite};
use crate::{Damping, DampingKind, Options, State, StepError, StepReport, System, Tangent};

/// Takes a state one step on.
pub trait Integrator: Send + Sync {
    /// From `state` by `dt`, s. A step that fails is halved as [`Options::halvings`] allows.
    ///
    /// # Errors
    /// [`StepError`] when the step could not be done; the state is then, bit for bit, what it was.
    fn step(&mut self, system: &mut dyn System, state: &mut State, dt: f64) -> Result<StepReport, StepError>;

    /// Tells that the mass or the stiffness of the system has changed, or that it is damped otherwise from now on: what was
    /// prepared for the old ones is computed again in the next step, in the memory that is there.
    fn renew(&mut self, damping: Damping);

    /// What each coordinate received from the loads in the last step, N s: Σ dt f_ext over its parts, of which there is one
    /// unless the step was halved, with f_ext as the integrator used it. Nothing after a step that failed.
    fn impulse(&self) -> &[f64];

    /// Another one with the same memory: it takes the same steps to the same bits, on a copy of the system.
    fn duplicate(&self) -> Box<dyn Integrator>;
}

/// What every integrator is made from.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Settings {
    /// Rayleigh damping.
    pub damping: Damping,
    /// When to stop.
    pub options: Options,
}

/// A line of the table.
pub struct Entry {
    /// The word behind `--integrator`.
    pub name: &'static str,
    /// What it is good for, in one line.
    pub about: &'static str,
    /// Order of convergence in dt, under loads that change.
    pub order: u32,
    /// Whether the energy of a linear system without damping stays what it is; else it only ever falls.
    pub keeps_energy: bool,
    /// Whether it is for linear forces only, [`System::modes`], and then exact while the loads stand still.
    pub linear_only: bool,
    /// The one material whose steps it solves to the tolerance, where there is only one.
    pub material: Option<&'static str>,
    /// Makes it.
    pub make: fn(Settings) -> Box<dyn Integrator>,
}

impl Named for Entry {
    fn name(&self) -> &'static str {
        self.name
    }
}

/// Every integrator. A new one is a file in this folder and a line here.
pub static ALL: Table<Entry> = Table::new(
    "integrator",
    &[
        Entry {
            name: "newmark",
            about: "implicit Newmark, average acceleration: second order, no damping of its own",
            order: 2,
            keeps_energy: true,
            linear_only: false,
            material: None,
            make: |settings| Box::new(Newmark::new(settings)),
        },
        Entry {
            name: "newmark-broyden",
            about: "newmark by Broyden's method: the same motion without a matrix a step, for reduced models",
            order: 2,
            keeps_energy: true,
            linear_only: false,
            material: None,
            make: |settings| Box::new(NewmarkBroyden::new(settings)),
        },
        Entry {
            name: "backward-euler",
            about: "backward Euler by Newton's method: first order, never explodes, damps what is fast",
            order: 1,
            keeps_energy: false,
            linear_only: false,
            material: None,
            make: |settings| Box::new(BackwardEuler::new(settings)),
        },
        Entry {
            name: "quasi-newton",
            about: "backward Euler by L-BFGS on one constant factorisation: cheap iterations, the same motion",
            order: 1,
            keeps_energy: false,
            linear_only: false,
            material: None,
            make: |settings| Box::new(QuasiNewton::new(settings)),
        },
        Entry {
            name: "quasi-newton-projective",
            about: "as quasi-newton, but with the projective gradient: stalls for other materials than projective",
            order: 1,
            keeps_energy: false,
            linear_only: false,
            material: Some("projective"),
            make: |settings| Box::new(QuasiNewton::projective(settings)),
        },
        Entry {
            name: "modal",
            about: "exact oscillators, for models with linear forces: any step length, nothing to solve",
            order: 1,
            keeps_energy: true,
            linear_only: true,
            material: None,
            make: |settings| Box::new(Modal::new(settings)),
        },
    ],
);

/// The line called `name`.
pub fn find(name: &str) -> Option<&'static Entry> {
    ALL.find(name)
}

/// The first acceleration.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Start {
    /// M a = f_ext(t, q, v) − C v − f_int(q).
    #[default]
    FromLoad,
    /// a = 0, although a load may act. Newmark is then of first order only: its first velocity lacks dt a / 2.
    Zero,
}

/// Sets the acceleration of the first state.
///
/// # Errors
/// [`StepError`] where the energy is not defined or a force is not finite; the state is then untouched.
pub fn start(
    system: &mut dyn System,
    state: &mut State,
    damping: &Damping,
    start: Start,
) -> Result<(), StepError> {
    start_in(system, state, damping, start, &mut Vec::new())
}

/// [`start`] that takes memory only where `scratch` has not room for 2n entries: for states that start over and over.
///
/// # Errors
/// As [`start`].
pub fn start_in(
    system: &mut dyn System,
    state: &mut State,
    damping: &Damping,
    start: Start,
    scratch: &mut Vec<f64>,
) -> Result<(), StepError> {
    let t = state.t;
    scratch.clear();
    scratch.resize(2 * state.q.len(), 0.0);
    let (a, force) = scratch.split_at_mut(state.q.len());
    if start == Start::FromLoad {
        let refuse = |out: crate::OutOfDomain| StepError::OutOfDomain { t, component: out.component };
        let not_finite = |what, x: &[f64]| match first_not_finite(x) {
            Some(worst) => Err(StepError::NotFinite { t, what, worst, halvings: 0 }),
            None => Ok(()),
        };
        system.external_force(t, &state.q, &state.v, a);
        not_finite("load", a).map_err(|error| {
            let worst = first_not_finite(a).unwrap_or(0);
            match system.load_to_blame(t, &state.q, &state.v) {
                Some(load) => StepError::LoadNotFinite { t, load, worst, halvings: 0 },
                None => error,
            }
        })?;
        system.internal_force(&state.q, force).map_err(refuse)?;
        not_finite("internal force", force)?;
        axpy(-1.0, force, a);
        if damping.mass != 0.0 {
            system.apply_mass(&state.v, force);
            axpy(-damping.mass, force, a);
        }
        if damping.stiffness != 0.0 {
            match damping.kind {
                DampingKind::Tangent => {
                    system.linearise(t, &state.q, &state.v, Tangent::Exact).map_err(refuse)?;
                    system.apply_stiffness(&state.v, force);
                }
                DampingKind::Rest => system.apply_rest_stiffness(&state.v, force),
            }
            axpy(-damping.stiffness, force, a);
        }
        system.solve_mass(a);
        not_finite("acceleration", a)?;
    }
    state.a.copy_from_slice(a);
    Ok(())
}
