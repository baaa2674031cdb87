//! `prepush 5;`, one directive with one value.

use std::borrow::Cow;

use serde_json::Value;

use super::{of_kind, unlike_kind};
use crate::schema::draft::Draft;
use crate::schema::fault::Fault;
use crate::schema::forms::JsonForm;
use crate::schema::json_pointer::Pointer;
use crate::schema::kinds::WordKind;
use crate::schema::normalize::Normalizer;
use crate::schema::row::{BlockHead, Codec};
use crate::schema::scalar::Scalar;
use crate::syntax::Entry;

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

    fn write(&self, keyword: &str, value: &Value) -> Vec<Draft> {
        vec![Draft::directive(keyword, (self.write)(value, None))]
    }

    fn parse(&self, text: &str) -> Result<Value, Fault> {
        of_kind(self, text)
    }

    fn parse_string(&self, text: &str) -> Result<Value, Fault> {
        (self.accept)(text.into()).map_err(|_| unlike_kind(self))
    }

    fn usage(&self) -> Cow<'static, str> {
        Cow::Borrowed(self.usage)
    }

    fn json_form(&self) -> Cow<'static, str> {
        Cow::Borrowed(self.json_form)
    }

    fn value_type(&self) -> &'static str {
        self.name
    }

    fn json(&self) -> JsonForm {
        JsonForm::Leaf
    }

    fn kind(&'static self) -> Option<&'static WordKind> {
        Some(self)
    }
}
