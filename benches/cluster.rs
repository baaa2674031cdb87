//! Nodes that follow a configuration in etcd: `cargo bench --bench cluster`, or with numbers of nodes behind
//! `-- --bench`, such as `cargo bench --bench cluster -- 5 50`.
//!
//! Three members of etcd and all nodes run on this machine, so the times of many nodes are those of its
//! processors. The folders of the nodes are in memory where there is `/dev/shm`: each real node has a disk
//! of its own.
#![allow(clippy::disallowed_methods, missing_docs, reason = "a benchmark makes files and runs programs")]

use std::fs;
use std::io::{Read, Write};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

/// The program.
const MEDIACTL: &str = env!("CARGO_BIN_EXE_mediactl");
/// The ports of the members for clients and for each other.
const PORTS: [(u16, u16); 3] = [(32379, 32380), (32381, 32382), (32383, 32384)];
const NODES: [usize; 3] = [5, 50, 200];
const CHANGES: usize = 40;
/// How long all nodes may take.
const PATIENCE: Duration = Duration::from_secs(120);
/// The unit of the times in `/proc/PID/stat`, in milliseconds.
const TICK: f64 = 10.0;

/// A program that is killed when it is dropped.
struct Running(Child);

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if !arguments.iter().any(|argument| argument == "--bench") {
        return;
    }
    let mut counts: Vec<usize> = arguments.iter().filter_map(|argument| argument.parse().ok()).collect();
    if counts.is_empty() {
        counts = NODES.to_vec();
    }
    if Command::new("etcd").arg("--version").stdout(Stdio::null()).status().is_err() {
        return println!("left out: there is no `etcd`; Debian has it in `etcd-server`");
    }
    let folder = tempfile::tempdir().expect("a folder can be made");
    let members = start_etcd(folder.path());
    wait_for("etcd", || run(&["save", "--force", &sample(folder.path())]));
    commits(folder.path());
    println!(
        "\n{:>6} {:>14} {:>14} {:>18} {:>20} {:>14}",
        "nodes", "all, median", "all, longest", "KB a node, change", "ms of etcd a change", "MB a node"
    );
    counts.into_iter().for_each(|count| follow(count, &members));
}

fn start_etcd(folder: &Path) -> Vec<Running> {
    let peers = |(number, (_, peer)): (usize, &(u16, u16))| format!("m{number}=http://127.0.0.1:{peer}");
    let peers: Vec<String> = PORTS.iter().enumerate().map(peers).collect();
    let start = |(number, (client, peer)): (usize, &(u16, u16))| {
        let [client, peer] = [client, peer].map(|port| format!("http://127.0.0.1:{port}"));
        let log = fs::File::create(folder.join(format!("m{number}.log"))).expect("a file can be made");
        let command = Command::new("etcd")
            .args(["--name", &format!("m{number}"), "--data-dir"])
            .arg(folder.join(format!("m{number}")))
            .args(["--listen-client-urls", &client, "--advertise-client-urls", &client])
            .args(["--listen-peer-urls", &peer, "--initial-advertise-peer-urls", &peer])
            .args(["--initial-cluster", &peers.join(","), "--log-level", "error"])
            .stdout(Stdio::null())
            .stderr(log)
            .spawn();
        Running(command.expect("etcd starts"))
    };
    PORTS.iter().enumerate().map(start).collect()
}

fn url() -> String {
    let members = PORTS.map(|(client, _)| format!("127.0.0.1:{client}"));
    format!("etcd://{}/bench", members.join(","))
}

