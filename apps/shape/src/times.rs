//! Times that travel: t in units of 1/λ₁, λ₁ the slowest mode that costs energy.
//!
//! ```text
//! t = τ / λ₁;   by default from 4 ln 10 / λ_K, where the last mode counts a ten-thousandth, to 4 ln 10 / λ₁         (1)
//! ```
//! Stiffness, density and units scale all λ by one factor, which (1) divides out; Discrete Shells is softer on coarse meshes,
//! by a factor that is nearly one for all modes. t is in s² for vibration, whose λ is 1/s², and in m² for heat, whose λ is 1/m².

use pliant_linalg::number;
use pliant_sim::SimError;

use crate::spectrum::Spectrum;
use crate::terms::{ABSOLUTE, MODES, TIMES, refused};

/// Samples of a range of times, uniform in log t, where nobody says otherwise.
pub const SAMPLES: usize = 101;

/// exp(−λt) is 1e-4 at this λt.
pub(crate) const DECAYED: f64 = 4.0 * std::f64::consts::LN_10;

/// λ below this share of the largest is that of a motion that costs nothing.
const FREE: f64 = 1e-13;

/// Most samples: S of all vertices is held at once.
const MOST: usize = 10_000;

/// Where a signature is looked at.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum Times {
    /// From the fastest mode to the slowest, (1), [`SAMPLES`] of them.
    #[default]
    Usual,
    /// In units of 1/λ₁.
    Relative {
        /// First.
        from: f64,
        /// Last.
        to: f64,
        /// How many, uniform in log t.
        count: usize,
    },
    /// As they are: s², for heat m².
    Absolute(Vec<f64>),
}

impl Times {
    /// The times for these modes, ascending.
    ///
    /// # Errors
    /// A time that is not above zero, a range that is none, or no mode that costs energy to measure by.
    pub fn of(&self, spectrum: &Spectrum) -> Result<Vec<f64>, SimError> {
        self.by(&spectrum.eigenvalues)
    }

    /// The same where the eigenvalues are at hand, ascending, rigid ones left out.
    ///
    /// # Errors
    /// As [`Times::of`].
    pub fn by(&self, eigenvalues: &[f64]) -> Result<Vec<f64>, SimError> {
        self.check()?;
        let unit = || {
            slowest(eigenvalues).ok_or_else(|| {
                let sentence = "no mode costs energy, so that there is no unit of time; ask for more modes, or for absolute times";
                refused(sentence, &[MODES, ABSOLUTE])
            })
        };
        match self {
            Self::Usual => {
                let first = unit()?;
                let last = eigenvalues.last().copied().unwrap_or(first).max(first);
                Ok(range(DECAYED / last, DECAYED / first, SAMPLES))
            }
            Self::Relative { from, to, count } => {
                let first = unit()?;
                Ok(range(from / first, to / first, *count))
            }
            Self::Absolute(list) => {
                let mut list = list.clone();
                list.sort_by(f64::total_cmp);
                list.dedup();
                Ok(list)
            }
        }
    }

    /// Refuses what is wrong with any modes.
    ///
    /// # Errors
    /// A time that is not above zero, a range that is none, too many times.
    pub fn check(&self) -> Result<(), SimError> {
        let sound = |t: &f64| t.is_finite() && *t > 0.0;
        match self {
            Self::Usual => Ok(()),
            Self::Relative { from, to, count } => {
                if let Some(t) = [from, to].into_iter().find(|t| !sound(t)) {
                    let sentence =
                        format!("times of {}: expected finite numbers > 0, such as 0.01 to 9", number(*t));
                    return Err(refused(sentence, &[TIMES]));
                }
                if from >= to {
                    let sentence = format!(
                        "times from {} to {}: the first must be below the last; turn them around",
                        number(*from),
                        number(*to)
                    );
                    return Err(refused(sentence, &[TIMES]));
                }
                counted(*count, 2)
            }
            Self::Absolute(list) => {
                if let Some(t) = list.iter().find(|t| !sound(t)) {
                    let sentence = format!("absolute times hold {}: expected finite numbers > 0", number(*t));
                    return Err(refused(sentence, &[ABSOLUTE]));
                }
                counted(list.len(), 1)
            }
        }
    }
}

