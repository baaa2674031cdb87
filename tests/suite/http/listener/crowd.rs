//! More connections than there are slots: attackers keep no good client out, and a burst of good
//! clients is answered whole.

use std::io::Write;
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::os::unix::net::{UnixListener, UnixStream};
use std::process::Command;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Barrier};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use mediactl::error::ErrorKind;
use mediactl::http::server::front::Listener;
use mediactl::http::server::front::limits::Limits;

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

use super::attack::is_problem;
use super::support::{Answer, Client, Running, serve};
use crate::waiting::{PATIENCE, eventually, let_pass, until};

/// A whole request without credentials, and the first bytes of the next one.
const STRANGER: &str = "GET / HTTP/1.1\r\nHost: a\r\nX-Rank: stranger\r\n\r\nGET";

/// What completes the request that began, and begins the next one.
const GOES_ON: &str = " / HTTP/1.1\r\nHost: a\r\nX-Rank: stranger\r\n\r\nGET";

struct Attack {
    over: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl Attack {
    fn of(mut step: impl FnMut() + Send + 'static) -> Self {
        let over = Arc::new(AtomicBool::new(false));
        let seen = Arc::clone(&over);
        let thread = thread::spawn(move || {
            while !seen.load(Ordering::SeqCst) {
                step();
            }
        });
        Self { over, thread: Some(thread) }
    }

    /// Opens `count` connections, each with the beginning of a request in its buffer at any time; one
    /// that was closed is opened again.
    fn of_slow_pipeliners(address: SocketAddr, count: usize) -> Self {
        let mut connections: Vec<Option<TcpStream>> = (0..count).map(|_| None).collect();
        Self::of(move || {
            for connection in &mut connections {
                let open = connection.as_mut();
                if open.is_none_or(|open| open.write_all(GOES_ON.as_bytes()).is_err()) {
                    *connection = begin(address, STRANGER);
                }
            }
            let_pass(Duration::from_millis(5));
        })
    }

    /// Opens a new connection every 10 ms and sends one byte; `count` stay open.
    fn of_new_connections(address: SocketAddr, count: usize) -> Self {
        let mut connections: Vec<_> = (0..count).map(|_| None).collect();
        let mut next = (0..count).cycle();
        Self::of(move || {
            connections[next.next().expect("it goes round")] = begin(address, "G");
            let_pass(Duration::from_millis(10));
        })
    }
}

impl Drop for Attack {
    fn drop(&mut self) {
        self.over.store(true, Ordering::SeqCst);
        if let Some(thread) = self.thread.take() {
            thread.join().expect("an attacker does not panic");
        }
    }
}

fn begin(address: SocketAddr, bytes: &str) -> Option<TcpStream> {
    let mut stream = TcpStream::connect(address).ok()?;
    stream.set_write_timeout(Some(Duration::from_millis(20))).ok()?;
    stream.write_all(bytes.as_bytes()).ok()?;
    Some(stream)
}

fn few_slots() -> Limits {
    Limits { connections: 8, ..Limits::default() }
}

/// How often a good client tries: one that is slow to send its request looks like an attacker until then.
const TRIES: usize = 5;

/// How many of a hundred good clients, one after the other, are answered.
fn answered(running: &Running) -> usize {
    (0..100).filter(|_| (0..TRIES).any(|_| answers(running.client()))).count()
}

fn answers(mut client: Client<TcpStream>) -> bool {
    let sent = client.stream.write_all(b"GET /well HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n");
    sent.is_ok() && client.try_answer().is_some_and(|answer| answer.status == 200)
}

fn is_full(answer: &Answer) {
    is_problem(answer, 503, ErrorKind::Full);
    assert!(answer.header("Retry-After").is_some());
}

#[test]
fn strangers_lock_nobody_out() {
    let many = "GET /big HTTP/1.1\r\nHost: a\r\nX-Rank: stranger\r\n\r\n".repeat(100);
    let running = Running::with(few_slots());
    let slow = Attack::of_slow_pipeliners(running.address, 16);
    eventually(|| running.asked() > 16);
    assert!(answered(&running) >= 99, "who asks slowly");
    drop(slow);
    let running = Running::with(few_slots());
    let deaf: Vec<_> = (0..16).map(|_| begin(running.address, &many)).collect();
    eventually(|| running.asked() > 4);
    assert!(answered(&running) >= 99, "who does not read");
    drop(deaf);
    let running = Running::start();
    let _new = Attack::of_new_connections(running.address, 400);
    eventually(|| running.open_connections() >= 32);
    assert!(answered(&running) >= 99, "who connects without end");
}

#[test]
fn viewers_that_do_not_read_leave_slots_to_editors_and_others_are_told() {
    let waiting_time = Duration::from_millis(50);
    let running = Running::with(Limits { waiting_time, ..few_slots() });
    let viewed = |path: &str| format!("GET {path} HTTP/1.1\r\nHost: a\r\nX-Rank: viewer\r\n\r\n");
    let _deaf: Vec<_> = (0..3).map(|_| begin(running.address, &viewed("/big").repeat(100))).collect();
    is_full(&until("there is room", || Some(running.ask(viewed("/"))).filter(|answer| answer.status != 200)));
    assert!(answered(&running) >= 99);
}

#[test]
fn an_authenticated_connection_outlives_any_number_of_others() {
    let running = Running::with(few_slots());
    let mut good: Vec<_> = (0..4).map(|_| running.client()).collect();
    let ask = |client: &mut Client<TcpStream>| {
        client.send("GET /well HTTP/1.1\r\nHost: a\r\n\r\n");
        assert_eq!(client.answer().text(), "GET /well ");
    };
    good.iter_mut().for_each(ask);
    let _attacks =
        [Attack::of_slow_pipeliners(running.address, 16), Attack::of_new_connections(running.address, 100)];
    eventually(|| running.asked() > 50);
    good.iter_mut().for_each(ask);
}

#[test]
fn strangers_hold_half_of_the_slots_and_who_makes_room_is_told_and_logged() {
    let running = Running::with(few_slots());
    let _strangers: Vec<_> = (0..20).map(|_| begin(running.address, STRANGER)).collect();
    eventually(|| running.asked() >= 20);
    eventually(|| running.open_connections() <= 4);
    let running = Running::with(Limits { grace: Duration::ZERO, ..few_slots() });
    let mut strangers: Vec<_> = (0..40).map(|_| running.client()).collect();
    for client in &mut strangers {
        let _ = client.stream.write_all(b"GET / HT");
    }
    running.is_well();
    let told =
        strangers.iter_mut().filter_map(|client| client.try_answer().filter(|answer| answer.status != 408));
    assert!(told.inspect(is_full).count() > 0);
    assert!(running.refused(32).into_iter().filter(|status| *status == 503).count() >= 32);
}

#[test]
fn two_hundred_that_logged_in_stay_and_are_answered_again() {
    // Both ends of the connections are in this process.
    let limit = getrlimit(Resource::Nofile);
    setrlimit(Resource::Nofile, Rlimit { current: limit.maximum, ..limit }).expect("it is granted");
    let running = Running::with(Limits { connections: 256, ..Limits::default() });
    let mut clients: Vec<_> = (0..200).map(|_| running.client()).collect();
    for _ in 0..2 {
        for client in &mut clients {
            client.send("GET /well HTTP/1.1\r\nHost: a\r\n\r\n");
            assert_eq!(client.answer().text(), "GET /well ");
        }
        let_pass(Duration::from_secs(3));
    }
    assert_eq!(running.open_connections(), 200);
}

/// Their connections take turns: whoever polls again after its own was closed to make room is served over a new one.
#[test]
fn two_hundred_that_watch_are_served_in_turns_and_editors_are_not_kept_waiting() {
    const POLL: &str = "GET /same HTTP/1.1\r\nHost: a\r\nX-Rank: viewer\r\n\r\n";
    let running = Running::with(Limits { grace: Duration::ZERO, ..Limits::default() });
    let mut watchers: Vec<Option<Client<TcpStream>>> = (0..200).map(|_| None).collect();
    for _ in 0..3 {
        for watcher in &mut watchers {
            let over_kept = watcher.as_mut().and_then(|kept| {
                kept.stream.write_all(POLL.as_bytes()).ok()?;
                kept.try_answer().filter(|answer| answer.status == 304)
            });
            if over_kept.is_none() {
                let new = watcher.insert(running.client());
                new.send(POLL);
                assert_eq!(new.answer().status, 304);
            }
        }
        assert_eq!(answered(&running), 100);
    }
    assert!(running.open_connections() <= Limits::default().connections);
}

#[test]
fn connections_that_come_at_once_and_stay_are_all_answered() {
    const CLIENTS: usize = 12;
    for _ in 0..10 {
        // The race is between the first connections.
        let (running, begin, end) = (Running::start(), Barrier::new(CLIENTS), Barrier::new(CLIENTS));
        thread::scope(|scope| {
            for _ in 0..CLIENTS {
                scope.spawn(|| {
                    let mut client = running.client();
                    begin.wait();
                    client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n");
                    assert_eq!(client.answer().text(), "GET / ");
                    end.wait();
                });
            }
        });
        running.server.stop(PATIENCE);
    }
}

#[test]
fn a_client_that_waits_too_long_for_a_slot_gets_503() {
    let waiting_time = Duration::from_millis(100);
    let running = Running::with(Limits { connections: 2, waiting_time, ..Limits::default() });
    let mut busy: Vec<_> = (0..2).map(|_| running.client()).collect();
    busy.iter_mut().for_each(|client| client.send("GET /slow?8000 HTTP/1.1\r\nHost: a\r\n\r\n"));
    eventually(|| running.asked() == 2);
    let mut others: Vec<_> = (0..30).map(|_| running.client()).collect();
    others.iter_mut().for_each(|client| client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n"));
    others.iter_mut().for_each(|client| is_full(&client.answer()));
    let mut early = running.client();
    early.stream.set_read_timeout(Some(waiting_time)).expect("a time-out can be set");
    assert!(early.stream.peek(&mut [0]).is_err(), "no answer comes before its request");
    early.stream.set_read_timeout(Some(PATIENCE)).expect("a time-out can be set");
    early.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n");
    is_full(&early.answer());
    busy.iter_mut().for_each(|client| assert_eq!(client.answer().status, 200));
    drop(busy);
    eventually(|| running.open_connections() == 0);
    assert_eq!(running.asked(), 2);
    running.is_well();
}

#[test]
fn the_unix_socket_has_slots_of_its_own() {
    let folder = tempfile::tempdir().expect("there is room for a folder");
    let path = folder.path().join("socket");
    let listener = UnixListener::bind(&path).expect("the folder is empty");
    // One server may listen on several sockets.
    let tcp = [(), ()].map(|()| TcpListener::bind("127.0.0.1:0").expect("the loopback has a free port"));
    let addresses = tcp.each_ref().map(|bound| bound.local_addr().expect("it is bound"));
    let unix = Listener::Unix { listener, admits: Box::new(|_| true) };
    let listeners = tcp.into_iter().map(Listener::Tcp).chain([unix]).collect();
    let (service, server) = serve(listeners, None, Limits { connections: 2, ..Limits::default() });
    let mut busy =
        addresses.map(|address| Client::new(TcpStream::connect(address).expect("the server listens")));
    busy.iter_mut().for_each(|client| client.send("GET /slow?2000 HTTP/1.1\r\nHost: a\r\n\r\n"));
    eventually(|| service.asked.load(Ordering::SeqCst) == 2);
    for _ in 0..100 {
        let mut local = Client::over(UnixStream::connect(&path).expect("the server listens"));
        local.send("GET /local HTTP/1.1\r\nHost: a\r\n\r\n");
        assert_eq!(local.answer().text(), "GET /local ");
    }
    server.stop(PATIENCE);
}

/// Set in the process that runs the test below alone: the threads and open files of others come and go.
const ALONE: &str = "MEDIACTL_TEST_ALONE";

#[test]
fn an_attack_leaves_no_threads_or_files_behind() {
    if std::env::var_os(ALONE).is_none() {
        let name = "http::listener::crowd::an_attack_leaves_no_threads_or_files_behind";
        let mut command = Command::new(std::env::current_exe().expect("it runs"));
        command.args(["--exact", name, "--test-threads=1", "--nocapture"]).env(ALONE, "1");
        let output = command.output().expect("it runs again");
        return assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stdout));
    }
    let count = |folder| std::fs::read_dir(folder).expect("this is Linux").count();
    let (threads, files) = (|| count("/proc/self/task"), || count("/proc/self/fd"));
    let running = Running::with(few_slots());
    running.is_well();
    eventually(|| running.open_connections() == 0);
    let before = (threads(), files());
    let attacks =
        [Attack::of_slow_pipeliners(running.address, 32), Attack::of_new_connections(running.address, 100)];
    eventually(|| running.asked() > 200);
    assert!(threads() < before.0 + 60, "{} threads", threads());
    drop(attacks);
    // Some links to tiny_http are kept, with its threads for them.
    eventually(|| running.open_connections() == 0 && threads() < before.0 + 40 && files() < before.1 + 60);
    running.is_well();
}
