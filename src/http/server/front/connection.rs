//! A connection that has a slot: its requests one after the other, each read whole and answered whole.

use std::io::{self, Read, Write};
use std::os::fd::OwnedFd;
use std::sync::Arc;
use std::time::{Duration, Instant};

use bytes::{Buf, BytesMut};

use super::head::{Framing, Parsed, head_end, head_too_large, malformed, parse};
use super::limits::{self, Budget, Charge, Limits, Slot, Slots};
use super::workers::Workers;
use crate::error::{Error, ErrorKind};
use crate::http::api::on_every_response;
use crate::http::problem::{MEDIA_TYPE, Problem};
use crate::http::server::message::{HttpRequest, PeerAddress, Rank, Response, Service};
use crate::http::server::tls::{Stream, Timed, Tls};

/// The time for telling a connection that it gets no slot.
const TURN_AWAY_TIME: Duration = Duration::from_secs(2);

/// The time for the response to a connection that lost its slot.
const LAST_TIME: Duration = Duration::from_millis(50);

/// The number of bytes to read or write at a time.
const PIECE: usize = 16 * 1024;

/// The longest line in front of a chunk: its length, and extensions, which are ignored.
const CHUNK_LINE: usize = 1024;

/// The most digits of the length of a chunk: what fits 64 bits.
const CHUNK_DIGITS: usize = 16;

/// What a connection hears that lost its slot.
pub const MADE_ROOM: &str = "the connection was closed to make room for a new one";
const NO_TURN: &str = "all connections that `view_auth` may use at a time are in use";

/// What all connections of a server share.
pub struct Shared {
    pub service: Arc<dyn Service>,
    pub workers: Arc<Workers>,
    pub tls: Option<Arc<Tls>>,
    pub limits: Limits,
    /// The slots of connections over the network, and of those over the Unix socket.
    pub slots: [Arc<Slots>; 2],
    /// The memory for bodies of viewers, of editors, and of users of the Unix socket.
    pub bodies: [Budget; 3],
}

/// The way in which a connection ends early: with a response that says why, or silently, because the client is gone or has
/// sent no request.
type End = Option<Error>;

impl Shared {
    /// The room for a body of this sender.
    fn body(&self, peer: PeerAddress, rank: Rank) -> ArrivingBody<'_> {
        let [of_viewers, of_editors, of_local] = &self.bodies;
        let (budget, most) = match (peer, rank) {
            (PeerAddress::Uid(_), _) => (of_local, self.limits.body),
            (_, Rank::Editor) => (of_editors, self.limits.body),
            (_, Rank::Viewer) => (of_viewers, limits::VIEWER_BODY.min(self.limits.body)),
            (_, Rank::Stranger) => (of_viewers, limits::SMALL_BODY),
        };
        ArrivingBody { bytes: Vec::new(), charge: budget.charge(), most }
    }

    fn tls_for(&self, peer: PeerAddress) -> Option<&Tls> {
        self.tls.as_deref().filter(|_| matches!(peer, PeerAddress::Address(_)))
    }

    /// Tells a connection why it gets no slot.
    pub fn turn_away(&self, socket: Arc<OwnedFd>, peer: PeerAddress, problem: &Error) {
        if let Ok(mut stream) = Stream::open(self.tls_for(peer), Timed::new(socket, TURN_AWAY_TIME)) {
            write_problem(&mut stream, problem);
            stream.linger(limits::LINGER);
        }
    }

    /// Answers the requests of a connection that has a slot.
    pub fn serve(&self, slot: Slot, socket: Arc<OwnedFd>, peer: PeerAddress) {
        let tls = self.tls_for(peer);
        if tls.is_some() && !matches!(Timed::new(Arc::clone(&socket), limits::IDLE_TIME).wait(), Ok(1..)) {
            return;
        }
        match Stream::open(tls, Timed::new(socket, self.limits.head_time)) {
            Ok(stream) => {
                slot.renew();
                Connection { shared: self, slot, peer, stream, pending: BytesMut::new(), is_asked: false }
                    .run();
            }
            Err(_) if slot.is_lost() => {}
            // Without TLS the client cannot be sent a response.
            Err(error) if error.kind() == io::ErrorKind::TimedOut => {
                self.service.refused(Some(peer), 408, "the TLS handshake was not over in time");
            }
            Err(error) => {
                self.service.refused(Some(peer), 400, &format!("the TLS handshake failed: {error}"))
            }
        }
    }
}

