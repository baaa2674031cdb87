//! The second half of a change, from its computed form: judgement, check hook, write, swap, reload hook.

use std::sync::Arc;
use std::time::SystemTime;

use super::stored_text::StoredText;
use super::{Change, Transaction};
use crate::engine::activity::ReloadRun;
use crate::engine::changed_paths::first_paths_between;
use crate::engine::hook::{self, HookFailure, HookReason, Hooks, Occasion};
use crate::engine::local::DEFAULT_LOCK_WAIT;
use crate::engine::masked::{message_without_secrets, without_secrets};
use crate::engine::operation::{Operation, UNSAVED};
use crate::engine::outcome::{After, Outcome, OutcomeNote};
use crate::engine::pending::{PendingChange, RollbackPoint};
use crate::engine::running::LastChange;
use crate::engine::snapshot::{Snapshot, compared};
use crate::error::{Error, ErrorKind};
use crate::store::{ChangeId, ChangeRecord, ChangedPaths, Warning, is_concatenation};

/// The longest text that a writer compares with the one before to note the paths of its change, in bytes.
const COMPARED_TEXT: usize = 1024 * 1024;

impl Transaction<'_> {
    /// Makes the change, or rehearses it.
    pub(in crate::engine) fn finish(mut self, change: Change) -> Result<Outcome, Error> {
        self.options.refuse_late()?;
        let Change { before, after, needs_valid, notes } = change;
        let unproved = before.clone().filter(|_| needs_valid);
        let file =
            self.file().filter(|file| !before.as_ref().is_some_and(|before| before.is_same_text(file)));
        let file = file.filter(|_| self.state.is_some() && self.operation != Operation::Update).cloned();
        let mut outcome = Outcome { file, ..Outcome::new(before, after) };
        outcome.notes = notes;
        outcome.notes.extend(self.is_other_pending.then_some(OutcomeNote::OtherPending));
        if outcome.is_change() {
            outcome.new_warnings = self.judge(&outcome)?;
            let pending = self.carry_out(&outcome, unproved.as_ref())?;
            outcome.pending = pending.map(|pending| pending.info());
            let is_recorded = !self.options.dry_run && self.operation.writes();
            outcome.id = is_recorded.then(|| self.id.clone());
        } else {
            refuse_invalid(unproved.as_ref())?;
        }
        outcome.warnings = self.warnings.iter().map(Warning::to_string).chain(self.told.drain(..)).collect();
        if self.options.reload_later && outcome.is_change() && !self.options.dry_run {
            self.reload_later(&outcome);
        }
        Ok(outcome)
    }

    /// Runs the steps behind the computation: hooks, write, swap, reload.
    fn carry_out(
        &mut self,
        outcome: &Outcome,
        unproved: Option<&Arc<Snapshot>>,
    ) -> Result<Option<Arc<PendingChange>>, Error> {
        let (engine, options) = (self.engine, self.options);
        let pieces = pieces(outcome);
        let _hold = (!engine.hooks.are_empty()).then(|| engine.hooks.interrupt.hold());
        // A rehearsal runs the check command alone.
        let runs_hooks = match options.dry_run {
            true => engine.hooks.check.is_some(),
            false => !engine.hooks.are_empty(),
        };
        let candidate = match runs_hooks {
            true => Some(engine.candidate(self.writer.as_deref(), &pieces)?),
            false => None,
        };
        let texts = || engine.with_included(outcome.texts());
        let masked = |printed: &str| without_secrets(printed, &texts());
        let occasion = candidate.as_ref().map(|candidate| Occasion {
            operation: self.operation.name(),
            file: engine.store.path(),
            text: candidate.path(),
            by: &options.by,
            masked: &masked,
        });
        if let (Some(command), Some(occasion)) = (&engine.hooks.check, occasion) {
            refuse_invalid(unproved)?;
            let _alone = if options.takes_turn() { None } else { engine.rehearse(options)? };
            let hooks = Hooks { timeout: options.at_most(engine.hooks.timeout), ..engine.hooks.clone() };
            let checked = hook::run(command, occasion, &hooks);
            options.refuse_late()?;
            checked.map_err(rejected)?;
        }
        if options.dry_run {
            refuse_invalid(unproved)?;
            return Ok(None);
        }
        self.message = options.message.as_deref().map(|message| message_without_secrets(message, &texts()));
        self.keep_unsaved()?;
        let before = self.rollback_point();
        let pending = self.arm_rollback(&before, outcome)?;
        let committed = self.commit(&pieces, unproved);
        let warnings = committed.inspect_err(|_| {
            pending.iter().for_each(|pending| engine.forget_pending(pending, self.writer.as_deref()));
        })?;
        self.warnings.extend(warnings);
        self.swap(outcome, pending.clone());
        if let (Some(occasion), false) = (occasion, options.reload_later) {
            engine.reload((occasion, &self.id), self.writer.as_deref(), &before, self.written(&pieces))?;
        }
        pending.iter().for_each(|pending| pending.start_clock());
        Ok(pending)
    }

    /// Keeps a running configuration that is in no file and would be lost. A patch is merged into it,
    /// so a patch loses it only with `force`.
    fn keep_unsaved(&self) -> Result<(), Error> {
        let unsaved = self.state.as_ref().filter(|state| !state.is_saved());
        let (Some(state), Some(writer)) = (unsaved, &self.writer) else { return Ok(()) };
        if self.operation == Operation::Modify && !self.options.force {
            return Ok(());
        }
        writer.keep_aside(state.running.bytes(), &ChangeRecord { id: None, ..self.record(UNSAVED) })
    }

    /// Arms the automatic rollback of a change that has to be confirmed.
    fn arm_rollback(
        &self,
        before: &RollbackPoint,
        outcome: &Outcome,
    ) -> Result<Option<Arc<PendingChange>>, Error> {
        let Some(time) = self.options.confirm else { return Ok(None) };
        let can_wait = self.state.is_some() || self.engine.is_run_by_nodes();
        let Some(writer) = self.writer.as_ref().filter(|_| can_wait) else {
            return Err(Error::no_server());
        };
        let after = outcome.after().cloned();
        let written = after.filter(|_| self.operation.writes());
        let longest = self.engine.hooks.timeout + DEFAULT_LOCK_WAIT;
        let made_by = (self.id.as_str(), self.name(), self.options.by.as_str());
        let mut pending = PendingChange::new(made_by, before.clone(), written, [time, longest]);
        pending.info.canary.clone_from(&self.options.canary);
        pending.info.soak_s = self.options.soak.map(|soak| soak.as_secs());
        let pending = Arc::new(pending);
        self.engine.arm_rollback(&pending, &**writer)?;
        Ok(Some(pending))
    }

    /// The entry of the change in the history.
    fn record<'t>(&'t self, operation: &'t str) -> ChangeRecord<'t> {
        let (by, message) = (self.options.by.as_str(), self.message.as_deref());
        ChangeRecord {
            id: Some(self.id.as_str()),
            undoes: self.options.undoes.as_ref().map(ChangeId::as_str),
            message,
            keep: self.engine.keep,
            from: self.options.from,
            ..ChangeRecord::new(operation, by)
        }
    }

    /// The paths that the change changes, where readers of the history would have to fetch both texts for them.
    fn changed_paths(&self, pieces: &[&[u8]]) -> Option<ChangedPaths> {
        let is_same = is_concatenation(self.file()?.bytes(), pieces);
        if is_same { Some(ChangedPaths::default()) } else { self.changed_in_text(pieces) }
    }

    /// The paths that the change changes in the text; `None` if it is too large to be compared, or has errors.
    fn changed_in_text(&self, pieces: &[&[u8]]) -> Option<ChangedPaths> {
        let is_small = pieces.iter().map(|piece| piece.len()).sum::<usize>() <= COMPARED_TEXT;
        let old = self.file().filter(|old| is_small && old.bytes().len() <= COMPARED_TEXT)?;
        let new = Arc::new(Snapshot::from_bytes(pieces.concat()));
        let is_valid = old.is_valid() && new.is_valid();
        is_valid.then(|| compared([Some(old), Some(&new)], first_paths_between))
    }

    /// The name of the change: that of the command that makes it, else of the operation.
    fn name(&self) -> &str {
        self.options.command.as_deref().unwrap_or(self.operation.name())
    }

    /// Makes the new text durable while a thread may still be looking for errors in the old one, and
    /// then the stored text.
    fn commit(&self, pieces: &[&[u8]], unproved: Option<&Arc<Snapshot>>) -> Result<Vec<Warning>, Error> {
        let Some(writer) = self.writer.as_ref().filter(|_| self.operation.writes()) else {
            return self.options.refuse_late().map(|()| Vec::new());
        };
        let paths = (self.engine.is_run_by_nodes()).then(|| self.changed_paths(pieces)).flatten();
        let record = ChangeRecord { paths: paths.as_ref(), ..self.record(self.name()) };
        let old = self.file.as_ref().map(StoredText::as_base);
        let prepared = writer.prepare(old, Some(pieces), &record)?;
        refuse_invalid(unproved)?;
        self.options.refuse_late()?;
        prepared.commit()
    }

    /// Makes the new configuration the running one.
    fn swap(&self, outcome: &Outcome, pending: Option<Arc<PendingChange>>) {
        // Without a server the whole new text is not needed, so it is not built.
        let Some(running) = &self.engine.running else { return };
        let Some(after) = outcome.after().cloned() else { return };
        let is_stored = self.operation.writes() || self.file().is_some_and(|file| file.is_same_text(&after));
        let last_change = LastChange {
            at: SystemTime::now(),
            by: self.options.by.clone(),
            operation: self.name().to_owned(),
        };
        let composed = self.engine.composed_revision(&after);
        running.exchange(|state| {
            state.composed = composed;
            if is_stored {
                state.saved = after.clone();
            }
            state.running = after;
            state.generation += 1;
            state.last_error = None;
            state.pending = pending;
            state.last_change = Some(last_change);
        });
        if self.engine.hooks.reload.is_none() {
            self.engine.note_reload(true, ReloadRun { by: self.options.by.clone(), ..ReloadRun::default() });
        }
    }

    /// Gives the lock back, and hands the turn to a thread that runs the reload command.
    fn reload_later(&mut self, outcome: &Outcome) {
        let Some(after) = outcome.after() else { return };
        let (after, before) = (after.clone(), self.rollback_point());
        let writes = self.operation.writes();
        self.writer = None;
        let made_by = (self.operation.name(), self.options.by.clone(), self.id.clone());
        self.engine.reload_later(made_by, before, after, writes, self.turn.take());
    }

    fn rollback_point(&self) -> RollbackPoint {
        let server = self.state.as_ref().map(|state| (state.running.clone(), state.saved.clone()));
        RollbackPoint { file: self.file().cloned(), server }
    }

    /// The pieces that the operation writes into the file; `None` if it leaves the file alone.
    fn written<'p>(&self, pieces: &'p [&'p [u8]]) -> Option<&'p [&'p [u8]]> {
        Some(pieces).filter(|_| self.operation.writes())
    }
}

fn refuse_invalid(unproved: Option<&Arc<Snapshot>>) -> Result<(), Error> {
    match unproved.filter(|before| !before.is_valid()) {
        Some(before) => Err(Error::bad_config(before.clone())),
        None => Ok(()),
    }
}

/// The new text in pieces; those that an edit keeps are slices of the text before.
fn pieces(outcome: &Outcome) -> Vec<&[u8]> {
    match (&outcome.after, outcome.before.as_ref()) {
        (After::Unchanged, Some(before)) => vec![before.bytes()],
        (After::Replaced(after) | After::Edited { after, .. }, _) => {
            vec![after.bytes()]
        }
        _ => Vec::new(),
    }
}

/// The check command refused the new text.
fn rejected(failure: HookFailure) -> Error {
    let refusal = |message| Error::new(ErrorKind::RejectedByCheck, message);
    match failure.reason {
        HookReason::Interrupted(signal) => {
            refusal("interrupted while the check command ran: nothing was changed".to_owned())
                .by_signal(signal)
        }
        ref reason => refusal(format!("the check command {failure}"))
            .in_brief(format!("the check command {reason}"))
            .hint("nothing was written"),
    }
}
