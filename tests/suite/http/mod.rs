//! The HTTP API: the handler without a socket, the sockets, whole servers, the client.

mod asked;
mod based;
mod bounded;
mod checked;
pub(crate) mod client;
mod compared;
mod console;
mod guards;
pub(crate) mod handler;
mod included;
mod late;
mod left_over;
mod listener;
pub(crate) mod live;
mod monitored;
mod openapi;
mod past;
mod rehearsed;
mod status;
mod url_global;
mod viewed;
