//! The slots of connections: not more than there are of them are open at a time, and where all are taken, it is decided
//! here who makes room.

use std::collections::BTreeMap;
use std::net::IpAddr;
use std::os::fd::OwnedFd;
use std::sync::Arc;
use std::time::{Duration, Instant};

use parking_lot::{Condvar, Mutex};
use rustix::net::{Shutdown, shutdown};

use super::limits::Limits;
use crate::error::{Error, ErrorKind};
use crate::http::server::auth::Role;
use crate::http::server::message::{PeerAddress, counted_address};

/// What a connection hears that gets no slot, or loses it.
const ALL_TAKEN: &str = "all connections are taken";
const ALL_OF_ADDRESS_TAKEN: &str = "all connections that one address may have are taken";
const MADE_ROOM: &str = "the connection was closed to make room for a new one";
const NO_TURN: &str = "all connections that `view_auth` may use at a time are in use";

/// The number of connections at a time that are told that they get no slot; others are just closed.
const TURNED_AWAY: usize = 64;

/// The connections over the network, or those over the Unix socket.
///
/// A connection has *logged in* if its last request had a right password. Where all slots are taken, a new connection
/// gets that of the oldest one that has not logged in, whatever it does, or else of the one that is idle for the longest
/// time; neither is closed before its grace is over. Requests of viewers that are answered hold less than half of the
/// slots, and of those of an address. So an editor always finds a slot, unless editors hold all of them.
pub struct Slots {
    most: usize,
    limits: Limits,
    table: Mutex<SlotTable>,
    changed: Condvar,
}

#[derive(Default)]
struct SlotTable {
    last: u64,
    held: BTreeMap<u64, Holder>,
    /// Since when no connection could get a slot.
    full_since: Option<Instant>,
    stopping: bool,
    turned_away: usize,
}

/// A connection that holds a slot, or has lost it, and whose thread has not ended.
struct Holder {
    socket: Arc<OwnedFd>,
    /// The address that it counts for; none for the loopback, proxies and users of this machine.
    address: Option<IpAddr>,
    /// The role of its last request; `None` for a stranger.
    role: Option<Role>,
    /// True while a wanted body comes, and while a request is answered.
    is_busy: bool,
    /// The time of its last request with a right password, or when it got the slot.
    since: Instant,
    is_lost: bool,
}

/// The slot of a connection; free again when dropped.
pub struct Slot {
    slots: Arc<Slots>,
    id: u64,
    /// Why the connection gets none: it is only told so.
    refusal: Option<Error>,
}

impl Holder {
    /// Takes the slot away, and ends reading or writing in its thread.
    fn lose(&mut self, how: Shutdown) {
        self.is_lost = true;
        // An error means that it has ended already.
        let _ = shutdown(&self.socket, how);
    }
}

impl SlotTable {
    fn open(&self) -> impl Iterator<Item = &Holder> {
        self.held.values().filter(|holder| !holder.is_lost)
    }
}

impl Slots {
    pub fn new(most: usize, limits: &Limits) -> Arc<Self> {
        let (limits, table) = (limits.clone(), Mutex::default());
        Arc::new(Self { most, limits, table, changed: Condvar::new() })
    }

    /// Waits for a slot for a new connection. That of one that gets none has a refusal; `None` if there are too many of those.
    pub fn take(self: &Arc<Self>, socket: &Arc<OwnedFd>, peer: PeerAddress) -> Option<Slot> {
        let address = self.limited_address(peer);
        let is_of_address = |holder: &Holder| address.is_some() && holder.address == address;
        let (limits, mut guard) = (&self.limits, self.table.lock());
        loop {
            let (table, now) = (&mut *guard, Instant::now());
            let is_full_address = table.open().filter(|it| is_of_address(it)).count() >= limits.per_address;
            let open = table.open().count();
            // Those whose threads have not ended count, too, or threads had no limit.
            let is_held_up = table.held.len() - open >= self.most;
            if !is_full_address && !is_held_up && open < self.most && !table.stopping {
                table.full_since = None;
                table.last += 1;
                let (socket, role) = (Arc::clone(socket), None);
                let holder = Holder { socket, address, role, is_busy: false, since: now, is_lost: false };
                table.held.insert(table.last, holder);
                return Some(Slot { slots: Arc::clone(self), id: table.last, refusal: None });
            }
            // Where strangers hold half of the slots, they make room for one another.
            let counted = |holder: &&Holder| !is_full_address || is_of_address(holder);
            let most = if is_full_address { limits.per_address } else { self.most };
            let strangers = table.open().filter(counted).filter(|it| it.role.is_none()).count();
            let may_go = |holder: &Holder| {
                !holder.is_lost
                    && !is_held_up
                    && counted(&holder)
                    && (holder.role.is_none() || (!holder.is_busy && 2 * strangers < most))
            };
            let worth = |it: &Holder| ((it.since + limits.grace).max(now), it.role, it.since);
            let worst = table.held.values_mut().filter(|it| may_go(it)).min_by_key(|it| worth(it));
            let late = *table.full_since.get_or_insert(now) + limits.waiting_time;
            match worst {
                // One that reads gets to send an answer; one that writes to a client which does not read does not.
                Some(worst) if worst.since + limits.grace <= now && !table.stopping => {
                    worst.lose(if worst.is_busy { Shutdown::Both } else { Shutdown::Read });
                    self.changed.notify_all();
                }
                // Clients at other addresses do not wait behind this one.
                _ if is_full_address || late <= now || table.stopping => {
                    drop(guard);
                    let why = if is_full_address { ALL_OF_ADDRESS_TAKEN } else { ALL_TAKEN };
                    return self.turn_away(Error::new(ErrorKind::Full, why));
                }
                worst => {
                    let until = worst.map_or(late, |worst| late.min(worst.since + limits.grace));
                    self.changed.notify_all();
                    self.changed.wait_for(&mut guard, until - now);
                }
            }
        }
    }

