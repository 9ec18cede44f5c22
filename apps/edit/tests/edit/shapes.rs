//! Shapes of an editor.

use pliant_edit::{Editor, Options, Transform};
use pliant_linalg::Vec3;

use crate::make::{apart, displacement, shell, small, solid};

fn tight() -> Options {
    Options { epsilon: 1e-14, iterations: 2000, ..Options::default() }
}

#[test]
fn handles_at_rest_ask_for_nothing() {
    let made = shell([8, 3, 3]);
    let mut editor = Editor::new(made.model(&small("ghost")), &Options::default()).expect("an editor");
    editor.add(&made.select("x<5%")).expect("a handle");
    editor.add(&made.select("x>95%")).expect("a handle");
    let outcome = editor.solve();
    assert!(outcome.converged() && outcome.iterations <= 1, "{outcome:?}");
    let u = displacement(editor.model(), editor.q());
    assert!(u.iter().all(|x| x.abs() < 1e-12), "{:e}", u.iter().fold(0.0, |m: f64, x| m.max(x.abs())));
}

/// A turn and a move of all handles of a free body is a motion of the whole body, whatever is selected.
#[test]
fn turning_all_handles_together_costs_nothing() {
    for (made, forces) in
        [(shell([8, 3, 3]), "ghost"), (solid([8, 2, 2]), "projected"), (solid([8, 2, 2]), "ghost")]
    {
        let model = made.model(&small(forces));
        let mut editor = Editor::new(model.clone(), &tight()).expect("an editor");
        let hands = ["x<15%", "x>85%"].map(|words| editor.add(&made.select(words)).expect("a handle"));
        let turn = Transform::turn(&Vec3::new(0.3, 1.0, 0.2), 0.3, &Vec3::zeros());
        let motion = turn.then(&Transform::shift(Vec3::new(0.2, -0.1, 0.3)));
        let mut to = Transform::default();
        for _ in 0..4 {
            to = to.then(&motion);
            hands.iter().for_each(|hand| editor.place(*hand, &to).expect("there"));
            assert!(editor.solve().converged());
        }
        // To compare with: the same turn of one of them alone.
        let [energy, _] = editor.energies();
        let u = displacement(&model, editor.q());
        let wanted: Vec<f64> =
            made.mesh.vertices.iter().flat_map(|x| <[f64; 3]>::from(to.apply(x) - x)).collect();
        let off = apart(&u, &wanted);
        editor.place(hands[0], &Transform::default()).expect("there");
        editor.solve();
        let [alone, _] = editor.energies();
        assert!(energy < 1e-9 * alone, "{forces}: {energy:e} of {alone:e}");
        assert!(off < 1e-4, "{forces}: {off:e}");
    }
}

#[test]
fn undoing_a_handle_leads_back_to_rest() {
    for (made, forces) in [(shell([8, 3, 3]), "ghost"), (solid([8, 2, 2]), "cubature")] {
        let mut editor = Editor::new(made.model(&small(forces)), &tight()).expect("an editor");
        editor.add(&made.select("x<15%")).expect("a handle");
        let hand = editor.add(&made.select("x>85%")).expect("a handle");
        for frame in 1..=10 {
            let turn = Transform::turn(&Vec3::x(), 0.12 * f64::from(frame), &Vec3::new(0.0, 0.1, 0.1));
            editor
                .place(hand, &turn.then(&Transform::shift(Vec3::y() * 0.02 * f64::from(frame))))
                .expect("there");
            assert!(editor.solve().converged(), "{forces}, frame {frame}");
        }
        let bent = displacement(editor.model(), editor.q());
        assert!(apart(&bent, &vec![0.0; bent.len()]) > 0.15);
        for frame in (0..10).rev() {
            let turn = Transform::turn(&Vec3::x(), 0.12 * f64::from(frame), &Vec3::new(0.0, 0.1, 0.1));
            editor
                .place(hand, &turn.then(&Transform::shift(Vec3::y() * 0.02 * f64::from(frame))))
                .expect("there");
            assert!(editor.solve().converged());
        }
        let back = displacement(editor.model(), editor.q());
        let off = apart(&back, &vec![0.0; back.len()]);
        assert!(off < 1e-6 * made.largest(), "{forces}: {off:e}");
        // The short way: all is forgotten.
        editor.place(hand, &Transform::shift(Vec3::y())).expect("there");
        editor.reset();
        assert!(editor.q().iter().all(|q| *q == 0.0) && editor.solve().iterations <= 1);
    }
}

