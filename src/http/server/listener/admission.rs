//! The rules that give a connection a slot, let it wait, or close it to make room, without sockets,
//! threads or a clock.
//!
//! A connection is *authenticated* if its last request was; each such request renews its claim to its
//! slot. Unauthenticated connections hold at most half of all slots, and half of those of their
//! address; the requests of viewers that are answered hold at most one less than the rest. So one slot
//! is left that only an editor can take: he comes in as a stranger, whose place is always freed for the
//! next one. When a new connection needs a slot, the oldest unauthenticated one is closed, whatever it
//! does, once its grace is over. Grace gets shorter with each connection that is closed so, and
//! longer with each one that authenticates: a burst of good clients waits for its turn, and a flood
//! does not delay it.

use std::collections::{BTreeMap, HashMap, VecDeque};
use std::time::{Duration, Instant};

use super::origin::ConnectionOrigin;
use crate::http::server::message::Rank;

/// An origin may have one in this many unauthenticated slots before its own connections are the first to
/// be closed.
const FAIR_SHARE: usize = 4;

/// The shortest grace; not zero, because a connection that is admitted just now has no thread yet.
const NO_GRACE: Duration = Duration::from_nanos(1);

/// The numbers in the rules.
#[derive(Debug, Clone)]
pub struct Rules {
    /// The number of slots.
    pub most: usize,
    /// The number of slots of one address.
    pub most_per_address: usize,
    /// The number of connections that wait for a slot; with more, unauthenticated ones have no grace.
    pub most_waiting: usize,
    /// The longest time that a connection waits for a slot.
    pub waiting_time: Duration,
    /// The shortest grace of an unauthenticated connection.
    pub least_grace: Duration,
    /// The longest grace of an unauthenticated connection, and the time that an authenticated one may be
    /// without a request before it can be closed.
    pub grace: Duration,
}

/// The activity of a connection.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Phase {
    /// Waits for the first byte of a request, or for the client to close.
    Idle,
    /// Receives a head, a handshake, or a body that is discarded.
    Arriving,
    /// Receives a wanted body, or has a request that is being answered.
    Busy,
}

/// The time at which a request is answered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Turn {
    Now,
    /// After a viewer was answered.
    Later,
    /// Not at all: the connection lost its slot.
    Lost,
}

/// The reason why a connection gets no slot.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NoSlot {
    /// All are taken.
    Full,
    /// The address has all that one address may have.
    AddressFull,
}

/// The changes that [`Admission::settle`] made.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct AdmissionChanges {
    /// Connections that waited and have a slot now.
    pub admitted: Vec<u64>,
    /// Connections that lost their slot, with their last activity.
    pub evicted: Vec<(u64, Phase)>,
    /// Connections that get no slot.
    pub refused: Vec<(u64, NoSlot)>,
    /// The time to settle again, if nothing happens before.
    pub again: Option<Instant>,
}

/// All connections that have a slot or wait for one.
#[derive(Debug)]
pub struct Admission {
    rules: Rules,
    next: u64,
    open: BTreeMap<u64, Claim>,
    waiting: VecDeque<WaitingConnection>,
    /// The number of connections that lost their slot and whose thread has not ended.
    ending: usize,
    grace: Duration,
}

/// The claim of a connection to its slot.
#[derive(Debug)]
struct Claim {
    origin: ConnectionOrigin,
    /// That of its last request.
    rank: Rank,
    /// True if it comes on with its TLS handshake.
    is_talking: bool,
    phase: Phase,
    /// The time of its last authenticated request, or when it got the slot.
    since: Instant,
}

#[derive(Debug)]
struct WaitingConnection {
    id: u64,
    origin: ConnectionOrigin,
    since: Instant,
}

/// The room for a connection.
enum RoomForOne {
    Free,
    /// After this connection is closed.
    After(u64),
    /// Not before this time, if nothing happens.
    Later(NoSlot, Option<Instant>),
}

/// The next step.
enum AdmissionStep {
    /// Admit the connection at this place in the queue.
    Admit(usize),
    Evict(u64),
    Wait(Option<Instant>),
}

impl Claim {
    fn is_authenticated(&self) -> bool {
        self.rank > Rank::Stranger
    }

    fn is_protected(&self) -> bool {
        self.is_authenticated() && self.phase == Phase::Busy
    }

