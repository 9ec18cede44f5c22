//! Connections that say nothing, say it slowly, or are closed: bounded, and told.

use std::io::{ErrorKind, Read as _, Write as _};
use std::net::TcpStream;
use std::time::{Duration, Instant};

use tungstenite::Message;
use tungstenite::protocol::CloseFrame;
use tungstenite::protocol::frame::coding::CloseCode;

use super::super::{close, limits};
use super::{Bounds, PATIENCE, Server, frame};

/// Short enough for a test. On a busy machine it may be over before a client has said what it wants; who wants an answer asks
/// again.
const SHORT: Bounds = Bounds { head: Duration::from_millis(500), ..limits::CONNECTIONS };

/// A connection on which nothing was said.
fn silent(server: &Server) -> TcpStream {
    let stream = TcpStream::connect(server.address).unwrap();
    stream.set_read_timeout(Some(PATIENCE)).unwrap();
    stream
}

/// Waits until the server has closed it; what it said before.
fn until_closed(stream: &mut TcpStream) -> Vec<u8> {
    let mut said = Vec::new();
    match stream.read_to_end(&mut said) {
        Ok(_) => said,
        Err(error) if error.kind() == ErrorKind::ConnectionReset => said,
        Err(error) => panic!("{error}"),
    }
}

/// Whether it is still open: nothing is said on it, and reading would wait.
fn is_open(stream: &mut TcpStream) -> bool {
    stream.set_nonblocking(true).unwrap();
    let read = stream.read(&mut [0]);
    stream.set_nonblocking(false).unwrap();
    matches!(read, Err(error) if error.kind() == ErrorKind::WouldBlock)
}

#[test]
fn a_head_that_comes_byte_by_byte_is_not_waited_for() {
    let server = Server::with(SHORT);
    let mut live = std::iter::repeat_with(|| server.connect_from(None)).find_map(Result::ok).unwrap();
    live.hear("welcome");
    let mut slow = silent(&server);
    // As slow as one likes: each byte would begin the time anew if it were counted from the last.
    let head = format!("GET / HTTP/1.1\r\nHost: {}\r\nX-Slow: {}", server.address, "x".repeat(100_000));
    let mut sent = 0;
    for byte in head.as_bytes().chunks(1) {
        if slow.write_all(byte).is_err() || !is_open(&mut slow) {
            break;
        }
        sent += 1;
        std::thread::sleep(Duration::from_millis(10));
    }
    assert!(sent < head.len(), "the server read {sent} bytes of a head that never ends");
    // Nor is one whose head never begins, nor one that asked once and then waits.
    assert_eq!(until_closed(&mut silent(&server)), b"");
    let ask_and_wait = || {
        let mut asked = silent(&server);
        let _ = write!(asked, "GET /health HTTP/1.1\r\nHost: {}\r\n\r\n", server.address);
        until_closed(&mut asked)
    };
    assert!((0..100).any(|_| ask_and_wait().starts_with(b"HTTP/1.1 200")));
    // Who is served already is not bounded by it.
    server.hub.show_frame(frame(5, &[1.0]));
    assert_eq!(live.frame(), 5);
}

