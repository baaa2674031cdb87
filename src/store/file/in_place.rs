//! Reading the file, and writing into the file itself where it cannot be renamed over.
//!
//! A file that is a mount point of its own, as containers are given one, answers a rename with `EBUSY`.
//! Then the bytes of that very file have to change, and a crash can leave a mixture of both texts. The history has both
//! before, and a mark in the state folder says which change is being written. So the next writer puts the old text back:
//! here, too, a write happens whole or not at all. The old text wins because putting it back needs no disk space,
//! while finishing the write might. A reader gets the old text until then.

use std::fs::{File, Metadata};
use std::io;
use std::os::unix::fs::{FileExt, MetadataExt};
use std::path::Path;
use std::sync::{Arc, OnceLock};

use bytes::Bytes;
use rustix::fs::OFlags;
use rustix::io::{pread, retry_on_intr};

use super::find::{ConfFile, open_regular, read_limited};
use super::history::{History, Staged};
use super::state::StateDir;
use crate::error::{Error, ErrorKind};
use crate::store::{LastWrite, Loaded, Revision, Warning, reason};

/// Name of the mark in the state folder; it holds the number of the change.
pub(super) const MARK: &str = "in-place";

/// The bytes of the file that are compared at a time: they stay in the cache of the processor.
const PIECE: usize = 64 << 10;

/// The most attempts to read a file that changes while it is read.
const READ_ATTEMPTS: usize = 100;

/// Loads the file, and says which file it was. It never blocks on a pipe.
///
/// While an in-place write is under way, or after one was cut short, this returns the text before
/// that write: the next writer puts it back. A `known` text that the file still has is not copied.
///
/// # Errors
/// `NoConfiguration`, `NotFound` for anything but a regular file, `Denied`, `FileTooLarge`, `Failed`; `Conflict` when the
/// file never stands still, or became a link since it was resolved.
pub(super) fn load(
    conf: &ConfFile,
    state: Option<&StateDir>,
    known: Option<(&Bytes, Revision)>,
) -> Result<(Loaded, Metadata), Error> {
    let path = &conf.target;
    for _ in 0..READ_ATTEMPTS {
        // Read before the file: if a mark appears later, the time of the file has changed, too.
        let mark = state.and_then(|state| Some((state, state.read(MARK).ok()??)));
        let (file, found) = open_regular(path, OFlags::RDONLY)?;
        let is_held = |known: &(&Bytes, Revision)| holds(&file, path, &found, known.0).is_ok_and(|held| held);
        let (bytes, hash) = match known.filter(is_held) {
            Some((bytes, revision)) => (bytes.clone(), OnceLock::from(revision)),
            None => {
                let bytes = read_limited(&file, found.len(), path, Error::io("read", path))?;
                (bytes.into(), OnceLock::new())
            }
        };
        let now = file.metadata().map_err(Error::io("look at", path))?;
        if LastWrite::from(&found) == LastWrite::from(&now) {
            let old = mark.and_then(|(state, mark)| text_to_put_back(state, &mark, &found, &bytes));
            let (bytes, hash) = old.map_or((bytes, hash), |old| (old.into(), OnceLock::new()));
            let version = Arc::new((file, found.clone()));
            return Ok((Loaded { bytes, version, open: None, hash }, found));
        }
    }
    Err(Error::changed_meanwhile(path))
}

