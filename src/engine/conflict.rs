//! Conflicts between a change and a hand edit of the file that started from the same text.

use serde_json::Value;

use mediaconf::edit::Pointer;
use mediaconf::edit::config_lookup::{ConfigLookup, LocalView};
use mediaconf::edit::merge::own_lens;
use mediaconf::model::{Kind, top_members};
use mediaconf::syntax::Document;

/// A value that both changed, each in its own way.
#[derive(Debug, Clone, PartialEq)]
pub struct Conflict {
    /// The place of the value, as a JSON pointer (RFC 6901).
    pub pointer: String,
    /// The value that both started from, if there was one.
    pub base: Option<Value>,
    /// The value in the file now.
    pub theirs: Option<Value>,
    /// The value of the change; null removes.
    pub mine: Value,
}

/// Returns the values that `patch` sets and that differ between `base` and `theirs`.
///
/// Both documents are without errors. Only the values that the patch names are compared.
pub fn conflicts(base: &Document, theirs: &Document, patch: &Value) -> Vec<Conflict> {
    let lens = own_lens();
    let (base, theirs) = (top_members(base), top_members(theirs));
    let (base, theirs) = (LocalView::new(&base, &lens), LocalView::new(&theirs, &lens));
    let mut found = Vec::new();
    for (key, value) in patch.as_object().into_iter().flatten() {
        match value.as_object().filter(|_| is_group(key)) {
            Some(blocks) => blocks.iter().for_each(|(name, value)| {
                let at = [key.as_str(), name.as_str()];
                compare(&mut found, &at, base.value(&at), theirs.value(&at), value);
            }),
            None => compare(&mut found, &[key], base.value(&[key]), theirs.value(&[key]), value),
        }
    }
    found
}

fn is_group(key: &str) -> bool {
    Kind::of_key(key).is_some()
}

fn compare(
    found: &mut Vec<Conflict>,
    at: &[&str],
    base: Option<Value>,
    theirs: Option<Value>,
    patch: &Value,
) {
    if base == theirs || theirs.as_ref() == Some(patch) || (theirs.is_none() && patch.is_null()) {
        return;
    }
    match (&base, &theirs, patch) {
        (Some(Value::Object(base)), Some(Value::Object(theirs)), Value::Object(patch)) => {
            for (key, value) in patch {
                let inner: Vec<&str> = at.iter().copied().chain([key.as_str()]).collect();
                compare(found, &inner, base.get(key).cloned(), theirs.get(key).cloned(), value);
            }
        }
        _ => found.push(Conflict {
            pointer: Pointer::from_keys(at).as_str().to_owned(),
            base,
            theirs,
            mine: patch.clone(),
        }),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn pointers(base: &str, theirs: &str, patch: Value) -> Vec<String> {
        let [base, theirs] = [base, theirs].map(|text| Document::parse(text.to_owned()));
        conflicts(&base, &theirs, &patch).into_iter().map(|clash| clash.pointer).collect()
    }

    #[test]
    fn only_what_both_touch_clashes() {
        let base = "rtmp 1;\nstream a { url u; prepush 1; }\nstream b { url u; }\n";
        let theirs = "rtmp 2;\nstream a { url u; prepush 5; }\nstream c { url u; }\n";
        for (patch, expected) in [
            (json!({"rtsp": 5}), vec![]),
            (json!({"rtmp": 3}), vec!["/rtmp"]),
            (json!({"rtmp": 2}), vec![]),
            (json!({"streams": {"a": {"title": "x"}}}), vec![]),
            (json!({"streams": {"a": {"prepush": 7}}}), vec!["/streams/a/prepush"]),
            (json!({"streams": {"a": null}}), vec!["/streams/a"]),
            (json!({"streams": {"b": null}}), vec![]),
            (json!({"streams": {"b": {"title": "x"}}}), vec!["/streams/b"]),
            (json!({"streams": {"c": {"title": "x"}}}), vec!["/streams/c"]),
            (json!({"streams": {"d": {"urls": []}}, "rtmp": null}), vec!["/rtmp"]),
        ] {
            assert_eq!(pointers(base, theirs, patch.clone()), expected, "{patch}");
        }
    }
}
