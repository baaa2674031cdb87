//! The way back from a change that is not confirmed yet: it is on the disk before the change is taken, so that a node
//! which hears nothing any more, even after a restart, goes it alone. And a node takes nothing from a cluster that is not the
//! one whose changes it ran, such as a restored back-up: it goes on with what it runs, until `mediactl cluster adopt`.

use std::time::Duration;

use super::apply::WantedText;
use super::runs::LastSeen;
use super::{NOT_REACHED, Node, failed};
use crate::engine::{ChangeOptions, LogLevel, Operation};
use crate::error::Error;
use crate::store::clock::boot_time;
use crate::store::etcd::{HeadRecord, KeyValue, MIN_RECORDS, Seen};
use crate::store::file::{Followed, FollowedText, WayBack};
use crate::store::{EXPIRED, NodeState, Revision, Store};

/// The time for which a node that has just started waits for the cluster before it goes back.
const START_TIME: Duration = Duration::from_secs(2);

impl Node {
    /// Notes what a request read that was sent at this time since the start of the machine.
    ///
    /// # Errors
    /// Those of the cluster.
    pub(super) fn note_contact(&self, seen: &Seen, sent: Duration) -> Result<(), Error> {
        let lease_left =
            if seen.lease == 0 { Duration::ZERO } else { self.store.gateway.time_left(seen.lease)? };
        let mut standing = self.standing.lock();
        if standing.away.take().is_some_and(|away| away.reason.as_deref() != Some(NOT_REACHED)) {
            self.local.tell(LogLevel::Note, &format!("`{}` is back", self.texts.name()));
        }
        standing.pending = seen.open().filter(|open| !open.is_over);
        let Some(head) = seen.head.clone() else {
            standing.last_seen = None;
            return Ok(());
        };
        if let Some(change) = &head.unconfirmed
            && standing.first_seen.as_ref().is_none_or(|(id, _)| *id != change.id)
        {
            standing.first_seen = Some((change.id.clone(), sent));
        }
        let has_pending = seen.has_pending;
        standing.last_seen = Some(LastSeen { head, has_pending, read: sent, lease_left });
        Ok(())
    }

    /// True if the node runs the last change, by what it saw last, and not the text before.
    pub(super) fn runs_last(&self) -> bool {
        let (now, standing) = (boot_time(), self.standing.lock());
        let first_seen = standing.first_seen.as_ref().map_or(now, |(_, at)| *at);
        standing.last_seen.as_ref().is_some_and(|last| last.is_run_by(&self.name, first_seen, now))
    }

    /// Notes the way back from the change that was seen, unless it is known; with its text.
    ///
    /// # Errors
    /// Those of the cluster, and of the state folder.
    pub(super) fn prepare_way_back(&self, seen: &Seen) -> Result<(), Error> {
        let Some(change) = seen.head.as_ref().and_then(|head| head.unconfirmed.as_ref()) else {
            return Ok(());
        };
        if self.standing.lock().followed.back.as_ref().is_some_and(|back| back.change == change.id) {
            return Ok(());
        }
        let Some(back) = WantedText::of(seen, &self.name, false) else { return Ok(()) };
        let bytes = self.texts.text_of(back.text)?;
        let bytes = bytes.ok_or_else(|| Error::overtaken(self.texts.name()))?;
        self.file.write_text_back(&bytes)?;
        let way = WayBack { change: change.id.clone(), text: back.followed() };
        self.note(|followed| followed.back = Some(way))
    }

    /// Forgets the way back once the node runs a change that is confirmed: one that was only seen may still be refused,
    /// or its text not be read, and what runs until then may have gone back.
    pub(super) fn forget_way_back(&self, seen: &Seen) {
        let followed = self.standing.lock().followed.clone();
        let head = seen.head.as_ref().filter(|head| head.unconfirmed.is_none());
        let runs_it = |runs: FollowedText| head.is_some_and(|head| head.serial == runs.serial);
        if followed.back.is_some() && followed.runs.is_some_and(runs_it) {
            // A failure leaves it: the next look tries again.
            let _ = self.note(|followed| followed.back = None);
        }
    }

