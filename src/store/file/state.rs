//! The state folder `.FILE.mediactl/`: made by writers, owned by the owner of the configuration.
//!
//! Root makes it in folders that others own, so it is entered without following links, and everything in
//! it is opened relative to the folder that was entered.
//!
//! In a folder that many may write, such as `/tmp`, any user can make it first, with a forged socket,
//! journal or pending change in it. So state is used only if it belongs to root, to the user of this
//! process, or to the owner of the configuration, and if other users have no right in the folders and
//! cannot have written the files. A group that may write the configuration may write its state, too.

use std::ffi::OsStr;
use std::fs::{DirEntry, File, Metadata};
use std::io::{self, Write};
use std::os::fd::AsFd;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use rustix::fs::{AtFlags, Gid, Mode, OFlags, Uid};
use rustix::io::{Errno, retry_on_intr};

use super::access::AccessRights;
use super::find::{ConfFile, open_whole_path, read_whole, refuse_other_kinds};
use crate::error::{Error, ErrorKind};

const IGNORE_FILE: &str = ".gitignore";
const IGNORE_ALL: &[u8] = b"*\n";

/// To enter a folder needs no right to list it.
const SEARCH: OFlags = OFlags::PATH.union(OFlags::DIRECTORY).union(OFlags::NOFOLLOW).union(OFlags::CLOEXEC);

/// For a folder that is made durable, too.
const LIST: OFlags = OFlags::DIRECTORY.union(OFlags::NOFOLLOW).union(OFlags::CLOEXEC);

/// To open a file without following a link or waiting for the other end of a pipe.
const READ: OFlags = OFlags::NOFOLLOW.union(OFlags::NONBLOCK).union(OFlags::CLOEXEC);

/// Rights of others, in a mode.
const ANY: u32 = 0o007;
const WRITE: u32 = 0o002;

/// The users who are trusted to have made the state of a configuration.
#[derive(Clone, Copy, Debug)]
pub(super) struct StateTrust {
    /// The owner of the configuration; the user of this process, while the file is missing.
    owner: u32,
    group: u32,
    /// The owner of the folder, if that is the one of an earlier owner of the configuration.
    earlier: Option<u32>,
    /// True if that group may write the configuration, and so the state, too.
    is_shared: bool,
    /// The user of this process.
    us: u32,
    /// True if every user may make files beside the configuration.
    is_public_place: bool,
    /// True if there a group may make files, too, and may not touch those of others.
    is_sticky_place: bool,
}

