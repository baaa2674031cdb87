//! Replacing the file: the new text takes the place of the old one, whole or not at all.
//!
//! Who may read and write the file never changes: a new file that cannot be given owner, group, mode, access
//! control list and extended attributes of the old one must not take its place.

use std::ffi::{CStr, OsString};
use std::fs::{self, File, Metadata, Permissions, TryLockError};
use std::io::{self, Write};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use rustix::fs::{CWD, Gid, Mode, OFlags, RenameFlags, Uid, XattrFlags};
use rustix::io::{Errno, retry_on_intr};
use tempfile::{NamedTempFile, TempPath};

use super::find::{ACCESS_LIST, ConfFile, LARGEST_ATTRIBUTE, open_regular, open_whole_path};
use super::history::{History, Staged};
use super::in_place::{self, holds};
use super::state::StateDir;
use crate::error::{Error, ErrorKind};
use crate::store::{FileStamp, HistoryEntry, LastWrite, Loaded, PreparedChange, Warning, reason};

/// Mode of a configuration that did not exist before, less the umask: it holds passwords.
const NEW_FILE_MODE: u32 = 0o640;

/// Mode of a temporary file until it gets that of the file whose place it takes.
const TEMPORARY_MODE: u32 = 0o600;

/// Labels over the content itself, which the kernel computes anew.
const COMPUTED: [&CStr; 2] = [c"security.ima", c"security.evm"];

/// The text that the hooks are shown; random letters follow.
pub(super) const CANDIDATE: &str = "candidate-";

/// Permissions of the group, which stand for the mask of a list where there is one.
const GROUP_BITS: u32 = 0o070;

/// Length of the random end of a temporary name.
const RANDOM_LETTERS: usize = 6;

/// Writes the new text durably beside the file, and into the history. The change makes it the text of the file: after an
/// error the old file is whole and no other file is left behind, but for one whose text was only written in part,
/// which says so.
///
/// # Errors
/// `Conflict` if the file no longer holds `old`; `Failed`, `Denied`; those of the state folder.
pub(super) fn prepare<'w>(
    (conf, state): (&'w ConfFile, &'w StateDir),
    old: Option<&'w Loaded>,
    new: Option<&'w [u8]>,
    open_history: impl FnOnce() -> Result<History, Error>,
    record: &HistoryEntry,
) -> Result<PreparedChange<'w>, Error> {
    let path = &conf.target;
    let changed = || Error::changed_meanwhile(path);
    let opened = old.map(|old| open_loaded(conf, old)).transpose()?;
    if old.is_none() && new.is_some() && fs::symlink_metadata(path).is_ok() {
        return Err(changed());
    }
    if old.map(|old| &old.bytes[..]) == new {
        return Ok(Box::new(|| Ok(Vec::new())));
    }
    let mode = if old.is_some() { TEMPORARY_MODE } else { NEW_FILE_MODE };
    let make_file = || -> Result<Option<TempPath>, Error> {
        let Some(new) = new else { return Ok(None) };
        let temporary = write_temporary(&conf.beside("-"), mode, new)?;
        // A new file that can't be given all that the old one has does not take its place: the text is written into the old one.
        let copy = |(file, found): &(File, Metadata)| copy_attributes(file, found, temporary.as_file());
        if opened.as_deref().is_some_and(|opened| copy(opened).is_err()) {
            return Ok(None);
        }
        temporary.as_file().sync_all().map_err(Error::io("flush", temporary.path()))?;
        Ok(Some(temporary.into_temp_path()))
    };
    let before = opened.as_deref().map(|(_, found)| found);
    let (mut staged, temporary) =
        Staged::stage(open_history()?, path, old.zip(before), new, record, make_file)?;
    let before = before.cloned();
    Ok(Box::new(move || {
        let found = old.zip(before).map(|(old, before)| recheck(conf, &old.bytes, &before)).transpose()?;
        match (old.zip(found), new, temporary) {
            (Some((old, found)), Some(new), temporary) => {
                match temporary.map(|temporary| take_place(&temporary, path, &found)) {
                    Some(Ok(())) => {}
                    Some(Err(error)) if error.kind() == io::ErrorKind::NotFound => return Err(changed()),
                    // A mount point of its own.
                    Some(Err(error))
                        if ![io::ErrorKind::ResourceBusy, io::ErrorKind::CrossesDevices]
                            .contains(&error.kind()) =>
                    {
                        return Err(Error::io("replace", path)(error));
                    }
                    Some(Err(_)) | None => {
                        let warnings = in_place::write((conf, state), &old.bytes, new, &mut staged)?;
                        staged.finish();
                        return Ok(warnings);
                    }
                }
            }
            (None, _, Some(temporary)) => {
                temporary.persist_noclobber(path).map_err(|failed| match failed.error.kind() {
                    io::ErrorKind::AlreadyExists => changed(),
                    _ => Error::io("make", path)(failed.error),
                })?;
            }
            _ => fs::remove_file(path).map_err(Error::io("remove", path))?,
        }
        let warning = sync_folder(conf);
        staged.finish();
        Ok(warning.into_iter().collect())
    }))
}

