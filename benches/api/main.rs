//! What a page in a browser fetches, with a whole read and with what the API has for it: `cargo bench --bench api`.
//!
//! Bytes are those of requests and answers with their heads, without TLS. The time is computed of them for a line of
//! 10 Mbit/s and 50 ms: a round trip to connect, one for each request, and the slow start of TCP. That of the server is
//! measured here, once the answer is known to it, and is part of it.
#![allow(clippy::disallowed_methods, missing_docs, reason = "a benchmark makes files and runs programs")]

#[allow(dead_code, reason = "other benchmarks use the rest")]
#[path = "../whole/contents.rs"]
mod contents;
#[allow(dead_code, reason = "other benchmarks use the rest")]
#[path = "../served/mod.rs"]
mod served;

use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::Instant;

use served::AUTHORIZATION;

const STREAMS: usize = 10_001;

/// The line that the times are computed for: bytes in a second, and seconds of a round trip.
const BYTES_A_SECOND: f64 = 10e6 / 8.0;
const ROUND_TRIP: f64 = 0.05;

/// What a sender sends before the first acknowledgement: ten segments.
const FIRST_WINDOW: f64 = 14_600.0;

/// What a few requests take.
#[derive(Default)]
struct Traffic {
    bytes: usize,
    seconds: f64,
}

impl Traffic {
    fn and(self, other: Self) -> Self {
        Self { bytes: self.bytes + other.bytes, seconds: self.seconds + other.seconds }
    }

    fn times(self, count: usize) -> Self {
        Self { bytes: self.bytes * count, seconds: self.seconds * count as f64 }
    }
}

fn main() {
    if !served::is_bench() {
        return;
    }
    let folder = served::folder();
    let (_server, address) = served::serve(folder.path(), &contents::configuration(STREAMS));
    let page = Page { address };
    println!("{:44} {:>21} {:>21}", "", "before", "after");
    let whole = || page.get("read_config", "");
    let status = || page.get("status", "");
    let (path, patch) = ("streams.cam005000", r#"{"streams":{"cam005000":{"prepush":7}}}"#);
    row("one stream as text", whole(), page.get(&format!("read_config?path={path}&format=conf"), ""));
    row(
        "an edit, and what it would change",
        page.post("modify_config?dry_run=1", patch, ""),
        page.post("modify_config?dry_run=1&format=diff", patch, ""),
    );
    row("another change, seen", whole(), status().and(page.get("diff?from=saved&to=running", "")));
    let tag = |target: &str| format!("If-None-Match: {}\r\n", page.ask("GET", target, "", "").1);
    let (of_config, of_status) = (tag("read_config"), tag("status"));
    let polled = page.get("read_config", &of_config).times(60);
    // That of 60 seconds has as many bytes.
    let waited = page.get("status?wait=1", &of_status);
    row("an idle minute", polled, Traffic { seconds: 0.0, ..waited });
}

fn row(what: &str, before: Traffic, after: Traffic) {
    let cell = |traffic: Traffic| match traffic.seconds {
        0.0 => format!("{:.1} KB", traffic.bytes as f64 / 1e3),
        seconds => format!("{:.1} KB {seconds:6.2} s", traffic.bytes as f64 / 1e3),
    };
    println!("{what:44} {:>21} {:>21}", cell(before), cell(after));
}

struct Page {
    address: String,
}

impl Page {
    fn get(&self, target: &str, headers: &str) -> Traffic {
        self.second("GET", target, headers, "")
    }

    fn post(&self, target: &str, body: &str, headers: &str) -> Traffic {
        self.second("POST", target, headers, body)
    }

    /// The second of two equal requests.
    fn second(&self, method: &str, target: &str, headers: &str, body: &str) -> Traffic {
        self.ask(method, target, headers, body);
        self.ask(method, target, headers, body).0
    }

    /// What a request on a new connection takes, and the tag of the answer.
    fn ask(&self, method: &str, target: &str, headers: &str, body: &str) -> (Traffic, String) {
        let length = body.len();
        let request = format!(
            "{method} /media/api/{target} HTTP/1.1\r\nHost: {}\r\n{AUTHORIZATION}{headers}Connection: close\r\n\
             Content-Length: {length}\r\n\r\n{body}",
            self.address
        );
        let mut stream = TcpStream::connect(&self.address).expect("it listens");
        let start = Instant::now();
        stream.write_all(request.as_bytes()).expect("it is read");
        let mut answer = Vec::new();
        stream.read_to_end(&mut answer).expect("it is answered");
        let server = start.elapsed().as_secs_f64();
        let head = String::from_utf8_lossy(&answer[..answer.len().min(4096)]).into_owned();
        assert!(head.starts_with("HTTP/1.1 200") || head.starts_with("HTTP/1.1 304"), "{target}: {head}");
        let tag = head.lines().find_map(|line| line.strip_prefix("ETag: ")).unwrap_or_default().to_owned();
        let bytes = request.len() + answer.len();
        (Traffic { bytes, seconds: on_the_line(answer.len()) + server }, tag)
    }
}

/// The seconds of an answer on the line, from the connect on.
fn on_the_line(bytes: usize) -> f64 {
    let (mut left, mut window, mut seconds) = (bytes as f64, FIRST_WINDOW, 2.0 * ROUND_TRIP);
    // As long as the window is smaller than what is under way, the sender waits for each acknowledgement.
    while left > window && window < BYTES_A_SECOND * ROUND_TRIP {
        left -= window;
        window *= 2.0;
        seconds += ROUND_TRIP;
    }
    seconds + left / BYTES_A_SECOND
}
