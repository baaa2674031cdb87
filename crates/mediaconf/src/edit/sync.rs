//! The one rule that makes every edit: a value is read from its lines, merged with the patch, and written as fresh
//! lines; where the fresh lines differ from those that stand there, these change.
//!
//! ```text
//! lines ──read──▶ value ──merge──▶ target ──write──▶ fresh lines
//!   └──────────────── difference: lines, words, blocks ───────────▶ changes
//! ```
//!
//! A member of a block is all lines of one keyword, or of one row of the schema. Its lines are aligned with the fresh
//! ones by what they say ([`super::align`]); of a line that is edited, the words ([`super::words`]) and the block.

use std::collections::{HashMap, HashSet};

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::align::{Alignment, ElementOrigin, align};
use super::comments::{Leave, counts_as_block};
use super::guarded::{At, Doubts, unwritable};
use super::layout::{Anchor, Insertion, NewEntry, Put, TextChanges, block_lines};
use super::surroundings::{Surroundings, count_lines};
use super::verify::Promises;
use crate::model::view::entry_sources;
use crate::schema::codec::is_plural;
use crate::schema::codec::{
    self, Address, DirectiveForm, General, are_named_blocks, block_value, merge_member, scalars,
};
use crate::schema::fault::Faults;
use crate::schema::json_pointer::Pointer;
use crate::schema::members::{Members, first_argument, inner_scope, key_of, keyword_of};
use crate::schema::{Codec, Facts, Object, Parameter, SOURCE, Schema, Scope};
use crate::syntax::{Document, Entry, EntryId, Splice};

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

/// Collects the changes of a text, and the values that they must lead to.
pub struct Sync<'p, 'd> {
    pub(super) document: &'d Document,
    pub(super) members: &'p Members<'d>,
    pub(super) around: Surroundings<'d>,
    /// The changes to the text.
    pub changes: TextChanges<'d>,
    /// What the new text must say.
    pub promises: Promises,
    /// Side effects that the user should know.
    pub notes: Vec<Note>,
    /// The streams that are deleted.
    pub deleted_streams: Vec<String>,
    /// Changes that are refused unless they are accepted.
    pub doubts: Doubts,
    /// Why the patch can't be carried out.
    pub faults: Faults,
    /// New lines of the block that is looked at; their places are chosen once all removals are known.
    pending: Vec<NewLines>,
    /// The block that a new block stands directly in front of; `None` is behind the one before it in its group.
    pub before: Option<Entry<'d>>,
}

/// All new lines of one member.
struct NewLines {
    lines: Vec<NewEntry>,
    /// The lines of the same keyword, behind which they go at top level.
    like: Vec<EntryId>,
    /// True if they go to the start of a block.
    first: bool,
}

impl NewLines {
    /// True if the first one is a block, which decides the place of all.
    fn is_block(&self) -> bool {
        self.lines[0].block.is_some()
    }
}

impl<'p, 'd> Sync<'p, 'd> {
    pub fn new(document: &'d Document, members: &'p Members<'d>) -> Self {
        Self {
            document,
            members,
            around: Surroundings::new(document),
            changes: TextChanges::default(),
            promises: Promises::default(),
            notes: Vec::new(),
            deleted_streams: Vec::new(),
            doubts: Doubts::default(),
            faults: Faults::default(),
            pending: Vec::new(),
            before: None,
        }
    }

    /// The members of the top level in schema order, then the others in the order of the patch.
    pub fn top_level(&mut self, patch: &Object) {
        let (root, top) = (Pointer::root(), self.members.scope());
        for row in top.rows() {
            let (Facts { list, group, .. }, value) = (row.codec.facts(), patch.get(row.key));
            let pointer = &root.child(row.key);
            match (list, group, value) {
                (Some(list), _, ports) => match patch.get(list.blocks) {
                    None if ports.is_none() => {}
                    options => self.ports(row, list, ports, options),
                },
                (_, Some(kind), Some(patch)) => self.group(kind, patch, pointer),
                (_, _, Some(_)) if row.is_setting() => self.top_setting(row, patch, pointer),
                _ => {}
            }
        }
        for (key, patch) in patch.iter().filter(|(key, _)| top.by_key(key).is_none()) {
            self.top_general(key, At { patch, pointer: &root.child(key) });
        }
        self.place_pending_at_top();
    }

