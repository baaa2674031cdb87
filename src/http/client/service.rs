//! A server as the service that commands work on.

use std::any::Any;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use serde::Deserialize;
use serde_json::Value;

use super::api_client::{Call, Client, is_report};
use super::credentials::Credentials;
use super::foreign;
use super::host::Host;
use super::session::Session;
use crate::engine::{
    ChangeOptions, ChangeReport, ChangeRequest, Composed, ConfigService, ConfigSource, Decision, NodeReport,
    OutcomeNote, RequestedChange, ServerHealth, ServerInfo, Snapshot, Status, differing, is_edited_since,
    last_change,
};
use crate::error::{Error, ErrorKind};
use crate::http::api::{ApiOperation, ID, MAX_WAIT, RUNTIME, SKIP_STREAMS, WAIT, revision_in};
use crate::http::notes::KEPT_HAND_EDIT;
use crate::store::{ChangeRef, HistoryEntry, PendingInfo, Revision};

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
        let call = Call { body: &body, applies: !options.dry_run, ..Call::new(ApiOperation::Change) };
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
        match self.session.send_ours(&Call::new(ApiOperation::Runtime))? {
            Some(reply) => self.session.object(&reply, false),
            None => {
                let switches = vec![(SKIP_STREAMS, "true"), (RUNTIME, "true")];
                let reply = self.session.send(&Call::read(switches))?;
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
        let reply = self.session.send_ours(&Call::new(ApiOperation::History))?;
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
        let call = Call {
            parameters: vec![(WAIT, seconds.to_string().into())],
            if_none_match: tag.as_deref(),
            ..Call::new(ApiOperation::Status)
        };
        let Some(reply) = link.session.send_ours(&call)? else { return Ok(false) };
        // A server on which many wait answers at once.
        let has_waited = reply.body.is_some() || !reply.is_at_once;
        *tag = reply.etag;
        Ok(has_waited)
    }

    fn revision(&self) -> Result<Option<Revision>, Error> {
        Ok(self.link().session.probe()?.etag.as_deref().and_then(revision_in))
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
        let report = foreign::change(&mut link.session, &requested, options)?;
        Ok(report.with_parts(&requested, options.told))
    }

    fn history(&self, _wanted: usize) -> Result<Vec<HistoryEntry>, Error> {
        self.link().history()
    }

    fn kept(&self, change: ChangeRef) -> Result<Arc<Snapshot>, Error> {
        let link = &mut *self.link();
        let argument = change.in_url();
        let call = Call { argument: Some(&argument), ..Call::new(ApiOperation::Kept) };
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
        match link.session.send(&Call { parameters, applies: true, ..Call::new(operation) }) {
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
