//! A change that has to be confirmed goes back on a node in its time, whatever etcd does not do for the node meanwhile, and
//! also on one that is killed and started again.

use std::time::Instant;

use serde_json::{Value, json};

use super::etcd::PASSWORD;
use super::nodes::{PREFIX, TestNode, cluster, with_rtsp, with_sample};
use crate::cli::{Place, Run, SAMPLE};
use crate::waiting::eventually;

/// The seconds in which the changes have to be confirmed, and after which one that is not confirmed is late.
const CONFIRM: u64 = 9;
const LATE: u64 = 60;

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
