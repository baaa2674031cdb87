//! What attackers do, in small numbers.

use std::io::Write;
use std::net::TcpStream;
use std::time::Duration;

use mediactl::error::ErrorKind;
use mediactl::http::problem::Problem;
use mediactl::http::server::front::limits::Limits;

use super::support::{Answer, BIG, Client, Running, short};
use crate::waiting::{eventually, let_pass};

fn is_problem(answer: &Answer, status: u16, kind: ErrorKind) {
    assert_eq!(answer.header("Content-Type"), Some("application/problem+json"), "{}", answer.head);
    assert_eq!(answer.header("Cache-Control"), Some("no-store"));
    assert_eq!(answer.header("X-Content-Type-Options"), Some("nosniff"));
    assert_eq!(answer.header("Connection"), Some("close"));
    assert!(answer.header("Mediactl-Api").is_some());
    let problem: Problem = serde_json::from_slice(&answer.body).expect("a problem document");
    assert_eq!(
        (answer.status, problem.status, Problem::kind_of(&problem.urn)),
        (status, status, Some(kind)),
        "{}",
        problem.detail
    );
}

#[test]
fn a_length_that_nobody_has_is_too_large() {
    let running = Running::start();
    for length in ["70368744177664", "18446744073709551616", "33554433"] {
        let request = format!("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: {length}\r\n\r\n");
        is_problem(&running.ask(&request), 413, ErrorKind::TooLarge);
        let answer = running.ask(request.replace("Host", "X-Rank: stranger\r\nHost"));
        assert_eq!((answer.status, answer.header("Connection")), (401, Some("close")));
    }
    assert_eq!(running.refused(3), [413; 3]);
    running.is_well();
}

#[test]
fn a_head_that_is_no_head_is_malformed() {
    let running = Running::start();
    for head in [
        "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n",
        "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\nContent-Length: 4\r\n\r\n",
        "GET / HTTP/1.1\n",
        "GET / HTTP/1.1\r\nHost: a\r\nX: \u{fc}\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: a\r\nX: a\r\n b\r\n\r\n",
        "GET / HTTP/1.1\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: a\r\nHost: a\r\n\r\n",
        "CONNECT a:80 HTTP/1.1\r\nHost: a\r\n\r\n",
        "\u{16}\u{3}\u{1}\u{2}\0\u{1}",
        "\0\0\0\0",
        "hello\r\n\r\n",
    ] {
        is_problem(&running.ask(head), 400, ErrorKind::BadRequest);
    }
    is_problem(&running.ask("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"), 400, ErrorKind::BadRequest);
    let mut client = running.client();
    client.send("GET / HTTP/1.1\r\nHo");
    client.stream.shutdown(std::net::Shutdown::Write).expect("it is open");
    is_problem(&client.answer(), 400, ErrorKind::BadRequest);
    assert_eq!(running.refused(13), [400; 13]);
    assert_eq!(running.asked(), 0);
}

#[test]
fn a_body_that_is_not_framed_as_it_says_is_malformed() {
    let running = Running::start();
    let bodies = [
        "x\r\n",
        "5\r\nhelloX\r\n",
        "5\nhello\r\n",
        "-1\r\n",
        &"1".repeat(2000),
        "5;a=\u{1}\r\nhello\r\n0\r\n\r\n",
        "5;a=\"\u{1b}[2J\"\r\nhello\r\n0\r\n\r\n",
        "5;\rX\r\nhello\r\n0\r\n\r\n",
        "5;\0\r\nhello\r\n0\r\n\r\n",
        "5;\u{7f}\r\nhello\r\n0\r\n\r\n",
        "5\r\nhello\r\n0;\u{b}\r\n\r\n",
        "5\r\nhello\r\n0\r\nTrailer: \0\r\n\r\n",
    ];
    for body in bodies {
        let request = format!("POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n{body}");
        is_problem(&running.ask(request), 400, ErrorKind::BadRequest);
    }
    let mut client = running.client();
    client.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\nshort");
    client.stream.shutdown(std::net::Shutdown::Write).expect("it is open");
    is_problem(&client.answer(), 400, ErrorKind::BadRequest);
    assert_eq!(running.asked(), 0);
}

/// Sends it until the server has had enough.
fn flood(client: &mut Client<TcpStream>, bytes: &[u8]) -> usize {
    (0..10_000).take_while(|_| client.stream.write_all(bytes).is_ok()).count()
}