/// Every minimiser that arrives finds the same shape, whatever κ is.
#[test]
fn minimisers_agree() {
    let made = shell([8, 3, 3]);
    let model = made.model(&small("ghost"));
    let of = |solver: &str| {
        let options = Options { solver: solver.into(), ..tight() };
        let mut editor = Editor::new(model.clone(), &options).expect("an editor");
        editor.add(&made.select("x<15%")).expect("a handle");
        let hand = editor.add(&made.select("x>85%")).expect("a handle");
        for frame in 1..=6 {
            editor.place(hand, &Transform::shift(Vec3::y() * (0.04 * f64::from(frame)))).expect("there");
            assert!(editor.solve().converged(), "{solver}");
        }
        displacement(&model, editor.q())
    };
    let newton = of("newton");
    for other in ["bfgs", "bfgs-cold"] {
        let off = apart(&newton, &of(other));
        assert!(off < 1e-6, "{other}: {off:e}");
    }
}

/// By default a handle lags by about a hundredth of its way where the body resists most, and by less elsewhere.
#[test]
fn a_handle_lags_by_a_hundredth() {
    for made in [shell([6, 2, 2]), solid([6, 1, 1])] {
        let mut editor = Editor::new(made.whole(), &tight()).expect("an editor");
        editor.add(&made.select("x<15%")).expect("a handle");
        let hand = editor.add(&made.select("x>85%")).expect("a handle");
        let way = 1e-5;
        let lags = [Vec3::x(), Vec3::y(), Vec3::z()].map(|along| {
            editor.place(hand, &Transform::shift(along * way)).expect("there");
            assert!(editor.solve().converged());
            editor.lag(hand).expect("there") / way
        });
        let most = lags.iter().copied().fold(0.0, f64::max);
        assert!((0.007..0.03).contains(&most), "{lags:?}");
        // Softer handles lag more.
        let stiffness = editor.stiffness(hand).expect("there");
        let options = Options { stiffness: Some(stiffness / 20.0), ..tight() };
        let mut softer = Editor::new(editor.model().clone(), &options).expect("an editor");
        softer.add(&made.select("x<15%")).expect("a handle");
        let hand = softer.add(&made.select("x>85%")).expect("a handle");
        softer.place(hand, &Transform::shift(Vec3::x() * way)).expect("there");
        softer.solve();
        assert!(softer.lag(hand).expect("there") / way > 5.0 * lags[0], "{lags:?}");
    }
}

/// What was learnt in one frame serves the next: T14 section 5.3, and moving handles leave the Hessian of E^C alone.
#[test]
fn keeping_what_was_learnt_saves_iterations() {
    let made = shell([16, 4, 4]);
    let model = made.model(&small("ghost"));
    let frames = |solver: &str, keep: bool| {
        let options = Options { solver: solver.into(), ..Options::default() };
        let mut editor = Editor::new(model.clone(), &options).expect("an editor");
        editor.add(&made.select("x<10%")).expect("a handle");
        let hand = editor.add(&made.select("x>90%")).expect("a handle");
        let mut iterations = 0;
        for frame in 1..=12 {
            if !keep {
                editor.forget();
            }
            let angle = (7.5 * f64::from(frame)).to_radians();
            editor
                .place(hand, &Transform::turn(&Vec3::x(), angle, &Vec3::new(0.0, 0.1, 0.1)))
                .expect("there");
            let outcome = editor.solve();
            assert!(outcome.converged(), "{solver}, frame {frame}: {outcome:?}");
            iterations += outcome.iterations;
        }
        iterations
    };
    let (kept, anew, newton) = (frames("bfgs", true), frames("bfgs", false), frames("newton", true));
    assert!(newton < kept && 10 * kept < 9 * anew, "Newton {newton}, kept {kept}, anew {anew}, of 12 frames");
}

/// B₁ is there where handles leave the body a turn: a vertex alone.
#[test]
fn one_vertex_pulls_a_free_body_along() {
    let made = shell([8, 3, 3]);
    let mut editor = Editor::new(made.model(&small("ghost")), &tight()).expect("an editor");
    let hand = editor.add(&[0]).expect("a handle");
    editor.place(hand, &Transform::shift(Vec3::new(0.1, 0.4, -0.2))).expect("there");
    let outcome = editor.solve();
    let lag = editor.lag(hand).expect("there");
    assert!(outcome.converged() && lag < 1e-6, "{outcome:?}, {lag:e}");
}
