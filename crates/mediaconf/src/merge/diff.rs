//! The difference of two configurations: the values that differ, each with its place, and the merge patch (RFC 7396) that
//! leads from one to the other. A desired state of a configuration is such a patch, too.
//!
//! Streams, lives and plugins are compared one by one: of those with the same text on both sides no value is made, and
//! those of the others are dropped before the next ones are made.

use foldhash::{HashMap, HashSet};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use crate::edit::align::longest_increasing_subsequence;
use crate::query::Config;
use crate::schema::{
    AddressShape, Kind, Object, Parameter, Place, Pointer, Schema, Scope, are_named_blocks, keyword_of,
    scalar_text,
};
use crate::secret::Masker;
use crate::syntax::{Document, Entry, one_line};

impl Config<'_> {
    /// Returns the patch that turns `from` into `to`, both whole configurations, such as answers to `read_config`.
    ///
    /// Output-only members are left out; a `position` is given only where the order needs it. The order
    /// of members that have no position, such as the extras of `auth`, can't be expressed in a merge patch.
    pub fn patch_to(&self, to: &Self) -> Object {
        self.patch_in_order(to, true)
    }

    /// The same. Unless it `moves` blocks, those that both sides have get no position.
    pub(super) fn patch_in_order(&self, to: &Self, moves: bool) -> Object {
        let sides = [self, to];
        let [old, new] = sides.map(settings);
        changes(&old, &new, |key, _| match Schema::kind(key) {
            Some(kind) => group(kind, sides, moves),
            None => member(Scope::Top, key, [&old, &new]),
        })
    }
}

/// The own members of a whole configuration; the streams, lives and plugins stand as `null` for the place that they have.
fn settings(side: &Config<'_>) -> Object {
    let value = |key: &str| Schema::kind(key).map(|_| Value::Null).or_else(|| side.value(&[key]));
    let members = side.names(&[]).into_iter().filter_map(|key| Some((key.clone(), value(&key)?)));
    own_members(Place::Root, &members.collect())
}

/// The members of an object that are not derived.
fn own_members(place: Place, value: &Value) -> Object {
    if let Some(Value::Object(members)) = place.own_value(value) { members } else { Map::new() }
}

/// Returns the patch from the streams, lives or plugins of a whole configuration to those of another: the removed blocks,
/// then the others in their new order; `None` if nothing changes.
fn group(kind: Kind, sides: [&Config<'_>; 2], moves: bool) -> Option<Value> {
    let change = |BlockChange { name, both: [old, new], position, .. }: BlockChange| {
        let Some(new) = new else { return Some((name, Value::Null)) };
        let position = position.filter(|_| moves || old.is_none());
        let position = position.map(|position| (Schema::POSITION.to_owned(), position.into()));
        let members = old.as_ref().map_or_else(|| new.clone(), |old| members(kind.scope(), [old, &new]));
        let patch: Object = members.into_iter().chain(position).collect();
        (old.is_none() || !patch.is_empty()).then(|| (name, patch.into()))
    };
    not_empty(block_changes(kind, sides).filter_map(change).collect())
}

/// A stream, live or plugin in which two configurations may differ.
pub(crate) struct BlockChange {
    pub name: String,
    /// Its own members on each side that has it; of two texts those that may differ.
    pub both: [Option<Object>; 2],
    /// Its place on each side, from 0.
    pub places: [Option<usize>; 2],
    /// The position that a patch has to give it.
    pub position: Option<usize>,
}

/// Returns the blocks that may differ, or move: the removed ones, then the others in their new order. Values are made of one
/// block at a time, and of none that has the same text on both sides.
pub(crate) fn block_changes<'c>(kind: Kind, sides: [&'c Config<'c>; 2]) -> impl Iterator<Item = BlockChange> {
    let entries = sides.map(|side| side.members.own_by_key(kind.key()));
    let changed = if entries[0].is_empty() { None } else { Entry::changed_namesakes(entries[0], entries[1]) };
    let (pairs, positions) = match changed {
        Some(places) => {
            let name = |at: usize| entries[1][at].group_name().value().into_owned();
            (places.into_iter().map(|at| (name(at), [Some(at); 2])).collect(), Vec::new())
        }
        None => {
            let [from, to] = sides.map(|side| side.names(&[kind.key()]));
            let positions = if from == to { Vec::new() } else { positions(&from, &to) };
            (pairs(&from, &to), positions)
        }
    };
    pairs.into_iter().filter_map(move |(name, places)| {
        let entry = |side: usize| entries[side].get(places[side]?).copied();
        let (here, position) = (entry(0).zip(entry(1)), places[1].and_then(|at| *positions.get(at)?));
        if position.is_none() && here.is_some_and(|(old, new)| old.text() == new.text()) {
            return None;
        }
        let own = |side: usize| {
            let value = |_| sides[side].value(&[kind.key(), &name]).unwrap_or_default();
            let block = entry(side).map(|entry| kind.read(entry).into()).or_else(|| places[side].map(value));
            block.map(|block| own_members(Place::Block(kind), &block))
        };
        let both = match here {
            Some((old, new)) => kind.read_differing([old, new], &[]).map(Some),
            None => [own(0), own(1)],
        };
        Some(BlockChange { name, both, places, position })
    })
}

