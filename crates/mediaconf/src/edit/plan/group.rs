//! Streams, lives and plugins: deletion, creation, order, and the contents of their blocks.

use std::collections::HashMap;

use serde_json::{Map, Value};

use super::order::{Item, WantedPosition, arrange, staying};
use super::setting::writable;
use super::sources::{Header, header};
use super::words::WordEdits;
use super::{NamedTarget, Planner, proof_of};
use crate::edit::emit::{self, Draft};
use crate::edit::fault::Faults;
use crate::edit::json_pointer::Pointer;
use crate::edit::layout::{Anchor, Insertion, TextOperation};
use crate::edit::merge;
use crate::edit::own_comments::is_followed;
use crate::model::member::{Members, keyword_of};
use crate::model::names::NameSet;
use crate::model::shape::group_name;
use crate::schema::{DirectiveRole, Kind, Object, POSITION, Parameter, STATIC};
use crate::syntax::Entry;

/// A block that the patch creates.
struct NewBlock {
    name: String,
    draft: Draft,
}

impl<'d> Planner<'_, 'd> {
    pub(super) fn group(&mut self, kind: Kind, patch: &Value, pointer: &Pointer) {
        let members = self.members;
        let entries = members.own_by_key(kind.key());
        let everything;
        let patch = match patch {
            Value::Object(patch) => patch,
            _ => {
                everything = entries.iter().map(|&entry| (name_of(entry), Value::Null)).collect();
                &everything
            }
        };
        let places = places(entries, patch);
        let (mut new, mut movers) = (Vec::new(), Vec::new());
        for (name, value) in patch {
            let pointer = pointer.child(name);
            let item = match (places.get(name.as_str()), value) {
                (None, Value::Null) => continue,
                (Some(&place), Value::Null) => {
                    self.delete(kind, name, entries[place]);
                    continue;
                }
                (Some(&place), value) => {
                    self.existing(kind, name, entries[place], value, &pointer);
                    Item::Existing(place)
                }
                (None, value) => {
                    new.extend(self.create(kind, name, value, &pointer));
                    Item::New(new.len().saturating_sub(1))
                }
            };
            if let Some(position) = value.get(POSITION).and_then(Value::as_i64) {
                movers.push(WantedPosition { item, position });
            }
        }
        // A refused block has no draft to put.
        if self.faults.0.is_empty() {
            self.arrange(kind, entries, new, movers);
        }
    }

    fn delete(&mut self, kind: Kind, name: &str, entry: Entry<'d>) {
        if kind.has_sources() {
            self.plan.deleted_streams.push(name.to_owned());
        }
        self.remove(entry);
        self.plan.named.push(NamedTarget { kind, name: name.to_owned(), proof: None });
    }

    /// Plans a new block; `None` if it is refused.
    fn create(&mut self, kind: Kind, name: &str, patch: &Value, pointer: &Pointer) -> Option<NewBlock> {
        let empty = Map::new();
        let patch = patch.as_object().unwrap_or(&empty);
        self.plan.guarded.members(kind.scope(), &empty, patch, pointer);
        let target = self.faults.take(merge::merge_named(kind, None, patch, pointer))?;
        for parameter in kind.scope().rows() {
            if let Some(value) = target.get(parameter.key) {
                self.faults.add(writable(parameter, value, &pointer.child(parameter.key)));
            }
        }
        self.plan.created.push(kind);
        let block = NewBlock { name: name.to_owned(), draft: emit::named(kind, name, &target) };
        self.plan.named.push(NamedTarget {
            kind,
            name: name.to_owned(),
            proof: Some(proof_of(kind, &target)),
        });
        Some(block)
    }

    fn existing(&mut self, kind: Kind, name: &str, entry: Entry<'d>, patch: &Value, pointer: &Pointer) {
        let Some(patch) = patch.as_object() else { return };
        let current = merge::named_value(kind, entry);
        let members = Members::group(kind.scope(), entry.children());
        let merged = merge::merge_named(kind, Some((&current, &members)), patch, pointer);
        let Some(target) = self.faults.take(merged) else { return };
        let removed =
            patch.iter().filter(|(_, value)| value.is_null()).map(|(key, _)| key.as_str()).collect();
        let change = BlockChange { kind, entry, members, current, target: &target, removed, at: pointer };
        self.remove_unshown(&change);
        if target == change.current {
            return;
        }
        self.plan.guarded.members(kind.scope(), &change.current, patch, pointer);
        self.change(&change);
        self.plan.named.push(NamedTarget {
            kind,
            name: name.to_owned(),
            proof: Some(proof_of(kind, &target)),
        });
    }

    /// Removes a directive that sets the default when null asks for it, which changes nothing in the
    /// view.
    fn remove_unshown(&mut self, change: &BlockChange<'_, 'd>) {
        let unshown = |parameter: &&Parameter| {
            change.removed.contains(&parameter.key) && !change.is_changed(parameter.key)
        };
        for parameter in change.kind.scope().rows().filter(unshown) {
            change.members.own(parameter).iter().for_each(|&entry| self.remove(entry));
        }
    }

    fn change(&mut self, change: &BlockChange<'_, 'd>) {
        if change.is_changed(STATIC) && change.kind.may_be_on_demand() {
            self.change_keyword(change);
        }
        for row in change.kind.scope().rows().filter(|row| row.codec.facts().address.is_some()) {
            let [current, target] = [&change.current, change.target].map(|members| members.get(row.key));
            self.note_options_dropped(row, current, target, &change.at.child(row.key));
        }
        if change.entry.is_block() {
            self.change_block(change);
        } else {
            self.change_one_line(change);
        }
    }

    fn change_keyword(&mut self, change: &BlockChange<'_, 'd>) {
        let keyword = change.entry.words().next().expect("an entry has a keyword");
        let new = change.kind.keyword(change.target.get(STATIC) == Some(&Value::Bool(false)));
        let mut edits = WordEdits::new(change.entry);
        edits.replace(keyword, new);
        self.rewrite(edits.finish());
    }

    /// Changes the known settings in schema order, then the others in the order of the text and the
    /// patch.
    fn change_block(&mut self, change: &BlockChange<'_, 'd>) {
        let scope = change.kind.scope();
        let within = Some(change.entry);
        let outer = std::mem::take(&mut self.pending);
        for parameter in scope.rows().filter(|parameter| change.is_changed(parameter.key)) {
            let entries = change.members.own(parameter).to_vec();
            let pointer = change.at.child(parameter.key);
            let is_sources = parameter.codec.facts().sources.is_some();
            match change.target.get(parameter.key) {
                _ if parameter.codec.facts().derived.is_some() => {}
                Some(target) if is_sources => self.sources(within, &entries, target, &pointer),
                // A default that is shown without a directive needs none.
                Some(Value::Bool(true))
                    if parameter.always_shown && change.removed.contains(&parameter.key) =>
                {
                    self.setting(parameter, &entries, None, &pointer);
                }
                target => self.setting(parameter, &entries, target, &pointer),
            }
        }
        for key in change.foreign_keys() {
            let keyword = keyword_of(scope, key);
            let entries = change.members.foreign_by_keyword(keyword).to_vec();
            self.foreign(within, keyword, &entries, change.target.get(key), &change.at.child(key));
        }
        self.place_pending(within);
        self.pending = outer;
    }

    /// A one-line form that gains a setting becomes a block.
    fn change_one_line(&mut self, change: &BlockChange<'_, 'd>) {
        let gained = change.gained_settings();
        for (key, value) in change.target.iter().filter(|(key, _)| change.is_changed(key)) {
            match change.kind.scope().by_key(key) {
                Some(parameter) if parameter.codec.facts().sources.is_none() => {
                    self.faults.add(writable(parameter, value, &change.at.child(key)));
                }
                _ => {}
            }
        }
        match self.faults.take(change.header(!gained.is_empty())) {
            None => {}
            Some(Header::Edits(edits)) if gained.is_empty() => self.rewrite(edits),
            Some(Header::Edits(_)) => self.unfold(change.entry, gained),
            Some(Header::Lines(lines)) => {
                self.unfold(change.entry, lines.into_iter().chain(gained).collect())
            }
        }
    }

    fn unfold(&mut self, entry: Entry<'d>, block: Vec<Draft>) {
        let from = group_name(entry).end() as usize;
        self.operation(TextOperation::Unfold { entry: entry.id(), from, block });
    }

    /// Puts new and moved blocks at their places; deletions are planned already.
    fn arrange(
        &mut self,
        kind: Kind,
        entries: &[Entry<'d>],
        new: Vec<NewBlock>,
        movers: Vec<WantedPosition>,
    ) {
        if new.is_empty() && movers.is_empty() {
            return;
        }
        let survivors =
            (0..entries.len()).filter(|&place| self.is_staying(&entries[place])).map(Item::Existing);
        let unmoved: Vec<Item> = survivors.chain((0..new.len()).map(Item::New)).collect();
        let items = arrange(unmoved.clone(), movers);
        if items == unmoved && new.is_empty() {
            return;
        }
        if items != unmoved {
            let name = |item: &Item| match *item {
                Item::Existing(place) => name_of(entries[place]),
                Item::New(number) => new[number].name.clone(),
            };
            self.plan.orders.push((kind, items.iter().map(name).collect()));
        }
        let stays = staying(&items);
        let first = items.iter().zip(&stays).find(|(_, stays)| **stays).map(|(item, _)| *item);
        let start = match first {
            Some(Item::Existing(place)) => Start::Before(entries[place]),
            _ => Start::AtEnd(self.place_at_end()),
        };
        let quarters = if items == unmoved { Vec::new() } else { self.quarters(entries) };
        let below = staying_below(&items, &stays);
        let (mut previous, mut above) = (None, None);
        for (at, (item, stays)) in items.iter().zip(&stays).enumerate() {
            let (content, moved) = match *item {
                Item::Existing(place) if *stays => {
                    (previous, above) = (Some(place), None);
                    continue;
                }
                Item::Existing(place) => {
                    let near =
                        |other: Option<usize>| other.map_or(0, |other| quarters[other].near(quarters[place]));
                    if near(below[at]) > near(previous) {
                        above = above.or(below[at]);
                    }
                    (Insertion::Block(entries[place].id()), Some(entries[place]))
                }
                Item::New(number) => (Insertion::New(new[number].draft.clone()), None),
            };
            let place = match above {
                Some(above) => (None, Start::Before(entries[above])),
                None => (previous.map(|previous| entries[previous]), start),
            };
            self.put_block(entries, place, content, moved);
        }
    }

    /// The quarter of each block of a group.
    fn quarters(&self, entries: &[Entry<'d>]) -> Vec<Quarter> {
        let mut quarter = Quarter { section: 0, paragraph: 0 };
        let mut above: Option<Entry<'d>> = None;
        let of_entry = |entry: &Entry<'d>| {
            let is_headed = self.around.is_headed(*entry);
            let above = above.replace(*entry);
            let is_close =
                above.is_some_and(|above| above.numbers().end == entry.id().index() && is_followed(above));
            quarter.section += usize::from(is_headed);
            quarter.paragraph += usize::from(is_headed || !is_close);
            quarter
        };
        entries.iter().map(of_entry).collect()
    }

    pub(super) fn put_block(
        &mut self,
        entries: &[Entry<'d>],
        (previous, start): (Option<Entry<'d>>, Start<'d>),
        content: Insertion,
        moved: Option<Entry<'d>>,
    ) {
        let is_first = |entry: Entry<'d>| entries.first().is_some_and(|first| first.id() == entry.id());
        // A block that moves from or to where others follow without a blank line brings none.
        let is_close = |entry: Entry<'d>| moved.is_some() && is_followed(entry);
        let own = match moved {
            Some(entry) if is_close(entry) => Some(0),
            Some(entry) if !self.around.is_headed(entry) => Some(self.blank_lines_above(entry, false)),
            _ => None,
        };
        let (previous, start) = match self.before.filter(|_| moved.is_none()) {
            Some(before) => (None, Start::Before(before)),
            None => (previous, start),
        };
        match (previous, start) {
            (Some(previous), _) if is_close(previous) => {
                self.put(None, Anchor::After(previous.id()), content, 0);
            }
            (Some(previous), _) => {
                // The blank lines above a heading are not those between the blocks below.
                let blank_lines = match own {
                    Some(own) if self.around.is_headed(previous) => own,
                    own => self.blank_lines_above(previous, is_first(previous)).max(own.unwrap_or(0)),
                };
                self.put(None, Anchor::After(previous.id()), content, blank_lines);
            }
            (None, Start::Before(first)) => {
                let like = if is_first(first) { entries.get(1).copied() } else { Some(first) };
                let usual = like.map_or(0, |entry| self.blank_lines_above(entry, false));
                let blank_lines = own.unwrap_or(usual);
                self.put(None, Anchor::BeforeComments(first.id()), content, blank_lines);
            }
            (None, Start::AtEnd((place, blank_lines))) => {
                self.put(None, place, content, blank_lines);
            }
        }
    }
}

/// The part of a text that a block stands in.
#[derive(Clone, Copy)]
struct Quarter {
    /// The number of headings above.
    section: usize,
    /// The number of blank lines and headings above, where such stand between two blocks.
    paragraph: usize,
}

impl Quarter {
    /// How near blocks of the two are.
    fn near(self, other: Self) -> usize {
        usize::from(self.section == other.section) + usize::from(self.paragraph == other.paragraph)
    }
}

/// The place of the next existing block behind each item that stays where it is.
fn staying_below(items: &[Item], stays: &[bool]) -> Vec<Option<usize>> {
    let mut next = None;
    let mut below: Vec<Option<usize>> = vec![None; items.len()];
    for at in (0..items.len()).rev() {
        below[at] = next;
        if let (Item::Existing(place), true) = (items[at], stays[at]) {
            next = Some(place);
        }
    }
    below
}

/// The beginning of a group.
#[derive(Clone, Copy)]
pub(super) enum Start<'d> {
    /// In front of this block: the first one that stays, or the one that was named.
    Before(Entry<'d>),
    /// No block stays: at the end of the text, behind this many blank lines.
    AtEnd((Anchor, usize)),
}

/// One block whose members change.
struct BlockChange<'a, 'd> {
    kind: Kind,
    entry: Entry<'d>,
    members: Members<'d>,
    current: Object,
    target: &'a Object,
    /// The keys that the patch sets to null.
    removed: Vec<&'a str>,
    at: &'a Pointer,
}

impl BlockChange<'_, '_> {
    fn is_changed(&self, key: &str) -> bool {
        self.current.get(key) != self.target.get(key)
    }

    /// The changed keys of unknown members, those that stand in the text first.
    fn foreign_keys(&self) -> Vec<&String> {
        let is_foreign = |key: &&String| self.kind.scope().by_key(key).is_none();
        let gone = self.current.keys().filter(|key| !self.target.contains_key(*key));
        gone.chain(self.target.keys()).filter(is_foreign).filter(|key| self.is_changed(key)).collect()
    }

    /// The change of the source in a one-line header, which only a stream has.
    fn header(&self, needs_block: bool) -> Result<Header, Faults> {
        let key = DirectiveRole::Sources.key(self.kind.scope());
        match self.target.get(key) {
            Some(urls) if self.kind.has_sources() => {
                header(self.entry, urls, needs_block, &self.at.child(key))
            }
            _ => Ok(Header::Edits(Vec::new())),
        }
    }

    /// The drafts of all settings but the sources of a stream.
    fn gained_settings(&self) -> Vec<Draft> {
        let mut members = self.target.clone();
        if self.kind.has_sources() {
            members.shift_remove(DirectiveRole::Sources.key(self.kind.scope()));
        }
        emit::named(self.kind, "", &members).block.unwrap_or_default()
    }
}

/// Returns the places of the names of a patch in the group.
fn places<'p>(entries: &[Entry<'_>], patch: &'p Object) -> HashMap<&'p str, usize> {
    let wanted = NameSet::new(patch.keys().map(String::as_str));
    let named = entries.iter().enumerate().filter_map(|(place, &entry)| {
        let name = wanted.find(&group_name(entry).value())?;
        Some((name, place))
    });
    named.collect()
}

pub(super) fn name_of(entry: Entry<'_>) -> String {
    group_name(entry).value().into_owned()
}