    fn top_setting(&mut self, row: &'static Parameter, patch: &Object, pointer: &Pointer) {
        let members = self.members;
        let entries = members.own(row);
        let current = row.codec.read(entries, None);
        let faults = self.faults.len();
        let target = row.merge(current.as_ref(), &patch[row.key], pointer, &mut self.faults);
        if target == current || self.faults.len() > faults {
            return;
        }
        let misshapen = misshapen(members, row, patch);
        self.known(None, row, entries, [current.as_ref(), target.as_ref()], &misshapen, pointer);
        self.promises.member(row.key, target.as_ref());
        if !misshapen.is_empty() {
            for keyword in row.keywords {
                self.promises.member(&key_of(members.scope(), keyword), None);
            }
        }
    }

    fn top_general(&mut self, key: &str, at: At<'_>) {
        let (members, top) = (self.members, self.members.scope());
        let entries = members.foreign_by_keyword(keyword_of(top, key));
        let current = General { keyword: keyword_of(top, key) }.read(entries, None);
        let target = merge_member((top, key), entries, at.patch, at.pointer, &mut self.faults);
        if target != current {
            self.doubts.member((top, None), key, [current.as_ref(), Some(at.patch)], at.pointer);
            self.general(None, keyword_of(top, key), entries, target.as_ref(), at);
            self.promises.member(key, target.as_ref());
        }
    }

    /// Changes the entries of a block of this scope from `current` to `target`, known settings first.
    pub(super) fn contents(
        &mut self,
        block: Entry<'d>,
        scope: Scope,
        [current, target]: [&Object; 2],
        at: At<'_>,
    ) {
        let outer = std::mem::take(&mut self.pending);
        let (within, members) = (Some(block), Members::group(scope, block.children()));
        let is_changed = |key: &str| current.get(key) != target.get(key);
        let mut replaced = HashSet::new();
        for row in scope.rows().filter(|row| row.codec.facts().derived.is_none() && is_changed(row.key)) {
            let misshapen = misshapen(&members, row, target);
            let values = [current, target].map(|members| members.get(row.key));
            self.known(within, row, members.own(row), values, &misshapen, &at.pointer.child(row.key));
            replaced.extend(misshapen.iter().map(|entry| entry.keyword()));
        }
        let gone = current.keys().filter(|key| !target.contains_key(*key));
        for key in gone.chain(target.keys()).filter(|key| scope.by_key(key).is_none() && is_changed(key)) {
            let keyword = keyword_of(scope, key);
            if target.contains_key(key) || !replaced.contains(keyword) {
                let entries = members.foreign_by_keyword(keyword);
                at.child(key, |at| self.general(within, keyword, entries, target.get(key), at));
            }
        }
        self.place_pending(within);
        self.pending = outer;
    }

