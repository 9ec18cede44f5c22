//! A basis that can do everything gives the full answer; any basis gets its loads exactly.

use std::sync::Arc;

use pliant_dynamics::{System, Tangent};
use pliant_energy::load::{Loads, NodalForce, Pressure, Spring};
use pliant_linalg::{DenseSymmetric, Vec3, ignore_progress};
use pliant_reduce::{Basis, Model, ModelParts, force::Polynomial};
use pliant_sim::{Full, Live, LiveOptions, Reduced, RunOptions, Scenario, SimError, Still, Subject, compare};

use crate::make;
use crate::{difference, motion};

const EVERYTHING: &str = "dt = 0.01\nsteps = 40\ngravity = [0.5, -9.81, 0.0]\n\
    damping = { mass = 0.2, stiffness = 0.001 }\n\
    [[force]]\nvertices = [19, 18]\nvalue = [0.0, 0.3, 0.4]\nfrom = 0.05\nto = 0.2\n\
    [[pressure]]\nvalue = 200.0\nfrom = 0.1\n\
    [[spring]]\nvertex = 17\nstiffness = 40.0\npath = [[0, 0.4, 0.1, 0.0], [0.3, 0.4, 0.2, 0.1]]\n\
    [[probe]]\nname = 'tip'\nvertex = 19";

#[test]
fn the_identity_as_a_basis_gives_the_full_trajectory() {
    for material in ["stvk", "stable-neo-hookean"] {
        let mesh = make::bar([4, 1, 1]);
        let recipe = make::recipe(&mesh, material, Some("x<0%"));
        let body = recipe.build(mesh.clone()).unwrap();
        let scenario = Scenario::parse(EVERYTHING, mesh.vertices.len()).unwrap();
        let basis = make::identity(&body);
        let mut forces = vec![make::projected(), make::everything(&body)];
        if material == "stvk" {
            forces.push(make::polynomial(&body, &basis));
        }
        let mut full = Full::new(body, scenario.loads.clone()).unwrap();
        for integrator in ["newmark", "backward-euler"] {
            let (truth, u) = motion(&mut full, &scenario, integrator, None).unwrap();
            assert!(truth.stopped.is_none() && truth.probes[0].1.len() == 41, "{material}, {integrator}");
            for force in &forces {
                let what = format!("{material}, {integrator}, {}", force.name());
                let model = make::model(mesh.clone(), recipe.clone(), basis.clone(), force.clone());
                let mut reduced = Reduced::new(model, &scenario.loads).unwrap();
                let (ours, v) = motion(&mut reduced, &scenario, integrator, None).unwrap();
                assert!(ours.stopped.is_none(), "{what}");
                let worst = difference(&u, &v);
                assert!(worst < 1e-10, "{what}: {worst:.1e} of the peak");
                let (a, b) = (truth.kinetic[40], ours.kinetic[40]);
                assert!((a - b).abs() < 1e-9 * a, "{what}: kinetic energy {a} and {b}");
                assert!((truth.elastic[40] / ours.elastic[40] - 1.0).abs() < 1e-9, "{what}");
                let tip = |r: &pliant_sim::Record| r.probes[0].1[40];
                assert!((0..3).all(|c| (tip(&truth)[c] - tip(&ours)[c]).abs() < 1e-10), "{what}");
            }
        }
    }
}

