//! The thread that owns the body.

use std::sync::{Arc, mpsc};

use crate::Opening;
use crate::hub::{Command, Hub};

/// Starts the engine; it ends with [`Command::Stop`].
pub(crate) fn start(
    hub: Arc<Hub>,
    inbox: mpsc::Receiver<Command>,
    opening: Opening,
) -> std::io::Result<std::thread::JoinHandle<()>> {
    std::thread::Builder::new().name("engine".into()).spawn(move || {
        let _ = (&hub, &opening);
        while let Ok(command) = inbox.recv() {
            if matches!(command, Command::Stop) {
                return;
            }
        }
    })
}

/// Names that requests may use, for `welcome`.
pub(crate) fn menus() -> serde_json::Value {
    serde_json::json!({})
}
