use std::collections::HashSet;

use proptest::prelude::{Just, Strategy, proptest};
use serde_json::{Value, json};

use super::{ChangedValue, positions};
use crate::query::Config;
use crate::schema::Object;

/// Cases of the form `FROM -> TO = EXPECTED`; a line that is indented further goes on with the one above.
fn cases(table: &str) -> impl Iterator<Item = [Value; 3]> {
    table.split("\n        {").skip(1).map(|case| {
        let case = format!("{{{}", case.replace(" = ", " -> "));
        let values: Vec<Value> =
            case.split(" -> ").map(|value| serde_json::from_str(value).expect(value)).collect();
        values.try_into().expect("from, to and what is expected")
    })
}

#[test]
fn only_what_differs_is_given() {
    for [from, to, expected] in cases(
        r#"
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
    "#,
    ) {
        let found = Value::Object(Config::from(&from).patch_to(&Config::from(&to)));
        assert_eq!(format!("{found:#}"), format!("{expected:#}"), "{from} {to}");
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
fn changed(from: &Value, to: &Value) -> Value {
    let list = ChangedValue::between(&Config::from(from), &Config::from(to)).into_iter();
    list.map(|value| json!([value.keys.join("/"), value.before, value.after])).collect()
}

#[test]
fn every_difference_is_listed_with_its_place() {
    for [from, to, expected] in cases(
        r#"
        {"rtmp": 1} -> {"rtmp": 1} = []
        {"rtmp": 1} -> {"rtsp": 2} = [["rtmp", 1, null], ["rtsp", null, 2]]
        {} -> {"http": [], "streams": {}} = []
        {"http": [80]} -> {"http": [81]} = [["http", [80], [81]]]
        {"http": [80]} -> {"http": [80, 81]} = [["http", [80], [80, 81]]]
        {"http": [80, 81], "http_options": {"81": {"api": true}}} -> {"http": [80]}
            = [["http", [80, 81], [80]], ["http_options", {"81": {"api": true}}, null]]
        {"streams": {"a": {"urls": [{"url": "x"}], "prepush": 1}}}
            -> {"streams": {"a": {"urls": [{"url": "y"}], "prepush": 1}}} = [["streams/a/urls/0/url", "x", "y"]]
        {"auth": {"url": "g"}, "streams": {"a": {"auth": {"url_global": "g"}}}}
            -> {"auth": {"url": "h"}, "streams": {"a": {"auth": {"url": "z", "url_global": "h"}}}}
            = [["auth/url", "g", "h"], ["streams/a/auth", null, {"url": "z"}]]
        {"auth": {"url": "x", "extra": {"a": "1"}}} -> {"auth": {"url": false}}
            = [["auth/url", "x", false], ["auth/extra", {"a": "1"}, null]]
        {"x": ["token", "a"]} -> {"x": ["token", "b"]} = [["x", ["token", "a"], ["token", "b"]]]
        {"x": {"a": {"b": 1}}} -> {"x": {"a": {"b": 2}}} = [["x/a/b", 1, 2]]
    "#,
    ) {
        assert_eq!(changed(&from, &to), expected);
    }
}

#[test]
fn a_position_is_listed_only_where_the_order_changed() {
    let streams = |names: &str| -> Value {
        let stream = |(at, name)| json!({"name": name, "position": at + 1, "static": true});
        let streams = names.chars().map(String::from).enumerate();
        json!({"streams": streams.map(|(at, name)| (name.clone(), stream((at, name)))).collect::<Object>()})
    };
    assert_eq!(changed(&streams("abc"), &streams("bc")), json!([["streams/a", {"static": true}, null]]));
    assert_eq!(changed(&streams("abc"), &streams("bca")), json!([["streams/a/position", 1, 3]]));
}
