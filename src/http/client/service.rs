//! A server as the service that commands work on.
//!
//! Foreign servers have only the four operations of the API. Whatever relies on more is refused before anything is sent, or
//! done here.

use std::any::Any;
use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;
use reqwest::header::{ETAG, RETRY_AFTER};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use super::connection::{ApiCall, Client, Reply};
use super::error::ADDRESS;
use super::foreign::change_foreign;
use super::settings::Credentials;
use crate::engine::{
    ChangeOptions, ChangeReport, ChangeRequest, ConfigService, ConfigSource, Decided, Decision,
    IncludedTexts, NodeReport, OutcomeNote, RequestedChange, ServerInfo, Snapshot, Status, StatusPart,
    differing, is_edited_since, last_change,
};
use crate::error::{Error, ErrorKind};
use crate::http::api::{
    ACCEPT, ApiOperation, FAILED_NODES, FORMAT, FORMAT_CONF, ID, IncludedFile, IncludedFiles, MAX_WAIT,
    NOTE_HEADER, PENDING_HEADER, RUNTIME, SKIP_STREAMS, SOURCE, SOURCE_SAVED, WAIT, revision_in,
};
use crate::http::notes::KEPT_HAND_EDIT;
use crate::store::{ChangeRef, HistoryEntry, IncludedText, PendingInfo};

/// A server of this API, which has one request at a time.
pub struct RemoteService {
    name: String,
    client: Mutex<Client>,
    /// Held as long as the service is used: closing it would close the way to the server.
    _way: Box<dyn Any + Send + Sync>,
}

impl RemoteService {
    /// The server of `client`, holding `way` as long as the service lives. Sends nothing.
    pub fn new(client: Client, way: impl Any + Send + Sync) -> Self {
        Self { name: client.name.clone(), client: Mutex::new(client), _way: Box::new(way) }
    }
}

impl Client {
    /// Reads a configuration. The running one is not sent again if it is the one that was read last.
    pub(super) fn fetch(&mut self, source: ConfigSource) -> Result<Arc<Snapshot>, Error> {
        let is_saved = source == ConfigSource::Saved;
        let saved: Vec<_> = is_saved.then(|| (SOURCE, SOURCE_SAVED.to_owned())).into_iter().collect();
        let parameters = [&[(FORMAT, FORMAT_CONF.to_owned())], &*saved].concat();
        let (tag, known) = self.known.clone().filter(|_| !is_saved).unzip();
        let reply =
            self.send(&ApiCall { parameters, if_none_match: tag.as_deref(), ..ApiCall::default() })?;
        if let (None, Some(known)) = (&reply.body, known) {
            return Ok(known);
        }
        if is_saved && !reply.is_ours {
            return Err(self.not_offered("the saved configuration"));
        }
        let (tag, is_ours) = (reply.header(ETAG.as_str()), reply.is_ours);
        let mut text = self.text(reply, false)?;
        if let Some(text) = Arc::get_mut(&mut text).filter(|text| is_ours && !text.includes().is_empty()) {
            let call = ApiCall { parameters: saved, ..ApiCall::new(ApiOperation::Included) };
            text.included = Some(Arc::new(self.included(&call)));
        }
        if !is_saved {
            self.known = tag.map(|tag| (tag, text.clone()));
        }
        Ok(text)
    }

    /// The files of each pattern that a configuration includes.
    fn included(&mut self, call: &ApiCall<'_>) -> Result<IncludedTexts, Error> {
        let reply = self.demanded(call, "included files")?;
        let sent: IncludedFiles = self.parsed(reply.json(), "list of files", false)?;
        let text_of = |IncludedFile { name, text }| IncludedText {
            target: (&name).into(),
            name,
            bytes: Some(text.into()),
        };
        let texts = sent.into_iter();
        Ok(texts.map(|(pattern, files)| (pattern, files.into_iter().map(text_of).collect())).collect())
    }

    /// The configuration in a response: the text, or one that is made of the JSON of a server without text.
    pub(super) fn text(&self, reply: Reply, applies: bool) -> Result<Arc<Snapshot>, Error> {
        if !reply.is_ours {
            return self.of_values(&self.object(&reply, applies)?, applies);
        }
        let revision = reply.header(ETAG.as_str()).as_deref().and_then(revision_in);
        Ok(Arc::new(Snapshot::with_revision(reply.body.unwrap_or_default(), revision)))
    }

