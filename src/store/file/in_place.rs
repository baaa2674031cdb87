//! Reading the file, and writing into the file itself where it cannot be renamed over.
//!
//! A file that is a mount point of its own, as containers are given one, answers a rename with `EBUSY`.
//! Then the bytes of that very file have to change, and a crash can leave a mixture of both texts. The
//! undo journal makes that reversible: the next writer puts the old text back, so that here, too, a
//! write happens whole or not at all. The old text wins because putting it back needs no disk space,
//! while finishing the write might. A reader gets the old text until then.
//!
//! `flock` on the file itself serves processes that see the same file but another folder around it,
//! and so another state folder: a container and its host.
//!
//! Layout of the journal, numbers little endian: [`MAGIC`], inode of the file (u64), length of the old text (u64),
//! length of the new one (u64), old text, new text, xxh3-128 of all before it (u128).

use std::fs::{File, Metadata};
use std::io::{self, Read};
use std::os::unix::fs::{FileExt, MetadataExt};
use std::sync::Arc;
use std::time::Duration;

use rustix::fs::OFlags;
use xxhash_rust::xxh3::{Xxh3Default, xxh3_128};

use super::find::{ConfFile, open_regular, open_without_blocking, read_limited, read_whole};
use super::state::{StateDir, wait_for};
use crate::error::{Error, ErrorKind};
use crate::store::error::{LockHolder, reason};
use crate::store::{Loaded, Warning};

/// Name of the journal in the state folder.
const JOURNAL: &str = "in-place";

/// Name of a journal that no longer fits the file.
const KEPT_JOURNAL: &str = "in-place.kept";

const MAGIC: &[u8; 20] = b"mediactl in-place 1\n";
const HEADER: usize = MAGIC.len() + 3 * size_of::<u64>();
const CHECKSUM: usize = size_of::<u128>();

/// The longest time to wait for the lock on the file itself. Its holder only writes the file.
const FILE_LOCK_WAIT: Duration = Duration::from_secs(5);

/// The most attempts to read a file that changes while it is read.
const READ_ATTEMPTS: usize = 100;

/// The number of bytes of the file that are compared at a time.
const CHUNK: usize = 256 * 1024;

/// Loads the file, and says which file it was. It never blocks on a pipe.
///
/// While an in-place write is under way, or after one was cut short, this returns the text before
/// that write: the next writer puts it back.
///
/// # Errors
/// `NotFound`, `PermissionDenied`, `NotAFile`, `Io`; `ChangedMeanwhile` when the file never
/// stands still, or became a link since it was resolved.
pub(super) fn load(conf: &ConfFile, state: Option<&StateDir>) -> Result<(Loaded, Metadata), Error> {
    let path = conf.target();
    for _ in 0..READ_ATTEMPTS {
        // Read before the file: if a journal appears later, the time of the file has changed, too.
        let journal = state.and_then(|state| state.read(JOURNAL).ok().flatten()).and_then(UndoJournal::parse);
        let (file, found) = open_regular(path)?;
        let bytes = read_limited(&file, found.len(), path, Error::io("read", path))?;
        let now = file.metadata().map_err(Error::io("look at", path))?;
        if last_write(&found) != last_write(&now) {
            continue;
        }
        let bytes = match journal {
            Some(journal) if journal.compare(&found, &bytes) == FileState::Mixture => journal.into_old(),
            _ => bytes,
        };
        return Ok((Loaded { bytes: bytes.into(), version: Arc::new(()), open: None }, found));
    }
    Err(Error::changed_meanwhile(path))
}

/// Size and time, which differ after a write.
pub(super) fn last_write(found: &Metadata) -> (u64, i64, i64) {
    (found.size(), found.mtime(), found.mtime_nsec())
}

