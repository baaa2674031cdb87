//! The history of a file: what is kept of each change, whoever made it, and what a crash leaves of it.

use std::fs::{self, OpenOptions};
use std::io::Write;
use std::os::unix::fs::MetadataExt;
use std::sync::Arc;
use std::thread;

use mediactl::engine::{Engine, Hooks};
use mediactl::store::file::ConfFile;
use mediactl::store::{
    ChangeRecord, ChangeRef, HAND_EDIT, HistoryEntry, Loaded, Revision, StoreError, Warning,
};

use crate::cli::{CONF, Place, UNTIL_FREE};

const KEEP: usize = 5;

/// A file that is changed by us and by others.
struct Story {
    place: Place,
    conf: ConfFile,
}

impl Story {
    fn of(text: &str) -> Self {
        let place = Place::with(text);
        let conf = ConfFile::resolve(&place.path(CONF)).expect("the file is there");
        Self { place, conf }
    }

    /// Looks, then replaces the text, as every writer does.
    fn write(&self, text: &str) -> Vec<Warning> {
        let locked = self.conf.lock(UNTIL_FREE, &mut |_| ()).expect("nobody holds the lock");
        let old = locked.load().expect("it can be read");
        let mut warnings =
            locked.reconcile(old.as_ref().map(Loaded::as_base)).expect("there is room").warnings;
        let record =
            ChangeRecord { message: Some(text), keep: Some(KEEP), ..ChangeRecord::new("save", "me") };
        match locked.replace(old.as_ref().map(Loaded::as_base), &[text.as_bytes()], &record) {
            Ok(more) => warnings.extend(more),
            other => panic!("{other:?}"),
        }
        warnings
    }

    fn look(&self) -> Vec<Warning> {
        let locked = self.conf.lock(UNTIL_FREE, &mut |_| ()).expect("nobody holds the lock");
        let now = locked.load().expect("it can be read");
        locked.reconcile(now.as_ref().map(Loaded::as_base)).expect("there is room").warnings
    }

    fn entries(&self) -> Vec<HistoryEntry> {
        self.conf.history().expect("it can be read")
    }

    /// Operation and kept text of each change, the last one first.
    fn told(&self) -> Vec<(String, Option<String>)> {
        let kept = |entry: &HistoryEntry| self.conf.kept(entry.serial).expect("it can be read");
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("it is text");
        self.entries().iter().map(|entry| (entry.operation.clone(), kept(entry).map(text))).collect()
    }

    fn expect(&self, expected: &[(&str, Option<&str>)]) {
        let expected: Vec<_> =
            expected.iter().map(|(what, text)| ((*what).to_owned(), text.map(str::to_owned))).collect();
        assert_eq!(self.told(), expected);
    }

    fn by_hand(&self, text: &str) {
        fs::write(self.place.path(CONF), text).expect("the folder is ours");
    }
}

#[test]
fn each_text_is_kept_and_each_change_told() {
    let story = Story::of("a 1;\n");
    story.expect(&[]);
    let inode = fs::metadata(story.place.path(CONF)).expect("it is there").ino();
    story.write("a 2;\n");
    story.write("a 3;\n");
    story.expect(&[("save", Some("a 2;\n")), ("save", Some("a 1;\n"))]);
    let entries = story.entries();
    let numbers: Vec<_> = entries.iter().map(|entry| (entry.number, entry.serial)).collect();
    assert_eq!(numbers, [(Some(1), 2), (Some(2), 1)]);
    assert_eq!((entries[0].before, entries[0].after), (revision("a 2;\n"), revision("a 3;\n")));
    assert_eq!((entries[0].by.as_deref(), entries[0].message.as_deref()), (Some("me"), Some("a 3;\n")));
    let kept = fs::metadata(story.place.path(&format!(".{CONF}.mediactl/history/1.conf")));
    let kept = kept.expect("it is kept");
    assert_eq!(kept.ino(), inode, "what is kept is the old file itself");
    assert_eq!(kept.mode() & 0o777, 0o600);
}

fn revision(text: &str) -> Option<Revision> {
    Some(Revision::from_text(text.as_bytes()))
}

