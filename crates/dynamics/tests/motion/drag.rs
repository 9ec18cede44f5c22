//! Loads that depend on the velocity, and what loads give to a body.

use pliant_dynamics::integrator::{ALL, BackwardEuler, Newmark};
use pliant_dynamics::{
    Damping, DampingKind, Integrator, Options, Settings, Start, State, StepError, System, kinetic_energy,
    start, statics,
};
use pliant_linalg::ignore_progress;
use pliant_testkit::order::observed;

use crate::order::{STEPS, at_one};
use crate::systems::{Law, Toy};
use crate::{damped, run, tight};

#[test]
fn linear_drag_is_the_exact_damped_oscillator_with_the_stated_order() {
    // m q̈ + c q̇ + k q = 0 from q = 1 at rest: the damping is all in the load.
    let (m, k, c): (f64, f64, f64) = (2.0, 50.0, 3.0);
    let (decay, omega) = (c / (2.0 * m), (k / m - (c / (2.0 * m)).powi(2)).sqrt());
    let exact = (-decay).exp() * (omega.cos() + decay / omega * omega.sin());
    for entry in &ALL {
        let error = |dt| {
            let mut toy = Toy::oscillator(m, k);
            toy.drag = [c, 0.0];
            (at_one(entry.name, toy, Damping::default(), (&[1.0], &[0.0]), dt)[0] - exact).abs()
        };
        let h = if entry.order == 1 { 0.05 } else { 0.5 };
        let order = observed(&STEPS.map(|dt| h * dt), error);
        // The mean velocity of a step, by which exact oscillators have their drag, is that of its middle.
        let wanted = if entry.linear_only { 2 } else { entry.order };
        assert!((order - f64::from(wanted)).abs() < 0.1, "{}: order {order:.3}", entry.name);
    }
}

#[test]
fn drag_as_a_load_is_damping_by_mass() {
    // −c v of equal masses is α M v with α = c/m: the same equation, solved by the same steps.
    let of = |as_load: bool, mut make: Box<dyn Integrator>| {
        let mut toy = Toy::pendulum(2.0, 40.0);
        toy.drag = if as_load { [0.6, 0.0] } else { [0.0; 2] };
        let damping = damped(if as_load { 0.0 } else { 0.3 }, 0.0, DampingKind::Tangent);
        let mut state = State::at_rest(4);
        (state.v[2], state.v[3]) = (0.3, 1.0);
        start(&mut toy, &mut state, &damping, Start::FromLoad).unwrap();
        make.renew(damping);
        run(&mut *make, &mut toy, &mut state, 0.01, 100);
        state.q
    };
    for entry in ALL.iter().filter(|entry| !entry.linear_only && entry.name != "quasi-newton-projective") {
        let make = || (entry.make)(tight(Damping::default()));
        let apart = crate::distance(&of(true, make()), &of(false, make()));
        assert!(apart < 1e-9, "{}: {apart:e}", entry.name);
    }
}

#[test]
fn newton_doubles_its_digits_with_quadratic_drag() {
    for name in ["newmark", "backward-euler"] {
        let entry = ALL.find(name).unwrap();
        let residual = |cap: usize| {
            let mut toy = Toy::oscillator(1.0, 30.0);
            toy.drag = [0.0, 20.0];
            let options =
                Options { tolerance: 1e-15, iterations: Some(cap), halvings: 0, ..Options::default() };
            let mut state = State { t: 0.0, q: vec![0.1], v: vec![3.0], a: vec![0.0] };
            start(&mut toy, &mut state, &Damping::default(), Start::FromLoad).unwrap();
            let mut integrator = (entry.make)(Settings { options, ..Settings::default() });
            integrator.step(&mut toy, &mut state, 0.02).unwrap().residual
        };
        let all: Vec<f64> = (1..8).map(residual).collect();
        let near = all.iter().position(|r| *r < 0.1).expect("it converges");
        for pair in all[near..].windows(2).take_while(|pair| pair[0] > 1e-7) {
            assert!(pair[1] < 2.0 * pair[0] * pair[0] + 1e-14, "{name}: {all:?}");
        }
        assert!(all[near + 4.min(all.len() - 1 - near)] < 1e-13, "{name}: {all:?}");
    }
}

#[test]
fn drag_takes_energy_in_every_step() {
    for drag in [[2.0, 0.0], [0.0, 5.0], [1e6, 0.0]] {
        for dt in [0.01, 0.3, 20.0] {
            for entry in &ALL {
                let mut toy = Toy::chain(5, 1.0, 100.0);
                toy.drag = drag;
                let mut state = State::at_rest(5);
                state.q.copy_from_slice(&[0.1, -0.3, 0.2, 0.5, 0.0]);
                start(&mut toy, &mut state, &Damping::default(), Start::FromLoad).unwrap();
                let mut scratch = [0.0; 5];
                let mut energy = |toy: &mut Toy, state: &State| {
                    toy.elastic_energy(&state.q).unwrap() + kinetic_energy(toy, &state.v, &mut scratch)
                };
                let first = energy(&mut toy, &state);
                let mut integrator = (entry.make)(tight(Damping::default()));
                let mut last = first;
                for step in 0..200 {
                    integrator.step(&mut toy, &mut state, dt).unwrap();
                    let now = energy(&mut toy, &state);
                    let what = format!("{}, {drag:?}, dt {dt}, step {step}", entry.name);
                    assert!(now <= last * (1.0 + 1e-9), "{what}: {last} → {now}");
                    last = now;
                }
                // In so few so long steps the mean velocity, by which modal has its drag, is next to nothing.
                assert!(
                    last < if dt > 1.0 { 0.9999 } else { 0.999 } * first,
                    "{}, {drag:?}, dt {dt}: {first} → {last}",
                    entry.name
                );
            }
        }
    }
}

