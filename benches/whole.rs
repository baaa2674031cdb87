//! Whole processes, timed in pairs in one run: `cargo bench --bench whole`.
//!
//! Only ratios mean anything: each command runs in turn with the one it is compared with, and the
//! median of the ratios is what counts. Files are made, not committed. `dd` and `git` are on any
//! machine with a shell; a peer that is missing is left out.
#![allow(clippy::disallowed_methods, missing_docs, reason = "a benchmark makes files and runs programs")]

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use mediactl::edit::{modify as edited, text_diff::hunks_of_splices};
use mediactl::model::{Lens, View, check as check_text, top_members, write_compact};
use mediactl::store::Revision;
use mediactl::syntax::Document;
use nix::sys::resource::{UsageWho, getrusage};

#[path = "../tests/suite/growth/cases.rs"]
mod cases;

const MEDIACTL: &str = env!("CARGO_BIN_EXE_mediactl");
const SIZES: [usize; 4] = [1_000, 10_000, 100_000, 1_000_000];
const RUNS: usize = 15;

/// Elements of the changes whose growth is shown, and of those twice and four times as large.
const ELEMENTS: [usize; 3] = [10_000, 20_000, 40_000];

/// How many changes the history holds, where its growth is shown.
const ENTRIES: [usize; 4] = [10, 100, 1_000, 10_000];

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
    growth();
    growth_of_texts();
    history(&folder);
}

/// Twice the size takes twice the time: each change, and the diff of its text.
fn growth() {
    println!("\n{:45} {:>26} {:>26}", "change of so many elements", "change", "its diff");
    for (name, change) in cases::CASES {
        let times = ELEMENTS.map(|count| {
            let (text, patch) = change(count);
            let document = Document::parse(text);
            let start = Instant::now();
            let edit = edited(&document, patch).expect("it is proved").expect("something changes");
            let made = start.elapsed().as_secs_f64();
            std::hint::black_box(hunks_of_splices(document.text(), &edit.splices));
            [made, start.elapsed().as_secs_f64() - made]
        });
        println!("{name:45} {:>26} {:>26}", growth_of(times, 0), growth_of(times, 1));
    }
}

/// A change takes the same time however many are kept; `history` and `blame` grow with their number.
fn history(folder: &Path) {
    println!("\n{:>16} {:>12} {:>12} {:>12}", "history entries", "modify", "history", "blame");
    let place = folder.join("history");
    let (file, state) = (place.join("media.conf"), place.join(".mediactl/media.conf/history"));
    for count in ENTRIES {
        let _ = fs::remove_dir_all(&place);
        fs::create_dir_all(&place).expect("the folder of the build is writable");
        let text = |serial: usize| format!("http 80;\nrtmp {};\n", 1000 + serial % 60_000);
        fs::write(&file, text(0)).expect("the folder is new");
        let run = |arguments: &[&str]| {
            let mut command = command(MEDIACTL, &["--conf", &file.display().to_string()]);
            command.args(arguments);
            timed(command).expect("it works").as_secs_f64() * 1e3
        };
        run(&["modify", "--keep", "100000", "--set", "rtmp=1001"]);
        let mut journal = String::new();
        for serial in 1..=count {
            let of = |serial: usize| Revision::of(text(serial).as_bytes());
            let (before, after) = (of(serial - 1), of(serial));
            let names = r#""operation":"modify","by":"me""#;
            writeln!(
                journal,
                r#"{{"serial":{serial},"at":0,{names},"before":"{before}","after":"{after}"}}"#
            )
            .expect("a string can be written to");
            fs::write(state.join(format!("{serial}.conf")), text(serial - 1)).expect("it was made");
        }
        fs::write(state.join("journal"), journal).expect("it was made");
        fs::write(&file, text(count)).expect("the folder is new");
        let modify = (0..RUNS).map(|run_| run(&["modify", "--set", &format!("rtmp={}", 100 + run_)]));
        let modify = median(modify.collect());
        let [history, blame] = [["history"].as_slice(), &["blame", "rtmp"]].map(run);
        println!("{count:>16} {modify:>9.1} ms {history:>9.1} ms {blame:>9.1} ms");
    }
    let _ = fs::remove_dir_all(&place);
}

/// Twice the size takes twice the time: each text that is checked, and read as JSON.
fn growth_of_texts() {
    println!("\n{:45} {:>26} {:>26}", "a text of so many elements", "check", "read");
    for (name, text) in cases::TEXTS {
        let times = ELEMENTS.map(|count| {
            let document = Document::parse(text(count));
            let start = Instant::now();
            std::hint::black_box(check_text(document.text()));
            let checked = start.elapsed().as_secs_f64();
            let members = top_members(&document);
            write_compact(&View::new(&members, &Lens::default()), &mut Vec::new()).expect("memory takes it");
            [checked, start.elapsed().as_secs_f64() - checked]
        });
        println!("{name:45} {:>26} {:>26}", growth_of(times, 0), growth_of(times, 1));
    }
}

