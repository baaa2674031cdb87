//! Lists the values in which several configurations differ, with who has which.

use std::collections::BTreeSet;

use serde_json::Value;

use super::changed_values;
use crate::edit::schema_path::{Place, own_value};

/// A place at which configurations differ.
#[derive(Debug, Clone, PartialEq)]
pub struct Drift {
    /// The keys and indices that lead to it from the root.
    pub keys: Vec<String>,
    /// Each value with the numbers of the configurations that have it, the most common one first; `None` is
    /// no value.
    pub values: Vec<(Option<Value>, Vec<usize>)>,
}

/// Returns the places at which these answers to `read_config` differ, in the order of the first one.
///
/// A place is as small as can be for all of them: where a block is missing somewhere, it is the block.
pub fn drift(views: &[Value]) -> Vec<Drift> {
    let Some((first, others)) = views.split_first() else { return Vec::new() };
    let mut found: Vec<Vec<String>> = Vec::new();
    let mut known = BTreeSet::new();
    for other in others {
        let keys = changed_values(first, other).into_iter().map(|changed| changed.keys);
        found.extend(keys.filter(|keys| known.insert(keys.clone())));
    }
    // A place that differs as a whole stands for all that is below it.
    let is_inside = |keys: &[String]| (1..keys.len()).any(|length| known.contains(&keys[..length]));
    let places = found.into_iter().filter(|keys| !is_inside(keys));
    places.map(|keys| Drift { values: by_value(&keys, views), keys }).collect()
}

fn by_value(keys: &[String], views: &[Value]) -> Vec<(Option<Value>, Vec<usize>)> {
    let mut values: Vec<(Option<Value>, Vec<usize>)> = Vec::new();
    for (number, view) in views.iter().enumerate() {
        let value = value_at(view, keys).map(|value| own(keys, value));
        match values.iter_mut().find(|(known, _)| *known == value) {
            Some((_, numbers)) => numbers.push(number),
            None => values.push((value, vec![number])),
        }
    }
    values.sort_by_key(|(_, numbers)| std::cmp::Reverse(numbers.len()));
    values
}

/// A stream, live or plugin without what is derived, such as its position; any other value as it is.
fn own(keys: &[String], value: &Value) -> Value {
    let place = keys.iter().try_fold(Place::Root, |place, key| place.member(key));
    let own =
        place.ok().filter(|place| matches!(place, Place::Block(_))).and_then(|place| own_value(place, value));
    own.unwrap_or_else(|| value.clone())
}

fn value_at<'v>(view: &'v Value, keys: &[String]) -> Option<&'v Value> {
    keys.iter().try_fold(view, |value, key| match value {
        Value::Array(elements) => elements.get(key.parse::<usize>().ok()?),
        value => value.get(key),
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn values_are_grouped_by_who_has_them() {
        let views = [
            json!({"rtsp": 554, "streams": {"a": {"prepush": 5}, "b": {"prepush": 1}}}),
            json!({"rtsp": 555, "streams": {"a": {"prepush": 6}, "b": {"prepush": 1}}}),
            json!({"rtsp": 554, "streams": {"a": {"prepush": 6}}}),
        ];
        let found = drift(&views);
        let shown: Vec<(String, Vec<Vec<usize>>)> = found
            .iter()
            .map(|drift| (drift.keys.join("."), drift.values.iter().map(|(_, who)| who.clone()).collect()))
            .collect();
        let expected = [
            ("rtsp", vec![vec![0, 2], vec![1]]),
            ("streams.a.prepush", vec![vec![1, 2], vec![0]]),
            ("streams.b", vec![vec![0, 1], vec![2]]),
        ];
        assert_eq!(shown, expected.map(|(keys, who)| (keys.to_owned(), who)));
        assert_eq!(found[2].values[1].0, None);
    }

    #[test]
    fn equal_configurations_and_none_do_not_differ() {
        assert_eq!(drift(&[]), []);
        assert_eq!(drift(&[json!({"rtsp": 1}), json!({"rtsp": 1})]), []);
    }

    #[test]
    fn a_block_that_differs_in_one_place_and_is_missing_in_another_is_one_place() {
        let block = |prepush: u64| json!({"streams": {"a": {"prepush": prepush}}});
        let found = drift(&[block(1), block(2), json!({"streams": {}})]);
        assert_eq!(found.len(), 1);
        assert_eq!((found[0].keys.join("."), found[0].values.len()), ("streams.a".to_owned(), 3));
    }

    /// A stream that one server lacks moves those behind it, and that says nothing about them.
    #[test]
    fn a_position_makes_no_other_value() {
        let stream =
            |name: &str, at: u32| json!({"name": name, "position": at, "static": true, "title": "x"});
        let views = [
            json!({"streams": {"a": stream("a", 1), "b": stream("b", 2)}}),
            json!({"streams": {"b": stream("b", 1)}}),
            json!({"streams": {"c": stream("c", 1), "a": stream("a", 2), "b": stream("b", 3)}}),
        ];
        let own = json!({"static": true, "title": "x"});
        let found: Vec<_> =
            drift(&views).into_iter().map(|drift| (drift.keys.join("/"), drift.values)).collect();
        let expected = [
            ("streams/a".to_owned(), vec![(Some(own.clone()), vec![0, 2]), (None, vec![1])]),
            ("streams/c".to_owned(), vec![(None, vec![0, 1]), (Some(own), vec![2])]),
        ];
        assert_eq!(found, expected);
    }
}
