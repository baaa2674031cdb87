//! Following: a node looks at the newest change, and goes there.

use std::time::{Duration, SystemTime};

use super::debounce::Debounce;
use super::member::Node;
use super::rollout::{RolloutVerdict, verdict};
use crate::engine::Pulse;
use crate::store::cluster::{HeadRecord, KeyRange, Seen};
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

/// The most times that a node looks again at once because something changed while it worked.
const LOOKS: usize = 20;

impl Node {
    /// Follows until the node ends.
    pub(super) fn follow(&self, pulse: &Pulse) {
        let (mut pause, mut retry, mut debounce) = (Duration::ZERO, RETRY, Debounce::new());
        pulse.rest();
        while let Some(turn) = self.wake.next(pause) {
            pulse.turn();
            pause = match self.look() {
                Ok(pause) => {
                    retry = RETRY;
                    jittered(pause)
                }
                Err(error) => {
                    self.note_away(error);
                    retry = (retry * 2).min(LONGEST_RETRY);
                    jittered(retry)
                }
            };
            self.wake.finish(turn);
            pulse.rest();
            let rest = debounce.after(self.standing().wanted);
            if !self.wake.sleep(rest) {
                return;
            }
        }
    }

    /// Looks, and does the work that the look finds; returns the latest time of the next look.
    fn look(&self) -> Result<Duration, StoreError> {
        for _ in 0..LOOKS {
            let (keys, name) = (self.store.keys(), &self.settings.name);
            let own_record = KeyRange::one(&keys.node(&name.name));
            let mut seen =
                self.store.seen_with(name.ranges(keys).into_iter().chain([own_record]).collect())?;
            let own_record = seen.others.pop().unwrap_or_default();
            self.note_own_record(own_record.first());
            self.standing().note_seen(&seen);
            let done = match seen.has_run_out() {
                true => self.store.take_back(&seen).map(|()| false),
                false => self.go_to(&seen).and_then(|()| {
                    self.report();
                    self.roll_out(&seen)
                }),
            };
            match done {
                Ok(true) => return Ok(self.pause(&seen)),
                // Another one was faster: what there is now decides.
                Ok(false) | Err(StoreError::Overtaken { .. }) => {}
                Err(error) => return Err(error),
            }
        }
        Ok(CLOSE_POLL)
    }

    /// Promotes a rollout, or takes it back, if that is decided; whether nothing was to be done. Only the nodes
    /// that take it first look at each other's records: the last one of them that reports sees all the others,
    /// and every node takes back what has run out.
    fn roll_out(&self, seen: &Seen) -> Result<bool, StoreError> {
        let name = &self.settings.name.name;
        let is_rollout = |head: &&HeadRecord| head.unconfirmed.is_some() && head.canary.contains(name);
        let Some(head) = seen.head.as_ref().filter(is_rollout) else { return Ok(true) };
        let keys = self.store.keys();
        let now =
            self.store.seen_with(head.canary.iter().map(|name| KeyRange::one(&keys.node(name))).collect())?;
        if now.mod_revision != seen.mod_revision {
            return Ok(false);
        }
        match verdict(head, &now.others, keys) {
            RolloutVerdict::Wait => Ok(true),
            RolloutVerdict::Promote(conditions) => self.store.confirm(&now, conditions).map(|()| false),
            RolloutVerdict::GoBack(why) => self.store.cancel(&now, "", &why).map(|()| false),
        }
    }

    fn note_away(&self, error: StoreError) {
        let reason = match error {
            StoreError::Unreachable { reason, .. } => reason,
            error => error.to_string(),
        };
        let mut standing = self.standing();
        let is_new = standing.away.is_none();
        standing.away = Some(reason.clone());
        drop(standing);
        if is_new {
            let name = self.texts.name();
            self.local.tell(&format!("`{name}` can't be reached, and this node goes on: {reason}"));
        }
    }

    fn pause(&self, seen: &Seen) -> Duration {
        let standing = self.standing();
        // What was refused is not tried again.
        let is_settled = standing.serial() == standing.wanted || standing.refused.is_some();
        match seen.open() {
            _ if !is_settled => CLOSE_POLL,
            Some(open) if open.canary.contains(&self.settings.name.name) => CLOSE_POLL,
            // It is taken back when its time is over.
            Some(open) => {
                let left = open.deadline.duration_since(SystemTime::now()).unwrap_or_default();
                left.clamp(CLOSE_POLL, POLL)
            }
            None => POLL,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::time::Instant;

    use super::*;
    use crate::engine::{Engine, Hooks, Loops};
    use crate::node::{NodeName, NodeSettings, OnDrift};
    use crate::store::cluster::{ClusterStore, ClusterUrl, GatewaySettings};
    use crate::store::file::ConfFile;

    #[test]
    fn a_turn_that_panics_is_not_the_last_one() {
        let folder = tempfile::tempdir().expect("a folder can be made");
        let path = folder.path().join("media.conf");
        std::fs::write(&path, "http 80;\n").expect("it can be written");
        let file = Arc::new(ConfFile::resolve(&path).expect("it can be found"));
        let panics = Arc::new(AtomicUsize::new(0));
        let own = panics.clone();
        let log = move |_: &str| {
            own.fetch_add(1, Ordering::SeqCst);
            panic!("as the test asks")
        };
        let local = Engine::new(file.clone(), Hooks::default(), |_, _| {});
        let local = local.start(log).expect("it is valid");
        // Nobody listens there.
        let (url, _) = ClusterUrl::parse("etcd://127.0.0.1:1/p").expect("it is one");
        let texts = Arc::new(ClusterStore::new(url, GatewaySettings::default()));
        let cluster = Engine::new(texts.clone(), Hooks::default(), |_, _| {});
        let name = NodeName { name: "a".to_owned(), group: None };
        let settings = NodeSettings { name, on_drift: OnDrift::default() };
        let node = Node::new(settings, local, file, (cluster, texts)).expect("the folder can be written");
        // As if the cluster was there before, so that the first turn reports that it is away.
        node.standing().away = None;
        let turn = node.wake.ask();
        node.start(&Loops::default()).expect("threads can be spawned");
        assert!(node.wake.wait_for(turn, Instant::now() + Duration::from_secs(60)));
        assert_eq!(panics.load(Ordering::SeqCst), 1);
        node.stop();
    }
}
