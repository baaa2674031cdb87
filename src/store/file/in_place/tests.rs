//! A crash is simulated by writing the bytes that a cut-short write would leave.

use std::fs;
use std::os::unix::fs::chown;
use std::path::PathBuf;
use std::time::Duration;

use tempfile::TempDir;

use super::{MARK, write};
use crate::error::ErrorKind;
use crate::store::file::ConfFile;
use crate::store::file::history::{History, Staged};
use crate::store::file::state::StateDir;
use crate::store::{HistoryEntry, Store};

const OLD: &[u8] = b"http 80;\nstream one;\n";

const PUT_BACK: &str = "the text before it was put back";

/// Longer, shorter, of equal length, nothing at all.
const NEW: [&[u8]; 4] =
    [b"http 8080;\nstream one;\nstream two;\n", b"http 8;\n", b"http 81;\nstream two;\n", b""];

struct MountedFile {
    _folder: TempDir,
    conf: ConfFile,
}

impl MountedFile {
    fn new() -> MountedFile {
        let folder = tempfile::tempdir().expect("the system has room for temporary folders");
        let path = folder.path().join("media.conf");
        fs::write(&path, OLD).expect("a new folder is writable");
        let conf = ConfFile::resolve(&path).expect("it is a file");
        MountedFile { _folder: folder, conf }
    }

    /// The warnings of the next writer.
    fn warnings(&self) -> Vec<String> {
        let writer = self.conf.writer(Duration::ZERO, &mut |_| ()).expect("nobody holds the lock");
        writer.reconcile(self.conf.load().ok().as_ref(), &|_| None).expect("it is ours").warnings
    }

    fn state_dir(&self) -> StateDir {
        StateDir::enter(&self.conf).expect("the folder is writable").0
    }

    /// The entry of a change from the present text to `new`.
    fn staged(&self, new: &[u8]) -> Staged {
        let history = History::make(&self.state_dir()).expect("the folder is writable");
        let (path, old) = (&self.conf.target, self.conf.load().expect("it can be read"));
        let found = fs::metadata(path).expect("the file is there");
        let record = HistoryEntry::of("save", "me");
        Staged::stage(history, path, Some((&old, &found)), Some(new), &record, || Ok(()))
            .expect("the folder is writable")
            .0
    }

    /// A writer dies between making the mark durable and the end of its work, leaving `bytes`.
    fn crash(&self, new: &[u8], bytes: &[u8]) {
        let mut staged = self.staged(new);
        staged.stays = true;
        let mark = staged.number.to_string();
        self.state_dir().put(MARK, &[mark.as_bytes()]).expect("the folder is writable");
        self.leave(bytes);
    }

    /// Changes the file without giving it another inode.
    fn leave(&self, bytes: &[u8]) {
        fs::write(&self.conf.target, bytes).expect("the file is ours");
    }

    fn text(&self) -> Vec<u8> {
        fs::read(&self.conf.target).expect("the file is there")
    }

    fn mark(&self) -> PathBuf {
        self.conf.state_dir().join(MARK)
    }
}

/// The first `written` bytes of `new` over the old text, as `write(2)` leaves them.
fn cut_short(new: &[u8], written: usize) -> Vec<u8> {
    let rest = OLD.get(written..).unwrap_or_default();
    [&new[..written], rest].concat()
}

#[test]
fn a_write_that_was_cut_short_is_put_back() {
    for new in NEW {
        for written in 0..=new.len() {
            let place = MountedFile::new();
            let left = cut_short(new, written);
            place.crash(new, &left);
            let complete = left == OLD || left == new;
            let expected = if complete { &left } else { OLD };
            let served = place.conf.load().expect("the file can be read");
            assert_eq!(served.bytes, expected, "read after {written} bytes");
            assert_eq!(place.text(), left, "a reader writes nothing");
            assert_eq!(place.warnings().concat().contains(PUT_BACK), !complete);
            assert_eq!(place.text(), expected, "locked after {written} bytes");
            assert!(!place.mark().exists());
        }
    }
}

/// The blocks that reached the disk before a power failure need not be the first ones, and those on their way may be missing or
/// zero, on file systems that make a file longer or shorter before its blocks are written. All else is an edit.
#[test]
fn a_mixture_in_any_order_with_zeros_or_cut_is_put_back_and_an_edit_is_left_alone() {
    let (mixture, edit) = (true, false);
    let left: [(&[u8], bool); 10] = [
        (&[0; OLD.len()], mixture),
        (&[0; 4], mixture),
        (b"http 8", mixture),
        (b"http 81;\nstr\0\0\0\0\0\0\0\0\n", mixture),
        (b"\0\0\0\0 81;\n", mixture),
        (b"http 80;\nstream two;\n", mixture),
        (b"http 90;\nstream one;\n", edit),
        (b"\n", edit),
        (b"http 80;\nstream one;\n#", edit),
        (b"http 82", edit),
    ];
    for (left, is_mixture) in left {
        let place = MountedFile::new();
        place.crash(NEW[2], left);
        let expected = if is_mixture { OLD } else { left };
        assert_eq!(place.conf.load().expect("the file can be read").bytes, expected, "{left:?}");
        // The next change that root makes copies the state folder. Who is not root gives the file to himself.
        let us = rustix::process::geteuid();
        let owner = if us.is_root() { 65534 } else { us.as_raw() };
        chown(&place.conf.target, Some(owner), None).expect("it is ours, or we are root");
        match &place.warnings()[..] {
            [only] => assert!(is_mixture && only.contains(PUT_BACK), "{left:?} {only}"),
            others => assert!(!is_mixture && others.is_empty(), "{left:?} {others:?}"),
        }
        assert_eq!((&*place.text(), place.mark().exists()), (expected, false), "{left:?}");
        let texts = History::make(&place.state_dir()).expect("it is there").texts_of(1);
        assert_eq!(texts.expect("both are kept").0, [OLD, NEW[2]]);
    }
}

/// An editor that renames leaves another inode, and no write of ours can have torn that one.
#[test]
fn a_mixture_in_another_file_is_an_edit() {
    let place = MountedFile::new();
    place.crash(NEW[2], OLD);
    let mixture = cut_short(NEW[2], 8);
    let next = place.conf.target.with_extension("next");
    fs::write(&next, &mixture).expect("the folder is ours");
    fs::rename(&next, &place.conf.target).expect("the folder is ours");
    assert!(place.warnings().is_empty());
    assert_eq!(place.text(), mixture);
}

#[test]
fn another_text_than_expected_is_not_overwritten() {
    let place = MountedFile::new();
    let (state, mut staged) = (place.state_dir(), place.staged(NEW[0]));
    place.leave(b"http 90;\nstream one;\n");
    let error = write((&place.conf, &state), OLD, NEW[0], &mut staged).expect_err("it was edited");
    assert!(error.kind == ErrorKind::Conflict, "{error:?}");
    assert_eq!(place.text(), b"http 90;\nstream one;\n");
    assert!(!place.mark().exists());
}
