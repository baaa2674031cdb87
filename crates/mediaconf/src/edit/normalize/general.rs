//! Values of directives that the schema does not know, which have a general form.

use serde_json::{Map, Value};

use super::{Normalized, Normalizer};
use crate::edit::json_pointer::Pointer;
use crate::model::json_value::{is_scalar, kind_of};
use crate::model::member::keyword_of;
use crate::model::schema::{ESCAPE, Scope, block_scope, by_keyword, is_reserved};
use crate::model::secret::holds_mask;

impl Normalizer {
    pub(super) fn foreign_member(
        &mut self,
        scope: Scope,
        key: &str,
        value: Value,
        at: &Pointer,
    ) -> Normalized {
        if let Some(parameter) = by_keyword(scope, key) {
            let message = format!("`{key}` is a keyword of the text, not a key of the JSON");
            return self.wrong_with(at, message, format!("did you mean `{}`?", parameter.key));
        }
        if has_needless_escape(scope, key) {
            return self.needless_escape(key, at);
        }
        if key.contains('\0') || holds_mask(key) {
            return self.wrong(at, "a keyword can't be written like this");
        }
        if value.is_null() { Some(value) } else { self.general(keyword_of(scope, key), value, at) }
    }

    pub(super) fn needless_escape(&mut self, key: &str, at: &Pointer) -> Normalized {
        let keyword = key.strip_prefix(ESCAPE).unwrap_or(key);
        self.wrong_with(at, format!("`{key}` needs no `{ESCAPE}`"), format!("write it as `{keyword}`"))
    }

    /// A value under the general rule.
    pub(super) fn general(&mut self, keyword: &str, value: Value, at: &Pointer) -> Normalized {
        let scope = block_scope(keyword, 1);
        match value {
            Value::Object(_) if scope != Scope::Foreign => {
                self.each_member(value, at, |normalizer, name, value, at| match value {
                    Value::Object(block) => Some(Value::Object(normalizer.members(scope, block, at))),
                    Value::Null => Some(value),
                    value => normalizer.general(name, value, at),
                })
            }
            Value::Object(_) => self.contents_or_null(value, at),
            Value::Array(elements) => self.list(keyword, elements, at),
            scalar => self.scalar(scalar, at),
        }
    }

    pub(super) fn contents_or_null(&mut self, value: Value, at: &Pointer) -> Normalized {
        if value.is_null() {
            return Some(value);
        }
        let members = self.object(value, at)?;
        Some(Value::Object(self.members(Scope::Foreign, members, at)))
    }

    /// Words, or occurrences: an array of scalars, or an array of arrays.
    pub(super) fn list(&mut self, keyword: &str, elements: Vec<Value>, at: &Pointer) -> Normalized {
        if elements.is_empty() {
            return self.wrong_with(at, "an empty list can't be written", "null removes the directive");
        }
        let occurrences = elements.iter().any(Value::is_array);
        let expected = match occurrences {
            true => "a list of occurrences holds arrays of words",
            false => "a list of words holds strings, numbers and booleans",
        };
        self.all(elements, at, |normalizer, _, element, at| match element {
            Value::Array(words) if occurrences => normalizer.occurrence(keyword, words, at),
            scalar if is_scalar(&scalar) && !occurrences => normalizer.scalar(scalar, at),
            other => normalizer.wrong(at, format!("{expected}, not {}", kind_of(&other))),
        })
    }

    /// One occurrence: its words, and maybe the object of its block last.
    pub(super) fn occurrence(&mut self, keyword: &str, words: Vec<Value>, at: &Pointer) -> Normalized {
        let last = words.len().saturating_sub(1);
        let scope = block_scope(keyword, last);
        self.all(words, at, |normalizer, index, word, at| match word {
            Value::Object(members) if index == last => {
                let kept = members.into_iter().filter(|(_, value)| !value.is_null()).collect();
                Some(Value::Object(without_nulls(normalizer.members(scope, kept, at))))
            }
            Value::Object(_) => normalizer.wrong(at, "the object of an occurrence has to come last"),
            scalar if is_scalar(&scalar) => normalizer.scalar(scalar, at),
            other => {
                let expected = "an occurrence holds words and, last, one object";
                normalizer.wrong(at, format!("{expected}, not {}", kind_of(&other)))
            }
        })
    }
}

/// True if a key is escaped without need: only known keywords, and those that start with the escape
/// itself, are escaped.
pub(super) fn has_needless_escape(scope: Scope, key: &str) -> bool {
    scope != Scope::Foreign && key.starts_with(ESCAPE) && !is_reserved(scope, keyword_of(scope, key))
}

/// Drops null members of objects inside arrays: there is nothing to remove.
fn without_nulls(members: Map<String, Value>) -> Map<String, Value> {
    members
        .into_iter()
        .filter(|(_, value)| !value.is_null())
        .map(|(key, value)| match value {
            Value::Object(members) => (key, Value::Object(without_nulls(members))),
            other => (key, other),
        })
        .collect()
}
