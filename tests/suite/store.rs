//! The file on disk: what a writer keeps, what it refuses, what it leaves behind.

use std::fs::{self, File};
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::time::Duration;

use mediactl::error::{Error, ErrorKind};
use mediactl::store::file::ConfFile;
use mediactl::store::{ChangeRecord, Loaded, Store, Warning, Writer};
use tempfile::TempDir;

use crate::cli::UNTIL_FREE;
use crate::needs::given;
use crate::waiting::let_pass;

const OLD: &[u8] = b"http 80;\n";
const NEW: &[&[u8]] = &[b"http ", b"8080", b";\n"];
const NEW_TEXT: &[u8] = b"http 8080;\n";

const RECORD: ChangeRecord<'_> = ChangeRecord::new("save", "me");

/// A folder with a `media.conf` that holds `OLD`.
struct Place {
    folder: TempDir,
    conf: PathBuf,
}

impl Place {
    fn new() -> Place {
        let place = Place::empty();
        fs::write(&place.conf, OLD).expect("a new folder is writable");
        place
    }

    fn empty() -> Place {
        let folder = tempfile::tempdir().expect("the system has room for temporary folders");
        let conf = folder.path().join("media.conf");
        Place { folder, conf }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn text(&self) -> Vec<u8> {
        read(&self.conf)
    }

    /// Everything beside the state folder.
    fn names(&self) -> Vec<String> {
        let entries = fs::read_dir(self.folder.path()).expect("the folder is there");
        let names = entries.map(|entry| entry.expect("the folder can be listed").file_name());
        let mut names: Vec<String> = names
            .map(|name| name.to_string_lossy().into_owned())
            .filter(|name| name != ".media.conf.mediactl")
            .collect();
        names.sort();
        names
    }
}

fn read(path: &Path) -> Vec<u8> {
    fs::read(path).expect("the file is there")
}

fn found(path: &Path) -> fs::Metadata {
    fs::symlink_metadata(path).expect("the file is there")
}

fn mode(path: &Path) -> u32 {
    found(path).mode() & 0o7777
}

fn set_mode(path: &Path, mode: u32) {
    fs::set_permissions(path, fs::Permissions::from_mode(mode)).expect("the file is ours");
}

fn resolve(path: &Path) -> ConfFile {
    ConfFile::resolve(path).expect("the path leads to a file")
}

fn lock(conf: &ConfFile) -> Box<dyn Writer + '_> {
    conf.writer(UNTIL_FREE, &mut |_| ()).expect("nobody holds the lock")
}

fn load(writer: &dyn Writer) -> Loaded {
    writer.load().expect("the file can be read")
}

fn write(writer: &dyn Writer, old: Option<&Loaded>, pieces: &[&[u8]]) -> Result<Vec<Warning>, Error> {
    writer.prepare(old, Some(&pieces.concat()), &RECORD)?()
}

fn replace(path: &Path, pieces: &[&[u8]]) -> Result<Vec<Warning>, Error> {
    let conf = ConfFile::resolve(path)?;
    let writer = conf.writer(UNTIL_FREE, &mut |_| ())?;
    let old = match writer.load() {
        Err(error) if error.kind == ErrorKind::NoConfiguration => None,
        loaded => Some(loaded?),
    };
    write(&*writer, old.as_ref(), pieces)
}

#[test]
fn keeps_every_mode_and_leaves_nothing_behind() {
    for wanted in [0o600, 0o640, 0o644, 0o660, 0o664, 0o755, 0o6750] {
        let place = Place::new();
        set_mode(&place.conf, wanted);
        let warnings = replace(&place.conf, NEW).expect("the file is writable");
        assert!(warnings.is_empty(), "{warnings:?}");
        assert_eq!((place.text(), mode(&place.conf)), (NEW_TEXT.to_vec(), wanted), "{wanted:o}");
        assert_eq!(place.names(), ["media.conf"]);
    }
}

#[test]
fn keeps_extended_attributes() {
    let place = Place::new();
    let file = File::open(&place.conf).expect("the file is there");
    let flags = rustix::fs::XattrFlags::empty();
    if !given("xattr", rustix::fs::fsetxattr(&file, "user.note", b"keep me", flags).is_ok()) {
        return;
    }
    let warnings = replace(&place.conf, NEW).expect("the file is writable");
    assert!(warnings.is_empty(), "{warnings:?}");
    let mut value = [0; 16];
    let length = rustix::fs::getxattr(&place.conf, "user.note", &mut value[..]);
    assert_eq!(&value[..length.expect("the attribute is there")], b"keep me");
}

#[test]
fn equal_bytes_keep_mtime_and_inode() {
    let place = Place::new();
    let before = found(&place.conf);
    let_pass(Duration::from_millis(25));
    let outcome = replace(&place.conf, &[b"http", b"", b" 80;\n"]).expect("the file is writable");
    assert!(outcome.is_empty());
    let after = found(&place.conf);
    let identity = |found: &fs::Metadata| (found.ino(), found.mtime_nsec(), found.ctime_nsec());
    assert_eq!(identity(&after), identity(&before));
}

