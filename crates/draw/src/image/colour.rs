//! Colours: bytes as a screen takes them (sRGB), light as it adds up (linear), and Oklab, where distances are as seen.
//!
//! ```text
//! sRGB, IEC 61966-2-1:  c = 12.92 l (l ≤ 0.0031308),  1.055 l^(1/2.4) − 0.055 above
//! Oklab:                lms = M₁ rgb,  Lab = M₂ ∛lms          (Ottosson 2020, "A perceptual color space")
//! ```
//! Light is added and averaged in linear numbers only; bytes are made once, at the end.

use std::sync::LazyLock;

/// Light, linear, red green blue; 1 is the white of the screen.
pub type Light = [f32; 3];

/// A colour in sRGB bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Colour {
    /// Red.
    pub r: u8,
    /// Green.
    pub g: u8,
    /// Blue.
    pub b: u8,
}

impl Colour {
    /// As written in style sheets: `Colour::hex(0x0072b2)`.
    pub const fn hex(rgb: u32) -> Self {
        Self { r: (rgb >> 16) as u8, g: (rgb >> 8) as u8, b: rgb as u8 }
    }

    /// The light a screen makes of it.
    pub fn light(self) -> Light {
        [self.r, self.g, self.b].map(|c| DECODE[c as usize])
    }

    /// The nearest colour to some light; what is brighter than the screen becomes white.
    pub fn of_light(light: Light) -> Self {
        let [r, g, b] = light.map(encode);
        Self { r, g, b }
    }

    /// From lightness L in [0, 1], chroma C and hue h (radians) of Oklab. Where the screen has no such colour the
    /// channel is clamped.
    pub fn oklch(lightness: f64, chroma: f64, hue: f64) -> Self {
        let (a, b) = (chroma * hue.cos(), chroma * hue.sin());
        let l = (lightness + 0.396_337_777_4 * a + 0.215_803_757_3 * b).powi(3);
        let m = (lightness - 0.105_561_345_8 * a - 0.063_854_172_8 * b).powi(3);
        let s = (lightness - 0.089_484_177_5 * a - 1.291_485_548_0 * b).powi(3);
        Self::of_light([
            (4.076_741_662_1 * l - 3.307_711_591_3 * m + 0.230_969_929_2 * s) as f32,
            (-1.268_438_004_6 * l + 2.609_757_401_1 * m - 0.341_319_396_5 * s) as f32,
            (-0.004_196_086_3 * l - 0.703_418_614_7 * m + 1.707_614_701_0 * s) as f32,
        ])
    }

    /// Oklab coordinates (L, a, b): equal distances look equally different.
    pub fn oklab(self) -> [f64; 3] {
        let [r, g, b] = self.light().map(f64::from);
        let l = (0.412_221_470_8 * r + 0.536_332_536_3 * g + 0.051_445_992_9 * b).cbrt();
        let m = (0.211_903_498_2 * r + 0.680_699_545_1 * g + 0.107_396_956_6 * b).cbrt();
        let s = (0.088_302_461_9 * r + 0.281_718_837_6 * g + 0.629_978_700_5 * b).cbrt();
        [
            0.210_454_255_3 * l + 0.793_617_785_0 * m - 0.004_072_046_8 * s,
            1.977_998_495_1 * l - 2.428_592_205_0 * m + 0.450_593_709_9 * s,
            0.025_904_037_1 * l + 0.782_771_766_2 * m - 0.808_675_766_0 * s,
        ]
    }

    /// `t` = 0 gives this colour, 1 the other; mixed as light.
    pub fn mixed(self, other: Self, t: f32) -> Self {
        let (a, b) = (self.light(), other.light());
        Self::of_light(std::array::from_fn(|c| a[c] + (b[c] - a[c]) * t))
    }
}

/// One channel of light to its byte.
pub(crate) fn encode(l: f32) -> u8 {
    // NaN goes to black: `as` saturates.
    ENCODE[(l * STEPS as f32 + 0.5).clamp(0.0, STEPS as f32) as usize]
}

/// Fine enough that no byte is more than one off, in the dark too, where the curve is steepest (12.92 × 255 / STEPS).
const STEPS: usize = 8192;

static ENCODE: LazyLock<Vec<u8>> =
    LazyLock::new(|| (0..=STEPS).map(|i| (srgb_of(i as f64 / STEPS as f64) * 255.0).round() as u8).collect());

static DECODE: LazyLock<[f32; 256]> =
    LazyLock::new(|| std::array::from_fn(|i| linear_of(i as f64 / 255.0) as f32));

fn srgb_of(l: f64) -> f64 {
    if l <= 0.003_130_8 { 12.92 * l } else { 1.055 * l.powf(1.0 / 2.4) - 0.055 }
}

fn linear_of(c: f64) -> f64 {
    if c <= 0.040_45 { c / 12.92 } else { ((c + 0.055) / 1.055).powf(2.4) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_byte_survives_the_way_to_light_and_back() {
        for i in 0..=255u8 {
            let c = Colour { r: i, g: 255 - i, b: 128 };
            assert_eq!(Colour::of_light(c.light()), c);
        }
        assert_eq!(Colour::of_light([f32::NAN, -1.0, 7.0]), Colour { r: 0, g: 0, b: 255 });
    }

    #[test]
    fn oklab_there_and_back_and_its_white() {
        let white = Colour::hex(0xff_ffff).oklab();
        assert!((white[0] - 1.0).abs() < 1e-6 && white[1].abs() < 1e-6 && white[2].abs() < 1e-6, "{white:?}");
        for rgb in [0x33_66cc, 0xcc_7722, 0x10_2030, 0xee_dd88] {
            let c = Colour::hex(rgb);
            let [l, a, b] = c.oklab();
            assert_eq!(Colour::oklch(l, a.hypot(b), b.atan2(a)), c);
        }
    }
}
