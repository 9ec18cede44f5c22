//! The whole way, reduced and at full order.

use pliant_edit::{Handle, Options, Request, Source, Transform, steps, usual_model, with_responses};
use pliant_linalg::{Vec3, ignore_progress};
use pliant_reduce::Precompute;

use crate::make::{Made, apart, shell, small, solid};

fn source(made: &Made) -> Source<'_> {
    Source { mesh: &made.mesh, recipe: &made.recipe, body: &made.body }
}

fn bend(made: &Made) -> Vec<Handle> {
    let lift = Transform::turn(&Vec3::z(), 0.5, &Vec3::new(0.5, 0.1, 0.1));
    vec![
        Handle::stays("left", made.select("x<15%")),
        Handle::moves("right", made.select("x>85%"), &lift, &made.mesh),
    ]
}

/// In coordinates that are all displacements the reduced shape is the full one.
#[test]
fn the_reduced_shape_in_all_coordinates_is_the_full_one() {
    for made in [shell([6, 2, 2]), solid([5, 1, 1])] {
        let handles = bend(&made);
        let options =
            Options { solver: "newton".into(), epsilon: 1e-14, stiffness: Some(1e3), ..Options::default() };
        let request = Request { options, compare: true, ..Request::default() };
        let found =
            request.run(source(&made), Some(&made.whole()), &handles, &mut ignore_progress).expect("a shape");
        let full = found.full.as_ref().expect("compared");
        assert!(found.converged && full.converged);
        assert!(full.relative_l2 < 1e-7, "{:e}", full.relative_l2);
        assert!((found.energy / full.energy - 1.0).abs() < 1e-9, "{} {}", found.energy, full.energy);
        let alone = Request { compare: false, full: true, ..request.clone() };
        let slow = alone.run(source(&made), None, &handles, &mut ignore_progress).expect("a shape");
        assert!(apart(&slow.displacement, &found.displacement) < 1e-6);
        assert_eq!((slow.rank, slow.solver), (None, "newton"));
        assert!((slow.elastic / found.elastic - 1.0).abs() < 1e-6 && slow.elastic < slow.energy);
    }
}

/// Few coordinates come near: the distance falls with their number. A model's energy is never below that of the body, whose shapes it
/// cannot all take.
#[test]
fn more_coordinates_come_nearer_to_the_full_shape() {
    let made = solid([12, 2, 2]);
    let handles = bend(&made);
    let error = |modes: usize, rank: usize| {
        let precompute = Precompute { modes: Some(modes), rank: Some(rank), ..small("projected") };
        let request = Request {
            options: Options { stiffness: Some(1e5), ..Options::default() },
            compare: true,
            ..Request::default()
        };
        let model = made.model(&precompute);
        let found =
            request.run(source(&made), Some(&model), &handles, &mut ignore_progress).expect("a shape");
        assert!(found.converged, "{:?}", found.missed);
        let full = found.full.expect("compared");
        assert!(full.energy <= found.energy * (1.0 + 1e-5), "{} {}", full.energy, found.energy);
        full.relative_l2
    };
    let (few, many) = (error(6, 20), error(15, 80));
    assert!(many < 0.7 * few, "{few} with 20, {many} with 80");
}

/// What handles ask for is in the basis: with their responses a model comes nearer to the body than one with as many coordinates without,
/// and much nearer where a handle moves so little that the answer is linear.
#[test]
fn responses_lower_the_error_at_no_more_coordinates() {
    let made = solid([12, 2, 2]);
    let plain =
        |rank: usize| made.model(&Precompute { modes: Some(12), rank: Some(rank), ..small("projected") });
    let small_model = plain(30);
    let error = |handles: &[Handle], model: &std::sync::Arc<pliant_reduce::Model>| {
        let options = Options { stiffness: Some(1e7), epsilon: 1e-12, ..Options::default() };
        let request = Request { options, compare: true, ..Request::default() };
        let found = request.run(source(&made), Some(model), handles, &mut ignore_progress).expect("a shape");
        found.full.expect("compared").relative_l2
    };
    let handles = bend(&made);
    let more = with_responses(source(&made), &small_model, &handles, &mut ignore_progress).expect("a model");
    assert!(more.rank() <= 54 && more.rank() > 30, "{}", more.rank());
    let (rank, more) = (more.rank(), std::sync::Arc::new(more));
    let (with, without) = (error(&handles, &more), error(&handles, &plain(rank)));
    assert!(1.3 * with < without, "{with} with responses, {without} with {rank} coordinates without");
    let nudge = [
        Handle::stays("left", made.select("x<15%")),
        Handle::moves("right", made.select("x>85%"), &Transform::shift(Vec3::y() * 1e-5), &made.mesh),
    ];
    let (linear, without) = (error(&nudge, &more), error(&nudge, &plain(rank)));
    assert!(10.0 * linear < without, "{linear:e}, {without:e} without");
    let trained = made.model(&small("cubature"));
    let refused = with_responses(source(&made), &trained, &handles, &mut ignore_progress).map(drop);
    assert!(refused.expect_err("refused").to_string().contains("made for one basis"));
}

