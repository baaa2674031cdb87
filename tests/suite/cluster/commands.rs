//! Commands on a configuration in etcd: the same words and exit codes as on a file.

use std::time::SystemTime;

use mediactl::store::Store;
use mediactl::store::etcd::{GatewaySettings, KeyOperation, KeyRange};
use serde_json::json;

use super::etcd::Etcd;
use super::nodes::{PREFIX, cluster, set, text, with_sample, write};
use crate::cli::{CONF, Place, Run, SAMPLE};
use crate::proof::noisy;
use crate::waiting::until;

#[test]
fn a_change_goes_the_way_it_goes_on_a_file() {
    let Some(etcd) = with_sample(1) else { return };
    let file = Place::empty();
    file.fed("save - -q", SAMPLE).exits(0);
    let (url, reload) = (etcd.url(PREFIX), "! grep -q \"title y\" \"$MEDIACTL_TEXT\"");
    let commands: &[&[&str]] = &[
        &["modify", "--set", "streams.cam1.prepush=7", "-m", "#231"],
        &["modify", "--set", "streams.cam1.prepush=8", "--expect", "streams.cam1.prepush=5"],
        &["modify", "--set", "streams.cam1.prepush=8", "--dry-run"],
        &["modify", "--set", "streams.cam1.nonsense.x=8"],
        &["diff", "change:last"],
        &["blame", "streams.cam1.prepush"],
        &["read", "streams.cam1"],
        &["read", "-o", "set"],
        &["mv", "streams.cam1", "streams.cam9"],
        &["rollback", "last"],
        &["rollback", "99"],
        &["check"],
        &["fmt", "--check"],
        &["modify", "--set", "title=x", "--check-cmd", "grep -q nothing $MEDIACTL_TEXT"],
        &["modify", "--set", "title=x", "--check-cmd", "grep -q title $MEDIACTL_TEXT"],
        &["modify", "--set", "title=y", "--reload-cmd", reload],
        &["rm", "streams.cam1"],
        &["confirm"],
        &["explain", "streams.cam.2"],
    ];
    // The name differs, the times, and what speaks of a file.
    let plain = |text: &str| {
        let words = text.replace(&url, CONF).replace("the file", "it");
        let words = words.split_whitespace().filter(|word| !word.contains("T") && !word.contains("<secret:"));
        words.collect::<Vec<_>>().join(" ")
    };
    for command in commands {
        let (there, here) = (etcd.mediactl(&file, PREFIX, command).run(), file.run(*command));
        assert_eq!(there.code, here.code, "{command:?} {there:#?} {here:#?}");
        assert_eq!(plain(&there.out), plain(&here.out), "{command:?}");
        assert_eq!(plain(&there.err), plain(&here.err), "{command:?}");
        assert_eq!(text(&etcd), file.text(), "{command:?}");
    }
    let update = cluster(&etcd, "update media.conf").exits(7);
    update.says("its nodes run what is in it").says("`mediactl save FILE`");
    let history = |run: Run| {
        let mut entries = run.exits(0).json();
        for entry in entries.as_array_mut().expect("a list") {
            // The time, and a number at random.
            (entry["at"], entry["id"]) = (json!(0), json!(0));
            // The records of a cluster name them, for readers that are far away.
            entry.as_object_mut().expect("an entry").remove("paths");
            // The histories of its nodes have other numbers.
            if entry["message"] == "back to the text before change 4 of the cluster" {
                entry["message"] = json!("back to the text before change 4");
            }
        }
        entries
    };
    let [there, here] = [cluster(&etcd, "history -o json"), file.line("history -o json")];
    assert_eq!(history(there), history(here));
}

#[test]
fn an_unconfirmed_change_is_taken_back_by_whoever_writes_next() {
    let Some(etcd) = with_sample(1) else { return };
    cluster(&etcd, "modify --set title=one --confirm 60 -q").exits(0);
    cluster(&etcd, "status").exits(1).prints("waits to be confirmed");
    cluster(&etcd, "modify --set title=two").exits(5).says("waits to be confirmed");
    cluster(&etcd, "save media.conf").exits(5).says("waits to be confirmed");
    cluster(&etcd, "confirm").exits(0);
    assert!(text(&etcd).contains("title one;"));
    cluster(&etcd, "modify --set title=two --confirm 60 -q").exits(0);
    cluster(&etcd, "confirm --rollback").exits(0);
    assert!(text(&etcd).contains("title one;"));
    cluster(&etcd, "confirm").exits(7).says("no change waits");
    // The lease is gone, as if its time were over.
    cluster(&etcd, "modify --set title=three --confirm 60 -q").exits(0);
    let store = etcd.store(PREFIX, GatewaySettings::default());
    write(&store, vec![KeyOperation::Delete(KeyRange::one(&store.keys.pending))]);
    cluster(&etcd, "confirm").exits(7).says("no change waits");
    // What readers see was no later than now.
    let entries = cluster(&etcd, "history -o json").exits(0).json();
    let at = entries[0]["at"].as_str().expect("it has a time");
    let now = humantime::format_rfc3339_seconds(SystemTime::now()).to_string();
    assert!(entries[0]["operation"] == "expired" && at <= now.as_str(), "{at} {now}");
    cluster(&etcd, "modify --set streams.cam1.prepush=9 -q").exits(0);
    let found = text(&etcd);
    assert!(found.contains("title one;") && found.contains("prepush 9;"), "{found}");
    // The lease ends by itself.
    cluster(&etcd, "modify --set title=four --confirm 1 -q").exits(0);
    until("the lease does not end", || store.seen().ok().filter(|seen| !seen.has_pending));
    cluster(&etcd, "modify --set streams.cam1.prepush=10").exits(0).says("it was rolled back first");
    assert!(text(&etcd).contains("title one;"));
}

