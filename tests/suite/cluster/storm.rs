//! Many write at the same time, while members of etcd are killed and stopped, nodes are killed and cut off, and files are
//! edited by hand. What was acknowledged stays, once; what was refused is nowhere; and when it is over, all nodes run the same.

use std::collections::BTreeSet;
use std::fs;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use super::etcd::Etcd;
use super::nodes::{COUNTING, PREFIX, TestNode, cluster, set, text, with_sample};
use crate::cli::{CONF, Place, Run};
use crate::proof::Random;
use crate::proxy::Proxy;
use crate::waiting::{eventually, let_pass};

const MEMBERS: usize = 3;

/// The pause of a writer after a refusal: another change waits to be confirmed, mostly.
const REST: Duration = Duration::from_millis(200);

/// A text with this word is refused by the media servers.
const POISON: &str = "poison";

const RELOAD: [&str; 2] = ["--reload-cmd", "! grep -q poison media.conf"];

/// What became of the stream that a command adds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Outcome {
    Made,
    Refused,
    /// Nobody knows, or another writer decides.
    Open,
}

#[derive(Clone, Copy, Debug)]
enum Change {
    Plain,
    /// Made with `--confirm`; a confirmation is of whatever waits.
    Unconfirmed,
    Canary,
    /// A canary that the media server of each node refuses.
    Poison,
}

const CHANGES: [Change; 7] = {
    use Change::{Canary, Plain, Poison, Unconfirmed};
    [Plain, Plain, Canary, Plain, Unconfirmed, Poison, Plain]
};

/// One writer: its streams, and what became of each.
struct Writer {
    number: usize,
    url: String,
    place: Place,
    told: Vec<(String, Outcome)>,
}

impl Writer {
    fn several(etcd: &Etcd, count: usize) -> Vec<Self> {
        let of = |number| Self { number, url: etcd.url(PREFIX), place: Place::empty(), told: vec![] };
        (0..count).map(of).collect()
    }

    fn run(&self, line: &str) -> Run {
        let call = self.place.mediactl(line.split(' ')).without("MEDIACTL_CONF");
        call.env("MEDIACTL_CLUSTER", &self.url).run()
    }

    fn work(&mut self, changes: &[Change], is_over: &AtomicBool, made: &AtomicUsize) {
        for number in 0.. {
            if is_over.load(Ordering::SeqCst) {
                return;
            }
            let change = changes[(number + self.number) % changes.len()];
            let stream = format!("w{}-{number}", self.number);
            let outcome = self.change(change, &stream);
            self.told.push((stream, outcome));
            match outcome {
                Outcome::Made => drop(made.fetch_add(1, Ordering::SeqCst)),
                Outcome::Refused => let_pass(REST),
                Outcome::Open => {}
            }
        }
    }

    fn change(&self, change: Change, stream: &str) -> Outcome {
        let canary = "--canary 2 --soak 1s --confirm 12s";
        let more = match change {
            Change::Plain => "-q".to_owned(),
            Change::Unconfirmed => "--confirm 4s".to_owned(),
            Change::Canary => canary.to_owned(),
            Change::Poison => format!("{canary} --set streams.{stream}.title={POISON}"),
        };
        let run = self.run(&format!("--timeout 10 modify --set streams.{stream}.urls[+]=fake://x {more}"));
        match (change, run.code) {
            (Change::Unconfirmed, Some(0)) => {
                if stream.len().is_multiple_of(2) {
                    self.run("--timeout 10 confirm -q");
                }
                Outcome::Open
            }
            (Change::Poison, Some(0)) => panic!("what the media servers refuse is confirmed: {run:?}"),
            // A command with a canary may lose etcd while it waits.
            (Change::Plain, Some(8)) | (Change::Unconfirmed | Change::Canary, Some(7 | 8)) => Outcome::Open,
            (_, Some(0)) => Outcome::Made,
            (_, Some(_)) => Outcome::Refused,
            (_, None) => panic!("{run:?}"),
        }
    }
}

