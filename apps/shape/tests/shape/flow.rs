//! Lemma 1 three ways: all modes, block Lanczos, and the gradient flow step by step.

use pliant_energy::{Body, MassKind, Recipe, Tangent};
use pliant_linalg::{Cholesky, Vec3, ignore_progress, par};
use pliant_mesh::{select, shapes};
use pliant_shape::{Spectrum, flow};

use crate::shells::{apart, body, potato};

fn by_modes(body: &Body, rigid: bool, v: u32, times: &[f64]) -> Vec<f64> {
    let all = body.dofs().free().len() - body.rigid_count();
    let spectrum = Spectrum::vibration(body, all, rigid, &mut ignore_progress).expect("all modes");
    spectrum.signature(times).of_vertex(v)
}

fn exactly(body: &Body, rigid: bool, v: &[u32], times: &[f64]) -> flow::Flow {
    let options = flow::Options { tolerance: 1e-10, rigid };
    let found = flow::signature_quietly(body, v, times, &options).expect("a signature");
    assert!(found.converged, "{found:?}");
    found
}

/// S_t = Σ ‖x_α(t/2)‖² by M x' = −K x from x_α = M⁻¹ e_α, in `steps` steps of an L-stable method of second order.
fn stepped(body: &Body, v: u32, t: f64, steps: usize) -> f64 {
    let mut K = body.zero_matrix();
    body.stiffness(&vec![0.0; body.size()], Tangent::Exact, &mut K).expect("at rest");
    let gamma = 1.0 - 0.5_f64.sqrt();
    let step = 0.5 * t / steps as f64;
    let mut A = K.clone();
    A.scale(gamma * step);
    A.add_per_axis(1.0, body.mass());
    let mut factor = Cholesky::<3>::analyse(A.pattern(), body.dofs()).expect("a pattern");
    factor.factorise(&A).expect("positive definite");
    let slope = |x: &[f64]| {
        let mut k = vec![0.0; x.len()];
        K.apply(x, &mut k);
        k.iter_mut().for_each(|k| *k = -*k);
        factor.solve(&mut k);
        k
    };
    let mut sum = 0.0;
    for axis in 0..3 {
        let mut x = vec![0.0; body.size()];
        x[3 * v as usize + axis] = 1.0 / body.vertex_masses()[v as usize];
        for _ in 0..steps {
            let first = slope(&x);
            let mut inner = x.clone();
            par::axpy((1.0 - gamma) * step, &first, &mut inner);
            let second = slope(&inner);
            par::axpy((1.0 - gamma) * step, &first, &mut x);
            par::axpy(gamma * step, &second, &mut x);
        }
        let mut Mx = vec![0.0; x.len()];
        body.mass().apply_per_axis(&x, &mut Mx);
        sum += par::dot(&x, &Mx);
    }
    sum
}

#[test]
fn lemma_1_three_ways() {
    let mesh = potato(5);
    let body = body(&mesh);
    let v = 17;
    let slow = Spectrum::vibration(&body, 1, true, &mut ignore_progress).expect("a mode").eigenvalues[0];
    let times = [0.03 / slow, 0.3 / slow, 3.0 / slow];
    let modes = by_modes(&body, true, v, &times);
    let lanczos = exactly(&body, true, &[v], &times);
    for (a, b) in modes.iter().zip(&lanczos.values[0]) {
        assert!((a / b - 1.0).abs() < 1e-8, "{a} and {b}");
    }
    for (&t, exact) in times.iter().zip(&modes) {
        let at = |steps: usize| stepped(&body, v, t, steps);
        let [few, more, most] = [200, 400, 800].map(at);
        let order = ((few - exact) / (more - exact)).abs().log2();
        assert!((order - 2.0).abs() < 0.1, "order {order} at {t}");
        // Second and third order taken away.
        let [low, high] = [more + (more - few) / 3.0, most + (most - more) / 3.0];
        let best = high + (high - low) / 7.0;
        assert!((best / exact - 1.0).abs() < 1e-8, "{best} for {exact} at {t}");
    }
}

#[test]
fn held_bodies_solids_and_full_masses() {
    let bar = shapes::bar(Vec3::new(1.0, 0.3, 0.2), [5, 2, 1]).into_data();
    let fixed = vec![select::select(&bar, "x<1%").expect("a slab")];
    for mass in [MassKind::Lumped, MassKind::Consistent] {
        let recipe = Recipe { mass: Some(mass), fixed: fixed.clone(), ..Recipe::default() };
        let body = recipe.build(bar.clone()).expect("a body");
        let slow = Spectrum::vibration(&body, 1, false, &mut ignore_progress).expect("a mode").eigenvalues[0];
        let times = [0.01 / slow, 0.2 / slow, 2.0 / slow];
        let free = bar.vertices.len() as u32 - 1;
        let found = exactly(&body, false, &[free, 0], &times);
        let modes = by_modes(&body, false, free, &times);
        for (a, b) in modes.iter().zip(&found.values[0]) {
            assert!((a / b - 1.0).abs() < 1e-7, "{mass:?}: {a} and {b}");
        }
        assert_eq!(found.values[1], [0.0; 3], "what is held does not move");
    }
}

#[test]
fn several_at_once_are_what_each_is_alone() {
    let body = body(&potato(10));
    let slow = Spectrum::vibration(&body, 1, false, &mut ignore_progress).expect("a mode").eigenvalues[0];
    let times = [0.01 / slow, 1.0 / slow];
    let both = exactly(&body, false, &[5, 90], &times);
    for (k, v) in [5, 90].into_iter().enumerate() {
        // Not the same bits: how many columns the solver takes at once is part of them.
        let alone = exactly(&body, false, &[v], &times);
        assert!(apart(&alone.values[0], &both.values[k]) < 1e-10, "vertex {v}");
    }
    let usual = flow::signature_quietly(&body, &[5], &times, &flow::Options::default()).expect("a signature");
    assert!(usual.converged && usual.solves < 150 && both.solves < 450, "{} {}", usual.solves, both.solves);
    assert!(apart(&both.values[0], &usual.values[0]) < 1e-5);
    let wrong = flow::Options { tolerance: 0.0, rigid: false };
    assert!(flow::signature_quietly(&body, &[5], &times, &wrong).is_err());
    let missing = flow::signature_quietly(&body, &[100_000], &times, &flow::Options::default());
    assert!(missing.expect_err("no such vertex").to_string().contains("there is no vertex 100000"));
}