impl StateTrust {
    /// The users who are trusted for `conf`.
    pub fn for_conf(conf: &ConfFile) -> Result<Self, Error> {
        let around = std::fs::metadata(conf.folder()).map_err(Error::opening("look at", conf.folder()))?;
        let us = rustix::process::geteuid().as_raw();
        let (owner, group, is_shared) = match AccessRights::read(conf.target()) {
            Ok(access) => (access.owner, access.group, access.group_may_write()),
            // The file does not exist yet; this process will own it.
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                (us, rustix::process::getegid().as_raw(), false)
            }
            Err(error) => return Err(Error::opening("look at", conf.target())(error)),
        };
        let (is_public_place, is_sticky_place) =
            (around.mode() & WRITE != 0, around.mode() & 0o1020 == 0o1020);
        Ok(Self { owner, group, earlier: None, is_shared, us, is_public_place, is_sticky_place })
    }

    /// Refuses a folder of the state, described by `found`, that another user may have made or filled.
    fn refuse_folder(&self, path: &Path, found: &Metadata) -> Result<(), Error> {
        let is_made_by_group = self.is_shared && found.gid() == self.group && !self.is_public_place;
        self.refuse_stranger(path, found, is_made_by_group)?;
        refuse_rights_of_others(path, found, ANY)
    }

    /// Refuses a file in a trusted folder of the state.
    fn refuse_file(&self, path: &Path, found: &Metadata) -> Result<(), Error> {
        // Only members of the group can create files in the folder, and they may write the configuration.
        self.refuse_stranger(path, found, self.is_shared)?;
        // The folder keeps other users from reading it.
        refuse_rights_of_others(path, found, WRITE)
    }

    fn refuse_stranger(&self, path: &Path, found: &Metadata, is_excused: bool) -> Result<(), Error> {
        let user = found.uid();
        if is_excused || user == self.us || self.is_believed(user) {
            return Ok(());
        }
        let (path, owner) = (path.display(), self.owner);
        let message = format!(
            "`{path}` belongs to user {user}, who is neither root nor the owner of the configuration nor the user of this \
             command"
        );
        Err(Error::new(ErrorKind::Untrusted, message).hint(format!(
            "its contents may be forged: inspect them, then remove it, or give it to the owner of the configuration with \
             `chown -R {owner} {path}`"
        )))
    }

    fn is_believed(&self, user: u32) -> bool {
        [0, self.owner].contains(&user) || self.earlier == Some(user)
    }

    /// True if this process may make the state, so that others trust it.
    fn is_trusted_maker(&self) -> bool {
        self.is_believed(self.us) || (self.is_shared && !self.is_public_place)
    }

    /// True if root finds a folder that was the state of an earlier owner of the file.
    fn has_other_owner(&self, found: &Metadata) -> bool {
        let can_be_planted = self.is_public_place || self.is_sticky_place;
        self.us == 0
            && !self.has_given(found)
            && (self.is_believed(found.uid()) || !can_be_planted)
            && found.mode() & ANY == 0
    }

    /// True if a file belongs to the owner and the group of the configuration.
    pub fn has_given(&self, found: &Metadata) -> bool {
        (found.uid(), found.gid()) == (self.owner, self.group)
    }

    fn folder_mode(self) -> u32 {
        if self.is_shared { 0o770 } else { 0o700 }
    }

    fn file_mode(self) -> u32 {
        if self.is_shared { 0o660 } else { 0o600 }
    }
}

fn refuse_rights_of_others(path: &Path, found: &Metadata, rights: u32) -> Result<(), Error> {
    let mode = found.mode() & 0o7777;
    if mode & rights == 0 {
        return Ok(());
    }
    let path = path.display();
    let message =
        format!("`{path}` is open to other users (mode {mode:04o}), who may have changed its contents");
    Err(Error::new(ErrorKind::Untrusted, message).hint(format!(
        "inspect its contents, then close it with `chmod -R o= {path}`; a file system without modes, as exFAT, has to be \
         mounted with `umask=0077`"
    )))
}

/// The state folder, or a folder in it, open.
#[derive(Debug)]
pub(super) struct StateDir {
    path: PathBuf,
    folder: File,
    trust: StateTrust,
}

/// The state folder as a writer finds it.
pub(super) enum Entered {
    Usable(StateDir),
    /// Root finds it as an earlier owner of the configuration left it.
    OfOtherOwner(StateDir),
}

impl StateDir {
    /// Makes the state folder of `conf` where it is missing, and gives it to the owner of `conf`.
    pub fn enter(conf: &ConfFile) -> Result<Entered, Error> {
        let trust = StateTrust::for_conf(conf)?;
        let (state, is_new) = Self::make_at(conf, conf.state_dir(), trust)?;
        let found = state.metadata()?;
        if !is_new && trust.has_other_owner(&found) {
            return Ok(Entered::OfOtherOwner(state));
        }
        state.claim(&found)?;
        Ok(Entered::Usable(state))
    }

    /// Makes a folder beside `conf` where it is missing; says whether it was made.
    pub fn make_at(conf: &ConfFile, path: PathBuf, trust: StateTrust) -> Result<(StateDir, bool), Error> {
        if let Ok(folder) = open_whole_path(&path, LIST) {
            return Ok((StateDir { path, folder, trust }, false));
        }
        let beside = open_whole_path(conf.folder(), SEARCH).map_err(Error::state_folder(&path))?;
        let (state, is_new) = open_or_make(&beside, path, trust)?;
        if is_new {
            state.claim(&state.metadata()?)?;
            let ignore = state.path_of(IGNORE_FILE);
            state.open(IGNORE_FILE)?.write_all(IGNORE_ALL).map_err(Error::state_folder(&ignore))?;
        }
        Ok((state, is_new))
    }

