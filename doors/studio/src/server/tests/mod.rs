//! The server over real sockets, with a scripted engine behind it. (The page is tested in a browser: tests/page.)

mod connections;

use std::io::{Read as _, Write as _};
use std::net::{SocketAddr, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, mpsc};
use std::time::{Duration, Instant};

use axum::http::{HeaderMap, header};
use serde_json::{Value, json};
use tungstenite::client::IntoClientRequest as _;
use tungstenite::protocol::{CloseFrame, WebSocketConfig};
use tungstenite::{Message, WebSocket};

use super::{Bounds, limits};
use crate::hub::{Command, Hub, Refusal, Served};
use crate::packed::Packable;
use crate::protocol::{FRAME_HEAD, FrameWriter, Head, OLDER, SUBPROTOCOL, event, put_f32};

/// A server on loopback; what would be the engine is the test.
struct Server {
    hub: Arc<Hub>,
    inbox: mpsc::Receiver<Command>,
    address: SocketAddr,
    runtime: Option<tokio::runtime::Runtime>,
}

impl Server {
    fn start() -> Self {
        Self::with(limits::CONNECTIONS)
    }

    fn with(bounds: Bounds) -> Self {
        let (hub, inbox) = Hub::new(crate::family::known(), None);
        let (runtime, url) = super::start(hub.clone(), "127.0.0.1:0".parse().unwrap(), bounds).unwrap();
        let address = url.strip_prefix("http://").and_then(|u| u.strip_suffix('/')).unwrap().parse().unwrap();
        Self { hub, inbox, address, runtime: Some(runtime) }
    }

    fn http(&self, request: &str) -> (u16, String) {
        http(self.address, request)
    }

    fn get(&self, path: &str) -> (u16, String) {
        get(self.address, path)
    }

    fn connect(&self) -> Client {
        self.connect_from(None).unwrap()
    }

    fn connect_from(&self, origin: Option<&str>) -> Result<Client, Box<tungstenite::Error>> {
        self.connect_with(origin, SUBPROTOCOL)
    }

    fn connect_with(
        &self,
        origin: Option<&str>,
        subprotocol: &str,
    ) -> Result<Client, Box<tungstenite::Error>> {
        let mut request = format!("ws://{}/socket", self.address).into_client_request().unwrap();
        request.headers_mut().insert("sec-websocket-protocol", subprotocol.parse().unwrap());
        if let Some(origin) = origin {
            request.headers_mut().insert("origin", origin.parse().unwrap());
        }
        let stream = TcpStream::connect(self.address).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        let config = WebSocketConfig::default();
        match tungstenite::client::client_with_config(request, stream, Some(config)) {
            Ok((socket, _)) => Ok(Client(socket)),
            Err(tungstenite::HandshakeError::Failure(error)) => Err(Box::new(error)),
            Err(error) => panic!("{error}"),
        }
    }

    /// The next request that arrives at the engine.
    fn asked(&self) -> String {
        loop {
            match self.inbox.recv_timeout(PATIENCE).expect("a command") {
                Command::Ask { ask, .. } => return ask.named(),
                Command::Join | Command::Leave { .. } => {}
                other => panic!("{other:?}"),
            }
        }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        if let Some(runtime) = self.runtime.take() {
            runtime.shutdown_background();
        }
    }
}

/// Status and body of a raw request.
fn http(address: SocketAddr, request: &str) -> (u16, String) {
    let answer = String::from_utf8_lossy(&raw(address, request)).into_owned();
    let status = answer.split(' ').nth(1).and_then(|s| s.parse().ok()).unwrap_or_else(|| panic!("{answer}"));
    let body = answer.split_once("\r\n\r\n").map(|(_, body)| body.to_owned()).unwrap_or_default();
    (status, body)
}

/// All that is answered to a raw request.
fn raw(address: SocketAddr, request: &str) -> Vec<u8> {
    let mut stream = TcpStream::connect(address).unwrap();
    stream.set_read_timeout(Some(PATIENCE)).unwrap();
    stream.write_all(request.as_bytes()).unwrap();
    let mut answer = Vec::new();
    let _ = stream.read_to_end(&mut answer);
    answer
}

fn get(address: SocketAddr, path: &str) -> (u16, String) {
    http(address, &format!("GET {path} HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n\r\n"))
}

/// What takes longer hangs; machines that test are busy.
const PATIENCE: Duration = Duration::from_secs(600);

struct Client(WebSocket<TcpStream>);

impl Client {
    fn say(&mut self, text: impl Into<String>) {
        // The server may have closed already; what it says then is what the tests look at.
        let _ = self.0.send(Message::Text(text.into().into()));
    }

