//! The history of a file: what is kept of each change, whoever made it, and what a crash leaves of it.

use std::fs;
use std::process::Command;

use mediactl::store::file::ConfFile;
use mediactl::store::{HAND_EDIT, HistoryEntry, Revision, Store, WHOLE_HISTORY};

use crate::cli::{CONF, PROGRAM, Place, mode};
use crate::needs::{given, needs_root};
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
        let message = Some(text.to_owned());
        let record = HistoryEntry { message, keep, ..HistoryEntry::of("save", "me") };
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
    assert_eq!(names, ["0.conf", "1.conf.gz", "2.conf.gz", "journal", "keep"]);
    for (name, text) in [("1.conf.gz", "a 2;\n"), ("2.conf.gz", "a 3;\n")] {
        let shown = Command::new("gunzip").arg("-c").arg(in_history(&story, name)).output();
        assert_eq!(shown.expect("gunzip is everywhere").stdout, text.as_bytes());
    }
    let mode = |name| mode(&in_history(&story, name));
    assert_eq!((mode("0.conf"), mode("2.conf.gz"), mode("journal")), (0o600, 0o600, 0o600));
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

/// A writer was killed before it made a new file, which is not told. A file that was made is told, and that it went.
#[test]
fn a_new_file_is_told_once_it_is_made() {
    let story = Story::of("");
    let remove = || fs::remove_file(story.place.path(CONF)).expect("it is there");
    remove();
    let locked = lock(&story.conf);
    let record = HistoryEntry::of("save", "me");
    std::mem::forget(locked.prepare(None, Some(b"a 1;\n"), &record).expect("there is room"));
    drop(locked);
    story.expect(&[]);
    story.save("a 2;\n");
    story.expect(&[("save", None)]);
    remove();
    story.look();
    story.expect(&[(HAND_EDIT, Some("a 2;\n")), ("save", None)]);
}

/// What another program wrote into a kept text is not shown for it.
#[test]
fn a_kept_text_that_was_altered_is_no_longer_kept() {
    let story = Story::of("a 1;\n");
    story.save("a 2;\n");
    story.save("a 3;\n");
    for name in ["0.conf", "1.conf.gz"] {
        fs::write(in_history(&story, name), "X 1;\n").expect("it is ours");
    }
    let kept = [1, 2].map(|number| story.conf.kept(number).expect("it can be read"));
    assert_eq!(kept, [None, None]);
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

/// Checks the texts that `history` keeps, and the result of `rollback`.
#[track_caller]
fn expect_all_texts(place: &Place) {
    let port = |text: &String| text.lines().find_map(|line| line.strip_prefix("rtsp ").map(str::to_owned));
    let ports: Vec<_> = place.kept().iter().filter_map(port).collect();
    assert_eq!(ports, ["1;", "2;", "1;"], "the text that was acknowledged is kept");
    place.line("rollback last").exits(0);
    assert!(place.text().contains("rtsp 1;"), "{}", place.text());
    place.line("rollback 2 --yes").exits(0);
    assert!(place.text().contains("rtsp 2;"), "{}", place.text());
}

#[test]
fn an_old_file_that_is_moved_back_leaves_the_new_text_in_the_history() {
    let place = Place::with("http 80;\nrtsp 1;\n");
    fs::hard_link(place.path(CONF), place.path("bak")).expect("the folder is ours");
    place.set(&["rtsp=2"]).exits(0);
    fs::rename(place.path("bak"), place.path(CONF)).expect("the folder is ours");
    let told = place.line("history -o json").exits(0).json();
    assert_eq!(told.as_array().map(Vec::len), Some(1), "{told}");
    place.set(&["rtsp=3"]).exits(0);
    expect_all_texts(&place);
}

/// As a container gets its configuration: written in place, so the inode stays; and `cp -p` gives the
/// old time back.
#[test]
fn a_mounted_file_that_is_restored_leaves_the_new_text_in_the_history() {
    if !needs_root() {
        return;
    }
    let place = Place::with("http 80;\nrtsp 1;\n");
    let (conf, copy) = (place.path(CONF), place.path("bak"));
    let run = |script: String| {
        let run = Command::new("unshare").args(["-m", "sh", "-ec", &script]).output();
        run.is_ok_and(|run| run.status.success())
    };
    let (conf, copy) = (conf.display(), copy.display());
    let mount = format!("mount --bind {conf} {conf}");
    if !given("mount", run(mount.clone())) {
        return;
    }
    let set = |port: u32| format!("{PROGRAM} --conf {conf} modify -q --set rtsp={port}");
    let restore = format!("cp -p {conf} {copy}; {}; cp -p {copy} {conf}; rm {copy}; {}", set(2), set(3));
    assert!(run(format!("{mount}; {restore}")));
    expect_all_texts(&place);
}
