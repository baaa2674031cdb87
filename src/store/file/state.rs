//! The state folder `.FILE.mediactl/`: made by writers, owned by the owner of the configuration; and the locks in it.
//!
//! Root makes it in folders that others own, so it is entered without following links, and everything in
//! it is opened relative to the folder that was entered.
//!
//! In a folder that many may write, such as `/tmp`, any user can make it first, with a forged socket,
//! journal or pending change in it. So state is used only if it belongs to root, to the user of this
//! process, or to the owner of the configuration, and if other users have no right in the folders and
//! cannot have written the files. A group that may write the configuration may write its state, too.

use std::ffi::OsStr;
use std::fs::{DirEntry, File, Metadata, TryLockError};
use std::io::{self, Write};
use std::mem::replace;
use std::os::fd::AsFd;
use std::os::unix::fs::{FileExt, MetadataExt};
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant};

use rustix::fs::{AtFlags, Gid, Mode, OFlags, Uid};
use rustix::io::{Errno, retry_on_intr};

use super::find::{AccessRights, ConfFile, open_whole_path, read_whole, refuse_other_kinds};
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

/// The end of the name of a file that is being written.
pub(super) const UNFINISHED: &str = ".new";

/// Name of the lock that every writer takes. It is never removed: a lock on a file that has lost its name
/// locks nothing.
pub(super) const LOCK: &str = "lock";

/// Name of the lock that a server holds for its whole life.
pub(super) const SERVE_LOCK: &str = "serve.lock";

/// The longest time to wait for commands that hold the lock of a server for a moment, to see whether one runs.
pub(super) const PROBE_WAIT: Duration = Duration::from_millis(500);

/// The pause between two attempts to take a held lock.
const POLL: Duration = Duration::from_millis(10);

/// Shorter waits are not reported.
const SLOW: Duration = Duration::from_secs(1);

/// The users who are trusted to have made the state of a configuration.
#[derive(Clone, Copy, Debug)]
pub(super) struct StateTrust {
    /// The owner of the configuration; the user of this process, while the file is missing.
    owner: u32,
    group: u32,
    /// The owner of the folder, if that is the one of an earlier owner of the configuration.
    pub earlier: Option<u32>,
    /// True if that group may write the configuration, and so the state, too.
    is_shared: bool,
    /// The user of this process.
    us: u32,
    /// The mode of the folder of the configuration.
    place: u32,
}

