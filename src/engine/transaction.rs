//! The order of work of every change.
//!
//! ```text
//! begin:   turn → lock → load → reconcile
//!          (the operation computes its change, and its guards)
//! finish:  judgement → check hook → prepare → commit → swap → reload hook
//! ```
//!
//! A rehearsal takes neither turn nor lock, and ends behind the check hook, which runs for one rehearsal at
//! a time: however long that takes, no change waits for it.
//!
//! If a step fails, the stored text is as before. Between the steps up to the commit, a change whose
//! request has timed out is given up.

use mediaconf::plumbing::schema::Schema;
use std::sync::{Arc, OnceLock};
use std::time::SystemTime;

use bytes::Bytes;

use super::activity::ReloadRun;
use super::applied::Applied;
use super::brought::Brought;
use super::canary::CanaryFault;
use super::changed_paths::first_paths_between;
use super::conflict::OVERWRITE;
use super::content::{Content, compared};
use super::hook::{self, HookFailure, HookReason, Hooks, Occasion};
use super::left_over::WithoutChange;
use super::local::{DEFAULT_LOCK_WAIT, Engine};
use super::operation::{Operation, UNSAVED};
use super::options::{ChangeOptions, Expected};
use super::outcome::{After, Outcome, OutcomeNote};
use super::overlays;
use super::pending::{PendingChange, RollbackPoint};
use super::refusal::Refusal;
use super::refusal_kind::RefusalKind;
use super::running::{LastChange, ServerState, Turn};
use super::snapshot::Snapshot;
use super::trouble::{message_without_secrets, without_secrets};
use crate::store::{
    BaseText, ChangeRecord, ChangedPaths, Loaded, Overlays, PendingInfo, StoreError, Version, Warning,
    Writer, is_concatenation,
};
use mediaconf::plumbing::edit::json_diff::FirstChanges;
use mediaconf::plumbing::syntax::spliced_pieces;

/// The longest text that a writer compares with the one before to note the paths of its change, in bytes.
const COMPARED_TEXT: usize = 1024 * 1024;

/// A change that has begun: it has its turn, its lock, and the texts that it is computed on.
pub(super) struct Transaction<'e> {
    pub engine: &'e Engine,
    pub options: &'e ChangeOptions,
    operation: Operation,
    /// `None` if nothing is written: in a dry run, or if the running configuration changes alone.
    writer: Option<Box<dyn Writer + 'e>>,
    /// Given back after the lock, so that the next writer of this process finds the lock free.
    turn: Option<Turn>,
    /// The file, if an unconfirmed change was in it.
    taken_out: Option<WithoutChange>,
    file: Option<StoredText>,
    /// The state of the server; none without one.
    pub state: Option<ServerState>,
    /// Of a rehearsal: whether another change has to be confirmed first.
    is_other_pending: bool,
    /// Without a server: the text of the last change, and the file as it was edited by hand since.
    hand_edit: Option<[Arc<Snapshot>; 2]>,
    /// The state that an owner applies by the change.
    pub applied: Option<Applied>,
    warnings: Vec<Warning>,
    /// The reason for the change, for the history, without the secrets of both texts.
    message: Option<String>,
    /// The faults that the judgement has found, and does not refuse.
    pub told: Vec<String>,
    /// The secrets that the masks of the request stand for.
    pub brought: OnceLock<Brought>,
    /// True if the new text was given as a whole, and what differs on single nodes may go.
    pub is_whole: bool,
}

/// The stored text.
struct StoredText {
    snapshot: Arc<Snapshot>,
    version: Version,
    /// The change that made it, if the store keeps it until it is confirmed.
    open: Option<PendingInfo>,
    /// What differs on single nodes.
    overlays: Overlays,
    /// What can't be read of that.
    damaged: Option<String>,
    /// False if somebody may have put it there who has no key that is trusted.
    is_trusted: bool,
}

/// A change as its operation computed it.
pub(super) struct Change {
    /// The configuration before; `None` if there was no file.
    pub before: Option<Arc<Snapshot>>,
    pub after: After,
    /// What differs on single nodes from then on; `None` if that stays as it is.
    pub overlays: Option<Overlays>,
    /// True if `before` must have no errors, which a thread may still be looking for.
    pub needs_valid: bool,
    pub notes: Vec<OutcomeNote>,
}

