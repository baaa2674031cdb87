//! Finds the configuration file: the path as given, and the file at the end of its links; and who may write it.
//!
//! The links are followed by hand. `canonicalize` fails on a file that is yet to be made, and cannot
//! say which link of a chain leads to nothing. And in a folder that everybody may write, such as
//! `/tmp`, a link may be a trap: whoever made it decides which file is read and changed. So the rule
//! that Linux calls `protected_symlinks` holds here, whether or not the system has it, and also for
//! the links to folders, which the system leaves alone.
//!
//! Where a file has an access control list, the group bits of its mode are the *mask* of that list, not the rights of
//! the group: a file that one more user may write shows `rw-` for its group although the group may not
//! write (acl(5)). So of a file with such a list only root and its owner count as those who may write it.

use std::ffi::{CStr, OsString};
use std::fs::{self, File, Metadata};
use std::io::{self, Read};
use std::os::unix::fs::MetadataExt;
use std::path::{Component, Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use rustix::fs::{CWD, Mode, OFlags, ResolveFlags};
use rustix::io::{Errno, retry_on_intr};

use crate::error::{Error, ErrorKind};

/// Name of the folder in which version 0.1 had the state folders of all files.
const FORMER_ROOT: &str = ".mediactl";

/// As many links as the kernel follows.
const MAX_LINKS: usize = 40;

/// The mode bits of a folder that every user may write, and where only the owner of a file may remove
/// it.
const STICKY_AND_PUBLIC: u32 = 0o1002;

/// The attribute in which the kernel keeps an access control list.
pub(super) const ACCESS_LIST: &CStr = c"system.posix_acl_access";

/// More than the largest value of an attribute, and the largest list of their names (xattr(7)).
pub(super) const LARGEST_ATTRIBUTE: usize = 64 << 10;

/// The configuration file: the path as it was given and the file that its links lead to.
///
/// The links are followed when it is made. A long-lived process checks again whether they lead
/// elsewhere.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConfFile {
    /// The path as the user wrote it.
    pub given: PathBuf,
    /// The absolute path of the file that the links lead to.
    pub target: PathBuf,
}

impl ConfFile {
    /// Follows the links of `path`. The file itself may be missing, its folder may not.
    ///
    /// # Errors
    /// `NoConfiguration` for a missing folder; `NotFound` for a link that leads to nothing or back to itself, and for
    /// anything but a regular file; `Untrusted` for a link that another user planted; `Denied` and `Failed` when a
    /// folder on the way cannot be searched.
    pub fn resolve(path: &Path) -> Result<ConfFile, Error> {
        if path.as_os_str().is_empty() {
            return Err(Error::no_file(path));
        }
        let start = if path.is_absolute() { Ok(PathBuf::from("/")) } else { std::env::current_dir() };
        let start = start.map_err(Error::opening("look up", Path::new(".")))?;
        let (target, found) = follow(start, path, &mut 0, true)?;
        match found.map_or_else(|| fs::symlink_metadata(&target), Ok) {
            Ok(found) => refuse_other_kinds(&target, &found)?,
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => return Err(Error::opening("look up", &target)(error)),
        }
        if path.as_os_str().as_encoded_bytes().ends_with(b"/") {
            let message = format!("`{}` is the name of a folder", path.display());
            return Err(Error::new(ErrorKind::NotFound, message).hint("name a file, such as `media.conf`"));
        }
        Ok(ConfFile { given: path.to_owned(), target })
    }

    /// The state folder, `.FILE.mediactl/` beside the target, whether it exists or not.
    pub fn state_dir(&self) -> PathBuf {
        self.beside("")
    }

    /// The path of `.FILE.mediactl` with `end` behind it, beside the target.
    pub(super) fn beside(&self, end: &str) -> PathBuf {
        let mut name = OsString::from(".");
        for part in [self.name().as_os_str(), ".mediactl".as_ref(), end.as_ref()] {
            name.push(part);
        }
        self.folder().join(name)
    }

    /// The state folder of version 0.1, `.mediactl/FILE/` beside the target.
    pub(super) fn former_state_dir(&self) -> PathBuf {
        self.folder().join(FORMER_ROOT).join(self.name())
    }

    pub(super) fn folder(&self) -> &Path {
        self.target.parent().expect("the target is a folder joined with a name")
    }

    fn name(&self) -> &Path {
        Path::new(self.target.file_name().expect("the target is a folder joined with a name"))
    }
}

