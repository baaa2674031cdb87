//! The removals when an owner applies a state again: whatever an earlier state of the owner had, and the
//! new one lacks. Values that the owner never set stay, and so do those of other owners.

use std::collections::BTreeSet;

use serde_json::{Map, Value};

use super::config_lookup::ConfigLookup;
use super::desired_state::lacking;
use super::json_diff::{self, ChangedValue, paths_in_words};
use super::json_merge::compose;
use super::{Note, desired_state};
use crate::schema::{Kind, Object, SOURCE, Schema, Scope, Shape};

/// The states of other owners: each with the name of its owner.
pub type OtherStates<'v> = [(&'v str, &'v Value)];

/// Returns the patch by which an owner who applied `earlier` states applies `state`, with what users should
/// know of it.
pub fn patch(
    earlier: &[Value],
    others: &OtherStates<'_>,
    state: &Value,
    current: &dyn ConfigLookup,
) -> (Value, Vec<Note>) {
    let Some(wanted) = state.as_object() else { return (state.clone(), Vec::new()) };
    if earlier.is_empty() {
        return (state.clone(), lacking(state, current).map(Note::SettingsLacking).into_iter().collect());
    }
    let (schema, current) = (current.schema(), current.value(&[]).unwrap_or(Value::Null));
    let mut left = current.clone();
    let mut forgetting = Forgetting { schema, at: Vec::new(), kept: Vec::new(), owners: BTreeSet::new() };
    let entries_kept =
        earlier.iter().map(|earlier| forgetting.state(&mut left, earlier, wanted, others)).max();
    let lists = schema.top().rows().filter(|row| matches!(row.shape, Shape::List(_)));
    for (key, list) in lists.filter_map(|row| wanted.get_key_value(row.key)) {
        // The blocks of a list go with its values.
        left.as_object_mut().and_then(|left| left.insert(key.clone(), list.clone()));
    }
    let mut patch = json_diff::diff(schema, &current, &left);
    compose(&mut patch, wanted.clone());
    let kept = entries_kept.filter(|count| *count > 0).map(Note::EntriesKept);
    (Value::Object(patch), kept.into_iter().chain(forgetting.note()).collect())
}

/// Removes the values that an owner no longer applies, and remembers those that stay because other owners
/// have them.
struct Forgetting {
    schema: &'static Schema,
    /// The keys that lead to the value that is looked at.
    at: Vec<String>,
    kept: Vec<ChangedValue>,
    owners: BTreeSet<String>,
}

impl Forgetting {
    fn note(self) -> Option<Note> {
        let owners = Vec::from_iter(self.owners).join(", ");
        (!self.kept.is_empty()).then(|| Note::KeptForOwners { paths: paths_in_words(&self.kept), owners })
    }

    /// Removes what an earlier state had and the wanted one lacks; returns how many entries are kept for what
    /// others set in them.
    fn state(
        &mut self,
        left: &mut Value,
        earlier: &Value,
        wanted: &Object,
        others: &OtherStates<'_>,
    ) -> usize {
        let (Some(left), Some(earlier)) = (left.as_object_mut(), earlier.as_object()) else { return 0 };
        self.members(Some(self.schema.top()), left, (earlier, wanted, others));
        let groups = self.schema.kinds.iter().map(|&kind| {
            let (Some(left), Some(earlier)) = (
                left.get_mut(kind.key()).and_then(Value::as_object_mut),
                earlier.get(kind.key()).and_then(Value::as_object),
            ) else {
                return 0;
            };
            let nothing = Map::new();
            let wanted = wanted.get(kind.key()).and_then(Value::as_object).unwrap_or(&nothing);
            let others = below(others, kind.key());
            self.within(kind.key(), |below| below.entries(kind, left, (earlier, wanted, &others)))
        });
        groups.sum()
    }

