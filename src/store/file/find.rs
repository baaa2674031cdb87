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
//! write (acl(5)). So the list is read, and checked as the kernel checks it.

use std::ffi::{CStr, OsString};
use std::fs::{self, File, Metadata};
use std::io::{self, Read};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{FileTypeExt, MetadataExt};
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
    given: PathBuf,
    target: PathBuf,
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
        let target = follow((path, &mut 0), start, path, None)?;
        match fs::symlink_metadata(&target) {
            Ok(found) => refuse_other_kinds(&target, &found)?,
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => return Err(Error::opening("look up", &target)(error)),
        }
        if path.as_os_str().as_bytes().ends_with(b"/") {
            return Err(Error::opening("look up", path)(Errno::NOTDIR));
        }
        Ok(ConfFile { given: path.to_owned(), target })
    }

    /// The path as the user wrote it.
    pub fn given(&self) -> &Path {
        &self.given
    }

    /// The absolute path of the file that the links lead to.
    pub fn target(&self) -> &Path {
        &self.target
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

/// Opens a regular file for reading, and nothing else.
pub(super) fn open_regular(path: &Path) -> Result<(File, Metadata), Error> {
    // To open a device can have effects, so the kind is checked first; and again afterwards, because
    // the file may have been exchanged.
    let found = fs::symlink_metadata(path).map_err(Error::opening("open", path))?;
    if found.is_symlink() {
        return Err(Error::changed_meanwhile(path));
    }
    refuse_other_kinds(path, &found)?;
    let file = open_without_blocking(path, OFlags::RDONLY)?;
    let found = file.metadata().map_err(Error::io("look at", path))?;
    refuse_other_kinds(path, &found)?;
    Ok((file, found))
}

/// Opens the file at `path` itself: no link is followed, no pipe waits for its other end.
pub(super) fn open_without_blocking(path: &Path, access: OFlags) -> Result<File, Error> {
    let flags = access | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
    open_whole_path(path, flags).map_err(|error| match error {
        Errno::LOOP => Error::changed_meanwhile(path),
        error => Error::opening("open", path)(error),
    })
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
        bytes.reserve(usize::try_from(size).unwrap_or_default() + 1);
        file.take(most + 1).read_to_end(&mut bytes).map_err(failed)?;
        if bytes.len() as u64 <= most {
            return Ok(bytes);
        }
    }
    let words = format!("`{}` has more than {most} bytes", path.display());
    let larger = size.max(2 * most).div_ceil(1 << 20);
    let hint = match larger <= MOST_MIB {
        true => format!("if it is the right file: `--max-file {larger}M`"),
        false => "a configuration is far smaller: is it the right file?".to_owned(),
    };
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
    let mut bytes = Vec::with_capacity(usize::try_from(size).unwrap_or_default() + 1);
    // `take` keeps std from asking for the size again.
    file.take(u64::MAX).read_to_end(&mut bytes).map_err(Error::io("read", path))?;
    Ok(bytes)
}

/// Refuses everything but regular files, before anything opens it.
pub(super) fn refuse_other_kinds(path: &Path, found: &Metadata) -> Result<(), Error> {
    let kind = match found.file_type() {
        kind if kind.is_file() => return Ok(()),
        kind if kind.is_dir() => "a folder",
        kind if kind.is_fifo() => "a pipe",
        kind if kind.is_socket() => "a socket",
        kind if kind.is_char_device() || kind.is_block_device() => "a device",
        _ => "not a regular file",
    };
    Err(Error::new(ErrorKind::NotFound, format!("`{}` is {kind}", path.display()))
        .hint("the configuration has to be a regular file"))
}

