//! The new text takes the place of the old one, whole or not at all.

use std::fs::{self, File};
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::thread;

use rustix::fs::{CWD, RenameFlags};
use rustix::io::{Errno, retry_on_intr};
use tempfile::{NamedTempFile, TempPath};

use super::history::StagedEntry;
use super::load::LoadedText;
use super::lock::LockedFile;
use super::open_target::OpenTarget;
use super::target::ConfFile;
use super::temporary::TemporaryPlace;
use super::{attributes, in_place};
use crate::store::change_record::ChangeRecord;
use crate::store::error::StoreError;
use crate::store::warning::Warning;

/// Mode of a configuration that did not exist before, less the umask: it holds passwords.
const NEW_FILE_MODE: u32 = 0o640;

/// Mode of a temporary file until it gets that of the old file.
const TEMPORARY_MODE: u32 = 0o600;

/// What a replacement came to.
#[derive(Debug)]
pub enum WriteOutcome {
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
    step: WriteStep<'a>,
}

enum WriteStep<'a> {
    Nothing,
    Create(TempPath, StagedEntry),
    Exchange(Box<Exchange<'a>>),
}

/// A new text that is to take the place of the old one.
struct Exchange<'a> {
    locked: &'a LockedFile<'a>,
    current: OpenTarget,
    old: &'a [u8],
    pieces: &'a [&'a [u8]],
    means: Means,
    entered: StagedEntry,
}

/// How the new text takes the place of the old one.
enum Means {
    /// This file is renamed. What was lost on the way is told.
    Rename(TempPath, Vec<Warning>),
    /// The text is written into the old file: a new one cannot be given its owner, mode or access
    /// control list, which say who may read and write it.
    InPlace,
}

impl LockedFile<'_> {
    /// Writes `pieces`, one after the other, to where they can take the place of the file, and keeps
    /// the old text in the history. `old` is what they were computed on, `None` for a file that did not
    /// exist.
    ///
    /// # Errors
    /// `ChangedMeanwhile` when the file is not `old` any more; `Io`, `PermissionDenied`.
    pub fn prepare<'a>(
        &'a self,
        old: Option<LoadedText<'a>>,
        pieces: &'a [&'a [u8]],
        record: &ChangeRecord<'_>,
    ) -> Result<Prepared<'a>, StoreError> {
        let step = match old {
            Some(old) => self.prepare_exchange(old, pieces, record)?,
            None => self.prepare_creation(pieces, record)?,
        };
        Ok(Prepared { conf: self.conf, step })
    }

    /// [`LockedFile::prepare`] and [`Prepared::commit`] at once.
    ///
    /// # Errors
    /// Those of both.
    pub fn replace(
        &self,
        old: Option<LoadedText<'_>>,
        pieces: &[&[u8]],
        record: &ChangeRecord<'_>,
    ) -> Result<WriteOutcome, StoreError> {
        self.prepare(old, pieces, record)?.commit()
    }

    fn prepare_exchange<'a>(
        &'a self,
        old: LoadedText<'a>,
        pieces: &'a [&'a [u8]],
        record: &ChangeRecord<'_>,
    ) -> Result<WriteStep<'a>, StoreError> {
        let mut current = OpenTarget::expect(self.conf, old)?;
        if is_concatenation(old.text, pieces) {
            return Ok(WriteStep::Nothing);
        }
        current.free_cache();
        let temporary = TemporaryPlace::beside(self.conf).write(TEMPORARY_MODE, pieces)?;
        let dressed = self.dress(&current, temporary.as_file());
        let mut enter = || StagedEntry::of(self, Some((old, &mut current)), Some(pieces), record);
        let (means, entered) = match dressed {
            Ok(warnings) => {
                let entered = sync_beside(&temporary, enter)?;
                (Means::Rename(temporary.into_temp_path(), warnings), entered)
            }
            Err(_) => (Means::InPlace, enter()?),
        };
        let exchange = Exchange { locked: self, current, old: old.text, pieces, means, entered };
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
        let temporary = TemporaryPlace::beside(self.conf).write(NEW_FILE_MODE, pieces)?;
        let entered = sync_beside(&temporary, || StagedEntry::of(self, None, Some(pieces), record))?;
        Ok(WriteStep::Create(temporary.into_temp_path(), entered))
    }

    /// Takes the file, which holds `old`, away; its text is kept in the history.
    ///
    /// # Errors
    /// `ChangedMeanwhile` when the file is not `old` any more; `Io`.
    pub fn remove(&self, old: LoadedText<'_>, record: &ChangeRecord<'_>) -> Result<WriteOutcome, StoreError> {
        let path = self.conf.target();
        let mut current = OpenTarget::expect(self.conf, old)?;
        let entered = StagedEntry::of(self, Some((old, &mut current)), None, record)?;
        current.recheck(self.conf, old.text)?;
        fs::remove_file(path).map_err(StoreError::io("remove", path))?;
        let mut warnings: Vec<_> = sync_folder(self.conf).into_iter().collect();
        warnings.extend(entered.stand(self.conf, Some(&current.file)));
        Ok(WriteOutcome::Written { warnings })
    }

    /// Gives the new file what the old one had beside its text.
    fn dress(&self, current: &OpenTarget, new: &File) -> io::Result<Vec<Warning>> {
        let path = self.conf.target();
        let mut warnings = attributes::copy(&current.file, &current.metadata, new, path)?;
        let others = current.metadata.nlink().saturating_sub(1);
        if others > 0 {
            warnings.push(Warning::OtherNames { path: path.to_owned(), others });
        }
        Ok(warnings)
    }
}