/// Replaces the text `old` of the file by `pieces`, in the file itself.
pub(super) fn write(
    conf: &ConfFile,
    state: &StateDir,
    old: &[u8],
    pieces: &[&[u8]],
) -> Result<Vec<Warning>, Error> {
    let (file, found) = open_locked(conf)?;
    if !holds(&file, &found, old).map_err(Error::io("read", conf.target()))? {
        return Err(Error::changed_meanwhile(conf.target()));
    }
    // If that fails, the file is untouched, so a journal that stays does no harm.
    UndoJournal::write(state, found.ino(), old, pieces).inspect_err(|_| _ = state.remove(JOURNAL))?;
    if let Err(source) = overwrite(&file, pieces) {
        return Err(put_back_after(source, conf, state, &file, old));
    }
    Ok(remove_journal(state))
}

/// Makes the file whole if a killed writer left a journal; called under the lock.
pub(super) fn recover(conf: &ConfFile, state: &StateDir) -> Result<Vec<Warning>, Error> {
    let Some(bytes) = state.read(JOURNAL)? else { return Ok(Vec::new()) };
    let Some(journal) = UndoJournal::parse(bytes) else {
        // It was cut short before the file was touched.
        let _ = state.remove(JOURNAL);
        return Ok(Vec::new());
    };
    let (file, found) = match open_locked(conf) {
        Ok(opened) => opened,
        Err(error) if error.kind == ErrorKind::NoConfiguration => return keep_journal(conf, state),
        Err(error) => return Err(error),
    };
    let bytes = read_whole(&file, found.len(), conf.target())?;
    match journal.compare(&found, &bytes) {
        FileState::Complete => Ok(remove_journal(state)),
        FileState::Edited => keep_journal(conf, state),
        FileState::Mixture => {
            overwrite(&file, &[journal.old()]).map_err(Error::io("write", conf.target()))?;
            let path = conf.target().display();
            let put_back =
                format!("an earlier write of `{path}` was cut short, the text before it was put back");
            Ok([put_back].into_iter().chain(remove_journal(state)).collect())
        }
    }
}

