//! Who runs this program.

use crate::http::protocol::sudo::{by_sudo, sudo_user};

/// The user who runs this program, for hooks and the history.
pub fn local_user() -> String {
    let uid = rustix::process::getuid().as_raw();
    if let Some(user) = sudo_user() {
        return by_sudo(&user);
    }
    match std::env::var("USER") {
        Ok(user) if !user.is_empty() => format!("{user} (uid {uid})"),
        _ => format!("uid {uid}"),
    }
}
