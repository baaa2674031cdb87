//! The HTTP API: the handler without a socket, the sockets, the client.

mod handler;
mod live;
