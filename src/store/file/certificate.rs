//! The certificate that a server made itself, and its key, in the state folder.

use std::fs::Permissions;
use std::io::{self, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;

use super::serving::ServeLock;
use super::state_dir::StateDir;
use crate::store::error::StoreError;

/// Name of the certificate.
const CERTIFICATE: &str = "tls-cert.pem";

/// Name of its private key.
const KEY: &str = "tls-key.pem";

/// Name of each until it is whole.
const UNFINISHED: &str = "tls-new.pem";

/// Nobody but its owner reads the key, also where a group shares the state.
const MODE: u32 = 0o600;

impl ServeLock {
    /// The files of the certificate and its key. `make` makes both, in this order, where one is missing.
    ///
    /// # Errors
    /// `Untrusted` for files that another user may have made; `StateFolder` where they can't be written.
    pub fn certificate(
        &self,
        make: impl FnOnce() -> io::Result<[String; 2]>,
    ) -> Result<[PathBuf; 2], StoreError> {
        let state = self.state();
        if state.open_existing(KEY)?.is_none() || state.open_existing(CERTIFICATE)?.is_none() {
            let [certificate, key] = make().map_err(StoreError::state_folder(&state.path_of(CERTIFICATE)))?;
            // A certificate is there only if its key is.
            write(state, KEY, &key)?;
            write(state, CERTIFICATE, &certificate)?;
        }
        Ok([CERTIFICATE, KEY].map(|name| state.path_of(name)))
    }
}

fn write(state: &StateDir, name: &str, text: &str) -> Result<(), StoreError> {
    let mut file = state.open(UNFINISHED)?;
    let mut write = || -> io::Result<()> {
        file.set_permissions(Permissions::from_mode(MODE))?;
        file.set_len(0)?;
        file.write_all(text.as_bytes())?;
        file.sync_all()?;
        state.rename(UNFINISHED, name)?;
        state.sync()
    };
    write().map_err(StoreError::state_folder(&state.path_of(name)))
}