/// Follows `path` from the folder `at`, which `link` points to, if it is not the given path: of that, the number of links so
/// far is counted. The last name of the given path may be missing; the target of a link may not. The result has no link
/// and no `..`.
fn follow(
    (given, links): (&Path, &mut usize),
    mut at: PathBuf,
    path: &Path,
    link: Option<&Path>,
) -> Result<PathBuf, Error> {
    let mut names = path.components().peekable();
    while let Some(name) = names.next() {
        let next = match name {
            Component::Normal(name) => at.join(name),
            Component::ParentDir => {
                at.pop();
                continue;
            }
            Component::RootDir => PathBuf::from("/"),
            Component::CurDir | Component::Prefix(_) => continue,
        };
        at = match fs::symlink_metadata(&next) {
            Ok(found) if found.is_symlink() => {
                *links += 1;
                if *links > MAX_LINKS {
                    let message = format!("`{}` is a link that leads back to itself", given.display());
                    let error = Error::new(ErrorKind::NotFound, message);
                    return Err(error.hint("one of the links has to lead to a file"));
                }
                refuse_planted(&at, &next, &found)?;
                let points_to = fs::read_link(&next).map_err(Error::opening("read the link", &next))?;
                follow((given, links), at, &points_to, Some(&next))?
            }
            Ok(_) => next,
            Err(error) if error.kind() != io::ErrorKind::NotFound => {
                return Err(Error::opening("look up", &next)(error));
            }
            Err(_) => match link {
                Some(link) => return Err(dangling(given, link, path)),
                None if names.peek().is_none() => next,
                None => return Err(Error::no_file(&next)),
            },
        };
    }
    Ok(at)
}

/// The pipe of a shell's `<(command)` looks like a dangling link, only the kernel can follow it.
fn dangling(given: &Path, link: &Path, points_to: &Path) -> Error {
    if let Some(error) = fs::metadata(given).ok().and_then(|found| refuse_other_kinds(given, &found).err()) {
        return error;
    }
    let points_to = link.parent().unwrap_or(link).join(points_to);
    let [link, points_to] = [link, &points_to].map(Path::display);
    let message = format!("`{link}` is a link to `{points_to}`, which does not exist");
    Error::new(ErrorKind::NotFound, message).hint(format!("create `{points_to}`, or correct the link"))
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
    let message = format!(
        "`{link}` is a link of user {user} in a folder that everybody may write, so it is not followed"
    );
    Err(Error::new(ErrorKind::Untrusted, message)
        .hint("give the path of the file itself, or make the link in a folder that only you may write"))
}

/// The rights to write a file: its owner, its mode, and its access control list.
#[derive(Debug)]
pub(super) struct AccessRights {
    pub owner: u32,
    pub group: u32,
    /// 0 if the list can't be read: it allows nothing.
    mode: u32,
    /// The entries of the list: the tag, the permissions, and the user or the group, where the tag names one. Without a
    /// list, the group that the mode speaks of.
    list: Vec<(u16, u16, u32)>,
}

// The tags of `linux/posix_acl.h`; the owner and the others are in the mode, too.
const NAMED_USER: u16 = 0x02;
const OWNING_GROUP: u16 = 0x04;
const NAMED_GROUP: u16 = 0x08;
const MASK: u16 = 0x10;

impl AccessRights {
    /// The rights on the file at `path` itself; a link is not followed.
    pub fn read(path: &Path) -> io::Result<Self> {
        let found = fs::symlink_metadata(path)?;
        let rights = Self::of_mode(found.uid(), found.gid(), found.mode());
        // If the mask has no write permission, no entry of the list grants it, so the list is not read.
        if found.mode() & 0o020 == 0 {
            return Ok(rights);
        }
        let mut bytes = vec![0; LARGEST_ATTRIBUTE];
        Ok(match rustix::fs::lgetxattr(path, ACCESS_LIST, &mut bytes) {
            Ok(length) => rights.with_list(&bytes[..length]),
            Err(Errno::NODATA | Errno::NOTSUP | Errno::NOSYS) => rights,
            Err(_) => rights.with_list(&[]),
        })
    }

    fn of_mode(owner: u32, group: u32, mode: u32) -> Self {
        Self { owner, group, mode, list: vec![(OWNING_GROUP, (mode >> 3 & 7) as u16, 0)] }
    }

    /// The same with a list (`linux/posix_acl_xattr.h`): a version, and entries of eight bytes, little endian.
    fn with_list(self, bytes: &[u8]) -> Self {
        let entry = |&[tag, tag_2, may, may_2, a, b, c, d]: &[u8; 8]| {
            let [tag, may] = [[tag, tag_2], [may, may_2]].map(u16::from_le_bytes);
            (tag, may, u32::from_le_bytes([a, b, c, d]))
        };
        match bytes.strip_prefix(&[2, 0, 0, 0]).map(<[u8]>::as_chunks) {
            Some((entries, [])) => Self { list: entries.iter().map(entry).collect(), ..self },
            _ => Self { mode: 0, list: Vec::new(), ..self },
        }
    }

