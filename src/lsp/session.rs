//! A session with one client: its life cycle, and which answer a message gets.

use mediaconf::plumbing::syntax::printable;
use serde_json::{Value, json};

use super::faults::SentFaults;
use super::lines::PositionEncoding;
use super::open_text::OpenText;
use super::protocol::{
    ChangeParams, ClientMessage, INVALID_PARAMS, INVALID_REQUEST, LspReply, METHOD_NOT_FOUND,
    NOT_INITIALIZED, OpenParams, PartParams, PlaceParams, RequestFault, TextParams, in_json, notification,
    parameters,
};
use super::workspace::{DIFFERENT_TEXTS, Workspace};
use super::{completion, definition, fixes, folding, formatting, hover, rename, symbols};

/// The protocol's number for errors in `showMessage`.
const MESSAGE_OF_ERROR: u8 = 1;

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

    /// Takes a message of the client, and returns those for it.
    pub fn take(&mut self, message: Value) -> Vec<String> {
        match ClientMessage::from_json(message) {
            None => vec![LspReply::nobodys(INVALID_REQUEST, "the message is no request").into_message()],
            Some(ClientMessage { id: Some(id), method: Some(method), params }) => {
                vec![LspReply::new(id, self.answer(&method, params)).into_message()]
            }
            Some(ClientMessage { id: None, method: Some(method), params }) => self.notice(&method, params),
            Some(ClientMessage { method: None, .. }) => Vec::new(),
        }
    }

    /// The faults that are others than the client has.
    pub fn found_faults(&mut self) -> Vec<String> {
        match std::mem::take(&mut self.is_stale) {
            true => self.sent.changed(&self.workspace),
            false => Vec::new(),
        }
    }

    fn answer(&mut self, method: &str, params: Value) -> Result<String, RequestFault> {
        match (self.stage, method) {
            (SessionStage::New, "initialize") => in_json(&self.initialize(&params)),
            (SessionStage::New, _) => Err(RequestFault::new(NOT_INITIALIZED, "`initialize` comes first")),
            (SessionStage::Running, "shutdown") => {
                self.stage = SessionStage::ShutDown;
                in_json(&Value::Null)
            }
            (SessionStage::Running, "textDocument/documentSymbol") => {
                symbols::symbols(self.text(params)?, self.workspace.encoding)
            }
            (SessionStage::Running, "textDocument/foldingRange") => folding::ranges(self.text(params)?),
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
                "textDocumentSync": { "openClose": true, "change": 2, "save": true },
                "documentFormattingProvider": true,
                "documentRangeFormattingProvider": true,
                "hoverProvider": true,
                "completionProvider": { "triggerCharacters": [" ", "@", "/", "="] },
                "documentSymbolProvider": true,
                "foldingRangeProvider": true,
                "definitionProvider": true,
                "referencesProvider": true,
                "renameProvider": { "prepareProvider": true },
                "codeActionProvider": { "codeActionKinds": ["quickfix"] },
            },
            "serverInfo": { "name": "mediactl", "version": env!("CARGO_PKG_VERSION") },
        })
    }

    fn text(&self, params: Value) -> Result<&OpenText, RequestFault> {
        let params: TextParams = parameters(params)?;
        self.workspace.text(&params.text_document.uri)
    }

    /// Answers a request about a place in a text.
    fn look(&self, method: &str, params: Value) -> Result<String, RequestFault> {
        let encoding = self.workspace.encoding;
        let spot = |params: &PlaceParams| self.workspace.spot(&params.text_document.uri, params.position);
        match method {
            "textDocument/formatting" => formatting::edits(self.text(params)?, None, encoding),
            "textDocument/rangeFormatting" => {
                let params: PartParams = parameters(params)?;
                formatting::edits(
                    self.workspace.text(&params.text_document.uri)?,
                    Some(params.range),
                    encoding,
                )
            }
            "textDocument/codeAction" => {
                let params: PartParams = parameters(params)?;
                let spot = self.workspace.spot(&params.text_document.uri, params.range.start)?;
                in_json(&fixes::fixes(&spot, params.range, encoding)?)
            }
            "textDocument/hover" => {
                in_json(&hover::explained(&spot(&parameters(params)?)?, encoding, self.takes_markdown))
            }
            "textDocument/completion" => {
                in_json(&completion::candidates(&spot(&parameters(params)?)?, encoding))
            }
            "textDocument/definition" => definition::definition(&spot(&parameters(params)?)?, encoding),
            "textDocument/references" => {
                let params: PlaceParams = parameters(params)?;
                definition::references(&spot(&params)?, params.context.include_declaration, encoding)
            }
            "textDocument/prepareRename" => in_json(&rename::prepare(&spot(&parameters(params)?)?, encoding)),
            "textDocument/rename" => {
                let params: PlaceParams = parameters(params)?;
                let new = params.new_name.as_deref();
                let new = new.ok_or_else(|| RequestFault::new(INVALID_PARAMS, "the new name is missing"))?;
                rename::edits(&spot(&params)?, new, self.takes_versions, encoding)
            }
            _ => Err(RequestFault::new(METHOD_NOT_FOUND, format!("no method `{}`", printable(method)))),
        }
    }

    /// Takes a notification. One with wrong parameters, or one that is not known, changes nothing.
    fn notice(&mut self, method: &str, params: Value) -> Vec<String> {
        if method == "exit" {
            self.has_exited = true;
        }
        if self.stage != SessionStage::Running {
            return Vec::new();
        }
        match method {
            "textDocument/didOpen" => {
                let Ok(OpenParams { text_document: opened }) = parameters(params) else { return Vec::new() };
                self.workspace.open(opened.uri, opened.text, opened.version);
            }
            "textDocument/didChange" => return self.change(params),
            "textDocument/didClose" => {
                let Ok(TextParams { text_document: closed }) = parameters(params) else { return Vec::new() };
                self.workspace.texts.remove(&closed.uri);
                self.workspace.read_again();
            }
            "textDocument/didSave" | "workspace/didChangeWatchedFiles" => self.workspace.read_again(),
            _ => return Vec::new(),
        }
        self.is_stale = true;
        Vec::new()
    }

    fn change(&mut self, params: Value) -> Vec<String> {
        let uri = params["textDocument"]["uri"].as_str();
        let Some(text) = uri.and_then(|uri| self.workspace.texts.get_mut(uri)) else { return Vec::new() };
        let was_lost = text.is_lost;
        match parameters::<ChangeParams>(params) {
            Ok(ChangeParams { text_document: id, content_changes: changes }) => {
                text.version = id.version.or(text.version);
                text.change(changes, self.workspace.encoding);
            }
            Err(_) => text.is_lost = true,
        }
        let is_lost = text.is_lost && !was_lost;
        self.workspace.changed();
        self.is_stale = true;
        is_lost.then(texts_differ).into_iter().collect()
    }

    /// Holds all texts for lost, because a message could not be read that may have changed any of them.
    pub fn lose_texts(&mut self) -> Vec<String> {
        let known = self.workspace.texts.values_mut().filter(|text| !text.is_lost);
        let lost = known.map(|text| text.is_lost = true).count();
        self.workspace.changed();
        self.is_stale = true;
        (lost > 0).then(texts_differ).into_iter().collect()
    }
}

/// Tells the user that nothing is said of a text until it is opened again.
fn texts_differ() -> String {
    notification("window/showMessage", json!({ "type": MESSAGE_OF_ERROR, "message": DIFFERENT_TEXTS }))
}
