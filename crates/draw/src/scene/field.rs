//! Scalar fields as colours: displacement, stress, error.
//!
//! The sequential map is a curve through Oklab made for this crate: lightness rises evenly, the hue runs from violet
//! through blue and green to yellow, and the chroma stays inside what a screen can show. Equal steps of the value are
//! therefore nearly equal steps to the eye, also in grey.

use crate::Colour;

/// How numbers become colours.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ColourMap {
    /// Dark violet to light yellow, for magnitudes.
    Sequential,
    /// Blue through white to red, for signed numbers; give it a range symmetric about 0.
    Diverging,
    /// White to red, for how different something is: 0 is alike.
    Difference,
}

impl ColourMap {
    /// The colour of `t` in [0, 1]; outside and NaN as the nearer end (NaN as 0).
    pub fn at(self, t: f64) -> Colour {
        let t = if t.is_nan() { 0.0 } else { t.clamp(0.0, 1.0) };
        match self {
            Self::Sequential => {
                let degrees = 302.0 - 194.0 * t;
                let chroma =
                    0.105 + 0.05 * t * t + 0.025 * (1.0 - t) * (std::f64::consts::PI * t).cos().max(0.0);
                Colour::oklch(0.27 + 0.64 * t, chroma, degrees.to_radians())
            }
            Self::Diverging => {
                let s = 2.0 * t - 1.0;
                let hue: f64 = if s < 0.0 { 252.0 } else { 32.0 };
                Colour::oklch(0.96 - 0.42 * s.abs(), 0.16 * s.abs(), hue.to_radians())
            }
            Self::Difference => {
                // Lightness falls evenly; the chroma stays inside what a screen can show.
                Colour::oklch(0.97 - 0.43 * t, 0.21 * t, 29.0_f64.to_radians())
            }
        }
    }
}

/// One number for every vertex.
#[derive(Clone, Debug, PartialEq)]
pub struct Field {
    /// A value for each vertex, in the unit of the label.
    pub values: Vec<f64>,
    /// The values of the two ends of the map.
    pub range: [f64; 2],
    /// The map.
    pub map: ColourMap,
    /// What it is and its unit, written at the colour bar: `displacement, mm`. Empty: no bar.
    pub label: String,
}

impl Field {
    /// A field over its own finite range.
    pub fn new(values: Vec<f64>, label: impl Into<String>) -> Self {
        let finite = values.iter().copied().filter(|x| x.is_finite());
        let [low, high] = finite.fold([f64::INFINITY, f64::NEG_INFINITY], |[l, h], x| [l.min(x), h.max(x)]);
        let range = if low <= high { [low, high] } else { [0.0, 1.0] };
        Self { values, range, map: ColourMap::Sequential, label: label.into() }
    }

    /// A value as its place on the map, [0, 1].
    pub(crate) fn place(&self, value: f64) -> f64 {
        // Halves, so that a range over all of f64 does not overflow.
        let [low, high] = self.range.map(|x| x / 2.0);
        let t = (value / 2.0 - low) / (high - low);
        if t.is_nan() { 0.0 } else { t.clamp(0.0, 1.0) }
    }
}

/// Round numbers inside `range`, at most about `wanted` of them: steps of 1, 2 or 5 times a power of ten.
pub(crate) fn ticks(range: [f64; 2], wanted: usize) -> Vec<f64> {
    let span = range[1] - range[0];
    if !(span > 0.0 && span.is_finite()) {
        return vec![range[0]];
    }
    let raw = span / wanted.max(1) as f64;
    let power = 10f64.powf(raw.log10().floor());
    let step =
        [1.0, 2.0, 5.0, 10.0].map(|m| m * power).into_iter().find(|&s| s >= raw * 0.999).unwrap_or(raw);
    let first = (range[0] / step - 1e-9).ceil();
    // Below the precision of the numbers themselves a step would not move.
    if step <= 0.0 || range[0] + step == range[0] {
        return vec![range[0]];
    }
    (0..=2 * wanted).map(|i| (first + i as f64) * step).take_while(|&x| x <= range[1] + 1e-9 * step).collect()
}

/// A number with at most `digits` significant digits and no needless zeros: `0.25`, `1500`, `2.5e-7`.
pub(crate) fn number(x: f64, digits: usize) -> String {
    if x == 0.0 {
        return "0".into();
    }
    let magnitude = x.abs().log10().floor();
    if !(-3.0..6.0).contains(&magnitude) {
        let text = format!("{x:.*e}", digits.saturating_sub(1));
        let (mantissa, exponent) = text.split_once('e').unwrap_or((&text, "0"));
        let mantissa = if mantissa.contains('.') {
            mantissa.trim_end_matches('0').trim_end_matches('.')
        } else {
            mantissa
        };
        return format!("{mantissa}e{exponent}");
    }
    let decimals = (digits as f64 - 1.0 - magnitude).max(0.0) as usize;
    let text = format!("{x:.decimals$}");
    match text.contains('.') {
        true => text.trim_end_matches('0').trim_end_matches('.').to_string(),
        false => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_steps_look_equal() {
        let lab: Vec<[f64; 3]> =
            (0..=32).map(|i| ColourMap::Sequential.at(i as f64 / 32.0).oklab()).collect();
        let steps: Vec<f64> =
            lab.windows(2).map(|w| (0..3).map(|c| (w[1][c] - w[0][c]).powi(2)).sum::<f64>().sqrt()).collect();
        let mean = steps.iter().sum::<f64>() / 32.0;
        assert!(lab.windows(2).all(|w| w[1][0] > w[0][0]), "lightness rises");
        assert!(steps.iter().all(|s| (0.6..1.6).contains(&(s / mean))), "{mean:.4}: {steps:.4?}");
    }

    #[test]
    fn what_is_alike_is_white_and_what_is_not_is_red() {
        let lab: Vec<[f64; 3]> =
            (0..=32).map(|i| ColourMap::Difference.at(i as f64 / 32.0).oklab()).collect();
        assert!(lab.windows(2).all(|w| w[1][0] < w[0][0]), "lightness falls");
        let [white, red] = [0.0, 1.0].map(|t| ColourMap::Difference.at(t));
        assert!(white.r > 240 && white.g > 240 && white.b > 240, "{white:?}");
        assert!(red.r > 190 && red.g < 60 && red.b < 60, "{red:?}");
    }

    #[test]
    fn ticks_are_round_and_inside() {
        assert_eq!(ticks([0.0, 1.0], 5).len(), 6);
        assert_eq!(ticks([3.0, 97.0], 5), [20.0, 40.0, 60.0, 80.0]);
        for range in [[0.0, 0.0], [f64::NAN, 1.0], [1.0, 1.0 + 1e-16], [-1e308, 1e308], [1e300, 1.1e300]] {
            assert!(!ticks(range, 5).is_empty() && ticks(range, 5).len() < 12, "{range:?}");
        }
    }

    #[test]
    fn numbers_are_short() {
        for (x, text) in
            [(0.25, "0.25"), (1500.0, "1500"), (2.5e-7, "2.5e-7"), (-1e9, "-1e9"), (0.1 + 0.2, "0.3")]
        {
            assert_eq!(number(x, 3), text);
        }
    }
}
