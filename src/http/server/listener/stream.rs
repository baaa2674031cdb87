//! The stream of a connection: a socket, or TLS over it.

use std::io::{self, Read, Write};
use std::sync::Arc;

use rustix::net::Shutdown;
use rustls::{ServerConfig, ServerConnection, StreamOwned};

use super::deadline::Deadline;
use super::socket::{Socket, Timed};

/// The size of a read whose bytes are discarded.
const DISCARD: usize = 16 * 1024;

/// The stream of a connection, with a deadline.
#[derive(Debug)]
pub enum Stream {
    Plain(Timed),
    Tls(Box<StreamOwned<ServerConnection, Timed>>),
}

impl Stream {
    pub fn plain(socket: Arc<Socket>, deadline: Deadline) -> Self {
        Self::Plain(Timed::new(socket, deadline))
    }

    /// Makes the whole TLS handshake, up to the deadline of the socket. `come_on` is called when the client
    /// has sent all that is to be answered.
    pub fn handshake(config: Arc<ServerConfig>, mut timed: Timed, come_on: impl Fn()) -> io::Result<Self> {
        let mut connection = ServerConnection::new(config).map_err(io::Error::other)?;
        while connection.is_handshaking() {
            if connection.wants_write() {
                come_on();
                connection.write_tls(&mut timed)?;
                continue;
            }
            if connection.read_tls(&mut timed)? == 0 {
                return Err(io::ErrorKind::UnexpectedEof.into());
            }
            if let Err(error) = connection.process_new_packets() {
                // The alert says why.
                let _ = connection.write_tls(&mut timed);
                return Err(io::Error::new(io::ErrorKind::InvalidData, error));
            }
        }
        Ok(Self::Tls(Box::new(StreamOwned::new(connection, timed))))
    }

    /// Sets the deadline of reads and writes.
    pub fn set_deadline(&mut self, deadline: Deadline) {
        self.timed().deadline = deadline;
    }

    /// Ends writing, and reads what still comes for a while: closing a socket with unread bytes makes the
    /// client lose the last response (RFC 9112, section 9.6).
    pub fn linger(&mut self, deadline: Deadline, most: usize) {
        self.set_deadline(deadline);
        if let Self::Tls(tls) = self {
            tls.conn.send_close_notify();
            let _ = tls.flush();
        }
        let timed = self.timed();
        timed.socket.shut(Shutdown::Write);
        let mut left = most;
        let mut nowhere = [0; DISCARD];
        while left > 0 {
            match timed.read(&mut nowhere) {
                Ok(0) | Err(_) => return,
                Ok(taken) => left = left.saturating_sub(taken),
            }
        }
    }

    fn timed(&mut self) -> &mut Timed {
        match self {
            Self::Plain(timed) => timed,
            Self::Tls(tls) => &mut tls.sock,
        }
    }
}

impl Read for Stream {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        match self {
            Self::Plain(timed) => timed.read(buffer),
            Self::Tls(tls) => tls.read(buffer),
        }
    }
}

impl Write for Stream {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Self::Plain(timed) => timed.write(bytes),
            Self::Tls(tls) => tls.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self {
            Self::Plain(timed) => timed.flush(),
            Self::Tls(tls) => tls.flush(),
        }
    }
}
