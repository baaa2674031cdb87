//! A cluster that was restored from a back-up does not roll its nodes back without a word.

use std::fs;
use std::path::{Path, PathBuf};

use mediactl::store::etcd::{GatewaySettings, KeyOperation, KeyRange};
use serde_json::{Value, json};

use super::etcd::Etcd;
use super::nodes::{PREFIX, TestNode, cluster, made_everywhere, set, with_sample, write};
use crate::cli::{SAMPLE, copy, with_rtsp};

fn back_up(etcd: &mut Etcd, name: &str) -> PathBuf {
    let kept = etcd.data(0).with_extension(name);
    etcd.kill(0);
    copy(&etcd.data(0), &kept);
    etcd.run(0);
    etcd.wait_until_ready();
    kept
}

fn restore(etcd: &mut Etcd, kept: &Path) {
    etcd.kill(0);
    fs::remove_dir_all(etcd.data(0)).expect("it is there");
    copy(kept, &etcd.data(0));
    etcd.run(0);
    etcd.wait_until_ready();
}

#[test]
fn a_restored_cluster_holds_its_nodes_until_it_is_adopted() {
    let Some(mut etcd) = with_sample(1) else { return };
    let mut node = TestNode::following(&etcd, "a", &[]);
    cluster(&etcd, "cluster adopt --yes").exits(0).says("no node is held, so nothing was changed");

    let kept = back_up(&mut etcd, "kept");
    for rtsp in ["555", "556"] {
        made_everywhere(&etcd, &format!("modify --set rtsp={rtsp}"));
    }
    restore(&mut etcd, &kept);

    node.until_state("held");
    assert_eq!(node.place.text(), with_rtsp("556"));
    let status = cluster(&etcd, "status --exit-code").exits(11);
    status.prints("held").prints("was a back-up restored?");
    // It stays held, whatever is written there, and after a restart.
    for rtsp in ["600", "601", "602"] {
        set(&etcd, rtsp, "").exits(0);
    }
    cluster(&etcd, "wait --rolled-out --timeout 1").exits(11).says("a runs 3, held");
    node.kill();
    node.go();
    node.until("held", |report| report["state"] == "held" && report["away"] == Value::Null);
    assert_eq!(node.place.text(), with_rtsp("556"));

    // One that is gone comes back to another cluster.
    let store = etcd.store(PREFIX, GatewaySettings::default());
    let gone = json!({"since": "", "heard": "2026-01-01T00:00:00Z", "version": "1", "serial": 9});
    write(&store, vec![KeyOperation::put(&store.keys.member("b"), gone.to_string())]);
    // Without a terminal nobody agreed.
    let asked = cluster(&etcd, "cluster adopt").exits(6);
    let asked = asked.says("b is gone, and ran 9: if it comes back, it takes the text of the cluster, too");
    asked.says("a runs 3 and is held").says("lose the later changes that they run").says("`--yes` agrees");
    let adopted = cluster(&etcd, "cluster adopt --yes").exits(0);
    adopted.says("adopted: the cluster goes on with change 5");
    node.until_port("602");
    node.until("running", |report| report["state"] == "running" && report["serial"] == 5);
    cluster(&etcd, "cluster forget b").exits(0);
    made_everywhere(&etcd, "modify --set rtsp=603");
    let history = cluster(&etcd, "history -n 2 -o json").exits(0).json();
    assert_eq!(
        (&history[0]["paths"]["first"], &history[1]["operation"]),
        (&json!(["rtsp"]), &json!("adopt"))
    );
}

/// A node goes back from a change that was not confirmed as far as it knows, and an adoption confirms nothing.
#[test]
fn an_unconfirmed_change_goes_with_the_cluster_that_had_it() {
    let Some(mut etcd) = with_sample(1) else { return };
    let node = TestNode::following(&etcd, "a", &[]);
    let without = back_up(&mut etcd, "without");
    set(&etcd, "555", "--confirm 600 -q").exits(0);
    node.until_at(2);
    let with = back_up(&mut etcd, "with");
    restore(&mut etcd, &without);
    node.until("back", |report| report["serial"] == 1 && report["state"] == "running");
    assert_eq!(node.place.text(), SAMPLE);
    cluster(&etcd, "status --exit-code").exits(0);
    restore(&mut etcd, &with);
    node.until_at(2);
    cluster(&etcd, "confirm").exits(0);
    made_everywhere(&etcd, "modify --set rtsp=556");
    restore(&mut etcd, &with);
    node.until_state("held");
    cluster(&etcd, "cluster adopt --yes").exits(5).says("confirm --rollback");
    let store = etcd.store(PREFIX, GatewaySettings::default());
    write(&store, vec![KeyOperation::Delete(KeyRange::one(&store.keys.pending))]);
    let adopted = cluster(&etcd, "cluster adopt --yes").exits(0);
    adopted.says("adopted: the cluster goes on with change 4");
    node.until_text(SAMPLE);
    cluster(&etcd, "read rtsp").exits(0).prints("554");
}