/// Replaces the text `old` of the file by `new`, in the file itself. The entry of the history is `staged`.
pub(super) fn write(
    (conf, state): (&ConfFile, &StateDir),
    old: &[u8],
    new: &[u8],
    staged: &mut Staged,
) -> Result<Vec<Warning>, Error> {
    let path = &conf.target;
    let (file, found) = open_regular(path, OFlags::RDWR)?;
    if !holds(&file, path, &found, old)? {
        return Err(Error::changed_meanwhile(path));
    }
    let marked = state.put_durably(MARK, &[staged.number.to_string().as_bytes()]);
    // If that fails, the file is untouched, so a mark that stays does no harm.
    marked.inspect_err(|_| _ = state.remove(MARK))?;
    staged.stays = true;
    let Err(source) = overwrite(&file, new) else { return Ok(remove_mark(state)) };
    if overwrite(&file, old).is_err() {
        let message = format!("only a part of `{}` was written: {}", path.display(), reason(&source));
        return Err(Error::new(ErrorKind::Failed, message)
            .hint("the old text is kept in the history; the next change puts it back first"));
    }
    staged.stays = false;
    remove_mark(state);
    Err(Error::io("write", path)(source))
}

/// Makes the file whole if a killed writer left a mark; called under the lock.
pub(super) fn recover(conf: &ConfFile, state: &StateDir) -> Result<Vec<Warning>, Error> {
    let (path, Some(mark)) = (&conf.target, state.read(MARK)?) else { return Ok(Vec::new()) };
    let mut warnings = Vec::new();
    match open_regular(path, OFlags::RDWR) {
        Ok((file, found)) => {
            let bytes = read_limited(&file, found.len(), path, Error::io("read", path))?;
            if let Some(old) = text_to_put_back(state, &mark, &found, &bytes) {
                overwrite(&file, &old).map_err(Error::io("write", path))?;
                let path = path.display();
                let cut = format!("an earlier write of `{path}` was cut short");
                warnings.push(format!("{cut}, the text before it was put back"));
            }
        }
        Err(error) if error.kind == ErrorKind::NoConfiguration => {}
        Err(error) => return Err(error),
    }
    warnings.extend(remove_mark(state));
    Ok(warnings)
}

/// Overwrites the file from its start and then truncates it, so that every state in between is a mixture
/// of both texts.
fn overwrite(file: &File, text: &[u8]) -> io::Result<()> {
    file.write_all_at(text, 0)?;
    file.set_len(text.len() as u64)?;
    file.sync_all()
}

/// Removes the mark durably: one that stays could undo a later edit.
fn remove_mark(state: &StateDir) -> Vec<Warning> {
    let removed = state.remove(MARK).and_then(|()| state.sync());
    let failed = |error| format!("cannot remove `{}`: {}", state.path_of(MARK).display(), reason(&error));
    removed.err().map(failed).into_iter().collect()
}

/// True if `file`, which is at `path` and as `found`, holds exactly `text`.
pub(super) fn holds(file: &File, path: &Path, found: &Metadata, text: &[u8]) -> Result<bool, Error> {
    if found.size() != text.len() as u64 {
        return Ok(false);
    }
    let (mut here, mut at) = (vec![0; PIECE], 0);
    loop {
        match retry_on_intr(|| pread(file, &mut here, at as u64)).map_err(Error::io("read", path))? {
            0 => return Ok(at == text.len()),
            read if text[at..].starts_with(&here[..read]) => at += read,
            _ => return Ok(false),
        }
    }
}

/// The text before the change that a mark names, if the file, which is as `found` and holds `bytes`, is the rest of a write
/// that was cut short: each byte is that of the old or of the new text at its place, or one of the zeros that a disk has
/// where its power failed; the end may be missing. Else it is one of the texts, or was edited or replaced since.
fn text_to_put_back(state: &StateDir, mark: &[u8], found: &Metadata, bytes: &[u8]) -> Option<Vec<u8>> {
    let history = History::find(state).ok()??;
    let ([old, new], inode) = history.texts_of(str::from_utf8(mark).ok()?.parse().ok()?)?;
    let could_be =
        |(at, byte): (usize, &u8)| *byte == 0 || [&old, &new].iter().any(|text| text.get(at) == Some(byte));
    let is_mixture = bytes != old
        && bytes != new
        && found.ino() == inode
        && bytes.len() <= old.len().max(new.len())
        && bytes.iter().enumerate().all(could_be);
    is_mixture.then_some(old)
}

#[cfg(test)]
mod tests;