/// The example configuration, which is of about 1 KB.
fn sample(folder: &Path) -> String {
    let file = folder.join("media.conf");
    fs::copy(Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/media.conf"), &file).expect("it ships");
    file.display().to_string()
}

/// Whether a command on the cluster ends well.
fn run(arguments: &[&str]) -> bool {
    let mut command = Command::new(MEDIACTL);
    command.args(["--cluster", &url()]).args(arguments);
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    command.status().is_ok_and(|status| status.success())
}

fn set_port(port: usize) {
    assert!(run(&["modify", "--set", &format!("rtsp={port}")]), "the change is made");
}

fn wait_for(what: &str, mut is_there: impl FnMut() -> bool) {
    let until = Instant::now() + PATIENCE;
    while !is_there() {
        assert!(Instant::now() < until, "{what}: not in time");
        thread::sleep(Duration::from_millis(1));
    }
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

fn milliseconds(work: impl FnOnce()) -> f64 {
    let start = Instant::now();
    work();
    start.elapsed().as_secs_f64() * 1e3
}

/// A change by a command, beside `etcdctl put` of the same text, in turn.
fn commits(folder: &Path) {
    let endpoints = PORTS.map(|(client, _)| format!("http://127.0.0.1:{client}")).join(",");
    let text = fs::read_to_string(folder.join("media.conf")).expect("it was written");
    let put = || {
        let mut command = Command::new("etcdctl");
        command.env("ETCDCTL_API", "3").args(["--endpoints", &endpoints, "put", "/other", &text]);
        command.stdout(Stdio::null()).stderr(Stdio::null());
        command.status().is_ok_and(|status| status.success())
    };
    if !put() {
        return println!("modify --cluster / etcdctl put: left out, there is no `etcdctl`");
    }
    let times = (0..CHANGES).map(|number| {
        let ours = milliseconds(|| set_port(10_000 + number));
        (ours, milliseconds(|| assert!(put(), "etcdctl worked before")))
    });
    let (ours, theirs): (Vec<f64>, Vec<f64>) = times.unzip();
    let ratio = median(ours.iter().zip(&theirs).map(|(ours, theirs)| ours / theirs).collect());
    let [ours, theirs] = [ours, theirs].map(median);
    println!("modify --cluster / etcdctl put    {ours:.1} ms {theirs:.1} ms   ratio {ratio:.2}");
}

/// Starts so many nodes, makes changes one after the other, and waits after each until all nodes run it.
fn follow(count: usize, members: &[Running]) {
    let place = if Path::new("/dev/shm").is_dir() { PathBuf::from("/dev/shm") } else { std::env::temp_dir() };
    let folder = tempfile::tempdir_in(place).expect("a folder can be made");
    let files: Vec<PathBuf> =
        (0..count).map(|number| folder.path().join(format!("n{number}/media.conf"))).collect();
    let nodes: Vec<Running> =
        files.iter().enumerate().map(|(number, file)| start_node(number, file)).collect();
    let have = |port: usize| {
        let wanted = format!("\nrtsp {port};");
        let mut missing: Vec<&PathBuf> = files.iter().collect();
        wait_for("the nodes", || {
            missing.retain(|file| !fs::read_to_string(file).is_ok_and(|text| text.contains(&wanted)));
            missing.is_empty()
        });
    };
    set_port(20_000);
    have(20_000);
    let (sent, worked) = (sent(), worked(members));
    let change = |number: usize| {
        milliseconds(|| {
            set_port(20_000 + number);
            have(20_000 + number);
        })
    };
    let times: Vec<f64> = (1..=CHANGES).map(change).collect();
    let longest = times.iter().copied().fold(0.0, f64::max);
    println!(
        "{count:>6} {:>11.0} ms {longest:>11.0} ms {:>18.1} {:>20.1} {:>14.1}",
        median(times),
        (self::sent() - sent) / (count * CHANGES) as f64 / 1e3,
        (self::worked(members) - worked) / CHANGES as f64,
        nodes.iter().map(resident).sum::<f64>() / count as f64,
    );
}

fn start_node(number: usize, file: &Path) -> Running {
    let folder = file.parent().expect("it is in a folder");
    fs::create_dir_all(folder).expect("a folder can be made");
    let log = fs::File::create(folder.join("log")).expect("a file can be made");
    let mut command = Command::new(MEDIACTL);
    command.args([
        "--cluster",
        &url(),
        "serve",
        "--listen",
        "none",
        "--node",
        &format!("n{number}"),
        "--conf",
    ]);
    command.arg(file).stdin(Stdio::null()).stdout(Stdio::null()).stderr(log);
    Running(command.spawn().expect("a node starts"))
}

/// How many bytes the members sent to clients.
fn sent() -> f64 {
    let name = "etcd_network_client_grpc_sent_bytes_total ";
    let of_member = |(client, _): (u16, u16)| {
        let mut answer = String::new();
        let mut stream = TcpStream::connect(("127.0.0.1", client)).ok()?;
        stream.write_all(b"GET /metrics HTTP/1.0\r\n\r\n").ok()?;
        stream.read_to_string(&mut answer).ok()?;
        answer.lines().find_map(|line| line.strip_prefix(name)?.parse::<f64>().ok())
    };
    PORTS.into_iter().filter_map(of_member).sum()
}

/// The time of the processors that the members took, in milliseconds.
fn worked(members: &[Running]) -> f64 {
    let of_member = |member: &Running| {
        let stat = fs::read_to_string(format!("/proc/{}/stat", member.0.id())).ok()?;
        let fields = stat.rsplit_once(')')?.1.split_whitespace().skip(11).take(2);
        Some(fields.filter_map(|field| field.parse::<f64>().ok()).sum::<f64>() * TICK)
    };
    members.iter().filter_map(of_member).sum()
}

/// The resident memory of a node, in MB.
fn resident(node: &Running) -> f64 {
    let status = fs::read_to_string(format!("/proc/{}/status", node.0.id())).unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    line.and_then(|line| line.split_whitespace().next()?.parse::<f64>().ok()).unwrap_or_default() / 1024.0
}