#[test]
fn of_many_that_say_nothing_the_oldest_make_room() {
    let bounds = Bounds { head: PATIENCE, strangers: 4, ..limits::CONNECTIONS };
    let server = Server::with(bounds);
    let mut live = server.connect();
    live.hear("welcome");
    let mut waiting: Vec<TcpStream> = (0..4).map(|_| silent(&server)).collect();
    // A request has to be answered for the server to have seen those before it: it accepts in order.
    let mut kept = silent(&server);
    write!(kept, "GET /health HTTP/1.1\r\nHost: {}\r\n\r\n", server.address).unwrap();
    let mut answer = [0; 12];
    kept.read_exact(&mut answer).unwrap();
    assert_eq!(&answer, b"HTTP/1.1 200");
    assert_eq!(until_closed(&mut waiting[0]), b"", "the fifth takes the place of the first");
    assert!(waiting[1..].iter_mut().all(is_open), "and of no other");
    // Hundreds more: the number stays, and neither who asked once nor who is served loses anything.
    waiting.extend((0..300).map(|_| silent(&server)));
    let open = waiting.len() - 4;
    waiting[..open].iter_mut().for_each(|stream| drop(until_closed(stream)));
    server.hub.show_frame(frame(9, &[1.0]));
    assert_eq!(live.frame(), 9);
    live.say(r#"{"do":"time.step"}"#);
    server.asked();
    assert_eq!(server.get("/health").0, 200);
    write!(kept, "GET /health HTTP/1.1\r\nHost: {}\r\nConnection: close\r\n\r\n", server.address).unwrap();
    let more = until_closed(&mut kept);
    assert!(more.windows(12).any(|w| w == b"HTTP/1.1 200"), "{}", String::from_utf8_lossy(&more));
}

#[test]
fn strangers_do_not_keep_a_connection_by_asking() {
    let server = Server::with(Bounds { head: PATIENCE, ..limits::CONNECTIONS });
    let mut stranger = silent(&server);
    write!(stranger, "GET / HTTP/1.1\r\nHost: evil.example\r\n\r\n").unwrap();
    let said = until_closed(&mut stranger);
    assert!(said.starts_with(b"HTTP/1.1 403"), "{}", String::from_utf8_lossy(&said));
}

#[test]
fn who_passed_is_counted_too() {
    let bounds = Bounds { known: 3, ..limits::CONNECTIONS };
    let server = Server::with(bounds);
    let mut clients: Vec<_> = (0..3).map(|_| server.connect()).collect();
    clients.iter_mut().for_each(|client| drop(client.hear("welcome")));
    assert_eq!(until_closed(&mut silent(&server)), b"");
    let _ = clients.pop();
    // The place is free when the server has seen the end of that connection.
    let begin = Instant::now();
    while !is_served(&server) {
        assert!(begin.elapsed() < PATIENCE);
    }
}

fn is_served(server: &Server) -> bool {
    let mut stream = silent(server);
    let asked =
        write!(stream, "GET /health HTTP/1.1\r\nHost: {}\r\nConnection: close\r\n\r\n", server.address);
    asked.is_ok() && until_closed(&mut stream).starts_with(b"HTTP/1.1 200")
}

#[test]
fn a_client_that_closes_hears_its_own_code() {
    let server = Server::start();
    let mut client = server.connect();
    client.hear("welcome");
    let reason = CloseFrame { code: CloseCode::Away, reason: "another page".into() };
    client.0.close(Some(reason)).unwrap();
    assert_eq!(client.closed(), 1001);
    // And then the end, not a reset: browsers call only that clean.
    assert!(matches!(client.0.read(), Err(tungstenite::Error::ConnectionClosed)));
}

#[test]
fn a_client_that_talks_on_hears_why_it_was_closed() {
    let server = Server::start();
    let mut client = server.connect();
    client.hear("welcome");
    client.0.send(Message::Binary(vec![0; 8].into())).unwrap();
    // On its way while the server closes: unread, it would be answered with a reset that overtakes the code.
    for _ in 0..200 {
        let _ = client.0.get_mut().write_all(&[0x82, 0x84, 0, 0, 0, 0, 1, 2, 3, 4]);
    }
    assert_eq!(client.closed(), 1003);
}

#[test]
fn a_studio_that_closes_says_so() {
    let mut server = Server::start();
    let mut clients: Vec<_> = (0..3).map(|_| server.connect()).collect();
    clients.iter_mut().for_each(|client| drop(client.hear("welcome")));
    let reading: Vec<_> = clients.into_iter().map(|mut c| std::thread::spawn(move || c.closed())).collect();
    close(&server.hub, server.runtime.take().unwrap(), PATIENCE);
    for client in reading {
        assert_eq!(client.join().unwrap(), 1001);
    }
}
