//! Decisions on a change that has to be confirmed. One that some nodes take first is decided by whoever made it, by the
//! records of these nodes; nobody else decides, and without a decision its time ends.

use super::Keys;
use super::messages::{Compare, KeyOperation, KeyRange, KeyValue, Txn};
use super::read::{ClusterStore, NOT_CONFIRMED, Seen};
use super::records::HeadRecord;
use crate::store::error::StoreError;
use crate::store::node_record::{NodeRecord, NodeState};
use crate::store::pending::{CanaryStep, CanaryWish};

/// What the records of the first nodes say.
#[derive(Debug, PartialEq)]
enum CanaryVerdict {
    /// Some of the nodes do not run it yet, for these reasons.
    Wait(Vec<String>),
    /// All of them run it, as long as these conditions hold.
    Confirm(Vec<Compare>),
    /// One of them does not; in one line.
    GoBack(String),
}

impl ClusterStore {
    /// Confirms the last change, if it is the seen one still, its time is not over, and all `conditions`
    /// hold.
    ///
    /// # Errors
    /// `Overtaken`, as well, where nothing is there to be confirmed.
    pub(super) fn confirm(&self, seen: &Seen, conditions: Vec<Compare>) -> Result<(), StoreError> {
        let (true, Some(head)) = (seen.may_be_confirmed(), &seen.head) else { return Err(self.overtaken()) };
        let keys = self.keys();
        let own = [
            Compare::unchanged(&keys.head, seen.mod_revision),
            Compare::unchanged(&keys.pending, seen.pending_revision),
        ];
        let reply = self.gateway().txn(&Txn {
            compare: own.into_iter().chain(conditions).collect(),
            success: vec![
                KeyOperation::put(&keys.head, head.confirmed().to_json()),
                KeyOperation::Delete(KeyRange::one(&keys.pending)),
            ],
            failure: vec![KeyOperation::Read(KeyRange::one(&keys.head))],
            is_change: true,
        })?;
        // If it was sent twice, it may have been carried out the first time: nothing else confirms a change and keeps its id.
        let is_it = |found: HeadRecord| found.id == head.id && found.unconfirmed.is_none();
        let is_confirmed = reply.succeeded
            || reply.into_first().map(|found| self.record(&found)).transpose()?.is_some_and(is_it);
        if is_confirmed { Ok(()) } else { Err(self.overtaken()) }
    }

    /// Puts the text back that was there before the last change, if that is the seen one still and has run
    /// out.
    ///
    /// # Errors
    /// `Overtaken` if another was faster: the change is confirmed, or taken back already.
    pub fn take_back(&self, seen: &Seen) -> Result<(), StoreError> {
        let head = seen.head.as_ref().filter(|_| seen.has_run_out());
        let back =
            head.and_then(|head| head.taken_back("", NOT_CONFIRMED)).ok_or_else(|| self.overtaken())?;
        self.put_back(seen, back, Some(Compare::unchanged(&self.keys().pending, seen.pending_revision)))
    }

    /// Begins a new epoch, which continues the seen one as it is, and the epochs of what nodes run.
    ///
    /// # Errors
    /// `Overtaken` if there is no change, or one that is not confirmed, or another one was made meanwhile.
    pub fn adopt(&self, seen: &Seen, run: &[&str], by: &str) -> Result<(), StoreError> {
        let head = seen.head.as_ref().filter(|head| head.unconfirmed.is_none());
        self.put_back(seen, head.ok_or_else(|| self.overtaken())?.adopted(run, by), None)
    }

    /// Looks at the nodes that take the change `id` first, and decides it if it can be, as `wish` says.
    ///
    /// # Errors
    /// Those of the cluster.
    pub(super) fn decide_canaries(&self, id: &str, wish: &CanaryWish) -> Result<CanaryStep, StoreError> {
        let seen = self.seen()?;
        let is_it = |head: &&HeadRecord| head.unconfirmed.as_ref().is_some_and(|change| change.id == id);
        let Some(head) = seen.head.as_ref().filter(is_it).filter(|_| seen.may_be_confirmed()) else {
            return Ok(CanaryStep::Decided);
        };
        let records = head.canaries().iter().map(|name| KeyRange::one(&self.keys().node(name))).collect();
        let now = self.seen_with(records)?;
        if now.mod_revision != seen.mod_revision {
            return Ok(CanaryStep::Waits(Vec::new()));
        }
        let go_back = |why: &str| {
            let back = head.taken_back("", why).ok_or_else(|| self.overtaken())?;
            self.put_back(&now, back, None)
        };
        let decided = match (verdict(head, &now.others, self.keys()), wish) {
            (_, CanaryWish::GoBack(why)) => go_back(why),
            (CanaryVerdict::GoBack(why), _) => go_back(&why),
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
        let record = found.first().and_then(|found| serde_json::from_slice::<NodeRecord>(&found.value).ok());
        let (Some(record), Some(found)) = (record, found.first()) else {
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
                conditions.push(Compare::unchanged(&keys.node(name), found.mod_revision));
            }
            _ => whys.push(format!("`{name}` does not run it")),
        }
    }
    if whys.is_empty() { CanaryVerdict::Confirm(conditions) } else { CanaryVerdict::Wait(whys) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::etcd::records::Unconfirmed;

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
