//! The order of work of every change: turn → lock → load → prepare → check → write → swap → reload.
//!
//! Between the steps up to the write, a change whose request is out of time is given up.

use std::sync::Arc;

use super::Engine;
use super::content::Content;
use super::error::EngineError;
use super::hook::{self, Hooks};
use super::options::ChangeOptions;
use super::outcome::{After, Outcome, OutcomeNote};
use super::pending::PendingChange;
use super::running::{LastChange, State, Turn};
use super::snapshot::Snapshot;
use crate::store::{
    Candidate, ConfFile, FileStamp, LoadedText, LockedFile, StoreError, Warning, WriteOutcome,
};
use crate::syntax::spliced_pieces;

/// What the history calls a text that ran and was in no file.
pub(super) const UNSAVED: &str = "unsaved";

/// What is done to a configuration.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Operation {
    /// Merge a patch into the running configuration, and save.
    Modify,
    /// Replace the running configuration and the file.
    Save,
    /// Replace the running configuration.
    Update,
    /// Make a text of the history the configuration again.
    Rollback,
    /// Run what is in the file.
    Load,
}

impl Operation {
    /// As hooks and the history have it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Modify => "modify",
            Self::Save => "save",
            Self::Update => "update",
            Self::Rollback => "rollback",
            Self::Load => "load",
        }
    }

    /// Whether the file is written, too.
    pub(super) fn writes(self) -> bool {
        matches!(self, Self::Modify | Self::Save | Self::Rollback)
    }
}

/// What a change is computed on.
pub(super) struct Found {
    /// The file as it is now; none where it is missing.
    pub file: Option<FileNow>,
    /// What a server runs; none for a local command without one.
    pub state: Option<State>,
}

/// The file as it is now.
pub(super) struct FileNow {
    pub snapshot: Arc<Snapshot>,
    stamp: FileStamp,
}

/// A text that is ready to be written.
pub(super) struct Ready {
    /// What it was computed on.
    pub before: Option<Arc<Snapshot>>,
    /// What comes in its place.
    pub after: After,
    /// Whether `before` has to be without errors, which is still being looked at.
    pub on_valid: bool,
    pub notes: Vec<OutcomeNote>,
}

/// Computes what is to be written from what is there.
pub(super) type Prepare<'a> = &'a mut dyn FnMut(&Found) -> Result<Ready, EngineError>;

impl Engine {
    /// Does one change, or rehearses it.
    pub(super) fn change(
        &self,
        operation: Operation,
        request: &ChangeOptions,
        prepare: Prepare<'_>,
    ) -> Result<Outcome, EngineError> {
        let turn = self.take_turn()?;
        request.refuse_late()?;
        self.refuse_moved()?;
        self.refuse_pending()?;
        let mut locked = self.lock_for(operation, request)?;
        let mut state = self.running.as_ref().map(|running| running.state());
        let file = self.load(operation, state.as_ref())?;
        if let (Some(state), Some(file)) = (&mut state, &file) {
            self.note_saved(state, file);
        }
        let mut warnings = Vec::new();
        if let Some(locked) = locked.as_mut().filter(|_| !request.dry_run) {
            warnings = locked.take_warnings();
            warnings.extend(locked.look(file.as_ref().map(|file| file.snapshot.as_now()))?);
        }
        let found = Found { file, state };
        request.refuse_late()?;
        let Ready { before, after, on_valid, notes } = prepare(&found)?;
        request.refuse_late()?;
        let warnings = warnings.iter().map(Warning::to_string).collect();
        let before = before.map(Content::Text);
        let mut change = Outcome { before, after, notes, warnings, pending: None };
        let work =
            Work { engine: self, operation, request, locked: locked.as_ref(), found: &found, on_valid };
        if !change.is_change() {
            work.refuse_invalid(&change)?;
            return Ok(change);
        }
        let (more, pending) = work.carry_out(&change)?;
        change.warnings.extend(more.iter().map(Warning::to_string));
        change.pending = pending.map(|pending| pending.info());
        if request.reload_later && !request.dry_run && self.hooks.reload.is_some() {
            drop(locked);
            self.reload_later(operation, request, &found, &change, turn);
        }
        Ok(change)
    }

    fn refuse_pending(&self) -> Result<(), EngineError> {
        self.pending().map_or(Ok(()), |waiting| Err(EngineError::Pending(waiting)))
    }

    pub(super) fn take_turn(&self) -> Result<Option<Turn>, EngineError> {
        let Some(running) = &self.running else { return Ok(None) };
        running.take_turn(self.lock_wait).map(Some).ok_or(EngineError::Busy)
    }

