//! The messages of JSON-RPC, and of the Language Server Protocol what this server reads.
//!
//! Only the members that are used are read, so that a client that has others, or newer values of them, is no fault.

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

/// The content of a message is no JSON.
pub const PARSE_ERROR: i64 = -32700;
/// The message is no request, or none that may come now.
pub const INVALID_REQUEST: i64 = -32600;
/// No such method.
pub const METHOD_NOT_FOUND: i64 = -32601;
/// The parameters are not those of the method, or name a text that is not open.
pub const INVALID_PARAMS: i64 = -32602;
/// A request came before `initialize`.
pub const NOT_INITIALIZED: i64 = -32002;
/// The request is right, and can't be carried out.
pub const REQUEST_FAILED: i64 = -32803;

/// A message of a client.
#[derive(Debug)]
pub struct ClientMessage {
    /// `None` for a notification, which gets no answer.
    pub id: Option<Value>,
    /// `None` for an answer to a request of this server, which has none.
    pub method: Option<String>,
    pub params: Value,
}

impl ClientMessage {
    /// Returns the parts of a message; `None` if it is none.
    pub fn from_json(message: Value) -> Option<Self> {
        let Value::Object(mut members) = message else { return None };
        let id = members.remove("id").filter(|id| !id.is_null());
        if id.as_ref().is_some_and(|id| !id.is_string() && !id.is_number()) {
            return None;
        }
        let method = match members.remove("method") {
            Some(Value::String(method)) => Some(method),
            Some(_) => return None,
            None if members.contains_key("result") || members.contains_key("error") => None,
            None => return None,
        };
        Some(Self { id, method, params: members.remove("params").unwrap_or_default() })
    }
}

/// The reason why a request has no result.
#[derive(Debug)]
pub struct RequestFault {
    pub code: i64,
    pub message: String,
}

impl RequestFault {
    pub fn new(code: i64, message: impl Into<String>) -> Self {
        Self { code, message: message.into() }
    }

    /// A request that is right, and can't be carried out.
    pub fn failed(message: impl Into<String>) -> Self {
        Self::new(REQUEST_FAILED, message)
    }
}

/// The answer to a request.
pub fn reply(id: Value, result: Result<Value, RequestFault>) -> Value {
    match result {
        Ok(result) => json!({ "jsonrpc": "2.0", "id": id, "result": result }),
        Err(RequestFault { code, message }) => {
            json!({ "jsonrpc": "2.0", "id": id, "error": { "code": code, "message": message } })
        }
    }
}

/// A notification to the client.
pub fn notification(method: &str, params: Value) -> Value {
    json!({ "jsonrpc": "2.0", "method": method, "params": params })
}

/// Reads the parameters of a method. What a client sends is not shown: it may hold a secret.
pub fn parameters<P: DeserializeOwned>(params: Value) -> Result<P, RequestFault> {
    let wrong = |_| RequestFault::new(INVALID_PARAMS, "the parameters are not those of the method");
    serde_json::from_value(params).map_err(wrong)
}

/// A place in a text: line and character, both from 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct TextPosition {
    pub line: u32,
    pub character: u32,
}

/// From one place up to another.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct TextRange {
    pub start: TextPosition,
    pub end: TextPosition,
}

/// An open text, by its name.
#[derive(Debug, Deserialize)]
pub struct TextId {
    pub uri: String,
    #[serde(default)]
    pub version: Option<i64>,
}

/// The parameters of most requests: a text, and maybe a place in it.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct TextParams {
    pub text_document: TextId,
}

/// A text and a place in it.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PlaceParams {
    pub text_document: TextId,
    pub position: TextPosition,
    #[serde(default)]
    pub new_name: Option<String>,
}

/// A text and a part of it.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PartParams {
    pub text_document: TextId,
    pub range: TextRange,
}

/// The parameters of `didOpen`.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct OpenParams {
    pub text_document: OpenedText,
}

/// A text as it is opened.
#[derive(Debug, Deserialize)]
pub struct OpenedText {
    pub uri: String,
    #[serde(default)]
    pub version: Option<i64>,
    pub text: String,
}

/// The parameters of `didChange`.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ChangeParams {
    pub text_document: TextId,
    pub content_changes: Vec<ContentChange>,
}

/// A change of a text, which is its whole new text.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ContentChange {
    pub text: String,
}