/// The file that was loaded, or another one with that text.
fn open_loaded(conf: &ConfFile, old: &Loaded) -> Result<Arc<(File, Metadata)>, Error> {
    let found = fs::symlink_metadata(&conf.target);
    let is_loaded = |(_, then): &(File, Metadata)| {
        found.is_ok_and(|now| now.dev() == then.dev() && FileStamp::of(&now) == FileStamp::of(then))
    };
    match Arc::clone(&old.version).downcast::<(File, Metadata)>() {
        Ok(loaded) if is_loaded(&loaded) => Ok(loaded),
        _ => open_holding(conf, &old.bytes).map(Arc::new),
    }
}

/// Opens the file and makes sure that it holds `text`. Editors take no lock of this program, so a writer looks before it
/// starts and again before the rename.
fn open_holding(conf: &ConfFile, text: &[u8]) -> Result<(File, Metadata), Error> {
    let path = &conf.target;
    match open_regular(path, OFlags::RDONLY) {
        Ok((file, found)) if holds(&file, path, &found, text)? => Ok((file, found)),
        Err(error) if error.kind != ErrorKind::NoConfiguration => Err(error),
        _ => Err(Error::changed_meanwhile(path)),
    }
}

/// Makes sure that text, owner and mode are those of `before`, and says which file it is now.
fn recheck(conf: &ConfFile, text: &[u8], before: &Metadata) -> Result<Metadata, Error> {
    let (_, now) = open_holding(conf, text)?;
    let rights = |found: &Metadata| (found.uid(), found.gid(), found.mode());
    if rights(&now) == rights(before) { Ok(now) } else { Err(Error::changed_meanwhile(&conf.target)) }
}

