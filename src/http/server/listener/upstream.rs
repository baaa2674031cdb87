//! Asks the backend: the requests of a connection go over one link, one at a time, in one canonical form.

use std::io::{self, Read, Write};
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;

use super::deadline::Deadline;
use super::refuse::Rejection;
use super::socket::Socket;
use super::stream::Stream;
use crate::engine::RefusalKind;
use crate::http::protocol::headers::LINK_HEADER;
use crate::http::server::backend::{Backend, BackendLink, LinkedRequest};
use crate::http::server::message::Head;

/// The number of headers of a response.
const HEADERS: usize = 64;

/// The number of bytes to read at a time: most heads are shorter.
const READ: usize = 1024;

/// The time that the first request of a link may keep others from connecting: tiny_http may have ended.
const FIRST_TIME: Duration = Duration::from_secs(1);

/// Headers that the listener settles with the client.
const CONNECTION_HEADERS: &[&str] =
    &["connection", "content-length", "keep-alive", "transfer-encoding", "upgrade"];

/// A whole response.
#[derive(Debug)]
pub struct UpstreamResponse {
    /// The status line and the headers, each with its line end.
    pub lines: Vec<u8>,
    /// The `Content-Length`; `None` where a response may have none.
    pub length: Option<usize>,
    /// The body, if it is to be sent.
    pub body: Arc<Vec<u8>>,
}

/// The way of one connection to the backend.
pub struct Upstream<'b> {
    backend: &'b Backend,
    link: Option<(BackendLink, Stream)>,
}

impl<'b> Upstream<'b> {
    /// Connects when there is a request.
    pub fn new(backend: &'b Backend) -> Self {
        Self { backend, link: None }
    }

    /// Sends a request to the backend, and waits for the response. A request that no worker took is sent
    /// a second time, because the instance of tiny_http may have ended at that moment.
    pub fn ask(
        &mut self,
        head: &Head,
        body: Bytes,
        deadline: Deadline,
    ) -> Result<UpstreamResponse, Rejection> {
        let request = LinkedRequest { peer: head.peer, unread: head.unread, body };
        let mut done = self.exchange(head, request, deadline);
        if let Err(error) = &done {
            // Without its link no worker takes it any more.
            let untaken = self.link.take().and_then(|(link, _)| link.take_back());
            if let Some(request) = untaken.filter(|_| error.kind() != io::ErrorKind::TimedOut) {
                done = self.exchange(head, request, deadline);
            }
        }
        done.map_err(|error| match error.kind() {
            io::ErrorKind::TimedOut => {
                Rejection::new(RefusalKind::EngineFailed, "the server did not answer in time")
                    .with_status(504)
            }
            _ => Rejection::new(
                RefusalKind::EngineFailed,
                format!("the backend of the server cannot be reached: {error}"),
            ),
        })
    }

    fn exchange(
        &mut self,
        head: &Head,
        request: LinkedRequest,
        deadline: Deadline,
    ) -> io::Result<UpstreamResponse> {
        let kept = self.link.take().filter(|(link, _)| self.backend.is_current(link));
        let turn = kept.is_none().then(|| self.backend.turn_to_connect());
        let (link, stream) = self.link.insert(match kept {
            Some(kept) => kept,
            None => connect(self.backend, deadline)?,
        });
        stream.set_deadline(deadline);
        link.put_request(request);
        stream.write_all(&canonical(head, link.number))?;
        if let Some(turn) = turn {
            link.wait_until_taken(FIRST_TIME);
            drop(turn);
        }
        let (lines, status) = read_head(stream)?;
        let body = link.take_response();
        let without_body = matches!(status, 100..=199 | 204 | 304);
        Ok(UpstreamResponse {
            lines,
            length: (!without_body).then_some(body.len()),
            body: if without_body || head.method == "HEAD" { Arc::default() } else { body },
        })
    }
}

fn connect(backend: &Backend, deadline: Deadline) -> io::Result<(BackendLink, Stream)> {
    let (stream, link) = backend.connect()?;
    Ok((link, Stream::plain(Arc::new(Socket(stream.into())), deadline)))
}