/// The editor overwrites the only file with our text in it; the text is known all the same.
#[test]
fn a_hand_edit_is_told_with_the_text_before_it() {
    let story = Story::of("a 1;\nb 1;\nc 1;\n");
    story.write("a 1;\nb 2;\nc 1;\n");
    story.by_hand("a 1;\nb 2;\nc 3;\n");
    story.write("a 4;\nb 2;\nc 3;\n");
    story.expect(&[
        ("save", Some("a 1;\nb 2;\nc 3;\n")),
        (HAND_EDIT, Some("a 1;\nb 2;\nc 1;\n")),
        ("save", Some("a 1;\nb 1;\nc 1;\n")),
    ]);
    assert_eq!(story.entries()[1].by, None);
    assert!(story.look().is_empty());
    assert_eq!(story.entries().len(), 3, "it is told once");
}

#[test]
fn an_edit_of_a_file_that_was_never_changed_by_us_is_nothing_to_tell() {
    let story = Story::of("a 1;\n");
    story.by_hand("a 2;\n");
    story.look();
    story.expect(&[]);
    assert!(!story.place.path(&format!(".{CONF}.mediactl/history")).exists());
}

#[test]
fn a_file_that_was_removed_and_made_again_is_told() {
    let story = Story::of("a 1;\n");
    story.write("a 2;\n");
    fs::remove_file(story.place.path(CONF)).expect("the folder is ours");
    story.write("a 3;\n");
    story.write("a 4;\n");
    story.expect(&[
        ("save", Some("a 3;\n")),
        ("save", None),
        (HAND_EDIT, Some("a 2;\n")),
        ("save", Some("a 1;\n")),
    ]);
}

/// `echo … >> media.conf`: the shell opened the file before it was replaced, and wrote after that.
#[test]
fn a_late_append_to_the_replaced_file_is_kept() {
    let story = Story::of("a 1;\n");
    let mut stray = OpenOptions::new().append(true).open(story.place.path(CONF)).expect("it is ours");
    assert!(story.write("a 2;\n").is_empty());
    stray.write_all(b"b 1;\n").expect("it is open");
    let warnings = story.write("a 3;\n");
    assert!(matches!(warnings[..], [Warning::HandEditKept { serial: 2, .. }]), "{warnings:?}");
    story.expect(&[("save", Some("a 2;\n")), (HAND_EDIT, Some("a 1;\nb 1;\n")), ("save", Some("a 1;\n"))]);
    assert!(story.entries()[1].is_aside);
    stray.write_all(b"b 2;\n").expect("it is open");
    assert_eq!(story.look().len(), 1, "and again");
    assert!(story.look().is_empty(), "and told once");
    assert_eq!(story.told()[0].1.as_deref(), Some("a 1;\nb 1;\nb 2;\n"));
}

/// A text that is not what the old one became by being longer: there is no telling what it was.
#[test]
fn a_late_overwrite_of_the_replaced_file_is_kept() {
    let story = Story::of("a 1;\n");
    let mut stray = OpenOptions::new().write(true).open(story.place.path(CONF)).expect("it is ours");
    story.write("a 2;\n");
    stray.write_all(b"X").expect("it is open");
    let altered = story.conf.kept(1).expect_err("it is not what was kept");
    assert!(matches!(altered, StoreError::Altered { .. }), "{altered}");
    story.place.run(["history", "show", "1"]).exits(7).says("another program wrote into it");
    story.place.run(["rollback", "1", "--yes"]).exits(7).says("another program wrote into it");
    assert_eq!(story.look().len(), 1);
    story.expect(&[(HAND_EDIT, Some("X 1;\n")), ("save", None)]);
}

/// What the change before wrote is known beside what is kept.
#[test]
fn an_old_text_that_was_overwritten_is_made_again() {
    let story = Story::of("a 1;\n");
    story.write("a 2;\n");
    let mut stray = OpenOptions::new().write(true).open(story.place.path(CONF)).expect("it is ours");
    story.write("a 3;\n");
    stray.write_all(b"XXXXX").expect("it is open");
    assert_eq!(story.conf.kept(2).expect("it is known").as_deref(), Some(&b"a 2;\n"[..]));
    assert_eq!(story.look().len(), 1);
    story.expect(&[(HAND_EDIT, Some("XXXXX")), ("save", Some("a 2;\n")), ("save", Some("a 1;\n"))]);
}

