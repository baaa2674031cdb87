//! The HTTP API: the server in front of an engine, and the client of such a server.
//!
//! ```text
//! sockets → gate → tiny_http → server → handler (auth, route) → engine
//! client → any server of this API
//! ```
//!
//! What both ends say is in [`wire`] and [`problem`], once. The handler knows no socket and no
//! tiny_http type, and is tested without either; the gate knows no operation and no configuration.
//!
//! *Invariants.* No terminals. I/O is in `gate`, `server` and `client` only. A secret is in no log
//! line, no problem document and no header that is sent.

#[allow(clippy::disallowed_methods, reason = "the sockets of requests that are sent are this module's")]
pub mod client;
pub mod message;
pub mod problem;
pub mod wire;
