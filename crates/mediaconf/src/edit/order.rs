//! Streams, lives and plugins: which go, which are new, what changes in each, and their order.

use std::collections::{HashMap, HashSet};

use serde_json::{Map, Value};

use super::align::longest_increasing_subsequence;
use super::comments::is_followed;
use super::layout::{Anchor, Insertion, NewEntry};
use super::option_keys::unwritable;
use super::sync::{Sync, without_misshapen, written};
use crate::schema::codec::{group_name, write_members};
use crate::schema::json_pointer::Pointer;
use crate::schema::members::Members;
use crate::schema::{DirectiveRole, Kind, Object, POSITION, Parameter, STATIC};
use crate::syntax::{Document, Entry, quoted_if_needed};

/// A block of a group.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Item {
    /// The existing block at this place, from 0.
    Existing(usize),
    /// The new block with this number.
    New(usize),
}

/// A block that the patch creates.
struct NewBlock {
    name: String,
    lines: NewEntry,
}

/// The beginning of a group.
#[derive(Clone, Copy)]
enum Start<'d> {
    /// In front of this block: the first one that stays, or the one that was named.
    Before(Entry<'d>),
    /// No block stays: at the end of the text, behind this many blank lines.
    AtEnd((Anchor<'d>, usize)),
}

impl<'d> Sync<'_, 'd> {
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
                    if kind.has_sources() {
                        self.deleted_streams.push(name.clone());
                    }
                    self.remove(entries[place]);
                    self.promises.block(kind, name, None);
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
                movers.push((item, usize::try_from(position - 1).unwrap_or(0)));
            }
        }
        // A refused block has no lines to put.
        if self.faults.0.is_empty() {
            self.arrange(kind, entries, new, movers);
        }
    }

    /// Makes a new block; `None` if it is refused.
    fn create(&mut self, kind: Kind, name: &str, patch: &Value, pointer: &Pointer) -> Option<NewBlock> {
        let empty = Map::new();
        let patch = patch.as_object().unwrap_or(&empty);
        self.guarded.members(kind.scope(), &empty, patch, pointer);
        let target = self.faults.take(kind.merge(None, patch, pointer))?;
        for row in kind.scope().rows() {
            self.faults.add(unwritable(row, None, target.get(row.key), &pointer.child(row.key)));
        }
        let text = Document::parse(kind.write(name, &target));
        let lines = NewEntry::of(text.entries().next()?);
        self.promises.block(kind, name, Some(&target));
        Some(NewBlock { name: name.to_owned(), lines })
    }

    fn existing(&mut self, kind: Kind, name: &str, entry: Entry<'d>, patch: &Value, pointer: &Pointer) {
        let Some(patch) = patch.as_object() else { return };
        let current = kind.read(entry);
        let members = Members::group(kind.scope(), entry.children());
        let merged = kind.merge(Some((&current, &members)), patch, pointer);
        let Some(mut target) = self.faults.take(merged) else { return };
        without_misshapen(&members, &mut target, &current, patch);
        // A directive that sets the default goes when null asks for it, which changes nothing in the view.
        let is_removed = |row: &&Parameter| patch.get(row.key).is_some_and(Value::is_null);
        for row in kind.scope().rows().filter(is_removed) {
            if current.get(row.key) == target.get(row.key)
                || target.get(row.key) == row.value_of_nothing().as_ref()
            {
                members.own(row).iter().for_each(|&entry| self.remove(entry));
            }
        }
        if target == current {
            return;
        }
        self.guarded.members(kind.scope(), &current, patch, pointer);
        let is_on_demand = target.get(STATIC) == Some(&Value::Bool(false));
        if current.get(STATIC) != target.get(STATIC) && kind.may_be_on_demand() {
            let keyword = entry.words().next().expect("an entry has a keyword").span();
            self.splice(keyword.start as usize..keyword.end as usize, kind.keyword(is_on_demand));
        }
        for row in kind.scope().rows().filter(|row| row.codec.facts().address.is_some()) {
            self.note_options_dropped(
                row,
                current.get(row.key),
                target.get(row.key),
                &pointer.child(row.key),
            );
        }
        match entry.is_block() {
            true => self.contents(entry, kind.scope(), [&current, &target], pointer),
            false => self.without_block(kind, entry, [&current, &target], pointer),
        }
        self.promises.block(kind, name, Some(&target));
    }

    /// Changes a block that has no braces: one that gains a setting gets them.
    fn without_block(
        &mut self,
        kind: Kind,
        entry: Entry<'d>,
        [current, target]: [&Object; 2],
        pointer: &Pointer,
    ) {
        for row in kind.scope().rows() {
            let [current, target] = [current, target].map(|members| members.get(row.key));
            self.faults.add(unwritable(row, current, target, &pointer.child(row.key)));
        }
        let mut others = target.clone();
        let sources =
            kind.scope().rows().find(|row| kind.has_sources() && row.role == Some(DirectiveRole::Sources));
        let urls = sources.and_then(|row| Some(written(row, &others.shift_remove(row.key)?)));
        let urls = Document::parse(urls.unwrap_or_default());
        let lines = Document::parse(write_members(kind.scope(), &others).join("\n"));
        let lines = lines.entries().map(NewEntry::of).collect();
        self.one_line(sources, entry, &urls.entries().collect::<Vec<_>>(), lines);
    }

    /// Puts new and moved blocks at their places; deletions are known already.
    fn arrange(&mut self, kind: Kind, entries: &[Entry<'d>], new: Vec<NewBlock>, movers: Vec<(Item, usize)>) {
        let survivors =
            (0..entries.len()).filter(|&place| self.is_staying(&entries[place])).map(Item::Existing);
        let unmoved: Vec<Item> = survivors.chain((0..new.len()).map(Item::New)).collect();
        let items = if movers.is_empty() { unmoved.clone() } else { arranged(unmoved.clone(), movers) };
        if unmoved.len() == entries.len() && items == unmoved && new.is_empty() {
            return;
        }
        let name = |item: &Item| match *item {
            Item::Existing(place) => name_of(entries[place]),
            Item::New(number) => new[number].name.clone(),
        };
        self.promises.order(kind, items.iter().map(name).collect());
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
                    let near = |other: Option<usize>| {
                        other.map_or(0, |other| {
                            let ([section, part], [other_section, other_part]) =
                                (quarters[place], quarters[other]);
                            usize::from(section == other_section) + usize::from(part == other_part)
                        })
                    };
                    if near(below[at]) > near(previous) {
                        above = above.or(below[at]);
                    }
                    (Insertion::Block(entries[place]), Some(entries[place]))
                }
                Item::New(number) => (Insertion::New(new[number].lines.clone()), None),
            };
            let place = match above {
                Some(above) => (None, Start::Before(entries[above])),
                None => (previous.map(|previous| entries[previous]), start),
            };
            self.put_block(entries, place, content, moved);
        }
    }

    /// The section and the paragraph that each block of a group stands in: the number of headings above, and of
    /// headings and blank lines between two blocks.
    fn quarters(&self, entries: &[Entry<'d>]) -> Vec<[usize; 2]> {
        let [mut section, mut paragraph] = [0; 2];
        let mut above: Option<Entry<'d>> = None;
        let of_entry = |entry: &Entry<'d>| {
            let is_headed = self.around.is_headed(*entry);
            let above = above.replace(*entry);
            let is_close =
                above.is_some_and(|above| above.numbers().end == entry.id().index() && is_followed(above));
            section += usize::from(is_headed);
            paragraph += usize::from(is_headed || !is_close);
            [section, paragraph]
        };
        entries.iter().map(of_entry).collect()
    }

    fn put_block(
        &mut self,
        entries: &[Entry<'d>],
        (previous, start): (Option<Entry<'d>>, Start<'d>),
        content: Insertion<'d>,
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
            (Some(previous), _) if is_close(previous) => self.put(None, Anchor::After(previous), content, 0),
            (Some(previous), _) => {
                // The blank lines above a heading are not those between the blocks below.
                let blank_lines = match own {
                    Some(own) if self.around.is_headed(previous) => own,
                    own => self.blank_lines_above(previous, is_first(previous)).max(own.unwrap_or(0)),
                };
                self.put(None, Anchor::After(previous), content, blank_lines);
            }
            (None, Start::Before(first)) => {
                let like = if is_first(first) { entries.get(1).copied() } else { Some(first) };
                let usual = like.map_or(0, |entry| self.blank_lines_above(entry, false));
                self.put(None, Anchor::BeforeComments(first), content, own.unwrap_or(usual));
            }
            (None, Start::AtEnd((place, blank_lines))) => self.put(None, place, content, blank_lines),
        }
    }

    /// Gives blocks of one group other names, all at once: a new name may be the old one of another.
    pub fn rename(&mut self, kind: Kind, blocks: &[(Entry<'d>, &str)]) {
        let new: HashMap<String, &str> =
            blocks.iter().map(|(block, name)| (name_of(*block), *name)).collect();
        for (block, name) in blocks {
            let old = group_name(*block);
            self.splice(old.start as usize..old.end() as usize, quoted_if_needed(name));
            self.promises.block(kind, name, Some(&kind.read(*block)));
        }
        let names = self.members.own_by_key(kind.key()).iter().map(|&entry| name_of(entry));
        let names = names.map(|old| new.get(&old).map_or(old, |&name| name.to_owned()));
        let names = names.collect();
        self.promises.order(kind, names);
    }

    /// Puts a copy behind the first `at` blocks of the group.
    pub fn copy(&mut self, kind: Kind, original: Entry<'d>, name: &str, at: usize) {
        let entries = self.members.own_by_key(kind.key());
        let first = *entries.first().expect("the group has the block that is copied");
        let previous = at.checked_sub(1).and_then(|before| entries.get(before)).copied();
        let copy = Insertion::Copy(original, name.to_owned());
        let is_behind = previous.is_some_and(|previous| previous.id() == original.id());
        let is_last = entries.get(at).is_none_or(|next| next.id().index() != original.numbers().end);
        let is_free = self.around.is_blank_below(original.end());
        let second = entries.get(1).filter(|_| at == 1 && self.before.is_none());
        if is_behind && !is_free && (is_followed(original) || !is_last) {
            self.put(None, Anchor::After(original), copy, 0);
        } else if let Some(&second) = second.filter(|_| self.around.is_blank_below(first.end())) {
            // The second one tells how far blocks of the group are from each other.
            let blank_lines = self.blank_lines_above(second, false);
            self.put(None, Anchor::After(first), copy, blank_lines);
        } else {
            self.put_block(entries, (previous, Start::Before(first)), copy, None);
        }
        self.promises.block(kind, name, Some(&kind.read(original)));
        let mut names: Vec<String> = entries.iter().map(|&entry| name_of(entry)).collect();
        names.insert(at, name.to_owned());
        self.promises.order(kind, names);
    }
}

/// Returns the order after a patch: blocks with a new place, from 0, are taken out and put back in the order of their
/// places, clamped to the end. No two places are equal.
fn arranged(items: Vec<Item>, mut movers: Vec<(Item, usize)>) -> Vec<Item> {
    movers.retain(|(item, place)| *item != Item::Existing(*place));
    let moving: HashSet<Item> = movers.iter().map(|(item, _)| *item).collect();
    let mut staying = items.into_iter().filter(|item| !moving.contains(item));
    movers.sort_by_key(|(_, place)| *place);
    let mut arranged = Vec::new();
    for (item, place) in movers {
        let missing = place.saturating_sub(arranged.len());
        arranged.extend(staying.by_ref().take(missing));
        arranged.push(item);
    }
    arranged.extend(staying);
    arranged
}

/// Returns which blocks keep their place in the text: as many existing ones as possible.
fn staying(items: &[Item]) -> Vec<bool> {
    let place = |(at, item): (usize, &Item)| match item {
        Item::Existing(place) => Some((at, *place)),
        Item::New(_) => None,
    };
    let existing: Vec<(usize, usize)> = items.iter().enumerate().filter_map(place).collect();
    let mut stays = vec![false; items.len()];
    longest_increasing_subsequence(&existing.iter().map(|&(_, place)| place).collect::<Vec<_>>())
        .into_iter()
        .for_each(|index| stays[existing[index].0] = true);
    stays
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

/// Returns the places of the names of a patch in the group.
fn places<'p>(entries: &[Entry<'_>], patch: &'p Object) -> HashMap<&'p str, usize> {
    let named = entries.iter().enumerate().filter_map(|(place, &entry)| {
        let (name, _) = patch.get_key_value(&*group_name(entry).value())?;
        Some((name.as_str(), place))
    });
    named.collect()
}

fn name_of(entry: Entry<'_>) -> String {
    group_name(entry).value().into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn existing(places: &[usize]) -> Vec<Item> {
        places.iter().map(|&place| Item::Existing(place)).collect()
    }

    #[test]
    fn movers_are_put_back_in_ascending_position() {
        for (movers, expected) in [
            (&[(0, 1), (1, 0)][..], [1, 0, 2]),
            (&[(0, 98)], [1, 2, 0]),
            (&[(2, 0)], [2, 0, 1]),
            (&[(1, 1)], [0, 1, 2]),
        ] {
            let movers = movers.iter().map(|&(item, place)| (Item::Existing(item), place)).collect();
            assert_eq!(arranged(existing(&[0, 1, 2]), movers), existing(&expected));
        }
    }

    #[test]
    fn as_few_as_possible_move() {
        assert_eq!(staying(&existing(&[1, 0, 2])), [false, true, true]);
        assert_eq!(staying(&existing(&[3, 0, 1, 2])), [false, true, true, true]);
    }
}