impl<'e> Transaction<'e> {
    /// Waits for the turn and the lock, loads the texts, and reconciles the history with them. A rehearsal
    /// loads the texts alone.
    pub fn begin(
        engine: &'e Engine,
        operation: Operation,
        options: &'e ChangeOptions,
    ) -> Result<Self, Refusal> {
        if !options.canary.is_empty() && !engine.is_run_by_nodes() {
            return Err(CanaryFault::NoCluster.into());
        }
        let turn = if options.takes_turn() { engine.take_turn()? } else { None };
        options.refuse_late()?;
        engine.refuse_moved()?;
        if let Some(pending) = engine.pending().filter(|_| options.takes_turn()) {
            return Err(Refusal::pending(&pending.info()));
        }
        let writer = writer_for(engine, operation, options)?;
        let taken_out = engine.settle_left_over(writer.as_deref().filter(|_| !options.dry_run))?;
        let (state, file) = match options.takes_turn() {
            true => texts(engine, writer.as_deref(), operation)?,
            false => texts_between_changes(engine, operation)?,
        };
        let file = match &taken_out {
            Some(taken) => file.map(|file| file.without(taken)),
            None => file,
        };
        let mut transaction = Self {
            engine,
            options,
            operation,
            turn,
            writer,
            taken_out,
            file,
            state,
            is_other_pending: engine.pending().is_some(),
            hand_edit: None,
            applied: None,
            warnings: Vec::new(),
            message: None,
            told: Vec::new(),
            brought: OnceLock::new(),
            is_whole: false,
        };
        transaction.refuse_open()?;
        transaction.note_saved();
        transaction.reconcile()?;
        options.refuse_late()?;
        Ok(transaction)
    }

    /// A whole new text without an unconfirmed change that it took over: the file instead, if the text is
    /// the one that held the change; else the text, if it was made for that one, with the change taken
    /// out.
    pub fn meant(&self, text: &Bytes, made_for: Option<&Expected>) -> Bytes {
        let instead = self.taken_out.as_ref().and_then(|taken| match taken.instead_of(text) {
            None if self.is_taken_out_of(made_for) => taken.instead_of_edited(text),
            instead => instead.cloned(),
        });
        instead.map_or_else(|| text.clone(), |instead| instead.shared_bytes().clone())
    }

    /// True if a change was made for the file as it was with an unconfirmed change in it.
    pub fn is_taken_out_of(&self, made_for: Option<&Expected>) -> bool {
        let made_for = made_for.filter(|_| self.state.is_none());
        made_for.is_some_and(|made_for| self.taken_out.as_ref().is_some_and(|it| it.is_expected(made_for)))
    }

    /// The text of the file as it was with an unconfirmed change in it.
    pub fn with_left_over(&self) -> Option<&Arc<Snapshot>> {
        self.taken_out.as_ref().and_then(WithoutChange::from)
    }

    /// The text of the file; `None` if the file is missing.
    pub fn file(&self) -> Option<&Arc<Snapshot>> {
        self.file.as_ref().map(|file| &file.snapshot)
    }

    /// False if somebody may have put the text there who has no key that is trusted: the same text is a change then.
    pub fn is_trusted(&self) -> bool {
        self.file.as_ref().is_none_or(|file| file.is_trusted)
    }

    /// True if single nodes have values of their own, which a whole text does not replace.
    pub fn has_overlays(&self) -> bool {
        self.file.as_ref().is_some_and(|file| !file.overlays.is_empty())
    }

    pub fn is(&self, operation: Operation) -> bool {
        self.operation == operation
    }

    /// What differs on single nodes.
    pub fn overlays(&self) -> Overlays {
        self.file.as_ref().map(|file| file.overlays.clone()).unwrap_or_default()
    }

    /// The text of which a hand edit was made, and the file with it.
    pub fn hand_edit(&self) -> Option<[&Arc<Snapshot>; 2]> {
        match &self.state {
            Some(state) => Some([&state.saved, self.file().filter(|_| self.is_hand_edited(state))?]),
            None => self.hand_edit.as_ref().map(|texts| texts.each_ref()),
        }
    }

