//! The order of work of every change.
//!
//! ```text
//! begin:   turn → lock → roll back what nobody confirmed → load → reconcile
//! compute: the operation computes the new text, and asks its guards
//! finish:  judge → check hook → arm the rollback → prepare → commit → swap → reload hook
//! ```
//!
//! A rehearsal takes neither turn nor lock, and ends behind the check hook: however long that takes, no change waits for it.
//!
//! If a step fails, the stored text is as before. Between the steps up to the commit, a change whose
//! request has timed out is given up.

use std::sync::Arc;
use std::sync::mpsc::Sender;
use std::time::{Instant, SystemTime};

use bytes::Bytes;

use super::{
    Aftermath, ChangeOptions, ChangeReport, DEFAULT_LOCK_WAIT, Engine, Expected, HookContext, NO_USER,
    OVERWRITE, Operation, OutcomeNote, PendingChange, ReloadRun, RequestedChange, RollbackPoint,
    SERVER_ENDED, ServerState, Snapshot, Turn, canary_refusal, changed, first_paths, paths_of_texts,
    secrets_of,
};
use crate::error::{Error, ErrorKind};
use crate::progress;
use crate::store::{
    ChangeId, HistoryEntry, Loaded, PendingInfo, READ_AGAIN, RunBy, WHOLE_HISTORY, Warning, Writer,
    change_made,
};
use mediaconf::{ChangedValue, Masker};

/// A change that has begun: it has its turn, its lock, and the texts that it is computed on.
pub(super) struct Transaction<'e> {
    pub engine: &'e Engine,
    pub options: &'e ChangeOptions,
    /// The id of the change.
    id: ChangeId,
    pub operation: Operation,
    /// `None` if nothing is written: in a dry run, or if the running configuration changes alone.
    writer: Option<Box<dyn Writer + 'e>>,
    /// Given back after the lock, so that the next writer of this process finds the lock free.
    turn: Option<Turn>,
    stored: Option<StoredText>,
    /// The state of the server; none without one.
    pub state: Option<ServerState>,
    /// Without a server: the text of the last change, and the file as it was edited by hand since.
    hand_edit: Option<[Arc<Snapshot>; 2]>,
    /// The values in which the new text differs from the file that it replaces.
    compared: Option<Vec<ChangedValue>>,
    /// Side effects that the user should know.
    pub notes: Vec<OutcomeNote>,
    /// What the user should know of failures: also what became of a change that was never confirmed, and the faults that
    /// the judgement has found, and does not refuse.
    pub warnings: Vec<String>,
}

/// The text of the store on which a change is computed, with what the store knows of it.
struct StoredText {
    snapshot: Arc<Snapshot>,
    loaded: Loaded,
}

/// A change that has begun, or else is made already, and may wait to be confirmed.
type Begun<'e> = Result<Transaction<'e>, Option<PendingInfo>>;

impl Engine {
    /// Makes a change as this operation, and counts it. A patch, or a text with a `base`, is a difference, so it is
    /// computed again on the text of a writer that was faster.
    pub fn make_as(
        &self,
        operation: Operation,
        requested: &RequestedChange<'_>,
        options: &ChangeOptions,
    ) -> Result<ChangeReport, Error> {
        let deadline = Instant::now() + DEFAULT_LOCK_WAIT;
        let is_difference = operation == Operation::Modify || options.base.is_some();
        let made = loop {
            match self.attempt(operation, requested, options) {
                Err(refusal)
                    if refusal.kind == ErrorKind::Overtaken && is_difference && Instant::now() < deadline => {
                }
                made => break made,
            }
        };
        if let Some(activity) = self.activity() {
            activity.count_change(operation, options.dry_run, &made);
        }
        made
    }

    pub(super) fn attempt(
        &self,
        operation: Operation,
        requested: &RequestedChange<'_>,
        options: &ChangeOptions,
    ) -> Result<ChangeReport, Error> {
        match Transaction::begin(self, operation, options)? {
            Ok(mut transaction) => {
                let report = transaction.compute(requested).map_err(|error| {
                    // A refusal has no warnings: it says itself what was rolled back before.
                    let message = [&[error.message][..], &transaction.warnings].concat().join("; ");
                    Error { message, ..error }
                })?;
                transaction.finish(report)
            }
            Err(pending) => {
                let notes = vec![OutcomeNote::HasChange];
                Ok(ChangeReport { notes, pending, ..ChangeReport::unchanged(Some(self.present()?)) })
            }
        }
    }