impl StateTrust {
    /// The users who are trusted for `conf`.
    fn for_conf(conf: &ConfFile) -> Result<Self, Error> {
        let around = std::fs::metadata(conf.folder()).map_err(Error::opening("look at", conf.folder()))?;
        let us = rustix::process::geteuid().as_raw();
        let (owner, group, is_shared) = match AccessRights::read(&conf.target) {
            Ok(access) => (access.owner, access.group, access.group_may_write()),
            // The file does not exist yet; this process will own it.
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                (us, rustix::process::getegid().as_raw(), false)
            }
            Err(error) => return Err(Error::opening("look at", &conf.target)(error)),
        };
        Ok(Self { owner, group, earlier: None, is_shared, us, place: around.mode() })
    }

    /// True if every user may make files beside the configuration.
    fn is_public_place(&self) -> bool {
        self.place & WRITE != 0
    }

    /// Refuses a folder or a file of the state, which is as `found`, that another user may have made or filled. Only members
    /// of the group can create files in a trusted folder, and they may write the configuration; the folder keeps
    /// other users from reading it.
    fn refuse(&self, path: &Path, found: &Metadata) -> Result<(), Error> {
        let (is_excused, rights) = match found.is_dir() {
            true => (self.is_shared && found.gid() == self.group && !self.is_public_place(), ANY),
            false => (self.is_shared, WRITE),
        };
        let (user, mode, path) = (found.uid(), found.mode() & 0o7777, path.display());
        if (is_excused || user == self.us || self.is_believed(user)) && mode & rights == 0 {
            return Ok(());
        }
        let message =
            format!("`{path}` belongs to user {user}, with mode {mode:04o}: others may have forged it");
        Err(Error::new(ErrorKind::Untrusted, message).hint(format!(
            "inspect its contents; then `chown -R {} {path}` and `chmod -R o= {path}`, or remove it",
            self.owner
        )))
    }

    fn is_believed(&self, user: u32) -> bool {
        [0, self.owner].contains(&user) || self.earlier == Some(user)
    }

    /// True if root finds a folder that was the state of an earlier owner of the file. Where a group may make files, and
    /// not touch those of others, it can be planted, too.
    fn has_other_owner(&self, found: &Metadata) -> bool {
        let can_be_planted = self.is_public_place() || self.place & 0o1020 == 0o1020;
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

    /// Nobody but its owner reads the key of the server, also where a group shares the state.
    fn file_mode(self, name: &OsStr) -> u32 {
        let is_shared = self.is_shared && !name.as_encoded_bytes().starts_with(b"tls-");
        if is_shared { 0o660 } else { 0o600 }
    }

    /// Sets owner, group and mode where they differ from `found` and where we may.
    ///
    /// A missing permission is no error here: a process that cannot take the lock reports that.
    fn give(self, file: &File, found: &Metadata, mode: u32) {
        if !self.has_given(found) {
            let (owner, group) = (Uid::from_raw(self.owner), Gid::from_raw(self.group));
            let _ = rustix::fs::fchown(file, Some(owner), Some(group))
                .or_else(|_| rustix::fs::fchown(file, None, Some(group)));
        }
        if found.mode() & 0o7777 != mode {
            let _ = rustix::fs::fchmod(file, Mode::from_raw_mode(mode));
        }
    }
}

/// The state folder, or a folder in it, open.
#[derive(Debug)]
pub(super) struct StateDir {
    pub path: PathBuf,
    /// By it the files in it have short paths.
    pub folder: File,
    /// The users who are trusted to have made it.
    pub trust: StateTrust,
}

impl StateDir {
    /// Makes the state folder of `conf` where it is missing, and gives it to the owner of `conf`. Says whether root finds it
    /// as an earlier owner of the configuration left it: then it is as it was.
    pub fn enter(conf: &ConfFile) -> Result<(StateDir, bool), Error> {
        let trust = StateTrust::for_conf(conf)?;
        let (state, is_new) = Self::make_at(conf, conf.state_dir(), trust)?;
        if is_new {
            return Ok((state, false));
        }
        let is_of_other_owner = trust.has_other_owner(&state.metadata()?);
        if !is_of_other_owner {
            state.claim()?;
        }
        Ok((state, is_of_other_owner))
    }

    /// Makes a folder beside `conf` where it is missing; says whether it was made.
    pub fn make_at(conf: &ConfFile, path: PathBuf, trust: StateTrust) -> Result<(StateDir, bool), Error> {
        // Mostly it is there.
        if let Ok(folder) = open_whole_path(&path, LIST) {
            return Ok((StateDir { path, folder, trust }, false));
        }
        let beside = open_whole_path(conf.folder(), SEARCH).map_err(Error::state_folder(&path))?;
        let (state, is_new) = Self::open_or_make(&beside, path, trust)?;
        if is_new {
            state.claim()?;
            let ignore = state.path_of(IGNORE_FILE);
            state.open(IGNORE_FILE)?.0.write_all(IGNORE_ALL).map_err(Error::state_folder(&ignore))?;
        }
        Ok((state, is_new))
    }

