//! Streams, lives and plugins: which go, which are new, what changes in each, and their order.
//!
//! Sources may share a directive: with the name of their stream in its header, or with each other in a `urls A B;` line.
//! Where an edit needs it, each gets a line of its own before ([`Sync::spread`]). That changes no value and no comment.

use std::borrow::Cow;
use std::collections::HashSet;

use serde_json::{Map, Value};

use super::align::longest_increasing_subsequence;
use super::guarded::At;
use super::layout::{Anchor, Insertion, NewEntry, Put};
use super::surroundings::{Style, Surroundings};
use super::sync::{Sync, without_misshapen};
use super::words::address_said;
use super::{MaybeEdit, PromisedBlock};
use crate::schema::{
    Codec, DirectiveRole, Fault, Faults, General, Kind, Members, Object, Pointer, SOURCE, Schema, Scope,
    first_argument, header_address, protocol_of_switch, write_members,
};
use crate::syntax::{Document, Entry, Splice, WHITE, bytes_of};

impl<'d> Sync<'_, 'd> {
    /// Changes the blocks of a group. The block number `n` is the existing one at this place, from 0; numbers behind those
    /// of the existing blocks are new ones.
    pub(super) fn group(&mut self, kind: Kind, at: &At<'_, 'd>) {
        let entries = self.members.own_by_key(kind.key());
        let all_gone = || Cow::Owned(entries.iter().map(|entry| (name_of(entry), Value::Null)).collect());
        let patch = at.patch.as_object().map_or_else(all_gone, Cow::Borrowed);
        let (mut new, mut movers) = (Vec::new(), Vec::new());
        for (name, patch) in &*patch {
            let place = self.members.place_of(kind, name);
            let within = place.map(|place| entries[place]);
            let at = At { within, patch, pointer: at.pointer.child(name) };
            let block = match (place, patch) {
                (Some(place), Value::Null) => {
                    let inner = entries[place].inner_streams();
                    self.edit.deleted_streams += usize::from(kind.has_sources()) + inner;
                    self.edit.inner_streams += inner;
                    self.remove(entries[place]);
                    self.promises.block(kind, name, None);
                    continue;
                }
                (Some(place), Value::Object(patch)) => {
                    self.existing(kind, name, entries[place], patch, &at);
                    place
                }
                (None, Value::Object(patch)) => {
                    let made = self.create(kind, name, patch, &at.pointer);
                    new.extend(made.map(|made| (name.clone(), made)));
                    (entries.len() + new.len()).saturating_sub(1)
                }
                _ => continue,
            };
            if let Some(position) = patch.get(Schema::POSITION).and_then(Value::as_i64) {
                let to = usize::try_from(position - 1).unwrap_or(0);
                movers.push((block, to));
            }
        }
        // A refused block has no lines to put.
        if self.faults.0.is_empty() {
            self.arrange(kind, new, movers);
        }
    }

    /// Makes a new block with its name; `None` if it is refused.
    fn create(&mut self, kind: Kind, name: &str, patch: &Object, pointer: &Pointer) -> Option<NewEntry> {
        let patch = switched(&Map::new(), patch, pointer, &mut self.faults);
        let target = self.faults.take(kind.merge(None, &patch, pointer))?;
        let text = Document::parse(kind.write(name, &target));
        let block = text.entries().next()?;
        self.doubt_words(Scope::Top, block, pointer);
        self.doubt_lines_of((kind.scope(), kind.key()), block, pointer);
        self.promises.block(kind, name, Some(PromisedBlock::new(None, [&Map::new(), &target])));
        Some(NewEntry::of(block))
    }

    fn existing(&mut self, kind: Kind, name: &str, entry: Entry<'d>, patch: &Object, at: &At<'_, 'd>) {
        // Other members stay as they are, but a header is written as a whole.
        let touched = patch.keys().flat_map(|key| std::iter::once(&**key).chain(protocol_of_switch(key)));
        let members = match entry.is_block() {
            true => Members::akin(kind.scope(), entry.children(), touched),
            false => Members::empty(kind.scope()),
        };
        let current = kind.read_grouped(entry, &members);
        let patch = &*switched(&current, patch, &at.pointer, &mut self.faults);
        let merged = kind.merge(Some((&current, &members)), patch, &at.pointer);
        let Some(mut target) = self.faults.take(merged) else { return };
        without_misshapen(&members, &mut target, &current, patch);
        // A directive that sets the default goes when null asks for it, which changes nothing in the view.
        let removed = patch.iter().filter(|(_, value)| value.is_null());
        for row in removed.filter_map(|(key, _)| kind.scope().by_key(key)) {
            if [current.get(row.key), row.value_of_nothing().as_ref()].contains(&target.get(row.key)) {
                members.own(row).iter().for_each(|&entry| self.remove(entry));
            }
        }
        if target == current {
            return;
        }
        let is_on_demand = target.get(Schema::STATIC) == Some(&Value::Bool(false));
        if current.get(Schema::STATIC) != target.get(Schema::STATIC) && kind.has_sources() {
            let keyword = entry.words().next().expect("an entry has a keyword").span();
            self.splice(bytes_of(&keyword), kind.keyword(is_on_demand));
        }
        match entry.is_block() {
            true => self.contents(&members, [&current, &target], at),
            false => self.header(kind, entry, &target, &at.pointer),
        }
        self.promises.block(kind, name, Some(PromisedBlock::new(Some(entry.id()), [&current, &target])));
    }

    /// Changes the source of a stream in its header, which has one at most. Each other line makes it a block first.
    fn header(&mut self, kind: Kind, entry: Entry<'d>, target: &Object, pointer: &Pointer) {
        let (lines, key) = (write_members(kind.scope(), target), DirectiveRole::Sources.key(kind.scope()));
        let sources = target.get(key).and_then(Value::as_array).map_or(0, Vec::len);
        let address = header_address(entry);
        if sources > address.iter().len() || lines.len() > sources {
            self.spread.push(opened(&self.around, entry, sources > 0));
        } else if let Some(address) = address {
            let (fresh, pointer) = (Document::parse(lines.join("\n")), pointer.child(key));
            fresh.entries().for_each(|line| self.doubt_words(kind.scope(), line, &pointer));
            let new = fresh.entries().next().map(|line| address_said(&SOURCE, line.arguments()));
            let new = new.unwrap_or_default();
            self.said_words(entry.group_name(), &address_said(&SOURCE, address), &new);
        }
    }

    /// Makes a line of each word of a `urls A B;` line.
    pub(super) fn split(&mut self, line: Entry<'d>) {
        let around = &self.around;
        let next_line = format!("{}{}", around.newline(line.start()), around.indent(line.start()));
        let words: Vec<_> = line.words().map(|word| bytes_of(&word.span())).collect();
        self.spread.push(Splice { range: words[0].clone(), text: Schema::ADDRESS.to_owned() });
        for pair in words[1..].windows(2) {
            let range = pair[0].end..pair[1].start;
            let comments = comments_in(&self.document.text()[range.clone()]);
            let shares_line = comments.is_empty() && !around.begins_line(line.start());
            let joint = if shares_line { " " } else { &next_line };
            self.spread.push(Splice { range, text: format!(";{comments}{joint}{} ", Schema::ADDRESS) });
        }
    }

    /// Puts new and moved blocks at their places; deletions are known already.
    fn arrange(&mut self, kind: Kind, new: Vec<(String, NewEntry)>, mut movers: Vec<(usize, usize)>) {
        let entries = self.members.own_by_key(kind.key());
        let count = entries.len();
        let survivors = (0..count).filter(|&place| self.is_staying(&entries[place]));
        let unmoved: Vec<usize> = survivors.chain(count..count + new.len()).collect();
        // If a position is behind the end, blocks that are at theirs already do not move, unless all blocks have one: these
        // give the whole order.
        if movers.len() < unmoved.len() && movers.iter().any(|(_, place)| *place >= unmoved.len()) {
            movers.retain(|(item, place)| *item >= count || item != place);
        }
        let moving: HashSet<usize> = movers.iter().map(|(item, _)| *item).collect();
        let items = if movers.is_empty() { unmoved.clone() } else { arranged(unmoved.clone(), movers) };
        if unmoved.len() == count && items == unmoved && new.is_empty() {
            return;
        }
        let name = |&item: &usize| entries.get(item).map_or_else(|| new[item - count].0.clone(), name_of);
        self.promises.orders.insert(kind, items.iter().map(name).collect());
        let stays = staying(&items, count, &moving);
        let at_end = self.place_at_end();
        let mut below = items.iter().copied().filter(|item| stays.contains(item)).peekable();
        let (mut previous, mut comes_up) = (None, false);
        for &item in &items {
            if stays.contains(&item) {
                (previous, comes_up) = (below.next().map(|item| entries[item]), false);
                continue;
            }
            let moved = entries.get(item).copied();
            let new = || Insertion::New(new[item - count].1.clone());
            let content = moved.map_or_else(new, |entry| Insertion::Old(entry, None));
            // A block that moves up stands in front of the next one, with those behind it; all others behind the one before.
            let next = below.peek().copied();
            comes_up |= moved.is_some() && next.is_some_and(|next| next < item);
            let (place, blank_lines) = match (previous.filter(|_| !comes_up), next) {
                (Some(previous), _) => (Anchor::After(previous), self.around.gap_behind(previous)),
                (None, Some(next)) => {
                    // The first one may be far from what is above the group.
                    let like = moved.or(entries.get(next.max(1)).copied());
                    let blank_lines = like.map_or(0, |like| self.around.gap_above(like));
                    (Anchor::BeforeComments(entries[next]), blank_lines)
                }
                (None, None) => at_end,
            };
            self.put(Put { within: None, place, content, blank_lines });
        }
    }

    /// The edit that puts a copy of the block with a name, which is there, directly behind it.
    pub fn copy(mut self, group: &str, from: &str, name: &str) -> MaybeEdit {
        let (kind, entries) = (Schema::kind(group), self.members.lines(group));
        let at = entries.iter().position(|entry| first_argument(*entry) == from).expect("it is there");
        let block = entries[at];
        match kind {
            Some(kind) => {
                let mut order: Vec<String> = entries.iter().map(name_of).collect();
                order.insert(at + 1, name.to_owned());
                self.promises.orders.insert(kind, order);
                let copied = PromisedBlock::new(None, [&Map::new(), &kind.read(block)]);
                self.promises.block(kind, name, Some(copied));
            }
            None => {
                let mut blocks = General { keyword: group }.read(entries, None).unwrap_or_default();
                blocks[name] = blocks[from].clone();
                self.promises.member(group, Some(&blocks));
            }
        }
        let (place, content) = (Anchor::After(block), Insertion::Old(block, Some(name.to_owned())));
        self.put(Put { within: None, place, content, blank_lines: self.around.gap_behind(block) });
        self.proved()
    }
}

