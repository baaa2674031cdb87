//! Changes that are signed, and nodes that take no others: what somebody who owns etcd, but no key, can do.

use std::fs;

use mediactl::store::cluster::{ClusterStore, GatewaySettings, KeyOperation, KeyRange, Txn};
use serde_json::{Value, json};

use super::etcd::Etcd;
use super::nodes::{PREFIX, TestNode, with_rtsp};
use crate::cli::{CONF, Call, Place, Run, SAMPLE};
use crate::waiting::eventually;

/// A cluster whose changes are signed, with the keys `olga` and `hans`; nodes trust what `trusted` has.
struct Signed {
    etcd: Etcd,
    /// Writes into etcd without a key.
    intruder: ClusterStore,
    place: Place,
}

impl Signed {
    /// The cluster with the sample, signed by olga, whom the nodes trust.
    fn start() -> Option<Self> {
        let etcd = Etcd::start(1)?;
        let place = Place::with(SAMPLE);
        for name in ["olga", "hans"] {
            place.run(["cluster", "keygen", name]).exits(0);
        }
        fs::copy(place.path("olga.pub"), place.path("trusted")).expect("it can be copied");
        let signed = Self { intruder: etcd.store(PREFIX, GatewaySettings::default()), etcd, place };
        signed.run("olga", &["save", CONF]).exits(0);
        Some(signed)
    }

    fn path(&self, name: &str) -> String {
        self.place.path(name).display().to_string()
    }

    /// A command that signs with a key and trusts what the nodes trust; `""` is no key.
    fn run(&self, key: &str, arguments: &[&str]) -> Run {
        let (own, trusted) = (self.path(key), self.path("trusted"));
        let keys = ["--sign-key", &own, "--trust-key", &trusted];
        let keys = if key.is_empty() { &[][..] } else { &keys };
        self.etcd.mediactl(&self.place, PREFIX, &[keys, arguments].concat()).run()
    }

    /// A node that trusts the keys, with more options.
    fn node(&self, name: &str, options: &[&str]) -> TestNode {
        let trusted = self.path("trusted");
        TestNode::start(&self.etcd, name, &[&["--trust-key", &trusted], options].concat())
    }

    fn read(&self, key: &str) -> Value {
        let found = self.intruder.gateway().range(KeyRange::one(key)).expect("etcd answers").pop();
        serde_json::from_slice(&found.expect("it is there").value).expect("it is JSON")
    }

    fn head(&self) -> Value {
        self.read(&self.intruder.keys().head)
    }

    fn put(&self, key: &str, value: impl Into<Vec<u8>>) {
        let success = vec![KeyOperation::put(key, value)];
        self.intruder.gateway().txn(&Txn { success, ..Txn::default() }).expect("etcd answers");
    }

    fn put_head(&self, head: &Value) {
        self.put(&self.intruder.keys().head, head.to_string());
    }
}

/// A copy of a record with another value of a member.
fn with(record: &Value, member: &str, value: impl Into<Value>) -> Value {
    let mut record = record.clone();
    record[member] = value.into();
    record
}

fn is_unsigned(report: &Value) -> bool {
    report["state"] == "unsigned"
}

fn runs(serial: u64) -> impl Fn(&Value) -> bool {
    move |report| report["serial"] == serial && report["state"] == "running" && report["away"] == Value::Null
}