/// A connection, and what was read from it.
struct Connection<'f> {
    shared: &'f Shared,
    slot: Slot,
    peer: PeerAddress,
    stream: Stream,
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
                Err(_) if self.slot.is_lost() => return self.make_room(),
                Err(None) => return,
                Err(Some(problem)) => return self.refuse(&problem),
            }
        }
    }

    /// Answers one request; true if another one may follow.
    fn exchange(&mut self) -> Result<bool, End> {
        let limits = &self.shared.limits;
        let begin = self.await_request()?;
        self.stream.set_times(begin + limits.head_time, limits.head_time);
        let Parsed { mut head, framing, keep, expects_continue, old } = self.read_head()?;
        self.is_asked = true;
        let rank = self.shared.service.rank(&head);
        if !self.slot.judge(rank) {
            return Err(Error::new(ErrorKind::Full, NO_TURN).into());
        }
        self.stream.set_times(begin + limits.request_time, limits.transfer_time);
        // The password comes before the body: an unwanted body is only skipped, if it is short. A client that waits for
        // `100 Continue` and gets another response may send the body or not.
        head.unread = rank == Rank::Stranger && framing != Framing::Empty;
        let mut body = self.shared.body(self.peer, rank);
        let mut in_step = !head.unread || !expects_continue;
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
        let is_head = head.method == "HEAD";
        let ArrivingBody { bytes, charge, .. } = body;
        let answer = self.shared.workers.ask(HttpRequest { head, body: bytes.into() });
        drop(charge);
        let answer = answer.map_err(|error| unanswered(&error))?;
        self.is_asked = false;
        let keep = keep && in_step && !self.shared.slots[0].is_stopping();
        let words = match (keep, old) {
            (false, _) => "Connection: close\r\n",
            (true, true) => "Connection: keep-alive\r\n",
            (true, false) => "",
        };
        self.send(answer, words, is_head).map_err(|_| None)?;
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
            self.stream.set_times(Instant::now() + limits::IDLE_TIME, limits::IDLE_TIME);
            if !matches!(self.fill(), Ok(1..)) {
                return Err(None);
            }
        }
    }

    fn read_head(&mut self) -> Result<Parsed, End> {
        let mut seen = 0;
        loop {
            let end = head_end(&self.pending, seen)?;
            if end.unwrap_or(self.pending.len() + 1) > limits::HEAD {
                let detail = format!("the head is longer than {} bytes", limits::HEAD);
                return Err(head_too_large(detail).into());
            }
            if let Some(end) = end {
                let parsed = parse(&self.pending[..end], self.peer)?;
                self.pending.advance(end);
                return Ok(parsed);
            }
            seen = self.pending.len();
            self.read_more("head")?;
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
            Ok(0) => Err(malformed(format!("the connection ended within the {part}")).into()),
            Err(error) if error.kind() == io::ErrorKind::TimedOut => {
                let detail = format!("the {part} did not arrive in time");
                Err(Error::new(ErrorKind::TooSlow, detail).into())
            }
            Err(_) => Err(None),
        }
    }

    fn read_body(
        &mut self,
        framing: Framing,
        expects_continue: bool,
        body: &mut ArrivingBody<'_>,
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
    fn pass_chunks(&mut self, body: &mut ArrivingBody<'_>) -> Result<(), End> {
        loop {
            match chunk_length(&self.line()?)? {
                0 => break,
                length => self.pass(length, body)?,
            }
            if !self.line()?.is_empty() {
                return Err(malformed("a chunk of the body is longer than it says").into());
            }
        }
        let mut trailers = 0;
        while trailers <= limits::HEAD {
            match self.line()?.len() {
                0 => return Ok(()),
                length => trailers += length,
            }
        }
        Err(head_too_large("the trailers of the body are too long").into())
    }

    fn pass(&mut self, length: u64, body: &mut ArrivingBody<'_>) -> Result<(), End> {
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

    /// A line between chunks: visible characters and white space. Some readers would end it at a control character.
    fn line(&mut self) -> Result<Vec<u8>, End> {
        loop {
            if let Some(end) = self.pending.iter().position(|byte| *byte == b'\n') {
                let line = self.pending.split_to(end + 1);
                let line = line[..end].strip_suffix(b"\r").ok_or_else(|| {
                    malformed("a line between the chunks of the body ends without a carriage return")
                })?;
                return match line.iter().any(|byte| byte.is_ascii_control() && *byte != b'\t') {
                    true => {
                        Err(malformed("a control character stands between the chunks of the body").into())
                    }
                    false => Ok(line.to_vec()),
                };
            }
            if self.pending.len() > CHUNK_LINE {
                return Err(malformed("a line between the chunks of the body has no end").into());
            }
            self.read_more("body")?;
        }
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
        self.stream.set_times(Instant::now() + time, limits.transfer_time);
        // A short response is one packet.
        let (with_head, rest) = body.split_at(body.len().min(PIECE));
        head.extend_from_slice(with_head);
        self.stream.write_all(&head)?;
        rest.chunks(PIECE).try_for_each(|piece| self.stream.write_all(piece))?;
        self.stream.flush()
    }

    /// Sends a client whose request is arriving, or waits, a response that its slot was needed. A client that
    /// sent nothing expects no response.
    fn make_room(mut self) {
        if self.is_asked || !self.pending.is_empty() {
            self.stream.set_times(Instant::now() + LAST_TIME, LAST_TIME);
            write_problem(&mut self.stream, &Error::new(ErrorKind::Full, MADE_ROOM));
            self.stream.linger(PIECE);
        }
    }

    fn refuse(mut self, problem: &Error) {
        let status = problem.status.unwrap_or(problem.kind.status());
        self.shared.service.refused(Some(self.peer), status, &problem.message);
        // A client that does not read would delay the response, and so the release of the slot.
        if self.slot.work() {
            let time = self.shared.limits.transfer_time;
            self.stream.set_times(Instant::now() + time, time);
            write_problem(&mut self.stream, problem);
            self.linger();
        }
    }

    /// Reads the rest of what the client sends, unless the slot is needed.
    fn linger(mut self) {
        let most = if self.slot.rest() { limits::LINGER } else { 0 };
        self.stream.set_times(Instant::now() + limits::LINGER_TIME, limits::LINGER_TIME);
        self.stream.linger(most);
    }
}

/// A body while it comes.
struct ArrivingBody<'b> {
    bytes: Vec<u8>,
    charge: Charge<'b>,
    most: usize,
}

