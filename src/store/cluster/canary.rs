//! A change that some nodes take first. Whoever made it watches their records, and confirms it when all of them run it; when
//! one of them does not take it, it goes back. Nobody else decides, and without a decision its time ends.

use super::cluster_store::{ClusterStore, Seen};
use super::head_record::HeadRecord;
use super::keys::Keys;
use super::messages::{Compare, KeyRange, KeyValue};
use crate::store::error::StoreError;
use crate::store::node_record::{NodeRecord, NodeState};
use crate::store::pending::{CanaryStep, CanaryWish};

/// What the records of the first nodes say.
enum CanaryVerdict {
    /// Some of the nodes do not run it yet, for these reasons.
    Wait(Vec<String>),
    /// All of them run it, as long as these conditions hold.
    Confirm(Vec<Compare>),
    /// One of them does not; in one line.
    GoBack(String),
}

impl ClusterStore {
    /// Looks at the nodes that take the change `id` first, and decides it if it can be, as `wish` says.
    ///
    /// # Errors
    /// Those of the cluster.
    pub(super) fn canaries(&self, id: &str, wish: &CanaryWish) -> Result<CanaryStep, StoreError> {
        let seen = self.seen()?;
        let is_it = |head: &&HeadRecord| head.unconfirmed.as_ref().is_some_and(|change| change.id == id);
        let Some(head) = seen.head.as_ref().filter(is_it).filter(|_| seen.may_be_confirmed()) else {
            return Ok(CanaryStep::Decided);
        };
        let records = head.canaries().iter().map(|name| KeyRange::one(&self.keys().node(name))).collect();
        let now: Seen = self.seen_with(records)?;
        if now.mod_revision != seen.mod_revision {
            return Ok(CanaryStep::Waits(Vec::new()));
        }
        let decided = match (verdict(head, &now.others, self.keys()), wish) {
            (_, CanaryWish::GoBack(why)) => self.cancel(&now, "", why),
            (CanaryVerdict::GoBack(why), _) => self.cancel(&now, "", &why),
            (CanaryVerdict::Wait(whys), _) => return Ok(CanaryStep::Waits(whys)),
            (CanaryVerdict::Confirm(_), CanaryWish::Look) => return Ok(CanaryStep::Ready),
            (CanaryVerdict::Confirm(conditions), CanaryWish::Confirm) => self.confirm(&now, conditions),
        };
        match decided {
            Ok(()) => Ok(CanaryStep::Decided),
            // What another one decided meanwhile is looked at again.
            Err(StoreError::Overtaken { .. }) => Ok(CanaryStep::Waits(Vec::new())),
            Err(error) => Err(error),
        }
    }
}

/// Decides by the records of the nodes that go first; one list of `found` for each of them. A record counts if it says that
/// the node has run this change for as long as it has to.
fn verdict(head: &HeadRecord, found: &[Vec<KeyValue>], keys: &Keys) -> CanaryVerdict {
    let (mut conditions, mut whys) = (Vec::new(), Vec::new());
    let change = head.unconfirmed.as_ref();
    for (name, found) in head.canaries().iter().zip(found) {
        let Some((record, mod_revision)) = found.first().and_then(parsed) else {
            whys.push(format!("`{name}` has no record"));
            continue;
        };
        let is_of_it = record.wanted == Some(head.serial);
        let runs_it = record.change.as_ref() == change.map(|change| &change.id);
        match (&record.state, change.and_then(|change| change.soak_s)) {
            (NodeState::Failed, _) if is_of_it => {
                let why = record.why.map_or_else(String::new, |why| format!(": {why}"));
                return CanaryVerdict::GoBack(format!("`{name}` did not take it{why}"));
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
    if whys.is_empty() { CanaryVerdict::Confirm(conditions) } else { CanaryVerdict::Wait(whys) }
}

fn parsed(found: &KeyValue) -> Option<(NodeRecord, i64)> {
    Some((serde_json::from_slice(&found.value).ok()?, found.mod_revision))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::cluster::Unconfirmed;

    /// A change 2, `u`, that `a` and `b` take first; `b` runs it, and `a` says what a row of the table says.
    #[test]
    fn a_change_is_confirmed_by_records_that_say_it_runs_and_by_nothing_else() {
        let unconfirmed = Unconfirmed {
            id: "u".to_owned(),
            deadline: 0,
            ttl_s: Some(60),
            canary: vec!["a".to_owned(), "b".to_owned()],
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
        for (what, record, expected) in [
            ("it runs the change", Some(runs()), "confirmed"),
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
                "it does not go first",
                Some(NodeRecord { state: NodeState::Running, ..runs() }),
                "`a` does not run it",
            ),
            ("it has no record", None, "`a` has no record"),
            ("it failed", Some(failed()), "goes back"),
            ("it failed before", Some(NodeRecord { wanted: Some(1), ..failed() }), "`a` does not run it"),
        ] {
            let found = [record.map(|record| kept(record, 7)).into_iter().collect(), vec![kept(runs(), 8)]];
            let decided = match verdict(&head, &found, &keys) {
                CanaryVerdict::Wait(whys) => whys.join("; "),
                CanaryVerdict::Confirm(conditions) => {
                    let unchanged =
                        [("a", 7), ("b", 8)].map(|(name, at)| Compare::unchanged(&keys.node(name), at));
                    assert_eq!(conditions, unchanged);
                    "confirmed".to_owned()
                }
                CanaryVerdict::GoBack(_) => "goes back".to_owned(),
            };
            assert_eq!(decided, expected, "{what}");
        }
    }
}
