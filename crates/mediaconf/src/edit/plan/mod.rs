//! Plans a normalized patch: operations on entries, and the values that they must lead to.
//!
//! Every value is merged first ([`super::merge`]); a value equal to the current one is no change. For
//! the others the plan finds the words and elements that differ. The merged values go along with the
//! operations, to prove that the new text reads as them.

mod element;
mod foreign;
mod group;
mod list;
mod order;
mod renaming;
mod setting;
mod sources;
mod spots;
mod words;

use std::collections::{HashMap, HashSet};

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::emit::Draft;
use super::fault::{Fault, Faults};
use super::guarded::Guarded;
use super::json_pointer::Pointer;
use super::layout::{Anchor, Insertion, TextOperation};
use super::merge::{self, GeneralMerge};
use super::surroundings::{Surroundings, count_lines};
use crate::model::member::{Members, keyword_of};
use crate::model::{Lens, View};
use crate::schema::{Kind, Object, Parameter};
use crate::syntax::{Document, Entry, EntryId};

/// The operations of a change, and the values that they must lead to.
#[derive(Debug, Default)]
pub struct Plan {
    /// The changes to the text.
    pub operations: Vec<TextOperation>,
    /// The own values that the touched top-level members must have; `None` for one that must be gone.
    pub members: Vec<(String, Option<Value>)>,
    /// The touched streams, lives and plugins.
    pub named: Vec<NamedTarget>,
    /// The order of each group whose blocks were moved.
    pub orders: Vec<(Kind, Vec<String>)>,
    /// Side effects that the user should know.
    pub notes: Vec<Note>,
    /// The streams that are deleted.
    pub deleted_streams: Vec<String>,
    /// Changes that are refused unless they are accepted.
    pub guarded: Guarded,
    /// The blocks that are new, by kind.
    pub created: Vec<Kind>,
}

impl Plan {
    /// Returns the number of new blocks of a kind.
    pub fn created(&self, kind: Kind) -> usize {
        self.created.iter().filter(|created| **created == kind).count()
    }
}

/// The own members that a stream, live or plugin must have.
#[derive(Debug)]
pub struct NamedTarget {
    /// The kind of the block.
    pub kind: Kind,
    /// The name of the block.
    pub name: String,
    /// What [`proof_of`] makes of the members; `None` if the block must be gone.
    pub proof: Option<Vec<u8>>,
}

/// The members of a block as a text that is equal for equal members. It takes a tenth of their memory.
pub fn proof_of(kind: Kind, members: &Object) -> Vec<u8> {
    let mut proof = Vec::new();
    write_members(members, &mut proof);
    // The order of the options of an address matters.
    for row in kind.scope().rows() {
        if let (Some(shape), Some(value)) = (row.codec.facts().address, members.get(row.key)) {
            shape.options_of(value).for_each(|(key, _)| write_json(key, &mut proof));
        }
    }
    proof
}

fn write_members(members: &Object, proof: &mut Vec<u8>) {
    let mut sorted: Vec<_> = members.iter().collect();
    sorted.sort_unstable_by_key(|(key, _)| *key);
    proof.push(b'{');
    for (key, value) in sorted {
        write_json(key, proof);
        write_value(value, proof);
    }
    proof.push(b'}');
}

fn write_value(value: &Value, proof: &mut Vec<u8>) {
    match value {
        Value::Object(members) => write_members(members, proof),
        Value::Array(elements) => {
            proof.push(b'[');
            elements.iter().for_each(|element| write_value(element, proof));
            proof.push(b']');
        }
        word => write_json(word, proof),
    }
}

fn write_json(word: &(impl Serialize + ?Sized), proof: &mut Vec<u8>) {
    serde_json::to_writer(&mut *proof, word).expect("a word is JSON");
    proof.push(b',');
}

/// A stream, live or plugin in the text.
#[derive(Clone, Copy)]
pub struct NamedEntry<'d> {
    /// The kind of the block.
    pub kind: Kind,
    /// The entry in the document.
    pub entry: Entry<'d>,
}

/// A side effect of a change, which its patch does not show.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Note {
    /// `url: false` took extras with it.
    ExtrasDropped {
        /// The auth they belonged to.
        at: Pointer,
        /// The keys of the extras.
        keys: Vec<String>,
    },
    /// Comment lines above a removed entry were kept.
    CommentsKept {
        /// The first words of the removed entry.
        above: String,
        /// The number of comment lines.
        lines: usize,
    },
    /// A port of `http` was removed together with its block.
    PortOptionsDropped {
        /// The port, as it stands in the text.
        port: String,
    },
    /// The number of settings that a desired state lacks in the entries that it names; they stay.
    SettingsLacking(usize),
}

