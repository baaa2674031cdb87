//! Replacing the file: the new text takes the place of the old one, whole or not at all.

use std::fs::{self, File};
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

use rustix::fs::{CWD, RenameFlags};
use rustix::io::{Errno, retry_on_intr};
use tempfile::{NamedTempFile, TempPath};

use super::at_once::at_once;
use super::history::StagedEntry;
use super::lock::LockedFile;
use super::open_target::OpenTarget;
use super::target::ConfFile;
use super::temporary::TemporaryPlace;
use super::{attributes, in_place};
use crate::store::change_record::ChangeRecord;
use crate::store::error::StoreError;
use crate::store::revision::Revision;
use crate::store::version::{BaseText, is_concatenation};
use crate::store::warning::Warning;

/// Mode of a configuration that did not exist before, less the umask: it holds passwords.
const NEW_FILE_MODE: u32 = 0o640;

/// From this size on, a text is hashed by a thread of its own.
const WORTH_A_THREAD: usize = 1 << 20;

/// Mode of a temporary file until it gets that of the old file.
const TEMPORARY_MODE: u32 = 0o600;

/// A change of the file that is ready to be made.
pub struct PreparedWrite<'a> {
    locked: &'a LockedFile<'a>,
    step: WriteStep<'a>,
}

enum WriteStep<'a> {
    /// The new text is the old one.
    Nothing,
    Create(TempPath, StagedEntry),
    Exchange(Box<Exchange<'a>>),
    Remove(Box<OpenTarget>, &'a [u8], StagedEntry),
}

/// A new text that is to take the place of the old one.
struct Exchange<'a> {
    locked: &'a LockedFile<'a>,
    current: OpenTarget,
    old: &'a [u8],
    pieces: &'a [&'a [u8]],
    means: Means,
    staged: StagedEntry,
}

/// The way in which the new text replaces the old one.
enum Means {
    /// This file is renamed; the warnings are of attributes that were lost.
    Rename(TempPath, Vec<Warning>),
    /// The text is written into the old file: a new file cannot be given its owner, mode or access
    /// control list.
    InPlace,
}

