//! The client of any server of this API, over TCP, TLS or a Unix socket.
//!
//! `connection` sends requests, asks users for credentials, and knows whether the server has this API; `error` says of a
//! request that failed whether it may have been applied, because scripts depend on that. `service` is what commands work
//! on; `foreign` does here what servers with the four operations alone need.
//!
//! *Invariants.* Credentials are in the `Authorization` header and nowhere else: no error, no
//! `Debug` and no URL holds them. Redirects are not followed. Sockets and TLS roots are made when the
//! first request is sent: most commands need none.

mod connection;
mod endpoint;
mod error;
mod foreign;
mod service;
mod settings;
mod tls;

pub use connection::{ApiCall, Client, Host};
pub use endpoint::{Endpoint, UserInfo, without_userinfo};
pub use service::RemoteService;
pub use settings::{ByteSize, ClientSettings, Credentials, DEFAULT_TIMEOUT};
pub use tls::TlsTrust;