#[test]
fn loads_are_projected_exactly_and_belong_together() {
    let model = make::held(make::linear(), 7);
    let body = model.body().unwrap();
    let loads = Loads {
        gravity: Vec3::new(1.0, -9.81, 0.3),
        forces: vec![NodalForce {
            vertices: vec![9, 12, 9],
            value: Vec3::new(0.1, 2.0, -3.0),
            from: 0.0,
            to: 0.5,
        }],
        pressures: vec![Pressure::always(800.0), Pressure { value: -3e3, from: 1.0, to: 2.0 }],
        springs: vec![
            Spring::always(14, 70.0, vec![(0.0, Vec3::zeros()), (2.0, Vec3::new(1.0, 2.0, 3.0))]),
            Spring { from: 0.7, to: 1.5, ..Spring::always(19, 9.0, vec![(0.0, Vec3::new(0.4, 0.3, 0.0))]) },
        ],
    };
    let mut reduced = Reduced::new(model.clone(), &loads).unwrap();
    let r = reduced.size();
    let still = vec![0.0; r];
    let q: Vec<f64> = (0..r).map(|k| 0.02 * (2.0 * k as f64).sin()).collect();
    let mut u = vec![0.0; body.size()];
    model.basis().expand(&q, &mut u);
    for t in [0.0, 0.7, 1.5, 9.0] {
        let (mut f, mut wanted, mut p) = (vec![0.0; u.len()], vec![0.0; r], vec![0.0; r]);
        loads.force(&body, t, &u, &mut f);
        model.basis().project(&f, &mut wanted);
        reduced.external_force(t, &q, &still, &mut p);
        let scale = wanted.iter().fold(0.0, |m: f64, x| m.max(x.abs()));
        for k in 0..r {
            assert!((p[k] - wanted[k]).abs() < 1e-13 * scale, "t = {t}, {k}: {} and {}", p[k], wanted[k]);
        }
        let (a, b) = (loads.potential(&body, t, &u), reduced.load_potential(t, &q, &still));
        assert!((a - b).abs() < 1e-12 * (1.0 + a.abs()), "t = {t}: {a} J and {b} J");
        // The stiffness is minus the derivative of the force; both are at most quadratic, so that this is exact.
        reduced.linearise(t, &q, &still, Tangent::Exact).unwrap();
        let S = reduced.load_stiffness().expect("springs").clone();
        for k in 0..r {
            let h = 1e-2;
            let mut at = |x: f64| {
                let mut q = q.clone();
                q[k] += x;
                reduced.external_force(t, &q, &still, &mut p);
                p.clone()
            };
            let (a, b) = (at(h), at(-h));
            for i in 0..r {
                let slope = (b[i] - a[i]) / (2.0 * h);
                let tolerance = 1e-10 * (S.get(k, k) * S.get(i, i)).abs().sqrt() + 1e-8;
                assert!((slope - S.get(i, k)).abs() < tolerance, "({i}, {k}): {slope} and {}", S.get(i, k));
            }
        }
    }
}

#[test]
fn an_initial_state_is_projected_by_mass_and_what_is_lost_is_told() {
    let model = make::held(make::linear(), 5);
    let body = model.body().unwrap();
    let scenario = Scenario::parse("dt = 0.001\nsteps = 1", 20).unwrap();
    let mut reduced = Reduced::new(model.clone(), Loads::default()).unwrap();
    let q = [0.01, -0.02, 0.005, 0.0, 0.003];
    let (mut inside, mut outside) = (vec![0.0; body.size()], vec![0.0; body.size()]);
    model.basis().expand(&q, &mut inside);
    (0..body.size()).for_each(|i| outside[i] = 0.01 * (i as f64).sin());
    body.dofs().hold(&mut outside);
    let (record, frames) =
        motion(&mut reduced, &scenario, "newmark", Some((inside.clone(), outside.clone()))).unwrap();
    assert!(difference(std::slice::from_ref(&inside), &frames[..1]) < 1e-12);
    assert!(record.lost[0] < 1e-7, "{:?}", record.lost);
    assert!(record.lost[1] > 0.1 && record.lost[1] < 1.0, "{:?}", record.lost);
    // Pythagoras, by mass: what is kept and what is lost make the whole.
    let mut Mu = vec![0.0; body.size()];
    body.mass().apply_per_axis(&outside, &mut Mu);
    let whole: f64 = outside.iter().zip(&Mu).map(|(u, m)| u * m).sum();
    let kept = 2.0 * record.kinetic[0];
    assert!((kept / whole + record.lost[1].powi(2) - 1.0).abs() < 1e-10);
    let held = (0..body.size()).find(|&i| body.dofs().is_held(i)).unwrap();
    outside[held] = 1e-3;
    let error = motion(&mut reduced, &scenario, "newmark", Some((inside, outside))).unwrap_err().to_string();
    assert!(error.contains("fixed"), "{error}");
}

#[test]
fn a_scenario_that_names_a_fixed_vertex_is_refused_by_model_and_body_alike() {
    let model = make::held(make::linear(), 3);
    let body = model.body().unwrap();
    let fixed = (0..20).find(|v| body.dofs().is_held(3 * v)).unwrap();
    let text = format!("dt = 0.01\nsteps = 1\n[[probe]]\nname = 'wall'\nvertex = {fixed}");
    let scenario = Scenario::parse(&text, 20).unwrap();
    let mut full = Full::new(body, Loads::default()).unwrap();
    let mut reduced = Reduced::new(model, Loads::default()).unwrap();
    let subjects: [&mut dyn pliant_sim::Subject; 2] = [&mut full, &mut reduced];
    for subject in subjects {
        let error = motion(subject, &scenario, "newmark", None).unwrap_err().to_string();
        assert!(error.contains(&format!("\"wall\" names vertex {fixed}, which is fixed")), "{error}");
    }
}

