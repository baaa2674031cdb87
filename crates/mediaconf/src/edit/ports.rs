//! Directives with one value each that may have a block, such as `http`: the list of the values, and the blocks by value.

use std::collections::{HashMap, HashSet};

use serde_json::Value;

use super::align::{Step, align};
use super::guarded::At;
use super::sync::Sync;
use crate::schema::{
    Fault, General, ListShape, Normalizer, Object, PORT, Parameter, block_value, is_empty, merge_block,
    occurrence, scalar_text,
};
use crate::syntax::{Document, Entry};

impl<'d> Sync<'_, 'd> {
    /// Changes the ports of a list, and their blocks: each stays as long as its port.
    pub(super) fn ports(&mut self, row: &'static Parameter, list: &'static ListShape, at: &At<'_, 'd>) {
        let ports = at.patch.get(row.key);
        if ports.or(at.patch.get(list.blocks)).is_none() {
            return;
        }
        let entries = self.members.own(row);
        let old: Vec<Value> = entries.iter().map(|&entry| PORT.value(entry).unwrap_or_default()).collect();
        let new = ports.map_or_else(|| old.clone(), |ports| ports.as_array().cloned().unwrap_or_default());
        let gone = surplus(entries, &old, &new);
        let kept: Vec<_> = (0..).zip(&old).map(|(at, port)| (!gone.contains(&at)).then_some(port)).collect();
        let alignment = align(&kept, &new.iter().map(Some).collect::<Vec<_>>());
        let stays = |(step, index)| (step != Step::Edited).then(|| entries[index]);
        let staying: Vec<_> = alignment.new.iter().map(|origin| origin.and_then(stays)).collect();
        let blocks = self.blocks_of_ports(list, &new, &staying, at);
        let mut lines = Vec::new();
        for (port, block) in new.iter().zip(&blocks) {
            let words: Vec<_> = [port.clone()].into_iter().chain(block.clone().map(Value::Object)).collect();
            lines.push(occurrence(row.keywords[0], &words));
        }
        let fresh = Document::parse(lines.join("\n"));
        let fresh: Vec<_> = fresh.entries().collect();
        let names = || new.iter().map(|port| scalar_text(port).unwrap_or_default());
        for ((&line, entry), name) in fresh.iter().zip(&staying).zip(names()) {
            let at = at.child(list.blocks).child(name);
            entry.iter().for_each(|&entry| self.line(Some(row), entry, line, &at));
        }
        self.lines(Some(row), entries, &fresh, &alignment, &At { patch: &Value::Null, ..at.clone() });
        let shown = names().zip(blocks).filter_map(|(name, block)| Some((name, block?.into())));
        let shown = Value::Object(shown.collect());
        self.promises.member(list.key, Some(&Value::Array(new)));
        self.promises.member(list.blocks, Some(&shown).filter(|shown| !is_empty(shown)));
    }

    /// The blocks of the ports afterwards.
    fn blocks_of_ports(
        &mut self,
        list: &ListShape,
        ports: &[Value],
        staying: &[Option<Entry<'_>>],
        at: &At<'_, '_>,
    ) -> Vec<Option<Object>> {
        let (options, pointer) = (at.patch.get(list.blocks), at.pointer.child(list.blocks));
        let patch = options.and_then(Value::as_object).cloned().unwrap_or_default();
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
            let merged = match (entry.filter(|entry| entry.is_block()), change) {
                (Some(block), None) => Some(block_value(block)),
                (Some(block), Some(change)) => {
                    change.as_object().map(|patch| merge_block(block, patch, &mut at).into())
                }
                (None, change) => {
                    let codec = General { keyword: list.key };
                    change.and_then(|change| codec.merge_entries(&[], change, &mut at))
                }
            };
            blocks.push(merged.and_then(|merged| merged.as_object().cloned()));
            self.faults.add(at.faults);
        }
        let listening: HashSet<String> = ports.iter().filter_map(scalar_text).collect();
        for (port, _) in patch.iter().filter(|(port, value)| !listening.contains(*port) && !value.is_null()) {
            let message = format!("there is no such port in `{}`", list.key);
            let hint = format!("add the port to `{}` in the same patch", list.key);
            self.faults
                .push(Fault { pointer: Some(pointer.child(port)), ..Fault::plain(message).hint(hint) });
        }
        blocks
    }
}

/// The lines of a port that go because it is wanted fewer times than it stands there. A block goes only with its port:
/// so bare lines go first, and then the first blocks, as the last counts.
fn surplus(entries: &[Entry<'_>], old: &[Value], new: &[Value]) -> HashSet<usize> {
    let mut excess: HashMap<&Value, isize> = HashMap::new();
    old.iter().for_each(|port| *excess.entry(port).or_default() += 1);
    new.iter().for_each(|port| *excess.entry(port).or_default() -= 1);
    let (blocks, mut lines): (Vec<_>, Vec<_>) = (0..old.len()).partition(|&at| entries[at].is_block());
    let with_block: HashSet<&Value> = blocks.iter().map(|&at| &old[at]).collect();
    lines.reverse();
    lines.extend(blocks);
    lines.retain(|&at| {
        let left = excess.entry(&old[at]).or_default();
        *left -= 1;
        *left >= 0 && with_block.contains(&old[at])
    });
    lines.into_iter().collect()
}