    /// Refuses nodes that take the change first where there are none, or where it does not wait for them.
    fn refuse_canary(&self, options: &ChangeOptions) -> Result<(), Error> {
        let (what, hint) = match options.confirm {
            _ if options.canary.is_empty() => return Ok(()),
            _ if !self.is_run_by_nodes() => ("this server is no node of a cluster", "leave it out"),
            None => (
                "the other nodes wait until the change is confirmed",
                "add `confirm=SECONDS`, the time for that",
            ),
            Some(_) => return Ok(()),
        };
        Err(canary_refusal(what, hint))
    }

    /// Before a change without a server: rolls back what one left over that has ended, and says so.
    fn roll_back_first(&self, writer: &dyn Writer) -> Result<Option<String>, Error> {
        match self.store.run_by() {
            RunBy::Nobody => {
                let rolled_back = self.roll_back_left_over(writer, (NO_USER, SERVER_ENDED))?;
                Ok(rolled_back.map(|(_, words)| words))
            }
            // It started after this command had looked, and would take what is written here for a hand edit.
            RunBy::Server => {
                let message = format!("a server over `{}` started meanwhile", self.name);
                Err(Error::new(ErrorKind::Locked, message)
                    .hint("nothing was changed; the same command goes through that server now"))
            }
            RunBy::Nodes => Ok(None),
        }
    }

    /// The state of the server, and the stored text.
    fn texts(
        &self,
        writer: Option<&dyn Writer>,
        operation: Operation,
    ) -> Result<(Option<ServerState>, Option<StoredText>), Error> {
        let state = self.state();
        let known = state.as_ref().map(|state| (state.saved.bytes(), state.saved.revision()));
        let loaded = match writer.map_or_else(|| self.store.load(), |writer| writer.load(known)) {
            Ok(loaded) => loaded,
            // Only a local `modify` needs a file.
            Err(error)
                if error.kind == ErrorKind::NoConfiguration
                    && (operation != Operation::Modify || state.is_some()) =>
            {
                return Ok((state, None));
            }
            Err(_) if operation == Operation::Update => return Ok((state, None)),
            Err(error) => return Err(error),
        };
        let is_it =
            |saved: &Bytes| saved.as_ptr_range() == loaded.bytes.as_ptr_range() || *saved == loaded.bytes;
        let saved = state.as_ref().map(|state| &state.saved).filter(|saved| is_it(saved.bytes()));
        let read = || Arc::new(Snapshot::with_revision(loaded.bytes.clone(), Some(loaded.revision())));
        let snapshot = saved.cloned().unwrap_or_else(read);
        Ok((state, Some(StoredText { snapshot, loaded })))
    }
}

