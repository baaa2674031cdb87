//! Limits on size, number and time, whose defaults the manual page shows; the slots of connections, and the memory of bodies.

use std::collections::BTreeMap;
use std::net::IpAddr;
use std::os::fd::OwnedFd;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use rustix::net::{Shutdown, shutdown};
use rustix::process::{Resource, getrlimit};

use crate::http::server::message::{PeerAddress, Rank, counted_address};
use mediaconf::Schema;

/// The bytes of a request line with its headers.
pub const HEAD: usize = 32 * 1024;

/// The number of headers of a request.
pub const HEADERS: usize = 64;

/// The bytes of one body.
pub const BODY: usize = 32 * 1024 * 1024;

/// The bytes of one body of a viewer.
pub const VIEWER_BODY: usize = 1024 * 1024;

/// The bytes of a body that always finds room: the number of connections limits these. So much of an unwanted body is read to
/// keep the connection.
pub const SMALL_BODY: usize = 64 * 1024;

/// The bytes of all larger bodies of editors that are held at a time, or twice a larger limit of a body; the same again
/// for users of the Unix socket.
pub const BODIES: usize = 64 * 1024 * 1024;

/// The bytes of all larger bodies of viewers that are held at a time.
pub const VIEWER_BODIES: usize = 16 * 1024 * 1024;

/// The memory for the merge of a patch; more with a larger limit of a body.
pub const PATCH_MEMORY: usize = BODY * Schema::MEMORY_PER_BODY;

/// The number of connections over the network.
pub const CONNECTIONS: usize = 64;

/// The number of connections over the Unix socket, beside the others.
pub const LOCAL_CONNECTIONS: usize = 32;

/// The number of connections at an address for monitoring alone.
pub const MONITORING_CONNECTIONS: usize = 16;

/// The number of connections from one address (IPv6: from one /64) that is neither the loopback nor a trusted proxy.
pub const CONNECTIONS_PER_ADDRESS: usize = 32;

/// The bytes that are read after the last response, so that the client gets to read it.
pub const LINGER: usize = 256 * 1024;

/// The open files of one connection: its socket, and three of its way to the handler.
pub const FILES_PER_CONNECTION: usize = 4;

/// The open files that are left for everything else.
pub const FILES_ELSEWHERE: usize = 32;

/// The time for a TLS handshake, and for a head, from the first byte.
pub const HEAD_TIME: Duration = Duration::from_secs(10);

/// The time for a whole request, from its first byte to the last one of its body; in proportion more with a larger limit
/// of a body.
pub const REQUEST_TIME: Duration = Duration::from_secs(60);

/// The time without a request.
pub const IDLE_TIME: Duration = Duration::from_secs(15);

/// The time in which the next byte of a body or a response has to pass.
pub const TRANSFER_TIME: Duration = Duration::from_secs(10);

/// The bytes of a response that get a second more than [`REQUEST_TIME`].
pub const TRANSFER_RATE: usize = 16 * 1024;

/// The time in which the handler has to begin its response.
pub const HANDLER_TIME: Duration = Duration::from_secs(120);

/// The time for a change up to its write. The rest of [`HANDLER_TIME`] is for the write and the
/// response, so that no change is written whose client was told that the server timed out.
pub const CHANGE_TIME: Duration = Duration::from_secs(110);

/// The time for which the metrics for those without a password are used again.
pub const METRICS_LIFE: Duration = Duration::from_secs(1);

/// The time that no worker may be free before the server is not well.
pub const LATE_TIME: Duration = Duration::from_secs(60);

/// The time after the last response, for the client to read it and to close.
pub const LINGER_TIME: Duration = Duration::from_secs(1);

/// The time before a connection that has not logged in, or is idle, can be closed for a new one. It begins again after a
/// TLS handshake.
pub const GRACE: Duration = Duration::from_millis(250);

/// The longest time that a new connection, or a request of a viewer, waits for its turn.
pub const WAITING_TIME: Duration = Duration::from_secs(5);