    /// The same folder, of which files may belong to whom the folder belongs to.
    pub fn of_earlier_owner(&self) -> Result<StateDir, Error> {
        let found = self.metadata()?;
        let folder = self.folder.try_clone().map_err(Error::state_folder(&self.path))?;
        let trust = StateTrust { earlier: Some(found.uid()), ..self.trust };
        Ok(StateDir { path: self.path.clone(), folder, trust })
    }

    /// Refuses the folder, which is as `found`, if another user may have made it.
    pub fn refuse_of_stranger(&self, found: &Metadata) -> Result<(), Error> {
        self.trust.refuse_folder(&self.path, found)
    }

    /// Gives the folder to the owner of the configuration, unless another user may have made it.
    pub fn claim(&self, found: &Metadata) -> Result<(), Error> {
        self.refuse_of_stranger(found)?;
        give(self.trust, &self.folder, found, self.trust.folder_mode());
        Ok(())
    }

    pub fn metadata(&self) -> Result<Metadata, Error> {
        looked_at(&self.folder, &self.path)
    }

    /// The state folder of `conf`, if it is there. Makes nothing.
    pub fn find(conf: &ConfFile) -> Result<Option<StateDir>, Error> {
        let path = conf.state_dir();
        let Some(folder) = present(open_whole_path(&path, SEARCH), &path)? else { return Ok(None) };
        let trust = StateTrust::for_conf(conf)?;
        trust.refuse_folder(&path, &looked_at(&folder, &path)?)?;
        Ok(Some(StateDir { path, folder, trust }))
    }

    /// The state folder of version 0.1, if it is there.
    pub fn find_former(conf: &ConfFile) -> Result<Option<StateDir>, Error> {
        let path = conf.former_state_dir();
        let folder = match open_whole_path(&path, LIST) {
            // Who may not enter it never had his state there.
            Err(Errno::ACCESS | Errno::NOTDIR | Errno::LOOP) => return Ok(None),
            opened => present(opened, &path)?,
        };
        let Some(folder) = folder else { return Ok(None) };
        let trust = StateTrust::for_conf(conf)?;
        let root = path.parent().unwrap_or(&path);
        let found = std::fs::symlink_metadata(root).map_err(Error::opening("look at", root))?;
        trust.refuse_folder(root, &found)?;
        trust.refuse_folder(&path, &looked_at(&folder, &path)?)?;
        Ok(Some(StateDir { path, folder, trust }))
    }

    /// A folder inside this one, if it is there.
    pub fn find_in(&self, name: &str) -> Result<Option<StateDir>, Error> {
        let path = self.path_of(name);
        let Some(folder) = present(openat(&self.folder, name, LIST), &path)? else { return Ok(None) };
        self.trust.refuse_folder(&path, &looked_at(&folder, &path)?)?;
        Ok(Some(StateDir { path, folder, trust: self.trust }))
    }

    /// A folder inside this one, made where it is missing.
    pub fn folder_in(&self, name: &str) -> Result<StateDir, Error> {
        let (inner, is_new) = open_or_make(&self.folder, self.path_of(name), self.trust)?;
        inner.claim(&inner.metadata()?)?;
        if is_new {
            // Files that are put into it later are durable only if its own name is.
            self.sync_path().map_err(Error::state_folder(&inner.path))?;
        }
        Ok(inner)
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The path of `name` in the folder.
    pub fn path_of(&self, name: &str) -> PathBuf {
        self.path.join(name)
    }

    /// The users who are trusted to have made it.
    pub fn trust(&self) -> StateTrust {
        self.trust
    }

    /// The open folder, by which its files have short paths.
    pub fn as_fd(&self) -> impl AsFd + '_ {
        self.folder.as_fd()
    }

    /// The names in the folder; this program makes none that is not UTF-8.
    pub fn names(&self) -> Result<Vec<String>, Error> {
        let name = |entry: io::Result<DirEntry>| entry.map(|entry| entry.file_name().into_string().ok());
        let names = std::fs::read_dir(&self.path).and_then(|entries| entries.map(name).collect());
        let names: Vec<Option<String>> = names.map_err(Error::state_folder(&self.path))?;
        Ok(names.into_iter().flatten().collect())
    }

