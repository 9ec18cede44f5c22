//! C17 Figures 5.4 to 5.7: kinetic energy of what is pulled, by solver.

use anyhow::Result;
use pliant::draw::Plot;
use pliant::sim::Record;

use super::Table;
use crate::pull::{self, Pull, Ready, Way};
use crate::{Grid, Outcome, Part, Run, percent};

pub(super) const KINETIC: Table = Table {
    name: "kinetic",
    title: "Kinetic energy by solver (C17 Figures 5.4 to 5.7)",
    about: "Bodies of invertible St. Venant-Kirchhoff rubber are pulled, as in the table above. Kinetic energy by backward Euler with one \
            iteration, by quasi-Newton at full order (10 iterations) and reduced with the large cubature (20; armadillo 10), \
            and by Newmark with a quarter of the step, the reference; the document's is backward Euler with a fifth to a \
            tenth of the step. What a solver loses is numerical damping, nothing else takes energy out. A step is a fiftieth of the \
            period of what the pull makes swing, and there are 200. The pull of Figure 5.4 stays, those of Figures 5.5 to 5.7 end after a quarter of the time; the document's are recorded mouse pulls. \
            The armadillo has 10,873 tets, where the dragon has 160,553: the reference takes four steps for one.",
    run,
};

/// Short steps of the reference in the place of one.
const SUBSTEPS: usize = 4;

/// Steps in a period of what the pull makes swing.
const EACH: f64 = 50.0;

/// A solver's curve: kinetic energy after each frame, J, the first included.
struct Curve {
    name: &'static str,
    energies: Vec<f64>,
    stopped: Option<String>,
}

fn run(run: &Run) -> Result<Outcome> {
    let mut outcome = Outcome::default();
    let mut grid = Grid::new(&[
        "figure",
        "frames",
        "reference",
        "backward Euler",
        "quasi-Newton",
        "reduced quasi-Newton",
    ]);
    for (figure, pull, constant, frames) in experiments(run, &mut outcome.missing)? {
        run.tell(&format!("kinetic: {figure}, {}", pull.name));
        let name = pull.name;
        let ready = Ready::new(run, pull, "invertible-stvk")?;
        let dt = ready.period / EACH;
        let curves = measure(run, &ready, constant, frames)?;
        let what = if constant { "kinetic energy" } else { "peaks of kinetic energy" };
        let mut plot = Plot::new(format!("{name}: {what}")).x("time, s").y("kinetic energy, J");
        for (k, curve) in curves.iter().enumerate() {
            let shown: Vec<[f64; 2]> = if constant {
                curve.energies.iter().enumerate().map(|(k, e)| [k as f64 * dt, *e]).collect()
            } else {
                peaks(&curve.energies).into_iter().map(|(k, e)| [k as f64 * dt, e]).collect()
            };
            plot = if k == 0 { plot.dashed(curve.name, &shown) } else { plot.curve(curve.name, &shown) };
            if let Some(why) = &curve.stopped {
                outcome.parts.push(Part::Text(format!("{figure}, {}: ended early, {why}.", curve.name)));
            }
        }
        let mut row = vec![format!("{figure}, {name}"), frames.to_string()];
        row.extend(curves.iter().map(|curve| percent(left(curve, &curves[0]))));
        grid.push(row);
        let file = format!("kinetic-{}.svg", figure.trim_start_matches("Figure "));
        let caption = format!(
            "As C17 {figure}: {what}, {name}{}",
            if constant { ", constant pull" } else { ", pulled and released" }
        );
        outcome.parts.push(Part::Figure(file, caption, plot.to_svg().into_bytes()));
    }
    let words = "The largest kinetic energy in the last third of the frames, in parts of the reference's largest of all:";
    outcome.parts.insert(0, Part::Text(words.into()));
    outcome.parts.insert(1, Part::Grid(grid));
    Ok(outcome)
}

