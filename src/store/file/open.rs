//! Opening regular files, without following links and without ever waiting.

use std::fs::{self, File, Metadata};
use std::io::Read;
use std::path::Path;

use rustix::fs::{CWD, Mode, OFlags, ResolveFlags};
use rustix::io::{Errno, retry_on_intr};

use crate::store::error::{FileKind, StoreError};

/// Opens a regular file for reading, and nothing else.
pub(super) fn open_regular(path: &Path) -> Result<(File, Metadata), StoreError> {
    // To open a device can have effects, so the kind is checked first; and again afterwards, because
    // the file may have been exchanged.
    let found = fs::symlink_metadata(path).map_err(StoreError::opening("open", path))?;
    if found.is_symlink() {
        return Err(StoreError::ChangedMeanwhile { path: path.to_owned() });
    }
    refuse_other_kinds(path, &found)?;
    let file = open_without_blocking(path, OFlags::RDONLY)?;
    let found = file.metadata().map_err(StoreError::io("look at", path))?;
    refuse_other_kinds(path, &found)?;
    Ok((file, found))
}

/// Opens the file at `path` itself: no link is followed, no pipe waits for its other end.
pub(super) fn open_without_blocking(path: &Path, access: OFlags) -> Result<File, StoreError> {
    let flags = access | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
    match open_whole_path(path, flags) {
        Ok(file) => Ok(file),
        Err(Errno::LOOP) => Err(StoreError::ChangedMeanwhile { path: path.to_owned() }),
        Err(error) => Err(StoreError::opening("open", path)(error)),
    }
}

/// Opens `path`, which had no links when it was resolved. If a folder was exchanged for a link since,
/// this fails, where the kernel can tell.
pub(super) fn open_whole_path(path: &Path, flags: OFlags) -> Result<File, Errno> {
    let no_links = ResolveFlags::NO_SYMLINKS;
    let opened = retry_on_intr(|| rustix::fs::openat2(CWD, path, flags, Mode::empty(), no_links));
    match opened {
        // Kernels before 5.6 do not have the call, and filters of containers may not know it.
        Err(Errno::NOSYS | Errno::PERM) => retry_on_intr(|| rustix::fs::open(path, flags, Mode::empty())),
        opened => opened,
    }
    .map(File::from)
}

/// Reads `file` from where it stands to its end.
pub(super) fn read_whole(mut file: &File, path: &Path) -> Result<Vec<u8>, StoreError> {
    let mut bytes = Vec::new();
    // std asks for the size and reserves exactly that.
    file.read_to_end(&mut bytes).map_err(StoreError::io("read", path))?;
    Ok(bytes)
}

/// Refuses everything but regular files, before anything opens it.
pub(super) fn refuse_other_kinds(path: &Path, found: &Metadata) -> Result<(), StoreError> {
    match FileKind::unusable(found.file_type()) {
        None => Ok(()),
        Some(kind) => Err(StoreError::NotAFile { path: path.to_owned(), kind }),
    }
}
