//! What a writer signs, and which changes are taken.

use super::cluster_store::{ClusterStore, Seen};
use super::head_record::HeadRecord;
use super::signing::{BadKeyFile, NotTrusted};
use crate::store::error::StoreError;

/// The record of a change in the form in which it becomes `head`: signed, if the writer has a key.
pub struct SignedHead(HeadRecord);

impl SignedHead {
    pub fn record(&self) -> &HeadRecord {
        &self.0
    }
}

impl ClusterStore {
    /// Refuses what was seen, unless a trusted key has signed it; where no keys are given, nothing.
    ///
    /// # Errors
    /// `NotTrusted`.
    pub fn refuse_untrusted(&self, seen: &Seen) -> Result<(), StoreError> {
        seen.head.as_ref().map_or(Ok(()), |head| self.refuse_unsigned(&self.keys().head, head))
    }

    /// The same for the record of a change in the history.
    pub(super) fn refuse_untrusted_change(&self, change: &HeadRecord) -> Result<(), StoreError> {
        self.refuse_unsigned(&self.keys().change(change.serial), change)
    }

    fn refuse_unsigned(&self, at: &str, record: &HeadRecord) -> Result<(), StoreError> {
        let refused = |why| self.not_trusted(format!("change {}", record.serial), why);
        self.signing().accept(at, record).map_err(refused)
    }

    fn not_trusted(&self, what: String, why: NotTrusted) -> StoreError {
        StoreError::NotTrusted { name: self.given_name().to_owned(), what, why: why.to_string() }
    }

    /// Signs a change that is made of what was seen: a signature on it holds for what it takes over, too.
    ///
    /// # Errors
    /// `NotTrusted`; `NeedsKey` if it would not be signed, and should.
    pub(super) fn signed_after(&self, seen: &Seen, head: HeadRecord) -> Result<SignedHead, StoreError> {
        self.refuse_untrusted(seen)?;
        self.signed_alone(seen, head)
    }

    /// Signs a change that takes nothing over from what was seen: a whole text.
    ///
    /// # Errors
    /// `NeedsKey` if it would not be signed, and should.
    pub(super) fn signed_alone(&self, seen: &Seen, head: HeadRecord) -> Result<SignedHead, StoreError> {
        self.refuse_unsignable(seen, head.serial)?;
        self.signed(&self.keys().head, head).map(SignedHead)
    }

    /// Refuses to make the change `serial` after what was seen without a key that signs it and is trusted here.
    ///
    /// # Errors
    /// `NeedsKey` if it would not be signed, and should; `NotTrusted`.
    pub(super) fn refuse_unsignable(&self, seen: &Seen, serial: u64) -> Result<(), StoreError> {
        let is_signed = seen.head.as_ref().is_some_and(|last| last.signature.is_some());
        let has_to_be = is_signed || self.signing().trust_key.is_some();
        if has_to_be && self.signing().sign_key.is_none() {
            return Err(StoreError::NeedsKey { name: self.given_name().to_owned() });
        }
        // A writer whose own key is not among those that it trusts would lock itself out, and the nodes.
        let refused = |why| self.not_trusted(format!("change {serial}"), why);
        self.signing().refuse_untrusted_key().map_err(refused)
    }

    /// The record of a change in the history, which confirms nothing.
    pub(super) fn signed_change(&self, head: &HeadRecord) -> Result<HeadRecord, StoreError> {
        self.signed(&self.keys().change(head.serial), head.confirmed())
    }

    fn signed(&self, at: &str, record: HeadRecord) -> Result<HeadRecord, StoreError> {
        let bad_file = |error: BadKeyFile| StoreError::BadKey { why: error.to_string() };
        self.signing().sign(at, record).map_err(bad_file)
    }
}
