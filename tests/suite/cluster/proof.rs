//! What is promised of nodes, with more of them and with faults: short in a plain `cargo test`, whole with
//! `--ignored`. No time is asserted but the two seconds that are promised, on a machine that has nothing else to do.

use std::borrow::Cow;
use std::sync::Arc;
use std::time::{Duration, Instant};

use mediaconf::Request;
use mediactl::engine::{ChangeOptions, ConfigService, Engine, Hooks, RequestedChange};
use mediactl::store::etcd::GatewaySettings;
use serde_json::{Value, json};

use super::etcd::Etcd;
use super::nodes::{COUNTING, PREFIX, TestNode, cluster, set, with_sample};
use crate::cli::{Place, SAMPLE};
use crate::proxy::Proxy;
use crate::waiting::let_pass;

/// The time after its return in which a node has the newest text.
const RETURN: Duration = Duration::from_secs(2);

/// A machine that has other work to do is this many times slower.
const OTHER_WORK: u32 = 10;

/// The most reloads that a node may make of 200 changes in a second.
const RELOADS: usize = 60;

/// A writer that stays.
fn engine(etcd: &Etcd) -> Engine {
    let store = etcd.store(PREFIX, GatewaySettings::default());
    Engine::new(Arc::new(store), Hooks::default(), |_, _| {})
}

/// Changes by a writer as fast as it can end in the newest on each of `count` nodes.
fn a_burst_is_a_few_reloads(count: usize, changes: usize) {
    let Some(etcd) = with_sample(1) else { return };
    let nodes: Vec<TestNode> =
        (0..count).map(|number| TestNode::start(&etcd, &format!("n{number}"), &COUNTING)).collect();
    nodes.iter().for_each(|node| node.until_text(SAMPLE));
    let before: Vec<usize> = nodes.iter().map(TestNode::reloads).collect();
    let writer = engine(&etcd);
    let start = Instant::now();
    for number in 0..changes {
        let name = format!("w{number}");
        let patch = json!({"streams": {name: {"urls": [{"url": "udp://239.0.0.1:1234"}]}}});
        let change = RequestedChange::Modify(Cow::Owned(Request::from(patch)));
        writer.change(change, &ChangeOptions::default()).expect("no other client writes");
    }
    let took = start.elapsed();
    let text = cluster(&etcd, &["read", "-o", "conf"]).exits(0).out;
    assert_eq!(text.matches("stream w").count(), changes, "each change is there");
    nodes.iter().for_each(|node| node.until_text(&text));
    let reloads = nodes.iter().zip(before).map(|(node, before)| node.reloads() - before);
    let most = reloads.max().unwrap_or_default();
    println!("{changes} changes in {took:?}: at most {most} reloads on each of {count} nodes");
    // A long burst is at most ten reloads a second.
    let allowed = RELOADS + 10 * usize::try_from(took.as_secs()).expect("it is not that long");
    assert!(most < allowed, "{most} reloads in {took:?}");
}

#[test]
fn a_burst_of_changes_is_a_few_reloads_on_each_node() {
    a_burst_is_a_few_reloads(3, 40);
}

#[test]
#[ignore = "starts 50 nodes"]
fn a_burst_of_200_changes_is_a_few_reloads_on_each_of_50_nodes() {
    a_burst_is_a_few_reloads(50, 200);
}

fn a_node_cut_off_is_soon_back(time: Duration) {
    let Some(etcd) = with_sample(1) else { return };
    let link = Proxy::to(etcd.address(0));
    let url = format!("etcd://{}{PREFIX}", link.address);
    let node = TestNode::start_in(Place::empty(), &url, "far", &COUNTING);
    node.until_at(1);
    link.hold([true; 2]);
    let_pass(time);
    node.until("away", |report| report["away"] != Value::Null);
    set(&etcd, "600", &[]).exits(0);
    assert_eq!(node.place.text(), SAMPLE);
    link.hold([false; 2]);
    let back = Instant::now();
    node.until_port("600");
    let took = back.elapsed();
    println!("cut off for {time:?}, it was there {took:?} after its return");
    assert!(took < RETURN * OTHER_WORK, "{took:?}");
}

#[test]
fn a_node_that_was_cut_off_is_there_within_two_seconds_of_its_return() {
    a_node_cut_off_is_soon_back(Duration::from_secs(1));
}

#[test]
#[ignore = "takes a minute"]
fn a_node_that_was_cut_off_for_a_minute_is_there_within_two_seconds_of_its_return() {
    a_node_cut_off_is_soon_back(Duration::from_secs(60));
}

/// Nodes and members are killed and stopped; then all nodes have the head. [`super::storm`] does so with more of them.
#[test]
fn nodes_converge_when_members_and_nodes_are_killed() {
    let Some(mut etcd) = with_sample(3) else { return };
    let mut nodes = ["a", "b"].map(|name| TestNode::start(&etcd, name, &COUNTING));
    for round in 0..2 {
        let port = (600 + round).to_string();
        nodes[round].kill();
        match round {
            0 => etcd.pause(round),
            _ => etcd.kill(round),
        }
        // Two of three members are enough.
        set(&etcd, &port, &[]).exits(0);
        nodes[round].go();
        match round {
            0 => etcd.go_on(round),
            _ => etcd.run(round),
        }
        nodes.iter().for_each(|node| node.until_port(&port));
    }
    let head = cluster(&etcd, &["read", "-o", "conf"]).exits(0).out;
    nodes.iter().for_each(|node| assert_eq!(node.place.text(), head));
}
