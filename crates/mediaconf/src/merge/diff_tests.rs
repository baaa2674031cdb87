use std::collections::HashSet;

use proptest::prelude::{Just, Strategy, proptest};
use serde_json::{Map, Value, json};

use super::{ChangedValue, positions};
use crate::query::Config;
use crate::schema::Schema;
use crate::schema::{Object, Place};

fn values_diff(from: &Value, to: &Value) -> Object {
    Config::from(from).patch_to(&Config::from(to))
}

#[test]
fn only_what_differs_is_given() {
    for case in r#"
        {"rtmp": 1, "runtime": {"a": 1}} -> {"rtmp": 1} = {}
        {"rtmp": 1} -> {"rtsp": 2} = {"rtmp": null, "rtsp": 2}
        {} -> {"http": [], "plugins": {}, "lives": {}, "streams": {}} = {}
        {"http": [80]} -> {} = {"http": []}
        {"x": {"a": 1, "b": 2}} -> {"x": {"b": 3}} = {"x": {"a": null, "b": 3}}
        {"x": {"a": 1}} -> {"x": 5} = {"x": 5}
        {"x": [1]} -> {"x": {"a": {}}} = {"x": {"a": {}}}
        {"x": 1} -> {"x": {}} = {"x": {}}
        {"edit_auth": {"login": "a", "password": "b"}} -> {"edit_auth": {"login": "a", "password": "c"}}
            = {"edit_auth": {"password": "c"}}
        {"auth": {"url": "x", "extra": {"a": "1"}}} -> {"auth": {"url": false, "extra": {"a": "1"}}}
            = {"auth": {"url": false, "extra": {"a": "1"}}}
        {"auth": {"url": "x", "extra": {"a": "1"}}} -> {"auth": {"url": false}} = {"auth": {"url": false}}
        {"auth": {"url": "x", "extra": {"a": "1"}}} -> {"auth": {"url": "x"}} = {"auth": {"extra": null}}
        {"streams": {"a": {"auth": {"url": "x", "url_global": "g"}}, "b": {"auth": {"url_global": "g"}}}}
            -> {"streams": {"a": {"auth": {"url_global": "h"}}, "b": {"auth": {"url": false, "url_global": "h"}},
                "c": {"auth": {"url_global": "h"}}}}
            = {"streams": {"a": {"auth": null}, "b": {"auth": {"url": false}}, "c": {}}}
        {"http": [80, 81], "http_options": {"80": {"a": 1}, "81": {"a": 1}}} -> {"http": [81]}
            = {"http_options": {"81": null}, "http": [81]}
        {"http": [80], "http_options": {"80": {"a": 1}}} -> {"http": []} = {"http": []}
        {"lives": {"a": {"prefix": "a", "static": false, "position": 1, "cluster_key_global": "x"}}}
            -> {"lives": {"a": {"prefix": "a", "static": false, "position": 1, "publish_enabled": true}}} = {}
        {"streams": {"a": {"name": "a", "static": true, "position": 1, "prepush": 1, "urls": []}}}
            -> {"streams": {"b": {"name": "b", "static": true, "position": 1, "urls": [{"url": "x"}]}}}
            = {"streams": {"a": null, "b": {"static": true, "urls": [{"url": "x"}]}}}
        {"plugins": {"a": {"name": "a", "position": 1}, "b": {"name": "b", "position": 2}}}
            -> {"plugins": {"c": {"name": "c", "position": 1}, "a": {"name": "a", "position": 2}, "b": {}}}
            = {"plugins": {"c": {"position": 1}}}
    "#
    .split("\n        {")
    .skip(1)
    {
        let case = format!("{{{}", case.replace(" = ", " -> "));
        let read = |value| serde_json::from_str::<Value>(value).expect(value);
        let values: Vec<Value> = case.split(" -> ").map(read).collect();
        let [from, to, expected] = &values[..] else { panic!("{case}") };
        assert_eq!(format!("{:#}", Value::Object(values_diff(from, to))), format!("{expected:#}"), "{case}");
    }
}

