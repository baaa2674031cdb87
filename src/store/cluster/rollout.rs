//! A rollout: some nodes take a change first. Whoever started it keeps the permission to run it alive, and confirms it
//! when all of these nodes run it; when one of them does not take it, it goes back.

use super::cluster_store::{ClusterStore, Seen};
use super::head_record::HeadRecord;
use super::keys::Keys;
use super::messages::{Compare, KeyRange, KeyValue};
use super::unconfirmed::NOT_CONFIRMED;
use crate::store::error::StoreError;
use crate::store::node_record::{NodeRecord, NodeState};
use crate::store::rollout::{RolloutStep, RolloutTurn};

/// The time in seconds for which nodes run a change of a rollout after the last sign of life of whoever decides it.
pub const ROLLOUT_LEASE: u64 = 10;

/// The decision about a rollout.
enum RolloutVerdict {
    /// Some of the nodes do not count yet, for these reasons.
    Wait(Vec<String>),
    /// All of them run it, as long as these conditions hold.
    Promote(Vec<Compare>),
    /// One of them does not; in one line.
    GoBack(String),
}

impl ClusterStore {
    /// Carries a rollout one step on.
    ///
    /// # Errors
    /// Those of the cluster. If nobody else carries it on, it goes back.
    pub(super) fn advance(&self, turn: &RolloutTurn<'_>) -> Result<RolloutStep, StoreError> {
        let seen = self.seen()?;
        let is_it = |head: &&HeadRecord| head.unconfirmed.as_ref().is_some_and(|change| change.id == turn.id);
        let Some(head) = seen.head.as_ref().filter(is_it).filter(|_| seen.may_be_confirmed()) else {
            return Ok(RolloutStep::Decided);
        };
        self.gateway().keep_alive(seen.lease).map_err(self.reading())?;
        let ttl = head.unconfirmed.as_ref().and_then(|change| change.ttl_s).unwrap_or(u64::MAX);
        if let Some(why) = turn.failed {
            return self.decided(self.cancel(&seen, "", why));
        }
        let records = head.canaries().iter().map(|name| KeyRange::one(&self.keys().node(name))).collect();
        let now: Seen = self.seen_with(records)?;
        if now.mod_revision != seen.mod_revision {
            return Ok(RolloutStep::Waits);
        }
        let is_over = turn.age.as_secs() >= ttl;
        match verdict(head, &now.others, self.keys()) {
            RolloutVerdict::Wait(whys) if is_over => {
                let why = format!("{NOT_CONFIRMED}: {}", whys.join("; "));
                self.decided(self.cancel(&now, "", &why))
            }
            RolloutVerdict::Promote(_) if is_over => self.decided(self.cancel(&now, "", NOT_CONFIRMED)),
            RolloutVerdict::Wait(_) => Ok(RolloutStep::Waits),
            RolloutVerdict::Promote(_) if !turn.may_promote => Ok(RolloutStep::Ready),
            RolloutVerdict::Promote(conditions) => self.decided(self.confirm(&now, conditions)),
            RolloutVerdict::GoBack(why) => self.decided(self.cancel(&now, "", &why)),
        }
    }

    /// A decision that another one overtook is looked at again.
    fn decided(&self, done: Result<(), StoreError>) -> Result<RolloutStep, StoreError> {
        match done {
            Ok(()) => Ok(RolloutStep::Decided),
            Err(StoreError::Overtaken { .. }) => Ok(RolloutStep::Waits),
            Err(error) => Err(error),
        }
    }
}

