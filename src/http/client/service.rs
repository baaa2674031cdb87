//! A server as the service that commands work on.

use std::any::Any;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use serde::Deserialize;
use serde_json::Value;

use super::api_client::{ApiCall, Client, Credentials, is_report};
use super::session::{Host, Session};
use crate::engine::{
    ChangeOptions, ChangeReport, ChangeRequest, Composed, ConfigService, ConfigSource, Decision, Guard,
    NodeReport, OutcomeNote, RequestedChange, ServerHealth, ServerInfo, Snapshot, Status, before_deletion,
    before_replacement, deleted_streams, differing, is_edited_since, last_change,
};
use crate::error::{Error, ErrorKind};
use crate::http::api::{ApiOperation, ID, MAX_WAIT, RUNTIME, SKIP_STREAMS, WAIT, revision_in};
use crate::http::notes::KEPT_HAND_EDIT;
use crate::store::{ChangeRef, HistoryEntry, PendingInfo};
use mediaconf::{Edit, Request, Schema};

/// A server of this API.
///
/// Foreign servers have only the four operations of the API. Whatever relies on more is refused
/// here, or done here, before anything is sent.
pub struct RemoteService {
    name: String,
    link: Mutex<ServerLink>,
}

/// The session with a server, which has one request at a time.
struct ServerLink {
    session: Session,
    /// The account in the configuration that the last change made: it holds for the next request.
    new_account: Option<Credentials>,
    /// Held as long as the service is used: closing it would close the way to the server.
    _way: Option<Box<dyn Any + Send>>,
}

impl RemoteService {
    /// The server of `client`, which messages call `name`. `login` is the login to ask a password
    /// for, if the server wants one. Sends nothing.
    pub fn new(client: Client, name: String, login: Option<String>, host: Box<dyn Host>) -> Self {
        let session = Session::new(client, name.clone(), login, host);
        Self { name, link: Mutex::new(ServerLink { session, new_account: None, _way: None }) }
    }

    /// The same service, holding `way` as long as it lives.
    pub fn keeping(self, way: impl Any + Send) -> Self {
        self.link()._way = Some(Box::new(way));
        self
    }

    fn link(&self) -> MutexGuard<'_, ServerLink> {
        self.link.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl ServerLink {
    /// Makes a change, or rehearses it, on a server that evaluates requests itself; `None` if the server is a foreign one,
    /// which has changed nothing.
    fn change(
        &mut self,
        requested: &RequestedChange<'_>,
        options: &ChangeOptions,
    ) -> Result<Option<ChangeReport>, Error> {
        let request = ChangeRequest { operation: requested.by_ref(), options: options.clone() };
        let body = serde_json::to_vec(&request).expect("a request can be written");
        let call = ApiCall { body: &body, applies: !options.dry_run, ..ApiCall::new(ApiOperation::Change) };
        let Some(reply) = self.session.send_ours(&call)? else { return Ok(None) };
        // All other members may be missing, so any object would do.
        let report = |value: Value| serde_json::from_value(Some(value).filter(is_report)?).ok();
        self.session.parsed(&reply, call.applies, "something that is no report of a change", report).map(Some)
    }

    /// Remembers the account that a change makes.
    fn remember_account(&mut self, report: ChangeReport) -> ChangeReport {
        let account = report.account.clone();
        self.new_account = account.and_then(|[login, password]| Credentials::new(login, password));
        report
    }

    /// The figures of the server; null if it tells none.
    fn figures(&mut self) -> Result<Value, Error> {
        match self.session.send_ours(&ApiCall::new(ApiOperation::Runtime))? {
            Some(reply) => self.session.object(&reply, false),
            None => {
                let switches = vec![(SKIP_STREAMS, "true"), (RUNTIME, "true")];
                let reply = self.session.send(&ApiCall::read(switches))?;
                self.session.object(&reply, false)
            }
        }
        .map(|mut whole| whole[RUNTIME].take())
    }

    /// The id of the pending change.
    fn pending_id(&mut self) -> Result<String, Error> {
        let reply = self.session.probe()?;
        if !reply.is_ours {
            return Err(self.session.not_offered("changes that have to be confirmed"));
        }
        reply.pending.ok_or(Error::nothing_pending())
    }

    fn history(&mut self) -> Result<Vec<HistoryEntry>, Error> {
        let reply = self.session.send_ours(&ApiCall::new(ApiOperation::History))?;
        let reply = reply.ok_or_else(|| self.session.not_offered("a history"))?;
        let entries = |list| serde_json::from_value(list).ok();
        self.session.parsed(&reply, false, "something that is no history", entries)
    }
}

impl ConfigService for RemoteService {
    fn name(&self) -> &str {
        &self.name
    }

