//! A session with one client: its life cycle, and which answer a message gets.

use mediaconf::printable;
use serde_json::{Value, json};

use super::faults::SentFaults;
use super::lines::PositionEncoding;
use super::protocol::{
    ChangeParams, ClientMessage, INVALID_PARAMS, INVALID_REQUEST, METHOD_NOT_FOUND, NOT_INITIALIZED,
    OpenParams, PartParams, PlaceParams, RequestFault, TextParams, parameters, reply,
};
use super::workspace::{SourceText, Workspace};
use super::{completion, definition, fixes, formatting, hover, rename, symbols};

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
    sent: SentFaults,
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
    pub fn take(&mut self, message: Value) -> Option<Value> {
        match ClientMessage::from_json(message) {
            None => {
                Some(reply(Value::Null, Err(RequestFault::new(INVALID_REQUEST, "the message is no request"))))
            }
            Some(ClientMessage { id: Some(id), method: Some(method), params }) => {
                Some(reply(id, self.answer(&method, params)))
            }
            Some(ClientMessage { id: None, method: Some(method), params }) => {
                self.notice(&method, params);
                None
            }
            Some(ClientMessage { method: None, .. }) => None,
        }
    }

    /// The faults that are others than the client has.
    pub fn found_faults(&mut self) -> Vec<Value> {
        match std::mem::take(&mut self.is_stale) {
            true => self.sent.changed(&self.workspace),
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
        let takes_bytes = lists("/general/positionEncodings", PositionEncoding::Utf8.name());
        let encoding = if takes_bytes { PositionEncoding::Utf8 } else { PositionEncoding::Utf16 };
        self.workspace.encoding = encoding;
        self.takes_markdown = lists("/textDocument/hover/contentFormat", "markdown");
        self.takes_versions = capabilities["workspace"]["workspaceEdit"]["documentChanges"] == json!(true);
        self.stage = SessionStage::Running;
        json!({
            "capabilities": {
                "positionEncoding": encoding.name(),
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

    fn text(&self, params: Value) -> Result<&SourceText, RequestFault> {
        let params: TextParams = parameters(params)?;
        self.workspace.text(&params.text_document.uri).map(|text| &**text)
    }

    /// Answers a request about a text, or a place in it.
    fn look(&self, method: &str, params: Value) -> Result<Value, RequestFault> {
        let spot = |params: &PlaceParams| self.workspace.spot(&params.text_document.uri, params.position);
        match method {
            "textDocument/documentSymbol" => Ok(symbols::symbols(self.text(params)?)),
            "textDocument/formatting" => formatting::edits(self.text(params)?),
            "textDocument/codeAction" => {
                let params: PartParams = parameters(params)?;
                let spot = self.workspace.spot(&params.text_document.uri, params.range.start)?;
                fixes::fixes(&spot, params.range)
            }
            "textDocument/hover" => Ok(hover::explained(&spot(&parameters(params)?)?, self.takes_markdown)),
            "textDocument/completion" => Ok(completion::candidates(&spot(&parameters(params)?)?)),
            "textDocument/definition" => Ok(definition::definition(&spot(&parameters(params)?)?)),
            "textDocument/rename" => {
                let params: PlaceParams = parameters(params)?;
                let new = params.new_name.as_deref();
                let new = new.ok_or_else(|| RequestFault::new(INVALID_PARAMS, "the new name is missing"))?;
                rename::edits(&spot(&params)?, new, self.takes_versions)
            }
            _ => Err(RequestFault::new(METHOD_NOT_FOUND, format!("no method `{}`", printable(method)))),
        }
    }

    /// Takes a notification. One with wrong parameters, or one that is not known, changes nothing.
    fn notice(&mut self, method: &str, params: Value) {
        self.has_exited |= method == "exit";
        if self.stage != SessionStage::Running {
            return;
        }
        match method {
            "textDocument/didOpen" => {
                let Ok(OpenParams { text_document: opened }) = parameters(params) else { return };
                self.workspace.open(opened.uri, opened.text, opened.version);
            }
            "textDocument/didChange" => self.change(params),
            "textDocument/didClose" => {
                let Ok(TextParams { text_document: closed }) = parameters(params) else { return };
                self.workspace.texts.remove(&closed.uri);
            }
            "textDocument/didSave" | "workspace/didChangeWatchedFiles" => {}
            _ => return,
        }
        self.is_stale = true;
    }

    /// Takes the new text of a text. One that is not understood is as good as closed, until the next one comes.
    fn change(&mut self, params: Value) {
        let uri = params["textDocument"]["uri"].as_str().unwrap_or_default().to_owned();
        match parameters::<ChangeParams>(params) {
            Ok(ChangeParams { text_document: id, content_changes: mut changes }) => {
                if let Some(last) = changes.pop() {
                    self.workspace.open(id.uri, last.text, id.version);
                }
            }
            Err(_) => drop(self.workspace.texts.remove(&uri)),
        }
    }

    /// Forgets all texts, because a message could not be read that may have changed any of them. Each comes back with
    /// its next change.
    pub fn forget_texts(&mut self) {
        self.workspace.texts.clear();
        self.is_stale = true;
    }
}
