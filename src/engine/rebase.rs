//! The base of a change, which is the text that the client read before it, the merge with what others made of it
//! meanwhile, such as a hand edit of the file, and the conflicts between both.

use std::cell::RefCell;
use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

use bytes::Bytes;
use serde_json::Value;

use super::{Snapshot, Transaction, UndoneChange, hand_edited_since};
use crate::error::{Error, ErrorKind, errors_of};
use crate::store::{HistoryEntry, READ_AGAIN, Revision, WHOLE_HISTORY};
use mediaconf::{Config, Document, Fault, Masker, Pointer, Request, Schema};

impl Transaction<'_> {
    /// The text that the change was made of; `None` if it names none.
    ///
    /// # Errors
    /// `Stale`: the text is not kept.
    pub(super) fn base(&self) -> Result<Option<Arc<Snapshot>>, Error> {
        let Some(base) = self.options.base else { return Ok(None) };
        self.text_with(base)?.map(Some).ok_or_else(|| {
            Error::new(ErrorKind::Stale, format!("the text with the revision `{base}` is not kept"))
                .hint(READ_AGAIN)
        })
    }

    /// Returns the text to write for a whole text that was sent: merged with what is there, where the request has a base.
    pub(super) fn whole_text(&self, text: &Bytes) -> Result<Arc<Snapshot>, Error> {
        let text = Arc::new(Snapshot::from_bytes(text.clone()));
        let Some(base) = self.base()? else { return Ok(text) };
        self.on_present(text, Some(&base), self.present()?)
    }

    /// Returns the text to write for a whole text that is based on `base`, or else on what is there: merged with what
    /// others changed since.
    pub(super) fn on_present(
        &self,
        mine: Arc<Snapshot>,
        base: Option<&Arc<Snapshot>>,
        present: &Arc<Snapshot>,
    ) -> Result<Arc<Snapshot>, Error> {
        let is_there = mine.is_same_text(present);
        let Some(base) = base.filter(|base| !is_there && !base.is_same_text(present)) else {
            return Ok(mine);
        };
        if !mine.is_valid() {
            return Err(Error::bad_new_text(mine));
        }
        if !present.is_valid() {
            return Err(match self.hand_edit() {
                Some([_, file]) if file.is_same_text(present) => {
                    hand_edited_badly(ErrorKind::Conflict, file, self.engine.has_history())
                }
                _ => Error::bad_config(present.clone()),
            });
        }
        let [base, mine, theirs] = [base, &mine, present].map(|text| text.document());
        // Of a base with errors, only the lines are merged.
        let patch = (base.diagnostics().errors() == 0).then(|| base.patch_to(mine));
        if let Some(patch) = &patch {
            self.refuse_changed(base, theirs, &patch.clone().into())?;
        }
        let merged = base.three_way(mine, theirs, patch).map_err(lines_clash)?;
        Ok(Arc::new(Snapshot::from_document(merged)))
    }

    /// Returns the request for what is there that has the same effect as `request` has on `base`.
    pub(super) fn request_on_present(
        &self,
        request: &Request,
        base: &Arc<Snapshot>,
        present: &Arc<Snapshot>,
    ) -> Result<Request, Error> {
        base.refuse_errors()?;
        let (document, config) = (base.document(), base.config());
        let patch = match request.edit(request.evaluate(&config)?, document, &config)? {
            Some(edit) => document.patch_to(&edit.document).into(),
            None => Value::Object(serde_json::Map::new()),
        };
        self.refuse_changed(document, present.document(), &patch)?;
        let expectations = request.expectations.clone();
        Ok(if request.is_of_text() { request.clone() } else { Request::from(patch).expecting(expectations) })
    }

    /// Refuses to change values that others changed, too.
    fn refuse_changed(&self, base: &Document, theirs: &Document, patch: &Value) -> Result<(), Error> {
        let found = if self.options.force { Vec::new() } else { conflicts(base, theirs, patch) };
        if found.is_empty() {
            return Ok(());
        }
        let masker = self.options.told.mask_key.map(Masker::Keyed).unwrap_or_default();
        Err(refusal(&found, ("it was changed meanwhile", DECIDE), masker))
    }

    /// Returns the text with a revision, from what is there or from the history; `None` if it is no longer kept.
    pub(super) fn text_with(&self, revision: Revision) -> Result<Option<Arc<Snapshot>>, Error> {
        match self.file().filter(|text| text.revision() == revision) {
            Some(file) => Ok(Some(file.clone())),
            None => self.engine.text_with(revision, &self.engine.store.history(WHOLE_HISTORY)?),
        }
    }

    /// Returns the text that is there without these changes, of which the last one is first.
    pub(super) fn without(&self, undone: &[UndoneChange]) -> Result<Arc<Snapshot>, Error> {
        let mut text = self.present()?.clone();
        for change in undone {
            let made = self.on_present(change.before.clone(), Some(&change.after), &text);
            text = made.map_err(|refusal| self.changed_since(change, undone, refusal))?;
        }
        Ok(text)
    }

    /// The refusal to undo a change, which names the changes that made what is there now, and all that have to be undone with
    /// it.
    fn changed_since(&self, change: &UndoneChange, undone: &[UndoneChange], refusal: Error) -> Error {
        if refusal.kind != ErrorKind::Conflict || refusal.faults.is_empty() {
            return refusal;
        }
        let mut refusal = refusal.shortened();
        let more = refusal.faults.len() + refusal.unlisted - 1;
        let entries = self.engine.store.history(WHOLE_HISTORY).unwrap_or_default();
        // Each text is read once, however many values clash.
        let texts: RefCell<HashMap<Revision, Option<Arc<Snapshot>>>> = RefCell::default();
        let text = |revision: Option<Revision>| {
            let read = |revision| self.engine.text_with(revision, &entries).ok().flatten();
            texts.borrow_mut().entry(revision?).or_insert_with_key(|revision| read(*revision)).clone()
        };
        let of = if self.engine.is_run_by_nodes() { " of the cluster" } else { "" };
        let [base, mine] = [&change.after, &change.before].map(|text| text.document());
        let patch = (base.diagnostics().errors() == 0).then(|| base.patch_to(mine));
        let now = self.present().ok();
        let mut numbers: BTreeSet<u64> = undone.iter().map(|undone| undone.number).collect();
        for fault in &mut refusal.faults {
            let keys = fault.pointer.as_ref().map(Pointer::keys).unwrap_or_default();
            let keys: Vec<&str> = keys.iter().map(String::as_str).collect();
            // The value that stands there, or else whether lines clash.
            let stands = |text: &Snapshot| match &keys[..] {
                _ if !text.is_valid() => None,
                [] => Some(base.three_way(mine, text.document(), patch.clone()).is_err().into()),
                keys => Config::own(text.document()).value(keys),
            };
            let changes = |entry: &&HistoryEntry| {
                let texts = text(entry.before).zip(text(entry.after));
                !entry.is_aside && texts.is_some_and(|(before, after)| stands(&before) != stands(&after))
            };
            let later = entries.iter().take_while(|entry| entry.name() != change.name);
            let mut later: Vec<&HistoryEntry> = later.filter(changes).collect();
            // What is there may be of a hand edit, which is in no history yet.
            let last = later.first().and_then(|last| text(last.after));
            let is_known = last.is_some_and(|last| now.is_some_and(|now| stands(&last) == stands(now)));
            later.retain(|later| undone.iter().all(|undone| undone.name != later.name()));
            numbers.extend(later.iter().map(|later| later.number));
            let maker = later.first().filter(|_| is_known).map(|maker| {
                let by = maker.by.as_ref().map_or(String::new(), |by| format!(" by {by}"));
                format!("change {}{of} ({}{by})", maker.number, maker.operation)
            });
            let who = maker.unwrap_or("what the history does not have".to_owned());
            let what = if keys.is_empty() { "the same lines, or lines beside them," } else { "it" };
            fault.message = format!("change {} can't be undone: {who} changed {what} since", change.number);
        }
        let numbers: Vec<String> = numbers.iter().map(u64::to_string).collect();
        let all = format!("; `mediactl revert {}` undoes all of it", numbers.join(" "));
        let all = if numbers.len() > undone.len() { &*all } else { "" };
        let hint = format!("`mediactl history -p` shows what was changed{all}");
        refusal.faults.iter_mut().for_each(|fault| fault.hint = Some(hint.clone()));
        let more = if more == 0 { String::new() } else { format!("; and {more} more") };
        Error { message: format!("{}{more}", refusal.faults[0]), ..refusal }.hint(hint)
    }
}