/// The limits that options change, or tests; the constants above explain each.
#[derive(Debug, Clone)]
pub struct Limits {
    pub body: usize,
    pub viewer_bodies: usize,
    pub bodies: usize,
    pub connections: usize,
    pub local: usize,
    /// Proxies: their connections are those of many clients, so the limit of an address does not hold.
    pub proxies: Vec<IpAddr>,
    pub per_address: usize,
    pub head_time: Duration,
    pub request_time: Duration,
    pub transfer_time: Duration,
    pub handler_time: Duration,
    pub late_time: Duration,
    pub grace: Duration,
    pub waiting_time: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            body: BODY,
            viewer_bodies: VIEWER_BODIES,
            bodies: BODIES,
            connections: CONNECTIONS,
            local: LOCAL_CONNECTIONS,
            proxies: Vec::new(),
            per_address: CONNECTIONS_PER_ADDRESS,
            head_time: HEAD_TIME,
            request_time: REQUEST_TIME,
            transfer_time: TRANSFER_TIME,
            handler_time: HANDLER_TIME,
            late_time: LATE_TIME,
            grace: GRACE,
            waiting_time: WAITING_TIME,
        }
    }
}

impl Limits {
    /// The limits at an address for monitoring alone.
    pub fn of_monitoring() -> Self {
        Self { connections: MONITORING_CONNECTIONS, local: 1, ..Self::default() }
    }

    /// The same limits with bodies of up to so many bytes.
    pub fn with_body(self, body: usize) -> Self {
        let request_time = REQUEST_TIME * u32::try_from(body.div_ceil(BODY)).unwrap_or(u32::MAX);
        Self { body, bodies: BODIES.max(2 * body), request_time, ..self }
    }

    /// See [`PATCH_MEMORY`].
    pub fn patch_memory(&self) -> usize {
        PATCH_MEMORY.max(self.body.saturating_mul(Schema::MEMORY_PER_BODY))
    }

    /// The same limits, with at most as many connections as this process may open files for.
    pub(super) fn within_open_files(self) -> Self {
        let files = getrlimit(Resource::Nofile).current.map_or(usize::MAX, |files| files as usize);
        self.within(files.saturating_sub(FILES_ELSEWHERE))
    }

    /// At most a quarter of the connections is for users of the Unix socket.
    fn within(self, files: usize) -> Self {
        let enough_for = files / FILES_PER_CONNECTION;
        let local = self.local.min(enough_for / 4).max(1);
        let connections = self.connections.min(enough_for.saturating_sub(local)).max(1);
        Self { connections, local, ..self }
    }
}

/// The reasons for which a connection gets no slot.
pub(super) const ALL_TAKEN: &str = "all connections are taken";
const ALL_OF_ADDRESS_TAKEN: &str = "all connections that one address may have are taken";

/// The connections over the network, or those over the Unix socket. Not more than there are slots are open at a time.
///
/// A connection has *logged in* if its last request had a right password. Where all slots are taken, a new connection
/// gets that of the oldest one that has not logged in, whatever it does, or else of the one that is idle for the longest
/// time; neither is closed before its grace is over. Requests of viewers that are answered hold less than half of the
/// slots. So an editor always finds a slot, unless editors hold all of them.
#[derive(Debug)]
pub struct Slots {
    most: usize,
    limits: Limits,
    table: Mutex<SlotTable>,
    changed: Condvar,
}

#[derive(Debug, Default)]
struct SlotTable {
    last: u64,
    held: BTreeMap<u64, Holder>,
    /// The number of connections that lost their slot and whose thread has not ended.
    ending: usize,
    /// Since when no connection could get a slot.
    full_since: Option<Instant>,
    stopping: bool,
    /// The connections that were closed since the last look: those that made room, and those that got no slot.
    closed: [usize; 2],
}

