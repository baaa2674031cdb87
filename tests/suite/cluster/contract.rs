//! The guarantees that the engine relies on, over both stores: a file, and etcd.

use std::collections::BTreeSet;
use std::fs;
use std::time::{Duration, SystemTime};

use mediactl::error::{Error, ErrorKind};
use mediactl::store::etcd::GatewaySettings;
use mediactl::store::file::ConfFile;
use mediactl::store::{
    HistoryEntry, IncludeLimits, Loaded, PendingInfo, PendingRecord, RELOAD_FAILED, Revision, RunBy, Store,
    WHOLE_HISTORY, Writer,
};

use super::etcd::Etcd;
use crate::cli::{Place, UNTIL_FREE};

fn entry() -> HistoryEntry {
    HistoryEntry { message: Some("why".to_owned()), ..HistoryEntry::of("save", "olga") }
}

type Holds = fn(&dyn Store);

/// What a store guarantees: the operations of the port that it is about, and what holds it, over an empty store.
const GUARANTEES: &[(&str, Holds)] = &[
    ("name path leads_elsewhere stamp included canaries alarms", nothing_is_told_where_nothing_happens),
    ("load history kept refuse_missing", a_change_is_in_the_history_with_its_text),
    ("edited_from reconcile", own_texts_are_no_hand_edits),
    ("candidate", a_candidate_is_a_file_with_the_text),
    ("set_pending has_pending pending open_change clear_pending", a_pending_change_is_found_until_cleared),
    ("run_by nodes", nodes_are_known_where_nodes_run_it),
    ("revert", the_state_before_is_put_back_where_nodes_run_it),
    ("writer", a_writer_follows_another),
    ("prepare", a_change_that_is_dropped_leaves_no_trace),
    ("prepare", a_writer_that_was_overtaken_changes_nothing),
    ("prepare", the_history_keeps_as_many_texts_as_it_should),
];

#[test]
fn both_stores_give_the_guarantees_of_the_port() {
    for (_, holds) in GUARANTEES {
        let place = Place::empty();
        holds(&ConfFile::resolve(&place.path("media.conf")).expect("the folder is there"));
    }
    let Some(etcd) = Etcd::start(1) else { return };
    for (number, (operations, holds)) in GUARANTEES.iter().enumerate() {
        println!("etcd: {operations}");
        holds(&etcd.store(&format!("/contract/{number}"), GatewaySettings::default()));
    }
}

#[test]
fn each_operation_of_the_port_is_in_its_table_and_held() {
    let port = include_str!("../../../src/store/mod.rs");
    let traits = port.split("\npub trait ").skip(1).map(|rest| rest.split("\n}\n").next().unwrap_or(rest));
    let functions = traits.flat_map(|body| body.split("\n    fn ").skip(1));
    let operations: BTreeSet<&str> = functions.filter_map(|f| f.split(['(', '<']).next()).collect();
    let rows = port.lines().filter_map(|line| line.strip_prefix("/// | `")?.split(" | ").next());
    let in_table: BTreeSet<&str> = rows.flat_map(|row| row.trim_end_matches('`').split("`, `")).collect();
    let held: BTreeSet<&str> = GUARANTEES.iter().flat_map(|(operations, _)| operations.split(' ')).collect();
    assert_eq!((&in_table, &held), (&operations, &operations));
}

fn writer(store: &dyn Store) -> Box<dyn Writer + '_> {
    store.writer(UNTIL_FREE, &mut |_| {}).expect("nobody else writes")
}

/// Replaces the text, as the engine does it.
fn write(store: &dyn Store, text: Option<&[u8]>, record: &HistoryEntry) -> Result<(), Error> {
    let writer = writer(store);
    let old = match store.load() {
        Ok(old) => Some(old),
        Err(error) if error.kind == ErrorKind::NoConfiguration => None,
        Err(error) => return Err(error),
    };
    let base = old.as_ref();
    writer.reconcile(base, &|_| None)?;
    writer.prepare(base, text, record)?().map(|_| ())
}

/// The same with each of these texts.
fn put(store: &dyn Store, texts: &[&str]) {
    texts.iter().for_each(|text| write(store, Some(text.as_bytes()), &entry()).expect("it is written"));
}

fn history(store: &dyn Store) -> Vec<HistoryEntry> {
    store.history(WHOLE_HISTORY).expect("it can be read")
}

