//! Looks up values in a configuration, be it a local document or the JSON that a server sent.

use std::borrow::Cow;
use std::cell::{Cell, RefCell};
use std::sync::OnceLock;

use serde_json::Value;
use xxhash_rust::xxh3::xxh3_64;

use crate::model::member::Members;
use crate::model::shape::group_name;
use crate::model::view::{any_source, is_static};
use crate::model::{Config, Lens, View, to_json};
use crate::schema::{Kind, Schema};
use crate::syntax::Entry;

/// A configuration whose values can be looked up.
///
/// Keys lead through objects only; a list is looked up as a whole.
pub trait ConfigLookup {
    /// The value at `keys`; the whole configuration for no keys.
    fn value(&self, keys: &[&str]) -> Option<Value>;

    /// The keys of the object at `keys`, in their order; empty if there is no object.
    fn names(&self, keys: &[&str]) -> Vec<String>;

    /// True if there is a value at `keys`.
    fn contains(&self, keys: &[&str]) -> bool;

    /// Returns the kind of the value at `keys`.
    fn kind(&self, keys: &[&str]) -> Option<ValueKind>;

    /// Asks about the member `key` of each element of the list at `keys`, until the answer is true, and once about `None` where
    /// there is no entry; `None` where only the whole list can be looked at.
    fn any_in_list(
        &self,
        _keys: &[&str],
        _key: &str,
        _test: &mut dyn FnMut(Option<&Value>) -> bool,
    ) -> Option<bool> {
        None
    }

    /// All streams, lives or plugins, in their order, as the entries of the text; empty where there is no text.
    fn block_entries(&self, _kind: Kind) -> Vec<Entry<'_>> {
        Vec::new()
    }
}

/// The kind of a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ValueKind {
    /// An object.
    Object,
    /// A list.
    List,
    /// A string, a number or a boolean.
    Word,
}

impl ValueKind {
    fn from_value(value: &Value) -> Self {
        match value {
            Value::Object(_) => Self::Object,
            Value::Array(_) => Self::List,
            _ => Self::Word,
        }
    }
}

/// The answer to `read_config`.
impl ConfigLookup for Value {
    fn value(&self, keys: &[&str]) -> Option<Value> {
        value_at(self, keys).cloned()
    }

    fn names(&self, keys: &[&str]) -> Vec<String> {
        value_at(self, keys).map(names_of).unwrap_or_default()
    }

    fn contains(&self, keys: &[&str]) -> bool {
        value_at(self, keys).is_some()
    }

    fn kind(&self, keys: &[&str]) -> Option<ValueKind> {
        value_at(self, keys).map(ValueKind::from_value)
    }
}

fn value_at<'v>(value: &'v Value, keys: &[&str]) -> Option<&'v Value> {
    keys.iter().try_fold(value, |value, key| value.as_object()?.get(*key))
}

fn names_of(value: &Value) -> Vec<String> {
    value.as_object().into_iter().flatten().map(|(key, _)| key.clone()).collect()
}

/// A local document without errors, of which only the requested values become JSON.
pub struct LocalView<'a, 'd> {
    view: View<'a, 'd>,
    /// The entries of each kind.
    groups: Vec<&'a [Entry<'d>]>,
    lens: &'a Lens,
    places: Vec<OnceLock<Places>>,
    /// The place of the last block that was looked up.
    last: Cell<Option<(Kind, usize)>>,
    scans: Cell<usize>,
    /// The last member into which a path led: a `*` leads into the same one for each of its names.
    entered: RefCell<Option<(Vec<String>, Value)>>,
    /// The last block of which one member was looked up. Most paths look up one; from the second on, the
    /// whole block is entered.
    touched: Cell<Option<(Kind, usize)>>,
}

/// The number of names that are searched one by one before all names are indexed.
const MAX_SCANS: usize = 8;

/// The hash of each name, with its place in its group, from 0; by hash. A table of the names takes five times the memory.
type Places = Vec<(u32, u32)>;

fn hash_of(name: &str) -> u32 {
    xxh3_64(name.as_bytes()) as u32
}

impl<'d> Config<'d> {
    /// Returns the values for paths: those that are asked for become JSON, and what was found is kept for the next path.
    pub fn lookup(&self) -> LocalView<'_, 'd> {
        LocalView::new(self.members(), self.lens())
    }
}

impl<'a, 'd> LocalView<'a, 'd> {
    /// The view of a document whose top-level members are `members`.
    pub fn new(members: &'a Members<'d>, lens: &'a Lens) -> Self {
        let schema = Schema::media();
        Self {
            view: View::new(members, lens),
            groups: schema.kinds.iter().map(|kind| members.own_by_key(kind.key())).collect(),
            lens,
            places: schema.kinds.iter().map(|_| OnceLock::new()).collect(),
            last: Cell::new(None),
            scans: Cell::new(0),
            entered: RefCell::new(None),
            touched: Cell::new(None),
        }
    }

    /// The group that `keys` lead into.
    fn group(&self, keys: &[&str]) -> Option<Kind> {
        keys.first().and_then(|key| Schema::media().kind(key))
    }

    /// Returns the number of keys that lead to the member of the top level, or to the block of a group, that
    /// they begin with.
    fn member_depth(&self, keys: &[&str]) -> usize {
        keys.len().min(if self.group(keys).is_some() { 2 } else { 1 })
    }

