//! A connection that has a slot: its requests one after the other, each read whole and answered whole.

use std::io::{self, Read, Write};
use std::mem;
use std::os::fd::OwnedFd;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use bytes::{Buf, BytesMut};
use httparse::{Status, parse_chunk_size};
use tiny_http::StatusCode;

use super::backend::Backend;
use super::head::{Framing, RequestHead, head_too_large, line_end, malformed, parse};
use super::limits::{self, Limits};
use super::slots::{Slot, Slots};
use crate::error::{Error, ErrorKind};
use crate::http::api::on_every_response;
use crate::http::problem::Problem;
use crate::http::server::auth::Role;
use crate::http::server::message::{HttpRequest, PeerAddress, Response, Service};
use crate::http::server::tls::{Stream, Timed, Tls, open};

/// The number of bytes to read or write at a time.
const PIECE: usize = 16 * 1024;

/// The longest line in front of a chunk: its length, and extensions, which are ignored.
const CHUNK_LINE: usize = 1024;

/// The header of the last response of a connection.
const CLOSE: &str = "Connection: close\r\n";

/// The length of the end of a line.
const LINE_END: usize = 2;

/// What all connections of a server share.
pub struct Shared {
    pub service: Arc<dyn Service>,
    pub backend: Arc<Backend>,
    pub tls: Option<Arc<Tls>>,
    pub limits: Limits,
    /// The slots of connections over the network, and of those over the Unix socket.
    pub slots: [Arc<Slots>; 2],
    /// The memory for larger bodies of viewers, of editors, and of users of the Unix socket, with what is held of it.
    pub bodies: [Arc<(usize, AtomicUsize)>; 3],
}

/// The way in which a connection ends early: with a response that says why, or silently, because the client is gone or has
/// sent no request.
type End = Option<Error>;

impl Shared {
    /// The room for a body of this sender.
    fn body(&self, peer: PeerAddress, role: Option<Role>) -> ArrivingBody {
        let [of_viewers, of_editors, of_local] = &self.bodies;
        let (memory, most) = match (peer, role) {
            (PeerAddress::Uid(_), _) => (of_local, self.limits.body),
            (_, Some(Role::Edit)) => (of_editors, self.limits.body),
            (_, Some(Role::View)) => (of_viewers, limits::VIEWER_BODY.min(self.limits.body)),
            (_, None) => (of_viewers, limits::SMALL_BODY),
        };
        ArrivingBody { bytes: Vec::new(), memory: Arc::clone(memory), charged: 0, most }
    }

    /// Answers the requests of a connection that has a slot, or tells it why it gets none.
    pub fn serve(&self, slot: Slot, socket: Arc<OwnedFd>, peer: PeerAddress) {
        let tls = self.tls.as_deref().filter(|_| matches!(peer, PeerAddress::Address(_)));
        let is_asked = slot.loss().is_some();
        let handshake = if is_asked { limits::LINGER_TIME } else { self.limits.head_time };
        match open(tls, Timed::new(socket, handshake)) {
            Ok(stream) => {
                slot.renew();
                Connection { shared: self, slot, peer, stream, pending: BytesMut::new(), is_asked }.run();
            }
            // The client is gone, or was to go.
            Err(error) if error.kind() == io::ErrorKind::UnexpectedEof || slot.loss().is_some() => {}
            // Without TLS the client cannot be sent a response.
            Err(error) => {
                let status = if error.kind() == io::ErrorKind::TimedOut { 408 } else { 400 };
                self.service.refused(Some(peer), status, &format!("the TLS handshake failed: {error}"));
            }
        }
    }
}

/// A connection, and what was read from it.
struct Connection<'f> {
    shared: &'f Shared,
    slot: Slot,
    peer: PeerAddress,
    stream: Box<dyn Stream>,
    /// The bytes that were read and not parsed. No more is read than the next step needs, so a client that sends requests
    /// without end fills only the buffers of the system.
    pending: BytesMut,
    /// True if a whole head was read that no response was begun for.
    is_asked: bool,
}

impl<'f> Connection<'f> {
    fn run(mut self) {
        loop {
            match self.exchange() {
                Ok(true) => {}
                Ok(false) => return self.linger(),
                Err(end) => return self.end(end),
            }
        }
    }

