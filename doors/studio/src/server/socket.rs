//! One client: greeting, then frames and events out, requests in.
//!
//! Whatever a client does, it costs the others nothing: it gets the last frame and not those between, it is closed when it does
//! not read, when it floods, and when it sends what is no request in a size that is no request's.

use std::sync::Arc;
use std::time::Instant;

use axum::extract::ws::{CloseFrame, Message, WebSocket};
use tokio::sync::broadcast::error::RecvError;
use tokio::time::timeout;

use super::limits::{Bucket, FAREWELL, PATIENCE, PING};
use crate::hub::{Hub, Seat};
use crate::protocol::{Event, Request};

/// Close codes of the WebSocket standard.
mod code {
    pub(super) const UNSUPPORTED: u16 = 1003;
    pub(super) const POLICY: u16 = 1008;
    pub(super) const AGAIN: u16 = 1013;
}

/// Until either side leaves.
pub(crate) async fn talk(mut socket: WebSocket, hub: Arc<Hub>, mut seat: Seat) {
    if let Err(Some((code, reason))) = exchange(&mut socket, &hub, &mut seat).await {
        let close = Message::Close(Some(CloseFrame { code, reason: reason.into() }));
        // A client that does not read does not read this either.
        if timeout(PATIENCE, socket.send(close)).await.is_ok() {
            // What is still on its way is taken, or the system would reset the connection and the reason be lost.
            let _ = timeout(FAREWELL, async { while let Some(Ok(_)) = socket.recv().await {} }).await;
        }
    }
}

/// Why it ended: a reason to be told, or none where nobody listens any more.
type Ended = Option<(u16, &'static str)>;

async fn exchange(socket: &mut WebSocket, hub: &Hub, seat: &mut Seat) -> Result<(), Ended> {
    for text in std::mem::take(&mut seat.greeting) {
        send(socket, Message::Text(text.into())).await?;
    }
    let mut bucket = Bucket::full(Instant::now());
    let mut ping = tokio::time::interval(PING);
    ping.reset();
    loop {
        tokio::select! {
            received = socket.recv() => match received {
                None | Some(Err(_) | Ok(Message::Close(_))) => return Err(None),
                Some(Ok(message)) => {
                    if !bucket.take(Instant::now()) {
                        return Err(Some((code::POLICY, "too many messages; see docs/protocol.md for the limit")));
                    }
                    hear(hub, seat.client, &message)?;
                }
            },
            answer = seat.private.recv() => match answer {
                Some(text) => send(socket, Message::Text((&*text).into())).await?,
                None => return Err(None),
            },
            event = seat.events.recv() => match event {
                Ok(text) => send(socket, Message::Text((&*text).into())).await?,
                Err(RecvError::Lagged(_)) => return Err(Some((code::AGAIN, "too far behind; connect again"))),
                Err(RecvError::Closed) => return Err(None),
            },
            changed = seat.frames.changed() => {
                if changed.is_err() {
                    return Err(None);
                }
                let frame = seat.frames.borrow_and_update().clone();
                send(socket, Message::Binary(frame.as_slice().to_vec().into())).await?;
            }
            _ = ping.tick() => send(socket, Message::Ping(Vec::new().into())).await?,
        }
    }
}

fn hear(hub: &Hub, client: u32, message: &Message) -> Result<(), Ended> {
    match message {
        Message::Text(text) => match serde_json::from_str::<Request>(text) {
            Ok(request) => hub.ask(client, request),
            Err(error) => {
                let sentence = format!("not a request of protocol 1: {error}; docs/protocol.md lists them");
                hub.answer(client, &Event::Refused { what: named(text), sentence });
            }
        },
        Message::Binary(_) => return Err(Some((code::UNSUPPORTED, "requests are text"))),
        Message::Ping(_) | Message::Pong(_) | Message::Close(_) => {}
    }
    Ok(())
}

/// The word behind `do`, as far as there is one.
fn named(text: &str) -> String {
    let value: Option<serde_json::Value> = serde_json::from_str(text).ok();
    let word = value.as_ref().and_then(|v| v.get("do")).and_then(|d| d.as_str()).unwrap_or_default();
    word.chars().take(40).collect()
}

async fn send(socket: &mut WebSocket, message: Message) -> Result<(), Ended> {
    match timeout(PATIENCE, socket.send(message)).await {
        Ok(Ok(())) => Ok(()),
        _ => Err(None),
    }
}
