//! What differs on single nodes is a part of the state: it is changed, confirmed, shown and rolled back as the text is.

use std::time::Duration;

use serde_json::{Value, json};

use super::etcd::Etcd;
use super::nodes::{COUNTING, PREFIX, TestNode, cluster, with_rtsp, with_sample};
use crate::cli::watch::Watching;
use crate::cli::{CONF, Place, Run, SAMPLE};
use crate::waiting::{eventually, let_pass};

/// The overlays, as JSON.
fn overlays(etcd: &Etcd) -> Value {
    cluster(etcd, &["overlay", "list", "-o", "json"]).exits(0).json()
}

fn running(etcd: &Etcd, name: &str, options: &[&str]) -> TestNode {
    let node = TestNode::start(etcd, name, options);
    node.until("running", |report| report["state"] == "running" && report["away"] == Value::Null);
    node
}

#[test]
fn an_overlay_is_changed_with_a_serial_a_message_and_an_entry_of_the_history() {
    let Some(etcd) = with_sample(1) else { return };
    cluster(&etcd, &["overlay", "set", "a", "--set", "rtsp=8554", "--create", "-m", "#231"])
        .exits(0)
        .prints("overlay a")
        .prints("8554")
        .says("changed");
    cluster(&etcd, &["overlay", "set", "a", "--set", "rtsp=8554"]).exits(0).says("nothing to change");
    let dry = ["overlay", "set", "a", "--set", "rtsp=9554", "--dry-run", "--exit-code"];
    cluster(&etcd, &dry).exits(10).says("would change");
    cluster(&etcd, &["overlay", "set", "@edge", "--set", "edit_auth.password=hunter3", "--create"])
        .exits(0)
        .hides("hunter3");
    cluster(&etcd, &["overlay", "remove", "a"]).exits(0);
    let history = cluster(&etcd, &["history"]).exits(0);
    history.prints("#231").prints("a: rtsp").prints("@edge: edit_auth").hides("hunter3");
    let entries = cluster(&etcd, &["history", "-o", "json"]).exits(0).json();
    let operations: Vec<&str> =
        entries.as_array().expect("a list").iter().filter_map(|entry| entry["operation"].as_str()).collect();
    assert_eq!(operations, ["overlay", "overlay", "overlay", "save"]);
    assert_eq!(entries[0]["before"], entries[0]["after"], "the text is the same");
    assert_eq!(overlays(&etcd)[0]["node"], "@edge");
    assert_eq!(cluster(&etcd, &["read", "-o", "conf", "--show-secrets"]).out, SAMPLE);
    // It is refused as every change is, for which another one waits.
    cluster(&etcd, &["modify", "--set", "rtsp=556", "--confirm", "60", "-q"]).exits(0);
    cluster(&etcd, &["overlay", "remove", "@edge"]).exits(5).says("waits to be confirmed");
}

#[test]
fn a_change_to_be_confirmed_that_makes_no_difference_to_a_node_does_not_hold_it() {
    let Some(etcd) = with_sample(1) else { return };
    let node = TestNode::start(&etcd, "a", &[]);
    node.until("running", |report| report["serial"] == 1 && report["away"] == Value::Null);
    let set = ["overlay", "set", "b", "--create", "--set", "rtsp=555", "--confirm", "600", "-q"];
    cluster(&etcd, &set).exits(0);
    node.until("at the change", |report| report["serial"] == 2);
    // It looks each second.
    let_pass(Duration::from_secs(3));
    assert_eq!(node.report()["state"], "running");
    cluster(&etcd, &["confirm"]).exits(0);
    cluster(&etcd, &["modify", "--set", "rtsp=556", "-q"]).exits(0);
    node.until_text(&with_rtsp("556"));
}