    fn read(&self, source: Option<ConfigSource>) -> Result<Arc<Snapshot>, Error> {
        self.link().session.fetch(source.unwrap_or(ConfigSource::Running))
    }

    fn figures(&self) -> Result<Value, Error> {
        self.link().figures()
    }

    fn read_changed(&self, tag: &mut Option<String>) -> Result<Option<Arc<Snapshot>>, Error> {
        self.link().session.fetch_changed(tag)
    }

    fn wait_for_change(&self, tag: &mut Option<String>, most: Duration) -> Result<bool, Error> {
        let link = &mut *self.link();
        let seconds = most.min(link.session.timeout() / 2).as_secs().min(MAX_WAIT);
        if seconds == 0 {
            return Ok(false);
        }
        let call = ApiCall {
            parameters: vec![(WAIT, seconds.to_string().into())],
            if_none_match: tag.as_deref(),
            ..ApiCall::new(ApiOperation::Status)
        };
        let Some(reply) = link.session.send_ours(&call)? else { return Ok(false) };
        // A server on which many wait answers at once.
        let has_waited = reply.body.is_some() || !reply.is_at_once;
        *tag = reply.etag;
        Ok(has_waited)
    }

    fn health(&self) -> Result<ServerHealth, Error> {
        let figures = self.link().figures()?;
        let config = &figures["config"];
        Ok(ServerHealth {
            revision: config["etag"].as_str().and_then(revision_in),
            pending: PendingInfo::deserialize(&config["pending"]).ok(),
            trouble: trouble(&figures),
        })
    }

    fn composed(
        &self,
        text: &Arc<Snapshot>,
        source: Option<ConfigSource>,
    ) -> Result<Option<Composed>, Error> {
        self.link().session.composed(text, source.unwrap_or(ConfigSource::Running))
    }

    fn change(&self, requested: RequestedChange<'_>, options: &ChangeOptions) -> Result<ChangeReport, Error> {
        if let RequestedChange::Save(text) | RequestedChange::Update(text) = &requested {
            refuse_errors(text)?;
        }
        let link = &mut *self.link();
        if let Some(report) = link.change(&requested, options)? {
            return Ok(link.remember_account(report));
        }
        let report = change_foreign(&mut link.session, &requested, options)?;
        Ok(report.with_parts(&requested, options.told))
    }

    fn history(&self, _wanted: usize) -> Result<Vec<HistoryEntry>, Error> {
        self.link().history()
    }

    fn kept(&self, change: ChangeRef) -> Result<Arc<Snapshot>, Error> {
        let link = &mut *self.link();
        let argument = change.in_url();
        let call = ApiCall { argument: Some(&argument), ..ApiCall::new(ApiOperation::Kept) };
        let reply = link.session.send_ours(&call)?;
        let reply = reply.ok_or_else(|| link.session.not_offered("a history"))?;
        Ok(Arc::new(Snapshot::from_bytes(reply.body.unwrap_or_default())))
    }

    /// Decides over a new connection with the account that the change made: users who locked themselves
    /// out by the change can't confirm it.
    fn decide(&self, decision: Decision, id: Option<&str>, _by: &str) -> Result<Vec<OutcomeNote>, Error> {
        let link = &mut *self.link();
        let id = match id {
            Some(id) => {
                let account = link.new_account.take();
                link.session.reconnect(account);
                id.to_owned()
            }
            None => link.pending_id()?,
        };
        let operation = match decision {
            Decision::Keep => ApiOperation::Confirm,
            Decision::RollBack => ApiOperation::Cancel,
        };
        let parameters = vec![(ID, id.into())];
        match link.session.send(&ApiCall { parameters, applies: true, ..ApiCall::new(operation) }) {
            Err(refusal) if refusal.status == Some(ErrorKind::NotFound.status()) => {
                Err(Error::nothing_pending())
            }
            result => {
                let is_kept = result?.notes.iter().any(|word| word == KEPT_HAND_EDIT);
                Ok(is_kept.then_some(OutcomeNote::KeptHandEdit).into_iter().collect())
            }
        }
    }

    fn demand(&self, noun: &str) -> Result<(), Error> {
        self.link().session.demand(noun)
    }

