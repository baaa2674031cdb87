use super::{Framing, Limits, Parsed, PeerAddress, Rejection, parse};

fn read(head: &str) -> Result<Parsed, Rejection> {
    parse(head.as_bytes(), &Limits::default(), PeerAddress::Uid(0))
}

fn good(head: &str) -> Parsed {
    read(head).unwrap_or_else(|refusal| panic!("{head:?}: {}", refusal.detail))
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
        assert_eq!(good(&format!("POST / HTTP/1.1\r\nHost: a\r\n{lines}\r\n")).framing, expected, "{lines}");
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
        "X: folded\r\n over two lines\r\n",
        " X: folded\r\n",
        "No colon\r\n",
    ] {
        let refusal = read(&format!("POST / HTTP/1.1\r\nHost: a\r\n{lines}\r\n")).expect_err(lines);
        assert_eq!(refusal.status, 400, "{lines}");
    }
    for head in [
        "GET / HTTP/1.1\r\n\r\n",
        "GET / HTTP/1.2\r\nHost: a\r\n\r\n",
        "GET /\r\n\r\n",
        "GET /HTTP/2.0\r\n\r\n",
        "GET  / HTTP/1.1\r\nHost: a\r\n\r\n",
        "GET / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n",
        "CONNECT host:80 HTTP/1.1\r\nHost: a\r\n\r\n",
        "GET ftp://host/ HTTP/1.1\r\nHost: a\r\n\r\n",
        "GET http:///x HTTP/1.1\r\nHost: a\r\n\r\n",
    ] {
        assert_eq!(read(head).expect_err(head).status, 400, "{head}");
    }
}

#[test]
fn another_version_is_told_so() {
    for head in ["PRI * HTTP/2.0\r\n\r\n", "GET / HTTP/2\r\nHost: a\r\n\r\n", "GET / HTTP/0.9\r\n\r\n"] {
        let refusal = read(head).expect_err(head);
        assert_eq!(refusal.status, 505, "{head}");
        assert!(refusal.detail.contains("HTTP/1.1"), "{}", refusal.detail);
    }
}

#[test]
fn too_many_headers_are_too_large() {
    let most = Limits::default().headers;
    let head = |count: usize| format!("GET / HTTP/1.1\r\nHost: a\r\n{}\r\n", "X: y\r\n".repeat(count - 1));
    good(&head(most));
    assert_eq!(read(&head(most + 1)).expect_err("one more").status, 431);
}

#[test]
fn a_url_is_a_path_and_a_host() {
    for (target, path, host) in [
        ("/a?b=c", "/a?b=c", "a"),
        ("*", "*", "a"),
        ("http://b:80/a?b", "/a?b", "b:80"),
        ("HTTPS://b", "/", "b"),
        ("http://b?q", "/?q", "b"),
    ] {
        let parsed = good(&format!("GET {target} HTTP/1.1\r\nHost: a\r\n\r\n"));
        assert_eq!((parsed.head.target.as_str(), parsed.head.header("host")), (path, Some(host)), "{target}");
    }
}

#[test]
fn a_client_says_whether_it_goes_on() {
    for (version, line, expected) in [
        ("1.1", "", true),
        ("1.1", "Connection: close\r\n", false),
        ("1.1", "Connection: x, Close\r\n", false),
        ("1.0", "", false),
        ("1.0", "Connection: Keep-Alive\r\n", true),
        ("1.0", "Connection: keep-alive, close\r\n", false),
    ] {
        assert_eq!(good(&format!("GET / HTTP/{version}\r\nHost: a\r\n{line}\r\n")).keep, expected, "{line}");
    }
}

#[test]
fn the_handler_sees_no_header_of_the_connection_and_none_that_only_the_gate_writes() {
    let parsed = good(
        "POST / HTTP/1.1\r\nHost: a\r\nMediactl-Peer: uid:0\r\nMEDIACTL-UNREAD: 1\r\nTE: chunked\r\n\
         Expect: 100-Continue\r\nConnection: upgrade\r\nUpgrade: x\r\nContent-Length: 1\r\nX: \t y \t\r\n\r\n",
    );
    let kept = [("host", "a"), ("x", "y")].map(|(name, value)| (name.to_owned(), value.to_owned()));
    assert_eq!(parsed.head.headers, kept);
    assert!(parsed.expects_continue);
}
