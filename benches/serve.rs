//! The server, against others doing the like in the same run: `cargo bench --bench serve`.
//!
//! Only ratios mean anything. The peers are Caddy, whose API changes one route among as many (left
//! out where it is not installed), and tiny_http without a gate, in this process.
#![allow(clippy::disallowed_methods, missing_docs, reason = "a benchmark makes files and runs programs")]

mod served;

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use served::{configuration, serve};

/// `admin:secret`
const AUTHORIZATION: &str = "Authorization: Basic YWRtaW46c2VjcmV0\r\n";

/// In front of the streams.
const HEAD: &str = "http 80;\nedit_auth admin secret;\n";

const STREAMS: usize = 10_000;
const RUNS: usize = 21;
const CONNECTIONS: usize = 8;
const WINDOW: Duration = Duration::from_secs(3);

const CADDY: &str = "127.0.0.1:20190";
const READ: &str = "/media/api/read_config";
const MODIFY: &str = "/media/api/modify_config";

fn main() {
    // `cargo test --all-targets` runs benchmarks, too, to see that they build.
    if !std::env::args().any(|argument| argument == "--bench") {
        return;
    }
    // A folder of its own: a server that another run left behind holds its file.
    let folder = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).expect("a folder can be made");
    large(folder.path());
    small(folder.path());
}

/// A server or a peer; killed when it is dropped.
struct Running(Child);

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Caddy with as many routes; none where it is not installed.
fn caddy(folder: &Path) -> Option<Running> {
    let routes: Vec<String> = (0..STREAMS)
        .map(|number| {
            format!(
                r#"{{"@id":"r{number}","match":[{{"path":["/cam{number}/*"]}}],"handle":[{{"handler":"static_response","body":"camera {number} rtsp://10.0.0.1:554/h264 title"}}]}}"#
            )
        })
        .collect();
    let config = format!(
        r#"{{"admin":{{"listen":"{CADDY}"}},"apps":{{"http":{{"servers":{{"s":{{"listen":["127.0.0.1:20191"],"automatic_https":{{"disable":true}},"routes":[{}]}}}}}}}}}}"#,
        routes.join(",")
    );
    let file = folder.join("caddy.json");
    fs::write(&file, config).expect("a file can be written");
    let mut command = Command::new("caddy");
    command.arg("run").arg("--config").arg(&file).env("HOME", folder);
    let child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().ok()?;
    let running = Running(child);
    let is_up = (0..200).any(|_| {
        std::thread::sleep(Duration::from_millis(50));
        TcpStream::connect(CADDY).is_ok()
    });
    is_up.then_some(running)
}

/// One keep-alive connection.
struct Client {
    stream: BufReader<TcpStream>,
    host: String,
}

impl Client {
    fn connect(address: &str) -> Self {
        let stream = TcpStream::connect(address).expect("it listens");
        stream.set_nodelay(true).expect("a TCP option can be set");
        Self { stream: BufReader::with_capacity(256 * 1024, stream), host: address.to_owned() }
    }

    /// Status and entity tag of the answer, whose body is read and dropped.
    fn ask(&mut self, method: &str, path: &str, headers: &str, body: &str) -> (u16, Option<String>) {
        let length =
            if body.is_empty() { String::new() } else { format!("Content-Length: {}\r\n", body.len()) };
        let request =
            format!("{method} {path} HTTP/1.1\r\nHost: {}\r\n{headers}{length}\r\n{body}", self.host);
        self.stream.get_mut().write_all(request.as_bytes()).expect("it is read");
        let mut lines = Vec::new();
        loop {
            let mut line = String::new();
            assert!(
                self.stream.read_line(&mut line).expect("it can be read") > 0,
                "the connection was closed"
            );
            if line == "\r\n" {
                break;
            }
            lines.push(line);
        }
        let value = |name: &str| {
            lines.iter().find_map(|line| {
                let (known, value) = line.split_once(':')?;
                known.eq_ignore_ascii_case(name).then(|| value.trim().to_owned())
            })
        };
        let status: u16 = lines[0][9..12].parse().expect("a status is a number");
        let is_chunked = value("Transfer-Encoding").is_some();
        let length: u64 = value("Content-Length").map_or(0, |length| length.parse().expect("it is a number"));
        if is_chunked {
            self.skip_chunks();
        } else if status != 304 {
            std::io::copy(&mut (&mut self.stream).take(length), &mut std::io::sink()).expect("it is whole");
        }
        (status, value("ETag"))
    }

    fn skip_chunks(&mut self) {
        loop {
            let mut line = String::new();
            assert!(
                self.stream.read_line(&mut line).expect("it can be read") > 0,
                "the connection was closed"
            );
            let length = u64::from_str_radix(line.trim(), 16).expect("it is a number");
            std::io::copy(&mut (&mut self.stream).take(length + 2), &mut std::io::sink())
                .expect("it is whole");
            if length == 0 {
                return;
            }
        }
    }
}

