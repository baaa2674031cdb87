//! Merges two changes of one JSON value: both started from the same base.

use crate::schema::Object;
use serde_json::Value;

/// Returns what `mine` and `theirs` made of `base` together; `None` is no value. Where both changed the same
/// value, each in its own way, `theirs` wins.
pub fn merge(base: Option<&Value>, mine: Option<&Value>, theirs: Option<&Value>) -> Option<Value> {
    if theirs == base {
        return mine.cloned();
    }
    match (base, mine, theirs) {
        (Some(Value::Object(base)), Some(Value::Object(mine)), Some(Value::Object(theirs))) => {
            Some(Value::Object(members(base, mine, theirs)))
        }
        (Some(Value::Array(base)), Some(Value::Array(mine)), Some(Value::Array(theirs))) => {
            Some(Value::Array(elements(base, mine, theirs)))
        }
        _ => theirs.cloned(),
    }
}

fn members(base: &Object, mine: &Object, theirs: &Object) -> Object {
    let names = [base, mine, theirs].map(|members| members.keys().collect::<Vec<_>>());
    let known = list(&names[0], &names[1], &names[2]);
    // A member that one removed and the other changed is in no merged order of names.
    let rest = theirs.keys().filter(|key| !known.contains(key));
    let all = known.iter().copied().chain(rest);
    all.filter_map(|key| Some((key.clone(), merge(base.get(key), mine.get(key), theirs.get(key))?))).collect()
}

/// Merges lists element by element where both kept the number, else as sets that have an order.
fn elements(base: &[Value], mine: &[Value], theirs: &[Value]) -> Vec<Value> {
    if base.len() == mine.len() && base.len() == theirs.len() {
        let all = base.iter().zip(mine).zip(theirs);
        return all
            .filter_map(|((base, mine), theirs)| merge(Some(base), Some(mine), Some(theirs)))
            .collect();
    }
    let refs = [base, mine, theirs].map(|list| list.iter().collect::<Vec<_>>());
    list(&refs[0], &refs[1], &refs[2]).into_iter().cloned().collect()
}

/// The elements of `theirs` without those that `mine` removed, and with those that it added behind the same
/// neighbour; in the order of `mine` if only that has another one than `base`.
fn list<'v, T: PartialEq>(base: &[&'v T], mine: &[&'v T], theirs: &[&'v T]) -> Vec<&'v T> {
    let mut merged: Vec<&T> =
        theirs.iter().copied().filter(|it| !base.contains(it) || mine.contains(it)).collect();
    for (index, added) in mine.iter().enumerate().filter(|(_, it)| !base.contains(it)) {
        if merged.contains(added) {
            continue;
        }
        let before = mine[..index].iter().rev().find_map(|it| merged.iter().position(|other| other == it));
        merged.insert(before.map_or(0, |before| before + 1), added);
    }
    if is_in_order(base, theirs) && !is_in_order(base, mine) {
        let mut ordered =
            mine.iter().filter(|it| merged.contains(it)).copied().collect::<Vec<_>>().into_iter();
        for slot in merged.iter_mut().filter(|it| mine.contains(it)) {
            *slot = ordered.next().unwrap_or(*slot);
        }
    }
    merged
}

/// True if the elements of both are in the same order.
fn is_in_order<T: PartialEq>(base: &[&T], other: &[&T]) -> bool {
    base.iter().filter(|it| other.contains(it)).eq(other.iter().filter(|it| base.contains(it)))
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::merge;

    #[test]
    fn both_changes_are_in_and_theirs_wins() {
        for (base, mine, theirs, merged) in [
            (json!({"a": 2}), json!({"a": 1}), json!({"a": 2, "b": 1}), json!({"a": 1, "b": 1})),
            (json!({"a": 2}), json!({}), json!({"a": 2, "b": 1}), json!({"b": 1})),
            (json!({"a": 2}), json!({"a": 1}), json!({"a": 3}), json!({"a": 3})),
            (json!({"a": 2}), json!({"a": 1}), json!({}), json!({})),
            (json!({"a": 2}), json!({}), json!({"a": 3}), json!({"a": 3})),
            (json!({}), json!({"a": 1}), json!({"b": 1}), json!({"a": 1, "b": 1})),
            (
                json!({"x": {"a": 2, "b": 1}}),
                json!({"x": {"a": 1, "b": 1}}),
                json!({"x": {"a": 2, "b": 2}}),
                json!({"x": {"a": 1, "b": 2}}),
            ),
            (json!([1, 2]), json!([1]), json!([1, 2, 3]), json!([1, 3])),
            (json!([1]), json!([1, 2]), json!([0, 1]), json!([0, 1, 2])),
            (json!([{"u": 2}]), json!([{"u": 1}]), json!([{"u": 2, "p": 1}]), json!([{"u": 1, "p": 1}])),
            (json!([2]), json!([1]), json!([2, 3]), json!([1, 3])),
            (
                json!({"a": 1, "b": 1, "c": 1}),
                json!({"c": 1, "a": 1, "b": 1}),
                json!({"a": 1, "b": 2, "c": 1}),
                json!({"c": 1, "a": 1, "b": 2}),
            ),
        ] {
            let made = merge(Some(&base), Some(&mine), Some(&theirs));
            assert_eq!(
                made.as_ref().map(Value::to_string),
                Some(merged.to_string()),
                "{base} {mine} {theirs}"
            );
        }
    }
}
