//! Request bodies: kept whole, within their limit and the memory budget, or skipped.

use std::io::{self, Write};

use super::budget::{Budget, Charge};
use super::deadline::Pace;
use super::head::Framing;
use super::incoming::Incoming;
use super::limits::Limits;
use super::refuse::{ConnectionEnd, Rejection};
use crate::error::ErrorKind;
use crate::http::server::message::Rank;

/// The first capacity of a body; it doubles from there.
const FIRST: usize = 64 * 1024;

/// The longest line in front of a chunk: its length, and extensions, which are ignored.
const CHUNK_LINE: usize = 1024;

/// The most digits of the length of a chunk: what fits 64 bits.
const CHUNK_DIGITS: usize = 16;

const CONTINUE: &[u8] = b"HTTP/1.1 100 Continue\r\n\r\n";

/// A body that was kept.
#[derive(Debug)]
pub struct BodyBytes<'b> {
    pub bytes: Vec<u8>,
    /// The share of the memory budget, held until the response comes: the backend has the body until then.
    pub charge: Charge<'b>,
}

impl<'b> BodyBytes<'b> {
    /// An empty body.
    pub fn new(budget: &'b Budget, rank: Rank) -> Self {
        Self { bytes: Vec::new(), charge: Charge::new(budget, rank) }
    }

    fn append(&mut self, bytes: &[u8], most: usize) -> Result<(), Rejection> {
        let length = self.bytes.len() + bytes.len();
        if length > most {
            return Err(too_large(most));
        }
        if length > self.bytes.capacity() {
            self.grow(length.max(self.bytes.capacity() * 2).max(FIRST).min(most))?;
        }
        self.bytes.extend_from_slice(bytes);
        Ok(())
    }

    fn grow(&mut self, capacity: usize) -> Result<(), Rejection> {
        let full = || Rejection::new(ErrorKind::Full, "there is no memory left for the body of the request");
        if !self.charge.grow_to(capacity) {
            return Err(full());
        }
        self.bytes.try_reserve_exact(capacity - self.bytes.len()).map_err(|_| full())
    }
}

/// The reason why reading a body stops before its end.
enum Stop {
    /// The body is too long to skip.
    Enough,
    /// The connection ends.
    End(ConnectionEnd),
}

impl<E: Into<ConnectionEnd>> From<E> for Stop {
    fn from(end: E) -> Self {
        Self::End(end.into())
    }
}

/// Reads one body.
pub struct BodyReader<'i> {
    incoming: &'i mut Incoming,
    pace: Pace,
    framing: Framing,
    taken: usize,
}

impl<'i> BodyReader<'i> {
    /// A reader for the next body.
    pub fn new(incoming: &'i mut Incoming, framing: Framing, pace: Pace) -> Self {
        Self { incoming, pace, framing, taken: 0 }
    }

