//! What can keep a studio from opening, and how an error is said with its causes.

use std::error::Error;
use std::net::SocketAddr;

use pliant::linalg::in_bounds;

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

/// An error with its causes, as the command line prints it.
pub(crate) fn sentence(error: &dyn Error) -> String {
    let mut said = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        let next = error.to_string();
        // Some errors already say what caused them.
        if !said.ends_with(&next) {
            said = format!("{said}: {next}");
        }
        cause = error.source();
    }
    in_bounds(&said)
}