/// The names of both sides with their places: the removed ones, then those of the new side.
fn pairs(from: &[String], to: &[String]) -> Vec<(String, [Option<usize>; 2])> {
    let olds: HashMap<&String, usize> = from.iter().zip(0..).collect();
    let news: HashSet<&String> = to.iter().collect();
    let removed = (0..).zip(from).filter(|(_, name)| !news.contains(name));
    let removed = removed.map(|(at, name)| (name.clone(), [Some(at), None]));
    let others = (0..).zip(to).map(|(at, name)| (name.clone(), [olds.get(name).copied(), Some(at)]));
    removed.chain(others).collect()
}

fn not_empty(patch: Object) -> Option<Value> {
    (!patch.is_empty()).then_some(Value::Object(patch))
}

/// The members that `change` has a patch for, by their old and their new value: the removed ones first.
fn changes(from: &Object, to: &Object, by: impl Fn(&str, [Option<&Value>; 2]) -> Option<Value>) -> Object {
    let removed = from.keys().filter(|key| !to.contains_key(*key));
    let changed = |key: &String| Some((key.clone(), by(key, [from.get(key), to.get(key)])?));
    removed.chain(to.keys()).filter_map(changed).collect()
}

/// The patch between own members with the keys of `scope`.
fn members(scope: Scope, both: [&Object; 2]) -> Object {
    changes(both[0], both[1], |key, _| member(scope, key, both))
}

/// The patch of one of the members of `scope`. A directive that is missing has its default value.
fn member(scope: Scope, key: &str, both: [&Object; 2]) -> Option<Value> {
    let [old, new] = both.map(|side| side.get(key));
    let Some(row) = scope.by_key(key) else {
        return general(Schema::block_scope(keyword_of(scope, key), 1), [old, new]);
    };
    let facts = row.codec.facts();
    if let Some(list) = facts.entries_of {
        return list_blocks(old, new, both[1].get(list));
    }
    if old == new {
        return None;
    }
    let default = row.value_of_nothing();
    match (facts.address, old.or(default.as_ref()), new.or(default.as_ref())) {
        (Some(shape), Some(Value::Object(old)), Some(Value::Object(new))) => address(shape, old, new),
        (_, old, new) => value([old, new]),
    }
}

/// The patch of a directive that the schema does not know, and whose blocks with a name are of `scope`.
fn general(scope: Scope, both: [Option<&Value>; 2]) -> Option<Value> {
    let are_named = |both: &[&Object; 2]| scope != Scope::Unknown && both.map(are_named_blocks) == [true; 2];
    let Some([from, to]) = objects(both).filter(are_named) else { return value(both) };
    not_empty(changes(from, to, |_, both| match objects(both) {
        Some(both) => not_empty(members(scope, both)),
        None => value(both),
    }))
}

