//! Making a change of any kind, and computing a new text as a whole: `save`, `update`, formatting, other texts of entries,
//! and loading the file again.

use std::borrow::Cow;
use std::ops::Range;
use std::sync::Arc;

use bytes::Bytes;

use super::{
    ChangeOptions, ChangeReport, Engine, EntryEdit, Guard, Operation, OutcomeNote, ReloadRun,
    RequestedChange, Snapshot, Transaction, guard, hand_edited_and_updated, hand_edited_since, removed_since,
};
use crate::error::{Error, ErrorKind};
use mediaconf::{Document, Masker, Path, Token};

impl Engine {
    /// Makes a change, or rehearses it.
    ///
    /// # Errors
    /// The configuration is as it was then.
    pub fn make(
        &self,
        requested: &RequestedChange<'_>,
        options: &ChangeOptions,
    ) -> Result<ChangeReport, Error> {
        let operation = match requested {
            RequestedChange::Rollback(to) => return self.rollback(*to, options),
            RequestedChange::Revert(reverted) => return self.revert(reverted, options),
            RequestedChange::Load => Operation::Load,
            RequestedChange::Save(_) => Operation::Save,
            RequestedChange::Update(_) if self.running.is_none() => return Err(self.no_server()),
            RequestedChange::Update(_) if options.id.is_some() => {
                return Err(Error::new(ErrorKind::Usage, "an update is in no history, so it has no id"));
            }
            RequestedChange::Update(_) => Operation::Update,
            RequestedChange::Modify(_) => Operation::Modify,
            RequestedChange::Format {}
            | RequestedChange::Fix {}
            | RequestedChange::Entries { .. }
            | RequestedChange::Undo(_) => Operation::Save,
        };
        // Looked for before the lock, which makes the state folder.
        let is_of_present = !matches!(requested, RequestedChange::Save(_));
        if is_of_present && self.running.is_none() {
            self.store.refuse_missing()?;
        }
        self.make_as(operation, requested, options)
    }

    /// Replaces the file, and the running configuration, by these bytes; makes the file if it is missing. As another operation
    /// than a `save`, what was accepted before is taken as it is.
    ///
    /// # Errors
    /// The configuration is as it was then.
    pub fn replace_as(
        &self,
        operation: Operation,
        text: &Bytes,
        options: &ChangeOptions,
    ) -> Result<ChangeReport, Error> {
        self.make_as(operation, &RequestedChange::Save(text.clone()), options)
    }

    /// Runs the text of the file, which may have been edited by hand.
    ///
    /// # Errors
    /// If the file is missing or has errors, the running configuration stays.
    pub fn load_again(&self, by: &str) -> Result<ChangeReport, Error> {
        self.reconcile_alone();
        let options =
            ChangeOptions { max_delete: Some(usize::MAX), by: by.to_owned(), ..ChangeOptions::default() };
        let loaded = self.make(&RequestedChange::Load, &options);
        if loaded.is_err() {
            self.note_reload(false, ReloadRun { by: by.to_owned(), ..ReloadRun::default() });
        }
        loaded
    }
}

