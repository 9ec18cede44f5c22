//! Exact oscillators: constant loads, stiff springs, and what they refuse.

use pliant_dynamics::integrator::{Modal, Newmark};
use pliant_dynamics::{
    Damping, DampingKind, Integrator, Settings, Start, State, StepError, System, kinetic_energy, start,
};

use crate::systems::{Law, Toy};
use crate::{damped, distance, run, tight};

fn thrown(toy: &mut Toy, damping: &Damping) -> State {
    let n = toy.size();
    let mut state = State::at_rest(n);
    (0..n).for_each(|i| (state.q[i], state.v[i]) = (0.1 * (i as f64).sin(), (3.0 * i as f64).cos()));
    start(toy, &mut state, damping, Start::FromLoad).unwrap();
    state
}

#[test]
fn a_constant_load_is_met_exactly_by_any_length_of_step() {
    for damping in
        [Damping::default(), damped(0.3, 0.02, DampingKind::Rest), damped(4.0, 1.0, DampingKind::Tangent)]
    {
        let make = || {
            let mut toy = Toy::chain(6, 1.0, 40.0);
            toy.load = |_, _, out| (0..6).for_each(|i| out[i] = 3.0 - i as f64);
            toy
        };
        let at = |steps: usize| {
            let mut toy = make();
            let mut state = thrown(&mut toy, &damping);
            run(&mut Modal::new(tight(damping)), &mut toy, &mut state, 1.0 / steps as f64, steps);
            state
        };
        let (one, many) = (at(1), at(1000));
        assert!(distance(&one.q, &many.q) < 1e-12 && distance(&one.v, &many.v) < 1e-11, "{damping:?}");
        assert!(distance(&one.a, &many.a) < 1e-10, "{damping:?}");
        let newmark = |steps: usize| {
            let mut toy = make();
            let mut state = thrown(&mut toy, &damping);
            run(&mut Newmark::new(tight(damping)), &mut toy, &mut state, 1.0 / steps as f64, steps);
            state.q
        };
        let (a, b) = (newmark(2000), newmark(4000));
        let fine: Vec<f64> = a.iter().zip(&b).map(|(a, b)| b + (b - a) / 3.0).collect();
        let error = distance(&fine, &one.q);
        assert!(error < 1e-8, "{damping:?}: {error:e} from a fine Newmark");
    }
}

#[test]
fn a_free_mass_falls() {
    // λ = 0: z = g t²/2 to the last digit, in one step or in many.
    let mut toy = Toy::oscillator(2.0, 0.0);
    toy.load = |_, _, out| out[0] = -9.81 * 2.0;
    for steps in [1, 100] {
        let mut state = State::at_rest(1);
        run(
            &mut Modal::new(Settings::default()),
            &mut toy,
            &mut state,
            3.0 / f64::from(steps),
            steps as usize,
        );
        assert!((state.q[0] / (-0.5 * 9.81 * 9.0) - 1.0).abs() < 1e-13, "{}", state.q[0]);
        assert!((state.a[0] + 9.81).abs() < 1e-12);
    }
}

#[test]
fn a_spring_of_any_stiffness_is_stable_at_any_step() {
    for stiffness in [1.0, 1e3, 1e7, 1e12] {
        for dt in [1e-3, 1.0 / 60.0, 0.7, 50.0] {
            let mut toy = Toy::chain(5, 1.0, 100.0);
            toy.load_stiffness = stiffness;
            let mut state = thrown(&mut toy, &Damping::default());
            let mut scratch = [0.0; 5];
            let mut energy = |toy: &mut Toy, state: &State| {
                toy.elastic_energy(&state.q).unwrap()
                    + kinetic_energy(toy, &state.v, &mut scratch)
                    + toy.load_potential(0.0, &state.q, &state.v)
            };
            let mut modal = Modal::new(tight(Damping::default()));
            let mut last = energy(&mut toy, &state);
            for _ in 0..300 {
                let report = modal.step(&mut toy, &mut state, dt).unwrap();
                assert!(report.iterations <= 6 && report.halvings == 0, "{stiffness:e}, {dt}: {report:?}");
                let now = energy(&mut toy, &state);
                assert!(now <= last * (1.0 + 1e-9), "{stiffness:e}, {dt}: {last} → {now}");
                last = now;
            }
        }
    }
}

#[test]
fn a_spring_acts_as_its_stiffness_says() {
    // The spring as a load and as a part of the body: the same motion as dt goes to zero, to first order.
    let at = |inside: bool, steps: usize| {
        let mut toy = Toy::oscillator(2.0, if inside { 80.0 } else { 50.0 });
        toy.load_stiffness = if inside { 0.0 } else { 30.0 };
        let mut state = State { t: 0.0, q: vec![1.0], v: vec![0.0], a: vec![0.0] };
        run(&mut Modal::new(tight(Damping::default())), &mut toy, &mut state, 1.0 / steps as f64, steps);
        state.q[0]
    };
    let (exact, coarse, fine) = (at(true, 1), at(false, 1000), at(false, 2000));
    let ratio = (coarse - exact) / (fine - exact);
    assert!((exact - 40f64.sqrt().cos()).abs() < 1e-14);
    assert!((ratio - 2.0).abs() < 0.02 && (fine - exact).abs() < 5e-3, "{coarse} {fine} → {exact}: {ratio}");
}

#[test]
fn forces_that_are_not_linear_are_refused() {
    let mut toy = Toy::cantilever(2, 1e3, Law::Hooke);
    let mut state = State::at_rest(toy.size());
    let error = Modal::new(Settings::default()).step(&mut toy, &mut state, 0.1).unwrap_err();
    assert_eq!(error, StepError::NotLinear);
    assert!(error.to_string().contains("needs linear forces"), "{error}");
}
