//! Replacing the file: the new text takes the place of the old one, whole or not at all.
//!
//! Who may read and write the file never changes: a new file that cannot be given owner, group, mode and access
//! control list of the old one must not take its place. The loss of another attribute is a warning.

use std::ffi::CStr;
use std::fs::{self, File, Metadata};
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

use rustix::fs::{CWD, Gid, Mode, RenameFlags, Uid, XattrFlags};
use rustix::io::{Errno, retry_on_intr};
use tempfile::TempPath;

use super::access::ACCESS_LIST;
use super::find::{ConfFile, open_regular};
use super::history::Staged;
use super::in_place::{self, holds, last_write};
use super::writer::{LockedFile, TemporaryPlace};
use crate::error::{Error, ErrorKind};
use crate::store::change_record::ChangeRecord;
use crate::store::revision::Revision;
use crate::store::version::{BaseText, is_concatenation};
use crate::store::warning::Warning;

/// Mode of a configuration that did not exist before, less the umask: it holds passwords.
const NEW_FILE_MODE: u32 = 0o640;

/// Mode of a temporary file until it gets that of the old file.
const TEMPORARY_MODE: u32 = 0o600;

/// Labels over the content itself, which the kernel computes anew.
const COMPUTED: [&CStr; 2] = [c"security.ima", c"security.evm"];

/// Permissions of the group, which stand for the mask of a list where there is one.
const GROUP_BITS: u32 = 0o070;

/// A change of the file that is ready to be made.
pub struct PreparedWrite<'a> {
    locked: &'a LockedFile<'a>,
    step: WriteStep<'a>,
}

enum WriteStep<'a> {
    /// The new text is the old one.
    Nothing,
    Create(TempPath, Staged),
    Exchange(Box<Exchange<'a>>),
    Remove(Metadata, &'a [u8], Staged),
}

/// A new text that is to take the place of the old one.
struct Exchange<'a> {
    /// The old file, as it was when the new one got its attributes.
    found: Metadata,
    old: &'a [u8],
    pieces: &'a [&'a [u8]],
    /// The file that is renamed, and the warnings of attributes that were lost; `None` where a new file cannot be given
    /// owner, mode or access control list of the old one. Then the text is written into that.
    new: Option<(TempPath, Vec<Warning>)>,
    staged: Staged,
}

impl LockedFile<'_> {
    /// Writes the new text durably beside the file, and into the history.
    ///
    /// # Errors
    /// `ChangedMeanwhile` if the file no longer holds `old`; `Io`, `PermissionDenied`.
    pub fn prepare<'a>(
        &'a self,
        old: Option<BaseText<'a>>,
        new: Option<&'a [&'a [u8]]>,
        record: &ChangeRecord<'_>,
    ) -> Result<PreparedWrite<'a>, Error> {
        let step = match (old, new) {
            (Some(old), Some(pieces)) => self.prepare_exchange(old, pieces, record)?,
            (None, Some(pieces)) => self.prepare_creation(pieces, record)?,
            (Some(old), None) => {
                let (_, found) = open_holding(self.conf, old.text)?;
                let staged = self.stage(Some((old, &found)), None, record)?;
                WriteStep::Remove(found, old.text, staged)
            }
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
    ) -> Result<Vec<Warning>, Error> {
        self.prepare(old, Some(pieces), record)?.commit()
    }

    fn prepare_exchange<'a>(
        &'a self,
        old: BaseText<'a>,
        pieces: &'a [&'a [u8]],
        record: &ChangeRecord<'_>,
    ) -> Result<WriteStep<'a>, Error> {
        let path = self.conf.target();
        let (file, found) = open_holding(self.conf, old.text)?;
        if is_concatenation(old.text, pieces) {
            return Ok(WriteStep::Nothing);
        }
        let temporary = TemporaryPlace::beside(self.conf).write(TEMPORARY_MODE, pieces)?;
        let mut new = copy_attributes(&file, &found, temporary.as_file(), path).ok();
        let staged = self.stage(Some((old, &found)), Some(pieces), record)?;
        if let Some(warnings) = &mut new {
            let others = found.nlink().saturating_sub(1);
            warnings.extend((others > 0).then(|| Warning::OtherNames { path: path.to_owned(), others }));
            temporary.as_file().sync_all().map_err(Error::io("flush", temporary.path()))?;
        }
        let new = new.map(|warnings| (temporary.into_temp_path(), warnings));
        let exchange = Exchange { found, old: old.text, pieces, new, staged };
        Ok(WriteStep::Exchange(Box::new(exchange)))
    }

    fn prepare_creation(
        &self,
        pieces: &[&[u8]],
        record: &ChangeRecord<'_>,
    ) -> Result<WriteStep<'static>, Error> {
        let path = self.conf.target();
        if fs::symlink_metadata(path).is_ok() {
            return Err(Error::changed_meanwhile(path));
        }
        let temporary = TemporaryPlace::beside(self.conf).write(NEW_FILE_MODE, pieces)?;
        let staged = self.stage(None, Some(pieces), record)?;
        temporary.as_file().sync_all().map_err(Error::io("flush", temporary.path()))?;
        Ok(WriteStep::Create(temporary.into_temp_path(), staged))
    }

    fn stage(
        &self,
        old: Option<(BaseText<'_>, &Metadata)>,
        new: Option<&[&[u8]]>,
        record: &ChangeRecord<'_>,
    ) -> Result<Staged, Error> {
        let new = new.map(|pieces| (pieces, Revision::of_pieces(pieces.iter().copied())));
        Staged::stage(self.take_history()?, (self.conf.target(), old), new, record)
    }
}

