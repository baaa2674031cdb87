//! Bytes from a client that are not parsed yet. No more is read than the next step needs, so a client
//! that sends requests without end fills only the buffers of the system.

use std::io::{self, Read};

use super::stream::Stream;

/// The number of bytes to read at a time.
const READ: usize = 16 * 1024;

/// A stream with a buffer of bytes that were read and not consumed.
#[derive(Debug)]
pub struct Incoming {
    /// The source of the bytes.
    pub stream: Stream,
    buffer: Vec<u8>,
    start: usize,
}

impl Incoming {
    /// Starts with an empty buffer.
    pub fn new(stream: Stream) -> Self {
        Self { stream, buffer: Vec::new(), start: 0 }
    }

    /// The bytes that were read and not consumed.
    pub fn pending(&self) -> &[u8] {
        &self.buffer[self.start..]
    }

    /// Consumes this many pending bytes.
    pub fn consume(&mut self, bytes: usize) {
        self.start += bytes;
        if self.start == self.buffer.len() {
            self.buffer.clear();
            self.start = 0;
        }
    }

    /// Reads once; returns the number of new bytes, 0 at the end of the stream.
    pub fn fill(&mut self) -> io::Result<usize> {
        self.buffer.drain(..self.start);
        self.start = 0;
        let filled = self.buffer.len();
        self.buffer.resize(filled + READ, 0);
        let read = self.stream.read(&mut self.buffer[filled..]);
        self.buffer.truncate(filled + read.as_ref().map_or(0, |read| *read));
        read
    }

    /// Frees the memory of a burst, before a wait.
    pub fn shrink(&mut self) {
        self.buffer.drain(..self.start);
        self.start = 0;
        self.buffer.shrink_to(0);
    }
}