impl ArrivingBody<'_> {
    /// Refuses a body that is, or gets, too long.
    fn check(&self, length: u64) -> Result<(), Error> {
        let most = self.most;
        let too_large = || Error::new(ErrorKind::TooLarge, format!("the body is longer than {most} bytes"));
        if length > most as u64 { Err(too_large()) } else { Ok(()) }
    }

    fn append(&mut self, bytes: &[u8]) -> Result<(), Error> {
        let length = self.bytes.len() + bytes.len();
        self.check(length as u64)?;
        let capacity = length.max(2 * self.bytes.capacity()).max(limits::SMALL_BODY).min(self.most);
        let has_room = length <= self.bytes.capacity()
            || self.charge.grow_to(capacity)
                && self.bytes.try_reserve_exact(capacity - self.bytes.len()).is_ok();
        if !has_room {
            let detail = "there is no memory left for the body of the request";
            return Err(Error::new(ErrorKind::Full, detail));
        }
        self.bytes.extend_from_slice(bytes);
        Ok(())
    }
}

fn chunk_length(line: &[u8]) -> Result<u64, Error> {
    let digits = line.iter().take_while(|byte| byte.is_ascii_hexdigit()).count();
    let ends = line[digits..].trim_ascii_start().first().is_none_or(|byte| *byte == b';');
    let text = std::str::from_utf8(&line[..digits]).unwrap_or_default();
    match u64::from_str_radix(text, 16) {
        Ok(length) if ends && digits <= CHUNK_DIGITS => Ok(length),
        _ => Err(malformed("a chunk of the body has no length")),
    }
}

/// The problem of a request that no worker has an answer to.
fn unanswered(error: &io::Error) -> Error {
    match error.kind() {
        io::ErrorKind::TimedOut => Error {
            status: Some(504),
            ..Error::new(ErrorKind::EngineFailed, "the server did not answer in time")
        },
        _ => {
            let detail = format!("the backend of the server cannot be reached: {error}");
            Error::new(ErrorKind::EngineFailed, detail)
        }
    }
}

/// Writes the last response of a connection. Errors are ignored: the client is gone.
fn write_problem(stream: &mut Stream, error: &Error) {
    let problem = Problem::from(error);
    let body = problem.to_json();
    let retry = if problem.status == 503 { "Retry-After: 1\r\n" } else { "" };
    let common: String = on_every_response().map(|(name, value)| format!("{name}: {value}\r\n")).concat();
    let mut bytes = format!(
        "HTTP/1.1 {} {}\r\nContent-Type: {MEDIA_TYPE}\r\n{common}{retry}Content-Length: {}\r\nConnection: close\r\n\r\n",
        problem.status,
        tiny_http::StatusCode(problem.status).default_reason_phrase(),
        body.len()
    )
    .into_bytes();
    bytes.extend_from_slice(&body);
    let _ = stream.write_all(&bytes).and_then(|()| stream.flush());
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