fn open_locked(conf: &ConfFile) -> Result<(File, Metadata), Error> {
    let path = conf.target();
    let file = open_without_blocking(path, OFlags::RDWR)?;
    let found = file.metadata().map_err(Error::io("look at", path))?;
    match wait_for(&file, FILE_LOCK_WAIT, &mut || {}).map_err(Error::io("lock", path))? {
        true => Ok((file, found)),
        false => Err(Error::locked(path, LockHolder { pid: None })),
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
fn put_back_after(source: io::Error, conf: &ConfFile, state: &StateDir, file: &File, old: &[u8]) -> Error {
    if overwrite(file, &[old]).is_err() {
        let (path, reason) = (conf.target().display(), reason(&source));
        let message = format!("only a part of `{path}` was written: {reason}");
        let journal = state.path_of(JOURNAL);
        return Error::new(ErrorKind::Failed, message).hint(format!(
            "the old text is kept in `{}`; the next change puts it back first",
            journal.display()
        ));
    }
    remove_journal(state);
    Error::io("write", conf.target())(source)
}

/// Removes the journal durably: one that stays could undo a later edit.
fn remove_journal(state: &StateDir) -> Vec<Warning> {
    match state.remove(JOURNAL).and_then(|()| state.sync()) {
        Ok(()) => Vec::new(),
        Err(error) => {
            vec![format!("cannot remove `{}`: {}", state.path_of(JOURNAL).display(), reason(&error))]
        }
    }
}

fn keep_journal(conf: &ConfFile, state: &StateDir) -> Result<Vec<Warning>, Error> {
    let renamed = state.rename(JOURNAL, KEPT_JOURNAL).and_then(|()| state.sync());
    renamed.map_err(Error::io("rename", &state.path_of(JOURNAL)))?;
    Ok(vec![format!(
        "an earlier write of `{}` was cut short and the file was edited since; its texts are kept in `{}`",
        conf.target().display(),
        state.path_of(KEPT_JOURNAL).display()
    )])
}

/// True if `file`, which is as `found`, holds exactly `text` from its current position on.
pub(super) fn holds(mut file: &File, found: &Metadata, text: &[u8]) -> io::Result<bool> {
    if found.size() != text.len() as u64 {
        return Ok(false);
    }
    let mut chunk = vec![0; CHUNK];
    let mut rest = text;
    loop {
        match file.read(&mut chunk) {
            Ok(0) => return Ok(rest.is_empty()),
            Ok(count) => match rest.strip_prefix(&chunk[..count]) {
                Some(after) => rest = after,
                None => return Ok(false),
            },
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
}

/// A whole journal.
struct UndoJournal {
    /// The journal without its checksum.
    body: Vec<u8>,
    inode: u64,
    old_length: usize,
}

/// The content of a file, compared with the two texts of a journal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum FileState {
    /// The old text or the new one, complete.
    Complete,
    /// The rest of a write that was cut short: each byte is that of the old or of the new text at its
    /// place, or one of the zeros that a disk has where its power failed; the end may be missing.
    Mixture,
    /// Neither: the file was edited or replaced.
    Edited,
}

impl UndoJournal {
    /// Writes the journal of a write that makes `pieces` out of `old`; it is durable on return.
    fn write(state: &StateDir, inode: u64, old: &[u8], pieces: &[&[u8]]) -> Result<(), Error> {
        let new_length: usize = pieces.iter().map(|piece| piece.len()).sum();
        let mut header = MAGIC.to_vec();
        for number in [inode, old.len() as u64, new_length as u64] {
            header.extend(number.to_le_bytes());
        }
        let mut parts = vec![&header[..], old];
        parts.extend(pieces);
        let mut hasher = Xxh3Default::new();
        parts.iter().for_each(|part| hasher.update(part));
        let checksum = hasher.digest128().to_le_bytes();
        parts.push(&checksum);
        state.put(JOURNAL, &parts)?;
        state.sync_path().map_err(Error::io("write", &state.path_of(JOURNAL)))
    }

    /// Compares the file described by `found`, which holds `bytes`, with the two texts.
    fn compare(&self, found: &Metadata, bytes: &[u8]) -> FileState {
        let (old, new) = (self.old(), self.new_text());
        if bytes == old || bytes == new {
            FileState::Complete
        } else if found.ino() == self.inode && is_mixture(bytes, old, new) {
            FileState::Mixture
        } else {
            FileState::Edited
        }
    }

    /// The text before the write.
    fn old(&self) -> &[u8] {
        &self.body[HEADER..HEADER + self.old_length]
    }

    /// The text before the write, in the buffer that the journal was read into.
    fn into_old(mut self) -> Vec<u8> {
        self.body.truncate(HEADER + self.old_length);
        self.body.drain(..HEADER);
        self.body
    }

    fn new_text(&self) -> &[u8] {
        &self.body[HEADER + self.old_length..]
    }

    fn parse(mut body: Vec<u8>) -> Option<UndoJournal> {
        let checksum = body.split_off(body.len().checked_sub(CHECKSUM)?);
        if !body.starts_with(MAGIC) || checksum != xxh3_128(&body).to_le_bytes() {
            return None;
        }
        let number = |index: usize| {
            let start = MAGIC.len() + index * size_of::<u64>();
            let bytes = body.get(start..start + size_of::<u64>())?;
            Some(u64::from_le_bytes(bytes.try_into().ok()?))
        };
        let (inode, old, new) = (number(0)?, number(1)?, number(2)?);
        let old_length = usize::try_from(old).ok()?;
        let texts = (body.len() - HEADER) as u64;
        let fits = old.checked_add(new) == Some(texts);
        fits.then_some(UndoJournal { body, inode, old_length })
    }
}

/// A file that is shorter than both texts did not reach the disk whole.
fn is_mixture(bytes: &[u8], old: &[u8], new: &[u8]) -> bool {
    let could_be =
        |(at, byte): (usize, &u8)| *byte == 0 || [old, new].iter().any(|text| text.get(at) == Some(byte));
    bytes.len() <= old.len().max(new.len()) && bytes.iter().enumerate().all(could_be)
}

#[cfg(test)]
mod tests;
