//! The public sockets. tiny_http cannot face a network alone: it believes every length it is told,
//! reads ahead without bound, knows no time-out, and its accept thread ends at the first error. So
//! it sits behind this gate, and sees only whole requests, one a connection.
//!
//! ```text
//! accept → slot → [TLS] → head → admitted? → body → tiny_http → answer → next request, or the end
//! ```
//!
//! One thread a connection, strictly sequential and blocking: what one client does or fails to do
//! costs its own slot, for as long as `limits` says, or until `admission` gives it to another one.
//! Users of this machine, on the Unix socket, have slots of their own. The gate knows no operation and no
//! configuration; it asks its [`Service`] whether a body is wanted, and nothing else.
//!
//! *Invariants.* Memory is bounded by the slots and the budget of the bodies, whatever a client
//! announces. Every wait has a deadline. No error ends the accepting.

mod accept;
mod admission;
mod body;
mod budget;
mod connection;
mod connection_table;
mod deadline;
mod head;
mod incoming;
pub mod limits;
mod origin;
mod refuse;
mod relay;
mod scan;
mod socket;
mod stream;
mod tally;
mod upstream;

use std::fmt;
use std::io;
use std::net::TcpListener;
use std::os::unix::net::UnixListener;
use std::sync::Arc;
use std::sync::atomic::AtomicUsize;
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use self::budget::Budget;
use self::connection_table::{ConnectionTable, NewConnection};
pub use self::limits::{Deadlines, Limits};
use self::refuse::Rejection;
use self::tally::ClosedCount;
use crate::http::protocol::problem::ProblemKind;
use crate::http::server::backend::{Backend, BackendFault};
use crate::http::server::message::{PeerAddress, Service};
use crate::http::server::tls::Tls;
use crate::store::SocketPeer;

/// The head of a request and what becomes of it, without a socket: `fuzz/` feeds it whatever bytes
/// it finds. No part of the interface.
#[doc(hidden)]
pub mod heads {
    pub use super::head::{Framing, Parsed, parse};
    pub use super::scan::{Progress, Scan};
    pub use super::upstream::canonical;
}

/// How long connections that were closed under their threads are waited for.
const CLOSING_TIME: Duration = Duration::from_secs(1);

/// Says whether a process may use a Unix socket.
#[derive(Clone)]
pub struct Admits(Arc<dyn Fn(&SocketPeer) -> bool + Send + Sync>);

