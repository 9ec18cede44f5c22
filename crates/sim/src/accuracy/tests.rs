//! The search on a small bar: each part against what it should be, and the whole.

use std::ops::ControlFlow;
use std::sync::Arc;

use pliant_dynamics::StepError;
use pliant_energy::load::NodalForce;
use pliant_energy::{Body, Recipe};
use pliant_linalg::{Progress, Vec3, ignore_progress};
use pliant_mesh::{MeshData, select, shapes};
use pliant_reduce::force::{StoredForce, StoredProjected};
use pliant_reduce::model::Facts;
use pliant_reduce::{Basis, Model, Precompute, linear_modes};

use super::coordinates::Candidate;
use super::points::least_enough;
use super::reference::halved;
use super::*;
use crate::{SimError, compare};

fn bar(material: &str) -> (MeshData, Recipe) {
    let bar = shapes::bar(Vec3::new(1.0, 0.2, 0.15), [6, 1, 1]).into_data();
    let fixed = vec![select::select(&bar, "x<5%").expect("one end")];
    (bar, Recipe { material: Some(material.into()), fixed, ..Recipe::default() })
}

fn body(material: &str) -> Body {
    let (mesh, recipe) = bar(material);
    recipe.build(mesh).expect("a body")
}

fn end(mesh: &MeshData) -> Vec<u32> {
    select::select(mesh, "x>99%").expect("the other end").vertices
}

/// The first linear modes.
fn modes(body: &Body, count: usize) -> Basis {
    let found = linear_modes(body, count, &mut ignore_progress).expect("modes");
    Basis::from_columns(&found.modes.shapes, body.size())
}

fn model(material: &str, basis: Basis, force: Arc<dyn StoredForce>) -> Arc<Model> {
    let (mesh, recipe) = bar(material);
    let body = recipe.build(mesh.clone()).expect("a body");
    Model::assemble(mesh, recipe, &body, basis, force, Facts::default()).expect("a model").into()
}

fn reference(material: &str) -> Reference {
    let body = Arc::new(body(material));
    let rehearsal = Pull::usual(&body).scenario(&body, &mut ignore_progress).expect("a scenario");
    Reference::new(&body, rehearsal, &mut ignore_progress).expect("a run")
}

fn goal(error: f64) -> Goal {
    Goal { error, basis: None, given: Precompute { poses: Some(60), ..Precompute::default() } }
}

fn found(material: &str, goal: &Goal) -> Found {
    let (mesh, recipe) = bar(material);
    goal.build(mesh, recipe, &mut ignore_progress).expect("a model")
}

#[test]
fn the_least_that_is_enough_is_found_from_any_guess() {
    for (below, above, enough) in [(0, 1000, 300), (0, 1000, 1), (0, 1000, 1000), (6, 7, 7), (2, 40, 5)] {
        for first in [0, 1, 100, 405, 1000, 5000] {
            let mut tried = 0;
            let found = least_enough(below, above, first, &mut |x| {
                assert!(below < x && x < above, "{x} is outside");
                tried += 1;
                Ok((x >= enough).then_some(x))
            });
            let x = found.expect("no error").unwrap_or(above);
            assert!(x >= enough && x <= (enough as f64 * 1.1).ceil() as usize, "{x} for {enough}");
            assert!(tried <= 12, "{tried} tries for {enough} from {first}");
        }
    }
    let stopped = least_enough::<()>(1, 50, 10, &mut |_| Err(SimError::Cancelled));
    assert!(matches!(stopped, Err(SimError::Cancelled)));
}

#[test]
fn the_period_is_that_of_the_lowest_mode_where_that_is_pulled() {
    let (mesh, recipe) = bar("stvk");
    let body = recipe.build(mesh.clone()).expect("a body");
    let lowest = linear_modes(&body, 2, &mut ignore_progress).expect("modes").modes.frequencies_hz();
    // The thinner side is along z, and bends first.
    let pull =
        Pull { vertices: end(&mesh), direction: Vec3::new(0.0, 0.0, 5.0), reach: 0.1, periods: [1.0, 1.5] };
    let rehearsal = pull.scenario(&body.into(), &mut ignore_progress).expect("a scenario");
    // Rayleigh's quotient is never below the lowest, and an end load's is near it.
    let ratio = rehearsal.period * lowest[0];
    assert!(ratio <= 1.0 + 1e-9 && ratio > 0.9, "{ratio}");
    let scenario = &rehearsal.scenario;
    assert_eq!((scenario.steps, rehearsal.pulled), (60, end(&mesh).len()));
    assert!((scenario.dt * 24.0 / rehearsal.period - 1.0).abs() < 1e-12);
    // ζ = β ω / 2.
    assert!((scenario.damping.stiffness * std::f64::consts::PI / rehearsal.period - 0.02).abs() < 1e-12);
}

