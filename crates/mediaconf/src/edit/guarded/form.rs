//! Detects changes of the form that an unknown directive has in the text.
//!
//! The meaning of such a directive is unknown, so only its form can show that a patch is a mistake:
//! `push a; push b;` is hardly meant to become `push a c;`.

use crate::schema::{Object, Schema};
use serde_json::Value;

use super::super::align::align;
use super::super::typed::words;
use crate::schema::codec::{occurrences, split_occurrence};
use crate::schema::fault::{Fault, FaultKind};
use crate::schema::json_pointer::Pointer;
use crate::secret::Masker;

/// The change of form that a patch would make.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum FormChange {
    /// A directive with words becomes a block.
    WordsToBlock,
    /// A block becomes a directive without one.
    BlockToWords,
    /// Several words become one that holds white space.
    WordsToOne,
    /// Several occurrences become one with these words.
    OccurrencesToWords,
    /// Several occurrences become blocks.
    OccurrencesToBlock,
}

/// Adds a fault for each unknown directive in `patch` that would get another form than it has in
/// `current`, which are both the value of all occurrences of `keyword`.
pub(super) fn compare(
    keyword: &str,
    current: &Value,
    patch: &Value,
    pointer: &Pointer,
    faults: &mut Vec<Fault>,
) {
    match (current, patch) {
        // A bare flag has no words to lose.
        (_, Value::Null) | (Value::Bool(true), _) => {}
        (current, patch) if current == patch => {}
        (Value::Object(current), Value::Object(patch)) => contents(current, patch, pointer, faults),
        _ => {
            let old = occurrences(keyword, current);
            match change(keyword, &old, patch) {
                Some(change) => faults.push(fault(change, keyword, current, &old, patch, pointer)),
                None => nested(&old, &occurrences(keyword, patch), pointer, faults),
            }
        }
    }
}

fn contents(current: &Object, patch: &Object, pointer: &Pointer, faults: &mut Vec<Fault>) {
    for (key, value) in patch {
        if let Some(current) = current.get(key) {
            compare(key, current, value, &pointer.child(key), faults);
        }
    }
}

/// Returns how a patch changes the form of the occurrences, if it does.
fn change(keyword: &str, old: &[Value], patch: &Value) -> Option<FormChange> {
    match patch {
        Value::Object(_) if Schema::media().has_names(keyword) => return None,
        Value::Object(_) if old.len() > 1 => return Some(FormChange::OccurrencesToBlock),
        Value::Object(_) => return Some(FormChange::WordsToBlock),
        Value::Array(words)
            if old.len() > 1 && !Schema::media().repeats(keyword) && !words.iter().any(Value::is_array) =>
        {
            return Some(FormChange::OccurrencesToWords);
        }
        Value::Array(_) => {}
        _ if old.len() > 1 => return Some(FormChange::OccurrencesToWords),
        _ => {}
    }
    let new = occurrences(keyword, patch);
    pairs(old, &new).into_iter().find_map(|(old, new)| edited(old, new))
}

/// Pairs the occurrences that are edited in their places with their new values.
fn pairs<'v>(old: &'v [Value], new: &'v [Value]) -> Vec<(&'v Value, &'v Value)> {
    let origins = align(old, new).new.into_iter().zip(new);
    origins.filter_map(|(origin, new)| Some((&old[origin.edited()?], new))).collect()
}

fn edited(old: &Value, new: &Value) -> Option<FormChange> {
    let ((words, block), (_, new_block)) = (split_occurrence(old), split_occurrence(new));
    match (block, new_block) {
        (None, Some(_)) if !words.is_empty() => Some(FormChange::WordsToBlock),
        (Some(_), None) => Some(FormChange::BlockToWords),
        (None, None) if words.len() > 1 && is_one_with_blanks(new) => Some(FormChange::WordsToOne),
        _ => None,
    }
}

/// Compares the contents of the blocks of occurrences that stay.
fn nested(old: &[Value], new: &[Value], pointer: &Pointer, faults: &mut Vec<Fault>) {
    for (old, new) in pairs(old, new) {
        if let (Some(old), Some(new)) = (split_occurrence(old).1, split_occurrence(new).1) {
            contents(old, new, pointer, faults);
        }
    }
}

