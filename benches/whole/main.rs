//! Whole processes, timed in pairs in one run: `cargo bench --bench whole`.
//!
//! Only ratios mean anything: each command runs in turn with the one it is compared with, and the
//! median of the ratios is what counts. Files are made, not committed. `dd` and `git` are on any
//! machine with a shell; a peer that is missing is left out.
#![allow(clippy::disallowed_methods, missing_docs, reason = "a benchmark makes files and runs programs")]

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Instant;

use contents::{configuration, toml};
use timing::{check, command, compare, median, peak, read_compact, timed};

#[path = "../../tests/suite/growth/cases.rs"]
mod cases;
mod contents;
mod growth;
mod peers;
mod timing;

const MEDIACTL: &str = env!("CARGO_BIN_EXE_mediactl");
const SIZES: [usize; 4] = [1_000, 10_000, 100_000, 1_000_000];
const RUNS: usize = 15;

fn main() {
    // `cargo test --all-targets` runs benchmarks, too, to see that they build.
    if !std::env::args().any(|argument| argument == "--bench") {
        return;
    }
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR"));
    linear(&folder);
    let file = folder.join("100000.conf");
    toml_edit(&file);
    compare("read -o compact / check", 3.0, &mut read_compact(&file), &mut check(&file));
    modify(&folder, &file);
    start_up(&folder);
    peers::all(&folder);
    growth::of_changes();
    growth::of_texts();
    growth::of_history(&folder);
}

/// Cost grows linearly, and peak memory stays within three times the file.
fn linear(folder: &Path) {
    println!(
        "{:>9} {:>10} {:>10} {:>9} {:>10} {:>12}",
        "streams", "MB", "check ms", "MB/s", "ns/stream", "peak/file"
    );
    for count in SIZES {
        let file = folder.join(format!("{count}.conf"));
        let text = configuration(count);
        fs::write(&file, &text).expect("the folder of the build is writable");
        let runs = if count > 100_000 { 5 } else { RUNS };
        let times = (0..=runs).filter_map(|_| timed(check(&file)())).skip(1);
        let seconds = median(times.map(|time| time.as_secs_f64()).collect());
        let megabytes = text.len() as f64 / 1e6;
        let peak = peak(check(&file)()) / 1e6;
        println!(
            "{count:>9} {megabytes:>10.1} {:>10.1} {:>9.0} {:>10.0} {:>12.2}",
            seconds * 1e3,
            megabytes / seconds,
            seconds * 1e9 / count as f64,
            peak / megabytes
        );
    }
    println!();
}

/// A format-preserving parser of another format, in this process, on equal content.
fn toml_edit(file: &Path) {
    let text = toml(100_000);
    let times = (0..5).map(|_| {
        let start = Instant::now();
        assert!(text.parse::<toml_edit::DocumentMut>().is_ok());
        start.elapsed().as_secs_f64()
    });
    let other = text.len() as f64 / 1e6 / median(times.collect());
    let size = fs::metadata(file).map_or(0, |found| found.len()) as f64 / 1e6;
    let times = (0..RUNS).filter_map(|_| timed(check(file)())).map(|time| time.as_secs_f64());
    let ours = size / median(times.collect());
    println!(
        "check, whole process {ours:.0} MB/s; toml_edit, parsing alone {other:.0} MB/s; ratio {:.1}   target >= 60",
        ours / other
    );
}

fn modify(folder: &Path, file: &Path) {
    let (edited, copy) = (folder.join("edited.conf"), folder.join("copy.conf"));
    fs::copy(file, &edited).expect("the folder of the build is writable");
    let (edited, from, to) =
        (edited.display().to_string(), format!("if={}", file.display()), format!("of={}", copy.display()));
    let mut value = 0;
    let mut set = || {
        value += 1;
        command(
            MEDIACTL,
            &["--conf", &edited, "modify", "--set", &format!("streams.cam050000.prepush={value}")],
        )
    };
    let mut dd = || command("dd", &[&from, &to, "bs=4M", "conv=fsync"]);
    compare("modify --set / dd conv=fsync", 2.0, &mut set, &mut dd);
    // The old texts are kept, so that each new one needs pages that no file had before: here dd does, too.
    let mut number = 0;
    let mut dd_new = || {
        number += 1;
        command("dd", &[&from, &format!("{to}.{number}"), "bs=4M", "conv=fsync"])
    };
    compare("modify --set / dd to a new file", 4.0, &mut set, &mut dd_new);
    let _ = fs::remove_dir_all(folder.join(".mediactl"));
    (1..=number).for_each(|number| {
        let _ = fs::remove_file(folder.join(format!("copy.conf.{number}")));
    });
}

fn start_up(folder: &Path) {
    let small = folder.join("small.conf");
    fs::copy(Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/media.conf"), &small).expect("it ships");
    let small = small.display().to_string();
    let mut read = || command(MEDIACTL, &["--conf", &small, "read"]);
    let mut git = || command("git", &["config", "--list"]);
    compare("read of 45 lines / git config", 1.0, &mut read, &mut git);
}
