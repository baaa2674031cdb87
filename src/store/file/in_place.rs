//! Writing into the file itself, for files that cannot be renamed over.
//!
//! A file that is a mount point of its own, as containers are given one, answers a rename with `EBUSY`.
//! Then the bytes of that very file have to change, and a crash can leave a mixture of both texts. The
//! undo journal makes that reversible: the next writer puts the old text back, so that here, too, a
//! write happens whole or not at all. The old text wins because putting it back needs no disk space,
//! while finishing the write might.
//!
//! `flock` on the file itself serves processes that see the same file but another folder around it,
//! and so another state folder: a container and its host.

use std::fs::{File, Metadata};
use std::io;
use std::os::unix::fs::{FileExt, MetadataExt};
use std::time::Duration;

use rustix::fs::OFlags;

use super::file_lock::wait_for;
use super::open::{open_without_blocking, read_whole};
use super::open_target::holds;
use super::state_dir::StateDir;
use super::target::ConfFile;
use super::undo_journal::{FileState, JOURNAL, KEPT_JOURNAL, UndoJournal};
use crate::store::error::{LockHolder, StoreError};
use crate::store::warning::Warning;

/// The longest time to wait for the lock on the file itself. Its holder only writes the file.
const FILE_LOCK_WAIT: Duration = Duration::from_secs(5);

/// Replaces the text `old` of the file by `pieces`, in the file itself.
pub(super) fn write(
    conf: &ConfFile,
    state: &StateDir,
    old: &[u8],
    pieces: &[&[u8]],
) -> Result<Vec<Warning>, StoreError> {
    let (file, found) = open_locked(conf)?;
    if !holds(&file, old).map_err(StoreError::io("read", conf.target()))? {
        return Err(StoreError::ChangedMeanwhile { path: conf.target().to_owned() });
    }
    if let Err(error) = UndoJournal::write(state, found.ino(), old, pieces) {
        // The file is untouched, so a journal that stays does no harm.
        let _ = state.remove(JOURNAL);
        return Err(error);
    }
    if let Err(source) = overwrite(&file, pieces) {
        return Err(put_back_after(source, conf, state, &file, old));
    }
    Ok(remove_journal(state))
}

/// Makes the file whole if a killed writer left a journal; called under the lock.
pub(super) fn recover(conf: &ConfFile, state: &StateDir) -> Result<Vec<Warning>, StoreError> {
    let Some(journal) = UndoJournal::read(state)? else {
        // Usually there is no journal. An incomplete one was cut short before the file was touched.
        let _ = state.remove(JOURNAL);
        return Ok(Vec::new());
    };
    let (file, found) = match open_locked(conf) {
        Ok(opened) => opened,
        Err(StoreError::NotFound { .. }) => return keep_journal(conf, state),
        Err(error) => return Err(error),
    };
    let bytes = read_whole(&file, conf.target())?;
    match journal.compare(&found, &bytes) {
        FileState::Complete => Ok(remove_journal(state)),
        FileState::Edited => keep_journal(conf, state),
        FileState::Mixture => {
            overwrite(&file, &[journal.old()]).map_err(StoreError::io("write", conf.target()))?;
            let mut warnings = vec![Warning::PutBack { path: conf.target().to_owned() }];
            warnings.extend(remove_journal(state));
            Ok(warnings)
        }
    }
}

fn open_locked(conf: &ConfFile) -> Result<(File, Metadata), StoreError> {
    let path = conf.target();
    let file = open_without_blocking(path, OFlags::RDWR)?;
    let found = file.metadata().map_err(StoreError::io("look at", path))?;
    let locked = wait_for(&file, FILE_LOCK_WAIT, &mut || {});
    if locked.map_err(StoreError::io("lock", path))? {
        Ok((file, found))
    } else {
        Err(StoreError::Busy { path: path.to_owned(), holder: LockHolder::unknown() })
    }
}

/// Overwrites the file from its start and then truncates it, so that every state in between is a mixture
/// of both texts.
fn overwrite(file: &File, pieces: &[&[u8]]) -> io::Result<()> {
    let mut length = 0;
    for piece in pieces {
        file.write_all_at(piece, length)?;
        length += piece.len() as u64;
    }
    file.set_len(length)?;
    file.sync_all()
}

/// Puts the old text back after a failed write. If that fails, too, the journal stays, and the error
/// says so.
fn put_back_after(
    source: io::Error,
    conf: &ConfFile,
    state: &StateDir,
    file: &File,
    old: &[u8],
) -> StoreError {
    let path = conf.target().to_owned();
    if overwrite(file, &[old]).is_err() {
        return StoreError::Torn { path, journal: state.path_of(JOURNAL), source };
    }
    remove_journal(state);
    StoreError::Io { operation: "write", path, source }
}

/// Removes the journal durably: one that stays could undo a later edit.
fn remove_journal(state: &StateDir) -> Vec<Warning> {
    match state.remove(JOURNAL).and_then(|()| state.sync()) {
        Ok(()) => Vec::new(),
        Err(source) => vec![Warning::JournalNotRemoved { path: state.path_of(JOURNAL), source }],
    }
}

fn keep_journal(conf: &ConfFile, state: &StateDir) -> Result<Vec<Warning>, StoreError> {
    let journal = state.path_of(KEPT_JOURNAL);
    state
        .rename(JOURNAL, KEPT_JOURNAL)
        .and_then(|()| state.sync())
        .map_err(StoreError::io("rename", &state.path_of(JOURNAL)))?;
    Ok(vec![Warning::JournalKept { path: conf.target().to_owned(), journal }])
}

#[cfg(test)]
mod tests;
