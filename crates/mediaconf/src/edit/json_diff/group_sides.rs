//! The streams, lives or plugins of two configurations, compared one by one.

use std::collections::HashMap;

use serde_json::{Map, Value};
use xxhash_rust::xxh3::xxh3_128;

use super::members::{members, new_block, object};
use super::order;
use crate::edit::config_lookup::ConfigLookup;
use crate::schema::{Kind, Object, POSITION};

/// The blocks of one kind in two configurations. Their names are not kept: there may be very many.
pub(super) struct GroupSides<'c> {
    pub kind: Kind,
    sides: [&'c dyn ConfigLookup; 2],
    /// The positions that the patch has to give, by the hash of the name; empty where both have the same order.
    positions: HashMap<u128, usize>,
}

/// A block that both sides have, and that differs.
pub(super) struct ChangedBlock {
    /// The block before and afterwards.
    pub both: [Value; 2],
    pub patch: Object,
}

impl<'c> GroupSides<'c> {
    pub fn new(kind: Kind, sides: [&'c dyn ConfigLookup; 2]) -> Self {
        let [from, to] = sides.map(|side| {
            let mut names = Vec::new();
            side.each_name(kind, 0..usize::MAX, &mut |name| names.push(xxh3_128(name.as_bytes())));
            names
        });
        let positions = if from == to { Vec::new() } else { order::positions(from, &to) };
        let placed = to.into_iter().zip(positions);
        let positions = placed.filter_map(|(name, position)| Some((name, position?))).collect();
        Self { kind, sides, positions }
    }

    /// The position that the patch has to give a block.
    fn position(&self, name: &str) -> Option<usize> {
        if self.positions.is_empty() { None } else { self.positions.get(&xxh3_128(name.as_bytes())).copied() }
    }

    /// Gives each name of one side to `take`, and whether the other side has it, too.
    pub fn each_name(&self, side: usize, take: &mut dyn FnMut(&str, bool)) {
        let is_there = |name: &str| self.sides[1 - side].contains(&[self.kind.key(), name]);
        self.sides[side].each_name(self.kind, 0..usize::MAX, &mut |name| take(name, is_there(name)));
    }

    /// The block of this name on one side, without what is derived.
    pub fn own(&self, side: usize, name: &str) -> Object {
        let block = self.sides[side].value(&[self.kind.key(), name]).unwrap_or_default();
        new_block(self.kind.scope(), object(&block))
    }

    /// Compares the blocks of a name that both sides have; `None` if they do not differ.
    pub fn changed(&self, name: &str) -> Option<ChangedBlock> {
        let position = self.position(name);
        let is_same = self.sides[0].has_same_block(self.sides[1], self.kind, name);
        if is_same && position.is_none() {
            return None;
        }
        let both = self.sides.map(|side| side.value(&[self.kind.key(), name]).unwrap_or_default());
        let mut patch =
            if is_same { Map::new() } else { members(self.kind.scope(), object(&both[0]), object(&both[1])) };
        patch.extend(position.map(position_member));
        (!patch.is_empty()).then_some(ChangedBlock { both, patch })
    }

    /// The patch from one to the other: the removed blocks, then the others in their new order.
    pub fn patch(&self) -> Option<Value> {
        let mut patch = Map::new();
        self.each_name(0, &mut |name, stays| {
            if !stays {
                patch.insert(name.to_owned(), Value::Null);
            }
        });
        self.each_name(1, &mut |name, was_there| {
            let change = match was_there {
                true => self.changed(name).map(|changed| changed.patch),
                false => {
                    let mut new = self.own(1, name);
                    new.extend(self.position(name).map(position_member));
                    Some(new)
                }
            };
            patch.extend(change.map(|change| (name.to_owned(), Value::Object(change))));
        });
        (!patch.is_empty()).then_some(Value::Object(patch))
    }
}

fn position_member(position: usize) -> (String, Value) {
    (POSITION.to_owned(), Value::from(position))
}
