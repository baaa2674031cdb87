//! Sends a response on to the client, as fast as the client reads.

use std::io::{self, Write};

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
    let mut head = head(answer, afterwards);
    let mut body = answer.body.as_slice();
    if body.len() <= GATHERED {
        head.extend_from_slice(body);
        body = &[];
    }
    let mut written = 0;
    for piece in std::iter::once(head.as_slice()).chain(body.chunks(PIECE)) {
        to.set_deadline(pace.after(written));
        to.write_all(piece)?;
        written += piece.len();
    }
    to.flush()
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
