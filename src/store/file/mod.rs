//! The file on disk: it is found, locked, loaded and replaced here.
//!
//! A writer takes these steps, and a failure at any of them leaves the old file: lock (`writer`) → load (`in_place`) →
//! compare with the present file → put the new text and a line into the `history` → write the new text into
//! `.FILE.mediactl-XXXXXX` beside the file, with owner, group, mode and extended attributes of the old file → compare the
//! bytes once more → rename (`replace`). Each write is followed by an fsync, the rename by one of the folder. From 256 KiB on,
//! the history and the new file are written at the same time.
//!
//! A rename cannot work where the file is a
//! mount point of its own, or where a new file cannot be given the owner, the mode and the access control list
//! of the old one. There the text is written in place under a mark (`in_place`). A reader takes no lock and
//! writes nothing.
//!
//! Other users of the machine are not trusted. The mode and the access control list of a file say who
//! may write it (`find`). The contents of the state folder are used only if no other user can have
//! made them (`state`). No link of another user is followed (`find`). The kernel says which process is
//! at the other end of the socket (`serving`).
//!
//! Between the last comparison and the rename are some microseconds. A program that writes into the file just then, or puts
//! another one in its place, is noticed, because the two files change places: the file that comes out is not the one that
//! was compared, and goes back.
//!
//! The *state folder* `.FILE.mediactl/` is beside the file that the links lead to, so every process
//! computes the same path:
//!
//! | name                          | what it is                                                      |
//! |-------------------------------|-----------------------------------------------------------------|
//! | `lock`                        | held by a writer; its text is the holder's process id           |
//! | `in-place`                    | the number of the change that is being written in place         |
//! | `.gitignore`                  | `*`, so that a configuration under version control stays clean  |
//! | `serve.lock`                  | held by a running server for its whole life                     |
//! | `sock`                        | the Unix socket of that server                                  |
//! | `history/`                    | the texts of the file, and a journal (`history`)                |
//! | `tls-cert.pem`, `tls-key.pem` | the certificate that the server made itself, and its key        |
//! | `candidate-XXXXXX`            | the text that the hooks are shown; there only during a change   |
//! | `pending`                     | a change that has to be confirmed, and the texts before it      |
//! | `followed`, `back`            | which text of a cluster the file holds, on a node; the way back |
//! | `0.1`                         | the state folder of version 0.1, once it is converted           |

mod convert;
mod drafts;
mod find;
mod history;
mod in_place;
mod pending;
mod replace;
mod serving;
mod state;
mod writer;

use std::fs::{self, Metadata};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::os::unix::fs::MetadataExt;
use std::path::{Component, Path};
use std::time::Duration;

use rustix::process::geteuid;

pub use drafts::{DraftHead, KeptDraft};
pub use find::{ConfFile, limit_files, read_file, read_limited, refuse_other_kinds};
pub use pending::{Followed, FollowedText, WayBack};
pub use serving::{ServeLock, Serving, SocketPeer};

use super::pending::PendingRecord;
use super::record::{FileStamp, HistoryEntry, Revision};
use super::{
    Candidate, IncludeLimits, IncludedText, LastWrite, Loaded, RunBy, Store, Writer, candidate_elsewhere,
};
use crate::error::{Error, ErrorKind};
use convert::{find_history, find_state};
use history::History;
use pending::PENDING;
use state::{StateDir, seems_there};
use writer::LockedFile;

impl Store for ConfFile {
    fn name(&self) -> String {
        self.given.display().to_string()
    }

    fn path(&self) -> &Path {
        &self.target
    }

    fn leads_elsewhere(&self) -> bool {
        Self::resolve(&self.given).is_ok_and(|now| now.target != self.target)
    }

    fn load(&self) -> Result<Loaded, Error> {
        // A reader ignores a state folder that it cannot read or trust, and returns the text of the file.
        in_place::load(self, find_state(self).ok().flatten().as_ref(), None).map(|(loaded, _)| loaded)
    }

    fn stamp(&self) -> u64 {
        let mut hasher = DefaultHasher::new();
        let changed =
            |found: Metadata| (found.dev(), LastWrite::from(&found), (found.ctime(), found.ctime_nsec()));
        fs::metadata(&self.target).ok().map(changed).hash(&mut hasher);
        hasher.finish()
    }

    /// Begins at the folder of this file.
    fn included(&self, pattern: &str, mut rest: IncludeLimits) -> Result<Vec<IncludedText>, Error> {
        let plain = self.folder().join(pattern);
        if !self.is_below(&plain) {
            // It is not even looked whether there is anything.
            return Ok(vec![IncludedText { name: pattern.to_owned(), target: plain, bytes: None }]);
        }
        if !pattern.contains(['*', '?', '[']) {
            return Ok(vec![self.read_one(&plain, &mut rest)?]);
        }
        let folder = glob::Pattern::escape(&self.folder().display().to_string());
        let whole =
            if Path::new(pattern).is_absolute() { pattern.to_owned() } else { format!("{folder}/{pattern}") };
        let options = glob::MatchOptions {
            require_literal_separator: true,
            require_literal_leading_dot: true,
            ..glob::MatchOptions::new()
        };
        let found = glob::glob_with(&whole, options).map_err(|error| {
            Error::new(ErrorKind::NotFound, format!("the pattern is wrong: {}", error.msg))
        })?;
        let read = found.map(|path| {
            let path = path.map_err(|error| {
                let path = error.path().to_owned();
                Error::opening("look into", &path)(error)
            })?;
            self.read_one(&path, &mut rest)
        });
        read.collect()
    }

