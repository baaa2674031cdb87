//! Commit-confirm: a change that is taken back unless somebody confirms it in time.
//!
//! What taking it back needs is durable before the change is made. Then a thread waits; when the
//! time is over, running configuration and file go back, the file only if it still holds what was
//! written. A server that was killed meanwhile does that when it starts again, before it answers
//! anything.

use std::sync::Arc;
use std::time::{Duration, SystemTime};

use super::Engine;
use super::content::Content;
use super::error::{Aftermath, EngineError};
use super::hook::{self, Occasion};
use super::operations::look;
use super::options::ChangeOptions;
use super::outcome::Outcome;
use super::pending::PendingChange;
use super::reload::Before;
use super::running::{LastChange, State};
use super::snapshot::Snapshot;
use super::transaction::{Found, Operation, UNSAVED};
use crate::store::{LockedFile, PendingRecord, StoreError};

/// What the history calls it.
const REVERT: &str = "revert";

/// Why a change is taken back that nobody spoke of.
const NOT_CONFIRMED: &str = "not confirmed in time";

/// Why a change is taken back when its server ends.
const SERVER_ENDED: &str = "not confirmed before the server ended";

/// Who takes a change back that nobody spoke of.
const NOBODY: &str = "";

/// Between two attempts to take a change back.
const RETRY: Duration = Duration::from_secs(5);

impl Engine {
    /// Makes a change that is about to be made one that goes back by itself; `None` if it is to stay.
    pub(super) fn wait_for_confirmation(
        &self,
        (operation, request): (Operation, &ChangeOptions),
        (found, change): (&Found, &Outcome),
        locked: Option<&LockedFile<'_>>,
        pieces: &[&[u8]],
    ) -> Result<Option<Arc<PendingChange>>, EngineError> {
        let Some(time) = request.confirm else { return Ok(None) };
        let (Some(locked), Some(state)) = (locked, &found.state) else { return Err(EngineError::NoServer) };
        let written = change.after().and_then(Content::snapshot).filter(|_| operation.writes()).cloned();
        let longest = self.hooks.timeout + self.lock_wait;
        let who = (operation.name(), request.by.as_str());
        let waiting = Arc::new(PendingChange::new(who, found.before(), written, [time, longest]));
        locked.set_pending(&PendingRecord {
            id: waiting.id.clone(),
            deadline: SystemTime::now() + time,
            operation: waiting.operation.to_owned(),
            by: waiting.by.clone(),
            running: vec![state.running.bytes()],
            file: found.file.as_ref().map(|file| vec![file.snapshot.bytes()]),
            written: operation.writes().then(|| pieces.to_vec()),
        })?;
        let (engine, watched) = (self.clone(), waiting.clone());
        if let Err(source) = std::thread::Builder::new().spawn(move || engine.watch(&watched)) {
            locked.clear_pending()?;
            let path = self.conf.target().to_owned();
            return Err(StoreError::Io { operation: "start a thread for", path, source }.into());
        }
        Ok(Some(waiting))
    }

    /// The change was not made after all.
    pub(super) fn forget_waiting(&self, waiting: &PendingChange, locked: Option<&LockedFile<'_>>) {
        if let Some(Err(error)) = locked.map(LockedFile::clear_pending) {
            (self.on_trouble)(&format!("the record of a change that was not made stays: {error}"));
        }
        self.let_go(waiting);
    }

    /// Takes a change back when its time is over.
    fn watch(&self, waiting: &PendingChange) {
        if waiting.is_decided_in_time() {
            return;
        }
        loop {
            match self.take_back_waiting(&waiting.id, NOBODY, NOT_CONFIRMED) {
                Ok(_) | Err(EngineError::NothingPending | EngineError::OtherPending) => return,
                Err(error) => (self.on_trouble)(&format!("a change could not be taken back: {error}")),
            }
            if waiting.is_decided_within(RETRY) {
                return;
            }
        }
    }

    /// Makes the change that waits one that stays.
    ///
    /// # Errors
    /// `NothingPending`, `OtherPending`, `Busy`; `Store`, after which it still waits.
    pub fn confirm(&self, id: &str) -> Result<(), EngineError> {
        let _turn = self.take_turn()?;
        let waiting = self.waiting(id)?;
        if !waiting.can_be_kept() {
            return Err(EngineError::NothingPending);
        }
        self.conf.lock(self.lock_wait, &mut |_| {})?.clear_pending()?;
        self.let_go(&waiting);
        Ok(())
    }

    /// Takes the change back that waits; what became of the file.
    ///
    /// # Errors
    /// As [`Engine::confirm`].
    pub fn cancel(&self, id: &str, by: &str) -> Result<Aftermath, EngineError> {
        self.take_back_waiting(id, by, "taken back before it was confirmed")
    }

    /// The same for whatever waits, when the server ends; `None` if nothing does.
    ///
    /// # Errors
    /// As [`Engine::confirm`].
    pub fn cancel_any(&self) -> Result<Option<Aftermath>, EngineError> {
        self.pending().map(|waiting| self.take_back_waiting(&waiting.id, NOBODY, SERVER_ENDED)).transpose()
    }

