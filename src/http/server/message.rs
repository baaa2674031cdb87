//! A request and its answer, as the handler sees them: no socket, no HTTP library.

use bytes::Bytes;
use std::fmt;
use std::net::IpAddr;
use std::str::FromStr;
use std::sync::Arc;

/// Who is at the other end of a connection.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum PeerAddress {
    /// A TCP peer.
    Address(IpAddr),
    /// A process of this user, on the Unix socket.
    Uid(u32),
}

impl fmt::Display for PeerAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Address(address) => address.fmt(f),
            Self::Uid(uid) => write!(f, "uid:{uid}"),
        }
    }
}

impl FromStr for PeerAddress {
    type Err = NotAPeer;

    fn from_str(text: &str) -> Result<Self, NotAPeer> {
        match text.strip_prefix("uid:") {
            Some(uid) => uid.parse().map(Self::Uid).map_err(|_| NotAPeer),
            None => text.parse().map(Self::Address).map_err(|_| NotAPeer),
        }
    }
}

/// The text is neither an address nor `uid:N`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NotAPeer;

/// Everything of a request but its body.
#[derive(Debug, Clone)]
pub struct Head {
    /// `GET`, `POST`, …, as it was sent.
    pub method: String,
    /// Path and query, as they were sent.
    pub target: String,
    /// Names in lower case, values without the white space around them, in the order sent.
    pub headers: Vec<(String, String)>,
    /// Who sent it.
    pub peer: PeerAddress,
    /// Whether [`Service::admits`] said no, and the body was not kept.
    pub unread: bool,
}

impl Head {
    /// The value of the first header with this name, which is in lower case.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }

    /// The values of all headers with this name, which is in lower case.
    pub fn values(&self, name: &str) -> impl Iterator<Item = &str> {
        self.headers.iter().filter(move |(known, _)| known == name).map(|(_, value)| value.as_str())
    }

    /// The path, without the query.
    pub fn path(&self) -> &str {
        self.target.split_once('?').map_or(&self.target, |(path, _)| path)
    }

    /// What stands behind the `?`; empty if nothing does.
    pub fn query(&self) -> &str {
        self.target.split_once('?').map_or("", |(_, query)| query)
    }
}

/// A whole request.
#[derive(Debug, Clone)]
pub struct Request {
    /// Everything but the body.
    pub head: Head,
    /// The body, content coding as sent; empty if there is none, or if it was not kept.
    pub body: Bytes,
}

/// An answer.
#[derive(Debug, Clone)]
pub struct Response {
    /// The status code.
    pub status: u16,
    /// Headers beside `Content-Length`, `Date` and those of the connection.
    pub headers: Vec<(&'static str, String)>,
    /// The body; of an answer to `HEAD` the one that `GET` would get, which is not sent.
    pub body: Arc<Vec<u8>>,
}

impl Response {
    /// A response of the status 200.
    pub fn ok(media_type: &'static str, body: impl Into<Arc<Vec<u8>>>) -> Self {
        let headers = vec![("Content-Type", media_type.to_owned())];
        Self { status: 200, headers, body: body.into() }
    }

    /// The same response with another header.
    pub fn with(mut self, name: &'static str, value: String) -> Self {
        self.headers.push((name, value));
        self
    }
}

/// What the sockets put their requests to.
pub trait Service: Send + Sync + 'static {
    /// Whether the body of a request is to be kept. Changes nothing, and costs next to nothing.
    fn admits(&self, head: &Head) -> bool;

    /// The answer to a request; logs it.
    fn answer(&self, request: &Request) -> Response;

    /// Logs an answer that was given before a request was whole; without a peer, a connection that
    /// never came about.
    fn refused(&self, peer: Option<PeerAddress>, status: u16, detail: &str);
}
