//! The state folder `.mediactl/FILE/`: made by writers, owned by the owner of the configuration.
//!
//! Root makes it in folders that others own, so it is entered name by name, without following
//! links, and everything in it is opened relative to the folder that was entered. A file is refused if
//! a user who is not trusted may have made it (`trust`).

use std::fs::{File, Metadata};
use std::io::{self, Write};
use std::os::fd::AsFd;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use rustix::fs::{AtFlags, CWD, FileType, Gid, Mode, OFlags, Timespec, Timestamps, Uid};
use rustix::io::{Errno, retry_on_intr};

use super::file_stamp::LastWrite;
use super::open::{open_whole_path, read_whole, refuse_other_kinds};
use super::target::{ConfFile, STATE_ROOT};
use super::trust::StateTrust;
use crate::store::error::StoreError;

const IGNORE_FILE: &str = ".gitignore";
const IGNORE_ALL: &[u8] = b"*\n";

/// The state folder, open.
#[derive(Debug)]
pub(super) struct StateDir {
    path: PathBuf,
    folder: File,
    trust: StateTrust,
}

/// To enter a folder needs no right to list it.
const SEARCH: OFlags = OFlags::PATH.union(OFlags::DIRECTORY).union(OFlags::NOFOLLOW).union(OFlags::CLOEXEC);

/// For a folder that is made durable, too.
const LIST: OFlags = OFlags::DIRECTORY.union(OFlags::NOFOLLOW).union(OFlags::CLOEXEC);

/// To open a file without following a link or waiting for the other end of a pipe.
const READ: OFlags = OFlags::NOFOLLOW.union(OFlags::NONBLOCK).union(OFlags::CLOEXEC);

impl StateDir {
    /// Makes the state folder of `conf` where it is missing, and gives it to the owner of `conf`.
    pub(super) fn make(conf: &ConfFile) -> Result<StateDir, StoreError> {
        let trust = StateTrust::for_conf(conf)?;
        let root_path = conf.state_root();
        let beside = open_whole_path(conf.folder(), SEARCH).map_err(StoreError::state_folder(&root_path))?;
        let (root, new) = enter(&beside, Path::new(STATE_ROOT), &root_path, trust)?;
        if new {
            give(trust, &root, folder_mode(trust));
        } else {
            // Other configurations may share the root, so it is opened wider and never narrower.
            widen(trust, &root);
        }
        let path = conf.state_dir();
        let (folder, new) = enter(&root, conf.name(), &path, trust)?;
        give(trust, &folder, folder_mode(trust));
        let state = StateDir { path, folder, trust };
        if new {
            state.ignore_all()?;
        }
        Ok(state)
    }

    /// The state folder of `conf`, if it is there. Makes nothing.
    pub(super) fn find(conf: &ConfFile) -> Result<Option<StateDir>, StoreError> {
        let root_path = conf.state_root();
        let Some(root) = present(openat(CWD, &root_path, SEARCH), &root_path)? else { return Ok(None) };
        let trust = StateTrust::for_conf(conf)?;
        refuse_folder(trust, &root, &root_path)?;
        let path = conf.state_dir();
        let Some(folder) = present(openat(&root, conf.name(), SEARCH), &path)? else { return Ok(None) };
        refuse_folder(trust, &folder, &path)?;
        Ok(Some(StateDir { path, folder, trust }))
    }

    /// A folder inside this one, if it is there.
    pub(super) fn find_in(&self, name: &str) -> Result<Option<StateDir>, StoreError> {
        let path = self.path_of(name);
        let Some(folder) = present(openat(&self.folder, name, SEARCH), &path)? else { return Ok(None) };
        refuse_folder(self.trust, &folder, &path)?;
        Ok(Some(StateDir { path, folder, trust: self.trust }))
    }

    /// The path of `name` in the folder.
    pub(super) fn path_of(&self, name: &str) -> PathBuf {
        self.path.join(name)
    }

    /// Opens a file in the folder for reading and writing, making it where it is missing.
    pub(super) fn open(&self, name: &str) -> Result<File, StoreError> {
        let path = self.path_of(name);
        let flags = OFlags::RDWR | OFlags::CREATE | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
        let mode = Mode::from_raw_mode(file_mode(self.trust));
        let file = retry_on_intr(|| rustix::fs::openat(&self.folder, name, flags, mode))
            .map(File::from)
            .map_err(StoreError::state_folder(&path))?;
        let found = file.metadata().map_err(StoreError::state_folder(&path))?;
        // Whoever planted a second name (hard link) could make root write into a different file.
        let planted = found.nlink() > 1 && found.uid() != self.trust.owner;
        if !found.is_file() || planted {
            let source = io::Error::other("not created by mediactl");
            return Err(StoreError::StateFolder { path, source });
        }
        self.trust.refuse_file(&path, &found)?;
        self.adopt(&file);
        Ok(file)
    }