/// The advice about a hand edit.
pub const OVERWRITE: &str =
    "`mediactl diff` shows the difference; `mediactl update FILE` loads the file, `--force` overwrites it";

/// The advice about values that others changed meanwhile.
const DECIDE: &str = "read the configuration again, and send the right value; `force` takes yours";

/// The advice about lines that others changed meanwhile.
const REPEAT: &str = "read the configuration again, and repeat the change";

/// Returns the values that `patch` sets and that differ between `base` and `theirs`, as faults with the value that both
/// started from, the one in the file now and the one of the change, of which null removes.
///
/// Both documents are without errors. Only the values that the patch names are compared.
pub fn conflicts(base: &Document, theirs: &Document, patch: &Value) -> Vec<Fault> {
    let [base, theirs] = [base, theirs].map(Config::own);
    let mut found = Vec::new();
    for (key, value) in patch.as_object().into_iter().flatten() {
        match value.as_object().filter(|_| Schema::kind(key).is_some()) {
            Some(blocks) => blocks.iter().for_each(|(name, value)| {
                let at = [key.as_str(), name.as_str()];
                compare(&mut found, &at, base.value(&at), theirs.value(&at), value);
            }),
            None => compare(&mut found, &[key], base.value(&[key]), theirs.value(&[key]), value),
        }
    }
    found
}

