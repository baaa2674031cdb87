//! Computes the merge patch (RFC 7396) from one view of a configuration to another.
//!
//! Streams, lives and plugins are compared one by one: of those with the same text on both sides no value is
//! made, and those of the others are dropped before the next ones are made.

mod changed;
mod drift;
mod group_sides;
mod members;
mod order;

use serde_json::Value;

pub use changed::{ChangedValue, FirstChanges, changed_values, each_changed_value, paths_in_words};
pub use drift::{Drift, drift};

use super::config_lookup::ConfigLookup;
use crate::schema::{Kind, Object, Schema};
use group_sides::GroupSides;
use members::{changes, member, members, object};

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

/// The members of a whole configuration; the streams, lives and plugins stand as `null` for the place that they have.
fn settings(side: &dyn ConfigLookup) -> Object {
    let value =
        |key: &str| if Schema::media().kind(key).is_some() { Some(Value::Null) } else { side.value(&[key]) };
    let keys = side.names(&[]).into_iter();
    keys.filter_map(|key| Some((value(&key)?, key))).map(|(value, key)| (key, value)).collect()
}

/// Returns the patch from one stream, live or plugin to the members of another.
pub fn block(kind: Kind, from: &Value, to: &Object) -> Object {
    members(kind.scope(), object(from), to)
}

/// Returns the patch from the streams, lives or plugins of a whole configuration to those of another; `None` if
/// nothing changes.
pub fn group(kind: Kind, sides: [&dyn ConfigLookup; 2]) -> Option<Value> {
    GroupSides::new(kind, sides).patch()
}

#[cfg(test)]
#[allow(clippy::disallowed_methods, reason = "tests read fixtures")]
mod tests;