/// A connection that holds a slot.
#[derive(Debug)]
struct Holder {
    socket: Arc<OwnedFd>,
    /// The address that it counts for; none for the loopback, proxies and users of this machine.
    address: Option<IpAddr>,
    /// That of its last request.
    rank: Rank,
    /// True while a wanted body comes, and while a request is answered.
    is_busy: bool,
    /// The time of its last request with a right password, or when it got the slot.
    since: Instant,
}

/// The slot of a connection; free again when dropped.
#[derive(Debug)]
pub struct Slot {
    slots: Arc<Slots>,
    id: u64,
}

impl Holder {
    /// Ends reading or writing in its thread. An error means that it has ended already.
    fn shut(&self, how: Shutdown) {
        let _ = shutdown(&self.socket, how);
    }
}

impl SlotTable {
    /// The connection that makes room among those that are counted, which have `most` slots, and the time at which it
    /// may be closed. Where strangers hold half of the slots, they make room for one another.
    fn oldest(
        &self,
        counted: impl Fn(&Holder) -> bool,
        most: usize,
        (grace, now): (Duration, Instant),
    ) -> Option<(u64, Instant)> {
        let counted = self.held.iter().filter(|(_, holder)| counted(holder));
        let (strangers, others): (Vec<_>, Vec<_>) =
            counted.partition(|(_, holder)| holder.rank == Rank::Stranger);
        let of_others = others.iter().filter(|(_, holder)| !holder.is_busy && 2 * strangers.len() < most);
        let idle = of_others.min_by_key(|(_, holder)| (holder.rank, holder.since));
        let stranger = strangers.iter().min_by_key(|(_, holder)| holder.since);
        let ends = [stranger, idle].into_iter().flatten().map(|(id, holder)| (**id, holder.since + grace));
        // Of two that may be closed, the stranger.
        ends.min_by_key(|(_, end)| (*end).max(now))
    }

    /// True if the request of a viewer may be answered: those that are leave slots to editors.
    fn has_room_for_viewer(&self, address: Option<IpAddr>, most: usize, per_address: usize) -> bool {
        let viewed = || self.held.values().filter(|holder| holder.rank == Rank::Viewer && holder.is_busy);
        let of_address = viewed().filter(|holder| address.is_some() && holder.address == address).count();
        let share = |slots: usize| (slots.div_ceil(2) - 1).max(1);
        viewed().count() < share(most) && of_address < share(per_address)
    }
}

impl Slots {
    pub fn new(most: usize, limits: &Limits) -> Arc<Self> {
        let (limits, table) = (limits.clone(), Mutex::default());
        Arc::new(Self { most, limits, table, changed: Condvar::new() })
    }

