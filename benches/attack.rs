//! Attacks in large numbers on a real server: `cargo bench --bench attack`.
//!
//! The suite has the same attacks in small numbers, with assertions. Here each goes on while a good
//! client asks for the configuration over new connections; what is printed is how long its answers
//! took, and what the server has grown to.
#![allow(clippy::disallowed_methods, missing_docs, reason = "a benchmark makes files and runs programs")]

mod served;

use std::fs;
use std::io::{Read, Write};
use std::net::TcpStream;
use std::process::Child;
use std::time::{Duration, Instant};

use served::{configuration, serve};

/// `admin:secret`
const AUTHORIZATION: &str = "Authorization: Basic YWRtaW46c2VjcmV0\r\n";

/// The configuration of so many streams is 3 MB of JSON.
const STREAMS: usize = 10_500;

/// How often the good client asks during each attack.
const QUESTIONS: usize = 20;

/// A good client gives up after this.
const PATIENCE: Duration = Duration::from_secs(10);

fn main() {
    // `cargo test --all-targets` runs benchmarks, too, to see that they build.
    if !std::env::args().any(|argument| argument == "--bench") {
        return;
    }
    let folder = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).expect("a folder can be made");
    let text = configuration("edit_auth admin secret;\n", STREAMS);
    let (child, address) = serve(folder.path(), &text);
    println!("{:44} {:>12} {:>12} {:>10} {:>9}", "attack", "median", "slowest", "resident", "threads");
    let read = format!("GET /media/api/read_config HTTP/1.1\r\nHost: a\r\n{AUTHORIZATION}\r\n");
    let mut server = Attacked { child, address, read: read.clone() };
    server.under("nothing", Vec::new);
    server.under("20 x 10 000 pipelined requests, never read", || {
        (0..20).map(|_| read.repeat(10_000)).collect()
    });
    server.under("500 idle connections", || vec![String::new(); 500]);
    server.under("60 stalled bodies of 200 KB", || {
        let head = "POST /media/api/modify_config HTTP/1.1\r\nHost: a\r\nContent-Length: 200000\r\n";
        vec![format!("{head}{AUTHORIZATION}\r\n{{"); 60]
    });
    server.under("60 bodies of 64 TB that never come", || {
        let head = "POST /media/api/modify_config HTTP/1.1\r\nHost: a\r\nContent-Length: 70368744177664\r\n";
        vec![format!("{head}\r\n"); 60]
    });
    server.under("40 readers of 3 MB who do not read", || vec![read.clone(); 40]);
    server.under("60 header lines without an end", || {
        vec![format!("GET / HTTP/1.1\r\nX: {}", "x".repeat(30_000)); 60]
    });
    assert!(
        fs::read_to_string(folder.path().join("media.conf")).is_ok_and(|now| now == text),
        "the file is whole"
    );
    println!("the file is as it was");
}

struct Attacked {
    child: Child,
    address: String,
    read: String,
}

impl Drop for Attacked {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Attacked {
    /// Sends each of these over a connection that stays open, and asks meanwhile.
    fn under(&mut self, what: &str, attack: impl FnOnce() -> Vec<String>) {
        let connections: Vec<TcpStream> = attack()
            .into_iter()
            .filter_map(|bytes| {
                let mut stream = TcpStream::connect(&self.address).ok()?;
                stream.set_write_timeout(Some(Duration::from_millis(50))).ok()?;
                // What the server does not take, the attacker does not get rid of.
                let _ = stream.write_all(bytes.as_bytes());
                Some(stream)
            })
            .collect();
        let mut times: Vec<Duration> = (0..QUESTIONS).map(|_| self.ask()).collect();
        times.sort();
        let status = fs::read_to_string(format!("/proc/{}/status", self.child.id())).unwrap_or_default();
        let field = |name: &str| {
            status.lines().find_map(|line| line.strip_prefix(name)).unwrap_or("?").trim().to_owned()
        };
        println!(
            "{what:44} {:>9} ms {:>9} ms {:>10} {:>9}",
            times[QUESTIONS / 2].as_millis(),
            times[QUESTIONS - 1].as_millis(),
            field("VmRSS:"),
            field("Threads:")
        );
        assert!(self.child.try_wait().is_ok_and(|ended| ended.is_none()), "the server lives");
        drop(connections);
    }

    /// How long a good client takes to get its answer.
    fn ask(&self) -> Duration {
        let start = Instant::now();
        loop {
            let mut answer = Vec::new();
            let asked = TcpStream::connect(&self.address).and_then(|mut stream| {
                stream.set_read_timeout(Some(PATIENCE))?;
                stream
                    .write_all(self.read.replace("\r\n\r\n", "\r\nConnection: close\r\n\r\n").as_bytes())?;
                stream.read_to_end(&mut answer)
            });
            if asked.is_ok() && answer.starts_with(b"HTTP/1.1 200") {
                return start.elapsed();
            }
            assert!(start.elapsed() < PATIENCE, "a good client gets its answer");
        }
    }
}
