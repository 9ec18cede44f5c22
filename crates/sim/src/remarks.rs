//! What a user should know of a run, in sentences.

use pliant_dynamics::{StepError, integrator};
use pliant_linalg::{Note, Term};

use crate::{Comparison, Record, RunOptions};

/// A part of the initial state that is lost and worth a word.
const LOST: f64 = 1e-6;

const EXPLODED: &str = "the body has more than twice the energy that it was given: the motion explodes";

const INTEGRATOR: Term = Term::new("integrator", "integrator");

/// What to know before a body of these materials is stepped so.
pub fn caution(options: &RunOptions, materials: &[&str]) -> Option<Note> {
    let entry = integrator::find(&options.integrator)?;
    let own = entry.material?;
    let other = materials.iter().find(|name| **name != own)?;
    let name = entry.name;
    let sentence = format!(
        "the integrator {name} takes its directions from the material {own}, and this body is {other}: its steps come to a halt \
         away from the solution, or do not begin; it is good for {own}, which it solves to the tolerance, and to see what directions of \
         another material cost; quasi-newton solves {other}, too"
    );
    Some(Note::new(sentence, &[INTEGRATOR]))
}

impl Record {
    /// Whether it ended early, or gained energy from nowhere.
    pub fn diverged(&self) -> bool {
        self.stopped.is_some() || self.exploded()
    }

    /// Whether it was not done to the tolerance that was asked: it diverged, a step did not begin to be solved, or most of
    /// them ended above the tolerance.
    pub fn missed(&self) -> bool {
        self.diverged() || self.idle > 0 || 2 * self.unconverged > self.iterations.len()
    }

    /// What to say of a run of so many steps; `full`: its coordinates are those of vertices.
    pub fn remarks(&self, steps: usize, full: bool) -> Vec<Note> {
        let mut notes = Vec::new();
        for (what, lost) in [("displacement", self.lost[0]), ("velocity", self.lost[1])] {
            if lost > LOST {
                let percent = 100.0 * lost;
                notes.push(Note::from(format!(
                    "{percent:.3} % of the initial {what} (by mass) is not in the basis of the model and was left out"
                )));
            }
        }
        if let Some(stopped) = &self.stopped {
            let place = if full { place(stopped) } else { String::new() };
            let done = self.times.len() - 1;
            notes.push(format!("{stopped}{place}; {done} of {steps} steps were done").into());
        }
        notes.extend(self.explosion());
        if self.unconverged > 0 {
            let most = self.iterations.iter().max().unwrap_or(&0);
            let mut sentence = format!(
                "{} of {} steps ended above the tolerance, after at most {most} iteration{} (largest residual {:.1e})",
                self.unconverged,
                self.iterations.len(),
                if *most == 1 { "" } else { "s" },
                self.residual
            );
            if self.idle > 0 {
                sentence += &format!(
                    "; {} of them without one iteration, as nothing that was tried lowered the energy: take another \
                     integrator",
                    self.idle
                );
                notes.push(Note::new(sentence, &[INTEGRATOR]));
            } else {
                notes.push(sentence.into());
            }
        }
        notes
    }

    fn explosion(&self) -> Option<Note> {
        self.exploded().then(|| match self.unconverged {
            0 if self.integrator == "backward-euler" => {
                format!("{EXPLODED} although every step converged; take a smaller dt or some damping").into()
            }
            0 => {
                let sentence = format!(
                    "{EXPLODED} although every step converged; take a smaller dt, some damping, or backward-euler as the \
                     integrator"
                );
                Note::new(sentence, &[Term::new("integrator", "as the integrator")])
            }
            _ => {
                let sentence =
                    format!("{EXPLODED}, and steps that ended above the tolerance are why; allow more iterations");
                Note::new(sentence, &[Term::new("iterations", "more iterations")])
            }
        })
    }
}

