//! Directives with one value each that may have a block, such as `http`: the list of the values, and the blocks by value.

use std::collections::{HashMap, HashSet};

use serde_json::{Map, Value};

use super::align::{ElementOrigin, align};
use super::notes::Note;
use super::sync::{MemberLines, Sync};
use crate::schema::codec::{General, block_value, merge_block, occurrence};
use crate::schema::fault::Fault;
use crate::schema::json_pointer::Pointer;
use crate::schema::kinds::PORT;
use crate::schema::members::first_argument as list_value;
use crate::schema::scalar::{is_empty, scalar_text};
use crate::schema::{Codec, ListShape, Object, Old, Parameter, Schema};
use crate::syntax::{Document, Entry};

impl Sync<'_, '_> {
    /// Changes the ports of a list, and their blocks: each stays as long as its port.
    pub(super) fn ports(
        &mut self,
        row: &'static Parameter,
        list: &'static ListShape,
        ports: Option<&Value>,
        options: Option<&Value>,
    ) {
        let members = self.members;
        let entries = members.own(row);
        let port = |&entry: &Entry<'_>| PORT.value(entry).map(Value::from).unwrap_or_default();
        let old: Vec<Value> = entries.iter().map(port).collect();
        let new = ports.map_or_else(|| old.clone(), |ports| ports.as_array().cloned().unwrap_or_default());
        let (before, after) = identities(entries, &old, &new);
        let alignment = align(&before, &after);
        let stays = |origin: &ElementOrigin| match *origin {
            ElementOrigin::Kept(index) | ElementOrigin::Moved(index) => Some(entries[index]),
            ElementOrigin::Edited(_) | ElementOrigin::New => None,
        };
        let staying: Vec<Option<Entry<'_>>> = alignment.new.iter().map(stays).collect();
        let blocks = self.options_of_ports(list, &new, &staying, options);
        let mut lines = Vec::new();
        for (port, block) in new.iter().zip(&blocks) {
            let words = [Some(port.clone()), block.clone().map(Value::Object)];
            lines.push(occurrence(row.keywords[0], &words.into_iter().flatten().collect::<Vec<_>>()));
        }
        let fresh = Document::parse(lines.join("\n"));
        let fresh: Vec<_> = fresh.entries().collect();
        for (&line, entry) in fresh.iter().zip(&staying) {
            if let Some(entry) = *entry {
                self.line(Some(row), entry, line);
            }
        }
        self.lines(MemberLines { within: None, row: Some(row), entries }, &fresh, &alignment);
        let edited = alignment.new.iter().filter_map(|origin| origin.edited());
        let mut gone: Vec<usize> =
            edited.chain(alignment.removed()).filter(|&at| entries[at].is_block()).collect();
        gone.sort_unstable();
        let is_asked_for = |port: &str| {
            options.is_some_and(|options| options.is_null() || options.get(port).is_some_and(Value::is_null))
        };
        let dropped = gone.into_iter().map(|at| list_value(entries[at]).into_owned());
        self.notes
            .extend(dropped.filter(|port| !is_asked_for(port)).map(|port| Note::PortOptionsDropped { port }));
        let shown =
            new.iter().zip(blocks).filter_map(|(port, block)| Some((scalar_text(port)?, block?.into())));
        let shown: Map<String, Value> = shown.collect();
        self.promises.member(list.key, Some(&Value::Array(new)));
        self.promises.member(list.blocks, Some(&Value::Object(shown)).filter(|shown| !is_empty(shown)));
    }

