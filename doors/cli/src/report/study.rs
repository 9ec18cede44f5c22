//! What other choices would have come to: error against rank for every basis, against points for every trainer, energies
//! of ghosts, and how solvers converge (the figures that 004 has as 3.10 and 3.13).
//!
//! A study that a body has not, or that would take too long, is a sentence on the page and no reason to fail.

use std::sync::Arc;

use pliant::draw::{Plot, Section, Severity};
use pliant::dynamics::{State, integrator};
use pliant::energy::Body;
use pliant::linalg::{Progress, Watch};
use pliant::reduce::basis::{self, Built};
use pliant::reduce::force::{Settings, Source, Trainer, Training, TrainingSet, ghost};
use pliant::reduce::{Model, ReduceError, Request};
use pliant::sim::accuracy::{Pull, Reference, Rehearsal, reference};
use pliant::sim::{Reduced, SimError, convergence, run};

/// The full body takes minutes to move beyond this many elements.
const MOST_ELEMENTS: usize = 60_000;

/// Columns up to which bases are compared.
const RANKS: usize = 100;

/// Training poses of the cubatures that are compared: fewer than of the model, since there are many of them.
const POSES: usize = 200;

/// Cubature points that are tried, in parts of the coordinates; and the most.
const POINTS: [f64; 6] = [0.5, 1.0, 2.0, 3.0, 4.0, 6.0];
const MOST_POINTS: usize = 600;

/// Vertices of the ghosts that are tried, in parts of the mesh's.
const GHOSTS: [f64; 3] = [0.05, 0.15, 0.4];

/// How far the ends of the line are, in parts of the longest side; halved while the material does not admit them.
const REACH: f64 = 0.3;
const HALVINGS: usize = 6;

/// Iterations of a solver at most.
const ITERATIONS: usize = 40;

/// All studies of a model.
pub(super) fn sections(model: &Model, body: &Body, watch: &mut Watch<'_>) -> Result<Vec<Section>, SimError> {
    let mut sections = Vec::new();
    let mut add = |title: &str, made: Result<Vec<Section>, SimError>| -> Result<(), SimError> {
        sections.push(Section::Heading(title.into()));
        match made {
            Ok(made) => sections.extend(made),
            Err(error @ (SimError::Cancelled | SimError::Reduce(ReduceError::Cancelled))) => {
                return Err(error);
            }
            Err(why) => sections.push(note(format!("not shown: {why}"))),
        }
        Ok(())
    };
    let reference = full_motion(model, watch);
    let rehearsal = reference.as_ref().ok().map(|r| r.rehearsal.clone());
    add("Error against rank", reference.and_then(|reference| ranks(model, body, &reference, watch)))?;
    add("Error against cubature points", points(model, body, watch))?;
    add("Energy along a line, and ghosts of it", ghosts(model, body, watch))?;
    let solved = match rehearsal {
        Some(rehearsal) => solvers(model, &rehearsal, watch),
        None => Ok(vec![note("not shown: solvers are compared on the motion of the first study".into())]),
    };
    add("Solvers on one step", solved)?;
    Ok(sections)
}

fn note(sentence: String) -> Section {
    Section::Findings(vec![(Severity::Note, sentence)])
}

/// The full body, pulled by a tenth of its size and released.
fn full_motion(model: &Model, watch: &mut Watch<'_>) -> Result<Reference, SimError> {
    let elements = model.mesh().elements.len();
    if elements > MOST_ELEMENTS {
        return Err(SimError::Scenario(format!(
            "the full body, which bases are measured against, has {elements} elements, and more than {MOST_ELEMENTS} take \
             too long for a page"
        )));
    }
    Reference::of(Pull::usual(&model.body()?), &|| Ok(model.body()?), watch)
}

/// How much of the full motion each basis cannot have, by its number of columns.
fn ranks(
    model: &Model,
    body: &Body,
    reference: &Reference,
    watch: &mut Watch<'_>,
) -> Result<Vec<Section>, SimError> {
    let mut plot = Plot::new("").x("coordinates").y("error, of the largest motion").log_y();
    for entry in &basis::ALL {
        let built = widest(entry, model, body, watch)?;
        let errors = reference.projection_errors(&built.basis);
        let from = built.affine.max(1);
        let curve: Vec<[f64; 2]> =
            (from..errors.len()).filter(|&r| errors[r] > 0.0).map(|r| [r as f64, errors[r]]).collect();
        plot = plot.curve(entry.name, &curve);
    }
    let own = reference.projection_errors(&model.basis());
    let rank = model.basis().rank();
    plot = plot.dots("this model", &[[rank as f64, own[rank].max(f64::MIN_POSITIVE)]]);
    let words = format!(
        "The full body is pulled by {:.2} of its longest side and released ({} steps). Shown is what the best motion in so many \
         coordinates would leave of that, mean over time; of modes as many as there are coordinates, of the others those of {} \
         modes.",
        reference.reach / longest(body),
        reference.rehearsal.scenario.steps,
        modes_of(model, body)
    );
    Ok(vec![Section::Plot(plot, words)])
}

