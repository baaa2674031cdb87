//! The states that owners applied: `applied/NAME` in the state folder.
//!
//! It is a JSON array of merge patches: the state that an owner applied last, and, as long as it is not
//! certain that this is in effect, those before it.

use std::collections::BTreeMap;
use std::fs;
use std::io::{self, Write};

use serde_json::Value;

use super::lock::LockedFile;
use super::state_dir::StateDir;
use super::target::ConfFile;
use crate::store::error::StoreError;
use crate::store::owner_name::OwnerName;

/// The folder of the records.
const FOLDER: &str = "applied";

impl ConfFile {
    /// Reads what each owner applied.
    ///
    /// # Errors
    /// `Untrusted`, `PermissionDenied`, `Io`.
    pub fn applied(&self) -> Result<BTreeMap<OwnerName, Vec<Value>>, StoreError> {
        let Some(state) = StateDir::find(self)? else { return Ok(BTreeMap::new()) };
        let Some(folder) = state.find_in(FOLDER)? else { return Ok(BTreeMap::new()) };
        let names = fs::read_dir(folder.path()).map_err(StoreError::io("list", folder.path()))?;
        // A record that is being written has a name that no owner has.
        let owners = names.flatten().filter_map(|entry| entry.file_name().to_str()?.parse().ok());
        let read = |owner: OwnerName| Ok(states(&folder, &owner)?.map(|states| (owner, states)));
        owners.filter_map(|owner| read(owner).transpose()).collect()
    }
}

/// Reads what an owner applied; `None` if the record is gone.
fn states(folder: &StateDir, owner: &OwnerName) -> Result<Option<Vec<Value>>, StoreError> {
    let Some(record) = folder.read(owner.as_str())? else { return Ok(None) };
    let damaged = |_| io::Error::new(io::ErrorKind::InvalidData, "it is damaged");
    let path = folder.path_of(owner.as_str());
    serde_json::from_slice(&record).map(Some).map_err(damaged).map_err(StoreError::io("read", &path))
}

impl LockedFile<'_> {
    /// Records durably what an owner applied. If that fails, the old record stays.
    ///
    /// # Errors
    /// `StateFolder`, `Untrusted`.
    pub fn set_applied(&self, owner: &OwnerName, states: &[Value]) -> Result<(), StoreError> {
        let folder = self.state.folder_in(FOLDER)?;
        // No name of an owner begins with a dot.
        let new = format!(".{owner}.new");
        let mut file = folder.open(&new)?;
        let mut write = || -> io::Result<()> {
            file.set_len(0)?;
            file.write_all(&serde_json::to_vec(states)?)?;
            file.sync_all()?;
            folder.rename(&new, owner.as_str())?;
            folder.sync()
        };
        write().map_err(|error| {
            let _ = folder.remove(&new);
            StoreError::state_folder(&folder.path_of(owner.as_str()))(error)
        })
    }
}