#[test]
fn a_large_body_with_drag_converges_by_every_method() {
    for entry in ALL.iter().filter(|entry| !entry.linear_only && entry.name != "quasi-newton-projective") {
        let mut toy = Toy::cantilever(6, 1e4, Law::Green);
        toy.drag = [0.2, 0.5];
        toy.load = |_, _, out| (0..out.len()).for_each(|i| out[i] = if i % 2 == 1 { -3.0 } else { 0.0 });
        let mut state = State::at_rest(toy.size());
        let mut integrator = (entry.make)(Settings::default());
        for step in 0..60 {
            let report = integrator.step(&mut toy, &mut state, 0.01).unwrap();
            assert!(report.converged && report.halvings == 0, "{}, step {step}: {report:?}", entry.name);
        }
    }
}

#[test]
fn statics_and_the_first_acceleration_know_the_velocity() {
    let mut toy = Toy::oscillator(2.0, 50.0);
    toy.drag = [3.0, 0.0];
    toy.load = |_, _, out| out[0] = 10.0;
    let mut state = State { t: 0.0, q: vec![0.1], v: vec![1.5], a: vec![0.0] };
    start(&mut toy, &mut state, &Damping::default(), Start::FromLoad).unwrap();
    assert!((state.a[0] - (10.0 - 50.0 * 0.1 - 3.0 * 1.5) / 2.0).abs() < 1e-14, "{}", state.a[0]);
    let mut q = [0.0];
    statics::solve(&mut toy, 0.0, &mut q, &statics::Loading::default(), &mut ignore_progress).unwrap();
    assert!((q[0] - 0.2).abs() < 1e-9, "a body at rest has no drag: {}", q[0]);
}

#[test]
fn a_constant_force_gives_its_impulse() {
    for entry in &ALL {
        let mut toy = Toy::chain(3, 1.0, 9.0);
        toy.load = |_, _, out| out.copy_from_slice(&[1.0, -2.0, 0.5]);
        let mut state = State::at_rest(3);
        let mut integrator = (entry.make)(Settings::default());
        integrator.step(&mut toy, &mut state, 0.05).unwrap();
        for (got, force) in integrator.impulse().iter().zip([1.0, -2.0, 0.5]) {
            assert!((got - 0.05 * force).abs() < 1e-15, "{}: {got}", entry.name);
        }
        assert!(integrator.step(&mut toy, &mut state, -1.0).is_err());
        assert_eq!(integrator.impulse(), [0.0; 3], "{}: a step that failed", entry.name);
    }
}

#[test]
fn momentum_is_what_the_loads_gave_less_what_the_body_took() {
    // M (v − v₀) = impulse − dt f_int(q) for backward Euler, and the impulse is dt f_ext(q, v).
    let mut toy = Toy::pendulum(2.0, 40.0);
    (toy.drag, toy.load_stiffness) = ([0.5, 1.0], 7.0);
    toy.load = |t, _, out| out.copy_from_slice(&[0.0, 0.0, 0.0, -5.0 * (1.0 + t).sin()]);
    let mut state = State::at_rest(4);
    state.v[3] = 2.0;
    let mut euler = BackwardEuler::new(tight(Damping::default()));
    let (mut internal, mut external, dt) = ([0.0; 4], [0.0; 4], 0.02);
    for _ in 0..50 {
        let before = state.v.clone();
        euler.step(&mut toy, &mut state, dt).unwrap();
        toy.internal_force(&state.q, &mut internal).unwrap();
        toy.external_force(state.t, &state.q, &state.v, &mut external);
        for i in 2..4 {
            let gained = 2.0 * (state.v[i] - before[i]);
            let given = euler.impulse()[i] - dt * internal[i];
            assert!((gained - given).abs() < 1e-10, "{gained} and {given}");
            assert!((euler.impulse()[i] - dt * external[i]).abs() < 1e-14);
        }
    }
}

#[test]
fn the_impulse_of_a_halved_step_is_that_of_its_parts() {
    // Finite only near the truth, as in the test of halving; a steady push beside it.
    let mut toy = Toy::oscillator(1.0, 1.0);
    toy.load = |t, q, out| out[0] = if (q[0] - t).abs() < 0.3 { 0.125 } else { f64::NAN };
    let mut state = State { t: 0.0, q: vec![0.0], v: vec![1.0], a: vec![0.0] };
    let mut newmark = Newmark::new(Settings::default());
    let report = newmark.step(&mut toy, &mut state, 1.0).unwrap();
    assert!(report.halvings >= 1, "{report:?}");
    assert_eq!(newmark.impulse(), [0.125], "powers of two: no rounding");
}

#[test]
fn a_copy_takes_the_same_steps() {
    for entry in &ALL {
        let make = || {
            let mut toy = Toy::chain(4, 1.0, 300.0);
            toy.load = |t, _, out| (0..4).for_each(|i| out[i] = (5.0 * t + i as f64).sin());
            (toy.drag, toy.load_stiffness) = ([0.3, 0.0], 2.0);
            toy
        };
        let (mut toy, mut state) = (make(), State::at_rest(4));
        let mut integrator = (entry.make)(Settings::default());
        run(&mut *integrator, &mut toy, &mut state, 0.01, 20);
        let (mut copy, mut other) = (integrator.duplicate(), state.clone());
        let mut twin = toy.clone();
        run(&mut *integrator, &mut toy, &mut state, 0.01, 20);
        run(&mut *copy, &mut twin, &mut other, 0.01, 20);
        assert_eq!(state, other, "{}", entry.name);
    }
}

#[test]
fn integrators_can_be_shared_between_threads() {
    fn shared<T: Send + Sync>() {}
    shared::<Box<dyn Integrator>>();
    shared::<StepError>();
}
