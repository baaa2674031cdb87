//! Who became root by sudo: the history names the person, not only root.

use rustix::process::getuid;

/// The header in which a command of root tells the server of its file who called it by sudo. The server
/// believes it of root alone, who could write anything into the history anyway.
pub const SUDO_HEADER: &str = "Sudo-User";

/// The variable in which sudo tells who called it.
const SUDO_USER: &str = "SUDO_USER";

/// The longest name of a user on Linux.
const MAX_NAME: usize = 32;

/// The user who called this program as root by sudo; none without sudo.
pub fn sudo_user() -> Option<String> {
    let user = std::env::var(SUDO_USER).ok().filter(|_| getuid().is_root())?;
    (is_name(&user) && user != "root").then_some(user)
}

/// The author of a change that `user` makes as root.
pub fn by_sudo(user: &str) -> String {
    format!("{user} (root by sudo)")
}

/// Whether a text is the name of a user, and nothing that could be taken for more.
pub fn is_name(text: &str) -> bool {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'_' | b'-' | b'@');
    !text.is_empty() && text.len() <= MAX_NAME && text.bytes().all(is_plain)
}
