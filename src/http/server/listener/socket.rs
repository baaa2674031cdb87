//! A socket of either family. It is shared, not duplicated: another thread can shut it down while its
//! own thread waits on it, and that costs no open file.

use std::cell::Cell;
use std::io::{self, Read, Write};
use std::net::{Shutdown, TcpStream};
use std::os::unix::net::UnixStream;
use std::sync::Arc;
use std::time::Duration;

use super::deadline::Deadline;

/// A connected socket.
#[derive(Debug)]
pub enum Socket {
    /// TCP, plain or with TLS on it.
    Tcp(TcpStream),
    Unix(UnixStream),
}

impl Socket {
    /// Ends reading or writing in all threads. An error means that it has ended already.
    pub fn shut(&self, how: Shutdown) {
        let _ = match self {
            Self::Tcp(stream) => stream.shutdown(how),
            Self::Unix(stream) => stream.shutdown(how),
        };
    }

    fn set_read_timeout(&self, time: Duration) -> io::Result<()> {
        match self {
            Self::Tcp(stream) => stream.set_read_timeout(Some(time)),
            Self::Unix(stream) => stream.set_read_timeout(Some(time)),
        }
    }

    fn set_write_timeout(&self, time: Duration) -> io::Result<()> {
        match self {
            Self::Tcp(stream) => stream.set_write_timeout(Some(time)),
            Self::Unix(stream) => stream.set_write_timeout(Some(time)),
        }
    }

    fn read(&self, buffer: &mut [u8]) -> io::Result<usize> {
        match self {
            Self::Tcp(stream) => (&mut &*stream).read(buffer),
            Self::Unix(stream) => (&mut &*stream).read(buffer),
        }
    }

    fn write(&self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Self::Tcp(stream) => (&mut &*stream).write(bytes),
            Self::Unix(stream) => (&mut &*stream).write(bytes),
        }
    }
}

/// A socket whose reads and writes fail after a deadline, with an error of the kind `TimedOut`.
#[derive(Debug)]
pub struct Timed {
    pub socket: Arc<Socket>,
    /// The deadline of reads and writes.
    pub deadline: Deadline,
    reading: Cell<Duration>,
    writing: Cell<Duration>,
}

/// A timeout of the socket that differs by less than this is not set again.
const CLOSE_ENOUGH: Duration = Duration::from_millis(50);

impl Timed {
    /// A socket without a timeout yet.
    pub fn new(socket: Arc<Socket>, deadline: Deadline) -> Self {
        Self { socket, deadline, reading: Cell::default(), writing: Cell::default() }
    }

    /// Waits for a byte without taking it; returns 0 at the end of the stream.
    pub fn wait(&mut self) -> io::Result<usize> {
        let socket = Arc::clone(&self.socket);
        match &*socket {
            Socket::Tcp(stream) => {
                self.retry((Socket::set_read_timeout, &self.reading), |_| stream.peek(&mut [0]))
            }
            Socket::Unix(_) => Ok(1),
        }
    }

    fn retry(
        &self,
        (set_timeout, known): (impl Fn(&Socket, Duration) -> io::Result<()>, &Cell<Duration>),
        mut operation: impl FnMut(&Socket) -> io::Result<usize>,
    ) -> io::Result<usize> {
        loop {
            // The time left may be shorter than the shortest timeout of the system.
            let left = self.deadline.left()?.max(Duration::from_millis(1));
            if left.abs_diff(known.get()) > CLOSE_ENOUGH.min(left / 10) {
                set_timeout(&self.socket, left)?;
                known.set(left);
            }
            match operation(&self.socket) {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                    return Err(io::ErrorKind::TimedOut.into());
                }
                done => return done,
            }
        }
    }
}

impl Read for Timed {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.retry((Socket::set_read_timeout, &self.reading), |socket| socket.read(buffer))
    }
}

impl Write for Timed {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.retry((Socket::set_write_timeout, &self.writing), |socket| socket.write(bytes))
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
