//! A text that is to become the configuration, in a file that hooks can read before the change.

use crate::error::Error;
use std::io::Write;
use std::path::Path;

use tempfile::NamedTempFile;

/// A file that holds a new text; removed when this is dropped.
#[derive(Debug)]
pub struct Candidate(NamedTempFile);

impl Candidate {
    pub(super) fn new(file: NamedTempFile) -> Self {
        Self(file)
    }

    /// Writes a candidate outside of any store: into the folder of temporary files, readable by its
    /// owner alone.
    ///
    /// # Errors
    /// `Io`.
    pub fn elsewhere(pieces: &[&[u8]]) -> Result<Self, Error> {
        let path = std::env::temp_dir();
        let failed = || Error::io("make a temporary file in", &path);
        let mut file = NamedTempFile::new().map_err(failed())?;
        pieces.iter().try_for_each(|piece| file.write_all(piece)).map_err(failed())?;
        Ok(Self(file))
    }

    /// The absolute path of the file.
    pub fn path(&self) -> &Path {
        self.0.path()
    }
}