#[test]
fn an_overlay_that_is_not_confirmed_goes_back() {
    let Some(etcd) = with_sample(1) else { return };
    let node = running(&etcd, "a", &[]);
    let set = |rtsp: &str, time: &str| {
        let set = format!("rtsp={rtsp}");
        cluster(&etcd, &["overlay", "set", "a", "--set", &set, "--confirm", time, "-q"]).exits(0)
    };
    set("8554", "60");
    node.until_text(&with_rtsp("8554"));
    cluster(&etcd, &["confirm"]).exits(0);
    set("8555", "60");
    node.until_text(&with_rtsp("8555"));
    cluster(&etcd, &["confirm", "--revert"]).exits(0);
    node.until_text(&with_rtsp("8554"));
    set("8556", "2");
    node.until_text(&with_rtsp("8556"));
    node.until_text(&with_rtsp("8554"));
    eventually(|| overlays(&etcd) == json!([{"node": "a", "patch": {"rtsp": 8554}}]));
    let failed = ["overlay", "set", "a", "--set", "rtsp=8557", "--reload-cmd", "false"];
    cluster(&etcd, &failed).exits(9).says("the old configuration is back");
    assert_eq!(overlays(&etcd), json!([{"node": "a", "patch": {"rtsp": 8554}}]));
    // The text that is written next has what was there before.
    cluster(&etcd, &["modify", "--set", "streams.cam1.prepush=9", "--wait", "60s"]).exits(0);
    node.until_text(&with_rtsp("8554").replace("prepush 5", "prepush 9"));
}

#[test]
fn an_overlay_goes_to_some_nodes_first() {
    let Some(etcd) = with_sample(1) else { return };
    let picky = ["--check-cmd", "! grep -q 'rtsp 666' $MEDIACTL_TEXT", "--node-group", "edge"];
    let a = running(&etcd, "a", &[&picky[..], &COUNTING].concat());
    let b = running(&etcd, "b", &[&["--node-group", "edge"][..], &COUNTING].concat());
    let before = b.reloads();
    let set = |rtsp: &str| {
        let set = format!("rtsp={rtsp}");
        let canary = ["--canary", "a", "--canary-time", "1s"];
        cluster(&etcd, &[&["overlay", "set", "@edge", "--set", &set][..], &canary].concat())
    };
    set("666").exits(6).says("`a` did not take it");
    assert_eq!((a.place.text(), b.reloads()), (SAMPLE.to_owned(), before), "b never had it");
    set("8554").exits(0);
    [&a, &b].iter().for_each(|node| node.until_text(&with_rtsp("8554")));
}

#[test]
fn a_rollback_takes_overlays_and_text_back_together_and_gives_nobody_the_ports_of_another() {
    let Some(etcd) = with_sample(1) else { return };
    let (a, b) = (running(&etcd, "a", &[]), running(&etcd, "b", &[]));
    let run = |arguments: &[&str]| cluster(&etcd, &[arguments, &["--wait", "60s"]].concat()).exits(0);
    run(&["overlay", "set", "a", "--set", "rtsp=8554"]);
    run(&["modify", "--set", "streams.cam1.prepush=9"]);
    run(&["overlay", "remove", "a"]);
    let nine = |rtsp: &str| with_rtsp(rtsp).replace("prepush 5", "prepush 9");
    a.until_text(&nine("554"));
    // The history of the node has texts with its port, present and removed; the cluster goes back to the serial.
    a.run(&["rollback", "1"]).exits(0);
    a.until_text(&nine("8554"));
    b.until_text(&nine("554"));
    assert_eq!(overlays(&etcd), json!([{"node": "a", "patch": {"rtsp": 8554}}]));
    a.run(&["rollback", "3"]).exits(0);
    a.until_text(&with_rtsp("8554"));
    b.until_text(SAMPLE);
    a.run(&["rollback", "serial:1"]).exits(7).says("cluster");
    run(&["rollback", "serial:2"]);
    a.until_text(SAMPLE);
    assert_eq!(overlays(&etcd), json!([]));
    // A text of the node that is no state of the cluster.
    a.place.put(CONF, with_rtsp("777"));
    run(&["modify", "--set", "streams.cam1.prepush=8"]);
    a.run(&["rollback", "1"]).exits(7).says("no text of the cluster");
}

