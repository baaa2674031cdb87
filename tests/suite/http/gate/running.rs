//! How a server lives on, and how it ends.

use std::net::TcpStream;
use std::time::{Duration, Instant};

use super::support::{PATIENCE, Running, eventually};

#[test]
fn a_tiny_http_that_ended_is_built_anew_behind_the_same_sockets() {
    let running = Running::start();
    let mut client = running.client();
    for round in 0..3 {
        client.send("GET /slow?100 HTTP/1.1\r\nHost: a\r\n\r\n");
        eventually(|| running.asked() == 2 * round + 1);
        running.lever.pull().expect("it listens");
        assert_eq!(client.answer().text(), "at last", "what it had is finished");
        client.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\n\r\nx");
        assert_eq!(client.answer().text(), "POST / x");
    }
    assert!(running.service.refused.lock().expect("nobody panicked").is_empty());
}

#[test]
fn what_was_read_is_finished_before_the_end() {
    let running = Running::start();
    let (address, service) = (running.address, running.service.clone());
    let (mut idle, mut busy, mut whole) = (running.client(), running.client(), running.client());
    whole.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n");
    whole.answer();
    busy.send("GET /slow?300 HTTP/1.1\r\nHost: a\r\n\r\n");
    eventually(|| running.asked() == 2 && running.server.open_connections() == 3);
    let begin = Instant::now();
    running.server.stop(PATIENCE);
    assert!(begin.elapsed() < PATIENCE / 2, "it does not wait for longer than it has to");
    let answer = busy.answer();
    assert_eq!((answer.text(), answer.header("Connection")), ("at last", Some("close")));
    assert!(idle.is_closed() && busy.is_closed() && whole.is_closed());
    assert!(TcpStream::connect(address).is_err(), "nobody listens any more");
    assert!(service.refused.lock().expect("nobody panicked").is_empty());
}

#[test]
fn the_end_does_not_wait_for_ever() {
    let running = Running::start();
    let mut busy = running.client();
    busy.send("GET /slow?4000 HTTP/1.1\r\nHost: a\r\n\r\n");
    eventually(|| running.asked() == 1);
    let begin = Instant::now();
    running.server.stop(Duration::from_millis(50));
    assert!(begin.elapsed() < Duration::from_secs(4));
}

/// Runs alone in a process of its own: the threads of other tests come and go.
#[test]
fn no_thread_is_left_behind() {
    const ALONE: &str = "MEDIACTL_TEST_ALONE";
    if std::env::var_os(ALONE).is_none() {
        let own = std::env::current_exe().expect("it runs");
        let name = "http::gate::running::no_thread_is_left_behind";
        let output = std::process::Command::new(own)
            .args(["--exact", name, "--test-threads=1"])
            .env(ALONE, "1")
            .output()
            .expect("it runs again");
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stdout));
        return;
    }
    let threads = || std::fs::read_dir("/proc/self/task").expect("this is Linux").count();
    let before = threads();
    let running = Running::start();
    for _ in 0..20 {
        running.is_well();
    }
    running.lever.pull().expect("it listens");
    running.is_well();
    running.server.stop(PATIENCE);
    eventually(|| threads() <= before);
}