    /// Opens the folder at `path`, whose parent is open, making it where it is missing; says whether it was made.
    fn open_or_make(parent: &File, path: PathBuf, trust: StateTrust) -> Result<(StateDir, bool), Error> {
        let name = path.file_name().unwrap_or(OsStr::new("."));
        let open_or_make = || match openat(parent, name, LIST) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                // Other processes would refuse a folder that an untrusted user made.
                if !(trust.is_believed(trust.us) || (trust.is_shared && !trust.is_public_place())) {
                    return Err(io::Error::other("only root and the owner of the configuration can make it"));
                }
                match rustix::fs::mkdirat(parent, name, Mode::from_raw_mode(trust.folder_mode())) {
                    Err(error) if error != Errno::EXIST => Err(error.into()),
                    made => Ok((openat(parent, name, LIST)?, made.is_ok())),
                }
            }
            opened => Ok((opened?, false)),
        };
        let (folder, is_new) = open_or_make().map_err(Error::state_folder(&path))?;
        Ok((StateDir { path, folder, trust }, is_new))
    }

    /// The same folder, of which files may belong to whom the folder belongs to.
    pub fn of_earlier_owner(&self) -> Result<StateDir, Error> {
        let folder = self.folder.try_clone().map_err(Error::state_folder(&self.path))?;
        let trust = StateTrust { earlier: Some(self.metadata()?.uid()), ..self.trust };
        Ok(StateDir { path: self.path.clone(), folder, trust })
    }

    /// Gives the folder to the owner of the configuration, unless another user may have made it.
    pub fn claim(&self) -> Result<(), Error> {
        let found = self.refuse_of_stranger()?;
        self.trust.give(&self.folder, &found, self.trust.folder_mode());
        Ok(())
    }

    /// Refuses the folder if another user may have made it.
    pub fn refuse_of_stranger(&self) -> Result<Metadata, Error> {
        let found = self.metadata()?;
        self.trust.refuse(&self.path, &found)?;
        Ok(found)
    }

    pub fn metadata(&self) -> Result<Metadata, Error> {
        self.folder.metadata().map_err(Error::io("look at", &self.path))
    }

    /// The state folder of `conf`, if it is there. Makes nothing.
    pub fn find(conf: &ConfFile) -> Result<Option<StateDir>, Error> {
        let path = conf.state_dir();
        Self::trusted(open_whole_path(&path, LIST), path, StateTrust::for_conf(conf)?)
    }

    /// The state folder of version 0.1, if it is there.
    pub fn find_former(conf: &ConfFile) -> Result<Option<StateDir>, Error> {
        let path = conf.former_state_dir();
        let opened = match open_whole_path(&path, LIST) {
            // Who may not enter it never had his state there.
            Err(Errno::NOENT | Errno::ACCESS | Errno::NOTDIR | Errno::LOOP) => return Ok(None),
            opened => opened,
        };
        let state = Self::trusted(opened, path, StateTrust::for_conf(conf)?)?;
        if let Some(StateDir { path, trust, .. }) = &state {
            let root = path.parent().unwrap_or(path);
            trust.refuse(root, &std::fs::symlink_metadata(root).map_err(Error::opening("look at", root))?)?;
        }
        Ok(state)
    }

    /// A folder inside this one, if it is there.
    pub fn find_in(&self, name: &str) -> Result<Option<StateDir>, Error> {
        Self::trusted(openat(&self.folder, name, LIST), self.path_of(name), self.trust)
    }

    /// A folder that was opened; `None` if it is missing.
    fn trusted<E: Into<io::Error>>(
        opened: Result<File, E>,
        path: PathBuf,
        trust: StateTrust,
    ) -> Result<Option<StateDir>, Error> {
        let Some(folder) = present(opened, &path)? else { return Ok(None) };
        let state = StateDir { folder, trust, path };
        state.refuse_of_stranger()?;
        Ok(Some(state))
    }

    /// A folder inside this one, made where it is missing.
    pub fn folder_in(&self, name: &str) -> Result<StateDir, Error> {
        let (inner, is_new) = Self::open_or_make(&self.folder, self.path_of(name), self.trust)?;
        inner.claim()?;
        if is_new {
            // Files that are put into it later are durable only if its own name is.
            self.sync_path().map_err(Error::state_folder(&inner.path))?;
        }
        Ok(inner)
    }

    /// The path of `name` in the folder.
    pub fn path_of(&self, name: &str) -> PathBuf {
        self.path.join(name)
    }

    /// The names in the folder; this program makes none that is not UTF-8.
    pub fn names(&self) -> Result<Vec<String>, Error> {
        let name = |entry: io::Result<DirEntry>| entry.map(|entry| entry.file_name().into_string().ok());
        let names = std::fs::read_dir(&self.path).and_then(|entries| entries.map(name).collect());
        let names: Vec<Option<String>> = names.map_err(Error::state_folder(&self.path))?;
        Ok(names.into_iter().flatten().collect())
    }

    /// Opens a file in the folder for reading and writing, making it where it is missing.
    pub fn open(&self, name: &str) -> Result<(File, Metadata), Error> {
        let (path, mode) = (self.path_of(name), self.trust.file_mode(name.as_ref()));
        let flags = OFlags::RDWR | OFlags::CREATE | READ;
        let opened = || -> io::Result<(File, Metadata)> {
            let opened = || rustix::fs::openat(&self.folder, name, flags, Mode::from_raw_mode(mode));
            let file = File::from(retry_on_intr(opened)?);
            let found = file.metadata()?;
            // Whoever planted a second name (hard link) could make root write into a different file.
            let is_planted = found.nlink() > 1 && found.uid() != self.trust.owner;
            match found.is_file() && !is_planted {
                true => Ok((file, found)),
                false => Err(io::Error::other("not created by mediactl")),
            }
        };
        let (file, found) = opened().map_err(Error::state_folder(&path))?;
        self.trust.refuse(&path, &found)?;
        self.trust.give(&file, &found, mode);
        Ok((file, found))
    }

    /// Opens a file of the folder for reading, if it is there; refuses one that an untrusted user may
    /// have made.
    pub fn open_existing(&self, name: &str) -> Result<Option<(File, Metadata)>, Error> {
        let path = self.path_of(name);
        let Some(file) = present(openat(&self.folder, name, READ), &path)? else { return Ok(None) };
        let found = file.metadata().map_err(Error::io("look at", &path))?;
        refuse_other_kinds(&path, &found)?;
        self.trust.refuse(&path, &found)?;
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
        let new = format!("{name}{UNFINISHED}");
        let (mut file, found) = self.open(&new)?;
        let mut write = || -> io::Result<()> {
            if found.len() > 0 {
                file.set_len(0)?;
            }
            pieces.iter().try_for_each(|piece| file.write_all(piece))?;
            file.sync_all()?;
            Ok(retry_on_intr(|| rustix::fs::renameat(&self.folder, &new, &self.folder, name))?)
        };
        write().map_err(|error| {
            let _ = self.remove(&new);
            Error::state_folder(&self.path_of(name))(error)
        })
    }

    /// Puts the file, and makes its name durable, too, and the name that leads to it.
    pub fn put_durably(&self, name: &str, pieces: &[&[u8]]) -> Result<(), Error> {
        self.put(name, pieces)?;
        self.sync_path().map_err(Error::state_folder(&self.path_of(name)))
    }

    /// Gives a file or the socket `name` the owner, group and mode that all files have, as far as this
    /// process may.
    pub fn adopt(&self, name: &OsStr) {
        let mode = Mode::from_raw_mode(self.trust.file_mode(name));
        let (owner, group) = (Uid::from_raw(self.trust.owner), Gid::from_raw(self.trust.group));
        let flags = AtFlags::SYMLINK_NOFOLLOW;
        let _ = rustix::fs::chownat(&self.folder, name, Some(owner), Some(group), flags);
        let _ = rustix::fs::chmodat(&self.folder, name, mode, AtFlags::empty());
    }

    pub fn remove(&self, name: &str) -> io::Result<()> {
        Ok(retry_on_intr(|| rustix::fs::unlinkat(&self.folder, name, AtFlags::empty()))?)
    }

    /// Makes the names in the folder durable.
    pub fn sync(&self) -> io::Result<()> {
        self.folder.sync_all()
    }

    /// Makes the names in the folder durable, and the name that leads to it.
    pub fn sync_path(&self) -> io::Result<()> {
        self.sync()?;
        match File::open(self.path.parent().unwrap_or(&self.path)) {
            // A folder with write permission but no read permission is legal, but cannot be synced.
            Err(error) if error.kind() == io::ErrorKind::PermissionDenied => Ok(()),
            opened => opened?.sync_all(),
        }
    }

    /// Takes the lock in the file `name`, waiting at most `wait`. After a second of waiting, calls `on_wait` once with
    /// words. `None` if the folder was removed or exchanged during the wait: other processes use another lock file.
    ///
    /// # Errors
    /// `Locked` if it is held all the time.
    pub fn take_lock(
        &self,
        conf: &ConfFile,
        name: &str,
        wait: Duration,
        on_wait: &mut dyn FnMut(&str),
    ) -> Result<Option<File>, Error> {
        let (lock, opened) = self.open(name)?;
        let (start, mut is_told) = (Instant::now(), false);
        loop {
            match lock.try_lock() {
                Ok(()) => break,
                Err(TryLockError::WouldBlock) => {}
                Err(TryLockError::Error(error)) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(TryLockError::Error(error)) => {
                    return Err(Error::state_folder(&self.path_of(name))(error));
                }
            }
            let waited = start.elapsed();
            if waited >= wait {
                return Err(Error::locked(&conf.target, &holder(&lock), name == SERVE_LOCK));
            }
            if waited >= SLOW && !replace(&mut is_told, true) {
                let file = conf.given.display();
                on_wait(&format!("waiting for {}, which is changing `{file}`", holder(&lock)));
            }
            thread::sleep(POLL.min(wait - waited));
        }
        let is_own = |found: Metadata| (found.dev(), found.ino()) == (opened.dev(), opened.ino());
        // Looked up by its path, as other processes do.
        if !std::fs::symlink_metadata(self.path_of(name)).is_ok_and(is_own) {
            return Ok(None);
        }
        // On a full disk the id of the holder is missing, which is harmless: the lock itself is held.
        // All ids take the same room, so that nothing is left of a longer one.
        let _ = lock.write_all_at(format!("{:<10}\n", std::process::id()).as_bytes(), 0);
        Ok(Some(lock))
    }
}