#[test]
fn the_load_grows_and_is_gone_and_moves_the_body_by_a_tenth() {
    let body = Arc::new(body("stable-neo-hookean"));
    let rehearsal = Pull::usual(&body).scenario(&body, &mut ignore_progress);
    let rehearsal = rehearsal.expect("a scenario");
    let scenario = &rehearsal.scenario;
    let at = |step: usize| -> Vec3 {
        let t = step as f64 * scenario.dt;
        scenario.loads.of::<NodalForce>().filter(|f| f.acts(t)).map(|f| f.value).sum()
    };
    for (step, part) in [(0, 0.0), (1, 1.0 / 24.0), (12, 0.5), (24, 1.0), (25, 0.0), (60, 0.0)] {
        assert!((at(step) - rehearsal.force * part).norm() < 1e-12 * rehearsal.force.norm(), "step {step}");
    }
    // The longest side is 1 m.
    let reference = Reference::new(&body, rehearsal, &mut ignore_progress).expect("a run");
    assert!((reference.reach - 0.1).abs() < 0.015, "{}", reference.reach);
}

#[test]
fn two_pulls_share_no_vertex_and_leave_none_and_are_across() {
    let body = body("stvk");
    let [first, second]: [Pull; 2] = Pull::all(&body).try_into().expect("two");
    assert_eq!(first, Pull::usual(&body));
    assert_eq!(first.direction.dot(&second.direction), 0.0);
    let mut all = [first.vertices, second.vertices].concat();
    all.sort_unstable();
    let mut free = rehearsal::by_distance(&body);
    free.sort_unstable();
    assert_eq!(all, free);
}

#[test]
fn a_swing_beyond_the_equilibrium_counts() {
    // Short of the reach where the equilibrium and the swing after it are both next to linear, as they are for a hundredth.
    let body = Arc::new(body("stvk"));
    for pull in Pull::all(&body) {
        for periods in [[1.0, 1.5], [0.5, 1.0], [0.04, 2.0]] {
            let pull = Pull { reach: 0.01, periods, ..pull.clone() };
            let rehearsal = pull.scenario(&body, &mut ignore_progress).expect("a scenario");
            let reference = Reference::new(&body, rehearsal, &mut ignore_progress);
            let reach = reference.expect("a run").reach;
            assert!(reach < 0.0106, "{periods:?}: {reach}");
            // A load that is gone before it has moved the body never gets there.
            assert!(reach > 0.0094 || periods[0] < 0.1, "{periods:?}: {reach}");
        }
    }
}

#[test]
fn a_rank_is_expected_where_the_bounds_are_as_much_lower() {
    let body = body("stvk");
    let found = linear_modes(&body, 6, &mut ignore_progress).expect("modes");
    let built = pliant_reduce::basis::from_modes("modes", &body, &found, 6, &mut ignore_progress);
    let built = built.expect("in the table").expect("a basis");
    let each = vec![vec![1.0, 0.5, 0.3, 0.2, 0.1, 0.05, 0.01], vec![1.0, 0.9, 0.4, 0.1, 0.08, 0.06, 0.05]];
    let candidate = Candidate::new("modes", 6, built, each);
    assert_eq!(candidate.bounds, [1.0, 0.9, 0.4, 0.2, 0.1, 0.06, 0.05]);
    assert_eq!((candidate.hardest_first(2), candidate.hardest_first(3)), (vec![1, 0], vec![0, 1]));
    // Off by 0.6 where the bounds are 0.3: 0.1 needs a bound of 0.05.
    assert_eq!(candidate.expected(2, &[0.6, f64::NAN], 0.1), 5);
    // The second needs a tenth of 0.4, which no rank has.
    assert_eq!(candidate.expected(2, &[0.6, 1.0], 0.1), 6);
    assert_eq!(candidate.expected(2, &[0.6, 0.4], 0.1), 5);
    // Fewer than were tried, too.
    assert_eq!(candidate.expected(5, &[0.05, 0.06], 0.4), 2);
    assert_eq!(candidate.expected(2, &[f64::INFINITY, f64::NAN], 0.4), 6);
}

