//! One connection: its requests one after the other, each read whole and answered whole. Nothing here
//! is concurrent, so a client can keep only its own thread busy.

use std::io;
use std::sync::Arc;
use std::time::{Duration, Instant};

use super::admission::{Phase, Turn};
use super::body::{BodyBytes, BodyReader};
use super::connection_table::{NewConnection, Slot};
use super::deadline::{Deadline, Pace};
use super::head::{Framing, Parsed, parse};
use super::incoming::Incoming;
use super::refuse::{ConnectionEnd, MADE_ROOM, Rejection};
use super::relay::{Afterwards, relay};
use super::scan::{Progress, Scan};
use super::shared::Shared;
use super::socket::{Socket, Timed};
use super::stream::Stream;
use crate::error::ErrorKind;
use crate::http::server::bridge::BridgeLink;
use crate::http::server::message::{HttpRequest, PeerAddress, Rank};
use crate::http::server::tls::Tls;

/// The interval at which an idle connection checks whether the server is crowded.
const CROWD_CHECK: Duration = Duration::from_secs(2);

/// The detail for a viewer whose turn did not come in time.
const NO_TURN: &str = "all connections that `view_auth` may use at a time are in use";

/// A connection that has a slot.
pub struct Connection<'g> {
    shared: &'g Shared,
    slot: Slot,
    peer: PeerAddress,
    incoming: Incoming,
    /// The way to the handler, once there was a request.
    link: Option<BridgeLink>,
    /// True if a whole head was read that no response was begun for.
    is_asked: bool,
}

/// The next step after a response.
enum NextStep {
    Request,
    Close,
}

/// Serves a connection until it ends.
pub fn serve(shared: &Shared, slot: Slot, visitor: NewConnection) {
    let peer = visitor.peer;
    let stream = match shared.tls_for(&visitor) {
        None => Ok(Stream::plain(visitor.socket, Deadline::after(shared.deadlines.idle))),
        Some(tls) => handshake(shared, &slot, visitor.socket, tls),
    };
    match stream {
        Ok(stream) => {
            let incoming = Incoming::new(stream);
            Connection { shared, slot, peer, incoming, link: None, is_asked: false }.run();
        }
        // Without TLS the client cannot be sent a response.
        Err(ConnectionEnd::Refused(refusal)) => shared.report(peer, &refusal),
        Err(ConnectionEnd::Gone) => {}
    }
}

fn handshake(shared: &Shared, slot: &Slot, socket: Arc<Socket>, tls: &Tls) -> Result<Stream, ConnectionEnd> {
    let mut timed = Timed::new(socket, Deadline::after(shared.deadlines.idle));
    wait(shared, slot, |deadline| {
        timed.deadline = deadline;
        timed.wait()
    })?;
    enter(slot, Phase::Arriving)?;
    timed.deadline = Deadline::after(shared.deadlines.handshake);
    let stream = Stream::handshake(tls.config(), timed, || slot.come_on());
    let stream = stream.map_err(|error| refused_handshake(slot, &error))?;
    enter(slot, Phase::Idle)?;
    Ok(stream)
}

fn refused_handshake(slot: &Slot, error: &io::Error) -> ConnectionEnd {
    let slow = error.kind() == io::ErrorKind::TimedOut;
    match (slot.made_room(), slow) {
        (true, _) => ConnectionEnd::Gone,
        (_, true) => Rejection::new(ErrorKind::TooSlow, "the TLS handshake was not over in time").into(),
        _ => Rejection::malformed(format!("the TLS handshake failed: {error}")).into(),
    }
}

/// Waits for the first byte of a request, as long as a connection may be idle.
fn wait(
    shared: &Shared,
    slot: &Slot,
    mut read: impl FnMut(Deadline) -> io::Result<usize>,
) -> Result<(), ConnectionEnd> {
    let since = Instant::now();
    loop {
        let most = if slot.is_crowded() { shared.deadlines.crowded_idle } else { shared.deadlines.idle };
        let left = most.saturating_sub(since.elapsed());
        match read(Deadline::after(left.min(CROWD_CHECK))) {
            Ok(1..) => return Ok(()),
            Err(error) if error.kind() == io::ErrorKind::TimedOut && !left.is_zero() => {}
            Ok(0) | Err(_) => return Err(ConnectionEnd::Gone),
        }
    }
}

fn enter(slot: &Slot, phase: Phase) -> Result<(), ConnectionEnd> {
    match slot.enter(phase) {
        true => Ok(()),
        false => Err(ConnectionEnd::Gone),
    }
}

/// The rejection of a request that the bridge has no answer to.
fn unanswered(error: &io::Error) -> Rejection {
    match error.kind() {
        io::ErrorKind::TimedOut => {
            Rejection::new(ErrorKind::EngineFailed, "the server did not answer in time").with_status(504)
        }
        _ => Rejection::new(
            ErrorKind::EngineFailed,
            format!("the backend of the server cannot be reached: {error}"),
        ),
    }
}

impl<'g> Connection<'g> {
    fn run(mut self) {
        loop {
            match self.exchange() {
                Ok(NextStep::Request) => {}
                Ok(NextStep::Close) => return self.linger(),
                Err(_) if self.slot.made_room() => return self.make_room(),
                Err(ConnectionEnd::Gone) => return,
                Err(ConnectionEnd::Refused(refusal)) => return self.refuse(&refusal),
            }
        }
    }

