//! The file on disk: what a writer keeps, what it refuses, what it leaves behind.

use std::fs;
use std::os::unix::fs::{MetadataExt, symlink};
use std::path::Path;
use std::time::Duration;

use mediactl::error::{Error, ErrorKind};
use mediactl::store::file::ConfFile;
use mediactl::store::{HistoryEntry, Loaded, Store, Warning, Writer};
use rustix::fs::XattrFlags;

use crate::cli::{CONF, Place, UNTIL_FREE, mode, set_mode};
use crate::needs::given;
use crate::waiting::let_pass;

const OLD: &str = "http 80;\n";
const NEW: &str = "http 8080;\n";

const STATE: &str = ".media.conf.mediactl";

fn found(place: &Place) -> fs::Metadata {
    fs::symlink_metadata(place.path(CONF)).expect("the file is there")
}

fn resolve(path: &Path) -> ConfFile {
    ConfFile::resolve(path).expect("the path leads to a file")
}

pub fn lock(conf: &ConfFile) -> Box<dyn Writer + '_> {
    conf.writer(UNTIL_FREE, &mut |_| ()).expect("nobody holds the lock")
}

/// The text that a writer finds; `None` if there is none.
pub fn present(writer: &dyn Writer) -> Option<Loaded> {
    match writer.load(None) {
        Err(error) if error.kind == ErrorKind::NoConfiguration => None,
        loaded => Some(loaded.expect("the file can be read")),
    }
}

fn write(writer: &dyn Writer, old: Option<&Loaded>, text: &str) -> Result<Vec<Warning>, Error> {
    writer.prepare(old, Some(text.as_bytes()), &HistoryEntry::of("save", "me"))?()
}

fn replace(path: &Path, text: &str) -> Result<Vec<Warning>, Error> {
    let conf = ConfFile::resolve(path)?;
    let writer = conf.writer(UNTIL_FREE, &mut |_| ())?;
    write(&*writer, present(&*writer).as_ref(), text)
}

/// The same with nothing to be told.
fn replaced(path: &Path, text: &str) {
    assert_eq!(replace(path, text).expect("the file is writable"), [""; 0]);
}

#[test]
fn keeps_every_mode_and_extended_attributes_and_leaves_nothing_behind() {
    for wanted in [0o600, 0o640, 0o644, 0o660, 0o664, 0o755, 0o6750] {
        let place = Place::with(OLD);
        let conf = place.path(CONF);
        set_mode(&conf, wanted);
        let is_noted = rustix::fs::setxattr(&conf, "user.note", b"keep me", XattrFlags::empty()).is_ok();
        replaced(&conf, NEW);
        assert_eq!((&*place.text(), mode(&conf)), (NEW, wanted), "{wanted:o}");
        assert_eq!(place.names(), [CONF]);
        if given("xattr", is_noted) {
            let mut value = [0; 7];
            assert_eq!(rustix::fs::getxattr(&conf, "user.note", &mut value[..]), Ok(7));
            assert_eq!(&value, b"keep me");
        }
    }
}

#[test]
fn equal_bytes_keep_mtime_and_inode() {
    let place = Place::with(OLD);
    let identity = || (found(&place).ino(), found(&place).mtime_nsec(), found(&place).ctime_nsec());
    let before = identity();
    let_pass(Duration::from_millis(25));
    replaced(&place.path(CONF), OLD);
    assert_eq!(identity(), before);
}

#[test]
fn follows_a_chain_of_links_across_folders() {
    let place = Place::with(OLD);
    for folder in ["one", "two", "two/deep"] {
        fs::create_dir(place.path(folder)).expect("a new folder is writable");
    }
    let link = |to: &Path, at: &str| symlink(to, place.path(at)).expect("the name is free");
    link(Path::new("../two/deep/link.conf"), "one/link.conf");
    link(&place.path("two/last.conf"), "two/deep/link.conf");
    link(Path::new("../media.conf"), "two/last.conf");
    link(Path::new("two/deep"), "short");
    for (text, given) in [("http 1;\n", "one/link.conf"), ("http 2;\n", "short/link.conf")] {
        let given = place.path(given);
        replaced(&given, text);
        assert!(given.is_symlink() && !found(&place).is_symlink());
        assert_eq!(place.text(), text);
        assert_eq!(resolve(&given).state_dir(), resolve(&place.path(CONF)).state_dir());
    }
    assert!(place.path(STATE).join("lock").exists());
    assert!(!place.path("one/.link.conf.mediactl").exists());
}

