//! The command line of pliant.
fn main() {}