impl Comparison {
    /// Whether one of both was not done to the tolerance, or they cannot be compared in numbers.
    pub fn missed(&self) -> bool {
        let apart = [self.relative_l2_mean(), self.of_the_body_mean(), self.frequency_error()];
        self.full.missed() || self.reduced.missed() || apart.iter().any(|x| !x.is_finite())
    }

    /// [`Record::diverged`] of the full body and of the model.
    pub fn diverged(&self) -> [bool; 2] {
        [self.full.diverged(), self.reduced.diverged()]
    }

    /// What to say of two runs of so many steps.
    pub fn remarks(&self, steps: usize) -> Vec<Note> {
        let both = [("full", &self.full), ("reduced", &self.reduced)];
        let early = both.into_iter().filter_map(|(which, record)| {
            let stopped = record.stopped.as_ref()?;
            let done = record.times.len() - 1;
            let place = if which == "full" { place(stopped) } else { String::new() };
            Some(
                format!("the {which} run ended early: {stopped}{place}; {done} of {steps} steps were done")
                    .into(),
            )
        });
        let exploded = both.into_iter().filter_map(|(which, record)| {
            let note = record.explosion()?;
            Some(Note { sentence: format!("{which} run: {}", note.sentence), ..note })
        });
        let loose = both.into_iter().filter(|(_, record)| record.unconverged > 0).map(|(which, record)| {
            let steps = record.iterations.len();
            format!("{which} run: {} of {steps} steps ended above the tolerance", record.unconverged).into()
        });
        early.chain(exploded).chain(loose).collect()
    }
}

/// Where on the body a step failed: coordinate 3v + c is component c of vertex v.
fn place(error: &StepError) -> String {
    match error {
        StepError::NoConvergence { worst, .. }
        | StepError::NotFinite { worst, .. }
        | StepError::LoadNotFinite { worst, .. } => {
            format!(" (that is component {} of vertex {})", ["x", "y", "z"][worst % 3], worst / 3)
        }
        _ => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_happened_is_said_and_a_good_run_says_nothing() {
        let good = Record { times: vec![0.0, 1.0], iterations: vec![2], ..Record::default() };
        assert!(good.remarks(1, true).is_empty() && !good.diverged());
        let exploded = Record { gain: 1.5, ..good.clone() };
        assert!(exploded.diverged() && exploded.remarks(1, true)[0].contains("smaller dt"));
        let by = |integrator| Record { integrator, ..exploded.clone() }.remarks(1, true)[0].sentence.clone();
        assert!(
            by("newmark").contains("or backward-euler")
                && !by("backward-euler").contains("or backward-euler")
        );
        let loose = Record { unconverged: 1, lost: [0.5, 0.0], ..exploded };
        let said = loose.remarks(1, true);
        assert!(said[0].contains("50.000 % of the initial displacement"), "{said:?}");
        assert!(said[1].contains("allow more iterations") && said[2].contains("1 of 1 steps"), "{said:?}");
        let some = Record { iterations: vec![2; 4], unconverged: 2, ..good.clone() };
        assert!(!some.missed(), "half of the steps");
        assert!(Record { unconverged: 3, ..some.clone() }.missed(), "most of the steps");
        let idle = Record { unconverged: 1, idle: 1, ..some };
        let said = idle.remarks(4, true);
        assert!(idle.missed() && said[0].contains("1 of them without one iteration"), "{said:?}");
    }

    #[test]
    fn an_integrator_of_one_material_warns_of_others() {
        let with = |name: &str| RunOptions { integrator: name.into(), ..RunOptions::default() };
        assert_eq!(caution(&with("newmark"), &["stvk"]), None);
        assert_eq!(caution(&with("quasi-newton-projective"), &["projective"]), None);
        let said = caution(&with("quasi-newton-projective"), &["projective", "stvk"]).expect("a warning");
        assert!(said.contains("this body is stvk") && said.contains("it is good for projective"), "{said:?}");
    }
}
