//! The HTTP API: the vocabulary of both ends (`api`, `notes`, `problem`), the server in front of an engine, and the
//! client of such a server.
//!
//! ```text
//! sockets → front, with tiny_http → handler (auth, routes) → endpoints → engine
//! client → any server of this API
//! console → what `serve --console` answers to a browser, which then is such a client
//! ```
//!
//! *Invariants.* No terminals. I/O is in `server` and `client` only. A secret is in no log line, no
//! problem document and no header that is sent. Server and client know the vocabulary, not each other.

pub mod api;
#[allow(clippy::disallowed_methods, reason = "a client opens sockets and waits for answers")]
pub mod client;
pub mod console;
pub mod notes;
pub mod problem;
#[allow(clippy::disallowed_methods, reason = "it opens sockets; all waits have deadlines")]
pub mod server;
