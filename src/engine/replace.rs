//! Replacing the whole configuration: `save`, `update`, formatting, other texts of entries, and loading the file again.

use std::borrow::Cow;
use std::ops::Range;
use std::sync::Arc;

use bytes::Bytes;

use super::change::{
    ChangeOptions, ChangeReport, EntryEdit, EntryEdits, Operation, OutcomeNote, RequestedChange,
};
use super::guard;
use super::guard::Guard;
use super::include::IncludeChange;
use super::local::Engine;
use super::rebase::hand_edited_and_updated;
use super::running::ReloadRun;
use super::snapshot::Snapshot;
use super::transaction::{Transaction, hand_edited_since};
use crate::error::{Error, ErrorKind};
use mediaconf::{Document, EditError, Masker, Path, Token};

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
        // Looked for before the lock, which makes the state folder.
        if matches!(requested, RequestedChange::Format {} | RequestedChange::Entries(_))
            && self.running.is_none()
        {
            self.store.refuse_missing()?;
        }
        match requested {
            RequestedChange::Modify(request) => self.modify(request, options),
            RequestedChange::Save(text) => self.save(text, options),
            RequestedChange::Update(text) => self.update(text, options),
            RequestedChange::Format {} => {
                self.replace(Operation::Save, false, options, |transaction, _| transaction.formatted())
            }
            RequestedChange::Entries(entries) => {
                self.replace(Operation::Save, false, options, |transaction, notes| {
                    transaction.with_entries(entries, notes)
                })
            }
            RequestedChange::Rollback(to) => self.rollback(*to, options),
            RequestedChange::TakeBack(change) => self.take_back(change, options),
        }
    }

    /// Replaces the file, and the running configuration, by a new text; makes the file if it is missing.
    ///
    /// # Errors
    /// The configuration is as it was then.
    pub fn save(&self, text: &Bytes, options: &ChangeOptions) -> Result<ChangeReport, Error> {
        self.replace_as(Operation::Save, text, options)
    }

    /// Replaces both by these bytes, as another operation: what was accepted before is taken as it is.
    ///
    /// # Errors
    /// As [`Engine::save`].
    pub fn replace_as(
        &self,
        operation: Operation,
        text: &Bytes,
        options: &ChangeOptions,
    ) -> Result<ChangeReport, Error> {
        self.replace(operation, true, options, |transaction, _| {
            transaction.whole_text(text, || transaction.present())
        })
    }

    /// Replaces both by the text that `work_out` makes; `is_whole` says that it is not made of what is there.
    fn replace(
        &self,
        operation: Operation,
        is_whole: bool,
        options: &ChangeOptions,
        work_out: impl Fn(&Transaction<'_>, &mut Vec<OutcomeNote>) -> Result<Arc<Snapshot>, Error>,
    ) -> Result<ChangeReport, Error> {
        self.make_change(operation, options, |transaction| {
            let (is_of_base, mut notes) = (options.base.is_some(), Vec::new());
            let (state, file) = (transaction.state.as_ref(), transaction.file());
            transaction.refuse_stale(state.is_some_and(|state| transaction.is_hand_edited(state)))?;
            let after = work_out(transaction, &mut notes)?;
            if transaction.hand_edit().is_some_and(|[_, file]| !file.is_same_text(&after)) {
                let is_kept = is_of_base
                    || !is_whole
                    || (operation == Operation::Save && transaction.is_for_hand_edit());
                let picked_up = transaction.picked_up().filter(|_| is_kept);
                notes.push(picked_up.unwrap_or(OutcomeNote::OverwroteHandEdit));
            }
            let is_unsaved = state.is_some_and(|state| !state.is_saved());
            notes.extend((is_of_base && is_unsaved).then_some(OutcomeNote::SavedEarlierUpdate));
            let before = state.map(|state| &state.running).or(file);
            // A rollback skips this guard: its text was accepted before.
            if operation == Operation::Save {
                self.refuse_one_line([before, file], &after, options)?;
            }
            self.check_text(before, &after, options, &mut notes)?;
            let is_same = |old: &Arc<Snapshot>| old.is_same_text(&after);
            let changes = !(before.is_some_and(is_same) && file.is_some_and(is_same));
            Ok(ChangeReport { notes, ..ChangeReport::between(before.cloned(), after, changes) })
        })
    }

    /// Replaces the running configuration of a server, and leaves the file alone.
    ///
    /// # Errors
    /// The configuration is as it was then.
    pub fn update(&self, text: &Bytes, options: &ChangeOptions) -> Result<ChangeReport, Error> {
        if self.running.is_none() {
            return Err(self.no_server());
        }
        if options.id.is_some() {
            return Err(Error::new(ErrorKind::Usage, "an update is in no history, so it has no id"));
        }
        self.make_change(Operation::Update, options, |transaction| {
            let Some(state) = &transaction.state else { return Err(Error::no_server()) };
            transaction.refuse_stale(false)?;
            let (running, file) = (&state.running, transaction.file());
            let after = transaction.whole_text(text, || Ok(running))?;
            self.refuse_one_line([Some(running), file], &after, options)?;
            let mut notes = Vec::new();
            self.check_text(Some(running), &after, options, &mut notes)?;
            // An update to the text of the file counts as loading the file, so the result is saved.
            let is_same = |other: &Arc<Snapshot>| other.is_same_text(&after);
            let is_new_in_file = file.is_some_and(is_same) && !is_same(&state.saved);
            let changes = is_new_in_file || !is_same(running);
            Ok(ChangeReport { notes, ..ChangeReport::between(Some(running.clone()), after, changes) })
        })
    }

    /// Runs the text of the file, which may have been edited by hand.
    ///
    /// # Errors
    /// As [`Engine::update`]; if the file is missing or has errors, the running configuration stays.
    pub fn load_again(&self, by: &str) -> Result<ChangeReport, Error> {
        self.reconcile_alone();
        let options =
            ChangeOptions { max_delete: Some(usize::MAX), by: by.to_owned(), ..ChangeOptions::default() };
        let loaded = self.make_change(Operation::Load, &options, |transaction| {
            let Some(state) = &transaction.state else { return Err(Error::no_server()) };
            let file = transaction.file().ok_or_else(|| Error::no_file(self.store.path()))?;
            let changes = !file.is_same_text(&state.running)
                || !file.is_same_text(&state.saved)
                || self.has_changed_includes();
            self.check_text(Some(&state.running), file, &options, &mut Vec::new())?;
            Ok(ChangeReport::between(Some(state.running.clone()), file.clone(), changes))
        });
        if loaded.is_err() {
            self.note_reload(false, ReloadRun { by: by.to_owned(), ..ReloadRun::default() });
        }
        loaded
    }

    /// Refuses a text that has lost its line ends, unless it is one of the present texts.
    fn refuse_one_line(
        &self,
        present: [Option<&Arc<Snapshot>>; 2],
        text: &Snapshot,
        options: &ChangeOptions,
    ) -> Result<(), Error> {
        let is_present = || present.into_iter().flatten().any(|present| present.is_same_text(text));
        let is_lost = Document::has_lost_line_ends(text.bytes()) && !is_present();
        self.refuse_guarded([is_lost.then_some(Guard::OneLine), None], options)
    }

    /// Validates and guards a whole new text; the notes count what it lacks.
    fn check_text(
        &self,
        before: Option<&Arc<Snapshot>>,
        after: &Arc<Snapshot>,
        options: &ChangeOptions,
        notes: &mut Vec<OutcomeNote>,
    ) -> Result<(), Error> {
        if !after.is_valid() {
            return Err(Error::bad_new_text(after.clone()));
        }
        if let Some(refusal) = Error::masked_text(after.document().text()) {
            return Err(refusal);
        }
        let included = before.and_then(|before| self.include_change(before, after));
        let (gone, included_of) = IncludeChange::deleted_streams(included.as_ref());
        let before = before.map(|before| before.document());
        let (deleted, of) = before.map_or((0, 0), |before| guard::deleted_streams(before, after.document()));
        let replacement = guard::before_replacement(before, after.document());
        let deletion = guard::before_deletion(deleted + gone, of + included_of, options.max_delete);
        self.refuse_guarded([replacement, deletion], options)?;
        notes.extend((deleted > 0).then_some(OutcomeNote::DeletedStreams(deleted)));
        notes.extend(included.map(OutcomeNote::IncludeChange));
        Ok(())
    }
}

