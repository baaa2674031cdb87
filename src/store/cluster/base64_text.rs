//! Bytes and numbers as the JSON of etcd has them: keys and values in base64, 64-bit numbers in strings.

use base64::prelude::BASE64_STANDARD;
use serde::de::Error;
use serde::{Deserialize, Deserializer, Serializer};

/// For `#[serde(with)]` on bytes.
pub mod bytes {
    use base64::Engine as _;

    use super::{BASE64_STANDARD, Deserialize, Deserializer, Error, Serializer};

    pub fn serialize<S: Serializer>(bytes: &[u8], to: S) -> Result<S::Ok, S::Error> {
        to.serialize_str(&BASE64_STANDARD.encode(bytes))
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<u8>, D::Error> {
        BASE64_STANDARD.decode(String::deserialize(from)?).map_err(D::Error::custom)
    }
}

/// For `#[serde(with)]` on a number.
pub mod number {
    use super::{Deserialize, Deserializer, Error, Serializer};

    pub fn serialize<S: Serializer>(number: &i64, to: S) -> Result<S::Ok, S::Error> {
        to.collect_str(number)
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<i64, D::Error> {
        String::deserialize(from)?.parse().map_err(D::Error::custom)
    }
}

/// True if a number has the value that etcd leaves out.
pub fn is_zero(number: &i64) -> bool {
    *number == 0
}
