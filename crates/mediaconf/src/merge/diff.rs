//! Merge patches (RFC 7396): the one that leads from one view of a configuration to another, and a merge.
//!
//! Streams, lives and plugins are compared one by one: of those with the same text on both sides no value is made, and
//! those of the others are dropped before the next ones are made.

use std::collections::{HashMap, HashSet};
use std::sync::LazyLock;

use serde_json::{Map, Value, json};

use crate::edit::ConfigLookup;
use crate::edit::align::longest_increasing_subsequence;
use crate::edit::schema_path::is_derived;
use crate::model::view::own_members;
use crate::schema::codec::are_named_blocks;
use crate::schema::members::{Members, keyword_of};
use crate::schema::scalar::scalar_text;
use crate::schema::{AddressShape, Kind, Object, POSITION, Parameter, Schema, Scope};
use crate::syntax::Entry;

/// Returns the patch that turns `from` into `to`, both whole configurations, such as answers to `read_config`.
///
/// Output-only members are left out; a `position` is given only where the order needs it. The order
/// of members that have no position, such as the extras of `auth`, can't be expressed in a merge patch.
pub fn diff(from: &dyn ConfigLookup, to: &dyn ConfigLookup) -> Object {
    let sides = [from, to];
    let [from, to] = sides.map(settings);
    changes(&from, &to, |key, old, new| match Schema::media().kind(key) {
        Some(kind) => group(kind, sides),
        None => member(Schema::media().top(), [&from, &to], key, [old, new]),
    })
}

/// Merges `patch` into `target`, as section 2 of RFC 7396 says: for a configuration without its text.
pub fn merge_patch(target: &mut Value, patch: &Value) {
    let Value::Object(patch) = patch else {
        *target = patch.clone();
        return;
    };
    if !target.is_object() {
        *target = Value::Object(Map::new());
    }
    let Value::Object(members) = target else { return };
    for (key, value) in patch {
        match value {
            Value::Null => {
                members.shift_remove(key);
            }
            value => merge_patch(members.entry(key.clone()).or_insert(Value::Null), value),
        }
    }
}

/// The members of a whole configuration; the streams, lives and plugins stand as `null` for the place that they have.
pub(super) fn settings(side: &dyn ConfigLookup) -> Object {
    let value =
        |key: &str| if Schema::media().kind(key).is_some() { Some(Value::Null) } else { side.value(&[key]) };
    let keys = side.names(&[]).into_iter();
    keys.filter_map(|key| Some((value(&key)?, key))).map(|(value, key)| (key, value)).collect()
}

/// Returns the patch from one stream, live or plugin to the members of another.
pub fn block(kind: Kind, from: &Value, to: &Object) -> Object {
    members(kind.scope(), object(from), to)
}

/// Returns the patch from the streams, lives or plugins of a whole configuration to those of another: the removed blocks,
/// then the others in their new order; `None` if nothing changes.
pub fn group(kind: Kind, sides: [&dyn ConfigLookup; 2]) -> Option<Value> {
    let blocks = BlockPairs::new(kind, sides);
    let mut pairs: Vec<&BlockPair> = blocks.pairs.iter().collect();
    pairs.sort_by_key(|pair| pair.places[1]);
    let change = |pair: &BlockPair| match pair.places {
        [Some(_), None] => Some(Value::Null),
        [None, _] => {
            let position = pair.position.map(position_member);
            Some(blocks.own(pair, 1).into_iter().chain(position).collect::<Object>().into())
        }
        _ => blocks.changed_or_moved(pair).map(|changed| changed.patch.into()),
    };
    let patch: Object =
        pairs.into_iter().filter_map(|pair| Some((pair.name.clone(), change(pair)?))).collect();
    (!patch.is_empty()).then_some(Value::Object(patch))
}

