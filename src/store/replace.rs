//! The new text takes the place of the old one, whole or not at all.

use std::fs::{self, File};
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

use tempfile::{NamedTempFile, TempPath};

use super::error::StoreError;
use super::load::Old;
use super::lock::Locked;
use super::recheck::Current;
use super::target::ConfFile;
use super::temporary::Place;
use super::warning::Warning;
use super::{attributes, in_place};

/// Mode of a configuration that did not exist before, less the umask: it holds passwords.
const NEW_FILE_MODE: u32 = 0o640;

/// Mode of a temporary file until it gets that of the old file.
const TEMPORARY_MODE: u32 = 0o600;

/// What a replacement came to.
#[derive(Debug)]
pub enum Outcome {
    /// The new text is the old one; nothing was written.
    Unchanged,
    /// The file holds the new text, durably.
    Written {
        /// What did not go as it should.
        warnings: Vec<Warning>,
    },
}

impl Locked<'_> {
    /// Makes `pieces`, one after the other, the text of the file. `old` is what they were computed
    /// on, `None` for a file that did not exist.
    ///
    /// # Errors
    /// `ChangedMeanwhile` when the file is not `old` any more; `Io`, `PermissionDenied`, `Busy`.
    /// After each of these the old file is whole and no other file is left behind. `Torn` is the
    /// exception, see there.
    pub fn replace(&self, old: Option<Old<'_>>, pieces: &[&[u8]]) -> Result<Outcome, StoreError> {
        match old {
            Some(old) => self.exchange(old, pieces),
            None => self.create(pieces),
        }
    }

    fn exchange(&self, old: Old<'_>, pieces: &[&[u8]]) -> Result<Outcome, StoreError> {
        let current = Current::expect(self.conf, old)?;
        if is_concatenation(old.text, pieces) {
            return Ok(Outcome::Unchanged);
        }
        let temporary = Place::beside(self.conf).write(TEMPORARY_MODE, pieces)?;
        let mut warnings = self.dress(&current, temporary.as_file());
        sync(&temporary)?;
        current.recheck(self.conf, old.text)?;
        match rename_over(temporary.into_temp_path(), self.conf.target()) {
            Ok(()) => {
                warnings.extend(sync_folder(self.conf));
                Ok(Outcome::Written { warnings })
            }
            Err(error) if is_mount_point(&error) => {
                let warnings = in_place::write(self.conf, &self.state, old.text, pieces)?;
                Ok(Outcome::Written { warnings })
            }
            Err(error) => Err(StoreError::io("replace", self.conf.target())(error)),
        }
    }

    fn create(&self, pieces: &[&[u8]]) -> Result<Outcome, StoreError> {
        let path = self.conf.target();
        if fs::symlink_metadata(path).is_ok() {
            return Err(StoreError::ChangedMeanwhile { path: path.to_owned() });
        }
        let temporary = Place::beside(self.conf).write(NEW_FILE_MODE, pieces)?;
        sync(&temporary)?;
        match temporary.into_temp_path().persist_noclobber(path) {
            Ok(()) => Ok(Outcome::Written { warnings: sync_folder(self.conf).into_iter().collect() }),
            Err(error) if error.error.kind() == io::ErrorKind::AlreadyExists => {
                Err(StoreError::ChangedMeanwhile { path: path.to_owned() })
            }
            Err(error) => Err(StoreError::io("make", path)(error.error)),
        }
    }

    /// Gives the new file what the old one had beside its text.
    fn dress(&self, current: &Current, new: &File) -> Vec<Warning> {
        let path = self.conf.target();
        let mut warnings = attributes::copy(&current.file, &current.metadata, new, path);
        let others = current.metadata.nlink().saturating_sub(1);
        if others > 0 {
            warnings.push(Warning::OtherNames { path: path.to_owned(), others });
        }
        warnings
    }
}

/// True when `pieces` make `text`. Most pieces are parts of the old text itself: those are seen to be
/// equal without reading them.
pub fn is_concatenation(text: &[u8], pieces: &[&[u8]]) -> bool {
    let length: usize = pieces.iter().map(|piece| piece.len()).sum();
    if length != text.len() {
        return false;
    }
    let mut rest = text;
    pieces.iter().all(|piece| {
        let (here, after) = rest.split_at(piece.len());
        rest = after;
        std::ptr::eq(here, *piece) || here == *piece
    })
}

fn sync(temporary: &NamedTempFile) -> Result<(), StoreError> {
    temporary.as_file().sync_all().map_err(StoreError::io("flush", temporary.path()))
}

/// Renames; the temporary file is gone either way.
fn rename_over(mut temporary: TempPath, target: &Path) -> io::Result<()> {
    loop {
        match temporary.persist(target) {
            Ok(()) => return Ok(()),
            Err(failed) if failed.error.kind() == io::ErrorKind::Interrupted => temporary = failed.path,
            Err(failed) => return Err(failed.error),
        }
    }
}

fn is_mount_point(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::ResourceBusy | io::ErrorKind::CrossesDevices)
}

fn sync_folder(conf: &ConfFile) -> Option<Warning> {
    let path = conf.folder();
    let source = File::open(path).and_then(|folder| folder.sync_all()).err()?;
    Some(Warning::FolderNotSynced { path: path.to_owned(), source })
}
