//! A node takes nothing from a cluster that is not the one whose changes it ran: one that was restored from a back-up, or
//! made anew. It goes on with what it runs, until `mediactl cluster adopt` says that the cluster continues.

use super::member::Node;
use crate::engine::{LogLevel, Trouble};
use crate::store::NodeState;
use crate::store::cluster::{HeadRecord, KeyValue, MIN_RECORDS, Seen};
use crate::store::file::FollowedText;

impl Node {
    /// The serial of the change that the node ran last, if the cluster may keep a record of it.
    pub(super) fn last_change_run(&self) -> Option<u64> {
        self.standing().followed.runs.as_ref().map(|runs| runs.serial)
    }

    /// True if the node takes nothing from the cluster that was seen. `record` is that of the change which it ran last.
    pub(super) fn is_held(&self, seen: &Seen, record: Option<&KeyValue>) -> bool {
        let followed = self.standing().followed.clone();
        let (Some(head), Some(runs)) = (&seen.head, &followed.runs) else { return false };
        let record = record.and_then(|record| HeadRecord::parse(&record.value).ok());
        let back = followed.back.as_ref().map(|back| &*back.change);
        let why = why_held(head, runs, record.as_ref(), followed.held.as_deref(), back);
        if why.is_some() && self.leaves_what_is_lost() {
            // At the next look, what it ran before decides.
            self.wake.ask();
            return true;
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
        let mut standing = self.standing();
        standing.wanted = Some(head.serial);
        standing.turn(NodeState::Held, Some(Trouble::new(why)));
        true
    }
}

/// The reason why a node that runs `runs` takes nothing from a cluster with this head; `None` if the head is a successor of
/// what it runs. `record` is that of the change which it ran last, `before` the reason that held it so far: it stays held
/// until another epoch adopts its own. `back` is the change from which it knows the way back, as long as that is not
/// confirmed for all it knows.
pub fn why_held(
    head: &HeadRecord,
    runs: &FollowedText,
    record: Option<&HeadRecord>,
    before: Option<&str>,
    back: Option<&str>,
) -> Option<String> {
    if runs.epoch.is_empty() {
        return None;
    }
    if head.epoch != runs.epoch {
        let is_adopted = head.adopts.contains(&runs.epoch);
        return (!is_adopted).then(|| {
            format!("the cluster is another one than that of change {}, which runs here", runs.serial)
        });
    }
    if let Some(before) = before {
        return Some(before.to_owned());
    }
    let lost =
        |what: &str| Some(format!("{what} change {}, which runs here: was a back-up restored?", runs.serial));
    // Of a text that came back the id of its change is not known.
    let has_text =
        |change: &HeadRecord| change.text.as_ref().is_none_or(|text| text.revision == runs.revision);
    let ran = |change: &HeadRecord| runs.id.as_ref().map_or_else(|| has_text(change), |id| *id == change.id);
    match record {
        // Whoever can write into the store can leave the record beside an older head.
        _ if head.serial < runs.serial => lost("the cluster has no"),
        _ if head.serial == runs.serial && !ran(head) => lost("the cluster has another"),
        // Whoever can write into the store can put back what was the head before the confirmation.
        _ if head.serial == runs.serial && is_unconfirmed_again(head, back) => {
            lost("the cluster no longer has the confirmation of")
        }
        Some(change) if ran(change) => None,
        Some(_) => lost("the cluster has another"),
        None if runs.serial + MIN_RECORDS > head.serial => lost("the cluster has no"),
        // The history does not keep it any more.
        None => None,
    }
}

/// True if a head that the node runs is not confirmed, and it was for all the node knows: it has no way back from it.
fn is_unconfirmed_again(head: &HeadRecord, back: Option<&str>) -> bool {
    let change = head.unconfirmed.as_ref().filter(|change| change.back.is_some());
    change.is_some_and(|change| back != Some(&change.id))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::Revision;
    use crate::store::cluster::{TextRef, Unconfirmed};

    fn head(epoch: &str, adopts: &[&str], serial: u64, id: &str) -> HeadRecord {
        let adopts = adopts.iter().map(|epoch| (*epoch).to_owned()).collect();
        HeadRecord { adopts, ..HeadRecord::example(epoch, serial, id) }
    }

    #[test]
    fn a_head_that_is_no_successor_holds_the_node_until_it_is_adopted() {
        let revision = Revision::from_text(b"");
        let runs = FollowedText { serial: 8, epoch: "e".to_owned(), id: Some("x".to_owned()), revision };
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
            assert_eq!(why_held(&head, &runs, record, before, None).is_some(), held, "{what}");
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
            assert_eq!(why_held(&head, &runs, Some(&same), None, known).is_some(), held, "{known:?}");
        }
        let early = FollowedText { epoch: String::new(), ..runs };
        assert_eq!(why_held(&head("f", &[], 1, "w"), &early, None, None, None), None);
    }
}
