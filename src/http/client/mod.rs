//! The client of any server of this API, over TCP, TLS or a Unix socket.
//!
//! `api_client` sends one request and says whether it may have been applied, because scripts depend on
//! that ([`ClientError`]). `session` asks users for credentials, and knows whether the server has
//! this API. `service` is what commands work on; it also has what servers with the four operations alone need.
//!
//! *Invariants.* Credentials are in the `Authorization` header and nowhere else: no error, no
//! `Debug` and no URL holds them. Redirects are not followed. Sockets and TLS roots are made when the
//! first request is sent: most commands need none.

mod api_client;
mod endpoint;
mod error;
mod service;
mod session;
mod tls;

pub use api_client::{AnswerSize, ApiCall, Client, ClientSettings, Credentials, DEFAULT_TIMEOUT, Reply};
pub use endpoint::{BadUrl, Endpoint, UserInfo, without_userinfo};
pub use error::{ClientError, TlsFault};
pub use service::RemoteService;
pub use session::Host;
pub use tls::TlsTrust;