#[test]
fn a_node_takes_no_head_that_is_forged_stripped_or_of_another_key() {
    let Some(cluster) = Signed::start() else { return };
    let node = cluster.node("a", &[]);
    node.until("running", runs(1));
    let first = cluster.head();
    cluster.run("olga", &["modify", "--set", "rtsp=555"]).exits(0);
    node.until("running", runs(2));
    let signed = cluster.head();
    let stripped = with(&signed, "signature", Value::Null);
    for forged in [
        // The first text is one that the key has signed, but not as this change.
        with(&with(&signed, "text", first["text"].clone()), "serial", 3),
        with(&with(&stripped, "text", first["text"].clone()), "serial", 3),
        with(&signed, "adopts", json!(["0123"])),
        with(&signed, "signature", "x"),
        stripped.clone(),
    ] {
        cluster.put_head(&forged);
        node.until("unsigned", is_unsigned);
        assert_eq!(node.place.text(), with_rtsp("555"));
        cluster.run("olga", &["modify", "--set", "title=x"]).exits(4).says("is not taken");
        cluster.run("olga", &["read", "rtsp"]).exits(4);
        cluster.put_head(&signed);
        node.until("running", runs(2));
    }
    cluster.run("", &["status", "--exit-code"]).exits(0);
    // A writer without a key changes nothing that is signed; who trusts keys does not write without one.
    for arguments in [&["modify", "--set", "title=x"][..], &["save", CONF], &["rollback", "1"]] {
        cluster.run("", arguments).exits(4).says("`--sign-key FILE` signs it");
    }
    assert_eq!(cluster.head(), signed);
    // Another key signs a whole text of its own; nodes trust it once it is in their file.
    cluster
        .run("hans", &["modify", "--set", "rtsp=556"])
        .exits(4)
        .says("no key that is trusted has signed it");
    cluster.place.put("new.conf", with_rtsp("556"));
    let save = ["--sign-key", &cluster.path("hans"), "save", "new.conf"];
    cluster.etcd.mediactl(&cluster.place, PREFIX, &save).run().exits(0);
    node.until("unsigned", |report| is_unsigned(report) && report["wanted"] == 3);
    cluster.run("", &["status", "--exit-code"]).exits(11).prints("unsigned").prints("change 3");
    let keys =
        ["olga.pub", "hans.pub"].map(|key| fs::read_to_string(cluster.path(key)).expect("it is there"));
    fs::write(cluster.path("trusted"), keys.concat()).expect("it can be written");
    node.until("running", runs(3));
    assert_eq!(node.place.text(), with_rtsp("556"));
}

#[test]
fn a_whole_text_takes_the_place_of_what_nobody_signed_and_a_patch_does_not() {
    let Some(cluster) = Signed::start() else { return };
    let node = cluster.node("a", &[]);
    node.until("running", runs(1));
    cluster.place.put("wide.conf", SAMPLE.replace("rtsp 554;", "rtsp    554;"));
    cluster.run("olga", &["save", "wide.conf"]).exits(0);
    let head = cluster.head();
    cluster.put_head(&with(&with(&head, "signature", Value::Null), "serial", 3));
    node.until("unsigned", is_unsigned);
    cluster.place.put("new.conf", with_rtsp("557"));
    for arguments in
        [&["modify", "--set", "rtsp=556"][..], &["fmt"], &["save", "new.conf", "--confirm", "60"]]
    {
        cluster.run("olga", arguments).exits(4).says("it is not signed");
        assert_eq!(cluster.head()["serial"], 3, "{arguments:?}");
    }
    // The same text is signed, too.
    cluster.run("olga", &["save", "wide.conf"]).exits(0);
    node.until("running", runs(4));
    cluster.put_head(&with(&with(&cluster.head(), "signature", Value::Null), "serial", 5));
    node.until("unsigned", is_unsigned);
    cluster.run("olga", &["save", "new.conf"]).exits(0);
    node.until_text(&with_rtsp("557"));
    node.until("running", runs(6));
}

/// What an intruder left to be confirmed can be neither confirmed nor taken back by whoever has a key: it would sign what
/// stands before it.
#[test]
fn a_whole_text_takes_the_place_of_an_unconfirmed_change_that_nobody_signed() {
    let Some(cluster) = Signed::start() else { return };
    let node = cluster.node("a", &[]);
    node.until("running", runs(1));
    cluster.place.put("new.conf", with_rtsp("557"));
    for (serial, back, is_pending) in [(2, true, true), (4, true, false), (6, false, true), (8, false, false)]
    {
        let mut head = with(&with(&cluster.head(), "signature", Value::Null), "serial", serial);
        let back = if back { head["text"].clone() } else { Value::Null };
        head["unconfirmed"] = json!({"id": "c", "deadline": 0, "ttl_s": 600, "back": back});
        cluster.put_head(&head);
        if is_pending {
            let pending = &cluster.intruder.keys().pending;
            let lease = cluster.intruder.gateway().grant(600).expect("etcd answers");
            let success = vec![KeyOperation::put_leased(pending, "c", lease)];
            cluster.intruder.gateway().txn(&Txn { success, ..Txn::default() }).expect("etcd answers");
        }
        node.until("unsigned", is_unsigned);
        for arguments in [&["modify", "--set", "title=x"][..], &["confirm"], &["confirm", "--revert"]] {
            let run = cluster.run("olga", arguments);
            assert_ne!(run.code, Some(0), "{run:?}");
            assert_eq!(cluster.head(), head, "{arguments:?}");
        }
        cluster.run("olga", &["save", "new.conf", "--dry-run"]).exits(0);
        cluster.run("olga", &["save", "new.conf"]).exits(0);
        node.until("running", runs(serial + 1));
        node.until_text(&with_rtsp("557"));
        cluster.run("olga", &["modify", "--set", "title=x"]).exits(0);
    }
}

