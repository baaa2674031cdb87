//! A pager between the output and the terminal, as git has one: `MEDIACTL_PAGER`, `PAGER`, or `less`.
//!
//! Its input is that of the terminal: masked, sanitized and coloured.
//!
//! A pager can run commands. Under sudo, that would be a shell of the other user. So there the pager is
//! the `less` of the system in its secure mode, whatever the environment says.

use std::io::{self, Write};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;

use rustix::process::{geteuid, getuid};
use signal_hook::consts::SIGINT;

/// The options of `less` unless LESS says otherwise: it ends by itself if the output fits the screen (F),
/// keeps colours (R), and leaves the output on the screen (X).
const LESS: &str = "FRX";

/// Set for a `less` that runs no commands, opens no other files and starts no editor.
const LESS_SECURE: &str = "LESSSECURE";

/// The folders of the `less` of the system.
const FOLDERS: [&str; 3] = ["/usr/bin", "/bin", "/usr/local/bin"];

/// All that the `less` of another user gets of the environment: nothing that names a command or a file.
const KEPT: [&str; 6] = ["TERM", "LINES", "COLUMNS", "LANG", "LC_ALL", "LC_CTYPE"];

/// The variables that `sudo` and `doas` set.
const OF_ANOTHER_USER: [&str; 2] = ["SUDO_USER", "DOAS_USER"];

/// Characters that only a shell understands.
const OF_A_SHELL: &str = "|&;<>()$`\\\"'*?[#~=%\n";

/// A pager that runs. It is waited for when this is dropped.
pub struct Pager {
    process: Child,
}

impl Pager {
    /// Starts the pager; `None` if none is wanted or there is none.
    pub fn start() -> Option<Self> {
        let mut pager = chosen()?;
        let process = pager.stdin(Stdio::piped()).spawn().ok()?;
        // Ctrl-C is for the pager, which may search or follow just then; without a handler it would end
        // this process, and leave the pager alone with the terminal.
        let _ = signal_hook::flag::register(SIGINT, Arc::default());
        Some(Self { process })
    }
}

/// The pager; `None` if it is empty or `cat`, and on a terminal that can't do anything.
fn chosen() -> Option<Command> {
    let variable = |name| std::env::var(name).ok();
    if matches!(variable("TERM").as_deref(), None | Some("" | "dumb")) {
        return None;
    }
    if is_another_user() {
        return secure_less(&FOLDERS.map(Path::new));
    }
    let wanted = variable("MEDIACTL_PAGER").or_else(|| variable("PAGER")).unwrap_or("less".to_owned());
    let words: Vec<&str> = wanted.split_whitespace().collect();
    if matches!(words[..], [] | ["cat"]) {
        return None;
    }
    let is_for_shell = wanted.contains(|c| OF_A_SHELL.contains(c));
    let words = if is_for_shell { vec!["sh", "-c", &wanted] } else { words };
    let mut pager = Command::new(words[0]);
    pager.args(&words[1..]);
    if variable("LESS").is_none() {
        pager.env("LESS", LESS);
    }
    Some(pager)
}

/// The first `less` of the folders, in its secure mode, for a user who works as another one.
fn secure_less(folders: &[&Path]) -> Option<Command> {
    let program = folders.iter().map(|folder| folder.join("less")).find(|program| program.is_file())?;
    let mut less = Command::new(program);
    let kept = KEPT.iter().filter_map(|name| Some((name, std::env::var_os(name)?)));
    less.env_clear().envs(kept).env("LESS", LESS).env(LESS_SECURE, "1");
    Some(less)
}

/// True if this process runs as another user than the one who logged in.
fn is_another_user() -> bool {
    let user = geteuid();
    // The kernel keeps the user of the login where auditing is on; all bits are set where it is not known.
    let login = std::fs::read_to_string("/proc/self/loginuid").ok().and_then(|id| id.trim().parse().ok());
    let has_changed = login.is_some_and(|login: u32| login != u32::MAX && login != user.as_raw());
    let is_set = |name: &&str| std::env::var_os(name).is_some_and(|value| !value.is_empty());
    has_changed || user != getuid() || OF_ANOTHER_USER.iter().any(is_set)
}

impl Write for Pager {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.process.stdin.as_mut().map_or(Err(io::ErrorKind::BrokenPipe.into()), |stdin| stdin.write(bytes))
    }

    fn flush(&mut self) -> io::Result<()> {
        self.process.stdin.as_mut().map_or(Ok(()), Write::flush)
    }
}

impl Drop for Pager {
    fn drop(&mut self) {
        drop(self.process.stdin.take());
        let _ = self.process.wait();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn under_sudo_less_is_the_one_of_the_system_and_gets_nothing_but_the_terminal() {
        let folders = [tempfile::tempdir(), tempfile::tempdir()].map(|folder| folder.expect("there is room"));
        let paths = [folders[0].path(), folders[1].path()];
        assert!(secure_less(&paths).is_none(), "there is no `less` in them");
        let program = paths[1].join("less");
        std::fs::write(&program, "").expect("a new folder is writable");
        let less = secure_less(&paths).expect("there is one");
        assert_eq!(less.get_program(), program);
        assert!(
            format!("{less:?}").starts_with("env -i "),
            "the environment of the caller is passed: {less:?}"
        );
        let variables: Vec<_> =
            less.get_envs().filter(|(name, _)| KEPT.iter().all(|kept| kept != name)).collect();
        let set = |name: &'static str, value: &'static str| (name.as_ref(), Some(value.as_ref()));
        assert_eq!(variables, [set("LESS", LESS), set(LESS_SECURE, "1")]);
        assert!(FOLDERS.iter().all(|folder| Path::new(folder).is_absolute()));
    }
}
