//! Orders of convergence, energy, damping, and the first acceleration.

use pliant_dynamics::integrator::{self, ALL, Newmark};
use pliant_dynamics::{
    Damping, DampingKind, Integrator, Settings, Start, State, System, kinetic_energy, start,
};
use pliant_testkit::order::observed;

use crate::systems::Toy;
use crate::{damped, distance, run, tight};

pub(crate) const STEPS: [f64; 4] = [0.02, 0.01, 0.005, 0.0025];

/// A force that starts gently and pulls all numbers.
fn swell(t: f64, _: &[f64], out: &mut [f64]) {
    out.iter_mut().enumerate().for_each(|(i, out)| *out = (3.0 * t).sin() * (1.0 + i as f64));
}

fn kinds() -> [Damping; 4] {
    let tangent = DampingKind::Tangent;
    [
        Damping::default(),
        damped(0.4, 0.0, tangent),
        damped(0.1, 0.02, tangent),
        damped(0.1, 0.02, DampingKind::Rest),
    ]
}

/// The state at t = 1 of `toy` from q, v.
pub(crate) fn at_one(
    name: &str,
    mut toy: Toy,
    damping: Damping,
    (q, v): (&[f64], &[f64]),
    dt: f64,
) -> Vec<f64> {
    let mut state = State { t: 0.0, q: q.to_vec(), v: v.to_vec(), a: vec![0.0; q.len()] };
    let mut settings = tight(damping);
    // The projective variant stops after 10 by itself; the systems here are those for which its gradient is exact.
    settings.options.iterations = Some(400);
    start(&mut toy, &mut state, &damping, Start::FromLoad).unwrap();
    let mut integrator = (integrator::find(name).unwrap().make)(settings);
    run(&mut *integrator, &mut toy, &mut state, dt, (1.0 / dt).round() as usize);
    state.q
}

/// Asserts the order that the table states, against the same motion by a fine second-order step.
fn assert_order(what: &str, make: impl Fn() -> Toy, start: (&[f64], &[f64]), dampings: &[Damping]) {
    for &damping in dampings {
        let truth = |dt| at_one("newmark", make(), damping, start, dt);
        let (a, b) = (truth(5e-4), truth(2.5e-4));
        let exact: Vec<f64> = a.iter().zip(&b).map(|(a, b)| b + (b - a) / 3.0).collect();
        for entry in ALL.iter().filter(|entry| !entry.linear_only || make().modes().is_some()) {
            let error = |dt| distance(&at_one(entry.name, make(), damping, start, dt), &exact);
            // A first-order scheme needs finer steps to show its slope.
            let steps = STEPS.map(|h| if entry.order == 1 { 0.2 * h } else { h });
            let order = observed(&steps, error);
            let wanted = f64::from(entry.order);
            assert!((order - wanted).abs() < 0.1, "{what}, {}: order {order:.3}, {damping:?}", entry.name);
        }
    }
}

#[test]
fn a_linear_chain_converges_with_the_stated_order() {
    let make = || {
        let mut toy = Toy::chain(3, 1.0, 9.0);
        toy.load = swell;
        toy
    };
    assert_order("chain", make, (&[0.3, 0.0, -0.1], &[0.0, 1.0, 0.0]), &kinds());
}

#[test]
fn a_swinging_pendulum_converges_with_the_stated_order() {
    let make = || {
        let mut toy = Toy::pendulum(1.0, 40.0);
        toy.load = |_, _, out| (0..out.len()).for_each(|i| out[i] = if i % 2 == 1 { -5.0 } else { 0.0 });
        toy
    };
    assert_order("pendulum", make, (&[0.0; 4], &[0.0, 0.0, 0.5, 0.0]), &kinds());
}

#[test]
fn duffings_oscillator_converges_with_the_stated_order() {
    // The projective gradient knows nothing of the cubic term, and modal wants linear forces.
    for damping in kinds() {
        let make = || {
            let mut toy = Toy::oscillator(1.0, 4.0);
            (toy.cubic, toy.load) = (6.0, swell);
            toy
        };
        let run = |name, dt| at_one(name, make(), damping, (&[1.0], &[0.5]), dt)[0];
        let (a, b) = (run("newmark", 5e-4), run("newmark", 2.5e-4));
        let exact = b + (b - a) / 3.0;
        for entry in ALL.iter().filter(|e| e.name != "quasi-newton-projective" && !e.linear_only) {
            let steps = STEPS.map(|h| if entry.order == 1 { 0.2 * h } else { h });
            let order = observed(&steps, |dt| (run(entry.name, dt) - exact).abs());
            assert!((order - f64::from(entry.order)).abs() < 0.1, "{}: {order:.3}, {damping:?}", entry.name);
        }
    }
}

