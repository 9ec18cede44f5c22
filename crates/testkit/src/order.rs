//! Orders of convergence: the slope is asserted, not one lucky error.

/// The slope of log(error) over log(step) by least squares.
///
/// ```
/// let order = pliant_testkit::order::observed(&[0.1, 0.05, 0.025], |h| 3.0 * h * h);
/// assert!((order - 2.0).abs() < 1e-12);
/// ```
pub fn observed(steps: &[f64], error: impl Fn(f64) -> f64) -> f64 {
    let points: Vec<(f64, f64)> = steps.iter().map(|&h| (h.ln(), error(h).ln())).collect();
    let n = points.len() as f64;
    let (mx, my) = points.iter().fold((0.0, 0.0), |(x, y), p| (x + p.0 / n, y + p.1 / n));
    let (xy, xx) =
        points.iter().fold((0.0, 0.0), |(xy, xx), p| (xy + (p.0 - mx) * (p.1 - my), xx + (p.0 - mx).powi(2)));
    xy / xx
}
