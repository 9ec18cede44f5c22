//! Why a model was chosen, and what to do where it is not good enough: sentences.

use pliant_linalg::{Note, Term};

use super::MeasuredModel;
use super::coordinates::Coordinates;
use super::search::Work;

/// An error in words: per cent, of what is small three digits.
pub fn percent(error: f64) -> String {
    let percent = 100.0 * error;
    if !percent.is_finite() {
        return "no end of the run".into();
    }
    let small = percent > 0.0 && percent < 0.1;
    let digits = if small { (2.0 - percent.log10().floor()).min(12.0) as usize } else { 3 };
    format!("{percent:.digits$} %")
}

/// What a sentence may tell to change.
const RANK: Term = Term::new("rank", "the rank");
const MODES: Term = Term::new("modes", "the number of modes");
const POSES: Term = Term::new("training", "more poses");
const POSE_SCALE: Term = Term::new("pose_scale", "a smaller pose scale");
const POINTS: Term = Term::new("cubature", "the number of points");

impl Work<'_> {
    /// Sentences.
    pub(super) fn explain(&mut self, coordinates: Coordinates<'_>, chosen: &MeasuredModel, met: bool) {
        let Coordinates { of: candidate, error: basis_error, .. } = coordinates;
        let best = candidate.best();
        self.why.push(Note::from(format!(
            "{} coordinates of the basis {} from {} modes: with exact forces the motion is off by {}, and no motion in them \
             could be off by less than {}",
            chosen.rank,
            chosen.basis,
            chosen.modes,
            percent(basis_error),
            percent(candidate.bounds[chosen.rank])
        )));
        if let (Some(points), Some(loads)) = (chosen.points, chosen.loads) {
            self.why.push(Note::from(format!(
                "{points} cubature points: shapes under loads are off by {}, the motion by {}",
                percent(loads),
                percent(chosen.scenario)
            )));
        }
        if met {
            return;
        }
        let asked = percent(self.goal.error);
        let given = &self.goal.given;
        let more = match (given.rank, given.modes) {
            (Some(_), _) => ("leave out the rank".to_owned(), RANK),
            (None, Some(_)) => ("leave out the number of modes, or ask for more".to_owned(), MODES),
            (None, None) => (format!("raise the number of modes above {}", candidate.modes), MODES),
        };
        let (more, term) = more;
        self.why.push(if best > self.aim {
            let sentence = format!(
                "no motion in the {} coordinates that were looked at comes nearer to the full body than {}: {more}, or \
                 allow more than {asked}",
                candidate.built.basis.rank(),
                percent(best)
            );
            Note::new(sentence, &[term])
        } else if basis_error > self.goal.error {
            let off = percent(basis_error);
            Note::new(format!("the basis alone is off by {off}: {more}, or allow more than {asked}"), &[term])
        } else {
            let weak = "the coordinates are good enough, the force in them is not";
            match given.points {
                Some(_) => Note::new(
                    format!(
                        "{weak}: more poses, a smaller pose scale, or leaving out the number of points may help"
                    ),
                    &[POSES, POSE_SCALE, POINTS],
                ),
                None => Note::new(
                    format!("{weak}: more poses or a smaller pose scale may help"),
                    &[POSES, POSE_SCALE],
                ),
            }
        });
    }
}
