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
//! To be read in this order: `message` (a request and its answer), [`problem`], [`wire`], [`parameters`]
//! and [`route`] (what the API has, in tables), `openapi` (the tables for programs), [`handler`] with its `operations` and `refusal` (errors of the engine as problems), [`gate`], then [`client`].
//!
//! *Invariants.* No terminals. I/O is in `gate`, `server` and `client` only. A secret is in no log
//! line, no problem document and no header that is sent.

#[allow(clippy::disallowed_methods, reason = "the sockets of requests that are sent are this module's")]
pub mod client;
pub mod message;
pub mod problem;
pub mod route;
pub mod wire;

#[allow(clippy::disallowed_methods, reason = "what counts against a client counts for a time")]
pub mod auth;
mod form;
pub mod log;
pub mod network;
pub mod parameters;
mod refusal;

#[allow(clippy::disallowed_methods, reason = "figures of the process and its file systems")]
pub mod runtime;

#[allow(clippy::disallowed_methods, reason = "a log line has a time")]
pub mod handler;
mod history;
pub mod openapi;
mod operations;

#[allow(clippy::disallowed_methods, reason = "certificate and key are files")]
pub mod tls;

#[allow(clippy::disallowed_methods, reason = "the private socket; clocks are for its end")]
pub mod server;

#[allow(clippy::disallowed_methods, reason = "the public sockets; clocks are for their deadlines")]
pub mod gate;

pub use operations::remark_word;
