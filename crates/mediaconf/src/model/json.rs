//! From what serializes to a value in memory.

use serde::Serialize;
use serde::ser::SerializeMap;
use serde_json::Value;

/// Something of this layer, such as a view or a part of one, as a JSON value.
pub fn to_json(shown: &(impl Serialize + ?Sized)) -> Value {
    serde_json::to_value(shown)
        .expect("the model shows only strings, safe numbers, booleans, arrays and objects")
}

/// Keeps the value of the one member that is written into it; `None` if none is written.
#[derive(Default)]
pub(super) struct OneValue(pub Option<Value>);

impl SerializeMap for OneValue {
    type Ok = ();
    type Error = serde_json::Error;

    fn serialize_key<K: Serialize + ?Sized>(&mut self, _: &K) -> Result<(), Self::Error> {
        Ok(())
    }

    fn serialize_value<V: Serialize + ?Sized>(&mut self, value: &V) -> Result<(), Self::Error> {
        self.0 = Some(to_json(value));
        Ok(())
    }

    fn end(self) -> Result<(), Self::Error> {
        Ok(())
    }
}
