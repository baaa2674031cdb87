//! The history of a configuration: going back to an earlier text, the paths that changes changed, and the changes that set
//! a value.

use std::cell::OnceCell;
use std::iter::zip;
use std::sync::Arc;
use std::time::SystemTime;

use serde::Serialize;
use serde_json::{Map, Value};

use super::{
    ChangeOptions, ChangeReport, ConfigService, ConfigSource, Engine, Operation, PendingChange,
    RequestedChange, Snapshot, changed, not_there,
};
use crate::error::{Error, ErrorKind};
use crate::store::{
    ChangeRange, ChangeRef, ChangedPaths, HAND_EDIT, HistoryEntry, PendingInfo, REVERT, Reverted, Revision,
    WHOLE_HISTORY,
};
use mediaconf::{ChangedValue, Config, Masker, Path, Segment};

/// The hint for a change that the history does not have.
const IN_HISTORY: &str = "`mediactl history` shows what is kept";

/// Returns the entry of a change.
///
/// # Errors
/// `NotFound`.
pub fn find(entries: &[HistoryEntry], which: ChangeRef) -> Result<&HistoryEntry, Error> {
    which.find(entries).map(|at| &entries[at]).ok_or_else(|| {
        // A record that can't be read may have none.
        let numbers = || entries.iter().map(|entry| entry.number).filter(|number| *number > 0);
        let reach = match (numbers().next_back(), numbers().next()) {
            (Some(oldest), Some(newest)) => format!("has {oldest} to {newest}"),
            _ => "has no changes".to_owned(),
        };
        Error::new(ErrorKind::NotFound, format!("there is no change `{which}`: the history {reach}"))
            .hint(IN_HISTORY)
    })
}

/// A change that is undone: the texts before and after it.
#[derive(Debug)]
pub struct UndoneChange {
    pub number: u64,
    /// Its id, or `change:N` where it has none.
    pub name: String,
    pub before: Arc<Snapshot>,
    pub after: Arc<Snapshot>,
}

/// Returns the changes that a revert undoes, the last one first.
///
/// # Errors
/// `NoSuchChange`, `NotFound`: the history does not have one of them, or it is no change of the text.
pub fn reverted_in<'h>(
    entries: &'h [HistoryEntry],
    reverted: &Reverted,
) -> Result<Vec<&'h HistoryEntry>, Error> {
    let ranges = match reverted {
        Reverted::Numbers(ranges) => ranges,
        Reverted::Change(id) => {
            let is_made = |entry: &&HistoryEntry| entry.is_of(id.as_str()) && !entry.goes_back();
            let made = entries.iter().find(is_made).ok_or_else(|| {
                Error::new(ErrorKind::NoSuchChange, format!("the history has no change `{id}`"))
                    .hint("`mediactl history -o json` shows the id of each change")
            });
            return made.map(|made| vec![made]);
        }
    };
    let mut wanted = Vec::new();
    for ChangeRange([first, last]) in ranges {
        let (first, last) = (find(entries, *first)?, find(entries, *last)?);
        if first.number == last.number && first.is_aside {
            let message =
                format!("change {} did not change the file, so there is nothing to undo", first.number);
            return Err(Error::new(ErrorKind::NotFound, message).hint(IN_HISTORY));
        }
        wanted.push(first.number.min(last.number)..=first.number.max(last.number));
    }
    let is_wanted = |entry: &&HistoryEntry| wanted.iter().any(|range| range.contains(&entry.number));
    Ok(entries.iter().filter(|entry| !entry.is_aside).filter(is_wanted).collect())
}

