//! What differs on single nodes: a file of each that the text of the cluster includes. A node checks both together.

use serde_json::json;

use super::etcd::Etcd;
use super::nodes::{COUNTING, PREFIX, TestNode, cluster, with_sample};
use crate::cli::{CONF, Place, Run, with_rtsp};
use crate::waiting::until;

const SHARED: &str = include_str!("../../../examples/cluster/shared.conf");
const LOCAL: &str = include_str!("../../../examples/cluster/local.conf");

const LOCAL_CONF: &str = "local.conf";

/// Starts a node that has such a file, or none.
fn start(etcd: &Etcd, name: &str, local: Option<&str>) -> TestNode {
    let place = Place::empty();
    if let Some(local) = local {
        place.put(LOCAL_CONF, local);
    }
    TestNode::start_in(place, &etcd.url(PREFIX), name, &COUNTING)
}

#[test]
fn nodes_have_values_of_their_own_in_a_file_that_the_text_includes() {
    let Some(etcd) = Etcd::start(1) else { return };
    let place = Place::with(SHARED);
    etcd.mediactl(&place, PREFIX, &["save", CONF, "--yes"]).run().exits(0);
    let other = LOCAL.replace("8087", "8088");
    let nodes = [("edge7", Some(LOCAL)), ("edge8", Some(&other)), ("edge9", None)];
    let nodes = nodes.map(|(name, local)| start(&etcd, name, local));
    let http = |node: &TestNode| node.run(&["read", "--with-includes"]).exits(0).json()["http"].clone();
    let wanted = [json!([8087]), json!([8088]), json!([])];
    let check = |text: &str, serial: u64| {
        for (node, wanted) in nodes.iter().zip(&wanted) {
            node.until_text(text);
            node.until("running", |report| report["state"] == "running" && report["serial"] == serial);
            assert_eq!(&http(node), wanted);
            node.run(&["check"]).exits(0).says("no errors, no warnings");
        }
    };
    check(SHARED, 1);
    // A change goes to all, and what a node has of its own to nobody.
    let title = nodes[0].run(&["modify", "--set", "streams.cam1.title=x", "-o", "json"]).exits(0);
    assert!(!title.out.contains("8087"), "{title:#?}");
    let after = cluster(&etcd, &["read", "-o", "conf", "--show-secrets"]).exits(0).out;
    check(&after, 2);
    nodes[1].run(&["rollback", "last"]).exits(0);
    check(SHARED, 3);
    // Another file is loaded with the next signal.
    let reloads = nodes[0].reloads();
    nodes[0].place.put(LOCAL_CONF, LOCAL.replace("8087", "8089"));
    nodes[0].server.as_ref().expect("it runs").hang_up();
    until("it is not loaded", || (nodes[0].reloads() > reloads).then_some(()));
    assert_eq!((http(&nodes[0]), nodes[1].reloads()), (json!([8089]), 3));
}

#[test]
fn a_text_that_is_wrong_together_with_the_file_of_a_node_is_not_taken_there() {
    let Some(etcd) = with_sample(1) else { return };
    let include = |local: &str| format!("{local}include local*.conf;\n");
    let shared = include(&with_rtsp("554"));
    let node = start(&etcd, "a", Some("stream own { url udp://239.0.0.9:1; }\n"));
    let bare = start(&etcd, "b", None);
    let save = |text: &str| -> Run {
        etcd.mediactl(&Place::with(text), PREFIX, &["save", CONF, "--yes", "-q"]).run().exits(0)
    };
    save(&shared);
    [&node, &bare].iter().for_each(|node| node.until_text(&shared));
    node.until("running", |report| report["state"] == "running" && report["serial"] == 2);
    let reloads = node.reloads();
    let twice = format!("{shared}stream own {{ url udp://239.0.0.8:1; }}\n");
    save(&twice);
    bare.until_text(&twice);
    let report = node.until("failed", |report| report["state"] == "failed");
    assert!(report["why"].as_str().is_some_and(|why| why.contains("`own` is defined twice")), "{report}");
    assert_eq!((node.place.text(), node.reloads()), (shared.clone(), reloads), "it goes on with what it had");
    cluster(&etcd, &["status"]).prints("failed").prints("defined twice");
    // It is asked for on the node: there nothing is made for all.
    let asked = node.run(&["modify", "--set", "rtsp=555"]);
    assert_ne!(asked.code, Some(0), "{asked:#?}");
    // Its file is put right, and SIGHUP has it look again.
    node.place.put(LOCAL_CONF, "http 8087;\n");
    node.server.as_ref().expect("it runs").hang_up();
    node.until("running", |report| report["state"] == "running" && report["serial"] == report["wanted"]);
}
