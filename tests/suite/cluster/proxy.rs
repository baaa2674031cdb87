//! A proxy between the program and etcd: it counts requests, and loses answers.

use std::io::{Read, Write};
use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;

/// The fate of requests that put something.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Line {
    /// They are passed on and answered.
    Whole,
    /// The next one is passed on, and its answer is lost.
    LosesOneAnswer,
    /// The same; and another change is made before it is sent again.
    LosesOneAnswerToAnother,
    /// The next one is passed on, then nothing more, and no answer comes back.
    BreaksBehindOne,
    /// Nothing is passed on.
    Broken,
}

pub struct Proxy {
    pub address: SocketAddr,
    line: Arc<Mutex<Line>>,
    passed: Arc<Mutex<Vec<Request>>>,
}

#[derive(Debug)]
pub struct Request {
    pub path: String,
    pub body: String,
}

impl Proxy {
    /// Passes requests on to etcd; `another` makes a change past the proxy.
    pub fn start(etcd: SocketAddr, another: impl Fn() + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("there are free ports");
        let address = listener.local_addr().expect("it has an address");
        let line = Arc::new(Mutex::new(Line::Whole));
        let passed = Arc::new(Mutex::default());
        let known = (line.clone(), passed.clone());
        // It ends with the process.
        thread::spawn(move || {
            let another = Arc::new(another);
            for stream in listener.incoming().flatten() {
                let (known, another) = (known.clone(), another.clone());
                thread::spawn(move || serve(stream, etcd, (&known.0, &known.1), &*another));
            }
        });
        Self { address, line, passed }
    }

    /// The requests since the last time that this was asked.
    pub fn passed(&self) -> Vec<Request> {
        std::mem::take(&mut *self.passed.lock().unwrap_or_else(PoisonError::into_inner))
    }

    pub fn set(&self, line: Line) {
        *self.line.lock().unwrap_or_else(PoisonError::into_inner) = line;
    }
}

fn serve(
    mut stream: TcpStream,
    etcd: SocketAddr,
    (line, passed): (&Mutex<Line>, &Mutex<Vec<Request>>),
    another: &dyn Fn(),
) -> std::io::Result<()> {
    let mut request = Vec::new();
    let (path, body) = loop {
        let mut buffer = [0; 4096];
        let length = stream.read(&mut buffer)?;
        request.extend(&buffer[..length]);
        if let Some(parts) = parts(&request) {
            break parts;
        }
        if length == 0 {
            return Ok(());
        }
    };
    passed
        .lock()
        .unwrap_or_else(PoisonError::into_inner)
        .push(Request { path: path.clone(), body: body.clone() });
    let puts = path.ends_with("kv/txn") && body.contains("request_put");
    let now = {
        let mut line = line.lock().unwrap_or_else(PoisonError::into_inner);
        let now = *line;
        *line = match now {
            Line::LosesOneAnswer | Line::LosesOneAnswerToAnother if puts => Line::Whole,
            Line::BreaksBehindOne if puts => Line::Broken,
            other => other,
        };
        now
    };
    if now == Line::Broken {
        return Ok(());
    }
    let mut upstream = TcpStream::connect(etcd)?;
    write!(upstream, "POST {path} HTTP/1.0\r\nContent-Length: {}\r\n\r\n{body}", body.len())?;
    let is_lost = puts && !matches!(now, Line::Whole | Line::Broken);
    match is_lost {
        true => std::io::copy(&mut upstream, &mut std::io::sink())?,
        false => std::io::copy(&mut upstream, &mut stream)?,
    };
    if is_lost && now == Line::LosesOneAnswerToAnother {
        another();
    }
    Ok(())
}

/// The path and the body of a request, once it is whole.
fn parts(request: &[u8]) -> Option<(String, String)> {
    let text = std::str::from_utf8(request).ok()?;
    let (head, body) = text.split_once("\r\n\r\n")?;
    let length = head.lines().find_map(|line| {
        let (name, value) = line.split_once(": ")?;
        name.eq_ignore_ascii_case("content-length").then(|| value.parse::<usize>().ok())?
    })?;
    let path = head.split(' ').nth(1)?.to_owned();
    (body.len() >= length).then(|| (path, body.to_owned()))
}
