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

/// The sum of some numbers: reads them once, in order, and does nothing else that takes time.
pub fn read(numbers: &[f64]) -> f64 {
    simd::run(Read { numbers })
}

struct Read<'a> {
    numbers: &'a [f64],
}

impl Kernel for Read<'_> {
    type Output = f64;

    #[inline(always)]
    fn run<W: Wide>(self, wide: W) -> f64 {
        let mut sums = [wide.splat(0.0); 8];
        let (groups, rest) = self.numbers.as_chunks::<32>();
        for group in groups {
            for (sum, four) in sums.iter_mut().zip(group.as_chunks::<4>().0) {
                *sum = wide.add(*sum, wide.load_slice(four));
            }
        }
        let mut total = wide.splat(0.0);
        for sum in sums {
            total = wide.add(total, sum);
        }
        wide.store(total).0.iter().chain(rest).sum()
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

    #[test]
    fn every_number_is_read_once() {
        let numbers: Vec<f64> = (1..=1000).map(f64::from).collect();
        assert_eq!(read(&numbers), 500_500.0);
        assert_eq!(read(&numbers[..5]), 15.0);
    }
}
