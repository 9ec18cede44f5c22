//! Facts of a model that was just built: what it is, how long each stage took, how accurate it was found to be.

use pliant_linalg::Note;
use pliant_mesh::loose::loose_parts;
use pliant_reduce::Model;
use pliant_sim::accuracy::{MeasuredModel, Report, percent};

use super::{Fact, Facts, Value, body, of_model};

/// What a model became; `say` puts a door's words into sentences.
pub struct Built<'a> {
    /// The model.
    pub model: &'a Model,
    /// Each stage and its seconds.
    pub stages: &'a [(String, f64)],
    /// The most memory that was taken, MB, where that is known.
    pub peak_memory_mb: Option<f64>,
    /// Of its file.
    pub bytes: u64,
    /// How it was searched for, if it was.
    pub accuracy: Option<&'a Report>,
}

impl Built<'_> {
    /// As facts; `say` puts the words of a door into a sentence.
    pub fn facts(&self, say: &dyn Fn(&Note) -> String) -> Facts {
        let model = of_model(self.model);
        let of_model = |keys: &str| -> Vec<Fact> {
            keys.split_whitespace().filter_map(|key| model.get(key).cloned()).collect()
        };
        let before = "rank modes frequencies_hz singular_values forces cubature_points ghost_vertices training_error \
                      validation_error static_error frequency_error pull_error pull_error_with_half warp";
        let mut stages = Fact::new("stages", Value::Nothing);
        let mut seconds = Facts::new();
        for (name, s) in self.stages {
            stages = stages.read_as(name, format!("{s:.2} s"));
            seconds.push(Fact::new(name, *s).unit("s"));
        }
        let size = format!("{:.2} MB", self.bytes as f64 / 1e6);
        let mut facts = of_model(before);
        facts.extend([
            Fact { value: seconds.into(), ..stages },
            Fact::new("peak_memory_mb", self.peak_memory_mb).unit("MB"),
            Fact::new("bytes", self.bytes).unit("bytes").read_as("size", size),
        ]);
        facts.extend(of_model("basis affine dropped"));
        facts.push(Fact::new("material", self.model.materials()).labelled("material"));
        let loose = loose_parts(self.model.mesh(), &self.model.recipe().fixed);
        facts.push(body::loose_parts(loose.as_ref()));
        facts.push(
            self.accuracy.map_or(Fact::new("accuracy", Value::Nothing), |report| accuracy(report, say)),
        );
        facts.into_iter().collect()
    }
}

/// The sentence of a goal that was missed.
pub fn missed(report: &Report, say: &dyn Fn(&Note) -> String) -> Option<String> {
    let next = say(report.why.last().filter(|_| !report.met)?);
    let (asked, found) = (percent(report.asked), errors(&report.chosen));
    Some(format!("the accuracy asked for, {asked}, was missed: the best found is off by {found}; {next}"))
}

/// An error that was not measured, or of a run without end, is `null`.
fn accuracy(report: &Report, say: &dyn Fn(&Note) -> String) -> Fact {
    let chosen = &report.chosen;
    let within = if report.met { "within" } else { "misses" };
    let off = format!("{within} {}: off by {}", percent(report.asked), errors(chosen));
    let mut fact = Fact::new("accuracy", Value::Nothing).read_as("accuracy", off);
    let mut scenarios: Vec<Facts> = Vec::new();
    for (scenario, error) in report.scenarios.iter().zip(&chosen.scenarios) {
        fact = fact.read_as(
            "measured",
            format!(
                "pulled by {:.3} of its size at {} vertices and released, {} steps: {}; the full body took {:.1} s",
                scenario.reach,
                scenario.pulled,
                scenario.steps,
                motion(*error),
                scenario.full_seconds
            ),
        );
        let facts = [
            Fact::new("dt", scenario.dt).unit("s"),
            Fact::new("steps", scenario.steps),
            Fact::new("period", scenario.period).unit("s"),
            Fact::new("pulled_vertices", scenario.pulled),
            Fact::new("force", scenario.force).unit("N"),
            Fact::new("reach", scenario.reach),
            Fact::new("full_seconds", scenario.full_seconds).unit("s"),
            Fact::new("error", *error),
        ];
        scenarios.push(facts.into_iter().collect());
    }
    let why: Vec<String> = report.why.iter().map(say).collect();
    fact = why.iter().fold(fact, |fact, sentence| fact.read_as("why", sentence));
    let mut would_buy: Vec<Facts> = Vec::new();
    for step in &report.would_buy {
        let change = change(chosen, step);
        fact = fact.read_as("would buy", format!("{change}: off by {}", errors(step)));
        let mut facts = tried(step);
        facts.push(Fact::new("change", change));
        would_buy.push(facts);
    }
    let measured: Facts = [
        Fact::new("loads", chosen.loads),
        Fact::new("poses", chosen.poses),
        Fact::new("scenario", chosen.scenario),
    ]
    .into_iter()
    .collect();
    let value: Facts = [
        Fact::new("asked", report.asked),
        Fact::new("aim", report.aim),
        Fact::new("met", report.met),
        Fact::new("measured", measured),
        Fact::new("chosen", tried(chosen)),
        Fact::new("basis_error", report.basis_error),
        Fact::new("projection_error", report.projection_error),
        Fact::new("why", why),
        Fact::new("tried", report.tried.iter().map(tried).collect::<Vec<_>>()),
        Fact::new("would_buy", would_buy),
        Fact::new("scenarios", scenarios),
    ]
    .into_iter()
    .collect();
    Fact { value: value.into(), ..fact }
}

