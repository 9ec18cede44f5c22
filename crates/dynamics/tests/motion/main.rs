//! Integrators and statics on small systems whose answers are known.

mod broyden;
mod drag;
mod failing;
mod modal;
mod newton;
mod order;
mod quasi_newton;
mod rest;
mod systems;

use pliant_dynamics::{Damping, DampingKind, Integrator, Options, Settings, State, System};

/// Tight, so that the error of the scheme is all there is.
fn tight(damping: Damping) -> Settings {
    Settings { damping, options: Options { tolerance: 1e-12, halvings: 4, ..Options::default() } }
}

fn damped(mass: f64, stiffness: f64, kind: DampingKind) -> Damping {
    Damping { mass, stiffness, kind }
}

/// Takes `steps` steps that all converge.
fn run(integrator: &mut dyn Integrator, system: &mut dyn System, state: &mut State, dt: f64, steps: usize) {
    for _ in 0..steps {
        integrator.step(system, state, dt).expect("an easy step");
    }
}

fn distance(x: &[f64], y: &[f64]) -> f64 {
    x.iter().zip(y).map(|(x, y)| (x - y).powi(2)).sum::<f64>().sqrt()
}