    /// Answers one request; true if another one may follow.
    fn exchange(&mut self) -> Result<bool, End> {
        let limits = &self.shared.limits;
        let begin = self.await_request()?;
        self.stream.timed().set_times(begin + limits.head_time, limits.head_time);
        let RequestHead { mut head, framing, keep, expects_continue } = self.read_head()?;
        self.is_asked = true;
        let role = self.shared.service.role_of(&head);
        self.slot.admit(role)?;
        self.stream.timed().set_times(begin + limits.request_time, limits.transfer_time);
        // The password comes before the body: that of a stranger is only skipped, if it is short and comes unasked.
        head.unread = role.is_none() && framing != Framing::Empty;
        let mut body = self.shared.body(self.peer, role);
        let mut in_step = !(head.unread && expects_continue);
        if in_step {
            match self.read_body(framing, expects_continue, &mut body) {
                Err(Some(problem)) if head.unread && problem.kind == ErrorKind::TooLarge => in_step = false,
                read => read?,
            }
        }
        if head.unread {
            body.bytes = Vec::new();
        }
        if !self.slot.work() {
            return Err(None);
        }
        let (is_head, bytes) = (head.method == "HEAD", mem::take(&mut body.bytes).into());
        let request = HttpRequest { head, body: bytes };
        let answer = self.shared.backend.answer(&*self.shared.service, request).map_err(|error| {
            let detail = format!("the backend of the server cannot be reached: {error}");
            Error::new(ErrorKind::EngineFailed, detail)
        })?;
        // What the body held is free only now.
        drop(body);
        self.is_asked = false;
        let keep = keep && in_step && !self.shared.slots[0].is_stopping();
        self.send(answer, if keep { "" } else { CLOSE }, is_head).map_err(|_| None)?;
        Ok(keep)
    }

    /// Waits for the first byte of a request; its time. Empty lines in front of it are ignored (RFC 9112, section 2.2).
    fn await_request(&mut self) -> Result<Instant, End> {
        loop {
            while self.pending.starts_with(b"\r\n") {
                self.pending.advance(2);
            }
            // The rest of an empty line may be on its way.
            if !self.pending.is_empty() && *self.pending != *b"\r" {
                return Ok(Instant::now());
            }
            // The memory of a burst is given back.
            if self.pending.capacity() > PIECE {
                self.pending = BytesMut::new();
            }
            if !self.slot.rest() {
                return Err(None);
            }
            self.stream.timed().set_times(Instant::now() + limits::IDLE_TIME, limits::IDLE_TIME);
            if !matches!(self.fill(), Ok(1..)) {
                return Err(None);
            }
        }
    }

    fn read_head(&mut self) -> Result<RequestHead, End> {
        let mut head = BytesMut::new();
        while !head.ends_with(b"\r\n\r\n") {
            head.extend_from_slice(&self.line("head", limits::HEAD - head.len())?);
        }
        Ok(parse(&head, self.peer)?)
    }

    /// A line of a head or between chunks, of at most so many bytes with its end.
    fn line(&mut self, part: &str, most: usize) -> Result<BytesMut, End> {
        let mut seen = 0;
        loop {
            let end = line_end(&self.pending, seen)?;
            if end.unwrap_or(self.pending.len() + 1) > most {
                return Err(match part {
                    "head" => head_too_large(format!("the head is longer than {} bytes", limits::HEAD)),
                    _ => malformed("a line between the chunks of the body has no end"),
                }
                .into());
            }
            if let Some(end) = end {
                return Ok(self.pending.split_to(end));
            }
            seen = self.pending.len();
            self.read_more(part)?;
        }
    }

    /// Reads once; returns the number of new bytes, 0 at the end of the stream.
    fn fill(&mut self) -> io::Result<usize> {
        let mut piece = [0; PIECE];
        let read = self.stream.read(&mut piece)?;
        self.pending.extend_from_slice(&piece[..read]);
        Ok(read)
    }

    fn read_more(&mut self, part: &str) -> Result<(), End> {
        match self.fill() {
            Ok(1..) => Ok(()),
            _ if self.shared.slots[0].is_stopping() => {
                Err(Error::new(ErrorKind::Full, "the server is stopping").into())
            }
            Ok(0) => Err(malformed(format!("the connection ended within the {part}")).into()),
            Err(error) if error.kind() == io::ErrorKind::TimedOut => {
                Err(Error::new(ErrorKind::TooSlow, format!("the {part} did not arrive in time")).into())
            }
            Err(_) => Err(None),
        }
    }