#[test]
fn follows_a_chain_of_links_across_folders() {
    let place = Place::new();
    for folder in ["one", "two", "two/deep"] {
        fs::create_dir(place.path(folder)).expect("a new folder is writable");
    }
    let link = |to: &Path, at: &str| symlink(to, place.path(at)).expect("the name is free");
    link(Path::new("../two/deep/link.conf"), "one/link.conf");
    link(&place.path("two/last.conf"), "two/deep/link.conf");
    link(Path::new("../media.conf"), "two/last.conf");
    link(Path::new("two/deep"), "short");

    for (count, given) in ["one/link.conf", "short/link.conf"].into_iter().enumerate() {
        let given = place.path(given);
        let text = format!("http {count};\n");
        replace(&given, &[text.as_bytes()]).expect("the file is writable");
        assert!(found(&given).is_symlink());
        assert!(!found(&place.conf).is_symlink());
        assert_eq!(place.text(), text.as_bytes());
        assert_eq!(resolve(&given).state_dir(), resolve(&place.conf).state_dir());
    }
    assert!(place.path(".media.conf.mediactl/lock").exists());
    assert!(!place.path("one/.link.conf.mediactl").exists());
}

#[test]
fn a_change_by_somebody_else_is_not_overwritten() {
    let edits: [fn(&Place); 5] = [
        |place| fs::write(&place.conf, b"http 81;\n").expect("the file is ours"),
        |place| {
            fs::write(place.path("next"), b"http 81;\n").expect("the folder is ours");
            fs::rename(place.path("next"), &place.conf).expect("the folder is ours");
        },
        |place| fs::write(&place.conf, b"").expect("the file is ours"),
        |place| fs::remove_file(&place.conf).expect("the folder is ours"),
        |place| {
            fs::rename(&place.conf, place.path("next")).expect("the folder is ours");
            symlink("next", &place.conf).expect("the name is free");
        },
    ];
    for (number, edit) in edits.into_iter().enumerate() {
        let place = Place::new();
        let conf = resolve(&place.conf);
        let locked = lock(&conf);
        let loaded = load(&*locked);
        edit(&place);
        let (text, names) = (fs::read(&place.conf).ok(), place.names());
        let error = write(&*locked, Some(&loaded), NEW).expect_err("it changed");
        assert!(error.kind == ErrorKind::Conflict, "{number}: {error:?}");
        assert_eq!(fs::read(&place.conf).ok(), text, "{number}");
        assert_eq!(place.names(), names, "{number}");
    }
}

/// A copy with the same bytes, a `touch`, a `chmod`: the change still fits, so it is made.
#[test]
fn the_same_text_in_another_file_is_no_change() {
    let place = Place::new();
    let conf = resolve(&place.conf);
    let locked = lock(&conf);
    let loaded = load(&*locked);
    fs::write(place.path("next"), OLD).expect("the folder is ours");
    set_mode(&place.path("next"), 0o604);
    fs::rename(place.path("next"), &place.conf).expect("the folder is ours");
    write(&*locked, Some(&loaded), NEW).expect("the text is the same");
    assert_eq!(place.text(), NEW_TEXT);
    assert_eq!(mode(&place.conf), 0o604);
}

/// The mode of the file decides, also when it changes after the folder was made.
#[test]
fn the_state_folder_is_closed_ignored_and_follows_the_mode_of_the_file() {
    let place = Place::new();
    let conf = resolve(&place.conf);
    let state = conf.state_dir();
    for (conf_mode, folder_mode, file_mode) in
        [(0o644, 0o700, 0o600), (0o660, 0o770, 0o660), (0o600, 0o700, 0o600)]
    {
        set_mode(&place.conf, conf_mode);
        drop(lock(&conf));
        assert_eq!((mode(&state), mode(&state.join("lock"))), (folder_mode, file_mode), "{conf_mode:o}");
        assert_eq!(read(&state.join(".gitignore")), b"*\n");
    }
}

#[test]
fn an_obstacle_to_the_state_folder_is_named() {
    let blockers: [fn(&Place); 4] = [
        |place| fs::write(place.path(".media.conf.mediactl"), b"").expect("the folder is ours"),
        |place| symlink("elsewhere", place.path(".media.conf.mediactl")).expect("the name is free"),
        |place| {
            fs::create_dir_all(place.path("elsewhere")).expect("the folder is ours");
            symlink("elsewhere", place.path(".media.conf.mediactl")).expect("the name is free");
        },
        |place| {
            fs::create_dir(place.path(".media.conf.mediactl")).expect("the folder is ours");
            set_mode(&place.path(".media.conf.mediactl"), 0o700);
            symlink(&place.conf, place.path(".media.conf.mediactl/lock")).expect("a free name");
        },
    ];
    for (number, block) in blockers.into_iter().enumerate() {
        let place = Place::new();
        block(&place);
        let names = place.names();
        let error = replace(&place.conf, NEW).expect_err("the lock has no place");
        assert!(error.kind == ErrorKind::NoStateFolder, "{number}: {error:?}");
        assert!(error.to_string().contains("/.media.conf.mediactl"), "{error}");
        assert_eq!(place.text(), OLD);
        assert_eq!(place.names(), names);
    }
}

#[test]
fn a_killed_writers_temporary_file_goes_and_nothing_else() {
    let place = Place::new();
    let stay = [".media.conf.mediactl-toolong", ".media.conf.mediactl-a.b.c.", ".other.conf.mediactl-abcdef"];
    for name in stay.into_iter().chain([".media.conf.mediactl-Abc123"]) {
        fs::write(place.path(name), b"half a te").expect("the folder is writable");
    }
    let conf = resolve(&place.conf);
    conf.load().expect("the file can be read");
    assert_eq!(place.names().len(), 5, "a reader removes nothing");
    let (writer, loaded) = (lock(&conf), conf.load().expect("the file can be read"));
    assert!(writer.reconcile(Some(&loaded), &|_| None).expect("it can be done").warnings.is_empty());
    let mut expected = stay.to_vec();
    expected.push("media.conf");
    expected.sort_unstable();
    assert_eq!(place.names(), expected);
}