fn is_one_with_blanks(occurrence: &Value) -> bool {
    let (words, block) = split_occurrence(occurrence);
    matches!(words, [Value::String(word)] if word.contains(char::is_whitespace)) && block.is_none()
}

fn fault(
    change: FormChange,
    keyword: &str,
    current: &Value,
    old: &[Value],
    patch: &Value,
    pointer: &Pointer,
) -> Fault {
    let lines = || format!("there are {} `{keyword}` lines", old.len());
    let (found, made) = match change {
        FormChange::WordsToBlock => (format!("`{keyword}` has words"), "turn it into a block"),
        FormChange::BlockToWords => (format!("`{keyword}` has a block"), "replace it with words"),
        FormChange::WordsToOne => {
            (format!("`{keyword}` has several words"), "replace them with one quoted word")
        }
        FormChange::OccurrencesToWords => (lines(), "replace them with one"),
        FormChange::OccurrencesToBlock => (lines(), "replace them with blocks"),
    };
    let message = format!("{found} here, and this patch would {made}");
    let hint = match in_this_form(change, old, patch) {
        Some(value) => format!("in the present form this is `{}`", shown(&value, pointer)),
        None => format!("the present value is `{}`: send it with your change", shown(current, pointer)),
    };
    let hint =
        format!("{hint}; `--accept form-change` (over HTTP `accept=form-change`) makes the change anyway");
    Fault::at_pointer(FaultKind::FormChange, pointer.clone(), message).hint(hint)
}

/// The value of the patch in the form that the text has; `None` if it has no unambiguous conversion
/// between words and the parts of a block.
fn in_this_form(change: FormChange, old: &[Value], patch: &Value) -> Option<Value> {
    match (change, patch) {
        (FormChange::OccurrencesToWords, Value::Array(words)) => {
            let is_single = |occurrence: &Value| occurrence.as_array().is_some_and(|words| words.len() <= 1);
            Some(match old.iter().all(is_single) {
                true => words.iter().map(|word| Value::Array(vec![word.clone()])).collect(),
                false => old.iter().cloned().chain([patch.clone()]).collect(),
            })
        }
        (FormChange::OccurrencesToBlock, Value::Object(members)) => {
            let added = members.iter().map(as_occurrence).filter(|occurrence| !old.contains(occurrence));
            Some(old.iter().cloned().chain(added).collect())
        }
        (FormChange::WordsToOne, Value::String(text)) => {
            let words = words(text);
            Some(if old.len() > 1 { Value::Array(vec![words]) } else { words })
        }
        _ => None,
    }
}

/// A member of an object as an occurrence that its name starts.
fn as_occurrence((name, value): (&String, &Value)) -> Value {
    let rest = match value {
        Value::Array(words) => words.clone(),
        Value::Bool(true) | Value::Null => Vec::new(),
        Value::Object(members) if members.is_empty() => Vec::new(),
        other => vec![other.clone()],
    };
    [Value::String(name.clone())].into_iter().chain(rest).collect()
}

/// The number of characters of a value that are shown.
const MAX_SHOWN: usize = 300;

