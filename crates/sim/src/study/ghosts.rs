//! Energy along the softest direction of the model: the body's, its Taylor series, and that of ghosts.

use pliant_energy::Body;
use pliant_linalg::Watch;
use pliant_reduce::force::{Source, ghost};
use pliant_reduce::{Model, ReduceError};

use super::Chart;
use crate::SimError;

/// Vertices of the ghosts that are tried, in parts of the mesh's.
const GHOSTS: [f64; 3] = [0.05, 0.15, 0.4];

/// How far the ends of the line are, in parts of the longest side; halved while the material does not admit them.
const REACH: f64 = 0.3;
const HALVINGS: usize = 6;

/// Points of the line.
const POINTS: usize = 41;

pub(super) fn ghosts(
    model: &Model,
    body: &Body,
    watch: &mut Watch<'_>,
) -> Result<(Chart, Vec<String>), SimError> {
    let (mode, far) = softest(model, body)?;
    let direction = |reach: f64| -> Vec<f64> {
        let scale = reach * model.longest_side() / far;
        mode.iter().map(|x| scale * x).collect()
    };
    let of = Source { mesh: model.mesh(), recipe: model.recipe(), body };
    let mut reach = REACH;
    let mut line = ghost::line::line(of, model.basis(), &direction(reach), POINTS, &[], watch);
    for _ in 1..HALVINGS {
        if !matches!(line, Err(ReduceError::Request(_))) {
            break;
        }
        reach *= 0.5;
        line = ghost::line::line(of, model.basis(), &direction(reach), POINTS, &[], watch);
    }
    let mut line = line?;
    let n = model.mesh().vertices.len();
    let sizes = GHOSTS.iter().map(|part| (part * n as f64).ceil() as usize).filter(|&s| s >= 8);
    let mut missing = Vec::new();
    for size in sizes {
        match ghost::line::line(of, model.basis(), &direction(reach), POINTS, &[size], watch) {
            Ok(more) => line.ghosts.extend(more.ghosts),
            Err(ReduceError::Cancelled) => return Err(ReduceError::Cancelled.into()),
            Err(why) => missing.push(format!("no ghost of {size} vertices: {why}")),
        }
    }
    let pairs = |energy: &[f64]| -> Vec<[f64; 2]> {
        line.at.iter().zip(energy).map(|(t, &e)| [t * reach, e]).collect()
    };
    let x = "largest displacement, of the longest side";
    let mut chart = Chart { x, y: "energy, J", ..Chart::default() }
        .line("the body", pairs(&line.full))
        .dashed("2nd order", pairs(&line.quadratic))
        .dashed("3rd order", pairs(&line.cubic));
    let percent = |energy: &[f64]| 100.0 * line.error(energy);
    let mut errors = vec![
        format!("2nd order {:.1} %", percent(&line.quadratic)),
        format!("3rd order {:.1} %", percent(&line.cubic)),
    ];
    for ghost in &line.ghosts {
        chart = chart.line(format!("ghost of {}", ghost.vertices), pairs(&ghost.energy));
        errors.push(format!("ghost of {} vertices {:.1} %", ghost.vertices, percent(&ghost.energy)));
    }
    chart.words = format!("Along the softest direction of the model. Off by: {}.", errors.join(", "));
    Ok((chart, missing))
}

/// The softest direction that costs something, in coordinates, and its largest displacement, m.
fn softest(model: &Model, body: &Body) -> Result<(Vec<f64>, f64), SimError> {
    let pairs = model.reduced_stiffness().eigen();
    let (values, vectors) = pairs
        .ok_or_else(|| SimError::Model("its reduced stiffness has no eigenvalues; build it again".into()))?;
    let rank = model.rank();
    // Rigid motions that the basis holds cost nothing and come first.
    let costly = values.iter().position(|&x| x > 1e-9 * values[rank - 1]).unwrap_or(0);
    let soft = costly.max(body.rigid_count().min(model.facts().affine)).min(rank - 1);
    let mode = vectors[soft * rank..(soft + 1) * rank].to_vec();
    let mut u = vec![0.0; body.size()];
    model.basis().expand(&mode, &mut u);
    let squares = u.as_chunks::<3>().0.iter().map(|u| u.iter().map(|x| x * x).sum::<f64>());
    Ok((mode, squares.fold(0.0, f64::max).sqrt()))
}
