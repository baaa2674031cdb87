//! A session with one client: its life cycle, which answer a message gets, and the messages of JSON-RPC and of the Language
//! Server Protocol.
//!
//! Only the members that are used are read, so that a client that has others, or newer values of them, is no fault.

use std::collections::BTreeMap;

use mediaconf::printable;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::text::Workspace;
use super::{complete, faults, format, hover, rename};

/// The content of a message is no JSON.
pub const PARSE_ERROR: i64 = -32700;
/// The message is no request.
const INVALID_REQUEST: i64 = -32600;
/// No such method.
const METHOD_NOT_FOUND: i64 = -32601;
/// The parameters are not those of the method, or name a text that is not open.
pub const INVALID_PARAMS: i64 = -32602;
/// The request is right, and can't be carried out.
const REQUEST_FAILED: i64 = -32803;

/// The reason why a request has no result.
#[derive(Debug, Serialize)]
pub struct RequestFault {
    code: i64,
    message: String,
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
        Err(fault) => json!({ "jsonrpc": "2.0", "id": id, "error": fault }),
    }
}

/// A place in a text: line and character, both from 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct TextPosition {
    pub line: u32,
    pub character: u32,
}

/// From one place up to another.
#[derive(Debug, Clone, Copy, Default, Serialize, Deserialize)]
pub struct TextRange {
    pub start: TextPosition,
    pub end: TextPosition,
}

/// Reads a parameter of a method. What a client sends is not shown: it may hold a secret.
fn parameter<P: DeserializeOwned>(params: &Value, name: &str) -> Result<P, RequestFault> {
    let fault = |_| RequestFault::new(INVALID_PARAMS, "the parameters are not those of the method");
    P::deserialize(&params[name]).map_err(fault)
}

/// A session with one client.
#[derive(Default)]
pub struct EditorSession {
    /// True after `shutdown`.
    pub is_shut_down: bool,
    /// True after `exit`.
    pub has_exited: bool,
    workspace: Workspace,
    /// The faults as the client has them: the parameters of the last notification of each text.
    sent: BTreeMap<String, Value>,
    /// True if a text has changed since the faults were sent.
    is_stale: bool,
}

impl EditorSession {
    /// Takes a message of the client, and returns the answer to it. A notification, and an answer, have none.
    pub fn take(&mut self, message: Value) -> Option<Value> {
        let id = message["id"].clone();
        let is_id = id.is_null() || id.is_string() || id.is_number();
        let is_answer = message.get("result").or(message.get("error")).is_some();
        match (message.get("method"), &message["params"]) {
            (Some(Value::String(method)), params) if is_id && id.is_null() => {
                self.notice(method, params);
                None
            }
            (Some(Value::String(method)), params) if is_id => {
                self.is_shut_down |= method == "shutdown";
                Some(reply(id, self.answer(method, params)))
            }
            (None, _) if is_id && is_answer => None,
            _ => {
                let fault = RequestFault::new(INVALID_REQUEST, "the message is no request");
                Some(reply(Value::Null, Err(fault)))
            }
        }
    }

    /// The notifications of the faults that are others than the client has.
    pub fn found_faults(&mut self) -> Vec<Value> {
        match std::mem::take(&mut self.is_stale) {
            true => faults::changed(&mut self.sent, &self.workspace),
            false => Vec::new(),
        }
    }

    /// Answers a request: most are about a text, or a place in it.
    fn answer(&self, method: &str, params: &Value) -> Result<Value, RequestFault> {
        let uri = || parameter::<String>(&params["textDocument"], "uri");
        let text = || self.workspace.text(&uri()?);
        let spot = || self.workspace.spot(&uri()?, parameter(params, "position")?);
        match method {
            "initialize" => Ok(capabilities()),
            "shutdown" => Ok(Value::Null),
            "workspace/symbol" => {
                Ok(format::named_blocks(&self.workspace, &parameter::<String>(params, "query")?))
            }
            "textDocument/documentLink" => {
                let (configuration, file) = self.workspace.configuration(text()?);
                Ok(format::links(&configuration, file))
            }
            "textDocument/documentSymbol" => Ok(format::symbols(text()?)),
            "textDocument/formatting" => format::edits(text()?),
            "textDocument/codeAction" => {
                let range: TextRange = parameter(params, "range")?;
                faults::fixes(&self.workspace.spot(&uri()?, range.start)?, range.end)
            }
            "textDocument/hover" => Ok(hover::explained(&spot()?)),
            "textDocument/completion" => Ok(complete::candidates(&spot()?)),
            "textDocument/definition" => Ok(rename::definition(&spot()?)),
            "textDocument/documentHighlight" => Ok(rename::highlights(&spot()?)),
            "textDocument/rename" => rename::edits(&spot()?, &parameter::<String>(params, "newName")?),
            _ => Err(RequestFault::new(METHOD_NOT_FOUND, format!("no method `{}`", printable(method)))),
        }
    }

    /// Takes a notification. One with wrong parameters, or one that is not known, changes nothing; a change that is not
    /// understood is as good as a text that is closed, until the next one comes.
    fn notice(&mut self, method: &str, params: &Value) {
        self.has_exited |= method == "exit";
        let (document, changes) = (&params["textDocument"], &params["contentChanges"]);
        // The last change is the whole new text.
        let last = changes.as_array().and_then(|changes| changes.last()).unwrap_or(&Value::Null);
        let text = match method {
            "textDocument/didOpen" => document["text"].as_str(),
            "textDocument/didChange" if last["range"].is_null() => last["text"].as_str(),
            "textDocument/didChange" | "textDocument/didClose" => None,
            "textDocument/didSave" | "workspace/didChangeWatchedFiles" => {
                self.is_stale = true;
                return;
            }
            _ => return,
        };
        let Some(uri) = document["uri"].as_str() else { return };
        match text {
            Some(text) => self.workspace.open(uri, text.to_owned(), document["version"].as_i64()),
            None => _ = self.workspace.texts.remove(uri),
        }
        self.is_stale = true;
    }
}

/// What the client may ask for.
fn capabilities() -> Value {
    json!({
        "capabilities": {
            "positionEncoding": "utf-16",
            "textDocumentSync": { "openClose": true, "change": 1, "save": true },
            "documentFormattingProvider": true,
            "hoverProvider": true,
            "completionProvider": { "triggerCharacters": [" ", "@", "/", "="] },
            "documentSymbolProvider": true,
            "workspaceSymbolProvider": true,
            "documentLinkProvider": {},
            "documentHighlightProvider": true,
            "definitionProvider": true,
            "renameProvider": true,
            "codeActionProvider": { "codeActionKinds": ["quickfix"] },
        },
        "serverInfo": { "name": "mediactl", "version": env!("CARGO_PKG_VERSION") },
    })
}
