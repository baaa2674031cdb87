//! Whole processes, counted or timed.

use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use crate::{MEDIACTL, RUNS, row};

pub fn command(program: &str, arguments: &[&str]) -> Command {
    let mut command = Command::new(program);
    command.args(arguments).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    command
}

pub fn check(file: &Path) -> impl FnMut() -> Command {
    let file = file.display().to_string();
    move || command(MEDIACTL, &["check", &file])
}

pub fn timed(mut command: Command) -> Option<Duration> {
    let start = Instant::now();
    let status = command.status().ok()?;
    status.success().then(|| start.elapsed())
}

/// The instructions that the program takes, where callgrind is there.
pub fn instructions(arguments: &[&str]) -> Option<f64> {
    let callgrind = ["--tool=callgrind", "--callgrind-out-file=/dev/null", MEDIACTL];
    let done = command("valgrind", &callgrind).args(arguments).stderr(Stdio::piped()).output().ok()?;
    let told = String::from_utf8_lossy(&done.stderr).into_owned();
    told.lines().find_map(|line| line.split_once("Collected : ")?.1.trim().parse().ok())
}

pub fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

/// One row: the median of the ratios of two times, run in turn.
pub fn ratio(name: &str, a: &mut dyn FnMut() -> Command, b: &mut dyn FnMut() -> Command) {
    let mut ratios = Vec::new();
    for _ in 0..RUNS {
        let (Some(first), Some(second)) = (timed(a()), timed(b())) else {
            return println!("{name:66} left out: one of the two can't be run here");
        };
        ratios.push(first.as_secs_f64() / second.as_secs_f64());
    }
    row(name, median(ratios), "-");
}
