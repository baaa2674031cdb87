//! Error responses of the listener itself: the request never was whole, or the backend did not answer.

use std::io::Write;
use std::time::Duration;

use super::deadline::Deadline;
use super::stream::Stream;
use crate::error::ErrorKind;
use crate::http::protocol::headers::on_every_response;
use crate::http::protocol::problem::{MEDIA_TYPE, Problem};

/// The detail for a connection that was closed to free its slot.
pub const MADE_ROOM: &str = "the connection was closed to make room for a new one";

/// The time for a response to a connection that has to end now.
const LAST_TIME: Duration = Duration::from_millis(50);

/// The number of bytes that are read from such a connection.
const LAST_READ: usize = 32 * 1024;

/// An error response of the listener. The connection closes after it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rejection {
    kind: ErrorKind,
    pub status: u16,
    /// The detail of the problem document.
    pub detail: String,
}

impl Rejection {
    /// A rejection with the usual status of its kind.
    pub fn new(kind: ErrorKind, detail: impl Into<String>) -> Self {
        Self { kind, status: kind.status(), detail: detail.into() }
    }

    /// A rejection with status 400.
    pub fn malformed(detail: impl Into<String>) -> Self {
        Self::new(ErrorKind::BadRequest, detail)
    }

    /// A rejection with status 431.
    pub fn head_too_large(detail: impl Into<String>) -> Self {
        Self::new(ErrorKind::TooLarge, detail).with_status(431)
    }

    /// The same rejection with another status.
    pub fn with_status(self, status: u16) -> Self {
        Self { status, ..self }
    }

    /// Writes the response. Errors are ignored: the client is gone.
    pub fn write_to(&self, stream: &mut Stream) {
        let _ = stream.write_all(&self.to_bytes()).and_then(|()| stream.flush());
    }

    /// Writes the response to a connection that has to end now, and reads what came already, so that the
    /// client gets to read the response (RFC 9112, section 9.6).
    pub fn write_last(&self, mut stream: Stream) {
        stream.set_deadline(Deadline::after(LAST_TIME));
        self.write_to(&mut stream);
        stream.linger(Deadline::after(LAST_TIME), LAST_READ);
    }

    fn to_bytes(&self) -> Vec<u8> {
        let body = Problem::new(self.kind, self.detail.as_str()).with_status(self.status).to_json();
        let retry = if self.status == 503 { "Retry-After: 1\r\n" } else { "" };
        let common: String =
            on_every_response().map(|(name, value)| format!("{name}: {value}\r\n")).collect();
        let mut bytes = format!(
            "HTTP/1.1 {} {}\r\nContent-Type: {MEDIA_TYPE}\r\n\
             {common}{retry}Content-Length: {}\r\nConnection: close\r\n\r\n",
            self.status,
            reason(self.status),
            body.len()
        )
        .into_bytes();
        bytes.extend_from_slice(&body);
        bytes
    }
}

/// The way in which a connection ends early.
#[derive(Debug, PartialEq, Eq)]
pub enum ConnectionEnd {
    /// With a response that says why.
    Refused(Rejection),
    /// Silently: the client is gone, or has sent no request.
    Gone,
}

impl From<Rejection> for ConnectionEnd {
    fn from(refusal: Rejection) -> Self {
        Self::Refused(refusal)
    }
}

fn reason(status: u16) -> &'static str {
    match status {
        400 => "Bad Request",
        403 => "Forbidden",
        408 => "Request Timeout",
        413 => "Content Too Large",
        431 => "Request Header Fields Too Large",
        502 => "Bad Gateway",
        503 => "Service Unavailable",
        504 => "Gateway Timeout",
        505 => "HTTP Version Not Supported",
        _ => "Error",
    }
}