/// The patch of a block in which each `X_off` of a protocol X is the directive `X off;`, unless a directive of that name
/// stands there. Panels send such members for each stream; no server reads a directive `X_off`.
fn switched<'v>(current: &Object, patch: &'v Object, at: &Pointer, faults: &mut Faults) -> Cow<'v, Object> {
    const OFF: &str = "off";
    if !patch.keys().any(|key| protocol_of_switch(key).is_some()) {
        return Cow::Borrowed(patch);
    }
    let member = |(key, value): (&String, &Value)| {
        let mut fault = |message| {
            faults.push(Fault { pointer: Some(at.child(key)), ..Fault::plain(message) });
            None
        };
        let own = |value: Value| Some((key.clone(), value));
        let Some(protocol) = protocol_of_switch(key) else { return own(value.clone()) };
        let directive = |value: Value| Some((protocol.to_owned(), value));
        let [present, wanted] = [current, patch].map(|members| members.get(protocol));
        match (value, wanted) {
            (Value::Bool(false), _) if current.contains_key(key) => own(Value::Null),
            _ if value.is_null() || current.contains_key(key) => own(value.clone()),
            (Value::Bool(true), None) => directive(OFF.into()),
            (Value::Bool(true), Some(wanted)) if *wanted != OFF => {
                fault(format!("`{key}` and `{protocol}` say different things"))
            }
            (Value::Bool(false), None) if present.is_some_and(|found| *found == OFF) => {
                directive(Value::Null)
            }
            (Value::Bool(_), _) => None,
            _ => fault(format!("`{key}` is true or false")),
        }
    };
    Cow::Owned(patch.iter().filter_map(member).collect())
}

