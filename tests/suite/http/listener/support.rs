//! A service that tells what it was asked, and a client that sends whatever bytes it likes.

use std::fs;
use std::io::{ErrorKind, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use mediactl::http::server::auth::Role;
use mediactl::http::server::front::limits::Limits;
use mediactl::http::server::front::{HttpServer, Listener};
use mediactl::http::server::message::{Head, HttpRequest, PeerAddress, Response, Service};
use mediactl::http::server::tls::Tls;

use crate::waiting::{PATIENCE, eventually, let_pass};

/// Bytes of the answer to `/big`.
pub const BIG: usize = 3 * 1024 * 1024;

#[derive(Default)]
pub struct Echo {
    pub refused: Mutex<Vec<(Option<PeerAddress>, u16, String)>>,
    pub asked: AtomicUsize,
}

impl Service for Echo {
    fn role_of(&self, head: &Head) -> Option<Role> {
        match head.header("x-rank") {
            Some("stranger") => None,
            Some("viewer") => Some(Role::View),
            _ => Some(Role::Edit),
        }
    }

    fn answer(&self, request: HttpRequest) -> Response {
        self.asked.fetch_add(1, Ordering::SeqCst);
        let head = &request.head;
        let (status, body) = match head.path() {
            _ if head.unread => (401, b"who is it".to_vec()),
            "/big" => (200, vec![b'x'; BIG]),
            "/empty" => (204, Vec::new()),
            "/same" => (304, Vec::new()),
            "/split" => (299, Vec::new()),
            "/slow" => {
                let_pass(Duration::from_millis(head.query().parse().expect("a time in ms")));
                (200, b"at last".to_vec())
            }
            _ => (200, [format!("{} {} ", head.method, head.target).as_bytes(), &request.body].concat()),
        };
        let split = (status == 299).then(|| ("X", "a\r\nSet-Cookie: b".to_owned()));
        Response { status, headers: split.into_iter().collect(), body: body.into() }
    }

    fn refused(&self, peer: Option<PeerAddress>, status: u16, detail: &str) {
        self.refused.lock().expect("no test panics with it").push((peer, status, detail.to_owned()));
    }
}

pub fn serve(listeners: Vec<Listener>, tls: Option<Arc<Tls>>, limits: Limits) -> (Arc<Echo>, HttpServer) {
    let service = Arc::new(Echo::default());
    let server = HttpServer::start(service.clone(), listeners, tls, limits);
    (service, server.expect("there is a place for the private socket"))
}

pub struct Running {
    pub service: Arc<Echo>,
    pub server: HttpServer,
    pub address: SocketAddr,
}

impl Running {
    pub fn start() -> Self {
        Self::with(Limits::default())
    }

    pub fn with(limits: Limits) -> Self {
        Self::secured(None, limits)
    }

    pub fn secured(tls: Option<Arc<Tls>>, limits: Limits) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("the loopback has a free port");
        let address = listener.local_addr().expect("it is bound");
        let (service, server) = serve(vec![Listener::Tcp(listener)], tls, limits);
        Self { service, server, address }
    }

    pub fn client(&self) -> Client<TcpStream> {
        Client::new(TcpStream::connect(self.address).expect("the server listens"))
    }

    pub fn ask(&self, request: impl AsRef<[u8]>) -> Answer {
        let mut client = self.client();
        client.send(request);
        client.answer()
    }

    pub fn open_connections(&self) -> usize {
        self.server.connection_count()()
    }

    pub fn is_well(&self) {
        let answer = self.ask("GET /well HTTP/1.1\r\nHost: a\r\n\r\n");
        assert_eq!((answer.status, answer.text()), (200, "GET /well "));
    }

    /// The statuses that were reported as refused, once there are `count` of them.
    pub fn refused(&self, count: usize) -> Vec<u16> {
        let refused = || self.service.refused.lock().expect("no test panics with it");
        eventually(|| refused().len() >= count);
        refused().iter().map(|(_, status, _)| *status).collect()
    }

    pub fn asked(&self) -> usize {
        self.service.asked.load(Ordering::SeqCst)
    }
}

