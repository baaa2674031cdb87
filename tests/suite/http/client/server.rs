//! An HTTP server of a few lines, one request a connection.

use std::collections::HashMap;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use crate::waiting::let_pass;

#[derive(Debug, Clone)]
pub struct Request {
    pub method: String,
    pub target: String,
    pub headers: HashMap<String, String>,
    pub body: String,
}

impl Request {
    pub fn path(&self) -> &str {
        self.target.split('?').next().unwrap_or_default()
    }
}

pub enum Reply {
    Answer {
        status: u16,
        headers: Vec<(&'static str, String)>,
        body: String,
    },
    /// The connection is closed without an answer.
    Close,
    /// The answer never comes.
    Silence,
    /// The answer begins, and goes on for a long while.
    Trickle,
    /// An answer with this status begins, and never ends.
    Endless(u16),
    /// These bytes, which may be no HTTP.
    Raw(&'static str),
}

impl Reply {
    pub fn of(status: u16, body: impl Into<String>) -> Self {
        Self::Answer { status, headers: Vec::new(), body: body.into() }
    }

    pub fn with(self, name: &'static str, value: impl Into<String>) -> Self {
        match self {
            Self::Answer { status, mut headers, body } => {
                headers.push((name, value.into()));
                Self::Answer { status, headers, body }
            }
            other => other,
        }
    }
}

/// A server on a port of its own; its thread lasts as long as the tests do.
pub struct Server {
    port: u16,
    log: Arc<Mutex<Vec<Request>>>,
}

impl Server {
    pub fn start(answer: impl FnMut(&Request) -> Reply + Send + 'static) -> Self {
        Self::over(|stream| stream, answer)
    }

    /// The same over what `wrap` makes of a connection.
    pub fn over<S: Read + Write + Send + 'static>(
        wrap: impl Fn(TcpStream) -> S + Send + 'static,
        answer: impl FnMut(&Request) -> Reply + Send + 'static,
    ) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("there is a port");
        let port = listener.local_addr().expect("it has an address").port();
        let log = Arc::default();
        let server = Self { port, log: Arc::clone(&log) };
        std::thread::spawn(move || serve(&listener, &log, wrap, answer));
        server
    }

    pub fn url(&self) -> String {
        format!("http://127.0.0.1:{}", self.port)
    }

    pub fn url_as(&self, userinfo: &str) -> String {
        format!("http://{userinfo}@127.0.0.1:{}", self.port)
    }

    pub fn requests(&self) -> Vec<Request> {
        self.log.lock().expect("no thread panicked").clone()
    }

    /// The targets and bodies of all requests that may change something.
    pub fn posts(&self) -> Vec<(String, String)> {
        // What a foreign server does not know, it does not do.
        let is_known = |request: &Request| request.method != "GET" && !request.path().ends_with("/change");
        let posts = self.requests().into_iter().filter(is_known);
        posts.map(|request| (request.target, request.body)).collect()
    }
}

fn serve<S: Read + Write>(
    listener: &TcpListener,
    log: &Mutex<Vec<Request>>,
    wrap: impl Fn(TcpStream) -> S,
    mut answer: impl FnMut(&Request) -> Reply,
) {
    let mut silent = Vec::new();
    for stream in listener.incoming().flatten() {
        let mut stream = wrap(stream);
        let Some(request) = receive(&mut stream) else { continue };
        log.lock().expect("no thread panicked").push(request.clone());
        match answer(&request) {
            Reply::Answer { status, headers, body } => send(&mut stream, status, &headers, &body),
            Reply::Close => {}
            Reply::Silence => silent.push(stream),
            Reply::Trickle => pour(&mut stream, "200 OK\r\nContent-Length: 1000", b"x"),
            Reply::Endless(status) => pour(&mut stream, &format!("{status} Whatever"), &[b' '; 64 * 1024]),
            Reply::Raw(bytes) => {
                let _ = stream.write_all(bytes.as_bytes());
            }
        }
    }
}

/// Until the client has enough of it; single bytes come slowly.
fn pour(stream: &mut impl Write, head: &str, piece: &[u8]) {
    let mut is_open = stream.write_all(format!("HTTP/1.1 {head}\r\n\r\n").as_bytes()).is_ok();
    while is_open {
        let_pass(Duration::from_millis(if piece.len() == 1 { 100 } else { 0 }));
        is_open = stream.write_all(piece).is_ok();
    }
}

fn receive(stream: &mut impl Read) -> Option<Request> {
    let mut reader = BufReader::new(stream);
    let mut line = String::new();
    reader.read_line(&mut line).ok()?;
    let mut words = line.split_whitespace().map(str::to_owned);
    let (method, target) = (words.next()?, words.next()?);
    let mut headers = HashMap::new();
    loop {
        let mut line = String::new();
        reader.read_line(&mut line).ok()?;
        let Some((name, value)) = line.trim_end().split_once(':') else { break };
        headers.insert(name.to_lowercase(), value.trim().to_owned());
    }
    let length = headers.get("content-length").and_then(|length| length.parse().ok()).unwrap_or(0);
    let mut body = vec![0; length];
    reader.read_exact(&mut body).ok()?;
    Some(Request { method, target, headers, body: String::from_utf8(body).ok()? })
}

fn send(stream: &mut impl Write, status: u16, headers: &[(&str, String)], body: &str) {
    let mut head = format!("HTTP/1.1 {status} Whatever\r\nConnection: close\r\n");
    for (name, value) in headers {
        head.push_str(&format!("{name}: {value}\r\n"));
    }
    head.push_str(&format!("Content-Length: {}\r\n\r\n", body.len()));
    // Who has enough closes the connection.
    let _ = stream.write_all((head + body).as_bytes()).and_then(|()| stream.flush());
}
