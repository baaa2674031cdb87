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

/// A new text that lies durably beside the file, or is the old one. Dropped, it leaves no trace.
#[must_use = "the file is the old one until this is committed"]
pub struct Prepared<'a> {
    conf: &'a ConfFile,
    step: Step<'a>,
}

enum Step<'a> {
    Nothing,
    Create(TempPath),
    Exchange(Box<Exchange<'a>>),
}

/// A new file that is to take the place of the old one.
struct Exchange<'a> {
    locked: &'a Locked<'a>,
    current: Current,
    old: &'a [u8],
    pieces: &'a [&'a [u8]],
    new: TempPath,
    warnings: Vec<Warning>,
}

impl Locked<'_> {
    /// Writes `pieces`, one after the other, to where they can take the place of the file. `old` is
    /// what they were computed on, `None` for a file that did not exist.
    ///
    /// # Errors
    /// `ChangedMeanwhile` when the file is not `old` any more; `Io`, `PermissionDenied`.
    pub fn prepare<'a>(
        &'a self,
        old: Option<Old<'a>>,
        pieces: &'a [&'a [u8]],
    ) -> Result<Prepared<'a>, StoreError> {
        let step = match old {
            Some(old) => self.prepare_exchange(old, pieces)?,
            None => self.prepare_creation(pieces)?,
        };
        Ok(Prepared { conf: self.conf, step })
    }

    /// [`Locked::prepare`] and [`Prepared::commit`] at once.
    ///
    /// # Errors
    /// Those of both.
    pub fn replace(&self, old: Option<Old<'_>>, pieces: &[&[u8]]) -> Result<Outcome, StoreError> {
        self.prepare(old, pieces)?.commit()
    }

    fn prepare_exchange<'a>(&'a self, old: Old<'a>, pieces: &'a [&'a [u8]]) -> Result<Step<'a>, StoreError> {
        let current = Current::expect(self.conf, old)?;
        if is_concatenation(old.text, pieces) {
            return Ok(Step::Nothing);
        }
        let temporary = Place::beside(self.conf).write(TEMPORARY_MODE, pieces)?;
        let warnings = self.dress(&current, temporary.as_file());
        sync(&temporary)?;
        let new = temporary.into_temp_path();
        let exchange = Exchange { locked: self, current, old: old.text, pieces, new, warnings };
        Ok(Step::Exchange(Box::new(exchange)))
    }

    fn prepare_creation(&self, pieces: &[&[u8]]) -> Result<Step<'static>, StoreError> {
        let path = self.conf.target();
        if fs::symlink_metadata(path).is_ok() {
            return Err(StoreError::ChangedMeanwhile { path: path.to_owned() });
        }
        let temporary = Place::beside(self.conf).write(NEW_FILE_MODE, pieces)?;
        sync(&temporary)?;
        Ok(Step::Create(temporary.into_temp_path()))
    }

    /// Takes the file away, durably: it did not exist before.
    ///
    /// # Errors
    /// `Io`.
    pub fn remove(&self) -> Result<(), StoreError> {
        let path = self.conf.target();
        fs::remove_file(path).map_err(StoreError::io("remove", path))?;
        // That it was there for a moment is no harm after a power failure.
        let _ = sync_folder(self.conf);
        Ok(())
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

impl Prepared<'_> {
    /// Makes the new text the text of the file.
    ///
    /// # Errors
    /// `ChangedMeanwhile` when somebody else wrote since; `Io`, `PermissionDenied`, `Busy`. After
    /// each of these the old file is whole and no other file is left behind. `Torn` is the
    /// exception, see there.
    pub fn commit(self) -> Result<Outcome, StoreError> {
        let conf = self.conf;
        match self.step {
            Step::Nothing => Ok(Outcome::Unchanged),
            Step::Create(new) => create(conf, new),
            Step::Exchange(exchange) => exchange.commit(),
        }
    }
}

impl Exchange<'_> {
    fn commit(self) -> Result<Outcome, StoreError> {
        let conf = self.locked.conf;
        self.current.recheck(conf, self.old)?;
        let mut warnings = self.warnings;
        match rename_over(self.new, conf.target()) {
            Ok(()) => warnings.extend(sync_folder(conf)),
            Err(error) if is_mount_point(&error) => {
                warnings = in_place::write(conf, &self.locked.state, self.old, self.pieces)?;
            }
            Err(error) => return Err(StoreError::io("replace", conf.target())(error)),
        }
        Ok(Outcome::Written { warnings })
    }
}

fn create(conf: &ConfFile, new: TempPath) -> Result<Outcome, StoreError> {
    let path = conf.target();
    match new.persist_noclobber(path) {
        Ok(()) => Ok(Outcome::Written { warnings: sync_folder(conf).into_iter().collect() }),
        Err(error) if error.error.kind() == io::ErrorKind::AlreadyExists => {
            Err(StoreError::ChangedMeanwhile { path: path.to_owned() })
        }
        Err(error) => Err(StoreError::io("make", path)(error.error)),
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
