//! The connections of a server with their sockets and slots. [`Admission`] decides, and this table
//! carries it out.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use rustix::net::Shutdown;

use super::admission::{Admission, NoSlot, Phase, Rules, Turn};
use super::origin::ConnectionOrigin;
use super::socket::Socket;
use crate::http::server::message::{PeerAddress, Rank};

/// The longest time that accepting waits for evicted connections to end.
const ENDING_TIME: Duration = Duration::from_secs(1);

/// The bytes that are examined of the first record of a TLS handshake.
const MAX_HELLO: usize = 2048;

/// An accepted connection that has no thread yet.
#[derive(Debug, Clone)]
pub struct NewConnection {
    pub socket: Arc<Socket>,
    pub peer: PeerAddress,
    /// True if it speaks TLS.
    pub secured: bool,
}

impl NewConnection {
    /// True if the client has sent nothing yet, or not the whole record that begins a TLS handshake.
    pub fn is_silent(&self) -> bool {
        let mut first = [0; MAX_HELLO];
        let first = self.socket.peek(&mut first);
        match (self.secured, first) {
            (true, [_, _, _, high, low, rest @ ..]) => {
                let length = usize::from(u16::from_be_bytes([*high, *low]));
                rest.len() < length && first.len() < MAX_HELLO
            }
            (secured, first) => secured || first.is_empty(),
        }
    }
}

/// All connections and slots.
#[derive(Debug)]
pub struct ConnectionTable {
    proxies: Vec<IpAddr>,
    table: Mutex<Table>,
    changed: Condvar,
    ended: Condvar,
    /// A viewer was answered, or one who waits for that lost its slot.
    viewed: Condvar,
}

#[derive(Debug)]
struct Table {
    admission: Admission,
    /// The connections that wait, and those that have a slot.
    visitors: HashMap<u64, NewConnection>,
    /// True if the queue has to be settled again.
    changed: bool,
    stopping: bool,
}

/// The result of settling the queue of waiting connections.
#[derive(Debug, Default)]
pub struct Settled {
    /// Connections that have a slot now.
    pub admitted: Vec<(Slot, NewConnection)>,
    /// The peers of connections that were closed to make room.
    pub evicted: Vec<PeerAddress>,
    /// Connections that get no slot.
    pub refused: Vec<(NewConnection, NoSlot)>,
    /// The time to settle again.
    pub again: Option<Instant>,
}

impl ConnectionTable {
    /// Starts with all slots free. `proxies` have no limit for one address.
    pub fn new(rules: Rules, proxies: Vec<IpAddr>) -> Self {
        let table = Table {
            admission: Admission::new(rules),
            visitors: HashMap::new(),
            changed: false,
            stopping: false,
        };
        Self {
            proxies,
            table: Mutex::new(table),
            changed: Condvar::new(),
            ended: Condvar::new(),
            viewed: Condvar::new(),
        }
    }

    /// Queues a new connection until [`Self::settle`] decides. While evicted connections do not end as
    /// fast as others come, this blocks: the others wait in the queue of the system.
    pub fn arrive(&self, visitor: NewConnection) {
        let origin = ConnectionOrigin::from_peer(visitor.peer, &self.proxies);
        let mut table = self.wait_while(ENDING_TIME, |table| table.admission.is_held_up());
        let id = table.admission.arrive(origin, Instant::now());
        table.visitors.insert(id, visitor);
    }

    /// Admits as many connections as fit, and closes those that make room.
    pub fn settle(slots: &Arc<Self>) -> Settled {
        let mut table = slots.lock();
        table.changed = false;
        if table.stopping {
            return Settled::default();
        }
        let Table { admission, visitors, .. } = &mut *table;
        let is_silent = |id| visitors.get(&id).is_none_or(NewConnection::is_silent);
        let outcome = admission.settle(Instant::now(), is_silent);
        let evict = |(id, phase)| {
            let visitor = visitors.remove(&id)?;
            visitor.socket.shut(how_to_shut(phase));
            Some(visitor.peer)
        };
        let evicted: Vec<PeerAddress> = outcome.evicted.into_iter().filter_map(evict).collect();
        if !evicted.is_empty() {
            slots.viewed.notify_all();
        }
        let refuse = |(id, reason)| Some((visitors.remove(&id)?, reason));
        let refused = outcome.refused.into_iter().filter_map(refuse).collect();
        let admit = |id| {
            let visitor = visitors.get(&id)?.clone();
            Some((Slot { slots: Arc::clone(slots), id }, visitor))
        };
        let admitted = outcome.admitted.into_iter().filter_map(admit).collect();
        Settled { admitted, evicted, refused, again: outcome.again }
    }

    /// Waits until the queue has to be settled again, at `at` the latest; `false` when the server stops.
    pub fn wait_for_change(&self, at: Option<Instant>) -> bool {
        let is_quiet = |table: &mut Table| !table.changed && !table.stopping;
        let table = match at {
            None => self.changed.wait_while(self.lock(), is_quiet).unwrap_or_else(PoisonError::into_inner),
            Some(at) => {
                let left = at.saturating_duration_since(Instant::now());
                let waited = self.changed.wait_timeout_while(self.lock(), left, is_quiet);
                waited.unwrap_or_else(PoisonError::into_inner).0
            }
        };
        !table.stopping
    }

