//! Whole processes, timed one by one or in pairs.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use crate::{MEDIACTL, RUNS};

pub fn command(program: &str, arguments: &[&str]) -> Command {
    let mut command = Command::new(program);
    command.args(arguments).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    command
}

pub fn check(file: &Path) -> impl FnMut() -> Command {
    let file = file.display().to_string();
    move || command(MEDIACTL, &["check", &file])
}

pub fn read_compact(file: &Path) -> impl FnMut() -> Command {
    let file = file.display().to_string();
    move || command(MEDIACTL, &["--conf", &file, "read", "-o", "compact"])
}

pub fn timed(mut command: Command) -> Option<Duration> {
    let start = Instant::now();
    let status = command.status().ok()?;
    status.success().then(|| start.elapsed())
}

/// The most memory that a program has, in bytes: its status is read until it ends.
pub fn peak(mut command: Command) -> f64 {
    let mut child = command.spawn().expect("the program can be started");
    let status = format!("/proc/{}/status", child.id());
    let mut kilobytes = 0.0;
    while matches!(child.try_wait(), Ok(None)) {
        let text = fs::read_to_string(&status).unwrap_or_default();
        let line = text.lines().find_map(|line| line.strip_prefix("VmHWM:"));
        kilobytes = line.and_then(|line| line.split_whitespace().next()?.parse().ok()).unwrap_or(kilobytes);
    }
    kilobytes * 1024.0
}

pub fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

/// One row: the median of A's times, of B's, and of their ratios, run in turn.
pub fn compare(name: &str, target: f64, a: &mut dyn FnMut() -> Command, b: &mut dyn FnMut() -> Command) {
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