    /// Opens a file of the folder for reading, if it is there; refuses one that an untrusted user may
    /// have made.
    pub(super) fn open_existing(&self, name: &str) -> Result<Option<File>, StoreError> {
        self.open_unless(name, StateTrust::refuse_file)
    }

    /// Reads a file of the folder, if it is there; refuses one that an untrusted user may have made.
    pub(super) fn read(&self, name: &str) -> Result<Option<Vec<u8>>, StoreError> {
        self.open_existing(name)?.map(|file| read_whole(&file, &self.path_of(name))).transpose()
    }

    /// Reads a kept text, if it is there.
    pub(super) fn read_kept(&self, name: &str) -> Result<Option<Vec<u8>>, StoreError> {
        self.open_kept(name)?.map(|file| read_whole(&file, &self.path_of(name))).transpose()
    }

    /// Opens a kept text for reading, if it is there.
    pub(super) fn open_kept(&self, name: &str) -> Result<Option<File>, StoreError> {
        self.open_unless(name, StateTrust::refuse_kept)
    }

    fn open_unless(
        &self,
        name: &str,
        refuse: fn(&StateTrust, &Path, &Metadata) -> Result<(), StoreError>,
    ) -> Result<Option<File>, StoreError> {
        let path = self.path_of(name);
        let Some(file) = present(openat(&self.folder, name, READ), &path)? else { return Ok(None) };
        let found = file.metadata().map_err(StoreError::io("look at", &path))?;
        refuse_other_kinds(&path, &found)?;
        refuse(&self.trust, &path, &found)?;
        Ok(Some(file))
    }

    /// The last write of a file of the folder; `None` if there is none, or a link.
    pub(super) fn last_write(&self, name: &str) -> Option<LastWrite> {
        let found = rustix::fs::statat(&self.folder, name, AtFlags::SYMLINK_NOFOLLOW).ok()?;
        if FileType::from_raw_mode(found.st_mode) != FileType::RegularFile {
            return None;
        }
        let modified = (found.st_mtime as i64, found.st_mtime_nsec as i64);
        Some(LastWrite { inode: found.st_ino, size: found.st_size as u64, modified })
    }

    /// Gives a file elsewhere a second name in the folder.
    pub(super) fn link(&self, from: &Path, name: &str) -> io::Result<()> {
        Ok(retry_on_intr(|| rustix::fs::linkat(CWD, from, &self.folder, name, AtFlags::empty()))?)
    }

    /// Makes a symbolic link in the folder.
    pub(super) fn symlink(&self, to: &str, name: &str) -> io::Result<()> {
        Ok(retry_on_intr(|| rustix::fs::symlinkat(to, &self.folder, name))?)
    }

    /// Where a symbolic link of the folder leads; `None` if the name is none.
    pub(super) fn link_of(&self, name: &str) -> Option<String> {
        rustix::fs::readlinkat(&self.folder, name, Vec::new()).ok()?.into_string().ok()
    }

    /// Sets the time at which a file of the folder was written last.
    pub(super) fn date(&self, name: &str, writing: LastWrite) -> io::Result<()> {
        let (seconds, nanoseconds) = writing.modified;
        let time = Timespec { tv_sec: seconds, tv_nsec: nanoseconds };
        let times = Timestamps { last_access: time, last_modification: time };
        Ok(rustix::fs::utimensat(&self.folder, name, &times, AtFlags::SYMLINK_NOFOLLOW)?)
    }

    /// Gives a file of the folder the owner, group and mode of all state files.
    pub(super) fn adopt(&self, file: &File) {
        give(self.trust, file, file_mode(self.trust));
    }

    /// Gives the socket bound under `name` the owner, group and mode that all files have, as far as this
    /// process may.
    pub(super) fn adopt_path(&self, name: &str) {
        let mode = Mode::from_raw_mode(file_mode(self.trust));
        let _ = rustix::fs::chownat(
            &self.folder,
            name,
            Some(Uid::from_raw(self.trust.owner)),
            Some(Gid::from_raw(self.trust.group)),
            AtFlags::SYMLINK_NOFOLLOW,
        );
        let _ = rustix::fs::chmodat(&self.folder, name, mode, AtFlags::empty());
    }

    /// A folder inside this one, made where it is missing.
    pub(super) fn folder_in(&self, name: &str) -> Result<StateDir, StoreError> {
        let path = self.path_of(name);
        let (folder, new) = enter(&self.folder, Path::new(name), &path, self.trust)?;
        give(self.trust, &folder, folder_mode(self.trust));
        let inner = StateDir { path, folder, trust: self.trust };
        if new {
            // Files that are put into it later are durable only if its own name is.
            self.sync_path().map_err(StoreError::state_folder(&inner.path))?;
        }
        Ok(inner)
    }