/// Its own stiffness of a handle is about the same whether a model or the body is asked, where the model can show what resists.
#[test]
fn the_stiffness_of_a_handle_is_nearly_that_at_full_order() {
    let made = solid([10, 2, 2]);
    let handles = bend(&made);
    let of = |full: bool| {
        let request = Request { full, ..Request::default() };
        let precompute = Precompute { modes: Some(15), rank: Some(80), ..small("projected") };
        let model = made.model(&precompute);
        let found =
            request.run(source(&made), Some(&model), &handles, &mut ignore_progress).expect("a shape");
        assert!(found.converged && found.handle_rms < 0.02 * 0.5, "{}", found.handle_rms);
        found.stiffnesses
    };
    let (reduced, full) = (of(false), of(true));
    for (a, b) in reduced.iter().zip(&full) {
        assert!((0.9..2.0).contains(&(a / b)), "{reduced:?} and {full:?}");
    }
}

#[test]
fn ways_are_cut_by_turns_and_by_moves() {
    let made = shell([8, 3, 3]);
    let hand = |end: &Transform| [Handle::moves("h", made.select("x>85%"), end, &made.mesh)];
    assert_eq!(steps(&hand(&Transform::default()), &made.mesh), 1);
    let middle = Vec3::new(0.95, 0.1, 0.1);
    assert_eq!(steps(&hand(&Transform::turn(&Vec3::x(), 1.0, &middle)), &made.mesh), 6, "57.3 degrees");
    assert_eq!(steps(&hand(&Transform::shift(Vec3::y() * 0.25)), &made.mesh), 5, "a quarter of its length");
    let request = Request { steps: Some(3), ..Request::default() };
    let model = made.model(&small("ghost"));
    let found =
        request.run(source(&made), Some(&model), &bend(&made), &mut ignore_progress).expect("a shape");
    assert_eq!(found.steps, 3);
    assert_eq!(found.energies.last().copied(), Some(found.energy));
}

#[test]
fn what_is_not_reached_is_said_and_the_shape_is_there() {
    let made = shell([8, 3, 3]);
    let options = Options { iterations: 1, epsilon: 1e-12, ..Options::default() };
    let request = Request { options, steps: Some(1), ..Request::default() };
    let model = made.model(&small("ghost"));
    let found =
        request.run(source(&made), Some(&model), &bend(&made), &mut ignore_progress).expect("a shape");
    assert!(!found.converged && found.iterations == 1);
    assert!(found.missed[0].contains("no minimum"), "{:?}", found.missed);
    assert!(apart(&found.displacement, &vec![0.0; found.displacement.len()]) > 0.1);
    let facts = found.facts(1.0).to_json();
    assert_eq!((&facts["converged"], &facts["relative_l2"]), (&false.into(), &Default::default()));
}

#[test]
fn a_small_body_gets_a_model_that_it_can_have() {
    for made in [shell([2, 1, 1]), solid([3, 1, 1]), shell([16, 4, 4])] {
        let model = made.model(&usual_model(&made.body));
        assert_eq!(model.force().name(), "ghost");
        let found = Request::default()
            .run(source(&made), Some(&model), &bend(&made), &mut ignore_progress)
            .expect("a shape");
        assert!(found.ghost_vertices.is_some() && found.rank == Some(model.rank()));
    }
}
