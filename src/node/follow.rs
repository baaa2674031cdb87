//! Following: a node looks at the newest change, and goes there.

use std::time::Duration;

use super::member::{LOOK_TIME, Node};
use super::not_taken::{Backoff, LONGEST_DENIAL};
use super::wake::Look;
use crate::engine::LogLevel;
use crate::store::boot_time::boot_time;
use crate::store::cluster::{KeyRange, KeyValue, Seen};
use crate::store::jittered;
use crate::store::{Store, StoreError};

/// After this long a node looks without being woken up.
const POLL: Duration = Duration::from_secs(5);

/// The same while something has to be decided soon, or went wrong on this node.
const CLOSE_POLL: Duration = Duration::from_secs(1);

/// After this long it tries again to reach the cluster; longer each time up to `LONGEST_RETRY`, so that
/// it is back two seconds after the cluster at the latest.
const RETRY: Duration = Duration::from_millis(100);
const LONGEST_RETRY: Duration = Duration::from_millis(800);

/// The pause after a look, in which a burst of changes becomes one.
const REST: Duration = Duration::from_millis(100);

/// The most times that a node looks again at once because something changed while it worked.
const LOOKS: usize = 20;

impl Node {
    /// Follows until the node ends.
    pub(super) fn follow(&self) {
        let (mut pause, mut retry) = (Duration::ZERO, RETRY);
        while let Some(turn) = self.wake.next(pause) {
            pause = match self.may_look(turn).then(|| self.look(turn)) {
                Some(Ok(pause)) => {
                    retry = RETRY;
                    jittered(pause)
                }
                Some(Err(error)) => {
                    self.note_away(error);
                    self.go_back_alone();
                    retry = (retry * 2).min(LONGEST_RETRY);
                    jittered(retry)
                }
                None => {
                    self.go_back_alone();
                    jittered(CLOSE_POLL)
                }
            };
            self.wake.finish(turn);
            if !self.wake.sleep(REST) {
                return;
            }
        }
    }

    /// False while etcd, which said that the node has no right to look, is not asked again.
    fn may_look(&self, turn: Look) -> bool {
        let again = self.standing().denied.reading.as_ref().map(|(_, backoff)| backoff.until);
        let is_due = again.is_none_or(|again| boot_time() >= again);
        is_due || turn.is_urgent || self.store.gateway().has_other_access()
    }

    /// Looks, and does the work that the look finds; returns the latest time of the next look.
    fn look(&self, turn: Look) -> Result<Duration, StoreError> {
        if turn.is_urgent {
            let mut standing = self.standing();
            (standing.not_taken, standing.denied.record) = (None, None);
        }
        for _ in 0..LOOKS {
            let (keys, name) = (self.store.keys(), &self.settings.name);
            let own = [keys.node(name), keys.retry(name)].map(|key| KeyRange::one(&key));
            // What the node ran last, and what became of it.
            let last_run = self.last_change_run().map(|serial| [serial, serial + 1]);
            let changes = last_run.into_iter().flatten().map(|serial| KeyRange::one(&keys.change(serial)));
            let sent = boot_time();
            let store = self.store.with_time(self.look_time(LOOK_TIME));
            let mut seen = store.seen_with(own.into_iter().chain(changes).collect())?;
            let mut others = std::mem::take(&mut seen.others).into_iter();
            let [own_record, asked, last_run, next] = [(); 4].map(|()| others.next().unwrap_or_default());
            self.note_own_record(own_record.first());
            self.note_contact(&seen, next.first(), sent)?;
            self.note_asked(asked.first());
            if self.is_held(&seen, last_run.first()) {
                self.report();
                return Ok(POLL);
            }
            let gone = self.go_to(&seen);
            self.leave_what_was_taken_back();
            let done = gone.map(|()| {
                self.forget_way_back(&seen);
                self.check_health();
                self.report();
                // Whoever makes the next change does it, too, where this node has no right to.
                !seen.has_run_out() || self.store.take_back(&seen).is_err()
            });
            match done {
                Ok(true) => return Ok(self.pause(&seen)),
                // Another one was faster: what there is now decides.
                Ok(false) | Err(StoreError::Overtaken { .. }) => {}
                Err(error) => return Err(error),
            }
        }
        Ok(CLOSE_POLL)
    }

    /// Tries what the node did not take again, at once.
    pub fn try_again(&self) {
        self.wake.ask_urgently();
    }

    /// Notes that somebody asked this node to try again, if that was not seen before.
    fn note_asked(&self, found: Option<&KeyValue>) {
        let Some(found) = found else { return };
        let mut standing = self.standing();
        if standing.asked_to_retry != found.mod_revision {
            standing.asked_to_retry = found.mod_revision;
            standing.not_taken = None;
        }
    }

    fn note_away(&self, error: StoreError) {
        let mut standing = self.standing();
        let before = standing.denied.reading.take();
        let was_denied = before.is_some();
        let (reason, is_denied) = match error {
            StoreError::Unreachable { reason, .. } => (reason, false),
            StoreError::Refused { reason, .. } => (reason, true),
            error => (error.to_string(), false),
        };
        if is_denied {
            let backoff = Backoff::after(before.map(|(_, backoff)| backoff), LONGEST_DENIAL, boot_time());
            standing.denied.reading = Some((format!("etcd does not let this node read: {reason}"), backoff));
        }
        let is_new = !standing.is_known_to_be_away() || was_denied != is_denied;
        standing.away = Some(reason.clone());
        drop(standing);
        if is_new {
            let name = self.texts.name();
            let (level, words) = match is_denied {
                true => (LogLevel::Error, format!("denied: `{name}` does not let this node read")),
                false => (LogLevel::Warning, format!("`{name}` can't be reached")),
            };
            self.local.tell(level, &format!("{words}, and this node goes on: {reason}"));
        }
    }

    fn pause(&self, seen: &Seen) -> Duration {
        let standing = self.standing();
        // What was not taken is not tried again soon.
        let is_settled = standing.serial() == standing.wanted || standing.not_taken.is_some();
        // The permission to run an unconfirmed change is asked for again and again.
        let pause = if !is_settled || seen.may_be_confirmed() { CLOSE_POLL } else { POLL };
        let next = standing.not_taken.as_ref().map(|not_taken| not_taken.next());
        next.map_or(pause, |at| at.saturating_sub(boot_time()).min(pause))
    }
}