    /// The text that is made of the values of a configuration.
    pub(super) fn of_values(&self, values: &Value, applies: bool) -> Result<Arc<Snapshot>, Error> {
        let made = Snapshot::of_values(values).map(Arc::new);
        made.ok_or_else(|| self.not_of_the_api("JSON that can't be written as a configuration", applies))
    }

    /// What the JSON in the body of a response says.
    fn parsed<T: DeserializeOwned>(
        &self,
        json: Option<Value>,
        what: &str,
        applies: bool,
    ) -> Result<T, Error> {
        let parsed = json.and_then(|json| serde_json::from_value(json).ok());
        parsed.ok_or_else(|| self.not_of_the_api(&format!("something that is no {what}"), applies))
    }

    /// The JSON object in the body of a response.
    fn object(&self, reply: &Reply, applies: bool) -> Result<Value, Error> {
        self.parsed::<Map<_, _>>(reply.json(), "JSON object", applies).map(Value::Object)
    }

    pub(super) fn not_of_the_api(&self, what: &str, applies: bool) -> Error {
        self.failed(applies, format_args!("it answers with {what}"), ADDRESS)
    }

    pub(super) fn not_offered(&self, noun: &str) -> Error {
        Error::not_offered(&self.name, noun)
    }

    /// Sends a request that only a server of this API knows; another one does not offer what `noun` says.
    fn demanded(&mut self, call: &ApiCall<'_>, noun: &str) -> Result<Reply, Error> {
        self.send_ours(call)?.ok_or_else(|| self.not_offered(noun))
    }

    /// The figures of the server; null if it tells none.
    fn figures(&mut self) -> Result<Value, Error> {
        let reply = match self.send_ours(&ApiCall::new(ApiOperation::Runtime))? {
            Some(reply) => reply,
            None => {
                let parameters = [SKIP_STREAMS, RUNTIME].map(|name| (name, "true".to_owned())).to_vec();
                self.send(&ApiCall { parameters, ..ApiCall::default() })?
            }
        };
        Ok(self.object(&reply, false)?[RUNTIME].take())
    }

    fn history(&mut self) -> Result<Vec<HistoryEntry>, Error> {
        let reply = self.demanded(&ApiCall::new(ApiOperation::History), "a history")?;
        let entries: Vec<HistoryEntry> = self.parsed(reply.json(), "history", false)?;
        Ok(entries.into_iter().map(HistoryEntry::renamed).collect())
    }
}

impl ConfigService for RemoteService {
    fn name(&self) -> &str {
        &self.name
    }

    fn read(&self, source: Option<ConfigSource>) -> Result<Arc<Snapshot>, Error> {
        self.client.lock().fetch(source.unwrap_or(ConfigSource::Running))
    }

    fn wait(&self, most: Duration) -> Result<bool, Error> {
        let client = &mut *self.client.lock();
        let seconds = most.min(client.settings.timeout / 2).as_secs().min(MAX_WAIT);
        if seconds == 0 {
            return Ok(false);
        }
        let parameters = vec![(WAIT, seconds.to_string())];
        let known = client.state.take();
        let if_none_match = known.as_deref();
        let call = ApiCall { parameters, if_none_match, ..ApiCall::new(ApiOperation::Status) };
        let Some(reply) = client.send_ours(&call)? else { return Ok(false) };
        client.state = reply.header(ETAG.as_str());
        // A server on which many wait answers at once.
        Ok(reply.body.is_some() || reply.header(RETRY_AFTER.as_str()).is_none())
    }

    fn pending(&self) -> Result<Option<PendingInfo>, Error> {
        Ok(self.status(StatusPart::Server)?.pending)
    }

    fn change(&self, requested: RequestedChange<'_>, options: &ChangeOptions) -> Result<ChangeReport, Error> {
        if let RequestedChange::Save(text) | RequestedChange::Update(text) = &requested {
            // Lost line ends explain the errors in a text, and only the server knows whether it has that text.
            let new = Snapshot::from_bytes(text.to_vec());
            if !new.is_valid() && !new.has_lost_line_ends() {
                return Err(Error::bad_new_text(Arc::new(new)));
            }
        }
        let client = &mut *self.client.lock();
        let request = ChangeRequest { operation: requested.clone(), options: options.clone() };
        let body = serde_json::to_vec(&request).expect("a request can be written");
        let applies = !options.dry_run;
        let call = ApiCall { body: &body, applies, ..ApiCall::new(ApiOperation::Change) };
        // A foreign server has changed nothing.
        let Some(reply) = client.send_ours(&call)? else {
            let report = change_foreign(client, &requested, options)?;
            return Ok(report.with_parts(options.told));
        };
        let mut report: ChangeReport = client.parsed(reply.report(), "report of a change", applies)?;
        client.new_account =
            report.account.take().and_then(|[login, password]| Credentials::new(login, password).ok());
        Ok(report)
    }

