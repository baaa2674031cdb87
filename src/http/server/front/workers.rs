//! The workers, and tiny_http, which finds one for each request and writes the head of its response. Requests and bodies are
//! handed over in memory; over a link to tiny_http goes only the number of the hand-over.
//!
//! There are at least as many workers as links, and a link has one request at a time, so none waits for a worker. The accept
//! thread of tiny_http ends at its first error. A worker that hears of it panics, and `serve` ends when a thread does.

use std::collections::HashMap;
use std::io::{self, Read, Write};
use std::os::fd::{AsRawFd, OwnedFd};
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use rustix::fs::{Mode, OFlags, open};
use tempfile::TempDir;

use crate::error::{Error, ErrorKind};
use crate::http::api::on_every_response;
use crate::http::problem::Problem;
use crate::http::server::message::{HttpRequest, Response, Service};

/// The value of the header `Server`.
const NAME: &str = "mediactl";

/// The end of each head that tiny_http writes: no body goes through it.
const END: &[u8] = b"Content-Length: 0\r\n\r\n";

/// The path of the first request of a link, which shows that it has a thread of tiny_http.
const READY: &str = "/ready";

/// The links that are kept although nobody needs them, each with a worker, and the time until the other workers leave.
const KEPT: usize = 16;
const IDLE_TIME: Duration = Duration::from_secs(10);

/// What is said where the headers of a response are not plain.
const FAILED: &str = "the handler failed";

/// The folder for the socket if the path of the usual one is too long for a socket.
const SHORT_PLACE: &str = "/tmp";

/// The workers behind tiny_http. The server is dropped before its socket.
pub struct Workers {
    server: tiny_http::Server,
    socket: PrivateSocket,
    service: Arc<dyn Service>,
    most: usize,
    time: Duration,
    pool: Mutex<Pool>,
    freed: Condvar,
    opening: Mutex<()>,
    has_stopped: AtomicBool,
}

#[derive(Default)]
struct Pool {
    free: Vec<WorkerLink>,
    /// The links, and requests whose link was given up and whose worker still works.
    links: usize,
    /// At least as many as links, so no request waits for one.
    workers: usize,
    last: u64,
    /// What is handed over on each link.
    hand_overs: HashMap<u64, HandOver>,
    /// Since when all workers have been busy.
    busy_since: Option<Instant>,
}

enum HandOver {
    Asked(HttpRequest),
    Taken,
    Answered(Response),
}

/// A connection to tiny_http.
struct WorkerLink {
    number: u64,
    stream: UnixStream,
}

impl Workers {
    /// Starts tiny_http with its first worker, of at most `most`. A request takes at most `time`.
    pub fn start(service: Arc<dyn Service>, most: usize, time: Duration) -> io::Result<Arc<Self>> {
        let (socket, listener) = PrivateSocket::bind()?;
        let workers = Arc::new(Self {
            server: tiny_http::Server::from_listener(listener, None).map_err(io::Error::other)?,
            socket,
            service,
            most,
            time,
            pool: Mutex::default(),
            freed: Condvar::new(),
            opening: Mutex::default(),
            has_stopped: AtomicBool::new(false),
        });
        let first = workers.link()?;
        workers.give_back(Some(first));
        Ok(workers)
    }

    /// Asks for the response to a request, and for its head as tiny_http writes it, without the length of the body.
    pub fn ask(self: &Arc<Self>, request: HttpRequest) -> io::Result<(Vec<u8>, Response)> {
        let mut link = self.link()?;
        self.pool().hand_overs.insert(link.number, HandOver::Asked(request));
        let lines = link.send(&format!("/{}", link.number));
        let handed_over = self.pool().hand_overs.remove(&link.number);
        match (lines, handed_over) {
            (Ok(lines), Some(HandOver::Answered(response))) => {
                self.give_back(Some(link));
                Ok((lines, response))
            }
            // The worker that has the request counts the link down.
            (Err(error), Some(HandOver::Asked(_) | HandOver::Taken)) => Err(error),
            (lines, _) => {
                self.give_back(None);
                Err(lines.err().unwrap_or_else(|| io::Error::other("no worker has answered")))
            }
        }
    }

    /// True if no worker has been free for this time.
    pub fn is_busy_for(&self, time: Duration) -> bool {
        self.pool().busy_since.is_some_and(|since| since.elapsed() > time)
    }

    /// Ends the workers once they have answered, and then tiny_http. Each of them wakes the next one up.
    pub fn stop(&self) {
        self.has_stopped.store(true, Ordering::Release);
        self.server.unblock();
    }

    /// A free link, or a new one. Where there are as many as there may be, this waits.
    fn link(self: &Arc<Self>) -> io::Result<WorkerLink> {
        let may_not = |pool: &mut Pool| pool.free.is_empty() && pool.links >= self.most;
        let waited = self.freed.wait_timeout_while(self.pool(), self.time, may_not);
        let mut pool = waited.unwrap_or_else(PoisonError::into_inner).0;
        if may_not(&mut pool) {
            return Err(io::ErrorKind::TimedOut.into());
        }
        let free = pool.free.pop();
        pool.links += usize::from(free.is_none());
        pool.busy_since = may_not(&mut pool).then(Instant::now);
        drop(pool);
        free.map_or_else(|| self.open().inspect_err(|_| self.give_back(None)), Ok)
    }

