//! Commands that tie a change to a real media server: one checks, one reloads.

mod pipe;

use std::fmt;
use std::io;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use super::interrupt::Interrupt;
use rustix::process::{Pid, Signal, kill_process_group};

use pipe::Pipe;

/// How long a hook may take before its process group is killed.
pub const DEFAULT_HOOK_TIMEOUT: Duration = Duration::from_secs(10);

/// How much of what a hook says on stderr is kept, in bytes.
const MAX_STDERR: usize = 16 * 1024;

/// How much of what a command prints is kept, in bytes.
const MAX_OUTPUT: usize = 16 * 1024 * 1024;

/// Between two looks at a running hook.
const POLL: Duration = Duration::from_millis(2);

/// What a hook must not see: the credentials this program was given.
const HIDDEN_ENVIRONMENT: &[&str] = &["MEDIACTL_LOGIN", "MEDIACTL_PASSWORD", "MEDIACTL_URL"];

/// The commands to run around a change; run by `sh -c`.
#[derive(Debug, Clone)]
pub struct Hooks {
    /// Runs before the write; non-zero rejects the change.
    pub check: Option<String>,
    /// Runs after the write; non-zero takes it back.
    pub reload: Option<String>,
    /// How long each may take.
    pub timeout: Duration,
    /// Ends the one that runs when a signal comes.
    pub interrupt: Interrupt,
}

impl Default for Hooks {
    fn default() -> Self {
        Self { check: None, reload: None, timeout: DEFAULT_HOOK_TIMEOUT, interrupt: Interrupt::default() }
    }
}

impl Hooks {
    /// Whether there is nothing to run.
    pub fn are_empty(&self) -> bool {
        self.check.is_none() && self.reload.is_none()
    }
}

/// What a hook is told of the change, in its environment.
#[derive(Debug, Clone, Copy)]
pub struct Occasion<'a> {
    /// `MEDIACTL_OPERATION`: `modify`, `save`, …
    pub operation: &'a str,
    /// `MEDIACTL_FILE`: the configuration file.
    pub file: &'a Path,
    /// `MEDIACTL_TEXT`: a file with the text that is to run.
    pub text: &'a Path,
    /// `MEDIACTL_BY`: who makes the change.
    pub by: &'a str,
}

/// How a hook failed, and what it said.
#[derive(Debug)]
pub struct HookFailure {
    /// What happened.
    pub reason: HookReason,
    /// The start of what it wrote to stderr.
    pub stderr: String,
}

/// How a hook failed.
#[derive(Debug)]
pub enum HookReason {
    /// It could not be started.
    Spawn(io::Error),
    /// It ended with something else than success.
    Exit(ExitStatus),
    /// It took too long and was killed.
    Timeout(Duration),
    /// This signal came for the command that ran it, and it was killed.
    Interrupted(i32),
}

impl fmt::Display for HookReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Spawn(error) => write!(f, "could not be started: {error}"),
            Self::Interrupted(_) => f.write_str("was interrupted"),
            Self::Timeout(limit) => write!(f, "took longer than {} s and was killed", limit.as_secs_f32()),
            Self::Exit(status) => match (status.code(), status.signal()) {
                (Some(code), _) => write!(f, "failed with exit code {code}"),
                (None, Some(signal)) => write!(f, "was ended by signal {signal}"),
                (None, None) => f.write_str("failed"),
            },
        }
    }
}

impl fmt::Display for HookFailure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.reason.fmt(f)?;
        match self.stderr.trim() {
            "" => Ok(()),
            said => write!(f, ": {said}"),
        }
    }
}

/// Runs a hook to its end.
pub fn run(command: &str, occasion: Occasion<'_>, hooks: &Hooks) -> Result<(), HookFailure> {
    finish(spawn(command, occasion), hooks.timeout, &hooks.interrupt).map(|_| ())
}

/// Runs a command that has nothing to do with a change; what it printed.
pub fn output(command: &str, timeout: Duration) -> Result<Vec<u8>, HookFailure> {
    finish(shell(command).stdout(Stdio::piped()).spawn(), timeout, &Interrupt::default())
}

/// Waits for the end of a command; what it printed, if that is a pipe.
fn finish(
    spawned: io::Result<Child>,
    timeout: Duration,
    interrupt: &Interrupt,
) -> Result<Vec<u8>, HookFailure> {
    let silent = |error| HookFailure { reason: HookReason::Spawn(error), stderr: String::new() };
    let mut child = spawned.map_err(silent)?;
    let mut stdout = Pipe::of(child.stdout.take(), MAX_OUTPUT);
    let mut stderr = Pipe::of(child.stderr.take(), MAX_STDERR);
    let reason = match wait(&mut child, [&mut stdout, &mut stderr], timeout, interrupt) {
        Ok(status) if status.success() => return Ok(stdout.last_words()),
        Ok(status) => HookReason::Exit(status),
        Err(reason) => reason,
    };
    Err(HookFailure { reason, stderr: String::from_utf8_lossy(&stderr.last_words()).into_owned() })
}

/// A shell in a process group of its own, without our credentials.
fn shell(command: &str) -> Command {
    let mut shell = Command::new("sh");
    shell
        .args(["-c", command])
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .process_group(0);
    HIDDEN_ENVIRONMENT.iter().for_each(|name| {
        shell.env_remove(name);
    });
    shell
}

fn spawn(command: &str, occasion: Occasion<'_>) -> io::Result<Child> {
    shell(command)
        .env("MEDIACTL_OPERATION", occasion.operation)
        .env("MEDIACTL_FILE", occasion.file)
        .env("MEDIACTL_TEXT", occasion.text)
        .env("MEDIACTL_BY", occasion.by)
        .spawn()
}

/// The status; after `timeout`, or when a signal comes, the whole process group is killed.
fn wait(
    child: &mut Child,
    mut pipes: [&mut Pipe; 2],
    timeout: Duration,
    interrupt: &Interrupt,
) -> Result<ExitStatus, HookReason> {
    let deadline = Instant::now() + timeout;
    loop {
        pipes.iter_mut().for_each(|pipe| pipe.drain());
        if let Some(status) = child.try_wait().map_err(HookReason::Spawn)? {
            return Ok(status);
        }
        let reason = match interrupt.take() {
            Some(signal) => HookReason::Interrupted(signal),
            None if Instant::now() >= deadline => HookReason::Timeout(timeout),
            None => {
                std::thread::sleep(POLL);
                continue;
            }
        };
        kill_group(child);
        child.wait().map_err(HookReason::Spawn)?;
        return Err(reason);
    }
}

fn kill_group(child: &Child) {
    if let Some(group) = i32::try_from(child.id()).ok().and_then(Pid::from_raw) {
        // It may just have ended by itself.
        let _ = kill_process_group(group, Signal::KILL);
    }
}
