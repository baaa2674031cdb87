//! Decisions on a change that has to be confirmed.

use std::time::SystemTime;

use super::cluster_store::{ClusterStore, Seen};
use super::commit::PendingKey;
use super::head_record::HeadRecord;
use super::messages::{Compare, KeyOperation, KeyRange, Txn};
use crate::store::change_record::REVERT;
use crate::store::error::StoreError;
use crate::store::fresh_id::fresh_id;

/// The message of a change that is taken back.
const NOT_CONFIRMED: &str = "not confirmed in time";

impl ClusterStore {
    /// Confirms the last change, if it is the seen one still, its time is not over, and all `conditions`
    /// hold.
    ///
    /// # Errors
    /// `Overtaken`, as well, where nothing is there to be confirmed.
    pub fn confirm(&self, seen: &Seen, conditions: Vec<Compare>) -> Result<(), StoreError> {
        let (true, Some(head)) = (seen.may_be_confirmed(), &seen.head) else { return Err(self.overtaken()) };
        let keys = self.keys();
        let own = [Compare::unchanged(&keys.head, seen.mod_revision), Compare::is_there(&keys.pending)];
        let success = vec![
            KeyOperation::put(&keys.head, head.confirmed().to_json()),
            KeyOperation::Delete(KeyRange::one(&keys.pending)),
        ];
        let failure = vec![KeyOperation::Read(KeyRange::one(&keys.head))];
        let txn = Txn { compare: own.into_iter().chain(conditions).collect(), success, failure };
        let reply = self.gateway().txn(&txn).map_err(self.changing())?;
        let succeeded = reply.succeeded;
        let found = reply.into_read().into_iter().flatten().next();
        // It was sent twice, and carried out the first time: nothing else confirms a change and keeps its id.
        let is_confirmed = |found: &HeadRecord| found.id == head.id && found.unconfirmed.is_none();
        match succeeded
            || found.map(|found| self.record(&found)).transpose()?.as_ref().is_some_and(is_confirmed)
        {
            true => Ok(()),
            false => Err(self.overtaken()),
        }
    }

    /// Puts the text back that was there before the last change, if that is the seen one still and has run
    /// out.
    ///
    /// # Errors
    /// `Overtaken` if another was faster: the change is confirmed, or taken back already.
    pub fn take_back(&self, seen: &Seen) -> Result<(), StoreError> {
        let run_out = seen.head.as_ref().filter(|_| seen.has_run_out());
        let Some(head) = run_out else { return Err(self.overtaken()) };
        // While its lease has not ended, only the time in the record tells that it is over.
        let condition = (!seen.has_pending).then(|| Compare::is_missing(&self.keys().pending));
        self.put_back(seen, head, ("", NOT_CONFIRMED), condition)
    }

    /// Puts the text back that was there before the last change, before its time is over.
    ///
    /// # Errors
    /// `Overtaken` if another was faster, or nothing is there to be put back.
    pub fn cancel(&self, seen: &Seen, by: &str, why: &str) -> Result<(), StoreError> {
        match &seen.head {
            Some(head) => self.put_back(seen, head, (by, why), None),
            None => Err(self.overtaken()),
        }
    }

    fn put_back(
        &self,
        seen: &Seen,
        head: &HeadRecord,
        (by, why): (&str, &str),
        condition: Option<Compare>,
    ) -> Result<(), StoreError> {
        let Some(change) = &head.unconfirmed else { return Err(self.overtaken()) };
        let back = HeadRecord {
            serial: head.serial + 1,
            id: fresh_id(),
            text: change.back.clone(),
            before: head.text.as_ref().map(|text| text.revision),
            by: by.to_owned(),
            at: SystemTime::now(),
            operation: REVERT.to_owned(),
            message: Some(why.to_owned()),
            keep: head.keep,
            unconfirmed: None,
            canary: Vec::new(),
        };
        self.put_head(seen, &back, None, PendingKey::Removed, condition)
    }
}
