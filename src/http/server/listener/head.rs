//! Parses a request head into the form that the handler gets. Anything ambiguous is refused: a proxy in front may read
//! it in another way.

use std::borrow::Cow;

use super::limits::Limits;
use super::refuse::Rejection;
use crate::http::server::message::{Head, PeerAddress};

/// Headers of the connection to the client, which the handler does not get.
const CONNECTION_HEADERS: &[&str] = &[
    "connection",
    "content-length",
    "expect",
    "keep-alive",
    "proxy-authorization",
    "proxy-connection",
    "te",
    "trailer",
    "transfer-encoding",
    "upgrade",
];

/// The prefix of the headers of this program, which no client sends.
const OWN_PREFIX: &str = "mediactl-";

/// The mark of the end of the body.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Framing {
    /// There is no body.
    Empty,
    /// By its length in bytes, which is not 0.
    Length(u64),
    /// By chunks, each with its length.
    Chunked,
}

/// A parsed head.
#[derive(Debug)]
pub struct Parsed {
    /// The head for the handler.
    pub head: Head,
    /// The mark of the end of the body.
    pub framing: Framing,
    /// True if the client wants to keep the connection.
    pub keep: bool,
    /// True if the client waits for `100 Continue`.
    pub expects_continue: bool,
    /// True if it is HTTP/1.0, where the response has to say that the connection is kept.
    pub old: bool,
}

/// Parses a head from its first line to its empty line, all of it ASCII.
pub fn parse(bytes: &[u8], limits: &Limits, peer: PeerAddress) -> Result<Parsed, Rejection> {
    let mut places = vec![httparse::EMPTY_HEADER; limits.headers];
    let mut request = httparse::Request::new(&mut places);
    match request.parse(bytes) {
        Ok(httparse::Status::Complete(_)) => {}
        Ok(httparse::Status::Partial) => return Err(Rejection::malformed("the head is incomplete")),
        Err(httparse::Error::TooManyHeaders) => {
            let detail = format!("the request has more than {} headers", limits.headers);
            return Err(Rejection::head_too_large(detail));
        }
        Err(_) if is_of_another_version(bytes) => {
            let detail = "the server speaks HTTP/1.1 and HTTP/1.0; curl takes `--http1.1`";
            return Err(Rejection::malformed(detail).with_status(505));
        }
        Err(error) => return Err(Rejection::malformed(format!("the head is not valid HTTP: {error}"))),
    }
    let whole = "a whole head has a first line";
    let old = request.version.expect(whole) == 0;
    let headers = lines(request.headers);
    let (target, authority) = origin_form(request.path.expect(whole))?;
    check_host(&headers, old)?;
    Ok(Parsed {
        framing: framing(&headers, old)?,
        keep: keeps(&headers, old),
        expects_continue: !old && has_word(&headers, "expect", "100-continue"),
        old,
        head: Head {
            method: request.method.expect(whole).to_owned(),
            target: target.into_owned(),
            headers: end_to_end(headers, authority),
            peer,
            unread: false,
        },
    })
}

/// True if the first line ends with a version of HTTP that is not 1.x, as that of HTTP/2 with prior
/// knowledge does: `PRI * HTTP/2.0` (RFC 9113, section 3.4).
fn is_of_another_version(head: &[u8]) -> bool {
    let line = head.split(|byte| *byte == b'\r').next().unwrap_or_default();
    let word = line.rsplit(|byte| *byte == b' ').next().unwrap_or_default();
    let version = word.strip_prefix(b"HTTP/").unwrap_or_default();
    version.first().is_some_and(|major| major.is_ascii_digit() && *major != b'1')
}

fn lines(headers: &[httparse::Header<'_>]) -> Vec<(String, String)> {
    let text = |value: &[u8]| String::from_utf8_lossy(value).trim_matches([' ', '\t']).to_owned();
    headers.iter().map(|header| (header.name.to_ascii_lowercase(), text(header.value))).collect()
}

fn values<'h>(headers: &'h [(String, String)], name: &str) -> impl Iterator<Item = &'h str> {
    headers.iter().filter(move |(known, _)| known == name).map(|(_, value)| value.as_str())
}

