//! The server of a configuration: only one runs at a time, and every command on the same file finds it.
//!
//! The permissions of its socket are not enough: a change through a server is a change of the file, so
//! only users who may write the file may use the socket. The kernel says which user is at the other
//! end, and `/proc` says the groups of that process.

use std::ffi::OsStr;
use std::fs::{self, File, TryLockError};
use std::io;
use std::os::fd::{AsFd, AsRawFd};
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::PathBuf;
use std::thread;
use std::time::{Duration, Instant};

use rustix::fs::Access;
use rustix::io::Errno;
use rustix::net::sockopt::socket_peercred;
use rustix::process::{Pid, geteuid};

use super::convert::make_state;
use super::find::{AccessRights, ConfFile};
use super::state::{PROBE_WAIT, SERVE_LOCK, StateDir, holder};
use crate::error::Error;

/// Name of the socket of the server.
const SOCKET: &str = "sock";

/// Names of the certificate that the server made itself, and of its private key.
const CERTIFICATE: &str = "tls-cert.pem";
const KEY: &str = "tls-key.pem";

/// The longest time for a server that has just taken its lock to open its socket.
const START_TIME: Duration = Duration::from_secs(1);

/// Between two attempts to connect.
const POLL: Duration = Duration::from_millis(20);

/// This process is the server of the configuration, until it is dropped.
#[derive(Debug)]
pub struct ServeLock {
    state: StateDir,
    /// The configuration, which says who may use the socket.
    pub conf: ConfFile,
    /// Closing it gives the lock back.
    _lock: File,
}

/// The running server of a configuration, as commands see it.
#[derive(Debug)]
pub struct Serving {
    /// The process, in words.
    pub holder: String,
    /// The folder of the socket, by which it is reached: its own path may be too long for a socket.
    state: StateDir,
    conf: ConfFile,
}

impl ConfFile {
    /// Becomes the server of this configuration.
    ///
    /// # Errors
    /// `Locked` when there is one already; `NoStateFolder` where there is no place for its lock.
    pub fn serve(&self) -> Result<ServeLock, Error> {
        loop {
            let (state, _former) = make_state(self, PROBE_WAIT, &mut |_| ())?;
            if let Some(lock) = state.take_lock(self, SERVE_LOCK, PROBE_WAIT, &mut |_| ())? {
                return Ok(ServeLock { state, conf: self.clone(), _lock: lock });
            }
        }
    }

    /// The server of this configuration, if one runs. Makes nothing, and waits for nothing.
    ///
    /// # Errors
    /// `Untrusted`, `Denied`, `Failed`: then it is not known whether one runs.
    pub fn serving(&self) -> Result<Option<Serving>, Error> {
        let looked = fs::symlink_metadata(self.state_dir().join(SERVE_LOCK));
        if looked.is_err_and(|error| error.kind() == io::ErrorKind::NotFound) {
            return Ok(None);
        }
        let Some(state) = StateDir::find(self)? else { return Ok(None) };
        let Some((lock, _)) = state.open_existing(SERVE_LOCK)? else { return Ok(None) };
        let is_held = matches!(lock.try_lock_shared(), Err(TryLockError::WouldBlock));
        Ok(is_held.then(|| Serving { holder: holder(&lock), state, conf: self.clone() }))
    }

    /// True if a process may use the socket, by the present rights of the file: its user may write it, or is root or the
    /// user of this process.
    pub fn admits(&self, peer: &SocketPeer) -> bool {
        [0, geteuid().as_raw()].contains(&peer.user)
            || AccessRights::read(&self.target)
                .is_ok_and(|access| access.may_write(peer.user, &peer.groups()))
    }
}

impl ServeLock {
    /// Binds the socket for local commands; removes one that a killed server left.
    ///
    /// # Errors
    /// `Failed`, also where one that is there can't be removed, and where the file system holds no sockets.
    pub fn bind(&self) -> Result<UnixListener, Error> {
        let path = self.state.path_of(SOCKET);
        let _ = self.state.remove(SOCKET);
        let listener =
            UnixListener::bind(socket_in(&self.state)).map_err(Error::io("make the socket", &path))?;
        self.state.adopt(OsStr::new(SOCKET));
        Ok(listener)
    }

