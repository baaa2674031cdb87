//! The streams, lives or plugins of two configurations, compared one by one.

use std::collections::HashMap;

use serde_json::{Map, Value};

use super::members::{members, new_block, object};
use super::order;
use crate::edit::config_lookup::ConfigLookup;
use crate::schema::{Kind, POSITION};

/// The blocks of one kind in two configurations.
pub(super) struct GroupSides<'c> {
    pub kind: Kind,
    sides: [&'c dyn ConfigLookup; 2],
    /// The names on each side, in their order.
    pub names: [Vec<String>; 2],
    /// The positions that the patch has to give, by the place in the order of the second side; empty where both
    /// have the same order.
    positions: Vec<Option<usize>>,
}

/// A block that both sides have, and that differs.
pub(super) struct ChangedBlock {
    /// The block before and afterwards.
    pub both: [Value; 2],
    pub patch: Map<String, Value>,
}

impl<'c> GroupSides<'c> {
    pub fn new(kind: Kind, sides: [&'c dyn ConfigLookup; 2]) -> Self {
        let names = sides.map(|side| side.names(&[kind.key()]));
        let positions = match &names {
            [from, to] if from == to => Vec::new(),
            [from, to] => order::positions(from, to),
        };
        Self { kind, sides, names, positions }
    }

    /// The positions that the patch has to give, by name.
    pub fn positions(&self) -> HashMap<&str, usize> {
        let placed = self.names[1].iter().zip(&self.positions);
        placed.filter_map(|(name, position)| Some((name.as_str(), (*position)?))).collect()
    }

    /// The names of the first side that the second lacks.
    pub fn gone(&self) -> impl Iterator<Item = &String> {
        self.names[0].iter().filter(|name| !self.has(1, name))
    }

    /// The names of the second side that the first lacks.
    pub fn made(&self) -> impl Iterator<Item = &String> {
        self.names[1].iter().filter(|name| !self.has(0, name))
    }

    /// True if a side has a block of this name.
    pub fn has(&self, side: usize, name: &str) -> bool {
        self.sides[side].contains(&[self.kind.key(), name])
    }

    /// The block of this name on one side, without what is derived.
    pub fn own(&self, side: usize, name: &str) -> Map<String, Value> {
        let block = self.sides[side].value(&[self.kind.key(), name]).unwrap_or_default();
        new_block(self.kind.scope(), object(&block))
    }

    /// Compares the blocks of a name that both sides have; `None` if they do not differ.
    pub fn changed(&self, name: &str, position: Option<usize>) -> Option<ChangedBlock> {
        let is_same = self.sides[0].has_same_block(self.sides[1], self.kind, name);
        if is_same && position.is_none() {
            return None;
        }
        let both = self.sides.map(|side| side.value(&[self.kind.key(), name]).unwrap_or_default());
        let mut patch =
            if is_same { Map::new() } else { members(self.kind.scope(), object(&both[0]), object(&both[1])) };
        patch.extend(position.map(|position| (POSITION.to_owned(), Value::from(position))));
        (!patch.is_empty()).then_some(ChangedBlock { both, patch })
    }

    /// The patch from one to the other: the removed blocks, then the others in their new order.
    pub fn patch(&self) -> Option<Value> {
        let mut patch: Map<String, Value> = self.gone().map(|name| (name.clone(), Value::Null)).collect();
        for (place, name) in self.names[1].iter().enumerate() {
            let position = self.positions.get(place).copied().flatten();
            let change = match self.has(0, name) {
                true => self.changed(name, position).map(|changed| changed.patch),
                false => {
                    let mut new = self.own(1, name);
                    new.extend(position.map(|position| (POSITION.to_owned(), Value::from(position))));
                    Some(new)
                }
            };
            patch.extend(change.map(|change| (name.clone(), Value::Object(change))));
        }
        (!patch.is_empty()).then_some(Value::Object(patch))
    }
}
