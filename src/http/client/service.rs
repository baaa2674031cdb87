//! A server as the service that commands work on.

use std::any::Any;
use std::borrow::Cow;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use serde::Deserialize;
use serde_json::Value;

use super::api_client::{Call, Client};
use super::change::change;
use super::credentials::Credentials;
use super::foreign;
use super::host::Host;
use super::session::Session;
use crate::engine::{
    ChangeOptions, ChangeReport, Composed, ConfigService, ConfigSource, Content, Decision, Feature,
    NodeReport, OutcomeNote, PendingInfo, ReadForm, ReadQuery, Reading, Refusal, RefusalKind, Replaced,
    ServerInfo, Snapshot, Status, differing, is_edited_since, last_change,
};
use crate::http::protocol::bodies::RequestedChange;
use crate::http::protocol::headers::{ID, RUNTIME, SKIP_STREAMS};
use crate::http::protocol::notes::KEPT_HAND_EDIT;
use crate::http::protocol::routes::ApiOperation;
use crate::store::{ChangeRef, HistoryEntry};
use mediaconf::edit::request::ChangeRequest;
use mediaconf::model::has_lost_line_ends;

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
    /// Remembers the account that a change makes.
    fn remember_account(&mut self, report: ChangeReport) -> ChangeReport {
        let account = report.account.clone();
        self.new_account = account.and_then(|[login, password]| Credentials::new(login, password));
        report
    }

    /// The id of the pending change.
    fn pending_id(&mut self) -> Result<String, Refusal> {
        let reply = self.session.probe()?;
        if !reply.offers(Feature::Confirm) {
            return Err(self.session.not_offered(Feature::Confirm));
        }
        reply.pending.ok_or(Refusal::nothing_pending())
    }

    fn history(&mut self) -> Result<Vec<HistoryEntry>, Refusal> {
        self.session.demand(Feature::History)?;
        let reply = self.session.send(&Call::of(ApiOperation::History))?;
        let entries = |list| serde_json::from_value(list).ok();
        self.session.parsed(&reply, false, "something that is no history", entries)
    }

    fn read_json(
        &mut self,
        source: ConfigSource,
        skip_static: bool,
        runtime: bool,
    ) -> Result<Value, Refusal> {
        let switches = [(SKIP_STREAMS, skip_static), (RUNTIME, runtime)];
        let parameters = switches.into_iter().filter(|(_, is_on)| *is_on).map(|(name, _)| (name, "true"));
        let reply = self.session.read(parameters.collect(), source)?;
        self.session.object(&reply, false)
    }
}

impl ConfigService for RemoteService {
    fn name(&self) -> &str {
        &self.name
    }

    fn read(&self, query: &ReadQuery) -> Result<Reading, Refusal> {
        let link = &mut *self.link();
        let source = query.source.unwrap_or(ConfigSource::Running);
        let content = match query.form {
            ReadForm::Json { skip_static, runtime } => {
                Content::Json(link.read_json(source, skip_static, runtime)?)
            }
            ReadForm::TextOrJson => link.session.fetch(source)?.content,
            ReadForm::Text => match link.session.fetch(source)?.content {
                Content::Json(_) => return Err(link.session.not_offered(Feature::Conf)),
                text => text,
            },
        };
        Ok(Reading { source, content })
    }

    fn read_changed(&self, tag: &mut Option<String>) -> Result<Option<Content>, Refusal> {
        let link = &mut *self.link();
        let fetched = link.session.fetch_changed(tag.as_deref())?;
        Ok(fetched.map(|fetched| {
            *tag = fetched.reply.etag;
            fetched.content
        }))
    }

    fn composed(
        &self,
        text: &Arc<Snapshot>,
        source: Option<ConfigSource>,
    ) -> Result<Option<Composed>, Refusal> {
        self.link().session.composed(text, source.unwrap_or(ConfigSource::Running))
    }

    fn modify(&self, request: &ChangeRequest, options: &ChangeOptions) -> Result<ChangeReport, Refusal> {
        let link = &mut *self.link();
        let requested = RequestedChange::Modify(Cow::Borrowed(request));
        match change(&mut link.session, &requested, options)? {
            Some(report) => Ok(link.remember_account(report)),
            None => {
                let outcome = foreign::modify(&mut link.session, request, options)?;
                Ok(ChangeReport::new(outcome, Some(request), options.told))
            }
        }
    }