#[test]
fn a_node_that_was_never_there_is_nearly_another_one() {
    let Some(etcd) = with_sample(1) else { return };
    // Nobody can be meant yet.
    cluster(&etcd, &["overlay", "set", "early", "--set", "rtsp=1"]).exits(0);
    let _node = running(&etcd, "edge7", &["--node-group", "edge"]);
    eventually(|| cluster(&etcd, &["status"]).out.contains("edge7"));
    let set = |name: &str, options: &[&str]| {
        cluster(&etcd, &[&["overlay", "set", name, "--set", "rtsp=8554"], options].concat())
    };
    set("egde7", &[])
        .exits(3)
        .says("there is no node `egde7`")
        .says("did you mean `edge7`?")
        .says("--create");
    set("@egde", &[]).exits(3).says("there is no group `@egde`").says("did you mean `@edge`?");
    set("edge7", &[]).exits(0);
    set("@edge", &[]).exits(0);
    set("edge9", &["--create"]).exits(0);
    set("edge9", &["-q"]).exits(0);
}

#[test]
fn a_change_of_an_overlay_is_watched() {
    let Some(etcd) = with_sample(1) else { return };
    let place = Place::with(SAMPLE);
    let mut watching = Watching::begin(etcd.mediactl(&place, PREFIX, &["watch"]));
    cluster(&etcd, &["overlay", "set", "a", "--set", "rtsp=8554", "-m", "the reason"]).exits(0);
    let lines = watching.until("#2 overlay");
    let line = lines.last().expect("it is there");
    assert!(line.contains("the reason") && line.contains("a: rtsp"), "{line}");
}

#[test]
fn the_history_of_a_node_names_what_made_each_change_in_the_cluster() {
    let Some(etcd) = with_sample(1) else { return };
    let node = running(&etcd, "a", &[]);
    let run = |arguments: &[&str]| cluster(&etcd, &[arguments, &["--wait", "60s"]].concat()).exits(0);
    run(&["overlay", "set", "a", "--set", "rtsp=8554", "-m", "its port"]);
    run(&["rm", "streams.cam1"]);
    run(&["modify", "--set", "rtsp=1", "--set", "title=x"]);
    run(&["overlay", "remove", "a"]);
    run(&["rollback", "1"]);
    cluster(&etcd, &["modify", "--set", "title=y", "--confirm", "60", "-q"]).exits(0);
    node.until("at 7", |report| report["serial"] == 7);
    cluster(&etcd, &["confirm", "--revert"]).exits(0);
    node.until("at 8", |report| report["serial"] == 8);
    let told = |run: &Run| -> Vec<String> {
        let entries = run.json();
        let operation = |entry: &Value| entry["operation"].as_str().expect("it has one").to_owned();
        entries.as_array().expect("a list").iter().map(operation).collect()
    };
    let own = node.run(&["history", "-o", "json"]);
    let all = cluster(&etcd, &["history", "-o", "json"]);
    let made = ["revert", "modify", "rollback", "overlay", "modify", "rm", "overlay", "save"];
    assert_eq!(
        (told(&own), told(&all)),
        (made.map(str::to_owned).to_vec(), made.map(str::to_owned).to_vec())
    );
    node.run(&["status"]).prints("revert");
    node.run(&["history"]).prints("its port");
}

