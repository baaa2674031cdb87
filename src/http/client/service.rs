//! A server as the service that commands work on.
//!
//! Foreign servers have only the four operations of the API. Whatever relies on more is refused
//! here, or done here, before anything is sent.

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
use super::settings::Credentials;
use crate::engine::{
    ChangeOptions, ChangeReport, ChangeRequest, ConfigService, ConfigSource, Decided, Decision, Guard,
    IncludedTexts, NodeReport, OutcomeNote, RequestedChange, ServerInfo, Snapshot, Status, StatusPart,
    before_dangling, before_deletion, before_emptying, before_lost_account, before_replacement,
    count_streams, deleted_streams, differing, is_edited_since, last_change,
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
    fn fetch(&mut self, source: ConfigSource) -> Result<Arc<Snapshot>, Error> {
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
    fn text(&self, reply: Reply, applies: bool) -> Result<Arc<Snapshot>, Error> {
        if !reply.is_ours {
            return self.of_values(&self.object(&reply, applies)?, applies);
        }
        let revision = reply.header(ETAG.as_str()).as_deref().and_then(revision_in);
        Ok(Arc::new(Snapshot::with_revision(reply.body.unwrap_or_default(), revision)))
    }

    /// The text that is made of the values of a configuration.
    fn of_values(&self, values: &Value, applies: bool) -> Result<Arc<Snapshot>, Error> {
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

    fn not_of_the_api(&self, what: &str, applies: bool) -> Error {
        self.failed(applies, format_args!("it answers with {what}"), ADDRESS)
    }

    fn not_offered(&self, noun: &str) -> Error {
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

/// What a server answers that says yes to a change and does not make it.
const IGNORED: &str = "the same configuration as before, without the change";

/// Makes a change, or rehearses it, on a server that has the four operations of the API and nothing else. It gives JSON
/// alone, of which the client makes a text, and ignores every query parameter, so `dry_run=true` would be a change.
/// Whatever relies on more is done here, on the configuration that was read, or is refused before anything is sent.
fn change_foreign(
    client: &mut Client,
    requested: &RequestedChange<'_>,
    options: &ChangeOptions,
) -> Result<ChangeReport, Error> {
    let lacking = [
        (matches!(requested, RequestedChange::Rollback(_) | RequestedChange::Revert(_)), "a history"),
        (options.strict, "refusing new warnings"),
        (options.id.is_some(), "ids of changes"),
        (options.confirm.is_some(), "changes that have to be confirmed"),
        (options.expected.is_some(), "conditional changes"),
        (options.base.is_some(), "merging a change with those of others"),
    ];
    // Such a server would ignore the option, and make the change.
    if let Some((_, feature)) = lacking.into_iter().find(|(is_wanted, _)| *is_wanted) {
        return Err(client.not_offered(feature));
    }
    let mut told = Vec::new();
    told.extend(options.message.as_ref().map(|_| "does not record messages: yours is not in its history"));
    let before = client.fetch(ConfigSource::Running)?;
    let (old, mut after, mut deleted) = (before.document(), before.clone(), (0, 0));
    let (body, operation, guard, is_whole) = match requested {
        RequestedChange::Modify(request) => {
            let config = before.config();
            let evaluated = request.evaluate(&config)?;
            let (mut patch, depends_on_read) = (evaluated.patch.clone(), evaluated.depends_on_read);
            if let Some(edit) = request.edit(evaluated, old, &config)? {
                options.refused(edit.guarded).into_result(())?;
                deleted = (edit.deleted_streams, count_streams(old) + edit.inner_streams);
                after = Arc::new(Snapshot::proved(edit.document));
            }
            if request.is_of_text() {
                patch = old.patch_to(after.document()).into();
                told.push("does not give its text, so the block is made anew there, without comments");
            }
            if depends_on_read && !options.dry_run {
                told.push(
                    "does not offer conditional changes: another change at the same time could be overwritten",
                );
            }
            let guard = before_lost_account(&before, &after);
            (patch.to_string().into_bytes(), ApiOperation::Modify, guard, request.prunes())
        }
        RequestedChange::Save(text) | RequestedChange::Update(text) => {
            after = Arc::new(Snapshot::from_bytes(text.to_vec()));
            options.refuse([after.has_lost_line_ends().then_some(Guard::OneLine)])?;
            if !after.is_valid() {
                return Err(Error::bad_new_text(after));
            }
            if let Some(refusal) = Error::masked_text(after.document().text()) {
                return Err(refusal);
            }
            deleted = deleted_streams(old, after.document());
            let is_save = matches!(requested, RequestedChange::Save(_));
            let operation = if is_save { ApiOperation::Save } else { ApiOperation::Update };
            (text.to_vec(), operation, before_replacement(Some(&before), &after), true)
        }
        _ => return Err(client.not_offered("the text of the configuration")),
    };
    let emptied = before_emptying(&before, &after).filter(|_| is_whole);
    let deletion = before_deletion(deleted.0, deleted.1, options.max_delete).filter(|_| emptied.is_none());
    options.refuse([guard, emptied, deletion, before_dangling(old, after.document())])?;
    told.iter().for_each(|what| client.host.warning(&format!("`{}` {what}", client.name)));
    let mut after = client.of_values(&after.config().to_json(), true)?;
    if !options.dry_run {
        let reply = client.send(&ApiCall { body: &body, applies: true, ..ApiCall::new(operation) })?;
        let made = match operation {
            ApiOperation::Modify => Some(client.text(reply, true)?),
            _ if reply.body.as_deref().map(<[u8]>::trim_ascii) != Some(b"true") => {
                return Err(client.not_of_the_api("something other than `true`", true));
            }
            // The change may have replaced the password, so nothing is asked.
            _ => client.try_to_send(&ApiCall::default()).ok().and_then(|reply| client.text(reply, true).ok()),
        };
        if let Some(made) = made {
            if made.is_same_text(&before) && !after.is_same_text(&before) {
                return Err(client.not_of_the_api(IGNORED, true));
            }
            after = client.of_values(&made.config().to_json(), true)?;
        }
    }
    let is_same = after.is_same_text(&before);
    Ok(ChangeReport::between(Some(before), after, !is_same))
}