/// A basis with as many columns as it has, or [`RANKS`].
fn widest(
    entry: &basis::Entry,
    model: &Model,
    body: &Body,
    watch: &mut Watch<'_>,
) -> Result<Built, ReduceError> {
    let there = body.dofs().free().len() - body.rigid_count();
    let modes = if entry.name == "modes" { RANKS.min(there / 2) } else { modes_of(model, body) };
    let make = |rank: usize, watch: &mut Watch<'_>| {
        (entry.make)(body, &Request { rank: Some(rank), ..Request::of_modes(modes) }, watch)
    };
    match make(RANKS, watch) {
        Err(ReduceError::Rank { available, .. }) => make(available, watch),
        other => other,
    }
}

/// As the model has, or as are usual where its basis is of something else.
fn modes_of(model: &Model, body: &Body) -> usize {
    let there = body.dofs().free().len() - body.rigid_count();
    match model.facts().eigenvalues.len() {
        0 => 20.min(there),
        modes => modes,
    }
}

fn longest(body: &Body) -> f64 {
    let [low, high] = pliant::mesh::data::bounds(body.rest());
    (high - low).max()
}

/// Errors of cubatures of several sizes by both trainers, on the same poses.
fn points(model: &Model, body: &Body, watch: &mut Watch<'_>) -> Result<Vec<Section>, SimError> {
    let (rank, all) = (model.basis().rank(), body.energy().count());
    let usual = Settings::default();
    let (poses, pose_scale) =
        model.facts().training.as_ref().map_or((usual.poses, usual.pose_scale), |t| (t.poses, t.pose_scale));
    let poses = poses.min(POSES);
    let training = Training { poses, pose_scale, seed: model.facts().seed, ..Training::default() };
    let set = TrainingSet::new(body, &model.basis(), &training, watch)?;
    let mut sizes: Vec<usize> = POINTS
        .iter()
        .map(|part| ((part * rank as f64).ceil() as usize).clamp(1, all.min(MOST_POINTS)))
        .collect();
    sizes.dedup();
    let mut plot = Plot::new("").x("points").y("error of the force").log_y();
    for trainer in [Trainer::NN_HTP, Trainer::GREEDY] {
        let (mut known, mut fresh) = (Vec::new(), Vec::new());
        for &s in &sizes {
            let facts = set.train_by(trainer, s, watch)?.facts;
            known.push([s as f64, facts.training_error]);
            fresh.push([s as f64, facts.validation_error]);
        }
        plot = plot
            .dashed(format!("{}, training", trainer.name), &known)
            .curve(format!("{}, fresh poses", trainer.name), &fresh);
    }
    let words = format!(
        "Cubatures in the {rank} coordinates of this model, trained on {poses} poses and measured on as many fresh ones, of {all} \
         components.",
    );
    Ok(vec![Section::Plot(plot, words)])
}