    /// A server works on the file that it loaded: where a link leads elsewhere by now, there may be
    /// another server.
    pub(super) fn refuse_moved(&self) -> Result<(), EngineError> {
        if self.running.is_none() {
            return Ok(());
        }
        match ConfFile::resolve(self.conf.given()) {
            Ok(now) if now.target() != self.conf.target() => Err(EngineError::Moved),
            _ => Ok(()),
        }
    }

    /// What somebody else wrote into the file is what runs: it is saved.
    fn note_saved(&self, state: &mut State, file: &FileNow) {
        if !state.is_saved() && file.snapshot.is_same_text(&state.running) {
            state.saved = state.running.clone();
            if let Some(running) = &self.running {
                running.exchange(|state| state.saved = state.running.clone());
            }
        }
    }

    /// A dry run without a check command needs no lock, and makes no folder; nor does what leaves
    /// the file alone, except for the text that hooks look at.
    fn lock_for(
        &self,
        operation: Operation,
        request: &ChangeOptions,
    ) -> Result<Option<LockedFile<'_>>, EngineError> {
        let rehearsal = request.dry_run && self.hooks.check.is_none();
        let is_saved = self.state().is_none_or(|state| state.is_saved());
        let needs_none = self.hooks.are_empty() && request.confirm.is_none() && is_saved;
        if rehearsal || (!operation.writes() && needs_none) {
            return Ok(None);
        }
        self.refuse_missing(operation)?;
        match self.conf.lock(self.lock_wait, &mut |holder| (self.on_wait)(self.conf.given(), holder)) {
            Ok(locked) => Ok(Some(locked)),
            // Where nothing can be written, what runs can be exchanged all the same.
            Err(StoreError::StateFolder { .. } | StoreError::PermissionDenied { .. })
                if !operation.writes() && request.confirm.is_none() =>
            {
                Ok(None)
            }
            Err(error) => Err(error.into()),
        }
    }

    /// The text for the hooks to look at.
    pub(super) fn candidate(
        &self,
        locked: Option<&LockedFile<'_>>,
        pieces: &[&[u8]],
    ) -> Result<Candidate, EngineError> {
        Ok(match locked {
            Some(locked) => locked.candidate(pieces)?,
            None => Candidate::elsewhere(pieces)?,
        })
    }

    /// Asked before the lock, which makes a folder.
    fn refuse_missing(&self, operation: Operation) -> Result<(), EngineError> {
        let target = self.conf.target();
        match target.try_exists() {
            Ok(false) if operation == Operation::Modify && self.running.is_none() => {
                Err(StoreError::NotFound { path: target.to_owned() }.into())
            }
            _ => Ok(()),
        }
    }

    /// What is there; a local `modify` alone may not find nothing.
    fn load(&self, operation: Operation, state: Option<&State>) -> Result<Option<FileNow>, EngineError> {
        let loaded = match self.conf.load() {
            Ok(loaded) => loaded,
            Err(StoreError::NotFound { .. }) if operation != Operation::Modify || state.is_some() => {
                return Ok(None);
            }
            Err(_) if operation == Operation::Update => return Ok(None),
            Err(error) => return Err(error.into()),
        };
        let saved = state.map(|state| &state.saved).filter(|saved| saved.bytes() == loaded.bytes);
        let snapshot = saved.cloned().unwrap_or_else(|| Arc::new(Snapshot::of(loaded.bytes)));
        Ok(Some(FileNow { snapshot, stamp: loaded.stamp }))
    }
}

/// A change that is carried out.
struct Work<'a> {
    engine: &'a Engine,
    operation: Operation,
    request: &'a ChangeOptions,
    locked: Option<&'a LockedFile<'a>>,
    found: &'a Found,
    on_valid: bool,
}

