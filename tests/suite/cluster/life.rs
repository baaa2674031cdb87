//! The life of a node: what it tries again, what it waits for, what it may not do, and what it has of its own in a file that
//! the text of the cluster includes.

use std::fs;

use rustix::process::Signal;
use serde_json::{Value, json};

use super::confirmed::until_nothing_waits;
use super::etcd::{Etcd, PASSWORD, grant};
use super::nodes::{COUNTING, PREFIX, TestNode, cluster, set, text, with_sample};
use crate::cli::{CONF, Place, SAMPLE, with_rtsp};
use crate::waiting::until;

#[test]
fn what_a_node_does_not_take_is_tried_again() {
    let Some(etcd) = with_sample(1) else { return };
    let reload = ["--reload-cmd", "test ! -e broken && echo >> reloads"];
    let failing = TestNode::following(&etcd, "failing", &reload);
    let picky = TestNode::following(&etcd, "picky", &["--check-cmd", "test ! -e broken"]);
    let breaks = |node: &TestNode, port: &str| {
        node.place.put("broken", "");
        set(&etcd, port, "-q").exits(0);
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
    let serve = || place.line(&format!("--cluster {url} serve --listen none --node a"));
    etcd.kill(0);
    serve().exits(7).says("cannot reach");
    etcd.run(0);
    etcd.wait_until_ready();
    serve().exits(7).says("has no configuration yet").says("save FILE");
    assert!(!place.names().iter().any(|name| name == CONF));
    cluster(&etcd, "save media.conf").exits(0);
    TestNode::start_in(Place::empty(), &url, "a", &[]).until_text(SAMPLE);
    // A file that is there is kept in its history.
    let own = with_rtsp("1000");
    let node = TestNode::start_in(Place::with(&own), &url, "new", &[]);
    node.until_text(SAMPLE);
    assert_eq!(node.run("history show last --show-secrets").exits(0).out, own);
    place.line(&format!("--cluster {url} serve")).exits(2).says("--node NAME");
    place.line("serve --node x").exits(2).says("needs a cluster");
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
    let olga = |line: &str| etcd.line(&place, PREFIX, line).account("olga", PASSWORD).run();
    olga("modify -q --set rtsp=555").exits(0);
    [&reader, &follower].iter().for_each(|node| node.until_port("555"));
    // A change that nobody confirms goes back there, too.
    for is_killed in [false, true] {
        olga("modify -q --set rtsp=556 --confirm 5s").exits(0);
        reader.until_port("556");
        if is_killed {
            reader.kill();
            reader.go();
        }
        reader.until_port("555");
        until_nothing_waits(olga);
    }
    let status = olga("status -o json").json();
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

const SHARED: &str = include_str!("../../../examples/cluster/shared.conf");
const LOCAL: &str = include_str!("../../../examples/cluster/local.conf");

const LOCAL_CONF: &str = "local.conf";

#[test]
fn nodes_have_values_of_their_own_in_a_file_that_the_text_includes() {
    let Some(etcd) = Etcd::start(1) else { return };
    let place = Place::with(SHARED);
    etcd.line(&place, PREFIX, "save media.conf --yes").run().exits(0);
    let other = LOCAL.replace("8087", "8088");
    let nodes = [("edge7", Some(LOCAL)), ("edge8", Some(&other)), ("edge9", None)].map(|(name, local)| {
        let place = Place::empty();
        local.into_iter().for_each(|local| place.put(LOCAL_CONF, local));
        TestNode::start_in(place, &etcd.url(PREFIX), name, &COUNTING)
    });
    let http = |node: &TestNode| node.run("read --with-includes").exits(0).json()["http"].clone();
    let wanted = [json!([8087]), json!([8088]), json!([])];
    let check = |text: &str, serial: u64| {
        for (node, wanted) in nodes.iter().zip(&wanted) {
            node.until_text(text);
            node.until("running", |report| report["state"] == "running" && report["serial"] == serial);
            assert_eq!(&http(node), wanted);
            node.run("check").exits(0).says("no errors, no warnings");
        }
    };
    check(SHARED, 1);
    // A change goes to all, and what a node has of its own to nobody.
    let title = nodes[0].run("modify --set streams.cam1.title=x -o json").exits(0);
    assert!(!title.out.contains("8087"), "{title:#?}");
    check(&text(&etcd), 2);
    nodes[1].run("rollback last").exits(0);
    check(SHARED, 3);
    // Another file is loaded with the next signal.
    let loads = |local: &str| {
        let reloads = nodes[0].reloads();
        nodes[0].place.put(LOCAL_CONF, local);
        nodes[0].signal(Signal::HUP);
        until("it is not loaded", || (nodes[0].reloads() > reloads).then_some(()));
    };
    loads(&LOCAL.replace("8087", "8089"));
    assert_eq!((http(&nodes[0]), nodes[1].reloads()), (json!([8089]), 3));
    // A text that is wrong together with the file of a node is not taken there.
    loads("stream own { url udp://239.0.0.9:1; }\n");
    let reloads = nodes[0].reloads();
    cluster(&etcd, "add stream own udp://239.0.0.8:1 -q").exits(0);
    nodes[1].until("running", |report| report["state"] == "running" && report["serial"] == 4);
    let report = nodes[0].until_state("failed");
    assert!(report["why"].as_str().is_some_and(|why| why.contains("`own` is defined twice")), "{report}");
    assert_eq!((&*nodes[0].place.text(), nodes[0].reloads()), (SHARED, reloads), "it goes on");
    cluster(&etcd, "status").prints("failed").prints("defined twice");
    // It is asked for on the node: there nothing is made for all.
    let asked = nodes[0].run("modify --set rtsp=555");
    assert_ne!(asked.code, Some(0), "{asked:#?}");
    // Its file is put right.
    loads(LOCAL);
    nodes[0].until("running", |report| report["state"] == "running" && report["serial"] == report["wanted"]);
}
