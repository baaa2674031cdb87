//! The workers, and tiny_http, which finds one for each request and writes the head of its response. Requests and bodies are
//! handed over in memory; over a link to tiny_http goes only the number of the request.
//!
//! There are at least as many workers as requests, and a link has one request at a time, so none waits for a worker. The accept
//! thread of tiny_http ends at its first error. A worker that hears of it panics, and `serve` ends when a thread does.

use std::collections::HashMap;
use std::io::{self, Read, Write};
use std::os::fd::{AsRawFd, OwnedFd};
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{SyncSender, sync_channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};
use std::{mem, thread};

use rustix::fs::{Mode, OFlags, open};
use tempfile::TempDir;

use super::connection::ArrivingBody;
use crate::error::{Error, ErrorKind};
use crate::http::api::on_every_response;
use crate::http::problem::Problem;
use crate::http::server::message::{Head, HttpRequest, Response, Service};

/// The value of the header `Server`.
const NAME: &str = "mediactl";

/// The end of each head that tiny_http writes: no body goes through it.
const END: &[u8] = b"Content-Length: 0\r\n\r\n";

/// The path of the first request of a link, which shows that it has a thread of tiny_http.
const READY: &str = "/ready";

/// The links and the workers that are kept although nobody needs them, and the time until the other workers leave.
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
    opening: Mutex<()>,
    has_stopped: AtomicBool,
}

#[derive(Default)]
struct Pool {
    /// The links that are free.
    free: Vec<UnixStream>,
    workers: usize,
    /// The requests that wait for a worker or have one, also if nobody waits for the response any more.
    busy: usize,
    /// Since when there have been as many of them as there may be.
    busy_since: Option<Instant>,
    last: u64,
    /// The requests that no worker has taken, with the way of their response.
    asked: HashMap<u64, (Head, ArrivingBody, SyncSender<Response>)>,
}

impl Pool {
    fn end_one(&mut self) {
        (self.busy, self.busy_since) = (self.busy - 1, None);
    }
}

impl Workers {
    /// Starts tiny_http for at most so many requests at a time. A request takes at most `time`.
    pub fn start(service: Arc<dyn Service>, most: usize, time: Duration) -> io::Result<Arc<Self>> {
        let (socket, listener) = PrivateSocket::bind()?;
        Ok(Arc::new(Self {
            server: tiny_http::Server::from_listener(listener, None).map_err(io::Error::other)?,
            socket,
            service,
            most,
            time,
            pool: Mutex::default(),
            opening: Mutex::default(),
            has_stopped: AtomicBool::new(false),
        }))
    }

    /// Asks for the response to a request, and for its head as tiny_http writes it, without the length of the body.
    pub fn ask(self: &Arc<Self>, head: Head, body: ArrivingBody) -> io::Result<(Vec<u8>, Response)> {
        let (sender, response) = sync_channel(1);
        let mut pool = self.pool();
        // There are more slots only where workers have not come back in their time.
        if pool.busy >= self.most {
            return Err(io::ErrorKind::TimedOut.into());
        }
        if pool.workers <= pool.busy {
            let own = Arc::clone(self);
            thread::Builder::new().name("worker".to_owned()).spawn(move || own.work())?;
            pool.workers += 1;
        }
        pool.busy += 1;
        pool.busy_since = (pool.busy == self.most).then(Instant::now);
        pool.last += 1;
        let number = pool.last;
        pool.asked.insert(number, (head, body, sender));
        let free = pool.free.pop();
        drop(pool);
        let answered = free.map_or_else(|| self.open(), Ok).and_then(|mut link| {
            let lines = send(&mut link, &format!("/{number}"))?;
            Ok((lines, link))
        });
        let mut pool = self.pool();
        if pool.asked.remove(&number).is_some() {
            pool.end_one();
        }
        let (lines, link) = answered?;
        if pool.free.len() < KEPT {
            pool.free.push(link);
        }
        Ok((lines, response.try_recv().map_err(|_| io::Error::other("no worker has answered"))?))
    }

