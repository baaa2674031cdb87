//! A member of etcd that is stopped: it keeps all connections and answers nothing.

use std::fs;
use std::time::{Duration, Instant};

use xxhash_rust::xxh3::xxh3_64;

use super::nodes::{TestNode, cluster, with_rtsp, with_sample};
use crate::cli::CONF;
use crate::waiting::until;

/// A node that looks without being woken up does so after 3.75 seconds at the earliest.
const BEFORE_POLL: Duration = Duration::from_secs(3);

#[test]
fn a_stopped_member_does_not_keep_its_nodes_from_a_change() {
    let Some(etcd) = with_sample(3) else { return };
    let follower = (etcd.leader() + 1) % 3;
    // Nodes are spread over the members by their names.
    let is_its = |name: &String| usize::try_from(xxh3_64(name.as_bytes()) % 3) == Ok(follower);
    let name = (0..).map(|number| format!("edge{number}")).find(is_its).expect("there is one");
    let node = TestNode::start(&etcd, &name, &[]);
    node.until("running", |report| report["serial"] == 1 && report["away"].is_null());
    let change = |port: &str| {
        cluster(&etcd, &["modify", "-q", "--set", &format!("rtsp={port}")]).exits(0);
        let begin = Instant::now();
        let has = || fs::read_to_string(node.place.path(CONF)).ok().filter(|text| *text == with_rtsp(port));
        until("it does not have the change", has);
        begin.elapsed()
    };
    // The watches have begun.
    change("600");
    etcd.pause(follower);
    let times = ["601", "602", "603"].map(change);
    etcd.go_on(follower);
    println!("a change was there after {times:?}");
    assert!(times.iter().all(|time| *time < BEFORE_POLL), "{times:?}");
}