/// Returns the order after a patch: blocks with a place, from 0, are taken out and put back in the order of their
/// places, clamped to the end. No two places are equal.
fn arranged(items: Vec<usize>, mut movers: Vec<(usize, usize)>) -> Vec<usize> {
    let moving: HashSet<usize> = movers.iter().map(|(item, _)| *item).collect();
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

/// Returns which of the `count` existing blocks keep their place in the text: as many as possible, and not those that are
/// `moving` if others are as many.
fn staying(items: &[usize], count: usize, moving: &HashSet<usize>) -> HashSet<usize> {
    let existing: Vec<usize> = items.iter().copied().filter(|item| *item < count).collect();
    let most = longest_increasing_subsequence(&existing);
    let others: HashSet<usize> = existing.iter().copied().filter(|item| !moving.contains(item)).collect();
    if others.len() < most.len() { most.into_iter().map(|index| existing[index]).collect() } else { others }
}

fn name_of(entry: &Entry<'_>) -> String {
    entry.group_name().value().into_owned()
}

/// Gives a stream, live or plugin a block in the place of what stands behind its name. The comments in front of the
/// source stay behind the brace; those behind it stay there, and the one behind the `;` if the source `stays`.
fn opened(around: &Surroundings<'_>, entry: Entry<'_>, stays: bool) -> Splice {
    let text = around.text();
    let (name, head) = (entry.group_name().end() as usize, entry.head_span().end as usize);
    let source = header_address(entry).and_then(|mut words| Some(words.next()?.start as usize));
    let line_end = around.line_end(entry.end());
    let has_comment = text[entry.end()..line_end].trim_start_matches(WHITE).starts_with('#');
    let end = if stays && source.is_some() && has_comment { line_end } else { entry.end() };
    let semicolon = entry.end() - usize::from(entry.is_terminated());
    let (behind, trailing) =
        (comments_in(&text[head..semicolon]), text[entry.end()..end].trim_end_matches(WHITE));
    let Style { indent, unit, newline } = around.style_of(entry);
    let line = source.map_or_else(String::new, |source| {
        let (above, words) = (comments_in(&text[name..source]), &text[source..head]);
        format!("{above}{newline}{indent}{unit}{} {words};", Schema::ADDRESS)
    });
    let below = if behind.is_empty() || trailing.is_empty() { "" } else { newline };
    let text = format!(" {{{line}{behind}{below}{trailing}{newline}{indent}}}");
    Splice { range: name..end, text }
}

/// What stands between two words, if there are comments.
fn comments_in(gap: &str) -> &str {
    if gap.contains('#') { gap.trim_end_matches(WHITE) } else { "" }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn movers_are_put_back_in_ascending_position() {
        for (movers, expected) in [
            (&[(0, 1), (1, 0)][..], [1, 0, 2]),
            (&[(0, 98)], [1, 2, 0]),
            (&[(2, 0)], [2, 0, 1]),
            (&[(1, 1)], [0, 1, 2]),
        ] {
            assert_eq!(arranged(vec![0, 1, 2], movers.to_vec()), expected);
        }
    }

    #[test]
    fn as_few_as_possible_move() {
        let stay = |items: &[usize], count, moving: &[usize]| {
            staying(items, count, &moving.iter().copied().collect())
        };
        assert_eq!(stay(&[1, 0, 2], 3, &[0, 1]), HashSet::from([0, 2]));
        assert_eq!(stay(&[1, 0, 2], 3, &[0]), HashSet::from([1, 2]));
        assert_eq!(stay(&[3, 0, 1, 2, 4], 4, &[3]), HashSet::from([0, 1, 2]));
    }
}
