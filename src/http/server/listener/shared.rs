//! The sockets to listen on, and the state that all threads of a server share.

use std::net::TcpListener;
use std::os::unix::net::UnixListener;
use std::sync::Arc;
use std::sync::atomic::AtomicUsize;

use super::budget::Budget;
use super::connection_table::{ConnectionTable, NewConnection};
use super::limits::{Deadlines, Limits};
use super::refuse::Rejection;
use super::tally::ClosedCount;
use crate::error::ErrorKind;
use crate::http::server::bridge::Bridge;
use crate::http::server::message::{PeerAddress, Service};
use crate::http::server::tls::Tls;
use crate::store::file::SocketPeer;

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

/// The state that all threads of a server share.
pub struct Shared {
    pub service: Arc<dyn Service>,
    pub bridge: Arc<Bridge>,
    pub tls: Option<Arc<Tls>>,
    /// The slots of connections over the network.
    pub slots: Arc<ConnectionTable>,
    /// The slots of connections over the Unix socket.
    pub local: Arc<ConnectionTable>,
    pub tally: ClosedCount,
    pub bodies: Budget,
    pub turning_away: AtomicUsize,
    pub limits: Limits,
    pub deadlines: Deadlines,
}

impl Shared {
    pub fn report(&self, peer: PeerAddress, refusal: &Rejection) {
        self.service.refused(Some(peer), refusal.status, &refusal.detail);
    }

    /// Logs how many connections were closed.
    pub fn write_tally(&self, take: impl FnOnce(&ClosedCount) -> Vec<String>) {
        for line in take(&self.tally) {
            self.service.refused(None, ErrorKind::Full.status(), &line);
        }
    }

    pub fn slots_of(&self, listen: &Listener) -> &Arc<ConnectionTable> {
        match listen {
            Listener::Tcp(_) => &self.slots,
            Listener::Unix { .. } => &self.local,
        }
    }

    pub fn all_slots(&self) -> [&Arc<ConnectionTable>; 2] {
        [&self.slots, &self.local]
    }

    pub fn tls_for(&self, visitor: &NewConnection) -> Option<&Tls> {
        self.tls.as_deref().filter(|_| visitor.secured)
    }
}
