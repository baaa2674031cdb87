//! Members of etcd that a test starts, with free ports and their data in a temporary folder.

use std::fs::File;
use std::io::{Read, Write};
use std::net::{Ipv4Addr, SocketAddr, TcpStream};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use mediactl::store::etcd::{ClusterStore, ClusterUrl, GatewaySettings};
use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::cli::{Call, Place};
use crate::needs::needs;
use crate::ports::free_port;
use crate::waiting::until;

const ETCD: &str = "etcd";

const ANSWER: Duration = Duration::from_secs(3);

/// A running etcd. Its members end with it.
pub struct Etcd {
    members: Vec<Member>,
    folder: TempDir,
    /// The options of each member, besides its own name and addresses.
    options: Vec<String>,
    scheme: &'static str,
}

struct Member {
    /// None while it is not running.
    child: Option<Child>,
    client: u16,
    peer: u16,
}

impl Etcd {
    /// Starts `members` members; `None`, with a line on stderr, if etcd is not installed.
    pub fn start(members: usize) -> Option<Self> {
        let started = Self::start_with("http", members, Vec::new())?;
        started.wait_until_ready();
        Some(started)
    }

    /// Starts members with more options.
    pub fn start_with(scheme: &'static str, members: usize, options: Vec<String>) -> Option<Self> {
        if !needs(ETCD) {
            return None;
        }
        let folder = TempDir::new().expect("a folder can be made");
        let members =
            (0..members).map(|_| Member { child: None, client: free_port(), peer: free_port() }).collect();
        let mut etcd = Self { members, folder, options, scheme };
        (0..etcd.members.len()).for_each(|number| etcd.run(number));
        Some(etcd)
    }

    /// Starts a member, which takes up its data.
    pub fn run(&mut self, number: usize) {
        let name = |number: usize| format!("m{number}");
        let peer =
            |(number, member): (usize, &Member)| format!("{}=http://127.0.0.1:{}", name(number), member.peer);
        let peers = self.members.iter().enumerate().map(peer).collect::<Vec<_>>().join(",");
        let member = &self.members[number];
        let client = format!("{}://127.0.0.1:{}", self.scheme, member.client);
        let peer = format!("http://127.0.0.1:{}", member.peer);
        let log = File::create(self.log(number)).expect("a file can be made");
        let mut command = Command::new(ETCD);
        command
            .args(["--name", &name(number), "--data-dir"])
            .arg(self.data(number))
            .args(["--listen-client-urls", &client, "--advertise-client-urls", &client])
            .args(["--listen-peer-urls", &peer, "--initial-advertise-peer-urls", &peer])
            .args(["--initial-cluster", &peers, "--unsafe-no-fsync", "--log-level", "error"])
            .args(&self.options)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(log);
        self.members[number].child = Some(command.spawn().expect("etcd starts"));
    }

    pub fn data(&self, number: usize) -> PathBuf {
        self.folder.path().join(format!("m{number}"))
    }

    fn log(&self, number: usize) -> PathBuf {
        self.folder.path().join(format!("m{number}.log"))
    }

    /// Waits until a transaction is carried out.
    pub fn wait_until_ready(&self) {
        self.wait_until_ready_for(GatewaySettings::default());
    }

    pub fn wait_until_ready_for(&self, settings: GatewaySettings) {
        let store = self.store("/ready", settings);
        until("etcd is not ready", || store.seen().ok());
    }

    pub fn url(&self, prefix: &str) -> String {
        let members = self.members.iter().map(|member| format!("127.0.0.1:{}", member.client));
        let members = members.collect::<Vec<_>>();
        let scheme = if self.scheme == "https" { "etcds" } else { "etcd" };
        format!("{scheme}://{}{prefix}", members.join(","))
    }

    pub fn store(&self, prefix: &str, settings: GatewaySettings) -> ClusterStore {
        ClusterStore::new(ClusterUrl::parse(&self.url(prefix)).expect("it is a URL").0, settings)
    }

    pub fn address(&self, number: usize) -> SocketAddr {
        (Ipv4Addr::LOCALHOST, self.members[number].client).into()
    }

    /// The program with a configuration of this etcd as its target.
    pub fn mediactl(&self, place: &Place, prefix: &str, arguments: &[&str]) -> Call {
        place.mediactl(arguments).without("MEDIACTL_CONF").env("MEDIACTL_CLUSTER", &self.url(prefix))
    }

    /// The same with the words of a line.
    pub fn line(&self, place: &Place, prefix: &str, line: &str) -> Call {
        self.mediactl(place, prefix, &line.split(' ').collect::<Vec<_>>())
    }

