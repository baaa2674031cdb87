//! The hooks around a change: the check command and the reload command, and the way back when that fails.

use std::sync::Arc;
use std::time::{Duration, Instant};

use super::{
    Aftermath, Engine, HookFailure, LogLevel, NO_USER, Operation, ReloadRun, RollbackPoint, Snapshot, Turn,
    hook, without_secrets,
};
use crate::error::{Error, ErrorKind};
use crate::progress;
use crate::store::{Candidate, HistoryEntry, RELOAD_FAILED, Writer};

/// A change around which hooks run.
pub(super) struct HookContext<'a> {
    pub engine: &'a Engine,
    /// `modify`, `save`, …
    pub operation: &'a str,
    /// Who makes the change.
    pub by: &'a str,
    /// The texts whose secrets are masked in what a hook prints.
    pub texts: Vec<&'a Arc<Snapshot>>,
}

impl HookContext<'_> {
    /// Runs a command that finds the text that is to run in a file of its own.
    pub fn run(&self, command: &str, text: &Candidate, timeout: Duration) -> Result<String, HookFailure> {
        let engine = self.engine;
        let variables = [
            ("MEDIACTL_OPERATION", self.operation.as_ref()),
            ("MEDIACTL_FILE", engine.store.path().as_os_str()),
            ("MEDIACTL_TEXT", text.path().as_os_str()),
            ("MEDIACTL_BY", self.by.as_ref()),
        ];
        let masked = |printed: &str| without_secrets(printed, &engine.with_included(self.texts.clone()));
        hook::run(command, variables, &masked, (timeout, &engine.hooks.interrupt))
    }

    /// Runs the reload command, and notes how that ended.
    fn reload(&self, command: &str, text: &Candidate) -> Result<(), HookFailure> {
        let start = Instant::now();
        let ended = self.run(command, text, self.engine.hooks.timeout);
        let (exit_code, output) = match &ended {
            Ok(output) => (Some(0), output.clone()),
            Err(failure) => (failure.exit_code, failure.stderr.clone()),
        };
        let (by, took) = (self.by.to_owned(), Some(start.elapsed()));
        self.engine.note_reload(ended.is_ok(), ReloadRun { by, exit_code, took, output });
        ended.map(drop)
    }
}

impl Engine {
    /// Runs the reload command in a thread, which keeps the turn. Failures are recorded in the state.
    pub(super) fn reload_later(
        &self,
        (operation, by): (Operation, String),
        back: RollbackPoint,
        after: Arc<Snapshot>,
        turn: Option<Turn>,
    ) {
        if self.hooks.reload.is_none() {
            return;
        }
        let engine = self.clone();
        let run = move || {
            let _turn = turn;
            let (operation, texts) = (operation.name(), back.ran().into_iter().chain([&after]).collect());
            let context = HookContext { engine: &engine, operation, by: &by, texts };
            let reloaded = engine.writer().and_then(|writer| {
                let text = engine.store.candidate(after.bytes())?;
                engine.reload(&context, &text, Some(&*writer), &back)
            });
            if let (Err(error), Some(_)) = (reloaded, &engine.running) {
                engine.tell_failure(operation, error);
            }
        };
        if std::thread::Builder::new().spawn(run).is_err() {
            self.tell(LogLevel::Error, "cannot spawn a thread for the reload command");
        }
    }

    /// Runs the reload command. If it fails, the change is taken back, unless another program changed the same in the file
    /// meanwhile, and the command runs once more.
    pub(super) fn reload(
        &self,
        context: &HookContext<'_>,
        text: &Candidate,
        writer: Option<&dyn Writer>,
        back: &RollbackPoint,
    ) -> Result<(), Error> {
        let Some(command) = &self.hooks.reload else { return Ok(()) };
        let _step = progress::step("waiting for the reload command");
        let Err(failure) = context.reload(command, text) else { return Ok(()) };
        let what = if failure.interrupted.is_some() { "was interrupted" } else { "failed" };
        let message = format!("the reload command {what} after `{}`", context.operation);
        let record = HistoryEntry {
            id: Some(back.id.clone()),
            message: Some(message),
            keep: self.keep,
            ..HistoryEntry::of(RELOAD_FAILED, context.by)
        };
        let restored = match writer {
            Some(writer) => self.roll_back_file(writer, back, &record),
            None => Ok((Aftermath::Restored, None)),
        };
        // A failure to roll back must not hide that the reload failed.
        let (aftermath, file) = restored.unwrap_or((Aftermath::NotRestored, None));
        let mut refusal = not_reloaded(&failure, aftermath);
        if matches!(aftermath, Aftermath::ChangedMeanwhile | Aftermath::NotRestored) {
            return Err(refusal);
        }
        self.restore_running(back, true, None);
        // The old configuration needs no confirmation.
        if self.pending().is_some() {
            self.forget_pending(writer);
        }
        let old = back.server.as_ref().map(|(running, _)| running).or(file.as_ref());
        let again = old.map(|old| self.store.candidate(old.bytes()));
        if let Some(Ok(text)) = again
            && let Err(again) = context.run(command, &text, self.hooks.timeout)
        {
            let told = |failure: &str| format!("; for the old configuration it {failure}");
            refusal.brief = refusal.brief.map(|brief| brief + &told(&again.reason));
            refusal.message += &told(&again.to_string());
            self.tell_failure(context.operation, refusal.clone());
        }
        Err(refusal)
    }

    /// Makes the media server load the running configuration again, or without a server the one in the file.
    ///
    /// # Errors
    /// `ReloadFailed`; those of the store.
    pub fn reload_again(&self) -> Result<(), Error> {
        let _writer = self.writer()?;
        self.reload_present(Operation::Load.name(), NO_USER)
    }

    /// The same with the lock.
    pub(super) fn reload_present(&self, operation: &str, by: &str) -> Result<(), Error> {
        let Some(command) = &self.hooks.reload else {
            self.note_reload(true, ReloadRun { by: by.to_owned(), ..ReloadRun::default() });
            return Ok(());
        };
        let present = self.present()?;
        let text = self.store.candidate(present.bytes())?;
        let context = HookContext { engine: self, operation, by, texts: vec![&present] };
        context.reload(command, &text).map_err(|failure| not_reloaded(&failure, Aftermath::Restored))
    }
}

/// The reload command failed; `aftermath` is the state of the file.
fn not_reloaded(failure: &HookFailure, aftermath: Aftermath) -> Error {
    let is_back = matches!(aftermath, Aftermath::Restored | Aftermath::Removed);
    let words = aftermath.in_words();
    let if_interrupted = if is_back { "the change was rolled back" } else { words };
    failure.refusal(ErrorKind::ReloadFailed, "reload", [words, if_interrupted])
}