fn has_word(headers: &[(String, String)], name: &str, word: &str) -> bool {
    let mut words = values(headers, name).flat_map(|value| value.split(','));
    words.any(|known| known.trim().eq_ignore_ascii_case(word))
}

/// Path and query, and the authority if the target has one (RFC 9112, section 3.2).
fn origin_form(target: &str) -> Result<(Cow<'_, str>, Option<&str>), Rejection> {
    if target.starts_with('/') || target == "*" {
        return Ok((Cow::Borrowed(target), None));
    }
    let rest = match target.split_once("://") {
        Some((scheme, rest)) if ["http", "https"].iter().any(|known| scheme.eq_ignore_ascii_case(known)) => {
            rest
        }
        _ => return Err(Rejection::malformed("the target of the request is neither a path nor a URL")),
    };
    let (authority, path) = rest.split_at(rest.find(['/', '?', '#']).unwrap_or(rest.len()));
    if authority.is_empty() || authority.contains('@') {
        return Err(Rejection::malformed("the URL in the request has no host, or contains a login"));
    }
    let path = if path.starts_with('/') { Cow::Borrowed(path) } else { Cow::Owned(format!("/{path}")) };
    Ok((path, Some(authority)))
}

fn check_host(headers: &[(String, String)], old: bool) -> Result<(), Rejection> {
    match values(headers, "host").count() {
        0 if !old => Err(Rejection::malformed("there is no Host header")),
        0 | 1 => Ok(()),
        _ => Err(Rejection::malformed("there is more than one Host header")),
    }
}

fn framing(headers: &[(String, String)], old: bool) -> Result<Framing, Rejection> {
    let length = length(headers)?;
    let mut codings = values(headers, "transfer-encoding");
    let Some(coding) = codings.next() else {
        return Ok(length.filter(|length| *length > 0).map_or(Framing::Empty, Framing::Length));
    };
    match () {
        () if length.is_some() => {
            Err(Rejection::malformed("the body has both a Content-Length and a Transfer-Encoding"))
        }
        () if old => Err(Rejection::malformed("HTTP/1.0 has no Transfer-Encoding")),
        () if codings.next().is_some() || !coding.eq_ignore_ascii_case("chunked") => {
            Err(Rejection::malformed("the only accepted Transfer-Encoding is chunked, given once"))
        }
        () => Ok(Framing::Chunked),
    }
}

fn length(headers: &[(String, String)]) -> Result<Option<u64>, Rejection> {
    let mut lengths = values(headers, "content-length");
    let Some(first) = lengths.next() else { return Ok(None) };
    if lengths.any(|other| other != first) {
        return Err(Rejection::malformed("the request has more than one Content-Length"));
    }
    if first.is_empty() || !first.bytes().all(|byte| byte.is_ascii_digit()) {
        return Err(Rejection::malformed("the Content-Length is not a number"));
    }
    // A number that does not fit is a valid length, and over every limit.
    Ok(Some(first.parse().unwrap_or(u64::MAX)))
}

fn keeps(headers: &[(String, String)], old: bool) -> bool {
    !has_word(headers, "connection", "close") && (!old || has_word(headers, "connection", "keep-alive"))
}

/// The headers for the handler: without those of the connection and those of this program. The authority
/// of the target, if there is one, becomes the host (RFC 9112, section 3.2.2).
fn end_to_end(headers: Vec<(String, String)>, authority: Option<&str>) -> Vec<(String, String)> {
    let goes_on = |name: &str| !CONNECTION_HEADERS.contains(&name) && !name.starts_with(OWN_PREFIX);
    let mut headers: Vec<_> = headers.into_iter().filter(|(name, _)| goes_on(name)).collect();
    if let Some(authority) = authority {
        headers.retain(|(name, _)| name != "host");
        headers.push(("host".to_owned(), authority.to_owned()));
    }
    headers
}

#[cfg(test)]
mod tests;
