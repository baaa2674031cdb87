//! The lock that every writer takes.

use std::cell::RefCell;
use std::fs::{self, File};
use std::io;
use std::time::{Duration, Instant};

use rustix::fs::Access;

use super::file_lock::wait_for;
use super::history_journal::HistoryJournal;
use super::open::refuse_other_kinds;
use super::state_dir::StateDir;
use super::target::ConfFile;
use crate::store::error::{LockHolder, StoreError};
use crate::store::version::Loaded;
use crate::store::warning::Warning;

/// Name of the lock file in the state folder. It is never removed: a lock on a file that has lost
/// its name locks nothing.
const LOCK: &str = "lock";

/// The configuration file, locked against all other writers of this program until this is dropped.
#[derive(Debug)]
pub struct LockedFile<'a> {
    pub(super) conf: &'a ConfFile,
    pub(super) state: StateDir,
    /// The warnings from cleaning up after killed writers.
    pub warnings: Vec<Warning>,
    /// The journal of the history, once it was opened.
    pub(super) journal: RefCell<Option<HistoryJournal>>,
    /// Closing it gives the lock back.
    _lock: File,
}

impl ConfFile {
    /// Takes the lock, waiting at most `wait`. After a second of waiting, calls `on_wait` once with the
    /// holder.
    pub(super) fn take_lock(
        &self,
        wait: Duration,
        on_wait: &mut dyn FnMut(&LockHolder),
    ) -> Result<LockedFile<'_>, StoreError> {
        refuse_unwritable(self)?;
        let (state, lock) = take(self, wait, on_wait)?;
        Ok(LockedFile { conf: self, state, warnings: Vec::new(), journal: RefCell::default(), _lock: lock })
    }
}

impl LockedFile<'_> {
    /// Loads the file; `None` when it is missing.
    ///
    /// # Errors
    /// Those of [`ConfFile::load`] but `NotFound`.
    pub fn load(&self) -> Result<Option<Loaded>, StoreError> {
        match self.conf.load() {
            Ok(loaded) => Ok(Some(loaded)),
            Err(StoreError::NotFound { .. }) => Ok(None),
            Err(error) => Err(error),
        }
    }
}

/// Refuses before anything is made: neither a folder nor a read-only file gets a state folder.
fn refuse_unwritable(conf: &ConfFile) -> Result<(), StoreError> {
    let path = conf.target();
    let found = match fs::symlink_metadata(path) {
        Ok(found) => found,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        Err(error) => return Err(StoreError::opening("look at", path)(error)),
    };
    if found.is_symlink() {
        return Err(StoreError::ChangedMeanwhile { path: path.to_owned() });
    }
    refuse_other_kinds(path, &found)?;
    rustix::fs::access(path, Access::WRITE_OK).map_err(StoreError::opening("write", path))
}

fn take(
    conf: &ConfFile,
    wait: Duration,
    on_wait: &mut dyn FnMut(&LockHolder),
) -> Result<(StateDir, File), StoreError> {
    let start = Instant::now();
    loop {
        let state = StateDir::make(conf)?;
        let lock = state.open(LOCK)?;
        let rest = wait.saturating_sub(start.elapsed());
        let taken = wait_for(&lock, rest, &mut || on_wait(&LockHolder::read(&lock)))
            .map_err(StoreError::state_folder(&state.path_of(LOCK)))?;
        if !taken {
            let path = conf.target().to_owned();
            return Err(StoreError::Busy { path, holder: LockHolder::read(&lock) });
        }
        // The state folder may have been removed during the wait; then other processes use another lock
        // file.
        if state.still_has(LOCK, &lock) {
            LockHolder::sign(&lock);
            return Ok((state, lock));
        }
    }
}