/// The streams, lives or plugins of two configurations.
pub(crate) struct BlockPairs<'c> {
    kind: Kind,
    sides: [&'c dyn ConfigLookup; 2],
    /// The entries of the blocks on each side, as far as it is a text.
    entries: [Vec<Entry<'c>>; 2],
    /// Those of the first side in their order, then the others.
    pub pairs: Vec<BlockPair>,
}

/// The blocks of one name.
pub(crate) struct BlockPair {
    pub name: String,
    /// The place on each side that has the block, from 0.
    pub places: [Option<usize>; 2],
    /// The position that a patch has to give it.
    position: Option<usize>,
    /// True if both sides are known to have the same text of it, and thus the same own values.
    pub is_same: bool,
}

/// A block that both sides have, and that differs.
pub(crate) struct ChangedBlock {
    /// The block before and afterwards, or of its members those that differ.
    pub both: [Value; 2],
    pub patch: Object,
}

impl BlockPair {
    pub fn is_on_both_sides(&self) -> bool {
        self.places.iter().all(Option::is_some)
    }
}

impl<'c> BlockPairs<'c> {
    pub fn new(kind: Kind, sides: [&'c dyn ConfigLookup; 2]) -> Self {
        let [from, to] = sides.map(|side| side.names(&[kind.key()]));
        let entries = sides.map(|side| side.block_entries(kind));
        let positions = if from == to { Vec::new() } else { positions(&from, &to) };
        let olds: HashSet<&String> = from.iter().collect();
        let news: HashMap<&String, usize> = to.iter().zip(0..).collect();
        let pair = |old: Option<usize>, new: Option<usize>, name: &str| {
            let text = |side: usize, place: Option<usize>| Some(entries[side].get(place?)?.text());
            let is_same = text(0, old).is_some_and(|old| text(1, new) == Some(old));
            let position = new.and_then(|new| *positions.get(new)?);
            BlockPair { name: name.to_owned(), places: [old, new], position, is_same }
        };
        let mut pairs: Vec<BlockPair> = Vec::with_capacity(from.len().max(to.len()));
        pairs.extend((0..).zip(&from).map(|(old, name)| pair(Some(old), news.get(name).copied(), name)));
        let added = (0..).zip(&to).filter(|(_, name)| !olds.contains(name));
        pairs.extend(added.map(|(place, name)| pair(None, Some(place), name)));
        Self { kind, sides, entries, pairs }
    }

    /// The entry of the block on one side, if that is a text.
    pub fn entry(&self, pair: &BlockPair, side: usize) -> Option<Entry<'c>> {
        self.entries[side].get(pair.places[side]?).copied()
    }

    /// The block on one side.
    pub fn value(&self, pair: &BlockPair, side: usize) -> Value {
        self.sides[side].value(&[self.kind.key(), &pair.name]).unwrap_or_default()
    }

    /// The block on one side, without what is derived: the patch that makes it.
    pub fn own(&self, pair: &BlockPair, side: usize) -> Object {
        let scope = self.kind.scope();
        let own = without_derived(scope, object(&self.value(pair, side))).into_iter();
        let own = own.filter_map(|(key, value)| {
            let value = match scope.by_key(&key).and_then(|parameter| parameter.codec.facts().address) {
                Some(shape) => Value::Object(own_address(shape, Some(&value))?),
                None => value,
            };
            Some((key, value))
        });
        own.collect()
    }

    /// Compares the blocks of a name that both sides have; `None` if their own values are the same.
    pub fn changed(&self, pair: &BlockPair) -> Option<ChangedBlock> {
        if pair.is_same || !pair.is_on_both_sides() {
            return None;
        }
        let entries = [self.entry(pair, 0), self.entry(pair, 1)];
        let both = match entries.map(|entry| entry.filter(|entry| entry.is_block())) {
            [Some(old), Some(new)] if has_same_header(old, new) => differing_members(self.kind, [old, new]),
            _ => [0, 1].map(|side| self.value(pair, side)),
        };
        let patch = block(self.kind, &both[0], object(&both[1]));
        (!patch.is_empty()).then_some(ChangedBlock { both, patch })
    }

    /// The same with the position of a block that has to move.
    pub fn changed_or_moved(&self, pair: &BlockPair) -> Option<ChangedBlock> {
        let changed = self.changed(pair);
        let Some(position) = pair.position else { return changed };
        let mut patch = changed.map(|changed| changed.patch).unwrap_or_default();
        patch.extend([position_member(position)]);
        Some(ChangedBlock { both: [0, 1].map(|side| self.value(pair, side)), patch })
    }
}

/// True if all in front of the blocks of two entries is the same.
fn has_same_header(old: Entry<'_>, new: Entry<'_>) -> bool {
    let [old, new] = [old, new].map(|entry| &entry.text()[..entry.body().start - entry.start()]);
    old == new
}

/// The own members of two blocks, as far as their entries do not have the same text on both sides.
fn differing_members<'d>(kind: Kind, blocks: [Entry<'d>; 2]) -> [Value; 2] {
    let [old, new] = blocks.map(|block| Members::group(kind.scope(), block.children()));
    let mut differing = [Vec::new(), Vec::new()];
    let mut compare = |olds: &[Entry<'d>], news: &[Entry<'d>]| {
        if !olds.iter().map(|entry| entry.text()).eq(news.iter().map(|entry| entry.text())) {
            differing[0].extend_from_slice(olds);
            differing[1].extend_from_slice(news);
        }
    };
    old.each_own().for_each(|(row, entries)| compare(entries, new.own(row)));
    old.foreign().iter().for_each(|member| compare(&member.entries, new.foreign_by_keyword(&member.keyword)));
    let added = new.foreign().iter().filter(|member| old.foreign_by_keyword(&member.keyword).is_empty());
    added.for_each(|member| compare(&[], &member.entries));
    let [old, new] = differing.map(Vec::into_iter);
    [own_members(kind, blocks[0], old), own_members(kind, blocks[1], new)]
}

