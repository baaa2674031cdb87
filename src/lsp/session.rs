//! A session with one client: its life cycle, which answer a message gets, and the messages of JSON-RPC and of the Language
//! Server Protocol.
//!
//! Only the members that are used are read, so that a client that has others, or newer values of them, is no fault.

use std::collections::BTreeMap;

use mediaconf::printable;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::text::{PositionEncoding, Spot, Workspace};
use super::{complete, faults, format, hover, rename};

/// The content of a message is no JSON.
pub const PARSE_ERROR: i64 = -32700;
/// The message is no request, or none that may come now.
pub const INVALID_REQUEST: i64 = -32600;
/// No such method.
const METHOD_NOT_FOUND: i64 = -32601;
/// The parameters are not those of the method, or name a text that is not open.
pub const INVALID_PARAMS: i64 = -32602;
/// A request came before `initialize`.
const NOT_INITIALIZED: i64 = -32002;
/// The request is right, and can't be carried out.
const REQUEST_FAILED: i64 = -32803;

/// The reason why a request has no result.
#[derive(Debug)]
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
        Err(RequestFault { code, message }) => {
            json!({ "jsonrpc": "2.0", "id": id, "error": { "code": code, "message": message } })
        }
    }
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

/// The parameters of all methods: each has a text, and some of the others.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Params {
    text_document: NamedText,
    position: Option<TextPosition>,
    range: Option<TextRange>,
    new_name: Option<String>,
    content_changes: Option<Vec<ContentChange>>,
}

/// A text by its name; one that is opened has its content.
#[derive(Debug, Deserialize)]
struct NamedText {
    uri: String,
    version: Option<i64>,
    text: Option<String>,
}

/// A change of a text, which is its whole new text.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct ContentChange {
    text: String,
}

/// Reads the parameters of a method. What a client sends is not shown: it may hold a secret.
fn parameters<P: DeserializeOwned>(params: Value) -> Result<P, RequestFault> {
    needed(serde_json::from_value(params).ok())
}

fn needed<P>(parameter: Option<P>) -> Result<P, RequestFault> {
    parameter.ok_or_else(|| RequestFault::new(INVALID_PARAMS, "the parameters are not those of the method"))
}

/// The state of a session.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum SessionStage {
    #[default]
    New,
    Running,
    ShutDown,
}

/// A session with one client.
#[derive(Default)]
pub struct EditorSession {
    stage: SessionStage,
    has_exited: bool,
    workspace: Workspace,
    /// The faults as the client has them: the parameters of the last notification of each text.
    sent: BTreeMap<String, Value>,
    /// True if a text has changed since the faults were sent.
    is_stale: bool,
    takes_markdown: bool,
    takes_versions: bool,
}

impl EditorSession {
    /// True after `exit`.
    pub fn has_exited(&self) -> bool {
        self.has_exited
    }

    /// True after `shutdown`.
    pub fn is_shut_down(&self) -> bool {
        self.stage == SessionStage::ShutDown
    }