    /// True if the members of the file's own group may write it.
    pub fn group_may_write(&self) -> bool {
        self.mode & 0o020 != 0 && self.list.iter().any(|(tag, may, _)| *tag == OWNING_GROUP && may & 2 != 0)
    }

    /// True if a user who is in these groups may write it. Root and the owner always may: the owner can
    /// change the mode at any time. The order is that of acl(5): the named user, the groups, the others.
    pub fn may_write(&self, user: u32, groups: &[u32]) -> bool {
        if user == 0 || user == self.owner {
            return true;
        }
        let may = |is_it: &dyn Fn(u16, u32) -> bool| {
            let mut entries = self.list.iter().filter(|(tag, _, id)| is_it(*tag, *id)).peekable();
            entries.peek()?;
            Some(entries.any(|(_, may, _)| may & 2 != 0))
        };
        let of_groups = |tag, id| match tag {
            OWNING_GROUP => groups.contains(&self.group),
            NAMED_GROUP => groups.contains(&id),
            _ => false,
        };
        let is_masked = may(&|tag, _| tag == MASK) == Some(false);
        match may(&|tag, id| tag == NAMED_USER && id == user).or_else(|| may(&of_groups)) {
            Some(writes) => writes && !is_masked,
            None => self.mode & 0o002 != 0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A version of a list that is understood.
    const VERSION: [u8; 4] = [2, 0, 0, 0];
    const OWNER: u32 = 10;
    const GROUP: u32 = 20;

    /// A file of mode 0660 with a list; an entry is a tag, its permissions, and an id.
    fn with_list(entries: &[(u16, u16, u32)]) -> AccessRights {
        let mut bytes = VERSION.to_vec();
        for (tag, permissions, id) in entries {
            bytes.extend(tag.to_le_bytes());
            bytes.extend(permissions.to_le_bytes());
            bytes.extend(id.to_le_bytes());
        }
        with_mode(0o660).with_list(&bytes)
    }

    fn with_mode(mode: u32) -> AccessRights {
        AccessRights::of_mode(OWNER, GROUP, mode)
    }

    #[test]
    fn a_mode_says_who_may_write() {
        for (mode, group, others) in
            [(0o640, false, false), (0o660, true, false), (0o602, false, true), (0o666, true, true)]
        {
            let access = with_mode(mode);
            assert_eq!(access.group_may_write(), group, "{mode:o}");
            assert_eq!(access.may_write(1, &[GROUP]), group, "{mode:o}");
            assert_eq!(access.may_write(1, &[1]), others, "{mode:o}");
            assert!(access.may_write(0, &[]) && access.may_write(OWNER, &[]), "{mode:o}");
        }
    }

    #[test]
    fn an_entry_of_a_list_says_who_may_write_and_the_mask_does_not() {
        let reader =
            with_list(&[(OWNING_GROUP, 4, 0), (NAMED_USER, 6, 1), (NAMED_GROUP, 6, 2), (MASK, 6, 0)]);
        assert!(!reader.group_may_write());
        assert!(!reader.may_write(9, &[GROUP]), "the group may read");
        assert!(reader.may_write(1, &[]) && reader.may_write(9, &[2]) && reader.may_write(9, &[GROUP, 2]));
        assert!(!reader.may_write(9, &[9]), "the others may nothing");

        let masked = with_list(&[(OWNING_GROUP, 6, 0), (NAMED_USER, 6, 1), (MASK, 4, 0)]);
        assert!(!masked.may_write(9, &[GROUP]) && !masked.may_write(1, &[]), "the mask takes it away");

        let refused = with_list(&[(OWNING_GROUP, 6, 0), (NAMED_USER, 4, 1), (MASK, 6, 0)]);
        assert!(refused.group_may_write() && refused.may_write(9, &[GROUP]));
        assert!(!refused.may_write(1, &[GROUP]), "the entry of a user comes before those of groups");
    }

    #[test]
    fn a_list_that_cannot_be_read_allows_nothing() {
        for bytes in [&b""[..], b"\x01\0\0\0", b"\x02\0\0\0\x04\0\x06"] {
            let access = with_mode(0o666).with_list(bytes);
            assert!(!access.group_may_write() && !access.may_write(1, &[GROUP]), "{bytes:?}");
            assert!(access.may_write(0, &[]) && access.may_write(OWNER, &[]), "{bytes:?}");
        }
    }
}
