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

pub use assign::{AssignOptions, AssignedValue, Assignment};
pub use completion::{Completion, PathUse, Proposal};
pub use explain::Explanation;
pub use substitution::Substitution;

use std::fmt;
use std::ops::Range;

use foldhash::{HashMap, HashSet};
use serde_json::Value;
use thiserror::Error;

use crate::schema::{
    Fault, FaultKind, Faults, Kind, Members, Normalizer, Object, Pointer, Schema, Scope, is_empty, normalized,
};
use crate::secret::Masker;
use crate::syntax::{Document, Entry, EntryId, Splice, comments};
use layout::Layout;
use surroundings::end_with_stray;
pub(crate) use sync::Sync;

/// The comments of a text, and how often each stands there.
pub fn comment_counts(text: &str) -> HashMap<&str, usize> {
    let mut counts = HashMap::default();
    comments(text).for_each(|(_, comment)| *counts.entry(comment).or_default() += 1);
    counts
}

/// A change of a text, proved to do what the patch says.
#[derive(Debug, Default)]
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
        Self { document: document.clone(), ..Self::default() }
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
    /// The new text does not say at this place what it has to: a bug of this program. Nothing is changed.
    #[error("the edit of `{0}` could not be verified")]
    Unproved(String),
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
    pub fn normalize(patch: Value) -> Result<Value, Faults> {
        if !patch.is_object() && patch.as_array().is_none_or(|elements| !elements.is_empty()) {
            let fault = Fault::at_pointer(FaultKind::NotJson, Pointer::root(), "a patch must be an object");
            return Err(fault.hint("to remove one thing, set it to null, such as {\"auth\": null}").into());
        }
        let nothing = Normalizer::below_place(&Pointer::root());
        let mut normalizer = Normalizer { holds_mask: Masker::holds_mask, ..nothing };
        let members = normalized(Scope::Top, patch, &mut normalizer).unwrap_or_default();
        normalizer.faults.into_result(members)
    }
}

impl Document {
    /// Returns the edit that merges a patch into a document without errors; `None` if it changes nothing.
    ///
    /// # Errors
    /// The patch has faults, or is one of the [doubts](FaultKind::DOUBTS) that are not accepted.
    pub fn modify(&self, patch: Value, accepted: &[FaultKind]) -> MaybeEdit {
        let edit = modify_members(self, &self.members(), &Schema::normalize(patch)?)?;
        Ok(edit.map(|edit| edit.refused_unless(accepted)).transpose()?)
    }
}

/// The same for a normalized patch, and a document whose top-level members are known. The doubts are left to the caller.
pub fn modify_members(document: &Document, members: &Members<'_>, patch: &Value) -> MaybeEdit {
    let mut sync = Sync::new(document, members);
    sync.top_level(patch);
    if sync.spread.is_empty() {
        return sync.proved();
    }
    sync.faults.into_result(())?;
    sync.spread.sort_by_key(|splice| splice.range.start);
    let opened = document.edited(&sync.spread);
    verify_comments([document, &opened], &sync.spread, &mut [])?;
    modify_members(&opened, &opened.members(), patch)
}

impl Sync<'_, '_> {
    /// Makes the changes that were found, and proves them.
    pub(crate) fn proved(mut self) -> MaybeEdit {
        self.place_pending();
        let Sync { document, around, leaving, splices, puts, promises, edit, faults, .. } = self;
        faults.into_result(())?;
        let (splices, mut gone) = Layout::edits(&around, leaving, splices, &puts);
        // Changes can be several times as large as their text.
        drop(puts);
        let edited = document.edited(&splices);
        refuse_torn([document, &edited])?;
        promises.verify([document, &edited])?;
        gone.extend(promises.gone);
        verify_comments([document, &edited], &splices, &mut gone)?;
        Ok(Some(Edit { document: edited, ..edit }).filter(|_| !splices.is_empty()))
    }
}

/// A step of the proof of an edit.
type Proof = Result<(), EditError>;

/// Returns that the edit of a place is not proved, unless it `is_right`.
pub(crate) fn prove(is_right: bool, at: impl fmt::Display) -> Proof {
    if is_right { Ok(()) } else { Err(EditError::Unproved(at.to_string())) }
}

/// What the new text must say.
#[derive(Default)]
pub(crate) struct Promises {
    /// The own values of the touched top-level members; `None` for one that must be gone.
    members: HashMap<String, Option<Value>>,
    /// The touched streams, lives and plugins; `None` for one that must be gone.
    blocks: HashMap<Kind, HashMap<String, Option<PromisedBlock>>>,
    /// The order of each group that changes.
    orders: HashMap<Kind, Vec<String>>,
    /// The bytes that go for good, with the comments in them.
    gone: Vec<Range<usize>>,
}

impl Promises {
    fn member(&mut self, key: &str, value: Option<&Value>) {
        self.members.insert(key.to_owned(), value.cloned());
    }

    fn block(&mut self, kind: Kind, name: &str, promised: Option<PromisedBlock>) {
        self.blocks.entry(kind).or_default().insert(name.to_owned(), promised);
    }