    /// Takes a message of the client, and returns the answer to it. A notification, and an answer, have none.
    pub fn take(&mut self, mut message: Value) -> Option<Value> {
        let id = message["id"].clone();
        let is_id = id.is_null() || id.is_string() || id.is_number();
        let is_answer = message.get("result").or(message.get("error")).is_some();
        match message.get("method").cloned() {
            Some(Value::String(method)) if is_id => {
                let params = message["params"].take();
                if id.is_null() {
                    self.notice(&method, params);
                    return None;
                }
                Some(reply(id, self.answer(&method, params)))
            }
            None if is_id && is_answer => None,
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

    fn answer(&mut self, method: &str, params: Value) -> Result<Value, RequestFault> {
        match (self.stage, method) {
            (SessionStage::New, "initialize") => Ok(self.initialize(&params)),
            (SessionStage::New, _) => Err(RequestFault::new(NOT_INITIALIZED, "`initialize` comes first")),
            (SessionStage::Running, "shutdown") => {
                self.stage = SessionStage::ShutDown;
                Ok(Value::Null)
            }
            (SessionStage::Running, _) => self.look(method, params),
            (SessionStage::ShutDown, _) => {
                Err(RequestFault::new(INVALID_REQUEST, "only `exit` comes after `shutdown`"))
            }
        }
    }

    fn initialize(&mut self, params: &Value) -> Value {
        let capabilities = &params["capabilities"];
        let lists = |pointer: &str, name: &str| {
            let list = capabilities.pointer(pointer).and_then(Value::as_array);
            list.is_some_and(|list| list.iter().any(|value| value == name))
        };
        let takes_bytes = lists("/general/positionEncodings", "utf-8");
        let encoding = if takes_bytes { PositionEncoding::Utf8 } else { PositionEncoding::Utf16 };
        self.workspace.encoding = encoding;
        self.takes_markdown = lists("/textDocument/hover/contentFormat", "markdown");
        self.takes_versions = capabilities["workspace"]["workspaceEdit"]["documentChanges"] == json!(true);
        self.stage = SessionStage::Running;
        json!({
            "capabilities": {
                "positionEncoding": if takes_bytes { "utf-8" } else { "utf-16" },
                "textDocumentSync": { "openClose": true, "change": 1, "save": true },
                "documentFormattingProvider": true,
                "hoverProvider": true,
                "completionProvider": { "triggerCharacters": [" ", "@", "/", "="] },
                "documentSymbolProvider": true,
                "definitionProvider": true,
                "renameProvider": true,
                "codeActionProvider": { "codeActionKinds": ["quickfix"] },
            },
            "serverInfo": { "name": "mediactl", "version": env!("CARGO_PKG_VERSION") },
        })
    }

    /// Answers a request about a text, or a place in it.
    fn look(&self, method: &str, params: Value) -> Result<Value, RequestFault> {
        let params = parameters::<Params>(params);
        let text = |params: Result<Params, _>| self.workspace.text(&params?.text_document.uri);
        let spot = |params: Params| -> Result<Spot, RequestFault> {
            let place = needed(params.position.or(params.range.map(|range| range.start)))?;
            self.workspace.spot(&params.text_document.uri, place)
        };
        match method {
            "textDocument/documentSymbol" => Ok(format::symbols(text(params)?)),
            "textDocument/formatting" => format::edits(text(params)?),
            "textDocument/codeAction" => {
                let params = params?;
                let part = needed(params.range)?;
                faults::fixes(&spot(Params { position: None, ..params })?, part)
            }
            "textDocument/hover" => Ok(hover::explained(&spot(params?)?, self.takes_markdown)),
            "textDocument/completion" => Ok(complete::candidates(&spot(params?)?)),
            "textDocument/definition" => Ok(rename::definition(&spot(params?)?)),
            "textDocument/rename" => {
                let mut params = params?;
                let new = params.new_name.take();
                let new = new.ok_or_else(|| RequestFault::new(INVALID_PARAMS, "the new name is missing"))?;
                rename::edits(&spot(params)?, &new, self.takes_versions)
            }
            _ => Err(RequestFault::new(METHOD_NOT_FOUND, format!("no method `{}`", printable(method)))),
        }
    }

    /// Takes a notification. One with wrong parameters, or one that is not known, changes nothing; a change that is not
    /// understood is as good as a text that is closed, until the next one comes.
    fn notice(&mut self, method: &str, params: Value) {
        self.has_exited |= method == "exit";
        if self.stage != SessionStage::Running {
            return;
        }
        let uri = params["textDocument"]["uri"].as_str().unwrap_or_default().to_owned();
        let params = parameters::<Params>(params).ok();
        match (method, params) {
            ("textDocument/didOpen", Some(Params { text_document: opened, .. })) => {
                let Some(text) = opened.text else { return };
                self.workspace.open(opened.uri, text, opened.version);
            }
            (
                "textDocument/didChange",
                Some(Params { text_document, content_changes: Some(changes), .. }),
            ) => {
                if let Some(last) = changes.into_iter().next_back() {
                    self.workspace.open(text_document.uri, last.text, text_document.version);
                }
            }
            ("textDocument/didClose", Some(_)) | ("textDocument/didChange", _) => {
                self.workspace.texts.remove(&uri);
            }
            ("textDocument/didSave" | "workspace/didChangeWatchedFiles", _) => {}
            _ => return,
        }
        self.is_stale = true;
    }

    /// Forgets all texts, because a message could not be read that may have changed any of them. Each comes back with
    /// its next change.
    pub fn forget_texts(&mut self) {
        self.workspace.texts.clear();
        self.is_stale = true;
    }
}
