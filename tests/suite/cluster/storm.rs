//! A storm: members of etcd are killed, stopped and cut off, nodes too, and files are edited by hand, while writers
//! make changes of every kind. What was acknowledged stays, once; what was refused is nowhere; and when it is over,
//! all nodes run the same.

use std::collections::BTreeSet;
use std::fs;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use super::etcd::Etcd;
use super::nodes::{PREFIX, TestNode, with_sample};
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

/// A node or a writer, with a way of its own to each member.
struct Links(Vec<Proxy>);

impl Links {
    fn to(etcd: &Etcd) -> Self {
        Self((0..MEMBERS).map(|member| Proxy::to(etcd.address(member))).collect())
    }

    fn url(&self) -> String {
        let members: Vec<String> = self.0.iter().map(|link| link.address.to_string()).collect();
        format!("etcd://{}{PREFIX}", members.join(","))
    }

    fn cut(&self, is_cut: [bool; 2]) {
        self.0.iter().for_each(|link| link.hold(is_cut));
    }

    fn delay(&self, milliseconds: u64) {
        self.0.iter().for_each(|link| link.delay(milliseconds));
    }
}

struct StormNode {
    node: TestNode,
    links: Links,
}

/// What happens to some nodes, and how it ends after a while.
const TROUBLES: [[fn(&mut StormNode); 2]; 6] = [
    [|hit| hit.node.kill(), |hit| hit.node.go()],
    [|hit| hit.links.cut([true, true]), |hit| hit.links.cut([false; 2])],
    [|hit| hit.links.cut([true, false]), |hit| hit.links.cut([false; 2])],
    [|hit| hit.links.cut([false, true]), |hit| hit.links.cut([false; 2])],
    [|hit| hit.links.delay(200), |hit| hit.links.delay(0)],
    [StormNode::edit_by_hand, |_| {}],
];

impl StormNode {
    fn edit_by_hand(&mut self) {
        // A node that has not got its first text has no file yet.
        if let Ok(text) = fs::read_to_string(self.node.place.path(CONF)) {
            self.node.place.put(CONF, text + "# by hand\n");
        }
    }
}

/// One writer: its streams, and what became of each.
struct StormWriter {
    number: usize,
    links: Links,
    place: Place,
    told: Vec<(String, Outcome)>,
}

impl StormWriter {
    fn run(&self, arguments: &[&str]) -> Run {
        let call = self.place.mediactl(arguments).without("MEDIACTL_CONF");
        call.env("MEDIACTL_CLUSTER", &self.links.url()).run()
    }

    fn work(&mut self, is_over: &AtomicBool) {
        for number in 0.. {
            if is_over.load(Ordering::SeqCst) {
                return;
            }
            let change = CHANGES[(number + self.number) % CHANGES.len()];
            let stream = format!("w{}-{number}", self.number);
            let outcome = self.change(change, &stream);
            self.told.push((stream, outcome));
            if outcome == Outcome::Refused {
                let_pass(REST);
            }
        }
    }

    fn change(&self, change: Change, stream: &str) -> Outcome {
        let set = format!("streams.{stream}.urls[+]=fake://x");
        let poison = format!("streams.{stream}.title={POISON}");
        let modify = ["--timeout", "10", "modify", "-q", "--set", &set];
        let canary = ["--canary", "2", "--soak", "1s", "--confirm", "12s"];
        let run = match change {
            Change::Plain => self.run(&modify),
            Change::Unconfirmed => self.run(&[&modify[..], &["--confirm", "4s"]].concat()),
            Change::Canary => self.run(&[&modify[..], &canary].concat()),
            Change::Poison => self.run(&[&modify[..], &["--set", &poison], &canary].concat()),
        };
        match (change, run.code) {
            (Change::Unconfirmed, Some(0)) => {
                if stream.len().is_multiple_of(2) {
                    self.run(&["--timeout", "10", "confirm", "-q"]);
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

fn storm(count: usize, writers: usize, time: Duration) {
    let Some(mut etcd) = with_sample(MEMBERS) else { return };
    let mut random = Random::new("storm");
    let node = |number| {
        let links = Links::to(&etcd);
        let node = TestNode::start_in(Place::empty(), &links.url(), &format!("n{number}"), &RELOAD);
        StormNode { node, links }
    };
    let mut nodes: Vec<StormNode> = (0..count).map(node).collect();
    let writer =
        |number| StormWriter { number, links: Links::to(&etcd), place: Place::empty(), told: vec![] };
    let mut writers: Vec<StormWriter> = (0..writers).map(writer).collect();
    let (is_over, mut faults) = (AtomicBool::new(false), 0);
    thread::scope(|scope| {
        for writer in &mut writers {
            scope.spawn(|| writer.work(&is_over));
        }
        let start = Instant::now();
        while start.elapsed() < time {
            faults += trouble(&mut etcd, &mut nodes, &mut random);
        }
        is_over.store(true, Ordering::SeqCst);
    });
    println!("{faults} faults in {time:?}");
    let last = &writers[0];
    last.run(&["--timeout", "120", "wait", "--rolled-out"]);
    eventually(|| last.run(&["status", "--exit-code"]).code == Some(0));
    look_at(&nodes, &writers);
}

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

fn look_at(nodes: &[StormNode], writers: &[StormWriter]) {
    let reader = &writers[0];
    let text = reader.run(&["read", "-o", "conf"]).exits(0).out;
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
            let (name, own, report) = (node.name(), node.place.text(), node.report());
            faults.push(format!("`{name}` has another text:\n{own}{report}"));
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
    assert!(counts[0] > 0, "something was made");
}

#[test]
#[ignore = "takes a minute, or as many as MEDIACTL_STORM says"]
fn nothing_is_lost_in_a_storm() {
    let minutes = std::env::var("MEDIACTL_STORM").ok().and_then(|minutes| minutes.parse().ok()).unwrap_or(1);
    storm(24, 4, Duration::from_secs(60 * minutes));
}
