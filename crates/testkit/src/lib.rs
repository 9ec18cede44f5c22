//! What the tests of every room share. A dev-dependency, never shipped.

pub mod counting;
pub mod derivative;
pub mod double;
pub mod numbers;
pub mod order;
pub mod round_trip;
pub mod sentence;
pub mod shared;
pub mod strategies;
