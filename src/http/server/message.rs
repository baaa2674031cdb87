//! A request, its response, and its line in the access log, independent of sockets and HTTP libraries.

use std::borrow::Borrow;
use std::fmt;
use std::net::{IpAddr, Ipv6Addr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use serde::Serialize;

use crate::engine::Expected;
use crate::http::api::{ApiOperation, JSON, NOTE_HEADER, revision_in};
use crate::http::problem::{MEDIA_TYPE, Problem};
use crate::http::server::auth::Role;
use crate::store::Revision;

/// The peer of a connection.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum PeerAddress {
    Address(IpAddr),
    /// A process of this user, over the Unix socket.
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

/// The address by which a client is counted: of IPv6 the first one of its /64, which a single host can have for itself.
pub fn counted_address(address: IpAddr) -> IpAddr {
    match address.to_canonical() {
        IpAddr::V6(address) => Ipv6Addr::from(u128::from(address) >> 64 << 64).into(),
        address @ IpAddr::V4(_) => address,
    }
}

/// A request without its body.
#[derive(Debug, Clone)]
pub struct Head {
    /// The method as it was sent.
    pub method: String,
    /// Path and query as they were sent.
    pub target: String,
    /// Names in lower case and trimmed values, in the order in which they were sent.
    pub headers: Vec<(String, String)>,
    /// The sender.
    pub peer: PeerAddress,
    /// True if the body was dropped, because [`Service::role_of`] was `None`.
    pub unread: bool,
}

impl Head {
    /// The value of the first header of this name, in lower case.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }

    /// The values of all headers of this name, in lower case.
    pub fn values(&self, name: &str) -> impl Iterator<Item = &str> {
        self.headers.iter().filter(move |(known, _)| known == name).map(|(_, value)| value.as_str())
    }

    /// The path, without the query.
    pub fn path(&self) -> &str {
        self.target.split_once('?').map_or(&self.target, |(path, _)| path)
    }

    /// The query behind the `?`; empty without one.
    pub fn query(&self) -> &str {
        self.target.split_once('?').map_or("", |(_, query)| query)
    }
}

/// The address of the client; behind a trusted proxy, the one that the proxy names. `None` for a user
/// of the Unix socket.
pub fn client_address(head: &Head, trusted_proxies: &[IpAddr]) -> Option<IpAddr> {
    let PeerAddress::Address(peer) = head.peer else { return None };
    if !trusted_proxies.contains(&peer) {
        return Some(peer);
    }
    // Each proxy appends an address, so clients can forge those before the last untrusted one.
    let lists: Vec<&str> = head.values("x-forwarded-for").collect();
    let mut hops = lists.iter().rev().flat_map(|list| list.rsplit(',')).map_while(parse_hop);
    Some(hops.find(|hop| !trusted_proxies.contains(hop)).unwrap_or(peer))
}

/// Parses an address with or without a port.
fn parse_hop(hop: &str) -> Option<IpAddr> {
    let hop = hop.trim();
    let bare = hop.trim_start_matches('[').split(']').next().unwrap_or(hop);
    let with_port = || hop.parse().ok().map(|with_port: SocketAddr| with_port.ip());
    bare.parse().ok().or_else(with_port).map(|address: IpAddr| address.to_canonical())
}

/// A whole request.
#[derive(Debug, Clone)]
pub struct HttpRequest {
    /// Everything but the body.
    pub head: Head,
    /// The body, with its content coding; empty if there is none, or if it was dropped.
    pub body: Bytes,
}

/// A response.
#[derive(Debug, Clone)]
pub struct Response {
    pub status: u16,
    /// The headers except `Content-Length`, `Date` and those of the connection.
    pub headers: Vec<(&'static str, String)>,
    /// The body; for `HEAD` that of `GET`, which is not sent.
    pub body: Arc<Vec<u8>>,
}

impl Response {
    /// A response of the status 200.
    pub fn ok(media_type: &'static str, body: impl Into<Arc<Vec<u8>>>) -> Self {
        let headers = vec![("Content-Type", media_type.to_owned())];
        Self { status: 200, headers, body: body.into() }
    }

    /// A response of the status 200 with a value as JSON.
    pub fn json(value: &impl Serialize) -> Self {
        Self::ok(JSON, serde_json::to_vec(value).expect("what the API answers can be written as JSON"))
    }

    /// The response of an operation that has nothing to show.
    pub fn done() -> Self {
        Self::ok(JSON, b"true".to_vec())
    }

    /// The response to a client whose copy is current.
    pub fn unchanged() -> Self {
        Self { status: 304, headers: Vec::new(), body: Arc::default() }
    }

    /// The response for a problem.
    pub fn error(problem: &Problem) -> Self {
        Self { status: problem.status, ..Self::ok(MEDIA_TYPE, problem.to_json()) }
    }

    /// The same response with further words in its header of notes.
    pub fn noted(mut self, words: &[impl Borrow<str>]) -> Self {
        if words.is_empty() {
            return self;
        }
        let words = words.join("; ");
        match self.headers.iter_mut().find(|(name, _)| *name == NOTE_HEADER) {
            Some((_, value)) => *value = format!("{value}; {words}"),
            None => self.headers.push((NOTE_HEADER, words)),
        }
        self
    }

    /// The same response with another header.
    pub fn with(mut self, name: &'static str, value: String) -> Self {
        self.headers.push((name, value));
        self
    }
}

/// Answers the requests that arrive on the sockets.
pub trait Service: Send + Sync + 'static {
    /// The role of the sender of a request, asked once for each; `None` for a *stranger*: nobody with a right password, or one
    /// who asks for what he may not do, whose body is not wanted. If there is not room for all, strangers go first, then
    /// viewers. Changes nothing but the count of wrong passwords, and is cheap.
    fn role_of(&self, head: &Head) -> Option<Role>;

    /// Answers a request, and logs it. Whoever needs its body takes it: it goes before a large answer is made.
    fn answer(&self, request: HttpRequest) -> Response;

    /// Answers the requests that wait for a change: the server stops.
    fn stop_waiting(&self) {}

    /// Logs an error response to an incomplete request; `peer` is `None` for a connection that was never
    /// accepted.
    fn refused(&self, peer: Option<PeerAddress>, status: u16, detail: &str);
}

/// The longest method and path in a line, in characters.
pub const MAX_PATH: usize = 200;

/// The longest detail in a line, in characters.
pub const MAX_DETAIL: usize = 1000;

/// The log record of a response.
#[derive(Debug, Clone, Default)]
pub struct AccessRecord {
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

/// The function that writes log records.
pub type Log = Box<dyn Fn(&AccessRecord) + Send + Sync>;

/// A strong entity tag (RFC 9110, 8.8.3). The version of this program is a part of it, because another version may write
/// other JSON for the same text.
pub fn entity_tag(revision: Revision) -> String {
    format!("\"{revision}-{}\"", env!("CARGO_PKG_VERSION"))
}

/// True if a list of `If-None-Match` names the tag. The comparison is weak, so `W/` is ignored.
pub fn names(list: &str, tag: &str) -> bool {
    let mut tags = list.split(',').map(str::trim).map(|tag| tag.strip_prefix("W/").unwrap_or(tag));
    list.trim() == "*" || tags.any(|named| named == tag)
}

/// The condition in `If-Match`. The comparison is strong, and tags of other versions match nothing.
pub fn expected(lists: &[&str]) -> Option<Expected> {
    let tags = lists.iter().flat_map(|list| list.split(',')).map(str::trim);
    match lists {
        [] => None,
        _ if tags.clone().any(|tag| tag == "*") => Some(Expected::Any),
        _ => {
            let own = |tag: &str| revision_in(tag).filter(|revision| entity_tag(*revision) == tag);
            Some(Expected::OneOf(tags.filter_map(own).collect()))
        }
    }
}
