//! Files and folders of the user of this process, outside of the state of a configuration.

use std::fs::{self, File, OpenOptions};
use std::io;
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::Path;

use rustix::fs::OFlags;
use rustix::io::Errno;

/// The rights of others to write.
const WRITTEN_BY_OTHERS: u32 = 0o022;

/// True if a folder belongs to this user, and nobody else may write it.
pub fn is_private_folder(folder: &Path) -> bool {
    let found = fs::symlink_metadata(folder);
    found.is_ok_and(|found| found.is_dir() && is_ours(&found) && found.mode() & WRITTEN_BY_OTHERS == 0)
}

/// Opens a file of this user as `options` say; no link is followed, and no pipe waits for its other end.
///
/// # Errors
/// `InvalidInput` if it is no regular file, `PermissionDenied` if it belongs to somebody else.
pub fn open_own(path: &Path, options: &mut OpenOptions) -> io::Result<File> {
    let flags = OFlags::NOFOLLOW | OFlags::NONBLOCK;
    let opened = options.custom_flags(flags.bits() as i32).open(path);
    let file = opened.map_err(|error| match Errno::from_io_error(&error) {
        Some(Errno::LOOP | Errno::ISDIR) => not_regular(),
        _ => error,
    })?;
    let found = file.metadata()?;
    match (found.is_file(), is_ours(&found)) {
        (true, true) => Ok(file),
        (false, _) => Err(not_regular()),
        (true, false) => Err(denied("it belongs to another user")),
    }
}

fn is_ours(found: &fs::Metadata) -> bool {
    found.uid() == rustix::process::geteuid().as_raw()
}

fn not_regular() -> io::Error {
    io::Error::new(io::ErrorKind::InvalidInput, "it is not a regular file")
}

fn denied(why: &str) -> io::Error {
    io::Error::new(io::ErrorKind::PermissionDenied, why)
}
