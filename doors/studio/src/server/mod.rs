//! HTTP and the WebSocket: who may connect, how much, and what is where. Computes nothing.

mod connections;
mod files;
mod guard;
mod limits;
mod socket;
#[cfg(test)]
mod tests;

use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use axum::extract::ws::rejection::WebSocketUpgradeRejection;
use axum::extract::{DefaultBodyLimit, Extension, Request, State, WebSocketUpgrade};
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::middleware::{self, Next};
use axum::response::Response;
use axum::routing::{get, post};
use tokio::net::TcpListener;
use tokio::sync::Semaphore;

use crate::command::Observer;
use crate::hub::Hub;
use crate::protocol::{OLDER, SUBPROTOCOL};
use crate::{Opening, StudioError, engine, family};
use connections::{Bounds, Connections, Visit};
use guard::Guard;
#[cfg(test)]
pub(crate) use limits::MESSAGE;

/// How a studio is opened.
pub struct Options {
    /// What with: side by side.
    pub openings: Vec<Opening>,
    /// Where it listens; anything but loopback gets a token.
    pub listen: IpAddr,
    /// 0 picks a free one.
    pub port: u16,
    /// Told of every job beside the pages, for the terminal.
    pub observer: Option<Observer>,
}

/// A studio that is open; closes when it is dropped.
pub struct Studio {
    url: String,
    hub: Arc<Hub>,
    engine: Option<JoinHandle<()>>,
    runtime: Option<tokio::runtime::Runtime>,
}

/// What every handler sees.
pub(crate) struct Shared {
    pub(crate) hub: Arc<Hub>,
    pub(crate) uploads: Semaphore,
    clients: Arc<Semaphore>,
    guard: Guard,
}

impl Studio {
    /// Listens at once; the body comes when it is built.
    ///
    /// # Errors
    /// [`StudioError`].
    pub fn open(options: Options) -> Result<Self, StudioError> {
        let Options { openings, listen, port, observer } = options;
        let (hub, inbox) = Hub::new(family::known(), observer);
        let (runtime, url) = start(hub.clone(), SocketAddr::new(listen, port), limits::CONNECTIONS)?;
        let engine = engine::start(hub.clone(), inbox, openings)?;
        Ok(Self { url, hub, engine: Some(engine), runtime: Some(runtime) })
    }

    /// What to open in a browser, with the token where there is one.
    pub fn url(&self) -> &str {
        &self.url
    }

    /// Until `done` says so, which is asked many times a second; then the studio is closed and its pages are told.
    ///
    /// # Errors
    /// [`StudioError::Engine`].
    pub fn wait(mut self, done: impl Fn() -> bool) -> Result<(), StudioError> {
        while !self.engine.as_ref().is_none_or(JoinHandle::is_finished) {
            if done() {
                return Ok(());
            }
            std::thread::sleep(Duration::from_millis(20));
        }
        self.engine.take().map_or(Ok(()), |engine| engine.join().map_err(|_| StudioError::Engine))
    }
}

/// A server for whatever is behind the hub, and where to find it.
fn start(
    hub: Arc<Hub>,
    address: SocketAddr,
    bounds: Bounds,
) -> Result<(tokio::runtime::Runtime, String), StudioError> {
    // Two threads: the work here is passing bytes on, and the engine has its own.
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build()?;
    let listener = runtime
        .block_on(TcpListener::bind(address))
        .map_err(|source| StudioError::Listen { address, source })?;
    let bound = listener.local_addr()?;
    let guard = Guard::new(bound).map_err(|e| StudioError::Token(e.to_string()))?;
    let url = url(bound, guard.token());
    let clients = Arc::new(Semaphore::new(limits::CLIENTS));
    let shared = Arc::new(Shared { hub, uploads: Semaphore::new(1), clients, guard });
    runtime.spawn(connections::serve(listener, router(shared), Connections::new(bounds)));
    Ok((runtime, url))
}

/// Ends a server; its clients are told so, and those that read within `patience` hear it.
fn close(hub: &Hub, runtime: tokio::runtime::Runtime, patience: Duration) {
    hub.close();
    let begin = Instant::now();
    while hub.clients() > 0 && begin.elapsed() < patience {
        std::thread::sleep(Duration::from_millis(2));
    }
    runtime.shutdown_background();
}

impl Drop for Studio {
    fn drop(&mut self) {
        self.hub.stop();
        if let Some(runtime) = self.runtime.take() {
            close(&self.hub, runtime, limits::CLOSING);
        }
        if let Some(engine) = self.engine.take() {
            let _ = engine.join();
        }
    }
}