/// Decides by the records of the nodes that go first; one list of `found` for each of them. A record counts if one
/// process alone has the name, and it has run this change for as long as it has to.
fn verdict(head: &HeadRecord, found: &[Vec<KeyValue>], keys: &Keys) -> RolloutVerdict {
    let (mut conditions, mut whys) = (Vec::new(), Vec::new());
    let change = head.unconfirmed.as_ref();
    let soak = change.and_then(|change| change.soak_s);
    for (name, found) in head.canaries().iter().zip(found) {
        let Some((record, mod_revision)) = found.first().and_then(parsed) else {
            whys.push(format!("`{name}` has no record"));
            continue;
        };
        let is_of_it = record.wanted == Some(head.serial);
        let runs_it = record.change.as_ref() == change.map(|change| &change.id);
        let why = record.why.as_ref();
        match (&record.state, soak) {
            (NodeState::Refused | NodeState::Failed, _) if is_of_it => {
                let why = why.map_or_else(String::new, |why| format!(": {why}"));
                return RolloutVerdict::GoBack(format!("`{name}` did not take it{why}"));
            }
            _ if record.is_twin => {
                let why = why.map_or("another process has its name", |why| why.as_str());
                whys.push(format!("`{name}` does not count: {why}"));
            }
            (NodeState::Canary, Some(soak)) if runs_it && !record.has_soaked => {
                whys.push(format!("`{name}` has not run it for {soak} s"));
            }
            (NodeState::Canary, _) if runs_it => {
                conditions.push(Compare::unchanged(&keys.node(name), mod_revision));
            }
            _ => whys.push(format!("`{name}` does not run it")),
        }
    }
    if whys.is_empty() { RolloutVerdict::Promote(conditions) } else { RolloutVerdict::Wait(whys) }
}

fn parsed(found: &KeyValue) -> Option<(NodeRecord, i64)> {
    Some((serde_json::from_slice(&found.value).ok()?, found.mod_revision))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::cluster::Unconfirmed;

    /// A rollout of change 2, `u`, to `a` and `b`; `b` runs it, and `a` says what a row of the table says.
    #[test]
    fn a_rollout_is_promoted_by_records_of_one_process_that_runs_it_and_of_nothing_else() {
        let unconfirmed = Unconfirmed {
            id: "u".to_owned(),
            deadline: 0,
            ttl_s: Some(60),
            canaries: vec!["a".to_owned(), "b".to_owned()],
            soak_s: Some(9),
            back: None,
        };
        let head = HeadRecord { unconfirmed: Some(unconfirmed), ..HeadRecord::example("e", 2, "h") };
        let runs = || NodeRecord {
            wanted: Some(2),
            change: Some("u".to_owned()),
            has_soaked: true,
            ..NodeRecord::absent(NodeState::Canary)
        };
        let failed = || NodeRecord { wanted: Some(2), ..NodeRecord::absent(NodeState::Failed) };
        let kept = |record: NodeRecord, mod_revision| KeyValue {
            value: serde_json::to_vec(&record).expect("it is JSON"),
            mod_revision,
            ..KeyValue::default()
        };
        let keys = Keys::below("/p/");
        let twin = NodeRecord { is_twin: true, why: Some("process 7 on m has it, too".to_owned()), ..runs() };
        for (what, record, expected) in [
            ("it runs the change", Some(runs()), "promoted"),
            ("another process has its name", Some(twin), "`a` does not count: process 7 on m has it, too"),
            (
                "it has not soaked",
                Some(NodeRecord { has_soaked: false, ..runs() }),
                "`a` has not run it for 9 s",
            ),
            (
                "it runs another change",
                Some(NodeRecord { change: Some("t".to_owned()), ..runs() }),
                "`a` does not run it",
            ),
            (
                "it runs no rollout",
                Some(NodeRecord { state: NodeState::Running, ..runs() }),
                "`a` does not run it",
            ),
            ("it has no record", None, "`a` has no record"),
            ("its reload failed", Some(failed()), "goes back"),
            ("it refused it", Some(NodeRecord { state: NodeState::Refused, ..failed() }), "goes back"),
            ("it failed before", Some(NodeRecord { wanted: Some(1), ..failed() }), "`a` does not run it"),
        ] {
            let found = [record.map(|record| kept(record, 7)).into_iter().collect(), vec![kept(runs(), 8)]];
            let decided = match verdict(&head, &found, &keys) {
                RolloutVerdict::Wait(whys) => whys.join("; "),
                RolloutVerdict::Promote(conditions) => {
                    let unchanged =
                        [("a", 7), ("b", 8)].map(|(name, at)| Compare::unchanged(&keys.node(name), at));
                    assert_eq!(conditions, unchanged);
                    "promoted".to_owned()
                }
                RolloutVerdict::GoBack(_) => "goes back".to_owned(),
            };
            assert_eq!(decided, expected, "{what}");
        }
    }
}
