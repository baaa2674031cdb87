//! Temporary files, and removing those that killed writers left.

use std::ffi::{OsStr, OsString};
use std::fs::{self, DirEntry, File, OpenOptions, Permissions, TryLockError};
use std::io::{self, BufWriter, Write};
use std::num::NonZeroU64;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{MetadataExt, OpenOptionsExt, PermissionsExt};
use std::path::Path;

use rustix::fs::{Advice, OFlags};
use tempfile::NamedTempFile;

use super::state_dir::StateDir;
use super::target::ConfFile;
use crate::store::error::StoreError;
use crate::store::warning::Warning;

/// Length of the random end of a temporary name.
const RANDOM_LETTERS: usize = 6;

/// Smaller pieces are written together.
const BUFFER: usize = 64 << 10;

/// The number of bytes after which the system is asked to begin to write them to the disk.
const WRITE_BEHIND: usize = 1 << 20;

/// A place for temporary files: a folder, and the prefix of their names.
pub(super) struct TemporaryPlace<'a> {
    folder: &'a Path,
    prefix: OsString,
}

impl<'a> TemporaryPlace<'a> {
    /// `.FILE.mediactl-XXXXXX` beside the configuration: the text that is going to replace it.
    pub(super) fn beside(conf: &'a ConfFile) -> TemporaryPlace<'a> {
        let mut prefix = OsString::from(".");
        prefix.push(conf.name());
        prefix.push(".mediactl-");
        TemporaryPlace { folder: conf.folder(), prefix }
    }

    /// `candidate-XXXXXX` in the state folder: a text that is to be checked.
    pub(super) fn of_candidates(state: &'a StateDir) -> TemporaryPlace<'a> {
        TemporaryPlace { folder: state.path(), prefix: OsString::from("candidate-") }
    }

    /// Makes a file with `mode` (less the umask) that holds `pieces`, and is removed when it is dropped.
    pub(super) fn write(&self, mode: u32, pieces: &[&[u8]]) -> Result<NamedTempFile, StoreError> {
        let temporary = tempfile::Builder::new()
            .prefix(&self.prefix)
            .rand_bytes(RANDOM_LETTERS)
            .permissions(Permissions::from_mode(mode))
            .tempfile_in(self.folder)
            .map_err(StoreError::opening("make a temporary file in", self.folder))?;
        write_pieces(temporary.as_file(), pieces).map_err(StoreError::io("write", temporary.path()))?;
        Ok(temporary)
    }

    /// The same without the lock of a writer: writers leave the file alone while it is open. `None` if one
    /// of them took it for a leftover before.
    pub(super) fn write_held(
        &self,
        mode: u32,
        pieces: &[&[u8]],
    ) -> Result<Option<NamedTempFile>, StoreError> {
        let temporary = self.write(mode, pieces)?;
        let file = temporary.as_file();
        let links = file.lock().and_then(|()| Ok(file.metadata()?.nlink()));
        let is_there = links.map_err(StoreError::io("lock", temporary.path()))? > 0;
        Ok(is_there.then_some(temporary))
    }

    /// Removes the files of killed processes. Only the holder of the lock makes such files, and whoever
    /// holds the file itself, so others that the holder of the lock finds are abandoned.
    pub(super) fn remove_leftovers(&self) -> Vec<Warning> {
        // A folder that may be written but not listed is legal; leftovers stay there.
        let Ok(entries) = fs::read_dir(self.folder) else {
            return Vec::new();
        };
        entries
            .flatten()
            .filter(|entry| self.is_ours(&entry.file_name()))
            .filter_map(|entry| remove(&entry))
            .collect()
    }

    fn is_ours(&self, name: &OsStr) -> bool {
        let random = name.as_bytes().strip_prefix(self.prefix.as_bytes());
        random.is_some_and(|random| {
            random.len() == RANDOM_LETTERS && random.iter().all(u8::is_ascii_alphanumeric)
        })
    }
}

/// Writes the pieces one after the other. Of a large text, the system begins to write each megabyte to the
/// disk as soon as it is there, rather than all of them at the end.
fn write_pieces(file: &File, pieces: &[&[u8]]) -> io::Result<()> {
    let mut writer = BufWriter::with_capacity(BUFFER, file);
    let (mut begun, mut written) = (0, 0);
    for chunk in pieces.iter().flat_map(|piece| piece.chunks(WRITE_BEHIND)) {
        writer.write_all(chunk)?;
        written += chunk.len();
        if let Some(length) =
            NonZeroU64::new((written - begun) as u64).filter(|_| written - begun >= WRITE_BEHIND)
        {
            // The advice that the pages are not needed starts to write them. The system may ignore it.
            let _ = rustix::fs::fadvise(file, begun as u64, Some(length), Advice::DontNeed);
            begun = written;
        }
    }
    writer.flush()
}

fn remove(entry: &DirEntry) -> Option<Warning> {
    let flags = (OFlags::NOFOLLOW | OFlags::NONBLOCK).bits() as i32;
    let file = OpenOptions::new().read(true).custom_flags(flags).open(entry.path());
    // The lock is kept until the file is gone.
    if file.as_ref().is_ok_and(|file| matches!(file.try_lock(), Err(TryLockError::WouldBlock))) {
        return None;
    }
    match fs::remove_file(entry.path()) {
        Ok(()) => None,
        Err(error) if error.kind() == io::ErrorKind::NotFound => None,
        Err(source) => Some(Warning::Leftover { path: entry.path(), source }),
    }
}