    fn waiting(&self, id: &str) -> Result<Arc<PendingChange>, EngineError> {
        let waiting = self.pending().ok_or(EngineError::NothingPending)?;
        if waiting.id == id { Ok(waiting) } else { Err(EngineError::OtherPending) }
    }

    fn let_go(&self, waiting: &PendingChange) {
        if let Some(running) = &self.running {
            running.exchange(|state| {
                state.pending.take_if(|pending| pending.id == waiting.id);
            });
        }
        waiting.decide();
    }

    fn take_back_waiting(&self, id: &str, by: &str, why: &str) -> Result<Aftermath, EngineError> {
        let _turn = self.take_turn()?;
        let waiting = self.waiting(id)?;
        waiting.go_back();
        let locked = self.conf.lock(self.lock_wait, &mut |_| {})?;
        let request =
            ChangeOptions { by: by.to_owned(), message: Some(why.to_owned()), ..ChangeOptions::default() };
        let aftermath = match &waiting.written {
            Some(written) => self.file_back(&locked, &waiting.before, &[written.bytes()], &request, REVERT),
            None => Ok(Aftermath::Restored),
        };
        // What ran before runs again, whatever became of the file.
        self.run_again(&waiting.before, &aftermath, by);
        let aftermath = aftermath?;
        self.tell_of_hand_edit(aftermath);
        self.reload_after_revert(&locked, by);
        locked.clear_pending()?;
        self.let_go(&waiting);
        Ok(aftermath)
    }

    fn run_again(&self, before: &Before, aftermath: &Result<Aftermath, EngineError>, by: &str) {
        let (Some(running), Some(old)) = (&self.running, &before.state) else { return };
        running.exchange(|state: &mut State| {
            state.running = old.running.clone();
            if matches!(aftermath, Ok(Aftermath::Restored | Aftermath::Removed)) {
                state.saved = old.saved.clone();
            }
            state.generation += 1;
            let at = SystemTime::now();
            state.last_change = Some(LastChange { at, by: by.to_owned(), operation: REVERT });
        });
    }

    fn tell_of_hand_edit(&self, aftermath: Aftermath) {
        if aftermath != Aftermath::ChangedMeanwhile {
            return;
        }
        let told =
            "the file was edited by hand while a change waited to be confirmed: the file is left as it is";
        self.remember_trouble(told.to_owned());
        (self.on_trouble)(told);
    }

    fn remember_trouble(&self, told: String) {
        if let Some(running) = &self.running {
            running.exchange(|state| state.last_error = Some(told));
        }
    }

    /// What the media server is to run now: what runs here, or without that what is in the file.
    fn reload_after_revert(&self, locked: &LockedFile<'_>, by: &str) {
        let Some(command) = &self.hooks.reload else { return };
        let running = self.running().map(Ok).unwrap_or_else(|| self.read());
        let result = running.and_then(|running| {
            let candidate = self.candidate(Some(locked), &[running.bytes()])?;
            let (file, text) = (self.conf.target(), candidate.path());
            let occasion = Occasion { operation: REVERT, file, text, by };
            let failed = |failure| EngineError::ReloadFailed { failure, aftermath: Aftermath::Restored };
            hook::run(command, occasion, &self.hooks).map_err(failed)
        });
        if let Err(error) = result {
            (self.on_trouble)(&format!("{REVERT}: {}", error.without_output()));
            self.remember_trouble(error.to_string());
        }
    }

    /// Takes back what a server did that was killed before anybody confirmed it.
    ///
    /// # Errors
    /// `Store`: nothing may be answered then.
    pub(super) fn take_back_left_over(&self) -> Result<(), EngineError> {
        if !self.conf.has_pending() {
            return Ok(());
        }
        let locked = self.conf.lock(self.lock_wait, &mut |_| {})?;
        // One that was cut short is of a change that was never made.
        if let Some(record) = self.conf.pending()?
            && let Some(pending) = record.read()
        {
            look(&locked)?;
            match self.left_over_back(&locked, &pending)? {
                Aftermath::ChangedMeanwhile => self.tell_of_hand_edit(Aftermath::ChangedMeanwhile),
                _ => {
                    (self.on_trouble)("a change was not confirmed before the server ended: it was taken back")
                }
            }
            self.reload_after_revert(&locked, NOBODY);
        }
        Ok(locked.clear_pending()?)
    }

    fn left_over_back(
        &self,
        locked: &LockedFile<'_>,
        pending: &PendingRecord<'_>,
    ) -> Result<Aftermath, EngineError> {
        let request = |why: &str| ChangeOptions { message: Some(why.to_owned()), ..ChangeOptions::default() };
        let file = pending.file.as_ref().map(|text| Arc::new(Snapshot::of(text.concat())));
        let running = pending.running.concat();
        if file.as_ref().is_none_or(|file| file.bytes() != running) {
            let why = request("ran, and was not saved, when the server ended");
            locked.keep_aside(&running, &why.record(UNSAVED, self.keep))?;
        }
        let Some(written) = &pending.written else { return Ok(Aftermath::Restored) };
        let before = Before { file, state: None };
        self.file_back(locked, &before, written, &request(SERVER_ENDED), REVERT)
    }
}
