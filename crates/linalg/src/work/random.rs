//! Numbers without a pattern, the same in every run: splitmix64 and what is made of it.
//!
//! For poses, candidates and starting vectors; not for secrets.

/// A source of random numbers; the number inside is where it starts.
#[derive(Clone, Debug)]
pub struct Random(pub u64);

impl Random {
    /// 64 random bits.
    pub fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// Uniform in (−1, 1).
    pub fn symmetric(&mut self) -> f64 {
        (self.bits() >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
    }

    /// Uniform among 0, …, count − 1, count > 0: the high half of a product, biased by less than count / 2⁶⁴.
    pub fn below(&mut self, count: usize) -> usize {
        ((u128::from(self.bits()) * count as u128) >> 64) as usize
    }

    /// Normal with mean 0 and standard deviation 1: the polar method, one of its two numbers.
    pub fn normal(&mut self) -> f64 {
        loop {
            let (x, y) = (self.symmetric(), self.symmetric());
            let square = x * x + y * y;
            if square > 0.0 && square < 1.0 {
                return x * (-2.0 * square.ln() / square).sqrt();
            }
        }
    }

    /// `count` different members of 0, …, from − 1, in no order; all of them where there are not more.
    pub fn choose(&mut self, count: usize, from: usize) -> Vec<u32> {
        let mut all: Vec<u32> = (0..from as u32).collect();
        let count = count.min(from);
        for k in 0..count {
            all.swap(k, k + self.below(from - k));
        }
        all.truncate(count);
        all
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn normal_deviates_have_the_moments_of_a_normal() {
        let mut random = Random(3);
        let count = 200_000;
        let mut moments = [0.0; 5];
        for _ in 0..count {
            let x = random.normal();
            (1..5).for_each(|k| moments[k] += x.powi(k as i32) / f64::from(count));
        }
        // The standard deviations of these sums are 1, √2, √15, √96 over √count: about 0.002 times that.
        for (k, (expected, allowed)) in
            [(0.0, 0.01), (1.0, 0.015), (0.0, 0.04), (3.0, 0.1)].into_iter().enumerate()
        {
            assert!((moments[k + 1] - expected).abs() < allowed, "{moments:?}");
        }
    }

    #[test]
    fn chosen_members_are_different_and_each_comes_up_alike() {
        let mut random = Random(11);
        let mut seen = [0; 10];
        for _ in 0..10_000 {
            let mut chosen = random.choose(4, 10);
            chosen.iter().for_each(|&c| seen[c as usize] += 1);
            chosen.sort_unstable();
            chosen.dedup();
            assert_eq!(chosen.len(), 4);
        }
        assert!(seen.iter().all(|&n| (3_800..4_200).contains(&n)), "{seen:?}");
        assert_eq!(random.choose(7, 3).len(), 3);
    }
}