/// The process that holds a lock, as far as the lock file tells: it wrote its id there.
pub(super) fn holder(lock: &File) -> String {
    let mut text = [0; 20];
    let length = lock.read_at(&mut text, 0).unwrap_or(0);
    let id = str::from_utf8(&text[..length]).ok().and_then(|text| text.trim().parse::<u32>().ok());
    id.map_or("another process".to_owned(), |id| format!("process {id}"))
}

/// True if there is something at a path, or if that can't be known.
pub(super) fn seems_there(path: &Path) -> bool {
    let absent = [io::ErrorKind::NotFound, io::ErrorKind::NotADirectory];
    std::fs::symlink_metadata(path).map_or_else(|error| !absent.contains(&error.kind()), |_| true)
}

fn openat(parent: impl AsFd, name: impl AsRef<Path>, flags: OFlags) -> io::Result<File> {
    Ok(File::from(retry_on_intr(|| rustix::fs::openat(&parent, name.as_ref(), flags, Mode::empty()))?))
}

/// Turns the error for a missing file into `None`.
fn present<E: Into<io::Error>>(opened: Result<File, E>, path: &Path) -> Result<Option<File>, Error> {
    match opened.map_err(Error::opening("open", path)) {
        Ok(file) => Ok(Some(file)),
        Err(error) if error.kind == ErrorKind::NoConfiguration => Ok(None),
        Err(error) => Err(error),
    }
}