    /// The blocks of the ports afterwards.
    fn options_of_ports(
        &mut self,
        list: &ListShape,
        ports: &[Value],
        staying: &[Option<Entry<'_>>],
        options: Option<&Value>,
    ) -> Vec<Option<Object>> {
        let removes_all = options.is_some_and(Value::is_null);
        let nothing = Map::new();
        let patch = options.and_then(Value::as_object).unwrap_or(&nothing);
        let pointer = Pointer::root().child(list.blocks);
        let counting = counting(staying, ports);
        let mut blocks = Vec::new();
        for (index, (port, entry)) in ports.iter().zip(staying).enumerate() {
            let name = scalar_text(port).unwrap_or_default();
            let pointer = pointer.child(&name);
            let change = if removes_all { Some(&Value::Null) } else { patch.get(&name) };
            let change = change.filter(|change| change.is_null() || counting[port] == index);
            let block = entry.filter(|entry| entry.is_block());
            blocks.push(match (block, change) {
                (Some(block), None) => block_value(block).as_object().cloned(),
                (Some(block), Some(change)) => change.as_object().map(|patch| {
                    let current = block_value(block).as_object().cloned().unwrap_or_default();
                    self.guarded.members(Schema::media().unknown(), &current, patch, &pointer);
                    merge_block(block, patch, &pointer, &mut self.faults)
                }),
                (None, change) => {
                    let codec = General { keyword: list.key };
                    let merged = change
                        .and_then(|change| codec.merge(Old::default(), change, &pointer, &mut self.faults));
                    merged.and_then(|merged| merged.as_object().cloned())
                }
            });
        }
        let listening: HashSet<String> = ports.iter().filter_map(scalar_text).collect();
        for (port, _) in patch.iter().filter(|(port, value)| !listening.contains(*port) && !value.is_null()) {
            let message = format!("there is no such port in `{}`", list.key);
            let hint = format!("add the port to `{}` in the same patch", list.key);
            self.faults.push(Fault::wrong_type(&pointer.child(port), message).hint(hint));
        }
        blocks
    }
}

/// Identifies a port in a list: its value, and its number among equal ones if that matters; `None` for
/// one that is to be removed.
type Identity<'v> = Option<(&'v Value, usize)>;

/// Two directives with the same port are interchangeable, unless one has a block, which is removed only
/// with its port: then bare ones are removed first, and the others keep their order, as the last counts.
fn identities<'v>(
    entries: &[Entry<'_>],
    old: &'v [Value],
    new: &'v [Value],
) -> (Vec<Identity<'v>>, Vec<Identity<'v>>) {
    let (old_places, new_places) = (places(old), places(new));
    let mut before: Vec<Identity<'v>> = old.iter().map(|port| Some((port, 0))).collect();
    let mut after: Vec<Identity<'v>> = new.iter().map(|port| Some((port, 0))).collect();
    for (port, places) in old_places {
        let (blocks, bare): (Vec<usize>, Vec<usize>) = places.iter().partition(|&&at| entries[at].is_block());
        if blocks.is_empty() || places.len() == 1 {
            continue;
        }
        let wanted = new_places.get(port).map_or(&[][..], Vec::as_slice);
        let mut staying: Vec<usize> = blocks.into_iter().rev().chain(bare).take(wanted.len()).collect();
        staying.sort_unstable();
        places.iter().for_each(|&at| before[at] = None);
        staying.iter().enumerate().for_each(|(number, &at)| before[at] = Some((port, number)));
        wanted.iter().enumerate().for_each(|(number, &at)| after[at] = Some((port, number)));
    }
    (before, after)
}

/// The places of each value in a list.
fn places(values: &[Value]) -> HashMap<&Value, Vec<usize>> {
    let mut places: HashMap<&Value, Vec<usize>> = HashMap::new();
    values.iter().enumerate().for_each(|(index, value)| places.entry(value).or_default().push(index));
    places
}

/// The place of the directive whose block is shown for each port: of several, the last that has a
/// block; where none has one, the last.
fn counting<'v>(staying: &[Option<Entry<'_>>], ports: &'v [Value]) -> HashMap<&'v Value, usize> {
    let has_block = |at: &&usize| staying[**at].is_some_and(|entry| entry.is_block());
    let last = |places: Vec<usize>| {
        places.iter().rev().find(has_block).or(places.last()).copied().unwrap_or_default()
    };
    places(ports).into_iter().map(|(port, places)| (port, last(places))).collect()
}