/// Both values, if they are objects.
fn objects(both: [Option<&Value>; 2]) -> Option<[&Object; 2]> {
    Some([both[0]?.as_object()?, both[1]?.as_object()?])
}

/// The patch of one member by RFC 7396; `None` if it does not change.
fn value(both: [Option<&Value>; 2]) -> Option<Value> {
    match both {
        [from, to] if from == to => None,
        [_, None] => Some(Value::Null),
        [Some(Value::Object(from)), Some(Value::Object(to))] => {
            // Each name may be that of a block: a list says that there is one block, without a name.
            let has_no_names = are_named_blocks(from) && !are_named_blocks(to);
            Some(if has_no_names { json!([[to]]) } else { of_objects(from, to).into() })
        }
        [_, Some(to)] => Some(to.clone()),
    }
}

fn of_objects(from: &Object, to: &Object) -> Object {
    changes(from, to, |_, both| value(both))
}

/// The patch of an address. `false` in its place removes the options, unless the patch gives them.
fn address(shape: &AddressShape, from: &Object, to: &Object) -> Option<Value> {
    let is_open = |side: &Object| side.get(Schema::ADDRESS) == Some(&Value::Bool(false));
    let mut patch = of_objects(from, to);
    if let Some(options) = shape.options.filter(|_| is_open(to) && !is_open(from)) {
        match to.get(options) {
            Some(value) => patch.insert(options.to_owned(), value.clone()),
            None => patch.shift_remove(options),
        };
    }
    not_empty(patch)
}

/// The patch of the blocks of a list. The block of a value that is removed is removed with it.
fn list_blocks(from: Option<&Value>, to: Option<&Value>, list: Option<&Value>) -> Option<Value> {
    let ports = list.and_then(Value::as_array).into_iter().flatten();
    let ports: HashSet<String> = ports.filter_map(scalar_text).collect();
    let blocks = |side: Option<&Value>| side.and_then(Value::as_object).cloned().unwrap_or_default();
    not_empty(changes(&blocks(from), &blocks(to), |port, both| match objects(both) {
        Some([old, new]) => not_empty(of_objects(old, new)),
        None => value(both).filter(|patch| !patch.is_null() || ports.contains(port)),
    }))
}

/// Returns for each name of `to` the position (from 1) that the patch has to give it, if any; the fewest that make the
/// order of `to`.
///
/// A merge first deletes blocks and then appends the new ones in the order of the patch. Then it takes out the blocks that
/// have a `position`, and inserts them from the lowest position up. A server may take the position that a block had before
/// for no change, so none is given: such a block stays where it is and the others are inserted around it.
fn positions(from: &[String], to: &[String]) -> Vec<Option<usize>> {
    let wanted: HashMap<&String, usize> = to.iter().zip(0..).collect();
    let olds: HashSet<&String> = from.iter().collect();
    // The order after deleting and appending: the wanted place of each block, and whether it had that before.
    let stays = (0..).zip(from).filter_map(|(before, name)| wanted.get(name).map(|&at| (at, at == before)));
    let added = (0..).zip(to).filter(|(_, name)| !olds.contains(name)).map(|(at, _)| (at, false));
    let merged: Vec<(usize, bool)> = stays.chain(added).collect();
    // Only blocks on the right side of each fixed one can stay.
    let (mut least, mut kept) = (0, Vec::new());
    for run in merged.split_inclusive(|(_, is_fixed)| *is_fixed) {
        let most = run.last().filter(|(_, is_fixed)| *is_fixed).map_or(usize::MAX, |(wanted, _)| *wanted);
        kept.extend(run.iter().map(|(wanted, _)| *wanted).filter(|wanted| (least..=most).contains(wanted)));
        least = most.saturating_add(1);
    }
    let mut positions: Vec<Option<usize>> = (1..=to.len()).map(Some).collect();
    longest_increasing_subsequence(&kept).into_iter().for_each(|index| positions[kept[index]] = None);
    positions
}

