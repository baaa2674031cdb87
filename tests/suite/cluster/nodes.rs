//! Nodes that follow a configuration in a real etcd.

use std::fs;
use std::os::unix::net::UnixStream;
use std::process::Child;
use std::time::{Duration, Instant};

use mediactl::store::etcd::{ClusterStore, GatewaySettings, KeyOperation, KeyRange, Txn};
use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};

use super::confirmed::until_nothing_waits;
use super::etcd::Etcd;
use crate::cli::serve::Serving;
use crate::cli::{CONF, Place, Run, SAMPLE, with_rtsp};
use crate::fleet::Edges;
use crate::http::listener::support::Client;
use crate::proxy::{Fate, Proxy};
use crate::waiting::{eventually, let_pass, until};

pub const PREFIX: &str = "/media/test";

pub struct TestNode {
    pub place: Place,
    pub server: Option<Serving>,
    name: String,
    options: Vec<String>,
    environment: Environment,
}

pub type Environment = Vec<(&'static str, String)>;

impl TestNode {
    pub fn start(etcd: &Etcd, name: &str, options: &[&str]) -> Self {
        Self::start_in(Place::empty(), &etcd.url(PREFIX), name, options)
    }

    pub fn start_in(place: Place, url: &str, name: &str, options: &[&str]) -> Self {
        Self::with(place, name, &[&["--cluster", url], options].concat(), Vec::new())
    }

    pub fn logged_in(etcd: &Etcd, place: Place, (name, user): (&str, &str), password: &str) -> Self {
        place.put("password", password);
        let login = ["--user", user, "--password-file", "password"];
        Self::start_in(place, &etcd.url(PREFIX), name, &[&login[..], &COUNTING].concat())
    }

    pub fn with(place: Place, name: &str, options: &[&str], environment: Environment) -> Self {
        let own = ["serve", "--listen", "none", "--node", name];
        let options = own.iter().chain(options).map(|option| (*option).to_owned()).collect();
        let mut node = Self { place, server: None, name: name.to_owned(), options, environment };
        node.go();
        node
    }

    pub fn go(&mut self) {
        let call = self.place.mediactl(&self.options);
        let call = self.environment.iter().fold(call, |call, (name, value)| call.env(name, value));
        self.server = Some(Serving::of(call, false));
    }

    pub fn kill(&mut self) {
        self.server.take().expect("it runs").kill();
    }

    /// Runs the program with the words of a line; to changes it agrees.
    pub fn run(&self, line: &str) -> Run {
        let asks = ["modify ", "rollback ", "revert "].iter().any(|command| line.starts_with(command));
        self.place.line(&if asks { format!("{line} --yes") } else { line.to_owned() })
    }

    pub fn report(&self) -> Value {
        self.run("status -o json").json()["node"].clone()
    }

    /// Waits until it says something of itself, which is returned.
    #[track_caller]
    pub fn until(&self, what: &str, is: impl Fn(&Value) -> bool) -> Value {
        until(&format!("`{}` is not {what}", self.name), || Some(self.report()).filter(|report| is(report)))
    }

    /// Waits until it runs a change, and hears the cluster.
    #[track_caller]
    pub fn until_at(&self, serial: u64) {
        self.until("at the change", |report| report["serial"] == serial && report["away"] == Value::Null);
    }

    pub fn following(etcd: &Etcd, name: &str, options: &[&str]) -> Self {
        let node = Self::start(etcd, name, options);
        node.until_at(1);
        node
    }

    /// Waits until it runs what it should, and hears the cluster.
    #[track_caller]
    pub fn until_well(&self) -> Value {
        self.until("well", |report| report["state"] == "running" && report["away"] == Value::Null)
    }

    #[track_caller]
    pub fn until_text(&self, text: &str) {
        let found = || fs::read_to_string(self.place.path(CONF)).ok();
        until(&format!("`{}` does not have\n{text}", self.name), || found().filter(|found| found == text));
    }

    #[track_caller]
    pub fn until_port(&self, port: &str) {
        self.until_text(&with_rtsp(port));
    }

    #[track_caller]
    pub fn until_state(&self, state: &str) -> Value {
        self.until(state, |report| report["state"] == state)
    }

    pub fn signal(&self, signal: Signal) {
        self.server.as_ref().expect("it runs").signal(signal);
    }

    /// Returns the number of runs of the reload command that `counting` gives it.
    pub fn reloads(&self) -> usize {
        fs::read_to_string(self.place.path("reloads")).map_or(0, |reloads| reloads.lines().count())
    }
}

/// Sends a request over the socket of the server over a place; returns the status and the body of the answer.
pub fn ask(place: &Place, request: &str, body: &str) -> (u16, String) {
    let path = place.path(&format!(".{CONF}.mediactl/sock"));
    let mut client = Client::over(UnixStream::connect(path).expect("it listens"));
    client.send(format!("{request} HTTP/1.1\r\nHost: h\r\nContent-Length: {}\r\n\r\n{body}", body.len()));
    let answer = client.answer();
    (answer.status, answer.text().to_owned())
}

pub const COUNTING: [&str; 2] = ["--reload-cmd", "echo >> reloads"];

pub fn cluster(etcd: &Etcd, line: &str) -> Run {
    etcd.line(&Place::with(SAMPLE), PREFIX, line).run()
}

/// The text of the cluster.
pub fn text(etcd: &Etcd) -> String {
    cluster(etcd, "read -o conf --show-secrets").exits(0).out
}

/// Begins a command that waits, in a folder that stays until then.
pub fn begin(etcd: &Etcd, place: &Place, line: &str) -> Child {
    etcd.line(place, PREFIX, line).start()
}

pub fn ended(child: Child) -> Run {
    Run::of(child.wait_with_output().expect("it ends"))
}

pub fn kill(mut child: Child) {
    child.kill().expect("it runs");
    child.wait().expect("it ends");
}

pub fn until_rolled_out(etcd: &Etcd) {
    cluster(etcd, "wait --rolled-out --timeout 60").exits(0);
}

pub fn set(etcd: &Etcd, port: &str, more: &str) -> Run {
    cluster(etcd, format!("modify --set rtsp={port} {more}").trim_end())
}

pub fn made_everywhere(etcd: &Etcd, line: &str) {
    cluster(etcd, line).exits(0);
    until_rolled_out(etcd);
}

pub fn with_sample(members: usize) -> Option<Etcd> {
    let etcd = Etcd::start(members)?;
    cluster(&etcd, "save media.conf").exits(0);
    Some(etcd)
}

/// The time after the return of etcd in which a node has the newest text; a machine with other work to do is slower.
const RETURN: Duration = Duration::from_secs(2);
const OTHER_WORK: u32 = 10;

const PICKY: [&str; 2] = ["--check-cmd", "! grep -q 'rtsp 666' $MEDIACTL_TEXT"];

#[test]
fn a_change_reaches_every_node_wherever_it_is_made_and_its_history() {
    let Some(etcd) = with_sample(1) else { return };
    let nodes = ["a", "b"].map(|name| TestNode::following(&etcd, name, &COUNTING));
    set(&etcd, "555", "-m reason").exits(0);
    for node in &nodes {
        node.until_port("555");
        node.until_at(2);
        node.run("history").exits(0).prints("modify").prints("  reason");
    }
    // A node tells of all nodes, and so does the cluster.
    let all = |records: &Value| {
        let rows = records.as_array().expect("a list").iter();
        rows.map(|row| json!([row["node"], row["state"], row["serial"]])).collect::<Vec<_>>()
    };
    let told = || {
        let (status, answer) = ask(&nodes[0].place, "GET /media/api/nodes", "");
        assert_eq!(status, 200, "{answer}");
        all(&serde_json::from_str(&answer).expect("it is JSON"))
    };
    let running = [json!(["a", "running", 2]), json!(["b", "running", 2])];
    until("both say that they run it", || (told() == running).then_some(()));
    assert_eq!(all(&cluster(&etcd, "status -o json").json()["nodes"]), running);
    // A rollback names the change by its number there.
    made_everywhere(&etcd, "rollback last");
    let words = "back to the text before change 2 of the cluster";
    cluster(&etcd, "history -n 1").exits(0).prints(words);
    nodes[0].run("history").exits(0).prints(words);
    // One that is sent to a node is the cluster's.
    let [a, b] = nodes;
    a.run("modify --set rtsp=555").exits(0);
    assert_eq!(a.place.text(), with_rtsp("555"), "it runs where it was sent to");
    b.until_port("555");
    // An update is of this node alone, until the next change.
    a.place.put("new.conf", with_rtsp("600"));
    a.run("update new.conf").exits(0);
    a.run("read rtsp").exits(0).prints("600");
    assert_eq!(a.place.text(), with_rtsp("555"));
    b.run("modify --set rtsp=556").exits(0);
    a.until_port("556");
    until("it still runs the update", || a.run("read rtsp").out.contains("556").then_some(()));
    // A rollback goes to what the node had.
    a.run("rollback last").exits(0);
    b.until_port("555");
    // A revert names changes by their numbers there, too.
    a.run("revert last").exits(0);
    b.until_port("556");
    for history in [b.run("history -n 1"), cluster(&etcd, "history -n 1")] {
        history.exits(0).prints("  revert  ").prints(" of a");
    }
}

#[test]
fn a_text_that_a_node_refuses_does_not_block_the_next() {
    let Some(etcd) = with_sample(1) else { return };
    let mut picky = TestNode::following(&etcd, "picky", &PICKY);
    let other = TestNode::start(&etcd, "other", &COUNTING);
    set(&etcd, "666", "--confirm 60s").exits(0);
    other.until_port("666");
    let report = picky.until_state("failed");
    assert_eq!((&report["serial"], &report["wanted"]), (&json!(1), &json!(2)));
    assert!(report["why"].as_str().is_some_and(|why| why.contains("check command")), "{report}");
    assert_eq!(picky.place.text(), SAMPLE);
    // Nothing is confirmed unasked while a node is failed.
    for refused in [cluster(&etcd, "confirm"), picky.run("confirm")] {
        refused.exits(6).says("picky: ").says("the check command").says("`--accept failed-nodes`");
    }
    picky.run("status").prints("waits to be confirmed");
    picky.run("confirm --accept failed-nodes").exits(0);
    cluster(&etcd, "confirm").exits(7);
    // What each of them runs is read and compared from the desk.
    let read = |node: &str| cluster(&etcd, &format!("read -r rtsp --node {node}"));
    until("they tell", || (read("picky").out == "554\n" && read("other").out == "666\n").then_some(()));
    let both = cluster(&etcd, "diff --node picky --node other").exits(1);
    both.prints("--- picky of etcd://").prints("-rtsp 554;\n+rtsp 666;");
    cluster(&etcd, "diff --node picky").exits(1).prints("-rtsp 666;\n+rtsp 554;");
    cluster(&etcd, "diff media.conf --node picky").exits(0);
    set(&etcd, "667", "").exits(0);
    picky.until_port("667");
    picky.until("running", |report| report["state"] == "running" && report["serial"] == 3);
    until("it tells of 667", || (read("picky").out == "667\n").then_some(()));
    picky.server.take().expect("it runs").stop();
    read("picky").exits(0).prints("667").says("`picky` is gone: this is what it ran");
    read("c").exits(7).says("there is no node `c`");
    cluster(&etcd, "diff media.conf media.conf --node picky").exits(2).says("only two sides");
    // Nor has the server of a file any, and no option makes a cluster change all nodes or none.
    let place = Place::with(SAMPLE);
    let none = |words| place.line("read --node a").exits(2).says(words);
    none("has no nodes");
    let _server = Serving::with(&place, &["--listen", "none"]);
    none("has no nodes");
    let all = cluster(&etcd, "modify --set rtsp=1 --all-or-nothing").exits(2);
    all.says("for changes of several servers\nhint: name several").hides("or a cluster");
}

#[test]
fn a_node_goes_on_without_etcd_starts_without_it_and_is_soon_back() {
    let Some(etcd) = with_sample(1) else { return };
    let mut node = TestNode::following(&etcd, "a", &COUNTING);
    etcd.pause(0);
    node.until("away", |report| report["away"] != Value::Null);
    node.run("read rtsp").exits(0).prints("554");
    node.run("modify --set rtsp=555").exits(7).says("cannot reach");
    // It starts from its file.
    node.kill();
    node.go();
    node.run("read rtsp").exits(0).prints("554");
    etcd.go_on(0);
    etcd.wait_until_ready();
    let back = Instant::now();
    set(&etcd, "556", "").exits(0);
    node.until_port("556");
    assert!(back.elapsed() < RETURN * OTHER_WORK, "it was back after {:?}", back.elapsed());
    // One that slept over a compaction goes to the newest head.
    let before = node.reloads();
    node.signal(Signal::STOP);
    for port in 600..620 {
        set(&etcd, &port.to_string(), "-q").exits(0);
    }
    etcd.compact();
    node.signal(Signal::CONT);
    node.until_port("619");
    assert!(node.reloads() - before <= 3, "a burst is one reload: {}", node.reloads());
}

#[test]
fn a_change_that_some_nodes_take_first_goes_on_when_they_run_it_and_back_when_one_does_not() {
    let Some(etcd) = with_sample(1) else { return };
    let picky = TestNode::following(&etcd, "a", &PICKY);
    let mut slow = TestNode::following(&etcd, "b", &["--reload-cmd", "test ! -e hold && echo >> reloads"]);
    let other = TestNode::following(&etcd, "c", &COUNTING);
    let modify = |port: &str, canary: &str| set(&etcd, port, canary);
    modify("555", "--canary a,b").exits(0).says("runs on a, b, and the other nodes follow");
    [&picky, &slow, &other].iter().for_each(|node| node.until_port("555"));
    until_rolled_out(&etcd);
    let before = other.reloads();
    // One refuses the text, one can't load it, and one is dead.
    let refused = modify("666", "--canary 1").exits(6);
    // The entry of the way back has the text before it: the refused one.
    refused.says("went back: `a` did not take it: the check command").says("`mediactl history show 4` shows");
    assert_eq!(cluster(&etcd, "history show 4 --show-secrets").exits(0).out, with_rtsp("666"));
    slow.place.put("hold", "");
    modify("556", "--canary b").exits(6).says("`b` did not take it: the reload command");
    slow.kill();
    let late = modify("557", "--canary b --confirm 2s --soak 1s");
    late.exits(6).says("not confirmed in time");
    assert_eq!((other.place.text(), other.reloads()), (with_rtsp("555"), before), "it never had the others");
    // Meanwhile nobody else makes a change, and a node that starts runs the text before.
    let place = Place::empty();
    let waiting = begin(&etcd, &place, "modify --set rtsp=558 --canary b --confirm 60s");
    let store = etcd.store(PREFIX, GatewaySettings::default());
    let until_one_waits = || until("nothing waits", || store.seen().ok().filter(|seen| seen.has_pending));
    until_one_waits();
    modify("559", "").exits(5).says("waits until it runs on b").says("`mediactl confirm` keeps it");
    cluster(&etcd, "status").exits(11).prints(", with b first, waits to be confirmed: ");
    let new = TestNode::start(&etcd, "d", &COUNTING);
    new.until_port("555");
    fs::remove_file(slow.place.path("hold")).expect("it is there");
    slow.go();
    ended(waiting).exits(0);
    [&picky, &slow, &other, &new].iter().for_each(|node| node.until_port("558"));
    until_rolled_out(&etcd);
    modify("560", "--canary 9").exits(2).says("only 4 nodes run what they should, and 9");
    other.run("modify --set rtsp=560 --canary 1").exits(2).says("or a cluster with `--cluster URL`");
    // Others may decide it meanwhile: the command says what became of it.
    let waiting = begin(&etcd, &place, "modify --set rtsp=560 --canary 1 --soak 50s");
    until_one_waits();
    cluster(&etcd, "confirm").exits(0);
    ended(waiting).exits(0);
    [&picky, &slow, &other, &new].iter().for_each(|node| node.until_port("560"));
}

#[test]
fn a_change_goes_over_a_cluster_in_waves() {
    let Some(etcd) = with_sample(1) else { return };
    let nodes = ["a1", "a2", "b1", "b2"].map(|name| TestNode::following(&etcd, name, &COUNTING));
    let picky = TestNode::following(&etcd, "b3", &PICKY);
    let run = set(&etcd, "555", "--canary a2,20%,60% --soak 1s").exits(0);
    run.says("in waves: a2; then a1, b1; then the rest (2)").says("runs on a1, a2, b1, and the other nodes");
    nodes.iter().chain([&picky]).for_each(|node| node.until_port("555"));
    until_rolled_out(&etcd);
    // One of the last wave does not take it: those before go back.
    let before = nodes.each_ref().map(TestNode::reloads);
    let run = set(&etcd, "666", "--canary b1,80%,b3 --soak 1s").exits(6);
    run.says("in waves: b1; then a1, a2, b2; then b3\n").says("went back: `b3` did not take it");
    nodes.iter().for_each(|node| node.until_port("555"));
    let after = nodes.each_ref().map(TestNode::reloads);
    assert!(after[1] > before[1] && after[3] > before[3], "all others had it: {before:?} {after:?}");
    until_rolled_out(&etcd);
    // Whoever is killed in the second wave decides nothing more.
    let place = Place::with(SAMPLE);
    let line = "modify -q --set rtsp=777 --canary a1,40%,80% --soak 3s --confirm 15s";
    let deciding = begin(&etcd, &place, line);
    nodes[2].until_port("777");
    kill(deciding);
    assert_eq!([&nodes[1], &nodes[3]].map(|node| node.place.text()), [with_rtsp("555"), with_rtsp("555")]);
    nodes.iter().for_each(|node| node.until_port("555"));
    // Also what an editor wrote.
    set(&etcd, "556", "--wait-pending 60s").exits(0);
    let edit = ["edit", "--yes", "--canary", " b3", "--soak", "1s"];
    let edit = etcd.mediactl(&place, PREFIX, &edit).env("EDITOR", "sed -i s/556/666/");
    edit.at_home(&place, "home").run().exits(6).says("went back: `b3` did not take it");
}

/// Of several clusters, one whose node does not take the change ends the waves.
#[test]
fn a_change_of_several_clusters_goes_back_where_a_node_fails() {
    let Some(etcd) = Etcd::start(1) else { return };
    let edges = Edges::new(1);
    let clusters = ["/a", "/b"].map(|prefix| {
        etcd.line(&Place::with(SAMPLE), prefix, "save media.conf -q").run().exits(0);
        etcd.url(prefix)
    });
    // A cluster stands among servers, too.
    edges.put_contexts(&[&clusters[..1], &edges.urls()].concat());
    edges.on_all("status").exits(0).prints("edge-0  saved").prints("edge-1  saved");
    edges.on_all("modify --set rtsp=7 --yes --confirm 1h -q").exits(0);
    edges.on_all("confirm --rollback").exits(0).prints("edge-0  rolled back").prints("edge-1  rolled back");
    edges.put_contexts(&clusters);
    let picky = TestNode::start_in(Place::empty(), &etcd.url("/a"), "picky", &PICKY);
    picky.until_at(3);
    let change = |port: &str, soak: &str| {
        edges.on_all(&format!("modify --set rtsp={port} --yes --canary edge-0 --soak {soak}"))
    };
    let run = change("666", "60s").exits(6).says("a node is failed (picky: the check command");
    run.prints("edge-0  rolled back").prints("edge-1  not changed");
    edges.on_all("status").prints("edge-1  saved");
    picky.until_at(5);
    change("555", "1s").exits(0).prints("edge-0  changed").prints("edge-1  changed");
    picky.until_port("555");
    // Each of them is one failed cluster.
    edges.run("-x edge-0 modify rtsp=666 -q").exits(0);
    picky.until_state("failed");
    let failed = edges.on_all("status --state failed").exits(11);
    failed.prints("edge-0  1 failed").prints("1 saved · 1 failed");
}

#[test]
fn nodes_that_are_gone_are_shown_until_they_are_forgotten() {
    let Some(etcd) = with_sample(1) else { return };
    let mut node = TestNode::following(&etcd, "a", &PICKY);
    let rolled_out = |more: &str| cluster(&etcd, &format!("wait --rolled-out {more}"));
    cluster(&etcd, "status").exits(0);
    rolled_out("1").exits(0);
    made_everywhere(&etcd, "modify --set rtsp=555");
    assert_eq!(node.place.text(), with_rtsp("555"));
    set(&etcd, "666", "").exits(0);
    rolled_out("--timeout 1").exits(11).says("a runs 2");
    made_everywhere(&etcd, "modify --set rtsp=556");
    rolled_out("5 --timeout 1").exits(11).says("a runs 4");
    // It is killed, and gone when its lease is over.
    let store = etcd.store(PREFIX, GatewaySettings::default());
    let found = store.gateway.range(KeyRange::one(&store.keys.node("a"))).expect("etcd answers");
    let lease = etcd.ask(0, "lease/timetolive", &json!({"ID": found[0].lease.to_string()}));
    assert_eq!(lease["grantedTTL"], "5");
    node.kill();
    let gone = || Some(cluster(&etcd, "status")).filter(|status| status.out.contains("1 gone"));
    let status = until("it is not told", gone).exits(11);
    status.prints("nodes:         1 gone").prints("no record since ");
    rolled_out("--timeout 1").exits(11).says("a is gone");
    cluster(&etcd, "status --state gone --nodes a*").exits(11).prints("NODE  RUNS");
    cluster(&etcd, "status --state failed").exits(11).prints("1 gone").hides("NODE");
    cluster(&etcd, "status --state faild").exits(2).says("the states are running");
    cluster(&etcd, "status --nodes b*").exits(7).says("`b*`");
    // A record that can't be read is a row.
    let garbage = ["node/broken", "member/broken", "member/lost"];
    let garbage = garbage.map(|key| KeyOperation::put(&format!("{PREFIX}/{key}"), "{"));
    write(&store, garbage.to_vec());
    cluster(&etcd, "status").prints("broken").prints("can't be read").prints("gone");
    // What was done stands beside the reason that the rest was not.
    cluster(&etcd, "cluster forget broken x").exits(7).says("node `x`, and forgot broken\n");
    for name in ["lost", "a"] {
        cluster(&etcd, &format!("cluster forget {name}")).exits(0).says(&format!("forgot {name}"));
    }
    cluster(&etcd, "cluster forget broken").exits(7).says("no record of the node `broken`");
    cluster(&etcd, "status").exits(0).hides("gone").hides("can't be read");
    let place = Place::with(SAMPLE);
    place.line("wait --rolled-out").exits(2).says("only the nodes of a cluster");
    assert_eq!(place.text(), SAMPLE);
}

#[test]
fn two_processes_of_one_name_say_so() {
    let Some(etcd) = with_sample(1) else { return };
    let twins = [0, 1].map(|_| TestNode::start(&etcd, "edge7", &COUNTING));
    let pids = twins.each_ref().map(|node| node.server.as_ref().expect("it runs").pid());
    let shown = || cluster(&etcd, "status -o json").json()["nodes"][0]["pid"].clone();
    // Each puts its record again when it finds the other's.
    for pid in [pids, pids].concat() {
        until("the record of the other stays", || (shown() == pid).then_some(()));
    }
    let [mut first, mut second] = twins;
    first.server.take().expect("it runs").stop().says("end one, or give it another name");
    // The record of the one that ended goes, and that of the other comes back.
    until("the record is lost", || (shown() == pids[1]).then_some(()));
    second.server.take().expect("it runs").stop().says("has the node name edge7, too");
}

#[test]
fn a_command_that_a_signal_ends_while_it_waits_says_what_becomes_of_the_change() {
    let Some(mut etcd) = with_sample(1) else { return };
    let mut node = TestNode::following(&etcd, "a", &[]);
    let proxy = Proxy::to(etcd.address(0));
    let url = format!("etcd://{}{PREFIX}", proxy.address);
    let place = Place::with(SAMPLE);
    let change = format!("--cluster {url} modify -q --set rtsp=555 --canary a --soak 100s --confirm 300s");
    let child = place.mediactl(change.split(' ')).without("MEDIACTL_CONF").start();
    // Behind the change, it looks how that goes.
    let mut passed = Vec::new();
    until("it does not wait", || {
        passed.extend(proxy.passed());
        let put = passed.iter().position(|request| request.body.contains("request_put"))?;
        let asked = passed[put + 1..].iter().filter(|request| request.path.ends_with("txn")).count();
        (asked > 3).then_some(())
    });
    kill_process(Pid::from_child(&child), Signal::TERM).expect("it runs");
    let told = ended(child).says(&format!("is rolled back; `mediactl --cluster {url} confirm` keeps it"));
    assert_eq!(told.code, None, "the signal ends it: {told:?}");
    node.until_port("555");
    cluster(&etcd, "confirm --rollback").exits(0);
    node.until_text(SAMPLE);
    node.until("back", |report| report["serial"] == 3);
    // A change that was made is never told as not made, if etcd goes; nobody runs this one.
    node.signal(Signal::STOP);
    let waits = begin(&etcd, &place, "--timeout 2 modify --set rtsp=556 --canary a --confirm 6s --soak 1s");
    eventually(|| cluster(&etcd, "history -n 1").out.starts_with("4 "));
    etcd.kill(0);
    ended(waits).exits(8).says("the change was made").hides("nothing was changed");
    node.kill();
}

#[test]
fn what_another_version_wrote_is_told_with_the_way_out() {
    let Some(etcd) = with_sample(1) else { return };
    let mut node = TestNode::following(&etcd, "a", &[]);
    let store = etcd.store(PREFIX, GatewaySettings::default());
    let earlier = include_bytes!("../../fixtures/pending/head.json").to_vec();
    for (head, format, hint) in [
        (earlier, 1, "`save FILE` under another prefix"),
        (br#"{"format":2,"text":null}"#.to_vec(), 2, "etcdctl get"),
        (br#"{"format":4,"version":"0.9.1"}"#.to_vec(), 4, "version of mediactl"),
    ] {
        write(&store, vec![KeyOperation::put(&store.keys.head, head)]);
        let told = format!("has the format {format} of another version");
        for command in ["read", "history", "status", "modify --set rtsp=1", "save media.conf"] {
            cluster(&etcd, command).exits(9).says(&told).says(hint);
        }
        let is_told = |report: &Value| report["away"].to_string().contains(hint);
        node.until("going on", |report| report["state"] == "failed" && is_told(report));
    }
    assert_eq!(node.place.text(), SAMPLE);
    let status = node.run("status").prints("what stands in etcd can't be used: ");
    status.prints("version of mediactl").hides("reached");
    node.run("modify --set rtsp=1").exits(9).says("of another version");
    let (status, problem) = ask(&node.place, "GET /media/api/nodes", "");
    assert!(status == 500 && !problem.contains("could not be written"), "{problem}");
    let record = store.gateway.range(KeyRange::one(&store.keys.node("a"))).expect("etcd answers");
    let record: Value = serde_json::from_slice(&record[0].value).expect("it is JSON");
    assert!(record["state"] == "failed" && record["why"].to_string().contains("version"), "{record}");
    let log = node.server.take().expect("it runs").stop();
    log.says("what stands in etcd can't be used: ").hides("can't be reached");
}

/// Writes to the etcd as no program of ours does.
pub fn write(store: &ClusterStore, success: Vec<KeyOperation>) {
    store.gateway.txn(&Txn { success, ..Txn::default() }).expect("it can be put");
}

#[test]
fn a_change_sent_to_a_node_may_begin_on_some_nodes() {
    let Some(etcd) = with_sample(1) else { return };
    let a = TestNode::following(&etcd, "a", &PICKY);
    let b = TestNode::following(&etcd, "b", &COUNTING);
    let post = |node: &TestNode, body: Value| ask(&node.place, "POST /media/api/change", &body.to_string());
    let send = |node: &TestNode, port: u16, options: Value| {
        let patch = json!({ "modify": { "edits": { "patch": { "rtsp": port } } } });
        post(node, json!({ "operation": patch, "options": options }))
    };
    let nodes = || cluster(&etcd, "status -o json").json()["nodes"].clone();
    // Who sent it decides: no node does.
    let (status, answer) = send(&b, 555, json!({ "canary": ["a"], "confirm": 60, "canary_time": 1 }));
    assert_eq!(status, 200, "{answer}");
    a.until_port("555");
    until("it has run it for its time", || (nodes()[0]["has_soaked"] == true).then_some(()));
    assert_eq!((b.place.text(), b.reloads()), (SAMPLE.to_owned(), 1), "it waits");
    a.run("confirm").exits(0);
    [&a, &b].iter().for_each(|node| node.until_port("555"));
    for (options, message) in [
        (json!({ "canary": ["x"], "confirm": 9 }), "canary: there is no node `x`"),
        (json!({ "canary": ["a", "100%"], "confirm": 9 }), "canary: a change over HTTP has one wave"),
        (json!({ "canary": ["a"] }), "canary: the other nodes wait until the change is confirmed"),
    ] {
        let (status, answer) = send(&b, 557, options);
        assert!(status == 400 && answer.contains(message), "{status} {answer}");
    }
    let update = json!({ "operation": { "update": SAMPLE }, "options": { "canary": ["a"] } });
    let (status, answer) = post(&a, update);
    assert!(status == 400 && answer.contains("this node alone"), "{status} {answer}");
}

/// The node hears nothing any more: it goes back by itself, also after a restart, and takes what was confirmed meanwhile
/// when it hears again.
#[test]
fn a_node_that_a_change_cuts_off_goes_back_by_itself() {
    let Some(etcd) = with_sample(1) else { return };
    let proxy = Proxy::to(etcd.address(0));
    let url = format!("etcd://{}{PREFIX}", proxy.address);
    let mut node = TestNode::start_in(Place::empty(), &url, "a", &PICKY);
    node.until_at(1);
    set(&etcd, "555", "--confirm 8s").exits(0);
    node.until_port("555");
    proxy.on("", Fate::Cut);
    node.until_text(SAMPLE);
    node.until("cut off", |report| report["state"] == "cut-off" && report["serial"] == 1);
    node.run("history").exits(0).prints("no contact with the cluster");
    let pending = "was not confirmed when this node heard of the cluster last";
    node.run("status").prints(pending).prints("cut-off");
    proxy.on("", Fate::Answered);
    node.until_well();
    // Killed and started while it is cut off, after the change was confirmed: it can't know that.
    until_nothing_waits(|line| cluster(&etcd, line));
    set(&etcd, "556", "--confirm 60s").exits(0);
    node.until_port("556");
    node.kill();
    proxy.on("", Fate::Cut);
    cluster(&etcd, "confirm").exits(0);
    node.go();
    node.until_text(SAMPLE);
    node.until_state("cut-off");
    proxy.on("", Fate::Answered);
    node.until_port("556");
    let serial = node.until_well()["serial"].clone();
    // Nobody but the node knows that it runs what was taken back, and it sees that at once with a change that it refuses. What it
    // has only seen, and not taken, is no reason to forget the way back either.
    set(&etcd, "557", "--confirm 300s").exits(0);
    node.until_port("557");
    node.signal(Signal::STOP);
    cluster(&etcd, "confirm --rollback").exits(0);
    set(&etcd, "666", "").exits(0);
    node.signal(Signal::CONT);
    node.until("back", |report| report["state"] == "failed" && report["serial"] == serial);
    assert_eq!(node.place.text(), with_rtsp("556"));
    node.run("history").exits(0).prints("as far as this node knows, change ").prints(" was not confirmed");
    node.kill();
    proxy.on("", Fate::Cut);
    node.go();
    node.until("cut off", |report| report["state"] == "cut-off" && report["serial"] == serial);
    assert_eq!(node.place.names().iter().filter(|name| name.ends_with(".new")).count(), 0);
}

#[test]
fn a_node_that_was_killed_while_it_took_a_text_has_the_media_server_load_it() {
    let Some(etcd) = with_sample(1) else { return };
    // The media server has loaded what its reload command copied.
    let reload = "sleep 0.3; cp $MEDIACTL_TEXT loaded";
    let mut node = TestNode::following(&etcd, "a", &["--reload-cmd", reload]);
    for (round, delay) in [0, 20, 60, 150, 250, 320].into_iter().enumerate() {
        let port = (600 + round).to_string();
        set(&etcd, &port, "").exits(0);
        let_pass(Duration::from_millis(delay));
        node.kill();
        node.go();
        node.until_port(&port);
        let loaded = || fs::read_to_string(node.place.path("loaded")).ok();
        until("it does not load it", || loaded().filter(|loaded| *loaded == with_rtsp(&port)));
    }
    node.run("history").exits(0);
    // The node that runs may just be writing one.
    let is_unfinished = |name: &String| name.contains("followed.new");
    until("an unfinished note stays", || (!node.place.names().iter().any(is_unfinished)).then_some(()));
}

#[test]
fn the_first_nodes_have_to_stay_healthy_before_the_others_follow() {
    let Some(etcd) = with_sample(1) else { return };
    let unhealthy = ["--health-cmd", "test ! -e sick || test $MEDIACTL_NODE != a"];
    let first = TestNode::following(&etcd, "a", &unhealthy);
    let other = TestNode::following(&etcd, "b", &COUNTING);
    let modify = |port: &str, options: &str| set(&etcd, port, &format!("--canary a {options}"));
    modify("555", "--soak 2s").exits(0);
    other.until_at(2);
    let before = other.reloads();
    // The command of the node itself.
    first.place.put("sick", "");
    modify("557", "--soak 1s").exits(6).says("`a` did not take it: the health command");
    fs::remove_file(first.place.path("sick")).expect("it is there");
    first.until_state("running");
    assert_eq!((other.place.text(), other.reloads()), (with_rtsp("555"), before), "it never had the other");
    // It is run again and again while the node goes first, with a pause of five seconds.
    let watched = TestNode::start(&etcd, "c", &["--health-cmd", "echo >> checked"]);
    watched.until("running", |report| report["serial"].is_u64() && report["state"] == "running");
    let checks = || fs::read_to_string(watched.place.path("checked")).map_or(0, |runs| runs.lines().count());
    let place = Place::empty();
    let deciding = begin(&etcd, &place, "modify -q --set rtsp=560 --canary c --soak 50s --confirm 60s");
    watched.until_port("560");
    let (start, checked) = (Instant::now(), checks());
    until("it is not checked again", || (checks() > checked + 2).then_some(()));
    assert!(start.elapsed() > Duration::from_secs(5), "three checks in {:?}", start.elapsed());
    kill(deciding);
    cluster(&etcd, "confirm --rollback").exits(0);
    watched.until_port("555");
    for options in ["--confirm 10s", "--soak 9s --confirm 9s"] {
        modify("559", options).exits(2).says("`--soak` has to be less than `--confirm`");
    }
    set(&etcd, "1", "--soak 9s").exits(2).says("canary");
}

/// Killed between the write and the end of the reload, which then fails: nobody gets the text.
#[test]
fn a_canary_that_was_killed_and_whose_reload_fails_is_not_promoted() {
    let Some(etcd) = with_sample(1) else { return };
    // The reload of the new text waits while `hold` is there, and then fails.
    let reload = "if grep -q 'rtsp 555' $MEDIACTL_TEXT; then echo >> tried; while test -e hold; do sleep 0.05; done; \
                  false; else echo >> reloads; fi";
    let mut canary = TestNode::following(&etcd, "a", &["--reload-cmd", reload]);
    let other = TestNode::following(&etcd, "b", &COUNTING);
    let before = other.reloads();
    canary.place.put("hold", "");
    let place = Place::empty();
    let waiting = begin(&etcd, &place, "modify --set rtsp=555 --canary a --confirm 60s");
    until("it does not reload", || fs::metadata(canary.place.path("tried")).ok());
    canary.kill();
    fs::remove_file(canary.place.path("hold")).expect("it is there");
    canary.go();
    ended(waiting).exits(6).says("`a` did not take it");
    canary.until_text(SAMPLE);
    canary.until_at(3);
    assert_eq!((other.place.text(), other.reloads()), (SAMPLE.to_owned(), before), "it never had the text");
}

#[test]
fn a_command_on_the_file_of_a_node_says_that_it_changes_the_cluster_and_asks() {
    let Some(etcd) = with_sample(1) else { return };
    let nodes = ["a", "b"].map(|name| TestNode::following(&etcd, name, &[]));
    let place = &nodes[0].place;
    place.put("new.conf", with_rtsp("600"));
    let says = format!("this changes all 2 nodes of the cluster {}", etcd.url(PREFIX));
    for edit in [
        "modify --set rtsp=555",
        "save new.conf",
        "apply new.conf",
        "add stream cam9 rtsp://192.0.2.9/1",
        "rm streams.cam1",
        "edit",
    ] {
        let call = place.mediactl(edit.split(' ')).env("EDITOR", "true");
        call.run().exits(6).says(&says).says("`--yes`");
    }
    assert_eq!(place.text(), SAMPLE);
    place.line("modify --dry-run --set rtsp=555").exits(0).says(&says);
    place.line("modify -q --yes --set rtsp=555").exits(0).says_nothing();
    nodes[1].until_port("555");
    place.line("rollback last").exits(6).says(&says);
    // Only this node.
    place.line("update new.conf").exits(0).hides("nodes of the cluster");
    place.run(["update", CONF]).exits(0);
    // An edit by hand is told with what differs, and the next change overwrites it.
    place.put(CONF, place.text().replace("555", "9999") + "# by hand\n");
    nodes[0].until_state("drifted");
    let status = place.line("status");
    let mut lines = status.out.lines().skip_while(|line| !line.starts_with("saved:"));
    assert!(lines.next().is_some_and(|line| line.contains(" no, ")), "{status:?}");
    assert_eq!(lines.next().map(str::trim), Some("rtsp"), "{status:?}");
    let gone = "a hand edit of the file is overwritten";
    place.line("modify --yes --set rtsp=556 --dry-run").exits(0).says(gone);
    place.line("modify --yes --set rtsp=556").exits(0).says(&says).says(gone);
    nodes[0].until_port("556");
    place.line("history").exits(0).prints("hand-edit");
    place.line("history show last").exits(0).prints("# by hand");
}
