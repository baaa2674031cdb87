//! The file on disk: it is found, locked, loaded and replaced here.
//!
//! A writer takes these steps, and a failure at any of them leaves the old file: lock
//! ([`ConfFile::lock`]) → load ([`LockedFile::load`]) → compare with the present file → write the new
//! text into `.FILE.mediactl-XXXXXX` beside the file → copy owner, group, mode, extended attributes →
//! the new text and a line in the `history` → fsync of all ([`LockedFile::prepare`]) → compare the bytes once
//! more → rename → fsync of the folder ([`PreparedWrite::commit`]). A rename cannot work where the file is a
//! mount point of its own, or where a new file cannot be given the owner, the mode and the access control list
//! of the old one. There the text is written in place under a journal (`in_place`). A reader takes no lock and
//! writes nothing.
//!
//! Other users of the machine are not trusted. The mode and the access control list of a file say who
//! may write it (`access`). The contents of the state folder are used only if no other user can have
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
//! | `in-place`                    | journal of an in-place write; there only while one is under way |
//! | `in-place.kept`               | a journal that no longer fits the file, kept for its texts      |
//! | `candidate-XXXXXX`            | a text that a checking program looks at before it is written    |
//! | `.gitignore`                  | `*`, so that a configuration under version control stays clean  |
//! | `serve.lock`                  | held by a running server for its whole life                     |
//! | `sock`                        | the Unix socket of that server                                  |
//! | `history/`                    | the texts of the file, and a journal (`history`)                |
//! | `tls-cert.pem`, `tls-key.pem` | the certificate that the server made itself, and its key        |
//! | `pending`                     | a change that has to be confirmed, and the texts before it      |
//! | `followed`, `back`            | which text of a cluster the file holds, on a node; the way back |
//! | `converted`                   | there only until the state folder of version 0.1 is removed     |

mod access;
mod find;
mod lock;
mod state;

mod drafts;
mod history;

mod convert;
mod in_place;
mod included;

mod pending;
mod replace;
mod serving;
mod writer;

use std::fs::Metadata;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

pub use drafts::{DraftHead, DraftOrigin, KeptDraft, draft_head, text_of_base, user_folder};
pub use find::ConfFile;
pub use pending::{Followed, FollowedText, WayBack};
pub use replace::PreparedWrite;
pub use serving::{AllowedPeers, ServeLock, Serving, SocketPeer};
pub use writer::LockedFile;

use super::candidate::Candidate;
use super::change_record::{ChangeRecord, HistoryEntry};
use super::error::LockHolder;
use super::included::{Follow, IncludeError, IncludedText};
use super::pending::PendingRecord;
use super::revision::Revision;
use super::version::{BaseText, Loaded};
use super::warning::Warning;
use super::{PreparedChange, Reconciled, RunBy, Store, Writer};
use crate::error::Error;
use convert::{FormerHistory, find_state};
use history::{FileStamp, History};
use in_place::last_write;
use state::StateDir;
use writer::TemporaryPlace;

/// Mode of a candidate until it gets that of the other files in the state folder.
const CANDIDATE_MODE: u32 = 0o600;

/// The history for readers.
enum AnyHistory {
    Present(History),
    /// That of a state folder of version 0.1, which no writer has converted yet.
    Former(FormerHistory),
}

impl AnyHistory {
    fn find(conf: &ConfFile) -> Result<Option<Self>, Error> {
        if let Some(state) = StateDir::find(conf)? {
            return Ok(History::find(&state)?.map(Self::Present));
        }
        let Some(former) = StateDir::find_former(conf)? else { return Ok(None) };
        Ok(FormerHistory::find(conf, &former)?.map(Self::Former))
    }
}

impl ConfFile {
    /// Returns the changes in the history, the last one first, without the oldest ones, whose texts are not kept any
    /// more. Takes no lock.
    ///
    /// # Errors
    /// `PermissionDenied`, `Io`.
    pub fn history(&self) -> Result<Vec<HistoryEntry>, Error> {
        Ok(match AnyHistory::find(self)? {
            None => Vec::new(),
            Some(AnyHistory::Present(history)) => history.entries(FileStamp::at(self.target()))?,
            Some(AnyHistory::Former(history)) => history.entries(),
        })
    }

    /// Returns the text before a change, or the text of an entry that was never in the file; `None` if there was no
    /// file, or if the text is no longer kept.
    ///
    /// # Errors
    /// `Altered` if another program wrote into it; `PermissionDenied`, `Io`.
    pub fn kept(&self, serial: u64) -> Result<Option<Vec<u8>>, Error> {
        match AnyHistory::find(self)? {
            None => Ok(None),
            Some(AnyHistory::Present(history)) => history.text_before(serial),
            Some(AnyHistory::Former(history)) => history.text_before(serial),
        }
    }
}

impl LockedFile<'_> {
    /// Reconciles the history with the file, which holds `now`, or is missing.
    ///
    /// # Errors
    /// `StateFolder`.
    pub fn reconcile(&self, now: Option<BaseText<'_>>) -> Result<Reconciled, Error> {
        let known = self.history.take();
        // Without a change there is no history to reconcile.
        let Some(mut history) = known.map_or_else(|| History::find(&self.state), |known| Ok(Some(known)))?
        else {
            return Ok(Reconciled::default());
        };
        let reconciled = history.reconcile(self.conf.target(), now.map(|now| (now.text, now.revision)))?;
        self.history.replace(Some(history));
        Ok(reconciled)
    }
}