    fn entries(&mut self, kind: Kind, left: &mut Object, states: States<'_>) -> usize {
        let (earlier, wanted, others) = states;
        let (mut kept, nothing) = (0, Map::new());
        for (name, earlier) in earlier {
            let (Some(entry), Some(earlier)) = (left.get_mut(name), earlier.as_object()) else { continue };
            let Some(members) = entry.as_object_mut() else { continue };
            let (is_wanted, others) = (wanted.contains_key(name), below(others, name));
            let wanted = wanted.get(name).and_then(Value::as_object).unwrap_or(&nothing);
            self.within(name, |inside| {
                inside.members(Some(kind.scope()), members, (earlier, wanted, &others))
            });
            if is_wanted {
                continue;
            }
            match (desired_state::settings(kind, entry), others.is_empty()) {
                (0, true) => drop(left.shift_remove(name)),
                (0, false) => self.within(name, |entry| entry.keep(&others)),
                (_, true) => kept += 1,
                (_, false) => {}
            }
        }
        kept
    }

    /// Removes the members that `earlier` has and `wanted` lacks. Members have meanings by their scope;
    /// without one, they are inside of a setting.
    fn members(&mut self, scope: Option<Scope>, left: &mut Object, states: States<'_>) {
        let (earlier, wanted, others) = states;
        for (key, earlier) in earlier.iter().filter(|(_, earlier)| !earlier.is_null()) {
            let shape = scope.and_then(|scope| scope.by_key(key)).map(|row| row.shape);
            if shape.is_some_and(|shape| shape.group().is_some() || shape.derived().is_some()) {
                continue;
            }
            let Some(value) = left.get_mut(key) else { continue };
            let others = below(others, key);
            let is_gone =
                self.within(key, |at| at.is_gone(shape, value, (earlier, wanted.get(key), &others)));
            if is_gone {
                left.shift_remove(key);
            }
        }
    }

    /// Removes from a value what is no longer wanted; returns true if nothing of it remains.
    fn is_gone(
        &mut self,
        shape: Option<Shape>,
        value: &mut Value,
        (earlier, wanted, others): (&Value, Option<&Value>, &OtherStates<'_>),
    ) -> bool {
        match (value, earlier, wanted) {
            (Value::Object(value), Value::Object(earlier), Some(Value::Object(wanted))) => {
                self.members(None, value, (earlier, wanted, others));
                false
            }
            (_, _, Some(_)) => false,
            (Value::Array(value), Value::Array(earlier), None) if shape.is_some_and(Shape::is_list) => {
                value.retain(|element| {
                    let has = |list: &[Value]| list.iter().any(|known| identity(known) == identity(element));
                    let is_of_other =
                        |(_, state): &(&str, &Value)| state.as_array().is_some_and(|list| has(list));
                    let has_it: Vec<_> = others.iter().copied().filter(is_of_other).collect();
                    let was_own = has(earlier);
                    if was_own {
                        self.keep(&has_it);
                    }
                    !was_own || !has_it.is_empty()
                });
                value.is_empty()
            }
            // A directive is one setting; a block that the schema does not know, or that of a port, has several.
            (Value::Object(value), Value::Object(earlier), None)
                if matches!(shape, None | Some(Shape::Blocks(_))) =>
            {
                self.members(None, value, (earlier, &Map::new(), others));
                value.is_empty() && others.is_empty()
            }
            _ => {
                self.keep(others);
                others.is_empty()
            }
        }
    }

    /// Remembers that the value stays for these owners, if there are any.
    fn keep(&mut self, others: &OtherStates<'_>) {
        self.owners.extend(others.iter().map(|(owner, _)| (*owner).to_owned()));
        let is_known = self.kept.iter().any(|kept| kept.keys == self.at);
        if !others.is_empty() && !is_known {
            self.kept.push(ChangedValue { keys: self.at.clone(), before: None, after: None });
        }
    }

    /// Visits the value below a key.
    fn within<T>(&mut self, key: &str, look: impl FnOnce(&mut Self) -> T) -> T {
        self.at.push(key.to_owned());
        let found = look(self);
        self.at.pop();
        found
    }
}

/// The states of one block: the earlier one of an owner, the new one, and those of others.
type States<'s> = (&'s Object, &'s Object, &'s OtherStates<'s>);

/// Returns the values of those owners below a key that have one there.
fn below<'v>(others: &OtherStates<'v>, key: &str) -> Vec<(&'v str, &'v Value)> {
    let found = others.iter().filter_map(|(owner, state)| Some((*owner, state.get(key)?)));
    found.filter(|(_, value)| !value.is_null()).collect()
}