/// What was made is there, once, and what was refused is not.
fn look_at(etcd: &Etcd, nodes: &[StormNode], writers: &[Writer]) {
    let text = text(etcd);
    assert!(!text.contains(POISON), "{text}");
    let (mut faults, mut counts) = (Vec::new(), [0; 3]);
    for (stream, outcome) in writers.iter().flat_map(|writer| &writer.told) {
        counts[*outcome as usize] += 1;
        let there = text.matches(&format!("stream {stream} ")).count();
        let is_right = match outcome {
            Outcome::Made => there == 1,
            Outcome::Refused => there == 0,
            Outcome::Open => there <= 1,
        };
        if !is_right {
            faults.push(format!("{stream}: {outcome:?}, and {there} times there"));
        }
    }
    println!("{} made, {} refused, {} open", counts[0], counts[1], counts[2]);
    for StormNode { node, .. } in nodes {
        if node.place.text() != text {
            faults.push(format!("another text:\n{}{}", node.place.text(), node.report()));
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
    assert!(counts[0] > 0, "something was made");
}

#[test]
fn what_was_acknowledged_outlives_the_leader() {
    let Some(mut etcd) = with_sample(MEMBERS) else { return };
    let mut writers = Writer::several(&etcd, 8);
    let (is_over, made) = (AtomicBool::new(false), AtomicUsize::new(0));
    let more_are_made = || {
        let until = made.load(Ordering::SeqCst) + 20;
        eventually(|| made.load(Ordering::SeqCst) >= until);
    };
    thread::scope(|scope| {
        for writer in &mut writers {
            scope.spawn(|| writer.work(&[Change::Plain], &is_over, &made));
        }
        more_are_made();
        let leader = etcd.leader();
        etcd.kill(leader);
        // Writers go on without it.
        more_are_made();
        etcd.run(leader);
        more_are_made();
        let leader = etcd.leader();
        etcd.pause(leader);
        more_are_made();
        etcd.go_on(leader);
        more_are_made();
        is_over.store(true, Ordering::SeqCst);
    });
    look_at(&etcd, &[], &writers);
}

/// Nodes and members are killed and stopped; then all nodes have the head.
#[test]
fn nodes_converge_when_members_and_nodes_are_killed() {
    let Some(mut etcd) = with_sample(MEMBERS) else { return };
    let mut nodes = ["a", "b"].map(|name| TestNode::start(&etcd, name, &COUNTING));
    for round in 0..2 {
        let port = (600 + round).to_string();
        nodes[round].kill();
        match round {
            0 => etcd.pause(round),
            _ => etcd.kill(round),
        }
        // Two of three members are enough.
        set(&etcd, &port, "").exits(0);
        nodes[round].go();
        match round {
            0 => etcd.go_on(round),
            _ => etcd.run(round),
        }
        nodes.iter().for_each(|node| node.until_port(&port));
    }
    let head = text(&etcd);
    nodes.iter().for_each(|node| assert_eq!(node.place.text(), head));
}

/// A node with a way of its own to each member.
struct StormNode {
    node: TestNode,
    links: Vec<Proxy>,
}

impl StormNode {
    fn start(etcd: &Etcd, number: usize) -> Self {
        let links: Vec<Proxy> = (0..MEMBERS).map(|member| Proxy::to(etcd.address(member))).collect();
        let members: Vec<String> = links.iter().map(|link| link.address.to_string()).collect();
        let url = format!("etcd://{}{PREFIX}", members.join(","));
        Self { node: TestNode::start_in(Place::empty(), &url, &format!("n{number}"), &RELOAD), links }
    }

    fn cut(&self, is_cut: [bool; 2]) {
        self.links.iter().for_each(|link| link.hold(is_cut));
    }

    fn edit_by_hand(&mut self) {
        // A node that has not got its first text has no file yet.
        if let Ok(text) = fs::read_to_string(self.node.place.path(CONF)) {
            self.node.place.put(CONF, text + "# by hand\n");
        }
    }
}

/// What happens to some nodes, and how it ends after a while.
const TROUBLES: [[fn(&mut StormNode); 2]; 5] = [
    [|hit| hit.node.kill(), |hit| hit.node.go()],
    [|hit| hit.cut([true, true]), |hit| hit.cut([false; 2])],
    [|hit| hit.cut([true, false]), |hit| hit.cut([false; 2])],
    [|hit| hit.cut([false, true]), |hit| hit.cut([false; 2])],
    [StormNode::edit_by_hand, |_| {}],
];

/// Something happens to one member and to some nodes, and ends; returns how much that was.
fn trouble(etcd: &mut Etcd, nodes: &mut [StormNode], random: &mut Random) -> usize {
    let (member, kind) = (random.below(MEMBERS), random.below(3));
    match kind {
        0 => etcd.kill(member),
        1 => etcd.pause(member),
        _ => {}
    }
    let hit: BTreeSet<usize> =
        (0..1 + random.below(nodes.len() / 4)).map(|_| random.below(nodes.len())).collect();
    let troubles: Vec<_> =
        hit.into_iter().map(|node| (node, TROUBLES[random.below(TROUBLES.len())])).collect();
    troubles.iter().for_each(|(node, [begin, _])| begin(&mut nodes[*node]));
    let_pass(random.up_to(Duration::from_secs(6)));
    match kind {
        0 => etcd.run(member),
        1 => etcd.go_on(member),
        _ => {}
    }
    troubles.iter().for_each(|(node, [_, end])| end(&mut nodes[*node]));
    let_pass(random.up_to(Duration::from_secs(2)));
    troubles.len() + usize::from(kind < 2)
}

#[test]
#[ignore = "takes a minute, or as many as MEDIACTL_STORM says"]
fn nothing_is_lost_in_a_storm() {
    let minutes = std::env::var("MEDIACTL_STORM").ok().and_then(|minutes| minutes.parse().ok()).unwrap_or(1);
    let time = Duration::from_secs(60 * minutes);
    let Some(mut etcd) = with_sample(MEMBERS) else { return };
    let mut random = Random::new("storm");
    let mut nodes: Vec<StormNode> = (0..24).map(|number| StormNode::start(&etcd, number)).collect();
    let mut writers = Writer::several(&etcd, 4);
    let (is_over, made, mut faults) = (AtomicBool::new(false), AtomicUsize::new(0), 0);
    thread::scope(|scope| {
        for writer in &mut writers {
            scope.spawn(|| writer.work(&CHANGES, &is_over, &made));
        }
        let start = Instant::now();
        while start.elapsed() < time {
            faults += trouble(&mut etcd, &mut nodes, &mut random);
        }
        is_over.store(true, Ordering::SeqCst);
    });
    println!("{faults} faults in {time:?}");
    cluster(&etcd, "--timeout 120 wait --rolled-out");
    eventually(|| cluster(&etcd, "status --exit-code").code == Some(0));
    look_at(&etcd, &nodes, &writers);
}
