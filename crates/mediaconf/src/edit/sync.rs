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

use std::borrow::Cow;
use std::collections::BTreeMap;

use foldhash::{HashMap, HashSet};
use serde_json::{Map, Value};

use super::align::{Alignment, Step, align};
use super::guarded::{At, Known, scope_in};
use super::layout::{Anchor, Insertion, NewEntry, Put};
use super::surroundings::{Leave, Surroundings, counts_as_block, kind_of};
use super::{Edit, Promises, changed, is_placeholder};
use crate::schema::{
    Codec, DirectiveForm, Fault, Faults, General, Members, Normalizer, Object, Parameter, Pointer, SOURCE,
    Scope, addresses, are_named_blocks, block_members, first_argument, inner_scope, is_plural, keyword_of,
    merge_into, occurrence, occurrence_value, read_members,
};
use crate::syntax::{Document, Entry, EntryId, Splice, WHITE};

/// The row of the schema for the lines of a member; `None` under the general rule.
pub(super) type Row = Option<&'static Parameter>;

/// Collects the changes of a text, and the values that they must lead to.
pub struct Sync<'p, 'd> {
    pub(super) document: &'d Document,
    pub(super) members: &'p Members<'d>,
    pub(super) around: Surroundings<'d>,
    /// The entries that leave their place, in the order of the text.
    pub leaving: BTreeMap<EntryId, (Entry<'d>, Leave)>,
    /// Replacements inside entries.
    pub splices: Vec<Splice>,
    /// Insertions, in the order in which those at one place stand there.
    pub puts: Vec<Put<'d>>,
    /// What the new text must say.
    pub promises: Promises,
    /// What is told of the edit beside its text.
    pub edit: Edit,
    /// What is looked up where a change is in doubt.
    pub(super) known: Known<'d>,
    /// Why the patch can't be carried out.
    pub faults: Faults,
    /// New lines, whose places are chosen once all removals are known.
    pending: Vec<NewLines<'d>>,
    /// The changes that give sources their own lines, and settings a block. If there are any, they are made first, and all
    /// others are found again in that text.
    pub spread: Vec<Splice>,
}

/// All new lines of one member.
struct NewLines<'d> {
    within: Option<Entry<'d>>,
    /// The first one decides the place of all.
    lines: Vec<NewEntry>,
    /// The lines of the same keyword, behind which they go at top level.
    like: Vec<Entry<'d>>,
    /// True if they go to the start of a block.
    first: bool,
}

impl<'p, 'd> Sync<'p, 'd> {
    pub fn new(document: &'d Document, members: &'p Members<'d>) -> Self {
        Self {
            document,
            members,
            around: Surroundings::new(document),
            leaving: BTreeMap::new(),
            splices: Vec::new(),
            puts: Vec::new(),
            promises: Promises::default(),
            edit: Edit::default(),
            known: Known::default(),
            faults: Faults::default(),
            pending: Vec::new(),
            spread: Vec::new(),
        }
    }

    /// The members of the top level in schema order, then the others in the order of the patch.
    pub fn top_level(&mut self, patch: &Value) {
        let (root, members) = (Pointer::root(), self.members);
        let is_merged =
            |key: &str| members.scope.by_key(key).is_none_or(|row| row.codec.facts().is_setting());
        let merged = patch.as_object().into_iter().flatten().filter(|(key, _)| is_merged(key));
        let merged: Object = merged.map(|(key, value)| (key.clone(), value.clone())).collect();
        let present = |key: &String| Some((key.clone(), members.value(key)?));
        let current: Object = merged.keys().filter_map(present).collect();
        let mut at = Normalizer::below_place(&root);
        let mut target = merge_into(current.clone(), members, &merged, &mut at);
        self.faults.0.extend(at.faults.0);
        without_misshapen(members, &mut target, &current, &merged);
        self.contents(members, [&current, &target], &At { within: None, patch, pointer: root });
    }