impl Transaction<'_> {
    /// Computes the new text, and refuses it if a guard does.
    pub(super) fn compute(&mut self, requested: &RequestedChange<'_>) -> Result<ChangeReport, Error> {
        if let RequestedChange::Modify(request) = requested {
            return self.modify(request);
        }
        let (operation, is_of_base) = (self.operation, self.options.base.is_some());
        let (state, file) = (self.state.clone(), self.file().cloned());
        if state.is_none() && !operation.writes() {
            return Err(Error::no_server());
        }
        self.refuse_stale()?;
        let after = match requested {
            RequestedChange::Load => file.clone().ok_or_else(|| Error::no_file(self.engine.store.path()))?,
            RequestedChange::Format {} => self.formatted()?,
            RequestedChange::Fix {} => {
                let present = self.present()?;
                let mended = Document::mended(present.document().text());
                mended.map_or_else(|| present.clone(), |text| Snapshot::from_bytes(text.into_bytes()).into())
            }
            RequestedChange::Entries { texts } => self.with_entries(texts)?,
            RequestedChange::Save(text) | RequestedChange::Update(text) => self.whole_text(text)?,
            RequestedChange::Undo(undone) => self.without(undone)?,
            RequestedChange::Modify(_) | RequestedChange::Rollback(_) | RequestedChange::Revert(_) => {
                unreachable!("a modification is computed above, and the others are made as texts")
            }
        };
        let running = state.as_ref().map(|state| &state.running);
        let before = running.or(file.as_ref());
        if operation.writes() {
            if self.hand_edit().is_some_and(|[_, file]| !file.is_same_text(&after)) {
                let is_whole = matches!(requested, RequestedChange::Save(_));
                let is_kept =
                    is_of_base || !is_whole || (operation == Operation::Save && self.is_for_hand_edit());
                let found_hand_edit = self.found_hand_edit().filter(|_| is_kept);
                self.notes.push(found_hand_edit.unwrap_or(OutcomeNote::OverwroteHandEdit));
            }
            let is_unsaved = state.as_ref().is_some_and(|state| !state.is_saved());
            self.notes.extend((is_of_base && is_unsaved).then_some(OutcomeNote::SavedEarlierUpdate));
        }
        let differs = |text: Option<&Arc<Snapshot>>| text.is_none_or(|text| !text.is_same_text(&after));
        // The text of a rollback was accepted before, and a file that is loaded is there already.
        let is_new = matches!(operation, Operation::Save | Operation::Update);
        if is_new && Document::has_lost_line_ends(after.bytes()) && differs(before) && differs(file.as_ref())
        {
            self.options.refuse([Some(Guard::OneLine)])?;
        }
        self.check_text(before, &after)?;
        let differs_from_saved = || differs(state.as_ref().map(|state| &state.saved));
        let changes = match operation {
            // An update to the text of the file counts as loading the file, so the result is saved.
            Operation::Update => differs(running) || (!differs(file.as_ref()) && differs_from_saved()),
            Operation::Load => differs(running) || differs_from_saved() || !after.includes().is_empty(),
            _ => differs(before) || differs(file.as_ref()),
        };
        Ok(ChangeReport::between(before.cloned(), after.clone(), changes))
    }

    /// Validates and guards a whole new text; the notes count what it lacks.
    fn check_text(&mut self, before: Option<&Arc<Snapshot>>, after: &Arc<Snapshot>) -> Result<(), Error> {
        if !after.is_valid() {
            return Err(Error::bad_new_text(after.clone()));
        }
        if let Some(refusal) = Error::masked_text(after.document().text()) {
            return Err(refusal);
        }
        let old = before.map(|before| before.document());
        let deleted = old.map_or((0, 0), |old| guard::deleted_streams(old, after.document()));
        let replacement = guard::before_replacement(before.map(|before| &**before), after);
        let is_whole = matches!(self.operation, Operation::Save | Operation::Update);
        let emptied = before.filter(|_| is_whole).and_then(|before| self.emptied(before, after));
        let nothing = Arc::default();
        let deleted = self.refuse_loss(
            [before.unwrap_or(&nothing), after],
            self.open(replacement).or(emptied),
            deleted,
        )?;
        self.notes.extend((deleted > 0).then_some(OutcomeNote::DeletedStreams(deleted)));
        Ok(())
    }

    /// The same guard, if it is not accepted.
    pub(super) fn open(&self, guard: Option<Guard>) -> Option<Guard> {
        guard.filter(|guard| !self.options.accepts(guard))
    }

    /// The guard against the loss of all entries, which an included file may hold, too. Clients of the four operations replace
    /// everything, as with the number of deleted streams.
    pub(super) fn emptied(&self, before: &Arc<Snapshot>, after: &Arc<Snapshot>) -> Option<Guard> {
        if self.options.max_delete == Some(usize::MAX) {
            return None;
        }
        guard::before_emptying(&self.engine.whole(before), &self.engine.whole(after))
    }

    /// Refuses a change by the first of these guards that is not accepted, and by the one against the loss of many streams:
    /// so many of so many, and those of files that are not included any more. Returns how many go.
    pub(super) fn refuse_loss(
        &self,
        [before, after]: [&Arc<Snapshot>; 2],
        guard: Option<Guard>,
        (mut deleted, mut of): (usize, usize),
    ) -> Result<usize, Error> {
        let [included, now] = [before, after].map(|text| text.includes().iter().map(|(_, pattern)| pattern));
        if !included.eq(now) {
            let [old, new] = [before, after].map(|text| self.engine.whole(text));
            let own = guard::deleted_streams(before.document(), after.document());
            let all = guard::deleted_streams(old.document(), new.document());
            deleted += all.0.saturating_sub(own.0);
            of += all.1.saturating_sub(own.1);
        }
        let deletion = guard::before_deletion(deleted, of, self.options.max_delete)
            .filter(|_| guard != Some(Guard::EmptyReplacement));
        let is_new = match self.operation {
            Operation::Modify => true,
            // Clients of the four operations replace everything.
            Operation::Save | Operation::Update => self.options.max_delete != Some(usize::MAX),
            _ => false,
        };
        let dangling = || {
            guard::before_dangling(self.engine.whole(before).document(), self.engine.whole(after).document())
        };
        let dangling = if is_new && guard.is_none() && deletion.is_none() { dangling() } else { None };
        self.options.refuse([guard, deletion, dangling]).map(|()| deleted)
    }

    /// The text that is there, formatted.
    fn formatted(&self) -> Result<Arc<Snapshot>, Error> {
        let present = self.present()?;
        present.refuse_errors()?;
        let new = present.document().formatted()?;
        Ok(new.map_or_else(|| present.clone(), |new| Snapshot::from_document(new).into()))
    }

    /// The text that is there, with the texts of entries.
    fn with_entries(&self, texts: &[EntryEdit]) -> Result<Arc<Snapshot>, Error> {
        let (base, present) = (self.base()?, self.present()?);
        let mut whole = base.as_ref().unwrap_or(present).clone();
        for edit in texts {
            self.options.refuse_late()?;
            if let Some(composed) = self.engine.composed(&whole) {
                composed.refuse_entry(&edit.path)?;
            }
            whole = Arc::new(Snapshot::from_bytes(with_entry(&whole, edit)?));
        }
        self.on_present(whole, base.as_ref(), present)
    }

    /// The text that is worked on: the running one, or the file where that was edited by hand.
    pub(super) fn present(&self) -> Result<&Arc<Snapshot>, Error> {
        match (&self.state, self.hand_edit()) {
            // An update leaves the file alone.
            (Some(state), _) if self.operation == Operation::Update => Ok(&state.running),
            (Some(state), Some([_, file])) if state.is_saved() => Ok(file),
            (Some(_), Some(_)) if self.options.base.is_some() => Err(hand_edited_and_updated()),
            (Some(_), Some(_)) => Err(hand_edited_since()),
            (Some(_), None) if self.file().is_none() && !self.options.force => Err(removed_since()),
            (Some(state), None) => Ok(&state.running),
            (None, _) => self.file().ok_or_else(|| Error::no_file(self.engine.store.path())),
        }
    }
}

