//! The server of a configuration: one at a time, found by all who work on the same file.

use std::fs::{self, File, TryLockError};
use std::io;
use std::os::fd::{AsFd, AsRawFd};
use std::os::unix::net::UnixListener;
use std::path::PathBuf;
use std::time::Duration;

use rustix::fs::{CWD, Mode, OFlags};

use super::error::StoreError;
use super::holder::{Holder, wait_for};
use super::state_dir::StateDir;
use super::target::ConfFile;

/// Name of the lock file that a server holds for its whole life.
const SERVE_LOCK: &str = "serve.lock";

/// Name of the socket of the server.
const SOCKET: &str = "sock";

/// Those who only look whether a server runs hold its lock for a moment.
const LOOKERS: Duration = Duration::from_millis(500);

/// This process is the server of the configuration, until it is dropped.
#[derive(Debug)]
pub struct ServeLock {
    state: StateDir,
    /// Closing it gives the lock back.
    _lock: File,
}

/// The server of a configuration, as others see it.
#[derive(Debug)]
pub struct Serving {
    /// Who it is.
    pub holder: Holder,
    /// The state folder: the socket is reached through it, so that no path is too long.
    folder: File,
}

impl ConfFile {
    /// Becomes the server of this configuration.
    ///
    /// # Errors
    /// `Serving` when there is one already; `StateFolder` where there is no place for its lock.
    pub fn serve(&self) -> Result<ServeLock, StoreError> {
        let state = StateDir::make(self)?;
        let lock = state.open(SERVE_LOCK)?;
        let taken = wait_for(&lock, LOOKERS, &mut || {})
            .map_err(StoreError::state_folder(&state.path_of(SERVE_LOCK)))?;
        if !taken {
            let path = self.target().to_owned();
            return Err(StoreError::Serving { path, holder: Holder::of(&lock) });
        }
        Holder::sign(&lock);
        Ok(ServeLock { state, _lock: lock })
    }

    /// The server of this configuration, if one runs. Makes nothing, and waits for nothing.
    ///
    /// What can't be looked at is nobody's server.
    pub fn serving(&self) -> Option<Serving> {
        let folder = open_folder(&self.state_dir())?;
        let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
        let lock = File::from(rustix::fs::openat(&folder, SERVE_LOCK, flags, Mode::empty()).ok()?);
        match lock.try_lock_shared() {
            Err(TryLockError::WouldBlock) => Some(Serving { holder: Holder::of(&lock), folder }),
            Ok(()) | Err(TryLockError::Error(_)) => None,
        }
    }
}

fn open_folder(path: &std::path::Path) -> Option<File> {
    let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    rustix::fs::openat(CWD, path, flags, Mode::empty()).ok().map(File::from)
}

impl ServeLock {
    /// The socket for local commands; one that a killed server left is taken away.
    ///
    /// # Errors
    /// `StateFolder`.
    pub fn bind(&self) -> Result<UnixListener, StoreError> {
        let path = self.state.path_of(SOCKET);
        let failed = StoreError::state_folder(&path);
        match self.state.remove(SOCKET) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(failed(error)),
            _ => {}
        }
        let short = through(self.state.as_fd());
        let listener = UnixListener::bind(&short).map_err(StoreError::state_folder(&path))?;
        self.state.adopt_path(SOCKET);
        Ok(listener)
    }

    /// Whether the configuration is shared with its group, as are the folder and the socket.
    pub fn is_shared(&self) -> bool {
        self.state.is_shared()
    }

    /// Who may come through the socket beside root: the owner of the configuration.
    pub fn owner(&self) -> u32 {
        self.state.owner()
    }
}

impl Drop for ServeLock {
    fn drop(&mut self) {
        // While the lock is held nobody else's socket has this name.
        let _ = self.state.remove(SOCKET);
    }
}

impl Serving {
    /// Where the socket of the server can be reached, as long as this value lives.
    pub fn socket(&self) -> PathBuf {
        through(self.folder.as_fd())
    }

    /// Whether there is a socket at all.
    pub fn has_socket(&self) -> bool {
        fs::symlink_metadata(self.socket()).is_ok()
    }
}

fn through(folder: impl AsFd) -> PathBuf {
    PathBuf::from(format!("/proc/self/fd/{}/{SOCKET}", folder.as_fd().as_raw_fd()))
}
