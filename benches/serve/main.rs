//! The server, against others doing the like in the same run: `cargo bench --bench serve`.
//!
//! Only ratios mean anything. The peers are Caddy, whose API changes one route among as many, the put
//! of etcd, and tiny_http without a listener in front of it, in this process.
#![allow(clippy::disallowed_methods, missing_docs, reason = "a benchmark makes files and runs programs")]

mod client;
mod growth;
mod peers;
#[path = "../served/mod.rs"]
mod served;

use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use client::Client;
use peers::{CADDY, ETCD, bare_tiny_http, caddy, etcd};
use served::{AUTHORIZATION, HEAD, MODIFY, READ, Running, configuration, serve, status_of};

const CHANGE: &str = "/media/api/change";
const STREAMS: usize = 10_000;
const FEW_STREAMS: usize = 100;
const RUNS: usize = 21;
const CONNECTIONS: usize = 8;
const WINDOW: Duration = Duration::from_secs(2);

fn main() {
    if !served::is_bench() {
        return;
    }
    let folder = served::folder();
    let folder = folder.path();
    large(folder);
    small_change(folder);
    small(folder);
    growth::clients(folder);
    growth::bodies(folder);
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

/// Prints the medians of two kinds of times, and their ratio.
fn compare(what: &str, upper: Vec<f64>, lower: Vec<f64>, target: &str) {
    let (upper, lower) = (median(upper), median(lower));
    let ms = |value: f64| format!("{value:.1} ms");
    report(what, ms(upper), ms(lower), upper / lower, target);
}

fn report(what: &str, ours: String, theirs: String, ratio: f64, target: &str) {
    println!("{what:52} {ours:>14} {theirs:>14}   ratio {ratio:6.2}   target {target}");
}

/// Changes one stream among others; another value each time. `modify_config` answers with the whole configuration, `change`
/// with what it did.
fn change(client: &mut Client, path: &str, stream: usize, value: usize) {
    let patch = format!(r#"{{"streams":{{"cam{stream:06}":{{"prepush":{value}}}}}}}"#);
    let request = format!(r#"{{"operation":{{"modify":{{"edits":{{"patch":{patch}}}}}}}}}"#);
    client.expect(200, "POST", path, AUTHORIZATION, if path == CHANGE { &request } else { &patch });
}

fn large(folder: &Path) {
    let (server, address) = serve(folder, &configuration(HEAD, STREAMS));
    let mut ours = Client::connect(&address);
    change(&mut ours, MODIFY, STREAMS / 2, 1);
    if let Some(_caddy) = caddy(folder, STREAMS) {
        let (mut made, mut modify, mut patch, mut read, mut get) = (vec![], vec![], vec![], vec![], vec![]);
        let mut reader = Client::connect(&address);
        for number in 0..RUNS {
            made.push(timed(|| change(&mut ours, CHANGE, STREAMS / 2, 2 * number + 10)));
            modify.push(timed(|| change(&mut ours, MODIFY, STREAMS / 2, 2 * number + 11)));
            patch.push(timed(|| {
                let (json, path) = ("Content-Type: application/json\r\n", "/id/r5000/handle/0/body");
                // It closes all connections of its API with each change.
                Client::connect(CADDY).expect(200, "PATCH", path, json, &format!("\"new {number}\""));
            }));
            read.push(timed(|| reader.expect(200, "GET", READ, AUTHORIZATION, "")));
            get.push(timed(|| Client::connect(CADDY).expect(200, "GET", "/config/", "", "")));
        }
        // It answers nothing.
        compare("Caddy PATCH / change, 10 000", patch.clone(), made, ">= 20");
        compare("Caddy PATCH / modify_config, 10 000", patch, modify, "-");
        compare("Caddy GET /config/ / read_config, 10 000", get, read, ">= 15");
    }
    tail(&address, &mut |number| change(&mut ours, MODIFY, STREAMS / 2, number));
    println!("{:52} {:>11.1} MB   target < 60 MB", "resident memory afterwards", resident(&server));
}

/// A change among few streams, against a put of etcd of as many bytes as the stream has. Both are on
/// the disk when they are answered.
fn small_change(folder: &Path) {
    let Some(_etcd) = etcd(folder) else { return };
    let (_server, address) = serve(folder, &configuration(HEAD, FEW_STREAMS));
    let (mut ours, mut theirs) = (Client::connect(&address), Client::connect(ETCD));
    let (mut modify, mut put) = (vec![], vec![]);
    for number in 0..10 * RUNS {
        modify.push(timed(|| change(&mut ours, MODIFY, FEW_STREAMS / 2, number + 10)));
        // The key is `stream`, in base64; any letters are some value.
        let body = format!(r#"{{"key":"c3RyZWFt","value":"{number:0200}"}}"#);
        put.push(timed(|| theirs.expect(200, "POST", "/v3/kv/put", "", &body)));
    }
    compare("modify_config / etcd put, 100 streams", modify, put, "<= 2");
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
    let (_server, address) = serve(folder, &configuration(HEAD, 12));
    let tag = Client::connect(&address).ask("GET", READ, AUTHORIZATION, "").1.expect("it has a tag");
    let conditional = format!("{AUTHORIZATION}If-None-Match: {tag}\r\n");
    // A longer answer leaves tiny_http in two pieces, of which the second waits for the client's
    // delayed acknowledgement.
    let bare = bare_tiny_http(CONNECTIONS, 64);
    let mut rates = [vec![], vec![], vec![]];
    for _ in 0..3 {
        rates[0].push(rate(&address, CONNECTIONS, READ, &conditional));
        rates[1].push(rate(&address, CONNECTIONS, READ, AUTHORIZATION));
        rates[2].push(rate(&bare, CONNECTIONS, "/", ""));
    }
    let [not_modified, read, bare] = rates.map(median);
    let per_second = |rate: f64| format!("{rate:.0}/s");
    for (what, ours) in [("304 answers", not_modified), ("2 KB answers", read)] {
        let what = format!("{what} / bare tiny_http, 8 connections");
        report(&what, per_second(ours), per_second(bare), ours / bare, ">= 0.45, or >= 15 000/s");
    }
}

/// Requests a second over some keep-alive connections.
fn rate(address: &str, connections: usize, path: &str, headers: &str) -> f64 {
    let count = AtomicUsize::new(0);
    let start = Instant::now();
    std::thread::scope(|scope| {
        for _ in 0..connections {
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
fn resident(server: &Running) -> f64 {
    let kilobytes = status_of(server, "VmRSS");
    kilobytes.trim_end_matches(" kB").parse::<f64>().unwrap_or_default() / 1024.0
}