impl Engine {
    /// Makes the text before a change the configuration again, as a new change.
    ///
    /// # Errors
    /// As [`Engine::replace_as`]; `NotFound`, `NotKept`.
    pub fn rollback(&self, which: ChangeRef, options: &ChangeOptions) -> Result<ChangeReport, Error> {
        // Looked up before a hand edit is recorded, whose entry would be the last one then.
        let (number, text) = self.number_and_text(which)?;
        let mut options = ChangeOptions { takes_faults: true, ..options.clone() };
        // The numbers of a node's own history are others.
        let what = match self.is_run_by_nodes() {
            true => format!("back to the text before change {number} of the cluster"),
            false => format!("back to the text before change {number}"),
        };
        options.message.get_or_insert(what);
        self.replace_as(Operation::Rollback, text.bytes(), &options)
    }

    /// True if there is a change to roll back to.
    pub(super) fn has_history(&self) -> bool {
        self.store.history(1).is_ok_and(|entries| !entries.is_empty())
    }

    /// Undoes these changes, and keeps what was changed since.
    ///
    /// # Errors
    /// As [`Engine::undone`]; `Conflict` if what they changed was changed since; as [`Engine::replace_as`].
    pub fn revert(&self, reverted: &Reverted, options: &ChangeOptions) -> Result<ChangeReport, Error> {
        let of = if self.is_run_by_nodes() { " of the cluster" } else { "" };
        self.undo(reverted, self.undone(reverted)?, of, options)
    }

    /// The same by the texts of the changes, the last one first, whose numbers are those `of` another history.
    ///
    /// # Errors
    /// As [`Engine::revert`].
    pub fn undo(
        &self,
        reverted: &Reverted,
        undone: Arc<[UndoneChange]>,
        of: &str,
        options: &ChangeOptions,
    ) -> Result<ChangeReport, Error> {
        let names: Vec<&str> = undone.iter().map(|change| &*change.name).collect();
        let what = match reverted {
            Reverted::Change(id) => format!("change {id}"),
            Reverted::Numbers(_) => {
                let numbers: Vec<String> = undone.iter().rev().map(|one| one.number.to_string()).collect();
                let changes = if numbers.len() == 1 { "change" } else { "changes" };
                format!("{changes} {}{of}", numbers.join(", "))
            }
        };
        let why = options.message.as_ref().map_or(String::new(), |why| format!(": {why}"));
        let options = ChangeOptions {
            base: undone.first().map(|last| last.after.revision()),
            message: Some(format!("revert of {what}{why}")),
            undoes: Some(names.join(",")),
            command: Some(REVERT.into()),
            ..options.clone()
        };
        self.make(&RequestedChange::Undo(undone), &options)
    }

    /// The texts of the changes that a revert undoes.
    ///
    /// # Errors
    /// As [`reverted_in`]; `NotKept`.
    pub fn undone(&self, reverted: &Reverted) -> Result<Arc<[UndoneChange]>, Error> {
        let entries = self.history(WHOLE_HISTORY)?;
        let undone = |made: &HistoryEntry| {
            let number = made.number;
            let before = self.text_before(ChangeRef::Number(number))?;
            let after = made.after.map(|after| self.text_with(after, &entries)).transpose()?.flatten();
            match after {
                Some(after) if made.before == Some(before.revision()) => {
                    Ok(UndoneChange { number, name: made.name(), before, after })
                }
                _ => {
                    Err(Error::new(ErrorKind::NotKept, format!("the text after change {number} is not kept"))
                        .hint(IN_HISTORY))
                }
            }
        };
        reverted_in(&entries, reverted)?.into_iter().map(undone).collect()
    }

    /// Returns the text with a revision, from what is there or from the history; `None` if it is no longer kept.
    pub fn text_with(
        &self,
        revision: Revision,
        entries: &[HistoryEntry],
    ) -> Result<Option<Arc<Snapshot>>, Error> {
        let is_wanted = |text: &Arc<Snapshot>| text.revision() == revision;
        let state = self.state();
        let known = state.iter().flat_map(|state| [state.running.clone(), state.saved.clone()]);
        let known = known.chain(Engine::read(self)).chain(self.text_before(ChangeRef::NOT_RECORDED));
        if let Some(text) = known.into_iter().find(is_wanted) {
            return Ok(Some(text));
        }
        for entry in entries.iter().filter(|entry| entry.before == Some(revision)) {
            let text = self.store.kept(entry.number)?.map(|text| Arc::new(Snapshot::from_bytes(text)));
            if let Some(text) = text.filter(is_wanted) {
                return Ok(Some(text));
            }
        }
        Ok(None)
    }

