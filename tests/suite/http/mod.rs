//! The HTTP API: the handler without a socket, the sockets, whole servers, the client.

mod client;
mod gate;
mod handler;
mod live;
mod openapi;
