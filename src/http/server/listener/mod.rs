//! The public sockets. tiny_http cannot face a network alone: it believes every announced length, reads
//! ahead without a limit, has no timeouts, and its accept thread ends at the first error. So it sits
//! behind this listener, as the bridge to the workers, and gets no byte of a client.
//!
//! ```text
//! accept → slot → [TLS] → head → admitted? → body → bridge → answer → next request, or the end
//! ```
//!
//! Each connection has one blocking thread: a slow client costs only its own slot, for as long as
//! `limits` says, or until `admission` gives the slot to another connection. Users of this machine,
//! on the Unix socket, have slots of their own. The listener knows no endpoint and no configuration;
//! it only asks its `Service` whether a body is wanted.
//!
//! *Invariants.* Memory is bounded by the slots and the budget of the bodies, whatever a client
//! announces. Every wait has a deadline. No error ends the accept loop.

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

pub use http_server::HttpServer;
pub use limits::{Deadlines, Limits};
pub use shared::Listener;

/// The parser of request heads, without a socket, for `fuzz/`. No part of the interface.
#[doc(hidden)]
pub mod heads {
    pub use super::head::{Framing, Parsed, parse};
    pub use super::scan::{Progress, Scan};
}