fn position_member(position: usize) -> (String, Value) {
    (POSITION.to_owned(), Value::from(position))
}

pub(super) fn object(value: &Value) -> &Object {
    static EMPTY: LazyLock<Object> = LazyLock::new(Map::new);
    value.as_object().unwrap_or(&EMPTY)
}

/// The patch from `from` to `to`, both with the keys of `scope`.
pub(super) fn members(scope: Scope, from: &Object, to: &Object) -> Object {
    changes(from, to, |key, old, new| member(scope, [from, to], key, [old, new]))
}

/// The patch of one member of `scope`, of which both values are given.
fn member(
    scope: Scope,
    [from, to]: [&Object; 2],
    key: &str,
    [old, new]: [Option<&Value>; 2],
) -> Option<Value> {
    match scope.by_key(key) {
        _ if is_derived(scope, key) => None,
        Some(row) if let Some(list) = row.codec.facts().entries_of => list_blocks(key, list, from, to),
        Some(parameter) => own(parameter, old, new),
        None => general(Schema::media().block_scope(keyword_of(scope, key), 1), old, new),
    }
}

/// The patch of a directive that the schema does not know, and whose blocks with a name are of `scope`.
fn general(scope: Scope, from: Option<&Value>, to: Option<&Value>) -> Option<Value> {
    match (from, to) {
        (Some(Value::Object(from)), Some(Value::Object(to)))
            if !scope.is_unknown() && are_named_blocks(from) && are_named_blocks(to) =>
        {
            let patch = changes(from, to, |_, old, new| {
                let (Some(old), Some(new)) = (old, new) else { return value(old, new) };
                Some(Value::Object(members(scope, object(old), object(new)))).filter(|_| old != new)
            });
            (!patch.is_empty()).then_some(Value::Object(patch))
        }
        (from, to) => value(from, to),
    }
}

/// The members that `change` has a patch for, by their old and their new value: the removed ones first.
fn changes(
    from: &Object,
    to: &Object,
    change: impl Fn(&str, Option<&Value>, Option<&Value>) -> Option<Value>,
) -> Object {
    let removed = from.keys().filter(|key| !to.contains_key(*key));
    let changed = |key: &String| Some((key.clone(), change(key, from.get(key), to.get(key))?));
    removed.chain(to.keys()).filter_map(changed).collect()
}

/// The patch of one parameter of the schema. A parameter that is missing has its default value.
fn own(parameter: &Parameter, from: Option<&Value>, to: Option<&Value>) -> Option<Value> {
    if from == to {
        return None;
    }
    let default = parameter.value_of_nothing();
    let (from, to) = (from.or(default.as_ref()), to.or(default.as_ref()));
    match parameter.codec.facts().address {
        Some(shape) => address(shape, own_address(shape, from), own_address(shape, to)),
        _ => value(from, to),
    }
}

/// The patch of one member by RFC 7396; `None` if it does not change.
fn value(from: Option<&Value>, to: Option<&Value>) -> Option<Value> {
    match (from, to) {
        (from, to) if from == to => None,
        (_, None) => Some(Value::Null),
        (Some(Value::Object(from)), Some(Value::Object(to)))
            if are_named_blocks(from) && !are_named_blocks(to) =>
        {
            // Each name may be that of a block: a list says that there is one block, without a name.
            Some(json!([[to]]))
        }
        (Some(Value::Object(from)), Some(Value::Object(to))) => Some(Value::Object(of_objects(from, to))),
        (_, Some(to)) => Some(to.clone()),
    }
}

fn of_objects(from: &Object, to: &Object) -> Object {
    changes(from, to, |_, old, new| value(old, new))
}

