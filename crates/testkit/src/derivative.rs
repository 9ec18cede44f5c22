//! Derivatives: the order of the error is checked, not one lucky step size.

/// Asserts that `exact` is the derivative of `f` at 0: the central difference errs by O(h²), or not at all.
#[track_caller]
pub fn assert_derivative(what: &str, f: impl Fn(f64) -> f64, exact: f64) {
    let scale = exact.abs().max(f(0.0).abs()).max(1.0);
    let error = |h: f64| ((f(h) - f(-h)) / (2.0 * h) - exact).abs() / scale;
    // Two coarse steps: at one of them terms of h² and h⁴ may cancel by chance.
    let (coarse, fine) = (error(1e-2).max(4.0 * error(5e-3)), error(1e-3));
    let order = (coarse / fine).log10();
    assert!(
        fine < 1e-9 || order > 1.8,
        "{what}: order {order:.2} (want 2), errors {coarse:.1e} → {fine:.1e}"
    );
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_right_derivative_passes() {
        assert_derivative("sin", |t| (1.0 + t).sin(), 1_f64.cos());
    }

    #[test]
    #[should_panic(expected = "order")]
    fn a_wrong_factor_is_caught() {
        assert_derivative("sin", |t| (1.0 + t).sin(), 1.001 * 1_f64.cos());
    }
}