/// Opens a regular file, and nothing else.
pub(super) fn open_regular(path: &Path, access: OFlags) -> Result<(File, Metadata), Error> {
    // To open a device can have effects, so the kind is checked first; and again afterwards, because
    // the file may have been exchanged.
    let found = fs::symlink_metadata(path).map_err(Error::opening("open", path))?;
    if found.is_symlink() {
        return Err(Error::changed_meanwhile(path));
    }
    refuse_other_kinds(path, &found)?;
    // No link is followed, and no pipe waits for its other end.
    let flags = access | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
    let file = open_whole_path(path, flags).map_err(|error| match error {
        Errno::LOOP => Error::changed_meanwhile(path),
        error => Error::opening("open", path)(error),
    })?;
    let found = file.metadata().map_err(Error::io("look at", path))?;
    refuse_other_kinds(path, &found)?;
    Ok((file, found))
}

/// Opens `path`, which had no links when it was resolved. If a folder was exchanged for a link since,
/// this fails, where the kernel can tell.
pub(super) fn open_whole_path(path: &Path, flags: OFlags) -> Result<File, Errno> {
    let no_links = ResolveFlags::NO_SYMLINKS;
    match retry_on_intr(|| rustix::fs::openat2(CWD, path, flags, Mode::empty(), no_links)) {
        // Kernels before 5.6 do not have the call, and filters of containers may not know it.
        Err(Errno::NOSYS | Errno::PERM) => retry_on_intr(|| rustix::fs::open(path, flags, Mode::empty())),
        opened => opened,
    }
    .map(File::from)
}

/// The bytes that a configuration, a file that it includes, or a file that an argument names may have.
static LARGEST: AtomicU64 = AtomicU64::new(64 << 20);

/// The most MiB that `--max-file` takes.
const MOST_MIB: u64 = 16 << 10;

/// From now on, this process reads no configuration or input with more bytes.
pub fn limit_files(bytes: u64) {
    LARGEST.store(bytes, Ordering::Relaxed);
}

/// Reads what `--max-file` allows. The bytes are counted: the size of a file of the kernel may be told as 0.
///
/// # Errors
/// `FileTooLarge`; those of `failed`, which makes an error of a failure to read.
pub fn read_limited(
    file: impl Read,
    size: u64,
    path: &Path,
    failed: impl FnOnce(io::Error) -> Error,
) -> Result<Vec<u8>, Error> {
    let most = LARGEST.load(Ordering::Relaxed);
    let mut bytes = Vec::new();
    if size <= most {
        read_all(file.take(most + 1), size, &mut bytes).map_err(failed)?;
        if bytes.len() as u64 <= most {
            return Ok(bytes);
        }
    }
    let words = format!("`{}` has more than {most} bytes", path.display());
    let larger = size.max(2 * most).div_ceil(1 << 20).min(MOST_MIB);
    let hint = format!("if it is the right file: `--max-file {larger}M`");
    Err(Error::new(ErrorKind::FileTooLarge, words).hint(hint))
}

/// Reads a regular file of the user, to which links may lead, as [`read_limited`]. A pipe would wait for its other end.
pub fn read_file(path: &Path) -> io::Result<Vec<u8>> {
    let flags = OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
    let is_file = fs::metadata(path)?.is_file();
    let file = File::from(retry_on_intr(|| rustix::fs::open(path, flags, Mode::empty()))?);
    let found = file.metadata()?;
    if !(is_file && found.is_file()) {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "it is not a regular file"));
    }
    read_limited(file, found.len(), path, Error::io("read", path))
        .map_err(|error| io::Error::other(error.message))
}

/// Reads a whole file of the state folder, which has about `size` bytes, from where it stands to its end.
pub(super) fn read_whole(file: &File, size: u64, path: &Path) -> Result<Vec<u8>, Error> {
    let mut bytes = Vec::new();
    read_all(file, size, &mut bytes).map_err(Error::io("read", path))?;
    Ok(bytes)
}

