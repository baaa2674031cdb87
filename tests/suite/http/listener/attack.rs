//! What attackers do, in small numbers.

use std::fmt::Display;
use std::io::Write;
use std::net::{Shutdown, TcpStream};
use std::time::Duration;

use mediactl::error::ErrorKind;
use mediactl::http::problem::Problem;
use mediactl::http::server::front::limits::Limits;

use super::support::{Answer, BIG, Client, Running, short};
use crate::waiting::{eventually, let_pass};

pub fn is_problem(answer: &Answer, status: u16, kind: ErrorKind) {
    assert_eq!(answer.header("Content-Type"), Some("application/problem+json"), "{}", answer.head);
    assert_eq!(answer.header("Cache-Control"), Some("no-store"));
    assert_eq!(answer.header("X-Content-Type-Options"), Some("nosniff"));
    assert!(answer.header("Mediactl-Api").is_some());
    let problem: Problem = serde_json::from_slice(&answer.body).expect("a problem document");
    let told = (answer.status, problem.status, Problem::kind_of(&problem.urn));
    assert_eq!(told, (status, status, Some(kind)), "{}", problem.detail);
}

/// The same, and the connection ends.
fn is_ended(answer: &Answer, status: u16, kind: ErrorKind) {
    is_problem(answer, status, kind);
    assert_eq!(answer.header("Connection"), Some("close"));
}

fn declared(rank: &str, length: impl Display) -> String {
    format!("POST / HTTP/1.1\r\nHost: a\r\nX-Rank: {rank}\r\nContent-Length: {length}\r\n\r\n")
}

#[test]
fn a_length_that_nobody_has_is_too_large() {
    let running = Running::start();
    for length in ["70368744177664", "18446744073709551616", "33554433"] {
        is_ended(&running.ask(declared("editor", length)), 413, ErrorKind::TooLarge);
        let answer = running.ask(declared("stranger", length));
        assert_eq!((answer.status, answer.header("Connection")), (401, Some("close")));
    }
    assert_eq!(running.refused(3), [413; 3]);
    running.is_well();
}

#[test]
fn a_head_that_is_no_head_is_malformed_and_so_is_a_body_that_is_not_framed_as_it_says() {
    let running = Running::start();
    // The unit tests of `front/head.rs` have each kind of a wrong head.
    let heads = [
        "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n",
        "GET / HTTP/1.1\n",
        "GET / HTTP/1.1\r\nHost: a\r\nX: \u{fc}\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: a\r\nOrigin: http://a\r\nOrigin: http://a\r\n\r\n",
        "\u{16}\u{3}\u{1}\u{2}\0\u{1}",
        "hello\r\n\r\n",
        "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
        // What ends too early.
        "GET / HTTP/1.1\r\nHo",
        "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\nshort",
    ];
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
    let chunked = "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n";
    let requests: Vec<String> =
        heads.map(str::to_owned).into_iter().chain(bodies.map(|body| format!("{chunked}{body}"))).collect();
    for request in &requests {
        let mut client = running.client();
        client.send(request);
        client.stream.shutdown(Shutdown::Write).expect("it is open");
        is_ended(&client.answer(), 400, ErrorKind::BadRequest);
    }
    assert_eq!(running.refused(requests.len()), vec![400; requests.len()]);
    assert_eq!(running.asked(), 0);
}

fn flood(client: &mut Client<TcpStream>, bytes: &[u8]) -> usize {
    (0..10_000).take_while(|_| client.stream.write_all(bytes).is_ok()).count()
}

#[test]
fn a_head_or_a_body_without_end_is_cut() {
    let running = Running::with(Limits { body: 1024 * 1024, ..Limits::default() });
    let get = "GET / HTTP/1.1\r\nHost: a\r\n";
    let chunked = "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n";
    let chunk = format!("{:x}\r\n{}\r\n", 65536, "x".repeat(65536));
    for (begin, more) in [
        (format!("{get}X: "), "x".repeat(4096)),
        (format!("{get}X: "), "X: y\r\n".repeat(600)),
        (chunked.to_owned(), chunk),
    ] {
        let mut client = running.client();
        client.send(begin);
        assert!(flood(&mut client, more.as_bytes()) < 10_000);
    }
    let mut refused = running.refused(3);
    refused.sort_unstable();
    assert_eq!((refused, running.asked()), (vec![413, 431, 431], 0));
    let exactly = "x".repeat(32 * 1024 - format!("{get}X: \r\n\r\n").len());
    assert_eq!(running.ask(format!("{get}X: {exactly}\r\n\r\n")).status, 200);
    for head in [format!("{get}X: {exactly}y\r\n\r\n"), format!("{get}{}\r\n", "X: y\r\n".repeat(64))] {
        is_ended(&running.ask(head), 431, ErrorKind::TooLarge);
    }
}

#[test]
fn all_bodies_together_have_a_limit() {
    let running = Running::with(Limits { bodies: 1024 * 1024, ..Limits::default() });
    let mut held = running.client();
    held.send(declared("editor", 900_000) + &"x".repeat(899_999));
    // Whoever comes first gets the memory.
    eventually(|| held.is_read());
    let other = || {
        let mut other = running.client();
        other.send(declared("editor", 900_000));
        let _ = other.stream.write_all("x".repeat(900_000).as_bytes());
        other.answer().status
    };
    assert_eq!(other(), 503);
    held.send("x");
    assert_eq!(held.answer().status, 200);
    eventually(|| other() == 200);
}

