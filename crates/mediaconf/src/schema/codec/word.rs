//! `prepush 5;`, one directive with one value.

use serde_json::Value;

use super::{
    BlockHead, Codec, Entry, Facts, Fault, Normalizer, Pointer, Scalar, WordKind, directive, of_kind,
    unlike_kind,
};

impl WordKind {
    /// The value of a directive with at most one word; `None` if it is not of this kind.
    #[inline]
    pub fn value<'t>(&self, entry: Entry<'t>) -> Option<Scalar<'t>> {
        if entry.count_arguments() > 1 { None } else { (self.read)(entry.arguments().next()) }
    }
}

impl Codec for WordKind {
    fn fits(&self, entry: Entry<'_>) -> bool {
        let is_word =
            || if self.takes_any { entry.count_arguments() == 1 } else { self.value(entry).is_some() };
        !entry.is_block() && is_word()
    }

    fn read(&self, entries: &[Entry<'_>], _: Option<&BlockHead<'_, '_>>) -> Option<Value> {
        self.value(*entries.last()?).map(Value::from)
    }

    fn normalize(&self, value: Value, at: &Pointer, normalizer: &mut Normalizer) -> Option<Value> {
        normalizer.value(self, value, at)
    }

    fn write(&self, keyword: &str, value: &Value) -> Vec<String> {
        vec![directive(keyword, (self.write)(value, None))]
    }

    fn parse(&self, text: &str) -> Result<Value, Fault> {
        of_kind(self, text)
    }

    fn parse_string(&self, text: &str) -> Result<Value, Fault> {
        (self.accept)(text.into()).map_err(|_| unlike_kind(self))
    }

    fn facts(&'static self) -> Facts {
        Facts {
            usage: self.usage,
            json_form: self.json_form,
            value_type: self.name,
            kind: Some(self),
            ..Facts::NONE
        }
    }
}