/// Reads about `size` bytes, mostly at once, and what is behind them.
fn read_all(mut file: impl Read, size: u64, bytes: &mut Vec<u8>) -> io::Result<()> {
    *bytes = vec![0; usize::try_from(size).unwrap_or_default() + 1];
    let mut end = 0;
    loop {
        match file.read(&mut bytes[end..]) {
            Ok(0) => break,
            Ok(read) => end += read,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
        if end == bytes.len() {
            // It grows, or the kernel did not tell its size.
            bytes.resize(2 * end.max(4096), 0);
        }
    }
    bytes.truncate(end);
    Ok(())
}

/// Refuses everything but regular files, before anything opens it.
pub fn refuse_other_kinds(path: &Path, found: &Metadata) -> Result<(), Error> {
    match found.is_file() {
        true => Ok(()),
        false => Err(Error::new(ErrorKind::NotFound, format!("`{}` is not a regular file", path.display()))),
    }
}

/// Follows `path` from the folder `at`, after so many `links`; `is_given` if it is not the target of one of them. The last
/// name of the given path may be missing; the target of a link may not. The result has no link and no `..`; what is there
/// comes with it, if that was looked at.
fn follow(
    mut at: PathBuf,
    path: &Path,
    links: &mut usize,
    is_given: bool,
) -> Result<(PathBuf, Option<Metadata>), Error> {
    let mut last = None;
    let mut names = path.components().peekable();
    while let Some(name) = names.next() {
        let next = match name {
            Component::Normal(name) => at.join(name),
            Component::ParentDir => {
                at.pop();
                last = None;
                continue;
            }
            Component::RootDir => PathBuf::from("/"),
            Component::CurDir | Component::Prefix(_) => continue,
        };
        (at, last) = match fs::symlink_metadata(&next) {
            Ok(found) if found.is_symlink() => {
                *links += 1;
                if *links > MAX_LINKS {
                    let message = format!("`{}` is a link that leads back to itself", next.display());
                    return Err(Error::new(ErrorKind::NotFound, message));
                }
                refuse_planted(&at, &next, &found)?;
                let points_to = fs::read_link(&next).map_err(Error::opening("read the link", &next))?;
                follow(at, &points_to, links, false)?
            }
            Err(error)
                if !(error.kind() == io::ErrorKind::NotFound && is_given && names.peek().is_none()) =>
            {
                return Err(Error::opening("look up", &next)(error));
            }
            found => (next, found.ok()),
        };
    }
    Ok((at, last))
}

/// Refuses the link at `path`, described by `found`, in a folder where everybody may make links, unless
/// the user of this process or the owner of the folder made it.
fn refuse_planted(folder: &Path, path: &Path, found: &Metadata) -> Result<(), Error> {
    let around = fs::symlink_metadata(folder).map_err(Error::opening("look up", folder))?;
    let is_public = around.mode() & STICKY_AND_PUBLIC == STICKY_AND_PUBLIC;
    let believed = [around.uid(), rustix::process::geteuid().as_raw()];
    if !is_public || believed.contains(&found.uid()) {
        return Ok(());
    }
    let (link, user) = (path.display(), found.uid());
    let what = format!("`{link}` is a link of user {user} in a folder that everybody may write");
    let hint = "give the path of the file itself, or make the link in a folder that only you may write";
    Err(Error::new(ErrorKind::Untrusted, format!("{what}, so it is not followed")).hint(hint))
}

/// The rights to write a file: its owner and its mode.
#[derive(Debug)]
pub(super) struct AccessRights {
    pub owner: u32,
    pub group: u32,
    /// 0 if there is an access control list: its group bits are the mask of that, and not rights of the group.
    mode: u32,
}

impl AccessRights {
    /// The rights on the file at `path` itself; a link is not followed.
    pub fn read(path: &Path) -> io::Result<Self> {
        let found = fs::symlink_metadata(path)?;
        // If the mask has no write permission, no entry of a list grants it.
        let has_list = found.mode() & 0o020 != 0 && {
            let mut bytes = vec![0; LARGEST_ATTRIBUTE];
            let list = rustix::fs::lgetxattr(path, ACCESS_LIST, &mut bytes);
            !matches!(list, Err(Errno::NODATA | Errno::NOTSUP | Errno::NOSYS))
        };
        let mode = if has_list { 0 } else { found.mode() };
        Ok(Self { owner: found.uid(), group: found.gid(), mode })
    }

    /// True if the members of the file's own group may write it.
    pub fn group_may_write(&self) -> bool {
        self.mode & 0o020 != 0
    }

    /// True if a user who is in these groups may write it. Root and the owner always may: the owner can
    /// change the mode at any time. A list lets nobody else in.
    pub fn may_write(&self, user: u32, groups: &[u32]) -> bool {
        let of_class = if groups.contains(&self.group) { 0o020 } else { 0o002 };
        user == 0 || user == self.owner || self.mode & of_class != 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const OWNER: u32 = 10;
    const GROUP: u32 = 20;

    #[test]
    fn a_mode_says_who_may_write() {
        for (mode, group, others) in
            [(0o640, false, false), (0o660, true, false), (0o602, false, true), (0o666, true, true)]
        {
            let access = AccessRights { owner: OWNER, group: GROUP, mode };
            assert_eq!(access.group_may_write(), group, "{mode:o}");
            assert_eq!(access.may_write(1, &[GROUP]), group, "{mode:o}");
            assert_eq!(access.may_write(1, &[1]), others, "{mode:o}");
            assert!(access.may_write(0, &[]) && access.may_write(OWNER, &[]), "{mode:o}");
        }
    }
}
