//! The users who are trusted to have made the state.
//!
//! In a folder that many may write, such as `/tmp`, any user can make a `.mediactl` first, with a forged
//! socket, journal or pending change in it. So state is used only if it belongs to root, to the user of
//! this process, or to the owner of the configuration, and if other users have no right in the folders
//! and cannot have written the files. A group that may write the configuration may write its state, too.

use std::fs::Metadata;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

use super::access::AccessRights;
use super::target::ConfFile;
use crate::store::error::{Distrust, StoreError};

/// The users who are trusted to have made the state of a configuration.
#[derive(Clone, Copy, Debug)]
pub(super) struct StateTrust {
    /// The owner of the configuration; the user of this process, while the file is missing.
    pub owner: u32,
    /// Its group.
    pub group: u32,
    /// True if that group may write it, and so the state, too.
    pub is_shared: bool,
    /// The user of this process.
    us: u32,
    /// True if every user may make files beside the configuration.
    is_public_place: bool,
}

impl StateTrust {
    /// The users who are trusted for `conf`.
    pub fn for_conf(conf: &ConfFile) -> Result<Self, StoreError> {
        let folder =
            std::fs::metadata(conf.folder()).map_err(StoreError::opening("look at", conf.folder()))?;
        let access = AccessRights::read(conf.target());
        let us = rustix::process::geteuid().as_raw();
        let (owner, group, is_shared) = match &access {
            Ok(access) => (access.owner, access.group, access.group_may_write()),
            // The file does not exist yet; this process will own it.
            Err(_) => (us, rustix::process::getegid().as_raw(), false),
        };
        Ok(Self { owner, group, is_shared, us, is_public_place: folder.mode() & 0o002 != 0 })
    }

    /// Refuses a folder of the state, described by `found`, that another user may have made or filled.
    pub fn refuse_folder(&self, path: &Path, found: &Metadata) -> Result<(), StoreError> {
        let is_made_by_group = self.is_shared && found.gid() == self.group && !self.is_public_place;
        self.refuse_stranger(path, found, is_made_by_group)?;
        refuse_rights_of_others(path, found, ANY)
    }

    /// Refuses a file in a trusted folder of the state.
    pub fn refuse_file(&self, path: &Path, found: &Metadata) -> Result<(), StoreError> {
        self.refuse_kept(path, found)?;
        // The folder keeps other users from reading it.
        refuse_rights_of_others(path, found, WRITE)
    }

    /// Refuses a kept text. It may be the old file itself, with the mode of that.
    pub fn refuse_kept(&self, path: &Path, found: &Metadata) -> Result<(), StoreError> {
        // Only members of the group can create files in the folder, and they may write the
        // configuration.
        self.refuse_stranger(path, found, self.is_shared)
    }

    /// True if this process may make the state, so that others trust it.
    pub fn is_trusted_maker(&self) -> bool {
        self.is_believed(self.us) || (self.is_shared && !self.is_public_place)
    }

    /// The error for a process that may not make the state.
    pub fn cannot_make(&self, path: &Path) -> StoreError {
        let source = std::io::Error::other("only root and the owner of the configuration can make it");
        StoreError::StateFolder { path: path.to_owned(), source }
    }

    fn is_believed(&self, user: u32) -> bool {
        [0, self.owner].contains(&user)
    }

    fn refuse_stranger(&self, path: &Path, found: &Metadata, is_excused: bool) -> Result<(), StoreError> {
        let user = found.uid();
        if is_excused || user == self.us || self.is_believed(user) {
            return Ok(());
        }
        Err(untrusted(path, Distrust::Stranger { user, owner: self.owner }))
    }
}

/// Rights of others, in a mode.
const ANY: u32 = 0o007;
const WRITE: u32 = 0o002;

fn refuse_rights_of_others(path: &Path, found: &Metadata, rights: u32) -> Result<(), StoreError> {
    let mode = found.mode() & 0o7777;
    match mode & rights {
        0 => Ok(()),
        _ => Err(untrusted(path, Distrust::OpenToOthers { mode })),
    }
}

fn untrusted(path: &Path, why: Distrust) -> StoreError {
    StoreError::Untrusted { path: path.to_owned(), why }
}
