//! A change of very many streams, in parts: the values of one part go before those of the next are made.
//!
//! A part only changes blocks that are there, or only makes new ones at the end of their group. Such a change stays
//! between the first and the last byte of its block, or behind the last block of the group, so that the parts touch no
//! byte in common, and each is planned and proved as if it were alone: beside members of the text that hold no other
//! blocks, so that a part costs what its own blocks cost.

use std::collections::{HashMap, HashSet};
use std::mem;

use serde_json::{Map, Value};
use xxhash_rust::xxh3::xxh3_128_with_seed;

use crate::model::member::Members;
use crate::model::names::NameSet;
use crate::model::shape::group_name;
use crate::schema::{Kind, Object, POSITION};
use crate::syntax::Entry;

/// The number of blocks of a part.
pub const BLOCKS: usize = 1024;

/// Splits a normalized patch into parts of at most `most` blocks, if all that it does is to change blocks that are
/// there, or to make new ones: else it is one part.
pub fn parts(members: &Members<'_>, patch: Object, most: usize) -> Vec<Object> {
    let blocks = |value: &Value| value.as_object().map_or(0, Map::len);
    let is_one = patch.values().map(blocks).sum::<usize>() <= most;
    if is_one || BlockFinder::default().alone(members, &patch).is_none() {
        return vec![patch];
    }
    let mut parts = Vec::new();
    for (key, mut group) in patch {
        let Some(blocks) = group.as_object_mut() else { continue };
        let mut blocks = mem::take(blocks).into_iter().peekable();
        while blocks.peek().is_some() {
            let part: Object = blocks.by_ref().take(most).collect();
            parts.push(Map::from_iter([(key.clone(), Value::Object(part))]));
        }
    }
    parts
}

/// Finds the blocks of one part after the other: most stand behind those of the part before.
#[derive(Default)]
pub struct BlockFinder {
    /// The place in its group behind the last block that was found.
    next: usize,
    /// The hashes of the names of all blocks of the text, once very many new ones are made.
    taken: HashSet<u128>,
}

impl BlockFinder {
    /// Returns the members of a text without the blocks that a patch leaves alone; `None` if it does more than to
    /// change streams, lives and plugins that are there, or to make very many new ones beside others; to rename and to
    /// move them is more.
    pub fn alone<'d>(&mut self, members: &Members<'d>, patch: &Object) -> Option<Members<'d>> {
        let schema = members.scope().schema();
        let groups = patch.iter().map(|(key, group)| Some((schema.kind(key)?, group.as_object()?)));
        let groups: Vec<(Kind, &Object)> = groups.collect::<Option<_>>()?;
        let is_change = |(kind, blocks): &(Kind, &Object)| blocks.values().all(|block| changes(*kind, block));
        if !groups.iter().all(is_change) {
            return None;
        }
        let found = groups.into_iter().map(|(kind, blocks)| match self.taken.is_empty() {
            true => self.find(members, kind, blocks).or_else(|| self.beside_new(members, kind, blocks)),
            false => self.beside_new(members, kind, blocks),
        });
        let found: Vec<Vec<Entry<'d>>> = found.collect::<Option<_>>()?;
        Some(members.with_blocks(found.into_iter().flatten()))
    }

    /// The blocks of a group that a patch names, in the order of the text; `None` if one of them is not there.
    fn find<'d>(&mut self, members: &Members<'d>, kind: Kind, blocks: &Object) -> Option<Vec<Entry<'d>>> {
        let entries = members.own_by_key(kind.key());
        let wanted = NameSet::new(blocks.keys().map(String::as_str));
        let mut places = HashMap::new();
        let first = self.next.min(entries.len());
        for place in (first..entries.len()).chain(0..first) {
            if places.len() == blocks.len() {
                break;
            }
            let name = group_name(entries[place]).value();
            if let Some(name) = wanted.find(&name).filter(|_| entries[place].is_block()) {
                places.insert(name, place);
                self.next = place + 1;
            }
        }
        let mut places: Vec<usize> = places.into_values().collect();
        places.sort_unstable();
        (places.len() == blocks.len()).then(|| places.into_iter().map(|place| entries[place]).collect())
    }

    /// The blocks of a group beside which new ones are made: its last one, and the first, which may stand below a
    /// heading. `None` if one of the new ones is there, if they are few, or if the group has one block at most.
    fn beside_new<'d>(
        &mut self,
        members: &Members<'d>,
        kind: Kind,
        blocks: &Object,
    ) -> Option<Vec<Entry<'d>>> {
        if self.taken.is_empty() && blocks.len() >= BLOCKS {
            let all = members.scope().schema().kinds.iter().flat_map(|&kind| {
                members
                    .own_by_key(kind.key())
                    .iter()
                    .map(move |&entry| hash_of(kind, &group_name(entry).value()))
            });
            self.taken = all.collect();
        }
        let is_new = |name: &String| !self.taken.contains(&hash_of(kind, name));
        match members.own_by_key(kind.key()) {
            [first, .., last] if !self.taken.is_empty() && blocks.keys().all(is_new) => {
                Some(vec![*first, *last])
            }
            _ => None,
        }
    }
}

/// A hash of the name of a block.
fn hash_of(kind: Kind, name: &str) -> u128 {
    xxh3_128_with_seed(name.as_bytes(), kind.number() as u64)
}

/// True if a member of a group changes a block, and does not delete or move it.
fn changes(kind: Kind, block: &Value) -> bool {
    block
        .as_object()
        .is_some_and(|block| block.keys().all(|key| key != POSITION && kind.scope().by_key(key).is_some()))
}
