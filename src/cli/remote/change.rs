//! What changes of a server have in common: what goes along, guards, and the report.

use std::borrow::Cow;

use serde_json::Value;

use super::{Fetched, Remote};
use crate::cli::error::CliError;
use crate::cli::interrupt::LastWords;
use crate::edit::config_lookup::Current;
use crate::engine::{
    After, ChangeOptions, Content, EngineError, Guard, Outcome, OutcomeNote, PendingInfo, before_deletion,
};
use crate::http::client::{Call, ClientError, Reply};
use crate::http::protocol::headers::{ACCEPT, CONFIRM, DRY_RUN, FORCE, Feature, MESSAGE};

/// A change of a server, made or rehearsed.
pub fn outcome(before: Content, after: Content, notes: Vec<String>, pending: Option<String>) -> Outcome {
    let notes = notes.into_iter().map(OutcomeNote::Word).collect();
    let unknown = String::new;
    let pending = pending.map(|id| PendingInfo {
        id,
        operation: unknown(),
        by: unknown(),
        deadline: unknown(),
        seconds_left: 0,
    });
    Outcome { notes, pending, ..Outcome::new(Some(before), After::Replaced(after)) }
}

impl Remote {
    /// Sends a change. What a guard of the server refuses comes back as that guard.
    pub(super) fn post(&mut self, call: &Call<'_>) -> Result<Reply, CliError> {
        let name = self.name.clone();
        let _last_words = call.applies.then(|| {
            LastWords::new(self.ui, move || {
                format!(
                    "interrupted: the change was sent, and {name} may have made it; `mediactl history` tells"
                )
            })
        });
        self.send(call).map_err(|error| match guard_of(&error) {
            Some(guard) => EngineError::Guarded(guard).into(),
            None => error,
        })
    }

    /// What goes along with a change, as far as the server knows it. Says what it does not know.
    pub(super) fn parameters<'r>(
        &self,
        request: &'r ChangeOptions,
        server: &Fetched,
    ) -> Result<Vec<(&'static str, Cow<'r, str>)>, CliError> {
        let mut parameters: Vec<(&str, Cow<'r, str>)> = Vec::new();
        if request.dry_run {
            parameters.push((DRY_RUN, "true".into()));
        }
        if request.force && server.offers(Feature::Force) {
            parameters.push((FORCE, "true".into()));
        }
        if let Some(accepted) = accepted(request).filter(|_| server.offers(Feature::Accept)) {
            parameters.push((ACCEPT, accepted.into()));
        }
        match &request.message {
            Some(message) if server.offers(Feature::Message) => parameters.push((MESSAGE, message.into())),
            Some(_) => self.ui.warning(&format!("`{}` keeps no messages", self.name)),
            None => {}
        }
        match request.confirm {
            // It would be made, and stay.
            Some(_) if !server.offers(Feature::Confirm) => return Err(self.not_offered(Feature::Confirm)),
            Some(time) => parameters.push((CONFIRM, time.as_secs().to_string().into())),
            None => {}
        }
        Ok(parameters)
    }
}

/// The names of the guards that are accepted, and that a server may ask about.
fn accepted(request: &ChangeOptions) -> Option<String> {
    let names: Vec<&str> = request.accepted.iter().filter_map(Guard::name).collect();
    (!names.is_empty()).then(|| names.join(","))
}

/// Refuses what nobody agreed to.
pub(super) fn refuse_guarded(
    guards: impl IntoIterator<Item = Option<Guard>>,
    request: &ChangeOptions,
) -> Result<(), CliError> {
    let mut open = guards.into_iter().flatten().filter(|guard| !request.accepts(guard));
    open.next().map_or(Ok(()), |guard| Err(EngineError::Guarded(guard).into()))
}

/// The guard over streams that go.
pub(super) fn deletion(
    before: &dyn Current,
    is_deleted: &dyn Fn(&str) -> bool,
    request: &ChangeOptions,
) -> Option<Guard> {
    let names = before.names(&["streams"]);
    let deleted = names.iter().filter(|name| is_deleted(name)).count();
    before_deletion(deleted, names.len(), request.max_delete)
}

/// The guard over the account of the API, for servers that have none.
pub(super) fn credentials(before: &Value, after: &Value) -> Option<Guard> {
    (has_credentials(before) && !has_credentials(after)).then_some(Guard::WouldRemoveCredentials)
}

fn has_credentials(whole: &Value) -> bool {
    let filled = |key: &str| whole["edit_auth"][key].as_str().is_some_and(|text| !text.is_empty());
    filled("login") && filled("password")
}

fn guard_of(error: &CliError) -> Option<Guard> {
    let CliError::Server { error, .. } = error else { return None };
    let ClientError::Refused(refusal) = &**error else { return None };
    Guard::named(refusal.problem.as_ref()?.kind()?.name()).filter(Guard::is_question)
}