    /// Says which values a hand edit changed that the change picks up.
    pub fn picked_up(&self) -> Option<OutcomeNote> {
        let sides = self.hand_edit()?.map(|text| Content::Text(text.clone()));
        let words = compared(sides.each_ref().map(Some), |known, file| {
            FirstChanges::in_words(Schema::media(), known, file)
        });
        Some(OutcomeNote::PickedUpHandEdit(words))
    }

    /// True if the file differs from the text that the server loaded or saved last.
    pub fn is_hand_edited(&self, state: &ServerState) -> bool {
        self.file().is_none_or(|file| !file.is_same_text(&state.saved))
    }

    /// True if the change was made for the file as it was edited by hand, and nothing else would be lost.
    pub fn is_for_hand_edit(&self) -> bool {
        let names = |file: &Arc<Snapshot>| {
            self.options.expected.as_ref().is_some_and(|expected| expected.names(file.revision()))
        };
        self.state.as_ref().is_none_or(ServerState::is_saved) && self.file().is_some_and(names)
    }

    /// Refuses a change that was made for another running configuration (`If-Match`), or for a file
    /// that was edited by hand since.
    pub fn refuse_stale(&self, state: &ServerState, is_hand_edited: bool) -> Result<(), Refusal> {
        match &self.options.expected {
            Some(_) if is_hand_edited && self.is_for_hand_edit() => Ok(()),
            Some(_) if is_hand_edited => Err(hand_edited_since()),
            Some(expected) if !expected.allows(state.running.revision()) => Err(stale()),
            _ => Ok(()),
        }
    }

    /// Refuses a change that was made for another text of the file, where no server runs over it.
    pub fn refuse_other_file(&self) -> Result<(), Refusal> {
        let found = self.file().map(|file| file.revision());
        match &self.options.expected {
            Some(expected) if !found.is_some_and(|found| expected.allows(found)) => {
                if self.is_taken_out_of(self.options.expected.as_ref()) { Ok(()) } else { Err(stale()) }
            }
            _ => Ok(()),
        }
    }

    /// Makes the change, or rehearses it.
    pub fn finish(mut self, change: Change) -> Result<Outcome, Refusal> {
        self.options.refuse_late()?;
        let Change { before, after, overlays, needs_valid, notes } = change;
        let unproved = before.clone().filter(|_| needs_valid);
        let file =
            self.file().filter(|file| !before.as_ref().is_some_and(|before| before.is_same_text(file)));
        let file = file.filter(|_| self.state.is_some() && self.operation != Operation::Update).cloned();
        let overlays = self.changed_overlays(overlays)?;
        let mut outcome = Outcome { file, overlays, ..Outcome::new(before.map(Content::Text), after) };
        outcome.notes = self.taken_out.iter().filter_map(WithoutChange::note).chain(notes).collect();
        outcome.notes.extend(self.is_other_pending.then_some(OutcomeNote::OtherPending));
        if outcome.is_change() {
            self.brought.get().map_or(Ok(()), |brought| brought.refuse_shown(&outcome, self.file()))?;
            outcome.new_warnings = self.judge(&outcome)?;
            let pending = self.carry_out(&outcome, unproved.as_ref())?;
            outcome.pending = pending.map(|pending| pending.info());
        } else {
            refuse_invalid(unproved.as_ref())?;
        }
        self.settle_applied(&outcome)?;
        outcome.warnings = self.warnings.iter().map(Warning::to_string).chain(self.told.drain(..)).collect();
        if self.options.reload_later && outcome.is_change() && !self.options.dry_run {
            self.reload_later(&outcome);
        }
        Ok(outcome)
    }

    /// What differs on single nodes before and after the change; `None` if that stays as it is. A whole text that takes
    /// the place of one that nobody trusts takes over nothing that would be signed.
    fn changed_overlays(&mut self, wanted: Option<Overlays>) -> Result<Option<[Overlays; 2]>, Refusal> {
        let known = self.overlays();
        let is_alone = self.is_whole && self.options.confirm.is_none();
        let are_dropped = is_alone && !self.is_trusted();
        if !(is_alone || self.is_trusted()) {
            // It says why.
            self.engine.store.load()?;
        }
        if are_dropped && !known.is_empty() {
            self.told.push(overlays::dropped(&known));
        }
        let wanted = wanted.or(are_dropped.then(Overlays::default));
        if wanted.is_none() {
            self.refuse_damaged()?;
        }
        let is_damaged = self.file.as_ref().is_some_and(|file| file.damaged.is_some());
        Ok(wanted.filter(|wanted| *wanted != known || is_damaged).map(|wanted| [known, wanted]))
    }