#[test]
fn texts_set_aside_have_no_number() {
    let story = Story::of("a 1;\n");
    let mut stray = OpenOptions::new().append(true).open(story.place.path(CONF)).expect("it is ours");
    story.write("a 2;\n");
    stray.write_all(b"b 1;\n").expect("it is open");
    story.look();
    let numbers: Vec<_> = story.entries().iter().map(|entry| (entry.number, entry.serial)).collect();
    assert_eq!(numbers, [(None, 2), (Some(1), 1)]);
}

/// Each is noted by who looks, and overwrites the only copy of the one before.
#[test]
fn hand_edits_one_after_the_other_are_all_kept() {
    let story = Story::of("a 1;\n");
    story.write("a 2;\n");
    for text in ["a 3;\n", "a 4;\n", "b 1;\na 4;\n"] {
        story.by_hand(text);
        story.look();
    }
    story.write("a 6;\n");
    story.expect(&[
        ("save", Some("b 1;\na 4;\n")),
        (HAND_EDIT, Some("a 4;\n")),
        (HAND_EDIT, Some("a 3;\n")),
        (HAND_EDIT, Some("a 2;\n")),
        ("save", Some("a 1;\n")),
    ]);
}

/// A file with another name would be written into under that: a copy is kept.
#[test]
fn a_file_with_another_name_is_kept_as_a_copy() {
    let story = Story::of("a 1;\n");
    fs::hard_link(story.place.path(CONF), story.place.path("other")).expect("the folder is ours");
    story.write("a 2;\n");
    fs::write(story.place.path("other"), "a 9;\n").expect("it is ours");
    assert!(story.look().is_empty());
    story.expect(&[("save", Some("a 1;\n"))]);
}

/// Forgetting the new text is what a kill does: its names stay, its process is gone.
#[test]
fn an_entry_of_a_change_that_was_not_made_is_removed() {
    let story = Story::of("a 1;\n");
    story.write("a 2;\n");
    for other_name in [false, true] {
        if other_name {
            fs::hard_link(story.place.path(CONF), story.place.path("other")).expect("the folder is ours");
        }
        a_change_is_killed(&story);
        story.expect(&[("save", Some("a 1;\n"))]);
    }
    fs::remove_file(story.place.path("other")).expect("the folder is ours");
    a_change_is_killed(&story);
    assert!(story.write("a 4;\n").is_empty(), "the file has no other name any more");
    story.expect(&[("save", Some("a 2;\n")), ("save", Some("a 1;\n"))]);
    let names: Vec<_> = story.place.names();
    assert!(!names.iter().any(|name| name.contains("mediactl-")), "{names:?}");
}

fn a_change_is_killed(story: &Story) {
    let prepare = |forget: bool| {
        let locked = story.conf.lock(UNTIL_FREE, &mut |_| ()).expect("nobody holds the lock");
        let old = locked.load().expect("it can be read").expect("it is there");
        let record = ChangeRecord { keep: Some(KEEP), ..ChangeRecord::new("save", "me") };
        let pieces: [&[u8]; 1] = [b"a 3;\n"];
        let prepared = locked.prepare(Some(old.as_base()), Some(&pieces), &record).expect("there is room");
        if forget {
            std::mem::forget(prepared);
        }
    };
    prepare(false);
    story.expect(&[("save", Some("a 1;\n"))]);
    prepare(true);
    assert_eq!(story.entries().len(), 1, "readers do not see what was not made");
    let journal = story.place.path(&format!(".{CONF}.mediactl/history/journal"));
    assert_eq!(fs::read_to_string(&journal).expect("it is there").lines().count(), 2);
    story.look();
    assert_eq!(fs::read_to_string(&journal).expect("it is there").lines().count(), 1);
    assert_eq!(story.place.kept().len(), 1);
}

#[test]
fn the_newest_texts_are_kept() {
    let story = Story::of("a 0;\n");
    for number in 1..=3 * KEEP {
        story.write(&format!("a {number};\n"));
    }
    let told = story.told();
    let kept: Vec<_> = told.iter().filter_map(|(_, text)| text.clone()).collect();
    assert_eq!(kept, ["a 14;\n", "a 13;\n", "a 12;\n", "a 11;\n", "a 10;\n"]);
    assert_eq!(told.len(), KEEP);
    assert_eq!(story.entries()[0].serial, 3 * KEEP as u64);
    (0..KEEP + 3).for_each(|number| {
        change(&story, &format!("b {number};\n"), None);
    });
    assert_eq!(story.place.kept().len(), KEEP, "who says nothing keeps as many as before");
}

