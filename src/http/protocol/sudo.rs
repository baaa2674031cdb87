//! The user who became root by sudo: the history names the person, not only root.

/// The header in which a command of root tells the server of its file who called it by sudo. The server
/// believes it of root alone, who could write anything into the history anyway.
pub const SUDO_HEADER: &str = "Sudo-User";

/// The longest name of a user on Linux.
const MAX_NAME: usize = 32;

/// The author of a change that `user` makes as root.
pub fn by_sudo(user: &str) -> String {
    format!("{user} (root by sudo)")
}

/// True if a text is the name of a user, and nothing that could be taken for more.
pub fn is_name(text: &str) -> bool {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'_' | b'-' | b'@');
    !text.is_empty() && text.len() <= MAX_NAME && text.bytes().all(is_plain)
}