    fn replace(
        &self,
        target: Replaced,
        text: &[u8],
        options: &ChangeOptions,
    ) -> Result<ChangeReport, Refusal> {
        let link = &mut *self.link();
        let new = Arc::new(Snapshot::from_bytes(text.to_vec()));
        // Lost line ends explain the errors in a text, and only the server knows whether it has that text.
        if !new.is_valid() && !has_lost_line_ends(text) {
            return Err(Refusal::bad_new_text(new));
        }
        let requested = match target {
            Replaced::File => RequestedChange::Save(String::from_utf8_lossy(text)),
            Replaced::Running => RequestedChange::Update(String::from_utf8_lossy(text)),
        };
        match change(&mut link.session, &requested, options)? {
            Some(report) => Ok(link.remember_account(report)),
            None => {
                let outcome = foreign::replace(&mut link.session, target, &new, options)?;
                Ok(ChangeReport::new(outcome, None, options.told))
            }
        }
    }

    fn rollback(&self, to: ChangeRef, options: &ChangeOptions) -> Result<ChangeReport, Refusal> {
        let link = &mut *self.link();
        let report = change(&mut link.session, &RequestedChange::Rollback(to), options)?;
        let report = report.ok_or_else(|| link.session.not_offered(Feature::History))?;
        Ok(link.remember_account(report))
    }

    fn history(&self, _wanted: usize) -> Result<Vec<HistoryEntry>, Refusal> {
        self.link().history()
    }

    fn kept(&self, change: ChangeRef) -> Result<Arc<Snapshot>, Refusal> {
        let link = &mut *self.link();
        link.session.demand(Feature::History)?;
        let argument = change.in_url();
        let reply = link.session.send(&Call { argument: Some(&argument), ..Call::of(ApiOperation::Kept) })?;
        Ok(Arc::new(Snapshot::from_bytes(reply.body.map(|body| body.bytes).unwrap_or_default())))
    }

    /// Decides over a new connection with the account that the change made: users who locked themselves
    /// out by the change can't confirm it.
    fn decide(&self, decision: Decision, id: Option<&str>, _by: &str) -> Result<Vec<OutcomeNote>, Refusal> {
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
        match link.session.send(&Call { parameters, applies: true, ..Call::of(operation) }) {
            Err(refusal) if refusal.status == Some(RefusalKind::NotFound.status()) => {
                Err(Refusal::nothing_pending())
            }
            result => {
                let is_kept = result?.notes.iter().any(|word| word == KEPT_HAND_EDIT);
                Ok(is_kept.then_some(OutcomeNote::KeptHandEdit).into_iter().collect())
            }
        }
    }

    fn demand(&self, features: &[Feature]) -> Result<(), Refusal> {
        let link = &mut *self.link();
        features.iter().try_for_each(|feature| link.session.demand(*feature))
    }

    fn status(&self) -> Result<Status, Refusal> {
        let link = &mut *self.link();
        let whole = link.read_json(ConfigSource::Running, true, true)?;
        let (server, config) = (&whole["runtime"]["server"], &whole["runtime"]["config"]);
        let mut status = Status {
            server: Some(ServerInfo::deserialize(server).unwrap_or_default()),
            saved: config["saved"].as_bool(),
            pending: PendingInfo::deserialize(&config["pending"]).ok(),
            node: NodeReport::deserialize(&whole["runtime"]["node"]).ok(),
            last_error: config["last_error"].as_str().map(str::to_owned),
            unconfirmed: Vec::deserialize(&config["unconfirmed"]).unwrap_or_default(),
            ..Status::default()
        };
        // Foreign servers have no such figures, no saved text and no history.
        if server.is_object() {
            let running = link.session.fetch(ConfigSource::Running)?.content;
            let saved = link.session.fetch(ConfigSource::Saved)?.content;
            let entries = link.history()?;
            status.differing = differing(&running, &saved);
            if let Content::Text(file) = &saved {
                status.edited_by_hand = is_edited_since(&entries, file) || config["included_changed"] == true;
                status.errors = Some(file.diagnostics().errors());
                status.file = Some(file.clone());
            }
            status.last_change = entries.into_iter().next();
            let last = &config["last_change"];
            let at = last["at"].as_str().and_then(|at| humantime::parse_rfc3339(at).ok());
            if let (Some(at), Some(by), Some(operation), Content::Text(running)) =
                (at, last["by"].as_str(), last["operation"].as_str(), &running)
            {
                let made = (at, by, operation);
                status.last_change = last_change(status.last_change, made, running.revision());
            }
        }
        Ok(status)
    }
}
