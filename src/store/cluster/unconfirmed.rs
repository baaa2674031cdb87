//! Decisions on a change that has to be confirmed.

use super::cluster_store::{ClusterStore, Seen};
use super::commit::PendingKey;
use super::head_record::HeadRecord;
use super::messages::{Compare, KeyOperation, KeyRange, Txn};
use crate::store::error::StoreError;

/// The message of a change that is taken back.
pub(super) const NOT_CONFIRMED: &str = "not confirmed in time";

impl ClusterStore {
    /// Confirms the last change, if it is the seen one still, its time is not over, and all `conditions`
    /// hold.
    ///
    /// # Errors
    /// `Overtaken`, as well, where nothing is there to be confirmed.
    pub fn confirm(&self, seen: &Seen, conditions: Vec<Compare>) -> Result<(), StoreError> {
        let (true, Some(head)) = (seen.may_be_confirmed(), &seen.head) else { return Err(self.overtaken()) };
        let keys = self.keys();
        let confirmed = head.confirmed();
        let own = [
            Compare::unchanged(&keys.head, seen.mod_revision),
            Compare::unchanged(&keys.pending, seen.pending_revision),
        ];
        let success = vec![
            KeyOperation::put(&keys.head, confirmed.to_json()),
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
        let condition = Some(Compare::unchanged(&self.keys().pending, seen.pending_revision));
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

    /// Begins a new epoch, which continues the seen one as it is, and the epochs of what nodes run.
    ///
    /// # Errors
    /// `Overtaken` if there is no change, or one that is not confirmed, or another one was made meanwhile.
    pub fn adopt(&self, seen: &Seen, run: &[&str], by: &str) -> Result<(), StoreError> {
        match seen.head.as_ref().filter(|head| head.unconfirmed.is_none()) {
            Some(head) => {
                let adopted = self.written_by(head.adopted(run, by));
                self.put_head(seen, &adopted, None, PendingKey::Removed, None)
            }
            None => Err(self.overtaken()),
        }
    }

    /// The record with the login of this writer.
    pub(super) fn written_by(&self, head: HeadRecord) -> HeadRecord {
        HeadRecord { by: self.gateway().login_used(), ..head }
    }

    fn put_back(
        &self,
        seen: &Seen,
        head: &HeadRecord,
        (by, why): (&str, &str),
        condition: Option<Compare>,
    ) -> Result<(), StoreError> {
        let Some(back) = head.taken_back(by, why) else { return Err(self.overtaken()) };
        let back = self.written_by(back);
        self.put_head(seen, &back, None, PendingKey::Removed, condition)
    }
}
