//! What good clients do, and how a server ends.

use std::net::TcpStream;
use std::os::unix::net::{UnixListener, UnixStream};
use std::time::Instant;

use mediactl::error::ErrorKind;
use mediactl::http::server::front::Listener;
use mediactl::http::server::front::limits::Limits;
use mediactl::http::server::message::PeerAddress;

use super::attack::is_problem;
use super::support::{BIG, Client, Running, serve};
use crate::waiting::{PATIENCE, eventually};

#[test]
fn a_connection_is_kept_as_long_as_both_wish() {
    let running = Running::start();
    let mut client = running.client();
    for number in 0..5 {
        client.send(format!("GET /{number} HTTP/1.1\r\nHost: a\r\n\r\n"));
        let answer = client.answer();
        assert_eq!((answer.status, answer.text()), (200, format!("GET /{number} ").as_str()));
        assert_eq!(answer.header("Connection"), None);
        assert!(answer.header("Date").is_some());
    }
    client.send("GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n");
    let mut older = running.client();
    older.send("GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n");
    for mut client in [client, older] {
        let answer = client.answer();
        assert_eq!((answer.text(), answer.header("Connection")), ("GET / ", Some("close")));
        assert!(client.is_closed());
    }
    eventually(|| running.open_connections() == 0);
}

#[test]
fn bodies_arrive_whole_however_they_are_framed() {
    let running = Running::start();
    let mut client = running.client();
    let long = "y".repeat(300_000);
    let chunked = "Transfer-Encoding: chunked";
    let parts = "1;x=y\r\nh\r\n0004\r\nello\r\n0\r\nTrailer: x\r\n\r\n";
    for (framing, body, expected) in [
        ("Content-Length: 5", "hello", "hello"),
        ("Content-Length: 300000", &long, &*long),
        (chunked, "5\r\nhello\r\n0\r\n\r\n", "hello"),
        (chunked, parts, "hello"),
        (chunked, &format!("{:X}\r\n{long}\r\n0\r\n\r\n", long.len()), &long),
        (chunked, "0\r\n\r\n", ""),
        ("Content-Length: 0", "", ""),
    ] {
        client.send(format!("POST /p HTTP/1.1\r\nHost: a\r\n{framing}\r\n\r\n{body}"));
        let answer = client.answer();
        assert_eq!(answer.status, 200, "{framing}");
        assert_eq!(answer.text(), format!("POST /p {expected}"), "{framing}");
    }
}

#[test]
fn a_client_that_waits_to_be_told_is_told_once() {
    let running = Running::start();
    let mut client = running.client();
    let post = |more: &str| format!("POST / HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\n{more}");
    for _ in 0..2 {
        client.send(post("Content-Length: 5\r\n\r\n"));
        assert_eq!(client.head_only().head, "HTTP/1.1 100 Continue\r\n\r\n");
        client.send("hello");
        assert_eq!(client.answer().text(), "POST / hello");
    }
    client.send(post("Content-Length: 5\r\n\r\nhello"));
    assert_eq!(client.answer().status, 200, "who sends the body at once is not told");
    client.send(post("Content-Length: 99999999\r\n\r\n"));
    assert_eq!(client.answer().status, 413, "nor is who would send too much");
    let mut stranger = running.client();
    stranger.send(post("X-Rank: stranger\r\nContent-Length: 5\r\n\r\n"));
    let answer = stranger.answer();
    assert_eq!((answer.status, answer.header("Connection")), (401, Some("close")));
    assert!(stranger.is_closed());
}

#[test]
fn answers_without_a_body_have_none_and_a_header_in_a_header_is_a_500() {
    let running = Running::start();
    let mut client = running.client();
    client.send("HEAD /big HTTP/1.1\r\nHost: a\r\n\r\n");
    assert_eq!(client.head_only().header("Content-Length"), Some(BIG.to_string().as_str()));
    for (path, status) in [("/empty", 204), ("/same", 304)] {
        client.send(format!("GET {path} HTTP/1.1\r\nHost: a\r\n\r\n"));
        let answer = client.answer();
        assert_eq!((answer.status, answer.header("Content-Length")), (status, None));
    }
    client.send("GET /split HTTP/1.1\r\nHost: a\r\n\r\n");
    let answer = client.answer();
    is_problem(&answer, 500, ErrorKind::EngineFailed);
    assert_eq!(answer.header("Set-Cookie"), None);
    assert_eq!(running.refused(1), [500]);
    running.is_well();
}

#[test]
fn requests_that_were_read_are_answered_before_the_server_ends() {
    let running = Running::start();
    let (address, service) = (running.address, running.service.clone());
    let [mut idle, mut busy, mut whole, mut half] = [(); 4].map(|()| running.client());
    whole.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n");
    whole.answer();
    half.send("POST / HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 9\r\n\r\n");
    half.head_only();
    busy.send("GET /slow?3000 HTTP/1.1\r\nHost: a\r\n\r\n");
    eventually(|| running.asked() == 2 && running.open_connections() == 4);
    let begin = Instant::now();
    running.server.stop(PATIENCE);
    assert!(begin.elapsed() < PATIENCE / 2, "it does not wait for longer than it has to");
    let answer = busy.answer();
    assert_eq!((answer.text(), answer.header("Connection")), ("at last", Some("close")));
    is_problem(&half.answer(), 503, ErrorKind::Full);
    assert!(idle.is_closed() && busy.is_closed() && whole.is_closed());
    assert!(TcpStream::connect(address).is_err(), "nobody listens any more");
    assert!(service.refused.lock().expect("nobody panicked").is_empty());
}

#[test]
fn the_unix_socket_knows_its_peers() {
    let folder = tempfile::tempdir().expect("there is room for a folder");
    let own = rustix::process::getuid().as_raw();
    for (admitted, status) in [(own, 200), (own + 1, 403)] {
        let path = folder.path().join(status.to_string());
        let listener = UnixListener::bind(&path).expect("the folder is empty");
        let unix = Listener::Unix { listener, admits: Box::new(move |peer| peer.user == admitted) };
        let (service, server) = serve(vec![unix], None, Limits::default());
        let mut client = Client::over(UnixStream::connect(&path).expect("the server listens"));
        client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n");
        assert_eq!(client.answer().status, status);
        let refused = service.refused.lock().expect("nobody panicked").first().map(|(peer, ..)| *peer);
        assert_eq!(refused, (status == 403).then_some(Some(PeerAddress::Uid(own))));
        server.stop(PATIENCE);
        assert!(UnixStream::connect(&path).is_err(), "nobody listens any more");
    }
}
