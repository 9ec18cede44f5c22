//! Facts of motions: a run of a scenario, and a model beside the full body.

use pliant_sim::{Comparison, Record};

use super::{Fact, Facts, Value};

/// A run in steps of `dt` seconds, in so many coordinates.
pub fn of_run(record: &Record, dt: f64, coordinates: usize) -> Facts {
    let steps = record.iterations.len();
    let iterations: usize = record.iterations.iter().sum();
    let median = record.median_seconds();
    let per_step = microseconds([("median", median), ("p99", record.quantile(0.99))]);
    let per_step = median.into_iter().fold(per_step, |fact, s| {
        let words = if s < 1e-3 { format!("{:.1} µs", 1e6 * s) } else { format!("{:.3} ms", 1e3 * s) };
        fact.read_as("a step", format!("{words} (median)"))
    });
    let at_end = |key: &str, values: &[f64]| {
        let fact = Fact::new(key, values.to_vec()).unit("J");
        values.last().into_iter().fold(fact, |fact, x| fact.read_as(key, format!("{x:.6e} J at the end")))
    };
    let mut rounded = Fact::new("steps_at_round_off", record.at_round_off);
    if record.at_round_off > 0 {
        let words =
            format!("{} steps, residual up to {:.1e}", record.at_round_off, record.round_off_residual);
        rounded = rounded.read_as("at round-off", words);
    }
    let mut probes = Fact::new("probes", Value::Nothing).unit("m");
    let mut paths = Facts::new();
    for (name, path) in &record.probes {
        if let Some([x, y, z]) = path.last() {
            probes = probes.read_as(name, format!("{x:.6e} {y:.6e} {z:.6e} m at the end"));
        }
        paths.push(Fact::new(name, path.clone()));
    }
    [
        Fact::new("steps", steps).read_as("steps", format!("{steps} of {dt} s")),
        Fact::new("dt", dt).unit("s"),
        per_step,
        at_end("kinetic", &record.kinetic),
        at_end("elastic", &record.elastic),
        Fact { value: paths.into(), ..probes },
        Fact::new("newton_iterations", iterations).labelled("iterations"),
        Fact::new("diverged", record.diverged()),
        Fact::new("coordinates", coordinates),
        Fact::new("iterations_per_step", record.iterations.clone()),
        Fact::new("largest_residual", record.residual),
        Fact::new("halved_steps", record.halved),
        Fact::new("energy_gain", record.gain),
        Fact::new("unconverged_steps", record.unconverged),
        Fact::new("idle_steps", record.idle),
        rounded,
        Fact::new("round_off_residual", record.round_off_residual),
    ]
    .into_iter()
    .collect()
}

/// A model beside the full body.
pub fn of_comparison(comparison: &Comparison) -> Facts {
    let (mean, max) = (comparison.relative_l2_mean(), comparison.relative_l2_max());
    let (body_mean, body_max) = (comparison.of_the_body_mean(), comparison.of_the_body_max());
    let (frequency, speedup) = (comparison.frequency_error(), comparison.speedup());
    let (error, body) = if mean.is_nan() {
        let nothing = || "none was measured: not one step was done by both".to_owned();
        (nothing(), nothing())
    } else {
        (
            format!("{:.3} % of the largest motion on average, {:.3} % at most", 100.0 * mean, 100.0 * max),
            format!("{body_mean:.5} of its length on average, {body_max:.5} at most"),
        )
    };
    let hertz = format!("off by {:.3} % at most", 100.0 * frequency);
    let faster = Fact::new("speedup", speedup);
    let [full, reduced] = comparison.diverged();
    let diverged: Facts = [Fact::new("full", full), Fact::new("reduced", reduced)].into_iter().collect();
    let (of_full, of_reduced) = (comparison.full.median_seconds(), comparison.reduced.median_seconds());
    [
        Fact::new("relative_l2_mean", mean).read_as("error", error),
        Fact::new("relative_l2_max", max),
        Fact::new("frequency_error", frequency).read_as("frequencies", hertz),
        speedup.into_iter().fold(faster, |fact, s| fact.read_as("a step", format!("{s:.0} times faster"))),
        Fact::new("of_the_body_mean", body_mean).read_as("of the body", body),
        Fact::new("of_the_body_max", body_max),
        microseconds([("full", of_full), ("reduced", of_reduced)]),
        Fact::new("steps", comparison.relative_l2.len() - 1),
        Fact::new("diverged", diverged),
    ]
    .into_iter()
    .collect()
}

fn microseconds(seconds: [(&str, Option<f64>); 2]) -> Fact {
    let facts: Facts =
        seconds.map(|(key, s)| Fact::new(key, s.map(|s| 1e6 * s)).unit("µs")).into_iter().collect();
    Fact::new("microseconds_per_step", facts)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_is_told_in_words_and_in_numbers() {
        let record = Record {
            times: vec![0.0, 0.5],
            kinetic: vec![0.0, 2.0],
            elastic: vec![0.0, f64::NAN],
            probes: vec![("tip".into(), vec![[0.0; 3], [1.0, 2.0, 3.0]])],
            seconds: vec![2e-6],
            iterations: vec![3],
            ..Record::default()
        };
        let facts = of_run(&record, 0.5, 7);
        let json = facts.to_json();
        assert_eq!(json["probes"]["tip"], serde_json::json!([[0.0, 0.0, 0.0], [1.0, 2.0, 3.0]]));
        assert_eq!(json["microseconds_per_step"]["median"].as_f64().map(f64::round), Some(2.0));
        assert_eq!((&json["elastic"][1], &json["newton_iterations"]), (&().into(), &3.into()));
        let text = facts.to_text();
        for words in ["1 of 0.5 s", "2.0 µs (median)", "2.000000e0 J at the end", "1.000000e0 2.000000e0 3.0"]
        {
            assert!(text.contains(words), "{words} is missing in {text}");
        }
        let nothing = of_run(&Record::default(), 0.5, 7);
        assert_eq!(nothing.to_json()["microseconds_per_step"]["p99"], serde_json::Value::Null);
    }
}
