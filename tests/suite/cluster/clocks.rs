//! The clock of a node, or of whoever makes changes, is two minutes wrong, and nothing differs.

use std::process::Command;
use std::time::{Duration, Instant};

use serde_json::json;

use super::confirmed::until_nothing_waits;
use super::nodes::{Environment, PREFIX, TestNode, cluster, with_sample};
use crate::cli::{Place, SAMPLE};
use crate::needs::needs;

/// The seconds that a clock is wrong, and in which a change has to be confirmed: far less than that.
const WRONG: i64 = 120;
const CONFIRM: Duration = Duration::from_secs(6);

/// The variables that shift the clock on the wall of a program, and no other one.
fn shifted(seconds: i64) -> Environment {
    let told = Command::new("faketime").args(["-f", "+0s", "printenv", "LD_PRELOAD"]).output();
    let library = String::from_utf8_lossy(&told.expect("it is installed").stdout).trim().to_owned();
    assert!(!library.is_empty(), "it says where its library is");
    let shift = [("FAKETIME", format!("{seconds:+}s")), ("FAKETIME_DONT_FAKE_MONOTONIC", "1".to_owned())];
    [("LD_PRELOAD", library)].into_iter().chain(shift).collect()
}

/// The clock of the first of two nodes is wrong, or that of a writer; all others are right.
fn nothing_depends_on_a_clock(is_of_node: bool, seconds: i64) {
    let Some(etcd) = Some(()).filter(|()| needs("faketime")).and_then(|()| with_sample(1)) else { return };
    let [of_node, of_writer] = match is_of_node {
        true => [shifted(seconds), Vec::new()],
        false => [Vec::new(), shifted(seconds)],
    };
    let url = etcd.url(PREFIX);
    let nodes = [("a", of_node), ("b", Vec::new())]
        .map(|(name, clock)| TestNode::with(Place::empty(), name, &["--cluster", &url], clock));
    nodes.iter().for_each(|node| node.until_at(1));
    let place = Place::with(SAMPLE);
    let writer = |command: &str| {
        let call = etcd.mediactl(&place, PREFIX, &command.split(' ').collect::<Vec<_>>());
        of_writer.iter().fold(call, |call, (name, value)| call.env(name, value)).run().exits(0)
    };
    // By the other clock: by the first node, or by a writer whose clock is right.
    let other = |command: &str| {
        let arguments: Vec<&str> = command.split(' ').collect();
        let run = if is_of_node { nodes[0].run(&arguments) } else { cluster(&etcd, &arguments) };
        run.exits(0)
    };
    let all_have = |port: &str| nodes.iter().for_each(|node| node.until_port(port));
    writer("modify -q --set rtsp=555");
    all_have("555");
    // Each clock makes a change that the other one confirms.
    writer("modify -q --set rtsp=556 --confirm 60s");
    all_have("556");
    other("confirm");
    other("modify -q --set rtsp=557 --confirm 60s");
    all_have("557");
    writer("confirm");
    // A change that nobody confirms goes back in its time, neither at once nor minutes later.
    let begin = Instant::now();
    writer(&format!("modify -q --set rtsp=558 --confirm {}s", CONFIRM.as_secs()));
    all_have("558");
    all_have("557");
    let took = begin.elapsed();
    let is_in_time = took + Duration::from_secs(1) > CONFIRM && took.as_secs() < WRONG.unsigned_abs() / 2;
    assert!(is_in_time, "back after {took:?}");
    until_nothing_waits(|arguments| cluster(&etcd, arguments));
    let canary = writer("modify --set rtsp=559 --canary a --soak 2s --confirm 60s");
    canary.says("the other nodes follow");
    all_have("559");
    other("modify -q --set rtsp=560");
    all_have("560");
    // The history is in the order in which changes were made, whatever their dates are.
    let entries = writer("history -o json").json();
    let made: Vec<_> = entries.as_array().expect("a list").iter().map(|entry| &entry["operation"]).collect();
    assert_eq!(made, ["modify", "modify", "expired", "modify", "modify", "modify", "modify", "save"]);
    assert_eq!((&entries[0]["number"], &entries[7]["number"]), (&json!(8), &json!(1)), "{entries:#}");
    for node in &nodes {
        node.until("running", |report| report["serial"] == 8 && report["state"] == "running");
    }
}

#[test]
fn a_clock_two_minutes_wrong_makes_no_difference() {
    for is_of_node in [true, false] {
        for seconds in [WRONG, -WRONG] {
            nothing_depends_on_a_clock(is_of_node, seconds);
        }
    }
}
