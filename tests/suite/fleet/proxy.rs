//! A way to a server that can be made slow, or cut.

use std::io::{Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;

/// What happens to a request that contains some words.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fate {
    /// It does not reach the server, and has no answer.
    Cut,
    /// It reaches the server, and the answer is lost.
    Unanswered,
}

/// A way to a server.
pub struct Proxy {
    pub url: String,
    fate: Arc<Mutex<Option<(&'static str, Fate)>>>,
    connections: Arc<AtomicUsize>,
}

impl Proxy {
    /// A way to the server at this URL.
    pub fn to(url: &str) -> Self {
        let (scheme, address) = url.split_once("://").expect("a URL has a scheme");
        let (host, path) = address.split_once('/').expect("a server says its prefix");
        let listener = TcpListener::bind("127.0.0.1:0").expect("there is a port");
        let own = listener.local_addr().expect("it has an address");
        let (fate, connections) = (Arc::new(Mutex::new(None)), Arc::<AtomicUsize>::default());
        let (target, shared, count) = (host.to_owned(), Arc::clone(&fate), Arc::clone(&connections));
        thread::spawn(move || {
            for client in listener.incoming().flatten() {
                count.fetch_add(1, Ordering::SeqCst);
                let (target, shared) = (target.clone(), Arc::clone(&shared));
                thread::spawn(move || carry(client, &target, &shared));
            }
        });
        Self { url: format!("{scheme}://{own}/{path}"), fate, connections }
    }

    /// How many there were.
    pub fn connections(&self) -> usize {
        self.connections.load(Ordering::SeqCst)
    }

    /// What happens from now on to requests with these words.
    pub fn on(&self, words: &'static str, fate: Fate) {
        *self.fate.lock().expect("nobody panicked") = Some((words, fate));
    }
}

fn carry(mut client: TcpStream, target: &str, fate: &Mutex<Option<(&'static str, Fate)>>) {
    let Ok(mut server) = TcpStream::connect(target) else { return };
    let (mut back, mut to_client) =
        (server.try_clone().expect("it is open"), client.try_clone().expect("it is open"));
    let closing = client.try_clone().expect("it is open");
    thread::spawn(move || {
        let _ = std::io::copy(&mut back, &mut to_client);
        let _ = closing.shutdown(Shutdown::Both);
    });
    let mut piece = [0; 64 * 1024];
    while let Ok(count @ 1..) = client.read(&mut piece) {
        let text = String::from_utf8_lossy(&piece[..count]);
        let fate = fate.lock().expect("nobody panicked").filter(|(words, _)| text.contains(words));
        match fate {
            None => {}
            Some((_, Fate::Cut)) => break,
            Some((_, Fate::Unanswered)) => {
                let _ = client.shutdown(Shutdown::Both);
            }
        }
        if server.write_all(&piece[..count]).is_err() {
            break;
        }
    }
    let _ = client.shutdown(Shutdown::Both);
    let _ = server.shutdown(Shutdown::Write);
}
