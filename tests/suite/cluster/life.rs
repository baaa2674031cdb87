//! The life of a node: what it tries again, what it waits for, what it may not do, and what its log says.

use std::fs;

use serde_json::{Value, json};

use super::etcd::{Etcd, PASSWORD, grant};
use super::nodes::{PREFIX, TestNode, cluster, set, with_sample};
use crate::cli::{CONF, Place, SAMPLE, with_rtsp};

#[test]
fn what_a_node_does_not_take_is_tried_again() {
    let Some(etcd) = with_sample(1) else { return };
    let reload = ["--reload-cmd", "test ! -e broken && echo >> reloads"];
    let failing = TestNode::following(&etcd, "failing", &reload);
    let picky = TestNode::following(&etcd, "picky", &["--check-cmd", "test ! -e broken"]);
    let breaks = |node: &TestNode, port: &str| {
        node.place.put("broken", "");
        set(&etcd, port, &[]).exits(0);
        node.until_state("failed");
        fs::remove_file(node.place.path("broken")).expect("it is there");
    };
    breaks(&picky, "555");
    picky.server.as_ref().expect("it runs").hang_up();
    [&failing, &picky].iter().for_each(|node| node.until_port("555"));
    // By itself, after a minute.
    breaks(&failing, "556");
    failing.until_port("556");
}

#[test]
fn a_new_node_begins_with_the_text_of_the_cluster_or_not_at_all() {
    let Some(mut etcd) = Etcd::start(1) else { return };
    let place = Place::empty();
    let url = etcd.url(PREFIX);
    let serve = || place.mediactl(["--cluster", &url, "serve", "--listen", "none", "--node", "a"]).run();
    etcd.kill(0);
    serve().exits(7).says("cannot reach");
    etcd.run(0);
    etcd.wait_until_ready();
    serve().exits(7).says("has no configuration yet").says("save FILE");
    assert!(!place.names().iter().any(|name| name == CONF));
    cluster(&etcd, &["save", CONF]).exits(0);
    TestNode::start_in(Place::empty(), &url, "a", &[]).until_text(SAMPLE);
    // A file that is there is kept in its history.
    let own = with_rtsp("1000");
    let node = TestNode::start_in(Place::with(&own), &url, "new", &[]);
    node.until_text(SAMPLE);
    assert_eq!(node.run(&["history", "show", "last", "--show-secrets"]).exits(0).out, own);
    place.run(["--cluster", &url, "serve"]).exits(2).says("--node NAME");
    place.run(["serve", "--node", "x"]).exits(2).says("needs a cluster");
}

/// A follower that may only read, one that may put its own record, and one whose password is wrong.
#[test]
fn what_etcd_does_not_let_a_node_do_is_told_in_its_own_words() {
    let Some(etcd) = with_sample(1) else { return };
    let below = |name: &str| format!("{PREFIX}/{name}");
    let [all, node, member] = ["", "node/follower", "member/follower"].map(below);
    let own = [("READ", &*all, true), ("READWRITE", &node, false), ("READWRITE", &member, false)];
    let [olga, reader] = ["READWRITE", "READ"].map(|right| [(right, &*all, true)]);
    etcd.add_users(&[("olga", &olga), ("reader", &reader), ("follower", &own)]);
    let start =
        |name: &str, password: &str| TestNode::logged_in(&etcd, Place::with(SAMPLE), (name, name), password);
    let (mut reader, follower, mut stranger) =
        (start("reader", PASSWORD), start("follower", PASSWORD), start("olga", "wrong"));
    let why = |report: &Value| report["why"].as_str().unwrap_or_default().to_owned();
    let report = reader.until_state("denied");
    assert!(why(&report).contains("put its record: permission denied"), "{report}");
    follower.until_well();
    let report = stranger.until_state("denied");
    assert!(why(&report).contains("let this node read: authentication failed"), "{report}");
    // It follows all the same.
    let place = Place::with(SAMPLE);
    let olga = |arguments: &[&str]| {
        let call = etcd.mediactl(&place, PREFIX, arguments);
        call.account("olga", PASSWORD).run()
    };
    olga(&["modify", "-q", "--set", "rtsp=555"]).exits(0);
    [&reader, &follower].iter().for_each(|node| node.until_port("555"));
    let status = olga(&["status", "-o", "json"]).json();
    let nodes = status["nodes"].as_array().expect("there are nodes");
    assert_eq!(nodes.iter().map(|node| &node["node"]).collect::<Vec<_>>(), [&json!("follower")]);
    // With the right, and once it is asked to look, it is as any other.
    for kind in ["node", "member"] {
        let granted = grant("reader", ("READWRITE", &below(&format!("{kind}/reader")), false));
        assert!(etcd.ask_as_root("auth/role/grant", &granted)["header"].is_object());
    }
    reader.server.as_ref().expect("it runs").hang_up();
    reader.until_state("running");
    let log = reader.server.take().expect("it runs").stop();
    log.says("denied: etcd does not let this node put its record: permission denied");
    let log = stranger.server.take().expect("it runs").stop();
    assert_eq!(log.err.matches("denied: ").count(), 1, "it is told once: {}", log.err);
    log.says("does not let this node read").hides("wrong");
}
