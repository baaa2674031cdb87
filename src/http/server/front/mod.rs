//! The public sockets. tiny_http cannot face a network alone: it believes every declared length, reads ahead without a
//! limit, has no deadlines, and its accept thread ends at the first error. So it gets no byte of a client.
//!
//! ```text
//! accept → slot → [TLS] → head → password → body → tiny_http → answer → next request, or the end
//! ```
//!
//! Each connection has one blocking thread, so a slow client costs only its own slot, until a deadline, or until another
//! connection gets the slot (`slots`). Memory is bounded by the slots and the budgets of the bodies, whatever a client
//! declares. Every wait has a deadline. No error ends the accept loop.

mod backend;
mod connection;
pub mod head;
pub mod limits;
mod slots;

use std::io;
use std::mem;
use std::net::{SocketAddr, TcpListener};
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixListener;
use std::sync::Arc;
use std::sync::atomic::AtomicUsize;
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use rustix::net::sockopt::set_tcp_nodelay;
use rustix::net::{Shutdown, SocketFlags, acceptfrom_with};

use crate::error::{Error, ErrorKind};
use crate::http::server::message::{PeerAddress, Service};
use crate::http::server::tls::Tls;
use crate::store::file::SocketPeer;
use backend::Backend;
use connection::Shared;
use limits::Limits;
use slots::Slots;

/// The pause after a connection could not be accepted.
const PAUSE: Duration = Duration::from_millis(50);

/// The errors after which the next connection is accepted as if nothing had been.
const PASSING: [io::ErrorKind; 3] =
    [io::ErrorKind::WouldBlock, io::ErrorKind::ConnectionAborted, io::ErrorKind::Interrupted];

/// The length of the queue of the system for connections that are not accepted yet.
const QUEUE: i32 = 1024;

/// The longest time that the end waits for threads whose connections it closed.
const CLOSING_TIME: Duration = Duration::from_secs(1);

/// Decides whether a process may use a Unix socket.
pub type Admits = Box<dyn Fn(&SocketPeer) -> bool + Send + Sync>;

/// A bound socket to listen on.
pub enum Listener {
    /// TCP, with TLS if the server has a certificate.
    Tcp(TcpListener),
    /// A Unix socket, never with TLS; its peers are users of this machine.
    Unix {
        listener: UnixListener,
        /// Decides which of the processes that can open the socket may use it.
        admits: Admits,
    },
}

/// A running server. It runs until [`Self::stop`], or until the process ends.
pub struct HttpServer {
    shared: Arc<Shared>,
    listeners: Vec<Arc<OwnedFd>>,
    threads: Vec<JoinHandle<()>>,
}

impl HttpServer {
    /// Starts to answer on all these sockets.
    ///
    /// # Errors
    /// No folder for the private socket of tiny_http, or no thread.
    pub fn start(
        service: Arc<dyn Service>,
        listeners: Vec<Listener>,
        tls: Option<Arc<Tls>>,
        limits: Limits,
    ) -> io::Result<Self> {
        let limits = limits.within_open_files();
        let shared = Arc::new(Shared {
            backend: Backend::start()?,
            service,
            tls,
            slots: [limits.connections, limits.local].map(|most| Slots::new(most, &limits)),
            bodies: [limits.viewer_bodies, limits.bodies, limits.bodies]
                .map(|most| Arc::new((most, AtomicUsize::new(0)))),
            limits,
        });
        let mut server = Self { shared, listeners: Vec::new(), threads: Vec::new() };
        for listener in listeners {
            let (socket, admits) = match listener {
                Listener::Tcp(listener) => (OwnedFd::from(listener), None),
                Listener::Unix { listener, admits } => (OwnedFd::from(listener), Some(admits)),
            };
            rustix::net::listen(&socket, QUEUE)?;
            let (shared, socket) = (Arc::clone(&server.shared), Arc::new(socket));
            server.listeners.push(Arc::clone(&socket));
            let run = move || accept_all(&shared, &socket, admits.as_ref());
            server.threads.push(thread::Builder::new().name("accept".to_owned()).spawn(run)?);
        }
        Ok(server)
    }

