//! Lists the values in which two views of a configuration differ, each with its place.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::group_sides::GroupSides;
use super::members::{members, object, own_address};
use super::settings;
use crate::edit::config_lookup::ConfigLookup;
use crate::edit::path::{Path, Segment};
use crate::model::Masker;
use crate::model::redact::{masked_below, masked_keys};
use crate::schema::{Object, Schema, Scope};
use crate::syntax::one_line;

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
    /// The same, with the secrets in its values and in the names that lead to it masked.
    #[must_use]
    pub fn masked(self, masker: &Masker) -> Self {
        let keys: Vec<&str> = self.keys.iter().map(String::as_str).collect();
        let shown = |value: Option<Value>| value.map(|value| masked_below(&keys, &value, masker));
        Self { before: shown(self.before), after: shown(self.after), keys: masked_keys(&keys, masker) }
    }

    /// The path, with the secrets in it masked.
    pub fn masked_path(&self, masker: &Masker) -> String {
        let keys: Vec<&str> = self.keys.iter().map(String::as_str).collect();
        let segment = |key: String| key.parse().map_or(Segment::Key(key), Segment::Index);
        Path { segments: masked_keys(&keys, masker).into_iter().map(segment).collect() }.to_string()
    }

    /// The same for a message or a record: on one line, and a long one is cut.
    pub fn short_path(&self) -> String {
        let path = one_line(&self.masked_path(&Masker::default()));
        match path.char_indices().nth(LONGEST_PATH) {
            Some((end, _)) => format!("{}…", &path[..end]),
            None => path,
        }
    }
}

/// Returns the values in which two configurations differ, such as two answers to `read_config`.
///
/// A value is as small as can be: a member of an element of a list, unless the list grew or shrank; a
/// whole block only if it is new or gone. Derived values are left out, and a `position` that others caused.
pub fn changed_values(from: &dyn ConfigLookup, to: &dyn ConfigLookup) -> Vec<ChangedValue> {
    let mut values = Vec::new();
    each_changed_value(from, to, &mut |value| values.push(value));
    values
}

/// The same one by one, so that not all of them are in memory.
pub fn each_changed_value(
    from: &dyn ConfigLookup,
    to: &dyn ConfigLookup,
    take: &mut dyn FnMut(ChangedValue),
) {
    let sides = [from, to];
    let tops = sides.map(settings);
    let patch = members(Schema::media().top(), &tops[0], &tops[1]);
    let mut found = Found { keys: Vec::new(), take };
    let tops = tops.each_ref();
    for key in keys_of(tops) {
        match Schema::media().kind(key) {
            Some(kind) => found.below(key, |found| found.group(&GroupSides::new(kind, sides))),
            None => found.member(Schema::media().top(), key, tops, &patch),
        }
    }
}

/// The first of the values in which two configurations differ, and their number.
#[derive(Debug, Clone, Default)]
pub struct FirstChanges {
    /// The first ones.
    pub first: Vec<ChangedValue>,
    /// The number of all.
    pub count: usize,
}

impl FirstChanges {
    /// Compares two configurations, and keeps the first `most` of the values that differ.
    pub fn between(from: &dyn ConfigLookup, to: &dyn ConfigLookup, most: usize) -> Self {
        let mut found = Self::default();
        each_changed_value(from, to, &mut |value| {
            found.count += 1;
            if found.count <= most {
                found.first.push(value);
            }
        });
        found
    }

    /// The paths for a message, as [`paths_in_words`] has them.
    pub fn in_words(from: &dyn ConfigLookup, to: &dyn ConfigLookup) -> String {
        let Self { first, count } = Self::between(from, to, MOST_PATHS);
        in_words(&first, count)
    }
}

/// The number of paths that a message names.
const MOST_PATHS: usize = 10;

/// The number of characters of a path that it shows.
const LONGEST_PATH: usize = 80;

/// The paths of changed values for a message, with the secrets in them masked: `rtmp, streams.cam1.prepush`.
pub fn paths_in_words(changed: &[ChangedValue]) -> String {
    in_words(changed, changed.len())
}

fn in_words(first: &[ChangedValue], count: usize) -> String {
    let mut words: Vec<String> = first.iter().take(MOST_PATHS).map(ChangedValue::short_path).collect();
    let more = count.saturating_sub(MOST_PATHS);
    words.extend((more > 0).then(|| format!("and {more} more")));
    words.join(", ")
}

struct Found<'t> {
    keys: Vec<String>,
    take: &'t mut dyn FnMut(ChangedValue),
}