    /// The open folder, by which its files have short paths.
    pub(super) fn as_fd(&self) -> impl AsFd + '_ {
        self.folder.as_fd()
    }

    /// True when the file open as `file` is the one that other processes find under `name`.
    pub(super) fn still_has(&self, name: &str, file: &File) -> bool {
        let identity = |metadata: Metadata| (metadata.dev(), metadata.ino());
        let opened = file.metadata().map(identity);
        // Looked up by its path, as other processes do.
        let found = std::fs::symlink_metadata(self.path_of(name)).map(identity);
        matches!((opened, found), (Ok(opened), Ok(found)) if opened == found)
    }

    pub(super) fn remove(&self, name: &str) -> io::Result<()> {
        Ok(retry_on_intr(|| rustix::fs::unlinkat(&self.folder, name, AtFlags::empty()))?)
    }

    /// Renames a file of the folder over another.
    pub(super) fn rename(&self, from: &str, to: &str) -> io::Result<()> {
        Ok(retry_on_intr(|| rustix::fs::renameat(&self.folder, from, &self.folder, to))?)
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// Makes the folder itself durable, with the names in it and those that lead to it.
    pub(super) fn sync_path(&self) -> io::Result<()> {
        let state_root_and_folder = 3;
        self.path.ancestors().take(state_root_and_folder).try_for_each(|folder| match File::open(folder) {
            // A folder with write permission but no read permission is legal, but cannot be synced.
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

fn folder_mode(trust: StateTrust) -> u32 {
    if trust.is_shared { 0o770 } else { 0o700 }
}

fn file_mode(trust: StateTrust) -> u32 {
    if trust.is_shared { 0o660 } else { 0o600 }
}

/// Sets owner, group and mode where they differ and where we may.
///
/// A missing permission is no error here: a process that cannot take the lock reports that.
fn give(trust: StateTrust, file: &File, mode: u32) {
    let Ok(found) = file.metadata() else { return };
    if (found.uid(), found.gid()) != (trust.owner, trust.group) {
        let (owner, group) = (Uid::from_raw(trust.owner), Gid::from_raw(trust.group));
        let _ = rustix::fs::fchown(file, Some(owner), Some(group))
            .or_else(|_| rustix::fs::fchown(file, None, Some(group)));
    }
    if found.mode() & 0o7777 != mode {
        let _ = rustix::fs::fchmod(file, Mode::from_raw_mode(mode));
    }
}

/// Adds the permissions that the users who share the state need.
fn widen(trust: StateTrust, folder: &File) {
    let Ok(found) = folder.metadata() else { return };
    let mode = found.mode() & 0o7777;
    if mode | folder_mode(trust) != mode {
        let _ = rustix::fs::fchmod(folder, Mode::from_raw_mode(mode | folder_mode(trust)));
    }
}

/// Opens the folder `name` in `parent`, making it where it is missing; says whether it was made.
fn enter(
    parent: impl AsFd + Copy,
    name: &Path,
    shown: &Path,
    trust: StateTrust,
) -> Result<(File, bool), StoreError> {
    let is_new = trust.is_trusted_maker() && make(parent, name, shown, trust)?;
    let folder = openat(parent, name, LIST).map_err(|error| match error.kind() {
        // Other processes would refuse a folder that an untrusted user made.
        io::ErrorKind::NotFound if !trust.is_trusted_maker() => trust.cannot_make(shown),
        _ => StoreError::state_folder(shown)(error),
    })?;
    // Checked even if this process made it: it may have been exchanged since.
    refuse_folder(trust, &folder, shown)?;
    Ok((folder, is_new))
}

/// Makes the folder `name` in `parent`; false where it is there already.
fn make(parent: impl AsFd, name: &Path, shown: &Path, trust: StateTrust) -> Result<bool, StoreError> {
    match rustix::fs::mkdirat(parent, name, Mode::from_raw_mode(folder_mode(trust))) {
        Ok(()) => Ok(true),
        Err(Errno::EXIST) => Ok(false),
        Err(error) => Err(StoreError::state_folder(shown)(error)),
    }
}

fn refuse_folder(trust: StateTrust, folder: &File, path: &Path) -> Result<(), StoreError> {
    let found = folder.metadata().map_err(StoreError::state_folder(path))?;
    trust.refuse_folder(path, &found)
}

fn openat(parent: impl AsFd, name: impl AsRef<Path>, flags: OFlags) -> io::Result<File> {
    let file = retry_on_intr(|| rustix::fs::openat(&parent, name.as_ref(), flags, Mode::empty()))?;
    Ok(File::from(file))
}

/// Turns the error for a missing file into `None`.
fn present(opened: io::Result<File>, path: &Path) -> Result<Option<File>, StoreError> {
    match opened.map_err(StoreError::opening("open", path)) {
        Ok(file) => Ok(Some(file)),
        Err(StoreError::NotFound { .. }) => Ok(None),
        Err(error) => Err(error),
    }
}
