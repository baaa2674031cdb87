//! The limits of docs/performance.md, each with what this run measured: `cargo bench --bench whole`.
//!
//! Instructions are counted by callgrind, where `valgrind` is installed. Times are ratios to another program on the same
//! work: each command runs in turn with the one that it is compared with, and the median of the ratios counts. A peer that is
//! missing is left out. The rows of the server are those of `cargo bench --bench serve`.
#![allow(clippy::disallowed_methods, missing_docs, reason = "a benchmark makes files and runs programs")]

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Instant;

use contents::{configuration, nginx, toml};
use memory::peaks;
use timing::{check, command, instructions, median, ratio, timed};

mod cases;
mod contents;
mod growth;
mod memory;
mod timing;

const MEDIACTL: &str = env!("CARGO_BIN_EXE_mediactl");
const STREAMS: usize = 10_000;
const RUNS: usize = 15;

fn main() {
    // `cargo test --all-targets` runs benchmarks, too, to see that they build.
    if !std::env::args().any(|argument| argument == "--bench") {
        return;
    }
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR"));
    let file = folder.join("10000.conf");
    fs::write(&file, configuration(STREAMS)).expect("the folder of the build is writable");
    println!("{:66} {:>12} {:>12}", "", "measured", "limit");
    costs(&file);
    beside_others(&folder, &file);
    [(STREAMS, 40.0), (10 * STREAMS, 320.0)].into_iter().for_each(|(streams, most)| peaks(streams, most));
    growth::of_changes();
    growth::of_texts();
    growth::of_history(&folder);
}

/// One row of the table.
fn row(name: &str, measured: f64, limit: &str) {
    println!("{name:66} {measured:>12.2} {limit:>12}");
}

/// The instructions of commands.
fn costs(file: &Path) {
    let size = fs::metadata(file).map_or(1, |found| found.len()) as f64;
    let file = file.display().to_string();
    for (name, arguments, unit, limit) in [
        ("check of 10 000 streams, instructions a byte", &["check", &file][..], size, "<= 40"),
        (
            "modify of one of 10 000 streams, million instructions",
            &["--conf", &file, "modify", "--set", "streams.cam009000.prepush=7"],
            1e6,
            "<= 80",
        ),
        ("--version, million instructions", &["--version"], 1e6, "<= 5"),
        ("-h, million instructions", &["-h"], 1e6, "<= 12"),
        ("a typing error (raed), million instructions", &["raed"], 1e6, "<= 12"),
    ] {
        match instructions(arguments) {
            Some(found) => row(name, found / unit, limit),
            None => println!("{name:66} left out: `valgrind` is not installed"),
        }
    }
}

/// The time of other programs for the same work on equal content. `nginx -t` also resolves names and opens files.
fn beside_others(folder: &Path, file: &Path) {
    let text = toml(STREAMS);
    let parsed = (0..RUNS).map(|_| {
        let start = Instant::now();
        assert!(text.parse::<toml_edit::DocumentMut>().is_ok());
        start.elapsed().as_secs_f64() / text.len() as f64
    });
    let size = fs::metadata(file).map_or(1, |found| found.len()) as f64;
    let checked = (0..RUNS).filter_map(|_| timed(check(file)())).map(|time| time.as_secs_f64() / size);
    let times = median(parsed.collect()) / median(checked.collect());
    row("check, times as fast as `toml_edit` parses", times, ">= 8");

    let [sites, json] = ["peers.nginx", "peers.json"].map(|name| folder.join(name));
    fs::write(&sites, nginx(STREAMS)).expect("the folder of the build is writable");
    let path = file.display().to_string();
    let mut read = || command(MEDIACTL, &["--conf", &path, "read", "-o", "compact"]);
    let written = read().stdout(std::process::Stdio::piped()).output().expect("the configuration is read");
    fs::write(&json, written.stdout).expect("the folder of the build is writable");
    let [sites, json] = [sites, json].map(|file| file.display().to_string());
    let mut nginx = || command("nginx", &["-t", "-q", "-c", &sites, "-e", "/dev/null"]);
    ratio("check / nginx -t of as many servers", &mut check(file), &mut nginx);
    let mut jq = || command("jq", &["-c", ".", &json]);
    ratio("read -o compact / jq -c .", &mut read, &mut jq);
}