#[test]
fn the_error_is_that_of_a_comparison() {
    let body = body("stvk");
    let reference = reference("stvk");
    let model = model("stvk", modes(&body, 4), Arc::new(StoredProjected));
    let error = reference.error(&model, &body, "a test", &mut ignore_progress).expect("a run");
    let scenario = &reference.rehearsal.scenario;
    let compared = compare(&model, scenario, &reference::options(), None, &mut ignore_progress);
    let expected = compared.expect("both runs").relative_l2_mean();
    // Steps of another solver, each to a millionth of its forces.
    assert!(error > 1e-4 && (error / expected - 1.0).abs() < 1e-3, "{error} and {expected}");
}

#[test]
fn no_motion_in_a_basis_is_better_than_its_bound() {
    let body = body("stvk");
    let reference = reference("stvk");
    let basis = modes(&body, body.dofs().free().len());
    let bounds = reference.projection_errors(&basis);
    assert!(bounds.windows(2).all(|w| w[1] <= w[0]), "more columns are never worse");
    assert!(bounds[0] > 0.1 && bounds[0] <= 1.0, "nothing moves without columns: {}", bounds[0]);
    // The square root of rounding.
    assert!(bounds[basis.rank()] < 1e-6, "{}", bounds[basis.rank()]);
    for rank in [3, 8] {
        let model = model("stvk", basis.first(rank), Arc::new(StoredProjected));
        let error = reference.error(&model, &body, "a test", &mut ignore_progress).expect("a run");
        assert!(error >= bounds[rank], "{rank}: {error} and {}", bounds[rank]);
    }
}

#[test]
fn a_goal_is_met_and_what_more_would_buy_is_measured() {
    let goal = goal(0.04);
    let Found { made, report } = found("stable-neo-hookean", &goal);
    let chosen = &report.chosen;
    assert!(report.met && chosen.worst() <= 0.04, "{report:?}");
    assert_eq!((chosen.rank, chosen.forces), (made.model.basis().rank(), made.model.force().name()));
    assert_eq!(chosen.modes, made.model.facts().eigenvalues.len());
    // What the report says is what the model is.
    let facts = made.model.facts().training.clone().expect("trained");
    assert_eq!((Some(facts.points), Some(facts.validation_error)), (chosen.points, chosen.poses));
    let (mesh, recipe) = bar("stable-neo-hookean");
    let body = Arc::new(recipe.build(mesh).expect("a body"));
    let model = Arc::new(made.model);
    for (pull, error) in Pull::all(&body).iter().zip(&chosen.scenarios) {
        let rehearsal = pull.scenario(&body, &mut ignore_progress).expect("a scenario");
        let reference = Reference::new(&body, rehearsal, &mut ignore_progress);
        let again = reference.expect("a run").error(&model, &body, "a test", &mut ignore_progress);
        assert_eq!(again.expect("a run").to_bits(), error.to_bits());
    }
    assert_eq!((chosen.scenarios.len(), report.scenarios.len()), (2, 2));
    assert_eq!(chosen.scenario, chosen.scenarios[0].max(chosen.scenarios[1]));
    assert!(report.projection_error <= report.basis_error);
    // One coordinate or a few points less were tried and were not enough, or there was nothing less.
    assert!(report.tried.len() > 2 && report.tried.contains(chosen), "{:?}", report.tried);
    let changes: Vec<(bool, bool)> =
        report.would_buy.iter().map(|t| (t.rank > chosen.rank, t.points > chosen.points)).collect();
    assert_eq!(changes, [(true, false), (false, true)], "{:?}", report.would_buy);
    assert_eq!(report.would_buy.iter().map(|t| t.forces).collect::<Vec<_>>(), ["projected", "cubature"]);
    assert!(report.would_buy.iter().all(|t| t.scenarios.iter().all(|e| e.is_finite())));
    // The same again.
    let second = found("stable-neo-hookean", &goal);
    let without_time = |report: &Report| Report {
        scenarios: report
            .scenarios
            .iter()
            .map(|facts| ScenarioFacts { full_seconds: 0.0, ..*facts })
            .collect(),
        ..report.clone()
    };
    assert_eq!(format!("{:?}", without_time(&second.report)), format!("{:?}", without_time(&report)));
}