    /// The lines of a known parameter; the last one of `misshapen` is changed where there is no other.
    fn known(
        &mut self,
        within: Option<Entry<'d>>,
        row: &'static Parameter,
        entries: &[Entry<'d>],
        values: [Option<&Value>; 2],
        misshapen: &[Entry<'d>],
        pointer: &Pointer,
    ) {
        self.note_options_dropped(row, values, pointer);
        self.faults.0.extend(unwritable(row, values, pointer));
        let mut entries = entries;
        if let ([], [gone @ .., _], Some(_)) = (entries, misshapen, values[1]) {
            gone.iter().for_each(|&gone| self.remove(gone));
            entries = &misshapen[gone.len()..];
        }
        let target = values[1]
            .filter(|target| !entries.is_empty() || row.value_of_nothing().as_ref() != Some(*target));
        let fresh = Document::parse(target.map_or_else(String::new, |value| written(row, value)));
        let fresh: Vec<Entry<'_>> = fresh.entries().collect();
        let is_source = row.codec.facts().sources.is_some();
        match (entries, &fresh[..]) {
            (entries, []) => entries.iter().for_each(|&entry| self.remove(entry)),
            ([], fresh) => self.add(fresh.iter().copied().map(NewEntry::of).collect(), &[], is_source),
            (entries, fresh) if is_source => {
                let sources =
                    entries.iter().flat_map(|&entry| entry_sources(entry).map(move |of| (entry, of)));
                let (entries, old): (Vec<Entry<'d>>, Vec<Value>) =
                    sources.map(|(entry, of)| (entry, SOURCE.object(&of).into())).unzip();
                let value =
                    |line: &Entry<'_>| Address::from_words(line.arguments()).map(|of| SOURCE.object(&of));
                let new: Vec<Value> =
                    fresh.iter().map(|line| value(line).unwrap_or_default().into()).collect();
                self.lines(within, Some(row), &entries, fresh, &align(&old, &new));
            }
            // Of a setting that stands twice, the last one counts.
            ([.., last], [line, ..]) => self.line(Some(row), *last, *line),
        }
    }

    /// The lines of a keyword under the general rule.
    fn general(
        &mut self,
        within: Option<Entry<'d>>,
        keyword: &str,
        entries: &[Entry<'d>],
        target: Option<&Value>,
        at: At<'_>,
    ) {
        let form = DirectiveForm::from_entries(entries);
        let is_object = matches!(form, DirectiveForm::Block | DirectiveForm::NamedBlocks);
        match (form, entries, target) {
            // Another object is written as one block without a name.
            (DirectiveForm::NamedBlocks, [_, ..], Some(Value::Object(target)))
                if are_named_blocks(target) =>
            {
                return self.named_blocks(keyword, entries, target, at);
            }
            (DirectiveForm::Block, [block, ..], Some(Value::Object(target))) => {
                return self.inside(*block, target, at);
            }
            _ => {}
        }
        let text =
            target.map_or_else(String::new, |target| written_general(within, keyword, entries, target));
        let fresh = Document::parse(text);
        let fresh: Vec<Entry<'_>> = fresh.entries().collect();
        match (entries, &fresh[..]) {
            (entries, []) => entries.iter().for_each(|&entry| self.remove(entry)),
            ([], fresh) => self.add(fresh.iter().copied().map(NewEntry::of).collect(), &[], false),
            (entries, fresh) => {
                let values = |entries: &[Entry<'_>]| entries.iter().map(|&entry| occurrence(entry)).collect();
                let [old, new]: [Vec<Value>; 2] = [values(entries), values(fresh)];
                let alignment = align(&old, &new);
                if !(is_object && at.patch.is_object()) {
                    self.doubts.lines(keyword, [entries, fresh], &alignment, at);
                }
                self.lines(within, None, entries, fresh, &alignment);
            }
        }
    }

    /// Blocks of one keyword by their names.
    fn named_blocks(&mut self, keyword: &str, entries: &[Entry<'d>], target: &Object, at: At<'_>) {
        let by_name: HashMap<_, Entry<'d>> =
            entries.iter().map(|&entry| (first_argument(entry), entry)).collect();
        let mut new = Map::new();
        for (name, value) in target {
            match (by_name.get(name.as_str()), value) {
                (Some(&block), Value::Object(wanted)) => at.child(name, |at| self.inside(block, wanted, at)),
                _ => drop(new.insert(name.clone(), value.clone())),
            }
        }
        if !new.is_empty() {
            let fresh = Document::parse(General { keyword }.write(keyword, &Value::Object(new)).join("\n"));
            self.add(fresh.entries().map(NewEntry::of).collect(), entries, false);
        }
        let gone = entries.iter().filter(|&&entry| !target.contains_key(&*first_argument(entry)));
        gone.for_each(|&entry| self.remove(entry));
    }

    /// Changes what stands inside a block that the general rule shows.
    pub(super) fn inside(&mut self, block: Entry<'d>, target: &Object, at: At<'_>) {
        if let Value::Object(current) = block_value(block)
            && current != *target
        {
            self.contents(block, inner_scope(block), [&current, target], at);
        }
    }

    /// Changes a list of lines: those that are edited, gone, moved and new. A line goes behind its predecessor, else in
    /// front of the first one that stays.
    pub(super) fn lines(
        &mut self,
        within: Option<Entry<'d>>,
        row: Option<&'static Parameter>,
        entries: &[Entry<'d>],
        fresh: &[Entry<'_>],
        alignment: &Alignment,
    ) {
        let in_place = |origin: &ElementOrigin| match *origin {
            ElementOrigin::Kept(index) | ElementOrigin::Edited(index) => Some(entries[index]),
            ElementOrigin::Moved(_) | ElementOrigin::New => None,
        };
        alignment.gone.iter().for_each(|&index| self.remove(entries[index]));
        let first = alignment.new.iter().find_map(in_place);
        let (mut previous, mut alone) = (None, Vec::new());
        for (origin, line) in alignment.new.iter().zip(fresh) {
            if let ElementOrigin::Edited(index) = *origin {
                self.line(row, entries[index], *line);
            }
            previous = in_place(origin).or(previous);
            let content = match *origin {
                ElementOrigin::Kept(_) | ElementOrigin::Edited(_) => continue,
                ElementOrigin::Moved(index) => Insertion::Line(entries[index]),
                ElementOrigin::New => {
                    Insertion::New(NewEntry::like(*line, previous.filter(|&line| !is_plural(line))))
                }
            };
            match (previous, first, content) {
                (Some(previous), _, content) => self.put(within, Anchor::After(previous), content, 0),
                (None, Some(first), content) => self.put(within, Anchor::Before(first), content, 0),
                (None, None, Insertion::New(line)) => alone.push(line),
                // A line moves only past one that stays.
                (None, None, _) => {}
            }
        }
        self.add(alone, entries, row.is_some_and(|row| row.codec.facts().sources.is_some()));
    }

    /// Changes one line to a fresh one: its words, and its block.
    pub(super) fn line(&mut self, row: Option<&'static Parameter>, old: Entry<'d>, fresh: Entry<'_>) {
        // Of known settings only ports have blocks, and another port has another block.
        let is_other = self.words(row, old, fresh) && row.is_some();
        let head = old.head_span().end as usize;
        let block = || fresh.children().map(NewEntry::of).collect::<Vec<_>>();
        match (old.is_block(), fresh.is_block()) {
            (true, true) if is_other => {
                let range = old.body().start - 1..old.end();
                self.splice(range.clone(), block_lines(&block(), &self.around.style_of(old)));
                self.promises.gone.push(range);
            }
            (true, true) => {
                if let Value::Object(target) = block_value(fresh) {
                    self.inside(old, &target, At { patch: &Value::Null, pointer: &Pointer::root() });
                }
            }
            // A block in the place of the `;`.
            (false, true) => {
                let semicolon = old.end() - usize::from(old.is_terminated());
                let between = self.document.text()[head..semicolon].trim_end();
                let lines = block_lines(&block(), &self.around.style_of(old));
                let (open, inside) = lines.split_at(1);
                self.splice(head..old.end(), format!(" {open}{between}{inside}"));
            }
            (true, false) => {
                let open = old.body().start - 1;
                let has_comment = self.document.text()[head..open].contains('#');
                let from = if has_comment { open } else { head };
                self.splice(head..head, ";");
                self.splice(from..old.end(), "");
                self.promises.gone.push(open..old.end());
            }
            (false, false) => {}
        }
    }

    pub(super) fn splice(&mut self, range: std::ops::Range<usize>, text: impl Into<String>) {
        self.changes.splices.push(Splice { range, text: text.into() });
    }

    /// Removes an entry with the comments that belong to it, and notes those that stay.
    pub(super) fn remove(&mut self, entry: Entry<'d>) {
        if !self.is_staying(&entry) {
            return;
        }
        self.changes.leaving.insert(entry.id(), (entry, Leave::Removed));
        if self.around.begins_line(entry.start()) {
            let own = self.around.own_comments(entry);
            let lines = count_lines(&self.document.text()[self.around.attached_comments(own)..own]);
            if lines > 0 {
                let words: Vec<_> = entry.words().take(2).map(|word| word.value()).collect();
                self.notes.push(Note::CommentsKept { above: words.join(" "), lines });
            }
        }
    }

    /// Notes the options that go because `false` takes the place of the address.
    pub(super) fn note_options_dropped(
        &mut self,
        row: &Parameter,
        values: [Option<&Value>; 2],
        pointer: &Pointer,
    ) {
        if let (Some(shape), [Some(current), Some(target)]) = (row.codec.facts().address, values)
            && target.get(shape.address) == Some(&Value::Bool(false))
        {
            let kept: HashSet<&String> = shape.options_of(target).map(|(key, _)| key).collect();
            let keys = shape.options_of(current).map(|(key, _)| key);
            let keys: Vec<String> = keys.filter(|key| !kept.contains(key)).cloned().collect();
            self.notes.extend((!keys.is_empty()).then(|| Note::ExtrasDropped { at: pointer.clone(), keys }));
        }
    }

    pub(super) fn put(
        &mut self,
        within: Option<Entry<'d>>,
        place: Anchor<'d>,
        content: Insertion<'d>,
        blank_lines: usize,
    ) {
        let moved = match content {
            Insertion::Line(entry) => Some((entry.id(), (entry, Leave::Alone))),
            Insertion::Block(entry) => Some((entry.id(), (entry, Leave::Moved))),
            Insertion::New(_) | Insertion::Copy(..) => None,
        };
        self.changes.leaving.extend(moved);
        self.changes.puts.push(Put { within, place, content, blank_lines });
    }

    pub(super) fn is_staying(&self, entry: &Entry<'_>) -> bool {
        !self.changes.leaving.contains_key(&entry.id())
    }

    /// Adds new lines of a member with these entries.
    fn add(&mut self, lines: Vec<NewEntry>, entries: &[Entry<'d>], first: bool) {
        if !lines.is_empty() {
            let like = entries.iter().map(|entry| entry.id()).collect();
            self.pending.push(NewLines { lines, like, first });
        }
    }

    /// Puts the new lines of a block, or of the top level, at their places. Insertions remove nothing, so a place
    /// that was found stays right for all that follow.
    fn place_pending(&mut self, within: Option<Entry<'d>>) {
        // For blocks and for lines at the top level; else for lines at the start and at the end.
        let mut places = [None, None];
        for new in std::mem::take(&mut self.pending) {
            let (is_block, is_first) = (new.is_block(), new.first);
            let last = new.like.iter().rev().find(|entry| !self.changes.leaving.contains_key(entry));
            let (place, blank_lines) = match (within, last) {
                (None, Some(&last)) => {
                    let last = self.document.entry(last);
                    (Anchor::After(last), if is_block { self.around.gap_above(last, false) } else { 0 })
                }
                (None, None) => *places[usize::from(is_block)].get_or_insert_with(|| match is_block {
                    true => self.place_at_end(),
                    false => (self.place_of_setting(), 0),
                }),
                (Some(block), _) => *places[usize::from(is_first)].get_or_insert_with(|| {
                    let mut staying = block.children().filter(|entry| self.is_staying(entry));
                    let place = match is_first {
                        true => staying.next().map(Anchor::Before),
                        false => staying.last().map(Anchor::After),
                    };
                    (place.unwrap_or(Anchor::FirstIn(block)), 0)
                }),
            };
            for line in new.lines {
                self.put(within, place, Insertion::New(line), blank_lines);
            }
        }
    }

    /// Puts the new lines of the top level at their places. The last setting may be the end of the text: then
    /// settings behind it come before new blocks.
    fn place_pending_at_top(&mut self) {
        let is_at_end = |put: &mut Put<'_>| matches!(put.place, Anchor::End);
        let groups: Vec<Put<'d>> = self.changes.puts.extract_if(.., is_at_end).collect();
        let blocks: Vec<NewLines> = self.pending.extract_if(.., |lines| lines.is_block()).collect();
        self.place_pending(None);
        self.changes.puts.extend(groups);
        self.pending = blocks;
        self.place_pending(None);
    }

    /// After the last setting in front of the first block; else in front of that block; else at the end.
    fn place_of_setting(&self) -> Anchor<'d> {
        let mut last_setting = None;
        for entry in self.document.entries().filter(|entry| self.is_staying(entry)) {
            if counts_as_block(entry) {
                return last_setting.map_or(Anchor::BeforeHeading(entry), Anchor::After);
            }
            last_setting = Some(entry);
        }
        last_setting.map_or(Anchor::End, Anchor::After)
    }

    /// The end of the text, and the number of blank lines in front of a new entry there.
    pub(super) fn place_at_end(&mut self) -> (Anchor<'d>, usize) {
        let last = self.document.entries().filter(|entry| self.is_staying(entry)).last();
        // Without a blank line a comment at the end would belong to what comes behind it.
        let last_line = self.document.text().trim_end().rsplit('\n').next();
        let least = usize::from(
            last_line.is_some_and(|line| line.trim_start_matches(['\u{feff}', ' ', '\t']).starts_with('#')),
        );
        (Anchor::End, last.map_or(0, |entry| self.around.gap_above(entry, true)).max(least))
    }
}

/// The lines of a parameter with one value whose only word has the wrong form, in whose place a new one goes; none if
/// `kept`, a target or a patch, has them as what they are.
fn misshapen<'d>(members: &Members<'d>, row: &'static Parameter, kept: &Object) -> Vec<Entry<'d>> {
    let is_single = row.is_setting() && members.own(row).is_empty();
    let is_free = |keyword: &&&str| is_single && !kept.contains_key(&*key_of(members.scope(), keyword));
    // A line with more words may have swallowed another one, whose `;` before it is missing: it stays.
    let is_simple = |line: &Entry<'d>| !line.is_block() && line.count_arguments() <= 1;
    let lines = |keyword: &&'static str| members.foreign_by_keyword(keyword);
    let are_simple = |lines: &&[Entry<'d>]| lines.iter().all(is_simple);
    row.keywords.iter().filter(is_free).map(lines).filter(are_simple).flatten().copied().collect()
}

/// Takes the lines in a wrong form out of a target that sets their parameter, unless the patch gives them.
pub(super) fn without_misshapen(
    members: &Members<'_>,
    target: &mut Object,
    current: &Object,
    patch: &Object,
) {
    for row in members.scope().rows() {
        if target.contains_key(row.key) && !current.contains_key(row.key) {
            for entry in misshapen(members, row, patch) {
                target.shift_remove(&*key_of(members.scope(), &entry.keyword()));
            }
        }
    }
}

/// The lines of a known parameter, as they are written anew.
pub(super) fn written(row: &'static Parameter, value: &Value) -> String {
    row.write(value).join("\n")
}

/// The lines of a keyword under the general rule; true is a bare flag, but the options of a port keep their value:
/// `api false;` becomes `api true;`, not `api;`.
fn written_general(
    within: Option<Entry<'_>>,
    keyword: &str,
    entries: &[Entry<'_>],
    target: &Value,
) -> String {
    let facts =
        |block: Entry<'_>| Schema::media().top().by_keyword(&block.keyword()).map(|row| row.codec.facts());
    let is_port = within.and_then(facts).is_some_and(|facts| facts.list.is_some());
    match (target, entries) {
        (Value::Bool(true), [line]) if is_port && !line.is_block() && line.count_arguments() == 1 => {
            codec::occurrence(keyword, &[Value::Bool(true)])
        }
        _ => General { keyword }.write(keyword, target).join("\n"),
    }
}

/// What a line says: its words, and its block last.
fn occurrence(entry: Entry<'_>) -> Value {
    scalars(entry).chain(entry.is_block().then(|| block_value(entry))).collect()
}
