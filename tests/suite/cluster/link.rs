//! A way to a member of etcd that a test cuts, in one direction or in both, or slows.

use std::io::{Read, Write};
use std::net::{Ipv4Addr, Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread;
use std::time::Duration;

use crate::waiting::let_pass;

/// A way that passes bytes on. It ends with the process.
pub struct Link {
    pub address: SocketAddr,
    state: Arc<State>,
}

#[derive(Default)]
struct State {
    /// What is sent there, and what comes back, is held as in a network that is gone, until it is there again.
    is_cut: [AtomicBool; 2],
    /// The time in milliseconds that bytes take, in each direction.
    delay: AtomicU64,
}

impl Link {
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
                    thread::spawn(move || pass(from, to, direction, &state));
                }
            }
        });
        Self { address, state }
    }

    /// Cuts or mends the way there, and the way back.
    pub fn cut(&self, is_cut: [bool; 2]) {
        for (known, is_cut) in self.state.is_cut.iter().zip(is_cut) {
            known.store(is_cut, Ordering::SeqCst);
        }
    }

    pub fn delay(&self, milliseconds: u64) {
        self.state.delay.store(milliseconds, Ordering::SeqCst);
    }
}

fn pass(mut from: TcpStream, mut to: TcpStream, direction: usize, state: &State) {
    let mut bytes = [0; 16 * 1024];
    while let Ok(length) = from.read(&mut bytes) {
        let_pass(Duration::from_millis(state.delay.load(Ordering::SeqCst)));
        while state.is_cut[direction].load(Ordering::SeqCst) {
            let_pass(Duration::from_millis(10));
        }
        if length == 0 || to.write_all(&bytes[..length]).is_err() {
            break;
        }
    }
    let _ = to.shutdown(Shutdown::Both);
}
