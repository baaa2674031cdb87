//! What a client sent and nobody has looked at yet. No more is read than what is asked for next,
//! so that a client that sends requests without end fills only the buffers of the system.

use std::io::{self, Read};

use super::stream::Stream;

/// Bytes asked for at a time.
const READ: usize = 16 * 1024;

/// A stream, and the bytes that were read from it beyond what was wanted.
#[derive(Debug)]
pub struct Incoming {
    /// Where they come from.
    pub stream: Stream,
    buffer: Vec<u8>,
    start: usize,
}

impl Incoming {
    /// Nothing read yet.
    pub fn new(stream: Stream) -> Self {
        Self { stream, buffer: Vec::new(), start: 0 }
    }

    /// What is there.
    pub fn pending(&self) -> &[u8] {
        &self.buffer[self.start..]
    }

    /// Takes so many bytes of what is there.
    pub fn consume(&mut self, bytes: usize) {
        self.start += bytes;
        if self.start == self.buffer.len() {
            self.buffer.clear();
            self.start = 0;
        }
    }

    /// Reads once; says how many bytes came, 0 at the end.
    pub fn fill(&mut self) -> io::Result<usize> {
        self.buffer.drain(..self.start);
        self.start = 0;
        let filled = self.buffer.len();
        self.buffer.resize(filled + READ, 0);
        let read = self.stream.read(&mut self.buffer[filled..]);
        self.buffer.truncate(filled + read.as_ref().map_or(0, |read| *read));
        read
    }

    /// Gives back the memory of a burst, before a wait.
    pub fn shrink(&mut self) {
        self.buffer.drain(..self.start);
        self.start = 0;
        self.buffer.shrink_to(0);
    }
}