    /// Changes the entries of a block, or of the top level, from `current` to `target`: known settings first.
    pub(super) fn contents(&mut self, members: &Members<'d>, both: [&Object; 2], at: &At<'_, 'd>) {
        let [current, target] = both;
        let (scope, mut replaced) = (members.scope, HashSet::default());
        let changed: Vec<&String> = changed(current, target).collect();
        let may_change = |row: &&Parameter| scope == Scope::Top || changed.iter().any(|key| *key == row.key);
        for row in scope.rows().filter(may_change) {
            let facts = row.codec.facts();
            match (facts.group, facts.list) {
                (Some(kind), _) if at.patch.get(row.key).is_some() => self.group(kind, &at.child(row.key)),
                (Some(_), _) => {}
                (_, Some(list)) => self.ports(row, list, at),
                _ if facts.derived.is_some() || !changed.iter().any(|key| *key == row.key) => {}
                _ => {
                    // Where there is no other line, the last one in a wrong form is changed.
                    let (mut entries, misshapen) = (members.own(row), misshapen(members, row, target));
                    if let [gone @ .., _] = &misshapen[..] {
                        gone.iter().for_each(|&gone| self.remove(gone));
                        entries = &misshapen[gone.len()..];
                    }
                    let nothing = row.value_of_nothing().filter(|_| entries.is_empty());
                    let value = target.get(row.key);
                    if facts.is_setting() && value.is_some() {
                        self.refuse_placeholder(members, row, both, at);
                    }
                    let target = value.filter(|target| nothing.as_ref() != Some(*target));
                    let text = target.map_or_else(String::new, |value| row.write(value).join("\n"));
                    let nowhere = At { patch: &Value::Null, pointer: at.pointer.child(row.key), ..*at };
                    self.fresh(Some(row), entries, text, &nowhere);
                    let keys = misshapen.iter().map(|line| scope.key_of(&line.keyword()).into_owned());
                    replaced.extend(keys);
                    self.promise(at, row.key, value);
                }
            }
        }
        replaced.iter().for_each(|key| self.promise(at, key, target.get(key)));
        for key in changed.into_iter().filter(|key| scope.by_key(key).is_none()) {
            if target.contains_key(key) || !replaced.contains(key) {
                let keyword = keyword_of(scope, key);
                self.general(members, keyword, target.get(key), &at.child(key));
                self.promise(at, key, target.get(key));
            }
        }
    }

    /// Refuses another value of a parameter whose line holds a placeholder of a template, unless that goes.
    fn refuse_placeholder(
        &mut self,
        members: &Members<'_>,
        row: &Parameter,
        [current, target]: [&Object; 2],
        at: &At<'_, '_>,
    ) {
        let lines = |keyword: &str| members.foreign_by_keyword(keyword).iter();
        let held = row.keywords.iter().filter(|keyword| lines(keyword).any(|line| is_placeholder(*line)));
        let stays = |key: &Cow<'_, str>| !current.contains_key(&**key) || target.contains_key(&**key);
        let Some(key) = held.map(|keyword| members.scope.key_of(keyword)).find(stays) else { return };
        let place = at.pointer.child(key).to_path().shown();
        let fault = Fault::plain("a placeholder of a template, such as `${NAME}`, gives its value");
        let hint = format!(
            "to replace it, remove it in the same change: `--unset '{place}'`, in a patch null; or `edit` the text"
        );
        let fault = fault.hint(hint);
        self.faults.0.push(Fault { pointer: Some(at.pointer.child(row.key)), ..fault });
    }

    fn promise(&mut self, at: &At<'_, '_>, key: &str, target: Option<&Value>) {
        if at.within.is_none() {
            self.promises.member(key, target);
        }
    }

