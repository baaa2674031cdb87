//! Asks the backend: each request goes over its own connection, in one canonical form, and the length
//! of the response is known before its first byte is sent on.

use std::io::{self, Write};
use std::sync::Arc;

use super::body::BodyBytes;
use super::deadline::Deadline;
use super::incoming::Incoming;
use super::refuse::Rejection;
use super::socket::Socket;
use super::stream::Stream;
use crate::http::protocol::headers::{PEER_HEADER, UNREAD_HEADER};
use crate::http::protocol::problem::ProblemKind;
use crate::http::server::backend::Backend;
use crate::http::server::message::Head;

/// The number of headers of a response.
const HEADERS: usize = 64;

/// Headers that the listener settles with the client.
const CONNECTION_HEADERS: &[&str] =
    &["connection", "content-length", "keep-alive", "transfer-encoding", "upgrade"];

/// A response whose head has come.
#[derive(Debug)]
pub struct UpstreamResponse {
    /// The source of the rest.
    pub from: Incoming,
    /// The status line and the headers, each with its line end.
    pub lines: Vec<u8>,
    /// The `Content-Length`; `None` where a response may have none.
    pub length: Option<u64>,
    /// The number of bytes of the body that follow.
    pub body: u64,
}

/// Sends a request to the backend. A request that changes nothing is sent a second time if there is no
/// response, because the instance of tiny_http may have ended at that moment.
pub fn ask(
    backend: &Backend,
    head: &Head,
    mut kept: BodyBytes<'_>,
    deadline: Deadline,
) -> Result<UpstreamResponse, Rejection> {
    let changes_nothing = kept.bytes.is_empty() && matches!(head.method.as_str(), "GET" | "HEAD");
    let body = std::mem::take(&mut kept.bytes);
    match exchange(backend, head, body, deadline) {
        Err(error) if changes_nothing && error.kind() != io::ErrorKind::TimedOut => {
            exchange(backend, head, Vec::new(), deadline)
        }
        done => done,
    }
    .map_err(|error| match error.kind() {
        io::ErrorKind::TimedOut => {
            Rejection::new(ProblemKind::EngineFailed, "the server did not answer in time").with_status(504)
        }
        _ => Rejection::new(
            ProblemKind::EngineFailed,
            format!("the backend of the server cannot be reached: {error}"),
        ),
    })
}

/// The body is freed as soon as it is written, because the backend has its own copy.
fn exchange(
    backend: &Backend,
    head: &Head,
    body: Vec<u8>,
    deadline: Deadline,
) -> io::Result<UpstreamResponse> {
    let socket = Arc::new(Socket(backend.connect()?.into()));
    let mut stream = Stream::plain(socket, deadline);
    stream.write_all(&canonical(head, body.len()))?;
    stream.write_all(&body)?;
    drop(body);
    read_head(Incoming::new(stream), head.method == "HEAD")
}

/// The head for tiny_http, of a request whose body has this length.
pub fn canonical(head: &Head, length: usize) -> Vec<u8> {
    let mut text = format!("{} {} HTTP/1.1\r\n", head.method, head.target);
    for (name, value) in &head.headers {
        text.extend([name, ": ", value, "\r\n"]);
    }
    if head.unread {
        text.extend([UNREAD_HEADER, ": 1\r\n"]);
    }
    text.push_str(&format!(
        "{PEER_HEADER}: {}\r\nConnection: close\r\nContent-Length: {length}\r\n\r\n",
        head.peer
    ));
    text.into_bytes()
}

fn read_head(mut from: Incoming, of_head: bool) -> io::Result<UpstreamResponse> {
    loop {
        if from.fill()? == 0 {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        if let Some((size, lines, status, length)) = parse(from.pending())? {
            from.consume(size);
            let without_body = matches!(status, 100..=199 | 204 | 304);
            let body = if without_body || of_head { 0 } else { length };
            return Ok(UpstreamResponse { from, lines, length: (!without_body).then_some(length), body });
        }
    }
}

type ParsedHead = (usize, Vec<u8>, u16, u64);

fn parse(bytes: &[u8]) -> io::Result<Option<ParsedHead>> {
    let mut places = [httparse::EMPTY_HEADER; HEADERS];
    let mut response = httparse::Response::new(&mut places);
    let httparse::Status::Complete(size) = response.parse(bytes).map_err(io::Error::other)? else {
        return Ok(None);
    };
    let status = response.code.unwrap_or_default();
    let mut lines = format!("HTTP/1.1 {status} {}\r\n", response.reason.unwrap_or_default()).into_bytes();
    let mut length = None;
    for header in &*response.headers {
        if header.name.eq_ignore_ascii_case("content-length") {
            length = std::str::from_utf8(header.value).ok().and_then(|text| text.parse().ok());
        }
        if !CONNECTION_HEADERS.iter().any(|known| header.name.eq_ignore_ascii_case(known)) {
            lines.extend_from_slice(&[header.name.as_bytes(), b": ", header.value, b"\r\n"].concat());
        }
    }
    let length = length.ok_or_else(|| io::Error::other("the answer has no length"))?;
    Ok(Some((size, lines, status, length)))
}