    /// Refuses a change that would need to know what differs on single nodes, where that can't be read: it would be lost.
    pub fn refuse_damaged(&self) -> Result<(), Refusal> {
        match self.file.as_ref().and_then(|file| file.damaged.clone()) {
            Some(what) => {
                let name = self.engine.name.clone();
                Err(Refusal::of_overlays(StoreError::Damaged { name, what }))
            }
            None => Ok(()),
        }
    }

    /// Records the state of an owner alone, after the change can no longer be rolled back.
    fn settle_applied(&self, outcome: &Outcome) -> Result<(), Refusal> {
        let (Some(applied), Some(writer), false) = (&self.applied, &self.writer, self.options.dry_run) else {
            return Ok(());
        };
        let may_go_back =
            outcome.pending.is_some() || (self.options.reload_later && self.engine.hooks.reload.is_some());
        match outcome.is_change() {
            false => Ok(applied.settle(&**writer)?),
            true if may_go_back => Ok(()),
            true => {
                // The change is made. If this fails, the earlier states stay recorded, too, and go next time.
                let _ = applied.settle(&**writer);
                Ok(())
            }
        }
    }

    /// Refuses a change on a text that another change has made which the store keeps until it is confirmed. Nobody waits
    /// for one that no trusted key has signed: what takes its place says so itself.
    fn refuse_open(&mut self) -> Result<(), Refusal> {
        let open = self.file.as_ref().and_then(|file| file.open.clone()).filter(|open| !open.is_over);
        match open {
            Some(open) if self.options.takes_turn() && self.is_trusted() => Err(Refusal::pending(&open)),
            open => {
                self.is_other_pending |= open.is_some();
                Ok(())
            }
        }
    }

    /// Reconciles the history with the file; a rehearsal only looks at both. Without a server, the history alone
    /// knows what the file was before a hand edit.
    fn reconcile(&mut self) -> Result<(), Refusal> {
        let edited = self.with_left_over().or(self.file()).cloned();
        let edited = edited.filter(|_| self.state.is_none());
        let known = match &mut self.writer {
            Some(writer) if !self.options.dry_run => {
                self.warnings = writer.take_warnings();
                let reconciled = writer.reconcile(self.file.as_ref().map(StoredText::as_base))?;
                self.warnings.extend(reconciled.warnings);
                reconciled.edited_from
            }
            _ => edited.as_ref().and_then(|file| self.engine.store.edited_from(file.revision())),
        };
        let texts = known.zip(edited).map(|(known, file)| [Arc::new(Snapshot::from_bytes(known)), file]);
        self.hand_edit = texts.filter(|texts| texts.iter().all(|text| text.is_valid()));
        Ok(())
    }

    /// A file that a hand edit made equal to the running configuration counts as saved.
    fn note_saved(&mut self) {
        let (Some(state), Some(file)) = (&mut self.state, &self.file) else { return };
        if !state.is_saved() && file.snapshot.is_same_text(&state.running) {
            state.saved = state.running.clone();
            if let Some(running) = self.engine.running.as_ref().filter(|_| self.turn.is_some()) {
                running.exchange(|state| state.saved = state.running.clone());
            }
        }
    }