    /// Opens a file in the folder for reading and writing, making it where it is missing.
    pub fn open(&self, name: &str) -> Result<File, Error> {
        let path = self.path_of(name);
        let flags = OFlags::RDWR | OFlags::CREATE | READ;
        let mode = Mode::from_raw_mode(self.trust.file_mode());
        let file = retry_on_intr(|| rustix::fs::openat(&self.folder, name, flags, mode))
            .map(File::from)
            .map_err(Error::state_folder(&path))?;
        let found = file.metadata().map_err(Error::state_folder(&path))?;
        // Whoever planted a second name (hard link) could make root write into a different file.
        let is_planted = found.nlink() > 1 && found.uid() != self.trust.owner;
        if !found.is_file() || is_planted {
            let source = io::Error::other("not created by mediactl");
            return Err(Error::state_folder(&path)(source));
        }
        self.trust.refuse_file(&path, &found)?;
        give(self.trust, &file, &found, self.trust.file_mode());
        Ok(file)
    }

    /// Opens a file of the folder for reading, if it is there; refuses one that an untrusted user may
    /// have made.
    pub fn open_existing(&self, name: &str) -> Result<Option<(File, Metadata)>, Error> {
        let path = self.path_of(name);
        let Some(file) = present(openat(&self.folder, name, READ), &path)? else { return Ok(None) };
        let found = looked_at(&file, &path)?;
        refuse_other_kinds(&path, &found)?;
        self.trust.refuse_file(&path, &found)?;
        Ok(Some((file, found)))
    }

    /// Reads a file of the folder, if it is there; refuses one that an untrusted user may have made.
    pub fn read(&self, name: &str) -> Result<Option<Vec<u8>>, Error> {
        let opened = self.open_existing(name)?;
        opened.map(|(file, found)| read_whole(&file, found.len(), &self.path_of(name))).transpose()
    }

    /// Puts a file with these bytes in the place of another, whole or not at all. On return the bytes are
    /// durable, and [`StateDir::sync`] makes the name so.
    pub fn put(&self, name: &str, pieces: &[&[u8]]) -> Result<(), Error> {
        self.put_with_mode(name, pieces, self.trust.file_mode())
    }

    /// The same with a mode that is narrower than that of other files.
    pub fn put_with_mode(&self, name: &str, pieces: &[&[u8]], mode: u32) -> Result<(), Error> {
        let new = format!("{name}{UNFINISHED}");
        let mut file = self.open(&new)?;
        let mut write = || -> io::Result<()> {
            if mode != self.trust.file_mode() {
                rustix::fs::fchmod(&file, Mode::from_raw_mode(mode))?;
            }
            file.set_len(0)?;
            pieces.iter().try_for_each(|piece| file.write_all(piece))?;
            file.sync_all()?;
            self.rename(&new, name)
        };
        write().map_err(|error| {
            let _ = self.remove(&new);
            Error::state_folder(&self.path_of(name))(error)
        })
    }

    /// True if there is something of this name, or if that can't be known.
    pub fn has(&self, name: &str) -> bool {
        seems_there(&self.path_of(name))
    }

    /// True when the file open as `file` is the one that other processes find under `name`.
    pub fn still_has(&self, name: &str, file: &File) -> bool {
        let identity = |found: Metadata| (found.dev(), found.ino());
        let opened = file.metadata().map(identity);
        // Looked up by its path, as other processes do.
        let found = std::fs::symlink_metadata(self.path_of(name)).map(identity);
        matches!((opened, found), (Ok(opened), Ok(found)) if opened == found)
    }

    /// Gives a file of the folder the owner, group and mode of all state files.
    pub fn adopt(&self, file: &File) {
        let _ = file.metadata().map(|found| give(self.trust, file, &found, self.trust.file_mode()));
    }

    /// Gives the socket bound under `name` the owner, group and mode that all files have, as far as this
    /// process may.
    pub fn adopt_path(&self, name: &str) {
        let mode = Mode::from_raw_mode(self.trust.file_mode());
        let (owner, group) = (Uid::from_raw(self.trust.owner), Gid::from_raw(self.trust.group));
        let flags = AtFlags::SYMLINK_NOFOLLOW;
        let _ = rustix::fs::chownat(&self.folder, name, Some(owner), Some(group), flags);
        let _ = rustix::fs::chmodat(&self.folder, name, mode, AtFlags::empty());
    }

