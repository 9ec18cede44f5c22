//! What would bring a model nearer to its body: more coordinates or more points, by what was measured when it was made.

use pliant_linalg::Note;

use super::Model;
use crate::error::{MODES, RANK};
use crate::force::setting::POINTS;

impl Model {
    /// What twice the coordinates would leave of the error of a standard pull, and what more points could take off; `None` where no
    /// pull was measured.
    pub fn outlook(&self) -> Option<Note> {
        let (pull, r) = (self.facts().pull?, self.rank());
        let percent = |error: f64| format!("{:.2} %", 100.0 * error);
        let more = format!(
            "twice the {RANK} of {r}, and the {MODES} for it, would leave a pull off by about {} in place of {}",
            percent(pull.with_twice()),
            percent(pull.error)
        );
        let Some(loads) = self.facts().training.as_ref().and_then(|t| t.static_error) else {
            return Some(Note::new(more, &[RANK, MODES]));
        };
        let points = format!("a larger {POINTS} can take off the {} under loads", percent(loads));
        // What is larger comes first.
        let sentence = if loads > pull.error {
            format!("{points}; {more}")
        } else {
            format!("{more}; {points}, no more")
        };
        Some(Note::new(sentence, &[RANK, MODES, POINTS]))
    }
}

#[cfg(test)]
mod tests {
    use pliant_energy::Recipe;
    use pliant_linalg::{Vec3, ignore_progress};
    use pliant_mesh::{select, shapes};

    use super::*;
    use crate::force::Settings;
    use crate::{Precompute, PullError};

    #[test]
    fn what_is_farther_off_is_named_first() {
        let bar = shapes::bar(Vec3::new(1.0, 0.1, 0.1), [6, 1, 1]).into_data();
        let fixed = vec![select::select(&bar, "x<5%").expect("one end")];
        let recipe = Recipe { fixed, ..Recipe::default() };
        let usual = Settings { poses: 20, ..Settings::default() };
        let precompute = Precompute { modes: Some(4), usual, ..Precompute::default() };
        let mut parts =
            precompute.build(bar, recipe, &mut ignore_progress).expect("a model").model.into_parts();
        let mut said = |pull: Option<f64>, loads: Option<f64>| {
            parts.facts.pull = pull.map(|error| PullError { error, with_half: 2.0 * error });
            parts.facts.training.as_mut().expect("it was trained").static_error = loads;
            Model::new(parts.clone()).expect("sound").outlook().map(|note| note.sentence)
        };
        let coordinates = said(Some(0.1), Some(0.01)).expect("measured");
        assert!(
            coordinates.starts_with("twice the rank of")
                && coordinates.contains("about 5.00 % in place of 10.00 %")
        );
        assert!(coordinates.ends_with("the 1.00 % under loads, no more"), "{coordinates}");
        let points = said(Some(0.01), Some(0.1)).expect("measured");
        assert!(points.starts_with("a larger number of cubature points"), "{points}");
        let exact = said(Some(0.1), None).expect("measured");
        assert!(!exact.contains("points"), "{exact}");
        assert_eq!(said(None, Some(0.1)), None);
    }
}
