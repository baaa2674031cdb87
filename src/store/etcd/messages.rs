//! The messages of etcd's JSON gateway, as far as they are used: keys and values are in base64, and the numbers of answers
//! are in strings.

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::Value;

/// Some keys: one, or all from `key` up to `range_end`, which is not meant.
#[derive(Debug, Clone, Default, Serialize)]
pub struct KeyRange {
    #[serde(serialize_with = "base64")]
    pub key: String,
    /// Empty for one key.
    #[serde(serialize_with = "base64", skip_serializing_if = "String::is_empty")]
    pub range_end: String,
}

impl KeyRange {
    pub fn one(key: &str) -> Self {
        Self { key: key.to_owned(), ..Self::default() }
    }

    /// All keys that start with a prefix, which ends in a slash: behind it comes `0`.
    pub fn below(prefix: &str) -> Self {
        Self::between(prefix, &format!("{}0", prefix.trim_end_matches('/')))
    }

    /// All keys from one up to another, which is not meant.
    pub fn between(first: &str, end: &str) -> Self {
        Self { range_end: end.to_owned(), ..Self::one(first) }
    }
}

/// The condition of a transaction that a key was written last at a revision of etcd; 0 where there is none.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Compare {
    target: &'static str,
    #[serde(serialize_with = "base64")]
    key: String,
    mod_revision: i64,
    result: &'static str,
}

impl Compare {
    /// The key was not written since.
    pub fn unchanged(key: &str, mod_revision: i64) -> Self {
        Self { target: "MOD", key: key.to_owned(), mod_revision, result: "EQUAL" }
    }
}

/// A step of a transaction.
#[derive(Debug, Clone, Serialize)]
pub enum KeyOperation {
    #[serde(rename = "request_put")]
    Put {
        #[serde(serialize_with = "base64")]
        key: String,
        #[serde(serialize_with = "base64")]
        value: Vec<u8>,
        /// The lease with which the key ends.
        #[serde(skip_serializing_if = "Option::is_none")]
        lease: Option<i64>,
    },
    #[serde(rename = "request_delete_range")]
    Delete(KeyRange),
    #[serde(rename = "request_range")]
    Read(KeyRange),
}

impl KeyOperation {
    pub fn put(key: &str, value: impl Into<Vec<u8>>) -> Self {
        Self::Put { key: key.to_owned(), value: value.into(), lease: None }
    }

    /// Puts a key that ends with a lease.
    pub fn put_leased(key: &str, value: impl Into<Vec<u8>>, lease: i64) -> Self {
        Self::Put { key: key.to_owned(), value: value.into(), lease: Some(lease) }
    }
}

/// A transaction. It may be sent twice, so its compares have to make the second one harmless.
#[derive(Debug, Clone, Default, Serialize)]
pub struct Txn {
    pub compare: Vec<Compare>,
    /// The operations if all compares hold.
    pub success: Vec<KeyOperation>,
    /// The operations otherwise.
    pub failure: Vec<KeyOperation>,
    /// True if somebody sees what it puts, so that an answer which is lost leaves the outcome unknown.
    #[serde(skip)]
    pub is_change: bool,
}

/// A key as it is in etcd. An answer never leaves out the key itself, so that a short one does not become many keys.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
pub struct KeyValue {
    #[serde(deserialize_with = "bytes")]
    pub key: Vec<u8>,
    #[serde(default, deserialize_with = "bytes")]
    pub value: Vec<u8>,
    /// The revision of etcd at which it was written last.
    #[serde(default, deserialize_with = "in_string")]
    pub mod_revision: i64,
    #[serde(default, deserialize_with = "in_string")]
    pub lease: i64,
}

/// The response to a transaction.
#[derive(Debug, PartialEq, Eq)]
pub struct TxnReply {
    /// True if all compares held.
    pub succeeded: bool,
    /// The keys that each step has read, one list for each step.
    pub read: Vec<Vec<KeyValue>>,
}

impl TxnReply {
    /// Reads an answer, which leaves out what is zero or empty.
    pub fn parse(answer: &Value) -> Option<Self> {
        let found = |response: &Value| {
            Some(Option::deserialize(&response["response_range"]["kvs"]).ok()?.unwrap_or_default())
        };
        let responses = Option::<Vec<Value>>::deserialize(&answer["responses"]).ok()?.unwrap_or_default();
        Some(Self {
            succeeded: answer["succeeded"].as_bool().unwrap_or_default(),
            read: responses.iter().map(found).collect::<Option<_>>()?,
        })
    }

    /// The first key that any step has read.
    pub fn into_first(self) -> Option<KeyValue> {
        self.read.into_iter().flatten().next()
    }
}

/// A number of an answer; zero is left out.
pub fn number(value: &Value) -> Option<i64> {
    if value.is_null() { Some(0) } else { value.as_str()?.parse().ok() }
}

fn base64<S: Serializer>(bytes: &impl AsRef<[u8]>, to: S) -> Result<S::Ok, S::Error> {
    to.serialize_str(&BASE64_STANDARD.encode(bytes))
}

fn bytes<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<u8>, D::Error> {
    BASE64_STANDARD.decode(String::deserialize(from)?).map_err(D::Error::custom)
}

fn in_string<'de, D: Deserializer<'de>>(from: D) -> Result<i64, D::Error> {
    String::deserialize(from)?.parse().map_err(D::Error::custom)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_transaction_is_written_as_the_gateway_reads_it() {
        let txn = Txn {
            compare: vec![Compare::unchanged("/p/head", 7)],
            success: vec![
                KeyOperation::put("/p/head", b"{}".as_slice()),
                KeyOperation::put_leased("/p/pending", b"x".as_slice(), 9),
                KeyOperation::Delete(KeyRange::below("/p/text/")),
            ],
            failure: vec![KeyOperation::Read(KeyRange::one("/p/head"))],
            is_change: true,
        };
        let (head, pending) = ("L3AvaGVhZA==", "L3AvcGVuZGluZw==");
        let expected = json!({
            "compare": [
                {"target": "MOD", "key": head, "mod_revision": 7, "result": "EQUAL"},
            ],
            "success": [
                {"request_put": {"key": head, "value": "e30="}},
                {"request_put": {"key": pending, "value": "eA==", "lease": 9}},
                {"request_delete_range": {"key": "L3AvdGV4dC8=", "range_end": "L3AvdGV4dDA="}},
            ],
            "failure": [{"request_range": {"key": head}}],
        });
        assert_eq!(serde_json::to_value(&txn).expect("it is JSON"), expected);
    }

    #[test]
    fn an_answer_may_leave_out_what_is_zero() {
        let reply = TxnReply::parse(&json!({
            "header": {"cluster_id": "1", "revision": "8"},
            "succeeded": true,
            "responses": [
                {"response_range": {"header": {}, "kvs": [{"key": "YQ==", "mod_revision": "3"}], "count": "1"}},
                {"response_put": {"header": {}}},
            ],
        }));
        let found = KeyValue { key: b"a".to_vec(), mod_revision: 3, ..KeyValue::default() };
        let read = vec![vec![found], Vec::new()];
        assert_eq!(reply, Some(TxnReply { succeeded: true, read }));
        let lost = TxnReply { succeeded: false, read: Vec::new() };
        assert_eq!(TxnReply::parse(&json!({"header": {}})), Some(lost));
        for other in [json!({"responses": [{"response_range": {"kvs": [{}]}}]}), json!({"responses": 1})] {
            assert_eq!(TxnReply::parse(&other), None);
        }
    }
}
