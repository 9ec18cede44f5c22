//! Reduced models in motion: against the full body, against formulas, and in the hands of a player.
#![expect(non_snake_case, reason = "K, M, U are the papers' letters")]

mod full;
mod hands;
mod history;
mod linear;
mod make;
mod motions;
mod settings;
mod solvers;
mod vega;

use pliant_dynamics::Options;
use pliant_linalg::ignore_progress;
use pliant_sim::{InitialState, Record, RunOptions, Scenario, SimError, Subject, run};

/// A run with every displacement, frame by frame.
fn motion(
    subject: &mut dyn Subject,
    scenario: &Scenario,
    integrator: &str,
    initial: Option<(Vec<f64>, Vec<f64>)>,
) -> Result<(Record, Vec<Vec<f64>>), SimError> {
    let solver = Options { tolerance: 1e-12, ..Options::default() };
    let options = RunOptions { integrator: integrator.into(), solver };
    let mut frames = Vec::new();
    let size = 3 * subject.vertices();
    let record = run(
        subject,
        scenario,
        &options,
        initial.map(InitialState::from),
        &mut ignore_progress,
        &mut |frame| {
            let mut u = vec![0.0; size];
            frame.displacement(&mut u);
            frames.push(u);
        },
    )?;
    Ok((record, frames))
}

/// The largest difference between two motions, of the largest displacement of the first.
fn difference(a: &[Vec<f64>], b: &[Vec<f64>]) -> f64 {
    assert_eq!(a.len(), b.len(), "as many frames");
    let (a, b) = (a.concat(), b.concat());
    let worst = a.iter().zip(&b).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
    worst / a.iter().fold(0.0, |m, x| x.abs().max(m))
}
