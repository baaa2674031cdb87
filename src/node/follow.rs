//! Following: a node looks at the newest change, and goes there.

use std::time::Duration;

use super::member::{LOOK_TIME, Node};
use super::not_taken::{Backoff, LONGEST_DENIAL};
use super::wake::Look;
use crate::engine::{LogLevel, Refusal, RefusalKind, Trouble};
use crate::store::boot_time::boot_time;
use crate::store::cluster::{KeyRange, KeyValue, Seen};
use crate::store::jittered;
use crate::store::{NodeState, Store, StoreError};

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

    /// Notes why a look failed. What can't be read in a cluster that answers is a failure of this node: its record says so,
    /// and it goes on with what it runs.
    fn note_away(&self, error: StoreError) {
        let name = self.texts.name();
        let (is_unusable, is_denied) = (error.is_unusable(), matches!(error, StoreError::Refused { .. }));
        let (level, words, reason) = match &error {
            StoreError::Unreachable { reason, .. } => {
                (LogLevel::Warning, format!("`{name}` can't be reached"), reason.clone())
            }
            StoreError::Refused { reason, .. } => {
                (LogLevel::Error, format!("denied: `{name}` does not let this node read"), reason.clone())
            }
            error if is_unusable => {
                let hint = error.hint().map_or_else(String::new, |hint| format!("; {hint}"));
                let reason = format!("what stands in etcd can't be used: {error}{hint}");
                (LogLevel::Error, format!("failed: `{name}` has no text for this node"), reason)
            }
            error => (LogLevel::Warning, format!("`{name}` can't be read"), error.to_string()),
        };
        let refusal = Refusal::from(error);
        let mut standing = self.standing();
        let denied = standing.denied.reading.take();
        if is_denied {
            let backoff = Backoff::after(denied.map(|(_, backoff)| backoff), LONGEST_DENIAL, boot_time());
            standing.denied.reading = Some((format!("etcd does not let this node read: {reason}"), backoff));
        }
        if is_unusable && standing.state != NodeState::CutOff {
            standing.turn(NodeState::Failed, Some(Trouble::new(reason.clone())));
        }
        let away = match refusal.kind {
            RefusalKind::ClusterUnavailable => format!("it can't be reached: {reason}"),
            _ => reason.clone(),
        };
        let before = (standing.away.replace(away), standing.refusal.replace(refusal.clone()));
        let is_other = is_unusable && before.0 != standing.away;
        let is_known = !is_other && before.1.is_some_and(|before| before.kind == refusal.kind);
        drop(standing);
        if !is_known {
            self.local.tell(level, &format!("{words}, and this node goes on: {reason}"));
            if is_unusable {
                self.report();
            }
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