#[test]
fn an_old_head_is_not_what_a_node_runs_that_ran_a_newer_one() {
    let Some(cluster) = Signed::start() else { return };
    let node = cluster.node("a", &[]);
    cluster.run("olga", &["modify", "--set", "rtsp=555"]).exits(0);
    let old = cluster.head();
    cluster.run("olga", &["modify", "--set", "rtsp=556"]).exits(0);
    node.until("running", runs(3));
    // The record of what it ran stays there.
    cluster.put_head(&old);
    node.until("held", |report| report["state"] == "held");
    assert_eq!(node.place.text(), with_rtsp("556"));
}

#[test]
fn a_text_that_was_swapped_is_not_taken() {
    let Some(cluster) = Signed::start() else { return };
    let mut node = cluster.node("a", &[]);
    node.until("running", runs(1));
    node.kill();
    cluster.run("olga", &["modify", "--set", "rtsp=555"]).exits(0);
    let chunks = |serial: u64| {
        let prefix = format!("{PREFIX}/text/{:010}/", 9_999_999_999 - serial);
        cluster
            .intruder
            .gateway()
            .range(KeyRange::below(&prefix))
            .expect("etcd answers")
            .pop()
            .expect("it is there")
    };
    let (first, second) = (chunks(1), chunks(2));
    cluster.put(&String::from_utf8_lossy(&second.key), first.value);
    node.go();
    node.until("unsigned", is_unsigned);
    assert_eq!(node.place.text(), SAMPLE);
    cluster.put(&String::from_utf8_lossy(&second.key), second.value);
    node.until("running", runs(2));
}

#[test]
fn a_node_takes_no_overlay_that_nobody_signed() {
    let Some(cluster) = Signed::start() else { return };
    let node = cluster.node("a", &["--node-group", "g"]);
    node.until("running", runs(1));
    for (name, serial) in [("a", 2), ("@g", 4)] {
        let set = ["overlay", "set", name, "--set", "rtsp=555", "--create"];
        cluster.run("", &set).exits(4);
        cluster.run("olga", &set).exits(0);
        node.until("running", runs(serial));
        node.until_text(&with_rtsp("555"));
        cluster.run("olga", &["overlay", "remove", name]).exits(0);
        node.until_text(SAMPLE);
    }
    // The head of an intruder names overlays of his own.
    let mut head = cluster.head();
    head["text"] = cluster.read(&cluster.intruder.keys().change(2))["text"].clone();
    cluster.put(&cluster.intruder.keys().head, head.to_string());
    node.until("unsigned", is_unsigned);
    assert_eq!(node.place.text(), SAMPLE);
    // A whole text takes its place, and signs nothing of it: what goes with it has to be agreed to.
    cluster.run("olga", &["save", CONF]).exits(4).says("overlays go with `--force`");
    // It tells what goes, and a rehearsal tells the same.
    let told = "go: no key that is trusted has signed them; set them again";
    let dry = cluster.run("olga", &["save", CONF, "--force", "--dry-run", "-o", "change-json"]).exits(0);
    let change = dry.json();
    assert!(change["warnings"][0].as_str().is_some_and(|warning| warning.ends_with(told)), "{change}");
    assert_eq!(change["paths"][0]["after"], json!({}), "{change}");
    cluster.run("olga", &["save", CONF, "--dry-run"]).exits(4).says("overlays go with `--force`");
    cluster.run("olga", &["modify", "--set", "title=x", "--dry-run"]).exits(4).says("is not taken");
    cluster.run("olga", &["save", CONF, "--force"]).exits(0).says(told).prints("-    \"rtsp\": 555");
    node.until("running", |report| report["state"] == "running");
    assert_eq!(cluster.head()["text"]["overlays"], Value::Null);
}

