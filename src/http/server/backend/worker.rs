//! A worker: answers requests of tiny_http, and survives panics of tiny_http and of the service.

use std::io::{self, Cursor, Read};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::time::{Duration, Instant};

use super::tiny_server::TinyServer;
use crate::http::protocol::headers::{API_HEADER, PEER_HEADER, UNREAD_HEADER, api_value};
use crate::http::protocol::problem::{Problem, ProblemKind};
use crate::http::server::message::{Head, PeerAddress, Request, Response, Service};

/// The value of the header `Server`.
const NAME: &str = "mediactl";

/// Headers of the connection to tiny_http, which the service does not get.
const CONNECTION_HEADERS: &[&str] = &["connection", "content-length"];

/// Answers requests until the last call of the instance is over.
pub fn work(service: &dyn Service, server: &TinyServer) {
    loop {
        let received = match server.last_call.get() {
            // An error is either a wake-up call, or one of the accept thread, which the listener will
            // notice.
            None => server.server.recv().ok(),
            Some(until) => match until.saturating_duration_since(Instant::now()) {
                Duration::ZERO => break,
                left => server.server.recv_timeout(left).ok().flatten(),
            },
        };
        if let Some(request) = received {
            // tiny_http may panic; its client then gets an error.
            let _ = catch_unwind(AssertUnwindSafe(|| handle(service, request)));
        }
    }
    // This worker may have taken the wake-up call of another one.
    server.server.unblock();
}

/// Answers one request; tiny_http drops the response if the client is gone.
fn handle(service: &dyn Service, mut from: tiny_http::Request) {
    let Ok(request) = read(&mut from) else { return };
    let response = catch_unwind(AssertUnwindSafe(|| service.answer(&request)))
        .ok()
        .and_then(|response| Some((headers(&response)?, response)))
        .unwrap_or_else(|| {
            service.refused(Some(request.head.peer), 500, "the handler failed");
            let response = failed();
            (headers(&response).expect("these are plain words"), response)
        });
    let (headers, Response { status, body, .. }) = response;
    let length = body.len();
    let status = tiny_http::StatusCode(status);
    let response = tiny_http::Response::new(status, headers, Cursor::new(Bytes(body)), Some(length), None);
    // It fails if the listener has given up waiting.
    let _ = from.respond(response.with_chunked_threshold(usize::MAX));
}

struct Bytes(Arc<Vec<u8>>);

impl AsRef<[u8]> for Bytes {
    fn as_ref(&self) -> &[u8] {
        &self.0
    }
}

fn read(from: &mut tiny_http::Request) -> io::Result<Request> {
    let mut headers: Vec<(String, String)> = from.headers().iter().map(line).collect();
    let peer = take(&mut headers, PEER_HEADER).and_then(|peer| PeerAddress::parse(&peer));
    let unread = take(&mut headers, UNREAD_HEADER).is_some();
    headers.retain(|(name, _)| !CONNECTION_HEADERS.contains(&name.as_str()));
    let head = Head {
        method: from.method().as_str().to_owned(),
        target: from.url().to_owned(),
        headers,
        peer: peer.ok_or(io::ErrorKind::InvalidData)?,
        unread,
    };
    Ok(Request { head, body: body(from)?.into() })
}

fn line(header: &tiny_http::Header) -> (String, String) {
    (header.field.as_str().as_str().to_ascii_lowercase(), header.value.as_str().to_owned())
}

fn take(headers: &mut Vec<(String, String)>, name: &str) -> Option<String> {
    let place = headers.iter().position(|(known, _)| known.eq_ignore_ascii_case(name))?;
    Some(headers.remove(place).1)
}

fn body(from: &mut tiny_http::Request) -> io::Result<Vec<u8>> {
    let length = from.body_length().unwrap_or_default();
    let mut body = Vec::new();
    body.try_reserve_exact(length)?;
    from.as_reader().take(length as u64).read_to_end(&mut body)?;
    match body.len() == length {
        true => Ok(body),
        false => Err(io::ErrorKind::UnexpectedEof.into()),
    }
}

/// The headers of a response; `None` if a value could end its header and begin another.
fn headers(response: &Response) -> Option<Vec<tiny_http::Header>> {
    let own = response.headers.iter().map(|(name, value)| (*name, value.as_str()));
    own.chain([("Server", NAME)]).map(|(name, value)| header(name, value)).collect()
}

fn header(name: &str, value: &str) -> Option<tiny_http::Header> {
    let plain = value.bytes().all(|byte| matches!(byte, b'\t' | b' '..=b'~'));
    plain.then(|| tiny_http::Header::from_bytes(name, value).ok()).flatten()
}

fn failed() -> Response {
    let problem = Problem::new(ProblemKind::EngineFailed, "the handler failed").with_status(500);
    let response = Response::error(&problem).with(API_HEADER, api_value());
    response.with("Cache-Control", "no-store".to_owned())
}
