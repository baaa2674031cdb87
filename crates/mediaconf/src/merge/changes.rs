//! Lists the values in which configurations differ, each with its place.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::diff::{block_changes, member, settings};
use crate::query::{Config, Path, Segment};
use crate::schema::{Object, Schema, Scope};
use crate::secret::Masker;
use crate::syntax::one_line;

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
        let mut walk = ChangeWalk::default();
        for key in keys_of(tops.each_ref()) {
            let Some(kind) = Schema::media().kind(key) else {
                walk.member(Scope::Top, key, tops.each_ref());
                continue;
            };
            for change in block_changes(kind, sides) {
                walk.keys = vec![key.clone(), change.name];
                if let [Some(old), Some(new)] = &change.both {
                    keys_of([old, new]).for_each(|key| walk.member(kind.scope(), key, [old, new]));
                    let positions = change.places.map(|place| place.map(|place| Value::from(place + 1)));
                    if change.position.is_some() {
                        let positions = positions.each_ref().map(Option::as_ref);
                        walk.below(Schema::POSITION, |walk| walk.value(positions));
                    }
                } else {
                    let both = change.both.map(|block| block.map(Value::Object));
                    walk.value(both.each_ref().map(Option::as_ref));
                }
            }
            walk.keys.clear();
        }
        walk.found
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
    pub fn masked(self, masker: &Masker) -> Self {
        let keys: Vec<&str> = self.keys.iter().map(String::as_str).collect();
        let shown = |value: Option<Value>| value.map(|value| masker.json_below(&keys, &value));
        Self { before: shown(self.before), after: shown(self.after), keys: masker.keys(&keys) }
    }

    /// The path, with the secrets in it masked.
    pub fn masked_path(&self, masker: &Masker) -> String {
        let keys: Vec<&str> = self.keys.iter().map(String::as_str).collect();
        let segment = |key: String| key.parse().map_or(Segment::Key(key), Segment::Index);
        Path { segments: masker.keys(&keys).into_iter().map(segment).collect() }.to_string()
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

#[derive(Default)]
struct ChangeWalk {
    keys: Vec<String>,
    found: Vec<ChangedValue>,
}

impl ChangeWalk {
    /// Looks at a member of a block. What counts is the patch, which knows the defaults; the block of a port goes with its
    /// port, also where no patch names it.
    fn member(&mut self, scope: Scope, key: &str, both: [&Object; 2]) {
        let is_of_list = scope.by_key(key).is_some_and(|row| row.codec.facts().entries_of.is_some());
        if is_of_list || member(scope, key, both).is_some() {
            self.below(key, |walk| walk.value(both.map(|side| side.get(key))));
        }
    }

    /// Looks at a value that no row of the schema takes apart.
    fn value(&mut self, both: [Option<&Value>; 2]) {
        match both {
            [before, after] if before == after => {}
            [Some(Value::Object(before)), Some(Value::Object(after))] => {
                for key in keys_of([before, after]) {
                    self.below(key, |walk| walk.value([before.get(key), after.get(key)]));
                }
            }
            // Of a list of words no element is shown alone: the word before it says whether it is a secret.
            [Some(Value::Array(before)), Some(Value::Array(after))]
                if before.len() == after.len() && before.iter().chain(after).all(Value::is_object) =>
            {
                for (index, (before, after)) in before.iter().zip(after).enumerate() {
                    self.below(&index.to_string(), |walk| walk.value([Some(before), Some(after)]));
                }
            }
            [before, after] => {
                let keys = self.keys.clone();
                self.found.push(ChangedValue { keys, before: before.cloned(), after: after.cloned() });
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
    use serde_json::json;

    use super::*;

    /// The changed values, each as `[keys, before, after]`.
    fn changed(from: Value, to: Value) -> Value {
        let list = ChangedValue::between(&Config::from(&from), &Config::from(&to)).into_iter();
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
