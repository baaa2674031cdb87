//! From a reduced patch to operations on entries, and to the values they must lead to.
//!
//! Every value is merged first ([`super::merge`]); what equals the current one is no change. What
//! differs is worked towards, word by word and element by element. The merged values go along
//! with the operations, for the proof that the new text says them.

mod element;
mod foreign;
mod group;
mod order;
mod ports;
mod setting;
mod sources;
mod words;

use std::collections::HashSet;

use serde_json::{Map, Value};

use super::draft::Draft;
use super::fault::{Fault, Faults, Pointer};
use super::guarded::Guarded;
use super::layout::{Content, Operation, Place};
use super::merge;
use super::removal::counts_as_block;
use super::surroundings::{Surroundings, count_lines};
use crate::model::member::{Members, keyword_of};
use crate::model::schema::{Scope, Shape, by_key, parameters};
use crate::model::{Kind, View};
use crate::syntax::{Document, Entry, EntryId};

/// What is to be done, and what must come of it.
#[derive(Debug, Default)]
pub struct Plan {
    /// The changes to the text.
    pub operations: Vec<Operation>,
    /// The values afterwards of all that was touched.
    pub targets: Vec<Target>,
    /// The order of each group whose blocks were moved.
    pub orders: Vec<(Kind, Vec<String>)>,
    /// What a user should be told.
    pub notes: Vec<Note>,
    /// The streams that are deleted.
    pub deleted_streams: Vec<String>,
    /// What is refused unless it is accepted.
    pub guarded: Guarded,
    /// The blocks that are new, by kind.
    pub created: Vec<Kind>,
}

impl Plan {
    /// How many blocks of a kind are new.
    pub fn created(&self, kind: Kind) -> usize {
        self.created.iter().filter(|created| **created == kind).count()
    }
}

/// The own value that something touched must have afterwards; none if it must be gone.
#[derive(Debug, Clone, PartialEq)]
pub enum Target {
    /// A top-level member.
    Member {
        /// Its key.
        key: String,
        /// Its value.
        value: Option<Value>,
    },
    /// A stream, live or plugin.
    Named {
        /// Its group.
        kind: Kind,
        /// Its name.
        name: String,
        /// Its own members.
        value: Option<Map<String, Value>>,
    },
}

/// What a change did that its patch does not show.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Note {
    /// `url: false` took extras with it.
    ExtrasDropped {
        /// The auth they belonged to.
        at: Pointer,
        /// Their keys.
        keys: Vec<String>,
    },
    /// Comment lines above something removed are still there.
    CommentsKept {
        /// The first words of what was removed.
        above: String,
        /// How many.
        lines: usize,
    },
    /// A port of `http` is gone, and its block with it.
    PortOptionsDropped {
        /// The port, as it stands in the text.
        port: String,
    },
}

/// Plans a reduced patch on a document without errors.
pub fn plan<'d>(
    document: &'d Document,
    members: &Members<'d>,
    patch: &Map<String, Value>,
) -> Result<Plan, Faults> {
    let lens = merge::own_lens();
    let mut planner = Planner {
        document,
        members,
        view: View::new(members, &lens),
        plan: Plan::default(),
        leaving: HashSet::new(),
        pending: Vec::new(),
        faults: Faults::default(),
    };
    planner.top_level(patch);
    planner.faults.into_result(planner.plan)
}

/// A block that is worked on, or the top level.
#[derive(Clone, Copy)]
struct Container<'d> {
    block: Option<Entry<'d>>,
}

impl<'d> Container<'d> {
    const TOP: Container<'static> = Container { block: None };

    fn of(block: Entry<'d>) -> Self {
        Self { block: Some(block) }
    }

    fn id(self) -> Option<EntryId> {
        self.block.map(|block| block.id())
    }
}

/// A new setting whose place is found once it is known what leaves.
struct Pending {
    /// One entry, or all occurrences of one keyword.
    drafts: Vec<Draft>,
    /// The occurrences of the same keyword, after which it goes at top level.
    like: Vec<EntryId>,
    first: bool,
}

impl Pending {
    /// Whether the first of it is a block, after which the others of its keyword go.
    fn is_block(&self) -> bool {
        self.drafts.first().is_some_and(|draft| draft.block.is_some())
    }
}