#[test]
fn a_head_without_end_is_cut() {
    let running = Running::start();
    for line in ["x".repeat(4096), "X: y\r\n".repeat(600)] {
        let mut client = running.client();
        client.send("GET / HTTP/1.1\r\nHost: a\r\nX: ");
        assert!(flood(&mut client, line.as_bytes()) < 10_000);
    }
    assert_eq!(running.refused(2), [431, 431]);
    let many = "X: y\r\n".repeat(64);
    is_problem(&running.ask(format!("GET / HTTP/1.1\r\nHost: a\r\n{many}\r\n")), 431, ErrorKind::TooLarge);
    let exactly = "x".repeat(32 * 1024 - "GET / HTTP/1.1\r\nHost: a\r\nX: \r\n\r\n".len());
    assert_eq!(running.ask(format!("GET / HTTP/1.1\r\nHost: a\r\nX: {exactly}\r\n\r\n")).status, 200);
    is_problem(
        &running.ask(format!("GET / HTTP/1.1\r\nHost: a\r\nX: {exactly}y\r\n\r\n")),
        431,
        ErrorKind::TooLarge,
    );
}

#[test]
fn a_body_without_end_is_cut() {
    let running = Running::with(Limits { body: 1024 * 1024, ..Limits::default() });
    let mut client = running.client();
    client.send("POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n");
    let chunk = format!("{:x}\r\n{}\r\n", 65536, "x".repeat(65536));
    assert!(flood(&mut client, chunk.as_bytes()) < 10_000);
    assert_eq!(running.refused(1), [413]);
    assert_eq!(running.asked(), 0);
    running.is_well();
}

#[test]
fn all_bodies_together_have_a_limit() {
    let running = Running::with(Limits { bodies: 1024 * 1024, ..Limits::default() });
    let request = |length: usize| format!("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: {length}\r\n\r\n");
    let mut held = running.client();
    held.send(request(900_000));
    held.send("x".repeat(899_999));
    // Whoever comes first gets the memory.
    eventually(|| held.is_read());
    let other = || {
        let mut other = running.client();
        other.send(request(900_000));
        let _ = other.stream.write_all("x".repeat(900_000).as_bytes());
        other.answer().status
    };
    assert_eq!(other(), 503);
    held.send("x");
    assert_eq!(held.answer().status, 200);
    eventually(|| other() == 200);
}

fn declared(rank: &str, length: usize) -> String {
    format!("POST / HTTP/1.1\r\nHost: a\r\nX-Rank: {rank}\r\nContent-Length: {length}\r\n\r\n")
}

#[test]
fn bodies_of_viewers_are_short_and_leave_room_for_that_of_an_editor() {
    let running = Running::with(Limits { viewer_bodies: 600_000, bodies: 600_000, ..Limits::default() });
    is_problem(&running.ask(declared("viewer", 31 << 20)), 413, ErrorKind::TooLarge);
    let begin = |rank: &str| {
        let mut client = running.client();
        client.send(declared(rank, 500_000));
        let _ = client.stream.write_all("x".repeat(499_999).as_bytes());
        client
    };
    let mut held = begin("viewer");
    eventually(|| held.is_read());
    let refused = begin("viewer").answer();
    is_problem(&refused, 503, ErrorKind::Full);
    assert!(!refused.text().contains("all connections"), "{}", refused.text());
    assert_eq!(refused.header("Retry-After"), Some("1"));
    let small = format!("{}{}", declared("viewer", 60_000), "x".repeat(60_000));
    assert_eq!(running.ask(small).status, 200, "a small body always finds room");
    let mut editor = begin("editor");
    editor.send("x");
    assert_eq!(editor.answer().status, 200);
    held.send("x");
    assert_eq!(held.answer().status, 200);
}

#[test]
fn what_an_editor_declares_takes_no_memory_before_it_comes() {
    let running = Running::with(Limits { bodies: 600_000, ..Limits::default() });
    let _declared: Vec<_> = (0..20)
        .map(|_| {
            let mut client = running.client();
            client.send(declared("editor", 500_000) + "x");
            client
        })
        .collect();
    let whole = format!("{}{}", declared("editor", 500_000), "x".repeat(500_000));
    assert_eq!(running.ask(whole).status, 200);
}

