//! Directives with one value each that may have a block, such as `http`: the list of the values, and the blocks by value.

use std::collections::{HashMap, HashSet};

use serde_json::{Map, Value};

use super::align::{ElementOrigin, align};
use super::guarded::At;
use super::sync::Sync;
use crate::schema::codec::{General, block_value, merge_block, occurrence};
use crate::schema::fault::{Fault, Pointer};
use crate::schema::kinds::{PORT, is_empty, scalar_text};
use crate::schema::patch::Normalizer;
use crate::schema::{ListShape, Object, Parameter};
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
        let port = |&entry: &Entry<'_>| PORT.value(entry).unwrap_or_default();
        let old: Vec<Value> = entries.iter().map(port).collect();
        let new = ports.map_or_else(|| old.clone(), |ports| ports.as_array().cloned().unwrap_or_default());
        let surplus = surplus(entries, &old, &new);
        let before: Vec<Option<&Value>> =
            old.iter().enumerate().map(|(at, port)| Some(port).filter(|_| !surplus.contains(&at))).collect();
        let alignment = align(&before, &new.iter().map(Some).collect::<Vec<_>>());
        let stays = |origin: &ElementOrigin| match *origin {
            ElementOrigin::Kept(index) | ElementOrigin::Moved(index) => Some(entries[index]),
            ElementOrigin::Edited(_) | ElementOrigin::New => None,
        };
        let staying: Vec<Option<Entry<'_>>> = alignment.new.iter().map(stays).collect();
        let blocks = self.options_of_ports(list, &new, &staying, options);
        let line = |(port, block): (&Value, &Option<Object>)| {
            let block = block.clone().map(Value::Object);
            occurrence(row.keywords[0], &[port.clone()].into_iter().chain(block).collect::<Vec<_>>())
        };
        let lines: Vec<String> = new.iter().zip(&blocks).map(line).collect();
        let fresh = Document::parse(lines.join("\n"));
        let fresh: Vec<_> = fresh.entries().collect();
        for ((&line, entry), port) in fresh.iter().zip(&staying).zip(&new) {
            let name = scalar_text(port).unwrap_or_default();
            let patch = options.and_then(|options| options.get(&name)).unwrap_or(&Value::Null);
            let at = At { patch, pointer: Pointer::root().child(list.blocks).child(name) };
            entry.iter().for_each(|&entry| self.line(Some(row), entry, line, &at));
        }
        let nowhere = At { patch: &Value::Null, pointer: Pointer::root() };
        self.lines(None, Some(row), entries, &fresh, &alignment, &nowhere);
        let shown =
            new.iter().zip(blocks).filter_map(|(port, block)| Some((scalar_text(port)?, block?.into())));
        let shown = Value::Object(shown.collect());
        self.promises.member(list.key, Some(&Value::Array(new)));
        self.promises.member(list.blocks, Some(&shown).filter(|shown| !is_empty(shown)));
    }

    /// The blocks of the ports afterwards.
    fn options_of_ports(
        &mut self,
        list: &ListShape,
        ports: &[Value],
        staying: &[Option<Entry<'_>>],
        options: Option<&Value>,
    ) -> Vec<Option<Object>> {
        let nothing = Map::new();
        let patch = options.and_then(Value::as_object).unwrap_or(&nothing);
        let pointer = Pointer::root().child(list.blocks);
        // The block that is shown for a port is that of its last line which has one, else the one of its last line.
        let is_block = |at: usize| staying[at].is_some_and(|entry| entry.is_block());
        let counts = |index: usize| {
            let same = (0..ports.len()).filter(|&at| ports[at] == ports[index]);
            same.max_by_key(|&at| (is_block(at), at)) == Some(index)
        };
        let mut blocks = Vec::new();
        for (index, (port, entry)) in ports.iter().zip(staying).enumerate() {
            let name = scalar_text(port).unwrap_or_default();
            let mut at = Normalizer::below_place(&pointer.child(&name));
            let change = options.filter(|options| options.is_null()).or(patch.get(&name));
            let change = change.filter(|change| change.is_null() || counts(index));
            let block = entry.filter(|entry| entry.is_block());
            blocks.push(match (block, change) {
                (Some(block), None) => block_value(block).as_object().cloned(),
                (Some(block), Some(change)) => {
                    change.as_object().map(|patch| merge_block(block, patch, &mut at))
                }
                (None, change) => {
                    let codec = General { keyword: list.key };
                    let merged = change.and_then(|change| codec.merge_entries(&[], change, &mut at));
                    merged.and_then(|merged| merged.as_object().cloned())
                }
            });
            self.faults.add(at.faults);
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

/// The lines of a port that go because it is wanted fewer times than it stands there. A block goes only with its port:
/// so bare lines go first, and then the first blocks, as the last counts.
fn surplus(entries: &[Entry<'_>], old: &[Value], new: &[Value]) -> HashSet<usize> {
    let mut wanted: HashMap<&Value, usize> = HashMap::new();
    new.iter().for_each(|port| *wanted.entry(port).or_default() += 1);
    let (blocks, bare): (Vec<usize>, Vec<usize>) = (0..old.len()).partition(|&at| entries[at].is_block());
    let with_block: HashSet<&Value> = blocks.iter().map(|&at| &old[at]).collect();
    let mut lines: Vec<usize> = blocks.into_iter().rev().chain(bare).collect();
    lines.retain(|&at| {
        let left = wanted.get_mut(&old[at]).filter(|left| **left > 0);
        let stays = left.map(|left| *left -= 1).is_some();
        !stays && with_block.contains(&old[at])
    });
    lines.into_iter().collect()
}