    /// Returns the change that has to be confirmed: of the server, of the store, or the one that a server left
    /// unconfirmed when it ended. Takes no lock.
    ///
    /// # Errors
    /// Those of the store.
    pub fn pending_info(&self) -> Result<Option<PendingInfo>, Error> {
        if let Some(running) = &self.running {
            return Ok(running.state.read().pending.as_ref().map(PendingChange::info));
        }
        Ok(if self.is_run_by_nodes() { self.store.open_change()? } else { self.open_left_over()? })
    }

    pub(super) fn number_and_text(&self, which: ChangeRef) -> Result<(u64, Arc<Snapshot>), Error> {
        let number = match which {
            // `blame` asks for one text after the other, and does not need all entries for each.
            ChangeRef::Number(number) => number,
            ChangeRef::Last => find(&self.history(WHOLE_HISTORY)?, which)?.number,
        };
        if let Some(text) = self.store.kept(number)? {
            return Ok((number, Arc::new(Snapshot::from_bytes(text))));
        }
        match find(&self.history(WHOLE_HISTORY)?, which)?.before {
            Some(_) => Err(not_kept(&format!("change {number}"))),
            None => Err(Error::new(
                ErrorKind::NotKept,
                format!("change {number} made the configuration: before it there was none"),
            )),
        }
    }
}

/// The refusal to show the text before a change that is not kept.
pub(super) fn not_kept(change: &str) -> Error {
    Error::new(ErrorKind::NotKept, format!("the text before {change} is not kept")).hint(IN_HISTORY)
}

/// The first paths that differ between two configurations, and how many there are; `None` if one is not there, or has
/// errors.
pub fn first_paths_between(before: Option<&Snapshot>, after: Option<&Snapshot>) -> Option<ChangedPaths> {
    Some(first_paths(&changed(before?, after?)?))
}

/// The first paths of some values, and how many there are.
pub fn first_paths(changed: &[ChangedValue]) -> ChangedPaths {
    let first = changed.iter().take(ChangedPaths::MOST).map(ChangedValue::short_path).collect();
    ChangedPaths { first, count: changed.len() }
}

/// The same of two texts.
pub fn paths_of_texts(texts: [&[u8]; 2]) -> Option<ChangedPaths> {
    let [before, after] = texts.map(|text| Snapshot::from_bytes(text.to_vec()));
    first_paths_between(Some(&before), Some(&after))
}

/// A change that set a value.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Blamed {
    #[serde(flatten)]
    pub entry: HistoryEntry,
    /// The value before; null if there was none.
    pub from: Option<Value>,
    /// The value afterwards; null if there is none.
    pub to: Option<Value>,
}

/// The history of a value, as far as it is known.
#[derive(Debug, Clone, PartialEq)]
pub struct ValueHistory {
    /// The changes of the value, the last one first.
    pub changes: Vec<Blamed>,
    /// True if the file was edited by hand since the last change.
    pub is_edited: bool,
    /// True if there may be more, because a text of the history is not kept or has errors.
    pub is_cut: bool,
}

/// The HTTP status of a server whose history keeps no texts.
const NOT_FOUND: u16 = 404;