pub fn short() -> Limits {
    let brief = Duration::from_millis(800);
    Limits { head_time: brief, transfer_time: brief, ..Limits::default() }
}

impl Client<TcpStream> {
    /// True if the server has read all that was sent: no end of the connection has bytes in a queue.
    pub fn is_read(&self) -> bool {
        // Connections to other servers may have the same port at this end.
        let ends = [self.stream.local_addr(), self.stream.peer_addr()];
        let ports = ends.map(|end| format!(":{:04X}", end.expect("it is connected").port()));
        let sockets = fs::read_to_string("/proc/self/net/tcp").expect("this is Linux");
        let fields = sockets.lines().map(|line| line.split_whitespace().collect::<Vec<_>>());
        let is_end =
            |own: &str, other: &str| ports.iter().all(|port| own.ends_with(port) || other.ends_with(port));
        let mut ends = fields.filter(|fields| is_end(fields[1], fields[2]));
        ends.all(|fields| fields[4] == "00000000:00000000")
    }
}

pub struct Client<S> {
    pub stream: S,
    got: Vec<u8>,
}

#[derive(Debug)]
pub struct Answer {
    pub status: u16,
    pub head: String,
    pub body: Vec<u8>,
}

impl Answer {
    pub fn text(&self) -> &str {
        std::str::from_utf8(&self.body).expect("the service answers in UTF-8")
    }

    pub fn header(&self, name: &str) -> Option<&str> {
        let mut lines = self.head.lines().filter_map(|line| line.split_once(": "));
        lines.find(|(known, _)| known.eq_ignore_ascii_case(name)).map(|(_, value)| value)
    }
}

impl Client<TcpStream> {
    pub fn new(stream: TcpStream) -> Self {
        stream.set_read_timeout(Some(PATIENCE)).expect("a time-out can be set");
        stream.set_write_timeout(Some(PATIENCE)).expect("a time-out can be set");
        Self::over(stream)
    }
}

impl<S: Read + Write> Client<S> {
    pub fn over(stream: S) -> Self {
        Self { stream, got: Vec::new() }
    }

    pub fn send(&mut self, bytes: impl AsRef<[u8]>) {
        self.stream.write_all(bytes.as_ref()).expect("the server reads");
    }

    /// The next answer; to `HEAD` see [`Self::head_only`].
    #[track_caller]
    pub fn answer(&mut self) -> Answer {
        self.try_answer().unwrap_or_else(|| panic!("no answer, but {:?}", String::from_utf8_lossy(&self.got)))
    }

    /// The next answer; none if the connection ends before it is whole.
    pub fn try_answer(&mut self) -> Option<Answer> {
        let mut answer = self.try_head()?;
        let length = answer.header("Content-Length").map_or(0, |length| length.parse().expect("a number"));
        while self.got.len() < length {
            self.more().then_some(())?;
        }
        answer.body = self.got.drain(..length).collect();
        Some(answer)
    }

    pub fn head_only(&mut self) -> Answer {
        self.try_head().expect("a head comes whole")
    }

    fn try_head(&mut self) -> Option<Answer> {
        let end = loop {
            match self.got.windows(4).position(|window| window == b"\r\n\r\n") {
                Some(end) => break end + 4,
                None => self.more().then_some(())?,
            }
        };
        let head = String::from_utf8(self.got.drain(..end).collect()).expect("a head is ASCII");
        let status = head.split(' ').nth(1).and_then(|word| word.parse().ok()).expect("a status");
        Some(Answer { status, head, body: Vec::new() })
    }

    /// True if the server ends the connection without another byte.
    pub fn is_closed(&mut self) -> bool {
        self.got.is_empty() && !self.more()
    }

    fn more(&mut self) -> bool {
        let mut buffer = [0; 64 * 1024];
        let read = match self.stream.read(&mut buffer) {
            Err(error) if error.kind() == ErrorKind::WouldBlock => panic!("nothing comes"),
            read => read.unwrap_or(0),
        };
        self.got.extend_from_slice(&buffer[..read]);
        read > 0
    }
}
