//! Garbage in etcd: whatever stands in a key, it is a row or a refusal that names the key, and nothing panics.

use mediactl::store::etcd::{GatewaySettings, KeyOperation, KeyRange};
use serde_json::{Value, json};

use super::nodes::{PREFIX, cluster, set, with_sample, write};
use crate::cli::Run;

const VALUES: [&[u8]; 7] = [b"", b"{", b"null", b"[]", br#"{"format":2}"#, br#"{"format":3}"#, b"\x00\xff"];

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
    set(&etcd, "8554", &["-q"]).exits(0);
    set(&etcd, "555", &["--confirm", "600", "-q"]).exits(0);
    let store = etcd.store(PREFIX, GatewaySettings::default());
    let put = |key: &str, value: &[u8]| write(&store, vec![KeyOperation::put(key, value)]);
    let all = store.gateway.range(KeyRange::below(&store.keys.prefix)).expect("etcd answers");
    let text = |key| String::from_utf8(key).expect("it is text");
    let mut keys: Vec<_> = all.into_iter().map(|found| (text(found.key), found.value)).collect();
    for name in ["text/", "change/", "pending"] {
        assert!(keys.iter().any(|(key, _)| key.contains(name)), "{name}");
    }
    keys.extend([store.keys.node("n"), store.keys.member("n")].map(|key| (key, b"{}".to_vec())));
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
    let head = store.keys.head.clone();
    let value = &keys.iter().find(|(key, _)| *key == head).expect("it is there").1;
    let record: Value = serde_json::from_slice(value).expect("it is JSON");
    let members = |place: &str| {
        let members = record.pointer(place).and_then(Value::as_object).into_iter().flatten();
        members.map(|(name, _)| format!("{place}/{name}")).collect::<Vec<_>>()
    };
    let pointers = [members(""), members("/text"), members("/unconfirmed")].concat();
    assert!(pointers.len() > 20, "{pointers:?}");
    let garbage = json!([null, -1, u64::MAX, 1e300, "", "9999-99-99T99:99:99Z", [[]], {"a": 1}]);
    for pointer in pointers {
        for garbage in garbage.as_array().expect("a list") {
            let mut forged = record.clone();
            *forged.pointer_mut(&pointer).expect("it is there") = garbage.clone();
            put(&head, forged.to_string().as_bytes());
            named(&cluster(&etcd, &["status"]), &head);
        }
    }
}