    /// Goes back without the cluster, if as far as the node knows the change that it runs can't be confirmed any more.
    pub(super) fn go_back_alone(&self) {
        let standing = self.standing.lock();
        let Followed { back: Some(back), runs: Some(now), takes, .. } = standing.followed.clone() else {
            return;
        };
        let is_starting = standing.last_seen.is_none() && boot_time() < standing.started + START_TIME;
        drop(standing);
        let serial = back.text.serial + 1;
        let is_back = now.revision == back.text.revision && takes.is_none();
        let is_meant = is_back || now.serial == serial || takes.is_some();
        if is_starting || self.runs_last() || !is_meant {
            return;
        }
        let why = format!(
            "no contact with the cluster, and as far as this node knows, change {serial} was not confirmed"
        );
        if !is_back && !self.goes_back(&back, &why) {
            return;
        }
        let mut standing = self.standing.lock();
        standing.wanted = Some(back.text.serial);
        standing.not_taken = None;
        standing.turn(NodeState::CutOff, Some(failed(why)));
    }

    /// Goes back from a change that was not confirmed as far as the node knows, and is not the last one any more: the node
    /// does not take what came next.
    pub(super) fn leave_unconfirmed(&self, head: &HeadRecord) {
        let followed = self.standing.lock().followed.clone();
        if let (Some(runs), Some(back)) = (&followed.runs, &followed.back)
            && runs.epoch == head.epoch
            && runs.serial < head.serial
            && runs.serial == back.text.serial + 1
        {
            let why = format!("as far as this node knows, change {} was not confirmed", runs.serial);
            self.goes_back(back, &why);
        }
    }

    /// True if the node takes nothing from the cluster that was seen. `record` is that of the change which it ran last.
    pub(super) fn is_held(&self, seen: &Seen, record: Option<&KeyValue>) -> bool {
        let followed = self.standing.lock().followed.clone();
        let (Some(head), Some(runs)) = (&seen.head, &followed.runs) else { return false };
        let record = record.and_then(|record| HeadRecord::parse(&record.value).ok());
        let why = has_lost(head, runs, record.as_ref(), &followed).then(|| {
            let serial = runs.serial;
            format!("the cluster does not have the change {serial} that runs here: was a back-up restored?")
        });
        if why.is_some()
            && let Some(back) = followed.back.as_ref().filter(|back| runs.serial == back.text.serial + 1)
        {
            // As far as the node knows, it was not confirmed, and it never will be. At the next look, what ran before decides.
            let words = format!("change {} was not confirmed, and the cluster no longer has it", runs.serial);
            if self.goes_back(back, &words) {
                self.wake.ask();
                return true;
            }
        }
        if why != followed.held {
            match &why {
                Some(why) => self.local.tell(LogLevel::Error, &format!("held: {why}")),
                None => self.local.tell(LogLevel::Note, "no longer held: the cluster was adopted"),
            }
            // Without the note it is found again at the next look.
            let _ = self.note(|followed| followed.held.clone_from(&why));
        }
        let Some(why) = why else { return false };
        let mut standing = self.standing.lock();
        standing.wanted = Some(head.serial);
        standing.turn(NodeState::Held, Some(failed(why)));
        true
    }

    /// Loads the text before a change; true if the media server runs it.
    fn goes_back(&self, back: &WayBack, why: &str) -> bool {
        let load = || {
            let text = self.file.text_back()?.filter(|text| Revision::from_text(text) == back.text.revision);
            let text =
                text.ok_or_else(|| failed("the text before the change, in the state folder, can't be read"))?;
            let (message, command) = (Some(why.to_owned()), Some(EXPIRED.into()));
            let options = ChangeOptions { force: true, message, command, ..ChangeOptions::default() };
            self.load(back.text.clone(), Operation::Rollback, text.into(), options)
        };
        match load() {
            Ok(()) => {
                let words = format!("went back to change {}: {why}", back.text.serial);
                self.local.tell(LogLevel::Warning, &words);
            }
            Err(error) => self.refuse(None, &error),
        }
        self.standing.lock().serial() == Some(back.text.serial)
    }
}