    /// The lines of a keyword under the general rule.
    fn general(&mut self, members: &Members<'d>, keyword: &str, target: Option<&Value>, at: &At<'_, 'd>) {
        let entries = members.foreign_by_keyword(keyword);
        match (DirectiveForm::from_entries(entries), entries, target) {
            // Another object is written as one block without a name.
            (DirectiveForm::NamedBlocks, [_, ..], Some(Value::Object(target)))
                if are_named_blocks(target) =>
            {
                self.named_blocks(keyword, entries, target, at);
            }
            (DirectiveForm::Block, [block, ..], Some(Value::Object(target))) => {
                self.inside(*block, target, at)
            }
            // True is a bare flag, but the options of a port keep their value: `api false;` becomes `api true;`.
            (_, [line], Some(Value::Bool(true)))
                if !line.is_block() && line.count_arguments() == 1 && at.within.is_some_and(is_port) =>
            {
                self.fresh(None, entries, occurrence(keyword, &[Value::Bool(true)]), at);
            }
            _ => {
                let text = target.map_or_else(Vec::new, |target| General { keyword }.write(keyword, target));
                self.fresh(None, entries, text.join("\n"), at);
            }
        }
    }

    /// Blocks of one keyword by their names.
    fn named_blocks(&mut self, keyword: &str, entries: &[Entry<'d>], target: &Object, at: &At<'_, 'd>) {
        let by_name: HashMap<_, _> = entries.iter().map(|&entry| (first_argument(entry), entry)).collect();
        let mut new = Map::new();
        for (name, value) in target {
            match (by_name.get(name.as_str()), value) {
                (Some(&block), Value::Object(wanted)) => self.inside(block, wanted, &at.child(name)),
                _ => drop(new.insert(name.clone(), value.clone())),
            }
        }
        if !new.is_empty() {
            let fresh = Document::parse(General { keyword }.write(keyword, &Value::Object(new)).join("\n"));
            fresh.entries().for_each(|block| self.doubt_inside(block, &at.pointer));
            self.add(at.within, fresh.entries().map(NewEntry::of).collect(), entries, false);
        }
        let gone = entries.iter().filter(|&&entry| !target.contains_key(&*first_argument(entry)));
        gone.for_each(|&entry| self.remove(entry));
    }

    /// Changes what stands inside a block that the general rule shows.
    fn inside(&mut self, block: Entry<'d>, target: &Object, at: &At<'_, 'd>) {
        let members = Members::group(inner_scope(block), block.children());
        let current = read_members(&members, None);
        if current != *target {
            self.contents(&members, [&current, target], &At { within: Some(block), ..at.clone() });
        }
    }

    /// Changes the lines of a member to fresh ones.
    fn fresh(&mut self, row: Row, entries: &[Entry<'d>], text: String, at: &At<'_, 'd>) {
        let fresh = Document::parse(text);
        let fresh: Vec<Entry<'_>> = fresh.entries().collect();
        let (is_source, scope) = (is_source(row), scope_in(at.within));
        if row.is_some() || !entries.is_empty() {
            fresh.iter().for_each(|&line| self.doubt_words(scope, line, &at.pointer));
        }
        if is_source && !fresh.is_empty() {
            entries.iter().filter(|line| is_plural(**line)).for_each(|&line| self.split(line));
        }
        match (entries, &fresh[..]) {
            (entries, []) => entries.iter().for_each(|&entry| self.remove(entry)),
            ([], fresh) => {
                if row.is_none() {
                    let kind = at.within.map(kind_of);
                    let around = (scope, kind.as_deref());
                    fresh.iter().for_each(|&line| self.doubt_new(around, line, &at.pointer));
                }
                self.add(at.within, fresh.iter().copied().map(NewEntry::of).collect(), &[], is_source);
            }
            // Of a setting that stands twice, the last one counts.
            ([.., last], [line, ..]) if row.is_some() && !is_source => self.line(row, *last, *line, at),
            (entries, fresh) => {
                let (entries, old) = each_said(entries, is_source);
                let alignment = align(&old, &each_said(fresh, is_source).1);
                if row.is_none() {
                    self.doubt_lines([&entries, fresh], &alignment, at);
                }
                self.lines(row, &entries, fresh, &alignment, at);
            }
        }
    }

    /// Changes a list of lines: those that are edited, gone, moved and new. A line goes behind its predecessor, else in
    /// front of the first one that stays.
    pub(super) fn lines(
        &mut self,
        row: Row,
        entries: &[Entry<'d>],
        fresh: &[Entry<'_>],
        alignment: &Alignment,
        at: &At<'_, 'd>,
    ) {
        let in_place = |origin: &Option<(Step, usize)>| {
            origin.filter(|(step, _)| *step != Step::Moved).map(|(_, index)| entries[index])
        };
        alignment.gone.iter().for_each(|&index| self.remove(entries[index]));
        let first = alignment.new.iter().find_map(in_place);
        let (mut previous, mut alone) = (None, Vec::new());
        for ((place, origin), line) in (0_usize..).zip(&alignment.new).zip(fresh) {
            previous = in_place(origin).or(previous);
            let anchor = previous.map(Anchor::After).or(first.map(Anchor::Before));
            let mut put =
                |place, content| self.put(Put { within: at.within, place, content, blank_lines: 0 });
            match (*origin, anchor) {
                (Some((Step::Kept, _)), _) => {}
                (Some((Step::Edited, index)), _) => {
                    // The block of an occurrence is its last element.
                    let at = at.child(place).child(line.count_arguments());
                    self.line(row, entries[index], *line, &at);
                }
                // A line moves only past one that stays.
                (Some((Step::Moved, index)), anchor) => {
                    anchor.into_iter().for_each(|place| put(place, Insertion::Old(entries[index], None)));
                }
                (None, Some(place)) => {
                    let like = previous.filter(|&line| !is_plural(line));
                    put(place, Insertion::New(NewEntry::like(*line, like)));
                }
                (None, None) => alone.push(NewEntry::of(*line)),
            }
        }
        self.add(at.within, alone, entries, is_source(row));
    }

    /// Changes one line to a fresh one: its words, and its block.
    pub(super) fn line(&mut self, row: Row, old: Entry<'d>, fresh: Entry<'_>, at: &At<'_, 'd>) {
        self.words(row, old, fresh);
        let head = || old.head_span().end as usize;
        match (old.is_block(), fresh.is_block()) {
            (true, true) => self.inside(old, &block_members(fresh), at),
            // A block in the place of the `;`.
            (false, true) => {
                let semicolon = old.end() - usize::from(old.is_terminated());
                let between = self.document.text()[head()..semicolon].trim_end_matches(WHITE);
                let inside = NewEntry::of(fresh).inside(&self.around.style_of(old));
                self.splice(head()..old.end(), format!(" {{{between}{inside}"));
            }
            (true, false) => {
                let (head, open) = (head(), old.body().start - 1);
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
        self.splices.push(Splice { range, text: text.into() });
    }

    /// Removes an entry with the comments that belong to it.
    pub(super) fn remove(&mut self, entry: Entry<'d>) {
        self.leaving.entry(entry.id()).or_insert((entry, Leave::Removed));
    }

    pub(super) fn put(&mut self, put: Put<'d>) {
        if let Insertion::Old(entry, None) = put.content {
            self.leaving.insert(entry.id(), (entry, Leave::Moved));
        }
        self.puts.push(put);
    }

    pub(super) fn is_staying(&self, entry: &Entry<'_>) -> bool {
        !self.leaving.contains_key(&entry.id())
    }

    /// Adds new lines of a member with these entries.
    fn add(&mut self, within: Option<Entry<'d>>, lines: Vec<NewEntry>, entries: &[Entry<'d>], first: bool) {
        if !lines.is_empty() {
            self.pending.push(NewLines { within, lines, like: entries.to_vec(), first });
        }
    }

    /// Puts the new lines at their places.
    pub fn place_pending(&mut self) {
        // Insertions remove nothing, so a place that was found stays right for all that follow.
        let (mut places, mut ends) = (None, HashMap::default());
        // The last setting may be the end of the text: then settings behind it come before new blocks.
        let mut blocks: Vec<_> = self.puts.extract_if(.., |put| matches!(put.place, Anchor::End)).collect();
        let mut pending = std::mem::take(&mut self.pending);
        pending.sort_by_key(|new| new.lines[0].lines() > 1);
        for NewLines { within, lines, like, first } in pending {
            let is_block = lines[0].lines() > 1;
            if is_block {
                self.puts.append(&mut blocks);
            }
            let last = like.into_iter().rev().find(|entry| self.is_staying(entry));
            let (place, blank_lines) = match (within, last) {
                (Some(block), _) => *ends.entry((block.id(), first)).or_insert_with(|| {
                    let mut staying = block.children().filter(|entry| self.is_staying(entry));
                    let place = match first {
                        true => staying.next().map(Anchor::Before),
                        false => staying.last().map(Anchor::After),
                    };
                    (place.unwrap_or(Anchor::FirstIn(block)), 0)
                }),
                (None, Some(last)) if is_block => (Anchor::After(last), self.around.gap_behind(last)),
                (None, Some(last)) => (Anchor::After(last), 0),
                (None, None) => {
                    let find = || [(self.place_of_setting(), 0), self.place_at_end()];
                    places.get_or_insert_with(find)[usize::from(is_block)]
                }
            };
            let contents = lines.into_iter().map(Insertion::New);
            contents.for_each(|content| self.put(Put { within, place, content, blank_lines }));
        }
        self.puts.append(&mut blocks);
        // Blocks that move take along what is put into them.
        self.puts.sort_by_key(|put| put.within.is_none());
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
    pub(super) fn place_at_end(&self) -> (Anchor<'d>, usize) {
        let last = self.document.entries().filter(|entry| self.is_staying(entry)).last();
        // Without a blank line a comment at the end would belong to what comes behind it.
        let last_line = self.document.text().trim_end_matches(WHITE).rsplit('\n').next().unwrap_or_default();
        let is_comment = last_line.trim_start_matches(['\u{feff}', ' ', '\t']).starts_with('#');
        let gap = last.map_or(0, |entry| self.around.gap_above(entry));
        (Anchor::End, gap.max(usize::from(is_comment)))
    }
}

/// The lines of a parameter with one value whose only word has the wrong form, in whose place a new one goes; none if
/// `kept`, a target or a patch, has them as what they are.
fn misshapen<'d>(members: &Members<'d>, row: &'static Parameter, kept: &Object) -> Vec<Entry<'d>> {
    let is_single = row.codec.facts().is_setting() && members.own(row).is_empty();
    let is_free = |keyword: &&&str| is_single && !kept.contains_key(&*members.scope.key_of(keyword));
    // A line with more words may have swallowed another one, whose `;` before it is missing: it stays.
    let is_simple = |line: &Entry<'d>| !line.is_block() && line.count_arguments() <= 1;
    let lines = |keyword: &&'static str| members.foreign_by_keyword(keyword);
    let are_simple = |lines: &&[Entry<'d>]| lines.iter().all(is_simple);
    row.keywords.iter().filter(is_free).map(lines).filter(are_simple).flatten().copied().collect()
}

/// Takes the lines in a wrong form out of a target that sets their parameter, unless the patch gives them.
pub(super) fn without_misshapen(members: &Members<'_>, target: &mut Object, old: &Object, patch: &Object) {
    let new = target.keys().filter(|key| !old.contains_key(*key));
    let rows: Vec<_> = new.filter_map(|key| members.scope.by_key(key)).collect();
    for line in rows.into_iter().flat_map(|row| misshapen(members, row, patch)) {
        target.shift_remove(&*members.scope.key_of(&line.keyword()));
    }
}

/// True if an entry is one of a list of ports.
fn is_port(entry: Entry<'_>) -> bool {
    Scope::Top.by_keyword(&entry.keyword()).is_some_and(|row| row.codec.facts().list.is_some())
}

fn is_source(row: Row) -> bool {
    row.is_some_and(|row| row.codec.facts().sources.is_some())
}

/// What each of these lines says; a line of several sources stands there once for each.
fn each_said<'e>(entries: &[Entry<'e>], is_source: bool) -> (Vec<Entry<'e>>, Vec<Value>) {
    let said = |entry: Entry<'e>| match is_source {
        true => addresses(entry).map(|source| SOURCE.object(source).into()).collect(),
        false => vec![occurrence_value(entry)],
    };
    entries.iter().flat_map(|&entry| said(entry).into_iter().map(move |said| (entry, said))).unzip()
}
