//! Files and standard input that are given to a command.

use std::io::Read;
use std::path::Path;

use super::error::CliError;

/// What names standard input.
pub const STDIN: &str = "-";

/// The bytes of a file, or of standard input for `-`.
pub fn read(path: &Path) -> Result<Vec<u8>, CliError> {
    let mut bytes = Vec::new();
    if path.as_os_str() == STDIN {
        std::io::stdin().lock().read_to_end(&mut bytes).map_err(|error| CliError::input(path, error))?;
        return Ok(bytes);
    }
    std::fs::read(path).map_err(|error| CliError::input(path, error))
}
