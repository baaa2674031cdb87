//! The HTTP API: the handler without a socket, the sockets, whole servers.

mod gate;
mod handler;
mod live;
