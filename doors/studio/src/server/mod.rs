//! HTTP and the WebSocket.

use std::net::IpAddr;

use crate::hub::Hub;
use crate::{Opening, StudioError, engine};

/// How a studio is opened.
#[derive(Clone, Debug)]
pub struct Options {
    /// What with.
    pub opening: Opening,
    /// Where it listens; anything but loopback needs a token, which is made.
    pub listen: IpAddr,
    /// 0 picks a free one.
    pub port: u16,
}

/// Serves until the process is asked to stop; `ready` is called with the address as soon as it listens.
///
/// # Errors
/// [`StudioError`].
pub fn serve(options: &Options, ready: &mut dyn FnMut(&str)) -> Result<(), StudioError> {
    let (hub, inbox) = Hub::new();
    let engine = engine::start(hub.clone(), inbox, options.opening.clone())?;
    let _ = (engine::menus(), options.listen, options.port);
    ready("http://127.0.0.1:0/");
    hub.stop();
    let _ = engine.join();
    Ok(())
}
