//! Why a model was chosen, and what to do where it is not good enough: sentences.

use super::Tried;
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

impl Work<'_> {
    /// Sentences.
    pub(super) fn explain(&mut self, coordinates: Coordinates<'_>, chosen: &Tried, met: bool) {
        let Coordinates { of: candidate, error: basis_error, .. } = coordinates;
        let best = candidate.best();
        self.why.push(format!(
            "{} coordinates of the basis {} from {} modes: with exact forces the motion is off by {}, and no motion in them \
             could be off by less than {}",
            chosen.rank,
            chosen.basis,
            chosen.modes,
            percent(basis_error),
            percent(candidate.bounds[chosen.rank])
        ));
        if let (Some(points), Some(poses)) = (chosen.points, chosen.poses) {
            self.why.push(format!(
                "{points} cubature points: the force is off by {} on fresh poses, the motion by {}",
                percent(poses),
                percent(chosen.scenario)
            ));
        }
        if met {
            return;
        }
        let asked = percent(self.goal.error);
        let given = &self.goal.given;
        let more = match (given.rank, given.modes) {
            (Some(_), _) => "leave out --rank".to_owned(),
            (None, Some(_)) => "leave out --modes, or ask for more".to_owned(),
            (None, None) => format!("ask for more than {} modes with --modes", candidate.modes),
        };
        let sentence = if best > self.aim {
            format!(
                "no motion in the {} coordinates that were looked at comes nearer to the full body than {}: {more}, or \
                 allow more than {asked}",
                candidate.built.basis.rank(),
                percent(best)
            )
        } else if basis_error > self.goal.error {
            format!("the basis alone is off by {}: {more}, or allow more than {asked}", percent(basis_error))
        } else {
            format!(
                "the coordinates are good enough, the force in them is not: more poses (--training), a smaller \
                 --pose-scale{} may help",
                if given.points.is_some() { ", or leaving out --cubature" } else { "" }
            )
        };
        self.why.push(sentence);
    }
}
