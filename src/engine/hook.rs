//! Commands that tie a change to a real media server: one checks, one reloads.

use std::fmt;
use std::io::Read;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process_group};

/// How long a hook may take before its process group is killed.
pub const DEFAULT_HOOK_TIMEOUT: Duration = Duration::from_secs(10);

/// How much of what a hook says on stderr is kept, in bytes.
const MAX_STDERR: u64 = 16 * 1024;

/// Between two looks at a running hook.
const POLL: Duration = Duration::from_millis(2);

/// How long the last words of a hook are waited for after it ended.
const LAST_WORDS: Duration = Duration::from_millis(200);

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
}

impl Default for Hooks {
    fn default() -> Self {
        Self { check: None, reload: None, timeout: DEFAULT_HOOK_TIMEOUT }
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
    Spawn(std::io::Error),
    /// It ended with something else than success.
    Exit(ExitStatus),
    /// It took too long and was killed.
    Timeout(Duration),
}

impl fmt::Display for HookFailure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.reason {
            HookReason::Spawn(error) => write!(f, "could not be started: {error}")?,
            HookReason::Timeout(limit) => {
                write!(f, "took longer than {} s and was killed", limit.as_secs_f32())?
            }
            HookReason::Exit(status) => match (status.code(), status.signal()) {
                (Some(code), _) => write!(f, "failed with exit code {code}")?,
                (None, Some(signal)) => write!(f, "was ended by signal {signal}")?,
                (None, None) => f.write_str("failed")?,
            },
        }
        match self.stderr.trim() {
            "" => Ok(()),
            said => write!(f, ": {said}"),
        }
    }
}

/// Runs a hook to its end.
pub fn run(command: &str, occasion: Occasion<'_>, timeout: Duration) -> Result<(), HookFailure> {
    let silent = |reason| HookFailure { reason, stderr: String::new() };
    let mut child = spawn(command, occasion).map_err(|error| silent(HookReason::Spawn(error)))?;
    let stderr = listen(&mut child);
    let ended = wait(&mut child, timeout);
    let reason = match ended {
        Ok(Some(status)) if status.success() => return Ok(()),
        Ok(Some(status)) => HookReason::Exit(status),
        Ok(None) => HookReason::Timeout(timeout),
        Err(error) => HookReason::Spawn(error),
    };
    Err(HookFailure { reason, stderr: stderr.recv_timeout(LAST_WORDS).unwrap_or_default() })
}

fn spawn(command: &str, occasion: Occasion<'_>) -> std::io::Result<Child> {
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
        .env("MEDIACTL_OPERATION", occasion.operation)
        .env("MEDIACTL_FILE", occasion.file)
        .env("MEDIACTL_TEXT", occasion.text)
        .env("MEDIACTL_BY", occasion.by)
        .spawn()
}

/// Reads stderr beside the waiting: something the hook left behind may hold it open for ever.
fn listen(child: &mut Child) -> mpsc::Receiver<String> {
    let (sender, receiver) = mpsc::channel();
    if let Some(mut stderr) = child.stderr.take() {
        std::thread::spawn(move || {
            let mut said = Vec::new();
            let _ = stderr.by_ref().take(MAX_STDERR).read_to_end(&mut said);
            let _ = sender.send(String::from_utf8_lossy(&said).into_owned());
            let _ = std::io::copy(&mut stderr, &mut std::io::sink());
        });
    }
    receiver
}

/// The status, or none after `timeout`; then the whole process group is killed.
fn wait(child: &mut Child, timeout: Duration) -> std::io::Result<Option<ExitStatus>> {
    let deadline = Instant::now() + timeout;
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(Some(status));
        }
        if Instant::now() >= deadline {
            kill_group(child);
            child.wait()?;
            return Ok(None);
        }
        std::thread::sleep(POLL);
    }
}

fn kill_group(child: &Child) {
    if let Some(group) = i32::try_from(child.id()).ok().and_then(Pid::from_raw) {
        // It may just have ended by itself.
        let _ = kill_process_group(group, Signal::KILL);
    }
}
