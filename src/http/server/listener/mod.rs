//! The public sockets. tiny_http cannot face a network alone: it believes every length it is told,
//! reads ahead without bound, knows no time-out, and its accept thread ends at the first error. So
//! it sits behind this listener, and sees only whole requests, one a connection.
//!
//! ```text
//! accept → slot → [TLS] → head → admitted? → body → tiny_http → answer → next request, or the end
//! ```
//!
//! One thread a connection, strictly sequential and blocking: what one client does or fails to do
//! costs its own slot, for as long as `limits` says, or until `admission` gives it to another one.
//! Users of this machine, on the Unix socket, have slots of their own. The listener knows no operation and no
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
mod http_server;
mod incoming;
pub mod limits;
mod origin;
mod refuse;
mod relay;
mod scan;
mod shared;
mod socket;
mod stream;
mod tally;
mod upstream;

pub use http_server::HttpServer;
pub use limits::{Deadlines, Limits};
pub use shared::{Admits, Listener};

/// The head of a request and what becomes of it, without a socket: `fuzz/` feeds it whatever bytes
/// it finds. No part of the interface.
#[doc(hidden)]
pub mod heads {
    pub use super::head::{Framing, Parsed, parse};
    pub use super::scan::{Progress, Scan};
    pub use super::upstream::canonical;
}