fn compare(found: &mut Vec<Fault>, at: &[&str], base: Option<Value>, theirs: Option<Value>, patch: &Value) {
    if base == theirs || theirs.as_ref() == Some(patch) || (theirs.is_none() && patch.is_null()) {
        return;
    }
    match (&base, &theirs, patch) {
        (Some(Value::Object(base)), Some(Value::Object(theirs)), Value::Object(patch)) => {
            for (key, value) in patch {
                let inner: Vec<&str> = at.iter().copied().chain([key.as_str()]).collect();
                compare(found, &inner, base.get(key).cloned(), theirs.get(key).cloned(), value);
            }
        }
        _ => found.push(Fault {
            pointer: Some(Pointer::from_keys(at)),
            base: base.map(Box::new),
            theirs: theirs.map(Box::new),
            mine: Some(Box::new(patch.clone())),
            ..Fault::default()
        }),
    }
}

/// The refusal of a change that conflicts with a hand edit; without conflicts, another update is unsaved. The values are masked:
/// refusals are shown and logged.
pub fn hand_edited(conflicts: &[Fault]) -> Error {
    if conflicts.is_empty() {
        return Error { kind: ErrorKind::Conflict, ..hand_edited_since() };
    }
    refusal(
        conflicts,
        ("the file was changed by hand here since it was loaded", OVERWRITE),
        Masker::default(),
    )
}

/// The refusal of a change of a file that is gone.
pub fn removed_since() -> Error {
    Error::new(ErrorKind::Conflict, "the file was removed by hand since it was loaded")
        .hint("`mediactl save FILE` makes it again; `--force` makes it of what the server runs")
}

/// The refusal of a change with a `base`: a hand edit and an unsaved update were both made of another text.
pub fn hand_edited_and_updated() -> Error {
    hand_edited(&[]).hint("`mediactl update FILE` loads the file, then repeat the change")
}

