//! The server of a configuration: only one runs at a time, and every command on the same file finds it.

use std::fs::{File, TryLockError};
use std::io::{self, Read};
use std::net::Shutdown;
use std::os::fd::{AsFd, AsRawFd};
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::PathBuf;
use std::thread;
use std::time::{Duration, Instant};

use rustix::net::{AddressFamily, SocketAddrUnix, SocketFlags, SocketType};

use super::file_lock::wait_for;
use super::peer::{AllowedPeers, SocketPeer};
use super::state_dir::StateDir;
use super::target::ConfFile;
use crate::store::error::{LockHolder, StoreError};

/// Name of the lock file that a server holds for its whole life.
const SERVE_LOCK: &str = "serve.lock";

/// Name of the socket of the server.
const SOCKET: &str = "sock";

/// The longest time to wait for commands that hold the lock for a moment, to see whether a server runs.
const PROBE_WAIT: Duration = Duration::from_millis(500);

/// The longest time for a server that has just taken its lock to open its socket.
const START_TIME: Duration = Duration::from_secs(1);

/// Between two attempts to connect.
const POLL: Duration = Duration::from_millis(20);

/// A server that sends nothing for this long is stopped, or hangs.
const RESPONSE_WAIT: Duration = Duration::from_secs(2);

/// The start of the response by which a server refuses this user; it is sent without a request.
const REFUSED: &[u8; 12] = b"HTTP/1.1 403";

/// This process is the server of the configuration, until it is dropped.
#[derive(Debug)]
pub struct ServeLock {
    state: StateDir,
    peers: AllowedPeers,
    /// Closing it gives the lock back.
    _lock: File,
}

/// The running server of a configuration, as commands see it.
#[derive(Debug)]
pub struct Serving {
    pub holder: LockHolder,
    /// The folder of the socket, by which it is reached: its own path may be too long for a socket.
    state: StateDir,
    /// The users whose process may be the server.
    peers: AllowedPeers,
}

impl ConfFile {
    /// Becomes the server of this configuration.
    ///
    /// # Errors
    /// `Serving` when there is one already; `StateFolder` where there is no place for its lock.
    pub fn serve(&self) -> Result<ServeLock, StoreError> {
        let state = StateDir::make(self)?;
        let lock = state.open(SERVE_LOCK)?;
        let taken = wait_for(&lock, PROBE_WAIT, &mut || {})
            .map_err(StoreError::state_folder(&state.path_of(SERVE_LOCK)))?;
        if !taken {
            let path = self.target().to_owned();
            return Err(StoreError::Serving { path, holder: LockHolder::read(&lock) });
        }
        LockHolder::sign(&lock);
        Ok(ServeLock { state, peers: AllowedPeers::for_conf(self), _lock: lock })
    }

    /// The server of this configuration, if one runs. Makes nothing, and waits for nothing.
    ///
    /// # Errors
    /// `Untrusted`, `PermissionDenied`, `Io`: then it is not known whether one runs.
    pub fn serving(&self) -> Result<Option<Serving>, StoreError> {
        let Some(state) = StateDir::find(self)? else { return Ok(None) };
        let Some(lock) = state.open_existing(SERVE_LOCK)? else { return Ok(None) };
        Ok(match lock.try_lock_shared() {
            Err(TryLockError::WouldBlock) => {
                Some(Serving { holder: LockHolder::read(&lock), state, peers: AllowedPeers::for_conf(self) })
            }
            Ok(()) | Err(TryLockError::Error(_)) => None,
        })
    }
}

impl ServeLock {
    /// Binds the socket for local commands; removes one that a killed server left.
    ///
    /// # Errors
    /// `NoSocket`; `StateFolder` where one that is there can't be removed.
    pub fn bind(&self) -> Result<UnixListener, StoreError> {
        let path = self.state.path_of(SOCKET);
        match self.state.remove(SOCKET) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => {
                return Err(StoreError::StateFolder { path, source: error });
            }
            _ => {}
        }
        let short = through(self.state.as_fd());
        let listener = UnixListener::bind(&short).map_err(|source| StoreError::NoSocket { path, source })?;
        self.state.adopt_path(SOCKET);
        Ok(listener)
    }

    pub(super) fn state(&self) -> &StateDir {
        &self.state
    }

    /// The users who may use the socket.
    pub fn peers(&self) -> AllowedPeers {
        self.peers.clone()
    }
}

impl Drop for ServeLock {
    fn drop(&mut self) {
        // This process still holds the lock, so the socket is not that of another server.
        let _ = self.state.remove(SOCKET);
    }
}

impl Serving {
    /// Returns the path at which the socket of the server can be reached, as long as this value lives.
    pub fn socket(&self) -> PathBuf {
        through(self.state.as_fd())
    }

    /// Waits until the server answers at its socket. Sends no request.
    ///
    /// A server that has just taken its lock may need a moment to open the socket. The kernel connects
    /// to one that is stopped (`SIGSTOP`), which says nothing.
    ///
    /// # Errors
    /// `PermissionDenied` where we may not connect, or where the process at the other end is not one
    /// that may change the configuration; `TimedOut` where none answers.
    pub fn reach(&self) -> io::Result<()> {
        let deadline = Instant::now() + START_TIME;
        loop {
            match self.connect() {
                Err(error)
                    if error.kind() == io::ErrorKind::PermissionDenied || Instant::now() >= deadline =>
                {
                    return Err(error);
                }
                Err(_) => thread::sleep(POLL),
                Ok(stream) => return self.expect_life(stream),
            }
        }
    }

    /// Never waits: where as many connections wait to be accepted as the system lets wait, the
    /// answer is `WouldBlock`.
    fn connect(&self) -> io::Result<UnixStream> {
        let flags = SocketFlags::NONBLOCK | SocketFlags::CLOEXEC;
        let socket = rustix::net::socket_with(AddressFamily::UNIX, SocketType::STREAM, flags, None)?;
        rustix::net::connect(&socket, &SocketAddrUnix::new(self.socket())?)?;
        Ok(UnixStream::from(socket))
    }

    fn expect_life(&self, mut stream: UnixStream) -> io::Result<()> {
        if !self.peers.admit(&SocketPeer::from_socket(&stream)?) {
            return Err(denied("its process belongs to a user who may not write the configuration"));
        }
        stream.set_nonblocking(false)?;
        stream.set_read_timeout(Some(RESPONSE_WAIT))?;
        // A server that works ends a connection whose client sends no request.
        stream.shutdown(Shutdown::Write)?;
        let mut answer = [0; REFUSED.len()];
        match stream.read(&mut answer) {
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                Err(io::Error::new(io::ErrorKind::TimedOut, "it does not answer"))
            }
            Err(error) => Err(error),
            Ok(_) if answer == *REFUSED => {
                Err(denied("only users who may write the configuration may use it"))
            }
            Ok(_) => Ok(()),
        }
    }
}

fn denied(why: &'static str) -> io::Error {
    io::Error::new(io::ErrorKind::PermissionDenied, why)
}

fn through(folder: impl AsFd) -> PathBuf {
    PathBuf::from(format!("/proc/self/fd/{}/{SOCKET}", folder.as_fd().as_raw_fd()))
}
