//! Why a model was chosen, and what to do where it is not good enough: sentences.

use super::Tried;
use super::coordinates::Coordinates;
use super::search::Work;

impl Work<'_> {
    /// Sentences.
    pub(super) fn explain(&mut self, coordinates: Coordinates<'_>, chosen: &Tried, met: bool) {
        let percent = |x: f64| {
            if x.is_finite() { format!("{:.3} %", 100.0 * x) } else { "no end of the run".into() }
        };
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
