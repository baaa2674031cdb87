//! Sends a response on to the client, as fast as the client reads.

use std::io::{self, Write};
use std::mem;

use super::deadline::Pace;
use super::stream::Stream;
use crate::http::server::bridge::BridgeResponse;

/// The number of bytes that get a deadline of their own. The slowest client that is served reads them
/// well within it.
const PIECE: usize = 64 * 1024;

/// The words of the response about the connection.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Afterwards {
    /// Nothing: it stays open, as usual.
    Kept,
    /// That it stays open, for HTTP/1.0.
    KeptAsAsked,
    /// That it closes.
    Closed,
}

/// Writes the response to the client; after an error, the client has at most a part of it.
pub fn relay(answer: &BridgeResponse, to: &mut Stream, afterwards: Afterwards, pace: Pace) -> io::Result<()> {
    let mut paced = Paced { to, pace, written: 0, pending: head(answer, afterwards) };
    paced.write_all(&answer.body)?;
    paced.flush()
}

/// Writes pieces, each with a deadline of its own. Short ones are sent together, which saves packets.
struct Paced<'s> {
    to: &'s mut Stream,
    pace: Pace,
    written: usize,
    pending: Vec<u8>,
}

impl Paced<'_> {
    fn send(&mut self, piece: &[u8]) -> io::Result<()> {
        self.to.set_deadline(self.pace.after(self.written));
        self.to.write_all(piece)?;
        self.written += piece.len();
        Ok(())
    }

    fn send_pending(&mut self) -> io::Result<()> {
        let mut pending = mem::take(&mut self.pending);
        self.send(&pending)?;
        pending.clear();
        self.pending = pending;
        Ok(())
    }
}

impl Write for Paced<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.pending.len() + bytes.len() > PIECE {
            self.send_pending()?;
        }
        match bytes.len() {
            ..=PIECE => self.pending.extend_from_slice(bytes),
            _ => bytes.chunks(PIECE).try_for_each(|piece| self.send(piece))?,
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.send_pending()?;
        self.to.flush()
    }
}

fn head(answer: &BridgeResponse, afterwards: Afterwards) -> Vec<u8> {
    let mut head = answer.lines.clone();
    if let Some(length) = answer.length {
        head.extend_from_slice(format!("Content-Length: {length}\r\n").as_bytes());
    }
    head.extend_from_slice(match afterwards {
        Afterwards::Kept => b"\r\n",
        Afterwards::KeptAsAsked => b"Connection: keep-alive\r\n\r\n",
        Afterwards::Closed => b"Connection: close\r\n\r\n",
    });
    head
}
