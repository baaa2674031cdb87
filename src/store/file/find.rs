//! Finds the configuration file: the path as given, and the file at the end of its links.
//!
//! The links are followed by hand. `canonicalize` fails on a file that is yet to be made, and cannot
//! say which link of a chain leads to nothing. And in a folder that everybody may write, such as
//! `/tmp`, a link may be a trap: whoever made it decides which file is read and changed. So the rule
//! that Linux calls `protected_symlinks` holds here, whether or not the system has it, and also for
//! the links to folders, which the system leaves alone.

use std::ffi::{OsStr, OsString};
use std::fs::{self, File, Metadata};
use std::io::{self, Read};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{FileTypeExt, MetadataExt};
use std::path::{Component, Path, PathBuf};

use rustix::fs::{CWD, Mode, OFlags, ResolveFlags};
use rustix::io::{Errno, retry_on_intr};

use crate::error::{Error, ErrorKind};

/// Name of the folder in which version 0.1 had the state folders of all files.
const FORMER_ROOT: &str = ".mediactl";

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
    /// `NotAFile`, `LinkLoop`, `DanglingLink`, `PlantedLink`; `NotFound` for a missing folder; `PermissionDenied`
    /// and `Io` when a folder on the way cannot be searched.
    pub fn resolve(path: &Path) -> Result<ConfFile, Error> {
        Ok(ConfFile { given: path.to_owned(), target: follow(path)? })
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
        name.push(self.name());
        name.push(".mediactl");
        name.push(end);
        self.folder().join(name)
    }

    /// The state folder of version 0.1, `.mediactl/FILE/` beside the target.
    pub(super) fn former_state_dir(&self) -> PathBuf {
        self.folder().join(FORMER_ROOT).join(self.name())
    }

    pub(super) fn folder(&self) -> &Path {
        self.target.parent().expect("the target is a folder joined with a name")
    }

    pub(super) fn name(&self) -> &Path {
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
    match open_whole_path(path, flags) {
        Ok(file) => Ok(file),
        Err(Errno::LOOP) => Err(Error::changed_meanwhile(path)),
        Err(error) => Err(Error::opening("open", path)(error)),
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

/// Reads `file`, which has about `size` bytes, from where it stands to its end.
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

/// As many links as the kernel follows.
const MAX_LINKS: usize = 40;

/// The mode bits of a folder that every user may write, and where only the owner of a file may remove
/// it.
const STICKY_AND_PUBLIC: u32 = 0o1002;

/// Follows the links of `given`; the last name may be missing. The result has no link and no `..`.
fn follow(given: &Path) -> Result<PathBuf, Error> {
    if given.as_os_str().is_empty() {
        return Err(Error::no_file(given));
    }
    let start = if given.is_absolute() { PathBuf::from("/") } else { current_folder()? };
    let mut way = PathWalk { given, at: start, names: Vec::new(), links: 0, link: None };
    way.put(given);
    while let Some(name) = way.names.pop() {
        way.step(&name)?;
    }
    way.end()
}

fn current_folder() -> Result<PathBuf, Error> {
    std::env::current_dir().map_err(Error::opening("look up", Path::new(".")))
}

struct PathWalk<'a> {
    given: &'a Path,
    /// The folder that was reached, or at the end the file.
    at: PathBuf,
    /// The names that are still to be followed, the next one last.
    names: Vec<OsString>,
    /// The number of links that were followed.
    links: usize,
    /// The link whose names are being followed, if there is one.
    link: Option<Link>,
}

struct Link {
    path: PathBuf,
    points_to: PathBuf,
    /// The number of names that are left when those of the link are used up.
    names_behind: usize,
}

impl PathWalk<'_> {
    fn put(&mut self, path: &Path) {
        let names = path.components().rev().filter(|component| !matches!(component, Component::CurDir));
        self.names.extend(names.map(|component| component.as_os_str().to_owned()));
    }

    fn step(&mut self, name: &OsStr) -> Result<(), Error> {
        match Path::new(name).components().next() {
            Some(Component::RootDir) => self.at = PathBuf::from("/"),
            Some(Component::ParentDir) => {
                self.at.pop();
            }
            _ => {
                let path = self.at.join(name);
                match fs::symlink_metadata(&path) {
                    Ok(found) if found.is_symlink() => return self.follow_link(path, &found),
                    Ok(found) if !self.names.is_empty() && !found.is_dir() => {
                        return Err(cannot_look_up(&path, Errno::NOTDIR.into()));
                    }
                    Ok(_) => self.at = path,
                    Err(error) if error.kind() == io::ErrorKind::NotFound => self.miss(path)?,
                    Err(error) => return Err(cannot_look_up(&path, error)),
                }
            }
        }
        self.link = self.link.take().filter(|link| self.names.len() > link.names_behind);
        Ok(())
    }

    fn follow_link(&mut self, path: PathBuf, found: &Metadata) -> Result<(), Error> {
        self.links += 1;
        if self.links > MAX_LINKS {
            let message = format!("`{}` is a link that leads back to itself", self.given.display());
            return Err(
                Error::new(ErrorKind::NotFound, message).hint("one of the links has to lead to a file")
            );
        }
        refuse_planted(&self.at, &path, found)?;
        let points_to = fs::read_link(&path).map_err(Error::opening("read the link", &path))?;
        let link = Link { points_to: self.at.join(&points_to), path, names_behind: self.names.len() };
        self.put(&points_to);
        self.link = Some(link);
        Ok(())
    }

    /// The last name of the given path may be missing; the target of a link may not.
    fn miss(&mut self, path: PathBuf) -> Result<(), Error> {
        match self.link.take() {
            Some(link) => Err(self.dangling(link)),
            None if self.names.is_empty() => {
                self.at = path;
                Ok(())
            }
            None => Err(Error::no_file(&path)),
        }
    }

    /// The pipe of a shell's `<(command)` looks like a dangling link, only the kernel can follow it.
    fn dangling(&self, link: Link) -> Error {
        if let Ok(found) = fs::metadata(self.given)
            && let Err(error) = refuse_other_kinds(self.given, &found)
        {
            return error;
        }
        let [link, points_to] = [&link.path, &link.points_to].map(|path| path.display());
        let message = format!("`{link}` is a link to `{points_to}`, which does not exist");
        Error::new(ErrorKind::NotFound, message).hint(format!("create `{points_to}`, or correct the link"))
    }

    fn end(self) -> Result<PathBuf, Error> {
        match fs::symlink_metadata(&self.at) {
            Ok(found) => {
                refuse_other_kinds(&self.at, &found)?;
                match self.given.as_os_str().as_bytes().ends_with(b"/") {
                    true => Err(cannot_look_up(self.given, Errno::NOTDIR.into())),
                    false => Ok(self.at),
                }
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(self.at),
            Err(error) => Err(cannot_look_up(&self.at, error)),
        }
    }
}

/// Refuses the link at `path`, described by `found`, in a folder where everybody may make links, unless
/// the user of this process or the owner of the folder made it.
fn refuse_planted(folder: &Path, path: &Path, found: &Metadata) -> Result<(), Error> {
    let around = fs::symlink_metadata(folder).map_err(|error| cannot_look_up(folder, error))?;
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

fn cannot_look_up(path: &Path, error: io::Error) -> Error {
    Error::opening("look up", path)(error)
}
