//! Replacing the file: the new text takes the place of the old one, whole or not at all.
//!
//! Who may read and write the file never changes: a new file that cannot be given owner, group, mode and access
//! control list of the old one must not take its place. The loss of another attribute is a warning.

use std::ffi::CStr;
use std::fs::{self, DirEntry, File, Metadata, Permissions, TryLockError};
use std::io::{self, BufWriter, Write};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::Path;

use rustix::fs::{CWD, Gid, Mode, OFlags, RenameFlags, Uid, XattrFlags};
use rustix::io::{Errno, retry_on_intr};
use tempfile::{NamedTempFile, TempPath};

use super::find::{ACCESS_LIST, ConfFile, LARGEST_ATTRIBUTE, open_regular, open_whole_path};
use super::history::{History, Staged};
use super::in_place::{self, holds, last_write};
use super::state::StateDir;
use crate::error::{Error, ErrorKind};
use crate::store::error::reason;
use crate::store::record::ChangeRecord;
use crate::store::{BaseText, PreparedChange, Warning, is_concatenation};

/// Mode of a configuration that did not exist before, less the umask: it holds passwords.
const NEW_FILE_MODE: u32 = 0o640;

/// Mode of a temporary file until it gets that of the file whose place it takes.
pub(super) const TEMPORARY_MODE: u32 = 0o600;

/// Labels over the content itself, which the kernel computes anew.
const COMPUTED: [&CStr; 2] = [c"security.ima", c"security.evm"];

/// Permissions of the group, which stand for the mask of a list where there is one.
const GROUP_BITS: u32 = 0o070;

/// The beginning of the name of a text in the state folder that is to be checked.
pub(super) const CANDIDATE: &str = "candidate-";

/// Length of the random end of a temporary name.
const RANDOM_LETTERS: usize = 6;

/// Smaller pieces are written together.
const BUFFER: usize = 64 << 10;

/// Writes the new text durably beside the file, and into the history. The change makes it the text of the file: after an
/// error the old file is whole and no other file is left behind, but for one whose text was only written in part,
/// which says so.
///
/// # Errors
/// `Conflict` if the file no longer holds `old`; `Failed`, `Denied`; those of the state folder.
pub(super) fn prepare<'w>(
    (conf, state): (&'w ConfFile, &'w StateDir),
    old: Option<BaseText<'w>>,
    pieces: Option<&'w [&'w [u8]]>,
    open_history: impl FnOnce() -> Result<History, Error>,
    record: &ChangeRecord<'_>,
) -> Result<PreparedChange<'w>, Error> {
    let path = conf.target();
    let changed = || Error::changed_meanwhile(path);
    let opened = old.map(|old| open_holding(conf, old.text)).transpose()?;
    if old.is_none() && pieces.is_some() && fs::symlink_metadata(path).is_ok() {
        return Err(changed());
    }
    let is_same = match (old, pieces) {
        (Some(old), Some(pieces)) => is_concatenation(old.text, pieces),
        (old, pieces) => old.is_none() && pieces.is_none(),
    };
    if is_same {
        return Ok(Box::new(|| Ok(Vec::new())));
    }
    let mode = if old.is_some() { TEMPORARY_MODE } else { NEW_FILE_MODE };
    let mut new = pieces.map(|pieces| write_temporary(&conf.beside("-"), mode, pieces)).transpose()?;
    let mut warnings = Vec::new();
    if let (Some((file, found)), Some(temporary)) = (&opened, &new) {
        match copy_attributes(file, found, temporary.as_file(), path) {
            Ok(lost) => warnings = lost,
            // A new file cannot be given owner, mode or access control list of the old one: the text is written into that.
            Err(_) => new = None,
        }
        let (path, others) = (path.display(), found.nlink() - 1);
        warnings.extend((new.is_some() && others > 0).then(|| match others {
            1 => format!("`{path}` had 1 other hard link, which still holds the old text"),
            _ => format!("`{path}` had {others} other hard links, which still hold the old text"),
        }));
    }
    let before = opened.map(|(_, found)| found);
    let mut staged = Staged::stage(open_history()?, path, old.zip(before.as_ref()), pieces, record)?;
    if let Some(temporary) = &new {
        temporary.as_file().sync_all().map_err(Error::io("flush", temporary.path()))?;
    }
    let new = new.map(NamedTempFile::into_temp_path);
    Ok(Box::new(move || {
        let found = old.zip(before).map(|(old, before)| recheck(conf, old.text, &before)).transpose()?;
        match (old.zip(found), pieces, new) {
            (Some((old, found)), Some(pieces), new) => match new.map(|new| take_place(&new, path, &found)) {
                Some(Ok(())) => {}
                Some(Err(error)) if error.kind() == io::ErrorKind::NotFound => return Err(changed()),
                Some(Err(error)) if !is_mount_point(&error) => return Err(Error::io("replace", path)(error)),
                Some(Err(_)) | None => {
                    warnings = in_place::write((conf, state), old.text, pieces, &mut staged)?;
                    staged.finish();
                    return Ok(warnings);
                }
            },
            (None, _, Some(new)) => {
                new.persist_noclobber(path).map_err(|failed| match failed.error.kind() {
                    io::ErrorKind::AlreadyExists => changed(),
                    _ => Error::io("make", path)(failed.error),
                })?;
            }
            _ => fs::remove_file(path).map_err(Error::io("remove", path))?,
        }
        warnings.extend(sync_folder(conf));
        staged.finish();
        Ok(warnings)
    }))
}

