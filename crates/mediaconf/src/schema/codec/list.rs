//! `http 80;` repeated, an array of values, and the blocks of these directives.

use std::collections::HashSet;

use serde_json::Value;

use super::{
    BlockHead, Codec, ELEMENTS, Entry, Facts, Fault, JsonForm, ListShape, Normalizer, OWN_PATH, Place,
    Pointer, Schema, block_value, directive, each_normalized, elements, first_argument, is_list, is_scalar,
    object, of_kind, plain_word,
};

impl Codec for ListShape {
    fn fits(&self, entry: Entry<'_>) -> bool {
        self.kind.value(entry).is_some()
    }

    fn read(&self, entries: &[Entry<'_>], _: Option<&BlockHead<'_, '_>>) -> Option<Value> {
        let values = entries.iter().filter_map(|&entry| self.kind.value(entry)).map(Value::from);
        (!entries.is_empty()).then(|| values.collect())
    }

    fn normalize(&self, value: Value, at: &Pointer, normalizer: &mut Normalizer) -> Option<Value> {
        match is_scalar(&value) && self.takes_one {
            true => Some(Value::Array(vec![normalizer.value(self.kind, value, at)?])),
            false => {
                normalizer.elements(value, at, |normalizer, value, at| normalizer.value(self.kind, value, at))
            }
        }
    }

    fn write(&self, keyword: &str, value: &Value) -> Vec<String> {
        let values = value.as_array().into_iter().flatten();
        values.map(|value| directive(keyword, [plain_word(value)])).collect()
    }

    fn member(&'static self, _: &str) -> Result<Place, Fault> {
        Err(is_list(ELEMENTS))
    }

    fn entry(&'static self) -> Option<Place> {
        Some(Place::Element(self.kind))
    }

    fn parse(&self, text: &str) -> Result<Value, Fault> {
        elements(text, |text| of_kind(self.kind, text).map(|value| vec![value]))
    }

    fn parse_string(&self, text: &str) -> Result<Value, Fault> {
        of_kind(self.kind, text).map(|value| Value::Array(vec![value]))
    }

    fn facts(&'static self) -> Facts {
        Facts {
            usage: self.kind.usage,
            json_form: self.json_form,
            value_type: self.name,
            json: JsonForm::List,
            kind: Some(self.kind),
            list: Some(self),
            ..Facts::NONE
        }
    }
}

/// The blocks of the directives of a list, an object by value.
#[derive(Debug)]
pub struct BlocksShape(pub &'static ListShape);

impl Codec for BlocksShape {
    fn fits(&self, _: Entry<'_>) -> bool {
        false
    }

    /// Of several blocks of one value, the last one counts.
    fn read(&self, entries: &[Entry<'_>], _: Option<&BlockHead<'_, '_>>) -> Option<Value> {
        let mut seen = HashSet::new();
        let blocks = entries.iter().rev().filter(|entry| entry.is_block());
        let last: Vec<&Entry<'_>> = blocks.filter(|entry| seen.insert(first_argument(**entry))).collect();
        let values =
            last.iter().rev().map(|&&block| (first_argument(block).into_owned(), block_value(block)));
        (!last.is_empty()).then(|| values.collect())
    }

    fn normalize(&self, value: Value, at: &Pointer, normalizer: &mut Normalizer) -> Option<Value> {
        normalizer.each_member(value, at, |normalizer, _, value, at| match value {
            Value::Null => Some(value),
            value => {
                let members = normalizer.object(value, at)?;
                Some(Value::Object(each_normalized(Schema::media().unknown(), members, at, normalizer)))
            }
        })
    }

    fn write(&self, _: &str, _: &Value) -> Vec<String> {
        Vec::new()
    }

    fn member(&'static self, _: &str) -> Result<Place, Fault> {
        Ok(Place::ForeignBlock)
    }

    fn parse(&self, text: &str) -> Result<Value, Fault> {
        object(text).map_err(|fault| fault.hint(OWN_PATH))
    }

    fn facts(&'static self) -> Facts {
        Facts {
            json_form: self.0.blocks_json_form,
            value_type: "object of objects",
            json: JsonForm::Object,
            entries_of: Some(self.0.key),
            ..Facts::NONE
        }
    }
}
