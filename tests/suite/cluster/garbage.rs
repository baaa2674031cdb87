//! Garbage in etcd: whatever stands in a key, it is a row or a refusal that names the key, and nothing panics.

use mediactl::store::etcd::{GatewaySettings, KeyOperation, KeyRange, Txn};
use serde_json::{Value, json};

use super::nodes::{PREFIX, cluster, with_sample};
use crate::cli::Run;

/// What is put in place of a value.
const VALUES: [&[u8]; 7] = [b"", b"{", b"null", b"[]", br#"{"format":2}"#, br#"{"format":3}"#, b"\x00\xff"];

/// What is put in place of a member of a record.
fn members() -> [Value; 8] {
    [
        Value::Null,
        json!(-1),
        json!(u64::MAX),
        json!(1e300),
        json!(""),
        json!("9999-99-99T99:99:99Z"),
        json!([[]]),
        json!({"a": 1}),
    ]
}

/// A command ended as one that was asked; if it failed, it names the key.
#[track_caller]
fn named(run: &Run, key: &str) {
    assert!(run.code.is_some_and(|code| code != 101) && !run.err.contains("panicked"), "{key}: {run:#?}");
    if run.code == Some(9) {
        // Of chunks, the folder is named.
        let folder = key.rsplit_once('/').map_or(key, |(folder, _)| folder);
        let is_named = run.err.contains(folder);
        assert!(is_named, "{key}: {run:#?}");
    }
}

#[test]
fn garbage_in_any_key_is_a_row_or_a_refusal_with_its_name() {
    let Some(etcd) = with_sample(1) else { return };
    cluster(&etcd, &["modify", "--set", "rtsp=8554", "-q"]).exits(0);
    cluster(&etcd, &["modify", "--set", "rtsp=555", "--confirm", "600", "-q"]).exits(0);
    let store = etcd.store(PREFIX, GatewaySettings::default());
    let put = |key: &str, value: &[u8]| {
        let success = vec![KeyOperation::put(key, value)];
        store.gateway().txn(&Txn { success, ..Txn::default() }).expect("it can be put");
    };
    let all = store.gateway().range(KeyRange::below(store.keys().prefix())).expect("etcd answers");
    let mut keys: Vec<(String, Vec<u8>)> = all
        .into_iter()
        .map(|found| (String::from_utf8(found.key).expect("it is text"), found.value))
        .collect();
    assert!(
        ["text/", "change/", "pending"].iter().all(|name| keys.iter().any(|(key, _)| key.contains(name)))
    );
    keys.extend([store.keys().node("n"), store.keys().member("n")].map(|key| (key, b"{}".to_vec())));
    for (key, value) in &keys {
        for garbage in VALUES {
            put(key, garbage);
            let status = cluster(&etcd, &["status"]);
            named(&status, key);
            if key.contains("/node/") || key.contains("/member/") {
                assert!(status.out.contains("can't be read"), "{status:#?}");
            }
            if key.contains("/change/") {
                let history = cluster(&etcd, &["history", "-n", "3"]).exits(0);
                assert_eq!(history.out.lines().count(), 3, "{history:#?}");
                assert!(history.out.contains(&format!("`{key}` can't be read")), "{history:#?}");
            }
            for command in [&["history"][..], &["read", "rtsp"], &["confirm"]] {
                named(&cluster(&etcd, &[command, &["--timeout", "5"]].concat()), key);
            }
            put(key, value);
        }
    }
    let head = store.keys().head.clone();
    let record: Value =
        serde_json::from_slice(&keys.iter().find(|(key, _)| *key == head).expect("it is there").1)
            .expect("it is JSON");
    let inner = |name: &str| {
        let members = record[name].as_object().into_iter().flat_map(|members| members.keys());
        members.map(|member| format!("/{name}/{member}")).collect::<Vec<_>>()
    };
    let own = record.as_object().expect("it is one").keys().map(|name| format!("/{name}"));
    let pointers: Vec<String> = own.chain(inner("text")).chain(inner("unconfirmed")).collect();
    assert!(pointers.len() > 20, "{pointers:?}");
    for pointer in pointers {
        for garbage in members() {
            let mut forged = record.clone();
            *forged.pointer_mut(&pointer).expect("it is there") = garbage;
            put(&head, forged.to_string().as_bytes());
            named(&cluster(&etcd, &["status"]), &head);
        }
    }
}

#[test]
fn a_node_whose_record_can_not_be_read_is_forgotten() {
    let Some(etcd) = with_sample(1) else { return };
    let store = etcd.store(PREFIX, GatewaySettings::default());
    let put = |key: &str| {
        let success = vec![KeyOperation::put(key, "{")];
        store.gateway().txn(&Txn { success, ..Txn::default() }).expect("it can be put");
    };
    put(&store.keys().node("a"));
    put(&store.keys().member("a"));
    put(&store.keys().member("b"));
    cluster(&etcd, &["status"]).exits(0).prints("can't be read");
    cluster(&etcd, &["cluster", "forget", "a"]).exits(0).says("forgot a");
    cluster(&etcd, &["cluster", "forget", "b"]).exits(0).says("forgot b");
    cluster(&etcd, &["cluster", "forget", "a"]).exits(7).says("there is no record of the node `a`");
    cluster(&etcd, &["status"]).exits(0).hides("can't be read");
}
