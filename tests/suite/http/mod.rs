//! The HTTP API over real sockets.

mod client;
