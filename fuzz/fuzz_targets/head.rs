//! What a client sends as the head of a request, and what the listener makes of it.
//!
//! Behind the listener stands a second reader, and the two must never understand a head differently. So
//! what is asserted of a head that is taken is that its canonical form can be read in one way only:
//! no control character in it, no body, at most one host, none of the headers that are the
//! listener's; and that the listener itself reads its own canonical form as the same request.
#![no_main]

use libfuzzer_sys::{Corpus, fuzz_target};
use mediactl::http::server::listener::heads::{Framing, Parsed, Progress, Scan, canonical, parse};
use mediactl::http::server::listener::limits::Limits;
use mediactl::http::server::message::{Head, PeerAddress};

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

/// What the canonical form adds: the number of the link.
const ADDED: usize = 1;

/// The number of any link.
const LINK: u64 = 7;

fuzz_target!(|bytes: &[u8]| -> Corpus {
    let Some(head) = whole(bytes) else { return Corpus::Keep };
    let limits = Limits::default();
    match parse(head, &limits, PeerAddress::Uid(0)) {
        Ok(parsed) => is_canonical(&parsed, &limits),
        Err(refusal) => assert!(matches!(refusal.status, 400 | 431 | 505), "{}", refusal.detail),
    }
    Corpus::Keep
});

/// The first head, if there is one; found the same however its bytes come.
fn whole(bytes: &[u8]) -> Option<&[u8]> {
    let at_once = Scan::default().advance(bytes);
    let mut scan = Scan::default();
    let mut ends = (0..=bytes.len()).map(|end| scan.advance(&bytes[..end]));
    let one_by_one = ends.find(|progress| *progress != Progress::More).unwrap_or(Progress::More);
    assert_eq!(at_once, one_by_one);
    match at_once {
        Progress::Whole(start, end) => Some(&bytes[start..end]),
        Progress::More | Progress::Wrong(_) => None,
    }
}

fn is_canonical(parsed: &Parsed, limits: &Limits) {
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
    assert!(parsed.old || head.header("host").is_some(), "{:?}", head.headers);
    assert!(!(parsed.old && parsed.expects_continue), "HTTP/1.0 waits for nothing");
    assert!(parsed.framing != Framing::Length(0), "no body is no length");
    reads_its_own(head, limits);
}

/// The canonical form is a head without a body, and the same request once more.
fn reads_its_own(head: &Head, limits: &Limits) {
    let mut canonical = canonical(head, LINK);
    if head.header("host").is_none() {
        // The handler does not ask for what HTTP/1.0 need not send; the listener does.
        canonical.splice(canonical.len() - 2.., *b"host: a\r\n\r\n");
    }
    assert_eq!(whole(&canonical), Some(canonical.as_slice()), "{}", canonical.escape_ascii());
    let limits = Limits { headers: limits.headers + ADDED + 1, ..limits.clone() };
    let again = parse(&canonical, &limits, head.peer).expect("the listener takes what it writes");
    assert_eq!(again.framing, Framing::Empty, "no body follows");
    assert!(again.keep && !again.expects_continue && !again.old);
    assert_eq!((&again.head.method, &again.head.target), (&head.method, &head.target));
    let end_to_end = head.headers.iter().map(|(name, value)| (name.as_str(), value.as_str()));
    let added = head.header("host").is_none().then_some(("host", "a"));
    let found = again.head.headers.iter().map(|(name, value)| (name.as_str(), value.as_str()));
    assert!(found.eq(end_to_end.chain(added)), "{}", canonical.escape_ascii());
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