/// The refusal of a change where the hand edit of the file has errors.
pub fn hand_edited_badly(kind: ErrorKind, file: &Snapshot, has_history: bool) -> Error {
    let errors = file.errors_in_words();
    let first = errors_of(None, file, file.diagnostics()).next().map_or(String::new(), |first| {
        format!(": line {}: {}", first.line.unwrap_or_default(), first.message)
    });
    Error::new(kind, format!("the file was changed by hand since it was loaded, and has {errors}{first}"))
        .hint(match has_history {
            true => "`mediactl check` shows the errors; correct the file, or `mediactl rollback last` removes that edit",
            false => "`mediactl check` shows the errors; correct the file",
        })
}

/// The refusal of a change of lines that others changed, too.
pub fn lines_clash(line: Option<usize>) -> Error {
    let message = "the same lines were changed meanwhile, and not only their values";
    let fault = Fault { line, ..Fault::of_path(message) };
    Error::new(ErrorKind::Conflict, message).with_faults(vec![fault.hint(REPEAT)])
}

/// The refusal of a change that conflicts with another one.
fn refusal(conflicts: &[Fault], (what, hint): (&str, &'static str), masker: Masker) -> Error {
    let pointer = |fault: &Fault| fault.pointer.clone().unwrap_or_default();
    let first = conflicts.first().map_or(String::new(), |first| pointer(first).to_path().shown());
    let message = match conflicts {
        [_, more @ ..] if !more.is_empty() => format!("`{first}` and {} more: {what}", more.len()),
        _ => format!("`{first}`: {what}"),
    };
    let told = conflicts.iter().map(|conflict| {
        let keys = pointer(conflict).keys();
        let keys: Vec<&str> = keys.iter().map(String::as_str).collect();
        // Whether a value is a secret depends on the keys above it.
        let masked = |value: &Option<Box<Value>>| Some(Box::new(masker.json_below(&keys, value.as_ref()?)));
        let Fault { pointer, base, theirs, mine, .. } = conflict;
        let (base, theirs, mine) = (masked(base), masked(theirs), masked(mine));
        Fault { pointer: pointer.clone(), base, theirs, mine, ..Fault::of_path(what) }.hint(hint)
    });
    Error::new(ErrorKind::Conflict, message).hint(hint).with_faults(told.collect())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn pointers(base: &str, theirs: &str, patch: Value) -> Vec<String> {
        let [base, theirs] = [base, theirs].map(|text| Document::parse(text.to_owned()));
        conflicts(&base, &theirs, &patch)
            .into_iter()
            .map(|clash| clash.pointer.expect("it has a place").as_str().to_owned())
            .collect()
    }

    #[test]
    fn only_what_both_touch_clashes() {
        let base = "rtmp 1;\nstream a { url u; prepush 1; }\nstream b { url u; }\n";
        let theirs = "rtmp 2;\nstream a { url u; prepush 5; }\nstream c { url u; }\n";
        for (patch, expected) in [
            (json!({"rtsp": 5}), vec![]),
            (json!({"rtmp": 3}), vec!["/rtmp"]),
            (json!({"rtmp": 2}), vec![]),
            (json!({"streams": {"a": {"title": "x"}}}), vec![]),
            (json!({"streams": {"a": {"prepush": 7}}}), vec!["/streams/a/prepush"]),
            (json!({"streams": {"a": null}}), vec!["/streams/a"]),
            (json!({"streams": {"b": null}}), vec![]),
            (json!({"streams": {"b": {"title": "x"}}}), vec!["/streams/b"]),
            (json!({"streams": {"c": {"title": "x"}}}), vec!["/streams/c"]),
            (json!({"streams": {"d": {"urls": []}}, "rtmp": null}), vec!["/rtmp"]),
        ] {
            assert_eq!(pointers(base, theirs, patch.clone()), expected, "{patch}");
        }
    }
}
