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

mod finish;
mod stored_text;

use std::sync::Arc;

use crate::error::{Error, ErrorKind};
use mediaconf::ChangedValue;

use super::canary::CanaryFault;
use super::change::ChangeOptions;
use super::conflict::OVERWRITE;
use super::local::{DEFAULT_LOCK_WAIT, Engine};
use super::operation::Operation;
use super::outcome::{After, Outcome, OutcomeNote};
use super::roll_back::{NO_USER, SERVER_ENDED};
use super::running::{ServerState, Turn};
use super::snapshot::{Snapshot, compared};
use crate::store::{ChangeId, PendingInfo, RunBy, WHOLE_HISTORY, Warning, Writer, change_made};
use stored_text::{StoredText, texts, texts_between_changes};

/// A change that has begun: it has its turn, its lock, and the texts that it is computed on.
pub(super) struct Transaction<'e> {
    pub engine: &'e Engine,
    pub options: &'e ChangeOptions,
    /// The id of the change.
    id: ChangeId,
    operation: Operation,
    /// `None` if nothing is written: in a dry run, or if the running configuration changes alone.
    writer: Option<Box<dyn Writer + 'e>>,
    /// Given back after the lock, so that the next writer of this process finds the lock free.
    turn: Option<Turn>,
    file: Option<StoredText>,
    /// The state of the server; none without one.
    pub state: Option<ServerState>,
    /// Of a rehearsal: whether another change has to be confirmed first.
    is_other_pending: bool,
    /// Without a server: the text of the last change, and the file as it was edited by hand since.
    hand_edit: Option<[Arc<Snapshot>; 2]>,
    warnings: Vec<Warning>,
    /// The reason for the change, for the history, without the secrets of both texts.
    message: Option<String>,
    /// What became of a change that was never confirmed, and the faults that the judgement has found, and does not
    /// refuse.
    pub told: Vec<String>,
}

/// The reason why a change did not begin.
pub(super) enum NotBegun {
    Refused(Error),
    /// The history has it already.
    Made(Box<Outcome>),
}

impl NotBegun {
    /// The change is made, and may wait to be confirmed.
    fn made<T>(engine: &Engine, pending: Option<PendingInfo>) -> Result<T, Self> {
        let present = Some(engine.present()?);
        let notes = vec![OutcomeNote::HasChange];
        Err(Self::Made(Box::new(Outcome { notes, pending, ..Outcome::new(present, After::Unchanged) })))
    }

    /// The outcome for whoever asked for the change.
    pub fn into_outcome(self) -> Result<Outcome, Error> {
        match self {
            Self::Refused(refusal) => Err(refusal),
            Self::Made(outcome) => Ok(*outcome),
        }
    }
}

impl<E: Into<Error>> From<E> for NotBegun {
    fn from(error: E) -> Self {
        Self::Refused(error.into())
    }
}

