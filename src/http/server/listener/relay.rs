//! Sends a response on to the client, as fast as the client reads.

use std::io::{self, Write};
use std::mem;

use super::deadline::Pace;
use super::stream::Stream;
use crate::http::server::bridge::BridgeResponse;

/// Up to this size, head and body are sent together, which saves a packet.
const GATHERED: usize = 8 * 1024;

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
    let mut paced = Paced { to, pace, written: 0, head: head(answer, afterwards) };
    answer.body.write_to(&mut paced)?;
    paced.flush()
}

/// Writes with a deadline for each piece; the head together with the first bytes behind it, if these are few.
struct Paced<'s> {
    to: &'s mut Stream,
    pace: Pace,
    written: usize,
    /// Empty when it is written.
    head: Vec<u8>,
}

impl Paced<'_> {
    fn write_pieces(&mut self, bytes: &[u8]) -> io::Result<()> {
        for piece in bytes.chunks(PIECE) {
            self.to.set_deadline(self.pace.after(self.written));
            self.to.write_all(piece)?;
            self.written += piece.len();
        }
        Ok(())
    }
}

impl Write for Paced<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let mut head = mem::take(&mut self.head);
        let gathered = if bytes.len() <= GATHERED && !head.is_empty() { bytes.len() } else { 0 };
        head.extend_from_slice(&bytes[..gathered]);
        self.write_pieces(&head)?;
        self.write_pieces(&bytes[gathered..])?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        let head = mem::take(&mut self.head);
        self.write_pieces(&head)?;
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
