//! How a server lives on, and how it ends.

use std::io::{BufRead, BufReader};
use std::net::TcpStream;
use std::os::unix::net::{UnixListener, UnixStream};
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use mediactl::http::server::listener::{Deadlines, HttpServer, Limits, Listener};
use rustix::process::{Resource, Rlimit};

use super::support::{Client, Echo, Running};
use crate::waiting::{PATIENCE, eventually};

#[test]
fn a_tiny_http_that_ended_is_built_anew_behind_the_same_sockets() {
    let running = Running::start();
    let mut client = running.client();
    for round in 0..3 {
        client.send("GET /slow?100 HTTP/1.1\r\nHost: a\r\n\r\n");
        eventually(|| running.asked() == 3 * round + 1);
        running.lever.cause().expect("it listens");
        running.is_well();
        assert_eq!(client.answer().text(), "at last", "what it had is finished");
        client.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\n\r\nx");
        assert_eq!(client.answer().text(), "POST / x", "a kept connection leads to the new one");
    }
    assert!(running.service.refused.lock().expect("nobody panicked").is_empty());
}

#[test]
fn requests_that_were_read_are_answered_before_the_server_ends() {
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
fn stopping_does_not_wait_for_a_request_that_hangs() {
    let running = Running::start();
    let mut busy = running.client();
    busy.send("GET /slow?30000 HTTP/1.1\r\nHost: a\r\n\r\n");
    eventually(|| running.asked() == 1);
    let begin = Instant::now();
    running.server.stop(Duration::from_millis(50));
    assert!(begin.elapsed() < Duration::from_secs(25));
}

#[test]
fn an_accept_loop_that_panics_goes_on_and_one_that_always_does_is_told() {
    let folder = tempfile::tempdir().expect("a folder can be made");
    let path = folder.path().join("socket");
    let listener = UnixListener::bind(&path).expect("it can be bound");
    let (left, fails) = (Arc::new(AtomicUsize::new(2)), Arc::new(AtomicUsize::new(0)));
    let (own, told) = (left.clone(), fails.clone());
    let admits = Box::new(move |_: &_| match own.load(Ordering::SeqCst) {
        0 => true,
        number => {
            own.store(number - 1, Ordering::SeqCst);
            panic!("as the test asks")
        }
    });
    let listeners = vec![Listener::Unix { listener, admits }];
    let (limits, deadlines) = (Limits::default(), Deadlines::default());
    let server = HttpServer::start(Arc::new(Echo::default()), listeners, None, limits, deadlines);
    let server = server.expect("there is a place for the private socket");
    server.loops().end_with(move |message| {
        assert!(message.contains("`accept`"), "{message}");
        told.fetch_add(1, Ordering::SeqCst);
    });
    let connect = || Client::over(UnixStream::connect(&path).expect("it is bound still"));
    (0..2).for_each(|_| assert!(connect().is_closed()));
    let mut client = connect();
    client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n");
    assert_eq!(client.answer().status, 200);
    left.store(usize::MAX, Ordering::SeqCst);
    eventually(|| {
        drop(UnixStream::connect(&path));
        fails.load(Ordering::SeqCst) == 1
    });
}

#[test]
fn workers_that_all_hang_are_late() {
    let limits = Limits { connections: 1, local: 1, ..Limits::default() };
    let late = Duration::from_millis(20);
    let running = Running::with(limits, Deadlines { late, handler: late, ..Deadlines::default() });
    let is_late = || running.server.loops().are_late(&["accept", "workers"]);
    running.is_well();
    assert!(!is_late());
    // The listener gives up waiting for each of them, and the workers do not come back.
    let hang = || running.client().send("GET /slow?5000 HTTP/1.1\r\nHost: a\r\n\r\n");
    for asked in 2..=3 {
        hang();
        eventually(|| running.asked() == asked);
    }
    eventually(is_late);
    eventually(|| !is_late());
}

/// Set in a process that runs one test alone: the threads and open files of others come and go.
const ALONE: &str = "MEDIACTL_TEST_ALONE";

pub fn is_alone() -> bool {
    std::env::var_os(ALONE).is_some()
}

/// The same test, which has this path, in a process of its own.
pub fn alone(path: &str) -> Command {
    let mut command = Command::new(std::env::current_exe().expect("it runs"));
    command.args(["--exact", path, "--test-threads=1", "--nocapture"]).env(ALONE, "1");
    command
}

/// Threads of this process.
pub fn threads() -> usize {
    std::fs::read_dir("/proc/self/task").expect("this is Linux").count()
}

#[test]
fn no_thread_is_left_behind() {
    if !is_alone() {
        let output =
            alone("http::listener::running::no_thread_is_left_behind").output().expect("it runs again");
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stdout));
        return;
    }
    let before = threads();
    let running = Running::start();
    for _ in 0..20 {
        running.is_well();
    }
    running.lever.cause().expect("it listens");
    running.is_well();
    running.server.stop(PATIENCE);
    eventually(|| threads() <= before);
}

#[test]
fn few_open_files_are_enough() {
    match is_alone() {
        true => serve_with_few_open_files(),
        false => ninety_idle_clients(),
    }
}

fn serve_with_few_open_files() {
    rustix::process::setrlimit(Resource::Nofile, Rlimit { current: Some(64), maximum: Some(64) })
        .expect("less is always granted");
    let running = Running::start();
    println!("\nlistening {}", running.address);
    std::io::stdin().read_line(&mut String::new()).expect("the other end closes it");
}

fn ninety_idle_clients() {
    let mut command = alone("http::listener::running::few_open_files_are_enough");
    let mut server = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("it runs again");
    let mut lines = BufReader::new(server.stdout.take().expect("it is piped")).lines();
    let address = lines
        .by_ref()
        .map(|line| line.expect("it is text"))
        .find_map(|line| line.strip_prefix("listening ").map(str::to_owned))
        .expect("it listens");
    let connect = || Client::new(TcpStream::connect(&address).expect("the server listens"));
    let idle: Vec<_> = (0..90).map(|_| connect()).collect();
    let mut good = connect();
    good.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n");
    assert_eq!(good.answer().text(), "GET / ");
    drop(idle);
    drop(server.stdin.take());
    // Until its end it says how the test went.
    lines.for_each(drop);
    assert!(server.wait().expect("it was started").success());
}

#[test]
fn a_server_has_threads_for_the_requests_that_it_answers() {
    if !is_alone() {
        let path = "http::listener::running::a_server_has_threads_for_the_requests_that_it_answers";
        assert!(alone(path).output().expect("it runs again").status.success());
        return;
    }
    let before = threads();
    let running = Running::start();
    running.is_well();
    let idle = threads() - before;
    assert!(idle < 20, "{idle} threads");
    let mut busy: Vec<_> = (0..30).map(|_| running.client()).collect();
    busy.iter_mut().for_each(|client| client.send("GET /slow?500 HTTP/1.1\r\nHost: a\r\n\r\n"));
    eventually(|| running.asked() == 31);
    busy.iter_mut().for_each(|client| assert_eq!(client.answer().status, 200));
}
