//! A connection to tiny_http, over which the requests of one connection of a client go, one at a time.

use std::io::{self, Read, Write};
use std::os::unix::net::UnixStream;
use std::sync::Arc;
use std::time::Duration;

use super::hand_over::{HandOver, HandOvers};
use crate::http::server::message::HttpRequest;

/// The end of each head that tiny_http writes: no body goes through it.
const END: &[u8] = b"Content-Length: 0\r\n\r\n";

/// The number of bytes to read at a time: most heads are shorter.
const READ: usize = 1024;

/// A whole response.
#[derive(Debug)]
pub struct BridgeResponse {
    /// The status line and the headers, each with its line end.
    pub lines: Vec<u8>,
    /// The `Content-Length`; `None` if a response may have none.
    pub length: Option<usize>,
    /// The body, if it is to be sent.
    pub body: Arc<Vec<u8>>,
}

/// A connection to tiny_http, and the hand-over beside it.
#[derive(Debug)]
pub struct BridgeLink {
    number: u64,
    stream: UnixStream,
    hand_over: Arc<HandOver>,
    all: Arc<HandOvers>,
}

impl BridgeLink {
    /// A link over a new connection to tiny_http, on which nothing takes longer than `most`.
    pub fn new(stream: UnixStream, all: &Arc<HandOvers>, most: Duration) -> io::Result<Self> {
        stream.set_read_timeout(Some(most))?;
        stream.set_write_timeout(Some(most))?;
        let (number, hand_over) = all.add();
        Ok(Self { number, stream, hand_over, all: Arc::clone(all) })
    }

    /// Hands a request over.
    pub fn send(&mut self, request: HttpRequest) -> io::Result<()> {
        self.hand_over.put_request(request);
        self.stream.write_all(format!("GET /{} HTTP/1.1\r\n\r\n", self.number).as_bytes())
    }

    /// Waits until a worker has taken the request, for at most `most`.
    pub fn wait_until_taken(&self, most: Duration) {
        self.hand_over.wait_until_taken(most);
    }

    /// Waits for the response; that to `HEAD` has no body.
    pub fn receive(&mut self, is_head: bool) -> io::Result<BridgeResponse> {
        let lines = self.read_lines()?;
        let answer = self.hand_over.take_body();
        let (status, body) = answer.ok_or_else(|| io::Error::other("no worker has answered"))?;
        let without_body = matches!(status, 100..=199 | 204 | 304);
        Ok(BridgeResponse {
            lines,
            length: (!without_body).then_some(body.len()),
            body: if without_body || is_head { Arc::default() } else { body },
        })
    }

    /// Reads the head that tiny_http has written.
    fn read_lines(&mut self) -> io::Result<Vec<u8>> {
        let (mut lines, mut piece) = (Vec::new(), [0; READ]);
        while !lines.ends_with(END) {
            match self.stream.read(&mut piece) {
                Ok(0) => return Err(io::ErrorKind::UnexpectedEof.into()),
                Ok(read) => lines.extend_from_slice(&piece[..read]),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                    return Err(io::ErrorKind::TimedOut.into());
                }
                Err(error) => return Err(error),
            }
        }
        lines.truncate(lines.len() - END.len());
        Ok(lines)
    }
}

impl Drop for BridgeLink {
    fn drop(&mut self) {
        self.all.remove(self.number);
    }
}
