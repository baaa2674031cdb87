//! How many texts are kept.

use std::fs;
use std::io::Write;

use super::super::state_dir::StateDir;
use crate::store::change_record::DEFAULT_KEEP;
use crate::store::error::StoreError;

/// The file that holds how many texts are kept, if the user ever chose.
const KEEP: &str = "keep";

/// The number of texts that are kept from now on.
#[derive(Clone, Copy)]
pub(super) struct Keep {
    pub texts: u64,
    /// The number until now.
    pub before: u64,
}

/// Returns how many texts are kept from now on: `chosen`, else as many as before.
pub(super) fn kept_from_now_on(folder: &StateDir, chosen: Option<usize>) -> Keep {
    let before = number_kept(folder);
    Keep { texts: chosen.map_or(before, |chosen| chosen.max(1) as u64), before }
}

/// The number of texts that are kept: what the user chose last.
pub(super) fn number_kept(folder: &StateDir) -> u64 {
    let chosen = fs::read_to_string(folder.path_of(KEEP)).ok().and_then(|text| text.trim().parse().ok());
    chosen.unwrap_or(DEFAULT_KEEP as u64).max(1)
}

impl Keep {
    /// True if the number was just chosen.
    pub fn is_new(self) -> bool {
        self.texts != self.before
    }

    /// Notes the number for later writers and for readers.
    pub fn note(self, folder: &StateDir) -> Result<(), StoreError> {
        let mut file = folder.open(KEEP)?;
        let written = file.set_len(0).and_then(|()| file.write_all(format!("{}\n", self.texts).as_bytes()));
        written.map_err(StoreError::state_folder(folder.path()))
    }
}
