//! Cleaning up after writers that were killed.

use std::time::Duration;

use super::lock::LockedFile;
use super::target::ConfFile;
use super::temporary::TemporaryPlace;
use super::{in_place, pending};
use crate::store::error::{LockHolder, StoreError};

impl ConfFile {
    /// Takes the lock, waiting at most `wait`, and cleans up after killed writers. After a second of
    /// waiting, calls `on_wait` once with the holder.
    ///
    /// # Errors
    /// `PermissionDenied` when the file may not be written, a file that is read-only for us
    /// included, although a rename would get round that; `StateFolder` where the lock has no place;
    /// `Busy`; and all that [`ConfFile::load`] has.
    pub fn lock(
        &self,
        wait: Duration,
        on_wait: &mut dyn FnMut(&LockHolder),
    ) -> Result<LockedFile<'_>, StoreError> {
        let mut locked = self.take_lock(wait, on_wait)?;
        let mut warnings = TemporaryPlace::beside(self).remove_leftovers();
        warnings.extend(TemporaryPlace::of_candidates(&locked.state).remove_leftovers());
        pending::clean(&locked.state);
        warnings.extend(in_place::recover(self, &locked.state)?);
        locked.warnings = warnings;
        Ok(locked)
    }
}
