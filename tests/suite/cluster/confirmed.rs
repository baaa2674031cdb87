//! A change that has to be confirmed goes back on a node in its time: whatever etcd does not do for the node meanwhile, on
//! one that is killed and started again, and where a clock is two minutes wrong.

use std::process::Command;
use std::time::Instant;

use serde_json::{Value, json};

use super::etcd::PASSWORD;
use super::nodes::{Environment, PREFIX, TestNode, cluster, with_sample};
use crate::cli::{Place, Run, SAMPLE, with_rtsp};
use crate::needs::needs;
use crate::waiting::eventually;

/// The seconds in which the changes have to be confirmed, and after which one that is not confirmed is late.
const CONFIRM: u64 = 9;
const LATE: u64 = 60;

/// The seconds that a clock is wrong.
const WRONG: i64 = 120;

/// A change to be confirmed is taken, nobody confirms it, and it goes back; with and without a restart between.
fn goes_back(node: &mut TestNode, change: impl Fn(&[&str]) -> Run, hinder: impl Fn(bool)) {
    node.until("looking", |report| report["serial"] == 1 && report["away"] == Value::Null);
    for (port, is_killed) in [("555", false), ("556", true)] {
        let begin = Instant::now();
        let set = [&format!("rtsp={port}"), "--confirm", &format!("{CONFIRM}s")];
        change(&[&["modify", "-q", "--set"], &set[..]].concat()).exits(0);
        node.until_text(&with_rtsp(port));
        hinder(true);
        if is_killed {
            node.kill();
            node.go();
        }
        node.until_text(SAMPLE);
        let took = begin.elapsed().as_secs();
        // What a lease has left is known in whole seconds, and a node that starts knows of no contact.
        assert!(is_killed || took + 1 >= CONFIRM, "back after {took} s");
        assert!(took < LATE, "back after {took} s");
        hinder(false);
        node.until("in contact", |report| report["away"] == Value::Null);
        until_nothing_waits(&change);
    }
    change(&["modify", "-q", "--set", "rtsp=557"]).exits(0);
    node.until_text(&with_rtsp("557"));
}

/// Waits for the lease of a change that has gone back: it may last a little longer than the time of the node.
pub fn until_nothing_waits(command: impl Fn(&[&str]) -> Run) {
    eventually(|| {
        let pending = command(&["status", "-o", "json"]).json()["pending"].clone();
        pending.is_null() || pending["is_over"] == true
    });
}

#[test]
fn a_change_goes_back_while_etcd_is_full() {
    let Some(etcd) = with_sample(1) else { return };
    let mut node = TestNode::start(&etcd, "a", &[]);
    let alarm = |action: &str| {
        let id = etcd.ask(0, "maintenance/status", &json!({}))["header"]["member_id"].clone();
        etcd.ask(0, "maintenance/alarm", &json!({"action": action, "memberID": id, "alarm": "NOSPACE"}));
        let alarms = etcd.ask(0, "maintenance/alarm", &json!({"action": "GET"}));
        assert_eq!(alarms["alarms"].is_array(), action == "ACTIVATE", "{alarms}");
    };
    let hinder = |is_full: bool| alarm(if is_full { "ACTIVATE" } else { "DEACTIVATE" });
    goes_back(&mut node, |arguments| cluster(&etcd, arguments), hinder);
}

#[test]
fn a_change_goes_back_on_a_node_that_may_write_nothing() {
    let Some(etcd) = with_sample(1) else { return };
    let below = format!("{PREFIX}/");
    etcd.add_users(&[("olga", &[("READWRITE", &below, true)]), ("reader", &[("READ", &below, true)])]);
    let mut node = TestNode::logged_in(&etcd, Place::empty(), ("reader", "reader"), PASSWORD);
    let writer = Place::with(SAMPLE);
    let change = |arguments: &[&str]| {
        let call = etcd.mediactl(&writer, PREFIX, arguments);
        call.account("olga", PASSWORD).run()
    };
    goes_back(&mut node, change, |_| {});
}

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
    writer(&format!("modify -q --set rtsp=558 --confirm {}s", CONFIRM));
    all_have("558");
    all_have("557");
    let took = begin.elapsed().as_secs();
    assert!(took + 1 >= CONFIRM && took < LATE, "back after {took} s");
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
