//! The HTTP API: the handler without a socket, the sockets, whole servers, the client.

mod asked;
mod based;
mod checked;
pub(crate) mod client;
mod console;
mod guards;
pub(crate) mod handler;
mod left_over;
pub(crate) mod listener;
mod live;
mod monitored;
mod openapi;
mod past;
mod status;
mod viewed;
