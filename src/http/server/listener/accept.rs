//! Accepts connections and gives them slots. No error of one connection stops it.

use std::io;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::thread;
use std::time::{Duration, Instant};

use rustix::net::Shutdown;

use super::admission::NoSlot;
use super::connection::serve;
use super::connection_table::{ConnectionTable, NewConnection, Slot};
use super::deadline::Deadline;
use super::refuse::{MADE_ROOM, Rejection};
use super::shared::{Listener, Shared};
use super::socket::{Socket, Timed};
use super::stream::Stream;
use super::tally::ClosedCount;
use crate::error::ErrorKind;
use crate::http::server::message::PeerAddress;
use crate::store::file::SocketPeer;

/// The pause after a connection could not be accepted.
const PAUSE: Duration = Duration::from_millis(50);

/// The length of the queue of the system for connections that are not accepted yet.
const QUEUE: i32 = 1024;

/// The shortest time between two log lines about failed accepts.
const LOG_INTERVAL: Duration = Duration::from_secs(1);

/// The number of threads that refuse connections for lack of a slot, and wait until the client has read
/// the response. Further connections are refused without waiting, or just closed if they speak TLS.
const TURNING_AWAY: usize = 16;

/// The time for the TLS handshake and the response of a connection that gets no slot.
const TURN_AWAY_TIME: Duration = Duration::from_secs(2);

impl Listener {
    fn accept(&self) -> io::Result<(Socket, PeerAddress)> {
        match self {
            Self::Tcp(listener) => {
                let (stream, from) = listener.accept()?;
                // Responses are written in large pieces, so nothing is gained by waiting for more. The
                // call fails only on a connection that has ended.
                let _ = stream.set_nodelay(true);
                Ok((Socket(stream.into()), PeerAddress::Address(from.ip().to_canonical())))
            }
            Self::Unix { listener, .. } => {
                let (stream, _) = listener.accept()?;
                let uid = SocketPeer::from_socket(&stream)?.user;
                Ok((Socket(stream.into()), PeerAddress::Uid(uid)))
            }
        }
    }

    /// True if the process at the other end of a Unix socket may use it. TCP peers show a password
    /// instead.
    fn lets_in(&self, socket: &Socket) -> bool {
        match self {
            Self::Tcp(_) => true,
            Self::Unix { admits, .. } => SocketPeer::from_socket(&socket.0).is_ok_and(|peer| admits(&peer)),
        }
    }

    fn is_secured_by(&self, shared: &Shared) -> bool {
        matches!(self, Self::Tcp(_)) && shared.tls.is_some()
    }

    /// Makes the queue of the system long enough for a burst. It can fail only for a socket that does not
    /// listen.
    pub(super) fn lengthen_queue(&self) {
        let _ = match self {
            Self::Tcp(listener) => rustix::net::listen(listener, QUEUE),
            Self::Unix { listener, .. } => rustix::net::listen(listener, QUEUE),
        };
    }

    /// Ends the accept loop on this socket. It can fail only if the socket is closed already.
    pub(super) fn shut(&self) {
        let _ = match self {
            Self::Tcp(listener) => rustix::net::shutdown(listener, Shutdown::Both),
            Self::Unix { listener, .. } => rustix::net::shutdown(listener, Shutdown::Both),
        };
    }
}

/// Accepts connections until the server stops.
pub fn accept(shared: &Arc<Shared>, listen: &Listener) {
    let slots = shared.slots_of(listen);
    let mut logged: Option<Instant> = None;
    while !slots.stopping() {
        match listen.accept() {
            Ok((socket, peer)) => let_in(shared, listen, Arc::new(socket), peer),
            Err(_) if slots.stopping() => return,
            // The client closed the connection, or a signal came.
            Err(error) if is_passing(&error) => {}
            Err(error) => {
                if logged.is_none_or(|logged| logged.elapsed() >= LOG_INTERVAL) {
                    logged = Some(Instant::now());
                    let detail = format!("a connection could not be accepted: {error}");
                    shared.service.refused(None, 503, &detail);
                }
                thread::sleep(PAUSE);
            }
        }
    }
}

