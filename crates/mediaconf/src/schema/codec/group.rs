//! `stream NAME { … }` repeated, an object by name.

use std::collections::HashSet;
use std::fmt;

use serde_json::Value;

use super::{
    BlockHead, Codec, Derived, Entry, Facts, Fault, FaultKind, Faults, Group, JsonForm, Kind, Members,
    Normalizer, Object, Old, POSITION, Parameter, Place, Pointer, STATIC, Word, block, each_normalized,
    foreign_values, keyword_of, merge_member, object, quoted_if_needed, write_members,
};

/// The name in the header of a stream, live or plugin.
pub fn group_name(entry: Entry<'_>) -> Word<'_> {
    entry.arguments().next().expect("an entry that fits a group has a name")
}

impl BlockHead<'_, '_> {
    /// The members of the block, whose entries are grouped.
    pub fn read(&self, members: &Members<'_>) -> Object {
        let own = members
            .each_own()
            .filter_map(|(row, entries)| Some((row.key.to_owned(), row.read(entries, Some(self))?)));
        own.chain(foreign_values(members)).collect()
    }
}

impl Kind {
    /// The own members of a block.
    pub fn read(self, entry: Entry<'_>) -> Object {
        let members = Members::group(self.scope(), entry.children());
        BlockHead { kind: self, entry, position: 0, globals: None }.read(&members)
    }

    /// The own members that an empty block shows.
    fn of_nothing(self) -> Object {
        let shown = |row: &Parameter| match row.codec.facts().derived {
            Some(Derived::Static) => Some(true.into()),
            Some(Derived::NeverStatic) => Some(false.into()),
            _ => row.value_of_nothing(),
        };
        self.scope().rows().filter_map(|row| Some((row.key.to_owned(), shown(row)?))).collect()
    }

    /// The own members of a block after a patch; of a new one if there is none yet.
    pub fn merge(
        self,
        current: Option<(&Object, &Members<'_>)>,
        patch: &Object,
        at: &Pointer,
    ) -> Result<Object, Faults> {
        let nothing = self.of_nothing();
        let mut merged = current.map_or_else(|| nothing.clone(), |(own, _)| own.clone());
        let mut faults = Faults::default();
        for (key, value) in patch.iter().filter(|(key, _)| *key != POSITION) {
            let at = at.child(key);
            let value = match self.scope().by_key(key) {
                Some(row) => row.merge(merged.get(key), value, &at, &mut faults),
                None => {
                    let keyword = keyword_of(self.scope(), key);
                    let entries = current.map_or(&[][..], |(_, members)| members.foreign_by_keyword(keyword));
                    merge_member((self.scope(), key), entries, value, &at, &mut faults)
                }
            };
            // A removed member leaves a null: closing the gap each time would move all later members.
            let value = value.or_else(|| nothing.get(key).cloned()).unwrap_or(Value::Null);
            merged.insert(key.clone(), value);
        }
        merged.retain(|_, value| !value.is_null());
        faults.into_result(merged)
    }

    /// A new block with these own members.
    pub fn write(self, name: &str, members: &Object) -> String {
        let keyword = self.keyword(members.get(STATIC) == Some(&Value::Bool(false)));
        let fields = write_members(self.scope(), members);
        let fields = (self.has_sources() || !fields.is_empty()).then_some(fields);
        block(keyword, [quoted_if_needed(name).into_owned()], fields)
    }
}

impl fmt::Debug for Group {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.key)
    }
}

impl Group {
    fn block(&self, name: &str, value: Value, at: &Pointer, normalizer: &mut Normalizer) -> Option<Value> {
        if value.is_null() {
            return Some(value);
        }
        if normalizer.is_unwritable(name) {
            return normalizer.wrong(at, format!("a {} can't have this name", self.noun));
        }
        let mut members = normalizer.object(value, at)?;
        if members.shift_remove(self.name).is_some_and(|given| given != name) {
            let message = format!("it differs from its key `{name}`");
            let hint = format!("to rename, delete the {} and create it under the new name", self.noun);
            let fault = Fault::at_pointer(FaultKind::ReadOnly, at.child(self.name), message);
            return normalizer.refuse(fault.hint(hint));
        }
        Some(Value::Object(each_normalized(self.scope, members, at, normalizer)))
    }
}

impl Codec for Group {
    fn fits(&self, entry: Entry<'_>) -> bool {
        match self.has_sources && !entry.is_block() {
            true => entry.count_arguments() > 0,
            false => entry.count_arguments() == 1,
        }
    }

    fn read(&self, entries: &[Entry<'_>], _: Option<&BlockHead<'_, '_>>) -> Option<Value> {
        let kind = self.scope.kind()?;
        let blocks = entries
            .iter()
            .map(|&entry| (group_name(entry).value().into_owned(), Value::Object(kind.read(entry))));
        (!entries.is_empty()).then(|| blocks.collect())
    }

    fn normalize(&self, value: Value, at: &Pointer, normalizer: &mut Normalizer) -> Option<Value> {
        let normalized = normalizer
            .each_member(value, at, |normalizer, name, value, at| self.block(name, value, at, normalizer))?;
        let mut seen = HashSet::new();
        for (name, value) in normalized.as_object().into_iter().flatten() {
            if let Some(position) = value.get(POSITION).and_then(Value::as_i64)
                && !seen.insert(position)
            {
                let message = format!("two blocks can't both be at position {position}");
                normalizer.wrong(&at.child(name).child(POSITION), message);
            }
        }
        Some(normalized)
    }

    /// Entries of a name merge; null removes the entry.
    fn merge(&self, old: Old<'_, '_>, patch: &Value, at: &Pointer, faults: &mut Faults) -> Option<Value> {
        let kind = self.scope.kind()?;
        let mut blocks = old.value.and_then(Value::as_object).cloned().unwrap_or_default();
        for (name, patch) in patch.as_object()? {
            let Value::Object(patch) = patch else {
                blocks.shift_remove(name);
                continue;
            };
            let entry = old.entries.iter().copied().find(|&entry| group_name(entry).value() == *name);
            let own = entry.map(|entry| (kind.read(entry), Members::group(self.scope, entry.children())));
            let current = own.as_ref().map(|(own, members)| (own, members));
            let merged = faults.take(kind.merge(current, patch, &at.child(name)))?;
            blocks.insert(name.clone(), merged.into());
        }
        Some(Value::Object(blocks))
    }

    fn write(&self, _: &str, value: &Value) -> Vec<String> {
        let blocks = value.as_object().into_iter().flatten();
        let blocks = blocks.filter_map(|(name, block)| Some((name, block.as_object()?)));
        let kind = self.scope.kind();
        blocks.filter_map(|(name, block)| Some(kind?.write(name, block))).collect()
    }

    fn member(&'static self, _: &str) -> Result<Place, Fault> {
        Ok(Place::Block(Kind(self)))
    }

    fn parse(&self, text: &str) -> Result<Value, Fault> {
        object(text)
    }

    fn has_options(&self, _: Entry<'_>) -> bool {
        self.has_sources
    }

    fn facts(&'static self) -> Facts {
        Facts {
            usage: self.usage,
            json_form: self.json_form,
            value_type: "object of objects",
            json: JsonForm::Object,
            group: Some(Kind(self)),
            ..Facts::NONE
        }
    }
}
