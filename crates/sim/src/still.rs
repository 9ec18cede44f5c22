//! Vertices that cannot move, and why: for errors, and for what a scenario may probe and pull.

/// Why a vertex cannot move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Still {
    /// It is held along x, y and z.
    Fixed,
    /// It is free, but no coordinate of the model moves it.
    Unmoved,
}