    fn read_body(
        &mut self,
        framing: Framing,
        expects_continue: bool,
        body: &mut ArrivingBody,
    ) -> Result<(), End> {
        if let Framing::Length(length) = framing {
            body.check(length)?;
        }
        // A client that sends the body already does not wait.
        if expects_continue && framing != Framing::Empty && self.pending.is_empty() {
            let told = self.stream.write_all(b"HTTP/1.1 100 Continue\r\n\r\n");
            told.and_then(|()| self.stream.flush()).map_err(|_| None)?;
        }
        match framing {
            Framing::Empty => {}
            Framing::Length(length) => self.pass(length, body)?,
            Framing::Chunked => self.pass_chunks(body)?,
        }
        // It may become the running text.
        body.bytes.shrink_to_fit();
        Ok(())
    }

    /// Passes a body in chunks on (RFC 9112, section 7.1).
    fn pass_chunks(&mut self, body: &mut ArrivingBody) -> Result<(), End> {
        loop {
            let length = chunk_length(&self.line("body", CHUNK_LINE)?)?;
            if length == 0 {
                break;
            }
            self.pass(length, body)?;
            if self.line("body", CHUNK_LINE)?.len() > LINE_END {
                return Err(malformed("a chunk of the body is longer than it says").into());
            }
        }
        let mut left = limits::HEAD;
        loop {
            match self.line("body", left)?.len() {
                LINE_END => return Ok(()),
                length => left -= length,
            }
        }
    }

    fn pass(&mut self, length: u64, body: &mut ArrivingBody) -> Result<(), End> {
        let mut left = length;
        while left > 0 {
            if self.pending.is_empty() {
                self.read_more("body")?;
            }
            let here = self.pending.len().min(usize::try_from(left).unwrap_or(usize::MAX));
            body.append(&self.pending[..here])?;
            self.pending.advance(here);
            left -= here as u64;
        }
        Ok(())
    }

    /// Sends a response as fast as the client reads.
    fn send(
        &mut self,
        (mut head, Response { status, body, .. }): (Vec<u8>, Response),
        words: &str,
        is_head: bool,
    ) -> io::Result<()> {
        let has_body = !matches!(status, 100..=199 | 204 | 304);
        if has_body {
            head.extend_from_slice(format!("Content-Length: {}\r\n", body.len()).as_bytes());
        }
        head.extend_from_slice(words.as_bytes());
        head.extend_from_slice(b"\r\n");
        let body = if has_body && !is_head { &body[..] } else { &[] };
        let limits = &self.shared.limits;
        let time = limits.request_time + Duration::from_secs((body.len() / limits::TRANSFER_RATE) as u64);
        self.stream.timed().set_times(Instant::now() + time, limits.transfer_time);
        // A short response is one packet.
        let (with_head, rest) = body.split_at(body.len().min(PIECE));
        head.extend_from_slice(with_head);
        self.stream.write_all(&head)?;
        rest.chunks(PIECE).try_for_each(|piece| self.stream.write_all(piece))?;
        self.stream.flush()
    }

    /// Ends the connection early. A client that sent nothing expects no response.
    fn end(mut self, end: End) {
        // Clients take an answer that comes before their request for a broken connection.
        if self.slot.loss().is_some() && self.pending.is_empty() {
            self.stream.timed().set_times(Instant::now() + limits::LINGER_TIME, limits::LINGER_TIME);
            let _ = self.fill();
        }
        let (is_told, problem) = match (self.slot.loss(), end) {
            (Some(loss), _) => (self.is_asked || !self.pending.is_empty(), loss),
            // It is not closed to make room for another one now.
            (None, Some(problem)) => (self.slot.work(), problem),
            (None, None) => return,
        };
        if !self.shared.slots[0].is_stopping() {
            let status = problem.status.unwrap_or(problem.kind.status());
            self.shared.service.refused(Some(self.peer), status, &problem.message);
        }
        if is_told {
            self.send_last(&problem);
        }
    }

    /// Sends the last response. An error is ignored: the client is gone.
    fn send_last(mut self, error: &Error) {
        let mut response = Response::error(&Problem::from(error));
        response.headers.extend(on_every_response());
        response.headers.extend((response.status == 503).then(|| ("Retry-After", "1".to_owned())));
        let reason = StatusCode(response.status).default_reason_phrase();
        let mut head = format!("HTTP/1.1 {} {reason}\r\n", response.status);
        response.headers.iter().for_each(|(name, value)| head.extend([name, ": ", value, "\r\n"]));
        let _ = self.send((head.into_bytes(), response), CLOSE, false);
        self.linger();
    }

