//! The guarantees that the engine relies on, over both stores: a file, and etcd.

use std::collections::BTreeSet;
use std::fs;
use std::time::{Duration, SystemTime};

use mediactl::error::{Error, ErrorKind};
use mediactl::store::etcd::GatewaySettings;
use mediactl::store::file::ConfFile;
use mediactl::store::{
    ChangeRecord, Follow, Loaded, PendingInfo, PendingRecord, RELOAD_FAILED, RunBy, Store, WHOLE_HISTORY,
    Writer,
};

use super::etcd::Etcd;
use crate::cli::{Place, UNTIL_FREE};

const RECORD: ChangeRecord<'_> = ChangeRecord { message: Some("why"), ..ChangeRecord::new("save", "olga") };

/// A guarantee: the operations of its row in the table of the port, and what holds it, over an empty store.
type Guarantee = (&'static str, fn(&dyn Store));

const GUARANTEES: &[Guarantee] = &[
    ("name, path", names_stay_the_same),
    ("leads_elsewhere", names_stay_the_same),
    ("load", a_first_text_is_made_and_read_back),
    ("stamp", the_stamp_is_the_same_until_something_is_written),
    ("included", nothing_is_included_where_nothing_is),
    ("history", a_change_is_in_the_history_with_its_text),
    ("kept", a_change_is_in_the_history_with_its_text),
    ("edited_from", own_texts_are_no_hand_edits),
    ("candidate", a_candidate_is_a_file_with_the_text),
    ("refuse_missing", only_a_missing_text_is_refused),
    ("set_pending, has_pending, pending, open_change", a_pending_change_is_found_until_it_is_cleared),
    ("clear_pending", a_pending_change_is_found_until_it_is_cleared),
    ("run_by", nodes_are_known_where_nodes_run_it),
    ("canaries", a_change_that_is_not_there_is_decided),
    ("revert", the_state_before_is_put_back_where_nodes_run_it),
    ("nodes", nodes_are_known_where_nodes_run_it),
    ("alarms", nothing_is_wrong_with_a_new_store),
    ("writer", a_writer_follows_another),
    ("reconcile", own_texts_are_no_hand_edits),
    ("prepare", a_change_that_is_dropped_leaves_no_trace),
    ("prepare", the_history_keeps_as_many_texts_as_it_should),
    ("prepare", a_writer_that_was_overtaken_changes_nothing),
    ("prepare", no_text_can_follow_a_text),
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
fn the_table_of_the_port_has_each_operation_and_each_row_is_held() {
    let port = include_str!("../../../src/store/mod.rs");
    let row = |line: &str| {
        let cell = line.trim().strip_prefix("/// | `")?.split(" | ").next()?;
        Some(cell.replace('`', ""))
    };
    let rows: BTreeSet<String> = port.lines().filter_map(row).collect();
    let held = GUARANTEES.iter().map(|(operations, _)| (*operations).to_owned()).collect();
    assert_eq!(rows, held);
    let traits = port.split("\npub trait ").skip(1).map(|rest| rest.split("\n}\n").next().unwrap_or(rest));
    let operations: BTreeSet<&str> = traits
        .flat_map(|body| body.split("\n    fn ").skip(1))
        .filter_map(|f| f.split(['(', '<']).next())
        .collect();
    let named: BTreeSet<&str> = rows.iter().flat_map(|row| row.split(", ")).collect();
    assert_eq!(operations, named);
}

fn writer(store: &dyn Store) -> Box<dyn Writer + '_> {
    store.writer(UNTIL_FREE, &mut |_| {}).expect("nobody else writes")
}

/// Replaces the text, as the engine does it.
fn write(store: &dyn Store, text: &[u8], record: &ChangeRecord<'_>) -> Result<(), Error> {
    let writer = writer(store);
    let old = match store.load() {
        Ok(old) => Some(old),
        Err(error) if error.kind == ErrorKind::NoConfiguration => None,
        Err(error) => return Err(error),
    };
    let base = old.as_ref();
    writer.reconcile(base, &|_| None)?;
    writer.prepare(base, Some(text), record)?().map(|_| ())
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
    let change = writer.prepare(Some(old), Some(new), &RECORD).expect("it can be made");
    change().expect("nobody else writes");
}

fn text(store: &dyn Store) -> Vec<u8> {
    store.load().expect("there is a text").bytes.to_vec()
}

fn a_first_text_is_made_and_read_back(store: &dyn Store) {
    assert!(store.load().is_err_and(|error| error.kind == ErrorKind::NoConfiguration));
    assert!(writer(store).load().is_err_and(|error| error.kind == ErrorKind::NoConfiguration));
    assert!(store.history(WHOLE_HISTORY).expect("it can be read").is_empty());
    write(store, b"http 80;\n", &RECORD).expect("it is written");
    assert_eq!(text(store), b"http 80;\n");
}

fn names_stay_the_same(store: &dyn Store) {
    let names = || (store.name(), store.path().to_owned(), store.leads_elsewhere());
    let before = names();
    assert!(!before.0.is_empty() && !before.2);
    write(store, b"one\n", &RECORD).expect("it is written");
    assert_eq!(names(), before);
}

fn the_stamp_is_the_same_until_something_is_written(store: &dyn Store) {
    write(store, b"http 80;\n", &RECORD).expect("it is written");
    let before = store.stamp();
    assert_eq!((text(store), store.stamp()), (b"http 80;\n".to_vec(), before));
}

fn nothing_is_included_where_nothing_is(store: &dyn Store) {
    write(store, b"include *.inc;\n", &RECORD).expect("it is written");
    let Ok(included) = store.included("*.inc", Follow::ALL) else { panic!("nothing is there") };
    assert!(included.is_empty());
}

fn own_texts_are_no_hand_edits(store: &dyn Store) {
    write(store, b"one\n", &RECORD).expect("it is written");
    write(store, b"two\n", &RECORD).expect("it is written");
    let loaded = store.load().expect("it is there");
    assert_eq!(store.edited_from(loaded.revision()), None);
    let writer = writer(store);
    let reconciled = writer.reconcile(Some(&loaded), &|_| None).expect("it can be done");
    assert!(reconciled.warnings.is_empty() && reconciled.edited_from.is_none());
    drop(writer);
    assert_eq!(store.history(WHOLE_HISTORY).expect("it can be read").len(), 2);
}

fn only_a_missing_text_is_refused(store: &dyn Store) {
    if let Err(error) = store.refuse_missing() {
        assert!(error.kind == ErrorKind::NoConfiguration, "{error:?}");
    }
    assert!(store.path().parent().is_none_or(|folder| fs::read_dir(folder).map_or(0, Iterator::count) == 0));
    write(store, b"one\n", &RECORD).expect("it is written");
    store.refuse_missing().expect("it is there");
}

fn nodes_are_known_where_nodes_run_it(store: &dyn Store) {
    let nodes = store.nodes().expect("it can be read");
    match store.run_by() {
        RunBy::Nodes => assert_eq!(nodes, Some(Vec::new())),
        RunBy::Nobody => assert_eq!(nodes, None),
        RunBy::Server => panic!("no server holds it"),
    }
}

fn nothing_is_wrong_with_a_new_store(store: &dyn Store) {
    assert!(store.alarms().is_empty(), "{:?}", store.alarms());
}

fn the_state_before_is_put_back_where_nodes_run_it(store: &dyn Store) {
    write(store, b"one\n", &RECORD).expect("it is written");
    let old = store.load().expect("it is there");
    let writer = writer(store);
    write_unconfirmed(&*writer, &old, b"two\n");
    let is_reverted = writer.revert(&ChangeRecord { operation: RELOAD_FAILED, ..RECORD }).expect("it can be");
    assert_eq!(is_reverted, store.run_by() == RunBy::Nodes);
    assert!(!writer.revert(&RECORD).expect("nothing may go back any more"));
    drop(writer);
    assert_eq!(text(store), if is_reverted { b"one\n" } else { b"two\n" });
}

fn a_change_that_is_not_there_is_decided(store: &dyn Store) {
    assert_eq!(store.canaries("none", &[], None).expect("it can be read"), None);
}

fn a_writer_follows_another(store: &dyn Store) {
    write(store, b"one\n", &RECORD).expect("it is written");
    let first = writer(store);
    match store.writer(Duration::ZERO, &mut |_| {}) {
        Ok(_) => assert_eq!(store.run_by(), RunBy::Nodes, "only a commit refuses the later one"),
        Err(error) => assert!(error.kind == ErrorKind::Locked, "{error:?}"),
    }
    drop(first);
    assert_eq!(writer(store).load().expect("it is there").bytes, b"one\n"[..]);
}

fn a_change_is_in_the_history_with_its_text(store: &dyn Store) {
    write(store, b"one\n", &RECORD).expect("it is written");
    write(store, b"two\n", &RECORD).expect("it is written");
    let history = store.history(WHOLE_HISTORY).expect("it can be read");
    let [last, first] = &history[..] else { panic!("{history:?}") };
    let of = |text: &[u8]| Some(mediactl::store::Revision::from_text(text));
    assert_eq!((last.before, last.after), (of(b"one\n"), of(b"two\n")));
    assert_eq!((first.before, first.after), (None, of(b"one\n")));
    assert_eq!((&*last.operation, last.by.as_deref()), ("save", Some("olga")));
    assert_eq!(last.message.as_deref(), Some("why"));
    assert!(last.at.elapsed().expect("it is over") < Duration::from_secs(3600));
    assert_eq!(store.kept(last.number).expect("it can be read").as_deref(), Some(&b"one\n"[..]));
    assert_eq!(store.kept(first.number).expect("it can be read"), None);
}

fn a_writer_that_was_overtaken_changes_nothing(store: &dyn Store) {
    write(store, b"one\n", &RECORD).expect("it is written");
    let old = store.load().expect("it is there");
    write(store, b"two\n", &RECORD).expect("it is written");
    let writer = writer(store);
    let change = writer.prepare(Some(&old), Some(b"late\n"), &RECORD);
    let error = change.and_then(|change| change()).expect_err("it was computed on an old text");
    assert!(matches!(error.kind, ErrorKind::Conflict | ErrorKind::Overtaken), "{error:?}");
    // A first text is refused, too, where there is one.
    let error = writer.prepare(None, Some(b"first\n"), &RECORD).and_then(|change| change());
    assert!(error.is_err());
    drop(writer);
    assert_eq!(text(store), b"two\n");
    assert_eq!(store.history(WHOLE_HISTORY).expect("it can be read").len(), 2);
}

fn a_change_that_is_dropped_leaves_no_trace(store: &dyn Store) {
    write(store, b"one\n", &RECORD).expect("it is written");
    let old = store.load().expect("it is there");
    let writer = writer(store);
    drop(writer.prepare(Some(&old), Some(b"two\n"), &RECORD).expect("it can be made"));
    drop(writer);
    assert_eq!(text(store), b"one\n");
    assert_eq!(store.history(WHOLE_HISTORY).expect("it can be read").len(), 1);
}

fn the_history_keeps_as_many_texts_as_it_should(store: &dyn Store) {
    for number in 0..6 {
        let keep = (number == 2).then_some(2);
        let record = ChangeRecord { keep, ..RECORD };
        write(store, format!("text {number};\n").as_bytes(), &record).expect("it is written");
    }
    let kept = |serial| store.kept(serial).expect("it can be read");
    let history = store.history(WHOLE_HISTORY).expect("it can be read");
    let kept: Vec<bool> = history.iter().map(|entry| kept(entry.number).is_some()).collect();
    assert_eq!((&kept[..2], kept[2..].iter().any(|kept| *kept)), (&[true, true][..], false));
}

fn no_text_can_follow_a_text(store: &dyn Store) {
    write(store, b"one\n", &RECORD).expect("it is written");
    let old = store.load().expect("it is there");
    let writer = writer(store);
    let change = writer.prepare(Some(&old), None, &RECORD).expect("it can be made");
    change().expect("nobody else writes");
    drop(writer);
    assert!(store.load().is_err_and(|error| error.kind == ErrorKind::NoConfiguration));
    write(store, b"again\n", &RECORD).expect("it is written");
    let serials: Vec<u64> =
        store.history(WHOLE_HISTORY).expect("it can be read").iter().map(|entry| entry.number).collect();
    assert_eq!(serials, [3, 2, 1]);
    assert_eq!(store.kept(2).expect("it can be read").as_deref(), Some(&b"one\n"[..]));
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

fn a_pending_change_is_found_until_it_is_cleared(store: &dyn Store) {
    write(store, b"one\n", &RECORD).expect("it is written");
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
