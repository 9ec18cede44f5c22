//! How fast this processor can multiply and add: the floor under every dense kernel, for benchmarks.

use std::time::Instant;

use pulp::{Arch, Simd, WithSimd};

/// Sums that run side by side: enough to hide the latency of one.
const SUMS: usize = 12;

/// Fused multiply-adds of `f64` a second, one core, with the registers that the kernels of this crate use: the best of
/// several short runs.
pub fn multiply_adds_per_second() -> f64 {
    const STEPS: usize = 200_000;
    let mut best = 0.0_f64;
    for _ in 0..20 {
        let start = Instant::now();
        let count = Arch::new().dispatch(Burn { steps: STEPS, x: std::hint::black_box(0.999) });
        best = best.max(count as f64 / start.elapsed().as_secs_f64());
    }
    best
}

struct Burn {
    steps: usize,
    x: f64,
}

impl WithSimd for Burn {
    type Output = usize;

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) -> usize {
        let (x, y) = (simd.splat_f64s(self.x), simd.splat_f64s(1.0 - self.x));
        let mut sums = [x; SUMS];
        for _ in 0..self.steps {
            for k in 0..SUMS {
                sums[k] = simd.mul_add_e_f64s(sums[k], x, y);
            }
        }
        let mut total = 0.0;
        for k in 0..SUMS {
            total += simd.reduce_sum_f64s(sums[k]);
        }
        std::hint::black_box(total);
        self.steps * SUMS * S::F64_LANES
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn a_processor_does_more_than_ten_million_a_second_and_less_than_ten_thousand_million_thousand() {
        let rate = super::multiply_adds_per_second();
        assert!(rate > 1e7 && rate < 1e13, "{rate:e}");
    }
}