impl Prepared<'_> {
    /// Makes the new text the text of the file.
    ///
    /// # Errors
    /// `ChangedMeanwhile` when somebody else wrote since; `Io`, `PermissionDenied`, `Busy`. After
    /// each of these the old file is whole and no other file is left behind. `Torn` is the
    /// exception, see there.
    pub fn commit(self) -> Result<WriteOutcome, StoreError> {
        let conf = self.conf;
        match self.step {
            WriteStep::Nothing => Ok(WriteOutcome::Unchanged),
            WriteStep::Create(new, entered) => create(conf, new, entered),
            WriteStep::Exchange(exchange) => exchange.commit(),
        }
    }
}

impl Exchange<'_> {
    fn commit(mut self) -> Result<WriteOutcome, StoreError> {
        let conf = self.locked.conf;
        self.current.recheck(conf, self.old)?;
        let mut warnings = match std::mem::replace(&mut self.means, Means::InPlace) {
            Means::Rename(new, warnings) => self.rename(new, warnings)?,
            Means::InPlace => self.write_in_place()?,
        };
        warnings.extend(self.entered.stand(conf, Some(&self.current.file)));
        Ok(WriteOutcome::Written { warnings })
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
        self.entered.copy(self.old)?;
        in_place::write(self.locked.conf, &self.locked.state, self.old, self.pieces)
    }
}

fn create(conf: &ConfFile, new: TempPath, entered: StagedEntry) -> Result<WriteOutcome, StoreError> {
    let path = conf.target();
    match new.persist_noclobber(path) {
        Ok(()) => {
            let mut warnings: Vec<_> = sync_folder(conf).into_iter().collect();
            warnings.extend(entered.stand(conf, None));
            Ok(WriteOutcome::Written { warnings })
        }
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

/// Makes the new text durable while `enter` does the same with the history: both mostly wait.
fn sync_beside(
    temporary: &NamedTempFile,
    enter: impl FnOnce() -> Result<StagedEntry, StoreError>,
) -> Result<StagedEntry, StoreError> {
    thread::scope(|scope| {
        let aside = thread::Builder::new().spawn_scoped(scope, || sync(temporary));
        let entered = enter();
        match aside {
            Ok(aside) => aside.join().unwrap_or_else(|_| sync(temporary)),
            Err(_) => sync(temporary),
        }?;
        entered
    })
}

fn sync(temporary: &NamedTempFile) -> Result<(), StoreError> {
    temporary.as_file().sync_all().map_err(StoreError::io("flush", temporary.path()))
}

/// Puts the new file at the place of the old one, and takes the old one away.
///
/// Both change places at once, so that it is seen what came out: if an editor put another file there
/// just before, that one goes back, and `NotFound` says that the old one is not there any more.
fn take_place(temporary: TempPath, target: &Path, old: &OpenTarget) -> io::Result<()> {
    match exchange(&temporary, target) {
        Ok(()) => match old.is_at(&temporary) {
            Ok(true) => Ok(()),
            other => {
                exchange(&temporary, target)?;
                Err(other.err().unwrap_or_else(|| io::ErrorKind::NotFound.into()))
            }
        },
        // Not every file system can do that.
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
    use super::super::load::Loaded;
    use super::*;

    fn text(path: &Path) -> String {
        fs::read_to_string(path).expect("it is there")
    }

    /// The moment between the last look and the rename, which is too short to be met otherwise.
    #[test]
    fn a_file_that_was_just_put_at_the_place_goes_back() {
        let folder = tempfile::tempdir().expect("there is room");
        let path = folder.path().join("media.conf");
        for (stranger, expected) in [(None, "new"), (Some("theirs"), "theirs")] {
            fs::write(&path, "old").expect("the folder is ours");
            let conf = ConfFile::resolve(&path).expect("it is there");
            let loaded: Loaded = conf.load().expect("it can be read");
            let current = OpenTarget::expect(&conf, loaded.as_old()).expect("nobody changed it");
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