impl PreparedWrite<'_> {
    /// Makes the new text the text of the file.
    ///
    /// # Errors
    /// `ChangedMeanwhile` if another program wrote since; `Io`, `PermissionDenied`, `Busy`. After each of
    /// these the old file is whole and no other file is left behind. `Torn` is the exception, see there.
    pub fn commit(self) -> Result<Vec<Warning>, Error> {
        let conf = self.locked.conf;
        match self.step {
            WriteStep::Nothing => Ok(Vec::new()),
            WriteStep::Create(new, staged) => create(conf, new, staged),
            WriteStep::Exchange(exchange) => exchange.commit(self.locked),
            WriteStep::Remove(found, old, staged) => {
                recheck(conf, old, &found)?;
                fs::remove_file(conf.target()).map_err(Error::io("remove", conf.target()))?;
                let warnings = sync_folder(conf);
                staged.finish();
                Ok(warnings.into_iter().collect())
            }
        }
    }
}

impl Exchange<'_> {
    fn commit(self, locked: &LockedFile<'_>) -> Result<Vec<Warning>, Error> {
        let conf = locked.conf;
        let found = recheck(conf, self.old, &self.found)?;
        let write_in_place = || in_place::write(conf, &locked.state, self.old, self.pieces);
        let warnings = match self.new {
            None => write_in_place()?,
            Some((new, mut warnings)) => match take_place(new, conf.target(), &found) {
                Ok(()) => {
                    warnings.extend(sync_folder(conf));
                    warnings
                }
                Err(error) if error.kind() == io::ErrorKind::NotFound => {
                    return Err(Error::changed_meanwhile(conf.target()));
                }
                Err(error) if is_mount_point(&error) => write_in_place()?,
                Err(error) => return Err(Error::io("replace", conf.target())(error)),
            },
        };
        self.staged.finish();
        Ok(warnings)
    }
}

fn create(conf: &ConfFile, new: TempPath, staged: Staged) -> Result<Vec<Warning>, Error> {
    let path = conf.target();
    match new.persist_noclobber(path) {
        Ok(()) => {
            let warnings = sync_folder(conf);
            staged.finish();
            Ok(warnings.into_iter().collect())
        }
        Err(error) if error.error.kind() == io::ErrorKind::AlreadyExists => {
            Err(Error::changed_meanwhile(path))
        }
        Err(error) => Err(Error::io("make", path)(error.error)),
    }
}

/// Opens the file and makes sure that it holds `text`. Editors take no lock of this program, so a writer looks before it
/// starts and again before the rename.
fn open_holding(conf: &ConfFile, text: &[u8]) -> Result<(File, Metadata), Error> {
    let changed = |path: &Path| Error::changed_meanwhile(path);
    let (file, found) = open_regular(conf.target()).map_err(|error| match error {
        error if error.kind == ErrorKind::NoConfiguration => changed(conf.target()),
        error => error,
    })?;
    match holds(&file, &found, text).map_err(Error::io("read", conf.target()))? {
        true => Ok((file, found)),
        false => Err(changed(conf.target())),
    }
}

/// Makes sure that text, owner and mode are those of `before`, and says which file it is now.
fn recheck(conf: &ConfFile, text: &[u8], before: &Metadata) -> Result<Metadata, Error> {
    let (_, now) = open_holding(conf, text)?;
    let rights = |found: &Metadata| (found.uid(), found.gid(), found.mode());
    match rights(&now) == rights(before) {
        true => Ok(now),
        false => Err(Error::changed_meanwhile(conf.target())),
    }
}