#[test]
fn bodies_of_viewers_are_short_and_leave_room_for_that_of_an_editor() {
    let running = Running::with(Limits { viewer_bodies: 600_000, bodies: 600_000, ..Limits::default() });
    is_ended(&running.ask(declared("viewer", 31 << 20)), 413, ErrorKind::TooLarge);
    let begin = |rank: &str| {
        let mut client = running.client();
        client.send(declared(rank, 500_000));
        let _ = client.stream.write_all("x".repeat(499_999).as_bytes());
        client
    };
    let mut held = begin("viewer");
    eventually(|| held.is_read());
    let refused = begin("viewer").answer();
    is_ended(&refused, 503, ErrorKind::Full);
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
    let mut begun: Vec<_> = (0..20).map(|_| running.client()).collect();
    begun.iter_mut().for_each(|client| client.send(declared("editor", 500_000) + "x"));
    let whole = format!("{}{}", declared("editor", 500_000), "x".repeat(500_000));
    assert_eq!(running.ask(whole).status, 200);
}

/// Drips bytes until the connection is closed; how many that were.
fn drip(running: &Running, begin: &str) -> usize {
    let mut client = running.client();
    client.send(begin);
    eventually(|| running.open_connections() > 0);
    let dripped = (0..1000).take_while(|_| {
        let_pass(Duration::from_millis(20));
        client.stream.write_all(b"x").is_ok() && running.open_connections() > 0
    });
    let dripped = dripped.count();
    eventually(|| running.open_connections() == 0);
    dripped
}

#[test]
fn a_whole_request_has_one_deadline() {
    let request_time = Duration::from_millis(600);
    let running = Running::with(Limits { request_time, ..Limits::default() });
    for rank in ["viewer", "editor"] {
        let dripped = drip(&running, &declared(rank, 100_000));
        assert!(dripped < 200, "each byte is progress, and the whole takes too long");
    }
    assert_eq!(running.refused(2), [408; 2]);
}

#[test]
fn requests_are_answered_in_their_order_and_none_before_the_one_before_is_read() {
    let transfer_time = Duration::from_millis(300);
    let running = Running::with(Limits { transfer_time, ..Limits::default() });
    let mut client = running.client();
    client.send("GET /big HTTP/1.1\r\nHost: a\r\n\r\n".repeat(100));
    eventually(|| running.asked() > 0);
    let mut other = running.client();
    let request = |number| format!("GET /{number} HTTP/1.1\r\nHost: a\r\n\r\n");
    other.send((0..200).map(request).collect::<String>());
    for number in 0..200 {
        assert_eq!(other.answer().text(), format!("GET /{number} "));
    }
    drop(other);
    eventually(|| running.open_connections() == 0);
    assert!(running.asked() < 220, "{} answers were made that nobody read", running.asked() - 200);
}

#[test]
fn slow_heads_and_bodies_time_out() {
    let running = Running::with(short());
    for start in ["G", "GET / HTTP/1.1\r\nHost: a\r\n", &(declared("editor", 9) + "x")] {
        is_ended(&running.ask(start), 408, ErrorKind::TooSlow);
    }
    let dripped = drip(&running, "GET / HTTP/1.1\r\nX: ");
    assert!(dripped < 1000, "a byte now and then is no progress");
    assert_eq!(running.refused(4), [408; 4]);
}

#[test]
fn viewers_without_a_turn_keep_no_slot_from_an_editor() {
    let [waiting_time, request_time, transfer_time] = [Duration::from_secs(600); 3];
    let running = Running::with(Limits { waiting_time, request_time, transfer_time, ..Limits::default() });
    let mut viewers: Vec<_> = (0..200).map(|_| running.client()).collect();
    viewers.iter_mut().for_each(|client| client.send(declared("viewer", 9_000) + "x"));
    assert_eq!(running.ask(declared("editor", 1) + "x").status, 200);
}

#[test]
fn who_is_idle_stalls_or_reads_slowly_holds_only_itself() {
    let running = Running::start();
    let begin = |count: usize, bytes: &str| -> Vec<_> {
        let mut clients: Vec<_> = (0..count).map(|_| running.client()).collect();
        clients.iter_mut().for_each(|client| client.send(bytes));
        clients
    };
    let (idle, stalled) = (begin(30, ""), begin(20, &(declared("editor", 9_000_000) + "and no more")));
    running.is_well();
    drop((idle, stalled));
    let before = running.asked();
    let slow = begin(12, "GET /big HTTP/1.1\r\nHost: a\r\n\r\n");
    eventually(|| running.asked() == before + 12);
    running.is_well();
    slow.into_iter().for_each(|mut client| assert_eq!(client.answer().body.len(), BIG));
    eventually(|| running.open_connections() == 0);
}

#[test]
fn a_stranger_with_a_long_body_gets_its_answer_and_a_clean_end() {
    let running = Running::start();
    let mut client = running.client();
    client.send(declared("stranger", 8 * 1024 * 1024));
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
