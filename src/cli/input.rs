//! Files and standard input that are given to a command.

use std::io::Read;
use std::path::Path;
use std::sync::Arc;

use super::error::CliError;
use super::target::misplaced_url;
use super::ui::waiting;
use crate::engine::{Engine, EngineError, Hooks, Snapshot};
use crate::store::{FileKind, StoreError};

/// What names standard input.
pub const STDIN: &str = "-";

/// A configuration to look at: a file, the pipe of a shell's `<(command)`, or standard input.
pub fn snapshot(path: &Path) -> Result<Arc<Snapshot>, CliError> {
    refuse_url(path)?;
    if path.as_os_str() == STDIN {
        return Ok(Arc::new(Snapshot::of(read(path)?)));
    }
    let found = Engine::open(path, Hooks::default(), waiting).and_then(|engine| engine.read());
    match found {
        Err(EngineError::Store(StoreError::NotAFile { kind: FileKind::Pipe, .. })) => {
            Ok(Arc::new(Snapshot::of(read(path)?)))
        }
        found => Ok(found?),
    }
}

fn refuse_url(path: &Path) -> Result<(), CliError> {
    path.to_str().and_then(misplaced_url).map_or(Ok(()), Err)
}

/// The bytes of a file, or of standard input for `-`.
pub fn read(path: &Path) -> Result<Vec<u8>, CliError> {
    refuse_url(path)?;
    let mut bytes = Vec::new();
    if path.as_os_str() == STDIN {
        std::io::stdin().lock().read_to_end(&mut bytes).map_err(|error| CliError::input(path, error))?;
        return Ok(bytes);
    }
    std::fs::read(path).map_err(|error| CliError::input(path, error))
}