/// Opens the file and makes sure that it holds `text`. Editors take no lock of this program, so a writer looks before it
/// starts and again before the rename.
fn open_holding(conf: &ConfFile, text: &[u8]) -> Result<(File, Metadata), Error> {
    let path = conf.target();
    match open_regular(path) {
        Ok((file, found)) if holds(&file, path, &found, text)? => Ok((file, found)),
        Err(error) if error.kind != ErrorKind::NoConfiguration => Err(error),
        _ => Err(Error::changed_meanwhile(path)),
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
fn take_place(temporary: &TempPath, target: &Path, old: &Metadata) -> io::Result<()> {
    let identity = |found: &Metadata| (found.dev(), found.ino(), last_write(found));
    let exchange =
        || retry_on_intr(|| rustix::fs::renameat_with(CWD, &**temporary, CWD, target, RenameFlags::EXCHANGE));
    match exchange() {
        Ok(()) => match fs::symlink_metadata(temporary) {
            Ok(found) if identity(&found) == identity(old) => Ok(()),
            other => {
                exchange()?;
                Err(other.err().unwrap_or_else(|| io::ErrorKind::NotFound.into()))
            }
        },
        // Not every file system can exchange two files.
        Err(Errno::INVAL | Errno::NOSYS | Errno::OPNOTSUPP) => {
            Ok(retry_on_intr(|| rustix::fs::rename(&**temporary, target))?)
        }
        Err(error) => Err(error.into()),
    }
}

fn is_mount_point(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::ResourceBusy | io::ErrorKind::CrossesDevices)
}

pub(super) fn sync_folder(conf: &ConfFile) -> Option<Warning> {
    let path = conf.folder();
    let source = File::open(path).and_then(|folder| folder.sync_all()).err()?;
    Some(format!("cannot flush the folder `{}`: {}", path.display(), reason(&source)))
}

/// Copies from `from` (described by `found`) to `to`; `path` is for the warnings.
///
/// # Errors
/// The error of the system if owner, group, mode or access control list cannot be set.
fn copy_attributes(from: &File, found: &Metadata, to: &File, path: &Path) -> io::Result<Vec<Warning>> {
    let now = to.metadata()?;
    if (now.uid(), now.gid()) != (found.uid(), found.gid()) {
        rustix::fs::fchown(to, Some(Uid::from_raw(found.uid())), Some(Gid::from_raw(found.gid())))?;
    }
    // Mode and list come after the owner, because a change of owner clears the setuid bits. A folder with a default list
    // gives a list to each new file. That list is removed first, because setting the mode would enable its entries.
    or_without_lists(rustix::fs::fremovexattr(to, ACCESS_LIST), ())?;
    if let Some(list) = or_without_lists(value(from, ACCESS_LIST).map(Some), None)? {
        // The group bits are the mask of the list that is copied below. Until then they would be rights
        // of the group.
        set_mode(to, found.mode() & !GROUP_BITS)?;
        rustix::fs::fsetxattr(to, ACCESS_LIST, &list, XattrFlags::empty())?;
    }
    set_mode(to, found.mode())?;
    let lost = |what: String, error: Errno| {
        format!("cannot keep {what} of `{}`: {}", path.display(), reason(&error.into()))
    };
    let mut names = vec![0; LARGEST_ATTRIBUTE];
    match rustix::fs::flistxattr(from, &mut names) {
        Ok(length) => names.truncate(length),
        // A file system without attributes has none to lose.
        Err(Errno::NOTSUP | Errno::NOSYS) => return Ok(Vec::new()),
        Err(error) => return Ok(vec![lost("the extended attributes".to_owned(), error)]),
    }
    // The kernel lists names one after the other, each with a NUL at its end.
    let names = names.split_inclusive(|byte| *byte == 0);
    let names = names.filter_map(|name| CStr::from_bytes_with_nul(name).ok());
    let others = names.filter(|name| !COMPUTED.contains(name) && *name != ACCESS_LIST);
    let copy = |name: &CStr| {
        let error = copy_attribute(from, to, name).err()?;
        Some(lost(format!("the attribute `{}`", name.to_string_lossy()), error))
    };
    Ok(others.filter_map(copy).collect())
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

fn copy_attribute(from: &File, to: &File, name: &CStr) -> rustix::io::Result<()> {
    let wanted = value(from, name)?;
    if value(to, name).is_ok_and(|present| present == wanted) {
        return Ok(());
    }
    rustix::fs::fsetxattr(to, name, &wanted, XattrFlags::empty())
}

fn value(file: &File, name: &CStr) -> rustix::io::Result<Vec<u8>> {
    let mut value = vec![0; LARGEST_ATTRIBUTE];
    let length = rustix::fs::fgetxattr(file, name, &mut value)?;
    value.truncate(length);
    Ok(value)
}

/// Makes a file with `mode` (less the umask) that holds `pieces`, and is removed when it is dropped. Its path is `place`
/// with random letters behind it.
pub(super) fn write_temporary(place: &Path, mode: u32, pieces: &[&[u8]]) -> Result<NamedTempFile, Error> {
    let folder = place.parent().unwrap_or(place);
    let temporary = tempfile::Builder::new()
        .prefix(place.file_name().unwrap_or_default())
        .rand_bytes(RANDOM_LETTERS)
        .permissions(Permissions::from_mode(mode))
        .tempfile_in(folder)
        .map_err(Error::opening("make a temporary file in", folder))?;
    let mut writer = BufWriter::with_capacity(BUFFER, temporary.as_file());
    let written = pieces.iter().try_for_each(|piece| writer.write_all(piece));
    written.and_then(|()| writer.flush()).map_err(Error::io("write", temporary.path()))?;
    drop(writer);
    Ok(temporary)
}

/// Writes a text that is to be checked into the state folder. It is locked: writers leave it alone as long as it is open.
/// `None` if one of them took it for a leftover before.
pub(super) fn write_candidate(state: &StateDir, pieces: &[&[u8]]) -> Result<Option<NamedTempFile>, Error> {
    let temporary = write_temporary(&state.path_of(CANDIDATE), TEMPORARY_MODE, pieces)?;
    let file = temporary.as_file();
    let found = file.lock().and_then(|()| file.metadata()).map_err(Error::io("lock", temporary.path()))?;
    state.adopt(temporary.path().file_name().unwrap_or_default());
    Ok((found.nlink() > 0).then_some(temporary))
}

/// Removes the files of killed processes, whose paths are `place` with random letters behind it, or with `other`. Only the
/// holder of the lock makes such files, and whoever holds the file itself, so others that the holder of the lock
/// finds are abandoned.
pub(super) fn remove_leftovers(place: &Path, other: &str) -> Vec<Warning> {
    let (folder, prefix) = (place.parent().unwrap_or(place), place.file_name().unwrap_or_default());
    let is_left = |entry: &DirEntry| {
        let name = entry.file_name();
        let end = name.as_bytes().strip_prefix(prefix.as_bytes());
        let is_random = |end: &[u8]| end.len() == RANDOM_LETTERS && end.iter().all(u8::is_ascii_alphanumeric);
        end.is_some_and(|end| end == other.as_bytes() || is_random(end))
    };
    // A folder that may be written but not listed is legal; leftovers stay there.
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    entries.filter(is_left).filter_map(|entry| remove(&entry.path())).collect()
}

fn remove(path: &Path) -> Option<Warning> {
    let file = open_whole_path(path, OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC);
    // The lock is kept until the file is gone.
    if file.as_ref().is_ok_and(|file| matches!(file.try_lock(), Err(TryLockError::WouldBlock))) {
        return None;
    }
    let is_folder = fs::symlink_metadata(path).is_ok_and(|found| found.is_dir());
    let removed = if is_folder { fs::remove_dir_all(path) } else { fs::remove_file(path) };
    let error = removed.err().filter(|error| error.kind() != io::ErrorKind::NotFound)?;
    Some(format!("cannot remove `{}`: {}", path.display(), reason(&error)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::{Loaded, Store};

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
            let new = write_temporary(&conf.beside("-"), TEMPORARY_MODE, &[b"new"]).expect("there is room");
            if let Some(theirs) = stranger {
                let other = folder.path().join("other");
                fs::write(&other, theirs).expect("the folder is ours");
                fs::rename(&other, &path).expect("the folder is ours");
            }
            let result = take_place(&new.into_temp_path(), conf.target(), &current);
            assert_eq!(result.map_err(|error| error.kind()).is_err(), stranger.is_some());
            assert_eq!(text(&path), expected);
            assert_eq!(fs::read_dir(folder.path()).expect("it can be listed").count(), 1);
        }
    }
}