/// (figure, body, whether the pull stays, frames).
fn experiments(run: &Run, missing: &mut Vec<String>) -> Result<Vec<(&'static str, Pull, bool, usize)>> {
    if !run.full {
        return Ok(vec![("Figure 5.5", pull::small()?, false, 20)]);
    }
    let bridge = pull::bridge(run, missing)?;
    let letter = pull::letter_a(run, missing)?;
    let armadillo = pull::armadillo(run, "tets/armadillo_11k.mesh", missing)?;
    let all = [
        bridge.clone().map(|pull| ("Figure 5.4", pull, true, 200)),
        letter.map(|pull| ("Figure 5.5", pull, false, 200)),
        armadillo.map(|pull| ("Figure 5.6", pull, false, 200)),
        bridge.map(|pull| ("Figure 5.7", pull, false, 200)),
    ];
    Ok(all.into_iter().flatten().collect())
}

fn measure(run: &Run, ready: &Ready, constant: bool, frames: usize) -> Result<Vec<Curve>> {
    let dt = ready.period / EACH;
    let to = if constant { f64::INFINITY } else { 0.25 * frames as f64 * dt };
    let way = |integrator, iterations| Way { integrator, iterations, dt, steps: frames, to };
    let short = Way { dt: dt / SUBSTEPS as f64, steps: SUBSTEPS * frames, ..way("newmark", None) };
    let curve = |name: &'static str, every: usize, record: Record| {
        run.tell(&format!("  {name}: {:.1} s", record.seconds.iter().sum::<f64>()));
        let energies = record.kinetic.iter().copied().step_by(every).collect();
        Curve { name, energies, stopped: record.stopped.map(|why| why.to_string()) }
    };
    Ok(vec![
        curve("reference: Newmark, a quarter of the step", SUBSTEPS, ready.full(&short)?),
        curve("backward Euler, 1 iteration", 1, ready.full(&way("backward-euler", Some(1)))?),
        curve("quasi-Newton, full", 1, ready.full(&way("quasi-newton", Some(10)))?),
        curve(
            "quasi-Newton, reduced",
            1,
            ready.reduced(1, &way("quasi-newton", Some(ready.pull.iterations)))?,
        ),
    ])
}

/// Frames and energies that neither neighbour exceeds.
fn peaks(energies: &[f64]) -> Vec<(usize, f64)> {
    let top = |k: &usize| energies[k - 1] < energies[*k] && energies[*k] >= energies[k + 1];
    (1..energies.len().saturating_sub(1)).filter(top).map(|k| (k, energies[k])).collect()
}

/// The largest in the last third, in parts of the reference's largest.
fn left(curve: &Curve, reference: &Curve) -> f64 {
    let largest = |values: &[f64]| values.iter().copied().fold(0.0, f64::max);
    largest(&curve.energies[2 * curve.energies.len() / 3..]) / largest(&reference.energies)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_reference_keeps_most() {
        let run = Run::quick();
        let ready = Ready::new(&run, pull::small().expect("a pull"), "invertible-stvk").expect("ready");
        let curves = measure(&run, &ready, false, 100).expect("curves");
        let kept: Vec<f64> = curves.iter().map(|curve| left(curve, &curves[0])).collect();
        assert!(curves.iter().all(|c| c.energies.len() == 101 && c.stopped.is_none()));
        assert!(kept[1..].iter().all(|&k| k > 0.0 && k < kept[0]), "{kept:?}");
        // Full and reduced quasi-Newton are the same method: close curves.
        assert!((kept[3] / kept[2] - 1.0).abs() < 0.5, "{kept:?}");
    }

    #[test]
    fn peaks_are_where_neighbours_are_lower() {
        assert_eq!(peaks(&[0.0, 2.0, 1.0, 1.0, 3.0, 3.0, 0.0]), [(1, 2.0), (4, 3.0)]);
        assert!(peaks(&[]).is_empty() && peaks(&[1.0, 2.0]).is_empty());
    }
}
