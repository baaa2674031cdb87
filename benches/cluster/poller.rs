//! Nodes beside programs that poll, as confd does without a watch.

use std::fs;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use crate::members::Members;
use crate::nodes::{Nodes, have};
use crate::timing::{milliseconds, shown};

/// The command that both run for a new text.
const RELOAD: &str = "true";
const CHANGES: usize = 100;
/// The intervals of polling programs, and the number of changes that they get.
const POLLED: [(Duration, usize); 2] = [(Duration::from_secs(1), 15), (Duration::from_secs(5), 6)];

/// Times until all run a change.
pub fn table(etcd: &Members, text: &str, count: usize) {
    println!("\n| {count} at once, each with a reload command | median | p99 |\n|---|---|---|");
    let nodes = Nodes::start(etcd, count, &["--reload-cmd", RELOAD]);
    nodes.follow(etcd, 1);
    println!("| nodes, after `modify` | {} |", shown(&nodes.follow(etcd, CHANGES)));
    drop(nodes);
    if !etcd.put(text) {
        return println!("| programs that poll | left out: there is no `etcdctl` | |");
    }
    for (period, changes) in POLLED {
        let times = polled(etcd, text, count, (period, changes));
        println!("| `etcdctl get` every {period:?}, after `etcdctl put` | {} |", shown(&times));
    }
}

fn polled(etcd: &Members, text: &str, count: usize, (period, changes): (Duration, usize)) -> Vec<f64> {
    let folder = tempfile::tempdir().expect("a folder can be made");
    let files: Vec<PathBuf> = (0..count).map(|number| folder.path().join(format!("n{number}"))).collect();
    let is_over = AtomicBool::new(false);
    thread::scope(|scope| {
        for (number, file) in files.iter().enumerate() {
            let first = period * u32::try_from(number).expect("it is small") / 50;
            let is_over = &is_over;
            scope.spawn(move || {
                pause(first, is_over);
                while !is_over.load(Ordering::Relaxed) {
                    poll(etcd, file);
                    pause(period, is_over);
                }
            });
        }
        have(&files, text);
        let change = |number: usize| {
            let line = format!("\n# change {number}");
            milliseconds(|| {
                assert!(etcd.put(&format!("{text}{line}")), "etcdctl worked before");
                have(&files, &line);
            })
        };
        let times = (0..changes).map(change).collect();
        is_over.store(true, Ordering::Relaxed);
        times
    })
}

/// Takes a new text, if there is one.
fn poll(etcd: &Members, file: &PathBuf) {
    let mut get = etcd.etcdctl(&["get", "/other", "--print-value-only"]);
    let Ok(got) = get.stdout(Stdio::piped()).output() else { return };
    if got.status.success() && fs::read(file).ok().as_ref() != Some(&got.stdout) {
        fs::write(file, &got.stdout).expect("a file can be written");
        let _ = Command::new("sh").args(["-c", RELOAD]).status();
    }
}

fn pause(time: Duration, is_over: &AtomicBool) {
    let until = Instant::now() + time;
    while Instant::now() < until && !is_over.load(Ordering::Relaxed) {
        thread::sleep(Duration::from_millis(10).min(until.saturating_duration_since(Instant::now())));
    }
}