impl Admits {
    /// Asks `rule` about each process that connects.
    pub fn by(rule: impl Fn(&SocketPeer) -> bool + Send + Sync + 'static) -> Self {
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
pub enum Listener {
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
struct Shared {
    service: Arc<dyn Service>,
    engine: Backend,
    tls: Option<Arc<Tls>>,
    /// Of the network.
    slots: Arc<ConnectionTable>,
    /// Of the Unix socket.
    local: Arc<ConnectionTable>,
    tally: ClosedCount,
    bodies: Budget,
    turning_away: AtomicUsize,
    limits: Limits,
    deadlines: Deadlines,
}

impl Shared {
    fn report(&self, peer: PeerAddress, refusal: &Rejection) {
        self.service.refused(Some(peer), refusal.status, &refusal.detail);
    }

    /// Without a peer: the log counts the repeats of one, and the number is what the line is for.
    fn write_tally(&self, take: impl FnOnce(&ClosedCount) -> Vec<String>) {
        for line in take(&self.tally) {
            self.service.refused(None, ProblemKind::Full.status(), &line);
        }
    }

    fn slots_of(&self, listen: &Listener) -> &Arc<ConnectionTable> {
        match listen {
            Listener::Tcp(_) => &self.slots,
            Listener::Unix { .. } => &self.local,
        }
    }

    fn all_slots(&self) -> [&Arc<ConnectionTable>; 2] {
        [&self.slots, &self.local]
    }

    fn tls_for(&self, visitor: &NewConnection) -> Option<&Tls> {
        self.tls.as_deref().filter(|_| visitor.secured)
    }
}

/// A running server. It runs until it is stopped, or the process ends.
pub struct HttpServer {
    gate: Arc<Shared>,
    listeners: Vec<Arc<Listener>>,
    threads: Vec<JoinHandle<()>>,
}

impl HttpServer {
    /// Answers on all these sockets. Fails if there is no place for the private socket of
    /// tiny_http, or no thread.
    pub fn start(
        service: Arc<dyn Service>,
        listeners: Vec<Listener>,
        tls: Option<Arc<Tls>>,
        limits: Limits,
        deadlines: Deadlines,
    ) -> io::Result<Self> {
        Self::start_with(None, service, listeners, tls, limits, deadlines)
    }

    /// The same, with a tiny_http that can be made to fail.
    #[doc(hidden)]
    pub fn start_with(
        lever: Option<Arc<BackendFault>>,
        service: Arc<dyn Service>,
        listeners: Vec<Listener>,
        tls: Option<Arc<Tls>>,
        limits: Limits,
        deadlines: Deadlines,
    ) -> io::Result<Self> {
        let limits = limits.within_open_files();
        let gate = Arc::new(Shared {
            engine: Backend::start(Arc::clone(&service), limits.connections + limits.local, lever)?,
            slots: Arc::new(ConnectionTable::new(
                deadlines.rules(&limits, limits.connections),
                limits.proxies.clone(),
            )),
            local: Arc::new(ConnectionTable::new(deadlines.rules(&limits, limits.local), Vec::new())),
            tally: ClosedCount::default(),
            bodies: Budget::new(limits.bodies),
            turning_away: AtomicUsize::new(0),
            service,
            tls,
            limits,
            deadlines,
        });
        let mut server = Self { gate, listeners: Vec::new(), threads: Vec::new() };
        let started = listeners.into_iter().try_for_each(|listen| server.listen(Arc::new(listen)));
        if let Err(error) = started.and_then(|()| server.admit()) {
            server.stop(Duration::ZERO);
            return Err(error);
        }
        Ok(server)
    }

    fn listen(&mut self, listen: Arc<Listener>) -> io::Result<()> {
        listen.lengthen_queue();
        let (gate, own) = (Arc::clone(&self.gate), Arc::clone(&listen));
        self.spawn("accept", move || accept::accept(&gate, &own))?;
        self.listeners.push(listen);
        Ok(())
    }

    fn admit(&mut self) -> io::Result<()> {
        for slots in self.gate.all_slots().map(Arc::clone) {
            let gate = Arc::clone(&self.gate);
            self.spawn("admission", move || accept::admit(&gate, &slots))?;
        }
        Ok(())
    }

    fn spawn(&mut self, name: &str, run: impl FnOnce() + Send + 'static) -> io::Result<()> {
        self.threads.push(thread::Builder::new().name(name.to_owned()).spawn(run)?);
        Ok(())
    }

    /// Connections at this moment.
    pub fn open_connections(&self) -> usize {
        self.gate.all_slots().into_iter().map(|slots| slots.alive()).sum()
    }

    /// The same, for who outlives the server.
    pub fn connection_count(&self) -> impl Fn() -> usize + Send + Sync + 'static {
        let slots = self.gate.all_slots().map(Arc::clone);
        move || slots.iter().map(|slots| slots.alive()).sum()
    }

    /// Accepts nobody any more, closes who waits, finishes what was read, and closes everything
    /// after `grace` at the latest.
    pub fn stop(self, grace: Duration) {
        let until = Instant::now() + grace;
        let slots = self.gate.all_slots();
        slots.iter().for_each(|slots| slots.stop());
        self.listeners.iter().for_each(|listen| listen.shut());
        self.threads.into_iter().for_each(|thread| drop(thread.join()));
        let left = || until.saturating_duration_since(Instant::now());
        slots.iter().for_each(|slots| slots.wait_for_all(left()));
        slots.iter().for_each(|slots| slots.shut_all());
        slots.iter().for_each(|slots| slots.wait_for_all(CLOSING_TIME));
        self.gate.engine.stop();
    }
}
