//! Finds the lines of a request while its bytes arrive, and parses its head into the form that the handler gets. Anything
//! ambiguous is refused: a proxy in front may read it in another way.

use super::limits::HEADERS;
use crate::error::{Error, ErrorKind};
use crate::http::server::message::{Head, PeerAddress};

/// Headers by which the server decides, so that two of them could be read in two ways.
const SINGLE_HEADERS: &[&str] = &["host", "origin", "sec-fetch-site", "authorization"];

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
pub struct RequestHead {
    /// The head for the handler.
    pub head: Head,
    /// The mark of the end of the body.
    pub framing: Framing,
    /// True if the client wants to keep the connection.
    pub keep: bool,
    /// True if the client waits for `100 Continue`.
    pub expects_continue: bool,
}

/// The end of the line that `bytes` begin with, of which the first `seen` were looked at before. `None` if it has not come.
///
/// # Errors
/// It is no line: it ends without a carriage return, or it is not all visible ASCII. Some readers would end it elsewhere.
pub fn line_end(bytes: &[u8], seen: usize) -> Result<Option<usize>, Error> {
    for at in seen..bytes.len() {
        match (bytes[at], bytes[..at].ends_with(b"\r")) {
            (b'\n', true) => return Ok(Some(at + 1)),
            (b'\t' | b'\r' | b' '..=b'~', false) => {}
            (b'\n', false) => return Err(malformed("a line of the request ends without a carriage return")),
            _ => return Err(malformed("a byte of the head or between chunks is no visible ASCII")),
        }
    }
    Ok(None)
}

pub fn malformed(detail: impl Into<String>) -> Error {
    Error::new(ErrorKind::BadRequest, detail)
}

pub fn head_too_large(detail: impl Into<String>) -> Error {
    Error { status: Some(431), ..Error::new(ErrorKind::TooLarge, detail) }
}

/// Parses a head from its first line to its empty line, all of it ASCII.
pub fn parse(bytes: &[u8], peer: PeerAddress) -> Result<RequestHead, Error> {
    let mut places = vec![httparse::EMPTY_HEADER; HEADERS];
    let mut request = httparse::Request::new(&mut places);
    match request.parse(bytes) {
        Ok(httparse::Status::Complete(_)) => {}
        Ok(httparse::Status::Partial) => return Err(malformed("the head is incomplete")),
        Err(httparse::Error::TooManyHeaders) => {
            return Err(head_too_large(format!("the request has more than {HEADERS} headers")));
        }
        Err(error) => return Err(malformed(format!("the head is not valid HTTP: {error}"))),
    }
    let whole = "a whole head has a first line";
    let old = request.version.expect(whole) == 0;
    let text = |value: &[u8]| String::from_utf8_lossy(value).trim_matches([' ', '\t']).to_owned();
    let headers = request.headers.iter().map(|header| (header.name.to_ascii_lowercase(), text(header.value)));
    let head = Head {
        method: request.method.expect(whole).to_owned(),
        target: request.path.expect(whole).to_owned(),
        headers: headers.collect(),
        peer,
        unread: false,
    };
    if !head.target.starts_with('/') && head.target != "*" {
        return Err(malformed("the target of the request is no path"));
    }
    check_single(&head, old)?;
    let framing = framing(&head, old)?;
    let keep = !old && !has_word(&head, "connection", "close");
    let expects_continue = !old && has_word(&head, "expect", "100-continue");
    Ok(RequestHead { head, framing, keep, expects_continue })
}

fn has_word(head: &Head, name: &str, word: &str) -> bool {
    let mut words = head.values(name).flat_map(|value| value.split(','));
    words.any(|known| known.trim().eq_ignore_ascii_case(word))
}

fn check_single(head: &Head, old: bool) -> Result<(), Error> {
    if !old && head.header("host").is_none() {
        return Err(malformed("there is no Host header"));
    }
    match SINGLE_HEADERS.iter().find(|name| head.values(name).nth(1).is_some()) {
        Some(name) => Err(malformed(format!("there is more than one header `{name}`"))),
        None => Ok(()),
    }
}

