//! The history of a file: what is kept of each change, whoever made it, and what a crash leaves of it.

use std::fs;
use std::thread;

use mediactl::store::file::ConfFile;
use mediactl::store::{ChangeRecord, HAND_EDIT, HistoryEntry, Revision, Store, WHOLE_HISTORY};

use crate::cli::{CONF, Place, mode};
use crate::store::{lock, present};

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

    /// Looks, then replaces the text, as every writer does; `keep` texts are kept.
    fn write(&self, text: &str, keep: Option<usize>) {
        let locked = lock(&self.conf);
        let old = present(&*locked);
        let reconciled = locked.reconcile(old.as_ref(), &|_| None).expect("there is room");
        let record = ChangeRecord { message: Some(text), keep, ..ChangeRecord::new("save", "me") };
        let prepared = locked.prepare(old.as_ref(), Some(text.as_bytes()), &record).expect("there is room");
        assert_eq!([reconciled.warnings, prepared().expect("nobody else writes")].concat(), [""; 0]);
    }

    /// The same of which all texts are kept that the tests look at.
    fn save(&self, text: &str) {
        self.write(text, Some(KEEP));
    }

    fn look(&self) {
        let locked = lock(&self.conf);
        let reconciled = locked.reconcile(present(&*locked).as_ref(), &|_| None).expect("there is room");
        assert_eq!(reconciled.warnings, [""; 0]);
    }

    fn entries(&self) -> Vec<HistoryEntry> {
        self.conf.history(WHOLE_HISTORY).expect("it can be read")
    }

    /// Operation and kept text of each change, the last one first.
    fn told(&self) -> Vec<(String, Option<String>)> {
        let kept = |entry: &HistoryEntry| self.conf.kept(entry.number).expect("it can be read");
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("it is text");
        self.entries().iter().map(|entry| (entry.operation.clone(), kept(entry).map(text))).collect()
    }

    fn expect(&self, expected: &[(&str, Option<&str>)]) {
        let expected: Vec<_> =
            expected.iter().map(|(what, text)| ((*what).to_owned(), text.map(str::to_owned))).collect();
        assert_eq!(self.told(), expected);
    }

    fn by_hand(&self, text: &str) {
        self.place.put(CONF, text);
    }
}

#[test]
fn each_text_is_kept_and_each_change_told() {
    let story = Story::of("a 1;\n");
    story.expect(&[]);
    story.save("a 2;\n");
    story.save("a 3;\n");
    story.expect(&[("save", Some("a 2;\n")), ("save", Some("a 1;\n"))]);
    let entries = story.entries();
    let numbers: Vec<_> = entries.iter().map(|entry| entry.number).collect();
    assert_eq!(numbers, [2, 1]);
    assert_eq!((entries[0].before, entries[0].after), (revision("a 2;\n"), revision("a 3;\n")));
    assert_eq!((entries[0].by.as_deref(), entries[0].message.as_deref()), (Some("me"), Some("a 3;\n")));
    let mut names = names(&story);
    names.sort();
    assert_eq!(names, ["0.conf.gz", "1.conf.gz", "2.conf", "journal", "keep"]);
    let mode = |name| mode(&in_history(&story, name));
    assert_eq!((mode("0.conf.gz"), mode("2.conf"), mode("journal")), (0o600, 0o600, 0o600));
}

fn revision(text: &str) -> Option<Revision> {
    Some(Revision::from_text(text.as_bytes()))
}

/// Each overwrites the only file with the text before it, which is known all the same.
#[test]
fn a_hand_edit_is_told_with_the_text_before_it() {
    let story = Story::of("a 1;\n");
    story.save("a 2;\n");
    for text in ["a 3;\n", "b 1;\na 4;\n"] {
        story.by_hand(text);
        story.look();
    }
    story.save("a 6;\n");
    story.expect(&[
        ("save", Some("b 1;\na 4;\n")),
        (HAND_EDIT, Some("a 3;\n")),
        (HAND_EDIT, Some("a 2;\n")),
        ("save", Some("a 1;\n")),
    ]);
    assert_eq!(story.entries()[1].by, None);
    story.look();
    assert_eq!(story.entries().len(), 4, "it is told once");
}

