//! One client: greeting, then frames and events out, requests in.
//!
//! Whatever a client does, it costs the others nothing: it gets the last frame and not those between, it is closed when it does
//! not read, when it floods, and when it sends what is no request in a size that is no request's.

use std::convert::Infallible;
use std::sync::Arc;
use std::time::Instant;

use axum::extract::ws::{CloseFrame, Message, WebSocket};
use tokio::sync::broadcast::error::RecvError;
use tokio::sync::watch;
use tokio::time::timeout;
use tungstenite::error::ProtocolError;

use super::limits::{Bucket, FAREWELL, PATIENCE, PING};
use crate::hub::{Hub, Seat};
use crate::protocol::{Ask, Event, PROTOCOL, Unread};

/// Close codes of the WebSocket standard.
mod code {
    pub(super) const AWAY: u16 = 1001;
    pub(super) const PROTOCOL: u16 = 1002;
    pub(super) const UNSUPPORTED: u16 = 1003;
    pub(super) const TEXT: u16 = 1007;
    pub(super) const POLICY: u16 = 1008;
    pub(super) const LARGE: u16 = 1009;
    pub(super) const AGAIN: u16 = 1013;
}

/// Until either side leaves.
pub(crate) async fn talk(mut socket: WebSocket, hub: Arc<Hub>, seat: &mut Seat) {
    let heard = match exchange(&mut socket, &hub, seat).await {
        Ended::ByUs(code, reason) => {
            let close = Message::Close(Some(CloseFrame { code, reason: reason.into() }));
            // A client that does not read does not read this either.
            matches!(timeout(PATIENCE, socket.send(close)).await, Ok(Ok(())))
        }
        Ended::ByClient => true,
        Ended::Lost => false,
    };
    if heard {
        // Until the closing handshake is done: what is queued for it is sent while reading.
        let _ = timeout(FAREWELL, async { while let Some(Ok(_)) = socket.recv().await {} }).await;
    }
}

/// A client of an older protocol hears that it is one.
pub(crate) async fn turn_away(mut socket: WebSocket) {
    let sentence = format!(
        "this studio speaks protocol {PROTOCOL}, you an older one; load the page again, or bring your client up to date"
    );
    let refused = Event::Refused { seq: None, what: String::new(), sentence };
    let _ = timeout(PATIENCE, socket.send(Message::Text(refused.to_json().into()))).await;
    let reason = format!("this studio speaks protocol {PROTOCOL}; load the page again").into();
    let close = Message::Close(Some(CloseFrame { code: code::PROTOCOL, reason }));
    if matches!(timeout(PATIENCE, socket.send(close)).await, Ok(Ok(()))) {
        let _ = timeout(FAREWELL, async { while let Some(Ok(_)) = socket.recv().await {} }).await;
    }
}

/// Who ended a conversation.
enum Ended {
    /// With a close code, and why.
    ByUs(u16, &'static str),
    /// The client closes and waits for its close to be answered.
    ByClient,
    /// Nobody listens any more.
    Lost,
}

async fn exchange(socket: &mut WebSocket, hub: &Hub, seat: &mut Seat) -> Ended {
    match converse(socket, hub, seat).await {
        Err(ended) => ended,
        Ok(never) => match never {},
    }
}

async fn converse(socket: &mut WebSocket, hub: &Hub, seat: &mut Seat) -> Result<Infallible, Ended> {
    for text in std::mem::take(&mut seat.greeting) {
        send(socket, Message::Text((&*text).into())).await?;
    }
    let mut bucket = Bucket::full(Instant::now());
    let mut closing = seat.closing.clone();
    let mut ping = tokio::time::interval(PING);
    ping.reset();
    loop {
        tokio::select! {
            received = socket.recv() => match received {
                None => return Err(Ended::Lost),
                Some(Err(error)) => return Err(because(error)),
                Some(Ok(Message::Close(_))) => return Err(Ended::ByClient),
                Some(Ok(message)) => {
                    if !bucket.take(Instant::now()) {
                        return Err(Ended::ByUs(code::POLICY, "too many messages; see docs/protocol.md for the limit"));
                    }
                    hear(hub, seat.client, &message)?;
                }
            },
            answer = seat.private.recv() => match answer {
                Some(text) => send(socket, Message::Text((&*text).into())).await?,
                None => return Err(Ended::Lost),
            },
            event = seat.events.recv() => match event {
                Ok(text) => send(socket, Message::Text((&*text).into())).await?,
                Err(RecvError::Lagged(_)) => return Err(Ended::ByUs(code::AGAIN, "too far behind; connect again")),
                Err(RecvError::Closed) => return Err(Ended::Lost),
            },
            changed = seat.frames.changed() => {
                if changed.is_err() {
                    return Err(Ended::Lost);
                }
                let frame = seat.frames.borrow_and_update().clone();
                send(socket, Message::Binary(frame.as_slice().to_vec().into())).await?;
            }
            () = until(&mut closing) => return Err(Ended::ByUs(code::AWAY, "the studio is closing")),
            _ = ping.tick() => send(socket, Message::Ping(Vec::new().into())).await?,
        }
    }
}

/// Until the studio closes.
async fn until(closing: &mut watch::Receiver<bool>) {
    // The other end is the hub's, which everybody who waits here keeps alive.
    let _ = closing.wait_for(|closing| *closing).await;
}

/// What a client hears that sent what cannot be read.
fn because(error: axum::Error) -> Ended {
    use tungstenite::Error;
    match error.into_inner().downcast_ref() {
        Some(Error::Capacity(_)) => {
            Ended::ByUs(code::LARGE, "a message is too large; see docs/protocol.md for the limit")
        }
        Some(Error::Utf8(_)) => Ended::ByUs(code::TEXT, "text must be UTF-8"),
        // Who is gone without a word is no violation for anybody to hear of.
        Some(Error::Protocol(ProtocolError::ResetWithoutClosingHandshake)) => Ended::Lost,
        Some(Error::Protocol(_)) => Ended::ByUs(code::PROTOCOL, "this is not the WebSocket protocol"),
        _ => Ended::Lost,
    }
}

fn hear(hub: &Hub, client: u32, message: &Message) -> Result<(), Ended> {
    match message {
        Message::Text(text) => match Ask::read(text) {
            Ok(ask) => hub.ask(client, ask),
            Err(Unread { what, seq, sentence }) => {
                hub.answer(client, &Event::Refused { seq, what, sentence });
            }
        },
        Message::Binary(_) => return Err(Ended::ByUs(code::UNSUPPORTED, "requests are text")),
        Message::Ping(_) | Message::Pong(_) | Message::Close(_) => {}
    }
    Ok(())
}

async fn send(socket: &mut WebSocket, message: Message) -> Result<(), Ended> {
    match timeout(PATIENCE, socket.send(message)).await {
        Ok(Ok(())) => Ok(()),
        _ => Err(Ended::Lost),
    }
}