impl Found<'_> {
    /// Looks at the members of a block.
    fn members(&mut self, scope: Scope, both: [&Object; 2], patch: &Object) {
        for key in keys_of(both) {
            self.member(scope, key, both, patch);
        }
    }

    /// Looks at a member of a block. The patch between the two blocks knows defaults and derived members, so
    /// only the members that it names have changed. It need not name the block of a port that is removed
    /// with its port.
    fn member(&mut self, scope: Scope, key: &str, both: [&Object; 2], patch: &Object) {
        let codec = scope.by_key(key).map(|parameter| parameter.codec);
        if !patch.contains_key(key) && codec.is_none_or(|codec| codec.facts().entries_of.is_none()) {
            return;
        }
        let values = both.map(|members| members.get(key));
        self.below(key, |found| match codec.and_then(|codec| codec.facts().address) {
            Some(shape) => {
                let own = values.map(|value| own_address(shape, value).map(Value::Object));
                found.value(own.each_ref().map(Option::as_ref));
            }
            _ => found.value(values),
        });
    }

    /// Looks at the streams, lives or plugins.
    fn group(&mut self, sides: &GroupSides<'_>) {
        sides.each_name(0, &mut |name, stays| {
            self.below(name, |found| match stays {
                true => {
                    let Some(changed) = sides.changed(name) else { return };
                    found.members(sides.kind.scope(), changed.both.each_ref().map(object), &changed.patch);
                }
                false => found.value([Some(&Value::Object(sides.own(0, name))), None]),
            });
        });
        sides.each_name(1, &mut |name, was_there| {
            if !was_there {
                self.below(name, |found| found.value([None, Some(&Value::Object(sides.own(1, name)))]));
            }
        });
    }

    /// Looks at a value that no row of the schema takes apart.
    fn value(&mut self, both: [Option<&Value>; 2]) {
        match both {
            [before, after] if before == after => {}
            [Some(Value::Object(before)), Some(Value::Object(after))] => {
                for key in keys_of([before, after]) {
                    self.below(key, |found| found.value([before.get(key), after.get(key)]));
                }
            }
            // Of a list of words no element is shown alone: the word before it says whether it is a secret.
            [Some(Value::Array(before)), Some(Value::Array(after))]
                if before.len() == after.len() && before.iter().chain(after).all(Value::is_object) =>
            {
                for (index, elements) in before.iter().zip(after).enumerate() {
                    self.below(&index.to_string(), |found| found.value([Some(elements.0), Some(elements.1)]));
                }
            }
            [before, after] => {
                let keys = self.keys.clone();
                (self.take)(ChangedValue { keys, before: before.cloned(), after: after.cloned() });
            }
        }
    }

    fn below(&mut self, key: &str, look: impl FnOnce(&mut Self)) {
        self.keys.push(key.to_owned());
        look(self);
        self.keys.pop();
    }
}

/// The keys of both objects: those of the first, then those that only the second has.
fn keys_of([before, after]: [&Object; 2]) -> impl Iterator<Item = &String> {
    before.keys().chain(after.keys().filter(|key| !before.contains_key(*key)))
}

#[cfg(test)]
mod tests {

    use serde_json::{Value, json};

    use super::changed_values;

    /// The changed values, each as `[keys, before, after]`.
    fn changed(from: Value, to: Value) -> Value {
        let list = changed_values(&from, &to).into_iter();
        list.map(|value| json!([value.keys.join("/"), value.before, value.after])).collect()
    }

    #[test]
    fn every_difference_is_listed_with_its_place() {
        for (from, to, expected) in [
            (json!({"rtmp": 1}), json!({"rtmp": 1}), json!([])),
            (json!({"rtmp": 1}), json!({"rtsp": 2}), json!([["rtmp", 1, null], ["rtsp", null, 2]])),
            (json!({}), json!({"http": [], "streams": {}}), json!([])),
            (json!({"http": [80]}), json!({"http": [81]}), json!([["http", [80], [81]]])),
            (json!({"http": [80]}), json!({"http": [80, 81]}), json!([["http", [80], [80, 81]]])),
            (
                json!({"http": [80, 81], "http_options": {"81": {"api": true}}}),
                json!({"http": [80]}),
                json!([["http", [80, 81], [80]], ["http_options", {"81": {"api": true}}, null]]),
            ),
            (
                json!({"streams": {"a": {"urls": [{"url": "x"}], "prepush": 1}}}),
                json!({"streams": {"a": {"urls": [{"url": "y"}], "prepush": 1}}}),
                json!([["streams/a/urls/0/url", "x", "y"]]),
            ),
            (
                json!({"auth": {"url": "g"}, "streams": {"a": {"auth": {"url_global": "g"}}}}),
                json!({"auth": {"url": "h"}, "streams": {"a": {"auth": {"url": "z", "url_global": "h"}}}}),
                json!([["auth/url", "g", "h"], ["streams/a/auth", null, {"url": "z"}]]),
            ),
            (
                json!({"auth": {"url": "x", "extra": {"a": "1"}}}),
                json!({"auth": {"url": false}}),
                json!([["auth/url", "x", false], ["auth/extra", {"a": "1"}, null]]),
            ),
            (
                json!({"x": ["token", "a"]}),
                json!({"x": ["token", "b"]}),
                json!([["x", ["token", "a"], ["token", "b"]]]),
            ),
            (json!({"x": {"a": {"b": 1}}}), json!({"x": {"a": {"b": 2}}}), json!([["x/a/b", 1, 2]])),
        ] {
            assert_eq!(changed(from, to), expected);
        }
    }

    #[test]
    fn a_position_is_listed_only_where_the_order_changed() {
        let stream = |name: &str, position: u32| json!({"name": name, "position": position, "static": true});
        let three = json!({"streams": {"a": stream("a", 1), "b": stream("b", 2), "c": stream("c", 3)}});
        let gone = json!({"streams": {"b": stream("b", 1), "c": stream("c", 2)}});
        assert_eq!(changed(three.clone(), gone.clone()), json!([["streams/a", {"static": true}, null]]));
        assert_eq!(
            changed(
                three,
                json!({"streams": {"b": stream("b", 1), "c": stream("c", 2), "a": stream("a", 3)}})
            ),
            json!([["streams/a/position", 1, 3]]),
        );
    }
}
