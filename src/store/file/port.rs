//! The file as the engine sees it: the port of [`crate::store`].

use std::path::{Path, PathBuf};
use std::time::Duration;

use super::file_stamp::hash_of;
use super::lock::LockedFile;
use super::replace::PreparedWrite;
use super::state_dir::StateDir;
use super::target::ConfFile;
use super::temporary::TemporaryPlace;
use crate::store::candidate::Candidate;
use crate::store::change_record::{ChangeRecord, HistoryEntry};
use crate::store::error::{LockHolder, StoreError};
use crate::store::included::{Follow, IncludeError, IncludedText};
use crate::store::pending::PendingRecord;
use crate::store::revision::Revision;
use crate::store::version::{BaseText, Loaded};
use crate::store::warning::Warning;
use crate::store::{PreparedChange, Reconciled, RunBy, Store, Writer};

/// Mode of a candidate until it gets that of the other files in the state folder.
const CANDIDATE_MODE: u32 = 0o600;

impl Store for ConfFile {
    fn name(&self) -> String {
        self.given().display().to_string()
    }

    fn path(&self) -> &Path {
        self.target()
    }

    fn leads_elsewhere(&self) -> bool {
        Self::resolve(self.given()).is_ok_and(|now| now.target() != self.target())
    }

    fn load(&self) -> Result<Loaded, StoreError> {
        self.load()
    }

    fn stamp(&self, others: &[PathBuf]) -> u64 {
        hash_of(std::iter::once(self.target()).chain(others.iter().map(PathBuf::as_path)))
    }

    fn included(&self, pattern: &str, follow: Follow) -> Result<Vec<IncludedText>, IncludeError> {
        self.read_included(pattern, follow)
    }

    fn history(&self, _wanted: usize) -> Result<Vec<HistoryEntry>, StoreError> {
        self.history()
    }

    fn has_change(&self, serial: u64) -> Result<bool, StoreError> {
        self.has_change(serial)
    }

    fn kept(&self, serial: u64) -> Result<Option<Vec<u8>>, StoreError> {
        self.kept(serial)
    }

    fn edited_from(&self, now: Revision) -> Option<Vec<u8>> {
        self.edited_from(now)
    }

    fn refuse_missing(&self) -> Result<(), StoreError> {
        match self.target().try_exists() {
            Ok(false) => Err(StoreError::NotFound { path: self.target().to_owned() }),
            _ => Ok(()),
        }
    }

    fn has_pending(&self) -> bool {
        self.has_pending()
    }

    fn pending(&self) -> Result<Option<PendingRecord>, StoreError> {
        self.pending()
    }

    /// In the state folder, where a writer has it, if that is there and may be written.
    fn candidate(&self, pieces: &[&[u8]]) -> Result<Candidate, StoreError> {
        let held = || {
            let state = StateDir::find(self).ok()??;
            let temporary =
                TemporaryPlace::of_candidates(&state).write_held(CANDIDATE_MODE, pieces).ok()??;
            state.adopt(temporary.as_file());
            Some(Candidate::new(temporary))
        };
        held().map_or_else(|| Candidate::elsewhere(pieces), Ok)
    }

    fn run_by(&self) -> RunBy {
        match self.serving() {
            Ok(Some(_)) => RunBy::Server,
            Ok(None) | Err(_) => RunBy::Nobody,
        }
    }

    fn writer(
        &self,
        wait: Duration,
        on_wait: &mut dyn FnMut(&LockHolder),
    ) -> Result<Box<dyn Writer + '_>, StoreError> {
        Ok(Box::new(self.lock(wait, on_wait)?))
    }
}

impl Writer for LockedFile<'_> {
    fn load(&self) -> Result<Loaded, StoreError> {
        self.conf.load()
    }

    fn take_warnings(&mut self) -> Vec<Warning> {
        std::mem::take(&mut self.warnings)
    }

    fn reconcile(&self, current: Option<BaseText<'_>>) -> Result<Reconciled, StoreError> {
        self.reconcile(current)
    }

    fn candidate(&self, pieces: &[&[u8]]) -> Result<Candidate, StoreError> {
        let temporary = TemporaryPlace::of_candidates(&self.state).write(CANDIDATE_MODE, pieces)?;
        self.state.adopt(temporary.as_file());
        Ok(Candidate::new(temporary))
    }

    fn prepare<'w>(
        &'w self,
        old: Option<BaseText<'w>>,
        new: Option<&'w [&'w [u8]]>,
        record: &ChangeRecord<'_>,
    ) -> Result<Box<dyn PreparedChange + 'w>, StoreError> {
        Ok(Box::new(self.prepare(old, new, record)?))
    }

    fn keep_aside(&self, text: &[u8], record: &ChangeRecord<'_>) -> Result<(), StoreError> {
        self.keep_aside(text, record)
    }

    /// Nobody else writes it as long as the file is locked.
    fn set_pending(&self, pending: &PendingRecord) -> Result<(), StoreError> {
        self.set_pending(pending)
    }

    fn clear_pending(&self) -> Result<(), StoreError> {
        self.clear_pending()
    }
}

impl PreparedChange for PreparedWrite<'_> {
    fn commit(self: Box<Self>) -> Result<Vec<Warning>, StoreError> {
        (*self).commit()
    }
}