fn timed(run: impl FnOnce()) -> f64 {
    let start = Instant::now();
    run();
    start.elapsed().as_secs_f64() * 1e3
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

fn report(what: &str, ours: String, theirs: String, ratio: f64, target: &str) {
    println!("{what:52} {ours:>14} {theirs:>14}   ratio {ratio:6.2}   target {target}");
}

fn large(folder: &Path) {
    let (child, address) = serve(folder, &configuration(HEAD, STREAMS));
    let server = Running(child);
    let mut ours = Client::connect(&address);
    let mut change = |number: usize| {
        let patch = format!(r#"{{"streams":{{"cam005000":{{"prepush":{number}}}}}}}"#);
        let (status, _) = ours.ask("POST", MODIFY, AUTHORIZATION, &patch);
        assert_eq!(status, 200);
    };
    change(1);
    match caddy(folder) {
        None => println!("caddy is not installed: its comparisons are left out"),
        Some(_caddy) => {
            let (mut modify, mut patch, mut read, mut get) = (vec![], vec![], vec![], vec![]);
            let mut reader = Client::connect(&address);
            for number in 0..RUNS {
                modify.push(timed(|| change(number + 10)));
                patch.push(timed(|| {
                    let json = "Content-Type: application/json\r\n";
                    // It closes all connections of its API with each change.
                    let mut theirs = Client::connect(CADDY);
                    let (status, _) =
                        theirs.ask("PATCH", "/id/r5000/handle/0/body", json, &format!("\"new {number}\""));
                    assert_eq!(status, 200);
                }));
                read.push(timed(|| drop(reader.ask("GET", READ, AUTHORIZATION, ""))));
                get.push(timed(|| drop(Client::connect(CADDY).ask("GET", "/config/", "", ""))));
            }
            let ms = |value: f64| format!("{value:.1} ms");
            let (modify, patch) = (median(modify), median(patch));
            report("Caddy PATCH / modify_config, 10 000", ms(patch), ms(modify), patch / modify, ">= 20");
            let (read, get) = (median(read), median(get));
            report("Caddy GET /config/ / read_config, 10 000", ms(get), ms(read), get / read, ">= 8");
        }
    }
    tail(&address, &mut change);
    println!("{:52} {:>11.1} MB   target < 60 MB", "resident memory afterwards", resident(server.0.id()));
}

/// The slowest of a hundred reads, alone and beside a client that modifies in a loop.
fn tail(address: &str, change: &mut dyn FnMut(usize)) {
    let p99 = |count: usize, client: &mut Client| {
        let mut times: Vec<f64> =
            (0..count).map(|_| timed(|| drop(client.ask("GET", READ, AUTHORIZATION, "")))).collect();
        times.sort_by(f64::total_cmp);
        times[count * 99 / 100]
    };
    let mut client = Client::connect(address);
    let alone = p99(400, &mut client);
    let done = AtomicBool::new(false);
    let beside = std::thread::scope(|scope| {
        let reader = scope.spawn(|| {
            let p99 = p99(400, &mut client);
            done.store(true, Ordering::Relaxed);
            p99
        });
        for number in 100.. {
            if done.load(Ordering::Relaxed) {
                break;
            }
            change(number);
        }
        reader.join().expect("it reads")
    });
    let ms = |value: f64| format!("{value:.1} ms");
    report("p99 of reads beside modifications / alone", ms(beside), ms(alone), beside / alone, "<= 3");
}

fn small(folder: &Path) {
    let (child, address) = serve(folder, &configuration(HEAD, 12));
    let _server = Running(child);
    let tag = Client::connect(&address).ask("GET", READ, AUTHORIZATION, "").1.expect("it has a tag");
    let conditional = format!("{AUTHORIZATION}If-None-Match: {tag}\r\n");
    // A longer answer leaves tiny_http in two pieces, of which the second waits for the client's
    // delayed acknowledgement.
    let bare = bare(64);
    let mut rates = [vec![], vec![], vec![]];
    for _ in 0..3 {
        rates[0].push(rate(&address, READ, &conditional));
        rates[1].push(rate(&address, READ, AUTHORIZATION));
        rates[2].push(rate(&bare, "/", ""));
    }
    let [not_modified, read, bare] = rates.map(median);
    let per_second = |rate: f64| format!("{rate:.0}/s");
    report(
        "304 answers / bare tiny_http, 8 connections",
        per_second(not_modified),
        per_second(bare),
        not_modified / bare,
        ">= 0.25",
    );
    report(
        "2 KB answers / bare tiny_http, 8 connections",
        per_second(read),
        per_second(bare),
        read / bare,
        ">= 0.25",
    );
}

/// tiny_http with as many threads, answering with so many bytes; runs until the process ends.
fn bare(length: usize) -> String {
    let server = std::sync::Arc::new(tiny_http::Server::http("127.0.0.1:0").expect("a port is free"));
    let address = server.server_addr().to_ip().expect("it is TCP").to_string();
    for _ in 0..CONNECTIONS {
        let server = server.clone();
        std::thread::spawn(move || {
            while let Ok(request) = server.recv() {
                let _ = request.respond(tiny_http::Response::from_data(vec![b'x'; length]));
            }
        });
    }
    address
}

/// Requests a second over some keep-alive connections.
fn rate(address: &str, path: &str, headers: &str) -> f64 {
    let count = AtomicUsize::new(0);
    let start = Instant::now();
    std::thread::scope(|scope| {
        for _ in 0..CONNECTIONS {
            scope.spawn(|| {
                let mut client = Client::connect(address);
                while start.elapsed() < WINDOW {
                    client.ask("GET", path, headers, "");
                    count.fetch_add(1, Ordering::Relaxed);
                }
            });
        }
    });
    count.load(Ordering::Relaxed) as f64 / start.elapsed().as_secs_f64()
}

/// Megabytes.
fn resident(pid: u32) -> f64 {
    let status = fs::read_to_string(format!("/proc/{pid}/status")).unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).unwrap_or_default();
    line.trim().trim_end_matches(" kB").parse::<f64>().unwrap_or_default() / 1024.0
}