#[test]
fn a_first_text_that_is_not_confirmed_leaves_none() {
    let Some(etcd) = Etcd::start(1) else { return };
    let place = Place::with(SAMPLE);
    for (command, code, said) in [
        ("modify --set title=x", 7, "does not exist"),
        ("save media.conf --confirm 60 -q", 0, ""),
        ("confirm --rollback", 0, ""),
        ("read", 7, "does not exist"),
        ("save media.conf -q", 0, ""),
        ("read", 0, ""),
    ] {
        etcd.line(&place, "/first", command).run().exits(code).says(said);
    }
}

#[test]
fn a_cluster_that_is_away_is_told_with_all_its_members() {
    let place = Place::with(SAMPLE);
    let url = "etcd://olga:hunter2@127.0.0.1:1,127.0.0.1:2/media/prod";
    let away = "cannot reach `etcd://127.0.0.1:1,127.0.0.1:2/media/prod`: http://127.0.0.1:1: connection refused; \
                http://127.0.0.1:2: connection refused";
    for command in ["read", "modify --set title=x", "status", "save media.conf"] {
        let call = place.mediactl(command.split(' ')).without("MEDIACTL_CONF");
        let run = call.env("MEDIACTL_CLUSTER", url).run().exits(7);
        run.says(away).says("nothing was changed").hides("hunter2");
    }
}

#[test]
fn a_large_text_and_a_compaction_are_no_trouble() {
    let Some(etcd) = with_sample(1) else { return };
    let text = noisy("commands", 15 << 20);
    etcd.line(&Place::with(&text), PREFIX, "save media.conf -q --keep 2").run().exits(0);
    let store = etcd.store(PREFIX, GatewaySettings::default());
    let seen = store.seen().expect("it can be read");
    assert!(seen.text().is_some_and(|text| text.chunks > 3), "{seen:?}");
    cluster(&etcd, "modify --set streams.cam1.prepush=9 -q").exits(0);
    etcd.compact();
    assert!(store.load().is_ok_and(|loaded| loaded.bytes.len() == text.len()));
    // What the history does not keep is gone, chunk by chunk.
    for number in 0..3 {
        cluster(&etcd, &format!("modify --set streams.cam1.prepush={number} -q")).exits(0);
    }
    let older = store.gateway.range(store.keys.older_texts(3));
    assert!(older.expect("it can be read").is_empty());
}

/// Saves large texts until that fails; returns the failure, and the last text that was saved.
fn fill(etcd: &Etcd, place: &Place) -> (Run, String) {
    let mut last = SAMPLE.to_owned();
    for _ in 1..200 {
        // One chunk.
        let text = noisy("space", 1_600_000);
        place.put("large.conf", &text);
        let run = etcd.line(place, PREFIX, "--timeout 30 save large.conf -q --keep 2").run();
        if run.code != Some(0) {
            return (run, last);
        }
        last = text;
    }
    panic!("etcd is never full");
}

#[test]
fn a_full_etcd_changes_nothing_and_works_again_when_it_is_compacted() {
    let quota = ["--quota-backend-bytes", "8388608"].map(str::to_owned);
    let Some(etcd) = Etcd::start_with("http", 1, quota.to_vec()) else { return };
    etcd.wait_until_ready();
    let place = Place::with(SAMPLE);
    cluster(&etcd, "save media.conf -q").exits(0);
    let (failed, last) = fill(&etcd, &place);
    failed.exits(9).says("database space exceeded").says("compact it");
    assert!(text(&etcd) == last, "the text stays");
    let modify = || set(&etcd, "555", "-q");
    modify().exits(9);
    let status = || cluster(&etcd, "status");
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
    assert!(text(&etcd) == last.replace("rtsp 554", "rtsp 555"));
}