    fn is_of(&self, origin: Option<ConnectionOrigin>) -> bool {
        !self.is_authenticated() && Some(self.origin) == origin
    }
}

impl Admission {
    /// Starts with all slots free.
    pub fn new(rules: Rules) -> Self {
        let grace = rules.grace;
        Self { rules, next: 0, open: BTreeMap::new(), waiting: VecDeque::new(), ending: 0, grace }
    }

    /// Queues a new connection; returns its id.
    pub fn arrive(&mut self, origin: ConnectionOrigin, now: Instant) -> u64 {
        let id = self.next;
        self.next += 1;
        self.waiting.push_back(WaitingConnection { id, origin, since: now });
        id
    }

    /// Admits, evicts and refuses connections by the rules. `is_silent` says of one that waits whether it
    /// has not begun to ask: of too many that wait, the oldest of those is refused first.
    pub fn settle(&mut self, now: Instant, is_silent: impl Fn(u64) -> bool) -> AdmissionChanges {
        let mut outcome = AdmissionChanges::default();
        self.refuse_late(now, &mut outcome);
        let again = loop {
            match self.step(now) {
                AdmissionStep::Admit(place) => outcome.admitted.extend(self.admit(place, now)),
                AdmissionStep::Evict(id) => outcome.evicted.extend(self.evict(id)),
                AdmissionStep::Wait(until) => break until,
            }
        };
        self.refuse_surplus(now, is_silent, &mut outcome);
        let late = self.waiting.front().map(|first| first.since + self.rules.waiting_time);
        outcome.again = again.into_iter().chain(late).min();
        outcome
    }

    /// Notes the phase of a connection; `false` if it lost its slot.
    pub fn enter(&mut self, id: u64, phase: Phase, now: Instant) -> bool {
        let Some(claim) = self.open.get_mut(&id) else { return false };
        if claim.is_protected() {
            claim.since = now;
        }
        claim.phase = phase;
        true
    }

    /// Notes the rank of a request of the connection; `false` if it lost its slot.
    pub fn judge(&mut self, id: u64, rank: Rank, now: Instant) -> bool {
        let Some(claim) = self.open.get_mut(&id) else { return false };
        if rank > Rank::Stranger {
            claim.since = now;
            if !claim.is_authenticated() {
                self.grace = (self.grace * 2).min(self.rules.grace);
            }
        }
        (claim.rank, claim.is_talking) = (rank, false);
        true
    }

    /// Notes that a handshake came on: it gets the whole grace from now on, also in a flood of others that
    /// do not.
    pub fn come_on(&mut self, id: u64, now: Instant) {
        if let Some(claim) = self.open.get_mut(&id) {
            (claim.is_talking, claim.since) = (true, now);
        }
    }

    /// Returns whether the request of a connection may be answered now. That of a viewer is busy from
    /// then on.
    pub fn take_turn(&mut self, id: u64) -> Turn {
        match self.open.get(&id) {
            None => return Turn::Lost,
            Some(claim) if claim.rank != Rank::Viewer => return Turn::Now,
            Some(claim) if !self.has_room_for_viewer(claim.origin) => return Turn::Later,
            Some(_) => {}
        }
        self.open.entry(id).and_modify(|claim| claim.phase = Phase::Busy);
        Turn::Now
    }

    fn has_room_for_viewer(&self, origin: ConnectionOrigin) -> bool {
        let viewing = |counted: &dyn Fn(&Claim) -> bool| {
            let is_viewed = |claim: &&Claim| claim.rank == Rank::Viewer && claim.phase == Phase::Busy;
            self.open.values().filter(is_viewed).filter(|claim| counted(claim)).count()
        };
        viewing(&|_| true) < viewing_part(self.rules.most)
            && (!origin.limited
                || viewing(&|claim| claim.origin == origin) < viewing_part(self.rules.most_per_address))
    }

    /// Notes the end of a connection that had a slot.
    pub fn leave(&mut self, id: u64) {
        if self.open.remove(&id).is_none() {
            self.ending -= 1;
        }
    }

    /// True if the connection still has its slot.
    pub fn holds(&self, id: u64) -> bool {
        self.open.contains_key(&id)
    }

    /// The connections that have a slot, with their activity.
    pub fn open(&self) -> impl Iterator<Item = (u64, Phase)> {
        self.open.iter().map(|(id, claim)| (*id, claim.phase))
    }