    /// What stands for the slot of a connection that gets none, if it is to be told so.
    pub fn turn_away(self: &Arc<Self>, refusal: Error) -> Option<Slot> {
        let mut table = self.table.lock();
        if table.turned_away >= TURNED_AWAY {
            return None;
        }
        table.turned_away += 1;
        Some(Slot { slots: Arc::clone(self), id: 0, refusal: Some(refusal) })
    }

    /// The address whose connections are counted. Users of this machine, and proxies, are many clients behind one.
    fn limited_address(&self, peer: PeerAddress) -> Option<IpAddr> {
        let PeerAddress::Address(address) = peer else { return None };
        let is_limited = !address.is_loopback() && !self.limits.proxies.contains(&address);
        is_limited.then(|| counted_address(address))
    }

    /// The number of connections whose thread has not ended.
    pub fn alive(&self) -> usize {
        self.table.lock().held.len()
    }

    pub fn is_stopping(&self) -> bool {
        self.table.lock().stopping
    }

    /// Begins the end: closes connections whose request is not whole, and gives no more slots. A connection that is closed here
    /// has no slot any more: a request that it has just read is not carried out.
    pub fn stop(&self) {
        let mut table = self.table.lock();
        table.stopping = true;
        for holder in table.held.values_mut() {
            match holder.is_busy {
                // A body that still comes ends here; an answer does not.
                true => _ = shutdown(&holder.socket, Shutdown::Read),
                false => holder.lose(Shutdown::Both),
            }
        }
        self.changed.notify_all();
    }

    /// Waits until no connection is left, and closes those that are after `most`.
    pub fn close_after(&self, most: Duration) {
        let mut table = self.table.lock();
        self.changed.wait_while_for(&mut table, |table| !table.held.is_empty(), most);
        table.held.values_mut().for_each(|holder| holder.lose(Shutdown::Both));
    }
}

impl Slot {
    /// Notes a request of this role, and waits for its turn: that of a viewer comes after those of other viewers.
    ///
    /// # Errors
    /// The turn does not come in time.
    pub fn admit(&self, role: Option<Role>) -> Result<(), Error> {
        let (slots, no_turn) = (&self.slots, || Error::new(ErrorKind::Full, NO_TURN));
        let until = Instant::now() + slots.limits.waiting_time;
        let mut guard = slots.table.lock();
        loop {
            let table = &mut *guard;
            let now = Instant::now();
            // A request that came right behind the last one of its connection finds that still busy.
            let others = table.held.iter().filter(|(id, it)| **id != self.id && !it.is_lost);
            let viewed = others.filter(|(_, it)| it.role == Some(Role::View) && it.is_busy);
            let viewed: Vec<Option<IpAddr>> = viewed.map(|(_, it)| it.address).collect();
            let holder = table.held.get_mut(&self.id).filter(|it| !it.is_lost).ok_or_else(no_turn)?;
            let of_address = viewed.iter().filter(|address| address.is_some() && **address == holder.address);
            let share = |slots: usize| (slots.div_ceil(2) - 1).max(1);
            let has_room =
                viewed.len() < share(slots.most) && of_address.count() < share(slots.limits.per_address);
            let has_turn = role != Some(Role::View) || has_room;
            (holder.role, holder.is_busy) = (role, has_turn && role.is_some());
            holder.since = if role.is_some() { now } else { holder.since };
            if has_turn {
                return Ok(());
            }
            // Whoever waits for a slot may be an editor.
            if now >= until || table.stopping || table.open().count() >= slots.most {
                return Err(no_turn());
            }
            slots.changed.wait_for(&mut guard, until - now);
        }
    }