impl<'e> Transaction<'e> {
    /// Waits for the turn and the lock, loads the texts, and reconciles the history with them. A rehearsal
    /// loads the texts alone.
    fn begin(
        engine: &'e Engine,
        operation: Operation,
        options: &'e ChangeOptions,
    ) -> Result<Begun<'e>, Error> {
        engine.refuse_canary(options)?;
        let is_made = !options.dry_run;
        let turn = if is_made { engine.take_turn()? } else { None };
        options.refuse_late()?;
        engine.refuse_moved()?;
        // A rehearsal, and an operation that leaves the file alone, need no lock.
        let needs_lock = is_made && (operation.writes() || options.confirm.is_some());
        let mut on_wait = |words: &str| engine.tell_of_wait(words);
        let lock = || engine.store.writer(DEFAULT_LOCK_WAIT, &mut on_wait);
        let writer = needs_lock.then(lock).transpose()?;
        let alone = writer.as_deref().filter(|_| engine.running.is_none());
        let rolled_back = alone.map(|writer| engine.roll_back_first(writer)).transpose()?.flatten();
        let (mut state, mut stored) = engine.texts(writer.as_deref(), operation)?;
        if !is_made
            && let (Some(known), Some(file)) = (&state, &stored)
            && !file.snapshot.is_same_text(&known.saved)
        {
            // Within a change the file differs from what the server knows of it, as it does after a hand edit.
            drop(engine.take_turn()?);
            (state, stored) = engine.texts(None, operation)?;
        }
        // The change that the server, or the store, keeps until it is confirmed.
        let of_store = stored.as_ref().and_then(|file| file.loaded.open.clone()).filter(|open| !open.is_over);
        let open = engine.pending().map(|pending| pending.info()).or(of_store);
        match &open {
            Some(open) if options.is_of(open) => return Ok(Err(Some(open.clone()))),
            Some(open) if is_made => return Err(Error::pending(open)),
            _ => {}
        }
        let mut transaction = Self {
            engine,
            options,
            id: options.id.clone().unwrap_or_else(ChangeId::random),
            operation,
            turn,
            writer,
            stored,
            state,
            hand_edit: None,
            compared: None,
            notes: Vec::new(),
            warnings: rolled_back.into_iter().collect(),
        };
        // Only a rehearsal comes here while another change waits.
        let is_left_over =
            !is_made && open.is_none() && engine.running.is_none() && engine.store.has_pending();
        transaction.notes.extend(open.map(|_| OutcomeNote::OtherPending));
        transaction.note_saved();
        transaction.reconcile()?;
        if is_left_over {
            transaction.leave_out_left_over()?;
        }
        if let Some(id) = options.id.as_ref().filter(|_| !options.even_if_made)
            && change_made(&engine.store.history(WHOLE_HISTORY)?, id.as_str()).is_some()
        {
            return Ok(Err(None));
        }
        options.refuse_late()?;
        Ok(Ok(transaction))
    }

    /// The text of the file; `None` if the file is missing.
    pub fn file(&self) -> Option<&Arc<Snapshot>> {
        self.stored.as_ref().map(|stored| &stored.snapshot)
    }

    /// The text of which a hand edit was made, and the file with it.
    pub fn hand_edit(&self) -> Option<[&Arc<Snapshot>; 2]> {
        match &self.state {
            Some(state) => Some([&state.saved, self.file().filter(|_| self.is_hand_edited())?]),
            None => self.hand_edit.as_ref().map(|texts| texts.each_ref()),
        }
    }

    /// Says which values the hand edit changed that the change found.
    pub fn found_hand_edit(&self) -> Option<OutcomeNote> {
        let [known, file] = self.hand_edit()?;
        Some(OutcomeNote::FoundHandEdit(paths_between(known, file)))
    }

    /// True if the file differs from the text that a server loaded or saved last.
    pub fn is_hand_edited(&self) -> bool {
        let saved = self.state.as_ref().map(|state| &state.saved);
        saved.is_some_and(|saved| self.file().is_none_or(|file| !file.is_same_text(saved)))
    }

    /// True if the change was made for the file as it was edited by hand, and nothing else would be lost.
    pub fn is_for_hand_edit(&self) -> bool {
        let names = |file: &Arc<Snapshot>| {
            self.options.expected.as_ref().is_some_and(|expected| expected.names(file.revision()))
        };
        self.state.as_ref().is_none_or(ServerState::is_saved) && self.file().is_some_and(names)
    }

    /// Refuses a change that was made for another running configuration (`If-Match`), or for a file
    /// that was edited by hand since; without a server, for another text of the file.
    pub fn refuse_stale(&self) -> Result<(), Error> {
        let Some(expected) = &self.options.expected else { return Ok(()) };
        let running = self.state.as_ref().map(|state| &state.running);
        let (refusal, present, is_met) = if self.operation.writes() && self.is_hand_edited() {
            (hand_edited_since(), self.file(), self.is_for_hand_edit())
        } else {
            let present = running.or(self.file());
            let refusal =
                Error::new(ErrorKind::Stale, "the configuration was changed meanwhile").hint(READ_AGAIN);
            (refusal, present, present.is_some_and(|present| expected.allows(present.revision())))
        };
        let differing = || present.map_or_else(String::new, |present| self.differing(expected, present));
        if is_met {
            Ok(())
        } else {
            Err(Error { message: format!("{}{}", refusal.message, differing()), ..refusal })
        }
    }

    /// What differs between the text that a change is for and the present one, in words behind a colon; if that text is not
    /// kept, the revision of the present one.
    fn differing(&self, expected: &Expected, present: &Snapshot) -> String {
        let Expected::OneOf(revisions) = expected else { return String::new() };
        let known = revisions.iter().find_map(|revision| self.text_with(*revision).ok().flatten());
        match known.map(|known| paths_between(&known, present)) {
            Some(paths) if paths.is_empty() => ": no value differs, but the text does".to_owned(),
            Some(paths) => format!(": {paths}"),
            None => format!(": its revision is {}", present.revision()),
        }
    }

    /// Reconciles the history with the file; a rehearsal only looks at both. Without a server, the history alone
    /// knows what the file was before a hand edit.
    fn reconcile(&mut self) -> Result<(), Error> {
        let edited = self.file().filter(|_| self.state.is_none()).cloned();
        let known = match &self.writer {
            Some(writer) => {
                let reconciled =
                    writer.reconcile(self.stored.as_ref().map(|stored| &stored.loaded), &paths_of_texts)?;
                self.warnings.splice(0..0, reconciled.warnings);
                reconciled.edited_from
            }
            _ => edited.as_ref().and_then(|file| self.engine.store.edited_from(file.revision())),
        };
        let texts = known.zip(edited).map(|(known, file)| [Arc::new(Snapshot::from_bytes(known)), file]);
        self.hand_edit = texts.filter(|texts| texts.iter().all(|text| text.is_valid()));
        Ok(())
    }

    /// In a rehearsal: goes on with the text without the change that a server left unconfirmed when it was killed, as the
    /// change itself would, which rolls that back first.
    fn leave_out_left_over(&mut self) -> Result<(), Error> {
        let Some(stored) = self.engine.left_over()? else { return Ok(()) };
        let change = RollbackPoint::from_stored(&stored);
        let rolled_back = change.without(self.file());
        let words = self.engine.describe(&change, &rolled_back);
        if rolled_back.0 == Aftermath::ChangedMeanwhile {
            self.warnings.push(words);
            return Ok(());
        }
        self.warnings.push(format!("before the change is made, {words}"));
        self.hand_edit = None;
        let back = self.stored.take().zip(rolled_back.1);
        self.stored = back.map(|(stored, snapshot)| StoredText { snapshot, ..stored });
        Ok(())
    }

    /// A file that a hand edit made equal to the running configuration counts as saved.
    fn note_saved(&mut self) {
        let (Some(state), Some(file)) = (&mut self.state, &self.stored) else { return };
        if !state.is_saved() && file.snapshot.is_same_text(&state.running) {
            state.saved = state.running.clone();
            let running = self.engine.running.iter().filter(|_| self.turn.is_some());
            running.for_each(|running| running.exchange(|state| state.saved = state.running.clone()));
        }
    }

    /// Makes the computed change, or rehearses it.
    fn finish(mut self, mut report: ChangeReport) -> Result<ChangeReport, Error> {
        self.options.refuse_late()?;
        let is_made = !self.options.dry_run;
        if let (true, Some(after)) = (report.changed, report.snapshot.clone()) {
            report.new_warnings = self.judge(report.old.as_ref(), &after)?;
            let file = self.file().filter(|_| is_made && self.operation.writes());
            self.compared = file.and_then(|file| changed(file, &after));
            report.pending = self.carry_out(report.old.as_ref(), &after)?;
            report.id = (is_made && self.operation.writes()).then(|| self.id.clone());
            report.old.as_ref().and_then(|old| after.take_json(old));
            if self.options.reload_later && is_made {
                // Gives the lock back, and hands the turn to a thread that runs the reload command.
                self.writer = None;
                let (made_by, back) = ((self.operation, self.options.by.clone()), self.way_back(&after));
                self.engine.reload_later(made_by, back, after, self.turn.take());
            }
        }
        // What goes into the file is compared with that.
        let is_other = |file: &&Arc<Snapshot>| !report.old.as_ref().is_some_and(|old| old.is_same_text(file));
        let is_of_file = self.state.is_some() && self.operation != Operation::Update;
        if let Some(file) = self.file().filter(is_other).filter(|_| is_of_file) {
            report.file = Some(file.revision());
            report.old = if report.changed { Some(file.clone()) } else { report.old };
        }
        Ok(ChangeReport { notes: self.notes, warnings: self.warnings, compared: self.compared, ..report })
    }

    /// Runs the steps behind the computation: hooks, write, swap, reload.
    fn carry_out(
        &mut self,
        old: Option<&Arc<Snapshot>>,
        after: &Arc<Snapshot>,
    ) -> Result<Option<PendingInfo>, Error> {
        let (engine, options) = (self.engine, self.options);
        let hooks = &engine.hooks;
        let _hold = (!hooks.are_empty()).then(|| hooks.interrupt.hold());
        let texts: Vec<_> = old.into_iter().chain([after]).collect();
        let (operation, by) = (self.operation.name(), options.by.as_str());
        let context = HookContext { engine, operation, by, texts: texts.clone() };
        // A rehearsal runs the check command alone.
        let runs_hooks = if options.dry_run { hooks.check.is_some() } else { !hooks.are_empty() };
        let candidate = runs_hooks.then(|| engine.store.candidate(after.bytes())).transpose()?;
        if let (Some(command), Some(candidate)) = (&hooks.check, &candidate) {
            let _step = progress::step("waiting for the check command");
            let left = options.until.map(|until| until.saturating_duration_since(Instant::now()));
            let time = left.map_or(hooks.timeout, |left| left.min(hooks.timeout));
            let checked = context.run(command, candidate, time);
            options.refuse_late()?;
            let words = ["nothing was written", "nothing was changed"];
            checked.map_err(|failure| failure.refusal(ErrorKind::RejectedByCheck, "check", words))?;
        }
        if options.dry_run {
            return Ok(None);
        }
        // Secrets that only their form shows are masked when the message is shown.
        let masked = |message: &str| {
            let texts = engine.with_included(texts);
            secrets_of(&texts).masked_values(message, &Masker::default()).into_owned()
        };
        let message = options.message.as_deref().map(masked);
        let back = self.way_back(after);
        let pending = self.arm_rollback(&back)?;
        let committed = self.commit(after, message.as_deref()).inspect_err(|_| {
            pending.iter().for_each(|_| engine.forget_pending(self.writer.as_deref()));
        })?;
        self.warnings.extend(committed);
        self.swap(after, pending.as_ref().map(|(pending, _)| pending));
        // The thread that waits is there, or there is no server.
        pending.iter().for_each(|(_, made)| _ = made.send(()));
        if let (Some(candidate), false) = (&candidate, options.reload_later) {
            engine.reload(&context, candidate, self.writer.as_deref(), &back)?;
        }
        let pending = pending.map(|(pending, _)| pending.started());
        if let (Some(running), Some(pending)) = (&engine.running, &pending) {
            running.exchange(|state| state.pending = Some(pending.clone()));
        }
        Ok(pending.map(|pending| pending.info()))
    }

    /// Arms the automatic rollback of a change that has to be confirmed.
    fn arm_rollback(&self, back: &RollbackPoint) -> Result<Option<(PendingChange, Sender<()>)>, Error> {
        let Some(time) = self.options.confirm else { return Ok(None) };
        let can_wait = self.state.is_some() || self.engine.is_run_by_nodes();
        let writer = self.writer.as_ref().filter(|_| can_wait).ok_or_else(Error::no_server)?;
        let (operation, by) = (self.name().to_owned(), self.options.by.clone());
        let info = PendingInfo {
            canary: self.options.canary.clone(),
            soak_s: self.options.soak.map(|soak| soak.as_secs()),
            ..PendingInfo::new(back.id.clone(), operation, by, SystemTime::now())
        };
        let longest = self.engine.hooks.timeout + DEFAULT_LOCK_WAIT;
        let pending = PendingChange::new(info, back.clone(), [time, longest]);
        let made = self.engine.arm_rollback(&pending, &**writer)?;
        Ok(Some((pending, made)))
    }

    /// The entry of the change in the history.
    fn record(&self, operation: &str) -> HistoryEntry {
        HistoryEntry {
            id: Some(self.id.as_str().to_owned()),
            undoes: self.options.undoes.clone(),
            keep: self.engine.keep,
            ..HistoryEntry::of(operation, &self.options.by)
        }
    }

    /// The name of the change: that of the command that makes it, else of the operation.
    fn name(&self) -> &str {
        self.options.command.as_deref().unwrap_or(self.operation.name())
    }

    /// Makes the new text durable, and then the stored text.
    fn commit(&self, after: &Snapshot, message: Option<&str>) -> Result<Vec<Warning>, Error> {
        let Some(writer) = self.writer.as_ref().filter(|_| self.operation.writes()) else {
            return self.options.refuse_late().map(|()| Vec::new());
        };
        let record = HistoryEntry {
            message: message.map(str::to_owned),
            paths: self.compared.as_deref().map(first_paths),
            after: after.known_revision(),
            ..self.record(self.name())
        };
        let old = self.stored.as_ref().map(|stored| &stored.loaded);
        let prepared = writer.prepare(old, Some(after.bytes()), &record)?;
        self.options.refuse_late()?;
        prepared()
    }

    /// Makes the new configuration the running one.
    fn swap(&self, after: &Arc<Snapshot>, pending: Option<&PendingChange>) {
        let Some(running) = &self.engine.running else { return };
        let is_stored = self.operation.writes() || self.file().is_some_and(|file| file.is_same_text(after));
        let (at, by) = (SystemTime::now(), self.options.by.clone());
        let made = HistoryEntry { at, by: Some(by.clone()), ..HistoryEntry::new(0, self.name()) };
        running.exchange(|state| {
            if is_stored {
                state.saved = after.clone();
            }
            state.running = after.clone();
            state.last_error = None;
            state.pending = pending.cloned();
            state.last_change = Some(made.aside(after));
        });
        if self.engine.hooks.reload.is_none() {
            self.engine.note_reload(true, ReloadRun { by, ..ReloadRun::default() });
        }
    }

    /// The way back from the change to the state before it.
    fn way_back(&self, after: &Arc<Snapshot>) -> RollbackPoint {
        let (id, file) = (self.id.as_str().to_owned(), self.file().cloned());
        let server = self.state.as_ref().map(|state| (state.running.clone(), state.saved.clone()));
        RollbackPoint { id, file, server, written: self.operation.writes().then(|| after.clone()) }
    }
}