/// Returns the part of an element that identifies it in a list: the address of a source, or a port.
fn identity(element: &Value) -> &Value {
    element.get(SOURCE.address).unwrap_or(element)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_the_owner_had_goes_and_what_others_set_stays() {
        let auth = |extra: Value| json!({"auth": {"url": "u", "extra": extra}});
        let sources =
            |names: &[&str]| names.iter().map(|name| json!({"url": name, "p": 1})).collect::<Value>();
        for (earlier, state, current, expected, kept) in [
            // Settings.
            (
                json!({"rtmp": 1, "rtsp": 2}),
                json!({"rtsp": 3}),
                json!({"rtmp": 9, "rtsp": 2, "x": 1}),
                json!({"rtmp": null, "rtsp": 3}),
                0,
            ),
            (json!({"rtmp": 1}), json!({}), json!({}), json!({}), 0),
            (json!({"rtmp": null}), json!({}), json!({"rtmp": 1}), json!({}), 0),
            (
                auth(json!({"a": "1"})),
                json!({"auth": {"url": "u"}}),
                auth(json!({"a": "1", "b": "2"})),
                json!({"auth": {"extra": {"a": null}, "url": "u"}}),
                0,
            ),
            (json!({"auth": {"url": "u"}}), json!({}), auth(json!({"b": "2"})), json!({"auth": null}), 0),
            (
                json!({"x": {"a": 1, "b": 2}}),
                json!({}),
                json!({"x": {"a": 1, "c": 3}}),
                json!({"x": {"a": null}}),
                0,
            ),
            (json!({"x": {"a": 1}}), json!({}), json!({"x": {"a": 1}}), json!({"x": null}), 0),
            // Lists.
            (json!({"http": [80]}), json!({}), json!({"http": [80, 81]}), json!({"http": [81]}), 0),
            (
                json!({"http": [80], "http_options": {"80": {"a": 1}}}),
                json!({"http": [81]}),
                json!({"http": [80], "http_options": {"80": {"a": 1}}}),
                json!({"http": [81]}),
                0,
            ),
            // Entries.
            (
                json!({"streams": {"a": {"static": true, "urls": sources(&["x"]), "auth": {"url": false}}, "b": {"prepush": 1}}}),
                json!({"streams": {"a": {"urls": sources(&["x"])}}}),
                json!({"streams": {
                    "a": {"static": true, "urls": sources(&["x"]), "auth": {"url": false}, "title": "t"},
                    "b": {"static": true, "prepush": 2, "urls": []},
                    "c": {"prepush": 1},
                }}),
                json!({"streams": {"b": null, "a": {"auth": null, "urls": sources(&["x"])}}}),
                0,
            ),
            (
                json!({"streams": {"a": {"urls": sources(&["x"]), "prepush": 1}}, "lives": {"l": {}}}),
                json!({}),
                json!({"streams": {"a": {"name": "a", "static": false, "urls": sources(&["y", "x"]), "prepush": 1}}, "lives": {"l": {"publish_enabled": true}}}),
                json!({"lives": {"l": null}, "streams": {"a": {"urls": sources(&["y"]), "prepush": null}}}),
                1,
            ),
            (
                json!({"streams": {"a": {"prepush": 1}}}),
                json!({"streams": {"a": null}}),
                json!({"streams": {"a": {"title": "t"}}}),
                json!({"streams": {"a": null}}),
                0,
            ),
        ] {
            let (patch, notes) = patch(std::slice::from_ref(&earlier), &[], &state, &current);
            assert_eq!(patch, expected, "{earlier} {state} {current}");
            let notes_expected: Vec<_> = (kept > 0).then_some(Note::EntriesKept(kept)).into_iter().collect();
            assert_eq!(notes, notes_expected, "{earlier} {state} {current}");
        }
        let current = json!({"rtmp": 1, "streams": {"a": {"prepush": 1}}});
        let state = json!({"streams": {"a": {}}});
        let first = patch(&[], &[], &state, &current);
        assert_eq!(first, (state, vec![Note::SettingsLacking(1)]), "the first time nothing is known");
        let earlier = [json!({"rtmp": 1}), json!({"streams": {"a": {"prepush": 1}}})];
        let both = patch(&earlier, &[], &json!({}), &current).0;
        assert_eq!(both, json!({"rtmp": null, "streams": {"a": null}}), "any of them may be in effect");
    }
}