impl Transaction<'_> {
    /// The text that is there, formatted.
    fn formatted(&self) -> Result<Arc<Snapshot>, Error> {
        let present = self.present()?;
        if !present.is_valid() {
            return Err(Error::bad_config(present.clone()));
        }
        let new = present.document().formatted().map_err(EditError::Unproved)?;
        Ok(new.map_or_else(|| present.clone(), |new| Snapshot::from_document(new).into()))
    }

    /// The text that is there, with the texts of entries, and then with a change of values.
    fn with_entries(
        &self,
        EntryEdits { texts, then }: &EntryEdits,
        notes: &mut Vec<OutcomeNote>,
    ) -> Result<Arc<Snapshot>, Error> {
        let (base, present) = (self.base()?, self.present()?);
        if let (Some(then), true) = (then, base.is_some() && present.is_valid()) {
            then.refuse_unmet(&present.config())?;
        }
        let mut whole = base.as_ref().unwrap_or(present).clone();
        for edit in texts {
            self.options.refuse_late()?;
            if let Some(composed) = self.engine.composed(&whole, self.engine.followed()) {
                composed.refuse_entry(&edit.path)?;
            }
            whole = Arc::new(Snapshot::from_bytes(with_entry(&whole, edit)?));
        }
        if let Some(request) = then {
            if !whole.is_valid() {
                return Err(Error::bad_new_text(whole));
            }
            if let Some(edit) = self.evaluated(request, &whole, notes, |_| Ok(()))? {
                notes.extend(edit.notes.into_iter().map(OutcomeNote::Edit));
                self.engine.refuse_faults(edit.guarded, self.options)?;
                whole = Arc::new(Snapshot::proved(edit.document));
            }
        }
        self.on_present(whole, base.as_ref(), present)
    }

    /// The text that is worked on: the running one, or the file where that was edited by hand.
    fn present(&self) -> Result<&Arc<Snapshot>, Error> {
        match (&self.state, self.hand_edit()) {
            (Some(state), Some([_, file])) if state.is_saved() => Ok(file),
            (Some(_), Some(_)) if self.options.base.is_some() => Err(hand_edited_and_updated()),
            (Some(_), Some(_)) => Err(hand_edited_since()),
            (Some(state), None) => Ok(&state.running),
            (None, _) => self.file().ok_or_else(|| Error::no_file(self.engine.store.path())),
        }
    }
}

