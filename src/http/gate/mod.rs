//! The public sockets. tiny_http cannot face a network alone: it believes every length it is told,
//! reads ahead without bound, knows no time-out, and its accept thread ends at the first error. So
//! it sits behind this gate, and sees only whole requests, one a connection.
//!
//! ```text
//! accept → slot → [TLS] → head → admitted? → body → tiny_http → answer → next request, or the end
//! ```
//!
//! One thread a connection, strictly sequential and blocking: what one client does or fails to do
//! costs its own slot, for as long as `limits` says. The gate knows no operation and no
//! configuration; it asks its [`Service`] whether a body is wanted, and nothing else.
//!
//! *Invariants.* Memory is bounded by the slots and the budget of the bodies, whatever a client
//! announces. Every wait has a deadline. No error ends the accepting.

mod accept;
mod answer;
mod body;
mod budget;
mod connection;
mod deadline;
mod head;
mod incoming;
pub mod limits;
mod refuse;
mod relay;
mod scan;
mod slots;
mod socket;
mod stream;

use std::fmt;
use std::io;
use std::net::TcpListener;
use std::os::unix::net::UnixListener;
use std::sync::Arc;
use std::sync::atomic::AtomicUsize;
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use self::budget::Budget;
pub use self::limits::{Deadlines, Limits};
use self::refuse::Refusal;
use self::slots::Slots;
use super::message::{Peer, Service};
use super::server::{Engine, Lever};
use super::tls::Tls;
use crate::store::Peer as LocalPeer;

/// The head of a request and what becomes of it, without a socket: `fuzz/` feeds it whatever bytes
/// it finds. No part of the interface.
#[doc(hidden)]
pub mod heads {
    pub use super::answer::canonical;
    pub use super::head::{Framing, Parsed, parse};
    pub use super::scan::{Progress, Scan};
}

/// How long connections that were closed under their threads are waited for.
const CLOSING_TIME: Duration = Duration::from_secs(1);

/// Says whether a process may use a Unix socket.
#[derive(Clone)]
pub struct Admits(Arc<dyn Fn(&LocalPeer) -> bool + Send + Sync>);

impl Admits {
    /// Asks `rule` about each process that connects.
    pub fn by(rule: impl Fn(&LocalPeer) -> bool + Send + Sync + 'static) -> Self {
        Self(Arc::new(rule))
    }
}

impl fmt::Debug for Admits {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Admits(..)")
    }
}

/// A bound socket.
#[derive(Debug)]
pub enum Listen {
    /// With TLS, if the server has a certificate.
    Tcp(TcpListener),
    /// Always plain; its peers are users of this machine.
    Unix {
        /// The socket.
        listener: UnixListener,
        /// Who of those that the file system lets in.
        admits: Admits,
    },
}

/// What all threads of a server share.
struct Gate {
    service: Arc<dyn Service>,
    engine: Engine,
    tls: Option<Arc<Tls>>,
    slots: Arc<Slots>,
    bodies: Budget,
    turning_away: AtomicUsize,
    limits: Limits,
    deadlines: Deadlines,
}

impl Gate {
    fn report(&self, peer: Peer, refusal: &Refusal) {
        self.service.refused(Some(peer), refusal.status, &refusal.detail);
    }
}

/// A running server. It runs until it is stopped, or the process ends.
pub struct Server {
    gate: Arc<Gate>,
    listeners: Vec<Arc<Listen>>,
    threads: Vec<JoinHandle<()>>,
}

impl Server {
    /// Answers on all these sockets. Fails if there is no place for the private socket of
    /// tiny_http, or no thread.
    pub fn start(
        service: Arc<dyn Service>,
        listeners: Vec<Listen>,
        tls: Option<Arc<Tls>>,
        limits: Limits,
        deadlines: Deadlines,
    ) -> io::Result<Self> {
        Self::start_with(None, service, listeners, tls, limits, deadlines)
    }

    /// The same, with a tiny_http that can be made to fail.
    #[doc(hidden)]
    pub fn start_with(
        lever: Option<Arc<Lever>>,
        service: Arc<dyn Service>,
        listeners: Vec<Listen>,
        tls: Option<Arc<Tls>>,
        limits: Limits,
        deadlines: Deadlines,
    ) -> io::Result<Self> {
        let limits = limits.within_open_files();
        let gate = Arc::new(Gate {
            engine: Engine::start(Arc::clone(&service), limits.connections, lever)?,
            slots: Arc::new(Slots::new(limits.connections, limits.per_address, deadlines.patience)),
            bodies: Budget::new(limits.bodies),
            turning_away: AtomicUsize::new(0),
            service,
            tls,
            limits,
            deadlines,
        });
        let mut server = Self { gate, listeners: Vec::new(), threads: Vec::new() };
        for listen in listeners {
            if let Err(error) = server.listen(Arc::new(listen)) {
                server.stop(Duration::ZERO);
                return Err(error);
            }
        }
        Ok(server)
    }

    fn listen(&mut self, listen: Arc<Listen>) -> io::Result<()> {
        let (gate, own) = (Arc::clone(&self.gate), Arc::clone(&listen));
        let run = move || accept::accept(&gate, &own);
        self.threads.push(thread::Builder::new().name("accept".to_owned()).spawn(run)?);
        self.listeners.push(listen);
        Ok(())
    }

    /// Connections at this moment.
    pub fn open_connections(&self) -> usize {
        self.gate.slots.alive()
    }

    /// The same, for who outlives the server.
    pub fn connection_count(&self) -> impl Fn() -> usize + Send + Sync + 'static {
        let slots = Arc::clone(&self.gate.slots);
        move || slots.alive()
    }

    /// Accepts nobody any more, closes who waits, finishes what was read, and closes everything
    /// after `grace` at the latest.
    pub fn stop(self, grace: Duration) {
        let until = Instant::now() + grace;
        self.gate.slots.stop();
        self.listeners.iter().for_each(|listen| listen.shut());
        self.threads.into_iter().for_each(|thread| drop(thread.join()));
        self.gate.slots.wait_for_all(until.saturating_duration_since(Instant::now()));
        self.gate.slots.shut_all();
        self.gate.slots.wait_for_all(CLOSING_TIME);
        self.gate.engine.stop();
    }
}