#[test]
fn a_whole_request_has_one_deadline() {
    let request_time = Duration::from_millis(600);
    let running = Running::with(Limits { request_time, ..Limits::default() });
    for rank in ["viewer", "editor"] {
        let mut client = running.client();
        client.send(declared(rank, 100_000));
        eventually(|| running.open_connections() > 0);
        let dripped = (0..1000).take_while(|_| {
            let_pass(Duration::from_millis(20));
            client.stream.write_all(b"x").is_ok() && running.open_connections() > 0
        });
        assert!(dripped.count() < 200, "each byte is progress, and the whole takes too long");
        eventually(|| running.open_connections() == 0);
    }
    assert_eq!(running.refused(2), [408; 2]);
}

#[test]
fn requests_whose_answers_nobody_reads_are_answered_one_after_the_other() {
    let limits = Limits { transfer_time: Duration::from_millis(300), ..Limits::default() };
    let running = Running::with(limits);
    let mut client = running.client();
    let many = "GET /big HTTP/1.1\r\nHost: a\r\n\r\n".repeat(100);
    client.send(&many);
    eventually(|| running.asked() > 0);
    running.is_well();
    eventually(|| running.open_connections() == 0);
    assert!(running.asked() < 20, "{} answers were made that nobody read", running.asked());
}

#[test]
fn pipelined_requests_are_answered_in_their_order() {
    let running = Running::start();
    let mut client = running.client();
    let all: String = (0..200).map(|number| format!("GET /{number} HTTP/1.1\r\nHost: a\r\n\r\n")).collect();
    client.send(all);
    for number in 0..200 {
        assert_eq!(client.answer().text(), format!("GET /{number} "));
    }
}

#[test]
fn slow_heads_and_bodies_time_out() {
    let running = Running::with(short());
    for start in
        ["G", "GET / HTTP/1.1\r\nHost: a\r\n", "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\nx"]
    {
        is_problem(&running.ask(start), 408, ErrorKind::TooSlow);
    }
    let mut client = running.client();
    client.send("GET / HTTP/1.1\r\nX: ");
    eventually(|| running.open_connections() > 0);
    let trickled = (0..1000).take_while(|_| {
        let_pass(Duration::from_millis(20));
        client.stream.write_all(b"x").is_ok() && running.open_connections() > 0
    });
    assert!(trickled.count() < 1000, "a byte now and then is no progress");
    assert_eq!(running.refused(4), [408; 4]);
}

#[test]
fn idle_sockets_keep_nobody_out() {
    let running = Running::with(Limits { connections: 8, ..Limits::default() });
    let idle: Vec<_> = (0..30).map(|_| running.client()).collect();
    running.is_well();
    drop(idle);
    eventually(|| running.open_connections() == 0);
}

#[test]
fn stalled_bodies_hold_only_themselves() {
    let running = Running::start();
    let mut stalled: Vec<_> = (0..20).map(|_| running.client()).collect();
    for client in &mut stalled {
        client.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 9000000\r\n\r\nand no more");
    }
    running.is_well();
}

#[test]
fn slow_readers_hold_only_themselves() {
    let running = Running::start();
    let mut slow: Vec<_> = (0..12).map(|_| running.client()).collect();
    slow.iter_mut().for_each(|client| client.send("GET /big HTTP/1.1\r\nHost: a\r\n\r\n"));
    eventually(|| running.asked() == 12);
    running.is_well();
    slow.iter_mut().for_each(|client| assert_eq!(client.answer().body.len(), BIG));
}

#[test]
fn a_stranger_with_a_long_body_gets_its_answer_and_a_clean_end() {
    let running = Running::start();
    let mut client = running.client();
    client.send("POST / HTTP/1.1\r\nHost: a\r\nX-Rank: stranger\r\nContent-Length: 8388608\r\n\r\n");
    let mut writer = client.stream.try_clone().expect("there are open files left");
    let writing = std::thread::spawn(move || {
        let _ = writer.write_all(&vec![b'x'; 8 * 1024 * 1024]);
    });
    let answer = client.answer();
    assert_eq!((answer.status, answer.header("Connection")), (401, Some("close")));
    assert!(client.is_closed());
    writing.join().expect("it does not panic");
    eventually(|| running.open_connections() == 0);
    running.is_well();
}
