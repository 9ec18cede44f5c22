//! Names of what a world holds: bodies and hands.

use crate::Hold;

/// A body of a world.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct BodyId {
    /// Which slot of the world.
    pub(crate) place: u32,
    /// How many bodies were in that slot before: the id of a body that was removed never means another one.
    pub(crate) generation: u32,
}

/// A hand of a world. It is open when it was released, when its body was put back, and when that was removed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HandId {
    pub(crate) body: BodyId,
    pub(crate) hold: Hold,
}