#[test]
fn polynomials_have_no_points_to_search() {
    // Whoever says how to train wants points: here nobody does.
    let untrained = Goal { given: Precompute::default(), ..goal(0.03) };
    let Found { made, report } = found("stvk", &untrained);
    assert_eq!((made.model.force().name(), report.chosen.points, report.chosen.poses), ("cubic", None, None));
    assert!(report.met && report.chosen.scenario <= 0.03);
    // The polynomial is exact, so that all of its error is the basis'.
    assert!((report.chosen.scenario / report.basis_error - 1.0).abs() < 1e-3, "{report:?}");
    assert!(report.tried.iter().all(|t| t.forces != "cubature"));
}

#[test]
fn what_is_given_is_held() {
    let given = Precompute {
        modes: Some(5),
        rank: Some(9),
        points: Some(25),
        poses: Some(40),
        ..Precompute::default()
    };
    let goal = Goal { error: 0.5, basis: Some("extended".into()), given };
    let chosen = found("stvk", &goal).report.chosen;
    let held = (chosen.basis.as_str(), chosen.modes, chosen.rank, chosen.forces, chosen.points);
    assert_eq!(held, ("extended", 5, 9, "cubature", Some(25)));
}

#[test]
fn too_few_points_for_the_coordinates_get_fewer_coordinates() {
    let given = Precompute { points: Some(8), poses: Some(60), ..Precompute::default() };
    let Found { made, report } = found("stable-neo-hookean", &Goal { error: 0.02, basis: None, given });
    assert!(!report.met && report.chosen.points == Some(8), "{report:?}");
    let cubatures: Vec<&MeasuredModel> = report.tried.iter().filter(|t| t.forces == "cubature").collect();
    assert!(cubatures.iter().any(|t| t.rank > report.chosen.rank), "{cubatures:?}");
    assert!(cubatures.iter().all(|t| t.worst() >= report.chosen.worst()), "{cubatures:?}");
    assert_eq!(made.model.basis().rank(), report.chosen.rank);
}

#[test]
fn a_pull_that_the_full_body_does_not_get_through_is_halved() {
    let pull = Pull::all(&body("stvk")).remove(1);
    let stopped = || {
        let residual = 1.0;
        SimError::Step(StepError::NoConvergence { t: 0.1, residual, iterations: 50, worst: 7, halvings: 8 })
    };
    let mut reaches = Vec::new();
    let done = halved(pull.clone(), &mut |pull| {
        reaches.push(pull.reach);
        if reaches.len() < 3 { Err(stopped()) } else { Ok(pull.reach) }
    });
    assert_eq!(done.expect("the third goes through"), 0.25 * pull.reach);
    assert_eq!(reaches, [1.0, 0.5, 0.25].map(|part| part * pull.reach));
    let never = halved(pull, &mut |_| Err::<(), _>(stopped())).expect_err("no pull goes through").to_string();
    assert!(never.contains("could not be pulled by 0.") && never.contains("hold it elsewhere"), "{never}");
}

/// Between its corners cloth is all but inextensible, and let go it folds: a hinge that loses its height must not stop it.
#[test]
fn cloth_that_folds_gets_through_its_pull() {
    let options = shapes::ShapeOptions { subdivision: Some(10), ..shapes::ShapeOptions::default() };
    let cloth =
        shapes::find("cloth").and_then(|cloth| cloth.make(&options, &mut ignore_progress)).expect("cloth");
    let recipe = Recipe { fixed: usual_hold(&cloth).expect("corners").0, ..Recipe::default() };
    let body = Arc::new(recipe.build(cloth.clone()).expect("a body"));
    let pull = Pull::all(&body).remove(1);
    let reference = Reference::of(pull.clone(), &body, &mut ignore_progress).expect("a run");
    // It buckles before it is where it was asked to go.
    let reached = reference.rehearsal.reach / pull.reach;
    assert!((0.5..=1.0).contains(&reached), "{reached} of the way");
}

