//! tiny_http, which writes the head of each response. It gets no byte of a client: the thread of a connection sends it a request
//! that is nothing but a number, over a *link*, a connection to its private socket. The request that tiny_http makes of it is
//! handed to the same thread, which answers the client, and lets tiny_http write the head to the link.
//!
//! A link has one request at a time. The accept thread of tiny_http ends at its first error: the thread that hears of it
//! panics, and `serve` ends when a thread does.

use std::collections::HashMap;
use std::io::{self, Read, Write};
use std::os::fd::{AsRawFd, OwnedFd};
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{SyncSender, sync_channel};
use std::thread;
use std::time::Duration;

use parking_lot::Mutex;
use rustix::fs::{Mode, OFlags, open};

use crate::error::{Error, ErrorKind};
use crate::http::api::on_every_response;
use crate::http::problem::Problem;
use crate::http::server::message::{HttpRequest, Response, Service};

/// The value of the header `Server`.
const NAME: &str = "mediactl";

/// The end of each head that tiny_http writes: no body goes through it.
const END: &[u8] = b"Content-Length: 0\r\n\r\n";

/// The number of the first request of a link, which shows that it has a thread of tiny_http.
const READY: u64 = 0;

/// The links that are kept although nobody needs them.
const KEPT: usize = 16;

/// The longest time for tiny_http to hand out a request, or to write a head.
const TIME: Duration = Duration::from_secs(10);

/// What is said where the headers of a response are not plain.
const FAILED: &str = "the handler failed";

/// tiny_http with the links to it. The server is dropped before its socket.
pub struct Backend {
    server: tiny_http::Server,
    socket: PrivateSocket,
    links: Mutex<HeldLinks>,
    opening: Mutex<()>,
    has_stopped: AtomicBool,
}

#[derive(Default)]
struct HeldLinks {
    free: Vec<UnixStream>,
    /// The number of the last request.
    last: u64,
    /// The ways to the threads that wait for their request, by its number.
    asked: HashMap<u64, SyncSender<tiny_http::Request>>,
}

impl Backend {
    pub fn start() -> io::Result<Arc<Self>> {
        let (socket, listener) = PrivateSocket::bind()?;
        let server = tiny_http::Server::from_listener(listener, None).map_err(io::Error::other)?;
        let (links, opening, has_stopped) = (Mutex::default(), Mutex::default(), AtomicBool::new(false));
        let backend = Arc::new(Self { server, socket, links, opening, has_stopped });
        let own = Arc::clone(&backend);
        thread::Builder::new().name("backend".to_owned()).spawn(move || own.hand_out())?;
        Ok(backend)
    }

    /// Lets the service answer a request. Returns the response, and its head as tiny_http writes it, without the length of the
    /// body.
    pub fn answer(&self, service: &dyn Service, request: HttpRequest) -> io::Result<(Vec<u8>, Response)> {
        let (peer, (sender, handed)) = (request.head.peer, sync_channel(1));
        let free = self.links.lock().free.pop();
        let mut link = free.map_or_else(|| self.open(), Ok)?;
        let number = {
            let mut links = self.links.lock();
            links.last += 1;
            let number = links.last;
            links.asked.insert(number, sender);
            number
        };
        let asked = ask(&mut link, number).and_then(|()| handed.recv_timeout(TIME).map_err(io::Error::other));
        // One that failed leaves nothing behind.
        let handed = asked.inspect_err(|_| _ = self.links.lock().asked.remove(&number))?;
        let mut response = service.answer(request);
        let headers = plain_headers(&response).unwrap_or_else(|| {
            service.refused(Some(peer), 500, FAILED);
            let error = Error { status: Some(500), ..Error::new(ErrorKind::EngineFailed, FAILED) };
            response = Response::error(&Problem::from(&error));
            response.headers.extend(on_every_response());
            plain_headers(&response).expect("these are plain words")
        });
        handed.respond(tiny_http::Response::new(
            response.status.into(),
            headers,
            io::empty(),
            Some(0),
            None,
        ))?;
        let head = head_from(&mut link)?;
        let mut links = self.links.lock();
        if links.free.len() < KEPT {
            links.free.push(link);
        }
        Ok((head, response))
    }

