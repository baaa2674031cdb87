//! The locked file: what every writer holds, and how it cleans up after those that were killed.

use std::cell::RefCell;
use std::ffi::OsString;
use std::fs::{self, File};
use std::time::{Duration, Instant};

use bytes::Bytes;
use rustix::fs::Access;
use rustix::io::Errno;

use super::convert::{self, FormerLocks};
use super::find::ConfFile;
use super::history::History;
use super::in_place;
use super::pending;
use super::replace::{self, remove_leftovers};
use super::state::{LOCK, StateDir};
use crate::error::Error;
use crate::store::{
    ChangedPaths, HistoryEntry, Loaded, PendingRecord, PreparedChange, Reconciled, Revision, Warning, Writer,
};

/// Files in the state folder that a killed writer was writing.
const UNFINISHED_FILES: [&str; 2] = ["in-place.new", "pending.new"];

/// The configuration file, locked against all other writers of this program until this is dropped.
#[derive(Debug)]
pub(super) struct LockedFile<'a> {
    conf: &'a ConfFile,
    state: StateDir,
    /// The warnings from cleaning up after killed writers.
    warnings: RefCell<Vec<Warning>>,
    /// The history, once it was opened.
    history: RefCell<Option<History>>,
    /// Closing it gives the lock back.
    _lock: File,
    /// Those of version 0.1, where its state folder is there, too.
    _former: Option<FormerLocks>,
}

impl<'a> LockedFile<'a> {
    /// Takes the lock, waiting at most `wait`, and cleans up after killed writers. After a second of
    /// waiting, calls `on_wait` once with words.
    ///
    /// # Errors
    /// `Denied` when the file may not be written, a file that is read-only for us included, although a rename would get
    /// round that; `NoStateFolder` where the lock has no place; `Locked`, also while a server of version 0.1 runs; and
    /// all that [`in_place::load`] has.
    pub fn new(conf: &'a ConfFile, wait: Duration, on_wait: &mut dyn FnMut(&str)) -> Result<Self, Error> {
        refuse_unwritable(conf)?;
        let start = Instant::now();
        loop {
            let rest = wait.saturating_sub(start.elapsed());
            let (state, former) = convert::make_state(conf, rest, on_wait)?;
            let rest = wait.saturating_sub(start.elapsed());
            let Some(lock) = state.take_lock(conf, LOCK, rest, on_wait)? else { continue };
            // A folder that may be written but not listed is legal; leftovers stay there.
            let beside = fs::read_dir(conf.folder()).into_iter().flatten().flatten();
            let mut warnings =
                remove_leftovers(&conf.beside("-"), beside.map(|entry| entry.file_name()).collect());
            let names = state.names()?;
            let is_there = |name: &&str| names.iter().any(|there| there == name);
            UNFINISHED_FILES.iter().copied().filter(is_there).for_each(|name| _ = state.remove(name));
            if is_there(&in_place::MARK) {
                warnings.extend(in_place::recover(conf, &state)?);
            }
            let names = names.into_iter().map(OsString::from).collect();
            warnings.extend(remove_leftovers(&state.path_of(replace::CANDIDATE), names));
            let (warnings, history) = (RefCell::new(warnings), RefCell::default());
            return Ok(LockedFile { conf, state, warnings, history, _lock: lock, _former: former });
        }
    }
}

impl Writer for LockedFile<'_> {
    fn load(&self, known: Option<(&Bytes, Revision)>) -> Result<Loaded, Error> {
        Ok(in_place::load(self.conf, Some(&self.state), known)?.0)
    }

    fn reconcile(
        &self,
        current: Option<&Loaded>,
        paths: &dyn Fn([&[u8]; 2]) -> Option<ChangedPaths>,
    ) -> Result<Reconciled, Error> {
        let known = self.history.take();
        let mut reconciled = Reconciled::default();
        // Without a change there is no history to reconcile.
        if let Some(mut history) =
            known.map_or_else(|| History::find(&self.state), |known| Ok(Some(known)))?
        {
            reconciled = history.reconcile(&self.conf.target, current, paths)?;
            self.history.replace(Some(history));
        }
        reconciled.warnings.splice(0..0, self.warnings.take());
        Ok(reconciled)
    }

    fn prepare<'w>(
        &'w self,
        old: Option<&'w Loaded>,
        new: Option<&'w [u8]>,
        record: &HistoryEntry,
    ) -> Result<PreparedChange<'w>, Error> {
        // The history is read once as long as the lock is held, and made where it is missing.
        let history = || self.history.take().map_or_else(|| History::make(&self.state), Ok);
        replace::prepare((self.conf, &self.state), old, new, history, record)
    }

    /// Nobody else writes it as long as the file is locked.
    fn set_pending(&self, pending: &PendingRecord) -> Result<(), Error> {
        pending::write(&self.state, pending)
    }

    fn clear_pending(&self) -> Result<(), Error> {
        pending::remove(&self.state)
    }
}

/// Refuses before anything is made: a read-only file gets no state folder. What is no file was refused when it was looked up.
fn refuse_unwritable(conf: &ConfFile) -> Result<(), Error> {
    match rustix::fs::access(&conf.target, Access::WRITE_OK) {
        Err(Errno::NOENT) => Ok(()),
        found => found.map_err(Error::opening("write", &conf.target)),
    }
}
