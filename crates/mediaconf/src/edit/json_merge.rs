//! Merges JSON by RFC 7396, for a configuration without its text.

use crate::schema::Object;
use serde_json::{Map, Value};

/// Merges `patch` into `target`, as section 2 of the RFC says.
pub fn merge(target: &mut Value, patch: &Value) {
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
            value => merge(members.entry(key.clone()).or_insert(Value::Null), value),
        }
    }
}

/// Makes one patch of two: it does what `first` and then `second` do.
pub fn compose(first: &mut Object, second: Object) {
    for (key, value) in second {
        match (first.get_mut(&key), value) {
            (Some(Value::Object(below)), Value::Object(members)) => compose(below, members),
            (_, value) => {
                first.insert(key, value);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::{compose, merge};

    #[test]
    fn a_patch_of_two_does_what_both_do() {
        for (first, second, one) in [
            (json!({"a": 1}), json!({"b": null}), json!({"a": 1, "b": null})),
            (json!({"a": {"b": 1, "c": 2}}), json!({"a": {"b": null}}), json!({"a": {"b": null, "c": 2}})),
            (json!({"a": null}), json!({"a": {"b": 1}}), json!({"a": {"b": 1}})),
            (json!({"a": [1]}), json!({"a": [2]}), json!({"a": [2]})),
        ] {
            let mut made = first.as_object().cloned().expect("it is one");
            compose(&mut made, second.as_object().cloned().expect("it is one"));
            assert_eq!(Value::Object(made), one, "{first} {second}");
        }
    }

    fn check(mut target: Value, patch: Value, expected: Value) {
        merge(&mut target, &patch);
        assert_eq!(target.to_string(), expected.to_string());
    }

    #[test]
    fn the_examples_of_the_rfc() {
        check(json!({"a":"b"}), json!({"a":"c"}), json!({"a":"c"}));
        check(json!({"a":"b"}), json!({"b":"c"}), json!({"a":"b","b":"c"}));
        check(json!({"a":"b"}), json!({"a":null}), json!({}));
        check(json!({"a":"b","b":"c"}), json!({"a":null}), json!({"b":"c"}));
        check(json!({"a":["b"]}), json!({"a":"c"}), json!({"a":"c"}));
        check(json!({"a":{"b":"c"}}), json!({"a":{"b":"d","c":null}}), json!({"a":{"b":"d"}}));
        check(json!({"a":[{"b":"c"}]}), json!({"a":[1]}), json!({"a":[1]}));
        check(json!(["a", "b"]), json!(["c", "d"]), json!(["c", "d"]));
        check(json!({"a":"foo"}), json!("bar"), json!("bar"));
        check(json!({"e":null}), json!({"a":1}), json!({"e":null,"a":1}));
        check(json!([1, 2]), json!({"a":"b","c":null}), json!({"a":"b"}));
        check(json!({}), json!({"a":{"bb":{"ccc":null}}}), json!({"a":{"bb":{}}}));
    }
}
