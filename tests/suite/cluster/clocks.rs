//! The clock of a node, or of whoever makes changes, is two minutes wrong, and nothing differs.

use std::process::Command;
use std::time::{Duration, Instant};

use serde_json::Value;

use super::confirmed::until_nothing_waits;
use super::etcd::Etcd;
use super::nodes::{Environment, PREFIX, TestNode, cluster, with_rtsp, with_sample};
use crate::cli::{Place, Run, SAMPLE};
use crate::needs::needs;

/// Whose clock is wrong; all others are right.
#[derive(Clone, Copy, PartialEq)]
enum Whose {
    Node,
    Writer,
}

const WRONG: i64 = 120;

/// The time in which a change has to be confirmed: far less than that.
const CONFIRM: Duration = Duration::from_secs(6);

/// The variables that shift the clock on the wall of a program, and no other one.
fn shifted(seconds: i64) -> Environment {
    let told = Command::new("faketime").args(["-f", "+0s", "printenv", "LD_PRELOAD"]).output();
    let library = String::from_utf8_lossy(&told.expect("it is installed").stdout).trim().to_owned();
    assert!(!library.is_empty(), "it says where its library is");
    let shift = [("FAKETIME", format!("{seconds:+}s")), ("FAKETIME_DONT_FAKE_MONOTONIC", "1".to_owned())];
    [("LD_PRELOAD", library)].into_iter().chain(shift).collect()
}

/// A cluster with two nodes and two writers.
struct Clocks {
    etcd: Etcd,
    whose: Whose,
    clock: Environment,
    nodes: [TestNode; 2],
    place: Place,
}

impl Clocks {
    /// `None` if a program is not here.
    fn start(whose: Whose, seconds: i64) -> Option<Self> {
        let etcd = Some(()).filter(|()| needs("faketime")).and_then(|()| with_sample(1))?;
        let clock = shifted(seconds);
        let url = etcd.url(PREFIX);
        let node = |name: &str, clock: Environment| {
            let options = ["--cluster", &url, "serve", "--listen", "none", "--node", name].map(str::to_owned);
            TestNode::with_environment(Place::empty(), name, options.to_vec(), clock)
        };
        let first = if whose == Whose::Node { clock.clone() } else { Vec::new() };
        let nodes = [node("a", first), node("b", Vec::new())];
        for node in &nodes {
            node.until("running", |report| report["serial"] == 1 && report["away"] == Value::Null);
        }
        Some(Self { etcd, whose, clock, nodes, place: Place::with(SAMPLE) })
    }

    /// A command of the writer, with the wrong clock if that is whose it is.
    fn writer(&self, arguments: &[&str]) -> Run {
        let call = self.etcd.mediactl(&self.place, PREFIX, arguments);
        let clock: &[_] = if self.whose == Whose::Writer { &self.clock } else { &[] };
        clock.iter().fold(call, |call, (name, value)| call.env(name, value)).run()
    }

    /// A command that is carried out by the other clock: by the first node, or by a writer whose clock is right.
    fn other(&self, arguments: &[&str]) -> Run {
        match self.whose {
            Whose::Node => self.nodes[0].run(arguments),
            Whose::Writer => cluster(&self.etcd, arguments),
        }
    }

    fn all_have(&self, port: &str) {
        self.nodes.iter().for_each(|node| node.until_text(&with_rtsp(port)));
    }

    /// Each clock makes a change that the other one confirms.
    fn changes_are_confirmed(&self) {
        self.writer(&["modify", "-q", "--set", "rtsp=556", "--confirm", "60s"]).exits(0);
        self.all_have("556");
        self.other(&["confirm"]).exits(0);
        self.other(&["modify", "-q", "--set", "rtsp=557", "--confirm", "60s"]).exits(0);
        self.all_have("557");
        self.writer(&["confirm"]).exits(0);
    }

    /// A change that nobody confirms goes back in its time, neither at once nor minutes later.
    fn a_change_goes_back_in_its_time(&self) {
        let begin = Instant::now();
        let time = format!("{}s", CONFIRM.as_secs());
        self.writer(&["modify", "-q", "--set", "rtsp=558", "--confirm", &time]).exits(0);
        self.all_have("558");
        self.all_have("557");
        let took = begin.elapsed();
        let is_in_time = took + Duration::from_secs(1) > CONFIRM && took.as_secs() < WRONG.unsigned_abs() / 2;
        assert!(is_in_time, "back after {took:?}");
        until_nothing_waits(|arguments| cluster(&self.etcd, arguments));
    }

    fn a_change_begins_on_one_node(&self) {
        let times = ["--soak", "2s", "--confirm", "60s"];
        let change = ["modify", "--set", "rtsp=559", "--canary", "a"];
        self.writer(&[&change[..], &times].concat()).exits(0).says("the other nodes follow");
        self.all_have("559");
    }

    /// The history is in the order in which changes were made, whatever their dates are.
    fn history_is_in_order(&self) {
        let entries = self.writer(&["history", "-o", "json"]).exits(0).json();
        let of =
            |name: &str| entries.as_array().map(|all| all.iter().map(|entry| entry[name].clone()).collect());
        let operations = ["modify", "modify", "expired", "modify", "modify", "modify", "modify", "save"];
        assert_eq!(of("operation"), Some(operations.map(Value::from).to_vec()), "{entries:#}");
        assert_eq!(of("number"), Some([8, 7, 6, 5, 4, 3, 2, 1].map(Value::from).to_vec()), "{entries:#}");
    }
}

fn nothing_depends_on_a_clock(whose: Whose, seconds: i64) {
    let Some(clocks) = Clocks::start(whose, seconds) else { return };
    clocks.writer(&["modify", "-q", "--set", "rtsp=555"]).exits(0);
    clocks.all_have("555");
    clocks.changes_are_confirmed();
    clocks.a_change_goes_back_in_its_time();
    clocks.a_change_begins_on_one_node();
    clocks.other(&["modify", "-q", "--set", "rtsp=560"]).exits(0);
    clocks.all_have("560");
    clocks.history_is_in_order();
    for node in &clocks.nodes {
        node.until("running", |report| report["serial"] == 8 && report["state"] == "running");
    }
}

#[test]
fn a_clock_two_minutes_wrong_makes_no_difference() {
    for whose in [Whose::Node, Whose::Writer] {
        for seconds in [WRONG, -WRONG] {
            nothing_depends_on_a_clock(whose, seconds);
        }
    }
}
