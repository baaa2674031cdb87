//! The state folder `.mediactl/FILE/`: made by writers, owned by whom the configuration belongs to.
//!
//! Root makes it in folders that others own, so it is entered name by name, without following
//! links, and everything in it is opened relative to the folder that was entered.

use std::fs::{self, File, Metadata};
use std::io::{self, Write};
use std::os::fd::AsFd;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use rustix::fs::{AtFlags, CWD, Gid, Mode, OFlags, Timespec, Timestamps, Uid};
use rustix::io::{Errno, retry_on_intr};

use super::error::StoreError;
use super::stamp::Writing;
use super::target::ConfFile;

const IGNORE_FILE: &str = ".gitignore";
const IGNORE_ALL: &[u8] = b"*\n";

/// The state folder, open.
#[derive(Debug)]
pub(super) struct StateDir {
    path: PathBuf,
    folder: File,
    rights: Rights,
}

/// Whose the state is, and with whom it is shared.
#[derive(Clone, Copy, Debug)]
struct Rights {
    owner: Uid,
    group: Gid,
    for_group: bool,
}

impl StateDir {
    /// Makes the state folder of `conf` where it is missing, and gives it to the owner of `conf`.
    pub(super) fn make(conf: &ConfFile) -> Result<StateDir, StoreError> {
        let rights = Rights::of(conf)?;
        let root_path = conf.state_root();
        let (root, new) = enter(CWD, &root_path, &root_path, rights)?;
        if new {
            rights.give(&root, rights.folder_mode());
        } else {
            // Other configurations may share the root, so it is opened wider and never narrower.
            rights.widen(&root);
        }
        let path = conf.state_dir();
        let (folder, new) = enter(&root, conf.name(), &path, rights)?;
        rights.give(&folder, rights.folder_mode());
        let state = StateDir { path, folder, rights };
        if new {
            state.ignore_all()?;
        }
        Ok(state)
    }

    /// The path of `name` in the folder.
    pub(super) fn path_of(&self, name: &str) -> PathBuf {
        self.path.join(name)
    }

    /// Opens a file in the folder for reading and writing, making it where it is missing.
    pub(super) fn open(&self, name: &str) -> Result<File, StoreError> {
        let path = self.path_of(name);
        let flags = OFlags::RDWR | OFlags::CREATE | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
        let mode = Mode::from_raw_mode(self.rights.file_mode());
        let file = retry_on_intr(|| rustix::fs::openat(&self.folder, name, flags, mode))
            .map(File::from)
            .map_err(StoreError::state_folder(&path))?;
        let found = file.metadata().map_err(StoreError::state_folder(&path))?;
        // A second name would let whoever planted it have root write into another's file.
        let planted = found.nlink() > 1 && found.uid() != self.rights.owner.as_raw();
        if !found.is_file() || planted {
            let source = io::Error::other("it is no file of ours");
            return Err(StoreError::StateFolder { path, source });
        }
        self.adopt(&file);
        Ok(file)
    }

    /// Opens a file of the folder for reading.
    pub(super) fn open_existing(&self, name: &str) -> io::Result<File> {
        let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
        let file = retry_on_intr(|| rustix::fs::openat(&self.folder, name, flags, Mode::empty()))?;
        Ok(File::from(file))
    }

    /// What is under a name of the folder, if anything is.
    pub(super) fn look_at(&self, name: &str) -> Option<Metadata> {
        fs::symlink_metadata(self.path_of(name)).ok()
    }

    /// Gives a file elsewhere a second name in the folder.
    pub(super) fn link(&self, from: &Path, name: &str) -> io::Result<()> {
        Ok(retry_on_intr(|| rustix::fs::linkat(CWD, from, &self.folder, name, AtFlags::empty()))?)
    }

    /// Sets when a file of the folder was written last.
    pub(super) fn date(&self, name: &str, writing: Writing) -> io::Result<()> {
        let (seconds, nanoseconds) = writing.modified;
        let time = Timespec { tv_sec: seconds, tv_nsec: nanoseconds };
        let times = Timestamps { last_access: time, last_modification: time };
        Ok(rustix::fs::utimensat(&self.folder, name, &times, AtFlags::SYMLINK_NOFOLLOW)?)
    }

    /// Gives a file of the folder the owner, group and mode that all of them have.
    pub(super) fn adopt(&self, file: &File) {
        self.rights.give(file, self.rights.file_mode());
    }

    /// Gives what is bound under `name`, which is no regular file, the mode that all files have.
    ///
    /// Whom it belongs to is who made it: a socket is asked for by its permission alone.
    pub(super) fn adopt_path(&self, name: &str) {
        let mode = Mode::from_raw_mode(self.rights.file_mode());
        let _ = rustix::fs::chownat(
            &self.folder,
            name,
            Some(self.rights.owner),
            Some(self.rights.group),
            AtFlags::SYMLINK_NOFOLLOW,
        );
        let _ = rustix::fs::chmodat(&self.folder, name, mode, AtFlags::empty());
    }