    /// Without the oldest changes, whose texts are not kept any more.
    fn history(&self, wanted: usize) -> Result<Vec<HistoryEntry>, Error> {
        let entries = |history: History| history.entries(FileStamp::at(&self.target), wanted);
        find_history(self)?.map_or(Ok(Vec::new()), entries)
    }

    fn kept(&self, number: u64) -> Result<Option<Vec<u8>>, Error> {
        find_history(self)?.map_or(Ok(None), |history| history.text_before(number))
    }

    fn edited_from(&self, now: Revision) -> Option<Vec<u8>> {
        find_history(self).ok()??.edited_from(FileStamp::at(&self.target), now)
    }

    /// In the state folder, if that is there and may be written.
    fn candidate(&self, text: &[u8]) -> Result<Candidate, Error> {
        let state = StateDir::find(self).ok().flatten();
        let held = state.and_then(|state| replace::write_candidate(&state, text).ok()?);
        held.map_or_else(|| candidate_elsewhere(text), Ok)
    }

    fn refuse_missing(&self) -> Result<(), Error> {
        let is_gone = self.target.try_exists().is_ok_and(|exists| !exists);
        if is_gone { Err(Error::no_file(&self.target)) } else { Ok(()) }
    }

    fn has_pending(&self) -> bool {
        [self.state_dir(), self.former_state_dir()].iter().any(|state| seems_there(&state.join(PENDING)))
    }

    fn pending(&self) -> Result<Option<PendingRecord>, Error> {
        let Some(state) = find_state(self)? else { return Ok(None) };
        Ok(state.read(PENDING)?.and_then(|bytes| pending::parse(bytes.into())))
    }

    fn run_by(&self) -> RunBy {
        if let Ok(Some(_)) = self.serving() { RunBy::Server } else { RunBy::Nobody }
    }

    fn writer(&self, wait: Duration, on_wait: &mut dyn FnMut(&str)) -> Result<Box<dyn Writer + '_>, Error> {
        Ok(Box::new(LockedFile::new(self, wait, on_wait)?))
    }
}

impl ConfFile {
    fn read_one(&self, path: &Path, rest: &mut IncludeLimits) -> Result<IncludedText, Error> {
        let file = Self::resolve(path)?;
        let target = file.target.to_owned();
        // As the file itself is named: below the folder by which it was given.
        let name = match (path.strip_prefix(self.folder()), self.given.parent()) {
            (Ok(below), Some(folder)) => folder.join(below).display().to_string(),
            _ => path.display().to_string(),
        };
        let found = fs::symlink_metadata(&target).map_err(Error::opening("open", &target))?;
        if !self.is_below(&target) || self.is_linked_by_another(&found) {
            return Ok(IncludedText { name, target, bytes: None });
        }
        *rest = rest.after(found.len())?;
        let (loaded, found) = in_place::load(&file, None, None)?;
        // Another program may have put another file there meanwhile.
        let bytes = (!self.is_linked_by_another(&found)).then_some(loaded.bytes);
        Ok(IncludedText { name, target, bytes })
    }

    /// True if a path leads to a place below the folder of this file, and not into a state folder.
    fn is_below(&self, path: &Path) -> bool {
        let is_state = |name: &[u8]| name.starts_with(b".") && name.ends_with(b".mediactl");
        let leaves = |name: Component<'_>| {
            name == Component::ParentDir || is_state(name.as_os_str().as_encoded_bytes())
        };
        path.strip_prefix(self.folder()).is_ok_and(|below| !below.components().any(leaves))
    }

    /// True if a file has further names and another owner than this one: somebody may have given it a
    /// name here that he could not read. A backup by `cp -al` has the same owner.
    fn is_linked_by_another(&self, found: &Metadata) -> bool {
        // While this file is missing, it will belong to the user of this process.
        let own = fs::metadata(&self.target).map_or_else(|_| geteuid().as_raw(), |own| own.uid());
        found.nlink() > 1 && found.uid() != own
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_more_files_and_bytes_are_read_than_allowed() {
        let folder = tempfile::tempdir().expect("there is room");
        for name in ["a.inc", "b.inc", "c.inc"] {
            fs::write(folder.path().join(name), "rtsp 554;\n").expect("a new folder is writable");
        }
        let file = ConfFile::resolve(&folder.path().join("media.conf")).expect("its folder is there");
        let read = |files, bytes| file.included("*.inc", IncludeLimits { files, bytes });
        assert_eq!(read(3, 30).expect("it is just enough").len(), 3);
        assert!(read(2, 30).is_err_and(|error| error.kind == ErrorKind::FileTooLarge));
        assert!(read(3, 29).is_err_and(|error| error.kind == ErrorKind::FileTooLarge));
    }
}
