//! One line a request, without a secret in it, and no more than a disk can take ([`repeats`]).

pub mod repeats;

use std::borrow::Cow;
use std::time::{Duration, SystemTime};

use crate::http::server::message::PeerAddress;
use crate::http::server::network::Network;
use crate::store::Revision;
use repeats::LogSource;

/// The longest method and the longest path of a line, in characters.
pub const MAX_PATH: usize = 200;

/// The longest detail of a line, in characters.
pub const MAX_DETAIL: usize = 1000;

/// What is logged of an answer.
#[derive(Debug, Clone)]
pub struct AccessRecord {
    /// When the request was whole.
    pub at: SystemTime,
    /// Who sent it; none for a connection that never came about.
    pub peer: Option<PeerAddress>,
    /// The login that was right; a wrong one may be a password in the wrong place.
    pub login: Option<String>,
    /// The method; empty where no request came.
    pub method: String,
    /// The path, without the query.
    pub path: String,
    /// The status of the answer.
    pub status: u16,
    /// The length of its body.
    pub bytes: usize,
    /// How long it took to make.
    pub took: Duration,
    /// The revisions of the running configuration before and after, where they differ.
    pub revisions: Option<(Revision, Revision)>,
    /// What was wrong, or what else there is to say.
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
            status: 0,
            bytes: 0,
            took: Duration::ZERO,
            revisions: None,
            detail: None,
        }
    }

    /// Who repeats themselves if there are many lines like this one: whoever was not let in.
    pub fn stranger(&self) -> Option<LogSource> {
        match self.peer? {
            PeerAddress::Address(address) => {
                self.login.is_none().then(|| LogSource::Network(Network::of(address)))
            }
            // Who is let in on the Unix socket has no login; a request shows that they are.
            PeerAddress::Uid(uid) => self.method.is_empty().then_some(LogSource::Uid(uid)),
        }
    }
}

/// The first `most` characters of a text; `…` stands for the rest.
pub fn shortened(text: &str, most: usize) -> Cow<'_, str> {
    match text.char_indices().nth(most) {
        Some((end, _)) => format!("{}…", &text[..end]).into(),
        None => text.into(),
    }
}

/// Where log lines go.
pub type Log = Box<dyn Fn(&AccessRecord) + Send + Sync>;