    /// The number of open connections, for callers that outlive the server.
    pub fn connection_count(&self) -> impl Fn() -> usize + Send + Sync + 'static {
        let slots = self.shared.slots.clone();
        move || slots.iter().map(|slots| slots.alive()).sum()
    }

    /// Stops accepting, closes connections whose request is not whole, finishes the others, and closes everything after
    /// `grace` at the latest.
    pub fn stop(self, grace: Duration) {
        let until = Instant::now() + grace;
        let slots = &self.shared.slots;
        self.shared.service.stop_waiting();
        slots.iter().for_each(|slots| slots.stop());
        // It ends the accept loop, and fails only if that has ended.
        self.listeners.iter().for_each(|listener| _ = rustix::net::shutdown(listener, Shutdown::Both));
        self.threads.into_iter().for_each(|thread| drop(thread.join()));
        let left = || until.saturating_duration_since(Instant::now());
        slots.iter().for_each(|slots| slots.close_after(left()));
        slots.iter().for_each(|slots| slots.close_after(CLOSING_TIME));
        self.shared.backend.stop();
    }
}

/// Accepts connections until the server stops. No error of one connection ends it. `admits` is that of a Unix socket.
fn accept_all(shared: &Arc<Shared>, listener: &OwnedFd, admits: Option<&Admits>) {
    let slots = &shared.slots[usize::from(admits.is_some())];
    let mut has_failed = false;
    while !slots.is_stopping() {
        match accept(listener, admits.is_some()) {
            Ok((socket, peer, process)) => {
                has_failed = false;
                let is_admitted = admits.is_none_or(|admits| process.is_some_and(|process| admits(&process)));
                let_in(shared, socket, peer, is_admitted);
            }
            // The client closed the connection, or a signal came.
            Err(error) if PASSING.contains(&error.kind()) || slots.is_stopping() => {}
            Err(error) => {
                // Of failures in a row the first one is logged.
                if !mem::replace(&mut has_failed, true) {
                    let detail = format!("a connection could not be accepted: {error}");
                    shared.service.refused(None, 503, &detail);
                }
                thread::sleep(PAUSE);
            }
        }
    }
}

/// Accepts a connection; of one to a Unix socket with the process at its other end.
fn accept(listener: &OwnedFd, is_local: bool) -> io::Result<(OwnedFd, PeerAddress, Option<SocketPeer>)> {
    let (socket, from) = acceptfrom_with(listener, SocketFlags::CLOEXEC)?;
    if is_local {
        let process = SocketPeer::from_socket(&socket)?;
        return Ok((socket, PeerAddress::Uid(process.user), Some(process)));
    }
    let from = from.and_then(|from| SocketAddr::try_from(from).ok());
    let from = from.ok_or(io::ErrorKind::ConnectionAborted)?;
    // Responses are written in large pieces, so nothing is gained by waiting for more. The call fails only on a connection
    // that has ended.
    let _ = set_tcp_nodelay(&socket, true);
    Ok((socket, PeerAddress::Address(from.ip().to_canonical()), None))
}

/// Gives a connection its thread, in which it is answered, or told why it is not.
fn let_in(shared: &Arc<Shared>, socket: OwnedFd, peer: PeerAddress, is_admitted: bool) {
    let slots = &shared.slots[usize::from(matches!(peer, PeerAddress::Uid(_)))];
    let socket = Arc::new(socket);
    let slot = if is_admitted {
        slots.take(&socket, peer)
    } else {
        let detail = "this user may not write the configuration, so the socket is closed to them";
        slots.turn_away(Error { status: Some(403), ..Error::new(ErrorKind::Unauthorized, detail) })
    };
    let (Some(slot), own) = (slot, Arc::clone(shared)) else { return };
    let run = move || own.serve(slot, socket, peer);
    if thread::Builder::new().name("connection".to_owned()).spawn(run).is_err() {
        shared.service.refused(Some(peer), 503, "cannot spawn a thread for the connection");
    }
}