    /// Ends [`Self::wait_for_change`].
    pub fn wake(&self) {
        self.lock().changed = true;
        self.changed.notify_one();
    }

    /// The number of connections whose thread has not ended.
    pub fn alive(&self) -> usize {
        self.lock().admission.alive()
    }

    /// True if the server stops.
    pub fn stopping(&self) -> bool {
        self.lock().stopping
    }

    /// Begins the end: closes connections that wait for a slot or are idle, and lets none wait again.
    pub fn stop(&self) {
        let mut table = self.lock();
        table.stopping = true;
        let busy: Vec<u64> =
            table.admission.open().filter(|(_, phase)| *phase != Phase::Idle).map(|(id, _)| id).collect();
        let idle = table.visitors.iter().filter(|(id, _)| !busy.contains(id));
        idle.for_each(|(_, visitor)| visitor.socket.shut(Shutdown::Both));
        self.changed.notify_all();
    }

    /// Closes all connections.
    pub fn shut_all(&self) {
        self.lock().visitors.values().for_each(|visitor| visitor.socket.shut(Shutdown::Both));
    }

    /// Waits until no connection is left, or `most` is over.
    pub fn wait_for_all(&self, most: Duration) {
        drop(self.wait_while(most, |table| table.admission.alive() > 0));
    }

    fn wait_while(&self, most: Duration, so: impl Fn(&Table) -> bool) -> MutexGuard<'_, Table> {
        let waited = self.ended.wait_timeout_while(self.lock(), most, |table| so(table));
        waited.unwrap_or_else(PoisonError::into_inner).0
    }

    fn lock(&self) -> MutexGuard<'_, Table> {
        self.table.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Changes the table in a way that may free a slot.
    fn change<T>(&self, change: impl FnOnce(&mut Table) -> T) -> T {
        let mut table = self.lock();
        let done = change(&mut table);
        if table.admission.has_waiting() {
            table.changed = true;
            self.changed.notify_one();
        }
        done
    }
}

/// Returns the directions in which an evicted connection is shut down. One that reads can still get a
/// response; one that writes to a client which does not read cannot.
fn how_to_shut(phase: Phase) -> Shutdown {
    match phase {
        Phase::Idle | Phase::Arriving => Shutdown::Read,
        Phase::Busy => Shutdown::Both,
    }
}

/// A slot of a connection; free again when dropped.
#[derive(Debug)]
pub struct Slot {
    slots: Arc<ConnectionTable>,
    id: u64,
}

impl Slot {
    /// Enters a phase. `false` if the connection has to end instead: it lost its slot, or it would be
    /// idle while the server stops.
    pub fn enter(&self, phase: Phase) -> bool {
        let may_go_on = self.slots.change(|table| {
            let may_wait = !(table.stopping && phase == Phase::Idle);
            table.admission.enter(self.id, phase, Instant::now()) && may_wait
        });
        if phase != Phase::Busy {
            self.slots.viewed.notify_all();
        }
        may_go_on
    }

    /// Notes that a handshake came on.
    pub fn come_on(&self) {
        self.slots.lock().admission.come_on(self.id, Instant::now());
    }

    /// Notes the rank of a request, and waits for its turn, up to this time.
    pub fn judge(&self, rank: Rank, until: Instant) -> Turn {
        if !self.slots.change(|table| table.admission.judge(self.id, rank, Instant::now())) {
            return Turn::Lost;
        }
        let mut table = self.slots.lock();
        loop {
            let left = until.saturating_duration_since(Instant::now());
            match table.admission.take_turn(self.id) {
                Turn::Later if !left.is_zero() => {
                    let waited = self.slots.viewed.wait_timeout(table, left);
                    table = waited.unwrap_or_else(PoisonError::into_inner).0;
                }
                turn => return turn,
            }
        }
    }

    /// True if the connection was evicted.
    pub fn made_room(&self) -> bool {
        !self.slots.lock().admission.holds(self.id)
    }

    /// True if over half of the slots are taken that this connection competes for.
    pub fn is_crowded(&self) -> bool {
        self.slots.lock().admission.is_crowded(self.id)
    }

    /// True if the connection may stay open after its response: the server is not stopping, and no other
    /// connection waits for the slot.
    pub fn may_stay(&self) -> bool {
        let table = self.slots.lock();
        !table.stopping && !table.admission.blocks_others(self.id)
    }
}

impl Drop for Slot {
    fn drop(&mut self) {
        self.slots.change(|table| {
            table.visitors.remove(&self.id);
            table.admission.leave(self.id);
        });
        self.slots.ended.notify_all();
        self.slots.viewed.notify_all();
    }
}

#[cfg(test)]
mod tests;