/// Returns the bytes of the entry at a path: from its keyword to its `;` or `}`. With a masker, a path that holds a secret
/// leads nowhere.
///
/// # Errors
/// The text has errors; nothing is at the path; what is there is not one entry of the text.
pub fn entry_range(
    text: &Arc<Snapshot>,
    path: &Path,
    masker: Option<&Masker>,
) -> Result<Range<usize>, Error> {
    if !text.is_valid() {
        return Err(Error::bad_config(text.clone()));
    }
    let masked = masker.map(|masker| text.masked(masker));
    let (config, shown) = (text.config(), masked.as_ref().unwrap_or(text).config());
    let is_shown = masker.is_none() || shown.contains(&path.split_names().0);
    if let Some(entry) = config.own_entry_at(&path.segments).filter(|_| is_shown) {
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
        ErrorKind::AbsentPath => Error { kind: ErrorKind::NotFound, ..refusal },
        _ => refusal,
    }
}

/// Returns a text in which an entry has another text, without the white space around that.
///
/// # Errors
/// As [`entry_range`]; the new text is not one whole entry, or one that is added is not the entry at the path.
pub fn with_entry(
    text: &Arc<Snapshot>,
    EntryEdit { path, text: entry, create }: &EntryEdit,
) -> Result<Vec<u8>, Error> {
    match entry_range(text, path, None) {
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
    match entry_range(&made, path, None) {
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
    let is_one = alone.document().entries().count() == 1 && ends_entry(alone.document());
    // What stood around it has to be read as before: an open comment would take in what is behind it.
    let raw = |text| Token::all(text).map(|token| token.raw);
    match is_one && pieces.into_iter().flat_map(raw).eq(raw(&whole)) {
        true => Ok(whole.into_bytes()),
        false => Err(Error::new(ErrorKind::BadNewText, "the new text is not one whole entry")
            .hint("send the entry from its keyword to its `;` or `}`, and nothing behind that")),
    }
}

/// True if a text ends with its last entry, and that with its `;` or `}`.
fn ends_entry(alone: &Document) -> bool {
    alone.text().ends_with([';', '}'])
        && alone.entries().last().is_some_and(|last| last.end() == alone.text().len())
}