    /// Runs the steps behind the computation: hooks, write, swap, reload.
    fn carry_out(
        &mut self,
        outcome: &Outcome,
        unproved: Option<&Arc<Snapshot>>,
    ) -> Result<Option<Arc<PendingChange>>, Refusal> {
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
            return refuse_invalid(unproved).map(|()| None);
        }
        self.message = options.message.as_deref().map(|message| message_without_secrets(message, &texts()));
        self.keep_unsaved()?;
        let before = self.rollback_point();
        if let (Some(applied), Some(writer)) = (&mut self.applied, &self.writer) {
            applied.begin(&**writer)?;
        }
        let pending = self.arm_rollback(&before, outcome)?;
        let committed = self.commit(&pieces, outcome.overlays.as_ref(), unproved);
        let warnings = committed.inspect_err(|_| {
            pending.iter().for_each(|pending| engine.forget_pending(pending, self.writer.as_deref()));
        })?;
        self.warnings.extend(warnings);
        self.swap(outcome, pending.clone());
        if let (Some(occasion), false) = (occasion, options.reload_later) {
            engine.reload(occasion, self.writer.as_deref(), &before, self.written(&pieces))?;
        }
        if let (Some(writer), None, true) =
            (&self.writer, &pending, self.operation.writes() && engine.has_left_over())
        {
            engine.forget_left_over(&**writer)?;
        }
        pending.iter().for_each(|pending| pending.start_clock());
        Ok(pending)
    }

    /// Keeps a running configuration that is in no file and would be lost. A patch is merged into it,
    /// so a patch loses it only with `force`.
    fn keep_unsaved(&self) -> Result<(), Refusal> {
        let unsaved = self.state.as_ref().filter(|state| !state.is_saved());
        let (Some(state), Some(writer)) = (unsaved, &self.writer) else { return Ok(()) };
        if self.operation == Operation::Modify && !self.options.force {
            return Ok(());
        }
        Ok(writer.keep_aside(state.running.bytes(), &self.record(UNSAVED))?)
    }

    /// Arms the automatic rollback of a change that has to be confirmed.
    fn arm_rollback(
        &self,
        before: &RollbackPoint,
        outcome: &Outcome,
    ) -> Result<Option<Arc<PendingChange>>, Refusal> {
        let Some(time) = self.options.confirm else { return Ok(None) };
        let can_wait = self.state.is_some() || self.engine.is_run_by_nodes();
        let Some(writer) = self.writer.as_ref().filter(|_| can_wait) else {
            return Err(Refusal::no_server());
        };
        let after = outcome.after().and_then(Content::snapshot).cloned();
        let written = after.filter(|_| self.operation.writes());
        let longest = self.engine.hooks.timeout + DEFAULT_LOCK_WAIT;
        let made_by = (self.name(), self.options.by.as_str());
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
            message,
            keep: self.engine.keep,
            is_whole: self.is_whole,
            from: self.options.from,
            ..ChangeRecord::new(operation, by)
        }
    }

    /// The paths that the change changes, where readers of the history would have to fetch both texts for them.
    fn changed_paths(&self, pieces: &[&[u8]], overlays: Option<&[Overlays; 2]>) -> Option<ChangedPaths> {
        let is_same = is_concatenation(self.file()?.bytes(), pieces);
        let mut paths = if is_same { ChangedPaths::default() } else { self.changed_in_text(pieces)? };
        let of_overlays: Vec<String> =
            overlays.into_iter().flat_map(|sides| overlays::changed_paths(sides.each_ref())).collect();
        paths.count += of_overlays.len();
        paths.first.extend(of_overlays);
        paths.first.truncate(ChangedPaths::MOST);
        Some(paths)
    }

    /// The paths that the change changes in the text; `None` if it is too large to be compared, or has errors.
    fn changed_in_text(&self, pieces: &[&[u8]]) -> Option<ChangedPaths> {
        let is_small = pieces.iter().map(|piece| piece.len()).sum::<usize>() <= COMPARED_TEXT;
        let old = self.file().filter(|old| is_small && old.bytes().len() <= COMPARED_TEXT)?;
        let new = Arc::new(Snapshot::from_bytes(pieces.concat()));
        let [before, after] = [old, &new].map(|text| Content::Text(text.clone()));
        let is_valid = old.is_valid() && new.is_valid();
        is_valid.then(|| compared([Some(&before), Some(&after)], first_paths_between))
    }

    /// The name of the change: that of the command that makes it, else of the operation.
    fn name(&self) -> &str {
        self.options.command.as_deref().unwrap_or(self.operation.name())
    }

    /// Makes the new text durable while a thread may still be looking for errors in the old one, and
    /// then the stored text.
    fn commit(
        &self,
        pieces: &[&[u8]],
        overlays: Option<&[Overlays; 2]>,
        unproved: Option<&Arc<Snapshot>>,
    ) -> Result<Vec<Warning>, Refusal> {
        let Some(writer) = self.writer.as_ref().filter(|_| self.operation.writes()) else {
            return self.options.refuse_late().map(|()| Vec::new());
        };
        let paths = (self.engine.is_run_by_nodes()).then(|| self.changed_paths(pieces, overlays)).flatten();
        let overlays = overlays.map(|[_, overlays]| overlays);
        let record = ChangeRecord { paths: paths.as_ref(), overlays, ..self.record(self.name()) };
        let old = self.file.as_ref().map(StoredText::as_base);
        let prepared = writer.prepare(old, Some(pieces), &record)?;
        refuse_invalid(unproved)?;
        self.options.refuse_late()?;
        Ok(prepared.commit()?)
    }

    /// Makes the new configuration the running one.
    fn swap(&self, outcome: &Outcome, pending: Option<Arc<PendingChange>>) {
        // Without a server the whole new text is not needed, so it is not built.
        let Some(running) = &self.engine.running else { return };
        let Some(after) = outcome.after().and_then(Content::snapshot).cloned() else { return };
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
        let Some(after) = outcome.after().and_then(Content::snapshot) else { return };
        let (after, before) = (after.clone(), self.rollback_point());
        let writes = self.operation.writes();
        self.writer = None;
        let by = self.options.by.clone();
        self.engine.reload_later((self.operation.name(), by), before, after, writes, self.turn.take());
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

impl StoredText {
    /// The text without an unconfirmed change, if that is in it still: nothing was written.
    fn without(self, taken: &WithoutChange) -> Self {
        let instead = taken.instead_of(self.snapshot.bytes()).cloned();
        Self { snapshot: instead.unwrap_or(self.snapshot), ..self }
    }

    fn as_base(&self) -> BaseText<'_> {
        let Self { snapshot, version, .. } = self;
        BaseText { text: snapshot.bytes(), version, revision: snapshot.revision() }
    }
}