    pub fn leader(&self) -> usize {
        let is_leader = |number: &usize| {
            let status = self.ask(*number, "maintenance/status", &json!({}));
            status["leader"].is_string() && status["leader"] == status["header"]["member_id"]
        };
        until("no member leads", || (0..self.members.len()).find(is_leader))
    }

    /// Sends a request to a member without TLS; null without an answer.
    pub fn ask(&self, number: usize, path: &str, body: &Value) -> Value {
        self.ask_as("", number, path, body)
    }

    /// Throws away what etcd keeps of the past.
    pub fn compact(&self) {
        let now = &self.ask(0, "kv/range", &json!({"key": "AA=="}))["header"]["revision"];
        self.ask(0, "kv/compaction", &json!({"revision": now, "physical": true}));
    }

    /// The same as [`Self::ask`] as root, where etcd asks for a login.
    pub fn ask_as_root(&self, path: &str, body: &Value) -> Value {
        let login = self.ask(0, "auth/authenticate", &json!({"name": "root", "password": PASSWORD}));
        let token = login["token"].as_str().expect("root may log in").to_owned();
        self.ask_as(&format!("Authorization: {token}\r\n"), 0, path, body)
    }

    pub fn add_users(&self, users: &[(&str, &[Right<'_>])]) {
        let ask = |path: &str, body: Value| {
            let answer = self.ask(0, path, &body);
            assert!(answer["header"].is_object(), "{path}: {answer}");
        };
        add_users(&ask, users);
    }

    /// How many logins a member was asked for since it was started.
    pub fn logins(&self, number: usize) -> usize {
        let metrics = self.exchange(number, "GET /metrics HTTP/1.0\r\n\r\n").expect("it answers");
        let started =
            |line: &&str| line.starts_with("grpc_server_started_total") && line.contains("\"Authenticate\"");
        let line = metrics.lines().find(started).expect("it counts");
        line.rsplit(' ').next().and_then(|count| count.parse().ok()).expect("it is a number")
    }

    fn ask_as(&self, header: &str, number: usize, path: &str, body: &Value) -> Value {
        let body = body.to_string();
        let head = format!("POST /v3/{path} HTTP/1.0\r\n{header}Content-Length: {}", body.len());
        let answer = self.exchange(number, &format!("{head}\r\n\r\n{body}")).unwrap_or_default();
        let (_, body) = answer.split_once("\r\n\r\n").unwrap_or_default();
        serde_json::from_str(body).unwrap_or_default()
    }

    fn exchange(&self, number: usize, request: &str) -> std::io::Result<String> {
        let mut stream = TcpStream::connect_timeout(&self.address(number), ANSWER)?;
        stream.set_read_timeout(Some(ANSWER))?;
        stream.write_all(request.as_bytes())?;
        let mut answer = String::new();
        stream.read_to_string(&mut answer)?;
        Ok(answer)
    }

    pub fn kill(&mut self, number: usize) {
        if let Some(mut child) = self.members[number].child.take() {
            child.kill().expect("it is ours");
            child.wait().expect("it is ours");
        }
    }

    /// Stops a member: it keeps its connections and answers nothing.
    pub fn pause(&self, number: usize) {
        self.signal(number, Signal::STOP);
    }

    pub fn go_on(&self, number: usize) {
        self.signal(number, Signal::CONT);
    }

    fn signal(&self, number: usize, signal: Signal) {
        let child = self.members[number].child.as_ref().expect("it runs");
        kill_process(Pid::from_child(child), signal).expect("it is ours");
    }
}

impl Drop for Etcd {
    fn drop(&mut self) {
        (0..self.members.len()).for_each(|number| self.kill(number));
    }
}

pub const PASSWORD: &str = "hunter2";

/// A right of a role: `READ` or `READWRITE`, the key, and whether all keys below it are meant, too.
pub type Right<'r> = (&'r str, &'r str, bool);

/// Adds root and users, each with a role of its own, which has these rights; then etcd asks for a login.
pub fn add_users(ask: &dyn Fn(&str, Value), users: &[(&str, &[Right<'_>])]) {
    for (user, rights) in [("root", &[][..])].iter().chain(users) {
        ask("auth/user/add", json!({"name": user, "password": PASSWORD}));
        ask("auth/role/add", json!({"name": user}));
        ask("auth/user/grant", json!({"user": user, "role": user}));
        rights.iter().for_each(|right| ask("auth/role/grant", grant(user, *right)));
    }
    ask("auth/enable", json!({}));
}

pub fn grant(role: &str, (kind, key, is_prefix): Right<'_>) -> Value {
    let end = format!("{}0", key.trim_end_matches('/'));
    let [key, end] = [key, if is_prefix { &end } else { "" }].map(|key| BASE64_STANDARD.encode(key));
    json!({"name": role, "perm": {"permType": kind, "key": key, "range_end": end}})
}
