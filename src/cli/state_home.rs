//! The folder in which programs keep what they need to go on later.

use std::env;
use std::path::PathBuf;

/// `$XDG_STATE_HOME`, else `~/.local/state`; `None` where no variable says where that is.
pub fn state_home() -> Option<PathBuf> {
    let folder = |name| env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute());
    folder("XDG_STATE_HOME").or_else(|| Some(folder("HOME")?.join(".local/state")))
}
