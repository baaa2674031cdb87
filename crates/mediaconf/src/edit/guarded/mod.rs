//! Changes that are rarely intended, and are refused unless they are accepted: another form of an
//! unknown directive, and a new unknown keyword that is nearly a known one.
//!
//! They are collected while an edit is planned, from the values that the plan reads anyway, so a small
//! patch needs no second pass over a large configuration. Only near misses are looked up in the whole:
//! a keyword that the configuration uses already is not a misspelling in this patch.

mod form;
mod spelling;

use std::collections::HashSet;

use serde_json::{Map, Value};

pub use spelling::misspelt;

use crate::schema::fault::{Fault, Faults};
use crate::schema::json_pointer::Pointer;
use crate::schema::members::{Members, keyword_of};
use crate::schema::{ForeignForm, Kind, Object, Schema, Scope};

/// The changes of one patch that are refused unless they are accepted.
#[derive(Debug, Default)]
pub struct Guarded {
    form_changes: Vec<Fault>,
    near_misses: Vec<spelling::Miss>,
}

impl Guarded {
    /// Compares the unknown members of a patch with the current ones.
    pub fn members(&mut self, scope: Scope, current: &Object, patch: &Object, pointer: &Pointer) {
        for (key, value) in patch.iter().filter(|(key, _)| scope.by_key(key).is_none()) {
            self.member(scope, key, current.get(key), value, &pointer.child(key));
        }
    }

    /// Compares one unknown member with the current one.
    pub fn member(
        &mut self,
        scope: Scope,
        key: &str,
        current: Option<&Value>,
        patch: &Value,
        pointer: &Pointer,
    ) {
        let keyword = keyword_of(scope, key);
        self.in_blocks(keyword, current, patch, pointer);
        match current {
            _ if patch.is_null() => {}
            Some(current) => form::compare(keyword, current, patch, pointer, &mut self.form_changes),
            None => self.near_misses.extend(spelling::Miss::find(scope, keyword, pointer)),
        }
    }

    /// Looks for near misses among the new members of the blocks of a foreign directive.
    fn in_blocks(&mut self, keyword: &str, current: Option<&Value>, patch: &Value, pointer: &Pointer) {
        let nothing = Map::new();
        let current = match current {
            None => &nothing,
            Some(Value::Object(members)) => members,
            Some(_) => return,
        };
        let (Some(row), Value::Object(patch)) = (Schema::media().foreign(keyword), patch) else { return };
        match row.form {
            ForeignForm::Block => self.new_members((Schema::media(), keyword), &[current], patch, pointer),
            ForeignForm::Named => {
                let blocks: Vec<_> = current.values().filter_map(Value::as_object).collect();
                let named = patch.iter().filter_map(|(name, block)| Some((name, block.as_object()?)));
                named.for_each(|(name, block)| {
                    self.new_members((Schema::media(), keyword), &blocks, block, &pointer.child(name))
                });
            }
            _ => {}
        }
    }

    /// Looks for near misses among the members of a block that none of `blocks` has.
    fn new_members(
        &mut self,
        (schema, keyword): (&Schema, &str),
        blocks: &[&Object],
        patch: &Object,
        pointer: &Pointer,
    ) {
        let is_used = |key: &str| blocks.iter().any(|block| block.contains_key(key));
        let new = patch.iter().filter(|(key, value)| !value.is_null() && !is_used(key));
        let inside = schema.block_scope(keyword, 1);
        self.near_misses.extend(new.filter_map(|(key, _)| {
            spelling::Miss::find_in_block(keyword, keyword_of(inside, key), &pointer.child(key))
        }));
    }

    /// Adds the changes of another patch.
    pub fn add(&mut self, other: Self) {
        self.form_changes.extend(other.form_changes);
        self.near_misses.extend(other.near_misses);
    }

    /// The faults of a patch of a document with these top-level members.
    pub fn in_document(self, members: &Members<'_>) -> Faults {
        self.into_faults(|kind| {
            let blocks = members.own_by_key(kind.key()).iter();
            let inside = blocks.flat_map(|block| block.children());
            inside.map(|entry| entry.keyword().into_owned()).collect()
        })
    }

    /// The faults of a patch for a configuration that is known only as JSON: `used` returns the keywords
    /// that the blocks of a kind have.
    fn into_faults(self, used: impl Fn(Kind) -> HashSet<String>) -> Faults {
        let mut faults = self.form_changes;
        faults.extend(spelling::not_used(self.near_misses, used));
        Faults(faults)
    }
}

/// Returns the guarded changes of a normalized patch of a configuration that is given as JSON.
pub fn in_json(current: &Value, patch: &Object) -> Faults {
    let nothing = Map::new();
    let members_of = |value: Option<&Value>| value.and_then(Value::as_object).cloned();
    let mut guarded = Guarded::default();
    let whole = current.as_object().unwrap_or(&nothing);
    guarded.members(Schema::media().top(), whole, patch, &Pointer::root());
    for (key, value) in patch {
        let (at, current) = (Pointer::root().child(key), current.get(key));
        let codec = Schema::media().top().by_key(key).map(|parameter| parameter.codec);
        match (codec.and_then(|codec| codec.facts().group), value) {
            (Some(kind), Value::Object(blocks)) => {
                for (name, block) in blocks {
                    let Some(block) = block.as_object() else { continue };
                    let current = members_of(current.and_then(|group| group.get(name)));
                    let current = current.unwrap_or_default();
                    guarded.members(kind.scope(), &current, block, &at.child(name));
                }
            }
            (None, Value::Object(_)) if codec.is_some_and(|codec| codec.facts().entries_of.is_some()) => {
                guarded.member(Schema::media().unknown(), key, current, value, &at);
            }
            _ => {}
        }
    }
    guarded.into_faults(|kind| {
        let blocks = current.get(kind.key()).and_then(Value::as_object).into_iter().flatten();
        let keys = blocks.filter_map(|(_, block)| block.as_object()).flatten().map(|(key, _)| key);
        keys.map(|key| keyword_of(kind.scope(), key).to_owned()).collect()
    })
}
