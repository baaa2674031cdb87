//! The way back from a change that is not confirmed yet: it is on the disk before the change is taken, so that a node
//! which hears nothing any more, even after a restart, goes it alone.

use std::time::Duration;

use super::local_text::wanted;
use super::member::{Node, OnDrift};
use super::runs::{BackReason, Contact, Runs, runs};
use super::standing::LastSeen;
use crate::engine::{ChangeOptions, ConfigService, LogLevel, Operation, Refusal, Trouble};
use crate::store::boot_time::{boot_id, boot_time};
use crate::store::cluster::{HeadRecord, KeyValue, Seen};
use crate::store::file::{Followed, WayBack};
use crate::store::{NodeState, REVERT, Revision, Store, StoreError};

/// The time for which a node that has just started waits for the cluster before it goes back.
const START_TIME: Duration = Duration::from_secs(2);

/// The time without contact after which a node no longer runs a change that the cluster has gone on from, where it does
/// not know what became of it.
const LONGEST_DOUBT: Duration = Duration::from_secs(10);

/// The shortest time for a look.
const SHORTEST_LOOK: Duration = Duration::from_millis(200);

impl Node {
    /// Notes what a request read that was sent at this time since the start of the machine. `next` is the record of the
    /// change after the one that the node runs.
    ///
    /// # Errors
    /// Those of the cluster.
    pub(super) fn note_contact(
        &self,
        seen: &Seen,
        next: Option<&KeyValue>,
        sent: Duration,
    ) -> Result<(), StoreError> {
        let lease_left = match seen.lease {
            0 => Duration::ZERO,
            lease => self.store.time_left(lease)?,
        };
        let mut standing = self.standing();
        let is_back = standing.is_known_to_be_away();
        if is_back {
            self.local.tell(LogLevel::Note, &format!("`{}` is back", self.texts.name()));
        }
        standing.note_seen(seen);
        let change = seen.head.as_ref().and_then(|head| head.unconfirmed.as_ref());
        if let Some(change) = change
            && standing.first_seen.as_ref().is_none_or(|(id, _)| *id != change.id)
        {
            standing.first_seen = Some((change.id.clone(), sent));
        }
        if let Some(head) = &seen.head {
            standing.compare_clocks(head, sent);
        }
        let has_pending = seen.has_pending;
        let taken_back = seen.head.as_ref().and_then(|head| taken_back(&standing.followed, head, next));
        standing.last_seen =
            seen.head.clone().map(|head| LastSeen { head, has_pending, read: sent, lease_left, taken_back });
        Ok(())
    }

    /// The configuration that the node runs, by what it saw last.
    pub(super) fn runs_now(&self) -> Runs {
        let (now, standing) = (boot_time(), self.standing());
        let Some(last) = &standing.last_seen else { return Runs::Back(BackReason::CutOff) };
        let first_seen = standing.first_seen.as_ref().map_or(now, |(_, at)| *at);
        let contact = Contact {
            first_seen: now.saturating_sub(first_seen),
            read: now.saturating_sub(last.read),
            lease_left: last.lease_left,
        };
        runs(&last.head, last.has_pending, &self.settings.name, &contact)
    }

    /// Returns the time that a look may take, so that the node goes back in time.
    pub(super) fn look_time(&self, most: Duration) -> Duration {
        let standing = self.standing();
        let last = standing.last_seen.as_ref().filter(|last| last.has_pending);
        let is_taken = standing.followed.back.is_some();
        let left =
            last.filter(|_| is_taken).map(|last| (last.read + last.lease_left).saturating_sub(boot_time()));
        left.map_or(most, |left| left.clamp(SHORTEST_LOOK, most))
    }

    /// Notes the way back from the change that was seen, unless it is known; with its text.
    ///
    /// # Errors
    /// Those of the cluster, and of the state folder.
    pub(super) fn prepare_way_back(&self, seen: &Seen) -> Result<(), Refusal> {
        let Some(change) = seen.head.as_ref().and_then(|head| head.unconfirmed.as_ref()) else {
            return Ok(());
        };
        let is_known = |back: &WayBack| back.change == change.id;
        if self.standing().followed.back.as_ref().is_some_and(is_known) {
            return Ok(());
        }
        let to = Runs::Back(BackReason::RanOut);
        let Some(back) = wanted(seen, &self.settings.name, to) else { return Ok(()) };
        let bytes = self.texts.text_of(back.text)?;
        let bytes = bytes.ok_or_else(|| StoreError::Overtaken { name: self.texts.name() })?;
        self.file.write_text_back(&bytes)?;
        let text = back.followed();
        let first_seen = self.standing().first_seen.as_ref().map_or_else(boot_time, |(_, at)| *at);
        let seen = u64::try_from(first_seen.as_millis()).unwrap_or(u64::MAX);
        let way = WayBack { change: change.id.clone(), text, seen, boot: boot_id() };
        self.note(|followed| followed.back = Some(way))
    }

    /// Forgets the way back once the node runs a change that is confirmed: one that was only seen may still be refused,
    /// or its text not be read, and what runs until then may have gone back.
    pub(super) fn forget_way_back(&self, seen: &Seen) {
        let Some(head) = seen.head.as_ref().filter(|head| head.unconfirmed.is_none()) else { return };
        let followed = self.standing().followed.clone();
        let runs_it = followed.runs.is_some_and(|runs| runs.id.as_ref() == Some(&head.id));
        if runs_it && followed.back.is_some() {
            // A failure leaves it: the next look tries again.
            let _ = self.note(|followed| followed.back = None);
        }
    }

