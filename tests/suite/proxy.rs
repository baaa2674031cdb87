//! A way to a server that a test cuts, slows, or robs of answers. It ends with the process.

use std::io::{Read, Write};
use std::net::{Ipv4Addr, Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

use crate::waiting::let_pass;

/// What happens to a request that contains some words.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fate {
    /// It does not reach the server, and has no answer.
    Cut,
    /// It reaches the server, and the answer is lost.
    Unanswered,
}

pub struct Proxy {
    pub address: SocketAddr,
    state: Arc<State>,
}

#[derive(Default)]
struct State {
    fate: Mutex<Option<(&'static str, Fate)>>,
    /// What is sent there, and what comes back, is held as in a network that is gone, until it is there again.
    is_held: [AtomicBool; 2],
    /// The time in milliseconds that bytes take, in each direction.
    delay: AtomicU64,
}

impl Proxy {
    pub fn to(target: SocketAddr) -> Self {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("a port is free");
        let address = listener.local_addr().expect("it is bound");
        let state = Arc::new(State::default());
        let known = state.clone();
        thread::spawn(move || {
            for client in listener.incoming().flatten() {
                let Ok(server) = TcpStream::connect(target) else { continue };
                for (direction, (from, to)) in
                    [(&client, &server), (&server, &client)].into_iter().enumerate()
                {
                    let both = from.try_clone().and_then(|from| Ok((from, to.try_clone()?)));
                    let (from, to) = both.expect("a socket can be cloned");
                    let state = known.clone();
                    thread::spawn(move || state.pass(from, to, direction));
                }
            }
        });
        Self { address, state }
    }

    /// What happens from now on to requests with these words.
    pub fn on(&self, words: &'static str, fate: Fate) {
        *self.state.fate.lock().expect("nobody panicked") = Some((words, fate));
    }

    /// Holds, or lets go, what is sent there, and what comes back.
    pub fn hold(&self, is_held: [bool; 2]) {
        for (known, is_held) in self.state.is_held.iter().zip(is_held) {
            known.store(is_held, Ordering::SeqCst);
        }
    }

    pub fn delay(&self, milliseconds: u64) {
        self.state.delay.store(milliseconds, Ordering::SeqCst);
    }
}

impl State {
    fn pass(&self, mut from: TcpStream, mut to: TcpStream, direction: usize) {
        let mut bytes = [0; 64 * 1024];
        while let Ok(length @ 1..) = from.read(&mut bytes) {
            let_pass(Duration::from_millis(self.delay.load(Ordering::SeqCst)));
            while self.is_held[direction].load(Ordering::SeqCst) {
                let_pass(Duration::from_millis(10));
            }
            let text = String::from_utf8_lossy(&bytes[..length]);
            let is_hit = |(words, _): &(&str, Fate)| direction == 0 && text.contains(words);
            match self.fate.lock().expect("nobody panicked").filter(is_hit) {
                None => {}
                Some((_, Fate::Cut)) => break,
                Some((_, Fate::Unanswered)) => drop(from.shutdown(Shutdown::Both)),
            }
            if to.write_all(&bytes[..length]).is_err() {
                break;
            }
        }
        let ends = if direction == 0 { [Shutdown::Both, Shutdown::Write] } else { [Shutdown::Both; 2] };
        let _ = from.shutdown(ends[0]);
        let _ = to.shutdown(ends[1]);
    }
}
