//! Numbers of twice the digits, as the sum of two: what a result in one is held against.
//!
//! About 31 digits. Written for tests: simple, not fast.

use std::ops::{Add, Div, Mul, Neg, Sub};

/// high + low, |low| at most half the last digit of high.
#[derive(Clone, Copy, Debug, Default, PartialEq, PartialOrd)]
pub struct Double {
    high: f64,
    low: f64,
}

impl From<f64> for Double {
    fn from(high: f64) -> Self {
        Self { high, low: 0.0 }
    }
}

/// a + b without error.
fn exact_sum(a: f64, b: f64) -> Double {
    let high = a + b;
    let of_b = high - a;
    Double { high, low: (a - (high - of_b)) + (b - of_b) }
}

/// a b without error.
fn exact_product(a: f64, b: f64) -> Double {
    let high = a * b;
    Double { high, low: a.mul_add(b, -high) }
}

impl Add for Double {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        let (high, low) = (exact_sum(self.high, other.high), exact_sum(self.low, other.low));
        let first = exact_sum(high.high, high.low + low.high);
        exact_sum(first.high, first.low + low.low)
    }
}

impl Neg for Double {
    type Output = Self;

    fn neg(self) -> Self {
        Self { high: -self.high, low: -self.low }
    }
}

impl Sub for Double {
    type Output = Self;

    fn sub(self, other: Self) -> Self {
        self + -other
    }
}

impl Mul for Double {
    type Output = Self;

    fn mul(self, other: Self) -> Self {
        let product = exact_product(self.high, other.high);
        exact_sum(product.high, product.low + (self.high * other.low + self.low * other.high))
    }
}

impl Mul<f64> for Double {
    type Output = Self;

    fn mul(self, other: f64) -> Self {
        self * Self::from(other)
    }
}

impl Div for Double {
    type Output = Self;

    fn div(self, other: Self) -> Self {
        // Long division, a digit of 53 bits at a time.
        let first = self.high / other.high;
        let rest = self - other * first;
        let second = rest.high / other.high;
        let third = (rest - other * second).high / other.high;
        Self::from(first) + Self::from(second) + Self::from(third)
    }
}

impl std::iter::Sum for Double {
    fn sum<I: Iterator<Item = Self>>(all: I) -> Self {
        all.fold(Self::default(), Add::add)
    }
}

impl Double {
    /// The nearest number of ordinary length.
    pub fn round(self) -> f64 {
        self.high + self.low
    }

    /// √x of a positive number.
    pub fn sqrt(self) -> Self {
        let root = Self::from(self.high.sqrt());
        root + (self - root * root) / (root * 2.0)
    }

    /// eˣ of a number between −4 and 4.
    pub fn exp(self) -> Self {
        // (e^(x/16))^16, and a series: every squaring doubles the error.
        let small = self * (1.0 / 16.0);
        let mut power =
            (1..30).rev().fold(Self::from(1.0), |sum, k| Self::from(1.0) + small * sum / f64::from(k).into());
        (0..4).for_each(|_| power = power * power);
        power
    }

    /// ln x of a positive number.
    pub fn ln(self) -> Self {
        // Newton for e^y = x, twice: each time the digits double.
        let mut log = Self::from(self.high.ln());
        (0..2).for_each(|_| log = log + self * (-log).exp() - Self::from(1.0));
        log
    }

    /// Sine and cosine of a number below 4.
    fn sin_cos(self) -> (Self, Self) {
        // Of x/16 by series, then doubled.
        let small = self * (1.0 / 16.0);
        let square = small * small;
        let series = |from: u32| {
            (0..15).rev().fold(Self::from(1.0), |sum, k| {
                let next = f64::from((from + 2 * k + 1) * (from + 2 * k + 2));
                Self::from(1.0) - square * sum / next.into()
            })
        };
        let (mut sin, mut cos) = (small * series(1), series(0));
        for _ in 0..4 {
            (sin, cos) = (sin * cos * 2.0, cos * cos - sin * sin);
        }
        (sin, cos)
    }

    /// The angle of (x, self), as `f64::atan2`.
    pub fn atan2(self, x: Self) -> Self {
        // Turned back by the nearest angle, what is left is small: its sine over its cosine, twice.
        let mut angle = Self::from(self.high.atan2(x.high));
        for _ in 0..2 {
            let (sin, cos) = angle.sin_cos();
            angle = angle + (self * cos - x * sin) / (x * cos + self * sin);
        }
        angle
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn assert_near(found: Double, expected: Double) {
        let off = (found - expected).round().abs();
        assert!(off < 1e-30 * expected.round().abs().max(1.0), "{found:?} vs {expected:?}: {off:e}");
    }

    #[test]
    fn thirty_digits_are_right() {
        let third = Double::from(1.0) / Double::from(3.0);
        assert_near(third * 3.0, 1.0.into());
        let root = Double::from(2.0).sqrt();
        assert_near(root * root, 2.0.into());
        // e = 2.718281828459045 + 1.4456468917292502e-16, ln 2 = 0.6931471805599453 + 2.3190468138462996e-17.
        let e = Double { high: std::f64::consts::E, low: 1.445_646_891_729_250_2e-16 };
        assert_near(Double::from(1.0).exp(), e);
        let ln2 = Double { high: std::f64::consts::LN_2, low: 2.319_046_813_846_299_6e-17 };
        assert_near(Double::from(2.0).ln(), ln2);
        assert_near((third * 7.0).ln().exp(), third * 7.0);
        let pi = Double { high: std::f64::consts::PI, low: 1.224_646_799_147_353_2e-16 };
        assert_near(Double::from(1.0).atan2(1.0.into()) * 4.0, pi);
        assert_near(Double::from(1.0).atan2((-1.0).into()) * 4.0, pi * 3.0);
        let (sin, cos) = third.sin_cos();
        assert_near(sin.atan2(cos), third);
    }
}
