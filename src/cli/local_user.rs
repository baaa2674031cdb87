//! The user who runs this program, and the folders for their data.

use std::env;
use std::path::PathBuf;

use rustix::process::getuid;

use crate::http::api::by_sudo;

/// The user who runs this program, for hooks and the history.
pub fn local_user() -> String {
    if let Some(by) = sudo_user().as_deref().and_then(by_sudo) {
        return by;
    }
    let uid = getuid().as_raw();
    match std::env::var("USER") {
        Ok(user) if !user.is_empty() => format!("{user} (uid {uid})"),
        _ => format!("uid {uid}"),
    }
}

/// The user who called this program as root by sudo; none without sudo.
pub fn sudo_user() -> Option<String> {
    let user = std::env::var("SUDO_USER").ok().filter(|_| getuid().is_root())?;
    (by_sudo(&user).is_some() && user != "root").then_some(user)
}

/// `$XDG_STATE_HOME`, else `~/.local/state`; `None` if no variable says where that is.
pub fn state_home() -> Option<PathBuf> {
    let folder = |name| env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute());
    folder("XDG_STATE_HOME").or_else(|| Some(folder("HOME")?.join(".local/state")))
}