#[test]
fn a_change_by_somebody_else_is_not_overwritten() {
    let edits: [fn(&Place); 5] = [
        |place| place.put(CONF, "http 81;\n"),
        |place| {
            place.put("next", "http 81;\n");
            fs::rename(place.path("next"), place.path(CONF)).expect("the folder is ours");
        },
        |place| place.put(CONF, ""),
        |place| fs::remove_file(place.path(CONF)).expect("the folder is ours"),
        |place| {
            fs::rename(place.path(CONF), place.path("next")).expect("the folder is ours");
            symlink("next", place.path(CONF)).expect("the name is free");
        },
    ];
    for (number, edit) in edits.into_iter().enumerate() {
        let place = Place::with(OLD);
        let conf = resolve(&place.path(CONF));
        let locked = lock(&conf);
        let loaded = present(&*locked);
        edit(&place);
        let state = || (fs::read(place.path(CONF)).ok(), place.names());
        let before = state();
        let error = write(&*locked, loaded.as_ref(), NEW).expect_err("it changed");
        assert!(error.kind == ErrorKind::Conflict, "{number}: {error:?}");
        assert_eq!(state(), before, "{number}");
    }
}

/// A copy with the same bytes, a `touch`, a `chmod`: the change still fits, so it is made.
#[test]
fn the_same_text_in_another_file_is_no_change() {
    let place = Place::with(OLD);
    let conf = resolve(&place.path(CONF));
    let locked = lock(&conf);
    let loaded = present(&*locked);
    place.put("next", OLD);
    set_mode(&place.path("next"), 0o604);
    fs::rename(place.path("next"), place.path(CONF)).expect("the folder is ours");
    write(&*locked, loaded.as_ref(), NEW).expect("the text is the same");
    assert_eq!((&*place.text(), mode(&place.path(CONF))), (NEW, 0o604));
}

/// The mode of the file decides, also when it changes after the folder was made.
#[test]
fn the_state_folder_is_closed_ignored_and_follows_the_mode_of_the_file() {
    let place = Place::with(OLD);
    let (conf, state) = (resolve(&place.path(CONF)), place.path(STATE));
    for (conf_mode, folder_mode, file_mode) in
        [(0o644, 0o700, 0o600), (0o660, 0o770, 0o660), (0o600, 0o700, 0o600)]
    {
        set_mode(&place.path(CONF), conf_mode);
        drop(lock(&conf));
        assert_eq!((mode(&state), mode(&state.join("lock"))), (folder_mode, file_mode), "{conf_mode:o}");
        assert_eq!(fs::read(state.join(".gitignore")).ok().as_deref(), Some(&b"*\n"[..]));
    }
}

#[test]
fn an_obstacle_to_the_state_folder_is_named() {
    let blockers: [fn(&Place); 3] = [
        |place| place.put(STATE, ""),
        |place| symlink("elsewhere", place.path(STATE)).expect("the name is free"),
        |place| {
            fs::create_dir(place.path(STATE)).expect("the folder is ours");
            set_mode(&place.path(STATE), 0o700);
            symlink("../media.conf", place.path(STATE).join("lock")).expect("the name is free");
        },
    ];
    for (number, block) in blockers.into_iter().enumerate() {
        let place = Place::with(OLD);
        block(&place);
        let names = place.names();
        let error = replace(&place.path(CONF), NEW).expect_err("the lock has no place");
        assert!(error.kind == ErrorKind::NoStateFolder, "{number}: {error:?}");
        assert!(error.to_string().contains("/.media.conf.mediactl"), "{error}");
        assert_eq!((&*place.text(), place.names()), (OLD, names));
    }
}

#[test]
fn a_killed_writers_temporary_file_goes_and_nothing_else() {
    let place = Place::with(OLD);
    let mut stay =
        vec![".media.conf.mediactl-toolong", ".media.conf.mediactl-a.b.c.", ".other.conf.mediactl-abcdef"];
    for name in stay.iter().chain(&[".media.conf.mediactl-Abc123"]) {
        place.put(name, "half a te");
    }
    let conf = resolve(&place.path(CONF));
    conf.load().expect("the file can be read");
    assert_eq!(place.names().len(), 5, "a reader removes nothing");
    let writer = lock(&conf);
    let reconciled = writer.reconcile(present(&*writer).as_ref(), &|_| None).expect("it can be done");
    assert_eq!(reconciled.warnings, [""; 0]);
    stay.extend([CONF]);
    stay.sort_unstable();
    assert_eq!(place.names(), stay);
}