/// A change as its operation computed it.
pub(super) struct Change {
    /// The configuration before; `None` if there was no file.
    pub before: Option<Arc<Snapshot>>,
    pub after: After,
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
    ) -> Result<Self, NotBegun> {
        if !options.canary.is_empty() && !engine.is_run_by_nodes() {
            return Err(Error::from(CanaryFault::NoCluster).into());
        }
        if !options.canary.is_empty() && options.confirm.is_none() {
            return Err(CanaryFault::Unconfirmed.into());
        }
        let turn = if options.takes_turn() { engine.take_turn()? } else { None };
        options.refuse_late()?;
        engine.refuse_moved()?;
        if let Some(pending) = engine.pending().map(|pending| pending.info()) {
            if options.is_of(&pending) {
                return NotBegun::made(engine, Some(pending));
            }
            if options.takes_turn() {
                return Err(Error::pending(&pending).into());
            }
        }
        let writer = writer_for(engine, operation, options)?;
        let rolled_back = match engine.running.is_none() && engine.store.run_by() == RunBy::Nobody {
            true => {
                let writer = writer.as_deref().filter(|_| !options.dry_run);
                engine.roll_back_left_over(writer, (NO_USER, SERVER_ENDED))?
            }
            false => None,
        };
        let (state, file) = match options.takes_turn() {
            true => texts(engine, writer.as_deref(), operation)?,
            false => texts_between_changes(engine, operation)?,
        };
        // Of a rehearsal: what the history has last goes back before the change is made.
        let goes_back = options.dry_run && rolled_back.is_some();
        let rehearsed = rolled_back.as_ref().filter(|_| options.dry_run).and_then(|it| it.text.clone());
        let file = match rehearsed {
            Some(snapshot) => file.map(|file| StoredText { snapshot, ..file }),
            None => file,
        };
        let mut transaction = Self {
            engine,
            options,
            id: options.id.clone().unwrap_or_else(ChangeId::random),
            operation,
            turn,
            writer,
            file,
            state,
            is_other_pending: engine.pending().is_some(),
            hand_edit: None,
            warnings: Vec::new(),
            message: None,
            told: rolled_back.into_iter().map(|it| it.words).collect(),
        };
        if let Some(open) = transaction.open().filter(|open| options.is_of(open)) {
            return NotBegun::made(engine, Some(open));
        }
        transaction.refuse_open()?;
        transaction.note_saved();
        transaction.reconcile()?;
        let id = options.id.as_ref().filter(|_| !(options.again || goes_back));
        if let Some(id) = id
            && change_made(&engine.store.history(WHOLE_HISTORY)?, id.as_str()).is_some()
        {
            return NotBegun::made(engine, None);
        }
        options.refuse_late()?;
        Ok(transaction)
    }

    /// The text of the file; `None` if the file is missing.
    pub fn file(&self) -> Option<&Arc<Snapshot>> {
        self.file.as_ref().map(|file| &file.snapshot)
    }

    pub fn is(&self, operation: Operation) -> bool {
        self.operation == operation
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
        let words = compared(self.hand_edit()?.map(|text| Some(&**text)), |known, file| {
            ChangedValue::paths_in_words(&ChangedValue::between(known, file))
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
    pub fn refuse_stale(&self, state: &ServerState, is_hand_edited: bool) -> Result<(), Error> {
        match &self.options.expected {
            Some(_) if is_hand_edited && self.is_for_hand_edit() => Ok(()),
            Some(_) if is_hand_edited => Err(hand_edited_since()),
            Some(expected) if !expected.allows(state.running.revision()) => Err(stale()),
            _ => Ok(()),
        }
    }

    /// Refuses a change that was made for another text of the file, where no server runs over it.
    pub fn refuse_other_file(&self) -> Result<(), Error> {
        let found = self.file().map(|file| file.revision());
        match &self.options.expected {
            Some(expected) if !found.is_some_and(|found| expected.allows(found)) => Err(stale()),
            _ => Ok(()),
        }
    }

    /// The change that the store keeps until it is confirmed.
    fn open(&self) -> Option<PendingInfo> {
        self.file.as_ref().and_then(|file| file.open.clone()).filter(|open| !open.is_over)
    }

    /// Refuses a change on a text that another change has made which the store keeps until it is confirmed.
    fn refuse_open(&mut self) -> Result<(), Error> {
        match self.open() {
            Some(open) if self.options.takes_turn() => Err(Error::pending(&open)),
            open => {
                self.is_other_pending |= open.is_some();
                Ok(())
            }
        }
    }

    /// Reconciles the history with the file; a rehearsal only looks at both. Without a server, the history alone
    /// knows what the file was before a hand edit.
    fn reconcile(&mut self) -> Result<(), Error> {
        let edited = self.file().filter(|_| self.state.is_none()).cloned();
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
}

/// Takes the lock where the operation needs it. A rehearsal needs none, nor does an operation that leaves
/// the file alone, except for the text that hooks look at.
fn writer_for<'e>(
    engine: &'e Engine,
    operation: Operation,
    options: &ChangeOptions,
) -> Result<Option<Box<dyn Writer + 'e>>, Error> {
    let is_saved = engine.state().is_none_or(|state| state.is_saved());
    let needs_text = !engine.hooks.are_empty() || options.confirm.is_some() || !is_saved;
    let needs_none = options.dry_run && (engine.hooks.check.is_none() || !options.takes_turn());
    if needs_none || !(operation.writes() || needs_text) {
        return Ok(None);
    }
    // Checked before the lock, which creates the state folder.
    if operation == Operation::Modify && engine.running.is_none() {
        engine.store.refuse_missing()?;
    }
    match engine.store.writer(DEFAULT_LOCK_WAIT, &mut |holder| engine.tell_of_wait(holder)) {
        Ok(writer) => Ok(Some(writer)),
        // Even if nothing can be written, the running configuration can be replaced.
        Err(error)
            if !operation.writes()
                && options.confirm.is_none()
                && matches!(
                    error.kind,
                    ErrorKind::NoStateFolder | ErrorKind::BrokenStateFolder | ErrorKind::Denied
                ) =>
        {
            Ok(None)
        }
        Err(error) => Err(error),
    }
}

/// The change was made for another file than the one that was edited by hand.
pub(super) fn hand_edited_since() -> Error {
    let message = "the file was changed by hand since it was loaded";
    Error::new(ErrorKind::HandEditedSince, message).hint(OVERWRITE)
}

/// The change was made for another configuration.
pub(super) fn stale() -> Error {
    Error::new(ErrorKind::Stale, "the configuration was changed meanwhile")
        .hint("read the configuration again and repeat the change")
}

#[cfg(test)]
mod tests {
    use std::fs;

    use bytes::Bytes;

    use super::*;
    use crate::engine::change::Expected;
    use crate::engine::hook::Hooks;
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
        assert!(save(b"http 8080;\n").is_err_and(|refusal| refusal.kind == ErrorKind::Stale));
        save(b"http 80;\n").expect("it was made for the text that is there");
        fs::remove_file(folder.path().join("media.conf")).expect("it is there");
        assert!(save(b"http 81;\n").is_err_and(|refusal| refusal.kind == ErrorKind::Stale));
    }
}