#[test]
fn the_history_and_a_diff_show_whose_overlay_changed_and_how() {
    let Some(etcd) = with_sample(1) else { return };
    cluster(&etcd, &["overlay", "set", "a", "--set", "rtsp=8554"]).exits(0);
    cluster(&etcd, &["modify", "--set", "title=x"]).exits(0);
    cluster(&etcd, &["overlay", "set", "@edge", "--set", "edit_auth.password=hunter3", "--create"]).exits(0);
    cluster(&etcd, &["overlay", "set", "a", "--set", "rtsp=8555", "--unset", "title"]).exits(0);
    let diff = |arguments: &[&str]| cluster(&etcd, &[&["diff"][..], arguments].concat());
    diff(&["@1"])
        .exits(1)
        .prints("\"overlay a\"")
        .prints("-    \"rtsp\": 8554")
        .prints("+    \"title\": null")
        .hides("edge");
    diff(&["@2", "@1"]).exits(1).prints("\"overlay @edge\"").prints("password").hides("hunter3");
    diff(&["@3"]).exits(1).prints("title x").prints("overlay a").prints("overlay @edge").hides("hunter3");
    let patch = diff(&["--json", "@1"]).exits(1);
    patch.says("overlays differ, too").says("a: rtsp").prints("{}");
    diff(&["@1", "--where", "prepush=5"]).exits(0);
    diff(&[CONF]).exits(1).hides("overlay");
    let history = |arguments: &[&str]| cluster(&etcd, &[&["history"][..], arguments].concat()).exits(0);
    let patches = history(&["-p"]).hides("hunter3");
    assert_eq!(patches.out.matches("\"overlay a\"").count(), 3, "{patches:#?}");
    patches.prints("overlay @edge").prints("+    \"rtsp\": 8554").prints("title x");
    assert_eq!(history(&["a: rtsp"]).out.lines().count(), 2);
    assert_eq!(history(&["a: title"]).out.lines().count(), 1, "it is removed there");
    history(&["-p", "a: rtsp"]).prints("-8554").prints("+8555").hides("\"title\"");
    history(&["-p", "@edge: edit_auth.password"]).prints("#4").hides("hunter3");
    history(&["b: rtsp"]).says("`b: rtsp` was never changed");
    Place::with(SAMPLE).run(["history", "a: rtsp"]).exits(7).says("overlays are in a cluster");
}

#[test]
fn a_node_is_told_of_what_it_would_run() {
    let Some(etcd) = with_sample(1) else { return };
    let node = running(&etcd, "a", &["--node-group", "edge"]);
    let set = |name: &str, assignment: &str, options: &[&str]| {
        cluster(&etcd, &[&["overlay", "set", name, "--set", assignment], options].concat())
    };
    for nothing in ["streams.cam1.urls=[]", "streams.cam1.urls=null"] {
        set("a", nothing, &["--dry-run"]).exits(0).says("`a: streams.cam1`: the stream has no source");
        set("a", nothing, &["--strict"]).exits(3).says("the stream has no source");
    }
    // Each is right alone, and the node would run both.
    set("a", "streams.cam1.prepush=9", &[]).exits(0);
    let unset = ["overlay", "set", "@edge", "--unset", "streams.cam1", "--create"];
    cluster(&etcd, &unset)
        .exits(3)
        .says("the overlays `@edge` and `a` together would make `streams.cam1` without");
    set("a", "rtsp=8554", &[]).exits(0);
    node.until_text(&with_rtsp("8554").replace("prepush 5", "prepush 9"));
    // What the node hides, it says.
    let told = "`rtsp`: the overlay of `a` hides the value here";
    let changed = node.run(&["modify", "--set", "rtsp=555", "-o", "change-json"]).exits(0).json();
    assert!(changed["warnings"][0].as_str().is_some_and(|warning| warning.starts_with(told)), "{changed}");
    node.run(&["modify", "--set", "rtsp=555"]).exits(0).says("nothing to change").says(told);
    node.run(&["modify", "--set", "rtsp=556", "--dry-run"]).exits(0).says(told);
    let (_, answer) = node.post("modify_config", r#"{"rtsp": 556}"#);
    assert!(answer.contains("new-warning rtsp the overlay of `a` hides the value here"), "{answer}");
    let title = node.run(&["modify", "--set", "title=x"]).exits(0);
    assert!(!title.err.contains("hides"), "{title:#?}");
    cluster(&etcd, &["modify", "--set", "rtsp=557"]).exits(0);
}