/// Replaces the old file by the new one. The two are exchanged in one step, so that the file that comes
/// out can be checked: if another program put a file there just before, or wrote into the old one, that is
/// put back, and the error is `NotFound`.
fn take_place(temporary: TempPath, target: &Path, old: &Metadata) -> io::Result<()> {
    let identity = |found: &Metadata| (found.dev(), found.ino(), last_write(found));
    match exchange(&temporary, target) {
        Ok(()) => match fs::symlink_metadata(&temporary) {
            Ok(found) if identity(&found) == identity(old) => Ok(()),
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

/// Copies from `from` (described by `found`) to `to`; `path` is for the warnings.
///
/// # Errors
/// The error of the system if owner, group, mode or access control list cannot be set.
fn copy_attributes(from: &File, found: &Metadata, to: &File, path: &Path) -> io::Result<Vec<Warning>> {
    copy_owner(found, to)?;
    copy_permissions(from, found, to)?;
    let mut warnings = Vec::new();
    copy_others(from, to, path, &mut warnings);
    Ok(warnings)
}

fn copy_owner(found: &Metadata, to: &File) -> io::Result<()> {
    let now = to.metadata()?;
    if (now.uid(), now.gid()) == (found.uid(), found.gid()) {
        return Ok(());
    }
    let (owner, group) = (Uid::from_raw(found.uid()), Gid::from_raw(found.gid()));
    Ok(rustix::fs::fchown(to, Some(owner), Some(group))?)
}

/// Mode and list; after the owner, because a change of owner clears the setuid bits.
fn copy_permissions(from: &File, found: &Metadata, to: &File) -> io::Result<()> {
    // A folder with a default list gives a list to each new file. That list is removed first, because
    // setting the mode would enable its entries.
    or_without_lists(rustix::fs::fremovexattr(to, ACCESS_LIST), ())?;
    if let Some(list) = or_without_lists(value(from, ACCESS_LIST).map(Some), None)? {
        // The group bits are the mask of the list that is copied below. Until then they would be rights
        // of the group.
        set_mode(to, found.mode() & !GROUP_BITS)?;
        rustix::fs::fsetxattr(to, ACCESS_LIST, &list, XattrFlags::empty())?;
    }
    set_mode(to, found.mode())
}

/// Turns the answers for a file or file system without lists into `without`.
fn or_without_lists<T>(answer: rustix::io::Result<T>, without: T) -> io::Result<T> {
    match answer {
        Err(Errno::NODATA | Errno::NOTSUP | Errno::NOSYS) => Ok(without),
        answer => Ok(answer?),
    }
}

/// Sets the mode if it differs. Some file systems have only one mode, and refuse every call that sets
/// it.
fn set_mode(file: &File, mode: u32) -> io::Result<()> {
    let mode = mode & 0o7777;
    match file.metadata()?.mode() & 0o7777 == mode {
        true => Ok(()),
        false => Ok(rustix::fs::fchmod(file, Mode::from_raw_mode(mode))?),
    }
}

fn copy_others(from: &File, to: &File, path: &Path, warnings: &mut Vec<Warning>) {
    let names = match names(from) {
        Ok(names) => names,
        // A file system without attributes has none to lose.
        Err(Errno::NOTSUP | Errno::NOSYS) => return,
        Err(error) => return warnings.push(lost(path, None, error)),
    };
    for name in each_name(&names).filter(|name| !COMPUTED.contains(name) && *name != ACCESS_LIST) {
        if let Err(error) = copy_attribute(from, to, name) {
            warnings.push(lost(path, Some(name), error));
        }
    }
}

fn lost(path: &Path, name: Option<&CStr>, error: Errno) -> Warning {
    Warning::Attribute {
        path: path.to_owned(),
        name: name.map(|name| name.to_string_lossy().into_owned()),
        source: error.into(),
    }
}

fn copy_attribute(from: &File, to: &File, name: &CStr) -> rustix::io::Result<()> {
    let wanted = value(from, name)?;
    if value(to, name).is_ok_and(|present| present == wanted) {
        return Ok(());
    }
    rustix::fs::fsetxattr(to, name, &wanted, XattrFlags::empty())
}

fn names(file: &File) -> rustix::io::Result<Vec<u8>> {
    let mut names = vec![0; rustix::fs::flistxattr_query(file)?];
    let length = rustix::fs::flistxattr(file, &mut names)?;
    names.truncate(length);
    Ok(names)
}

fn value(file: &File, name: &CStr) -> rustix::io::Result<Vec<u8>> {
    let mut value = vec![0; rustix::fs::fgetxattr_query(file, name)?];
    let length = rustix::fs::fgetxattr(file, name, &mut value)?;
    value.truncate(length);
    Ok(value)
}

/// The kernel lists names one after the other, each with a NUL at its end.
fn each_name(names: &[u8]) -> impl Iterator<Item = &CStr> {
    names.split_inclusive(|byte| *byte == 0).filter_map(|name| CStr::from_bytes_with_nul(name).ok())
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
            let (_, current) = open_holding(&conf, &loaded.bytes).expect("nobody changed it");
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
