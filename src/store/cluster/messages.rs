//! The messages of etcd's JSON gateway, as far as they are used.

use serde::{Deserialize, Serialize};

use super::base64_text::{bytes, is_zero, number};

/// Some keys: one, or all from `key` up to `range_end`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct KeyRange {
    #[serde(with = "bytes")]
    pub key: Vec<u8>,
    /// The first key that is not meant; empty for one key.
    #[serde(with = "bytes", skip_serializing_if = "Vec::is_empty")]
    pub range_end: Vec<u8>,
    /// The most that are read; 0 for all.
    #[serde(with = "number", skip_serializing_if = "is_zero")]
    pub limit: i64,
    /// Without the values.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub keys_only: bool,
}

impl KeyRange {
    pub fn one(key: &str) -> Self {
        Self { key: key.as_bytes().to_vec(), ..Self::default() }
    }

    /// All keys that start with a prefix, which ends in an ASCII character.
    pub fn below(prefix: &str) -> Self {
        let mut end = prefix.as_bytes().to_vec();
        if let Some(last) = end.last_mut() {
            *last += 1;
        }
        Self { key: prefix.as_bytes().to_vec(), range_end: end, ..Self::default() }
    }

    /// All keys from one up to another, which is not meant.
    pub fn between(first: &str, end: &str) -> Self {
        Self { key: first.as_bytes().to_vec(), range_end: end.as_bytes().to_vec(), ..Self::default() }
    }

    /// The first of them alone.
    #[must_use]
    pub fn first(self) -> Self {
        Self { limit: 1, ..self }
    }
}

/// The condition of a transaction that a key was written last at a revision of etcd; 0 where there is none.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Compare {
    target: &'static str,
    #[serde(with = "bytes")]
    key: Vec<u8>,
    #[serde(with = "number")]
    mod_revision: i64,
    result: &'static str,
}

impl Compare {
    /// The key was not written since.
    pub fn unchanged(key: &str, mod_revision: i64) -> Self {
        Self { target: "MOD", key: key.into(), mod_revision, result: "EQUAL" }
    }
}

/// A step of a transaction.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub enum KeyOperation {
    #[serde(rename = "request_put")]
    Put {
        #[serde(with = "bytes")]
        key: Vec<u8>,
        #[serde(with = "bytes")]
        value: Vec<u8>,
        /// The lease with which the key ends; 0 for none.
        #[serde(with = "number", skip_serializing_if = "is_zero")]
        lease: i64,
    },
    #[serde(rename = "request_delete_range")]
    Delete(KeyRange),
    #[serde(rename = "request_range")]
    Read(KeyRange),
}

impl KeyOperation {
    pub fn put(key: &str, value: impl Into<Vec<u8>>) -> Self {
        Self::Put { key: key.into(), value: value.into(), lease: 0 }
    }

    /// Puts a key that ends with a lease.
    pub fn put_leased(key: &str, value: impl Into<Vec<u8>>, lease: i64) -> Self {
        Self::Put { key: key.into(), value: value.into(), lease }
    }
}

/// A transaction. It may be sent twice, so its compares have to make the second one harmless.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Txn {
    pub compare: Vec<Compare>,
    /// The operations if all compares hold.
    pub success: Vec<KeyOperation>,
    /// The operations otherwise.
    pub failure: Vec<KeyOperation>,
}

/// A key as it is in etcd.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
pub struct KeyValue {
    /// Never left out, so that a short answer does not become many keys.
    #[serde(with = "bytes")]
    pub key: Vec<u8>,
    #[serde(default, with = "bytes")]
    pub value: Vec<u8>,
    /// The revision of etcd at which it was written last.
    #[serde(default, with = "number")]
    pub mod_revision: i64,
    #[serde(default, with = "number")]
    pub lease: i64,
}

/// The header that all responses have.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default)]
pub struct ResponseHeader {
    /// The revision of etcd.
    #[serde(with = "number")]
    pub revision: i64,
}

/// The response to a transaction.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default)]
pub struct TxnReply {
    pub header: ResponseHeader,
    /// True if all compares held.
    pub succeeded: bool,
    responses: Vec<OperationReply>,
}

#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default)]
struct OperationReply {
    response_range: RangeReply,
}

#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default)]
struct RangeReply {
    kvs: Vec<KeyValue>,
}

impl TxnReply {
    /// Takes what each step has read, one list for each step.
    pub fn into_read(self) -> Vec<Vec<KeyValue>> {
        self.responses.into_iter().map(|reply| reply.response_range.kvs).collect()
    }
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
        };
        let (head, pending) = ("L3AvaGVhZA==", "L3AvcGVuZGluZw==");
        let expected = json!({
            "compare": [
                {"target": "MOD", "key": head, "mod_revision": "7", "result": "EQUAL"},
            ],
            "success": [
                {"request_put": {"key": head, "value": "e30="}},
                {"request_put": {"key": pending, "value": "eA==", "lease": "9"}},
                {"request_delete_range": {"key": "L3AvdGV4dC8=", "range_end": "L3AvdGV4dDA="}},
            ],
            "failure": [{"request_range": {"key": head}}],
        });
        assert_eq!(serde_json::to_value(&txn).expect("it is JSON"), expected);
    }

    #[test]
    fn an_answer_may_leave_out_what_is_zero() {
        let reply: TxnReply = serde_json::from_value(json!({
            "header": {"cluster_id": "1", "revision": "8"},
            "succeeded": true,
            "responses": [
                {"response_range": {"header": {}, "kvs": [{"key": "YQ==", "mod_revision": "3"}], "count": "1"}},
                {"response_put": {"header": {}}},
            ],
        }))
        .expect("it is an answer");
        assert_eq!((reply.header.revision, reply.succeeded), (8, true));
        let found = KeyValue { key: b"a".to_vec(), mod_revision: 3, ..KeyValue::default() };
        assert_eq!(reply.into_read(), [vec![found], Vec::new()]);
        let lost: TxnReply = serde_json::from_value(json!({"header": {}})).expect("it is an answer");
        assert!(!lost.succeeded && lost.into_read().is_empty());
    }
}
