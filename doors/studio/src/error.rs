//! What can keep a studio from opening.

use std::net::SocketAddr;

/// Why there is no studio.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StudioError {
    /// The address is taken or not ours.
    #[error(
        "cannot listen on {address}: {source}; choose another port with `--port` (0 picks a free one), or with `--listen` an address of this machine"
    )]
    Listen {
        /// Where.
        address: SocketAddr,
        /// What the system says.
        source: std::io::Error,
    },
    /// Threads, sockets.
    #[error("the server stopped: {0}")]
    Server(#[from] std::io::Error),
    /// No randomness for the token.
    #[error("the system gives no random numbers, which the token needs: {0}")]
    Token(String),
    /// The thread that owns the body is gone.
    #[error("the engine broke down, which is a mistake in pliant; please report it")]
    Engine,
}