/// The first of three times, and how they grow.
fn growth_of(times: [[f64; 2]; 3], column: usize) -> String {
    let [one, two, four] = times.map(|times| times[column]);
    format!("{:8.1} ms x {:4.1} x {:4.1}", one * 1e3, two / one, four / two)
}

/// A configuration with `count` streams, about 150 bytes each.
fn generated(count: usize) -> String {
    let mut text = String::from(
        "# Global settings:\nhttp 80;\nrtmp 1935;\nauth http://backend.example/auth key=value;\nedit_auth admin secret;\n\n# Streams:\n",
    );
    for number in 0..count {
        let (a, b, c) = (number >> 16 & 255, number >> 8 & 255, number & 255);
        write!(
            text,
            "stream cam{number:06} {{\n  url rtsp://10.{a}.{b}.{c}:554/h264 priority=1;\n  title \"Camera {number}\";\n  \
             transcoder vb=1024k ab=64k size=1280x720;\n  prepush 5;\n}}\n"
        )
        .expect("a string can be written to");
    }
    text
}

/// The same content as TOML.
fn generated_toml(count: usize) -> String {
    let mut text = String::from("http = [80]\nrtmp = 1935\n");
    for number in 0..count {
        let (a, b, c) = (number >> 16 & 255, number >> 8 & 255, number & 255);
        write!(
            text,
            "[streams.cam{number:06}]\nurl = {{ url = \"rtsp://10.{a}.{b}.{c}:554/h264\", priority = 1 }}\ntitle = \"Camera {number}\"\n\
             transcoder = [[\"vb\", \"1024k\"], [\"ab\", \"64k\"], [\"size\", \"1280x720\"]]\nprepush = 5\n"
        )
        .expect("a string can be written to");
    }
    text
}

fn command(program: &str, arguments: &[&str]) -> Command {
    let mut command = Command::new(program);
    command.args(arguments).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    command
}

fn check(file: &Path) -> impl FnMut() -> Command {
    let file = file.display().to_string();
    move || command(MEDIACTL, &["check", &file])
}

fn read_compact(file: &Path) -> impl FnMut() -> Command {
    let file = file.display().to_string();
    move || command(MEDIACTL, &["--conf", &file, "read", "-o", "compact"])
}

fn timed(mut command: Command) -> Option<Duration> {
    let start = Instant::now();
    let status = command.status().ok()?;
    status.success().then(|| start.elapsed())
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

/// One row: the median of A's times, of B's, and of their ratios, run in turn.
fn compare(name: &str, target: f64, a: &mut dyn FnMut() -> Command, b: &mut dyn FnMut() -> Command) {
    let mut times = Vec::new();
    for run in 0..=RUNS {
        let (Some(first), Some(second)) = (timed(a()), timed(b())) else {
            return println!("{name:<34} left out: one of the two can't be run here");
        };
        if run > 0 {
            times.push((first.as_secs_f64(), second.as_secs_f64()));
        }
    }
    let (first, second) =
        (median(times.iter().map(|t| t.0).collect()), median(times.iter().map(|t| t.1).collect()));
    let ratio = median(times.iter().map(|t| t.0 / t.1).collect());
    println!(
        "{name:<34} {:8.1} ms {:8.1} ms   ratio {ratio:5.2}   target <= {target}",
        first * 1e3,
        second * 1e3
    );
}

/// Cost grows linearly, and peak memory stays within three times the file.
fn linear(folder: &Path) {
    println!(
        "{:>9} {:>10} {:>10} {:>9} {:>10} {:>12}",
        "streams", "MB", "check ms", "MB/s", "ns/stream", "peak/file"
    );
    for count in SIZES {
        let file = folder.join(format!("{count}.conf"));
        let text = generated(count);
        fs::write(&file, &text).expect("the folder of the build is writable");
        let runs = if count > 100_000 { 5 } else { RUNS };
        let times = (0..=runs).filter_map(|_| timed(check(&file)())).skip(1);
        let seconds = median(times.map(|time| time.as_secs_f64()).collect());
        let megabytes = text.len() as f64 / 1e6;
        // The largest child so far: the files grow, so it is this one.
        let peak =
            getrusage(UsageWho::RUSAGE_CHILDREN).map_or(0, |usage| usage.max_rss()) as f64 * 1024.0 / 1e6;
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
    let text = generated_toml(100_000);
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
        "check, whole process {ours:.0} MB/s; toml_edit, parsing alone {other:.0} MB/s; ratio {:.1}",
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
    compare("modify --set / dd conv=fsync", 4.0, &mut set, &mut dd);
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
    compare("read of 45 lines / git config", 2.0, &mut read, &mut git);
}