    /// Waits for a slot for a new connection, or returns why there is none.
    pub fn take(self: &Arc<Self>, socket: &Arc<OwnedFd>, peer: PeerAddress) -> Result<Slot, &'static str> {
        let (address, limits) = (self.limited_address(peer), &self.limits);
        let mut table = self.lock();
        while !table.stopping {
            let now = Instant::now();
            let is_of_address = |holder: &Holder| address.is_some() && holder.address == address;
            let is_full_address =
                table.held.values().filter(|holder| is_of_address(holder)).count() >= limits.per_address;
            // Those whose threads have not ended count, too, or threads had no limit.
            let is_held_up = table.ending >= self.most;
            if !is_full_address && !is_held_up && table.held.len() < self.most {
                table.full_since = None;
                table.last += 1;
                let (id, socket, rank) = (table.last, Arc::clone(socket), Rank::Stranger);
                table.held.insert(id, Holder { socket, address, rank, is_busy: false, since: now });
                return Ok(Slot { slots: Arc::clone(self), id });
            }
            let oldest = match is_full_address {
                true => table.oldest(is_of_address, limits.per_address, (limits.grace, now)),
                false => table.oldest(|_| true, self.most, (limits.grace, now)),
            };
            let late = *table.full_since.get_or_insert(now) + limits.waiting_time;
            match oldest.filter(|_| !is_held_up) {
                Some((id, end)) if end <= now => self.evict(&mut table, id),
                // Clients at other addresses do not wait behind this one.
                _ if is_full_address || late <= now => {
                    table.closed[1] += 1;
                    return Err(if is_full_address { ALL_OF_ADDRESS_TAKEN } else { ALL_TAKEN });
                }
                oldest => {
                    let until = oldest.map_or(late, |(_, end)| end.min(late));
                    table = self.wait(table, until.saturating_duration_since(now));
                }
            }
        }
        Err(ALL_TAKEN)
    }

    /// Takes the slot of a connection away. One that reads gets to send an answer; one that writes to a client which does
    /// not read does not.
    fn evict(&self, table: &mut SlotTable, id: u64) {
        if let Some(holder) = table.held.remove(&id) {
            table.ending += 1;
            table.closed[0] += 1;
            holder.shut(if holder.is_busy { Shutdown::Both } else { Shutdown::Read });
            self.changed.notify_all();
        }
    }

    /// The address whose connections are counted. Users of this machine, and proxies, are many clients behind one.
    fn limited_address(&self, peer: PeerAddress) -> Option<IpAddr> {
        let PeerAddress::Address(address) = peer else { return None };
        let is_limited = !address.is_loopback() && !self.limits.proxies.contains(&address);
        is_limited.then(|| counted_address(address))
    }

    /// The connections that were closed since the last call: those that made room, and those that got no slot.
    pub fn take_closed(&self) -> [usize; 2] {
        std::mem::take(&mut self.lock().closed)
    }

    /// The number of connections whose thread has not ended.
    pub fn alive(&self) -> usize {
        let table = self.lock();
        table.held.len() + table.ending
    }

    pub fn is_stopping(&self) -> bool {
        self.lock().stopping
    }

    /// Begins the end: closes connections whose request is not whole, and gives no more slots.
    pub fn stop(&self) {
        let mut table = self.lock();
        table.stopping = true;
        // A connection that is closed here has no slot any more: a request that it has just read is not carried out.
        let before = table.held.len();
        table.held.retain(|_, holder| {
            if !holder.is_busy {
                holder.shut(Shutdown::Both);
            }
            holder.is_busy
        });
        table.ending += before - table.held.len();
        self.changed.notify_all();
    }

    /// Waits until no connection is left, and closes those that are after `most`.
    pub fn close_after(&self, most: Duration) {
        let is_open = |table: &mut SlotTable| table.held.len() + table.ending > 0;
        let waited = self.changed.wait_timeout_while(self.lock(), most, is_open);
        let table = waited.unwrap_or_else(PoisonError::into_inner).0;
        table.held.values().for_each(|holder| holder.shut(Shutdown::Both));
    }

    fn lock(&self) -> MutexGuard<'_, SlotTable> {
        self.table.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn wait<'t>(&self, table: MutexGuard<'t, SlotTable>, most: Duration) -> MutexGuard<'t, SlotTable> {
        self.changed.wait_timeout(table, most).unwrap_or_else(PoisonError::into_inner).0
    }
}

impl Slot {
    /// Notes a request of this rank, and waits for its turn; that of a viewer comes after those of other viewers. False if
    /// it does not come in time.
    pub fn judge(&self, rank: Rank) -> bool {
        let Slots { limits, most, .. } = &*self.slots;
        let until = Instant::now() + limits.waiting_time;
        let mut table = self.slots.lock();
        loop {
            let now = Instant::now();
            let Some(holder) = table.held.get_mut(&self.id) else { return false };
            (holder.rank, holder.is_busy) = (rank, false);
            holder.since = if rank > Rank::Stranger { now } else { holder.since };
            let address = holder.address;
            if rank != Rank::Viewer || table.has_room_for_viewer(address, *most, limits.per_address) {
                table.held.entry(self.id).and_modify(|holder| holder.is_busy = rank > Rank::Stranger);
                return true;
            }
            if now >= until || table.stopping {
                return false;
            }
            table = self.slots.wait(table, until.saturating_duration_since(now));
        }
    }