    /// The number of connections that have or had a slot and have not ended.
    pub fn alive(&self) -> usize {
        self.open.len() + self.ending
    }

    /// True if the next connection would be refused only because evicted ones have not ended.
    pub fn is_held_up(&self) -> bool {
        self.ending >= self.rules.most && self.waiting.len() >= self.rules.most_waiting
    }

    /// True if a connection waits.
    pub fn has_waiting(&self) -> bool {
        !self.waiting.is_empty()
    }

    /// True if over half of the slots are taken that this connection competes for.
    pub fn is_crowded(&self, id: u64) -> bool {
        let Some(own) = self.open.get(&id) else { return true };
        let alike = self.open.values().filter(|claim| claim.is_authenticated() == own.is_authenticated());
        let alike = alike.count();
        let most =
            if own.is_authenticated() { self.rules.most } else { unauthenticated_part(self.rules.most) };
        alike * 2 > most
    }

    /// True if others wait for a slot that only an authenticated connection like this one can free.
    pub fn blocks_others(&self, id: u64) -> bool {
        let Some(own) = self.open.get(&id).filter(|_| self.has_waiting()) else { return false };
        let of_origin = |claim: &Claim| claim.origin == own.origin;
        let sibling_waits = || self.waiting.iter().any(|waiting| waiting.origin == own.origin);
        self.authenticated_fill(self.rules.most, |_| true)
            || own.origin.limited
                && self.authenticated_fill(self.rules.most_per_address, of_origin)
                && sibling_waits()
    }

    fn authenticated_fill(&self, most: usize, counted: impl Fn(&Claim) -> bool) -> bool {
        let (all, unauthenticated) = self.count(counted);
        all >= most && unauthenticated < unauthenticated_part(most)
    }

    fn refuse_late(&mut self, now: Instant, outcome: &mut AdmissionChanges) {
        let time = self.rules.waiting_time;
        while self.waiting.front().is_some_and(|first| now >= first.since + time) {
            let Some(late) = self.waiting.pop_front() else { return };
            outcome.refused.push((late.id, self.reason(late.origin, now)));
        }
    }

    fn refuse_surplus(
        &mut self,
        now: Instant,
        is_silent: impl Fn(u64) -> bool,
        outcome: &mut AdmissionChanges,
    ) {
        while self.waiting.len() > self.rules.most_waiting {
            let silent = self.waiting.iter().position(|waiting| is_silent(waiting.id));
            let place = silent.unwrap_or(self.waiting.len() - 1);
            let Some(last) = self.waiting.remove(place) else { return };
            outcome.refused.push((last.id, self.reason(last.origin, now)));
        }
    }

    fn reason(&self, origin: ConnectionOrigin, now: Instant) -> NoSlot {
        match self.room_for(origin, None, now) {
            RoomForOne::Later(reason, _) => reason,
            RoomForOne::Free | RoomForOne::After(_) => NoSlot::Full,
        }
    }

    fn admit(&mut self, place: usize, now: Instant) -> Option<u64> {
        let WaitingConnection { id, origin, .. } = self.waiting.remove(place)?;
        self.open.insert(
            id,
            Claim { origin, rank: Rank::Stranger, is_talking: false, phase: Phase::Idle, since: now },
        );
        Some(id)
    }

    fn evict(&mut self, id: u64) -> Option<(u64, Phase)> {
        let claim = self.open.remove(&id)?;
        self.ending += 1;
        if !claim.is_authenticated() {
            self.grace = (self.grace / 2).max(self.rules.least_grace.min(self.rules.grace));
        }
        Some((id, claim.phase))
    }

    /// Decides what to do next. Connections of an origin that has more than its share come last.
    fn step(&self, now: Instant) -> AdmissionStep {
        let crowding = self.crowding();
        let of_others = |waiting: &WaitingConnection| Some(waiting.origin) != crowding;
        let in_order = || self.waiting.iter().enumerate();
        let first = in_order().filter(|(_, waiting)| of_others(waiting));
        let last = in_order().filter(|(_, waiting)| !of_others(waiting));
        let (mut again, mut full) = (None, Vec::new());
        for (place, waiting) in first.chain(last) {
            if full.contains(&waiting.origin) {
                continue;
            }
            match self.room_for(waiting.origin, crowding, now) {
                RoomForOne::Free => return AdmissionStep::Admit(place),
                RoomForOne::After(_) if self.ending >= self.rules.most => return AdmissionStep::Wait(None),
                RoomForOne::After(id) => return AdmissionStep::Evict(id),
                RoomForOne::Later(NoSlot::Full, until) => {
                    return AdmissionStep::Wait(until.into_iter().chain(again).min());
                }
                RoomForOne::Later(NoSlot::AddressFull, until) => {
                    again = until.into_iter().chain(again).min();
                    full.push(waiting.origin);
                }
            }
        }
        AdmissionStep::Wait(again)
    }