/// Takes the lock where the operation needs it. A rehearsal needs none, nor does an operation that leaves
/// the file alone, except for the text that hooks look at.
fn writer_for<'e>(
    engine: &'e Engine,
    operation: Operation,
    options: &ChangeOptions,
) -> Result<Option<Box<dyn Writer + 'e>>, Refusal> {
    let is_saved = engine.state().is_none_or(|state| state.is_saved());
    let needs_text =
        !engine.hooks.are_empty() || options.confirm.is_some() || !is_saved || engine.has_left_over();
    let needs_none = options.dry_run && (engine.hooks.check.is_none() || !options.takes_turn());
    if needs_none || !(operation.writes() || needs_text) {
        return Ok(None);
    }
    // Checked before the lock, which creates the state folder.
    if operation == Operation::Modify && engine.running.is_none() {
        engine.store.refuse_missing()?;
    }
    match engine.store.writer(DEFAULT_LOCK_WAIT, &mut |holder| (engine.on_wait)(&engine.name, holder)) {
        Ok(writer) => Ok(Some(writer)),
        // Even if nothing can be written, the running configuration can be replaced.
        Err(StoreError::StateFolder { .. } | StoreError::PermissionDenied { .. })
            if !operation.writes() && options.confirm.is_none() =>
        {
            Ok(None)
        }
        Err(error) => Err(error.into()),
    }
}

/// The state of the server, and the stored text.
fn texts(
    engine: &Engine,
    writer: Option<&dyn Writer>,
    operation: Operation,
) -> Result<(Option<ServerState>, Option<StoredText>), Refusal> {
    let state = engine.state();
    let file = load(engine, writer, operation, state.as_ref())?;
    Ok((state, file))
}

/// The same as no change leaves them half done. Within a change the file differs from what the server
/// knows of it, as it does after a hand edit; so they are looked at again between two changes.
fn texts_between_changes(
    engine: &Engine,
    operation: Operation,
) -> Result<(Option<ServerState>, Option<StoredText>), Refusal> {
    let seen = texts(engine, None, operation);
    match &seen {
        Ok((None, _)) => return seen,
        Ok((Some(state), Some(file))) if file.snapshot.is_same_text(&state.saved) => return seen,
        _ => {}
    }
    let _turn = engine.take_turn()?;
    texts(engine, None, operation)
}

