//! What the engine relies on, over both stores: a file, and etcd.

use std::fs;
use std::path::Path;
use std::time::{Duration, SystemTime};

use mediactl::store::cluster::GatewaySettings;
use mediactl::store::file::ConfFile;
use mediactl::store::{ChangeRecord, PendingRecord, Store, StoreError, WHOLE_HISTORY, Writer};

use super::etcd::Etcd;
use crate::cli::{Place, UNTIL_FREE};

const RECORD: ChangeRecord<'_> =
    ChangeRecord { operation: "save", by: "olga", message: Some("why"), keep: None };

/// A promise of the port, held by an empty store.
type Promise = (&'static str, fn(&dyn Store));

/// All of them.
const PROMISES: &[Promise] = &[
    ("a first text is made and read back", a_first_text_is_made_and_read_back),
    ("a change is in the history with its text", a_change_is_in_the_history_with_its_text),
    ("a writer that was overtaken changes nothing", a_writer_that_was_overtaken_changes_nothing),
    ("a change that is dropped leaves no trace", a_change_that_is_dropped_leaves_no_trace),
    ("the history keeps as many texts as it should", the_history_keeps_as_many_texts_as_it_should),
    ("no text can follow a text", no_text_can_follow_a_text),
    ("a candidate is a file with the text", a_candidate_is_a_file_with_the_text),
    ("a pending change is found until it is cleared", a_pending_change_is_found_until_it_is_cleared),
];

#[test]
fn both_stores_keep_the_promises_of_the_port() {
    for (_, promise) in PROMISES {
        let place = Place::empty();
        promise(&ConfFile::resolve(&place.path("media.conf")).expect("the folder is there"));
    }
    let Some(etcd) = Etcd::start(1) else { return };
    for (number, (name, promise)) in PROMISES.iter().enumerate() {
        println!("etcd: {name}");
        promise(&etcd.store(&format!("/contract/{number}"), GatewaySettings::default()));
    }
}

fn lock(store: &dyn Store) -> Box<dyn Writer + '_> {
    store.lock(UNTIL_FREE, &mut |_| {}).expect("nobody else writes")
}

/// Replaces the text, as the engine does it.
fn write(store: &dyn Store, text: &[u8], record: &ChangeRecord<'_>) -> Result<(), StoreError> {
    let writer = lock(store);
    let old = match store.load() {
        Ok(old) => Some(old),
        Err(StoreError::NotFound { .. }) => None,
        Err(error) => return Err(error),
    };
    let base = old.as_ref().map(|old| old.as_base());
    writer.reconcile(base)?;
    let pieces = [&text[..text.len() / 2], &text[text.len() / 2..]];
    writer.prepare(base, Some(&pieces), record)?.commit().map(|_| ())
}

fn text(store: &dyn Store) -> Vec<u8> {
    store.load().expect("there is a text").bytes.to_vec()
}

fn a_first_text_is_made_and_read_back(store: &dyn Store) {
    assert!(matches!(store.load(), Err(StoreError::NotFound { .. })));
    assert!(matches!(lock(store).load(), Err(StoreError::NotFound { .. })));
    assert!(store.history(WHOLE_HISTORY).expect("it can be read").is_empty());
    write(store, b"http 80;\n", &RECORD).expect("it is written");
    assert_eq!(text(store), b"http 80;\n");
    store.refuse_missing().expect("it is there");
    assert!(!store.has_moved());
}

fn a_change_is_in_the_history_with_its_text(store: &dyn Store) {
    write(store, b"one\n", &RECORD).expect("it is written");
    write(store, b"two\n", &RECORD).expect("it is written");
    let history = store.history(WHOLE_HISTORY).expect("it can be read");
    let [last, first] = &history[..] else { panic!("{history:?}") };
    let of = |text: &[u8]| Some(mediactl::store::Revision::from_text(text));
    assert_eq!((last.number, last.before, last.after), (Some(1), of(b"one\n"), of(b"two\n")));
    assert_eq!((first.number, first.before, first.after), (Some(2), None, of(b"one\n")));
    assert_eq!((&*last.operation, last.by.as_deref()), ("save", Some("olga")));
    assert_eq!(last.message.as_deref(), Some("why"));
    assert!(last.at.elapsed().expect("it is over") < Duration::from_secs(3600));
    assert!(store.has_change(last.serial).expect("it can be read"));
    assert!(!store.has_change(last.serial + 1).expect("it can be read"));
    assert_eq!(store.kept(last.serial).expect("it can be read").as_deref(), Some(&b"one\n"[..]));
    assert_eq!(store.kept(first.serial).expect("it can be read"), None);
}