fn is_passing(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::ConnectionAborted | io::ErrorKind::Interrupted)
}

fn let_in(shared: &Arc<Shared>, listen: &Listener, socket: Arc<Socket>, peer: PeerAddress) {
    let visitor = NewConnection { socket, peer, secured: listen.is_secured_by(shared) };
    if !listen.lets_in(&visitor.socket) {
        let detail = "this user may not write the configuration, so the socket is closed to them";
        let refusal = Rejection::new(ErrorKind::Unauthorized, detail).with_status(403);
        shared.report(peer, &refusal);
        return turn_away(shared, visitor, refusal);
    }
    let slots = shared.slots_of(listen);
    slots.arrive(visitor);
    if settle(shared, slots).is_some() {
        slots.wake();
    }
}

/// Serves the queue of waiting connections until the server stops.
pub fn admit(shared: &Arc<Shared>, slots: &Arc<ConnectionTable>) {
    let mut again = None;
    while slots.wait_for_change(again) {
        again = settle(shared, slots);
    }
    shared.write_tally(ClosedCount::take_all);
}

/// Admits or refuses waiting connections; returns the time of the next check.
fn settle(shared: &Arc<Shared>, slots: &Arc<ConnectionTable>) -> Option<Instant> {
    let settled = ConnectionTable::settle(slots);
    let now = Instant::now();
    for (slot, visitor) in settled.admitted {
        start(shared, slot, visitor);
    }
    for peer in settled.evicted {
        shared.tally.add(MADE_ROOM, peer, now);
    }
    for (visitor, no_slot) in settled.refused {
        shared.tally.add(reason(no_slot), visitor.peer, now);
        turn_away(shared, visitor, Rejection::new(ErrorKind::Full, reason(no_slot)));
    }
    shared.write_tally(|tally| tally.take_due(now));
    settled.again.into_iter().chain(shared.tally.due()).min()
}

fn reason(no_slot: NoSlot) -> &'static str {
    match no_slot {
        NoSlot::Full => "all connections are taken",
        NoSlot::AddressFull => "all connections that one address may have are taken",
    }
}

fn start(shared: &Arc<Shared>, slot: Slot, visitor: NewConnection) {
    let (own, peer) = (Arc::clone(shared), visitor.peer);
    let run = move || serve(&own, slot, visitor);
    if thread::Builder::new().name("connection".to_owned()).spawn(run).is_err() {
        shared.tally.add("cannot spawn a thread for the connection", peer, Instant::now());
    }
}

fn turn_away(shared: &Arc<Shared>, visitor: NewConnection, refusal: Rejection) {
    if visitor.secured && visitor.is_silent() {
        // No handshake could report it.
        return;
    }
    let own = Arc::clone(shared);
    if own.turning_away.fetch_add(1, Ordering::AcqRel) >= TURNING_AWAY {
        own.turning_away.fetch_sub(1, Ordering::AcqRel);
        return turn_away_at_once(visitor, &refusal);
    }
    let run = move || {
        turn_away_in_time(&own, visitor, &refusal);
        own.turning_away.fetch_sub(1, Ordering::AcqRel);
    };
    if thread::Builder::new().name("turn away".to_owned()).spawn(run).is_err() {
        shared.turning_away.fetch_sub(1, Ordering::AcqRel);
    }
}

fn turn_away_in_time(shared: &Shared, visitor: NewConnection, refusal: &Rejection) {
    let deadline = Deadline::after(TURN_AWAY_TIME);
    let stream = match shared.tls_for(&visitor) {
        None => Ok(Stream::plain(visitor.socket, deadline)),
        Some(tls) => Stream::handshake(tls.config(), Timed::new(visitor.socket, deadline), || ()),
    };
    if let Ok(mut stream) = stream {
        refusal.write_to(&mut stream);
        stream.linger(Deadline::after(shared.deadlines.linger), shared.limits.linger);
    }
}

fn turn_away_at_once(visitor: NewConnection, refusal: &Rejection) {
    if !visitor.secured {
        visitor.socket.shut(Shutdown::Read);
        refusal.write_last(Stream::plain(visitor.socket, Deadline::after(Duration::ZERO)));
    }
}
