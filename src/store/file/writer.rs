//! The locked file: what every writer holds, and how it cleans up after those that were killed.

use std::cell::RefCell;
use std::ffi::OsStr;
use std::fs::{self, DirEntry, File, OpenOptions, Permissions, TryLockError};
use std::io::{self, BufWriter, Write};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{MetadataExt, OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use rustix::fs::{Access, OFlags};
use tempfile::NamedTempFile;

use super::convert::{self, FormerLocks};
use super::find::{ConfFile, refuse_other_kinds};
use super::history::History;
use super::in_place;
use super::lock::{LOCK, LockAttempt};
use super::state::StateDir;
use crate::error::{Error, ErrorKind};
use crate::store::error::LockHolder;
use crate::store::version::Loaded;
use crate::store::warning::Warning;

/// Length of the random end of a temporary name.
const RANDOM_LETTERS: usize = 6;

/// Files in the state folder that a killed writer was writing.
const UNFINISHED_FILES: [&str; 2] = ["in-place.new", "pending.new"];

/// Smaller pieces are written together.
const BUFFER: usize = 64 << 10;

/// The configuration file, locked against all other writers of this program until this is dropped.
#[derive(Debug)]
pub struct LockedFile<'a> {
    pub(super) conf: &'a ConfFile,
    pub(super) state: StateDir,
    /// The warnings from cleaning up after killed writers.
    pub warnings: Vec<Warning>,
    /// The history, once it was opened.
    pub(super) history: RefCell<Option<History>>,
    /// Closing it gives the lock back.
    _lock: File,
    /// Those of version 0.1, where its state folder is there, too.
    _former: Option<FormerLocks>,
}

impl ConfFile {
    /// Takes the lock, waiting at most `wait`, and cleans up after killed writers. After a second of
    /// waiting, calls `on_wait` once with the holder.
    ///
    /// # Errors
    /// `PermissionDenied` when the file may not be written, a file that is read-only for us
    /// included, although a rename would get round that; `StateFolder` where the lock has no place;
    /// `Busy`; `Serving` while a server of version 0.1 runs; and all that [`ConfFile::load`] has.
    pub fn lock(
        &self,
        wait: Duration,
        on_wait: &mut dyn FnMut(&LockHolder),
    ) -> Result<LockedFile<'_>, Error> {
        refuse_unwritable(self)?;
        let start = Instant::now();
        loop {
            let rest = wait.saturating_sub(start.elapsed());
            let (state, former) = convert::make_state(self, rest, on_wait)?;
            let lock = match state.take_lock(LOCK, wait.saturating_sub(start.elapsed()), on_wait)? {
                LockAttempt::Taken(lock) => lock,
                LockAttempt::HeldBy(holder) => {
                    return Err(Error::locked(self.target(), holder));
                }
                LockAttempt::Moved => continue,
            };
            let unfinished = convert::unfinished(self);
            let mut warnings = TemporaryPlace::beside(self).remove_leftovers(&[&unfinished]);
            warnings.extend(
                TemporaryPlace::of_candidates(&state).remove_leftovers(&UNFINISHED_FILES.map(OsStr::new)),
            );
            warnings.extend(in_place::recover(self, &state)?);
            let history = RefCell::default();
            return Ok(LockedFile { conf: self, state, warnings, history, _lock: lock, _former: former });
        }
    }
}

