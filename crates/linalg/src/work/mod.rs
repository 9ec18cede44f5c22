//! Long work: sums in parallel with the same bits for any number of threads, its progress, random numbers.

pub mod par;
pub mod progress;
pub mod random;
