//! The server of the API. Read in this order: `message` (a request and its response), `handler`
//! (authenticates, routes, answers) with its `endpoints`, and `front`, which faces the network, with
//! its `workers` (tiny_http).
//!
//! The handler knows no socket and no type of tiny_http, and is tested without either; the front
//! knows no endpoint and no configuration.

#[allow(clippy::disallowed_methods, reason = "failed logins are counted for a time")]
pub mod auth;
#[allow(clippy::disallowed_methods, reason = "a change has a time until which it may be written")]
mod context;
#[allow(clippy::disallowed_methods, reason = "a request may wait for a time")]
mod endpoints;
mod entity_tag;
mod error_mapping;
mod figures;
mod form;
#[allow(clippy::disallowed_methods, reason = "a value has an age")]
mod fresh;
#[allow(clippy::disallowed_methods, reason = "opens sockets; clocks are for their deadlines")]
pub mod front;
#[allow(clippy::disallowed_methods, reason = "a log line has a time")]
pub mod handler;
pub mod log;
pub mod message;
mod metrics;
mod request_checks;
mod request_counts;
#[allow(clippy::disallowed_methods, reason = "reads figures of the process")]
pub mod runtime;
#[allow(clippy::disallowed_methods, reason = "certificate and key are files; streams have deadlines")]
pub mod tls;
mod waiting;