/// The number of paths that a message names.
const MOST_PATHS: usize = 10;

/// The number of characters of a path that it shows.
const LONGEST_PATH: usize = 80;

/// A value that differs between two views.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ChangedValue {
    /// The keys and indices that lead to it from the root.
    pub keys: Vec<String>,
    /// The value before, if there was one.
    pub before: Option<Value>,
    /// The value afterwards, if there is one.
    pub after: Option<Value>,
}

impl ChangedValue {
    /// Returns the values in which two configurations differ, such as two answers to `read_config`.
    ///
    /// A value is as small as can be: a member of an element of a list, unless the list grew or shrank; a
    /// whole block only if it is new or gone. Derived values are left out, and a `position` that others caused.
    pub fn between(from: &Config<'_>, to: &Config<'_>) -> Vec<Self> {
        let sides = [from, to];
        let tops = sides.map(settings);
        let mut found = Vec::new();
        for key in keys_of(tops.each_ref()) {
            let Some(kind) = Schema::kind(key) else {
                found.extend(in_member(Scope::Top, &mut Vec::new(), key, tops.each_ref()));
                continue;
            };
            for BlockChange { name, both, places, position } in block_changes(kind, sides) {
                let mut at = vec![key.clone(), name];
                if let [Some(old), Some(new)] = &both {
                    for key in keys_of([old, new]) {
                        found.extend(in_member(kind.scope(), &mut at, key, [old, new]));
                    }
                    if position.is_some() {
                        let [before, after] = places.map(|place| place.map(|place| Value::from(place + 1)));
                        at.push(Schema::POSITION.to_owned());
                        find(&mut at, [before.as_ref(), after.as_ref()], &mut found);
                    }
                } else {
                    let [before, after] = both.map(|block| block.map(Value::Object));
                    found.push(Self { keys: at, before, after });
                }
            }
        }
        found
    }

    /// The paths of changed values for a message, with the secrets in them masked: `rtmp, streams.cam1.prepush`.
    pub fn paths_in_words(changed: &[Self]) -> String {
        let mut words: Vec<String> = changed.iter().take(MOST_PATHS).map(Self::short_path).collect();
        let more = changed.len().saturating_sub(MOST_PATHS);
        words.extend((more > 0).then(|| format!("and {more} more")));
        words.join(", ")
    }

    /// The same, with the secrets in its values and in the names that lead to it masked.
    #[must_use]
    pub fn masked(self, masker: Masker) -> Self {
        let keys: Vec<&str> = self.keys.iter().map(String::as_str).collect();
        let shown = |value: Option<Value>| value.map(|value| masker.json_below(&keys, &value));
        Self { before: shown(self.before), after: shown(self.after), keys: masker.keys(&keys) }
    }

    /// The path, with the secrets in it masked.
    pub fn masked_path(&self, masker: Masker) -> String {
        let keys: Vec<&str> = self.keys.iter().map(String::as_str).collect();
        Pointer::from_keys(masker.keys(&keys)).to_path().to_string()
    }

    /// The same for a message or a record: on one line, and a long one is cut.
    pub fn short_path(&self) -> String {
        let path = one_line(&self.masked_path(Masker::default()));
        let cut = path.char_indices().nth(LONGEST_PATH).map(|(end, _)| format!("{}…", &path[..end]));
        cut.unwrap_or(path)
    }
}

/// Finds what differs in a member of what is at these keys; a directive that is missing has its default value.
fn in_member(scope: Scope, at: &mut Vec<String>, key: &str, both: [&Object; 2]) -> Vec<ChangedValue> {
    let mut found = Vec::new();
    let default = scope.by_key(key).and_then(Parameter::value_of_nothing);
    let values = both.map(|side| side.get(key));
    let [old, new] = values.map(|value| value.or(default.as_ref()));
    if old != new {
        at.push(key.to_owned());
        find(at, values, &mut found);
        at.pop();
    }
    found
}

