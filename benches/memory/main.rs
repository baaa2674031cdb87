//! The memory of commands: `cargo bench --bench memory`, each on 100 000 streams.
//!
//! `cargo test` runs the same table on 1 MB, by the bytes that are allocated at most at a time, and fails where a
//! command takes more than its limit. This program runs itself as the command line that it measures.
#![allow(clippy::disallowed_methods, missing_docs, reason = "a benchmark makes files and runs programs")]

use std::alloc::System;
use std::fs;
use std::path::Path;
use std::process::{Command, ExitCode, Stdio};

use cap::Cap;
use tempfile::TempDir;

#[path = "../whole/contents.rs"]
#[allow(dead_code, reason = "other languages are for other benchmarks")]
mod contents;
mod rows;
mod served;

use contents::configuration;
use rows::{ROWS, Row};

/// Counts the bytes that are allocated.
#[global_allocator]
static ALLOCATED: Cap<System> = Cap::new(System, usize::MAX);

/// Of the command line that is measured: the file in which it notes what it took.
const NOTE: &str = "MEMORY_NOTE";

/// The streams of the text of the benchmark; of that of the test, which is 1 MB; and of one that costs nothing.
const MANY: usize = 100_000;
const SOME: usize = 6_000;
const FEW: usize = 10;

fn main() -> ExitCode {
    if let Some(note) = std::env::var_os(NOTE) {
        return measured(Path::new(&note));
    }
    let is_bench = std::env::args().any(|argument| argument == "--bench");
    let is_within = if is_bench { bench() } else { ROWS.iter().filter(|row| !test(row)).count() == 0 };
    if is_within { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// Runs the command line of this process, and notes its peak of allocated bytes and of resident ones.
fn measured(note: &Path) -> ExitCode {
    let exit = mediactl::cli::run();
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let peak = ALLOCATED.max_allocated();
    let _ = fs::write(note, format!("{peak} {}", resident(&status, "VmHWM:")));
    exit.into()
}

/// A size in a `/proc/PID/status`, in bytes.
fn resident(status: &str, name: &str) -> usize {
    let line = status.lines().find_map(|line| line.strip_prefix(name)).unwrap_or_default();
    line.split_whitespace().next().and_then(|size| size.parse::<usize>().ok()).unwrap_or_default() * 1024
}

/// Prints the table of all commands.
fn bench() -> bool {
    let texts = Texts::new(MANY);
    let file = texts.size as f64 / 1e6;
    println!("{file:.1} MB, {MANY} streams; aim: {:.0} MB", 4.0 * file + 12.0);
    println!("{:55} {:>9} {:>10}", "command", "peak, MB", "/ the file");
    for row in ROWS {
        let peak = texts.run(row)[1] as f64 / 1e6;
        println!("{:55} {peak:9.0} {:10.1}", row.name, peak / file);
    }
    served::bench(MANY);
    true
}

/// True if a command takes no more for its text than its limit.
fn test(row: &Row) -> bool {
    let [small, text] = [FEW, SOME].map(Texts::new);
    let [fixed, peak] = [small.run(row)[0], text.run(row)[0]];
    let times = peak.saturating_sub(fixed) as f64 / text.size as f64;
    let is_within = times <= row.limit;
    if std::env::args().any(|argument| argument == "--nocapture") {
        println!("{:55} {times:5.1}", row.name);
    }
    if !is_within {
        eprintln!("{}: allocates {times:.1} times the file, more than {}", row.name, row.limit);
    }
    is_within
}

/// A folder with a configuration and other texts of it.
struct Texts {
    folder: TempDir,
    text: String,
    size: usize,
}

impl Texts {
    fn new(streams: usize) -> Self {
        let folder = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).expect("a folder can be made");
        let text = configuration(streams);
        let others = [
            ("all.conf", text.replace("prepush 5;", "prepush 6;")),
            ("one.conf", text.replacen("\"Camera 5\"", "\"Gate\"", 1)),
            ("renamed.conf", text.replacen("stream cam000005 ", "stream gate ", 1)),
            ("wide.conf", text.replace("\n  ", "\n      ")),
        ];
        for (name, text) in others {
            fs::write(folder.path().join(name), text).expect("the folder is writable");
        }
        Self { folder, size: text.len(), text }
    }

    /// Runs the commands of a row on the configuration as it was; returns the peaks of the last one: of allocated
    /// bytes, and of resident ones.
    fn run(&self, row: &Row) -> [usize; 2] {
        let folder = self.folder.path();
        let _ = fs::remove_dir_all(folder.join(".mediactl"));
        fs::write(folder.join("media.conf"), &self.text).expect("the folder is writable");
        if let Some(source) = row.on {
            fs::copy(folder.join(source), folder.join("media.conf")).expect("it was made");
        }
        let peaks: Vec<_> = row.commands.iter().map(|arguments| self.peaks(arguments)).collect();
        *peaks.last().expect("a row has a command")
    }

    fn peaks(&self, arguments: &[&str]) -> [usize; 2] {
        let note = self.folder.path().join("note");
        let mut command = Command::new(std::env::current_exe().expect("this program has a path"));
        command.current_dir(&self.folder).env(NOTE, &note).env("EDITOR", "sed -i 's/Camera 7\"/Gate\"/'");
        command.env_remove("VISUAL").args(["--conf", "media.conf"]).args(arguments);
        let output = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped()).output();
        let output = output.expect("it starts");
        let told = String::from_utf8_lossy(&output.stderr);
        assert!(matches!(output.status.code(), Some(0 | 1)), "{arguments:?}: {:?} {told}", output.status);
        let noted = fs::read_to_string(note).expect("it notes its peaks");
        let mut peaks = noted.split(' ').map(|peak| peak.parse().expect("it is a number"));
        std::array::from_fn(|_| peaks.next().expect("there are two"))
    }
}
