//! Garbage in etcd: whatever stands in a key, it is a row or a refusal that names the key, and nothing panics.

use mediactl::store::etcd::{GatewaySettings, KeyOperation, KeyRange};

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
    set(&etcd, "8554", "-q").exits(0);
    set(&etcd, "555", "--confirm 600 -q").exits(0);
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
            let status = cluster(&etcd, "status");
            named(&status, key);
            if key.contains("/node/") || key.contains("/member/") {
                assert!(status.out.contains("can't be read"), "{status:#?}");
            }
            if key.contains("/change/") {
                let history = cluster(&etcd, "history -n 3").exits(0);
                assert_eq!(history.out.lines().count(), 3, "{history:#?}");
                assert!(history.out.contains(&format!("`{key}` can't be read")), "{history:#?}");
            }
            for line in ["history", "read rtsp", "confirm"] {
                named(&cluster(&etcd, &format!("{line} --timeout 5")), key);
            }
            put(key, value);
        }
    }
}