#[test]
fn a_free_vertex_that_the_basis_does_not_move_is_not_called_fixed() {
    let whole = make::held(make::linear(), 3);
    let body = whole.body().unwrap();
    let fixed = (0..20).find(|v| body.dofs().is_held(3 * v)).unwrap() as u32;
    let mut columns: Vec<f64> = (0..3).flat_map(|k| whole.basis().column(k)).collect();
    columns.chunks_exact_mut(60).for_each(|column| column[57..].fill(0.0));
    let basis = Basis::from_columns(&columns, 60);
    let model = make::model(whole.mesh().clone(), whole.recipe().clone(), basis, make::linear());
    let reduced = Reduced::new(model.clone(), Loads::default()).unwrap();
    assert_eq!([fixed, 19, 18].map(|v| reduced.still(v)), [Some(Still::Fixed), Some(Still::Unmoved), None]);
    let scenario = Scenario::parse("dt = 0.01\nsteps = 1\n[[probe]]\nname = 'tip'\nvertex = 19", 20).unwrap();
    let error = motion(&mut { reduced }, &scenario, "newmark", None).unwrap_err().to_string();
    assert!(error.contains("the basis of the model does not move vertex 19"), "{error}");
    let mut live = Live::new(model, &LiveOptions::default()).unwrap();
    let error = live.grab(19, 1.0, Vec3::zeros()).unwrap_err();
    assert!(matches!(error, SimError::UnmovedVertex { vertex: 19 }), "{error}");
    assert!(matches!(live.grab(fixed, 1.0, Vec3::zeros()), Err(SimError::FixedVertex { .. })));
}

#[test]
fn a_polynomial_that_is_pressed_together_goes_on() {
    // Pressed to 0.3 of its length St. Venant-Kirchhoff gives way: its tangent is negative along the axis, and a
    // polynomial has no positive one.
    let mesh = make::bar([2, 1, 1]);
    let recipe = make::recipe(&mesh, "stvk", Some("x<0%"));
    let body = recipe.build(mesh.clone()).unwrap();
    let basis = make::identity(&body);
    let force = make::polynomial(&body, &basis);
    let mut u: Vec<f64> = mesh.vertices.iter().flat_map(|x| [-0.7 * x.x, 0.0, 0.0]).collect();
    body.dofs().hold(&mut u);
    let model = make::model(mesh, recipe, basis, force);
    for integrator in ["newmark", "backward-euler"] {
        let scenario = Scenario::parse("dt = 0.05\nsteps = 20", 12).unwrap();
        let mut reduced = Reduced::new(model.clone(), Loads::default()).unwrap();
        let K = {
            let mut K = DenseSymmetric::zeros(reduced.size());
            let q = reduced.initial((u.clone(), vec![0.0; u.len()]).into()).unwrap().q;
            model.evaluator().stiffness(&q, pliant_energy::Tangent::Positive, &mut K).unwrap();
            K
        };
        assert!(K.eigen().unwrap().0[0] < 0.0, "indefinite");
        let initial = (u.clone(), vec![0.0; u.len()]);
        let (record, _) = motion(&mut reduced, &scenario, integrator, Some(initial)).unwrap();
        assert!(record.stopped.is_none(), "{integrator}: {:?}", record.stopped);
        // Backward Euler, whose M weighs a quarter, may need shorter steps.
        assert!(
            record.unconverged == 0 && (record.halved == 0 || integrator == "backward-euler"),
            "{integrator}"
        );
    }
}

