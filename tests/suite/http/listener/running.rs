//! How a server lives on, and how it ends.

use std::net::TcpStream;
use std::process::Command;
use std::time::Instant;

use super::support::Running;
use crate::waiting::{PATIENCE, eventually};

#[test]
fn requests_that_were_read_are_answered_before_the_server_ends() {
    let running = Running::start();
    let (address, service) = (running.address, running.service.clone());
    let (mut idle, mut busy, mut whole) = (running.client(), running.client(), running.client());
    whole.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n");
    whole.answer();
    busy.send("GET /slow?300 HTTP/1.1\r\nHost: a\r\n\r\n");
    eventually(|| running.asked() == 2 && running.open_connections() == 3);
    let begin = Instant::now();
    running.server.stop(PATIENCE);
    assert!(begin.elapsed() < PATIENCE / 2, "it does not wait for longer than it has to");
    let answer = busy.answer();
    assert_eq!((answer.text(), answer.header("Connection")), ("at last", Some("close")));
    assert!(idle.is_closed() && busy.is_closed() && whole.is_closed());
    assert!(TcpStream::connect(address).is_err(), "nobody listens any more");
    assert!(service.refused.lock().expect("nobody panicked").is_empty());
}

/// Set in a process that runs one test alone: the threads and open files of others come and go.
const ALONE: &str = "MEDIACTL_TEST_ALONE";

/// True in a process that runs this test alone; else it is run there.
pub fn runs_alone(path: &str) -> bool {
    let is_alone = std::env::var_os(ALONE).is_some();
    if !is_alone {
        let mut command = Command::new(std::env::current_exe().expect("it runs"));
        command.args(["--exact", path, "--test-threads=1", "--nocapture"]).env(ALONE, "1");
        let output = command.output().expect("it runs again");
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stdout));
    }
    is_alone
}

pub fn threads() -> usize {
    std::fs::read_dir("/proc/self/task").expect("this is Linux").count()
}
