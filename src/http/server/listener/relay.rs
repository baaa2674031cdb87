//! Sends a response on to the client, as fast as the client reads, one buffer at a time.

use std::io::{self, Write};
use std::time::Duration;

use super::deadline::{Deadline, Pace};
use super::stream::Stream;
use super::upstream::UpstreamResponse;

/// The longest pause of the backend within a response, which is complete before it is sent.
const PAUSE: Duration = Duration::from_secs(10);

/// Up to this size, head and body are sent together, which saves a packet.
const GATHERED: usize = 8 * 1024;

/// What the response says about the connection.
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
pub fn relay(
    mut answer: UpstreamResponse,
    to: &mut Stream,
    afterwards: Afterwards,
    pace: Pace,
) -> io::Result<()> {
    let mut out = head(&answer, afterwards);
    let mut left = answer.body;
    let mut written = 0;
    loop {
        let pending = answer.from.pending();
        let here = pending.len().min(usize::try_from(left).unwrap_or(usize::MAX));
        out.extend_from_slice(&pending[..here]);
        answer.from.consume(here);
        left -= here as u64;
        if left == 0 || out.len() >= GATHERED {
            to.set_deadline(pace.after(written));
            to.write_all(&out)?;
            written += out.len();
            out.clear();
        }
        if left == 0 {
            return to.flush();
        }
        answer.from.stream.set_deadline(Deadline::after(PAUSE));
        if answer.from.fill()? == 0 {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
    }
}

fn head(answer: &UpstreamResponse, afterwards: Afterwards) -> Vec<u8> {
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