#[test]
fn only_a_key_confirms() {
    let Some(cluster) = Signed::start() else { return };
    let node = cluster.node("a", &[]);
    node.until("running", runs(1));
    cluster.run("olga", &["modify", "--set", "rtsp=555", "--confirm", "600"]).exits(0);
    node.until_text(&with_rtsp("555"));
    cluster.run("", &["confirm"]).exits(4).says("who confirms a change, or takes it back, needs a key");
    cluster.run("", &["confirm", "--revert"]).exits(4);
    let open = cluster.head();
    // The record in the history is the change without `unconfirmed`, and it is signed.
    let kept = cluster.read(&cluster.intruder.keys().change(2));
    assert!(kept["unconfirmed"].is_null() && kept["signature"].is_string());
    let stripped = with(&open, "unconfirmed", Value::Null);
    for forged in [kept, stripped] {
        cluster.put_head(&forged);
        node.until("unsigned", is_unsigned);
        cluster.put_head(&open);
        node.until("running", |report| report["state"] == "running");
    }
    cluster.run("olga", &["confirm"]).exits(0);
    let confirmed = cluster.head();
    assert!(confirmed["unconfirmed"].is_null() && confirmed["signature"] != open["signature"]);
    node.until("running", runs(2));
}

#[test]
fn a_rollback_signs_no_text_that_was_put_into_the_history() {
    let Some(cluster) = Signed::start() else { return };
    cluster.run("olga", &["modify", "--set", "rtsp=555"]).exits(0);
    cluster.run("olga", &["modify", "--set", "rtsp=556"]).exits(0);
    let key = cluster.intruder.keys().change(2);
    let first = cluster.read(&cluster.intruder.keys().change(1));
    let record = cluster.read(&key);
    cluster.put(&key, with(&record, "text", first["text"].clone()).to_string());
    cluster.run("olga", &["rollback", "1"]).exits(4).says("change 2").says("is not taken");
    cluster.put(&key, record.to_string());
    cluster.run("olga", &["rollback", "1"]).exits(0);
    cluster.run("olga", &["read", "rtsp"]).exits(0).prints("555");
}

#[test]
fn rollouts_and_changes_that_a_node_is_asked_for_are_signed() {
    let Some(cluster) = Signed::start() else { return };
    let key = cluster.path("olga");
    let nodes = [cluster.node("a", &["--sign-key", &key]), cluster.node("b", &[])];
    nodes.iter().for_each(|node| drop(node.until("running", runs(1))));
    let canary = ["modify", "--set", "rtsp=555", "--canary", "a", "--canary-time", "1"];
    cluster.run("olga", &canary).exits(0);
    nodes.iter().for_each(|node| drop(node.until("running", runs(2))));
    nodes[0].run(&["modify", "--set", "rtsp=556"]).exits(0);
    nodes.iter().for_each(|node| drop(node.until("running", runs(3))));
    nodes[1].run(&["modify", "--set", "rtsp=557"]).exits(9).says("`--sign-key FILE` signs it");
    nodes.iter().for_each(|node| assert_eq!(node.place.text(), with_rtsp("556")));
}

#[test]
fn keys_are_for_clusters_and_have_to_be_there() {
    let place = Place::with(SAMPLE);
    place
        .run(["modify", "--set", "rtsp=555", "--sign-key", "k"])
        .exits(2)
        .says("are for a configuration in etcd");
    place.run(["serve", "--trust-key", "k"]).exits(2).says("are for a configuration in etcd");
    let url = ["--cluster", "etcd://127.0.0.1:1/p", "read"];
    let run = |key: &[&str]| place.mediactl([&url[..], key].concat()).without("MEDIACTL_CONF").run();
    run(&["--sign-key", "none"]).exits(3).says("`none` can't be read");
    run(&["--trust-key", CONF]).exits(3).says("keys of Ed25519");
    let context = ["context", "add", "p", "--cluster", "etcd://127.0.0.1:1/p", "--trust-key", "none"];
    let home = place.path(".").display().to_string();
    let run = |call: Call| call.without("MEDIACTL_CONF").env("XDG_CONFIG_HOME", &home).run();
    run(place.mediactl(context)).exits(0);
    let path = place.path("none");
    run(place.mediactl(["-x", "p", "read"])).exits(3).says(&format!("`{}` can't be read", path.display()));
}

#[test]
fn a_new_key_overwrites_nothing() {
    let place = Place::empty();
    let keygen = || place.run(["cluster", "keygen", "olga.key"]);
    keygen().exits(0).says("made `olga.key`, which signs, and `olga.key.pub`, which is trusted");
    let text = |name: &str| fs::read_to_string(place.path(name)).expect("it is there");
    let before = [text("olga.key"), text("olga.key.pub")];
    assert!(before[0].starts_with("-----BEGIN PRIVATE KEY-----"));
    keygen().exits(6).says("`olga.key` exists already").says("no key is overwritten");
    fs::remove_file(place.path("olga.key")).expect("it is there");
    keygen().exits(6).says("`olga.key.pub` exists already");
    assert!(!place.path("olga.key").exists() && text("olga.key.pub") == before[1]);
    place.run(["cluster", "keygen", "none/a"]).exits(9).says("cannot make `none/a`");
}

