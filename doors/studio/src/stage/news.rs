//! What happens on the stage, as families hear it.

use pliant::world::Stumble;

/// What a family may hear.
#[derive(Clone, Debug)]
pub(crate) enum News {
    /// A body has come, perhaps in the place of another, which is gone.
    Came { body: u32, replaces: Option<u32>, why: &'static str, by: Option<u32> },
    /// A body has gone.
    Went { body: u32, by: Option<u32> },
    /// A body could not go on.
    Stumbled { body: u32, stumble: Stumble },
    /// A body was put back to rest, and its hands are open.
    Reset,
    /// Settings of a body are others.
    Changed { body: u32 },
    /// A client has gone.
    Left { client: u32 },
}