/// Energy along the softest direction of the model: the body's, its Taylor series, and that of ghosts.
fn ghosts(model: &Model, body: &Body, watch: &mut Watch<'_>) -> Result<Vec<Section>, SimError> {
    let (values, vectors) = model
        .reduced_stiffness()
        .eigen()
        .ok_or_else(|| SimError::Model("its reduced stiffness has no eigenvalues; build it again".into()))?;
    let rank = model.basis().rank();
    // Rigid motions that the basis holds cost nothing and come first.
    let costly = values.iter().position(|&x| x > 1e-9 * values[rank - 1]).unwrap_or(0);
    let soft = costly.max(body.rigid_count().min(model.facts().affine)).min(rank - 1);
    let mode = &vectors[soft * rank..(soft + 1) * rank];
    let mut u = vec![0.0; body.size()];
    model.basis().expand(mode, &mut u);
    let far = u.as_chunks::<3>().0.iter().map(|u| u.iter().map(|x| x * x).sum::<f64>()).fold(0.0, f64::max);
    let mut reach = REACH;
    let n = model.mesh().vertices.len();
    let sizes: Vec<usize> =
        GHOSTS.iter().map(|part| (part * n as f64).ceil() as usize).filter(|&s| s >= 8).collect();
    let of = Source { mesh: &model.mesh(), recipe: &model.recipe(), body };
    let mut line = Err(ReduceError::Request("no line was tried".into()));
    for _ in 0..HALVINGS {
        let scale = reach * longest(body) / far.sqrt();
        let direction: Vec<f64> = mode.iter().map(|x| scale * x).collect();
        line = ghost::line::line(of, &model.basis(), &direction, 41, &[], watch);
        match line {
            Err(ReduceError::Request(_)) => reach *= 0.5,
            _ => break,
        }
    }
    let mut line = line?;
    let scale = reach * longest(body) / far.sqrt();
    let direction: Vec<f64> = mode.iter().map(|x| scale * x).collect();
    let mut missing = Vec::new();
    for size in sizes {
        match ghost::line::line(of, &model.basis(), &direction, 41, &[size], watch) {
            Ok(more) => line.ghosts.extend(more.ghosts),
            Err(ReduceError::Cancelled) => return Err(ReduceError::Cancelled.into()),
            Err(why) => missing.push(note(format!("no ghost of {size} vertices: {why}"))),
        }
    }
    let pairs = |energy: &[f64]| -> Vec<[f64; 2]> {
        line.at.iter().zip(energy).map(|(t, &e)| [t * reach, e]).collect()
    };
    let mut plot = Plot::new("")
        .x("largest displacement, of the longest side")
        .y("energy, J")
        .curve("the body", &pairs(&line.full))
        .dashed("2nd order", &pairs(&line.quadratic))
        .dashed("3rd order", &pairs(&line.cubic));
    let mut errors = vec![
        format!("2nd order {:.1} %", 100.0 * line.error(&line.quadratic)),
        format!("3rd order {:.1} %", 100.0 * line.error(&line.cubic)),
    ];
    for ghost in &line.ghosts {
        plot = plot.curve(format!("ghost of {}", ghost.vertices), &pairs(&ghost.energy));
        errors.push(format!(
            "ghost of {} vertices {:.1} %",
            ghost.vertices,
            100.0 * line.error(&ghost.energy)
        ));
    }
    let words = format!("Along the softest direction of the model. Off by: {}.", errors.join(", "));
    let mut sections = vec![Section::Plot(plot, words)];
    sections.extend(missing);
    Ok(sections)
}

/// Residuals of one step where the load is let go, by iterations and by time.
fn solvers(model: &Model, rehearsal: &Rehearsal, watch: &mut Watch<'_>) -> Result<Vec<Section>, SimError> {
    let scenario = &rehearsal.scenario;
    let mut system = Reduced::new(Arc::new(model.clone()), &scenario.loads)?;
    let mut last = (Vec::new(), Vec::new(), 0.0);
    let mut told = |p: Progress| watch(Progress { stage: "solvers", ..p });
    let first = pliant::sim::Scenario { steps: scenario.steps * 2 / 5, ..scenario.clone() };
    run(&mut system, &first, &reference::options(), None, &mut told, &mut |frame| {
        last = (frame.q.to_vec(), frame.v.to_vec(), frame.t);
    })?;
    let mut state = State::at_rest(model.basis().rank());
    (state.q, state.v, state.t) = last;
    integrator::start(&mut system, &mut state, &scenario.damping, integrator::Start::FromLoad)?;
    let names: Vec<&str> = integrator::ALL.iter().filter(|e| !e.linear_only).map(|e| e.name).collect();
    let (mut by_iterations, mut by_time) = (
        Plot::new("").x("iterations").y("residual, of the largest force").log_y(),
        Plot::new("").x("microseconds").y("residual, of the largest force").log_y(),
    );
    let mut missing = Vec::new();
    for name in names {
        match convergence(&mut system, &state, (scenario.dt, scenario.damping), &[name], ITERATIONS) {
            Ok(curves) => {
                for curve in curves {
                    let sound = || curve.points.iter().filter(|p| p.residual > 0.0);
                    let points: Vec<[f64; 2]> = sound().map(|p| [p.iterations as f64, p.residual]).collect();
                    by_iterations = by_iterations.curve(curve.integrator, &points);
                    // Where it stalls it searches along lines for milliseconds, beside which nothing else is seen.
                    if curve.integrator != "quasi-newton-projective" {
                        let points: Vec<[f64; 2]> = sound().map(|p| [1e6 * p.seconds, p.residual]).collect();
                        by_time = by_time.curve(curve.integrator, &points);
                    }
                }
            }
            Err(why) => missing.push(note(format!("{name}: {why}"))),
        }
    }
    let words = format!(
        "One step of {:.4} s in the motion of the first study. Backward Euler and the quasi-Newton solvers take a step of another \
         rule than the two of Newmark, so that only the shapes of these curves compare.",
        scenario.dt
    );
    let mut sections = vec![
        Section::Plot(by_iterations, words),
        Section::Plot(by_time, "The same, without quasi-newton-projective.".into()),
    ];
    sections.extend(missing);
    Ok(sections)
}
