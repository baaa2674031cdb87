//! Hooks: shell commands that check a new configuration, and make a media server load it. Signals are held back while
//! they run.
//!
//! A command writes its output into files in memory: a process that it leaves behind holds up nobody, and nothing has to
//! be read while it runs.

use std::ffi::OsStr;
use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use rustix::fs::{MemfdFlags, memfd_create};
use rustix::process::{Pid, Signal, kill_process_group};
use thiserror::Error;

use crate::error::{self, ErrorKind};
use mediaconf::SecretValues;

/// The longest time for a hook before its process group is killed.
pub const DEFAULT_HOOK_TIMEOUT: Duration = Duration::from_secs(10);

/// The most bytes that are kept of the stderr of a hook.
const MAX_STDERR: usize = 16 * 1024;

/// The most bytes that are kept of the stdout of a command.
const MAX_OUTPUT: usize = 16 * 1024 * 1024;

/// A command that prints more bytes than this is killed: they are kept in memory while it runs.
const MOST_PRINTED: usize = 2 * MAX_OUTPUT;

/// The variable with the settings of the allocator of the GNU C library, which a server sets for itself.
pub const ALLOCATOR_SETTINGS: &str = "GLIBC_TUNABLES";

/// Variables that a hook must not see: the credentials and the settings of this program.
pub const HIDDEN_ENVIRONMENT: &[&str] = &[
    "MEDIACTL_CLUSTER",
    "MEDIACTL_CONTEXT",
    "MEDIACTL_INVENTORY",
    "MEDIACTL_LOGIN",
    "MEDIACTL_PASSWORD",
    "MEDIACTL_URL",
    ALLOCATOR_SETTINGS,
];

/// The commands that run around a change, by `sh -c`.
#[derive(Debug, Clone)]
pub struct Hooks {
    /// Runs before the write; a failure refuses the change.
    pub check: Option<String>,
    /// Runs after the write; a failure rolls the change back.
    pub reload: Option<String>,
    /// The longest time for each.
    pub timeout: Duration,
    /// Ends a running hook when a signal comes.
    pub interrupt: Interrupt,
}

impl Default for Hooks {
    fn default() -> Self {
        Self { check: None, reload: None, timeout: DEFAULT_HOOK_TIMEOUT, interrupt: Interrupt::default() }
    }
}

impl Hooks {
    /// True if there is nothing to run.
    pub fn are_empty(&self) -> bool {
        self.check.is_none() && self.reload.is_none()
    }
}

/// The failure of a hook.
#[derive(Debug, Error)]
#[error("{reason}{}", after_colon(.stderr))]
pub struct HookFailure {
    /// How the hook ended, without its output: `failed with exit code 1`.
    pub reason: String,
    /// Its exit code; `None` if it did not come to its end.
    pub exit_code: Option<i32>,
    /// The signal to this program for which the hook was killed.
    pub interrupted: Option<i32>,
    /// The start of its stderr.
    pub stderr: String,
}

impl HookFailure {
    fn new(reason: impl Into<String>) -> Self {
        Self { reason: reason.into(), exit_code: None, interrupted: None, stderr: String::new() }
    }

    fn not_started(error: io::Error) -> Self {
        Self::new(format!("could not be started: {error}"))
    }

    /// A hook that ended without success.
    fn of_status(status: ExitStatus) -> Self {
        let reason = match (status.code(), status.signal()) {
            (Some(code), _) => format!("failed with exit code {code}"),
            (None, Some(signal)) => format!("was ended by signal {signal}"),
            (None, None) => "failed".to_owned(),
        };
        Self { exit_code: status.code(), ..Self::new(reason) }
    }

    /// The refusal of a change whose command failed. What it says of the file are the first words, or the second ones after
    /// a signal.
    pub(super) fn refusal(&self, kind: ErrorKind, command: &str, words: [&str; 2]) -> error::Error {
        if let Some(signal) = self.interrupted {
            let message = format!("interrupted while the {command} command ran: {}", words[1]);
            return error::Error { signal: Some(signal), ..error::Error::new(kind, message) };
        }
        error::Error::new(kind, format!("the {command} command {self}"))
            .in_brief(format!("the {command} command {}", self.reason))
            .hint(words[0])
    }
}

/// The stderr of a hook behind a colon; empty if there is none.
fn after_colon(stderr: &str) -> String {
    let words = stderr.trim();
    if words.is_empty() { String::new() } else { format!(": {words}") }
}

/// Runs a hook to its end, with these variables; returns the start of its stderr, in which `masked` masks the secrets.
pub(super) fn run(
    command: &str,
    variables: [(&str, &OsStr); 4],
    masked: &dyn Fn(&str) -> String,
    (timeout, interrupt): (Duration, &Interrupt),
) -> Result<String, HookFailure> {
    finish(shell(command).envs(variables), false, timeout, interrupt)
        .map(|[_, stderr]| without_end(&String::from_utf8_lossy(&stderr), masked))
        .map_err(|failure| HookFailure { stderr: without_end(&failure.stderr, masked), ..failure })
}

/// Masks the output of a hook. If it was cut, its end is removed: half a secret can't be found.
fn without_end(stderr: &str, masked: &dyn Fn(&str) -> String) -> String {
    let mut text = masked(stderr);
    if stderr.len() >= MAX_STDERR {
        let most = text.len().saturating_sub(SecretValues::LONGEST);
        let end = text.char_indices().map(|(at, _)| at).take_while(|at| *at <= most).last();
        text.truncate(end.unwrap_or(0));
    }
    text
}