fn url(bound: SocketAddr, token: Option<&str>) -> String {
    // Nobody can open 0.0.0.0; on this machine it is reached as loopback.
    let shown = match bound.ip() {
        ip if ip.is_unspecified() && ip.is_ipv4() => SocketAddr::from(([127, 0, 0, 1], bound.port())),
        ip if ip.is_unspecified() => SocketAddr::new(std::net::Ipv6Addr::LOCALHOST.into(), bound.port()),
        _ => bound,
    };
    let token = token.map(|t| format!("?token={t}")).unwrap_or_default();
    format!("http://{shown}/{token}")
}

fn router(shared: Arc<Shared>) -> axum::Router {
    axum::Router::new()
        .route("/socket", get(upgrade))
        .route("/health", get(files::health))
        .route("/family/{family}/drop", post(files::upload).layer(DefaultBodyLimit::max(limits::UPLOAD)))
        .route("/family/{family}/{*path}", get(files::of_family))
        .fallback(files::page)
        .method_not_allowed_fallback(files::wrong_method)
        .layer(middleware::from_fn_with_state(shared.clone(), admit))
        .with_state(shared)
}

/// Every request passes here first.
async fn admit(
    State(shared): State<Arc<Shared>>,
    Extension(visit): Extension<Arc<Visit>>,
    request: Request,
    next: Next,
) -> Response {
    let guard = &shared.guard;
    let mut response = match guard.refuses(request.uri(), request.headers()) {
        Some(sentence) => {
            let mut response = files::refuse(StatusCode::FORBIDDEN, sentence);
            // A stranger's next try is a new connection: this one would only wait.
            response.headers_mut().insert(header::CONNECTION, HeaderValue::from_static("close"));
            response
        }
        None => {
            visit.pass();
            let cookie = guard
                .token_in(request.uri())
                .map(|token| format!("{}={token}; Path=/; HttpOnly; SameSite=Strict", guard::COOKIE));
            let mut response = next.run(request).await;
            if let Some(cookie) = cookie.and_then(|c| HeaderValue::from_str(&c).ok()) {
                response.headers_mut().insert(header::SET_COOKIE, cookie);
            }
            response
        }
    };
    let headers = response.headers_mut();
    for (name, value) in [
        (
            header::CONTENT_SECURITY_POLICY,
            "default-src 'self'; img-src 'self' blob: data:; connect-src 'self' ws:; object-src 'none'; \
             base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
        ),
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (header::REFERRER_POLICY, "no-referrer"),
        (header::CACHE_CONTROL, "no-store"),
    ] {
        headers.insert(name, HeaderValue::from_static(value));
    }
    headers.insert("cross-origin-resource-policy", HeaderValue::from_static("same-origin"));
    response
}

async fn upgrade(
    State(shared): State<Arc<Shared>>,
    headers: HeaderMap,
    upgrade: Result<WebSocketUpgrade, WebSocketUpgradeRejection>,
) -> Response {
    let upgrade = match upgrade {
        Ok(upgrade) => upgrade,
        Err(why) => {
            let why = why.body_text();
            let sentence = format!("/socket is a WebSocket of the subprotocol {SUBPROTOCOL}: {why}");
            return files::refuse(StatusCode::BAD_REQUEST, &sentence);
        }
    };
    let offered = headers.get(header::SEC_WEBSOCKET_PROTOCOL).map(|v| v.to_str().unwrap_or_default());
    let offers = |name: &str| offered.is_some_and(|list| list.split(',').any(|one| one.trim() == name));
    if offers(OLDER) && !offers(SUBPROTOCOL) {
        // A browser shows its page nothing of a refused upgrade.
        return upgrade.protocols([OLDER]).on_upgrade(socket::turn_away);
    }
    if offered.is_some() && !offers(SUBPROTOCOL) {
        let sentence = format!("this server speaks the subprotocol {SUBPROTOCOL}");
        return files::refuse(StatusCode::BAD_REQUEST, &sentence);
    }
    let Ok(place) = shared.clients.clone().try_acquire_owned() else {
        let sentence = format!("{} clients are connected, which is the limit; close one", limits::CLIENTS);
        return files::refuse(StatusCode::SERVICE_UNAVAILABLE, &sentence);
    };
    let hub = shared.hub.clone();
    upgrade
        .protocols([SUBPROTOCOL])
        .max_message_size(limits::MESSAGE)
        .max_frame_size(limits::MESSAGE)
        .on_upgrade(move |socket| async move {
            let mut seat = hub.join(engine::menus(), limits::limits());
            socket::talk(socket, hub, &mut seat).await;
            // There is room for another before anybody hears of it.
            drop(place);
        })
}