#[test]
fn all_meet_the_exact_oscillator() {
    // m q̈ + c q̇ + k q = 0, c = α m + β k, from q = 1 at rest.
    let (m, k) = (2.0, 50.0);
    for damping in kinds() {
        let c: f64 = damping.mass * m + damping.stiffness * k;
        let (decay, omega) = (c / (2.0 * m), (k / m - (c / (2.0 * m)).powi(2)).sqrt());
        let exact = (-decay).exp() * (omega.cos() + decay / omega * omega.sin());
        for entry in &ALL {
            let h = if entry.order == 1 { 0.05 } else { 0.5 };
            let error = |dt| {
                (at_one(entry.name, Toy::oscillator(m, k), damping, (&[1.0], &[0.0]), dt)[0] - exact).abs()
            };
            if entry.linear_only {
                // Without a load there is nothing that it does not have exactly, in a few long steps.
                assert!(error(0.5) < 1e-14 && error(0.01) < 1e-13, "{}: {:e}", entry.name, error(0.5));
                continue;
            }
            let order = observed(&STEPS.map(|dt| h * dt), error);
            assert!((order - f64::from(entry.order)).abs() < 0.1, "{}: {order:.3}, {damping:?}", entry.name);
        }
    }
}

#[test]
fn one_step_is_the_formula() {
    let (m, k, dt, q0, v0, a0) = (2.0, 50.0, 0.1, 0.3, -0.7, 1.9);
    let mut state = State { t: 0.0, q: vec![q0], v: vec![v0], a: vec![a0] };
    // (K + a₁ M + a₄ C) d = f − K q₀ + M (a₂ v₀ + a₃ a₀) − C (a₅ v₀ + a₆ a₀), β = 0.3, γ = 0.6.
    let (b, g) = (0.3, 0.6);
    let damping = damped(0.5, 0.01, DampingKind::Rest);
    let c = 0.5 * m + 0.01 * k;
    let right = 7.0 - k * q0 + m * (v0 / (b * dt) + (1.0 - 2.0 * b) / (2.0 * b) * a0)
        - c * ((1.0 - g / b) * v0 + (1.0 - g / (2.0 * b)) * dt * a0);
    let d = right / (k + m / (b * dt * dt) + c * g / (b * dt));
    let mut toy = Toy::oscillator(m, k);
    toy.load = |t, _, out| out[0] = if t == 0.1 { 7.0 } else { f64::NAN };
    let report = Newmark::with(b, g, tight(damping)).unwrap().step(&mut toy, &mut state, dt).unwrap();
    assert!((state.q[0] - q0 - d).abs() < 1e-14, "{} vs {d}", state.q[0] - q0);
    assert_eq!((report.iterations, report.halvings, report.converged, state.t), (1, 0, true, 0.1));
    let (mut euler, mut state) =
        (integrator::find("backward-euler").unwrap().make)(tight(damping)).pair(q0, v0);
    euler.step(&mut toy, &mut state, dt).unwrap();
    let v = (v0 + dt * (7.0 - k * q0) / m) / (1.0 + dt * (c + dt * k) / m);
    assert!((state.v[0] - v).abs() < 1e-13 && (state.q[0] - q0 - dt * v).abs() < 1e-14);
    assert!((state.a[0] - (v - v0) / dt).abs() < 1e-12);
}

/// Sugar for the test above.
trait Pair {
    fn pair(self, q: f64, v: f64) -> (Box<dyn Integrator>, State);
}

impl Pair for Box<dyn Integrator> {
    fn pair(self, q: f64, v: f64) -> (Box<dyn Integrator>, State) {
        (self, State { t: 0.0, q: vec![q], v: vec![v], a: vec![0.0] })
    }
}

#[test]
fn the_energy_of_a_linear_system_stays_or_falls_as_stated() {
    for entry in &ALL {
        let mut toy = Toy::chain(5, 1.0, 100.0);
        let mut state = State::at_rest(5);
        state.q.copy_from_slice(&[0.1, -0.3, 0.2, 0.5, 0.0]);
        start(&mut toy, &mut state, &Damping::default(), Start::FromLoad).unwrap();
        let mut scratch = [0.0; 5];
        let mut energy = |toy: &mut Toy, state: &State| {
            toy.elastic_energy(&state.q).unwrap() + kinetic_energy(toy, &state.v, &mut scratch)
        };
        let first = energy(&mut toy, &state);
        let mut integrator = (entry.make)(tight(Damping::default()));
        let (mut last, mut drift) = (first, 0.0f64);
        for _ in 0..10_000 {
            integrator.step(&mut toy, &mut state, 0.05).unwrap();
            let now = energy(&mut toy, &state);
            assert!(entry.keeps_energy || now <= last * (1.0 + 1e-12), "{}: {last} → {now}", entry.name);
            drift = drift.max((now / first - 1.0).abs());
            last = now;
        }
        if entry.keeps_energy {
            assert!(drift < 1e-10, "{}: energy drifts by {drift:.1e} in 10,000 steps", entry.name);
        } else {
            assert!(last < 1e-3 * first, "{}: damps by itself", entry.name);
        }
    }
}