    fn history(&self, _wanted: usize) -> Result<Vec<HistoryEntry>, Error> {
        self.client.lock().history()
    }

    fn text_before(&self, change: ChangeRef) -> Result<Arc<Snapshot>, Error> {
        if change == ChangeRef::NOT_RECORDED {
            return self.client.lock().fetch(ConfigSource::Running);
        }
        let call = ApiCall { argument: Some(change.to_string()), ..ApiCall::new(ApiOperation::Kept) };
        let reply = self.client.lock().demanded(&call, "a history")?;
        Ok(Arc::new(Snapshot::from_bytes(reply.body.unwrap_or_default())))
    }

    /// Decides over a new connection with the account that the change made: users who locked themselves
    /// out by the change can't confirm it.
    fn decide(&self, decision: Decision<'_>, id: Option<&str>, _by: &str) -> Result<Decided, Error> {
        let client = &mut *self.client.lock();
        let id = match id {
            Some(id) => {
                client.reconnect();
                id.to_owned()
            }
            None => match client.probe()? {
                reply if reply.is_ours => reply.header(PENDING_HEADER).ok_or(Error::nothing_pending())?,
                _ => return Err(client.not_offered("changes that have to be confirmed")),
            },
        };
        let is_back = decision == Decision::RollBack;
        let operation = if is_back { ApiOperation::Cancel } else { ApiOperation::Confirm };
        let accepted = (decision == Decision::KeepThoughFailed).then(|| (ACCEPT, FAILED_NODES.to_owned()));
        let parameters = [(ID, id)].into_iter().chain(accepted).collect();
        let sent = client.send(&ApiCall { parameters, applies: true, ..ApiCall::new(operation) });
        let reply = sent.map_err(|refusal| match refusal.status {
            Some(status) if status == ErrorKind::NotFound.status() => Error::nothing_pending(),
            _ => refusal,
        })?;
        let notes = reply.header(NOTE_HEADER).unwrap_or_default();
        let is_kept = notes.split(';').any(|word| word.trim() == KEPT_HAND_EDIT);
        let notes = is_kept.then_some(OutcomeNote::KeptHandEdit).into_iter().collect();
        Ok(Decided { notes, ..Decided::default() })
    }

    fn status(&self, part: StatusPart) -> Result<Status, Error> {
        let client = &mut *self.client.lock();
        if part == StatusPart::Level {
            if client.is_ours.is_none() {
                client.probe()?;
            }
            return Ok(Status { is_plain: client.is_ours != Some(true), ..Status::default() });
        }
        if part == StatusPart::Nodes {
            let reply = client.demanded(&ApiCall::new(ApiOperation::Nodes), "nodes")?;
            let nodes = client.parsed(reply.json(), "nodes", false)?;
            return Ok(Status { nodes, ..Status::default() });
        }
        if part == StatusPart::Alarms {
            return Ok(Status::default());
        }
        let figures = client.figures()?;
        let (server, config) = (&figures["server"], &figures["config"]);
        let mut status = Status {
            server: Some(ServerInfo::deserialize(server).unwrap_or_default()),
            saved: config["saved"].as_bool(),
            pending: PendingInfo::deserialize(&config["pending"]).ok(),
            node: NodeReport::deserialize(&figures["node"]).ok(),
            last_error: config["last_error"].as_str().map(str::to_owned),
            running: config["etag"].as_str().and_then(revision_in),
            ..Status::default()
        };
        // Foreign servers have no such figures, no saved text and no history.
        if part == StatusPart::All && server.is_object() {
            let running = client.fetch(ConfigSource::Running)?;
            let saved = client.fetch(ConfigSource::Saved)?;
            let entries = client.history()?;
            status.differing = differing(&running, &saved);
            status.edited_by_hand = is_edited_since(&entries, &saved);
            status.errors = Some(saved.diagnostics().errors());
            status.file = Some(saved);
            let made = HistoryEntry::deserialize(&config["last_change"]).ok();
            let made = made.map(|made| made.aside(&running));
            status.last_change = last_change(entries.into_iter().next(), made);
        }
        Ok(Status { figures, ..status })
    }
}
