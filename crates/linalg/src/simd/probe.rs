//! What this processor can do at most: work to be timed, against which kernels are measured.

use crate::simd::{self, Kernel, Wide};

/// Independent sums: enough to hide the latency of an addition on two units.
const SUMS: usize = 12;

/// Multiplies and adds numbers in registers, nothing else; gives how many floating-point operations it did (two for a
/// multiply-add), and a number that depends on all of them.
pub fn multiply_adds(rounds: usize) -> (f64, f64) {
    (rounds as f64 * (2 * 4 * SUMS) as f64, simd::run(MultiplyAdds { rounds }))
}

struct MultiplyAdds {
    rounds: usize,
}

impl Kernel for MultiplyAdds {
    type Output = f64;

    #[inline(always)]
    fn run<W: Wide>(self, wide: W) -> f64 {
        // Tends to 1: neither overflows nor becomes denormal.
        let (factor, rest) = (wide.splat(std::hint::black_box(0.75)), wide.splat(std::hint::black_box(0.25)));
        let mut sums = [rest; SUMS];
        for _ in 0..self.rounds {
            for sum in &mut sums {
                *sum = wide.mul_add(*sum, factor, rest);
            }
        }
        let mut total = wide.splat(0.0);
        for sum in sums {
            total = wide.add(total, sum);
        }
        let [a, b, c, d] = wide.store(total).0;
        (a + b) + (c + d)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_sum_tends_to_one() {
        let (operations, total) = multiply_adds(1000);
        assert_eq!(operations, 96_000.0);
        assert!((total - 48.0).abs() < 1e-9, "{total}");
    }
}
