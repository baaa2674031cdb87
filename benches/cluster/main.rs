//! Nodes that follow a configuration in etcd: `cargo bench --bench cluster`, which takes minutes, or with
//! numbers of nodes, such as `cargo bench --bench cluster -- 5 50`, for these alone.
//!
//! Three members of etcd and all nodes run on this machine, so the times of many nodes are those of its
//! processors. The folders of the nodes are in memory where there is `/dev/shm`: each real node has a disk
//! of its own.
#![allow(clippy::disallowed_methods, missing_docs, reason = "a benchmark makes files and runs programs")]

mod burst;
mod commits;
mod members;
mod nodes;
mod poller;
mod timing;

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

use members::Members;

const NODES: [usize; 4] = [5, 50, 100, 300];
/// The number of nodes that are compared with programs that poll, and that get a burst of changes.
const COMPARED: usize = 50;

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if !arguments.iter().any(|argument| argument == "--bench") {
        return;
    }
    if Command::new("etcd").arg("--version").stdout(Stdio::null()).status().is_err() {
        return println!("left out: there is no `etcd`; Debian has it in `etcd-server`");
    }
    let folder = tempfile::tempdir().expect("a folder can be made");
    let text = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/media.conf");
    let text = fs::read_to_string(text).expect("it ships");
    let etcd = Members::start(folder.path(), &text);
    let counts: Vec<usize> = arguments.iter().filter_map(|argument| argument.parse().ok()).collect();
    if !counts.is_empty() {
        return nodes::table(&etcd, &counts);
    }
    commits::table(&etcd, &text);
    nodes::table(&etcd, &NODES);
    poller::table(&etcd, &text, COMPARED);
    burst::line(&etcd, COMPARED);
}
