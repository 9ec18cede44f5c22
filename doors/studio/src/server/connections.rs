//! Connections before anybody knows whose they are: how long a request may take to arrive, how many may wait, how they end.
//!
//! A connection is a *stranger's* until a request on it has passed the guard. Strangers cost memory and prove nothing, so there
//! are few of them: one more takes the place of the one that has waited longest, and who has passed loses nothing by it. Every
//! request, the first as any later one, must be there with its whole head within a bounded time, an idle wait included.
//!
//! A connection is not cut where it ends but says so and takes what is still on its way: otherwise the system answers those
//! bytes with a reset, and the other side loses what it was told last, the close code of a WebSocket among it.

use std::collections::BTreeMap;
use std::future::poll_fn;
use std::io;
use std::pin::Pin;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll};
use std::time::Duration;

use hyper::Request;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::{Service as _, service_fn};
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Notify;
use tokio::time::{sleep, timeout};

use super::limits::FAREWELL;

/// What a server bears from connections.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Bounds {
    /// How long the head of a request may take, from the moment in which it could begin.
    pub(crate) head: Duration,
    /// Connections without a request that passed the guard.
    pub(crate) strangers: usize,
    /// Connections with one.
    pub(crate) known: usize,
}

/// All connections.
pub(crate) struct Connections {
    bounds: Bounds,
    open: Mutex<Open>,
}

#[derive(Default)]
struct Open {
    next: u64,
    /// By age.
    strangers: BTreeMap<u64, Arc<Eviction>>,
    known: usize,
}

/// That somebody else needs the place of a connection.
#[derive(Default)]
struct Eviction {
    asked: AtomicBool,
    wake: Notify,
}

/// One connection, counted until it is dropped.
pub(crate) struct Visit {
    id: u64,
    known: AtomicBool,
    evicted: Arc<Eviction>,
    all: Arc<Connections>,
}

impl Connections {
    pub(crate) fn new(bounds: Bounds) -> Arc<Self> {
        Arc::new(Self { bounds, open: Mutex::default() })
    }

    /// One more; nobody while there are too many that passed.
    fn enter(self: &Arc<Self>) -> Option<Arc<Visit>> {
        let mut open = self.open();
        if open.known >= self.bounds.known {
            return None;
        }
        while open.strangers.len() >= self.bounds.strangers.max(1) {
            let (_, oldest) = open.strangers.pop_first()?;
            oldest.asked.store(true, Ordering::Relaxed);
            oldest.wake.notify_one();
        }
        let (id, evicted) = (open.next, Arc::<Eviction>::default());
        open.next += 1;
        open.strangers.insert(id, evicted.clone());
        Some(Arc::new(Visit { id, known: AtomicBool::new(false), evicted, all: self.clone() }))
    }

    fn open(&self) -> MutexGuard<'_, Open> {
        // Each change is one step, so a panic elsewhere leaves the counts as they were.
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Visit {
    /// A request has passed the guard.
    pub(crate) fn pass(&self) {
        if !self.known.swap(true, Ordering::Relaxed) {
            let mut open = self.all.open();
            open.strangers.remove(&self.id);
            open.known += 1;
        }
    }
}

impl Drop for Visit {
    fn drop(&mut self) {
        let mut open = self.all.open();
        if *self.known.get_mut() {
            open.known -= 1;
        } else {
            open.strangers.remove(&self.id);
        }
    }
}

/// Answers whoever connects, for ever.
pub(crate) async fn serve(listener: TcpListener, router: axum::Router, connections: Arc<Connections>) {
    loop {
        let stream = match listener.accept().await {
            Ok((stream, _)) => stream,
            Err(_) => {
                // Too many open files, mostly: some of them are ours and end soon.
                sleep(Duration::from_millis(50)).await;
                continue;
            }
        };
        let Some(visit) = connections.enter() else { continue };
        // Without this a small frame waits for the one before it to be acknowledged.
        let _ = stream.set_nodelay(true);
        tokio::spawn(answer(Stream { tcp: Some(stream), visit }, router.clone()));
    }
}

/// Answers the requests of one connection.
async fn answer(stream: Stream, router: axum::Router) {
    let visit = stream.visit.clone();
    let head = visit.all.bounds.head;
    let (routed, whose) = (TowerToHyperService::new(router), visit.clone());
    let service = service_fn(move |mut request: Request<Incoming>| {
        request.extensions_mut().insert(whose.clone());
        routed.call(request)
    });
    let connection = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(head)
        .serve_connection(TokioIo::new(stream), service)
        .with_upgrades();
    tokio::select! {
        // An error is the other side's: it is gone, too slow, or speaks something else.
        _ = connection => {}
        () = visit.evicted.wake.notified() => {}
    }
}

/// A socket that lingers where it is dropped, so that what was said last arrives.
struct Stream {
    /// There until it is dropped.
    tcp: Option<TcpStream>,
    visit: Arc<Visit>,
}

impl Stream {
    fn tcp(&mut self) -> Pin<&mut TcpStream> {
        Pin::new(self.tcp.as_mut().expect("taken only by `drop`"))
    }
}

impl Drop for Stream {
    fn drop(&mut self) {
        let (Some(tcp), Ok(runtime)) = (self.tcp.take(), tokio::runtime::Handle::try_current()) else {
            return;
        };
        let visit = self.visit.clone();
        // Who had to go is cut: it was told nothing, and its place is taken.
        if !visit.evicted.asked.load(Ordering::Relaxed) {
            runtime.spawn(async move {
                tokio::select! {
                    _ = timeout(FAREWELL, linger(tcp)) => {}
                    () = visit.evicted.wake.notified() => {}
                }
            });
        }
    }
}

/// Says that nothing more comes, and takes what does until the other side says the same.
async fn linger(mut tcp: TcpStream) -> io::Result<()> {
    poll_fn(|cx| Pin::new(&mut tcp).poll_shutdown(cx)).await?;
    let mut lost = vec![0; 1 << 12];
    loop {
        tcp.readable().await?;
        match tcp.try_read(&mut lost) {
            Ok(0) => return Ok(()),
            Err(error) if error.kind() != io::ErrorKind::WouldBlock => return Err(error),
            _ => {}
        }
    }
}

impl AsyncRead for Stream {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bytes: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        self.tcp().poll_read(cx, bytes)
    }
}

impl AsyncWrite for Stream {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        self.tcp().poll_write(cx, bytes)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bytes: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        self.tcp().poll_write_vectored(cx, bytes)
    }

    fn is_write_vectored(&self) -> bool {
        true
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.tcp().poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.tcp().poll_shutdown(cx)
    }
}
