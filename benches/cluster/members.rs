//! Three members of etcd, which flush to the disk.

use std::borrow::Cow;
use std::fs;
use std::io::{Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;

use mediaconf::Request;
use mediactl::engine::{ChangeOptions, ConfigService, Engine, Hooks, RequestedChange};
use mediactl::store::etcd::{ClusterStore, ClusterUrl, GatewaySettings};
use serde_json::json;

use crate::timing::wait_for;

/// The program.
pub const MEDIACTL: &str = env!("CARGO_BIN_EXE_mediactl");
/// The ports of the members for clients and for each other.
const PORTS: [(u16, u16); 3] = [(32379, 32380), (32381, 32382), (32383, 32384)];
/// The unit of the times in `/proc/PID/stat`, in milliseconds.
const TICK: f64 = 10.0;

/// A program that is killed when it is dropped.
pub struct Running(pub Child);

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

pub struct Members(Vec<Running>);

impl Members {
    /// Starts them with a configuration.
    pub fn start(folder: &Path, text: &str) -> Self {
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
        let members = Self(PORTS.iter().enumerate().map(start).collect());
        let file = folder.join("media.conf");
        fs::write(&file, text).expect("a file can be written");
        wait_for("etcd", || members.run(&["save", "--force", &file.display().to_string()]));
        members
    }

    /// The URL of the configuration.
    pub fn url(&self) -> String {
        let members = PORTS.map(|(client, _)| format!("127.0.0.1:{client}"));
        format!("etcd://{}/bench", members.join(","))
    }

    pub fn store(&self) -> ClusterStore {
        ClusterStore::new(ClusterUrl::parse(&self.url()).expect("it is one").0, GatewaySettings::default())
    }

    /// A writer that stays.
    pub fn writer(&self) -> Engine {
        Engine::new(Arc::new(self.store()), Hooks::default(), |_| {})
    }

    /// True if a command on the cluster ends well.
    pub fn run(&self, arguments: &[&str]) -> bool {
        let mut command = Command::new(MEDIACTL);
        command.args(["--cluster", &self.url()]).args(arguments);
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        command.status().is_ok_and(|status| status.success())
    }

    /// Makes a change by a command.
    pub fn set_port(&self, port: usize) {
        assert!(self.run(&["modify", "--set", &format!("rtsp={port}")]), "the change is made");
    }

    /// `etcdctl`, which prints nothing.
    pub fn etcdctl(&self, arguments: &[&str]) -> Command {
        let endpoints = PORTS.map(|(client, _)| format!("http://127.0.0.1:{client}")).join(",");
        let mut command = Command::new("etcdctl");
        command.env("ETCDCTL_API", "3").args(["--endpoints", &endpoints]).args(arguments);
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        command
    }

    pub fn put(&self, text: &str) -> bool {
        self.etcdctl(&["put", "/other", text]).status().is_ok_and(|status| status.success())
    }

    /// Returns the number of bytes that the members sent to clients.
    pub fn sent(&self) -> f64 {
        self.counted("etcd_network_client_grpc_sent_bytes_total ")
    }

    /// Returns the number of requests of clients that began, with the watches.
    pub fn requests(&self) -> f64 {
        self.counted("grpc_server_started_total{")
    }

    /// Returns the sum of the figures that begin with this in the metrics of all members.
    fn counted(&self, name: &str) -> f64 {
        let of_member = |(client, _): (u16, u16)| {
            let mut answer = String::new();
            let mut stream = TcpStream::connect(("127.0.0.1", client)).ok()?;
            stream.write_all(b"GET /metrics HTTP/1.0\r\n\r\n").ok()?;
            stream.read_to_string(&mut answer).ok()?;
            let figures = answer.lines().filter(|line| line.starts_with(name));
            Some(figures.filter_map(|line| line.rsplit(' ').next()?.parse::<f64>().ok()).sum::<f64>())
        };
        PORTS.into_iter().filter_map(of_member).sum()
    }

    /// The time of the processors that the members took, in milliseconds.
    pub fn worked(&self) -> f64 {
        worked(&self.0)
    }

    /// The resident memory of the members, in MB.
    pub fn memory(&self) -> f64 {
        self.0.iter().map(|member| memory(member, "VmRSS")).sum()
    }
}

/// The time of the processors that programs took, in milliseconds.
pub fn worked(programs: &[Running]) -> f64 {
    let of_program = |program: &Running| {
        let stat = fs::read_to_string(format!("/proc/{}/stat", program.0.id())).ok()?;
        let fields = stat.rsplit_once(')')?.1.split_whitespace().skip(11).take(2);
        Some(fields.filter_map(|field| field.parse::<f64>().ok()).sum::<f64>() * TICK)
    };
    programs.iter().filter_map(of_program).sum()
}

/// The memory of a program by a line of its status, in MB.
pub fn memory(program: &Running, name: &str) -> f64 {
    let read = |file| fs::read_to_string(format!("/proc/{}/{file}", program.0.id())).unwrap_or_default();
    let all = read("status") + &read("smaps_rollup");
    let line = all.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(':'));
    line.and_then(|line| line.split_whitespace().next()?.parse::<f64>().ok()).unwrap_or_default() / 1024.0
}

/// Makes a change by a writer that stays.
pub fn set_port(writer: &Engine, port: usize) {
    let request = Request::from(json!({"rtsp": port}));
    let change = RequestedChange::Modify(Cow::Owned(request));
    writer.change(change, &ChangeOptions::default()).expect("the change is made");
}