/// The head for tiny_http, of a request on the link of this number.
pub fn canonical(head: &Head, link: u64) -> Vec<u8> {
    let mut text = format!("{} {} HTTP/1.1\r\n", head.method, head.target);
    for (name, value) in &head.headers {
        text.extend([name, ": ", value, "\r\n"]);
    }
    text.push_str(&format!("{LINK_HEADER}: {link}\r\n\r\n"));
    text.into_bytes()
}

/// The lines for the client, and the status. Nothing follows the head.
fn read_head(from: &mut Stream) -> io::Result<(Vec<u8>, u16)> {
    let (mut head, mut piece) = (Vec::new(), [0; READ]);
    loop {
        match from.read(&mut piece)? {
            0 => return Err(io::ErrorKind::UnexpectedEof.into()),
            read => head.extend_from_slice(&piece[..read]),
        }
        if let Some(parsed) = parse(&head)? {
            return Ok(parsed);
        }
    }
}

fn parse(bytes: &[u8]) -> io::Result<Option<(Vec<u8>, u16)>> {
    let mut places = [httparse::EMPTY_HEADER; HEADERS];
    let mut response = httparse::Response::new(&mut places);
    match response.parse(bytes).map_err(io::Error::other)? {
        httparse::Status::Complete(size) if size == bytes.len() => {}
        httparse::Status::Complete(_) => return Err(io::Error::other("the answer has a body")),
        httparse::Status::Partial => return Ok(None),
    }
    let status = response.code.unwrap_or_default();
    let mut lines = format!("HTTP/1.1 {status} {}\r\n", response.reason.unwrap_or_default()).into_bytes();
    for header in &*response.headers {
        if !CONNECTION_HEADERS.iter().any(|known| header.name.eq_ignore_ascii_case(known)) {
            for part in [header.name.as_bytes(), b": ", header.value, b"\r\n"] {
                lines.extend_from_slice(part);
            }
        }
    }
    Ok(Some((lines, status)))
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::time::Duration;

    use bytes::Bytes;
    use rustix::net::Shutdown;

    use super::Upstream;
    use crate::engine::{Loops, Pulse};
    use crate::http::server::backend::{Backend, WorkerPool};
    use crate::http::server::listener::deadline::Deadline;
    use crate::http::server::listener::stream::Stream;
    use crate::http::server::message::{Head, PeerAddress, Rank, Request, Response, Service};

    struct Echo;

    impl Service for Echo {
        fn rank(&self, _: &Head) -> Rank {
            Rank::Editor
        }

        fn answer(&self, request: &Request) -> Response {
            Response::ok("text/plain", request.body.to_vec())
        }

        fn refused(&self, _: Option<PeerAddress>, _: u16, _: &str) {}
    }

    fn asked(upstream: &mut Upstream<'_>, body: &'static str) -> u64 {
        let head = Head {
            method: "POST".to_owned(),
            target: "/".to_owned(),
            headers: Vec::new(),
            peer: PeerAddress::Uid(0),
            unread: false,
        };
        let deadline = Deadline::after(Duration::from_secs(30));
        let response = upstream.ask(&head, Bytes::from(body), deadline).expect("it answers");
        assert_eq!((response.length, response.body.as_slice()), (Some(body.len()), body.as_bytes()));
        upstream.link.as_ref().expect("it is kept").0.number
    }

    #[test]
    fn a_link_is_kept_and_a_change_that_no_worker_took_goes_over_another() {
        let pool = WorkerPool::new(2, Pulse::new("workers", Duration::from_secs(60)));
        let backend = Backend::start(Arc::new(Echo), pool, Loops::default(), None);
        let backend = backend.expect("there is a place for the socket");
        let mut upstream = Upstream::new(&backend);
        assert_eq!(asked(&mut upstream, "one"), 0);
        assert_eq!(asked(&mut upstream, "two"), 0);
        let Some((_, Stream::Plain(timed))) = &upstream.link else { panic!("it is a plain socket") };
        timed.socket.shut(Shutdown::Both);
        assert_eq!(asked(&mut upstream, "three"), 1);
        backend.stop();
    }
}
