//! The configuration file: the path as given, and the file at the end of its links.

use std::path::{Path, PathBuf};

use super::links::follow;
use crate::store::error::StoreError;

/// Name of the folder beside the configuration, with one state folder for each file.
pub(super) const STATE_ROOT: &str = ".mediactl";

/// The configuration file: the path as it was given and the file that its links lead to.
///
/// The links are followed when it is made. A long-lived process checks again whether they lead
/// elsewhere.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConfFile {
    given: PathBuf,
    target: PathBuf,
}

impl ConfFile {
    /// Follows the links of `path`. The file itself may be missing, its folder may not.
    ///
    /// # Errors
    /// `NotAFile`, `LinkLoop`, `DanglingLink`, `PlantedLink`; `NotFound` for a missing folder; `PermissionDenied`
    /// and `Io` when a folder on the way cannot be searched.
    pub fn resolve(path: &Path) -> Result<ConfFile, StoreError> {
        Ok(ConfFile { given: path.to_owned(), target: follow(path)? })
    }

    /// The path as the user wrote it.
    pub fn given(&self) -> &Path {
        &self.given
    }

    /// The absolute path of the file that the links lead to.
    pub fn target(&self) -> &Path {
        &self.target
    }

    /// The state folder, `.mediactl/FILE/` beside the target, whether it exists or not.
    pub fn state_dir(&self) -> PathBuf {
        self.state_root().join(self.name())
    }

    pub(super) fn folder(&self) -> &Path {
        self.target.parent().expect("the target is a folder joined with a name")
    }

    pub(super) fn name(&self) -> &Path {
        Path::new(self.target.file_name().expect("the target is a folder joined with a name"))
    }

    /// The folder that holds the state folders of all configurations beside the target.
    pub(super) fn state_root(&self) -> PathBuf {
        self.folder().join(STATE_ROOT)
    }
}
