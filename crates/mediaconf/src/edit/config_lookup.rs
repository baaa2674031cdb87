//! Looks up values in a configuration, be it a local document or the JSON that a server sent.

use std::borrow::Cow;
use std::cell::{OnceCell, RefCell};
use std::collections::HashMap;

use serde_json::Value;

use crate::model::{Config, Lens, View, to_json};
use crate::schema::codec::group_name;
use crate::schema::members::Members;
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
    /// The kind of a value.
    pub fn from_value(value: &Value) -> Self {
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
    /// The names of each kind, with their places.
    places: Vec<OnceCell<HashMap<Cow<'d, str>, usize>>>,
    /// The last member that a path led into.
    entered: RefCell<Option<(Vec<String>, Value)>>,
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
            places: schema.kinds.iter().map(|_| OnceCell::new()).collect(),
            entered: RefCell::new(None),
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
        let skips_static = self.lens.skip_static_streams;
        let entries = self.groups[kind.number()].iter().copied().enumerate();
        entries.filter(move |&(_, entry)| !(skips_static && kind.is_static(entry)))
    }

    /// The place of a name in its group.
    fn place(&self, kind: Kind, name: &str) -> Option<usize> {
        let name_of = |(place, entry)| (group_name(entry).value(), place);
        let places = self.places[kind.number()].get_or_init(|| self.blocks(kind).map(name_of).collect());
        places.get(name).copied()
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
            _ => self.inside(keys, Value::clone),
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

    fn block_entries(&self, kind: Kind) -> Vec<Entry<'_>> {
        self.blocks(kind).map(|(_, entry)| entry).collect()
    }
}