    /// Goes back without the cluster, if the change that the node runs can't be confirmed any more for all it knows.
    pub(super) fn go_back_alone(&self) {
        if let Some((wanted, why)) = self.back_alone() {
            let mut standing = self.standing();
            standing.wanted = Some(wanted);
            standing.not_taken = None;
            standing.turn(NodeState::CutOff, Some(why));
        }
    }

    /// Goes back as [`Self::go_back_alone`]; returns the serial that the node is back at, and why.
    pub(super) fn back_alone(&self) -> Option<(u64, Trouble)> {
        let standing = self.standing();
        let back = standing.followed.back.clone()?;
        let is_starting = standing.last_seen.is_none() && boot_time() < standing.started + START_TIME;
        let runs = standing.followed.runs.as_ref();
        let is_back = runs.is_some_and(|runs| runs.revision == back.text.revision);
        let serial = back.text.serial + 1;
        let runs_it = runs.is_some_and(|runs| runs.serial == serial);
        let is_left = runs_it && standing.last_seen.as_ref().is_some_and(|last| has_left(last, &back));
        drop(standing);
        let may_stay = self.runs_now() == Runs::Head && !is_left;
        if is_starting || may_stay || !(is_back || runs_it) {
            return None;
        }
        let why = Trouble::new(format!(
            "no contact with the cluster, and change {serial} was not confirmed for all this node knows"
        ));
        if !is_back && let Err(error) = self.load_back(&back, "no contact with the cluster", &why.brief) {
            self.tell(&Trouble::from(&error));
            return None;
        }
        Some((back.text.serial, why))
    }

    /// Goes back from a change that was taken back, if the node runs that still: it does not take what came next. Its state
    /// says why, and which change it should run.
    pub(super) fn leave_what_was_taken_back(&self) {
        let standing = self.standing();
        let Some(back) = standing.followed.back.clone().filter(|_| standing.runs_what_was_taken_back())
        else {
            return;
        };
        let why = format!("change {} was taken back", standing.serial().unwrap_or_default());
        drop(standing);
        if let Err(error) = self.load_back(&back, &why, &why) {
            self.refuse(back.text.revision, &Trouble::from(&error));
        }
    }

    /// Goes back from a change that, as far as the node knows, was not confirmed and never will be, as the cluster no
    /// longer has it. Returns false if the node runs no such change, or stays with it.
    pub(super) fn leaves_what_is_lost(&self) -> bool {
        let followed = self.standing().followed.clone();
        let (Some(back), Some(runs)) = (followed.back, followed.runs) else { return false };
        if runs.serial != back.text.serial + 1 {
            return false;
        }
        let why = format!("change {} was not confirmed, and the cluster no longer has it", runs.serial);
        if let Err(error) = self.load_back(&back, &why, &why) {
            self.refuse(back.text.revision, &Trouble::from(&error));
        }
        self.standing().serial() != Some(runs.serial)
    }

    /// Loads the text before a change, unless a hand edit is kept. `message` is for the history.
    fn load_back(&self, back: &WayBack, message: &str, why: &str) -> Result<(), Refusal> {
        if self.settings.on_drift == OnDrift::Keep && self.has_drifted() {
            return Ok(());
        }
        let text = self.file.text_back()?.filter(|text| Revision::from_text(text) == back.text.revision);
        let damaged = || StoreError::Damaged {
            name: ConfigService::name(&self.local).to_owned(),
            what: "the text before the change, in the state folder".to_owned(),
        };
        let text = text.ok_or_else(damaged)?;
        let message = Some(message.to_owned());
        let command = Some(REVERT.into());
        let options = ChangeOptions { force: true, message, command, ..ChangeOptions::default() };
        self.load(back.text.clone(), Operation::Rollback, text.into(), &options)?;
        self.local.tell(LogLevel::Warning, &format!("back at serial {}: {why}", back.text.serial));
        Ok(())
    }
}

/// The serial of the change that a node runs, if the record of the `next` one says that it was taken back, or nothing says
/// any more what became of it. Only what was not confirmed is taken back, and nothing else comes next to that.
fn taken_back(followed: &Followed, head: &HeadRecord, next: Option<&KeyValue>) -> Option<u64> {
    let runs = followed.runs.as_ref().filter(|runs| runs.epoch == head.epoch && runs.serial < head.serial)?;
    let has_way_back = || followed.back.as_ref().is_some_and(|back| back.text.serial + 1 == runs.serial);
    let is_taken_back = match next {
        Some(next) => HeadRecord::parse(&next.value).is_ok_and(|next| next.operation == REVERT),
        None => has_way_back(),
    };
    is_taken_back.then_some(runs.serial)
}

/// True if the cluster went on from the change, and the node has not heard for a while, so that it does not know whether
/// that was confirmed.
fn has_left(last: &LastSeen, back: &WayBack) -> bool {
    let is_it = last.head.unconfirmed.as_ref().is_some_and(|change| change.id == back.change);
    !is_it && boot_time() > last.read + LONGEST_DOUBT
}