    fn status(&self) -> Result<Status, Error> {
        let link = &mut *self.link();
        let figures = link.figures()?;
        let (server, config) = (&figures["server"], &figures["config"]);
        let mut status = Status {
            server: Some(ServerInfo::deserialize(server).unwrap_or_default()),
            saved: config["saved"].as_bool(),
            pending: PendingInfo::deserialize(&config["pending"]).ok(),
            node: NodeReport::deserialize(&figures["node"]).ok(),
            last_error: config["last_error"].as_str().map(str::to_owned),
            ..Status::default()
        };
        // Foreign servers have no such figures, no saved text and no history.
        if server.is_object() {
            let running = link.session.fetch(ConfigSource::Running)?;
            let saved = link.session.fetch(ConfigSource::Saved)?;
            let entries = link.history()?;
            status.differing = differing(&running, &saved);
            status.edited_by_hand = is_edited_since(&entries, &saved) || config["included_changed"] == true;
            status.errors = Some(saved.diagnostics().errors());
            status.file = Some(saved);
            status.last_change = entries.into_iter().next();
            let last = &config["last_change"];
            let at = last["at"].as_str().and_then(|at| humantime::parse_rfc3339(at).ok());
            if let (Some(at), Some(by), Some(operation)) =
                (at, last["by"].as_str(), last["operation"].as_str())
            {
                let made = (at, by, operation);
                status.last_change = last_change(status.last_change, made, running.revision());
            }
        }
        Ok(status)
    }
}

/// Refuses a text with errors. Lost line ends explain the errors in a text, and only the server knows whether it has
/// that text.
fn refuse_errors(text: &[u8]) -> Result<(), Error> {
    let new = Snapshot::from_bytes(text.to_vec());
    match new.is_valid() || new.has_lost_line_ends() {
        true => Ok(()),
        false => Err(Error::bad_new_text(Arc::new(new))),
    }
}

/// Returns the error of the last reload, or of the runtime command, in the figures of a server.
fn trouble(figures: &Value) -> Option<String> {
    let words = |value: &Value| value.as_str().map(str::to_owned);
    let errors = figures["errors"].as_array().into_iter().flatten().filter_map(words);
    words(&figures["config"]["last_error"]).into_iter().chain(errors).next()
}

/// What a server answers that says yes to a change and does not make it.
const IGNORED: &str = "the same configuration as before, without the change";

/// Makes a change, or rehearses it, on a server that has the four operations of the API and nothing else. It gives JSON
/// alone, of which the session makes a text, and ignores every query parameter, so `dry_run=true` would be a change.
/// Whatever relies on more is done here, on the configuration that was read, or is refused before anything is sent.
fn change_foreign(
    session: &mut Session,
    requested: &RequestedChange<'_>,
    options: &ChangeOptions,
) -> Result<ChangeReport, Error> {
    match requested {
        RequestedChange::Modify(request) => modify(session, request, options),
        RequestedChange::Save(text) => replace(session, ApiOperation::Save, text, options),
        RequestedChange::Update(text) => replace(session, ApiOperation::Update, text, options),
        RequestedChange::Format {} | RequestedChange::Entries(_) => {
            Err(session.not_offered("the text of the configuration"))
        }
        RequestedChange::Rollback(_) | RequestedChange::TakeBack(_) => Err(session.not_offered("a history")),
    }
}

/// Evaluates a request on what the server runs, and sends the patch, or only rehearses it.
fn modify(session: &mut Session, request: &Request, options: &ChangeOptions) -> Result<ChangeReport, Error> {
    refuse_lacking(session, options)?;
    let before = session.fetch(ConfigSource::Running)?;
    let config = before.config();
    let evaluated = request.evaluate(&config)?;
    let (mut patch, mut notes) = (evaluated.patch.clone(), evaluated.notes.clone());
    let depends_on_read = evaluated.depends_on_read;
    // JSON does not tell how unknown directives are written, which the made text does.
    let doubts = Edit::doubts_in_json(&config.to_json(), &Schema::normalize(patch.clone())?);
    options.refused(doubts).into_result(())?;
    let edit = request.edit(evaluated, before.document(), &config)?;
    let named = request.named_deletions();
    if let Some(edit) = &edit {
        let unnamed = edit.deleted_streams.iter().filter(|name| !named.contains(name.as_str())).count();
        let credentials = edit.removes_credentials.then_some(Guard::WouldRemoveCredentials);
        let deletion = before_deletion(unnamed, edit.streams_before, options.max_delete);
        refuse_guarded([credentials, deletion], options)?;
    }
    if request.is_of_text() {
        session.host.warning(&format!(
            "`{}` does not give its text, so the block is made anew there, without comments",
            session.name
        ));
    }
    let mut after = before.clone();
    if let Some(edit) = edit {
        if request.is_of_text() {
            patch = before.document().patch_to(&edit.document).into();
        }
        notes.extend(edit.notes);
        after = Arc::new(Snapshot::proved(edit.document));
    }
    if !options.dry_run {
        if depends_on_read {
            session.host.warning(&format!(
                "`{}` does not offer conditional changes: \
                 another change at the same time could be overwritten",
                session.name
            ));
        }
        let body = patch.to_string();
        let call = ApiCall { body: body.as_bytes(), applies: true, ..ApiCall::new(ApiOperation::Modify) };
        let mut reply = session.post(&call)?;
        let made = session.text(&mut reply, true)?;
        if made.is_same_text(&before) && !after.is_same_text(&before) {
            return Err(session.not_of_the_api(IGNORED, true));
        }
        after = made;
    }
    let notes = notes.into_iter().map(OutcomeNote::Edit).collect();
    report(session, before, &after).map(|report| ChangeReport { notes, ..report })
}

/// Replaces the configuration, or rehearses it.
fn replace(
    session: &mut Session,
    operation: ApiOperation,
    text: &[u8],
    options: &ChangeOptions,
) -> Result<ChangeReport, Error> {
    let new = Arc::new(Snapshot::from_bytes(text.to_vec()));
    refuse_lacking(session, options)?;
    let before = session.fetch(ConfigSource::Running)?;
    refuse_guarded([new.has_lost_line_ends().then_some(Guard::OneLine)], options)?;
    if !new.is_valid() {
        return Err(Error::bad_new_text(new));
    }
    if let Some(refusal) = Error::masked_text(new.document().text()) {
        return Err(refusal);
    }
    let (deleted, of) = deleted_streams(before.document(), new.document());
    let replacement = before_replacement(Some(before.document()), new.document());
    refuse_guarded([replacement, before_deletion(deleted, of, options.max_delete)], options)?;
    let planned = report(session, before.clone(), &new)?;
    if options.dry_run {
        return Ok(planned);
    }
    let reply = session.post(&ApiCall { body: new.bytes(), applies: true, ..ApiCall::new(operation) })?;
    if reply.body.as_deref().map(<[u8]>::trim_ascii) != Some(b"true") {
        return Err(session.not_of_the_api("something other than `true`", true));
    }
    // The change may have replaced the password.
    let Some(made) = session.try_read() else { return Ok(planned) };
    if made.is_same_text(&before) && planned.changed {
        return Err(session.not_of_the_api(IGNORED, true));
    }
    report(session, before, &made)
}

/// Refuses options that such a server would ignore, and make the change.
fn refuse_lacking(session: &Session, options: &ChangeOptions) -> Result<(), Error> {
    let lacking = [
        (options.strict, "refusing new warnings"),
        (options.id.is_some(), "ids of changes"),
        (options.confirm.is_some(), "changes that have to be confirmed"),
        (options.base.is_some(), "merging a change with those of others"),
    ];
    if let Some((_, feature)) = lacking.into_iter().find(|(is_wanted, _)| *is_wanted) {
        return Err(session.not_offered(feature));
    }
    if options.message.is_some() {
        session
            .host
            .warning(&format!("`{}` does not record messages: yours is not in its history", session.name));
    }
    Ok(())
}

/// The report of a change to the values of a text.
fn report(session: &Session, before: Arc<Snapshot>, after: &Snapshot) -> Result<ChangeReport, Error> {
    let after = session.of_values(&after.config().to_json(), true)?;
    let is_same = after.is_same_text(&before);
    Ok(ChangeReport::between(Some(before), after, !is_same))
}

/// Refuses the first guard that is not accepted.
fn refuse_guarded(
    guards: impl IntoIterator<Item = Option<Guard>>,
    options: &ChangeOptions,
) -> Result<(), Error> {
    let mut open = guards.into_iter().flatten().filter(|guard| !options.accepts(guard));
    open.next().map_or(Ok(()), |guard| Err(Error::from(guard)))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::trouble;

    #[test]
    fn the_figures_tell_of_a_failed_reload_and_a_failed_command() {
        let runtime = json!({"config": {"last_error": null}, "server": {}});
        assert_eq!(trouble(&runtime), None);
        assert_eq!(trouble(&json!({"config": {"last_error": "x"}})), Some("x".to_owned()));
        assert_eq!(
            trouble(&json!({"errors": ["the runtime command failed"]})).as_deref(),
            Some("the runtime command failed")
        );
    }
}