/// Runs a command that has nothing to do with a change, with these variables, and returns its stdout.
pub fn hook_output(
    command: &str,
    variables: &[(&str, &str)],
    timeout: Duration,
) -> Result<Vec<u8>, HookFailure> {
    let variables = variables.iter().copied();
    finish(shell(command).envs(variables), true, timeout, &Interrupt::default()).map(|[stdout, _]| stdout)
}

/// Runs a command to its end; returns its stdout, if that is kept, and its stderr, which it writes into memory.
fn finish(
    shell: &mut Command,
    keeps_stdout: bool,
    timeout: Duration,
    interrupt: &Interrupt,
) -> Result<[Vec<u8>; 2], HookFailure> {
    let memory = || memfd_create("output", MemfdFlags::CLOEXEC).map(File::from).map_err(io::Error::from);
    let spawn = |shell: &mut Command| {
        let output = [memory()?, memory()?];
        shell.stderr(output[1].try_clone()?);
        if keeps_stdout {
            shell.stdout(output[0].try_clone()?);
        }
        Ok((shell.spawn()?, output))
    };
    let (mut child, output) = spawn(shell).map_err(HookFailure::not_started)?;
    let ended = wait(&mut child, &output, timeout, interrupt);
    let [stdout, stderr] = [(&output[0], MAX_OUTPUT), (&output[1], MAX_STDERR)].map(|(file, most)| {
        let mut kept = vec![0; most.min(length(file))];
        let read = file.read_exact_at(&mut kept, 0);
        if read.is_ok() { kept } else { Vec::new() }
    });
    let failure = match ended {
        Ok(status) if status.success() => return Ok([stdout, stderr]),
        Ok(status) => HookFailure::of_status(status),
        Err(failure) => failure,
    };
    Err(HookFailure { stderr: String::from_utf8_lossy(&stderr).into_owned(), ..failure })
}

fn length(output: &File) -> usize {
    output.metadata().map_or(0, |found| found.len() as usize)
}

/// A shell in a process group of its own, without the credentials of this program.
fn shell(command: &str) -> Command {
    let mut shell = Command::new("sh");
    shell.args(["-c", command]).stdin(Stdio::null()).stdout(Stdio::null());
    for name in HIDDEN_ENVIRONMENT {
        shell.env_remove(name);
    }
    shell.process_group(0);
    shell
}

/// Waits for the exit status. After `timeout`, at too much output, or when a signal comes, kills the whole process group.
fn wait(
    child: &mut Child,
    output: &[File; 2],
    timeout: Duration,
    interrupt: &Interrupt,
) -> Result<ExitStatus, HookFailure> {
    let deadline = Instant::now() + timeout;
    loop {
        if let Some(status) = child.try_wait().map_err(HookFailure::not_started)? {
            return Ok(status);
        }
        let failure = match interrupt.take() {
            None if output.iter().any(|file| length(file) > MOST_PRINTED) => {
                let most = MOST_PRINTED >> 20;
                HookFailure::new(format!("printed more than {most} MiB and was killed"))
            }
            None if Instant::now() < deadline => {
                std::thread::sleep(POLL);
                continue;
            }
            None => {
                let seconds = timeout.as_secs_f32();
                HookFailure::new(format!("took longer than {seconds} s and was killed"))
            }
            signal => HookFailure { interrupted: signal, ..HookFailure::new("was interrupted") },
        };
        if let Some(group) = i32::try_from(child.id()).ok().and_then(Pid::from_raw) {
            // The group may just have ended by itself.
            let _ = kill_process_group(group, Signal::KILL);
        }
        child.wait().map_err(HookFailure::not_started)?;
        return Err(failure);
    }
}

/// The pause between two checks of a running command.
const POLL: Duration = Duration::from_millis(2);

/// The signals that came while a change held them back; [`Interrupt::default`] never has one.
#[derive(Debug, Clone, Default)]
pub struct Interrupt {
    /// True if a signal ends the process at once.
    pub ends_process: Arc<AtomicBool>,
    /// The signal that came last; 0 for none.
    pub received: Arc<AtomicUsize>,
}

/// Lets signals end the process again when it is dropped.
#[derive(Debug)]
pub struct Hold<'i>(&'i Interrupt);

impl Interrupt {
    /// Keeps signals from ending the process.
    pub fn hold(&self) -> Hold<'_> {
        self.ends_process.store(false, Ordering::SeqCst);
        Hold(self)
    }

    /// Takes the signal that came since the last call.
    pub fn take(&self) -> Option<i32> {
        i32::try_from(self.received.swap(0, Ordering::SeqCst)).ok().filter(|&signal| signal != 0)
    }
}

impl Hold<'_> {
    /// The signal that came last. After this has returned one, the next one ends the process.
    pub fn received(&self) -> Option<i32> {
        let signal = i32::try_from(self.0.received.load(Ordering::SeqCst)).ok().filter(|&signal| signal != 0);
        self.0.ends_process.fetch_or(signal.is_some(), Ordering::SeqCst);
        signal
    }
}

impl Drop for Hold<'_> {
    fn drop(&mut self) {
        self.0.ends_process.store(true, Ordering::SeqCst);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_secret_that_is_cut_is_not_shown_in_part() {
        let masked = |text: &str| text.replace("S3CRET words", "<secret>");
        for shown in 1.."S3CRET words".len() {
            let printed = format!("{}{}", "\u{e9} ".repeat(MAX_STDERR / 3 + 1), &"S3CRET words"[..shown]);
            assert!(!without_end(&printed, &masked).contains('S'), "{shown}");
        }
        assert_eq!(without_end("a S3CRET words", &masked), "a <secret>");
    }
}
