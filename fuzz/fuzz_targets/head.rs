//! What a client sends as the head of a request, and what the listener makes of it.
//!
//! A proxy in front of the listener must never understand a head differently. So what is asserted of a head that is
//! taken is that it can be read in one way only: no control character in it, at most one host, and none of the headers
//! of the connection, or of this program, is left for the handler.
#![no_main]

use libfuzzer_sys::{Corpus, fuzz_target};
use mediactl::http::server::front::head::{Framing, RequestHead, line_end, parse};
use mediactl::http::server::message::PeerAddress;

/// Headers that a client can't set for the handler.
const OF_THE_GATE: &[&str] = &[
    "connection",
    "content-length",
    "expect",
    "keep-alive",
    "te",
    "trailer",
    "transfer-encoding",
    "upgrade",
];

fuzz_target!(|bytes: &[u8]| -> Corpus {
    let Some(head) = whole(bytes) else { return Corpus::Keep };
    match parse(head, PeerAddress::Uid(0)) {
        Ok(parsed) => is_plain(&parsed),
        Err(refusal) => assert!(matches!(refusal.status, None | Some(431 | 505)), "{refusal}"),
    }
    Corpus::Keep
});

/// The first head, if there is one; each of its lines is found the same however its bytes come.
fn whole(bytes: &[u8]) -> Option<&[u8]> {
    let mut end = 0;
    while !bytes[..end].ends_with(b"\r\n\r\n") {
        let rest = &bytes[end..];
        let at_once = line_end(rest, 0);
        let mut ends = (1..=rest.len()).map(|came| line_end(&rest[..came], came - 1));
        match ends.find(|end| !matches!(end, Ok(None))).unwrap_or(Ok(None)) {
            Ok(end) => assert_eq!(at_once.as_ref().ok(), Some(&end)),
            Err(_) => assert!(at_once.is_err()),
        }
        end += at_once.ok().flatten()?;
    }
    Some(&bytes[..end])
}

fn is_plain(parsed: &RequestHead) {
    let head = &parsed.head;
    assert!(is_token(&head.method), "{:?}", head.method);
    assert!(is_target(&head.target), "{:?}", head.target);
    for (name, value) in &head.headers {
        assert!(is_token(name) && *name == name.to_ascii_lowercase(), "{name:?}");
        assert!(value.bytes().all(|byte| byte == b'\t' || (b' '..=b'~').contains(&byte)), "{value:?}");
        assert_eq!(value.trim(), value, "{name}");
        assert!(!OF_THE_GATE.contains(&name.as_str()) && !name.starts_with("mediactl-"), "{name}");
    }
    assert!(head.values("host").count() <= 1, "{:?}", head.headers);
    // Of HTTP/1.0 no connection is kept.
    assert!(!parsed.keep || head.header("host").is_some(), "{:?}", head.headers);
    assert!(parsed.framing != Framing::Length(0), "no body is no length");
}

/// RFC 9110, section 5.6.2.
fn is_token(text: &str) -> bool {
    let is_part = |byte: u8| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte);
    !text.is_empty() && text.bytes().all(is_part)
}

/// A path from the root, or `*`, in which nothing ends the first line or parts it once more.
fn is_target(text: &str) -> bool {
    (text.starts_with('/') || text == "*") && text.bytes().all(|byte| (b'!'..=b'~').contains(&byte))
}
