//! After the change: the reload command, and what goes back when it fails.

use std::sync::Arc;

use super::Engine;
use super::content::Content;
use super::error::{Aftermath, EngineError};
use super::hook::{self, Occasion};
use super::operations::look;
use super::options::ChangeOptions;
use super::outcome::Outcome;
use super::running::{State, Turn};
use super::snapshot::Snapshot;
use super::transaction::{Found, Operation};
use crate::store::{Candidate, LockedFile, is_concatenation};

/// What the history calls it.
const TAKE_BACK: &str = "take-back";

impl Engine {
    /// The reload command runs when the answer is given already; what goes wrong is remembered.
    pub(super) fn reload_later(
        &self,
        operation: Operation,
        request: &ChangeOptions,
        found: &Found,
        change: &Outcome,
        turn: Option<Turn>,
    ) {
        let (engine, request) = (self.clone(), request.clone());
        let (before, after) = (found.before(), change.after().and_then(Content::snapshot).cloned());
        let Some(after) = after else { return };
        let run = move || {
            let _turn = turn;
            let result = engine.reload_alone(operation, &request, before, &after);
            if let (Err(error), Some(running)) = (&result, &engine.running) {
                running.exchange(|state| state.last_error = Some(error.to_string()));
                (engine.on_trouble)(&format!("{}: {}", operation.name(), error.without_output()));
            }
        };
        if std::thread::Builder::new().spawn(run).is_err() {
            (self.on_trouble)("no thread could be started for the reload command");
        }
    }

    fn reload_alone(
        &self,
        operation: Operation,
        request: &ChangeOptions,
        before: Before,
        after: &Arc<Snapshot>,
    ) -> Result<(), EngineError> {
        let locked = self.conf.lock(self.lock_wait, &mut |_| {})?;
        let candidate = locked.candidate(&[after.bytes()])?;
        let occasion = self.occasion(operation, &candidate, request);
        self.reload(occasion, Some(&locked), &before, &[after.bytes()], operation)
    }

    pub(super) fn occasion<'a>(
        &'a self,
        operation: Operation,
        candidate: &'a Candidate,
        request: &'a ChangeOptions,
    ) -> Occasion<'a> {
        Occasion {
            operation: operation.name(),
            file: self.conf.target(),
            text: candidate.path(),
            by: &request.by,
        }
    }

    /// Runs the reload command; if it fails, file and running configuration go back, if the file
    /// still holds what was written, and it runs once more.
    pub(super) fn reload(
        &self,
        occasion: Occasion<'_>,
        locked: Option<&LockedFile<'_>>,
        before: &Before,
        written: &[&[u8]],
        operation: Operation,
    ) -> Result<(), EngineError> {
        let Some(command) = &self.hooks.reload else { return Ok(()) };
        let Err(failure) = hook::run(command, occasion, &self.hooks) else {
            return Ok(());
        };
        // What else fails must not hide that the reload did.
        let aftermath = self.take_back(locked, before, written, operation, occasion.by);
        let aftermath = aftermath.unwrap_or(Aftermath::NotRestored);
        if let (Aftermath::Restored, Some(text)) = (aftermath, before.runs())
            && let Ok(old) = self.candidate(locked, &[text.bytes()])
        {
            // What counts is that it saw the old text again.
            let _ = hook::run(command, Occasion { text: old.path(), ..occasion }, &self.hooks);
        }
        Err(EngineError::of_reload(failure, aftermath))
    }

    fn take_back(
        &self,
        locked: Option<&LockedFile<'_>>,
        before: &Before,
        written: &[&[u8]],
        operation: Operation,
        by: &str,
    ) -> Result<Aftermath, EngineError> {
        if let Some(locked) = locked.filter(|_| operation.writes()) {
            let message = format!("the reload command failed after `{}`", operation.name());
            let request =
                ChangeOptions { by: by.to_owned(), message: Some(message), ..ChangeOptions::default() };
            match self.file_back(locked, before, written, &request, TAKE_BACK)? {
                Aftermath::Restored | Aftermath::Removed => {}
                other => return Ok(other),
            }
        }
        if let (Some(running), Some(old)) = (&self.running, &before.state) {
            running.exchange(|state| {
                state.running = old.running.clone();
                // Of a hand edit that was overwritten, and is back, nothing is known again.
                state.saved = old.saved.clone();
                state.generation += 1;
            });
        }
        // What is back needs no confirmation.
        if let Some(waiting) = self.pending() {
            self.forget_waiting(&waiting, locked);
        }
        Ok(if before.runs().is_some() { Aftermath::Restored } else { Aftermath::Removed })
    }

    /// Puts the old text back into the file, if that still holds what was `written`.
    pub(super) fn file_back(
        &self,
        locked: &LockedFile<'_>,
        before: &Before,
        written: &[&[u8]],
        request: &ChangeOptions,
        operation: &str,
    ) -> Result<Aftermath, EngineError> {
        let record = request.record(operation, self.keep);
        let now = look(locked)?;
        match (now, &before.file) {
            (Some(now), Some(file)) if now.bytes == file.bytes() => Ok(Aftermath::Restored),
            (None, None) => Ok(Aftermath::Removed),
            (Some(now), file) if is_concatenation(&now.bytes, written) => {
                match file {
                    Some(file) => locked.replace(Some(now.as_old()), &[file.bytes()], &record)?,
                    None => locked.remove(now.as_old(), &record)?,
                };
                Ok(if file.is_some() { Aftermath::Restored } else { Aftermath::Removed })
            }
            _ => Ok(Aftermath::ChangedMeanwhile),
        }
    }
}

/// What goes back when a reload fails.
pub(super) struct Before {
    pub file: Option<Arc<Snapshot>>,
    pub state: Option<State>,
}

impl Found {
    pub fn before(&self) -> Before {
        Before { file: self.file.as_ref().map(|file| file.snapshot.clone()), state: self.state.clone() }
    }
}

impl Before {
    /// What ran before; without a server, the file.
    fn runs(&self) -> Option<&Arc<Snapshot>> {
        self.state.as_ref().map(|state| &state.running).or(self.file.as_ref())
    }
}
