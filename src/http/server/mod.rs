//! The server of the API. Read in this order: `message` (a request and its response), `handler`
//! (authenticates, routes, answers) with one file for each kind of endpoint, and `front`, which faces the network, with
//! its `backend` (tiny_http).
//!
//! The handler knows no socket and no type of tiny_http, and is tested without either; the front
//! knows no endpoint and no configuration.

pub mod auth;
mod change;
pub mod front;
pub mod handler;
pub mod message;
mod metrics;
mod query;
mod read;
pub mod runtime;
mod status;
pub mod tls;