    /// Opens a link, and starts a worker for it if there is none left over.
    fn open(self: &Arc<Self>) -> io::Result<WorkerLink> {
        // Of two links that come at once, tiny_http may give the second one to the thread of the first.
        let _turn = self.opening.lock().unwrap_or_else(PoisonError::into_inner);
        let stream = self.socket.connect()?;
        stream.set_read_timeout(Some(self.time))?;
        stream.set_write_timeout(Some(self.time))?;
        let mut pool = self.pool();
        if pool.workers < pool.links {
            let own = Arc::clone(self);
            thread::Builder::new().name("worker".to_owned()).spawn(move || own.work())?;
            pool.workers += 1;
        }
        pool.last += 1;
        let mut link = WorkerLink { number: pool.last, stream };
        drop(pool);
        link.send(READY).map(|_| link)
    }

    /// Gives a link back, or counts one down that is lost.
    fn give_back(&self, link: Option<WorkerLink>) {
        let mut pool = self.pool();
        match link.filter(|_| pool.free.len() < KEPT) {
            Some(link) => pool.free.push(link),
            None => pool.links -= 1,
        }
        pool.busy_since = None;
        self.freed.notify_one();
    }

    /// Answers requests until the server stops, or there are more workers than links.
    fn work(&self) {
        while !self.has_stopped.load(Ordering::Acquire) {
            match self.server.recv_timeout(IDLE_TIME).expect("tiny_http accepts connections") {
                Some(request) if request.url() == READY => {
                    let _ = request.respond(tiny_http::Response::empty(200));
                }
                Some(request) => self.answer(request),
                // The time is over, or it is a wake-up call.
                None => {}
            }
            let mut pool = self.pool();
            if pool.workers > pool.links {
                pool.workers -= 1;
                return;
            }
        }
        // This worker may have taken the wake-up call of another one.
        self.server.unblock();
    }

    /// Answers one request. The link of one that nobody waits for any more is gone.
    fn answer(&self, from: tiny_http::Request) {
        let number = from.url().trim_start_matches('/').parse::<u64>().unwrap_or_default();
        let asked = self.pool().hand_overs.get_mut(&number).map(|it| std::mem::replace(it, HandOver::Taken));
        let Some(HandOver::Asked(request)) = asked else { return self.give_back(None) };
        let peer = request.head.peer;
        let response = self.service.answer(request);
        let (headers, response) = match plain_headers(&response) {
            Some(headers) => (headers, response),
            None => {
                self.service.refused(Some(peer), 500, FAILED);
                let response = failed();
                (plain_headers(&response).expect("these are plain words"), response)
            }
        };
        let status = tiny_http::StatusCode(response.status);
        let answered = HandOver::Answered(response);
        let is_awaited = self.pool().hand_overs.get_mut(&number).map(|it| *it = answered).is_some();
        if !is_awaited {
            return self.give_back(None);
        }
        // It fails if the link has ended.
        let _ = from.respond(tiny_http::Response::new(status, headers, io::empty(), Some(0), None));
    }

    fn pool(&self) -> MutexGuard<'_, Pool> {
        self.pool.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl WorkerLink {
    /// Sends a request without a body, and returns the head of its answer without the end.
    fn send(&mut self, path: &str) -> io::Result<Vec<u8>> {
        self.stream.write_all(format!("GET {path} HTTP/1.1\r\n\r\n").as_bytes())?;
        let (mut lines, mut piece) = (Vec::new(), [0; 1024]);
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

/// The headers of a response; `None` if a value could end its header and begin another.
fn plain_headers(response: &Response) -> Option<Vec<tiny_http::Header>> {
    let own = response.headers.iter().map(|(name, value)| (*name, value.as_str()));
    let header = |(name, value): (&str, &str)| {
        let is_plain = value.bytes().all(|byte| matches!(byte, b'\t' | b' '..=b'~'));
        is_plain.then(|| tiny_http::Header::from_bytes(name, value).ok()).flatten()
    };
    own.chain([("Server", NAME)]).map(header).collect()
}

fn failed() -> Response {
    let mut response = Response::error(&Problem::from(&Error {
        status: Some(500),
        ..Error::new(ErrorKind::EngineFailed, FAILED)
    }));
    response.headers.extend(on_every_response());
    response
}

/// The file of the listening socket of tiny_http. It has no name in the file system: only this process, which holds its file
/// open, can connect to it, and it vanishes with the process.
struct PrivateSocket(OwnedFd);

impl PrivateSocket {
    /// Makes a listening socket. Its file is in a folder of this user only, and is gone before this returns.
    fn bind() -> io::Result<(Self, UnixListener)> {
        tempfile::tempdir().and_then(bind_in).or_else(|_| tempfile::tempdir_in(SHORT_PLACE).and_then(bind_in))
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

fn bind_in(folder: TempDir) -> io::Result<(PrivateSocket, UnixListener)> {
    let path = folder.path().join("http");
    let listener = UnixListener::bind(&path)?;
    let file = open(&path, OFlags::PATH | OFlags::NOFOLLOW | OFlags::CLOEXEC, Mode::empty())?;
    Ok((PrivateSocket(file), listener))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_socket_is_reached_by_its_file_alone_and_leaves_nothing_behind() {
        let place = tempfile::tempdir().expect("a folder can be made");
        let folder = tempfile::tempdir_in(&place).expect("a folder can be made");
        let (socket, listener) = bind_in(folder).expect("it can be bound");
        assert_eq!(std::fs::read_dir(&place).expect("it is a folder").count(), 0);
        drop(socket.connect().expect("it listens"));
        listener.accept().expect("a connection came");
        drop(listener);
        let error = socket.connect().expect_err("nobody listens");
        assert_eq!(error.kind(), io::ErrorKind::ConnectionRefused);
    }
}