impl LockedFile<'_> {
    /// Writes the new text durably beside the file, and the old one into the history.
    ///
    /// # Errors
    /// `ChangedMeanwhile` if the file no longer holds `old`; `Io`, `PermissionDenied`.
    pub fn prepare<'a>(
        &'a self,
        old: Option<BaseText<'a>>,
        new: Option<&'a [&'a [u8]]>,
        record: &ChangeRecord<'_>,
    ) -> Result<PreparedWrite<'a>, StoreError> {
        let step = match (old, new) {
            (Some(old), Some(pieces)) => self.prepare_exchange(old, pieces, record)?,
            (None, Some(pieces)) => self.prepare_creation(pieces, record)?,
            (Some(old), None) => self.prepare_removal(old, record)?,
            (None, None) => WriteStep::Nothing,
        };
        Ok(PreparedWrite { locked: self, step })
    }

    /// [`LockedFile::prepare`] and [`PreparedWrite::commit`] at once.
    ///
    /// # Errors
    /// Those of both.
    pub fn replace(
        &self,
        old: Option<BaseText<'_>>,
        pieces: &[&[u8]],
        record: &ChangeRecord<'_>,
    ) -> Result<Vec<Warning>, StoreError> {
        self.prepare(old, Some(pieces), record)?.commit()
    }

    fn prepare_exchange<'a>(
        &'a self,
        old: BaseText<'a>,
        pieces: &'a [&'a [u8]],
        record: &ChangeRecord<'_>,
    ) -> Result<WriteStep<'a>, StoreError> {
        let mut current = OpenTarget::expect(self.conf, old)?;
        if is_concatenation(old.text, pieces) {
            return Ok(WriteStep::Nothing);
        }
        current.free_cache();
        let (temporary, revision) = self.write_new(TEMPORARY_MODE, pieces)?;
        let copied = self.copy_attributes(&current, temporary.as_file());
        let mut staged =
            StagedEntry::stage(self, Some((old, &mut current)), Some((pieces, revision)), record)?;
        let means = match copied {
            Ok(warnings) => {
                sync(&temporary, &mut staged)?;
                Means::Rename(temporary.into_temp_path(), warnings)
            }
            Err(_) => {
                staged.sync()?;
                Means::InPlace
            }
        };
        let exchange = Exchange { locked: self, current, old: old.text, pieces, means, staged };
        Ok(WriteStep::Exchange(Box::new(exchange)))
    }

    fn prepare_creation(
        &self,
        pieces: &[&[u8]],
        record: &ChangeRecord<'_>,
    ) -> Result<WriteStep<'static>, StoreError> {
        let path = self.conf.target();
        if fs::symlink_metadata(path).is_ok() {
            return Err(StoreError::ChangedMeanwhile { path: path.to_owned() });
        }
        let (temporary, revision) = self.write_new(NEW_FILE_MODE, pieces)?;
        let mut staged = StagedEntry::stage(self, None, Some((pieces, revision)), record)?;
        sync(&temporary, &mut staged)?;
        Ok(WriteStep::Create(temporary.into_temp_path(), staged))
    }

    fn prepare_removal<'a>(
        &self,
        old: BaseText<'a>,
        record: &ChangeRecord<'_>,
    ) -> Result<WriteStep<'a>, StoreError> {
        let mut current = OpenTarget::expect(self.conf, old)?;
        let mut staged = StagedEntry::stage(self, Some((old, &mut current)), None, record)?;
        staged.sync()?;
        Ok(WriteStep::Remove(Box::new(current), old.text, staged))
    }

    /// Writes the new text beside the file, while a thread hashes a large one.
    fn write_new(&self, mode: u32, pieces: &[&[u8]]) -> Result<(NamedTempFile, Revision), StoreError> {
        let hash = || Revision::of_pieces(pieces.iter().copied());
        let write = || TemporaryPlace::beside(self.conf).write(mode, pieces);
        let is_large = pieces.iter().any(|piece| piece.len() >= WORTH_A_THREAD);
        let (revision, temporary) = if is_large { at_once(hash, write) } else { (hash(), write()) };
        Ok((temporary?, revision))
    }

    /// Gives the new file the attributes of the old one.
    fn copy_attributes(&self, current: &OpenTarget, new: &File) -> io::Result<Vec<Warning>> {
        let path = self.conf.target();
        let mut warnings = attributes::copy(&current.file, &current.metadata, new, path)?;
        let others = current.metadata.nlink().saturating_sub(1);
        if others > 0 {
            warnings.push(Warning::OtherNames { path: path.to_owned(), others });
        }
        Ok(warnings)
    }
}

impl PreparedWrite<'_> {
    /// Makes the new text the text of the file.
    ///
    /// # Errors
    /// `ChangedMeanwhile` if another program wrote since; `Io`, `PermissionDenied`, `Busy`. After each of
    /// these the old file is whole and no other file is left behind. `Torn` is the exception, see there.
    pub fn commit(self) -> Result<Vec<Warning>, StoreError> {
        let conf = self.locked.conf;
        match self.step {
            WriteStep::Nothing => Ok(Vec::new()),
            WriteStep::Create(new, staged) => create(conf, new, staged),
            WriteStep::Exchange(exchange) => exchange.commit(),
            WriteStep::Remove(current, old, staged) => {
                current.recheck(conf, old)?;
                fs::remove_file(conf.target()).map_err(StoreError::io("remove", conf.target()))?;
                Ok(finish(conf, staged, Some(&current.file)))
            }
        }
    }
}

/// Finishes a change that was made: makes the names in its folder durable, and completes its history
/// entry.
fn finish(conf: &ConfFile, staged: StagedEntry, old: Option<&File>) -> Vec<Warning> {
    let mut warnings: Vec<_> = sync_folder(conf).into_iter().collect();
    warnings.extend(staged.finish(conf, old));
    warnings
}

