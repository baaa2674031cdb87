//! The output of a command, read while the command runs and no longer.
//!
//! A process that the command leaves behind may hold its end of the pipe open for ever. So nothing
//! waits for the end of the stream; this end is closed instead. It costs no thread.

use std::io::{self, Read};
use std::os::fd::AsFd;
use std::time::{Duration, Instant};

use rustix::fs::{OFlags, fcntl_getfl, fcntl_setfl};

/// The longest time to wait, after the end of a command, for the rest of its output.
const DRAIN_TIME: Duration = Duration::from_millis(200);

/// The pause between two checks of a running command.
pub(super) const POLL: Duration = Duration::from_millis(2);

/// The number of bytes that are read at a time.
const READ_SIZE: usize = 16 * 1024;

/// The number of pieces that are read between two looks at the clock.
const MAX_READS: usize = 256;

/// Our end of one stream.
pub(super) struct Pipe {
    /// `None` when it has ended, or never was a pipe.
    stream: Option<Box<dyn Read>>,
    kept: Vec<u8>,
    most: usize,
}

impl Pipe {
    /// A pipe of which the first `most` bytes are kept.
    pub fn new(stream: Option<impl Read + AsFd + 'static>, most: usize) -> Self {
        // A stream that can't be set to non-blocking is not read at all.
        let stream = stream.filter(|stream| no_block(stream).is_ok());
        let stream = stream.map(|stream| Box::new(stream) as Box<dyn Read>);
        Self { stream, kept: Vec::new(), most }
    }

    /// Returns the beginning of the output, with what still comes until the end or the timeout.
    pub fn last_words(mut self) -> Vec<u8> {
        let until = Instant::now() + DRAIN_TIME;
        self.drain();
        while self.stream.is_some() && Instant::now() < until {
            std::thread::sleep(POLL);
            self.drain();
        }
        self.kept
    }

    /// Reads the output that is available now.
    pub fn drain(&mut self) {
        let mut piece = [0; READ_SIZE];
        for _ in 0..MAX_READS {
            let Some(stream) = &mut self.stream else { return };
            match stream.read(&mut piece) {
                Ok(0) => self.stream = None,
                Ok(length) => {
                    let room = self.most.saturating_sub(self.kept.len());
                    self.kept.extend_from_slice(&piece[..length.min(room)]);
                }
                Err(error) => match error.kind() {
                    io::ErrorKind::WouldBlock => return,
                    io::ErrorKind::Interrupted => {}
                    _ => self.stream = None,
                },
            }
        }
    }
}

fn no_block(stream: &impl AsFd) -> io::Result<()> {
    Ok(fcntl_setfl(stream, fcntl_getfl(stream)? | OFlags::NONBLOCK)?)
}
