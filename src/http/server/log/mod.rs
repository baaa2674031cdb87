//! The access log: one record for each request, without secrets. [`repeats`] limits their number.

pub mod repeats;

use std::borrow::Cow;
use std::time::{Duration, SystemTime};

use crate::http::protocol::routes::ApiOperation;
use crate::http::server::message::PeerAddress;
use crate::http::server::network::Network;
use crate::store::Revision;
use repeats::LogSource;

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
        Self {
            at,
            peer,
            login: None,
            method: String::new(),
            path: String::new(),
            operation: None,
            status: 0,
            bytes: 0,
            took: Duration::ZERO,
            revisions: None,
            detail: None,
        }
    }

    /// The source by which repeated records of clients that were not let in are counted.
    pub fn unauthenticated_source(&self) -> Option<LogSource> {
        match self.peer? {
            PeerAddress::Address(address) => {
                self.login.is_none().then(|| LogSource::Network(Network::from_address(address)))
            }
            // Users of the Unix socket have no login; a method shows that the user was let in.
            PeerAddress::Uid(uid) => self.method.is_empty().then_some(LogSource::Uid(uid)),
        }
    }
}

/// The first `most` characters of a text, and `…` for the rest.
pub fn shortened(text: &str, most: usize) -> Cow<'_, str> {
    match text.char_indices().nth(most) {
        Some((end, _)) => format!("{}…", &text[..end]).into(),
        None => text.into(),
    }
}

/// The function that writes log records.
pub type Log = Box<dyn Fn(&AccessRecord) + Send + Sync>;
