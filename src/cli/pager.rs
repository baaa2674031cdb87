//! A pager between the output and the terminal, as git has one: `MEDIACTL_PAGER`, `PAGER`, or `less`.
//!
//! It gets what the terminal would get: masked, sanitized and coloured.
//!
//! A pager can run commands. For somebody who works as another user, by sudo say, that would be a shell of that user. So
//! there the pager is `less` in its secure mode, whatever the environment says.

use std::io::{self, Write};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;

use rustix::process::{geteuid, getuid};
use signal_hook::consts::SIGINT;

/// What `less` does unless LESS says otherwise: it ends by itself where the output fits the screen (F), keeps
/// colours (R), and leaves the output on the screen (X).
const LESS: &str = "FRX";

/// Set for a `less` that runs no commands, opens no other files and starts no editor.
const LESS_SECURE: &str = "LESSSECURE";

/// What `sudo` and `doas` set.
const OF_ANOTHER_USER: [&str; 2] = ["SUDO_USER", "DOAS_USER"];

/// Characters that only a shell understands.
const OF_A_SHELL: &str = "|&;<>()$`\\\"'*?[#~=%\n";

/// A pager that runs. It is waited for when this is dropped.
pub struct Pager {
    process: Child,
}

impl Pager {
    /// Starts the pager; `None` where none is wanted or there is none.
    pub fn start() -> Option<Self> {
        let command = chosen()?;
        let words: Vec<&str> = command.split_whitespace().collect();
        let mut pager = match command.contains(|c| OF_A_SHELL.contains(c)) {
            true => Command::new("sh"),
            false => Command::new(words.first()?),
        };
        match command.contains(|c| OF_A_SHELL.contains(c)) {
            true => pager.args(["-c", &command]),
            false => pager.args(&words[1..]),
        };
        if std::env::var_os("LESS").is_none() {
            pager.env("LESS", LESS);
        }
        if is_another_user() {
            pager.env(LESS_SECURE, "1");
        }
        let process = pager.stdin(Stdio::piped()).spawn().ok()?;
        // Ctrl-C is for the pager, which may search or follow just then; without a handler it would end
        // this process, and leave the pager alone with the terminal.
        let _ = signal_hook::flag::register(SIGINT, Arc::default());
        Some(Self { process })
    }
}

/// The command of the pager; `None` if it is empty or `cat`, and on a terminal that can't do anything.
fn chosen() -> Option<String> {
    let variable = |name| std::env::var(name).ok();
    if matches!(variable("TERM").as_deref(), None | Some("" | "dumb")) {
        return None;
    }
    let wanted = || variable("MEDIACTL_PAGER").or_else(|| variable("PAGER"));
    let wanted = if is_another_user() { None } else { wanted() };
    let command = wanted.unwrap_or("less".to_owned());
    Some(command).filter(|command| !matches!(command.trim(), "" | "cat"))
}

/// Whether this process runs as another user than the one who logged in.
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