    /// The files of the certificate and its key. `make` makes both, in this order, where one is missing.
    ///
    /// # Errors
    /// `Untrusted` for files that another user may have made; `NoStateFolder` where they can't be written.
    pub fn certificate(&self, make: impl FnOnce() -> io::Result<[String; 2]>) -> Result<[PathBuf; 2], Error> {
        let paths = [CERTIFICATE, KEY].map(|name| self.state.path_of(name));
        if self.state.open_existing(KEY)?.is_none() || self.state.open_existing(CERTIFICATE)?.is_none() {
            let [certificate, key] = make().map_err(Error::state_folder(&paths[0]))?;
            // A certificate is there only if its key is.
            self.state.put_durably(KEY, &[key.as_bytes()])?;
            self.state.put_durably(CERTIFICATE, &[certificate.as_bytes()])?;
        }
        Ok(paths)
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
        socket_in(&self.state)
    }

    /// Waits until the server has opened its socket, which it does soon after it has taken its lock. Sends nothing.
    ///
    /// # Errors
    /// `PermissionDenied` where we may not connect, or where the process at the other end is not one
    /// that may change the configuration; that of the system where none listens.
    pub fn reach(&self) -> io::Result<()> {
        let denied = |why| Err(io::Error::new(io::ErrorKind::PermissionDenied, why));
        if rustix::fs::access(&self.conf.target, Access::WRITE_OK) == Err(Errno::ACCESS) {
            return denied("only users who may write the configuration may use it");
        }
        let deadline = Instant::now() + START_TIME;
        let stream = loop {
            match UnixStream::connect(self.socket()) {
                Ok(stream) => break stream,
                Err(error)
                    if error.kind() == io::ErrorKind::PermissionDenied || Instant::now() >= deadline =>
                {
                    return Err(error);
                }
                Err(_) => thread::sleep(POLL),
            }
        };
        match self.conf.admits(&SocketPeer::from_socket(&stream)?) {
            true => Ok(()),
            false => denied("its process belongs to a user who may not write the configuration"),
        }
    }
}

fn socket_in(state: &StateDir) -> PathBuf {
    PathBuf::from(format!("/proc/self/fd/{}/{SOCKET}", state.folder.as_raw_fd()))
}

/// A process at the other end of a Unix socket.
#[derive(Clone, Copy, Debug)]
pub struct SocketPeer {
    pub user: u32,
    group: u32,
    process: Pid,
}

impl SocketPeer {
    /// The process at the other end of `socket`: the one that connected, or the one that listens.
    ///
    /// # Errors
    /// The error of the system.
    pub fn from_socket(socket: impl AsFd) -> io::Result<Self> {
        let found = socket_peercred(socket)?;
        Ok(Self { user: found.uid.as_raw(), group: found.gid.as_raw(), process: found.pid })
    }

    /// All its groups. Supplementary groups are known only where `/proc` shows the process.
    fn groups(&self) -> Vec<u32> {
        let status = fs::read_to_string(format!("/proc/{}/status", self.process.as_raw_nonzero()));
        let more = status.ok().and_then(|status| groups_in(&status, self.user)).unwrap_or_default();
        [self.group].into_iter().chain(more).collect()
    }
}

/// The groups in a `/proc/PID/status`; none unless all users in it are `user`: the process may have
/// ended and its id been reused, or it may now run a program of another user.
fn groups_in(status: &str, user: u32) -> Option<Vec<u32>> {
    let numbers = |name: &str| {
        let line = status.lines().find_map(|line| line.strip_prefix(name))?;
        line.split_ascii_whitespace().map(|number| number.parse().ok()).collect::<Option<Vec<u32>>>()
    };
    numbers("Groups:")
        .filter(|_| numbers("Uid:").is_some_and(|users| users.iter().all(|found| *found == user)))
}

#[cfg(test)]
mod tests {
    use super::groups_in;

    #[test]
    fn groups_are_those_of_a_process_of_that_user_alone() {
        let status = "Name:\tcat\nUid:\t7\t7\t7\t7\nGid:\t8\t8\t8\t8\nGroups:\t8 20 30 \n";
        assert_eq!(groups_in(status, 7), Some(vec![8, 20, 30]));
        assert_eq!(groups_in(status, 9), None);
        assert_eq!(
            groups_in(&status.replacen("\t7", "\t0", 1), 7),
            None,
            "it runs a program of another user"
        );
        assert_eq!(groups_in("", 7), None);
    }
}
