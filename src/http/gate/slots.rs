//! Who is connected. A connection takes a slot; when none is free, the one that has waited longest
//! without a request makes room, so that idle sockets keep nobody out.

use std::collections::HashMap;
use std::net::{IpAddr, Shutdown};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use super::socket::Socket;
use crate::http::message::Peer;

/// How long a new connection waits for those thrown out to end, when they are as many as there are
/// slots.
const ENDING_TIME: Duration = Duration::from_secs(1);

/// What a connection does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Phase {
    /// Waits for the first byte of a request, or for the client to close.
    Idle,
    /// Has a part of a head, of a handshake, or of a body that nobody wants.
    Arriving,
    /// Has a request.
    Busy,
}

/// Why there is no slot.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NoSlot {
    /// All are taken, by requests.
    Full,
    /// The address has all that one address may have.
    AddressFull,
}

/// All slots.
#[derive(Debug)]
pub struct Slots {
    most: usize,
    most_per_address: usize,
    patience: Duration,
    table: Mutex<Table>,
    ended: Condvar,
}

#[derive(Debug, Default)]
struct Table {
    next: u64,
    open: HashMap<u64, Entry>,
    /// Those in the table, and those that were thrown out and have not ended yet.
    alive: usize,
    stopping: bool,
}

#[derive(Debug)]
struct Entry {
    socket: Arc<Socket>,
    group: Option<IpAddr>,
    phase: Phase,
    since: Instant,
}

impl Slots {
    /// Free slots. `patience` is what [`Phase::Arriving`] is given before it has to make room.
    pub fn new(most: usize, most_per_address: usize, patience: Duration) -> Self {
        Self { most, most_per_address, patience, table: Mutex::default(), ended: Condvar::new() }
    }

    /// A slot for a new connection.
    pub fn take(slots: &Arc<Self>, socket: &Arc<Socket>, peer: Peer) -> Result<Slot, NoSlot> {
        let mut table = slots.wait_for_fewer_than(slots.most.saturating_mul(2), ENDING_TIME);
        let group = group(peer);
        slots.make_room(&mut table, group)?;
        let id = table.next;
        table.next += 1;
        table.alive += 1;
        let entry = Entry { socket: Arc::clone(socket), group, phase: Phase::Idle, since: Instant::now() };
        table.open.insert(id, entry);
        Ok(Slot { slots: Arc::clone(slots), id })
    }

    /// Connections whose thread has not ended.
    pub fn alive(&self) -> usize {
        self.lock().alive
    }

    /// Whether over half of the slots are taken.
    pub fn crowded(&self) -> bool {
        self.lock().open.len() * 2 > self.most
    }

    /// Whether the end has begun.
    pub fn stopping(&self) -> bool {
        self.lock().stopping
    }

    /// Begins the end: who waits for a request is closed, and nobody waits for another one.
    pub fn stop(&self) {
        let mut table = self.lock();
        table.stopping = true;
        let idle = table.open.values().filter(|entry| entry.phase == Phase::Idle);
        idle.for_each(|entry| entry.socket.shut(Shutdown::Both));
    }

    /// Closes all connections.
    pub fn shut_all(&self) {
        self.lock().open.values().for_each(|entry| entry.socket.shut(Shutdown::Both));
    }

    /// Waits until no connection is left, at most so long.
    pub fn wait_for_all(&self, most: Duration) {
        drop(self.wait_for_fewer_than(1, most));
    }

    fn wait_for_fewer_than(&self, alive: usize, most: Duration) -> MutexGuard<'_, Table> {
        let waited = self.ended.wait_timeout_while(self.lock(), most, |table| table.alive >= alive);
        waited.unwrap_or_else(PoisonError::into_inner).0
    }

    fn make_room(&self, table: &mut Table, group: Option<IpAddr>) -> Result<(), NoSlot> {
        if table.alive >= self.most.saturating_mul(2) {
            return Err(NoSlot::Full);
        }
        let of_group = |entry: &Entry| group.is_some() && entry.group == group;
        if table.open.values().filter(|entry| of_group(entry)).count() >= self.most_per_address {
            return self.throw_out(table, of_group).ok_or(NoSlot::AddressFull);
        }
        match table.open.len() >= self.most {
            true => self.throw_out(table, |_| true).ok_or(NoSlot::Full),
            false => Ok(()),
        }
    }

    /// Closes the one of them that has waited longest.
    fn throw_out(&self, table: &mut Table, which: impl Fn(&Entry) -> bool) -> Option<()> {
        let can_go = |entry: &Entry| match entry.phase {
            Phase::Idle => true,
            Phase::Arriving => entry.since.elapsed() >= self.patience,
            Phase::Busy => false,
        };
        let candidates = table.open.iter().filter(|(_, entry)| which(entry) && can_go(entry));
        let id = candidates.min_by_key(|(_, entry)| entry.since).map(|(id, _)| *id)?;
        table.open.remove(&id)?.socket.shut(Shutdown::Both);
        Some(())
    }

    fn lock(&self) -> MutexGuard<'_, Table> {
        self.table.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// One taken slot; free again when dropped.
#[derive(Debug)]
pub struct Slot {
    slots: Arc<Slots>,
    id: u64,
}

impl Slot {
    /// Goes over to a phase. `false` if the connection has to end instead: it made room for
    /// another one, or it would wait for a request and the end has begun.
    pub fn enter(&self, phase: Phase) -> bool {
        let mut table = self.slots.lock();
        let may_wait = !(table.stopping && phase == Phase::Idle);
        let Some(entry) = table.open.get_mut(&self.id) else { return false };
        (entry.phase, entry.since) = (phase, Instant::now());
        may_wait
    }

    /// Whether the connection made room for another one.
    pub fn thrown_out(&self) -> bool {
        !self.slots.lock().open.contains_key(&self.id)
    }
}

impl Drop for Slot {
    fn drop(&mut self) {
        let mut table = self.slots.lock();
        table.open.remove(&self.id);
        table.alive -= 1;
        self.slots.ended.notify_all();
    }
}

/// Those who count as one address. The loopback and the Unix socket are people of this machine, and
/// proxies; who has one IPv6 address has all of its /64.
fn group(peer: Peer) -> Option<IpAddr> {
    match peer {
        Peer::Uid(_) => None,
        Peer::Address(address) if address.is_loopback() => None,
        Peer::Address(IpAddr::V4(address)) => Some(address.into()),
        Peer::Address(IpAddr::V6(address)) => {
            let [a, b, c, d, ..] = address.segments();
            Some(IpAddr::from([a, b, c, d, 0, 0, 0, 0]))
        }
    }
}

#[cfg(test)]
mod tests;