/// True if a node that runs `runs` takes nothing from a cluster with this head, as that is no successor of what it runs.
/// `record` is that of the change which it ran last. A node that was held stays so until another epoch adopts its own.
fn has_lost(
    head: &HeadRecord,
    runs: &FollowedText,
    record: Option<&HeadRecord>,
    Followed { held, back, .. }: &Followed,
) -> bool {
    let (serial, is_same_epoch) = (runs.serial, head.epoch == runs.epoch);
    if runs.epoch.is_empty() || !is_same_epoch && head.adopts.contains(&runs.epoch) {
        return false;
    }
    let ran = |change: &HeadRecord| change.text.as_ref().is_none_or(|text| text.revision == runs.revision);
    // A change that the node has no way back from was confirmed, as far as it knows.
    let has_way_back = |id: &str| back.as_ref().is_some_and(|back| back.change == id);
    let is_open_again =
        head.unconfirmed.as_ref().is_some_and(|change| change.back.is_some() && !has_way_back(&change.id));
    // Whoever can write into the store can leave the record beside an older head, and put back what was the head before the
    // confirmation.
    let is_other_head = head.serial < serial || head.serial == serial && (!ran(head) || is_open_again);
    // A record that is gone may be one that the history does not keep any more.
    let is_lost = || record.map_or(serial + MIN_RECORDS > head.serial, |change| !ran(change));
    !is_same_epoch || held.is_some() || is_other_head || is_lost()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::etcd::{TextRef, Unconfirmed};

    fn head(epoch: &str, adopts: &[&str], serial: u64, id: &str) -> HeadRecord {
        let adopts = adopts.iter().map(|epoch| (*epoch).to_owned()).collect();
        let text = TextRef { revision: Revision::from_text(id.as_bytes()), ..TextRef::example(serial, id) };
        HeadRecord { adopts, text: Some(text), ..HeadRecord::example(epoch, serial, id) }
    }

    #[test]
    fn a_head_that_is_no_successor_holds_the_node_until_it_is_adopted() {
        let runs = FollowedText { serial: 8, epoch: "e".to_owned(), revision: Revision::from_text(b"x") };
        let (same, other) = (head("e", &[], 8, "x"), head("e", &[], 8, "y"));
        let why = "the cluster has another change 8, which runs here: was a back-up restored?";
        for (what, head, record, before, held) in [
            ("it is the last change", head("e", &[], 8, "x"), Some(&same), None, false),
            ("it is an earlier change", head("e", &[], 12, "z"), Some(&same), None, false),
            ("another change has its serial", head("e", &[], 12, "z"), Some(&other), None, true),
            ("an older head, and the record", head("e", &[], 5, "w"), Some(&same), None, true),
            ("another head, and the record", head("e", &[], 8, "y"), Some(&same), None, true),
            ("the store is older", head("e", &[], 5, "w"), None, None, true),
            ("the record is gone too soon", head("e", &[], 27, "w"), None, None, true),
            ("the record is as old as it may be", head("e", &[], 28, "w"), None, None, false),
            ("it was held, and the store moved on", head("e", &[], 900, "w"), None, Some(why), true),
            ("another cluster", head("f", &["g"], 12, "w"), None, None, true),
            ("another cluster, with the same change", head("f", &[], 8, "x"), Some(&same), None, true),
            ("adopted", head("f", &["g", "e"], 6, "w"), None, Some(why), false),
        ] {
            let followed = Followed { held: before.map(str::to_owned), ..Followed::default() };
            assert_eq!(has_lost(&head, &runs, record, &followed), held, "{what}");
        }
        // What the node saw confirmed does not become unconfirmed again.
        let open = serde_json::json!({"id": "c", "deadline": 0, "back": null});
        let mut open: Unconfirmed = serde_json::from_value(open).expect("it is a record");
        for (back, known, held) in [
            (Some(TextRef::example(7, "v")), Some("c"), false),
            (Some(TextRef::example(7, "v")), None, true),
            (Some(TextRef::example(7, "v")), Some("b"), true),
            (None, None, false),
        ] {
            open.back = back;
            let head = HeadRecord { unconfirmed: Some(open.clone()), ..same.clone() };
            let way = |change: &str| WayBack { change: change.to_owned(), text: runs.clone() };
            let followed = Followed { back: known.map(way), ..Followed::default() };
            assert_eq!(has_lost(&head, &runs, Some(&same), &followed), held, "{known:?}");
        }
        let early = FollowedText { epoch: String::new(), ..runs };
        assert!(!has_lost(&head("f", &[], 1, "w"), &early, None, &Followed::default()));
    }
}