impl LockedFile<'_> {
    /// Loads the file; `None` when it is missing.
    ///
    /// # Errors
    /// Those of [`ConfFile::load`] but `NotFound`.
    pub fn load(&self) -> Result<Option<Loaded>, Error> {
        match in_place::load(self.conf, Some(&self.state)) {
            Ok((loaded, _)) => Ok(Some(loaded)),
            Err(error) if error.kind == ErrorKind::NoConfiguration => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// The history, which is read once as long as the lock is held, and made where it is missing.
    pub(super) fn take_history(&self) -> Result<History, Error> {
        self.history.take().map_or_else(|| History::make(&self.state), Ok)
    }
}

/// Refuses before anything is made: neither a folder nor a read-only file gets a state folder.
fn refuse_unwritable(conf: &ConfFile) -> Result<(), Error> {
    let path = conf.target();
    let found = match fs::symlink_metadata(path) {
        Ok(found) => found,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        Err(error) => return Err(Error::opening("look at", path)(error)),
    };
    if found.is_symlink() {
        return Err(Error::changed_meanwhile(path));
    }
    refuse_other_kinds(path, &found)?;
    rustix::fs::access(path, Access::WRITE_OK).map_err(Error::opening("write", path))
}

/// A place for temporary files: the path of each begins like this, and ends in random letters.
pub(super) struct TemporaryPlace(PathBuf);

impl TemporaryPlace {
    /// `.FILE.mediactl-XXXXXX` beside the configuration: the text that is going to replace it.
    pub fn beside(conf: &ConfFile) -> TemporaryPlace {
        TemporaryPlace(conf.beside("-"))
    }

    /// `candidate-XXXXXX` in the state folder: a text that is to be checked.
    pub fn of_candidates(state: &StateDir) -> TemporaryPlace {
        TemporaryPlace(state.path_of("candidate-"))
    }

    fn folder(&self) -> &Path {
        self.0.parent().unwrap_or(Path::new("."))
    }

    fn prefix(&self) -> &OsStr {
        self.0.file_name().unwrap_or_default()
    }

    /// Makes a file with `mode` (less the umask) that holds `pieces`, and is removed when it is dropped.
    pub fn write(&self, mode: u32, pieces: &[&[u8]]) -> Result<NamedTempFile, Error> {
        let temporary = tempfile::Builder::new()
            .prefix(self.prefix())
            .rand_bytes(RANDOM_LETTERS)
            .permissions(Permissions::from_mode(mode))
            .tempfile_in(self.folder())
            .map_err(Error::opening("make a temporary file in", self.folder()))?;
        let mut writer = BufWriter::with_capacity(BUFFER, temporary.as_file());
        let written =
            pieces.iter().try_for_each(|piece| writer.write_all(piece)).and_then(|()| writer.flush());
        drop(writer);
        written.map_err(Error::io("write", temporary.path()))?;
        Ok(temporary)
    }

    /// The same without the lock of a writer: writers leave the file alone while it is open. `None` if one
    /// of them took it for a leftover before.
    pub fn write_held(&self, mode: u32, pieces: &[&[u8]]) -> Result<Option<NamedTempFile>, Error> {
        let temporary = self.write(mode, pieces)?;
        let file = temporary.as_file();
        let links = file.lock().and_then(|()| Ok(file.metadata()?.nlink()));
        let is_there = links.map_err(Error::io("lock", temporary.path()))? > 0;
        Ok(is_there.then_some(temporary))
    }

    /// Removes the files of killed processes, and those with the names `others`. Only the holder of the lock makes such
    /// files, and whoever holds the file itself, so others that the holder of the lock finds are abandoned.
    fn remove_leftovers(&self, others: &[&OsStr]) -> Vec<Warning> {
        // A folder that may be written but not listed is legal; leftovers stay there.
        let Ok(entries) = fs::read_dir(self.folder()) else {
            return Vec::new();
        };
        let is_left = |name: &OsStr| self.is_ours(name) || others.contains(&name);
        let leftovers = entries.flatten().filter(|entry| is_left(&entry.file_name()));
        leftovers.filter_map(|entry| remove(&entry)).collect()
    }

    fn is_ours(&self, name: &OsStr) -> bool {
        let random = name.as_bytes().strip_prefix(self.prefix().as_bytes());
        random.is_some_and(|random| {
            random.len() == RANDOM_LETTERS && random.iter().all(u8::is_ascii_alphanumeric)
        })
    }
}

fn remove(entry: &DirEntry) -> Option<Warning> {
    let flags = (OFlags::NOFOLLOW | OFlags::NONBLOCK).bits() as i32;
    let file = OpenOptions::new().read(true).custom_flags(flags).open(entry.path());
    // The lock is kept until the file is gone.
    if file.as_ref().is_ok_and(|file| matches!(file.try_lock(), Err(TryLockError::WouldBlock))) {
        return None;
    }
    let is_folder = entry.file_type().is_ok_and(|kind| kind.is_dir());
    let removed = if is_folder { fs::remove_dir_all(entry.path()) } else { fs::remove_file(entry.path()) };
    match removed {
        Ok(()) => None,
        Err(error) if error.kind() == io::ErrorKind::NotFound => None,
        Err(source) => Some(Warning::Leftover { path: entry.path(), source }),
    }
}