/// Returns the bytes of the entry at a path: from its keyword to its `;` or `}`.
///
/// If secrets are masked, a path that holds a secret leads nowhere.
///
/// # Errors
/// The text has errors; nothing is at the path; what is there is not one entry of the text.
pub fn entry_range(text: &Arc<Snapshot>, path: &Path, masker: Masker) -> Result<Range<usize>, Error> {
    text.refuse_errors()?;
    let masked = text.masked(masker);
    let (config, shown) = (text.config(), masked.config());
    let is_shown = masker == Masker::Off || shown.contains(&path.names());
    if is_shown && let Ok(entry) = config.own_entry_at(path) {
        return Ok(entry.start()..entry.end());
    }
    shown.select(path).map_err(not_there)?;
    let message = format!("`{}` is not one entry of the text", path.shown());
    Err(Error::new(ErrorKind::NotFound, message)
        .hint("name a stream, live, plugin or another block, or a directive that stands there once"))
}

/// The refusal of a path that leads nowhere, where it names what is asked for.
pub fn not_there(found: impl Into<Error>) -> Error {
    let refusal = found.into();
    match refusal.kind {
        ErrorKind::AbsentPath | ErrorKind::NoConfiguration => Error { kind: ErrorKind::NotFound, ..refusal },
        _ => refusal,
    }
}