    /// A folder inside this one, made where it is missing.
    pub(super) fn folder_in(&self, name: &str) -> Result<StateDir, StoreError> {
        let path = self.path_of(name);
        let (folder, new) = enter(&self.folder, Path::new(name), &path, self.rights)?;
        self.rights.give(&folder, self.rights.folder_mode());
        let inner = StateDir { path, folder, rights: self.rights };
        if new {
            // What is put into it later must not hang on names that are not durable.
            self.sync_path().map_err(StoreError::state_folder(&inner.path))?;
        }
        Ok(inner)
    }

    /// Whether its group may use it, too.
    pub(super) fn is_shared(&self) -> bool {
        self.rights.for_group
    }

    /// Whom the configuration belongs to.
    pub(super) fn owner(&self) -> u32 {
        self.rights.owner.as_raw()
    }

    /// The folder, to reach what is in it by a short path.
    pub(super) fn as_fd(&self) -> impl AsFd + '_ {
        self.folder.as_fd()
    }

    /// True when the file open as `file` is the one that other processes find under `name`.
    pub(super) fn still_has(&self, name: &str, file: &File) -> bool {
        let identity = |found: Metadata| (found.dev(), found.ino());
        let here = file.metadata().map(identity);
        let there = fs::symlink_metadata(self.path_of(name)).map(identity);
        matches!((here, there), (Ok(here), Ok(there)) if here == there)
    }

    /// Removes a file of the folder.
    pub(super) fn remove(&self, name: &str) -> io::Result<()> {
        Ok(retry_on_intr(|| rustix::fs::unlinkat(&self.folder, name, AtFlags::empty()))?)
    }

    /// Renames a file of the folder over another.
    pub(super) fn rename(&self, from: &str, to: &str) -> io::Result<()> {
        Ok(retry_on_intr(|| rustix::fs::renameat(&self.folder, from, &self.folder, to))?)
    }

    /// The path of the folder.
    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// Makes the folder itself durable, with the names in it and those that lead to it.
    pub(super) fn sync_path(&self) -> io::Result<()> {
        let state_root_and_folder = 3;
        self.path.ancestors().take(state_root_and_folder).try_for_each(|folder| match File::open(folder) {
            // A folder that may be written and not be read is legal; its names can't be waited for.
            Err(error) if error.kind() == io::ErrorKind::PermissionDenied => Ok(()),
            opened => opened?.sync_all(),
        })
    }

    /// Makes the names in the folder durable.
    pub(super) fn sync(&self) -> io::Result<()> {
        self.folder.sync_all()
    }

    fn ignore_all(&self) -> Result<(), StoreError> {
        let path = self.path_of(IGNORE_FILE);
        self.open(IGNORE_FILE)?.write_all(IGNORE_ALL).map_err(StoreError::state_folder(&path))
    }
}

impl Rights {
    /// Those of the configuration; of its folder while it is yet to be made.
    fn of(conf: &ConfFile) -> Result<Rights, StoreError> {
        let (found, is_file) = match fs::metadata(conf.target()) {
            Ok(found) => (found, true),
            Err(_) => {
                (fs::metadata(conf.folder()).map_err(StoreError::opening("look at", conf.folder()))?, false)
            }
        };
        Ok(Rights {
            owner: Uid::from_raw(found.uid()),
            group: Gid::from_raw(found.gid()),
            for_group: is_file && found.mode() & 0o020 != 0,
        })
    }

    fn folder_mode(self) -> u32 {
        if self.for_group { 0o770 } else { 0o700 }
    }

    fn file_mode(self) -> u32 {
        if self.for_group { 0o660 } else { 0o600 }
    }

    /// Sets owner, group and mode where they differ and where we may.
    ///
    /// That we may not is no error: what matters is whether the lock can be had, and a process that
    /// cannot have it is told so.
    fn give(self, file: &File, mode: u32) {
        let Ok(found) = file.metadata() else { return };
        if (found.uid(), found.gid()) != (self.owner.as_raw(), self.group.as_raw()) {
            let _ = rustix::fs::fchown(file, Some(self.owner), Some(self.group))
                .or_else(|_| rustix::fs::fchown(file, None, Some(self.group)));
        }
        if found.mode() & 0o7777 != mode {
            let _ = rustix::fs::fchmod(file, Mode::from_raw_mode(mode));
        }
    }

    /// Adds what is missing for whom the state is shared with.
    fn widen(self, folder: &File) {
        let Ok(found) = folder.metadata() else { return };
        let mode = found.mode() & 0o7777;
        if mode | self.folder_mode() != mode {
            let _ = rustix::fs::fchmod(folder, Mode::from_raw_mode(mode | self.folder_mode()));
        }
    }
}

/// Opens the folder `name` in `parent`, making it where it is missing; says whether it was made.
fn enter(
    parent: impl AsFd + Copy,
    name: &Path,
    shown: &Path,
    rights: Rights,
) -> Result<(File, bool), StoreError> {
    let mode = Mode::from_raw_mode(rights.folder_mode());
    let made = match rustix::fs::mkdirat(parent, name, mode) {
        Ok(()) => true,
        Err(Errno::EXIST) => false,
        Err(error) => return Err(StoreError::state_folder(shown)(error)),
    };
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let folder = retry_on_intr(|| rustix::fs::openat(parent, name, flags, Mode::empty()))
        .map_err(StoreError::state_folder(shown))?;
    Ok((File::from(folder), made))
}
