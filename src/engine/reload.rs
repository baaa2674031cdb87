//! The reload command, and the rollback when it fails.

use std::sync::Arc;
use std::time::Instant;

use super::change::Operation;
use super::confirm::RollbackPoint;
use super::hook::{self, HookFailure, HookReason, Occasion};
use super::local::{Engine, LogLevel};
use super::roll_back::Aftermath;
use super::running::{ReloadRun, Turn};
use super::snapshot::{Snapshot, without_secrets};
use crate::error::{Error, ErrorKind};
use crate::store::{ChangeId, ChangeRecord, TAKE_BACK, Writer};

impl Engine {
    /// Runs the reload command in a thread, which keeps the turn. Failures are recorded in the state.
    pub(super) fn reload_later(
        &self,
        (operation, by, id): (Operation, String, ChangeId),
        before: RollbackPoint,
        after: Arc<Snapshot>,
        turn: Option<Turn>,
    ) {
        if self.hooks.reload.is_none() {
            return;
        }
        let engine = self.clone();
        let run = move || {
            let _turn = turn;
            let result = engine.reload_alone((operation, &by, &id), &before, &after);
            if let (Err(error), Some(_)) = (&result, &engine.running) {
                engine.remember_trouble(error.clone());
                engine.tell(LogLevel::Error, &format!("{}: {}", operation.name(), error.brief()));
            }
        };
        if std::thread::Builder::new().spawn(run).is_err() {
            self.tell(LogLevel::Error, "cannot spawn a thread for the reload command");
        }
    }

    fn reload_alone(
        &self,
        (operation, by, id): (Operation, &str, &ChangeId),
        before: &RollbackPoint,
        after: &Arc<Snapshot>,
    ) -> Result<(), Error> {
        let writer = self.writer()?;
        let candidate = self.candidate(Some(&*writer), after)?;
        let masked = |printed: &str| {
            without_secrets(printed, &self.with_included(before.ran().into_iter().chain([after])))
        };
        let (file, text) = (self.store.path(), candidate.path());
        let occasion = Occasion { operation: operation.name(), file, text, by, masked: &masked };
        let written = Some(&**after).filter(|_| operation.writes());
        self.reload((occasion, id), Some(&*writer), before, written)
    }

    /// Runs the reload command. If it fails, file and running configuration are rolled back, if the
    /// file still holds what was `written`, and the command runs once more.
    pub(super) fn reload(
        &self,
        (occasion, id): (Occasion<'_>, &ChangeId),
        writer: Option<&dyn Writer>,
        before: &RollbackPoint,
        written: Option<&Snapshot>,
    ) -> Result<(), Error> {
        let Some(command) = &self.hooks.reload else { return Ok(()) };
        let Err(failure) = self.run_reload(command, occasion) else { return Ok(()) };
        // A failure to roll back must not hide that the reload failed.
        let aftermath =
            self.roll_back((occasion, id), writer, before, written).unwrap_or(Aftermath::NotRestored);
        if let (Aftermath::Restored, Some(text)) = (aftermath, before.ran())
            && let Ok(old) = self.candidate(writer, text)
        {
            // The command runs again for the old text; its result changes nothing.
            let _ = hook::run(command, Occasion { text: old.path(), ..occasion }, &self.hooks);
        }
        Err(not_reloaded(&failure, aftermath))
    }

    /// Runs the reload command, and notes how that ended.
    fn run_reload(&self, command: &str, occasion: Occasion<'_>) -> Result<(), HookFailure> {
        let start = Instant::now();
        let ended = hook::run(command, occasion, &self.hooks);
        let (exit_code, output) = match &ended {
            Ok(output) => (Some(0), output),
            Err(failure) => (failure.reason.exit_code(), &failure.stderr),
        };
        let (by, took, output) = (occasion.by.to_owned(), Some(start.elapsed()), output.clone());
        self.note_reload(ended.is_ok(), ReloadRun { by, exit_code, took, output });
        ended.map(drop)
    }

    /// Makes the media server load the running configuration again.
    ///
    /// # Errors
    /// `ReloadFailed`, `Store`.
    pub fn reload_again(&self, by: &str) -> Result<(), Error> {
        let writer = self.writer()?;
        self.reload_present(&*writer, Operation::Load.name(), by)
    }

    /// Runs the reload command for the running configuration, or without a server for the one in the file.
    pub(super) fn reload_present(&self, writer: &dyn Writer, operation: &str, by: &str) -> Result<(), Error> {
        let Some(command) = &self.hooks.reload else {
            self.note_reload(true, ReloadRun { by: by.to_owned(), ..ReloadRun::default() });
            return Ok(());
        };
        let running = self.running().map(Ok).unwrap_or_else(|| self.read());
        running.and_then(|running| {
            let candidate = self.candidate(Some(writer), &running)?;
            let masked = |printed: &str| without_secrets(printed, &self.with_included([&running]));
            let (file, text) = (self.store.path(), candidate.path());
            let occasion = Occasion { operation, file, text, by, masked: &masked };
            let failed = |failure| not_reloaded(&failure, Aftermath::Restored);
            self.run_reload(command, occasion).map_err(failed)
        })
    }

    fn roll_back(
        &self,
        (occasion, id): (Occasion<'_>, &ChangeId),
        writer: Option<&dyn Writer>,
        before: &RollbackPoint,
        written: Option<&Snapshot>,
    ) -> Result<Aftermath, Error> {
        if let (Some(writer), Some(written)) = (writer, written) {
            let message = format!("the reload command failed after `{}`", occasion.operation);
            let record = ChangeRecord {
                id: Some(id.as_str()),
                message: Some(&message),
                keep: self.keep,
                ..ChangeRecord::new(TAKE_BACK, occasion.by)
            };
            let restored = match writer.revert(&record)? {
                true => Aftermath::Restored,
                false => self.restore_file(writer, before.file.as_deref(), written, &record)?,
            };
            match restored {
                Aftermath::Restored | Aftermath::Removed => {}
                other => return Ok(other),
            }
        }
        self.restore_running(before, true, None);
        // The old configuration needs no confirmation.
        if let Some(pending) = self.pending() {
            self.forget_pending(&pending, writer);
        }
        Ok(if before.ran().is_some() { Aftermath::Restored } else { Aftermath::Removed })
    }
}

/// The reload command failed; `aftermath` is the state of the file.
fn not_reloaded(failure: &HookFailure, aftermath: Aftermath) -> Error {
    let refusal = |message| Error::new(ErrorKind::ReloadFailed, message);
    match failure.reason {
        HookReason::Interrupted(signal) => {
            refusal(format!("interrupted while the reload command ran: {}", aftermath.in_words()))
                .by_signal(signal)
        }
        ref reason => refusal(format!("the reload command {failure}"))
            .in_brief(format!("the reload command {reason}"))
            .hint(aftermath.hint()),
    }
}
