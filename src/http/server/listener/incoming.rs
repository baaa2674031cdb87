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
    end: usize,
}

impl Incoming {
    /// Starts with an empty buffer.
    pub fn new(stream: Stream) -> Self {
        Self { stream, buffer: Vec::new(), start: 0, end: 0 }
    }

    /// The bytes that were read and not consumed.
    pub fn pending(&self) -> &[u8] {
        &self.buffer[self.start..self.end]
    }

    /// Consumes this many pending bytes.
    pub fn consume(&mut self, bytes: usize) {
        self.start += bytes;
    }

    /// Reads once; returns the number of new bytes, 0 at the end of the stream.
    pub fn fill(&mut self) -> io::Result<usize> {
        self.buffer.copy_within(self.start..self.end, 0);
        self.end -= self.start;
        self.start = 0;
        let most = self.end + READ;
        // The buffer stays as long as it is, because new bytes of it have to be zeroed first.
        self.buffer.resize(self.buffer.len().max(most), 0);
        let read = self.stream.read(&mut self.buffer[self.end..most])?;
        self.end += read;
        Ok(read)
    }

    /// Frees the memory of a burst, before a wait for which nothing is pending.
    pub fn shrink(&mut self) {
        self.buffer.truncate(READ);
        self.buffer.shrink_to_fit();
        (self.start, self.end) = (0, 0);
    }
}