fn counted(count: usize, least: usize) -> Result<(), SimError> {
    if (least..=MOST).contains(&count) {
        return Ok(());
    }
    Err(refused(format!("{count} times: expected {least} to {MOST}"), &[TIMES]))
}

/// λ₁: the first that is more than rounding.
pub(crate) fn slowest(eigenvalues: &[f64]) -> Option<f64> {
    let largest = eigenvalues.last()?;
    eigenvalues.iter().copied().find(|x| *x > FREE * largest)
}

/// `count` numbers from `from` to `to`, uniform in their logarithms, both ends exact.
pub(crate) fn range(from: f64, to: f64, count: usize) -> Vec<f64> {
    let step = (to / from).ln() / (count.max(2) - 1) as f64;
    let at = |i: usize| match i {
        0 => from,
        i if i + 1 == count => to,
        i => from * (step * i as f64).exp(),
    };
    (0..count).map(at).collect()
}

/// Weights of the trapezoid rule over log t; of one time alone 1.
pub(crate) fn weights(times: &[f64]) -> Vec<f64> {
    let last = times.len().saturating_sub(1);
    if last == 0 {
        return vec![1.0; times.len()];
    }
    let at = |i: usize| times[i].ln();
    (0..=last).map(|i| 0.5 * (at((i + 1).min(last)) - at(i.saturating_sub(1)))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn usual_times_go_from_the_fastest_mode_to_the_slowest() {
        let times = Times::Usual.by(&[1e-14, 2.0, 5.0, 800.0]).expect("times");
        assert_eq!((times.len(), times[0], times[100]), (101, DECAYED / 800.0, DECAYED / 2.0));
        let ratio = times[1] / times[0];
        assert!(times.windows(2).all(|w| (w[1] / w[0] / ratio - 1.0).abs() < 1e-12));
        let relative = Times::Relative { from: 0.5, to: 2.0, count: 3 };
        let found = relative.by(&[2.0, 7.0]).expect("times");
        assert!((found[1] - 0.5).abs() < 1e-15 && found[0] == 0.25 && found[2] == 1.0, "{found:?}");
        assert_eq!(Times::Absolute(vec![3.0, 1.0, 3.0]).by(&[]).expect("times"), [1.0, 3.0]);
    }

    #[test]
    fn the_trapezoid_rule_is_exact_for_lines_in_log_t() {
        for times in [range(0.1, 40.0, 7), vec![0.2, 0.3, 5.0], vec![2.0]] {
            let weights = weights(&times);
            let sum: f64 = weights.iter().zip(&times).map(|(w, t)| w * (3.0 + t.ln())).sum();
            let [a, b] = [times[0], times[times.len() - 1]].map(f64::ln);
            let exact = if a == b { 3.0 + a } else { 3.0 * (b - a) + 0.5 * (b * b - a * a) };
            assert!((sum - exact).abs() < 1e-13, "{sum} for {exact}");
        }
    }

    #[test]
    fn times_that_are_none_are_refused() {
        let said = |times: Times| times.by(&[1.0, 2.0]).expect_err("no times").to_string();
        let relative = |from, to, count| Times::Relative { from, to, count };
        assert!(said(relative(0.0, 1.0, 5)).contains("times of 0"));
        assert!(said(relative(2.0, 1.0, 5)).contains("the first must be below the last"));
        assert!(said(relative(1.0, 1.0, 5)).contains("turn them around"));
        assert!(said(relative(1.0, 2.0, 1)).contains("expected 2 to"));
        assert!(said(relative(1.0, f64::NAN, 5)).contains("finite numbers"));
        assert!(said(Times::Absolute(vec![1.0, -1.0])).contains("-1"));
        assert!(said(Times::Absolute(Vec::new())).contains("expected 1 to"));
        let nothing = Times::Usual.by(&[0.0, 0.0]).expect_err("no unit").to_string();
        assert!(nothing.contains("no mode costs energy"), "{nothing}");
    }
}
