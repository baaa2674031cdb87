//! The secrets that took the place of masks in a request, and the check that the new text shows none of them unmasked.

use std::sync::Arc;

use bytes::Bytes;

use super::content::Content;
use super::outcome::Outcome;
use super::refusal::Refusal;
use super::snapshot::Snapshot;
use mediaconf::plumbing::edit::{Fault, FaultKind};
use mediaconf::plumbing::model::{BroughtSecrets, MaskFault};
use mediaconf::plumbing::syntax::Document;

/// The advice about a mask.
const SEND_SECRET: &str = "read it again with `secrets=masked`, or send the secret itself";

/// The secrets that the masks of a request brought.
pub(super) struct Brought {
    pub secrets: BroughtSecrets,
    /// The request, with the secrets masked that it sent itself.
    pub sent: String,
    /// A text in which no secret is shown.
    pub proved: Option<Bytes>,
}

impl Brought {
    /// Refuses a new text in which readers who may see no secrets would see one that a mask brought. After a merge it
    /// may stand between other words than its mask did, where nothing masks it.
    pub(super) fn refuse_shown(
        &self,
        outcome: &Outcome,
        file: Option<&Arc<Snapshot>>,
    ) -> Result<(), Refusal> {
        let Some(after) = outcome.after().and_then(Content::snapshot) else { return Ok(()) };
        if self.proved.as_ref().is_some_and(|proved| proved == after.shared_bytes()) {
            return Ok(());
        }
        let before = outcome.before.as_ref().and_then(Content::snapshot).into_iter().chain(file);
        let before: Vec<&Document> = before.map(|text| text.document()).collect();
        match self.secrets.shown_in(after.document(), &before, &self.sent) {
            Some(_) => Err(masked_value(MaskFault::Shown).into()),
            None => Ok(()),
        }
    }
}

/// The fault of a mask that no secret can be put in the place of.
pub(super) fn masked_value(fault: MaskFault) -> Fault {
    Fault::new(FaultKind::MaskedValue, fault.to_string()).hint(SEND_SECRET)
}