/// The members that the directive itself sets; `None` if only the global value is shown there.
pub(super) fn own_address(shape: &AddressShape, value: Option<&Value>) -> Option<Object> {
    value.map(|value| without_derived(shape.members, object(value))).filter(|own| !own.is_empty())
}

/// The patch of an address. `false` in its place removes the options, unless the patch gives them.
fn address(shape: &AddressShape, from: Option<Object>, to: Option<Object>) -> Option<Value> {
    let (from, to) = match (from, to) {
        (None, None) => return None,
        (Some(_), None) => return Some(Value::Null),
        (None, Some(to)) => return Some(Value::Object(to)),
        (Some(from), Some(to)) => (from, to),
    };
    let open = Some(&Value::Bool(false));
    let mut patch = of_objects(&from, &to);
    if let Some(options) = shape.options.filter(|_| to.get(shape.address) == open)
        && from.get(shape.address) != open
    {
        match to.get(options) {
            Some(value) => patch.insert(options.to_owned(), value.clone()),
            None => patch.shift_remove(options),
        };
    }
    (!patch.is_empty()).then_some(Value::Object(patch))
}

/// The patch of the blocks of a list. The block of a value that is removed is removed with it.
fn list_blocks(key: &str, list: &str, from: &Object, to: &Object) -> Option<Value> {
    let [old, new] = [from, to].map(|view| view.get(key).map_or(object(&Value::Null), object));
    let ports: HashSet<String> =
        to.get(list).and_then(Value::as_array).into_iter().flatten().filter_map(scalar_text).collect();
    let patch = changes(old, new, |port, old, new| match (old, new) {
        (Some(Value::Object(old)), Some(Value::Object(new))) if old != new => {
            Some(Value::Object(of_objects(old, new)))
        }
        (old, new) => value(old, new).filter(|patch| !patch.is_null() || ports.contains(port)),
    });
    (!patch.is_empty()).then_some(Value::Object(patch))
}

fn without_derived(scope: Scope, block: &Object) -> Object {
    let kept = block.iter().filter(|(key, _)| !is_derived(scope, key));
    kept.map(|(key, value)| (key.clone(), value.clone())).collect()
}

/// A block in the order after deleting and appending.
#[derive(Clone, Copy)]
struct MergedBlock {
    /// Its place in the order of `to`, from 0.
    wanted: usize,
    /// True if it had the same place before.
    is_fixed: bool,
}

/// Returns for each name of `to` the position (from 1) that the patch has to give it, if any; the fewest that make the
/// order of `to`.
///
/// A merge first deletes blocks and then appends the new ones in the order of the patch. Then it takes out the blocks
/// whose `position` is not the one that they had, and inserts them from the lowest position up. The position that a block
/// had before has no effect in a patch, so such a block stays where it is and the others are inserted around it.
fn positions(from: &[String], to: &[String]) -> Vec<Option<usize>> {
    let wanted: HashMap<&String, usize> = to.iter().zip(0..).collect();
    let mut is_new = vec![true; to.len()];
    let mut merged = Vec::with_capacity(to.len());
    for (before, name) in from.iter().enumerate() {
        if let Some(&wanted) = wanted.get(name) {
            is_new[wanted] = false;
            merged.push(MergedBlock { wanted, is_fixed: wanted == before });
        }
    }
    let new = (0..to.len()).filter(|&wanted| is_new[wanted]);
    merged.extend(new.map(|wanted| MergedBlock { wanted, is_fixed: false }));
    let kept = around_the_fixed(&merged);
    let mut positions: Vec<Option<usize>> = (1..=to.len()).map(Some).collect();
    for index in longest_increasing_subsequence(&kept) {
        positions[kept[index]] = None;
    }
    positions
}

/// The wanted places of the blocks that are on the right side of each fixed block.
fn around_the_fixed(merged: &[MergedBlock]) -> Vec<usize> {
    let mut lowest_behind = vec![usize::MAX; merged.len() + 1];
    for (index, block) in merged.iter().enumerate().rev() {
        let lowest = lowest_behind[index + 1];
        lowest_behind[index] = if block.is_fixed { lowest.min(block.wanted) } else { lowest };
    }
    let mut least = 0;
    let mut kept = Vec::new();
    for (index, block) in merged.iter().enumerate() {
        if (least..lowest_behind[index + 1]).contains(&block.wanted) {
            kept.push(block.wanted);
            least = if block.is_fixed { block.wanted + 1 } else { least };
        }
    }
    kept
}

#[cfg(test)]
#[allow(clippy::disallowed_methods, reason = "tests read fixtures")]
#[path = "diff_tests.rs"]
mod tests;