    /// True if no worker has been free for this time.
    pub fn is_busy_for(&self, time: Duration) -> bool {
        self.pool().busy_since.is_some_and(|since| since.elapsed() > time)
    }

    /// Ends the workers once they have answered, and then tiny_http. Each of them wakes the next one up.
    pub fn stop(&self) {
        self.has_stopped.store(true, Ordering::Release);
        self.pool().free.clear();
        self.server.unblock();
    }

    /// Opens a link.
    fn open(&self) -> io::Result<UnixStream> {
        // Of two links that come at once, tiny_http may give the second one to the thread of the first.
        let _turn = self.opening.lock().unwrap_or_else(PoisonError::into_inner);
        let mut link = self.socket.connect()?;
        link.set_read_timeout(Some(self.time))?;
        link.set_write_timeout(Some(self.time))?;
        send(&mut link, READY).map(|_| link)
    }

    /// Answers requests until the server stops, or there are more workers than are needed.
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
            if pool.workers > pool.busy.max(KEPT) {
                pool.workers -= 1;
                return;
            }
        }
        // This worker may have taken the wake-up call of another one.
        self.server.unblock();
    }

    /// Answers one request, if somebody waits for the response still.
    fn answer(&self, from: tiny_http::Request) {
        let number = from.url().trim_start_matches('/').parse::<u64>().unwrap_or_default();
        let Some((head, mut body, sender)) = self.pool().asked.remove(&number) else { return };
        let (peer, bytes) = (head.peer, mem::take(&mut body.bytes).into());
        let mut response = self.service.answer(HttpRequest { head, body: bytes });
        // What the body held is free only now, also if nobody waits for the response any more.
        drop(body);
        let headers = plain_headers(&response).unwrap_or_else(|| {
            self.service.refused(Some(peer), 500, FAILED);
            let error = Error { status: Some(500), ..Error::new(ErrorKind::EngineFailed, FAILED) };
            response = Response::error(&Problem::from(&error));
            response.headers.extend(on_every_response());
            plain_headers(&response).expect("these are plain words")
        });
        let head = tiny_http::Response::new(response.status.into(), headers, io::empty(), Some(0), None);
        self.pool().end_one();
        // Both fail if nobody waits for the response any more.
        let _ = sender.send(response);
        let _ = from.respond(head);
    }

    fn pool(&self) -> MutexGuard<'_, Pool> {
        self.pool.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Sends a request without a body, and returns the head of its answer without the end.
fn send(link: &mut UnixStream, path: &str) -> io::Result<Vec<u8>> {
    link.write_all(format!("GET {path} HTTP/1.1\r\n\r\n").as_bytes())?;
    let (mut lines, mut piece) = (Vec::new(), [0; 1024]);
    while !lines.ends_with(END) {
        match link.read(&mut piece) {
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
        let (usual, short) = (tempfile::tempdir(), || tempfile::tempdir_in(SHORT_PLACE));
        usual.and_then(Self::bind_in).or_else(|_| short().and_then(Self::bind_in))
    }

    fn bind_in(folder: TempDir) -> io::Result<(Self, UnixListener)> {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_socket_is_reached_by_its_file_alone_and_leaves_nothing_behind() {
        let place = tempfile::tempdir().expect("a folder can be made");
        let folder = tempfile::tempdir_in(&place).expect("a folder can be made");
        let (socket, listener) = PrivateSocket::bind_in(folder).expect("it can be bound");
        assert_eq!(std::fs::read_dir(&place).expect("it is a folder").count(), 0);
        drop(socket.connect().expect("it listens"));
        listener.accept().expect("a connection came");
        drop(listener);
        let error = socket.connect().expect_err("nobody listens");
        assert_eq!(error.kind(), io::ErrorKind::ConnectionRefused);
    }
}
