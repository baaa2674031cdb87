//! The access log: one record for each request, without secrets.

use std::time::{Duration, SystemTime};

use crate::http::protocol::routes::ApiOperation;
use crate::http::server::message::PeerAddress;
use crate::store::Revision;

/// The longest method and path in a line, in characters.
pub const MAX_PATH: usize = 200;

/// The longest detail in a line, in characters.
pub const MAX_DETAIL: usize = 1000;

/// The log record of a response.
#[derive(Debug, Clone)]
pub struct AccessRecord {
    /// The time at which the request was complete.
    pub at: SystemTime,
    /// The client; `None` for a connection that was never accepted.
    pub peer: Option<PeerAddress>,
    /// The login, if it was right: a wrong one may be a password in the wrong place.
    pub login: Option<String>,
    /// The method; empty if no request came.
    pub method: String,
    /// The path, without the query.
    pub path: String,
    /// The operation; `None` if the request never came to one.
    pub operation: Option<ApiOperation>,
    pub status: u16,
    /// The length of the body.
    pub bytes: usize,
    /// The time that answering took.
    pub took: Duration,
    /// The revisions of the running configuration before and after, where they differ.
    pub revisions: Option<(Revision, Revision)>,
    /// The error, or warnings.
    pub detail: Option<String>,
}

impl AccessRecord {
    /// A record of nothing but a time and a peer.
    pub fn new(at: SystemTime, peer: Option<PeerAddress>) -> Self {
        let (method, path, took) = (String::new(), String::new(), Duration::ZERO);
        let (login, operation, revisions, detail) = (None, None, None, None);
        Self { at, peer, login, method, path, operation, status: 0, bytes: 0, took, revisions, detail }
    }
}

/// The function that writes log records.
pub type Log = Box<dyn Fn(&AccessRecord) + Send + Sync>;
