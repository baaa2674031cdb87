//! Merging into streams, lives and plugins.

use serde_json::{Map, Value};

use super::general::GeneralMerge;
use super::setting::merge_setting;
use crate::edit::fault::Faults;
use crate::edit::json_pointer::Pointer;
use crate::model::member::{Members, keyword_of};
use crate::model::{Lens, view};
use crate::schema::{Derived, Kind, Object, POSITION, Parameter, Shape};
use crate::syntax::Entry;

/// Own values alone.
pub fn own_lens() -> Lens {
    Lens { own_only: true, ..Lens::default() }
}

/// Merges into a stream, live or plugin: the own members of its block afterwards.
pub fn merge_named(
    kind: Kind,
    current: Option<(&Object, &Members<'_>)>,
    patch: &Object,
    pointer: &Pointer,
) -> Result<Object, Faults> {
    let mut merged = current.map(|(own, _)| own.clone()).unwrap_or_else(|| shown_of_nothing(kind));
    let mut faults = Faults::default();
    for (key, value) in patch.iter().filter(|(key, _)| *key != POSITION) {
        let pointer = pointer.child(key);
        let result = match kind.scope().by_key(key) {
            Some(parameter) => merge_setting(parameter, merged.get(key), value, &pointer),
            None => {
                let entries = current.map_or(&[][..], |(_, members)| {
                    members.foreign_by_keyword(keyword_of(kind.scope(), key))
                });
                let mut general = GeneralMerge { faults: &mut faults };
                Ok(general.member((kind.scope(), key), entries, value, &pointer))
            }
        };
        if let Some(value) = faults.take(result) {
            put(kind, &mut merged, key, value);
        }
    }
    merged.retain(|_, value| !value.is_null());
    faults.into_result(merged)
}

fn put(kind: Kind, merged: &mut Object, key: &str, value: Option<Value>) {
    // A removed member leaves a null: closing the gap each time would move all later members.
    let value = value.or_else(|| shown_of_nothing(kind).get(key).cloned()).unwrap_or(Value::Null);
    merged.insert(key.to_owned(), value);
}

/// The members that the view shows for an empty block.
fn shown_of_nothing(kind: Kind) -> Object {
    let shown = |row: &Parameter| match row.shape {
        Shape::Derived(Derived::Static) => Some(Value::Bool(kind.may_be_on_demand())),
        _ => row.value_of_nothing(),
    };
    kind.scope().rows().filter_map(|row| Some((row.key.to_owned(), shown(row)?))).collect()
}

/// The own members of one named block in the text.
pub fn named_value(kind: Kind, entry: Entry<'_>) -> Object {
    match view::named_own(kind, entry) {
        Value::Object(members) => members,
        _ => Map::new(),
    }
}
