//! Directives with one value each that may have a block, such as `http`: the list of the values, and the blocks by value.

use foldhash::{HashMap, HashSet};
use serde_json::Value;

use super::align::{Step, align};
use super::guarded::At;
use super::sync::Sync;
use crate::schema::{
    General, ListShape, Normalizer, PORT, Parameter, block_members, is_empty, merge_block, occurrence,
    scalar_text,
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
        let line = |(port, block): (&Value, &Option<Value>)| {
            let words: Vec<_> = [port.clone()].into_iter().chain(block.clone()).collect();
            occurrence(row.keywords[0], &words)
        };
        let fresh = Document::parse(new.iter().zip(&blocks).map(line).collect::<Vec<_>>().join("\n"));
        let fresh: Vec<_> = fresh.entries().collect();
        let names = || new.iter().map(|port| scalar_text(port).unwrap_or_default());
        for ((&line, entry), name) in fresh.iter().zip(&staying).zip(names()) {
            let at = at.child(list.blocks).child(name);
            entry.iter().for_each(|&entry| self.line(Some(row), entry, line, &at));
        }
        self.lines(Some(row), entries, &fresh, &alignment, &At { patch: &Value::Null, ..at.clone() });
        let shown = names().zip(blocks).filter_map(|(name, block)| Some((name, block?)));
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
    ) -> Vec<Option<Value>> {
        let options = at.patch.get(list.blocks);
        let all_stay = !options.is_some_and(Value::is_null);
        let block_of = |at: usize| staying[at].filter(|entry| all_stay && entry.is_block());
        let mut blocks: Vec<_> =
            (0..ports.len()).map(|at| Some(block_members(block_of(at)?).into())).collect();
        let mut places: HashMap<_, Vec<usize>> = HashMap::default();
        ports.iter().enumerate().for_each(|(at, port)| places.entry(scalar_text(port)).or_default().push(at));
        let mut at = Normalizer::below_place(&at.pointer.child(list.blocks));
        for (name, change) in options.and_then(Value::as_object).into_iter().flatten() {
            let same = places.get(&Some(name.clone())).into_iter().flatten().copied();
            // Of several lines with this port, the view shows the block of the last one that has a block.
            match same.clone().max_by_key(|&at| (blocks[at].is_some(), at)) {
                _ if change.is_null() => same.for_each(|at| blocks[at] = None),
                Some(index) => {
                    blocks[index] = at.below(name, |at| match (block_of(index), change) {
                        (Some(block), Value::Object(patch)) => Some(merge_block(block, patch, at).into()),
                        _ => General { keyword: list.key }.merge_entries(&[], change, at),
                    });
                }
                None => {
                    let message = format!("there is no such port in `{}`", list.key);
                    let hint = format!("add the port to `{}` in the same patch", list.key);
                    at.below(name, |at| at.wrong(message, &hint));
                }
            }
        }
        self.faults.0.extend(at.faults.0);
        blocks
    }
}

/// The lines of a port that go because it is wanted fewer times than it stands there. A block goes only with its port:
/// so bare lines go first, and then the first blocks, as the last counts.
fn surplus(entries: &[Entry<'_>], old: &[Value], new: &[Value]) -> HashSet<usize> {
    let mut wanted: HashMap<&Value, usize> = HashMap::default();
    new.iter().for_each(|port| *wanted.entry(port).or_default() += 1);
    let (blocks, lines): (Vec<_>, Vec<_>) = (0..old.len()).partition(|&at| entries[at].is_block());
    let with_block: HashSet<&Value> = blocks.iter().map(|&at| &old[at]).collect();
    let mut stays = |at: &usize| {
        let left = wanted.get_mut(&old[*at]).filter(|left| **left > 0);
        left.map(|left| *left -= 1).is_some() || !with_block.contains(&old[*at])
    };
    blocks.into_iter().rev().chain(lines).filter(|at| !stays(at)).collect()
}