/// Searches the history of a service for the last changes of the value at a path, at most `most`, with secrets masked by
/// `masker`. Reads as few entries as that takes, and no more texts once `is_late`. `refuse` refuses an entry that is not of
/// the text itself, but of a file that it includes.
///
/// # Errors
/// `BadConfig`; `NotFound` and others for a path that leads nowhere now and in the history; those of the service.
pub fn value_history(
    service: &dyn ConfigService,
    path: &Path,
    most: Option<usize>,
    masker: Masker,
    is_late: &dyn Fn() -> bool,
    refuse: &dyn Fn(&Arc<Snapshot>) -> Result<(), Error>,
) -> Result<ValueHistory, Error> {
    let mut entries = service.history(WHOLE_HISTORY)?;
    let now = service.read(Some(ConfigSource::Saved))?;
    now.refuse_errors()?;
    let most = most.unwrap_or(WHOLE_HISTORY);
    let is_edited = is_edited_since(&entries, &now);
    let edited = add_hand_edit(service, &mut entries, &now);
    let mut kept = |number| match is_late() {
        _ if number == 0 => Ok(edited.clone()),
        true => Ok(None),
        false => service.text_before(ChangeRef::Number(number)).map(Some).or_else(|error| match error {
            error if error.is_not_kept() => Ok(None),
            error => Err(error),
        }),
    };
    let (changes, is_cut) = blame(&entries, &now, &mut kept, path, masker, most)?;
    let found = ValueHistory { changes, is_edited, is_cut };
    if found.changes.is_empty() {
        refuse(&now)?;
        // A path without a value now and in the history is misspelt.
        now.masked(masker).config().select(path).map_err(not_there)?;
    }
    Ok(found)
}

/// Puts a hand edit that no change has recorded yet in front of the changes, as one without a number; returns the text before
/// it. `None` if there is none, or that text is not known.
pub fn add_hand_edit(
    service: &dyn ConfigService,
    entries: &mut Vec<HistoryEntry>,
    now: &Arc<Snapshot>,
) -> Option<Arc<Snapshot>> {
    if !is_edited_since(entries, now) {
        return None;
    }
    let last = entries.iter().find(|entry| !entry.is_aside)?.after;
    let before = service.text_before(ChangeRef::NOT_RECORDED).ok()?;
    if Some(before.revision()) != last {
        return None;
    }
    let edit = HistoryEntry {
        at: SystemTime::now(),
        message: Some("not recorded yet".to_owned()),
        before: last,
        after: Some(now.revision()),
        ..HistoryEntry::new(0, HAND_EDIT)
    };
    entries.insert(0, edit);
    Some(before)
}

impl Error {
    /// True if the history just has no text for a change.
    pub fn is_not_kept(&self) -> bool {
        self.kind == ErrorKind::NotKept || self.status == Some(NOT_FOUND)
    }
}

/// False if the paths that a change changed are surely others than those of the values at a path.
fn may_touch(entry: &HistoryEntry, path: &Path) -> bool {
    // A name with another character may be written otherwise here, and a long path is cut.
    let is_plain = |path: &str| path.bytes().all(|byte| byte.is_ascii_graphic() && byte != b'<');
    let is_near = |changed: Path| zip(changed.names(), path.names()).all(|(one, other)| one == other);
    let may_be = |changed: &String| !is_plain(changed) || Path::parse(changed).map_or(true, is_near);
    let may_be_one = |all: &ChangedPaths| all.count > all.first.len() || all.first.iter().any(may_be);
    entry.paths.as_ref().is_none_or(may_be_one)
}