    /// Reads the whole body into `kept`. A client that waits for `100 Continue` gets it, if the announced length is
    /// within the limit.
    pub fn keep<'b>(
        mut self,
        limits: &Limits,
        mut kept: BodyBytes<'b>,
        waits: bool,
    ) -> Result<BodyBytes<'b>, ConnectionEnd> {
        if matches!(self.framing, Framing::Length(length) if length > limits.body as u64) {
            return Err(too_large(limits.body).into());
        }
        if waits {
            self.send_continue()?;
        }
        match self.each(&mut |bytes| Ok(kept.append(bytes, limits.body)?)) {
            Ok(()) | Err(Stop::Enough) => {
                // It may become the running text.
                kept.bytes.shrink_to_fit();
                Ok(kept)
            }
            Err(Stop::End(end)) => Err(end),
        }
    }

    /// Skips the body; `false` if it is longer than `most`, so that some of it is left.
    pub fn discard(mut self, most: usize) -> Result<bool, ConnectionEnd> {
        if matches!(self.framing, Framing::Length(length) if length > most as u64) {
            return Ok(false);
        }
        let mut left = most;
        let count = &mut |bytes: &[u8]| {
            left = left.checked_sub(bytes.len()).ok_or(Stop::Enough)?;
            Ok(())
        };
        match self.each(count) {
            Ok(()) => Ok(true),
            Err(Stop::Enough) => Ok(false),
            Err(Stop::End(end)) => Err(end),
        }
    }

    /// Sends `100 Continue`, unless the client sends the body already.
    fn send_continue(&mut self) -> Result<(), ConnectionEnd> {
        if !self.incoming.pending().is_empty() {
            return Ok(());
        }
        let stream = &mut self.incoming.stream;
        stream.set_deadline(self.pace.after(0));
        stream.write_all(CONTINUE).and_then(|()| stream.flush()).map_err(|_| ConnectionEnd::Gone)
    }

    fn each(&mut self, put: &mut dyn FnMut(&[u8]) -> Result<(), Stop>) -> Result<(), Stop> {
        match self.framing {
            Framing::Empty => Ok(()),
            Framing::Length(length) => self.pass(length, put),
            Framing::Chunked => self.chunks(put),
        }
    }

    fn pass(&mut self, length: u64, put: &mut dyn FnMut(&[u8]) -> Result<(), Stop>) -> Result<(), Stop> {
        let mut left = length;
        while left > 0 {
            if self.incoming.pending().is_empty() {
                self.more()?;
            }
            let pending = self.incoming.pending();
            let here = pending.len().min(usize::try_from(left).unwrap_or(usize::MAX));
            put(&pending[..here])?;
            self.incoming.consume(here);
            self.taken += here;
            left -= here as u64;
        }
        Ok(())
    }

    /// RFC 9112, section 7.1.
    fn chunks(&mut self, put: &mut dyn FnMut(&[u8]) -> Result<(), Stop>) -> Result<(), Stop> {
        loop {
            let line = self.line()?;
            match chunk_length(&line)? {
                0 => return self.trailers(),
                length => self.pass(length, put)?,
            }
            if !self.line()?.is_empty() {
                return Err(Rejection::malformed("a chunk of the body is longer than it says").into());
            }
        }
    }

    /// Skips the trailers.
    fn trailers(&mut self) -> Result<(), Stop> {
        let mut length = 0;
        while length <= FIRST {
            match self.line()?.len() {
                0 => return Ok(()),
                line => length += line,
            }
        }
        Err(Rejection::head_too_large("the trailers of the body are too long").into())
    }

    fn line(&mut self) -> Result<Vec<u8>, Stop> {
        loop {
            let pending = self.incoming.pending();
            if let Some(end) = pending.iter().position(|byte| *byte == b'\n') {
                let line = pending[..end].strip_suffix(b"\r").map(<[u8]>::to_vec);
                self.incoming.consume(end + 1);
                return Ok(whole_line(line)?);
            }
            if pending.len() > CHUNK_LINE {
                return Err(Rejection::malformed("a line between the chunks of the body has no end").into());
            }
            self.more()?;
        }
    }

    fn more(&mut self) -> Result<(), ConnectionEnd> {
        self.incoming.stream.set_deadline(self.pace.after(self.taken));
        match self.incoming.fill() {
            Ok(0) => Err(Rejection::malformed("the connection ended within the body").into()),
            Ok(_) => Ok(()),
            Err(error) if error.kind() == io::ErrorKind::TimedOut => {
                Err(Rejection::new(ErrorKind::TooSlow, "the body did not arrive in time").into())
            }
            Err(_) => Err(ConnectionEnd::Gone),
        }
    }
}

fn too_large(most: usize) -> Rejection {
    Rejection::new(ErrorKind::TooLarge, format!("the body is longer than {most} bytes"))
}

/// Checks a line between chunks: visible characters and white space. Some readers would end the line at
/// a control character.
fn whole_line(line: Option<Vec<u8>>) -> Result<Vec<u8>, Rejection> {
    let line = line.ok_or_else(|| {
        Rejection::malformed("a line between the chunks of the body ends without a carriage return")
    })?;
    match line.iter().any(|byte| byte.is_ascii_control() && *byte != b'\t') {
        true => Err(Rejection::malformed("a control character stands between the chunks of the body")),
        false => Ok(line),
    }
}

fn chunk_length(line: &[u8]) -> Result<u64, Rejection> {
    let digits = line.iter().take_while(|byte| byte.is_ascii_hexdigit()).count();
    let ends = line[digits..].trim_ascii_start().first().is_none_or(|byte| *byte == b';');
    let text = std::str::from_utf8(&line[..digits]).expect("hexadecimal digits are ASCII");
    match u64::from_str_radix(text, 16) {
        Ok(length) if ends && digits <= CHUNK_DIGITS => Ok(length),
        _ => Err(Rejection::malformed("a chunk of the body has no length")),
    }
}

#[cfg(test)]
mod tests {
    use super::chunk_length;

    #[test]
    fn a_chunk_has_a_length_in_hexadecimal_digits_alone() {
        for (line, expected) in
            [("0", 0), ("1a", 26), ("1A;x=\"y\"", 26), ("5 ;x", 5), ("00000000000000ff", 255)]
        {
            assert_eq!(chunk_length(line.as_bytes()).ok(), Some(expected), "{line}");
        }
        for line in ["", "g", "0x1", "+1", "-1", " 1", "1 1", "1x", ";", "11111111111111111"] {
            assert!(chunk_length(line.as_bytes()).is_err(), "{line}");
        }
    }
}