/// Returns `text` with a new text for the entry at `path`. White space around the new text is dropped.
///
/// # Errors
/// Those of [`entry_range`]. The new text is not one whole entry. The path does not name the entry that is added.
pub fn with_entry(
    text: &Arc<Snapshot>,
    EntryEdit { path, text: entry, create }: &EntryEdit,
) -> Result<Vec<u8>, Error> {
    match entry_range(text, path, Masker::Off) {
        Ok(range) => replaced(text, [range.start, range.end], ["", ""], entry),
        Err(refusal) if *create && refusal.kind == ErrorKind::NotFound => added(text, path, entry),
        Err(refusal) => Err(refusal),
    }
}

/// Returns a text with another entry behind all that is there.
fn added(text: &Arc<Snapshot>, path: &Path, entry: &[u8]) -> Result<Vec<u8>, Error> {
    let old = text.document().text();
    let newline = if old.contains("\r\n") { "\r\n" } else { "\n" };
    let line_end = if old.is_empty() || old.ends_with('\n') { "" } else { newline };
    let whole = replaced(text, [old.len(); 2], [line_end, newline], entry)?;
    let made = Arc::new(Snapshot::from_bytes(whole.clone()));
    match entry_range(&made, path, Masker::Off) {
        Ok(range) if range.start >= old.len() => Ok(whole),
        _ => {
            Err(Error::new(ErrorKind::BadNewText, format!("the new text is not that of `{}`", path.shown()))
                .hint("send the entry that the path names"))
        }
    }
}

/// Returns a text with one whole entry, between two pieces of white space, in the place of a range. An entry without carriage
/// returns gets CRLF where that was there, or else in the text.
fn replaced(
    text: &Arc<Snapshot>,
    [start, end]: [usize; 2],
    [before, after]: [&str; 2],
    entry: &[u8],
) -> Result<Vec<u8>, Error> {
    let alone = Arc::new(Snapshot::from_bytes(entry.trim_ascii().to_vec()));
    if alone.document().diagnostics().errors() > 0 {
        return Err(Error::bad_new_text(alone));
    }
    let (old, new) = (text.document().text(), alone.document().text());
    let was = Some(&old[start..end]).filter(|was| was.contains(['\r', '\n'])).unwrap_or(old);
    let new = match was.contains("\r\n") && !new.contains('\r') {
        true => Cow::Owned(new.replace('\n', "\r\n")),
        false => Cow::Borrowed(new),
    };
    let pieces = [&old[..start], before, &new, after, &old[end..]];
    let whole = pieces.concat();
    let ends = alone.document().entries().map(|entry| (entry.end(), entry.is_terminated()));
    let is_one = ends.eq([(alone.document().text().len(), true)]);
    // What stood around it has to be read as before: an open comment would take in what is behind it.
    let raw = |text| Token::all(text).map(|token| token.raw);
    match is_one && pieces.into_iter().flat_map(raw).eq(raw(&whole)) {
        true => Ok(whole.into_bytes()),
        false => Err(Error::new(ErrorKind::BadNewText, "the new text is not one whole entry")
            .hint("send the entry from its keyword to its `;` or `}`, and nothing behind that")),
    }
}
