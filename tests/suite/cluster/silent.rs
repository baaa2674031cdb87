//! A member of etcd that is stopped: it keeps all connections and answers nothing.

use std::fs;
use std::time::{Duration, Instant};

use xxhash_rust::xxh3::xxh3_64;

use super::nodes::{TestNode, cluster, with_rtsp, with_sample};
use crate::cli::CONF;
use crate::waiting::until;

/// The longest delay of a change by a stopped member: a node looks each 5 s, and asks the next member after 1.5 s. A writer
/// waits 5 s for it.
const LONGEST_DELAY: Duration = Duration::from_secs(13);

/// How much slower a change may be than the slowest one before, because the machine is busy with something else.
const BUSY: u32 = 4;

#[test]
fn a_stopped_member_does_not_keep_its_nodes_from_a_change() {
    let Some(etcd) = with_sample(3) else { return };
    let follower = (etcd.leader() + 1) % 3;
    // Nodes are spread over the members by their names.
    let is_its = |name: &String| usize::try_from(xxh3_64(name.as_bytes()) % 3) == Ok(follower);
    let names = (0..).map(|number| format!("edge{number}")).filter(is_its).take(3);
    let nodes: Vec<TestNode> = names.map(|name| TestNode::start(&etcd, &name, &[])).collect();
    for node in &nodes {
        node.until("running", |report| report["serial"] == 1 && report["away"].is_null());
    }
    // The time until the first of them has a change: what delays one of them alone is not the member.
    let change = |port: &str| {
        cluster(&etcd, &["modify", "-q", "--set", &format!("rtsp={port}")]).exits(0);
        let begin = Instant::now();
        let has = |node: &TestNode| {
            fs::read_to_string(node.place.path(CONF)).is_ok_and(|text| text == with_rtsp(port))
        };
        until("no node has the change", || nodes.iter().any(has).then_some(()));
        let first = begin.elapsed();
        until("not all nodes have the change", || nodes.iter().all(has).then_some(()));
        first
    };
    // The watches have begun.
    change("600");
    let usual = ["601", "602", "603", "604"].map(change).into_iter().max().expect("there are some");
    etcd.pause(follower);
    let times = ["605", "606", "607"].map(change);
    etcd.go_on(follower);
    println!("a change was there after {times:?}, and before after {usual:?}");
    assert!(times.iter().all(|time| *time < LONGEST_DELAY + usual * BUSY), "{times:?} {usual:?}");
}