    /// Ends tiny_http, once nobody asks any more.
    pub fn stop(&self) {
        self.has_stopped.store(true, Ordering::Release);
        self.links.lock().free.clear();
        self.server.unblock();
    }

    /// Opens a link.
    fn open(&self) -> io::Result<UnixStream> {
        // Of two links that come at once, tiny_http may give the second one to the thread of the first.
        let _turn = self.opening.lock();
        let mut link = self.socket.connect()?;
        link.set_read_timeout(Some(TIME))?;
        link.set_write_timeout(Some(TIME))?;
        ask(&mut link, READY)?;
        head_from(&mut link).map(|_| link)
    }

    /// Hands each request to the thread that waits for it, until the server stops.
    fn hand_out(&self) {
        loop {
            let request = match self.server.recv() {
                Err(_) if self.has_stopped.load(Ordering::Acquire) => return,
                request => request.expect("tiny_http accepts connections"),
            };
            let number = request.url().trim_start_matches('/').parse::<u64>().unwrap_or(READY);
            let waiting = self.links.lock().asked.remove(&number);
            let unclaimed = match waiting {
                Some(waiting) => waiting.send(request).err().map(|unsent| unsent.0),
                None => Some(request),
            };
            // It fails if the link is closed.
            unclaimed.map(|request| request.respond(tiny_http::Response::empty(200)));
        }
    }
}

/// Sends a request that is nothing but its number.
fn ask(link: &mut UnixStream, number: u64) -> io::Result<()> {
    link.write_all(format!("GET /{number} HTTP/1.1\r\n\r\n").as_bytes())
}

/// Reads the head of an answer, and returns it without its end.
fn head_from(link: &mut UnixStream) -> io::Result<Vec<u8>> {
    let (mut lines, mut piece) = (Vec::new(), [0; 1024]);
    while !lines.ends_with(END) {
        match link.read(&mut piece) {
            Ok(0) => return Err(io::ErrorKind::UnexpectedEof.into()),
            Ok(read) => lines.extend_from_slice(&piece[..read]),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    lines.truncate(lines.len() - END.len());
    Ok(lines)
}

/// The headers of a response; `None` if a value could end its header and begin another.
fn plain_headers(response: &Response) -> Option<Vec<tiny_http::Header>> {
    let own = response.headers.iter().map(|(name, value)| (*name, value.as_str()));
    let header = |(name, value): (&str, &str)| {
        let is_plain = value.bytes().all(|byte| matches!(byte, b'\t' | b' '..=b'~'));
        is_plain.then(|| tiny_http::Header::from_bytes(name, value).ok()).flatten()
    };
    own.chain([("Server", NAME)]).map(header).collect()
}

/// The file of the listening socket of tiny_http. It has no name in the file system: only this process, which holds its file
/// open, can connect to it, and it vanishes with the process.
struct PrivateSocket(OwnedFd);

impl PrivateSocket {
    /// Makes a listening socket. Its file is in a folder of this user only, and is gone before this returns.
    fn bind() -> io::Result<(Self, UnixListener)> {
        let folder = tempfile::tempdir()?;
        let path = folder.path().join("http");
        let listener = UnixListener::bind(&path)?;
        let file = open(&path, OFlags::PATH | OFlags::NOFOLLOW | OFlags::CLOEXEC, Mode::empty())?;
        Ok((Self(file), listener))
    }

    /// Connects to the socket; refused after its listener has ended.
    fn connect(&self) -> io::Result<UnixStream> {
        UnixStream::connect(Path::new("/proc/self/fd").join(self.0.as_raw_fd().to_string()))
    }
}

impl Drop for PrivateSocket {
    /// Ends the accept thread of tiny_http, which looks when a connection comes whether its server is dropped.
    fn drop(&mut self) {
        // It fails if the thread has ended.
        let _ = self.connect();
    }
}