struct Planner<'p, 'd> {
    document: &'d Document,
    members: &'p Members<'d>,
    view: View<'p, 'd>,
    plan: Plan,
    leaving: HashSet<EntryId>,
    pending: Vec<Pending>,
    faults: Faults,
}

impl<'d> Planner<'_, 'd> {
    /// Our own members in schema order, then the others in patch order.
    fn top_level(&mut self, patch: &Map<String, Value>) {
        let root = Pointer::root();
        for parameter in parameters(Scope::Top) {
            let at = root.child(parameter.key);
            match (parameter.shape, patch.get(parameter.key)) {
                (Shape::Ports, ports) => match patch.get("http_options") {
                    None if ports.is_none() => {}
                    options => self.ports(ports, options),
                },
                (Shape::PortOptions | Shape::Derived(_), _) | (_, None) => {}
                (Shape::Group(kind), Some(value)) => self.group(kind, value, &at),
                (_, Some(value)) => self.top_setting(parameter, value, &at),
            }
        }
        for (key, value) in patch.iter().filter(|(key, _)| by_key(Scope::Top, key).is_none()) {
            self.top_foreign(key, value, &root.child(key));
        }
        self.place_pending_at_top();
    }

    fn top_setting(&mut self, parameter: &'static crate::model::Parameter, patch: &Value, at: &Pointer) {
        let current = self.view.member(parameter.key);
        match merge::setting(parameter, current.as_ref(), patch, at) {
            Err(faults) => self.faults.0.extend(faults.0),
            Ok(target) if target == current => {}
            Ok(target) => {
                self.note_dropped_extras(current.as_ref(), target.as_ref(), at);
                let entries = self.members.own(parameter).to_vec();
                self.setting(parameter, &entries, target.as_ref(), at);
                self.plan.targets.push(Target::Member { key: parameter.key.to_owned(), value: target });
            }
        }
    }

    fn top_foreign(&mut self, key: &str, patch: &Value, at: &Pointer) {
        if let Err(faults) = merge::fits_own_shape(Scope::Top, key, patch, at) {
            return self.faults.0.extend(faults.0);
        }
        let keyword = keyword_of(Scope::Top, key);
        let entries = self.members.foreign_by_keyword(keyword).to_vec();
        let current = merge::general_value(&entries);
        let target = merge::foreign(&entries, patch);
        if target != current {
            self.plan.guarded.member(Scope::Top, key, current.as_ref(), patch, at);
            self.foreign(Container::TOP, keyword, &entries, target.as_ref(), at);
            self.plan.targets.push(Target::Member { key: key.to_owned(), value: target });
        }
    }

    fn operation(&mut self, operation: Operation) {
        self.plan.operations.push(operation);
    }

    fn rewrite(&mut self, splices: Vec<crate::syntax::Splice>) {
        self.plan.operations.extend(splices.into_iter().map(Operation::Rewrite));
    }

    fn remove(&mut self, entry: Entry<'d>) {
        if self.leaving.insert(entry.id()) {
            self.note_kept_comments(entry);
            self.operation(Operation::Remove(entry.id()));
        }
    }

    fn put(&mut self, container: Container<'d>, place: Place, content: Content, blank_lines: usize) {
        if let Content::Line(entry) | Content::Block(entry) = content {
            self.leaving.insert(entry);
        }
        self.operation(Operation::Put { within: container.id(), place, content, blank_lines });
    }

    fn refuse(&mut self, fault: Fault) {
        self.faults.push(fault);
    }

    fn note_kept_comments(&mut self, entry: Entry<'d>) {
        let around = Surroundings::of(self.document);
        let start = around.line_start(entry.start());
        let comments = around.attached_comments(start);
        if comments < start && around.begins_line(entry.start()) {
            let lines = count_lines(&self.document.text()[comments..start]);
            let above =
                entry.words().take(2).map(|word| word.value().into_owned()).collect::<Vec<_>>().join(" ");
            self.plan.notes.push(Note::CommentsKept { above, lines });
        }
    }

    fn note_dropped_extras(&mut self, current: Option<&Value>, target: Option<&Value>, at: &Pointer) {
        let keys = |value: Option<&Value>| -> Vec<String> {
            value
                .and_then(|value| value.get("extra")?.as_object())
                .into_iter()
                .flatten()
                .map(|(key, _)| key.clone())
                .collect()
        };
        if target.and_then(|target| target.get("url")) != Some(&Value::Bool(false)) {
            return;
        }
        let kept = keys(target);
        let dropped: Vec<String> = keys(current).into_iter().filter(|key| !kept.contains(key)).collect();
        if !dropped.is_empty() {
            self.plan.notes.push(Note::ExtrasDropped { at: at.clone(), keys: dropped });
        }
    }

    fn is_staying(&self, entry: &Entry<'_>) -> bool {
        !self.leaving.contains(&entry.id())
    }

    /// Finds a place for what is new in a container, now that it is known what leaves it.
    fn place_pending(&mut self, container: Container<'d>) {
        for pending in std::mem::take(&mut self.pending) {
            let (place, blank_lines) = match container.block {
                Some(block) => (self.place_in_block(block, pending.first), 0),
                None => self.place_at_top(&pending),
            };
            for draft in pending.drafts {
                self.put(container, place, Content::New(draft), blank_lines);
            }
        }
    }

    /// The last setting may be the end of the text: what follows it comes before what goes to the end.
    fn place_pending_at_top(&mut self) {
        let is_at_end =
            |operation: &mut Operation| matches!(operation, Operation::Put { place: Place::End, .. });
        let groups: Vec<Operation> = self.plan.operations.extract_if(.., is_at_end).collect();
        let blocks: Vec<Pending> = self.pending.extract_if(.., |pending| pending.is_block()).collect();
        self.place_pending(Container::TOP);
        self.plan.operations.extend(groups);
        self.pending = blocks;
        self.place_pending(Container::TOP);
    }

    /// A url goes first, others after the last entry.
    fn place_in_block(&self, block: Entry<'d>, first: bool) -> Place {
        let mut staying = block.children().filter(|entry| self.is_staying(entry));
        let anchor = if first { staying.next() } else { staying.last() };
        match anchor {
            Some(entry) if first => Place::Before(entry.id()),
            Some(entry) => Place::After(entry.id()),
            None => Place::FirstIn(block.id()),
        }
    }

    /// After the last of its keyword; else after the last setting in front of the first block;
    /// else in front of that block; else at the end. A block goes to the end at once.
    fn place_at_top(&self, pending: &Pending) -> (Place, usize) {
        let is_block = pending.is_block();
        if let Some(&last) = pending.like.iter().rev().find(|entry| !self.leaving.contains(*entry)) {
            let blank_lines =
                if is_block { self.blank_lines_above(self.document.entry(last), false) } else { 0 };
            return (Place::After(last), blank_lines);
        }
        if is_block {
            return self.place_at_end();
        }
        let mut last_setting = None;
        for entry in self.document.entries().filter(|entry| self.is_staying(entry)) {
            if counts_as_block(entry) {
                return (last_setting.map_or(Place::BeforeComments(entry.id()), Place::After), 0);
            }
            last_setting = Some(entry.id());
        }
        (last_setting.map_or(Place::End, Place::After), 0)
    }

    fn place_at_end(&self) -> (Place, usize) {
        let last = self.document.entries().filter(|entry| self.is_staying(entry)).last();
        (Place::End, last.map_or(0, |entry| self.blank_lines_above(entry, true)))
    }

    /// The blank lines above an entry; above the comments directly over it, unless those may be
    /// the heading of a section because the entry is the first of its kind.
    fn blank_lines_above(&self, entry: Entry<'d>, is_first: bool) -> usize {
        let around = Surroundings::of(self.document);
        if !around.begins_line(entry.start()) {
            return 0;
        }
        let start = around.line_start(entry.start());
        let from = if is_first { start } else { around.attached_comments(start) };
        count_lines(&self.document.text()[around.blank_lines_above(from)])
    }

    fn pend(&mut self, drafts: Vec<Draft>, like: &[Entry<'d>]) {
        if drafts.is_empty() {
            return;
        }
        self.pending.push(Pending {
            drafts,
            like: like.iter().map(|entry| entry.id()).collect(),
            first: false,
        });
    }
}
