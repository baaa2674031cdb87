//! Turns a patch into changes of lines and words, splices and a new text, which is verified before it is handed out.
//!
//! ```text
//! JSON → patch → normalize → sync (read, merge, write, compare) → layout → splices → new document → verify
//! ```
//!
//! No text is printed from a tree: an edit is a list of splices over the old text, and every byte
//! outside of them is the old one.
//!
//! The proof reads the new text, before anything is written: it must have the merged values, and all comments. Only the
//! touched members are compared. That is sound, because the own view of an entry depends on its bytes alone, and every
//! byte outside the splices is the old one by construction.
//!
//! *Invariants.* No I/O and no clock. A document with errors is never edited. An edit that can't
//! be proved is never returned.

pub(crate) mod align;
mod assign;
mod completion;
mod explain;
#[cfg(test)]
mod growth_tests;
mod guarded;
mod layout;
mod order;
mod ports;
mod slips;
mod substitution;
pub(crate) mod surroundings;
mod sync;
mod words;

pub use {assign::*, completion::*, explain::*, substitution::*};

use std::ops::Range;

use foldhash::HashMap;
use serde_json::Value;
use thiserror::Error;

use crate::schema::{
    AddressShape, Fault, FaultKind, Faults, Kind, Members, Normalizer, Object, Parameter, Pointer, Schema,
    Scope, is_empty, normalized,
};
use crate::secret::Masker;
use crate::syntax::{Document, Entry, Splice, comments};
use layout::Layout;
use surroundings::Leave;
use sync::Changes;
pub(crate) use sync::Sync;

/// The comments of a text, and how often each stands there.
pub fn comment_counts(text: &str) -> HashMap<&str, usize> {
    let mut counts = HashMap::default();
    comments(text).for_each(|comment| *counts.entry(comment.raw).or_default() += 1);
    counts
}

/// A change of a text, proved to do what the patch says.
#[derive(Debug)]
pub struct Edit {
    /// The new text.
    pub document: Document,
    /// The number of the deleted streams, those inside other blocks included.
    pub deleted_streams: usize,
    /// The number of those that stand inside deleted blocks, where a `}` is missing.
    pub inner_streams: usize,
    /// The number of places that refer to blocks which get other names.
    pub renamed_uses: usize,
    /// Form changes and near misses, which are refused unless they are accepted.
    pub guarded: Faults,
}

impl Edit {
    /// An edit that changes nothing.
    pub(crate) fn unchanged(document: &Document) -> Self {
        let document = document.clone();
        Self { document, deleted_streams: 0, inner_streams: 0, renamed_uses: 0, guarded: Faults::default() }
    }

    /// The same, if all its doubts are accepted.
    pub(crate) fn refused_unless(self, accepted: &[FaultKind]) -> Result<Self, Faults> {
        let refused = self.guarded.0.iter().filter(|doubt| !accepted.contains(&doubt.kind));
        Faults(refused.cloned().collect()).into_result(self)
    }
}

/// The edit of a text; `None` if it changes nothing.
pub type MaybeEdit = Result<Option<Edit>, EditError>;

/// Why a request can't be carried out.
#[derive(Debug, Error)]
pub enum EditError {
    /// The request has faults.
    #[error(transparent)]
    Faults(Faults),
    /// The new text does not match the patch: a bug of this program. Nothing is changed.
    #[error(transparent)]
    Unproved(Unproved),
}

impl<F: Into<Faults>> From<F> for EditError {
    fn from(faults: F) -> Self {
        Self::Faults(faults.into())
    }
}

impl Schema {
    /// Returns the patch in its normal form: without output-only members, every value in the form in which the view
    /// shows it.
    ///
    /// # Errors
    /// All values that can't be written as text.
    pub fn normalize(patch: Value) -> Result<Object, Faults> {
        if !patch.is_object() && patch.as_array().is_none_or(|elements| !elements.is_empty()) {
            let fault = Fault::at_pointer(FaultKind::NotJson, Pointer::root(), "a patch must be an object");
            return Err(fault.hint("to remove one thing, set it to null, such as {\"auth\": null}").into());
        }
        let nothing = Normalizer::below_place(&Pointer::root());
        let mut normalizer = Normalizer { holds_mask: Masker::holds_mask, ..nothing };
        let Some(Value::Object(members)) = normalized(Scope::Top, patch, &mut normalizer) else {
            return Ok(Object::new());
        };
        normalizer.faults.into_result(members)
    }
}

impl Document {
    /// Returns the edit that merges a patch into a document without errors; `None` if it changes nothing.
    ///
    /// # Errors
    /// The patch has faults, or is one of the [doubts](FaultKind::DOUBTS) that are not accepted.
    pub fn modify(&self, patch: Value, accepted: &[FaultKind]) -> MaybeEdit {
        let edit = modify_members(self, &self.members(), Schema::normalize(patch)?)?;
        Ok(edit.map(|edit| edit.refused_unless(accepted)).transpose()?)
    }
}

