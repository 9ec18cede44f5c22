//! Sums in parallel whose bits do not depend on the number of threads.
//!
//! The terms are cut into chunks of a fixed length; each chunk is summed from left to right, and so are the chunks.

use rayon::prelude::*;

/// Terms in one chunk. Part of the result's bits: never derived from the number of threads.
const CHUNK: usize = 4096;

/// Σ term(i) for i in 0..count.
pub fn sum(count: usize, term: impl Fn(usize) -> f64 + Sync) -> f64 {
    let chunk = |k: usize| (k * CHUNK..((k + 1) * CHUNK).min(count)).map(&term).sum::<f64>();
    let chunks = count.div_ceil(CHUNK);
    if chunks < 4 {
        return (0..chunks).map(chunk).sum();
    }
    (0..chunks).into_par_iter().map(chunk).collect::<Vec<f64>>().into_iter().sum()
}

/// x · y.
pub fn dot(x: &[f64], y: &[f64]) -> f64 {
    assert_eq!(x.len(), y.len(), "vectors of one length");
    sum(x.len(), |i| x[i] * y[i])
}

/// √(x · x).
pub fn norm(x: &[f64]) -> f64 {
    dot(x, x).sqrt()
}

/// y ← y + a x.
pub fn axpy(a: f64, x: &[f64], y: &mut [f64]) {
    assert_eq!(x.len(), y.len(), "vectors of one length");
    y.iter_mut().zip(x).for_each(|(y, x)| *y += a * x);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_bits_for_one_thread_and_for_many() {
        let term = |i: usize| ((i * 7919) as f64).sin() / (i + 1) as f64;
        let with = |threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("a pool");
            pool.install(|| sum(100_000, term)).to_bits()
        };
        assert_eq!(with(1), with(7));
        assert!((sum(10, |i| i as f64) - 45.0).abs() < 1e-15);
    }
}
