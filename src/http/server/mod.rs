//! The server of the API. Read in this order: `message` (a request and its response), `handler`
//! (authenticates, routes, answers) with one file for each kind of endpoint, and `front`, which faces the network, with
//! its `backend` (tiny_http).
//!
//! The handler knows no socket and no type of tiny_http, and is tested without either; the front
//! knows no endpoint and no configuration.

#[allow(clippy::disallowed_methods, reason = "failed logins are counted for a time")]
pub mod auth;
mod change;
#[allow(clippy::disallowed_methods, reason = "opens sockets; clocks are for their deadlines")]
pub mod front;
#[allow(clippy::disallowed_methods, reason = "a change has a time until which it is written")]
pub mod handler;
pub mod message;
mod metrics;
mod query;
mod read;
#[allow(clippy::disallowed_methods, reason = "a value has an age")]
pub mod runtime;
#[allow(clippy::disallowed_methods, reason = "a request may wait for a time")]
mod status;
#[allow(clippy::disallowed_methods, reason = "certificate and key are files; streams have deadlines")]
pub mod tls;
