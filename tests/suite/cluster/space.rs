//! etcd runs out of space, and is compacted and defragmented then.

use serde_json::json;

use super::etcd::Etcd;
use crate::cli::{CONF, Place, Run, SAMPLE};
use crate::proof::noisy;

/// Saves large texts until that fails; returns the failure, and the last text that was saved.
fn fill(etcd: &Etcd, place: &Place) -> (Run, String) {
    let mut last = SAMPLE.to_owned();
    for _ in 1..200 {
        // One chunk.
        let text = noisy("space", 1_600_000);
        place.put("large.conf", &text);
        let save = ["--timeout", "30", "save", "large.conf", "-q", "--keep", "2"];
        let run = etcd.mediactl(place, "/p", &save).run();
        if run.code != Some(0) {
            return (run, last);
        }
        last = text;
    }
    panic!("etcd is never full");
}

fn text(etcd: &Etcd, place: &Place) -> String {
    etcd.mediactl(place, "/p", &["read", "-o", "conf", "--show-secrets"]).run().exits(0).out
}

#[test]
fn a_full_etcd_changes_nothing_and_works_again_when_it_is_compacted() {
    let quota = ["--quota-backend-bytes", "8388608"].map(str::to_owned);
    let Some(etcd) = Etcd::start_with("http", 1, quota.to_vec()) else { return };
    etcd.wait_until_ready();
    let place = Place::with(SAMPLE);
    etcd.mediactl(&place, "/p", &["save", CONF, "-q"]).run().exits(0);
    let (failed, last) = fill(&etcd, &place);
    failed.exits(9).says("database space exceeded").says("compact it");
    assert!(text(&etcd, &place) == last, "the text stays");
    let modify = || etcd.mediactl(&place, "/p", &["modify", "--set", "rtsp=555", "-q"]).run();
    modify().exits(9);
    let status = || etcd.mediactl(&place, "/p", &["status"]).run();
    status().exits(11).prints("alarm:         NOSPACE: etcd is full: compact it, then");
    // What docs/cluster.md says.
    etcd.compact();
    etcd.ask(0, "maintenance/defragment", &json!({}));
    let alarms = etcd.ask(0, "maintenance/alarm", &json!({"action": "GET"}));
    for alarm in alarms["alarms"].as_array().expect("there is one") {
        let mut disarm = alarm.clone();
        disarm["action"] = "DEACTIVATE".into();
        etcd.ask(0, "maintenance/alarm", &disarm);
    }
    status().exits(0).hides("alarm");
    modify().exits(0);
    assert!(text(&etcd, &place) == last.replace("rtsp 554", "rtsp 555"));
}