#[test]
fn a_change_that_was_confirmed_is_not_taken_back_by_its_head_from_before() {
    let Some(cluster) = Signed::start() else { return };
    let node = cluster.node("a", &[]);
    node.until("running", runs(1));
    cluster.run("olga", &["modify", "--set", "rtsp=555", "--confirm", "30", "-q"]).exits(0);
    node.until("running", runs(2));
    let open = cluster.head();
    cluster.run("olga", &["confirm"]).exits(0);
    cluster.run("olga", &["modify", "--set", "title=x"]).exits(0);
    node.until("running", runs(3));
    cluster.run("olga", &["modify", "--set", "rtsp=600", "--confirm", "30", "-q"]).exits(0);
    node.until("running", runs(4));
    let replayed = cluster.head();
    cluster.run("olga", &["confirm"]).exits(0);
    // The node has seen that it is confirmed.
    let note = node.place.path(&format!(".mediactl/{CONF}/followed"));
    eventually(|| fs::read_to_string(&note).is_ok_and(|note| !note.contains("\"back\":{")));
    cluster.put_head(&replayed);
    node.until("held", |report| report["state"] == "held");
    assert!(node.place.text().contains("rtsp 600;"));
    cluster.put_head(&open);
    node.until("held", |report| report["state"] == "held");
    assert!(node.place.text().contains("rtsp 600;"));
}

#[test]
fn a_rehearsal_asks_for_the_key_that_the_change_would_need() {
    let Some(cluster) = Signed::start() else { return };
    cluster.run("olga", &["modify", "--set", "rtsp=555"]).exits(0);
    cluster.place.put("new.conf", with_rtsp("557"));
    cluster.place.put("state.conf", "rtmp 1935;\n");
    let head = cluster.head();
    for arguments in [
        &["modify", "--set", "rtmp=1935"][..],
        &["rm", "streams.cam1"],
        &["add", "stream", "new", "udp://239.0.0.9:1234"],
        &["mv", "streams.cam1", "streams.new"],
        &["cp", "streams.cam1", "streams.new"],
        &["save", "new.conf"],
        &["apply", "state.conf"],
        &["rollback", "1"],
        &["overlay", "set", "a", "--set", "rtmp=1935", "--create"],
    ] {
        let rehearsed = [arguments, &["--dry-run"]].concat();
        cluster.run("", &rehearsed).exits(4).says("`--sign-key FILE` signs it");
        cluster.run("hans", &rehearsed).exits(4).says("no key that is trusted has signed it");
        cluster.run("olga", &rehearsed).exits(0);
    }
    assert_eq!(cluster.head(), head);
}

#[test]
fn the_history_names_the_changes_that_no_trusted_key_has_signed() {
    let Some(cluster) = Signed::start() else { return };
    for value in ["rtsp=555", "rtmp=1935"] {
        cluster.run("olga", &["modify", "--set", value, "-m", "for the test"]).exits(0);
    }
    let history = |key: &str, arguments: &[&str]| {
        let key = cluster.path(&format!("{key}.pub"));
        let arguments = [&["--trust-key", &key, "history"], arguments].concat();
        cluster.etcd.mediactl(&cluster.place, PREFIX, &arguments).run().exits(0).hides("never changed")
    };
    history("olga", &["rtsp"]).prints("#2").hides("#3").hides("unsigned");
    for arguments in [&[][..], &["-p"], &["rtsp"], &["--since", "1h"]] {
        let shown =
            history("hans", arguments).prints("unsigned").prints("is not taken").hides("for the test");
        assert_eq!(shown.out.matches("unsigned").count(), 3, "{shown:?}");
    }
    let listed = history("hans", &["-o", "json"]).json();
    assert_eq!((&listed[0]["operation"], &listed[0]["by"]), (&json!("unsigned"), &Value::Null));
    // One in the middle, which hides what the next one did.
    let key = cluster.intruder.keys().change(2);
    cluster.put(&key, with(&cluster.read(&key), "signature", Value::Null).to_string());
    let shown = history("olga", &["rtmp"]).prints("#2").prints("change 2 of").hides("#1 ");
    shown.prints("#3").prints("the text before #3 can't be shown");
    history("olga", &[]).prints("#3").prints("for the test");
}