/// The paths of the values in which two texts differ, in words.
fn paths_between(known: &Snapshot, present: &Snapshot) -> String {
    let changed = changed(known, present);
    changed.map_or("it has errors".to_owned(), |changed| ChangedValue::paths_in_words(&changed))
}

/// The change was made for another file than the one that was edited by hand.
pub(super) fn hand_edited_since() -> Error {
    let message = "the file was changed by hand since it was loaded";
    Error::new(ErrorKind::Stale, message).hint(OVERWRITE)
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use crate::engine::change::Expected;
    use crate::engine::hook::Hooks;
    use crate::store::file::ConfFile;

    /// A file with a port, and an engine over it.
    fn engine() -> (tempfile::TempDir, Engine) {
        let folder = tempfile::tempdir().expect("a folder can be made");
        let path = folder.path().join("media.conf");
        fs::write(&path, "http 80;\n").expect("a file can be made");
        let store = Arc::new(ConfFile::resolve(&path).expect("it is there"));
        (folder, Engine::new(store, Hooks::default(), |_| {}))
    }

    #[test]
    fn a_text_made_for_another_one_is_refused_without_a_server_too() {
        let (folder, engine) = engine();
        let revision = |text: &[u8]| Snapshot::from_bytes(text.to_vec()).revision();
        let save = |made_for: &[u8]| {
            let expected = Some(Expected::OneOf(vec![revision(made_for)]));
            let options = ChangeOptions { expected, ..ChangeOptions::default() };
            engine.replace_as(Operation::Save, &Bytes::from_static(b"http 81;\n"), &options)
        };
        assert!(save(b"http 8080;\n").is_err_and(|refusal| refusal.kind == ErrorKind::Stale));
        save(b"http 80;\n").expect("it was made for the text that is there");
        fs::remove_file(folder.path().join("media.conf")).expect("it is there");
        assert!(save(b"http 81;\n").is_err_and(|refusal| refusal.kind == ErrorKind::Stale));
    }
}