/// The same for a normalized patch, and a document whose top-level members are known. The doubts are left to the caller.
pub fn modify_members(document: &Document, members: &Members<'_>, patch: Object) -> MaybeEdit {
    let patch = Value::Object(patch);
    Sync::edit(document, members, |sync| sync.top_level(&patch))
}

/// The edit after a round of changes, and what the text must say after the last.
struct Round {
    edit: Edit,
    promises: Promises,
    is_last: bool,
}

impl Sync<'_, '_> {
    /// Makes the changes that a function finds, and proves them. They are made in rounds, of which each begins with the text
    /// of the one before: so new lines get their places when all that goes is gone.
    pub(crate) fn edit(
        document: &Document,
        members: &Members<'_>,
        change: impl Fn(&mut Sync<'_, '_>),
    ) -> MaybeEdit {
        let mut sync = Sync::new(document, members);
        change(&mut sync);
        let Some(Round { mut edit, promises, mut is_last }) = sync.round()? else { return Ok(None) };
        while !is_last {
            let members = edit.document.members();
            let mut sync = Sync::new(&edit.document, &members);
            sync.changes.promises.orders.clone_from(&promises.orders);
            change(&mut sync);
            let Some(next) = sync.round()? else { break };
            (edit.document, is_last) = (next.edit.document, next.is_last);
        }
        // A text without a final line end stays without one, whichever line is its last then.
        let (old, new) = (document.text().trim_start_matches('\u{feff}'), edit.document.text());
        if !(old.is_empty() || old.ends_with('\n')) && new.ends_with('\n') {
            let range = new.trim_end_matches([' ', '\t', '\r', '\n']).len()..new.len();
            edit.document = edit.document.edited(&[Splice { range, text: String::new() }]);
        }
        promises.verify(members, &edit.document).map_err(EditError::Unproved)?;
        Ok(Some(edit))
    }

    /// Makes the first of these that there is: sources get lines of their own, lines are edited or removed, lines move, blocks
    /// move, new ones are put between them. `None` if there is nothing to change.
    fn round(self) -> Result<Option<Round>, EditError> {
        let Sync { document, around, changes, .. } = self;
        let Changes { spread, mut splices, mut gone, removed, moves, puts, .. } = changes;
        let moves = moves.into_iter().find(|(moved, _)| !moved.is_empty());
        changes.faults.into_result(())?;
        let (splices, is_last) = if !spread.is_empty() {
            gone.clear();
            (Layout::splices(&around, spread, Vec::new(), &[]), false)
        } else if !removed.is_empty() || !splices.is_empty() && moves.is_some() {
            let [cut, lost] = around.ranges(removed, Leave::Removed);
            gone.extend(lost);
            // What is removed needs no edit.
            splices.retain(|edit| {
                let next = cut.partition_point(|range| range.end <= edit.range.start);
                cut.get(next).is_none_or(|range| edit.range.end <= range.start)
            });
            (Layout::splices(&around, splices, cut, &[]), moves.is_none() && puts.is_empty())
        } else if let Some((moved, puts)) = moves {
            let [cut, _] = around.ranges(moved, Leave::Moved);
            (Layout::splices(&around, Vec::new(), cut, &puts), false)
        } else {
            (Layout::splices(&around, splices, Vec::new(), &puts), true)
        };
        if splices.is_empty() {
            return Ok(None);
        }
        if splices.windows(2).any(|pair| pair[0].range.end > pair[1].range.start) {
            return Err(EditError::Unproved(Unproved { at: "(text)".to_owned() }));
        }
        let new = document.edited(&splices);
        verify_comments(document, &new, &splices, &mut gone).map_err(EditError::Unproved)?;
        let (inner_streams, guarded) = (changes.inner_streams, changes.guarded);
        let deleted_streams = changes.deleted_streams + inner_streams;
        let edit = Edit { document: new, deleted_streams, inner_streams, renamed_uses: 0, guarded };
        Ok(Some(Round { edit, promises: changes.promises, is_last }))
    }
}

/// The new text does not read as the merged values.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("the edit of `{at}` could not be verified")]
pub struct Unproved {
    /// The path of the first difference.
    pub at: String,
}

/// What the new text must say.
#[derive(Debug, Default)]
pub(crate) struct Promises {
    /// The own values of the touched top-level members; null for those that must be gone.
    members: Object,
    /// The members that change in the touched streams, lives and plugins, as JSON, which takes a tenth of the memory; null
    /// for those that must be gone. `None` for a block that must be gone.
    blocks: HashMap<Kind, HashMap<String, Option<String>>>,
    /// The order of each group that changes.
    orders: HashMap<Kind, Vec<String>>,
}

impl Promises {
    fn member(&mut self, key: &str, value: Option<&Value>) {
        self.members.insert(key.to_owned(), value.cloned().unwrap_or_default());
    }