    fn exchange(&mut self) -> Result<NextStep, ConnectionEnd> {
        self.await_request()?;
        let mut parsed = self.read_head()?;
        self.is_asked = true;
        let shared = self.shared;
        let rank = self.judge(&parsed)?;
        let (BodyBytes { bytes, charge }, in_step) = self.read_body(&mut parsed, rank)?;
        enter(&self.slot, Phase::Busy)?;
        let request = HttpRequest { head: parsed.head, body: bytes.into() };
        let asked = shared.bridge.ask(&mut self.link, request, shared.deadlines.handler);
        let answer = asked.map_err(|error| unanswered(&error))?;
        drop(charge);
        let afterwards = match parsed.keep && in_step && self.slot.may_stay() {
            false => Afterwards::Closed,
            true if parsed.old => Afterwards::KeptAsAsked,
            true => Afterwards::Kept,
        };
        let pace = self.pace();
        self.is_asked = false;
        relay(&answer, &mut self.incoming.stream, afterwards, pace).map_err(|_| ConnectionEnd::Gone)?;
        match afterwards {
            Afterwards::Closed => Ok(NextStep::Close),
            _ => Ok(NextStep::Request),
        }
    }

    fn await_request(&mut self) -> Result<(), ConnectionEnd> {
        if self.incoming.pending().is_empty() {
            self.incoming.shrink();
            enter(&self.slot, Phase::Idle)?;
            let incoming = &mut self.incoming;
            wait(self.shared, &self.slot, |deadline| {
                incoming.stream.set_deadline(deadline);
                incoming.fill()
            })?;
        }
        enter(&self.slot, Phase::Arriving)
    }

    fn read_head(&mut self) -> Result<Parsed, ConnectionEnd> {
        let limits = &self.shared.limits;
        let mut scan = Scan::default();
        self.incoming.stream.set_deadline(Deadline::after(self.shared.deadlines.head));
        loop {
            let pending = self.incoming.pending();
            match scan.advance(pending) {
                Progress::Wrong(detail) => return Err(Rejection::malformed(detail).into()),
                Progress::Whole(start, end) if end <= limits.head => {
                    let parsed = parse(&pending[start..end], limits, self.peer)?;
                    self.incoming.consume(end);
                    return Ok(parsed);
                }
                Progress::More if pending.len() < limits.head => self.read_more_head()?,
                Progress::More | Progress::Whole(..) => {
                    let detail = format!("the head is longer than {} bytes", limits.head);
                    return Err(Rejection::head_too_large(detail).into());
                }
            }
        }
    }

    fn read_more_head(&mut self) -> Result<(), ConnectionEnd> {
        match self.incoming.fill() {
            Ok(1..) => Ok(()),
            Err(error) if error.kind() == io::ErrorKind::TimedOut => {
                Err(Rejection::new(ErrorKind::TooSlow, "the head did not arrive in time").into())
            }
            Ok(0) => Err(Rejection::malformed("the connection ended within the head").into()),
            Err(_) => Err(ConnectionEnd::Gone),
        }
    }

    /// Returns the rank of the request; with a right password, the connection renews its claim to its slot.
    /// That of a viewer waits while others use the slots of viewers.
    fn judge(&self, parsed: &Parsed) -> Result<Rank, ConnectionEnd> {
        let rank = self.shared.service.rank(&parsed.head);
        match self.slot.judge(rank, Instant::now() + self.shared.deadlines.waiting) {
            Turn::Now => Ok(rank),
            Turn::Later => Err(Rejection::new(ErrorKind::Full, NO_TURN).into()),
            Turn::Lost => Err(ConnectionEnd::Gone),
        }
    }

    /// Reads the body, and says whether another request can follow it. An unwanted body is skipped if it
    /// is short. A client that expects `100 Continue` may or may not send the body after another
    /// response, so after that no request can follow.
    fn read_body(&mut self, parsed: &mut Parsed, rank: Rank) -> Result<(BodyBytes<'g>, bool), ConnectionEnd> {
        let (shared, admitted) = (self.shared, rank > Rank::Stranger);
        let nothing = BodyBytes::new(&shared.bodies, rank);
        if parsed.framing == Framing::Empty {
            return Ok((nothing, true));
        }
        if admitted {
            enter(&self.slot, Phase::Busy)?;
        }
        let pace = self.pace();
        let body = BodyReader::new(&mut self.incoming, parsed.framing, pace);
        if admitted {
            return Ok((body.keep(&shared.limits, nothing, parsed.expects_continue)?, true));
        }
        parsed.head.unread = true;
        let in_step = !parsed.expects_continue && body.discard(shared.limits.unread)?;
        Ok((nothing, in_step))
    }

    fn pace(&self) -> Pace {
        Pace::start(self.shared.deadlines.transfer, self.shared.deadlines.rate)
    }

    /// Sends a client whose request is arriving, or waits, a response that its slot was needed. A client that
    /// sent nothing expects no response.
    fn make_room(self) {
        if self.is_asked || !self.incoming.pending().is_empty() {
            Rejection::new(ErrorKind::Full, MADE_ROOM).write_last(self.incoming.stream);
        }
    }

    fn refuse(mut self, refusal: &Rejection) {
        self.shared.report(self.peer, refusal);
        // A client that does not read would delay the response, and so the release of the slot.
        if !self.slot.enter(Phase::Busy) {
            return;
        }
        self.incoming.stream.set_deadline(Deadline::after(self.shared.deadlines.transfer));
        refusal.write_to(&mut self.incoming.stream);
        self.linger();
    }

    /// Reads the rest of what the client sends, unless the slot is needed.
    fn linger(mut self) {
        let most = if self.slot.enter(Phase::Idle) { self.shared.limits.linger } else { 0 };
        self.incoming.stream.linger(Deadline::after(self.shared.deadlines.linger), most);
    }
}