/// Loads the file. Only a local `modify` needs one.
fn load(
    engine: &Engine,
    writer: Option<&dyn Writer>,
    operation: Operation,
    state: Option<&ServerState>,
) -> Result<Option<StoredText>, Refusal> {
    let loaded = match writer.map_or_else(|| engine.store.load_to_rehearse(), Writer::load) {
        Ok(loaded) => loaded,
        Err(StoreError::NotFound { .. }) if operation != Operation::Modify || state.is_some() => {
            return Ok(None);
        }
        Err(_) if operation == Operation::Update => return Ok(None),
        Err(error) => return Err(error.into()),
    };
    let saved = state.map(|state| &state.saved).filter(|saved| saved.bytes() == loaded.bytes);
    let snapshot = saved.cloned().unwrap_or_else(|| Arc::new(Snapshot::from_bytes(loaded.bytes)));
    let Loaded { version, open, overlays, damaged, is_trusted, .. } = loaded;
    Ok(Some(StoredText { snapshot, version, open, overlays, damaged, is_trusted }))
}

fn refuse_invalid(unproved: Option<&Arc<Snapshot>>) -> Result<(), Refusal> {
    match unproved.filter(|before| !before.is_valid()) {
        Some(before) => Err(Refusal::bad_config(before.clone())),
        None => Ok(()),
    }
}

/// The new text in pieces; those that an edit keeps are slices of the text before.
fn pieces(outcome: &Outcome) -> Vec<&[u8]> {
    match (&outcome.after, outcome.before.as_ref().and_then(Content::snapshot)) {
        (After::Unchanged, Some(before)) => vec![before.bytes()],
        (After::Replaced(Content::Text(after)), _) => vec![after.bytes()],
        (After::Edited { splices, .. }, Some(before)) => {
            let old = before.document().text();
            spliced_pieces(old, 0..old.len(), splices).map(str::as_bytes).collect()
        }
        _ => Vec::new(),
    }
}

/// The change was made for another file than the one that was edited by hand.
pub(super) fn hand_edited_since() -> Refusal {
    let message = "the file was changed by hand since it was loaded";
    Refusal::new(RefusalKind::HandEditedSince, message).hint(OVERWRITE)
}

/// The change was made for another configuration.
pub(super) fn stale() -> Refusal {
    Refusal::new(RefusalKind::Stale, "the configuration was changed meanwhile")
        .hint("read the configuration again and repeat the change")
}

/// The check command refused the new text.
fn rejected(failure: HookFailure) -> Refusal {
    let refusal = |message| Refusal::new(RefusalKind::RejectedByCheck, message);
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

#[cfg(test)]
mod tests {
    use std::fs;

    use serde_json::json;

    use super::*;
    use crate::engine::new_text::NewText;
    use crate::store::file::ConfFile;

    /// A file with a port, and an engine over it.
    fn engine() -> (tempfile::TempDir, Engine) {
        let folder = tempfile::tempdir().expect("a folder can be made");
        let path = folder.path().join("media.conf");
        fs::write(&path, "http 80;\n").expect("a file can be made");
        let store = Arc::new(ConfFile::resolve(&path).expect("it is there"));
        (folder, Engine::new(store, Hooks::default(), |_, _| {}))
    }

    #[test]
    fn a_local_change_puts_no_new_text_together() {
        let (_folder, engine) = engine();
        let request = json!({"rtmp": 1935}).into();
        let outcome = engine.modify(&request, &ChangeOptions::default()).expect("it can be changed");
        let After::Edited { whole, .. } = &outcome.after else { panic!("it is edited") };
        assert!(whole.get().is_none(), "for a large text that takes longer than to write it");
    }

    #[test]
    fn a_text_made_for_another_one_is_refused_without_a_server_too() {
        let (folder, engine) = engine();
        let revision = |text: &[u8]| Snapshot::from_bytes(text.to_vec()).revision();
        let save = |made_for: &[u8]| {
            let expected = Some(Expected::OneOf(vec![revision(made_for)]));
            engine.save(
                &NewText::Whole(Bytes::from_static(b"http 81;\n")),
                &ChangeOptions { expected, ..ChangeOptions::default() },
            )
        };
        assert!(save(b"http 8080;\n").is_err_and(|refusal| refusal.kind == RefusalKind::Stale));
        save(b"http 80;\n").expect("it was made for the text that is there");
        fs::remove_file(folder.path().join("media.conf")).expect("it is there");
        assert!(save(b"http 81;\n").is_err_and(|refusal| refusal.kind == RefusalKind::Stale));
    }
}