impl Store for ConfFile {
    fn name(&self) -> String {
        self.given().display().to_string()
    }

    fn path(&self) -> &Path {
        self.target()
    }

    fn leads_elsewhere(&self) -> bool {
        Self::resolve(self.given()).is_ok_and(|now| now.target() != self.target())
    }

    fn load(&self) -> Result<Loaded, Error> {
        self.load()
    }

    fn stamp(&self, others: &[PathBuf]) -> u64 {
        let mut hasher = DefaultHasher::new();
        for path in std::iter::once(self.target()).chain(others.iter().map(PathBuf::as_path)) {
            let found = std::fs::metadata(path).ok();
            let changed = |found: &Metadata| (found.ctime(), found.ctime_nsec());
            found
                .map(|found| (found.dev(), found.ino(), last_write(&found), changed(&found)))
                .hash(&mut hasher);
        }
        hasher.finish()
    }

    fn included(&self, pattern: &str, follow: Follow) -> Result<Vec<IncludedText>, IncludeError> {
        self.read_included(pattern, follow)
    }

    fn history(&self, _wanted: usize) -> Result<Vec<HistoryEntry>, Error> {
        self.history()
    }

    fn has_change(&self, serial: u64) -> Result<bool, Error> {
        let now = FileStamp::at(self.target());
        Ok(match AnyHistory::find(self)? {
            None => false,
            Some(AnyHistory::Present(history)) => history.has(serial, now),
            Some(AnyHistory::Former(history)) => history.has(serial),
        })
    }

    fn kept(&self, serial: u64) -> Result<Option<Vec<u8>>, Error> {
        self.kept(serial)
    }

    fn edited_from(&self, now: Revision) -> Option<Vec<u8>> {
        match AnyHistory::find(self).ok()?? {
            AnyHistory::Present(history) => history.edited_from(FileStamp::at(self.target()), now),
            AnyHistory::Former(history) => history.edited_from(now),
        }
    }

    fn refuse_missing(&self) -> Result<(), Error> {
        match self.target().try_exists() {
            Ok(false) => Err(Error::no_file(self.target())),
            _ => Ok(()),
        }
    }

    fn has_pending(&self) -> bool {
        self.has_pending()
    }

    fn pending(&self) -> Result<Option<PendingRecord>, Error> {
        self.pending()
    }

    /// In the state folder, where a writer has it, if that is there and may be written.
    fn candidate(&self, pieces: &[&[u8]]) -> Result<Candidate, Error> {
        let held = || {
            let state = find_state(self).ok()??;
            let temporary =
                TemporaryPlace::of_candidates(&state).write_held(CANDIDATE_MODE, pieces).ok()??;
            state.adopt(temporary.as_file());
            Some(Candidate::new(temporary))
        };
        held().map_or_else(|| Candidate::elsewhere(pieces), Ok)
    }

    fn run_by(&self) -> RunBy {
        match self.serving() {
            Ok(Some(_)) => RunBy::Server,
            Ok(None) | Err(_) => RunBy::Nobody,
        }
    }

    fn writer(
        &self,
        wait: Duration,
        on_wait: &mut dyn FnMut(&LockHolder),
    ) -> Result<Box<dyn Writer + '_>, Error> {
        Ok(Box::new(self.lock(wait, on_wait)?))
    }
}

impl Writer for LockedFile<'_> {
    fn load(&self) -> Result<Loaded, Error> {
        Ok(in_place::load(self.conf, Some(&self.state))?.0)
    }

    fn take_warnings(&mut self) -> Vec<Warning> {
        std::mem::take(&mut self.warnings)
    }

    fn reconcile(&self, current: Option<BaseText<'_>>) -> Result<Reconciled, Error> {
        self.reconcile(current)
    }

    fn candidate(&self, pieces: &[&[u8]]) -> Result<Candidate, Error> {
        let temporary = TemporaryPlace::of_candidates(&self.state).write(CANDIDATE_MODE, pieces)?;
        self.state.adopt(temporary.as_file());
        Ok(Candidate::new(temporary))
    }

    fn prepare<'w>(
        &'w self,
        old: Option<BaseText<'w>>,
        new: Option<&'w [&'w [u8]]>,
        record: &ChangeRecord<'_>,
    ) -> Result<Box<dyn PreparedChange + 'w>, Error> {
        Ok(Box::new(self.prepare(old, new, record)?))
    }

    fn keep_aside(&self, text: &[u8], record: &ChangeRecord<'_>) -> Result<(), Error> {
        let mut history = self.take_history()?;
        history.keep_aside(text, record)?;
        self.history.replace(Some(history));
        Ok(())
    }

    /// Nobody else writes it as long as the file is locked.
    fn set_pending(&self, pending: &PendingRecord) -> Result<(), Error> {
        self.set_pending(pending)
    }

    fn clear_pending(&self) -> Result<(), Error> {
        self.clear_pending()
    }
}

impl PreparedChange for PreparedWrite<'_> {
    fn commit(self: Box<Self>) -> Result<Vec<Warning>, Error> {
        (*self).commit()
    }
}