    /// Promises that a block goes, or becomes another one, or is there: all members that no line changes stay.
    fn block(&mut self, kind: Kind, name: &str, both: Option<[&Object; 2]>) {
        let members = both.map(|[current, target]| {
            let keys = current.keys().filter(|key| !target.contains_key(*key)).chain(target.keys());
            let changed = keys.filter(|key| current.get(*key) != target.get(*key));
            let value = |key: &String| target.get(key).cloned().unwrap_or_default();
            changed.map(|key| (key.clone(), value(key))).collect::<Value>().to_string()
        });
        self.blocks.entry(kind).or_default().insert(name.to_owned(), members);
    }

    /// Compares the values of the new text with those that were promised.
    fn verify(&self, old: &Members<'_>, edited: &Document) -> Result<(), Unproved> {
        let (new, unproved) = (edited.members(), |at: String| Err(Unproved { at }));
        if edited.diagnostics().errors() > 0 {
            return unproved("(text)".to_owned());
        }
        for (key, expected) in &self.members {
            // A value that is always shown may be missing where it is empty.
            let found = new.value(key).filter(|value| !is_empty(value)).unwrap_or_default();
            let is_nothing = is_empty(expected) && found.is_null();
            if !is_nothing && !are_same(new.scope().by_key(key), &found, expected) {
                return unproved(key.clone());
            }
        }
        for kind in Kind::ALL {
            let entries = new.own_by_key(kind.key());
            let names = || entries.iter().map(|entry| entry.group_name().value());
            let is_in_order = match self.orders.get(&kind) {
                Some(expected) => names().eq(expected.iter().map(String::as_str)),
                None => Entry::are_namesakes(entries, old.own_by_key(kind.key())),
            };
            if !is_in_order {
                return unproved(kind.key().to_owned());
            }
            let Some(blocks) = self.blocks.get(&kind) else { continue };
            let old = old.own_by_key(kind.key()).iter().map(|entry| (entry.group_name().value(), *entry));
            let old: HashMap<_, _> = old.filter(|(name, _)| blocks.contains_key(&**name)).collect();
            for &entry in entries {
                let name = entry.group_name().value();
                let Some(promised) = blocks.get(&*name) else { continue };
                if !promised.as_ref().is_some_and(|members| is_kept(kind, old.get(&name), entry, members)) {
                    return unproved(format!("{}.{name}", kind.key()));
                }
            }
        }
        Ok(())
    }
}

/// True if a block of the new text has its promised members, and all others of the old one.
fn is_kept(kind: Kind, old: Option<&Entry<'_>>, new: Entry<'_>, promised: &str) -> bool {
    let Ok(members) = serde_json::from_str::<Object>(promised) else { return false };
    let (mut expected, found) = match old {
        Some(old) => kind.read_differing([*old, new], |key| members.contains_key(key)).into(),
        None => (Object::new(), kind.read(new)),
    };
    expected.extend(members);
    expected.retain(|_, value| !value.is_null());
    expected == found
        && found.iter().all(|(key, value)| are_same(kind.scope().by_key(key), value, &expected[key]))
}

/// Compares the comments around the splices: each must be there still, unless it stood in what is gone.
fn verify_comments(
    old: &Document,
    new: &Document,
    splices: &[Splice],
    gone: &mut [Range<usize>],
) -> Result<(), Unproved> {
    let [Some(first), Some(last)] = [splices.first(), splices.last()] else { return Ok(()) };
    gone.sort_by_key(|range| range.start);
    let is_gone = |at: usize| {
        let next = gone.partition_point(|range| range.end <= at);
        gone.get(next).is_some_and(|range| range.contains(&at))
    };
    // From the end of an entry to the start of another one, no quote is open.
    let mut entries = old.entries();
    let before = entries.by_ref().take_while(|entry| entry.end() < first.range.start).last();
    let start = before.map_or(0, |entry| entry.end());
    let behind = entries.find(|entry| entry.start() > last.range.end);
    let end = behind.map_or(old.text().len(), |entry| entry.start());
    let new_end = new.text().len() - (old.text().len() - end);
    let mut counts = comment_counts(&new.text()[start..new_end]);
    let mut is_there =
        |comment: &str| counts.get_mut(comment).filter(|left| **left > 0).map(|left| *left -= 1).is_some();
    let mut kept = comments(&old.text()[start..end]).filter(|comment| !is_gone(start + comment.start));
    // A comment may hold a secret, and is not told.
    let is_proved = kept.all(|comment| is_there(comment.raw));
    is_proved.then_some(()).ok_or_else(|| Unproved { at: "(comments)".to_owned() })
}

/// True if the values of a member are equal; the order of the options of an address matters.
fn are_same(row: Option<&Parameter>, one: &Value, other: &Value) -> bool {
    let address = row.and_then(|row| row.codec.facts().address);
    let has_order = |shape: &AddressShape| {
        let [one, other] = [one, other].map(|value| shape.options_of(value).map(|(key, _)| key));
        one.eq(other)
    };
    one == other && address.is_none_or(has_order)
}
