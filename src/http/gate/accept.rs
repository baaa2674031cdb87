//! Takes connections, and never stops because one could not be taken.

use std::io;
use std::net::{SocketAddr, TcpListener};
use std::os::unix::net::UnixListener;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::thread;
use std::time::{Duration, Instant};

use rustix::net::Shutdown;

use super::connection::serve;
use super::deadline::Deadline;
use super::refuse::Refusal;
use super::slots::{NoSlot, Slot, Slots};
use super::socket::Socket;
use super::stream::Stream;
use super::{Gate, Listen};
use crate::http::message::Peer;
use crate::http::problem::Kind;
use crate::store::Peer as LocalPeer;

/// Between two attempts when a connection could not be taken.
const PAUSE: Duration = Duration::from_millis(50);

/// Between two log lines that say so.
const SILENCE: Duration = Duration::from_secs(1);

/// Threads that tell new connections that there is no slot. Beyond them, connections are closed
/// without a word.
const TURNING_AWAY: usize = 8;

/// For the answer to somebody who has no slot.
const TURN_AWAY_TIME: Duration = Duration::from_secs(2);

impl Listen {
    fn accept(&self) -> io::Result<(Socket, Peer)> {
        match self {
            Self::Tcp(listener) => accept_tcp(listener),
            Self::Unix { listener, .. } => accept_unix(listener),
        }
    }

    /// Whether the process at the other end of a Unix socket may use it; over TCP, the password tells.
    fn lets_in(&self, socket: &Socket) -> bool {
        match (self, socket) {
            (Self::Unix { admits, .. }, Socket::Unix(stream)) => {
                LocalPeer::of(stream).is_ok_and(|peer| (admits.0)(&peer))
            }
            _ => true,
        }
    }

    fn is_secured_by(&self, gate: &Gate) -> bool {
        matches!(self, Self::Tcp(_)) && gate.tls.is_some()
    }

    /// Wakes the thread that accepts from it, for good. That it fails means that it is closed.
    pub(super) fn shut(&self) {
        let _ = match self {
            Self::Tcp(listener) => rustix::net::shutdown(listener, Shutdown::Both),
            Self::Unix { listener, .. } => rustix::net::shutdown(listener, Shutdown::Both),
        };
    }
}

fn accept_tcp(listener: &TcpListener) -> io::Result<(Socket, Peer)> {
    let (stream, from): (_, SocketAddr) = listener.accept()?;
    // Answers are written in whole pieces; it fails only on a connection that is over already.
    let _ = stream.set_nodelay(true);
    Ok((Socket::Tcp(stream), Peer::Address(from.ip().to_canonical())))
}

fn accept_unix(listener: &UnixListener) -> io::Result<(Socket, Peer)> {
    let (stream, _) = listener.accept()?;
    let uid = LocalPeer::of(&stream)?.user;
    Ok((Socket::Unix(stream), Peer::Uid(uid)))
}

/// Accepts until the end begins.
pub fn accept(gate: &Arc<Gate>, listen: &Listen) {
    let mut said: Option<Instant> = None;
    while !gate.slots.stopping() {
        match listen.accept() {
            Ok((socket, peer)) => let_in(gate, listen, Arc::new(socket), peer),
            Err(_) if gate.slots.stopping() => return,
            // The client has gone already, or a signal came: the next one is waiting.
            Err(error) if is_passing(&error) => {}
            Err(error) => {
                if said.is_none_or(|said| said.elapsed() >= SILENCE) {
                    said = Some(Instant::now());
                    let detail = format!("a connection could not be accepted: {error}");
                    gate.service.refused(None, 503, &detail);
                }
                thread::sleep(PAUSE);
            }
        }
    }
}

fn is_passing(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::ConnectionAborted | io::ErrorKind::Interrupted)
}

fn let_in(gate: &Arc<Gate>, listen: &Listen, socket: Arc<Socket>, peer: Peer) {
    let refusal = match (listen.lets_in(&socket), Slots::take(&gate.slots, &socket, peer)) {
        (false, _) => Refusal::new(
            Kind::Unauthorized,
            "this user may not write the configuration, so the socket is closed to them",
        )
        .with_status(403),
        (true, Err(NoSlot::Full)) => Refusal::new(Kind::Full, "all connections are taken"),
        (true, Err(NoSlot::AddressFull)) => {
            Refusal::new(Kind::Full, "all connections that one address may have are taken")
        }
        (true, Ok(slot)) => return start(gate, slot, socket, peer, listen.is_secured_by(gate)),
    };
    gate.report(peer, &refusal);
    // To say it behind TLS would take a handshake, and so a slot.
    if !listen.is_secured_by(gate) {
        turn_away(gate, socket, refusal);
    }
}

fn start(gate: &Arc<Gate>, slot: Slot, socket: Arc<Socket>, peer: Peer, secured: bool) {
    let own = Arc::clone(gate);
    let run = move || serve(&own, slot, socket, peer, own.tls.as_deref().filter(|_| secured));
    if let Err(error) = thread::Builder::new().name("connection".to_owned()).spawn(run) {
        let detail = format!("there is no thread for the connection: {error}");
        gate.report(peer, &Refusal::new(Kind::Full, detail));
    }
}

fn turn_away(gate: &Arc<Gate>, socket: Arc<Socket>, refusal: Refusal) {
    let own = Arc::clone(gate);
    if own.turning_away.fetch_add(1, Ordering::AcqRel) >= TURNING_AWAY {
        own.turning_away.fetch_sub(1, Ordering::AcqRel);
        return;
    }
    let run = move || {
        let mut stream = Stream::plain(socket, Deadline::after(TURN_AWAY_TIME));
        refusal.write_to(&mut stream);
        stream.linger(Deadline::after(own.deadlines.linger), own.limits.linger);
        own.turning_away.fetch_sub(1, Ordering::AcqRel);
    };
    if thread::Builder::new().name("turn away".to_owned()).spawn(run).is_err() {
        gate.turning_away.fetch_sub(1, Ordering::AcqRel);
    }
}
