//! The engine behind a hub, without sockets.