/// A value for a message, its secrets masked; of a long list the first elements.
fn shown(value: &Value, pointer: &Pointer) -> String {
    let keys = pointer.keys();
    let keys: Vec<&str> = keys.iter().map(String::as_str).collect();
    let masked = Masker::default().json_below(&keys, value);
    let whole = masked.to_string();
    match &masked {
        _ if whole.chars().count() <= MAX_SHOWN => whole,
        Value::Array(elements) => {
            let first = elements.first().map(Value::to_string).unwrap_or_default();
            let first: String = first.chars().take(MAX_SHOWN).collect();
            format!("[{first},…]")
        }
        _ => whole.chars().take(MAX_SHOWN).chain(['…']).collect(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn faults(current: Value, patch: Value) -> Vec<Fault> {
        let mut faults = Vec::new();
        compare("k", &current, &patch, &Pointer::root().child("k"), &mut faults);
        faults
    }

    #[test]
    fn form_change_is_refused_with_the_json_in_the_form_that_is_there() {
        for (current, patch, pointer, hint) in [
            (json!([["a"], ["b"]]), json!(["a", "c"]), "/k", r#"`[["a"],["c"]]`"#),
            (json!([["a"], ["b"]]), json!(["a"]), "/k", r#"`[["a"]]`"#),
            (json!([["a", "x"], ["b"]]), json!(["a", "c"]), "/k", r#"`[["a","x"],["b"],["a","c"]]`"#),
            (json!([["s1"], ["s2"]]), json!({"s3": {}}), "/k", r#"`[["s1"],["s2"],["s3"]]`"#),
            (json!([["s1"], ["s2"]]), json!({"s1": true}), "/k", r#"`[["s1"],["s2"]]`"#),
            (json!({"a": {}, "b": {}}), json!(["a", "c"]), "/k", "`[[\"a\",{}],"),
            (json!(["/storage", "7d"]), json!({"root": "/storage"}), "/k", r#"`["/storage","7d"]`"#),
            (json!("s1"), json!({}), "/k", r#"`"s1"`"#),
            (json!({"root": "/s"}), json!("/s"), "/k", r#"`{"root":"/s"}`"#),
            (json!({"a": {"x": 1}}), json!([["a"]]), "/k", r#"`{"a":{"x":1}}`"#),
            (json!([["a"], ["b", {"x": 1}]]), json!([["a"], ["b"]]), "/k", r#"["b",{"x":1}]"#),
            (json!(["/storage", "7d"]), json!("/storage 14d"), "/k", r#"`["/storage","14d"]`"#),
            (json!(["/storage", 7]), json!("/storage 14"), "/k", r#"`["/storage",14]`"#),
            (json!([["a"], ["b"]]), json!("a c"), "/k", r#"`[["a"],["b"]]`: send it"#),
            (json!([["a"], ["b"]]), json!("a"), "/k", r#"`[["a"],["b"]]`: send it"#),
            (json!([["a"], ["b", {"x": 1}]]), json!(7), "/k", r#"["b",{"x":1}]"#),
            (json!({"x": {"y": [["a"], ["b"]]}}), json!({"x": {"y": ["a", "c"]}}), "/k/x/y", "[[\"a\"],"),
        ] {
            let found = faults(current.clone(), patch.clone());
            let [fault] = &found[..] else { panic!("{current} {patch}: {found:?}") };
            assert_eq!(
                (fault.kind, fault.pointer.as_ref().map(Pointer::as_str)),
                (FaultKind::FormChange, Some(pointer))
            );
            let said = fault.hint.as_deref().unwrap_or_default();
            assert!(said.contains(hint) && said.contains("form-change"), "{current} {patch}: {said}");
        }
    }

    #[test]
    fn what_keeps_the_form_is_free() {
        for (current, patch) in [
            (json!([["a"], ["b"]]), json!([["a"], ["c"]])),
            (json!([["a"], ["b"]]), json!([["a"]])),
            (json!("a"), json!([["a"], ["b"]])),
            (json!("a"), json!("b c")),
            (json!("a"), json!(7)),
            (json!("a"), json!(["a", "b"])),
            (json!(true), json!({"x": 1})),
            (json!(true), json!(["a", "b"])),
            (json!(["a", "b"]), json!(["a", "c d"])),
            (json!(["a", "b"]), json!("c")),
            (json!({"x": 1}), json!({"x": 2, "y": 3})),
            (json!({"s1": {}}), json!({"s2": {}, "s1": null})),
            (json!({"s1": {}}), json!([["s1", {}], ["s2"]])),
            (json!([["a"], ["b"]]), json!(null)),
            (json!({"x": [["a"], ["b"]]}), json!({"x": null})),
        ] {
            assert_eq!(faults(current.clone(), patch.clone()), [], "{current} {patch}");
        }
    }

    #[test]
    fn no_secret_is_told() {
        let mut faults = Vec::new();
        let pointer = Pointer::root().child("streams").child("a").child("token");
        compare("token", &json!([["hush"], ["hidden"]]), &json!(["hush", "other"]), &pointer, &mut faults);
        let told = format!("{faults:?}");
        assert!(!told.contains("hush") && !told.contains("other") && !told.contains("hidden"), "{told}");
    }
}