#[test]
fn what_cannot_be_reached_ends_with_the_best_and_a_sentence() {
    let given = Precompute { modes: Some(3), poses: Some(20), ..Precompute::default() };
    let goal = Goal { error: 1e-8, basis: None, given };
    let Found { made, report } = found("stable-neo-hookean", &goal);
    assert!(!report.met && report.chosen.worst() > 1e-8);
    let said = report.why.last().expect("a sentence");
    assert!(said.contains("leave out the number of modes") && said.contains("no motion in the"), "{said}");
    assert_eq!(made.model.basis().rank(), report.chosen.rank);
}

#[test]
fn what_makes_no_sense_is_refused_before_any_work() {
    let (mesh, held) = bar("stvk");
    let free = Recipe { fixed: Vec::new(), ..held.clone() };
    let forces = |name: &str| Precompute { forces: Some(name.into()), ..Precompute::default() };
    let of = |error: f64, given: Precompute| Goal { error, basis: None, given };
    let usual = Precompute::default;
    for (goal, recipe, words) in [
        (of(-0.01, usual()), &held, "> 0"),
        (of(f64::NAN, usual()), &held, "> 0"),
        (of(0.01, forces("linear")), &held, "linear"),
        (of(0.01, forces("projected")), &held, "use cubature as forces"),
        (of(0.01, Precompute { points: Some(9), ..forces("cubic") }), &held, "a number of points is for"),
        (of(0.01, Precompute { points: Some(99_999), ..usual() }), &held, "at most 36"),
        (of(0.01, Precompute { trainer: Some("magic".into()), ..usual() }), &held, "magic"),
        (
            of(0.01, Precompute { rank: Some(40), points: Some(36), poses: Some(380_000), ..usual() }),
            &held,
            "points fit",
        ),
        (Goal { basis: Some("pod".into()), ..of(0.01, usual()) }, &held, "pod"),
        (of(0.01, usual()), &free, "hold some of its vertices"),
    ] {
        let mut told = 0;
        let mut watch = |_: Progress| {
            told += 1;
            ControlFlow::Continue(())
        };
        let refused = goal.build(mesh.clone(), recipe.clone(), &mut watch).expect_err("refused").to_string();
        assert!(refused.contains(words), "{refused:?} has not {words:?}");
        assert_eq!(told, 0, "{refused}: after work had begun");
    }
}

#[test]
fn every_stage_can_be_stopped() {
    let (mesh, recipe) = bar("stable-neo-hookean");
    let mut stages: Vec<&'static str> = Vec::new();
    let mut note = |p: Progress| {
        if !stages.contains(&p.stage) {
            stages.push(p.stage);
        }
        ControlFlow::Continue(())
    };
    goal(0.05).build(mesh.clone(), recipe.clone(), &mut note).expect("a model");
    for wanted in ["full body, the reference", "trying coordinates", "trying forces"] {
        assert!(stages.contains(&wanted), "{stages:?}");
        let mut stop = |p: Progress| match p.stage == wanted {
            true => ControlFlow::Break(()),
            false => ControlFlow::Continue(()),
        };
        let stopped = goal(0.05).build(mesh.clone(), recipe.clone(), &mut stop);
        assert!(
            matches!(
                stopped,
                Err(SimError::Cancelled | SimError::Step(pliant_dynamics::StepError::Cancelled))
            ),
            "{wanted}"
        );
    }
}

#[test]
fn errors_are_told_with_the_digits_that_count() {
    let told = [0.012_345, 1.0, 0.000_5, 0.000_001, 1e-15, 0.0, f64::INFINITY].map(percent);
    let words = [
        "1.234 %",
        "100.000 %",
        "0.0500 %",
        "0.000100 %",
        "0.000000000000 %",
        "0.000 %",
        "no end of the run",
    ];
    assert_eq!(told, words);
}