/// A merge by RFC 7396, without the members that a patch ignores.
fn merge(target: &mut Value, patch: &Value) {
    let Value::Object(patch) = patch else {
        *target = patch.clone();
        return;
    };
    if !target.is_object() {
        *target = Value::Object(Map::new());
    }
    let members = target.as_object_mut().expect("it was made one");
    for (key, value) in patch {
        match value {
            Value::Null => drop(members.shift_remove(key)),
            _ => merge(members.entry(key).or_insert(Value::Null), value),
        }
    }
}

/// A view as a merge leaves it: without what is derived, and without the blocks of ports that went.
fn own(view: &Value) -> Value {
    let mut own = Place::Root.own_value(view).expect("a view is an object");
    let ports: Vec<String> =
        view["http"].as_array().into_iter().flatten().map(|port| port.to_string().replace('"', "")).collect();
    if let Some(options) = own.get_mut("http_options").and_then(Value::as_object_mut) {
        options.retain(|port, _| ports.contains(port));
        if options.is_empty() {
            own.as_object_mut().expect("a view").shift_remove("http_options");
        }
    }
    own
}

fn views() -> Vec<Value> {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/fixtures/valid");
    let files =
        std::fs::read_dir(folder).expect("there are fixtures").map(|entry| entry.expect("a file").path());
    files
        .filter(|path| path.extension().is_some_and(|found| found == "json"))
        .map(|path| std::fs::read_to_string(path).expect("a fixture can be read"))
        .map(|text| serde_json::from_str(&text).expect("a fixture is JSON"))
        // A value that no patch may hold can't be reached by a patch.
        .filter(|view: &Value| Schema::normalize(view.clone()).is_ok())
        .collect()
}

#[test]
fn every_view_becomes_every_other() {
    let views = views();
    for from in &views {
        assert!(values_diff(from, from).is_empty());
        for to in &views {
            let patch = Value::Object(values_diff(from, to));
            Schema::normalize(patch.clone()).expect("it is a patch");
            let mut merged = own(from);
            merge(&mut merged, &patch);
            assert_eq!(own(&merged), own(to), "{from} {to}");
        }
    }
}

fn names_of(names: &[u8]) -> Vec<String> {
    names.iter().map(|name| char::from(*name).to_string()).collect()
}

/// The order after a merge that starts from `from`.
fn apply(from: &[u8], to: &[u8], positions: &[Option<usize>]) -> Vec<u8> {
    let mut blocks: Vec<u8> = from.iter().copied().filter(|name| to.contains(name)).collect();
    blocks.extend(to.iter().filter(|name| !from.contains(name)));
    let had = |name: u8| from.iter().position(|&before| before == name).map(|at| at + 1);
    let moves: Vec<(usize, u8)> = to
        .iter()
        .zip(positions)
        .filter_map(|(&name, position)| position.map(|wanted| (wanted, name)))
        .filter(|&(wanted, name)| had(name) != Some(wanted))
        .collect();
    let moved: HashSet<u8> = moves.iter().map(|&(_, name)| name).collect();
    blocks.retain(|name| !moved.contains(name));
    for (wanted, name) in moves {
        blocks.insert((wanted - 1).min(blocks.len()), name);
    }
    blocks
}

fn names() -> impl Strategy<Value = Vec<u8>> {
    (Just((0..9).collect::<Vec<u8>>()).prop_shuffle(), 0..=9usize)
        .prop_map(|(names, len)| names[..len].to_vec())
}

proptest! {
    #[test]
    fn a_merge_puts_all_in_order(from in names(), to in names()) {
        let positions = positions(&names_of(&from), &names_of(&to));
        assert_eq!(apply(&from, &to, &positions), to);
    }

    #[test]
    fn no_fewer_positions_would_do(from in names(), to in names()) {
        let given = positions(&names_of(&from), &names_of(&to)).iter().flatten().count();
        let wanted: Vec<usize> = (1..=to.len()).collect();
        for chosen in 0..1u16 << to.len() {
            let some = |&at: &usize| (chosen >> (at - 1) & 1 == 1).then_some(at);
            let tried: Vec<Option<usize>> = wanted.iter().map(some).collect();
            if apply(&from, &to, &tried) == to {
                assert!(chosen.count_ones() as usize >= given, "{tried:?}");
            }
        }
    }
}

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
        changed(three, json!({"streams": {"b": stream("b", 1), "c": stream("c", 2), "a": stream("a", 3)}})),
        json!([["streams/a/position", 1, 3]]),
    );
}
