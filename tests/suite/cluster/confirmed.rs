//! A change that has to be confirmed goes back on a node in its time: whatever etcd does not do for the node meanwhile, on
//! one that is killed and started again, and where a clock is two minutes wrong.

use std::process::Command;
use std::time::Instant;

use serde_json::{Value, json};

use super::nodes::{Environment, PREFIX, TestNode, cluster, set, with_sample};
use crate::cli::{Place, Run, SAMPLE};
use crate::needs::needs;
use crate::waiting::eventually;

/// The seconds in which the changes have to be confirmed, and after which one that is not confirmed is late.
const CONFIRM: u64 = 9;
const LATE: u64 = 60;

/// The seconds that a clock is wrong.
const WRONG: i64 = 120;

/// Waits for the lease of a change that has gone back: it may last a little longer than the time of the node.
pub fn until_nothing_waits(command: impl Fn(&str) -> Run) {
    eventually(|| {
        let pending = command("status -o json").json()["pending"].clone();
        pending.is_null() || pending["is_over"] == true
    });
}

#[test]
fn a_change_goes_back_while_etcd_is_full() {
    let Some(etcd) = with_sample(1) else { return };
    let mut node = TestNode::following(&etcd, "a", &[]);
    let alarm = |action: &str| {
        let id = etcd.ask(0, "maintenance/status", &json!({}))["header"]["member_id"].clone();
        etcd.ask(0, "maintenance/alarm", &json!({"action": action, "memberID": id, "alarm": "NOSPACE"}));
        let alarms = etcd.ask(0, "maintenance/alarm", &json!({"action": "GET"}));
        assert_eq!(alarms["alarms"].is_array(), action == "ACTIVATE", "{alarms}");
    };
    for (port, is_killed) in [("555", false), ("556", true)] {
        let begin = Instant::now();
        set(&etcd, port, &format!("--confirm {CONFIRM}s")).exits(0);
        node.until_port(port);
        alarm("ACTIVATE");
        if is_killed {
            node.kill();
            node.go();
        }
        node.until_text(SAMPLE);
        let took = begin.elapsed().as_secs();
        // What a lease has left is known in whole seconds, and a node that starts knows of no contact.
        assert!((is_killed || took + 1 >= CONFIRM) && took < LATE, "back after {took} s");
        alarm("DEACTIVATE");
        node.until("in contact", |report| report["away"] == Value::Null);
        until_nothing_waits(|line| cluster(&etcd, line));
    }
    set(&etcd, "557", "-q").exits(0);
    node.until_port("557");
}

/// The variables that shift the clock on the wall of a program, and no other one.
fn shifted(seconds: i64) -> Environment {
    let told = Command::new("faketime").args(["-f", "+0s", "printenv", "LD_PRELOAD"]).output();
    let library = String::from_utf8_lossy(&told.expect("it is installed").stdout).trim().to_owned();
    assert!(!library.is_empty(), "it says where its library is");
    let shift = [("FAKETIME", format!("{seconds:+}s")), ("FAKETIME_DONT_FAKE_MONOTONIC", "1".to_owned())];
    [("LD_PRELOAD", library)].into_iter().chain(shift).collect()
}

#[test]
fn a_clock_two_minutes_wrong_makes_no_difference() {
    [WRONG, -WRONG].into_iter().filter(|_| needs("faketime")).for_each(nothing_depends_on_a_clock);
}

/// The clock of the first of two nodes is wrong, and that of a writer by as much in the other direction.
fn nothing_depends_on_a_clock(seconds: i64) {
    let Some(etcd) = with_sample(1) else { return };
    let url = etcd.url(PREFIX);
    let nodes = [("a", shifted(seconds)), ("b", Vec::new())]
        .map(|(name, clock)| TestNode::with(Place::empty(), name, &["--cluster", &url], clock));
    nodes.iter().for_each(|node| node.until_at(1));
    let (place, of_writer) = (Place::with(SAMPLE), shifted(-seconds));
    let writer = |line: &str| {
        let call = etcd.line(&place, PREFIX, line);
        of_writer.iter().fold(call, |call, (name, value)| call.env(name, value)).run().exits(0)
    };
    let other = |line: &str| nodes[0].run(line).exits(0);
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
    writer(&format!("modify -q --set rtsp=558 --confirm {CONFIRM}s"));
    all_have("558");
    all_have("557");
    let took = begin.elapsed().as_secs();
    assert!(took + 1 >= CONFIRM && took < LATE, "back after {took} s");
    until_nothing_waits(|line| cluster(&etcd, line));
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
