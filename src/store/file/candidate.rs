//! A text that is to become the configuration, where other programs can look at it first.

use std::io::Write;
use std::path::Path;

use tempfile::NamedTempFile;

use super::lock::LockedFile;
use super::temporary::TemporaryPlace;
use crate::store::error::StoreError;

/// Mode of a candidate until it gets that of the other files in the state folder.
const CANDIDATE_MODE: u32 = 0o600;

/// A file in the state folder that holds a new text; removed when this is dropped.
#[derive(Debug)]
pub struct Candidate(NamedTempFile);

impl Candidate {
    /// The same where there is no state folder: in the folder of temporary files, for the owner alone.
    ///
    /// # Errors
    /// `Io`.
    pub fn elsewhere(pieces: &[&[u8]]) -> Result<Candidate, StoreError> {
        let path = std::env::temp_dir();
        let failed = || StoreError::io("make a temporary file in", &path);
        let mut file = NamedTempFile::new().map_err(failed())?;
        pieces.iter().try_for_each(|piece| file.write_all(piece)).map_err(failed())?;
        Ok(Candidate(file))
    }

    /// The absolute path of the file.
    pub fn path(&self) -> &Path {
        self.0.path()
    }
}

impl LockedFile<'_> {
    /// Writes `pieces`, one after the other, into a file that a checking program can read. The
    /// configuration stays as it is.
    ///
    /// # Errors
    /// `Io`, `PermissionDenied`.
    pub fn candidate(&self, pieces: &[&[u8]]) -> Result<Candidate, StoreError> {
        let temporary = TemporaryPlace::of_candidates(&self.state).write(CANDIDATE_MODE, pieces)?;
        self.state.adopt(temporary.as_file());
        Ok(Candidate(temporary))
    }
}
