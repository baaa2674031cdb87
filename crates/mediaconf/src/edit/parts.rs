//! A patch that changes very many streams, in parts: the values of one part go before those of the next are made.

use std::collections::HashSet;
use std::mem;

use serde_json::{Map, Value};

use crate::model::member::Members;
use crate::model::shape::group_name;
use crate::schema::POSITION;

/// The number of blocks of a part.
pub const BLOCKS: usize = 4096;

/// Splits a normalized patch into parts of at most `most` blocks, if all that it does is to change blocks that are
/// there: else it is one part.
///
/// Such a change stays between the first and the last byte of its block, so that the parts touch no byte in common,
/// and each is planned and proved as if it were alone.
pub fn parts(members: &Members<'_>, patch: Map<String, Value>, most: usize) -> Vec<Map<String, Value>> {
    let blocks = |value: &Value| value.as_object().map_or(0, Map::len);
    let is_one = patch.values().map(blocks).sum::<usize>() <= most;
    if is_one || !patch.iter().all(|(key, group)| changes_blocks_alone(members, key, group)) {
        return vec![patch];
    }
    let mut parts = Vec::new();
    for (key, mut group) in patch {
        let Some(blocks) = group.as_object_mut() else { continue };
        let mut blocks = mem::take(blocks).into_iter().peekable();
        while blocks.peek().is_some() {
            let part: Map<String, Value> = blocks.by_ref().take(most).collect();
            parts.push(Map::from_iter([(key.clone(), Value::Object(part))]));
        }
    }
    parts
}

/// True if a member of a patch changes streams, lives or plugins, and makes, deletes, moves and renames none.
fn changes_blocks_alone(members: &Members<'_>, key: &str, group: &Value) -> bool {
    let Some(kind) = members.scope().schema().kind(key) else { return false };
    let names: HashSet<_> = members
        .own_by_key(key)
        .iter()
        .filter(|entry| entry.is_block())
        .map(|entry| group_name(*entry).value())
        .collect();
    let is_change = |(name, block): (&String, &Value)| {
        names.contains(name.as_str())
            && block.as_object().is_some_and(|block| {
                block.keys().all(|key| key != POSITION && kind.scope().by_key(key).is_some())
            })
    };
    group.as_object().is_some_and(|blocks| blocks.iter().all(is_change))
}