impl Work<'_> {
    /// Everything but the computation.
    fn carry_out(&self, change: &Outcome) -> Result<(Vec<Warning>, Option<Arc<PendingChange>>), EngineError> {
        let pieces = pieces(change);
        let engine = self.engine;
        let _hold = (!engine.hooks.are_empty()).then(|| engine.hooks.interrupt.hold());
        // A dry run without a check command shows its text to nobody.
        let is_shown =
            if self.request.dry_run { engine.hooks.check.is_some() } else { !engine.hooks.are_empty() };
        let candidate = if is_shown { Some(engine.candidate(self.locked, &pieces)?) } else { None };
        let occasion =
            candidate.as_ref().map(|candidate| engine.occasion(self.operation, candidate, self.request));
        if let (Some(command), Some(occasion)) = (&engine.hooks.check, occasion) {
            self.refuse_invalid(change)?;
            let hooks = Hooks { timeout: self.request.at_most(engine.hooks.timeout), ..engine.hooks.clone() };
            let checked = hook::run(command, occasion, &hooks);
            self.request.refuse_late()?;
            checked.map_err(EngineError::of_check)?;
        }
        if self.request.dry_run {
            self.refuse_invalid(change)?;
            return Ok((Vec::new(), None));
        }
        self.keep_unsaved()?;
        let (asked, what) = ((self.operation, self.request), (self.found, change));
        let waiting = engine.wait_for_confirmation(asked, what, self.locked, &pieces)?;
        let warnings = match self.locked {
            Some(locked) if self.operation.writes() => self.write(locked, change, &pieces),
            _ => self.request.refuse_late().map(|()| Vec::new()),
        };
        let warnings = warnings.inspect_err(|_| {
            waiting.iter().for_each(|waiting| engine.forget_waiting(waiting, self.locked));
        })?;
        self.swap(change, waiting.clone());
        if let (Some(occasion), false) = (occasion, self.request.reload_later) {
            engine.reload(occasion, self.locked, &self.found.before(), &pieces, self.operation)?;
        }
        waiting.iter().for_each(|waiting| waiting.start_clock());
        Ok((warnings, waiting))
    }

    /// What ran and is in no file would be lost, except where it is what a patch is merged into.
    fn keep_unsaved(&self) -> Result<(), EngineError> {
        let state = self.found.state.as_ref().filter(|state| !state.is_saved());
        let (Some(state), Some(locked)) = (state, self.locked) else { return Ok(()) };
        if self.operation == Operation::Modify && !self.request.force {
            return Ok(());
        }
        let record = self.request.record(UNSAVED, self.engine.keep);
        Ok(locked.keep_aside(state.running.bytes(), &record)?)
    }

    /// The new text is made durable beside the file while the last look at the old one goes on.
    fn write(
        &self,
        locked: &LockedFile<'_>,
        change: &Outcome,
        pieces: &[&[u8]],
    ) -> Result<Vec<Warning>, EngineError> {
        let file = self.found.file.as_ref();
        let old = file.map(|file| LoadedText {
            text: file.snapshot.bytes(),
            stamp: &file.stamp,
            revision: file.snapshot.revision(),
        });
        let record = self.request.record(self.operation.name(), self.engine.keep);
        let prepared = locked.prepare(old, pieces, &record)?;
        self.refuse_invalid(change)?;
        self.request.refuse_late()?;
        match prepared.commit()? {
            WriteOutcome::Unchanged => Ok(Vec::new()),
            WriteOutcome::Written { warnings } => Ok(warnings),
        }
    }

    fn refuse_invalid(&self, change: &Outcome) -> Result<(), EngineError> {
        match change.before.as_ref().and_then(Content::snapshot) {
            Some(before) if self.on_valid && !before.is_valid() => {
                Err(EngineError::BadConfig(before.clone()))
            }
            _ => Ok(()),
        }
    }

    fn swap(&self, change: &Outcome, waiting: Option<Arc<PendingChange>>) {
        // Without a server nobody needs the new text as a whole, and it is not put together.
        let Some(running) = &self.engine.running else { return };
        let Some(after) = change.after().and_then(Content::snapshot).cloned() else { return };
        let is_in_file = match &self.found.file {
            _ if self.operation.writes() => true,
            Some(file) => file.snapshot.is_same_text(&after),
            None => false,
        };
        running.exchange(|state| {
            if is_in_file {
                state.saved = after.clone();
            }
            state.running = after;
            state.generation += 1;
            state.last_error = None;
            state.pending = waiting;
            state.last_change = Some(LastChange {
                at: std::time::SystemTime::now(),
                by: self.request.by.clone(),
                operation: self.operation.name(),
            });
        });
    }
}

/// The new text in pieces; what an edit keeps is taken straight from the text before.
fn pieces(change: &Outcome) -> Vec<&[u8]> {
    match (&change.after, change.before.as_ref().and_then(Content::snapshot)) {
        (After::Replaced(Content::Text(after)), _) => vec![after.bytes()],
        (After::Edited { splices, .. }, Some(before)) => {
            let old = before.document().text();
            spliced_pieces(old, 0..old.len(), splices).map(str::as_bytes).collect()
        }
        _ => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use serde_json::json;

    use super::*;

    #[test]
    fn a_local_change_puts_no_new_text_together() {
        let folder = tempfile::tempdir().expect("a folder can be made");
        let path = folder.path().join("media.conf");
        fs::write(&path, "http 80;\n").expect("a file can be made");
        let engine = Engine::open(&path, Hooks::default(), |_, _| {}).expect("it can be opened");
        let request = json!({"rtmp": 1935}).into();
        let change = engine.modify(&request, &ChangeOptions::default()).expect("it can be changed");
        let After::Edited { whole, .. } = &change.after else { panic!("it is edited") };
        assert!(whole.get().is_none(), "for a large text that takes longer than to write it");
    }
}
