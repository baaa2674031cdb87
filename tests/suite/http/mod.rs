//! The HTTP API: the handler without a socket, the sockets, whole servers, the client.

mod asked;
mod client;
mod gate;
mod guards;
mod handler;
mod late;
pub(crate) mod live;
mod openapi;
mod past;
mod url_global;