/// Returns the number of bytes that a thread of its own reads while it does `work`.
fn bytes_read(work: impl FnOnce() + Send) -> usize {
    let count = || {
        let counts = fs::read_to_string("/proc/thread-self/io").expect("Linux counts them");
        counts.lines().find_map(|line| line.strip_prefix("rchar: ")?.parse().ok()).expect("it is a number")
    };
    let counted = || {
        let before: usize = count();
        work();
        count() - before
    };
    thread::scope(|scope| scope.spawn(counted).join()).expect("it does not panic")
}

/// A story of a text of 100 KB with `count` changes, as `count` calls of `write` would leave them, without the old texts.
fn long_story(count: usize) -> Story {
    let text = |serial: usize| match (2..count).contains(&serial) {
        true => serial.to_string(),
        false => format!("a {serial};\n# {}\n", "x".repeat(100_000)),
    };
    let story = Story::of(&text(0));
    story.write(&text(1));
    let journal = story.place.path(&format!(".{CONF}.mediactl/history/journal"));
    let line = |serial: usize| {
        let of = |serial| Revision::from_text(text(serial).as_bytes());
        let (before, after) = (of(serial - 1), of(serial));
        format!(
            r#"{{"serial":{serial},"at":0,"operation":"save","by":"me","before":"{before}","after":"{after}"}}"#
        ) + "\n"
    };
    fs::write(journal, (1..=count).map(line).collect::<String>()).expect("it is ours");
    fs::write(story.place.path(&format!(".{CONF}.mediactl/history/keep")), "1000000").expect("it is ours");
    story.by_hand(&text(count));
    story
}

/// A change that keeps as many texts as before, or as many as are asked for.
fn change(story: &Story, text: &str, keep: Option<usize>) -> Vec<Warning> {
    let locked = story.conf.lock(UNTIL_FREE, &mut |_| ()).expect("nobody holds the lock");
    let old = locked.load().expect("it can be read").expect("it is there");
    let mut warnings = locked.reconcile(Some(old.as_base())).expect("there is room").warnings;
    let record = ChangeRecord { keep, ..ChangeRecord::new("save", "me") };
    let more = locked.replace(Some(old.as_base()), &[text.as_bytes()], &record).expect("there is room");
    warnings.extend(more);
    warnings
}

/// A program wrote into a text that is older than those which each change looks at.
#[test]
fn what_is_written_into_an_older_text_is_found_when_it_is_archived() {
    let story = Story::of("a 0;\n");
    let mut stray = OpenOptions::new().append(true).open(story.place.path(CONF)).expect("it is ours");
    let mut changes = (1..60).map(|number| {
        if number == 10 {
            stray.write_all(b"b 1;\n").expect("it is open");
        }
        change(&story, &format!("a {number};\n"), None)
    });
    let found = changes.find(|warnings| !warnings.is_empty()).expect("it is found");
    assert!(matches!(found[..], [Warning::HandEditKept { .. }]), "{found:?}");
    assert!(story.told().iter().any(|(_, text)| text.as_deref() == Some("a 0;\nb 1;\n")));
}

#[test]
fn what_is_written_into_a_text_is_found_before_that_is_removed() {
    let story = Story::of("a 0;\n");
    let mut stray = OpenOptions::new().append(true).open(story.place.path(CONF)).expect("it is ours");
    (1..=8).for_each(|number| assert!(change(&story, &format!("a {number};\n"), Some(8)).is_empty()));
    // The text is forgotten by the next change, which looks at the eight newest before.
    let locked = story.conf.lock(UNTIL_FREE, &mut |_| ()).expect("nobody holds the lock");
    let old = locked.load().expect("it can be read").expect("it is there");
    assert!(locked.reconcile(Some(old.as_base())).expect("there is room").warnings.is_empty());
    stray.write_all(b"b 1;\n").expect("it is open");
    let record = ChangeRecord::new("save", "me");
    let warnings = locked.replace(Some(old.as_base()), &[b"a 9;\n"], &record).expect("there is room");
    assert!(matches!(warnings[..], [Warning::HandEditKept { .. }]), "{warnings:?}");
    assert_eq!(story.told()[0], (HAND_EDIT.to_owned(), Some("a 0;\nb 1;\n".to_owned())));
}

