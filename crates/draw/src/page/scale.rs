//! The numbers along an axis of a plot: where they begin and end, which of them are written, and how.
//!
//! A logarithmic axis is a linear one of the logarithms; its labels are powers of ten, every second or third where there
//! are many, and 1, 2, 5 where there are few.

use std::ops::Range;

use plotters::coord::ranged1d::{KeyPointHint, NoDefaultFormatting, Ranged, ValueFormatter};

use crate::scene::field::{number, ticks};

/// An axis with its range.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Scale {
    /// Ends, as placed: logarithms on a logarithmic axis.
    low: f64,
    high: f64,
    log: bool,
}

impl Scale {
    /// An axis for values; with room at both ends if so wanted. A linear axis of positive values that come near to 0
    /// begins there.
    pub(crate) fn around(values: impl Iterator<Item = f64>, log: bool, room: bool) -> Self {
        let placed = values.filter_map(|v| placed(v, log));
        let [low, high] = placed.fold([f64::INFINITY, f64::NEG_INFINITY], |[l, h], x| [l.min(x), h.max(x)]);
        if low > high {
            return Self { low: 0.0, high: 1.0, log };
        }
        if high - low <= 1e-12 * low.abs().max(high.abs()) {
            // One value only: it is in the middle.
            let half = if log || low == 0.0 { 0.5 } else { low.abs().min(f64::MAX / 4.0) / 2.0 };
            return Self { low: low - half, high: high + half, log };
        }
        // Halves, so that a range over all of f64 does not overflow.
        let room = if room { 0.05 * (high / 2.0 - low / 2.0) } else { 0.0 };
        let from_zero = !log && low >= 0.0 && low < 0.4 * high && room > 0.0;
        let low = if from_zero { 0.0 } else { (low - room).max(f64::MIN / 4.0) };
        Self { low, high: (high + room).min(f64::MAX / 4.0), log }
    }

    /// Where a value stands; `None` for one that the axis does not have.
    pub(crate) fn place(&self, value: f64) -> Option<f64> {
        placed(value, self.log)
    }

    /// The places that are labelled.
    pub(crate) fn ticks(&self) -> Vec<f64> {
        if !self.log {
            return ticks([self.low, self.high], 6);
        }
        let decades = self.high - self.low;
        let (first, last) = ((self.low - 1e-9).ceil(), (self.high + 1e-9).floor());
        if decades > 2.2 {
            let step = (decades / 6.0).ceil().max(1.0);
            // Multiples of the step, so that 1 is among them.
            let first = (first / step).ceil() * step;
            return (0..8).map(|i| first + step * f64::from(i)).take_while(|t| *t <= last).collect();
        }
        let powers = (self.low.floor() as i32..=self.high.ceil() as i32).map(f64::from);
        let some = powers.flat_map(|p| [1f64, 2.0, 5.0].map(|m| p + m.log10()));
        // What is beyond the largest number has no label.
        let end = (self.high + 1e-9).min(f64::MAX.log10());
        let inside: Vec<f64> = some.filter(|t| (self.low - 1e-9..=end).contains(t)).collect();
        if inside.len() > 1 { inside } else { ticks([self.low, self.high], 4) }
    }

    /// What is written at a place.
    pub(crate) fn label(&self, place: f64) -> String {
        if !self.log {
            let step = ticks([self.low, self.high], 6).windows(2).map(|w| w[1] - w[0]).next().unwrap_or(1.0);
            // As many digits as neighbours need to differ.
            let largest = self.low.abs().max(self.high.abs());
            let digits = ((largest / step).log10().ceil() + 2.0).clamp(3.0, 15.0) as usize;
            // What is 0 but for round-off is 0.
            return pretty(&number(if place.abs() < 1e-9 * step { 0.0 } else { place }, digits));
        }
        let power = place.round();
        if (place - power).abs() > 1e-9 {
            return pretty(&number(10f64.powf(place), 2));
        }
        let short = self.low > -3.5 && self.high < 4.5;
        if short { number(10f64.powf(power), 2) } else { format!("10{}", raised(&power.to_string())) }
    }
}

fn placed(value: f64, log: bool) -> Option<f64> {
    if log { Some(value.log10()) } else { Some(value) }.filter(|x| x.is_finite())
}

/// `2.5e-7` as `2.5×10⁻⁷`, and a real minus sign.
fn pretty(text: &str) -> String {
    let (mantissa, power) = match text.split_once('e') {
        Some((mantissa, power)) => (mantissa, format!("×10{}", raised(power))),
        None => (text, String::new()),
    };
    format!("{}{power}", mantissa.replace('-', "−"))
}

/// Digits above the line.
fn raised(number: &str) -> String {
    let superscript = |c: char| match c {
        '-' => '⁻',
        '0'..='9' => ['⁰', '¹', '²', '³', '⁴', '⁵', '⁶', '⁷', '⁸', '⁹'][c as usize - '0' as usize],
        other => other,
    };
    number.chars().map(superscript).collect()
}

impl Ranged for Scale {
    type FormatOption = NoDefaultFormatting;
    type ValueType = f64;

    fn map(&self, place: &f64, pixels: (i32, i32)) -> i32 {
        let t = (place / 2.0 - self.low / 2.0) / (self.high / 2.0 - self.low / 2.0);
        pixels.0 + (f64::from(pixels.1 - pixels.0) * t).round() as i32
    }

    fn key_points<Hint: KeyPointHint>(&self, _: Hint) -> Vec<f64> {
        self.ticks()
    }

    fn range(&self) -> Range<f64> {
        self.low..self.high
    }
}

impl ValueFormatter<f64> for Scale {
    fn format_ext(&self, place: &f64) -> String {
        self.label(*place)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn labels(values: &[f64], log: bool) -> Vec<String> {
        let scale = Scale::around(values.iter().copied(), log, false);
        scale.ticks().into_iter().map(|t| scale.label(t)).collect()
    }

    #[test]
    fn round_numbers_and_few() {
        assert_eq!(labels(&[0.0, 1.0], false), ["0", "0.2", "0.4", "0.6", "0.8", "1"]);
        assert_eq!(labels(&[-1e-7, 1e-7], false)[0], "−1×10⁻⁷");
        assert_eq!(labels(&[513.8185, 513.8190], false)[1], "513.8186");
        assert_eq!(labels(&[1.0, 1000.0], true), ["1", "10", "100", "1000"]);
        assert_eq!(labels(&[1e-12, 1.0], true), ["10⁻¹²", "10⁻¹⁰", "10⁻⁸", "10⁻⁶", "10⁻⁴", "10⁻²", "10⁰"]);
        assert_eq!(labels(&[1.0, 12.0], true), ["1", "2", "5", "10"]);
    }

    #[test]
    fn every_axis_has_some_labels_and_not_too_many() {
        for log in [false, true] {
            for values in [[1.0, 1.0], [0.0, 0.0], [1e-300, 1e300], [3.0, 3.1], [-1e308, 1e308], [5.0, 1e9]] {
                let labels = labels(&values, log);
                assert!((1..=14).contains(&labels.len()), "{values:?}: {labels:?}");
            }
        }
    }

    #[test]
    fn positive_values_begin_at_zero_and_others_have_room() {
        assert_eq!(Scale::around([0.1, 1.0].into_iter(), false, true).low, 0.0);
        let far = Scale::around([0.9, 1.0].into_iter(), false, true);
        assert!(far.low < 0.9 && far.low > 0.8 && far.high > 1.0);
    }
}
