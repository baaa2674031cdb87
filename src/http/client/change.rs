//! What all changes over a server share: the query parameters, and the guards that are checked on this
//! side.

use std::borrow::Cow;
use std::time::SystemTime;

use serde_json::Value;

use super::api_client::Reply;
use super::session::{Fetched, Session};
use crate::engine::{
    After, ChangeOptions, Content, EngineError, Feature, Guard, Outcome, OutcomeNote, PendingInfo,
    ServiceError, before_deletion,
};
use crate::http::protocol::headers::{ACCEPT, COMMAND, CONFIRM, DRY_RUN, FORCE, MESSAGE, OWNER, STRICT};
use crate::http::protocol::notes::{note_of, warning_of};
use mediaconf::edit::config_lookup::Current;

/// Names and values of a query.
pub type QueryValues<'a> = Vec<(&'static str, Cow<'a, str>)>;

/// The query parameters for `options`, as far as the server knows them; warns of the rest.
pub fn parameters<'o>(
    session: &Session,
    options: &'o ChangeOptions,
    server: &Fetched,
) -> Result<QueryValues<'o>, ServiceError> {
    let mut parameters: QueryValues<'o> = Vec::new();
    if options.dry_run {
        parameters.push((DRY_RUN, "true".into()));
    }
    if options.force && server.reply.offers(Feature::Force) {
        parameters.push((FORCE, "true".into()));
    }
    match options.strict {
        // Such a server would ignore the parameter, and make the change.
        true if !server.reply.offers(Feature::Strict) => return Err(session.not_offered(Feature::Strict)),
        true => parameters.push((STRICT, "true".into())),
        false => {}
    }
    let accepted: Vec<&str> = options.accepted.iter().filter_map(Guard::name).collect();
    if !accepted.is_empty() && server.reply.offers(Feature::Accept) {
        parameters.push((ACCEPT, accepted.join(",").into()));
    }
    match &options.message {
        Some(message) if server.reply.offers(Feature::Message) => parameters.push((MESSAGE, message.into())),
        Some(_) => session
            .host
            .warning(&format!("`{}` does not record messages: yours is not in its history", session.name)),
        None => {}
    }
    if let Some(command) = options.command.filter(|_| server.reply.offers(Feature::Command)) {
        parameters.push((COMMAND, command.into()));
    }
    match &options.owner {
        // Such a server would ignore the parameter, and remove nothing.
        Some(_) if !server.reply.offers(Feature::Owner) => return Err(session.not_offered(Feature::Owner)),
        Some(owner) => parameters.push((OWNER, owner.as_str().into())),
        None => {}
    }
    match options.confirm {
        // Such a server would ignore the parameter, and never roll the change back.
        Some(_) if !server.reply.offers(Feature::Confirm) => {
            return Err(session.not_offered(Feature::Confirm));
        }
        Some(time) => parameters.push((CONFIRM, time.as_secs().to_string().into())),
        None => {}
    }
    Ok(parameters)
}

/// The outcome of a change that a server made or rehearsed.
pub fn outcome(
    session: &Session,
    before: Content,
    after: Content,
    reply: Reply,
    operation: &str,
    options: &ChangeOptions,
) -> Outcome {
    // That of a rehearsal is another change.
    let own = reply.pending.filter(|_| !options.dry_run);
    let pending = own.zip(options.confirm).map(|(id, time)| {
        let now = SystemTime::now();
        let by = session.login().map_or_else(|| options.by.clone(), str::to_owned);
        PendingInfo::new(id, options.command.unwrap_or(operation).to_owned(), by, now + time, now)
    });
    let with_paths = |note| match (note, &reply.hand_edit) {
        (OutcomeNote::PickedUpHandEdit(_), Some(paths)) => OutcomeNote::PickedUpHandEdit(paths.clone()),
        (note, _) => note,
    };
    let new_warnings = reply.notes.iter().filter_map(|word| warning_of(word)).collect();
    let notes = reply.notes.iter().filter(|word| warning_of(word).is_none());
    let notes = notes.map(|word| with_paths(note_of(word))).collect();
    Outcome { notes, new_warnings, pending, ..rehearsed(before, after) }
}

/// The outcome of a change that was computed on this side; nothing was sent.
pub fn rehearsed(before: Content, after: Content) -> Outcome {
    let is_same = match (&before, &after) {
        (Content::Text(before), Content::Text(after)) => before.bytes() == after.bytes(),
        (Content::Json(before), Content::Json(after)) => before == after,
        _ => false,
    };
    Outcome::new(Some(before), if is_same { After::Unchanged } else { After::Replaced(after) })
}

/// Refuses a change that was made for another text than the one that the server runs.
pub fn refuse_unexpected(running: &Content, options: &ChangeOptions) -> Result<(), ServiceError> {
    match (&options.expected, running) {
        (Some(expected), Content::Text(text)) if !expected.allows(text.revision()) => {
            Err(EngineError::Stale.into())
        }
        _ => Ok(()),
    }
}

/// Refuses the first guard that is not accepted.
pub fn refuse_guarded(
    guards: impl IntoIterator<Item = Option<Guard>>,
    options: &ChangeOptions,
) -> Result<(), ServiceError> {
    let mut open = guards.into_iter().flatten().filter(|guard| !options.accepts(guard));
    open.next().map_or(Ok(()), |guard| Err(EngineError::Guarded(guard).into()))
}

/// The guard over many deleted streams.
pub fn deletion(
    before: &dyn Current,
    is_deleted: &dyn Fn(&str) -> bool,
    options: &ChangeOptions,
) -> Option<Guard> {
    let names = before.names(&["streams"]);
    let deleted = names.iter().filter(|name| is_deleted(name)).count();
    before_deletion(deleted, names.len(), options.max_delete)
}

/// The guard over many streams that go with an `include`, by what the server said of the rehearsed change.
pub fn included_deletion(rehearsed: &Outcome, options: &ChangeOptions) -> Option<Guard> {
    let effects = rehearsed.effects();
    before_deletion(effects.deleted, effects.of, options.max_delete)
}

/// The guard over the account of the API, for servers without that guard.
pub fn lost_credentials(before: &Value, after: &Value) -> Option<Guard> {
    let has_credentials = |config: &Value| {
        let is_filled = |key: &str| config["edit_auth"][key].as_str().is_some_and(|text| !text.is_empty());
        is_filled("login") && is_filled("password")
    };
    (has_credentials(before) && !has_credentials(after)).then_some(Guard::WouldRemoveCredentials)
}