fn a_writer_that_was_overtaken_changes_nothing(store: &dyn Store) {
    write(store, b"one\n", &RECORD).expect("it is written");
    let old = store.load().expect("it is there");
    write(store, b"two\n", &RECORD).expect("it is written");
    let writer = lock(store);
    let change = writer.prepare(Some(old.as_base()), Some(&[b"late\n"]), &RECORD);
    let error = change.and_then(|change| change.commit()).expect_err("it was computed on an old text");
    assert!(matches!(error, StoreError::ChangedMeanwhile { .. } | StoreError::Overtaken { .. }), "{error:?}");
    // A first text is refused, too, where there is one.
    let error = writer.prepare(None, Some(&[b"first\n"]), &RECORD).and_then(|change| change.commit());
    assert!(error.is_err());
    drop(writer);
    assert_eq!(text(store), b"two\n");
    assert_eq!(store.history(WHOLE_HISTORY).expect("it can be read").len(), 2);
}

fn a_change_that_is_dropped_leaves_no_trace(store: &dyn Store) {
    write(store, b"one\n", &RECORD).expect("it is written");
    let old = store.load().expect("it is there");
    let writer = lock(store);
    drop(writer.prepare(Some(old.as_base()), Some(&[b"two\n"]), &RECORD).expect("it can be made"));
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
    let kept: Vec<bool> = history.iter().map(|entry| kept(entry.serial).is_some()).collect();
    assert_eq!((&kept[..2], kept[2..].iter().any(|kept| *kept)), (&[true, true][..], false));
}

fn no_text_can_follow_a_text(store: &dyn Store) {
    write(store, b"one\n", &RECORD).expect("it is written");
    let old = store.load().expect("it is there");
    let writer = lock(store);
    let change = writer.prepare(Some(old.as_base()), None, &RECORD).expect("it can be made");
    change.commit().expect("nobody else writes");
    drop(writer);
    assert!(matches!(store.load(), Err(StoreError::NotFound { .. })));
    write(store, b"again\n", &RECORD).expect("it is written");
    let serials: Vec<u64> =
        store.history(WHOLE_HISTORY).expect("it can be read").iter().map(|entry| entry.serial).collect();
    assert_eq!(serials, [3, 2, 1]);
    assert_eq!(store.kept(2).expect("it can be read").as_deref(), Some(&b"one\n"[..]));
}

fn a_candidate_is_a_file_with_the_text(store: &dyn Store) {
    let writer = lock(store);
    let candidate = writer.candidate(&[b"http ", b"80;\n"]).expect("it can be made");
    let path = candidate.path().to_owned();
    assert_eq!(fs::read(&path).expect("it is there"), b"http 80;\n");
    drop(candidate);
    assert!(!Path::exists(&path));
}

fn a_pending_change_is_found_until_it_is_cleared(store: &dyn Store) {
    write(store, b"one\n", &RECORD).expect("it is written");
    assert!(!store.has_pending());
    let old = store.load().expect("it is there");
    let writer = lock(store);
    let new: [&[u8]; 1] = [b"two\n"];
    let record = PendingRecord {
        id: "77",
        deadline: SystemTime::now() + Duration::from_secs(60),
        operation: "save",
        by: "olga",
        running: &old.bytes,
        file: Some(&old.bytes),
        written: Some(&new),
        canary: &[],
    };
    writer.set_pending(&record).expect("it is recorded");
    let change = writer.prepare(Some(old.as_base()), Some(&new), &RECORD).expect("it can be made");
    change.commit().expect("nobody else writes");
    assert!(store.has_pending());
    let pending = store.pending().expect("it can be read").expect("it is there");
    assert_eq!((&*pending.open.id, &*pending.open.operation, &*pending.open.by), ("77", "save", "olga"));
    assert_eq!(pending.file.as_deref(), Some(&b"one\n"[..]));
    assert_eq!(pending.written.as_deref(), Some(&b"two\n"[..]));
    writer.clear_pending().expect("it is cleared");
    assert!(!store.has_pending());
    assert_eq!(store.pending().expect("it can be read"), None);
    drop(writer);
    assert_eq!(text(store), b"two\n");
}