impl Note {
    /// The number of settings that a desired state lacks, if it is about that.
    pub fn settings_lacking(&self) -> usize {
        if let Self::SettingsLacking(count) = self { *count } else { 0 }
    }
}

/// Plans a normalized patch of a document without errors.
pub fn plan<'d>(document: &'d Document, members: &Members<'d>, patch: &Object) -> Result<Plan, Faults> {
    let lens = merge::own_lens();
    let mut planner = Planner::new(document, members, &lens);
    planner.top_level(patch);
    planner.faults.into_result(planner.plan)
}

/// The same, with the block that the patch creates directly in front of `before`.
pub fn plan_new<'d>(
    document: &'d Document,
    members: &Members<'d>,
    patch: &Object,
    before: Entry<'d>,
) -> Result<Plan, Faults> {
    let lens = merge::own_lens();
    let mut planner = Planner { before: Some(before), ..Planner::new(document, members, &lens) };
    planner.top_level(patch);
    planner.faults.into_result(planner.plan)
}

/// Plans other names for blocks of one group.
pub fn plan_new_names<'d>(
    document: &'d Document,
    members: &Members<'d>,
    blocks: &[(NamedEntry<'d>, &str)],
) -> Plan {
    let lens = merge::own_lens();
    let mut planner = Planner::new(document, members, &lens);
    planner.rename(blocks);
    planner.plan
}

/// Plans a copy of a block with its comments, behind the first `at` blocks of the group; directly in front of
/// `before`, where that is one of them.
pub fn plan_copy<'d>(
    document: &'d Document,
    members: &Members<'d>,
    block: NamedEntry<'d>,
    (name, at, before): (&str, usize, Option<Entry<'d>>),
) -> Plan {
    let lens = merge::own_lens();
    let mut planner = Planner { before, ..Planner::new(document, members, &lens) };
    planner.copy(block, name, at);
    planner.plan
}

/// A new setting; its place is chosen once all removals are known.
struct NewSetting {
    /// One entry, or all occurrences of one keyword.
    drafts: Vec<Draft>,
    /// The occurrences of the same keyword, after which it goes at top level.
    like: Vec<EntryId>,
    first: bool,
}

impl NewSetting {
    /// True if its first draft is a block, which decides the place of all its drafts.
    fn is_block(&self) -> bool {
        self.drafts.first().is_some_and(|draft| draft.block.is_some())
    }
}

struct Planner<'p, 'd> {
    document: &'d Document,
    members: &'p Members<'d>,
    view: View<'p, 'd>,
    plan: Plan,
    around: Surroundings<'d>,
    leaving: HashSet<EntryId>,
    /// A cache: how many blank lines stand above an entry, or above its comments.
    blank_lines: HashMap<(EntryId, bool), usize>,
    pending: Vec<NewSetting>,
    /// The block that a new block stands directly in front of; `None` is behind the one before it in its group.
    before: Option<Entry<'d>>,
    faults: Faults,
}

impl<'p, 'd> Planner<'p, 'd> {
    fn new(document: &'d Document, members: &'p Members<'d>, lens: &'p Lens) -> Self {
        Self {
            document,
            members,
            view: View::new(members, lens),
            plan: Plan::default(),
            around: Surroundings::new(document),
            leaving: HashSet::new(),
            blank_lines: HashMap::new(),
            pending: Vec::new(),
            before: None,
            faults: Faults::default(),
        }
    }
}

impl<'d> Planner<'_, 'd> {
    /// Plans the known members in schema order, then the others in patch order.
    fn top_level(&mut self, patch: &Object) {
        let root = Pointer::root();
        let top = self.members.scope();
        for parameter in top.rows() {
            let pointer = root.child(parameter.key);
            let (codec, value) = (parameter.codec, patch.get(parameter.key));
            if let Some(list) = codec.facts().list {
                match patch.get(list.blocks) {
                    None if value.is_none() => {}
                    blocks => self.list(parameter, list, value, blocks),
                }
                continue;
            }
            match (codec.facts().group, value) {
                (Some(kind), Some(value)) => self.group(kind, value, &pointer),
                (None, Some(value)) if parameter.is_setting() => {
                    self.top_setting(parameter, value, &pointer);
                }
                _ => {}
            }
        }
        for (key, value) in patch.iter().filter(|(key, _)| top.by_key(key).is_none()) {
            self.top_foreign(key, value, &root.child(key));
        }
        self.place_pending_at_top();
    }

    fn top_setting(&mut self, parameter: &'static Parameter, patch: &Value, pointer: &Pointer) {
        let current = self.view.member(parameter.key);
        let merged = merge::merge_setting(parameter, current.as_ref(), patch, pointer);
        match self.faults.take(merged) {
            None => {}
            Some(target) if target == current => {}
            Some(target) => {
                self.note_options_dropped(parameter, current.as_ref(), target.as_ref(), pointer);
                let entries = self.members.own(parameter).to_vec();
                self.setting(parameter, &entries, target.as_ref(), pointer);
                self.plan.members.push((parameter.key.to_owned(), target));
            }
        }
    }

    fn top_foreign(&mut self, key: &str, patch: &Value, pointer: &Pointer) {
        let top = self.members.scope();
        let keyword = keyword_of(top, key);
        let entries = self.members.foreign_by_keyword(keyword).to_vec();
        let current = merge::general_value(&entries);
        let mut general = GeneralMerge { faults: &mut self.faults };
        let target = general.member((top, key), &entries, patch, pointer);
        if target != current {
            self.plan.guarded.member(top, key, current.as_ref(), patch, pointer);
            self.foreign(None, keyword, &entries, target.as_ref(), pointer);
            self.plan.members.push((key.to_owned(), target));
        }
    }

    fn operation(&mut self, operation: TextOperation) {
        self.plan.operations.push(operation);
    }

    fn rewrite(&mut self, splices: Vec<crate::syntax::Splice>) {
        self.plan.operations.extend(splices.into_iter().map(TextOperation::Rewrite));
    }

    fn remove(&mut self, entry: Entry<'d>) {
        if self.leaving.insert(entry.id()) {
            self.note_kept_comments(entry);
            self.operation(TextOperation::Remove(entry.id()));
        }
    }

    /// `within` is the block that is changed, and none is the top level.
    fn put(&mut self, within: Option<Entry<'d>>, place: Anchor, content: Insertion, blank_lines: usize) {
        if let Insertion::Line(entry) | Insertion::Block(entry) = content {
            self.leaving.insert(entry);
        }
        let within = within.map(|block| block.id());
        self.operation(TextOperation::Put { within, place, content, blank_lines });
    }

    fn refuse(&mut self, fault: Fault) {
        self.faults.push(fault);
    }

    fn note_kept_comments(&mut self, entry: Entry<'d>) {
        let around = &self.around;
        if !around.begins_line(entry.start()) {
            return;
        }
        let own = around.own_comments(entry);
        let comments = around.attached_comments(own);
        if comments < own {
            let lines = count_lines(&self.document.text()[comments..own]);
            let above =
                entry.words().take(2).map(|word| word.value().into_owned()).collect::<Vec<_>>().join(" ");
            self.plan.notes.push(Note::CommentsKept { above, lines });
        }
    }

    /// Notes the options that go because `false` takes the place of the address.
    fn note_options_dropped(
        &mut self,
        row: &Parameter,
        current: Option<&Value>,
        target: Option<&Value>,
        pointer: &Pointer,
    ) {
        let (Some(shape), Some(current), Some(target)) = (row.codec.facts().address, current, target) else {
            return;
        };
        if target.get(shape.address) != Some(&Value::Bool(false)) {
            return;
        }
        let kept: HashSet<&String> = shape.options_of(target).map(|(key, _)| key).collect();
        let keys = shape.options_of(current).map(|(key, _)| key);
        let dropped: Vec<String> = keys.filter(|key| !kept.contains(key)).cloned().collect();
        if !dropped.is_empty() {
            self.plan.notes.push(Note::ExtrasDropped { at: pointer.clone(), keys: dropped });
        }
    }

    fn is_staying(&self, entry: &Entry<'_>) -> bool {
        !self.leaving.contains(&entry.id())
    }

    fn add_setting(&mut self, drafts: Vec<Draft>, like: &[Entry<'d>]) {
        if drafts.is_empty() {
            return;
        }
        self.pending.push(NewSetting {
            drafts,
            like: like.iter().map(|entry| entry.id()).collect(),
            first: false,
        });
    }
}
