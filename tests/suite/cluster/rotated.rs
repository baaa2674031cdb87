//! Passwords, certificates and keys are replaced while nodes are at work.

use std::fs;

use serde_json::json;

use super::etcd::PASSWORD;
use super::nodes::{PREFIX, TestNode, ask, with_rtsp, with_sample};
use super::secured::{certificates, start_with_tls, tls_of_olga};
use crate::cli::serve::Serving;
use crate::cli::{CONF, Place, SAMPLE};
use crate::waiting::{eventually, until};

#[test]
fn a_node_logs_in_once_and_once_more_after_a_restart_of_all_members() {
    const NODES: usize = 5;
    let Some(mut etcd) = with_sample(1) else { return };
    etcd.add_users(&[("olga", &[("READWRITE", &format!("{PREFIX}/"), true)])]);
    let start = |number: usize| {
        let name = format!("n{number}");
        TestNode::logged_in(&etcd, Place::with(SAMPLE), (&name, "olga"), PASSWORD)
    };
    let nodes: Vec<TestNode> = (0..NODES).map(start).collect();
    nodes.iter().for_each(|node| drop(node.until_well()));
    let logins = etcd.logins(0);
    assert!((NODES..=2 * NODES).contains(&logins), "{logins}");
    etcd.kill(0);
    etcd.run(0);
    eventually(|| nodes[0].run(&["modify", "--set", "rtsp=555"]).code == Some(0));
    nodes.iter().for_each(|node| node.until_port("555"));
    // A login that etcd had not written when it was killed is done again at its start, and its token holds.
    let logins = etcd.logins(0);
    assert!((1..=3 * NODES).contains(&logins), "{logins}");
}

#[test]
fn a_password_is_replaced_without_a_restart() {
    let Some(mut etcd) = with_sample(1) else { return };
    etcd.add_users(&[("olga", &[("READWRITE", &format!("{PREFIX}/"), true)])]);
    let node = TestNode::logged_in(&etcd, Place::with(SAMPLE), ("a", "olga"), PASSWORD);
    node.until_well();
    // The node and whoever asks it for changes use the old one, until the file has the new one.
    etcd.ask_as_root("auth/user/changepw", &json!({"name": "olga", "password": "other"}));
    etcd.kill(0);
    etcd.run(0);
    node.until_state("denied");
    node.place.put("password.new", "other\n");
    fs::rename(node.place.path("password.new"), node.place.path("password")).expect("it is there");
    node.until_well();
    node.run(&["modify", "--set", "rtsp=555"]).exits(0);
    assert_eq!(node.place.text(), with_rtsp("555"));
}

#[test]
fn certificates_and_keys_are_replaced_without_a_restart() {
    let place = Place::empty();
    certificates(&place.path(""), &["server", "olga"]);
    let Some(mut etcd) = start_with_tls(&place) else { return };
    let file = |name: &str| place.path(name).display().to_string();
    let url = etcd.url(PREFIX);
    let (authority, certificate, key) = (file("ca.pem"), file("olga.pem"), file("olga.key"));
    let identity = ["--cacert", &authority, "--cert", &certificate, "--key", &key, "--cluster", &url];
    let writer = Place::with(SAMPLE);
    let change = |arguments: &[&str]| {
        writer.mediactl(identity.iter().chain(arguments)).without("MEDIACTL_CONF").run().exits(0)
    };
    change(&["save", CONF, "-q"]);
    let own = ["--tls-cert", "server.pem", "--tls-key", "server.key"];
    let serve = ["serve", "--listen", "127.0.0.1:0", "--node", "a"];
    let node = Serving::of(place.mediactl(identity.iter().chain(&serve).chain(&own)), true);
    let has = |text: &str| until("it has another text", || Some(()).filter(|()| place.text() == text));
    has(SAMPLE);
    let reads = || place.remote(&node.url, &["--cacert", "ca.pem", "read", "rtsp"]).run();
    reads().exits(0).prints("554");
    // As the metrics of `docs/server.md` are on a node with certificates.
    for name in [
        "mediactl_node_state{state=\"running\"} 1",
        "mediactl_node_state{state=\"denied\"} 0",
        "mediactl_node_serial 1",
        "mediactl_cluster_serial 1",
        "mediactl_cluster_last_contact_seconds ",
    ] {
        until(name, || {
            let (status, metrics) = ask(&place, "GET /metrics", "");
            Some(()).filter(|()| status == 200 && metrics.contains(&format!("\n{name}")))
        });
    }
    // Another authority: all that was signed before is worth nothing now.
    certificates(&place.path(""), &["server", "olga"]);
    etcd.kill(0);
    etcd.run(0);
    etcd.wait_until_ready_for(tls_of_olga(&place));
    change(&["modify", "-q", "--set", "rtsp=555"]);
    has(&with_rtsp("555"));
    eventually(|| reads().out.contains("555"));
    node.stop().exits(0);
}