    /// The request is whole, and is answered. False if the slot was lost.
    pub fn work(&self) -> bool {
        self.note(|holder| holder.is_busy = true)
    }

    /// The connection waits for a request. False if it has to end: the slot was lost, or the server stops.
    pub fn rest(&self) -> bool {
        let is_held = self.note(|holder| holder.is_busy = false);
        self.slots.changed.notify_all();
        is_held && !self.slots.is_stopping()
    }

    /// The TLS handshake is over: the grace begins again.
    pub fn renew(&self) {
        self.note(|holder| holder.since = Instant::now());
    }

    fn note(&self, change: impl FnOnce(&mut Holder)) -> bool {
        let mut table = self.slots.table.lock();
        table.held.get_mut(&self.id).filter(|holder| !holder.is_lost).map(change).is_some()
    }

    /// Why the connection has no slot; `None` if it has one.
    pub fn loss(&self) -> Option<Error> {
        let made_room = || (!self.note(|_| ())).then(|| Error::new(ErrorKind::Full, MADE_ROOM));
        self.refusal.clone().or_else(made_room)
    }
}

impl Drop for Slot {
    fn drop(&mut self) {
        let mut table = self.slots.table.lock();
        match self.refusal {
            Some(_) => table.turned_away -= 1,
            None => drop(table.held.remove(&self.id)),
        }
        self.slots.changed.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::net::UnixStream;

    use super::*;

    const GRACE: Duration = Duration::from_millis(200);

    /// Four slots.
    fn slots(waiting_time: Duration) -> Arc<Slots> {
        Slots::new(4, &Limits { grace: GRACE, waiting_time, ..Limits::default() })
    }

    /// A new connection with its slot.
    fn connected(slots: &Arc<Slots>) -> Slot {
        connected_from(slots, PeerAddress::Uid(0))
    }

    fn connected_from(slots: &Arc<Slots>, peer: PeerAddress) -> Slot {
        let (socket, _) = UnixStream::pair().expect("there are sockets");
        slots.take(&Arc::new(socket.into()), peer).expect("it is told at least")
    }

    fn logged_in(slots: &Arc<Slots>, role: Role) -> Slot {
        let slot = connected(slots);
        slot.admit(Some(role)).expect("it has its turn");
        slot
    }

    #[test]
    fn where_strangers_hold_half_of_the_slots_they_make_room_for_one_another() {
        let slots = slots(10 * GRACE);
        let editors = [(); 2].map(|()| logged_in(&slots, Role::Edit));
        assert!(editors.iter().all(Slot::rest));
        slots.table.lock().held.values_mut().for_each(|editor| editor.since -= GRACE);
        // The grace of the editors is over, and that of the strangers is not.
        let strangers = [(); 2].map(|()| connected(&slots));
        assert!(connected(&slots).loss().is_none(), "one makes room");
        assert!(editors.iter().all(|editor| editor.loss().is_none()));
        assert_eq!(strangers.iter().filter(|stranger| stranger.loss().is_some()).count(), 1);
    }

    #[test]
    fn a_viewer_does_not_wait_for_its_own_last_request() {
        let slots = slots(Duration::ZERO);
        let viewer = logged_in(&slots, Role::View);
        viewer.admit(Some(Role::View)).expect("the next request came right behind the first one");
        let other = connected(&slots);
        assert!(other.admit(Some(Role::View)).is_err(), "another viewer has to wait");
        assert!(viewer.rest());
        other.admit(Some(Role::View)).expect("it has its turn");
    }

    #[test]
    fn the_viewers_of_an_address_leave_a_slot_of_it_to_an_editor() {
        let waiting_time = Duration::ZERO;
        let slots = Slots::new(64, &Limits { per_address: 4, waiting_time, ..Limits::default() });
        let [here, there] = [1, 2].map(|number| PeerAddress::Address(IpAddr::from([192, 0, 2, number])));
        let [one, other, editor, far] = [here, here, here, there].map(|peer| connected_from(&slots, peer));
        one.admit(Some(Role::View)).expect("it has its turn");
        assert!(other.admit(Some(Role::View)).is_err(), "another viewer of this address has to wait");
        editor.admit(Some(Role::Edit)).expect("an editor does not wait");
        far.admit(Some(Role::View)).expect("those of another address do not wait");
    }
}