#[test]
fn a_rest_damped_pendulum_is_held_back_and_a_tangent_damped_one_is_not() {
    // Rotation stretches nothing: K(q) v = 0 for the motion of a circle, K(0) v is not.
    let turned = |kind| {
        let mut toy = Toy::pendulum(1.0, 400.0);
        let mut state = State::at_rest(4);
        state.v[3] = 1.0;
        let damping = damped(0.0, 0.02, kind);
        start(&mut toy, &mut state, &damping, Start::FromLoad).unwrap();
        run(&mut Newmark::new(tight(damping)), &mut toy, &mut state, 0.01, 100);
        state.q[3].atan2(1.0 + state.q[2])
    };
    let (tangent, rest) = (turned(DampingKind::Tangent), turned(DampingKind::Rest));
    assert!(tangent > 0.98, "turns freely: {tangent}");
    assert!(rest < 0.8 * tangent, "is held back: {rest}");
}

#[test]
fn from_load_is_second_order_and_zero_is_not() {
    let error = |first: Start, dt: f64| {
        let mut toy = Toy::oscillator(1.0, 4.0);
        toy.load = |_, _, out| out[0] = 3.0;
        let mut state = State::at_rest(1);
        start(&mut toy, &mut state, &Damping::default(), first).unwrap();
        assert_eq!(state.a[0], if first == Start::Zero { 0.0 } else { 3.0 });
        run(
            &mut Newmark::new(tight(Damping::default())),
            &mut toy,
            &mut state,
            dt,
            (1.0 / dt).round() as usize,
        );
        (state.q[0] - 0.75 * (1.0 - 2f64.cos())).abs()
    };
    let order = |first| observed(&STEPS, |dt| error(first, dt));
    assert!((order(Start::FromLoad) - 2.0).abs() < 0.05 && (order(Start::Zero) - 1.0).abs() < 0.1);
}

#[test]
fn the_first_acceleration_balances_all_forces() {
    for damping in kinds() {
        let mut toy = Toy::pendulum(2.0, 40.0);
        toy.load = swell;
        let mut state =
            State { t: 0.3, q: vec![0.0, 0.0, 0.2, 0.4], v: vec![0.0, 0.0, -1.0, 0.5], a: vec![9.0; 4] };
        start(&mut toy, &mut state, &damping, Start::FromLoad).unwrap();
        // The spring: x = (1.2, 0.4), l = 1, and its K by differences of its force.
        let force = |x: [f64; 2]| [0, 1].map(|c| 40.0 * x[c] * (1.0 - 1.0 / x[0].hypot(x[1])));
        let rate = |x: [f64; 2]| {
            let h = 1e-6;
            let (a, b) = (force([x[0] - h, x[1] + 0.5 * h]), force([x[0] + h, x[1] - 0.5 * h]));
            [0, 1].map(|c| (a[c] - b[c]) / (2.0 * h))
        };
        let x = if damping.kind == DampingKind::Tangent { [1.2, 0.4] } else { [1.0, 0.0] };
        for c in 0..2 {
            let viscous = damping.mass * 2.0 * state.v[2 + c] + damping.stiffness * rate(x)[c];
            let wanted = (0.9f64.sin() * (3.0 + c as f64) - viscous - force([1.2, 0.4])[c]) / 2.0;
            assert!((state.a[2 + c] - wanted).abs() < 1e-7, "{} vs {wanted}, {damping:?}", state.a[2 + c]);
        }
        assert_eq!(state.a[..2], [0.0, 0.0], "held");
    }
}

#[test]
fn a_load_acts_in_the_steps_that_end_in_its_window() {
    // From 0.2 to 0.4 by 0.1: in three steps, those that end at 0.2, 0.3, 0.4; momentum 3 · 0.1 · 5 by Euler.
    let mut toy = Toy::oscillator(2.0, 0.0);
    toy.load = |t, _, out| out[0] = if (0.2 - 1e-12..=0.4 + 1e-12).contains(&t) { 5.0 } else { 0.0 };
    let mut state = State::at_rest(1);
    let mut euler = (integrator::find("backward-euler").unwrap().make)(Settings::default());
    run(&mut *euler, &mut toy, &mut state, 0.1, 8);
    assert!((state.v[0] - 1.5 / 2.0).abs() < 1e-12, "{}", state.v[0]);
}