impl Exchange<'_> {
    fn commit(mut self) -> Result<Vec<Warning>, StoreError> {
        let conf = self.locked.conf;
        self.current.recheck(conf, self.old)?;
        let mut warnings = match std::mem::replace(&mut self.means, Means::InPlace) {
            Means::Rename(new, warnings) => self.rename(new, warnings)?,
            Means::InPlace => self.write_in_place()?,
        };
        warnings.extend(self.staged.finish(conf, Some(&self.current.file)));
        Ok(warnings)
    }

    fn rename(&mut self, new: TempPath, mut warnings: Vec<Warning>) -> Result<Vec<Warning>, StoreError> {
        let conf = self.locked.conf;
        match take_place(new, conf.target(), &self.current) {
            Ok(()) => {
                warnings.extend(sync_folder(conf));
                Ok(warnings)
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                Err(StoreError::ChangedMeanwhile { path: conf.target().to_owned() })
            }
            Err(error) if is_mount_point(&error) => self.write_in_place(),
            Err(error) => Err(StoreError::io("replace", conf.target())(error)),
        }
    }

    fn write_in_place(&mut self) -> Result<Vec<Warning>, StoreError> {
        self.staged.copy(self.old)?;
        in_place::write(self.locked.conf, &self.locked.state, self.old, self.pieces)
    }
}

fn create(conf: &ConfFile, new: TempPath, staged: StagedEntry) -> Result<Vec<Warning>, StoreError> {
    let path = conf.target();
    match new.persist_noclobber(path) {
        Ok(()) => Ok(finish(conf, staged, None)),
        Err(error) if error.error.kind() == io::ErrorKind::AlreadyExists => {
            Err(StoreError::ChangedMeanwhile { path: path.to_owned() })
        }
        Err(error) => Err(StoreError::io("make", path)(error.error)),
    }
}

/// Makes the new text and the history entry durable, both at once.
///
/// Everything is written before the first flush begins, so that a journaling file system commits it all in
/// one transaction. What was written later would wait for a transaction of its own.
fn sync(temporary: &NamedTempFile, staged: &mut StagedEntry) -> Result<(), StoreError> {
    let sync_text = || temporary.as_file().sync_all().map_err(StoreError::io("flush", temporary.path()));
    let (text, entry) = at_once(sync_text, || staged.sync());
    text.and(entry)
}

/// Replaces the old file by the new one. The two are exchanged in one step, so that the file that comes
/// out can be checked: if an editor put another file there just before, that file is put back, and the
/// error is `NotFound`.
fn take_place(temporary: TempPath, target: &Path, old: &OpenTarget) -> io::Result<()> {
    match exchange(&temporary, target) {
        Ok(()) => match old.is_at(&temporary) {
            Ok(true) => Ok(()),
            other => {
                exchange(&temporary, target)?;
                Err(other.err().unwrap_or_else(|| io::ErrorKind::NotFound.into()))
            }
        },
        // Not every file system can exchange two files.
        Err(Errno::INVAL | Errno::NOSYS | Errno::OPNOTSUPP) => rename_over(temporary, target),
        Err(error) => Err(error.into()),
    }
}

fn exchange(one: &Path, other: &Path) -> rustix::io::Result<()> {
    retry_on_intr(|| rustix::fs::renameat_with(CWD, one, CWD, other, RenameFlags::EXCHANGE))
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::version::Loaded;

    fn text(path: &Path) -> String {
        fs::read_to_string(path).expect("it is there")
    }

    /// A write between the last comparison and the rename, a moment too short to hit by chance.
    #[test]
    fn a_file_that_was_just_put_at_the_place_goes_back() {
        let folder = tempfile::tempdir().expect("there is room");
        let path = folder.path().join("media.conf");
        for (stranger, expected) in [(None, "new"), (Some("theirs"), "theirs")] {
            fs::write(&path, "old").expect("the folder is ours");
            let conf = ConfFile::resolve(&path).expect("it is there");
            let loaded: Loaded = conf.load().expect("it can be read");
            let current = OpenTarget::expect(&conf, loaded.as_base()).expect("nobody changed it");
            let new = TemporaryPlace::beside(&conf).write(TEMPORARY_MODE, &[b"new"]).expect("there is room");
            if let Some(theirs) = stranger {
                let other = folder.path().join("other");
                fs::write(&other, theirs).expect("the folder is ours");
                fs::rename(&other, &path).expect("the folder is ours");
            }
            let result = take_place(new.into_temp_path(), conf.target(), &current);
            assert_eq!(result.map_err(|error| error.kind()).is_err(), stranger.is_some());
            assert_eq!(text(&path), expected);
            assert_eq!(fs::read_dir(folder.path()).expect("it can be listed").count(), 1);
        }
    }
}