    /// The request is whole, and is answered. False if the slot was lost.
    pub fn work(&self) -> bool {
        self.slots.lock().held.get_mut(&self.id).map(|holder| holder.is_busy = true).is_some()
    }

    /// The connection waits for a request. False if it has to end: the slot was lost, or the server stops.
    pub fn rest(&self) -> bool {
        let mut table = self.slots.lock();
        let is_held = table.held.get_mut(&self.id).map(|holder| holder.is_busy = false).is_some();
        self.slots.changed.notify_all();
        is_held && !table.stopping
    }

    /// The TLS handshake is over: the grace begins again.
    pub fn renew(&self) {
        self.slots.lock().held.entry(self.id).and_modify(|holder| holder.since = Instant::now());
    }

    /// True if the slot was given to another connection.
    pub fn is_lost(&self) -> bool {
        !self.slots.lock().held.contains_key(&self.id)
    }
}

impl Drop for Slot {
    fn drop(&mut self) {
        let mut table = self.slots.lock();
        if table.held.remove(&self.id).is_none() {
            table.ending -= 1;
        }
        self.slots.changed.notify_all();
    }
}

/// The memory for some of the bodies. A body is charged for what it holds, not for what it declares: that costs a client
/// nothing.
#[derive(Debug)]
pub struct Budget {
    most: usize,
    held: AtomicUsize,
}

/// The share of one body; given back when dropped.
#[derive(Debug)]
pub struct Charge<'b>(&'b Budget, usize);

impl Budget {
    pub fn new(most: usize) -> Self {
        Self { most, held: AtomicUsize::new(0) }
    }

    pub fn charge(&self) -> Charge<'_> {
        Charge(self, 0)
    }
}

impl Charge<'_> {
    /// Grows the share for a body of `bytes`; false and no change if there is no room. A small body takes none.
    pub fn grow_to(&mut self, bytes: usize) -> bool {
        let more = if bytes > SMALL_BODY { bytes.saturating_sub(self.1) } else { 0 };
        let sum = |held: usize| held.checked_add(more).filter(|sum| *sum <= self.0.most);
        let is_granted = self.0.held.fetch_update(Ordering::AcqRel, Ordering::Acquire, sum).is_ok();
        self.1 += if is_granted { more } else { 0 };
        is_granted
    }
}

impl Drop for Charge<'_> {
    fn drop(&mut self) {
        self.0.held.fetch_sub(self.1, Ordering::AcqRel);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn connections_are_as_many_as_the_open_files_are_enough_for() {
        let asked = |connections| Limits { connections, ..Limits::default() };
        for (limits, files, expected) in [
            (asked(64), usize::MAX, (64, 32)),
            (asked(64), 992, (64, 32)),
            (asked(256), 992, (216, 32)),
            (asked(64), 32, (6, 2)),
            (asked(64), 0, (1, 1)),
        ] {
            let limits = limits.within(files);
            assert_eq!((limits.connections, limits.local), expected, "{files}");
        }
    }

    #[test]
    fn what_is_not_to_be_had_changes_nothing_and_all_is_given_back() {
        let budget = Budget::new(10 * SMALL_BODY);
        let [mut one, mut other] = [(); 2].map(|()| budget.charge());
        assert!(one.grow_to(6 * SMALL_BODY));
        assert!(!other.grow_to(5 * SMALL_BODY));
        assert!(other.grow_to(4 * SMALL_BODY));
        assert!(!one.grow_to(7 * SMALL_BODY) && !budget.charge().grow_to(SMALL_BODY + 1));
        assert!(budget.charge().grow_to(SMALL_BODY), "a small one always finds room");
        drop(other);
        assert!(one.grow_to(10 * SMALL_BODY) && !one.grow_to(usize::MAX));
        drop(one);
        assert!(budget.charge().grow_to(10 * SMALL_BODY));
    }
}