fn tried(tried: &MeasuredModel) -> Facts {
    [
        Fact::new("basis", tried.basis.as_str()),
        Fact::new("modes", tried.modes),
        Fact::new("rank", tried.rank),
        Fact::new("forces", tried.forces),
        Fact::new("points", tried.points),
        Fact::new("loads", tried.loads),
        Fact::new("poses", tried.poses),
        Fact::new("scenario", tried.scenario),
    ]
    .into_iter()
    .collect()
}

fn errors(tried: &MeasuredModel) -> String {
    let motion = motion(tried.scenario);
    tried.loads.map_or(motion.clone(), |loads| format!("{} under loads, {motion}", percent(loads)))
}

fn motion(error: f64) -> String {
    if error.is_finite() { format!("{} in motion", percent(error)) } else { percent(error) }
}

fn change(from: &MeasuredModel, to: &MeasuredModel) -> String {
    match (from.points, to.points) {
        (Some(a), Some(b)) if from.rank == to.rank => format!("points {a} -> {b}"),
        (Some(_), None) => format!("rank {} -> {}, with exact forces", from.rank, to.rank),
        _ => format!("rank {} -> {}", from.rank, to.rank),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_accuracy_is_told_in_words_and_in_numbers() {
        let of = |rank, points, scenario| MeasuredModel {
            basis: "derivatives".into(),
            modes: 4,
            rank,
            forces: "cubature",
            points,
            loads: Some(0.01),
            poses: Some(0.02),
            scenario,
            scenarios: Vec::new(),
        };
        let report = Report {
            asked: 0.01,
            aim: 0.008,
            met: false,
            chosen: of(9, Some(20), 0.03),
            basis_error: f64::NAN,
            projection_error: 0.001,
            tried: Vec::new(),
            would_buy: vec![of(9, Some(40), f64::INFINITY), of(12, None, 0.01)],
            why: vec![Note::from("take more modes")],
            scenarios: Vec::new(),
        };
        let say = |note: &Note| note.sentence.to_uppercase();
        let fact = accuracy(&report, &say);
        let json = fact.value.to_json();
        assert_eq!((&json["basis_error"], &json["would_buy"][0]["scenario"]), (&().into(), &().into()));
        assert_eq!(json["would_buy"][1]["change"], "rank 9 -> 12, with exact forces");
        assert_eq!((&json["why"][0], &json["met"]), (&"TAKE MORE MODES".into(), &false.into()));
        let labels: Vec<&str> = fact.rows.iter().map(|(label, _)| label.as_str()).collect();
        assert_eq!(labels, ["accuracy", "why", "would buy", "would buy"]);
        assert_eq!(fact.rows[2].1, "points 20 -> 40: off by 1.000 % under loads, no end of the run");
        let said = missed(&report, &say).expect("it was missed");
        assert!(said.contains("1.000 %") && said.ends_with("TAKE MORE MODES"), "{said}");
        assert_eq!(missed(&Report { met: true, ..report }, &say), None);
    }
}
