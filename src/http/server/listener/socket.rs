//! A socket of either family. It is shared, not duplicated: another thread can shut it down while its
//! own thread waits on it, and that costs no open file.

use std::cell::Cell;
use std::io::{self, Read, Write};
use std::os::fd::OwnedFd;
use std::sync::Arc;
use std::time::Duration;

use rustix::io::Errno;
use rustix::net::sockopt::{Timeout, set_socket_timeout};
use rustix::net::{RecvFlags, SendFlags, Shutdown, recv, send};

use super::deadline::Deadline;

/// A connected socket: TCP, plain or with TLS on it, or Unix.
#[derive(Debug)]
pub struct Socket(pub OwnedFd);

impl Socket {
    /// Ends reading or writing in all threads. An error means that it has ended already.
    pub fn shut(&self, how: Shutdown) {
        let _ = rustix::net::shutdown(&self.0, how);
    }

    /// Returns the bytes that have come, as many of them as the buffer holds, without taking them or
    /// waiting for them.
    pub fn peek<'b>(&self, buffer: &'b mut [u8]) -> &'b [u8] {
        let peeked = recv(&self.0, &mut *buffer, RecvFlags::PEEK | RecvFlags::DONTWAIT);
        &buffer[..peeked.map_or(0, |(read, _)| read)]
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
        self.receive(&mut [0], RecvFlags::PEEK)
    }

    fn receive(&mut self, buffer: &mut [u8], flags: RecvFlags) -> io::Result<usize> {
        let receive = |socket: &OwnedFd| recv(socket, &mut *buffer, flags).map(|(read, _)| read);
        self.retry((Timeout::Recv, &self.reading), receive)
    }

    fn retry(
        &self,
        (timeout, known): (Timeout, &Cell<Duration>),
        mut operation: impl FnMut(&OwnedFd) -> Result<usize, Errno>,
    ) -> io::Result<usize> {
        let socket = &self.socket.0;
        loop {
            // The time left may be shorter than the shortest timeout of the system.
            let left = self.deadline.left()?.max(Duration::from_millis(1));
            if left.abs_diff(known.get()) > CLOSE_ENOUGH.min(left / 10) {
                set_socket_timeout(socket, timeout, Some(left))?;
                known.set(left);
            }
            match operation(socket) {
                Err(Errno::INTR) => {}
                Err(Errno::AGAIN) => return Err(io::ErrorKind::TimedOut.into()),
                done => return Ok(done?),
            }
        }
    }
}

impl Read for Timed {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.receive(buffer, RecvFlags::empty())
    }
}

impl Write for Timed {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.retry((Timeout::Send, &self.writing), |socket| send(socket, bytes, SendFlags::NOSIGNAL))
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
