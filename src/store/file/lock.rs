//! The lock that every writer takes, and what its holder finds to clean up.

use std::fs::{self, File};
use std::io;
use std::time::{Duration, Instant};

use rustix::fs::Access;

use super::file_lock::wait_for;
use super::in_place;
use super::load::Loaded;
use super::pending;
use super::state_dir::StateDir;
use super::target::{ConfFile, refuse_other_kinds};
use super::temporary::TemporaryPlace;
use crate::store::error::{LockHolder, StoreError};
use crate::store::warning::Warning;

/// Name of the lock file in the state folder. It is never removed: a lock on a file that has lost
/// its name locks nobody out.
const LOCK: &str = "lock";

/// The configuration file, locked against all other writers of this program until this is dropped.
#[derive(Debug)]
pub struct LockedFile<'a> {
    pub(super) conf: &'a ConfFile,
    pub(super) state: StateDir,
    warnings: Vec<Warning>,
    /// Closing it gives the lock back.
    _lock: File,
}

impl ConfFile {
    /// Takes the lock, waiting at most `wait`, and cleans up after killed writers. After a second
    /// of waiting `on_wait` is told once for whom.
    ///
    /// # Errors
    /// `PermissionDenied` when the file may not be written, a file that is read-only for us
    /// included, although a rename would get round that; `StateFolder` where the lock has no place;
    /// `Busy`; and all that [`ConfFile::load`] has.
    pub fn lock(
        &self,
        wait: Duration,
        on_wait: &mut dyn FnMut(&LockHolder),
    ) -> Result<LockedFile<'_>, StoreError> {
        refuse_unwritable(self)?;
        let (state, lock) = take(self, wait, on_wait)?;
        let mut warnings = TemporaryPlace::beside(self).remove_leftovers();
        warnings.extend(TemporaryPlace::of_candidates(&state).remove_leftovers());
        pending::clean(&state);
        warnings.extend(in_place::recover(self, &state)?);
        Ok(LockedFile { conf: self, state, warnings, _lock: lock })
    }
}

impl LockedFile<'_> {
    /// The file as it is now; `None` when it is yet to be made.
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

    /// What was found while cleaning up.
    pub fn warnings(&self) -> &[Warning] {
        &self.warnings
    }

    /// The same, for who is going to tell it.
    pub fn take_warnings(&mut self) -> Vec<Warning> {
        std::mem::take(&mut self.warnings)
    }
}

/// Asks before anything is made: neither a folder nor a read-only file gets a state folder.
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
        let taken = wait_for(&lock, rest, &mut || on_wait(&LockHolder::of(&lock)))
            .map_err(StoreError::state_folder(&state.path_of(LOCK)))?;
        if !taken {
            let path = conf.target().to_owned();
            return Err(StoreError::Busy { path, holder: LockHolder::of(&lock) });
        }
        // Somebody may have removed the state folder while we waited; then this locks nobody out.
        if state.still_has(LOCK, &lock) {
            LockHolder::sign(&lock);
            return Ok((state, lock));
        }
    }
}
