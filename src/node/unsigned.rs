//! A node takes nothing from a cluster that no key it trusts has signed. It goes on with what it runs; a change that was
//! not confirmed when it last saw one that is signed goes back, as without contact.

use super::member::Node;
use crate::engine::{LogLevel, Trouble};
use crate::store::cluster::Seen;
use crate::store::{NodeState, StoreError};

impl Node {
    /// True if the node takes nothing from the cluster that was seen.
    pub(super) fn is_unsigned(&self, seen: &Seen) -> bool {
        let refused = self.store.refuse_untrusted(seen);
        refused.inspect_err(|error| self.turn_unsigned(seen, error)).is_err()
    }

    /// True if an error says that a text is not the one that was signed.
    pub(super) fn is_swapped(&self, seen: &Seen, error: &StoreError) -> bool {
        let is_swapped = matches!(error, StoreError::Damaged { .. }) && self.store.signing().asks();
        if is_swapped {
            self.turn_unsigned(seen, error);
        }
        is_swapped
    }

    fn turn_unsigned(&self, seen: &Seen, error: &StoreError) {
        self.back_alone();
        let why = Trouble::new(error.to_string());
        let mut standing = self.standing();
        let is_new = standing.state != NodeState::Unsigned;
        standing.away = None;
        standing.wanted = seen.head.as_ref().map(|head| head.serial);
        standing.turn(NodeState::Unsigned, Some(why.clone()));
        drop(standing);
        if is_new {
            self.local.tell(LogLevel::Error, &format!("unsigned: {}", why.brief));
        }
        self.report();
    }
}
