//! A way to a server that a test cuts, holds, or robs of answers, and that keeps what was asked. Each connection has one
//! request. It ends with the process.

use std::io::{Read, Result, Write};
use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

use crate::waiting::let_pass;

/// What happens to a request that contains some words.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Fate {
    Answered,
    /// It does not reach the server, and has no answer.
    Cut,
    /// It reaches the server, and the answer is lost.
    Unanswered,
    /// The same for the next one alone.
    UnansweredOnce,
    /// The same; and another change is made before it is sent again.
    Overtaken,
    /// It is unanswered, and nothing passes any more.
    Last,
}

pub struct Proxy {
    pub address: SocketAddr,
    state: Arc<State>,
}

struct State {
    server: SocketAddr,
    fate: Mutex<(&'static str, Fate)>,
    another: Box<dyn Fn() + Send + Sync>,
    passed: Mutex<Vec<Request>>,
    /// What is sent there, and what comes back, is held as in a network that is gone, until it is there again.
    is_held: [AtomicBool; 2],
}

pub struct Request {
    pub path: String,
    pub body: String,
}

impl Proxy {
    pub fn to(server: SocketAddr) -> Self {
        Self::beside(server, || {})
    }

    /// The same; `another` makes a change past the proxy.
    pub fn beside(server: SocketAddr, another: impl Fn() + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("a port is free");
        let address = listener.local_addr().expect("it is bound");
        let (fate, another) = (Mutex::new(("", Fate::Answered)), Box::new(another));
        let (passed, is_held) = Default::default();
        let state = Arc::new(State { server, fate, another, passed, is_held });
        let known = state.clone();
        thread::spawn(move || {
            for client in listener.incoming().flatten() {
                let state = known.clone();
                thread::spawn(move || state.serve(client));
            }
        });
        Self { address, state }
    }

    /// What happens from now on to requests with these words.
    pub fn on(&self, words: &'static str, fate: Fate) {
        *self.state.fate.lock().expect("nobody panicked") = (words, fate);
    }

    /// The requests since the last time that this was asked.
    pub fn passed(&self) -> Vec<Request> {
        std::mem::take(&mut *self.state.passed.lock().expect("nobody panicked"))
    }

    /// Holds, or lets go, what is sent there, and what comes back.
    pub fn hold(&self, is_held: [bool; 2]) {
        for (known, is_held) in self.state.is_held.iter().zip(is_held) {
            known.store(is_held, Ordering::SeqCst);
        }
    }
}

impl State {
    fn serve(&self, mut client: TcpStream) -> Result<()> {
        let (mut text, mut buffer) = (String::new(), [0; 64 * 1024]);
        let request = loop {
            let length = client.read(&mut buffer)?;
            text += &String::from_utf8_lossy(&buffer[..length]);
            match request(&text) {
                Some(request) => break request,
                None if length == 0 => return Ok(()),
                None => {}
            }
        };
        self.pass(0);
        self.passed.lock().expect("nobody panicked").push(request);
        let fate = self.fate_of(&text);
        if fate == Fate::Cut {
            return Ok(());
        }
        let mut server = TcpStream::connect(self.server)?;
        server.write_all(text.replacen(" HTTP/1.1\r\n", " HTTP/1.0\r\n", 1).as_bytes())?;
        while let length @ 1.. = server.read(&mut buffer)? {
            self.pass(1);
            if fate == Fate::Answered {
                client.write_all(&buffer[..length])?;
            }
        }
        if fate == Fate::Overtaken {
            (self.another)();
        }
        Ok(())
    }

    fn pass(&self, direction: usize) {
        while self.is_held[direction].load(Ordering::SeqCst) {
            let_pass(Duration::from_millis(10));
        }
    }

    fn fate_of(&self, request: &str) -> Fate {
        let mut known = self.fate.lock().expect("nobody panicked");
        let (words, fate) = *known;
        if !request.contains(words) {
            return Fate::Answered;
        }
        *known = match fate {
            Fate::UnansweredOnce | Fate::Overtaken => (words, Fate::Answered),
            Fate::Last => ("", Fate::Cut),
            _ => *known,
        };
        fate
    }
}

/// A request, once it is whole.
fn request(text: &str) -> Option<Request> {
    let (head, body) = text.split_once("\r\n\r\n")?;
    let length = head.lines().find_map(|line| {
        let (name, value) = line.split_once(": ")?;
        name.eq_ignore_ascii_case("content-length").then(|| value.parse::<usize>().ok())?
    });
    let path = head.split(' ').nth(1)?.to_owned();
    (body.len() >= length.unwrap_or(0)).then(|| Request { path, body: body.to_owned() })
}
