//! Commands on a configuration in etcd: the same words and exit codes as on a file.

use std::time::SystemTime;

use mediactl::store::Store;
use mediactl::store::etcd::{GatewaySettings, KeyOperation, KeyRange, Txn};
use serde_json::json;

use super::etcd::Etcd;
use crate::cli::{CONF, Place, SAMPLE};
use crate::proof::noisy;
use crate::waiting::until;

const PREFIX: &str = "/media/prod";

const FIRST: &str = "first.conf";

/// A configuration in etcd, and commands on it.
struct Prod {
    etcd: Etcd,
    place: Place,
}

impl Prod {
    fn start() -> Option<Self> {
        let prod = Self { etcd: Etcd::start(1)?, place: Place::empty() };
        prod.place.put(FIRST, SAMPLE);
        prod.run(&["save", FIRST, "-q"]).exits(0);
        Some(prod)
    }

    fn run(&self, arguments: &[&str]) -> crate::cli::Run {
        self.etcd.mediactl(&self.place, PREFIX, arguments).run()
    }

    fn text(&self) -> String {
        self.run(&["read", "-o", "conf", "--show-secrets"]).exits(0).out
    }
}

#[test]
fn a_change_goes_the_way_it_goes_on_a_file() {
    let Some(prod) = Prod::start() else { return };
    let file = Place::empty();
    file.put(FIRST, SAMPLE);
    file.run(["save", FIRST, "-q"]).exits(0);
    let (url, reload) = (prod.etcd.url(PREFIX), "! grep -q \"title y\" \"$MEDIACTL_TEXT\"");
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
        let (there, here) = (prod.run(command), file.run(*command));
        assert_eq!(there.code, here.code, "{command:?} {there:#?} {here:#?}");
        assert_eq!(plain(&there.out), plain(&here.out), "{command:?}");
        assert_eq!(plain(&there.err), plain(&here.err), "{command:?}");
        assert_eq!(prod.text(), file.text(), "{command:?}");
    }
    let update = prod.run(&["update", FIRST]);
    update.exits(7).says("its nodes run what is in it").says("`mediactl save FILE`");
    let history = |run: crate::cli::Run| {
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
    let [there, here] = [prod.run(&["history", "-o", "json"]), file.run(["history", "-o", "json"])];
    assert_eq!(history(there), history(here));
}

#[test]
fn an_unconfirmed_change_is_taken_back_by_whoever_writes_next() {
    let Some(prod) = Prod::start() else { return };
    prod.run(&["modify", "--set", "title=one", "--confirm", "60", "-q"]).exits(0);
    prod.run(&["status"]).exits(1).prints("waits to be confirmed");
    prod.run(&["modify", "--set", "title=two"]).exits(5).says("waits to be confirmed");
    prod.run(&["save", FIRST]).exits(5).says("waits to be confirmed");
    prod.run(&["confirm"]).exits(0);
    assert!(prod.text().contains("title one;"));
    prod.run(&["modify", "--set", "title=two", "--confirm", "60", "-q"]).exits(0);
    prod.run(&["confirm", "--rollback"]).exits(0);
    assert!(prod.text().contains("title one;"));
    prod.run(&["confirm"]).exits(7).says("no change waits");
    // The lease is gone, as if its time were over.
    prod.run(&["modify", "--set", "title=three", "--confirm", "60", "-q"]).exits(0);
    let store = prod.etcd.store(PREFIX, GatewaySettings::default());
    let gone = KeyOperation::Delete(KeyRange::one(&store.keys.pending));
    store.gateway.txn(&Txn { success: vec![gone], ..Txn::default() }).expect("etcd answers");
    prod.run(&["confirm"]).exits(7).says("no change waits");
    // What readers see was no later than now.
    let entries = prod.run(&["history", "-o", "json"]).exits(0).json();
    let at = entries[0]["at"].as_str().expect("it has a time");
    let now = humantime::format_rfc3339_seconds(SystemTime::now()).to_string();
    assert!(entries[0]["operation"] == "expired" && at <= now.as_str(), "{at} {now}");
    prod.run(&["modify", "--set", "streams.cam1.prepush=9", "-q"]).exits(0);
    let text = prod.text();
    assert!(text.contains("title one;") && text.contains("prepush 9;"), "{text}");
    // The lease ends by itself.
    prod.run(&["modify", "--set", "title=four", "--confirm", "1", "-q"]).exits(0);
    until("the lease does not end", || store.seen().ok().filter(|seen| !seen.has_pending));
    prod.run(&["modify", "--set", "streams.cam1.prepush=10"]).exits(0).says("it was rolled back first");
    assert!(prod.text().contains("title one;"));
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
        etcd.mediactl(&place, "/first", &command.split(' ').collect::<Vec<_>>()).run().exits(code).says(said);
    }
}

#[test]
fn a_cluster_that_is_away_is_told_with_all_its_members() {
    let place = Place::with(SAMPLE);
    let url = "etcd://olga:hunter2@127.0.0.1:1,127.0.0.1:2/media/prod";
    let away = "cannot reach `etcd://127.0.0.1:1,127.0.0.1:2/media/prod`: http://127.0.0.1:1: connection refused; \
                http://127.0.0.1:2: connection refused";
    for command in ["read", "modify --set title=x", "status", "save media.conf"] {
        let arguments = ["--cluster", url].into_iter().chain(command.split(' '));
        let run = place.mediactl(arguments).without("MEDIACTL_CONF").run().exits(7);
        run.says(away).says("nothing was changed").hides("hunter2");
    }
}

#[test]
fn a_large_text_and_a_compaction_are_no_trouble() {
    let Some(prod) = Prod::start() else { return };
    let text = noisy("commands", 15 << 20);
    prod.place.put("large.conf", &text);
    prod.run(&["save", "large.conf", "-q", "--keep", "2"]).exits(0);
    let store = prod.etcd.store(PREFIX, GatewaySettings::default());
    let seen = store.seen().expect("it can be read");
    assert!(seen.text().is_some_and(|text| text.chunks > 3), "{seen:?}");
    prod.run(&["modify", "--set", "streams.cam1.prepush=9", "-q"]).exits(0);
    prod.etcd.compact();
    assert!(store.load().is_ok_and(|loaded| loaded.bytes.len() == text.len()));
    // What the history does not keep is gone, chunk by chunk.
    for number in 0..3 {
        prod.run(&["modify", "--set", &format!("streams.cam1.prepush={number}"), "-q"]).exits(0);
    }
    let older = store.gateway.range(store.keys.older_texts(3));
    assert!(older.expect("it can be read").is_empty());
}