/// Replaces the old file by the new one. The two are exchanged in one step, so that the file that comes
/// out can be checked: if another program put a file there just before, or wrote into the old one, that is
/// put back, and the error is `NotFound`.
fn take_place(temporary: &TempPath, target: &Path, old: &Metadata) -> io::Result<()> {
    let identity = |found: &Metadata| (found.dev(), LastWrite::from(found));
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

pub(super) fn sync_folder(conf: &ConfFile) -> Option<Warning> {
    let path = conf.folder();
    let source = File::open(path).and_then(|folder| folder.sync_all()).err()?;
    Some(format!("cannot flush the folder `{}`: {}", path.display(), reason(&source)))
}

/// Copies owner, group, mode, access control list and extended attributes from `from` (described by `found`) to `to`.
///
/// # Errors
/// The error of the system if one of them cannot be set.
fn copy_attributes(from: &File, found: &Metadata, to: &File) -> io::Result<()> {
    let now = to.metadata()?;
    if (now.uid(), now.gid()) != (found.uid(), found.gid()) {
        rustix::fs::fchown(to, Some(Uid::from_raw(found.uid())), Some(Gid::from_raw(found.gid())))?;
    }
    let mut names = vec![0; LARGEST_ATTRIBUTE];
    let length = or_without_attributes(rustix::fs::flistxattr(from, &mut names), 0)?;
    // The kernel lists names one after the other, each with a NUL at its end.
    let names = names[..length].split_inclusive(|byte| *byte == 0);
    let names: Vec<&CStr> = names.filter_map(|name| CStr::from_bytes_with_nul(name).ok()).collect();
    // Mode and list come after the owner, because a change of owner clears the setuid bits. A folder with a default list
    // gives a list to each new file. That list is removed first, because setting the mode would enable its entries.
    or_without_attributes(rustix::fs::fremovexattr(to, ACCESS_LIST), ())?;
    if names.contains(&ACCESS_LIST) {
        let list = value(from, ACCESS_LIST)?;
        // The group bits are the mask of the list that is copied below. Until then they would be rights
        // of the group.
        set_mode(to, found.mode() & !GROUP_BITS)?;
        rustix::fs::fsetxattr(to, ACCESS_LIST, &list, XattrFlags::empty())?;
    }
    set_mode(to, found.mode())?;
    for name in names.into_iter().filter(|name| !COMPUTED.contains(name) && *name != ACCESS_LIST) {
        let wanted = value(from, name)?;
        if value(to, name).ok().as_ref() != Some(&wanted) {
            rustix::fs::fsetxattr(to, name, &wanted, XattrFlags::empty())?;
        }
    }
    Ok(())
}

/// Turns the answers for a file or file system without attributes into `without`.
fn or_without_attributes<T>(answer: rustix::io::Result<T>, without: T) -> io::Result<T> {
    match answer {
        Err(Errno::NODATA | Errno::NOTSUP | Errno::NOSYS) => Ok(without),
        answer => Ok(answer?),
    }
}

fn set_mode(file: &File, mode: u32) -> rustix::io::Result<()> {
    rustix::fs::fchmod(file, Mode::from_raw_mode(mode & 0o7777))
}

fn value(file: &File, name: &CStr) -> rustix::io::Result<Vec<u8>> {
    let mut value = vec![0; LARGEST_ATTRIBUTE];
    let length = rustix::fs::fgetxattr(file, name, &mut value)?;
    value.truncate(length);
    Ok(value)
}

/// Makes a file with `mode` (less the umask) that holds `text`, and is removed when it is dropped. Its path is `place` with
/// random letters behind it.
fn write_temporary(place: &Path, mode: u32, text: &[u8]) -> Result<NamedTempFile, Error> {
    let folder = place.parent().unwrap_or(place);
    let mut temporary = tempfile::Builder::new()
        .prefix(place.file_name().unwrap_or_default())
        .rand_bytes(RANDOM_LETTERS)
        .permissions(Permissions::from_mode(mode))
        .tempfile_in(folder)
        .map_err(Error::opening("make a temporary file in", folder))?;
    let written = temporary.write_all(text);
    written.map_err(Error::io("write", temporary.path()))?;
    Ok(temporary)
}

/// Puts the text that hooks are shown into a file of the state folder, which stays locked, so that writers leave it alone.
/// `None` if one of them took it for a leftover before.
pub(super) fn write_candidate(state: &StateDir, text: &[u8]) -> Result<Option<NamedTempFile>, Error> {
    let temporary = write_temporary(&state.path_of(CANDIDATE), TEMPORARY_MODE, text)?;
    let file = temporary.as_file();
    let found = file.lock().and_then(|()| file.metadata()).map_err(Error::io("lock", temporary.path()))?;
    state.adopt(temporary.path().file_name().unwrap_or_default());
    Ok((found.nlink() > 0).then_some(temporary))
}

/// Removes what killed processes left: of files and folders with these `names` those whose paths are `place` with random
/// letters or `new` behind it.
/// The holder of the lock calls this: whoever else makes such a file holds a lock on it, so all others are abandoned.
pub(super) fn remove_leftovers(place: &Path, names: Vec<OsString>) -> Vec<Warning> {
    let is_left = |name: &OsString| {
        let end = name.as_bytes().strip_prefix(place.file_name().unwrap_or_default().as_bytes());
        let is_random = |end: &[u8]| end.len() == RANDOM_LETTERS && end.iter().all(u8::is_ascii_alphanumeric);
        end.is_some_and(|end| end == b"new" || is_random(end))
    };
    let remove = |path: PathBuf| {
        // The lock is kept until the file is gone.
        let file = open_whole_path(&path, OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC);
        if file.as_ref().is_ok_and(|file| matches!(file.try_lock(), Err(TryLockError::WouldBlock))) {
            return None;
        }
        let removed = if path.is_dir() { fs::remove_dir_all(&path) } else { fs::remove_file(&path) };
        let error = removed.err()?;
        Some(format!("cannot remove `{}`: {}", path.display(), reason(&error)))
    };
    names.into_iter().filter(is_left).filter_map(|name| remove(place.with_file_name(name))).collect()
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
            let new = write_temporary(&conf.beside("-"), TEMPORARY_MODE, b"new").expect("there is room");
            if let Some(theirs) = stranger {
                let other = folder.path().join("other");
                fs::write(&other, theirs).expect("the folder is ours");
                fs::rename(&other, &path).expect("the folder is ours");
            }
            let result = take_place(&new.into_temp_path(), &conf.target, &current);
            assert_eq!(result.map_err(|error| error.kind()).is_err(), stranger.is_some());
            assert_eq!(text(&path), expected);
            assert_eq!(fs::read_dir(folder.path()).expect("it can be listed").count(), 1);
        }
    }
}
