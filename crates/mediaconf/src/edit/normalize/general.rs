//! Values of directives that the schema does not know, which have a general form.

use serde_json::Value;

use super::{Normalized, Normalizer};
use crate::edit::json_pointer::Pointer;
use crate::model::member::keyword_of;
use crate::model::secret::holds_mask;
use crate::schema::json_value::{is_scalar, kind_of};
use crate::schema::{ESCAPE, Object, Schema, Scope};

impl Normalizer {
    pub(super) fn foreign_member(
        &mut self,
        scope: Scope,
        key: &str,
        value: Value,
        pointer: &Pointer,
    ) -> Normalized {
        if let Some(parameter) = scope.by_keyword(key) {
            let message = format!("`{key}` is a keyword of the text, not a key of the JSON");
            return self.wrong_with(pointer, message, format!("did you mean `{}`?", parameter.key));
        }
        if has_needless_escape(scope, key) {
            return self.needless_escape(key, pointer);
        }
        if key.contains('\0') || holds_mask(key) {
            return self.wrong(pointer, "a keyword can't be written like this");
        }
        if value.is_null() { Some(value) } else { self.general(keyword_of(scope, key), value, pointer) }
    }

    pub(super) fn needless_escape(&mut self, key: &str, pointer: &Pointer) -> Normalized {
        let keyword = key.strip_prefix(ESCAPE).unwrap_or(key);
        self.wrong_with(pointer, format!("`{key}` needs no `{ESCAPE}`"), format!("write it as `{keyword}`"))
    }

    /// A value under the general rule.
    pub(super) fn general(&mut self, keyword: &str, value: Value, pointer: &Pointer) -> Normalized {
        let scope = Schema::media().block_scope(keyword, 1);
        match value {
            Value::Object(_) if !scope.is_unknown() => {
                self.each_member(value, pointer, |normalizer, name, value, pointer| match value {
                    Value::Object(block) => Some(Value::Object(normalizer.members(scope, block, pointer))),
                    Value::Null => Some(value),
                    value => normalizer.general(name, value, pointer),
                })
            }
            Value::Object(_) => self.contents_or_null(value, pointer),
            Value::Array(elements) => self.list(keyword, elements, pointer),
            scalar => self.scalar(scalar, pointer),
        }
    }

    pub(super) fn contents_or_null(&mut self, value: Value, pointer: &Pointer) -> Normalized {
        if value.is_null() {
            return Some(value);
        }
        let members = self.object(value, pointer)?;
        Some(Value::Object(self.members(Schema::media().unknown(), members, pointer)))
    }

    /// Words, or occurrences: an array of scalars, or an array of arrays.
    pub(super) fn list(&mut self, keyword: &str, elements: Vec<Value>, pointer: &Pointer) -> Normalized {
        if elements.is_empty() {
            return self.wrong_with(pointer, "an empty list can't be written", "null removes the directive");
        }
        let occurrences = elements.iter().any(Value::is_array);
        let expected = match occurrences {
            true => "a list of occurrences holds arrays of words",
            false => "a list of words holds strings, numbers and booleans",
        };
        self.all(elements, pointer, |normalizer, _, element, pointer| match element {
            Value::Array(words) if occurrences => normalizer.occurrence(keyword, words, pointer),
            scalar if is_scalar(&scalar) && !occurrences => normalizer.scalar(scalar, pointer),
            other => normalizer.wrong(pointer, format!("{expected}, not {}", kind_of(&other))),
        })
    }

    /// One occurrence: its words, and maybe the object of its block last.
    pub(super) fn occurrence(&mut self, keyword: &str, words: Vec<Value>, pointer: &Pointer) -> Normalized {
        let last = words.len().saturating_sub(1);
        let scope = Schema::media().block_scope(keyword, last);
        self.all(words, pointer, |normalizer, index, word, pointer| match word {
            Value::Object(members) if index == last => {
                let kept = members.into_iter().filter(|(_, value)| !value.is_null()).collect();
                Some(Value::Object(without_nulls(normalizer.members(scope, kept, pointer))))
            }
            Value::Object(_) => normalizer.wrong(pointer, "the object of an occurrence has to come last"),
            scalar if is_scalar(&scalar) => normalizer.scalar(scalar, pointer),
            other => {
                let expected = "an occurrence holds words and, last, one object";
                normalizer.wrong(pointer, format!("{expected}, not {}", kind_of(&other)))
            }
        })
    }
}

/// True if a key is escaped without need: only known keywords, and those that start with the escape
/// itself, are escaped.
pub(super) fn has_needless_escape(scope: Scope, key: &str) -> bool {
    !scope.is_unknown() && key.starts_with(ESCAPE) && !scope.is_reserved(keyword_of(scope, key))
}

/// Drops null members of objects inside arrays: there is nothing to remove.
fn without_nulls(members: Object) -> Object {
    members
        .into_iter()
        .filter(|(_, value)| !value.is_null())
        .map(|(key, value)| match value {
            Value::Object(members) => (key, Value::Object(without_nulls(members))),
            other => (key, other),
        })
        .collect()
}
