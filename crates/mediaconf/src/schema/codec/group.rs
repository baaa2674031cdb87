//! `stream NAME { … }` repeated, an object by name.

use std::collections::HashSet;

use serde_json::Value;

use super::general::{each_normalized, merge_into, read_members, write_members};
use super::{BlockHead, Codec, Derived, Facts, JsonForm, Place, block, object};
use crate::schema::fault::{Fault, FaultKind, Faults};
use crate::schema::json_pointer::Pointer;
use crate::schema::members::Members;
use crate::schema::patch::Normalizer;
use crate::schema::row::{Kind, POSITION, Parameter, STATIC};
use crate::schema::scalar::Object;
use crate::syntax::{Entry, Word, quoted_if_needed};

/// The name in the header of a stream, live or plugin.
pub fn group_name(entry: Entry<'_>) -> Word<'_> {
    entry.arguments().next().expect("an entry that fits a group has a name")
}

impl Kind {
    /// The own members of a block.
    pub fn read(self, entry: Entry<'_>) -> Object {
        let members = Members::group(self.scope(), entry.children());
        read_members(&members, Some(&BlockHead { kind: self, entry, position: 0, globals: None }))
    }

    /// The own members of a block after a patch; of a new one if there is none yet.
    pub fn merge(
        self,
        current: Option<(&Object, &Members<'_>)>,
        patch: &Object,
        at: &Pointer,
    ) -> Result<Object, Faults> {
        let mut faults = Faults::default();
        // What an empty block shows.
        let shown = |row: &Parameter| match row.codec.facts().derived {
            Some(Derived::Static) => Some(true.into()),
            Some(Derived::NeverStatic) => Some(false.into()),
            _ => row.value_of_nothing(),
        };
        let nothing = self.scope().rows().filter_map(|row| Some((row.key.to_owned(), shown(row)?)));
        let nothing: Object = nothing.collect();
        let empty = Members::empty(self.scope());
        let (own, members) = current.unwrap_or((&nothing, &empty));
        let mut merged = merge_into(own.clone(), members, patch, at, &mut faults);
        for (key, value) in nothing {
            merged.entry(key).or_insert(value);
        }
        merged.shift_remove(POSITION);
        faults.into_result(merged)
    }

    /// A new block with these own members.
    pub fn write(self, name: &str, members: &Object) -> String {
        let keyword = self.keyword(members.get(STATIC) == Some(&Value::Bool(false)));
        let fields = write_members(self.scope(), members);
        let fields = (self.has_sources() || !fields.is_empty()).then_some(fields);
        block(keyword, [quoted_if_needed(name).into_owned()], fields)
    }

    fn normalized(self, name: &str, value: Value, normalizer: &mut Normalizer) -> Option<Value> {
        if value.is_null() {
            return Some(value);
        }
        if normalizer.is_unwritable(name) {
            return normalizer.wrong(format!("a {} can't have this name", self.noun()), "");
        }
        let mut members = normalizer.object(value)?;
        if members.shift_remove(self.name()).is_some_and(|given| given != name) {
            let message = format!("it differs from its key `{name}`");
            let hint = format!("to rename, delete the {0} and create it under the new name", self.noun());
            return normalizer
                .below(self.name(), |normalizer| normalizer.refuse(FaultKind::ReadOnly, message, &hint));
        }
        Some(each_normalized(self.scope(), members, normalizer))
    }
}

impl Codec for Kind {
    fn fits(&self, entry: Entry<'_>) -> bool {
        match self.has_sources() && !entry.is_block() {
            true => entry.count_arguments() > 0,
            false => entry.count_arguments() == 1,
        }
    }

    fn read(&self, entries: &[Entry<'_>], _: Option<&BlockHead<'_, '_>>) -> Option<Value> {
        let blocks = entries
            .iter()
            .map(|&entry| (group_name(entry).value().into_owned(), Value::Object(Kind::read(*self, entry))));
        (!entries.is_empty()).then(|| blocks.collect())
    }

    fn normalize(&self, value: Value, normalizer: &mut Normalizer) -> Option<Value> {
        let mut seen = HashSet::new();
        normalizer.each_member(value, |normalizer, name, value| {
            let block = self.normalized(name, value, normalizer)?;
            if let Some(position) = block.get(POSITION).and_then(Value::as_i64)
                && !seen.insert(position)
            {
                let message = format!("two blocks can't both be at position {position}");
                normalizer.below(POSITION, |normalizer| normalizer.wrong(message, ""));
            }
            Some(block)
        })
    }

    fn member(&'static self, _: &str) -> Result<Place, Fault> {
        Ok(Place::Block(*self))
    }

    fn parse(&self, text: &str) -> Result<Value, Fault> {
        object(text)
    }

    fn facts(&'static self) -> Facts {
        let (usage, json_form) = match self {
            Self::Streams => ("a NAME, then a URL or a block", "an object by name"),
            Self::Lives => ("a NAME, and maybe a block", "an object by prefix"),
            Self::Plugins => ("a NAME, and maybe a block", "an object by name"),
        };
        let described = Facts::new(usage, json_form, "object of objects", JsonForm::Object);
        Facts { group: Some(*self), ..described }
    }
}