#[test]
fn a_comparison_is_relative_to_the_largest_motion_of_the_whole_run() {
    // A quartic energy that falls away: the model is gone before the body has swung out.
    let linear = make::held(make::linear(), 3);
    let [two, three, four] = Polynomial::lengths(3);
    let mut polynomial =
        Polynomial { rank: 3, quadratic: vec![0.0; two], cubic: vec![0.0; three], quartic: vec![0.0; four] };
    let mut upper = (0..3).flat_map(|i| (i..3).map(move |j| (i, j)));
    polynomial.quadratic.iter_mut().for_each(|x| {
        let (i, j) = upper.next().unwrap();
        *x = linear.reduced_stiffness().get(i, j);
    });
    (polynomial.quartic[0], polynomial.quartic[four - 1]) = (-1e8, -1e8);
    let model = make::held(Arc::new(polynomial), 3);
    let scenario = Scenario::parse("dt = 0.01\nsteps = 60\ngravity = [0.0, -9.81, -5.0]", 20).unwrap();
    let solver = pliant_dynamics::Options { tolerance: 1e-12, ..Default::default() };
    let options = RunOptions { integrator: "newmark".into(), solver };
    let found = compare(&model, &scenario, &options, None, &mut ignore_progress).unwrap();
    let body = model.body().unwrap();
    let mass = body.mass().clone();
    let norm = |x: &[f64]| {
        let mut Mx = vec![0.0; x.len()];
        mass.apply_per_axis(x, &mut Mx);
        x.iter().zip(&Mx).map(|(x, m)| x * m).sum::<f64>().sqrt()
    };
    let mut full = Full::new(body, scenario.loads.clone()).unwrap();
    let (_, u) = motion(&mut full, &scenario, "newmark", None).unwrap();
    let mut reduced = Reduced::new(model, &scenario.loads).unwrap();
    let (record, v) = motion(&mut reduced, &scenario, "newmark", None).unwrap();
    assert!(record.stopped.is_some() && u.len() == 61 && v.len() < 61);
    let peak = u.iter().map(|u| norm(u)).fold(0.0, f64::max);
    let early = u[..v.len()].iter().map(|u| norm(u)).fold(0.0, f64::max);
    assert!(early < 0.9 * peak, "the largest motion comes later: {early} and {peak}");
    assert_eq!(found.relative_l2.len(), v.len());
    for (k, e) in found.relative_l2.iter().enumerate() {
        let apart: Vec<f64> = u[k].iter().zip(&v[k]).map(|(u, v)| u - v).collect();
        let wanted = norm(&apart) / peak;
        assert!((e - wanted).abs() <= 1e-9 * (1.0 + wanted), "frame {k}: {e} and {wanted}");
    }
}

#[test]
fn a_free_body_falls() {
    let mesh = make::bar([3, 1, 1]);
    let recipe = make::recipe(&mesh, "stvk", None);
    let basis = make::modes(&recipe.build(mesh.clone()).unwrap(), 4);
    assert_eq!(basis.rank(), 10, "six rigid motions and four modes");
    let scenario =
        Scenario::parse("dt = 0.01\nsteps = 30\ngravity = [0.0, -9.81, 0.0]", mesh.vertices.len()).unwrap();
    for force in [make::projected(), make::linear()] {
        let integrators: &[&str] = if force.is_linear() { &["newmark", "modal"] } else { &["newmark"] };
        let model = make::model(mesh.clone(), recipe.clone(), basis.clone(), force);
        for integrator in integrators {
            let mut reduced = Reduced::new(model.clone(), &scenario.loads).unwrap();
            let (record, frames) = motion(&mut reduced, &scenario, integrator, None).unwrap();
            assert!(record.stopped.is_none());
            for (step, u) in frames.iter().enumerate() {
                let fallen = 0.5 * 9.81 * (0.01 * step as f64).powi(2);
                for u in u.chunks_exact(3) {
                    assert!((u[1] + fallen).abs() < 1e-9, "{integrator}, step {step}: {} m", u[1]);
                    assert!(u[0].abs() < 1e-9 && u[2].abs() < 1e-9, "{integrator}, step {step}: {u:?}");
                }
            }
        }
    }
}

#[test]
fn two_runs_give_the_same_bits() {
    let scenario = Scenario::parse(EVERYTHING, 20).unwrap();
    for (force, integrator) in
        [(make::projected(), "newmark"), (make::linear(), "modal"), (make::linear(), "quasi-newton")]
    {
        let bits = || {
            let model = make::held(force.clone(), 6);
            let mut reduced = Reduced::new(model, &scenario.loads).unwrap();
            let (record, frames) = motion(&mut reduced, &scenario, integrator, None).unwrap();
            assert!(record.stopped.is_none(), "{integrator}: {:?}", record.stopped);
            frames.concat().iter().map(|x| x.to_bits()).collect::<Vec<u64>>()
        };
        assert!(bits() == bits(), "{integrator}");
    }
}

#[test]
fn a_model_whose_parts_do_not_fit_is_refused() {
    let model = make::held(make::linear(), 4);
    let with = |mass| Model::new(ModelParts { mass, ..(*model).clone().into_parts() });
    let error = with(make::diagonal(3, 1.0)).map(drop).unwrap_err().to_string();
    assert!(error.contains("the mass has 3 coordinates, but the basis has 4"), "{error}");
    let wrong = with(make::diagonal(4, -1.0)).unwrap();
    let error = Reduced::new(wrong.into(), Loads::default()).map(drop).unwrap_err().to_string();
    assert!(error.contains("not positive definite"), "{error}");
    let nowhere = Loads { forces: vec![NodalForce::always(vec![20], Vec3::x())], ..Loads::default() };
    assert!(Reduced::new(model, &nowhere).is_err());
}