/// Finds what differs in a value that no row of the schema takes apart.
fn find(at: &mut Vec<String>, both: [Option<&Value>; 2], found: &mut Vec<ChangedValue>) {
    let mut below = |key: String, both| {
        at.push(key);
        find(at, both, found);
        at.pop();
    };
    match both {
        [before, after] if before == after => {}
        [Some(Value::Object(before)), Some(Value::Object(after))] => {
            keys_of([before, after]).for_each(|key| below(key.clone(), [before.get(key), after.get(key)]));
        }
        // Of a list of words no element is shown alone: the word before it says whether it is a secret.
        [Some(Value::Array(before)), Some(Value::Array(after))]
            if before.len() == after.len() && before.iter().chain(after).all(Value::is_object) =>
        {
            let pairs = before.iter().zip(after).enumerate();
            pairs.for_each(|(index, (old, new))| below(index.to_string(), [Some(old), Some(new)]));
        }
        [before, after] => {
            found.push(ChangedValue { keys: at.clone(), before: before.cloned(), after: after.cloned() });
        }
    }
}

/// The keys of both objects: those of the first, then those that only the second has.
fn keys_of([before, after]: [&Object; 2]) -> impl Iterator<Item = &String> {
    before.keys().chain(after.keys().filter(|key| !before.contains_key(*key)))
}

/// The parts that are removed because a desired state lacks them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Prune {
    /// Nothing: the settings of the state are set, and the rest stays.
    Nothing,
    /// Streams, lives and plugins, and the settings in those that it has.
    Entries,
    /// Everything.
    All,
}

/// Returns the patch that brings a configuration to the state that a text without errors is.
///
/// Members that the view shows although the text has no directive for them are left out of a merge: what a desired
/// state does not mention stays.
pub fn patch_to_state(text: &str, prune: Prune, current: &Config<'_>) -> Value {
    let document = Document::parse(text);
    let config = Config::own(&document);
    if prune == Prune::All {
        return current.patch_to(&config).into();
    }
    let mut patch = settings(&config);
    patch.retain(|key, _| Schema::kind(key).is_none());
    drop_defaults(Scope::Top, document.entries(), &mut patch);
    for kind in Kind::ALL {
        let sides = [current, &config];
        let blocks =
            if prune == Prune::Entries { group(kind, sides, true) } else { settings_of_blocks(kind, sides) };
        patch.extend(blocks.map(|blocks| (kind.key().to_owned(), blocks)));
    }
    patch.into()
}

/// Returns the patch that gives the streams, lives or plugins of a configuration the settings that those of another set;
/// `None` if they have them.
fn settings_of_blocks(kind: Kind, sides: [&Config<'_>; 2]) -> Option<Value> {
    let wanted = sides[1].members.own_by_key(kind.key());
    let change = |BlockChange { name, both: [old, new], places, .. }: BlockChange| {
        let mut new = new?;
        drop_defaults(kind.scope(), wanted[places[1]?].children(), &mut new);
        // A new object, because the old one keeps the room that it had.
        let before = |key: &String| old.as_ref().and_then(|old| old.get(key));
        let new: Object = new.into_iter().filter(|(key, value)| before(key) != Some(value)).collect();
        (old.is_none() || !new.is_empty()).then(|| (name, new.into()))
    };
    not_empty(block_changes(kind, sides).filter_map(change).collect())
}

/// Drops the members that are shown although no directive sets them.
fn drop_defaults<'d>(scope: Scope, entries: impl Iterator<Item = Entry<'d>> + Clone, members: &mut Object) {
    members.retain(|key, value| {
        let default = scope.by_key(key).filter(|row| row.value_of_nothing().as_ref() == Some(value));
        default.is_none_or(|row| entries.clone().any(|entry| row.keywords.contains(&&*entry.keyword())))
    });
}

#[cfg(test)]
#[path = "diff_tests.rs"]
mod tests;