fn framing(head: &Head, old: bool) -> Result<Framing, Error> {
    let [lengths, codings] =
        ["content-length", "transfer-encoding"].map(|name| head.values(name).collect::<Vec<_>>());
    match (&lengths[..], &codings[..]) {
        ([], []) => Ok(Framing::Empty),
        ([first, others @ ..], []) if others.iter().all(|other| other == first) => {
            if first.is_empty() || !first.bytes().all(|byte| byte.is_ascii_digit()) {
                return Err(malformed("the Content-Length is not a number"));
            }
            // A number that does not fit is a valid length, and over every limit.
            let length = first.parse().unwrap_or(u64::MAX);
            Ok(if length == 0 { Framing::Empty } else { Framing::Length(length) })
        }
        (_, []) => Err(malformed("the request has more than one Content-Length")),
        ([], [coding]) if !old && coding.eq_ignore_ascii_case("chunked") => Ok(Framing::Chunked),
        ([], _) => Err(malformed("the only Transfer-Encoding is chunked, given once, in HTTP/1.1")),
        _ => Err(malformed("the body has both a Content-Length and a Transfer-Encoding")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn status(refusal: &Error) -> u16 {
        refusal.status.unwrap_or(refusal.kind.status())
    }

    fn read(head: &str) -> Result<RequestHead, Error> {
        parse(head.as_bytes(), PeerAddress::Uid(0))
    }

    fn good(head: &str) -> RequestHead {
        read(head).unwrap_or_else(|refusal| panic!("{head:?}: {}", refusal.message))
    }

    #[test]
    fn a_head_says_how_long_its_body_is() {
        for (lines, expected) in [
            ("", Framing::Empty),
            ("Content-Length: 0\r\n", Framing::Empty),
            ("Content-Length: 12\r\n", Framing::Length(12)),
            ("content-length: 12\r\nCONTENT-LENGTH:12 \r\n", Framing::Length(12)),
            ("Content-Length: 99999999999999999999999999\r\n", Framing::Length(u64::MAX)),
            ("Transfer-Encoding: Chunked\r\n", Framing::Chunked),
        ] {
            assert_eq!(
                good(&format!("POST / HTTP/1.1\r\nHost: a\r\n{lines}\r\n")).framing,
                expected,
                "{lines}"
            );
        }
    }

    #[test]
    fn what_could_be_understood_in_two_ways_is_refused() {
        for lines in [
            "Content-Length: 1\r\nContent-Length: 2\r\n",
            "Content-Length: 1, 1\r\n",
            "Content-Length: 01\r\nContent-Length: 1\r\n",
            "Content-Length: +1\r\n",
            "Content-Length: -1\r\n",
            "Content-Length: 0x1\r\n",
            "Content-Length:\r\n",
            "Content-Length: 1\r\nTransfer-Encoding: chunked\r\n",
            "Content-Length: 0\r\nTransfer-Encoding: chunked\r\n",
            "Transfer-Encoding: gzip, chunked\r\n",
            "Transfer-Encoding: identity\r\n",
            "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n",
            "Transfer-Encoding : chunked\r\n",
            "Host: b\r\n",
            "Origin: http://a\r\nOrigin: http://b\r\n",
            "Sec-Fetch-Site: none\r\nsec-fetch-site: cross-site\r\n",
            "Authorization: Basic YTpi\r\nAuthorization: Basic YTpj\r\n",
            "X: folded\r\n over two lines\r\n",
            " X: folded\r\n",
            "No colon\r\n",
        ] {
            let refusal = read(&format!("POST / HTTP/1.1\r\nHost: a\r\n{lines}\r\n")).expect_err(lines);
            assert_eq!(status(&refusal), 400, "{lines}");
        }
        for head in [
            "GET / HTTP/1.1\r\n\r\n",
            "GET / HTTP/1.2\r\nHost: a\r\n\r\n",
            "GET /\r\n\r\n",
            "GET /HTTP/2.0\r\n\r\n",
            "GET  / HTTP/1.1\r\nHost: a\r\n\r\n",
            "GET / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n",
            "CONNECT host:80 HTTP/1.1\r\nHost: a\r\n\r\n",
            "GET http://host/ HTTP/1.1\r\nHost: a\r\n\r\n",
            "GET / HTTP/0.9\r\nHost: a\r\n\r\n",
            "PRI * HTTP/2.0\r\n\r\n",
        ] {
            assert_eq!(status(&read(head).expect_err(head)), 400, "{head}");
        }
    }

    #[test]
    fn a_client_says_whether_it_goes_on() {
        for (version, line, expected) in [
            ("1.1", "", true),
            ("1.1", "Connection: close\r\n", false),
            ("1.1", "Connection: x, Close\r\n", false),
            ("1.0", "", false),
            ("1.0", "Connection: Keep-Alive\r\n", false),
        ] {
            assert_eq!(
                good(&format!("GET / HTTP/{version}\r\nHost: a\r\n{line}\r\n")).keep,
                expected,
                "{line}"
            );
        }
    }

    fn check(bytes: &[u8], expected: Option<usize>) {
        let end = |bytes, seen| line_end(bytes, seen).expect("it may be a line");
        assert_eq!(end(bytes, 0), expected, "{}", bytes.escape_ascii());
        let one_by_one = (1..=bytes.len()).find_map(|came| end(&bytes[..came], came - 1));
        assert_eq!(one_by_one, expected, "{} byte by byte", bytes.escape_ascii());
    }

    #[test]
    fn the_end_is_found_however_the_bytes_come() {
        check(b"GET / HTTP/1.1\r\nHost: \xff", Some(16));
        check(b"\r\n", Some(2));
        check(b"Host: a\r", None);
    }

    #[test]
    fn what_is_no_line_is_told_at_once() {
        for wrong in [
            &b"GET / HTTP/1.1\n"[..],
            b"\n",
            b"GET /\rHTTP",
            b"GET / HTTP/1.1\r\r\n",
            b"\x16\x03\x01",
            "GET /ü".as_bytes(),
            b"GET /\0",
            b"\x7f",
        ] {
            assert!(line_end(wrong, 0).is_err(), "{}", wrong.escape_ascii());
            let one_by_one = (1..=wrong.len()).any(|came| line_end(&wrong[..came], came - 1).is_err());
            assert!(one_by_one, "{} byte by byte", wrong.escape_ascii());
        }
    }

    #[test]
    fn too_many_headers_are_too_large() {
        let most = HEADERS;
        let head =
            |count: usize| format!("GET / HTTP/1.1\r\nHost: a\r\n{}\r\n", "X: y\r\n".repeat(count - 1));
        good(&head(most));
        assert_eq!(status(&read(&head(most + 1)).expect_err("one more")), 431);
    }
}