#[test]
fn a_change_costs_at_most_twice_as_much_with_1_000_entries_as_with_10() {
    let [few, many] = [10, 1_000].map(|count| {
        let story = long_story(count);
        let read = bytes_read(|| {
            change(&story, "b;\n", None);
        });
        let entries = story.entries();
        assert_eq!((entries.len(), entries[0].serial), (count + 1, count as u64 + 1));
        read
    });
    assert!(many <= 2 * few, "{many} bytes are read where there are many, {few} where there are few");
}

#[test]
fn a_kept_text_costs_at_most_twice_as_much_with_1_000_entries_as_with_10() {
    let [few, many] = [10, 1_000].map(|count| {
        let story = long_story(count);
        let engine = Engine::new(Arc::new(story.conf.clone()), Hooks::default(), |_, _| {});
        bytes_read(|| {
            for serial in [1, count as u64 / 3, count as u64] {
                assert!(engine.kept(ChangeRef::Serial(serial)).is_ok() == (serial == 1));
            }
        })
    });
    assert!(many <= 2 * few, "{many} bytes are read where there are many, {few} where there are few");
}

/// After a power failure the last line may be there in part.
#[test]
fn a_line_that_was_cut_short_is_skipped() {
    let story = Story::of("a 1;\n");
    story.write("a 2;\n");
    let journal = story.place.path(&format!(".{CONF}.mediactl/history/journal"));
    let whole = fs::read(&journal).expect("it is there");
    fs::write(&journal, [&whole[..], &whole[..whole.len() / 2]].concat()).expect("it is ours");
    story.expect(&[("save", Some("a 1;\n"))]);
    story.write("a 3;\n");
    story.expect(&[("save", Some("a 2;\n")), ("save", Some("a 1;\n"))]);
}

/// The names in the folder of the history that end so.
fn names(story: &Story, end: &str) -> Vec<String> {
    let folder = fs::read_dir(story.place.path(&format!(".{CONF}.mediactl/history"))).expect("it is there");
    let names =
        folder.map(|entry| entry.expect("it can be read").file_name().into_string().expect("it is ASCII"));
    names.filter(|name| name.ends_with(end)).collect()
}

fn in_history(story: &Story, name: &str) -> std::path::PathBuf {
    story.place.path(&format!(".{CONF}.mediactl/history/{name}"))
}

/// Texts that are still files of their own.
fn loose(story: &Story) -> usize {
    let is_file = |name: &String| {
        fs::symlink_metadata(in_history(story, name)).expect("it is there").file_type().is_file()
    };
    names(story, ".conf").iter().filter(|name| is_file(name)).count()
}

/// A text of more than 64 KiB, which differs from others in one line.
fn large(number: usize) -> String {
    format!("a {number};\n{}", "# a line of a large text\n".repeat(4000))
}

/// Each text that is kept, the last one first; `text` makes them of their numbers.
fn all_are_kept(story: &Story, count: usize, text: impl Fn(usize) -> String) {
    let kept: Vec<_> = story.told().into_iter().map(|(_, text)| text.expect("it is kept")).collect();
    assert!(kept.len() == count && kept.iter().rev().enumerate().all(|(number, kept)| *kept == text(number)));
}

#[test]
fn small_texts_share_archives_and_large_ones_have_their_own() {
    let small = |number: usize| format!("a {number};\n{}", "b 1;\n".repeat(number));
    for (text, count, archives) in [(&small as &dyn Fn(usize) -> String, 200, 1..=20), (&large, 20, 12..=12)]
    {
        let story = Story::of(&text(0));
        for number in 1..=count {
            assert!(change(&story, &text(number), Some(1000)).is_empty());
        }
        all_are_kept(&story, count, text);
        assert!(loose(&story) <= 16, "{} texts are files", loose(&story));
        assert!(archives.contains(&names(&story, ".gz").len()), "{:?}", names(&story, ".gz"));
        let places =
            names(&story, "").into_iter().map(|name| fs::symlink_metadata(in_history(&story, &name)));
        let bytes: u64 = places.map(|found| found.expect("it is there").blocks() * 512).sum();
        assert!(bytes < 2048 * count as u64 || count == 20, "{bytes} bytes of {count} entries");
    }
}