    fn room_for(
        &self,
        origin: ConnectionOrigin,
        crowding: Option<ConnectionOrigin>,
        now: Instant,
    ) -> RoomForOne {
        if origin.limited {
            let of_origin = |claim: &Claim| claim.origin == origin;
            let most = (self.rules.most_per_address, NoSlot::AddressFull);
            let room = self.room_within(most, of_origin, crowding, now);
            if !matches!(room, RoomForOne::Free) {
                return room;
            }
        }
        self.room_within((self.rules.most, NoSlot::Full), |_| true, crowding, now)
    }

    /// True if one more connection fits among the counted ones, of which there may be `most`; if they are
    /// that many, `reason` says so.
    fn room_within(
        &self,
        (most, reason): (usize, NoSlot),
        counted: impl Fn(&Claim) -> bool,
        crowding: Option<ConnectionOrigin>,
        now: Instant,
    ) -> RoomForOne {
        let (all, unauthenticated) = self.count(&counted);
        let too_many_unauthenticated = unauthenticated >= unauthenticated_part(most);
        if all < most && !too_many_unauthenticated {
            return RoomForOne::Free;
        }
        let can_go = |claim: &Claim| match claim.is_authenticated() {
            true => !too_many_unauthenticated && !claim.is_protected(),
            false => true,
        };
        let candidates = self.open.iter().filter(|(_, claim)| counted(claim) && can_go(claim));
        // Of those whose grace is over, strangers go first, then viewers.
        let order = |(id, claim): (&u64, &Claim)| {
            let until = self.end_of_grace(claim, too_many_unauthenticated);
            (!claim.is_of(crowding), until.max(now), claim.rank, until, *id)
        };
        match candidates.map(order).min() {
            Some((.., until, id)) if until <= now => RoomForOne::After(id),
            first => RoomForOne::Later(reason, first.map(|(.., until, _)| until)),
        }
    }

    /// The end of the grace of a connection; in a flood of unauthenticated ones they have none.
    fn end_of_grace(&self, claim: &Claim, too_many_unauthenticated: bool) -> Instant {
        let is_flood = too_many_unauthenticated && self.waiting.len() > self.rules.most_waiting;
        let grace = match claim.is_authenticated() || claim.is_talking {
            true => self.rules.grace,
            false if is_flood => NO_GRACE,
            false => self.grace,
        };
        claim.since + grace.max(NO_GRACE)
    }

    /// The origin with the most unauthenticated connections, if that is more than its share.
    fn crowding(&self) -> Option<ConnectionOrigin> {
        let share = unauthenticated_part(self.rules.most) / FAIR_SHARE;
        let mut counts: HashMap<ConnectionOrigin, usize> = HashMap::new();
        for claim in self.open.values().filter(|claim| !claim.is_authenticated()) {
            *counts.entry(claim.origin).or_default() += 1;
        }
        let most = counts.into_iter().max_by_key(|(_, count)| *count);
        most.filter(|(_, count)| *count > share).map(|(origin, _)| origin)
    }

    /// The number of counted connections, and how many of them are unauthenticated.
    fn count(&self, counted: impl Fn(&Claim) -> bool) -> (usize, usize) {
        let counted = self.open.values().filter(|claim| counted(claim));
        counted.fold((0, 0), |(all, unauthenticated), claim| {
            (all + 1, unauthenticated + usize::from(!claim.is_authenticated()))
        })
    }
}

/// The number of the `most` slots that unauthenticated connections may hold.
fn unauthenticated_part(most: usize) -> usize {
    (most / 2).max(1)
}

/// The number of the `most` slots that viewers may use at a time: with those of strangers, one less than
/// all.
fn viewing_part(most: usize) -> usize {
    (most - unauthenticated_part(most)).saturating_sub(1).max(1)
}

#[cfg(test)]
mod tests;