    /// Compares the values of the new text with those that were promised.
    fn verify(&self, both: [&Document; 2]) -> Proof {
        prove(both[1].diagnostics().errors() == 0, "(text)")?;
        // Where only blocks change, those with the same bytes in both say the same.
        let has_only_blocks = self.members.is_empty() && self.orders.is_empty();
        let all = || both.map(|document| 0..document.len());
        let numbers = if has_only_blocks { both[0].differing(both[1]) } else { all() };
        let entries = [0, 1].map(|side| both[side].entries_in(numbers[side].clone()));
        let [old, new] = entries.map(|entries| Members::group(Scope::Top, entries));
        for (key, expected) in &self.members {
            let [found, expected] = [new.value(key), expected.clone()].map(|value| {
                // A value that is always shown may be missing where it is empty.
                Object::from_iter(value.filter(|value| !is_empty(value)).map(|value| (key.clone(), value)))
            });
            prove(are_same(new.scope, &found, &expected), key)?;
        }
        for kind in Kind::ALL {
            let entries = new.own_by_key(kind.key());
            let names = || entries.iter().map(|entry| entry.group_name().value());
            let is_in_order = match self.orders.get(&kind) {
                Some(expected) => names().eq(expected.iter().map(String::as_str)),
                None => Entry::changed_namesakes(entries, old.own_by_key(kind.key())).is_some(),
            };
            prove(is_in_order, kind.key())?;
            let Some(blocks) = self.blocks.get(&kind) else { continue };
            let mut found = 0;
            for &entry in entries {
                let name = entry.group_name().value();
                let Some(promised) = blocks.get(&*name) else { continue };
                let is_kept = promised.as_ref().is_some_and(|block| block.is_kept(kind, both[0], entry));
                prove(is_kept, format_args!("{}.{name}", kind.key()))?;
                found += 1;
            }
            prove(found == blocks.values().flatten().count(), kind.key())?;
        }
        Ok(())
    }
}

/// What a stream, live or plugin must say.
struct PromisedBlock {
    /// The number of the block in the old text, if it was there: all members that no line changes stay.
    old: Option<EntryId>,
    /// The members that change as JSON, which takes a tenth of the memory; null for those that must be gone.
    members: String,
}

impl PromisedBlock {
    fn new(old: Option<EntryId>, [current, target]: [&Object; 2]) -> Self {
        let changed: Vec<_> = changed(current, target).map(|key| (key, target.get(key))).collect();
        Self { old, members: serde_json::to_string(&changed).expect("values are JSON") }
    }

    /// True if the block in the new text says that.
    fn is_kept(&self, kind: Kind, old: &Document, new: Entry<'_>) -> bool {
        let Ok(members) = serde_json::from_str::<Vec<(String, Value)>>(&self.members) else { return false };
        let keys: Vec<&str> = members.iter().map(|(key, _)| key.as_str()).collect();
        let (mut expected, found) = match self.old {
            Some(block) => kind.read_differing([old.entry(block), new], &keys).into(),
            None => (Object::new(), kind.read(new)),
        };
        members.into_iter().for_each(|(key, value)| drop(expected.insert(key, value)));
        expected.retain(|_, value| !value.is_null());
        are_same(kind.scope(), &expected, &found)
    }
}

/// The keys of the members that differ: those that go, then the others.
fn changed<'v>(current: &'v Object, target: &'v Object) -> impl Iterator<Item = &'v String> {
    let gone = current.keys().filter(|key| !target.contains_key(*key));
    gone.chain(target.iter().filter(|(key, value)| current.get(*key) != Some(*value)).map(|(key, _)| key))
}

/// Refuses an edit that takes a placeholder of a template apart, or makes the block that `${NAME}` is read as.
fn refuse_torn(both: [&Document; 2]) -> Result<(), Fault> {
    let [old, new] =
        both.map(|side| placeholders(side).map(|place| &side.text()[place]).collect::<HashSet<_>>());
    let fault = || Fault::plain("this would break a placeholder of a template, such as `${NAME}`");
    let hint = "fill it in first, or change the text by hand with `edit`";
    new.is_subset(&old).then_some(()).ok_or_else(|| fault().hint(hint))
}

/// True if an entry is read as a block because of a placeholder.
fn is_placeholder(entry: Entry<'_>) -> bool {
    let is_variable = || entry.words().last().is_some_and(|word| word.raw.ends_with('$'));
    let is_meant = || entry.document().text()[entry.body()].starts_with('%') || is_variable();
    entry.is_block() && is_meant() && entry.block_kind().is_none()
}

/// The directives that are read as blocks because of a placeholder, each with what is glued to it and the `;` behind it.
pub fn placeholders(document: &Document) -> impl Iterator<Item = Range<usize>> {
    let text = document.text();
    // Nearly no text has one.
    let signs = || memchr::memmem::find(text.as_bytes(), b"{%");
    let may_hold = memchr::memchr(b'$', text.as_bytes()).or_else(signs).is_some();
    let entries = document.all_entries().take_while(move |_| may_hold);
    entries.filter(|entry| is_placeholder(*entry)).map(|block| {
        let ends_word = |c: char| c.is_whitespace() || matches!(c, ';' | '{');
        let start = text[..block.start()].rfind(ends_word).map_or(0, |at| at + 1);
        let end = text[block.end()..].find(ends_word).map_or(text.len(), |at| block.end() + at);
        start..end_with_stray(text, end)
    })
}

/// Compares the comments around the splices: each must be there still, unless it stood in what is gone.
fn verify_comments([old, new]: [&Document; 2], splices: &[Splice], gone: &mut [Range<usize>]) -> Proof {
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
    let mut kept = comments(&old.text()[start..end]).filter(|(at, _)| !is_gone(start + at));
    // A comment may hold a secret, and is not told.
    prove(kept.all(|(_, comment)| is_there(comment)), "(comments)")
}

/// True if members are equal; the order of the options of an address matters.
fn are_same(scope: Scope, one: &Object, other: &Object) -> bool {
    let have_one_order = |(key, value): (&String, &Value)| {
        let Some(shape) = scope.by_key(key).and_then(|row| row.codec.facts().address) else { return true };
        other.get(key).is_some_and(|other| shape.options_of(value).eq(shape.options_of(other)))
    };
    one == other && one.iter().all(have_one_order)
}