fn kept(store: &dyn Store, number: u64) -> Option<Vec<u8>> {
    store.kept(number).expect("it can be read")
}

/// Replaces the text by one that has to be confirmed.
fn write_unconfirmed(writer: &dyn Writer, old: &Loaded, new: &[u8]) {
    let deadline = SystemTime::now() + Duration::from_secs(60);
    let record = PendingRecord {
        info: PendingInfo::new("77".to_owned(), "save".to_owned(), "olga".to_owned(), deadline),
        running: old.bytes.clone(),
        file: Some(old.bytes.clone()),
        written: Some(new.to_vec().into()),
    };
    writer.set_pending(&record).expect("it is recorded");
    let change = writer.prepare(Some(old), Some(new), &entry()).expect("it can be made");
    change().expect("nobody else writes");
}

fn text(store: &dyn Store) -> Vec<u8> {
    store.load().expect("there is a text").bytes.to_vec()
}

fn nothing_is_told_where_nothing_happens(store: &dyn Store) {
    let names = || (store.name(), store.path().to_owned(), store.leads_elsewhere());
    let before = names();
    assert!(!before.0.is_empty() && !before.2);
    assert!(store.alarms().is_empty(), "{:?}", store.alarms());
    assert_eq!(store.canaries("none", &[], None).expect("it can be read"), None);
    put(store, &["include *.inc;\n"]);
    assert_eq!(names(), before);
    let stamp = store.stamp();
    assert!(store.included("*.inc", IncludeLimits::ALL).is_ok_and(|included| included.is_empty()));
    assert_eq!((text(store), store.stamp()), (b"include *.inc;\n".to_vec(), stamp));
}

fn own_texts_are_no_hand_edits(store: &dyn Store) {
    put(store, &["one\n", "two\n"]);
    let loaded = store.load().expect("it is there");
    assert_eq!(store.edited_from(loaded.revision()), None);
    let writer = writer(store);
    let reconciled = writer.reconcile(Some(&loaded), &|_| None).expect("it can be done");
    assert!(reconciled.warnings.is_empty() && reconciled.edited_from.is_none());
    drop(writer);
    assert_eq!(history(store).len(), 2);
}

fn nodes_are_known_where_nodes_run_it(store: &dyn Store) {
    let nodes = store.nodes().expect("it can be read");
    match store.run_by() {
        RunBy::Nodes => assert_eq!(nodes, Some(Vec::new())),
        RunBy::Nobody => assert_eq!(nodes, None),
        RunBy::Server => panic!("no server holds it"),
    }
}

fn the_state_before_is_put_back_where_nodes_run_it(store: &dyn Store) {
    put(store, &["one\n"]);
    let old = store.load().expect("it is there");
    let writer = writer(store);
    write_unconfirmed(&*writer, &old, b"two\n");
    let is_reverted =
        writer.revert(&HistoryEntry { operation: RELOAD_FAILED.to_owned(), ..entry() }).expect("it can be");
    assert_eq!(is_reverted, store.run_by() == RunBy::Nodes);
    assert!(!writer.revert(&entry()).expect("nothing may go back any more"));
    drop(writer);
    assert_eq!(text(store), if is_reverted { b"one\n" } else { b"two\n" });
}

fn a_writer_follows_another(store: &dyn Store) {
    put(store, &["one\n"]);
    let first = writer(store);
    match store.writer(Duration::ZERO, &mut |_| {}) {
        Ok(_) => assert_eq!(store.run_by(), RunBy::Nodes, "only a commit refuses the later one"),
        Err(error) => assert!(error.kind == ErrorKind::Locked, "{error:?}"),
    }
    drop(first);
    assert_eq!(writer(store).load(None).expect("it is there").bytes, b"one\n"[..]);
}