    fn blocks(&self, kind: Kind) -> impl Iterator<Item = (usize, Entry<'d>)> {
        self.blocks_from(kind, 0)
    }

    fn blocks_from(&self, kind: Kind, first: usize) -> impl Iterator<Item = (usize, Entry<'d>)> {
        let skips_static = self.lens.skip_static_streams;
        let entries = self.groups[kind.number()].iter().copied().enumerate().skip(first);
        entries.filter(move |&(_, entry)| !(skips_static && is_static(kind, entry)))
    }

    /// The place of a name. Most patches look up one name; those with `*` look up all, in their order.
    fn place(&self, kind: Kind, name: &str) -> Option<usize> {
        let is_it = |(_, entry): &(usize, Entry<'d>)| group_name(*entry).value() == name;
        let last = self.last.get().filter(|(of, _)| *of == kind);
        let place = last.and_then(|(_, last)| self.blocks_from(kind, last).take(2).find(is_it));
        let place = place.map(|(place, _)| place).or_else(|| self.search(kind, name));
        self.last.set(place.map(|place| (kind, place)).or(self.last.get()));
        place
    }

    fn search(&self, kind: Kind, name: &str) -> Option<usize> {
        self.scans.set(self.scans.get() + 1);
        if self.scans.get() > MAX_SCANS {
            return self.indexed(kind, name);
        }
        self.blocks(kind).find(|(_, entry)| group_name(*entry).value() == name).map(|(place, _)| place)
    }

    fn indexed(&self, kind: Kind, name: &str) -> Option<usize> {
        let index = || {
            let place = |(at, entry)| (hash_of(&group_name(entry).value()), at as u32);
            let mut places: Places = self.blocks(kind).map(place).collect();
            places.sort_unstable();
            places
        };
        let (hash, places) = (hash_of(name), self.places[kind.number()].get_or_init(index));
        let first = places.partition_point(|(other, _)| *other < hash);
        let same = places[first..].iter().take_while(|(other, _)| *other == hash);
        let is_it = |at: &usize| group_name(self.groups[kind.number()][*at]).value() == name;
        same.map(|&(_, at)| at as usize).filter(is_it).last()
    }

    /// The value of a top-level member, or of a stream, live or plugin.
    fn member(&self, keys: &[&str]) -> Option<Value> {
        match (keys, self.group(keys)) {
            ([_, name], Some(kind)) => {
                let place = self.place(kind, name)?;
                Some(self.view.named(kind, place, self.groups[kind.number()][place]))
            }
            ([key], _) => self.view.member(key),
            _ => None,
        }
    }

    /// The value of a member of a block, if it is the first that is looked up there: the outer `None` means
    /// that the block is to be entered.
    fn untouched(&self, keys: &[&str]) -> Option<Option<Value>> {
        let ([_, name, key], Some(kind)) = (keys, self.group(keys)) else { return None };
        let Some(place) = self.place(kind, name) else { return Some(None) };
        let is_first = self.touched.replace(Some((kind, place))) != Some((kind, place));
        is_first.then(|| self.view.named_member(kind, place, self.groups[kind.number()][place], key))
    }

    /// Looks at the value inside a member.
    fn inside<T>(&self, keys: &[&str], look: impl FnOnce(&Value) -> T) -> Option<T> {
        let (member, rest) = keys.split_at(self.member_depth(keys));
        let mut entered = self.entered.borrow_mut();
        if entered.as_ref().is_none_or(|(last, _)| last != member) {
            let value = self.member(member)?;
            *entered = Some((member.iter().map(|key| (*key).to_owned()).collect(), value));
        }
        entered.as_ref().and_then(|(_, value)| value_at(value, rest)).map(look)
    }
}

impl ConfigLookup for LocalView<'_, '_> {
    fn value(&self, keys: &[&str]) -> Option<Value> {
        match keys {
            [] => Some(to_json(&self.view)),
            _ if keys.len() == self.member_depth(keys) => self.member(keys),
            _ => self.untouched(keys).unwrap_or_else(|| self.inside(keys, Value::clone)),
        }
    }

    fn names(&self, keys: &[&str]) -> Vec<String> {
        match (keys, self.group(keys)) {
            ([], _) => self.view.keys().map(Cow::into_owned).collect(),
            ([_], Some(kind)) => {
                self.blocks(kind).map(|(_, entry)| group_name(entry).value().into_owned()).collect()
            }
            _ => self.inside(keys, names_of).unwrap_or_default(),
        }
    }

    fn contains(&self, keys: &[&str]) -> bool {
        match (keys, self.group(keys)) {
            ([], _) => true,
            ([key], _) => self.view.shows(key),
            ([_, name], Some(kind)) => self.place(kind, name).is_some(),
            _ => self.inside(keys, |_| ()).is_some(),
        }
    }

    fn kind(&self, keys: &[&str]) -> Option<ValueKind> {
        self.inside(keys, ValueKind::from_value)
    }

    fn any_in_list(
        &self,
        keys: &[&str],
        key: &str,
        test: &mut dyn FnMut(Option<&Value>) -> bool,
    ) -> Option<bool> {
        let ([_, name, list], Some(kind)) = (keys, self.group(keys)) else { return None };
        any_source(kind, self.groups[kind.number()][self.place(kind, name)?], list, key, test)
    }

    fn block_entries(&self, kind: Kind) -> Vec<Entry<'_>> {
        self.blocks(kind).map(|(_, entry)| entry).collect()
    }
}
