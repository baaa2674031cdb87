use serde_json::{Map, Value, json};

use super::diff;
use crate::edit::normalize::normalize;
use crate::edit::schema_path::{Place, own_value};

#[test]
fn only_what_differs_is_given() {
    for (from, to, expected) in [
        (json!({"rtmp": 1, "runtime": {"a": 1}}), json!({"rtmp": 1}), json!({})),
        (json!({"rtmp": 1}), json!({"rtsp": 2}), json!({"rtmp": null, "rtsp": 2})),
        (json!({}), json!({"http": [], "plugins": {}, "lives": {}, "streams": {}}), json!({})),
        (json!({"http": [80]}), json!({}), json!({"http": []})),
        (json!({"x": {"a": 1, "b": 2}}), json!({"x": {"b": 3}}), json!({"x": {"a": null, "b": 3}})),
        (json!({"x": {"a": 1}}), json!({"x": 5}), json!({"x": 5})),
        (json!({"x": [1]}), json!({"x": {"a": {}}}), json!({"x": {"a": {}}})),
        (json!({"x": 1}), json!({"x": {}}), json!({"x": {}})),
        (
            json!({"edit_auth": {"login": "a", "password": "b"}}),
            json!({"edit_auth": {"login": "a", "password": "c"}}),
            json!({"edit_auth": {"password": "c"}}),
        ),
        (
            json!({"auth": {"url": "x", "extra": {"a": "1"}}}),
            json!({"auth": {"url": false, "extra": {"a": "1"}}}),
            json!({"auth": {"url": false, "extra": {"a": "1"}}}),
        ),
        (
            json!({"auth": {"url": "x", "extra": {"a": "1"}}}),
            json!({"auth": {"url": false}}),
            json!({"auth": {"url": false}}),
        ),
        (
            json!({"auth": {"url": "x", "extra": {"a": "1"}}}),
            json!({"auth": {"url": "x"}}),
            json!({"auth": {"extra": null}}),
        ),
        (
            json!({"streams": {"a": {"auth": {"url": "x", "url_global": "g"}}, "b": {"auth": {"url_global": "g"}}}}),
            json!({"streams": {
                "a": {"auth": {"url_global": "h"}},
                "b": {"auth": {"url": false, "url_global": "h"}},
                "c": {"auth": {"url_global": "h"}},
            }}),
            json!({"streams": {"a": {"auth": null}, "b": {"auth": {"url": false}}, "c": {}}}),
        ),
        (
            json!({"http": [80, 81], "http_options": {"80": {"a": 1}, "81": {"a": 1}}}),
            json!({"http": [81]}),
            json!({"http_options": {"81": null}, "http": [81]}),
        ),
        (json!({"http": [80], "http_options": {"80": {"a": 1}}}), json!({"http": []}), json!({"http": []})),
        (
            json!({"lives": {"a": {"prefix": "a", "static": false, "position": 1, "cluster_key_global": "x"}}}),
            json!({"lives": {"a": {"prefix": "a", "static": false, "position": 1, "publish_enabled": true}}}),
            json!({}),
        ),
        (
            json!({"streams": {"a": {"name": "a", "static": true, "position": 1, "prepush": 1, "urls": []}}}),
            json!({"streams": {"b": {"name": "b", "static": true, "position": 1, "urls": [{"url": "x"}]}}}),
            json!({"streams": {"a": null, "b": {"static": true, "urls": [{"url": "x"}]}}}),
        ),
        (
            json!({"plugins": {"a": {"name": "a", "position": 1}, "b": {"name": "b", "position": 2}}}),
            json!({"plugins": {"c": {"name": "c", "position": 1}, "a": {"name": "a", "position": 2}, "b": {}}}),
            json!({"plugins": {"c": {"position": 1}}}),
        ),
    ] {
        assert_eq!(format!("{:#}", Value::Object(diff(&from, &to))), format!("{expected:#}"), "{from} {to}");
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
    let mut own = own_value(Place::Root, view).expect("a view is an object");
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
        .filter(|view: &Value| normalize(view.clone()).is_ok())
        .collect()
}

#[test]
fn every_view_becomes_every_other() {
    let views = views();
    for from in &views {
        assert!(diff(from, from).is_empty());
        for to in &views {
            let patch = Value::Object(diff(from, to));
            normalize(patch.clone()).expect("it is a patch");
            let mut merged = own(from);
            merge(&mut merged, &patch);
            assert_eq!(own(&merged), own(to), "{from} {to}");
        }
    }
}