/// Returns the last changes of the value at `path`, the last one first, at most `most`, secrets masked by `masker`; and
/// whether a text hides some. `kept` returns the text before the change with a number; `now` is the text in the
/// file.
///
/// A text that is not kept or has errors hides the changes on both sides of it. A hand edit since the
/// last change hides that. Of an object, only the members that changed are shown.
///
/// # Errors
/// Those of `kept`.
fn blame<E>(
    entries: &[HistoryEntry],
    now: &Arc<Snapshot>,
    kept: &mut dyn FnMut(u64) -> Result<Option<Arc<Snapshot>>, E>,
    path: &Path,
    masker: Masker,
    most: usize,
) -> Result<(Vec<Blamed>, bool), E> {
    let (mut found, mut is_cut) = (Vec::new(), false);
    let compared_by = if may_guess(path, masker) { masker } else { Masker::Off };
    let value_in = |text: &Option<Arc<Snapshot>>, masker| value(&text.as_ref()?.masked(masker), path);
    let look = |text| Looked { compared: value_in(&text, compared_by), text, shown: OnceCell::new() };
    let shown = |side: &Looked| {
        let mask =
            || if compared_by == masker { side.compared.clone() } else { value_in(&side.text, masker) };
        side.shown.get_or_init(mask).clone()
    };
    let mut after = (!is_edited_since(entries, now)).then(|| look(Some(now.clone())));
    for entry in entries.iter().filter(|entry| !entry.is_aside) {
        if found.len() == most {
            break;
        }
        if after.is_some() && !may_touch(entry, path) {
            continue;
        }
        let before = match entry.before {
            Some(_) => kept(entry.number)?.filter(|text| text.is_valid()).map(|text| look(Some(text))),
            // There was no file before.
            None => Some(look(None)),
        };
        is_cut |= before.is_none();
        if let (Some(old), Some(new)) = (&before, &after)
            && old.compared != new.compared
        {
            let (from, to) = changed_members(shown(old), shown(new));
            // Nothing is told of a path that holds a secret.
            let is_shown = from.is_some() || to.is_some();
            // Not every history knows what else a change changed.
            let entry = HistoryEntry { paths: None, ..entry.clone() };
            found.extend(is_shown.then_some(Blamed { entry, from, to }));
        }
        after = before;
    }
    Ok((found, is_cut))
}

/// A text of the history, or that there was none, with the value at a path: masking a text is what `blame` costs.
struct Looked {
    text: Option<Arc<Snapshot>>,
    /// By this two texts are compared.
    compared: Option<Value>,
    /// The same as it is shown, once it is.
    shown: OnceCell<Option<Value>>,
}

/// Of two objects the members that differ; other values as they are.
fn changed_members(from: Option<Value>, to: Option<Value>) -> (Option<Value>, Option<Value>) {
    let (Some(Value::Object(mut from)), Some(Value::Object(mut to))) = (from.clone(), to.clone()) else {
        return (from, to);
    };
    let is_other = |key: &String, value: &Value, others: &Map<_, _>| others.get(key) != Some(value);
    let before = from.clone();
    from.retain(|key, value| is_other(key, value, &to));
    to.retain(|key, value| is_other(key, value, &before));
    for (key, old) in &mut from {
        let Some(new) = to.get_mut(key) else { continue };
        let changed = changed_members(Some(old.take()), Some(new.take()));
        (*old, *new) = (changed.0.unwrap_or_default(), changed.1.unwrap_or_default());
    }
    (Some(Value::Object(from)), Some(Value::Object(to)))
}

/// True if the file was edited by hand since the last change.
pub fn is_edited_since(entries: &[HistoryEntry], now: &Snapshot) -> bool {
    entries.iter().find(|entry| !entry.is_aside).is_some_and(|last| last.after != Some(now.revision()))
}

/// True if a path searches for a value or holds a secret: with such a path one could find out what a secret is. Then two
/// secrets with the same mask count as equal, and as different otherwise.
fn may_guess(path: &Path, masker: Masker) -> bool {
    let keys: Option<Vec<&str>> = path.segments.iter().map(Segment::name).collect();
    keys.is_none_or(|keys| masker.keys(&keys) != keys)
}

/// The value at the path; `None` if the path leads to no value.
fn value(snapshot: &Snapshot, path: &Path) -> Option<Value> {
    // What is derived, such as a position, changes with other entries.
    Config::own(snapshot.document()).select(path).ok()?.into_present()
}