#[test]
fn gunzip_reads_an_archived_text() {
    let story = Story::of(&large(0));
    (1..=9).for_each(|number| assert!(change(&story, &large(number), None).is_empty()));
    let shown = std::process::Command::new("gunzip").arg("-c").arg(in_history(&story, "1.conf.gz")).output();
    assert_eq!(shown.expect("gunzip is everywhere").stdout, large(0).into_bytes());
}

/// A folder of a program that compressed nothing, and one whose mark is lost.
#[test]
fn an_old_folder_is_read_and_gets_smaller_as_it_is_used() {
    for (text, count) in
        [(&(|number: usize| format!("a {number};\n")) as &dyn Fn(usize) -> String, 90), (&large, 30)]
    {
        let story = Story::of(&text(0));
        (1..=count).for_each(|number| drop(change(&story, &text(number), Some(1000))));
        for serial in 1..=count as u64 {
            let kept = story.conf.kept(serial).expect("it can be read").expect("it is kept");
            let _ = fs::remove_file(in_history(&story, &format!("{serial}.conf")));
            fs::write(in_history(&story, &format!("{serial}.conf")), kept).expect("it is ours");
        }
        for name in names(&story, ".gz").into_iter().chain(["archived".to_owned()]) {
            fs::remove_file(in_history(&story, &name)).expect("it is ours");
        }
        all_are_kept(&story, count, text);
        assert_eq!(loose(&story), count);
        (count + 1..=2 * count).for_each(|number| drop(change(&story, &text(number), None)));
        all_are_kept(&story, 2 * count, text);
        assert!(loose(&story) <= 16, "{} texts are files", loose(&story));
        fs::remove_file(in_history(&story, "archived")).expect("it is ours");
        (2 * count + 1..=3 * count).for_each(|number| drop(change(&story, &text(number), None)));
        all_are_kept(&story, 3 * count, text);
    }
}

#[test]
fn a_damaged_archive_costs_the_texts_that_are_damaged_and_is_told() {
    let text = |number: usize| format!("a {number};\n");
    let story = Story::of(&text(0));
    (1..=40).for_each(|number| drop(change(&story, &text(number), None)));
    let [pack] = &names(&story, ".pack.gz")[..] else { panic!("there is one") };
    let whole = fs::read(in_history(&story, pack)).expect("it is there");
    let member = |serial: u64| {
        let name = format!("\u{4}\u{ff}{serial}.conf\0");
        let name: Vec<u8> = name.chars().map(|letter| letter as u8).collect();
        whole.windows(name.len()).position(|bytes| bytes == name).expect("it is in it") + name.len()
    };
    let mut damaged = whole.clone();
    damaged[member(12) + 3] ^= 4;
    for (bytes, lost) in [(&damaged[..], 12..=12), (&whole[..member(20)], 20..=32), (b"", 1..=32)] {
        fs::write(in_history(&story, pack), bytes).expect("it is ours");
        for serial in 1..=40 {
            match story.conf.kept(serial) {
                Ok(kept) => assert_eq!(kept, Some(text(serial as usize - 1).into_bytes()), "{serial}"),
                Err(error) => {
                    assert!(lost.contains(&serial), "{serial}: {error}");
                    assert!(error.to_string().contains(&format!("`{serial}.conf` is damaged")), "{error}");
                }
            }
        }
        assert!(lost.clone().all(|serial| story.conf.kept(serial).is_err()), "{lost:?}");
        // The next change goes on.
        drop(story.look());
    }
}

#[test]
fn archives_go_with_their_texts_and_no_link_leads_elsewhere() {
    let story = Story::of(&large(0));
    (1..=30).for_each(|number| drop(change(&story, &large(number), Some(12))));
    assert_eq!((names(&story, ".conf").len(), names(&story, ".gz").len()), (12, 4));
    (31..=60).for_each(|number| drop(change(&story, &format!("a {number};\n"), None)));
    assert!(names(&story, ".gz").iter().all(|name| name.ends_with(".pack.gz")), "{:?}", names(&story, ".gz"));
    let text = in_history(&story, "50.conf");
    fs::write(story.place.path("elsewhere.conf.gz"), "of others").expect("it is ours");
    for target in ["../../../elsewhere.conf.gz", "../../media.conf", "journal", "+1.conf.gz"] {
        fs::remove_file(&text).expect("it is ours");
        std::os::unix::fs::symlink(target, &text).expect("it is ours");
        assert!(story.conf.kept(50).is_err(), "{target}");
    }
}
