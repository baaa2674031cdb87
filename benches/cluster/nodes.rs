//! Nodes as processes.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::thread;
use std::time::Duration;

use tempfile::TempDir;

use crate::members::{MEDIACTL, Members, Running, memory, worked};
use crate::timing::{milliseconds, shown, wait_for};

/// The number of nodes that are started at a time; their start is not measured.
const AT_A_TIME: usize = 20;
/// The time without changes.
const IDLE: Duration = Duration::from_secs(30);

/// Running nodes; their folders are removed after them.
pub struct Nodes {
    pub files: Vec<PathBuf>,
    running: Vec<Running>,
    _folder: TempDir,
}

/// Prints the cost of doing nothing, and of changes, one after the other, for each number of nodes.
pub fn table(etcd: &Members, counts: &[usize]) {
    let rows = counts.iter().map(|&count| (count, row(etcd, count))).collect::<Vec<_>>();
    println!(
        "\n| nodes | all run a change, median | p99 | requests of a node | sent to it \
         | processor time: etcd | all nodes |\n|---|---|---|---|---|---|---|"
    );
    rows.iter().for_each(|(count, row)| println!("| {count} | {row} |"));
}

/// Prints what some nodes cost without a change; returns the cost of a change.
fn row(etcd: &Members, count: usize) -> String {
    let nodes = Nodes::start(etcd, count, &[]);
    nodes.follow(etcd, 1);
    let begin = nodes.taken(etcd);
    thread::sleep(IDLE);
    let before = nodes.taken(etcd);
    let idle = [0, 1, 2, 3].map(|of| (before[of] - begin[of]) / IDLE.as_secs_f64());
    let [all, own] = ["VmRSS", "Pss"].map(|name| nodes.memory(name));
    println!(
        "{count} nodes, idle: {:.0} requests and {:.1} KB in a second; processor time in a minute: etcd {:.1} s, all \
         nodes {:.1} s; memory: etcd {:.0} MB, a node {all:.1} MB, of its own {own:.1} MB",
        idle[1],
        idle[0] / 1e3,
        idle[2] * 60.0 / 1e3,
        idle[3] * 60.0 / 1e3,
        etcd.memory(),
    );
    let changes = (5_000 / count).clamp(5, 100);
    let times = nodes.follow(etcd, changes);
    let after = nodes.taken(etcd);
    // What is done without a change, too, is no cost of a change.
    let took = times.iter().sum::<f64>() / 1e3;
    let change = [0, 1, 2, 3].map(|of| (after[of] - before[of] - idle[of] * took) / changes as f64);
    let each = count as f64;
    format!(
        "{} | {:.1} | {:.1} KB | {:.0} ms | {:.0} ms",
        shown(&times),
        change[1] / each,
        change[0] / each / 1e3,
        change[2],
        change[3],
    )
}

impl Nodes {
    pub fn start(etcd: &Members, count: usize, options: &[&str]) -> Self {
        let place =
            if Path::new("/dev/shm").is_dir() { PathBuf::from("/dev/shm") } else { std::env::temp_dir() };
        let folder = tempfile::tempdir_in(place).expect("a folder can be made");
        let files: Vec<PathBuf> =
            (0..count).map(|number| folder.path().join(format!("n{number}/media.conf"))).collect();
        let mut running = Vec::new();
        for (batch, files) in files.chunks(AT_A_TIME).enumerate() {
            let numbers = batch * AT_A_TIME..;
            running.extend(numbers.zip(files).map(|(number, file)| start(etcd, number, file, options)));
            wait_for("the start of nodes", || files.iter().all(|file| file.exists()));
        }
        Self { files, running, _folder: folder }
    }

    /// Makes changes one after the other; returns the times until all nodes run each, in milliseconds.
    pub fn follow(&self, etcd: &Members, changes: usize) -> Vec<f64> {
        let change = |number: usize| {
            milliseconds(|| {
                let port = 20_000 + self.files.len() + changes + number;
                etcd.set_port(port);
                self.have(&format!("\nrtsp {port};"));
            })
        };
        (0..changes).map(change).collect()
    }

    /// Waits until each file has something in it.
    pub fn have(&self, wanted: &str) {
        have(&self.files, wanted);
    }

    /// What was taken until now: bytes that etcd sent, requests, and the times of the processors of etcd and of the nodes.
    fn taken(&self, etcd: &Members) -> [f64; 4] {
        [etcd.sent(), etcd.requests(), etcd.worked(), worked(&self.running)]
    }

    /// The memory of a node in MB, on average.
    fn memory(&self, name: &str) -> f64 {
        self.running.iter().map(|node| memory(node, name)).sum::<f64>() / self.running.len() as f64
    }
}

/// Waits until each file has something in it. It reads one at a time, so that it takes little from those
/// that it measures.
pub fn have(files: &[PathBuf], wanted: &str) {
    for file in files {
        wait_for("the nodes", || fs::read_to_string(file).is_ok_and(|text| text.contains(wanted)));
    }
}

fn start(etcd: &Members, number: usize, file: &Path, options: &[&str]) -> Running {
    let folder = file.parent().expect("it is in a folder");
    fs::create_dir_all(folder).expect("a folder can be made");
    let log = fs::File::create(folder.join("log")).expect("a file can be made");
    let mut command = Command::new(MEDIACTL);
    command.args(["--cluster", &etcd.url(), "serve", "--listen", "none"]);
    command.args(["--node", &format!("n{number}"), "--conf"]).arg(file).args(options);
    command.current_dir(folder).stdin(Stdio::null()).stdout(Stdio::null()).stderr(log);
    Running(command.spawn().expect("a node starts"))
}
