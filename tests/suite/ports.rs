//! Ports for servers that tests stop and start again.

use std::net::{Ipv4Addr, TcpListener};
use std::sync::atomic::{AtomicU16, Ordering};

/// The first port, and how many there are: below those that systems give to outgoing connections, so that no connection of
/// another test takes one while its server is away.
const FIRST: u16 = 10_000;
const COUNT: u16 = 20_000;

/// A port that nobody listens on, another one each time.
pub fn free_port() -> u16 {
    free_ports(1)
}

/// The first of several ports in a row.
pub fn free_ports(count: u16) -> u16 {
    static NEXT: AtomicU16 = AtomicU16::new(0);
    // Two runs of the tests at a time begin elsewhere.
    let start = (std::process::id() % 40) as u16 * (COUNT / 40);
    let is_free = |port| TcpListener::bind((Ipv4Addr::LOCALHOST, port)).is_ok();
    let next = || FIRST + (start + NEXT.fetch_add(count, Ordering::Relaxed) % COUNT) % COUNT;
    let mut firsts = std::iter::repeat_with(next).take(COUNT.into());
    firsts.find(|first| (*first..first + count).all(is_free)).expect("there are free ports")
}
