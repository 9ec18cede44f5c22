//! C17 Table 5.1: what an iteration costs, at full order and reduced.

use anyhow::Result;
use pliant::sim::Record;

use super::Table;
use crate::pull::{self, Pull, Ready, Way};
use crate::{Grid, Outcome, Part, Run, seconds};

pub(super) const SOLVERS: Table = Table {
    name: "solvers",
    title: "Time of an iteration (C17 Table 5.1)",
    about: "One iteration of backward Euler at full order (one a step), of quasi-Newton at full order (10 a step) and reduced, with a small and a \
            large cubature: the seconds of all steps but the first, which factorises, over their iterations, and behind the × how many a step took, which may be fewer than allowed. Letter A and \
            Bridge are the document's meshes (A: the volume was made anew on its vertices), h = 1e-3 s, 20 coordinates, 20 \
            reduced iterations, 60 and 120 points (Bridge: 50 and 100); the armadillo with 157,274 tets stands for the dragon \
            with 160,553, h = 1/30 s, 40 coordinates, 10 iterations, 60 and 120 points. Each is pulled so far as its stiffness at \
            rest makes a tenth of its size. The document's numbers are means over its three or four recorded \
            experiments, on a laptop with 2.7 GHz. `projective` runs with the projective gradient, invertible StVK with \
            the true one.",
    run,
};

/// ms of Euler, full, and reduced with the small and the large cubature: means over the document's experiments.
type Theirs = [Option<f64>; 4];

const fn mean<const N: usize>(values: [f64; N]) -> Option<f64> {
    let (mut sum, mut k) = (0.0, 0);
    while k < N {
        sum += values[k];
        k += 1;
    }
    Some(sum / N as f64)
}

/// Letter A, Bridge, Dragon; the projective material, then invertible StVK.
const THEIRS: [[Theirs; 2]; 3] = [
    [
        [None, mean([1.68, 1.60, 1.61]), mean([0.21, 0.21, 0.22]), mean([0.42, 0.39, 0.40])],
        [
            mean([15.03, 14.67, 14.72]),
            mean([4.57, 3.73, 4.25]),
            mean([0.41, 0.37, 0.43]),
            mean([0.80, 0.81, 0.79]),
        ],
    ],
    [
        [
            None,
            mean([10.64, 10.67, 10.74, 11.01]),
            mean([0.17, 0.17, 0.18, 0.18]),
            mean([0.37, 0.35, 0.37, 0.38]),
        ],
        [
            mean([91.92, 92.18, 91.93, 92.55]),
            mean([23.12, 20.80, 21.87, 22.56]),
            mean([0.42, 0.33, 0.32, 0.35]),
            mean([0.70, 0.64, 0.67, 0.75]),
        ],
    ],
    [
        [None, mean([141.87, 138.72, 133.64]), mean([0.58, 0.55, 0.48]), mean([0.92, 0.84, 0.82])],
        [
            mean([1698.66, 1668.06, 1680.05]),
            mean([298.81, 291.61, 293.32]),
            mean([0.74, 0.71, 0.67]),
            mean([1.27, 1.34, 1.19]),
        ],
    ],
];

const MATERIALS: [(&str, &str); 2] =
    [("projective", "quasi-newton-projective"), ("invertible-stvk", "quasi-newton")];

/// Seconds an iteration and, of ours, iterations a step; or why there are none.
type Time = std::result::Result<(f64, Option<f64>), String>;

/// In the order of [`Theirs`].
type Ours = [Option<Time>; 4];

