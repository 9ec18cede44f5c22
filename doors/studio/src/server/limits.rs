//! How much a client may do. The figures stand in docs/protocol.md.

use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::connections::Bounds;

/// Connected at once.
pub(crate) const CLIENTS: usize = 64;

/// Connections of all kinds. Ten seconds for a head: browsers send it at once, and what they keep open for later they open
/// again. A page takes six connections and a socket, so that the clients have room for what they load.
pub(crate) const CONNECTIONS: Bounds =
    Bounds { head: Duration::from_secs(10), strangers: 64, known: 8 * CLIENTS };

/// A message from a client, bytes.
pub(crate) const MESSAGE: usize = 1 << 20;

/// Messages of a client in a second.
const RATE: f64 = 300.0;

/// Messages of a client at once.
const BURST: f64 = 600.0;

/// An upload with all its files, bytes.
pub(crate) const UPLOAD: usize = 256 << 20;

/// Files of an upload.
pub(crate) const FILES: usize = 16;

/// How long an upload may stand still.
pub(crate) const STALL: Duration = Duration::from_secs(20);

/// How long a client may take to accept a message.
pub(crate) const PATIENCE: Duration = Duration::from_secs(5);

/// How long a client that is closed may take to close too.
pub(crate) const FAREWELL: Duration = Duration::from_secs(1);

/// How long clients may take to hear that the studio closes; an interrupt waits little longer.
pub(crate) const CLOSING: Duration = Duration::from_millis(200);

/// How often a client that is told nothing is asked whether it is still there.
pub(crate) const PING: Duration = Duration::from_secs(20);

/// The limits, for `welcome`.
pub(crate) fn limits() -> Value {
    json!({
        "clients": CLIENTS,
        "message_bytes": MESSAGE,
        "messages_per_second": RATE,
        "messages_at_once": BURST,
        "hands": crate::family::MOST_HANDS,
        "bodies": crate::stage::MOST_BODIES,
        "upload_bytes": UPLOAD,
        "upload_files": FILES,
    })
}

/// A bucket that fills with time and empties with messages.
pub(crate) struct Bucket {
    level: f64,
    at: Instant,
}

impl Bucket {
    pub(crate) fn full(now: Instant) -> Self {
        Self { level: BURST, at: now }
    }

    /// Whether one more message is fine.
    pub(crate) fn take(&mut self, now: Instant) -> bool {
        let passed = now.saturating_duration_since(self.at).as_secs_f64();
        (self.level, self.at) = ((self.level + RATE * passed).min(BURST), now);
        if self.level < 1.0 {
            return false;
        }
        self.level -= 1.0;
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_burst_passes_a_flood_does_not_and_time_heals() {
        let start = Instant::now();
        let mut bucket = Bucket::full(start);
        assert!((0..600).all(|_| bucket.take(start)));
        assert!(!bucket.take(start));
        assert!(bucket.take(start + Duration::from_millis(4)), "one in 3.3 ms");
        assert!(!bucket.take(start + Duration::from_millis(4)));
        // As fast as allowed, for a minute.
        let at = |k: u64| start + Duration::from_secs(10) + Duration::from_micros(3334 * k);
        assert!((0..18_000).all(|k| bucket.take(at(k))));
    }
}
