//! The private socket of tiny_http. It has no name in the file system: only this process,
//! which holds its file open, can connect to it, and it vanishes with the process.

use std::io;
use std::os::fd::{AsRawFd, OwnedFd};
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::Path;

use rustix::fs::{Mode, OFlags, open};
use tempfile::TempDir;

/// The folder for the socket if the path of the usual one is too long for a socket.
const SHORT_PLACE: &str = "/tmp";

/// The file of a listening socket.
pub struct PrivateSocket(OwnedFd);

impl PrivateSocket {
    /// Makes a listening socket. Its file is in a folder of this user only, and is gone before this returns.
    pub fn bind() -> io::Result<(Self, UnixListener)> {
        tempfile::tempdir().and_then(bind_in).or_else(|_| tempfile::tempdir_in(SHORT_PLACE).and_then(bind_in))
    }

    /// Connects to the socket; refused after its listener has ended.
    pub fn connect(&self) -> io::Result<UnixStream> {
        UnixStream::connect(Path::new("/proc/self/fd").join(self.0.as_raw_fd().to_string()))
    }
}

impl Drop for PrivateSocket {
    /// Ends the accept thread of tiny_http, which looks when a connection comes whether its server is dropped.
    fn drop(&mut self) {
        // It fails if the thread has ended.
        let _ = self.connect();
    }
}

fn bind_in(folder: TempDir) -> io::Result<(PrivateSocket, UnixListener)> {
    let path = folder.path().join("http");
    let listener = UnixListener::bind(&path)?;
    let file = open(&path, OFlags::PATH | OFlags::NOFOLLOW | OFlags::CLOEXEC, Mode::empty())?;
    Ok((PrivateSocket(file), listener))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_socket_is_reached_by_its_file_alone_and_leaves_nothing_behind() {
        let place = tempfile::tempdir().expect("a folder can be made");
        let folder = tempfile::tempdir_in(&place).expect("a folder can be made");
        let (socket, listener) = bind_in(folder).expect("it can be bound");
        assert_eq!(std::fs::read_dir(&place).expect("it is a folder").count(), 0);
        drop(socket.connect().expect("it listens"));
        listener.accept().expect("a connection came");
        drop(listener);
        let error = socket.connect().expect_err("nobody listens");
        assert_eq!(error.kind(), io::ErrorKind::ConnectionRefused);
    }
}