    /// Reads the rest of what the client sends, unless the slot is needed: closing a socket with unread bytes makes the client
    /// lose the last response (RFC 9112, section 9.6).
    fn linger(mut self) {
        let is_needed = !self.slot.rest() && self.slot.loss().is_none();
        self.stream.timed().set_times(Instant::now() + limits::LINGER_TIME, limits::LINGER_TIME);
        self.stream.end();
        let (mut left, mut nowhere) = (if is_needed { 0 } else { limits::LINGER }, [0; PIECE]);
        while left > 0 {
            match self.stream.timed().read(&mut nowhere) {
                Ok(0) | Err(_) => return,
                Ok(taken) => left = left.saturating_sub(taken),
            }
        }
    }
}

/// The body of a request, until that is answered. Memory is charged for the bytes that have come, not for the declared length,
/// which costs a client nothing.
pub struct ArrivingBody {
    pub bytes: Vec<u8>,
    memory: Arc<(usize, AtomicUsize)>,
    charged: usize,
    most: usize,
}

impl ArrivingBody {
    /// Refuses a body that is, or gets, too long.
    fn check(&self, length: u64) -> Result<(), Error> {
        let most = self.most;
        let too_large = || Error::new(ErrorKind::TooLarge, format!("the body is longer than {most} bytes"));
        if length > most as u64 { Err(too_large()) } else { Ok(()) }
    }

    fn append(&mut self, bytes: &[u8]) -> Result<(), Error> {
        let length = self.bytes.len() + bytes.len();
        self.check(length as u64)?;
        if length > self.bytes.capacity() {
            let capacity = length.max(2 * self.bytes.capacity()).max(limits::SMALL_BODY).min(self.most);
            // A small body takes none of the memory.
            let charge = if capacity > limits::SMALL_BODY { capacity } else { 0 };
            let (most, held) = &*self.memory;
            let before = held.fetch_add(charge - self.charged, Ordering::AcqRel);
            let is_over = charge > 0 && before + charge - self.charged > *most;
            self.charged = charge;
            if is_over || self.bytes.try_reserve_exact(capacity - self.bytes.len()).is_err() {
                let detail = "there is no memory left for the body of the request";
                return Err(Error::new(ErrorKind::Full, detail));
            }
        }
        self.bytes.extend_from_slice(bytes);
        Ok(())
    }
}

impl Drop for ArrivingBody {
    fn drop(&mut self) {
        self.memory.1.fetch_sub(self.charged, Ordering::AcqRel);
    }
}

/// The length of a chunk, by the line in front of it with its end.
fn chunk_length(line: &[u8]) -> Result<u64, Error> {
    match parse_chunk_size(line) {
        Ok(Status::Complete((_, length))) if line[0].is_ascii_hexdigit() => Ok(length),
        _ => Err(malformed("a chunk of the body has no length")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_chunk_has_a_length_in_hexadecimal_digits_alone() {
        for (line, expected) in
            [("0", 0), ("1a", 26), ("1A;x=\"y\"", 26), ("5 ;x", 5), ("00000000000000ff", 255)]
        {
            assert_eq!(chunk_length(format!("{line}\r\n").as_bytes()).ok(), Some(expected), "{line}");
        }
        for line in ["", "g", "0x1", "+1", "-1", " 1", "1 1", "1x", ";", "11111111111111111"] {
            assert!(chunk_length(format!("{line}\r\n").as_bytes()).is_err(), "{line}");
        }
    }

    /// A body that holds so many bytes, charged to this memory.
    fn body(memory: &Arc<(usize, AtomicUsize)>, length: usize) -> Result<ArrivingBody, Error> {
        let memory = Arc::clone(memory);
        let mut body = ArrivingBody { bytes: Vec::new(), memory, charged: 0, most: usize::MAX };
        body.append(&vec![b'x'; length]).map(|()| body)
    }

    #[test]
    fn what_is_not_to_be_had_is_refused_and_all_is_given_back() {
        const SMALL: usize = limits::SMALL_BODY;
        let memory = Arc::new((10 * SMALL, AtomicUsize::new(0)));
        let one = body(&memory, 6 * SMALL).expect("there is room");
        assert!(body(&memory, 5 * SMALL).is_err());
        let other = body(&memory, 4 * SMALL).expect("there is room");
        assert!(body(&memory, SMALL + 1).is_err());
        assert!(body(&memory, SMALL).is_ok(), "a small one always finds room");
        drop((one, other));
        assert!(body(&memory, 10 * SMALL + 1).is_err());
        assert!(body(&memory, 10 * SMALL).is_ok());
        assert_eq!(memory.1.load(Ordering::Acquire), 0);
    }
}