    pub fn remove(&self, name: &str) -> io::Result<()> {
        Ok(retry_on_intr(|| rustix::fs::unlinkat(&self.folder, name, AtFlags::empty()))?)
    }

    /// Renames a file of the folder over another.
    pub fn rename(&self, from: &str, to: &str) -> io::Result<()> {
        Ok(retry_on_intr(|| rustix::fs::renameat(&self.folder, from, &self.folder, to))?)
    }

    /// Makes the names in the folder durable.
    pub fn sync(&self) -> io::Result<()> {
        self.folder.sync_all()
    }

    /// Makes the names in the folder durable, and the name that leads to it.
    pub fn sync_path(&self) -> io::Result<()> {
        self.path.ancestors().take(2).try_for_each(|folder| match File::open(folder) {
            // A folder with write permission but no read permission is legal, but cannot be synced.
            Err(error) if error.kind() == io::ErrorKind::PermissionDenied => Ok(()),
            opened => opened?.sync_all(),
        })
    }
}

/// The end of the name of a file that is being written.
pub(super) const UNFINISHED: &str = ".new";

/// Sets owner, group and mode where they differ from `found` and where we may.
///
/// A missing permission is no error here: a process that cannot take the lock reports that.
fn give(trust: StateTrust, file: &File, found: &Metadata, mode: u32) {
    if !trust.has_given(found) {
        let (owner, group) = (Uid::from_raw(trust.owner), Gid::from_raw(trust.group));
        let _ = rustix::fs::fchown(file, Some(owner), Some(group))
            .or_else(|_| rustix::fs::fchown(file, None, Some(group)));
    }
    if found.mode() & 0o7777 != mode {
        let _ = rustix::fs::fchmod(file, Mode::from_raw_mode(mode));
    }
}

/// Opens the folder at `path`, whose parent is open, making it where it is missing; says whether it was made.
fn open_or_make(
    parent: impl AsFd + Copy,
    path: PathBuf,
    trust: StateTrust,
) -> Result<(StateDir, bool), Error> {
    let name = path.file_name().unwrap_or(OsStr::new("."));
    let mut is_new = false;
    let folder = match openat(parent, name, LIST) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            if !trust.is_trusted_maker() {
                // Other processes would refuse a folder that an untrusted user made.
                let source = io::Error::other("only root and the owner of the configuration can make it");
                return Err(Error::state_folder(&path)(source));
            }
            match rustix::fs::mkdirat(parent, name, Mode::from_raw_mode(trust.folder_mode())) {
                Ok(()) => is_new = true,
                Err(Errno::EXIST) => {}
                Err(error) => return Err(Error::state_folder(&path)(error)),
            }
            openat(parent, name, LIST)
        }
        opened => opened,
    };
    let folder = folder.map_err(Error::state_folder(&path))?;
    Ok((StateDir { path, folder, trust }, is_new))
}

/// True if there is something at a path, or if that can't be known.
pub(super) fn seems_there(path: &Path) -> bool {
    let absent = [io::ErrorKind::NotFound, io::ErrorKind::NotADirectory];
    std::fs::symlink_metadata(path).map_or_else(|error| !absent.contains(&error.kind()), |_| true)
}

fn looked_at(file: &File, path: &Path) -> Result<Metadata, Error> {
    file.metadata().map_err(Error::io("look at", path))
}

fn openat(parent: impl AsFd, name: impl AsRef<Path>, flags: OFlags) -> io::Result<File> {
    let file = retry_on_intr(|| rustix::fs::openat(&parent, name.as_ref(), flags, Mode::empty()))?;
    Ok(File::from(file))
}

/// Turns the error for a missing file into `None`.
fn present<E: Into<io::Error>>(opened: Result<File, E>, path: &Path) -> Result<Option<File>, Error> {
    match opened.map_err(Error::opening("open", path)) {
        Ok(file) => Ok(Some(file)),
        Err(error) if error.kind == ErrorKind::NoConfiguration => Ok(None),
        Err(error) => Err(error),
    }
}