fn a_change_is_in_the_history_with_its_text(store: &dyn Store) {
    let is_missing = |error: &Error| error.kind == ErrorKind::NoConfiguration;
    assert!(store.load().is_err_and(|error| is_missing(&error)));
    assert!(store.refuse_missing().err().is_none_or(|error| is_missing(&error)));
    assert!(history(store).is_empty());
    put(store, &["one\n", "two\n"]);
    store.refuse_missing().expect("it is there");
    let history = history(store);
    let [last, first] = &history[..] else { panic!("{history:?}") };
    let of = |text: &[u8]| Some(Revision::from_text(text));
    assert_eq!((last.before, last.after), (of(b"one\n"), of(b"two\n")));
    assert_eq!((first.before, first.after), (None, of(b"one\n")));
    assert_eq!((&*last.operation, last.by.as_deref()), ("save", Some("olga")));
    assert_eq!(last.message.as_deref(), Some("why"));
    assert!(last.at.elapsed().expect("it is over") < Duration::from_secs(3600));
    assert_eq!(kept(store, last.number).as_deref(), Some(&b"one\n"[..]));
    assert_eq!(kept(store, first.number), None);
}

/// No text is one, too.
fn the_history_keeps_as_many_texts_as_it_should(store: &dyn Store) {
    put(store, &["0;\n", "1;\n"]);
    write(store, Some(b"2;\n"), &HistoryEntry { keep: Some(2), ..entry() }).expect("it is written");
    put(store, &["3;\n", "4;\n"]);
    write(store, None, &entry()).expect("nobody else writes");
    assert!(store.load().is_err_and(|error| error.kind == ErrorKind::NoConfiguration));
    put(store, &["again\n"]);
    let entries = history(store);
    let kept: Vec<_> = entries.iter().map(|entry| kept(store, entry.number)).collect();
    assert_eq!((entries[0].number, &kept[0], kept[1].as_deref()), (7, &None, Some(&b"4;\n"[..])));
    assert!(kept[2..].iter().all(Option::is_none), "{kept:?}");
}

fn a_writer_that_was_overtaken_changes_nothing(store: &dyn Store) {
    put(store, &["one\n"]);
    let old = store.load().expect("it is there");
    put(store, &["two\n"]);
    let writer = writer(store);
    let change = writer.prepare(Some(&old), Some(b"late\n"), &entry());
    let error = change.and_then(|change| change()).expect_err("it was computed on an old text");
    assert!(matches!(error.kind, ErrorKind::Conflict | ErrorKind::Overtaken), "{error:?}");
    // A first text is refused, too, where there is one.
    let error = writer.prepare(None, Some(b"first\n"), &entry()).and_then(|change| change());
    assert!(error.is_err());
    drop(writer);
    assert_eq!(text(store), b"two\n");
    assert_eq!(history(store).len(), 2);
}

fn a_change_that_is_dropped_leaves_no_trace(store: &dyn Store) {
    put(store, &["one\n"]);
    let old = store.load().expect("it is there");
    let writer = writer(store);
    drop(writer.prepare(Some(&old), Some(b"two\n"), &entry()).expect("it can be made"));
    drop(writer);
    assert_eq!(text(store), b"one\n");
    assert_eq!(history(store).len(), 1);
}

fn a_candidate_is_a_file_with_the_text(store: &dyn Store) {
    let locked = writer(store);
    let candidate = store.candidate(b"http 80;\n").expect("it can be made");
    drop(locked);
    // The next writer leaves it alone.
    drop(writer(store));
    let path = candidate.path().to_owned();
    assert_eq!(fs::read(&path).expect("it is there"), b"http 80;\n");
    drop(candidate);
    assert!(!path.exists());
    assert!(store.load().is_err_and(|error| error.kind == ErrorKind::NoConfiguration));
}

fn a_pending_change_is_found_until_cleared(store: &dyn Store) {
    put(store, &["one\n"]);
    assert!(!store.has_pending());
    let old = store.load().expect("it is there");
    let writer = writer(store);
    write_unconfirmed(&*writer, &old, b"two\n");
    assert!(store.has_pending());
    let pending = store.pending().expect("it can be read").expect("it is there");
    assert_eq!((&*pending.info.id, &*pending.info.operation, &*pending.info.by), ("77", "save", "olga"));
    let open = store.open_change().expect("it can be read").expect("it is there");
    assert_eq!((open.id, open.deadline), (pending.info.id, pending.info.deadline));
    assert_eq!(pending.file.as_deref(), Some(&b"one\n"[..]));
    assert_eq!(pending.written.as_deref(), Some(&b"two\n"[..]));
    writer.clear_pending().expect("it is cleared");
    assert!(!store.has_pending());
    assert_eq!(store.pending().expect("it can be read"), None);
    assert_eq!(store.open_change().expect("it can be read"), None);
    drop(writer);
    assert_eq!(text(store), b"two\n");
}
