//! Numbers for tests.

/// Numbers without a pattern between −scale/2 and scale/2, the same in every run.
pub fn noise(size: usize, scale: f64, seed: u64) -> Vec<f64> {
    let mut x = seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1;
    (0..size)
        .map(|_| {
            x ^= x << 13;
            x ^= x >> 7;
            x ^= x << 17;
            scale * ((x >> 11) as f64 / (1_u64 << 53) as f64 - 0.5)
        })
        .collect()
}
