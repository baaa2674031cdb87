//! The patch of the members of one block.

use std::collections::HashSet;

use serde_json::{Map, Value, json};

use crate::edit::schema_path::is_derived;
use crate::model::member::keyword_of;
use crate::schema::codec::are_named_blocks;
use crate::schema::json_value::scalar_text;
use crate::schema::{AddressShape, Object, Parameter, Schema, Scope};

pub(super) fn object(value: &Value) -> &Object {
    static EMPTY: std::sync::LazyLock<Object> = std::sync::LazyLock::new(Map::new);
    value.as_object().unwrap_or(&EMPTY)
}

/// The patch from `from` to `to`, both with the keys of `scope`.
pub(super) fn members(scope: Scope, from: &Object, to: &Object) -> Object {
    changes(from, to, |key, old, new| member(scope, [from, to], key, [old, new]))
}

/// The patch of one member of `scope`, of which both values are given.
pub(super) fn member(
    scope: Scope,
    [from, to]: [&Object; 2],
    key: &str,
    [old, new]: [Option<&Value>; 2],
) -> Option<Value> {
    match scope.by_key(key) {
        _ if is_derived(scope, key) => None,
        Some(row) => match row.codec.facts().entries_of {
            Some(list) => list_blocks(key, list, from, to),
            None => own(row, old, new),
        },
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
pub(super) fn changes(
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
    let default = parameter.value_of_nothing();
    let (from, to) = (from.or(default.as_ref()), to.or(default.as_ref()));
    match parameter.codec.facts().address {
        Some(shape) => address(shape, own_address(shape, from), own_address(shape, to)),
        None => value(from, to),
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
        (Some(Value::Object(from)), Some(Value::Object(to))) => Some(Value::Object(merge_patch(from, to))),
        (_, Some(to)) => Some(to.clone()),
    }
}

fn merge_patch(from: &Object, to: &Object) -> Object {
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
    let mut patch = merge_patch(&from, &to);
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
    let options = |view: &Object| view.get(key).map(object).cloned().unwrap_or_default();
    let ports: HashSet<String> =
        to.get(list).and_then(Value::as_array).into_iter().flatten().filter_map(scalar_text).collect();
    let patch = changes(&options(from), &options(to), |_, old, new| match (old, new) {
        (Some(Value::Object(old)), Some(Value::Object(new))) if old != new => {
            Some(Value::Object(merge_patch(old, new)))
        }
        (old, new) => value(old, new),
    });
    let kept: Object =
        patch.into_iter().filter(|(port, value)| !value.is_null() || ports.contains(port)).collect();
    (!kept.is_empty()).then_some(Value::Object(kept))
}

/// The patch that makes a new block.
pub(super) fn new_block(scope: Scope, block: &Object) -> Object {
    let own = without_derived(scope, block).into_iter().filter_map(|(key, value)| {
        let value = match scope.by_key(&key).and_then(|parameter| parameter.codec.facts().address) {
            Some(shape) => Value::Object(own_address(shape, Some(&value))?),
            None => value,
        };
        Some((key, value))
    });
    own.collect()
}

fn without_derived(scope: Scope, block: &Object) -> Object {
    let kept = block.iter().filter(|(key, _)| !is_derived(scope, key));
    kept.map(|(key, value)| (key.clone(), value.clone())).collect()
}