/// What another program wrote into a kept text is not shown for it.
#[test]
fn a_kept_text_that_was_altered_is_no_longer_kept() {
    let story = Story::of("a 1;\n");
    story.save("a 2;\n");
    fs::write(in_history(&story, "0.conf.gz"), "no gzip").expect("it is ours");
    assert_eq!(story.conf.kept(1).expect("it can be read"), None);
    fs::write(in_history(&story, "1.conf"), "X 1;\n").expect("it is ours");
    // The text of the last change is in the file, too, and is compressed from there.
    story.save("a 3;\n");
    assert_eq!(story.conf.kept(2).expect("it is kept").as_deref(), Some(&b"a 2;\n"[..]));
    story.place.line("history show 1").exits(7).says("is not kept");
    story.place.line("rollback 1 --yes").exits(7).says("is not kept");
}

/// The journal is made shorter later than texts go.
#[test]
fn the_newest_texts_are_kept() {
    let story = Story::of("a 0;\n");
    (1..=6 * KEEP).for_each(|number| story.save(&format!("a {number};\n")));
    let told = story.told();
    let kept: Vec<_> = told.iter().filter_map(|(_, text)| text.clone()).collect();
    assert_eq!(kept, ["a 29;\n", "a 28;\n", "a 27;\n", "a 26;\n", "a 25;\n"]);
    assert_eq!(story.entries()[0].number, 6 * KEEP as u64);
    assert_eq!(told.len(), KEEP, "what is listed can be shown");
    let journal = fs::read_to_string(in_history(&story, "journal")).expect("it is there");
    assert!(journal.lines().count() <= 2 * KEEP + 2, "{journal}");
    (0..KEEP + 3).for_each(|number| story.write(&format!("b {number};\n"), None));
    assert_eq!(story.place.kept().len(), KEEP, "who says nothing keeps as many as before");
    // More are kept from now on, and those that are gone do not come back.
    story.place.line("modify --set rtmp=1 --keep 9 -q").exits(0);
    assert_eq!(story.place.kept().len(), KEEP + 1);
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
    story.save(&text(1));
    let journal = in_history(&story, "journal");
    let line = |serial: usize| {
        let of = |serial| Revision::from_text(text(serial).as_bytes());
        let (before, after) = (of(serial - 1), of(serial));
        format!(
            r#"{{"serial":{serial},"at":0,"operation":"save","by":"me","before":"{before}","after":"{after}"}}"#
        ) + "\n"
    };
    fs::write(journal, (1..=count).map(line).collect::<String>()).expect("it is ours");
    fs::write(in_history(&story, "keep"), "1000000").expect("it is ours");
    story.by_hand(&text(count));
    story
}

#[test]
fn a_change_costs_at_most_twice_as_much_with_1_000_entries_as_with_10() {
    let [few, many] = [10, 1_000].map(|count| {
        let story = long_story(count);
        let read = bytes_read(|| story.write("b;\n", None));
        let entries = story.entries();
        assert_eq!((entries.len(), entries[0].number), (count + 1, count as u64 + 1));
        read
    });
    assert!(many <= 2 * few, "{many} bytes are read where there are many, {few} where there are few");
}

/// After a power failure the last line may be there in part.
#[test]
fn a_line_that_was_cut_short_is_skipped() {
    let story = Story::of("a 1;\n");
    story.save("a 2;\n");
    let journal = in_history(&story, "journal");
    let whole = fs::read(&journal).expect("it is there");
    fs::write(&journal, [&whole[..], &whole[..whole.len() / 2]].concat()).expect("it is ours");
    story.expect(&[("save", Some("a 1;\n"))]);
    story.save("a 3;\n");
    story.expect(&[("save", Some("a 2;\n")), ("save", Some("a 1;\n"))]);
}

/// The names in the folder of the history.
fn names(story: &Story) -> Vec<String> {
    let folder = fs::read_dir(in_history(story, "")).expect("it is there");
    let name = |entry: std::io::Result<fs::DirEntry>| entry.expect("it can be read").file_name();
    folder.map(|entry| name(entry).into_string().expect("it is ASCII")).collect()
}

fn in_history(story: &Story, name: &str) -> std::path::PathBuf {
    story.place.path(&format!(".{CONF}.mediactl/history/{name}"))
}

#[test]
fn every_text_but_the_last_is_one_that_gunzip_reads() {
    let text = |number: usize| format!("a {number};\n{}", "# a line of a large text\n".repeat(4000));
    let story = Story::of(&text(0));
    (1..=9).for_each(|number| story.write(&text(number), None));
    let names = names(&story);
    assert_eq!(names.iter().filter(|name| name.ends_with(".conf")).collect::<Vec<_>>(), ["9.conf"]);
    for number in 0..9 {
        let path = in_history(&story, &format!("{number}.conf.gz"));
        let shown = std::process::Command::new("gunzip").arg("-c").arg(path).output();
        assert_eq!(shown.expect("gunzip is everywhere").stdout, text(number).into_bytes());
    }
}
