//! Long vectors: products in a fixed order, without a thread and without memory.
//!
//! A step may not allocate, which a parallel sum does; and next to the forces these sums cost nothing.

/// x · y, in four partial sums of a fixed order: the same bits everywhere.
pub(crate) fn dot(x: &[f64], y: &[f64]) -> f64 {
    assert_eq!(x.len(), y.len(), "vectors of one length");
    let mut sums = [0.0; 4];
    let (xs, ys) = (x.chunks_exact(4), y.chunks_exact(4));
    let rest: f64 = xs.remainder().iter().zip(ys.remainder()).map(|(x, y)| x * y).sum();
    xs.zip(ys).for_each(|(x, y)| (0..4).for_each(|i| sums[i] += x[i] * y[i]));
    (sums[0] + sums[1]) + (sums[2] + sums[3]) + rest
}

/// √(x · x).
pub(crate) fn norm(x: &[f64]) -> f64 {
    dot(x, x).sqrt()
}

/// y ← y + a x.
pub(crate) fn axpy(a: f64, x: &[f64], y: &mut [f64]) {
    y.iter_mut().zip(x).for_each(|(y, x)| *y += a * x);
}

/// out = x + a y.
pub(crate) fn add(x: &[f64], a: f64, y: &[f64], out: &mut [f64]) {
    out.iter_mut().zip(x).zip(y).for_each(|((out, x), y)| *out = x + a * y);
}

/// x ← a x.
pub(crate) fn scale(a: f64, x: &mut [f64]) {
    x.iter_mut().for_each(|x| *x *= a);
}

/// max |xᵢ|.
pub(crate) fn largest(x: &[f64]) -> f64 {
    x.iter().fold(0.0, |largest, x| x.abs().max(largest))
}

/// The index of the largest |xᵢ|, the first one of equals; 0 of nothing.
pub(crate) fn worst(x: &[f64]) -> usize {
    let mut worst = 0;
    (1..x.len()).for_each(|i| {
        if x[i].abs() > x[worst].abs() {
            worst = i;
        }
    });
    worst
}

/// The first entry that is infinite or NaN.
pub(crate) fn first_not_finite(x: &[f64]) -> Option<usize> {
    x.iter().position(|x| !x.is_finite())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn products_and_places() {
        let x: Vec<f64> = (0..11).map(|i| i as f64).collect();
        assert_eq!(dot(&x, &x), 385.0);
        assert_eq!(worst(&[1.0, -3.0, 3.0]), 1);
        assert_eq!((worst(&[]), largest(&[1.0, -3.0])), (0, 3.0));
        assert_eq!(first_not_finite(&[0.0, f64::INFINITY, f64::NAN]), Some(1));
    }
}
