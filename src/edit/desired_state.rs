//! The patch that a text means as a desired state.

use serde_json::{Map, Value};

use crate::model::schema::{Kind, Scope, by_key};
use crate::model::shape::group_name;
use crate::model::{Lens, View, to_json, top_members};
use crate::syntax::{Document, Entry};

/// Returns the own JSON view of a document without errors, as a merge patch.
///
/// What the view shows although the text has no directive for it is left out: what a desired state does
/// not mention stays.
pub fn desired_state(document: &Document) -> Value {
    let (members, lens) = (top_members(document), Lens { own_only: true, ..Lens::default() });
    let Value::Object(mut state) = to_json(&View::new(&members, &lens)) else { return Value::Null };
    for kind in Kind::ALL {
        let Some(blocks) = state.get_mut(kind.key()).and_then(Value::as_object_mut) else { continue };
        for entry in members.own_by_key(kind.key()) {
            let block = blocks.get_mut(&*group_name(*entry).value()).and_then(Value::as_object_mut);
            block.into_iter().for_each(|block| drop_defaults(kind.scope(), entry.children(), block));
        }
    }
    drop_defaults(Scope::Top, document.entries(), &mut state);
    Value::Object(state)
}

/// Drops the members that are always shown, and for which there is no directive. A source in the header
/// of a block has none, but is no default.
fn drop_defaults<'d>(
    scope: Scope,
    entries: impl Iterator<Item = Entry<'d>> + Clone,
    members: &mut Map<String, Value>,
) {
    members.retain(|key, value| {
        let Some(parameter) = by_key(scope, key).filter(|parameter| parameter.is_always_shown()) else {
            return true;
        };
        let is_default = match value {
            Value::Array(elements) => elements.is_empty(),
            Value::Object(blocks) => blocks.is_empty(),
            value => *value == Value::Bool(true),
        };
        !is_default || entries.clone().any(|entry| parameter.keywords.contains(&&*entry.keyword()))
    });
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_text_means_what_it_mentions() {
        for (text, state) in [
            ("", json!({})),
            ("http 80;", json!({"http": [80]})),
            ("stream a { prepush 5; }", json!({"streams": {"a": {"static": true, "prepush": 5}}})),
            (
                "auth http://x; ondemand b;",
                json!({"auth": {"url": "http://x"}, "streams": {"b": {"static": false}}}),
            ),
        ] {
            let found = desired_state(&Document::parse(text));
            assert_eq!(found, state, "{text}");
        }
    }
}