    /// The next event of that name.
    fn hear(&mut self, name: &str) -> Value {
        loop {
            if let Message::Text(text) = self.0.read().unwrap() {
                let event: Value = serde_json::from_str(&text).unwrap();
                if event["event"] == name {
                    return event;
                }
            }
        }
    }

    /// The number of the next frame.
    fn frame(&mut self) -> u32 {
        loop {
            if let Message::Binary(bytes) = self.0.read().unwrap()
                && bytes.len() >= FRAME_HEAD
            {
                return u32::from_le_bytes(bytes[4..8].try_into().unwrap());
            }
        }
    }

    /// The code that it is closed with.
    fn closed(&mut self) -> u16 {
        loop {
            match self.0.read() {
                Ok(Message::Close(Some(CloseFrame { code, .. }))) => return code.into(),
                Ok(_) => {}
                Err(error) => panic!("no close frame: {error}"),
            }
        }
    }
}

fn frame(number: u32, q: &[f64]) -> Vec<u8> {
    let mut frame = FrameWriter::new(&Head { number, ..Head::default() });
    frame.section(1, |out| put_f32(out, q.iter().copied()));
    frame.finish()
}

#[test]
fn a_client_is_greeted_and_heard() {
    let server = Server::start();
    let mut client = server.connect();
    let welcome = client.hear("welcome");
    assert_eq!((&welcome["protocol"], &welcome["client"]), (&json!(2), &json!(1)));
    assert!(welcome["families"].as_array().is_some_and(|all| all.contains(&json!("hand"))));
    client.say(r#"{"do":"time.pause","paused":true}"#);
    assert_eq!(server.asked(), "time.pause");
    server.hub.tell(event("time.stumbled", &json!({"sentence": "over a stone"})));
    assert_eq!(client.hear("time.stumbled")["sentence"], "over a stone");
    server.hub.show_frame(frame(7, &[1.0]));
    assert_eq!(client.frame(), 7);
    assert_eq!(
        server.get("/health"),
        (
            200,
            json!({"protocol": 2, "version": env!("CARGO_PKG_VERSION"), "bodies": [], "clients": 1})
                .to_string()
        )
    );
}

#[test]
fn who_leaves_is_missed() {
    let server = Server::start();
    let (mut stays, mut goes) = (server.connect(), server.connect());
    stays.hear("welcome");
    let number = goes.hear("welcome")["client"].as_u64();
    while stays.hear("people")["clients"] != 2 {}
    drop(goes);
    while stays.hear("people")["clients"] != 1 {}
    let left =
        server.inbox.iter().find_map(|c| if let Command::Leave { client } = c { Some(client) } else { None });
    assert_eq!(left.map(u64::from), number);
}

#[test]
fn hosts_and_origins_of_others_are_refused_everywhere() {
    let server = Server::start();
    for path in
        ["/", "/health", "/family/bodies/1/shape", "/family/files/1/model.pliant", "/socket", "/nothing"]
    {
        let (status, body) =
            server.http(&format!("GET {path} HTTP/1.1\r\nHost: evil.example\r\nConnection: close\r\n\r\n"));
        assert_eq!(status, 403, "{path}: {body}");
        assert!(body.contains("Host"), "{body}");
    }
    let post = format!(
        "POST /family/files/drop HTTP/1.1\r\nHost: {}\r\nOrigin: http://evil.example\r\nContent-Length: 0\r\nConnection: close\r\n\r\n",
        server.address
    );
    assert_eq!(server.http(&post).0, 403);
    assert!(server.connect_from(Some("http://evil.example")).is_err());
    assert!(server.connect_from(Some(&format!("http://{}", server.address))).is_ok());
}

#[test]
fn what_is_no_request_is_refused_and_the_client_stays() {
    let server = Server::start();
    let mut client = server.connect();
    for bad in [
        "",
        "{",
        "[1,2]",
        r#"{"do":"hand.drag","id":1,"target":[0,0,1e999]}"#,
        r#"{"do":"dance"}"#,
        r#"{"do":"garden.dig"}"#,
    ] {
        client.say(bad);
        let refused = client.hear("refused");
        assert!(refused["sentence"].as_str().unwrap().contains("docs/protocol.md"), "{refused}");
    }
    // However much was sent, a line of it comes back.
    let long = "x\\n".repeat(100_000);
    for bad in [format!(r#"{{"do":"{long}"}}"#), format!(r#"{{"do":"{long}.{long}"}}"#)] {
        client.say(bad);
        let refused = client.hear("refused");
        assert!(refused.to_string().len() < 500, "{refused}");
        assert!(!refused["sentence"].as_str().unwrap().contains('\n'), "{refused}");
    }
    client.say(r#"{"do":"time.step"}"#);
    assert_eq!(server.asked(), "time.step");
}

#[test]
fn what_is_too_much_is_closed_with_its_code() {
    let server = Server::start();
    let mut binary = server.connect();
    binary.0.send(Message::Binary(vec![0; 8].into())).unwrap();
    assert_eq!(binary.closed(), 1003);

    let mut flood = server.connect();
    // Handed over at once, so that it is a flood also where this thread gets little time.
    for _ in 0..5000 {
        let _ = flood.0.write(Message::Text(r#"{"do":"time.step"}"#.into()));
    }
    let _ = flood.0.flush();
    assert_eq!(flood.closed(), 1008);

    // Much too large, so that most of it is still on its way when it is refused.
    let mut large = server.connect();
    large.say(format!(r#"{{"do":"files.shape","name":"{}"}}"#, "x".repeat(16 * limits::MESSAGE)));
    assert_eq!(large.closed(), 1009);

    // Nobody else notices.
    let mut other = server.connect();
    other.say(r#"{"do":"time.reset"}"#);
    while server.asked() != "time.reset" {}
}

#[test]
fn bytes_that_are_no_websocket_harm_nobody() {
    let server = Server::start();
    let mut client = server.connect();
    client.hear("welcome");
    for garbage in
        [&b"\x00\xff\xfe\x01"[..], b"GET /socket HTTP/1.1\r\n\r\n", b"\x16\x03\x01\x02\x00\x01\x00"]
    {
        let mut stream = TcpStream::connect(server.address).unwrap();
        stream.write_all(garbage).unwrap();
    }
    // A frame with reserved bits, after a proper handshake.
    let mut torn = server.connect();
    torn.0.get_mut().write_all(&[0xf1, 0x81, 0, 0, 0, 0, b'x']).unwrap();
    assert_eq!(torn.closed(), 1002);
    // One that announces more than there is memory in the world.
    let mut endless = server.connect();
    endless
        .0
        .get_mut()
        .write_all(&[0x81, 0xff, 0x7f, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0, 0, 0, 0])
        .unwrap();
    assert_eq!(endless.closed(), 1009);
    // Text that is none.
    let mut garbled = server.connect();
    garbled.0.get_mut().write_all(&[0x81, 0x82, 0, 0, 0, 0, 0xc3, 0x28]).unwrap();
    assert_eq!(garbled.closed(), 1007);
    server.hub.show_frame(frame(3, &[0.0]));
    assert_eq!(client.frame(), 3);
}

#[test]
fn a_client_that_does_not_read_slows_nobody() {
    let server = Server::start();
    let mut reads = server.connect();
    // Never read from.
    let _sleeps: Vec<Client> = (0..4).map(|_| server.connect()).collect();
    let stop = Arc::new(AtomicBool::new(false));
    let publisher = {
        let (hub, stop) = (server.hub.clone(), stop.clone());
        std::thread::spawn(move || {
            // Frames of 40 kB, so that the buffers of those who sleep fill within the test.
            let q = vec![0.5; 10_000];
            let mut number = 0;
            while !stop.load(Ordering::Relaxed) {
                number += 1;
                hub.show_frame(frame(number, &q));
                std::thread::sleep(Duration::from_millis(2));
            }
        })
    };
    // The reader is always near the newest frame, long after the others have stopped taking any.
    let begin = Instant::now();
    let mut last = 0;
    let mut seen = 0;
    while begin.elapsed() < Duration::from_secs(3) || seen < 50 {
        let number = reads.frame();
        assert!(number > last, "frames come in order");
        (last, seen) = (number, seen + 1);
    }
    stop.store(true, Ordering::Relaxed);
    publisher.join().unwrap();
}

#[test]
fn clients_are_counted() {
    let server = Server::start();
    let mut clients: Vec<Client> = (0..limits::CLIENTS).map(|_| server.connect()).collect();
    while clients[0].hear("people")["clients"] != limits::CLIENTS {}
    assert!(server.connect_from(None).is_err());
    clients.pop();
    while clients[0].hear("people")["clients"] != limits::CLIENTS - 1 {}
    assert!(server.connect_from(None).is_ok());
}

#[test]
fn files_come_as_they_were_sent_and_without_paths() {
    let server = Server::start();
    let part = |name: &str, text: &str| {
        format!("--x\r\nContent-Disposition: form-data; name=\"file\"; filename=\"{name}\"\r\n\r\n{text}\r\n")
    };
    let body = part("../../bar.ele", "elements") + &part("bar.node", "nodes") + "--x--\r\n";
    let request = format!(
        "POST /family/files/drop?client=5&replace=3&instead=7 HTTP/1.1\r\nHost: {}\r\nContent-Type: multipart/form-data; boundary=x\r\nContent-Length: {}\r\nConnection: close\r\n\r\n{body}",
        server.address,
        body.len()
    );
    let address = server.address;
    let (answer, files) = std::thread::scope(|scope| {
        let asking = scope.spawn(|| http(address, &request));
        let Command::Drop { family, dropped, reply } = server.inbox.recv_timeout(PATIENCE).unwrap() else {
            panic!()
        };
        assert_eq!(family, "files");
        assert_eq!((dropped.client, dropped.replace, dropped.instead), (Some(5), Some(3), Some(7)));
        reply.send(Ok(12)).unwrap();
        (asking.join().unwrap(), dropped.files)
    });
    assert_eq!(answer, (202, json!({"job": 12}).to_string()));
    let files: Vec<_> = files.iter().map(|f| (f.name.as_str(), f.bytes.as_slice())).collect();
    assert_eq!(files, [("bar.ele", &b"elements"[..]), ("bar.node", b"nodes")]);

    let empty = format!(
        "POST /family/files/drop HTTP/1.1\r\nHost: {}\r\nContent-Type: multipart/form-data; boundary=x\r\nContent-Length: 7\r\nConnection: close\r\n\r\n--x--\r\n",
        server.address
    );
    assert_eq!(server.http(&empty).0, 400);
    let huge = format!(
        "POST /family/files/drop HTTP/1.1\r\nHost: {}\r\nContent-Type: multipart/form-data; boundary=x\r\nContent-Length: {}\r\nConnection: close\r\n\r\n",
        server.address,
        limits::UPLOAD + 1
    );
    assert_eq!(server.http(&huge).0, 413);
}

#[test]
fn files_of_families_and_their_refusals() {
    let server = Server::start();
    let address = server.address;
    let fetch = |path: &str, answer: Result<Served, Refusal>| {
        std::thread::scope(|scope| {
            let asking = scope.spawn(move || get(address, path));
            let Command::Fetch { family, path, reply } = server.inbox.recv_timeout(PATIENCE).unwrap() else {
                panic!()
            };
            reply.send(answer).unwrap();
            let (status, body) = asking.join().unwrap();
            (status, body, family, path)
        })
    };
    let served =
        Served { name: Some("my \"dino\".pliant".into()), ..Served::bytes(b"model".to_vec().into()) };
    let said = fetch("/family/files/1/model.pliant", Ok(served));
    assert_eq!(said, (200, "model".into(), "files".into(), "1/model.pliant".into()));
    // Packed for those who say that they take it so, in either case the same bytes.
    let shape = Packable::from(vec![3_u8; 5000]);
    for (takes, is_packed) in [("gzip, deflate, br", true), ("br;q=1.0, gzip;q=0", false), ("", false)] {
        let request = format!(
            "GET /family/bodies/1/shape HTTP/1.1\r\nHost: {address}\r\nAccept-Encoding: {takes}\r\nConnection: close\r\n\r\n"
        );
        let answer = std::thread::scope(|scope| {
            let asking = scope.spawn(|| raw(address, &request));
            let Command::Fetch { reply, .. } = server.inbox.recv_timeout(PATIENCE).unwrap() else { panic!() };
            reply.send(Ok(Served::packable(&shape))).unwrap();
            asking.join().unwrap()
        });
        let end = answer.windows(4).position(|four| four == b"\r\n\r\n").expect("a head") + 4;
        let head = String::from_utf8_lossy(&answer[..end]).to_lowercase();
        assert_eq!(head.contains("content-encoding: gzip"), is_packed, "{takes}: {head}");
        let mut bytes = Vec::new();
        if is_packed {
            flate2::read::GzDecoder::new(&answer[end..]).read_to_end(&mut bytes).expect("sound");
        } else {
            bytes = answer[end..].to_vec();
        }
        assert_eq!(bytes, **shape.plain(), "{takes}");
    }
    for (refusal, status) in [
        (Refusal::Absent("at rest".into()), 404),
        (Refusal::Early("no body".into()), 503),
        (Refusal::Many("wait".into()), 429),
    ] {
        let said = fetch("/family/files/1/state.npz", Err(refusal));
        assert!(said.0 == status && said.1.starts_with(r#"{"error":"#), "{said:?}");
    }
    assert_eq!(server.get("/../Cargo.toml").0, 404);
    assert_eq!(server.get("/%2e%2e/Cargo.toml").0, 404);
}

#[test]
fn what_the_http_layer_refuses_is_json_too() {
    let server = Server::start();
    let upgrade = "Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n";
    let close = "Connection: close\r\n";
    for (line, headers, body, status) in [
        ("POST /health", close.to_owned(), "", 405),
        ("POST /nothing", close.to_owned(), "", 405),
        ("POST /socket", close.to_owned(), "", 405),
        ("GET /family/files", close.to_owned(), "", 404),
        ("GET /family/%ff/x", close.to_owned(), "", 400),
        ("GET /family/bodies/1/%ff", close.to_owned(), "", 400),
        ("POST /family/%ff/drop", close.to_owned(), "", 400),
        // No form.
        ("POST /family/files/drop", close.to_owned(), "hi", 400),
        // A WebSocket: not asked for, without a key, of another version.
        ("GET /socket", close.to_owned(), "", 400),
        ("GET /socket", upgrade.to_owned(), "", 400),
        (
            "GET /socket",
            upgrade.replace("13", "7") + "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n",
            "",
            400,
        ),
    ] {
        let length = body.len();
        let request = format!(
            "{line} HTTP/1.1\r\nHost: {}\r\n{headers}Content-Length: {length}\r\n\r\n{body}",
            server.address
        );
        // A connection that would be a WebSocket stays open after the refusal: its answer is read to its end, not to the connection's.
        let answer = refusal(server.address, &request);
        let (head, body) = answer.split_once("\r\n\r\n").unwrap_or_else(|| panic!("{line}: {answer}"));
        assert!(head.starts_with(&format!("HTTP/1.1 {status} ")), "{line}: {answer}");
        assert!(head.to_lowercase().contains("content-type: application/json"), "{line}: {answer}");
        let said: Value = serde_json::from_str(body).unwrap_or_else(|e| panic!("{line}: {e}: {answer}"));
        assert!(said["error"].as_str().is_some_and(|said| said.len() > 20), "{line}: {answer}");
    }
}

/// An answer as far as its length says.
fn refusal(address: SocketAddr, request: &str) -> String {
    let mut stream = TcpStream::connect(address).unwrap();
    stream.set_read_timeout(Some(PATIENCE)).unwrap();
    stream.write_all(request.as_bytes()).unwrap();
    let mut answer = String::new();
    let mut byte = [0];
    while !answer.ends_with("\r\n\r\n") {
        stream.read_exact(&mut byte).unwrap();
        answer.push(char::from(byte[0]));
    }
    let says = |line: &str| line.to_lowercase().strip_prefix("content-length: ").and_then(|n| n.parse().ok());
    let length: usize = answer.lines().find_map(says).unwrap_or_else(|| panic!("{answer}"));
    let mut body = vec![0; length];
    stream.read_exact(&mut body).unwrap();
    answer + &String::from_utf8(body).unwrap()
}

#[test]
fn the_address_that_is_printed_can_be_opened_also_where_it_listens_on_all() {
    let token = "0123456789abcdef";
    for (bound, opened) in [
        ("0.0.0.0:7420", "http://127.0.0.1:7420/?token=0123456789abcdef"),
        ("[::]:7420", "http://[::1]:7420/?token=0123456789abcdef"),
        ("192.168.0.7:80", "http://192.168.0.7:80/?token=0123456789abcdef"),
    ] {
        assert_eq!(super::url(bound.parse().unwrap(), Some(token)), opened);
        // Its own guard lets that address pass.
        let guard = super::Guard::new(bound.parse().unwrap()).unwrap();
        let url = super::url(bound.parse().unwrap(), guard.token());
        let (host, path) = url.strip_prefix("http://").and_then(|url| url.split_once('/')).unwrap();
        let headers = HeaderMap::from_iter([(header::HOST, host.parse().unwrap())]);
        assert_eq!(guard.refuses(&format!("/{path}").parse().unwrap(), &headers), None, "{url}");
    }
    assert_eq!(super::url("127.0.0.1:7420".parse().unwrap(), None), "http://127.0.0.1:7420/");
}

#[test]
fn a_client_of_the_old_protocol_is_told_so() {
    let server = Server::start();
    let mut old = server.connect_with(None, OLDER).expect("let in to hear why not");
    let refused = old.hear("refused");
    assert!(refused["sentence"].as_str().unwrap().contains("protocol 2"), "{refused}");
    assert_eq!(old.closed(), 1002);
    assert!(server.connect_with(None, "chess.1").is_err());
    assert!(server.connect_with(None, "pliant.1, pliant.2").is_ok());
}