fn run(run: &Run) -> Result<Outcome> {
    let mut outcome = Outcome::default();
    let pulls = if run.full {
        let missing = &mut outcome.missing;
        vec![
            pull::letter_a(run, missing)?,
            pull::bridge(run, missing)?,
            pull::armadillo(run, "tets/armadillo_157k.mesh", missing)?,
        ]
    } else {
        vec![Some(pull::small()?)]
    };
    let mut grid = Grid::new(&[
        "material",
        "model",
        "r",
        "Euler",
        "full",
        "small cubature",
        "large cubature",
        "full / small",
        "full / large",
        "C17",
        "Euler",
        "full",
        "small cubature",
        "large cubature",
        "full / small",
        "full / large",
    ]);
    for (m, (material, integrator)) in MATERIALS.into_iter().enumerate() {
        for (pull, theirs) in pulls.iter().zip(&THEIRS) {
            let Some(pull) = pull else { continue };
            run.tell(&format!("solvers: {}, {material}", pull.name));
            let ours = measure(run, pull.clone(), material, integrator)?;
            let ms = theirs[m].map(|t| t.map(|ms| Ok((1e-3 * ms, None))));
            let mut row = vec![material.to_owned(), pull.name.to_owned(), pull.rank.to_string()];
            row.extend(cells(&ours));
            row.push(if pull.name == "Armadillo" { "Dragon".into() } else { pull.name.to_owned() });
            row.extend(cells(&ms));
            grid.push(row);
            for why in ours.into_iter().flatten().filter_map(std::result::Result::err) {
                outcome.parts.push(Part::Text(format!("{}, {material}: {why}.", pull.name)));
            }
        }
    }
    outcome.parts.insert(0, Part::Grid(grid));
    Ok(outcome)
}

/// Four times and the two ratios full / reduced.
fn cells(times: &Ours) -> Vec<String> {
    let known: Vec<Option<(f64, Option<f64>)>> =
        times.iter().map(|t| t.as_ref().and_then(|t| t.as_ref().ok().copied())).collect();
    let cell = |(time, count): (f64, Option<f64>)| {
        seconds(time) + &count.map_or(String::new(), |count| format!(" × {count:.1}"))
    };
    let mut cells: Vec<String> = known.iter().map(|t| t.map_or("–".into(), cell)).collect();
    for k in [2, 3] {
        let ratio = known[1].zip(known[k]).map(|(full, reduced)| full.0 / reduced.0);
        cells.push(ratio.map_or("–".into(), |ratio| format!("{ratio:.0}")));
    }
    cells
}

fn measure(run: &Run, pull: Pull, material: &str, integrator: &'static str) -> Result<Ours> {
    let (large, dt, iterations) = (pull.mesh.elements.len() > 100_000, pull.dt, pull.iterations);
    let ready = Ready::new(run, pull, material)?;
    let way = |integrator, iterations, steps| Way {
        integrator,
        iterations: Some(iterations),
        dt,
        steps: if run.full { steps } else { 6 },
        to: f64::INFINITY,
    };
    let tell = |what: &str, time: Time| {
        run.tell(&format!("  {what}: {}", time.as_ref().map_or_else(Clone::clone, |t| seconds(t.0))));
        Some(time)
    };
    let euler = (material != "projective")
        .then(|| each(ready.full(&way("backward-euler", 1, if large { 10 } else { 60 }))));
    Ok([
        euler.and_then(|t| tell("Euler", t)),
        tell("full", each(ready.full(&way(integrator, 10, if large { 20 } else { 100 })))),
        tell("small cubature", each(ready.reduced(0, &way(integrator, iterations, 600)))),
        tell("large cubature", each(ready.reduced(1, &way(integrator, iterations, 600)))),
    ])
}

/// Seconds an iteration, and iterations a step; the first step not counted.
fn each(record: Result<Record>) -> Time {
    let record = record.map_err(|error| format!("{error:#}"))?;
    let seconds: f64 = record.seconds.iter().skip(1).sum();
    let iterations: usize = record.iterations.iter().skip(1).sum();
    match record.stopped {
        _ if iterations > 0 => {
            let steps = record.iterations.len() - 1;
            Ok((seconds / iterations as f64, Some(iterations as f64 / steps as f64)))
        }
        Some(why) => Err(why.to_string()),
        None => Err("no iteration was needed".into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_solver_has_a_time() {
        let run = Run::quick();
        let ours =
            measure(&run, pull::small().expect("a pull"), "invertible-stvk", "quasi-newton").expect("times");
        for time in ours {
            let (time, count) = time.expect("this material has all four").expect("a time");
            assert!(time > 0.0 && time < 1.0 && count.is_some_and(|n| n >= 1.0), "{time} {count:?}");
        }
        assert_eq!(THEIRS[0][0][1].map(|x| (x * 1000.0_f64).round()), Some(1630.0));
    }
}
