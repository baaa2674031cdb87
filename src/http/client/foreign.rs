//! A foreign server: one that has the four operations of the API and nothing else. It gives JSON alone, and ignores
//! every query parameter, so `dry_run=true` would be a change. Whatever relies on more is done here, on the
//! configuration that was read, or is refused before anything is sent.

use crate::error::Error;
use mediaconf::{Config, DirectiveRole, Kind, Request, Scope, doubts_in_json, merge_patch};
use std::collections::HashSet;
use std::sync::Arc;

use serde_json::Value;

use super::api_client::Call;
use super::session::Session;
use crate::engine::{
    After, ChangeOptions, Content, Guard, Outcome, OutcomeNote, RequestedChange, Snapshot, before_deletion,
    before_replacement,
};
use crate::http::protocol::routes::ApiOperation;

/// What a server answers that says yes to a change and does not make it.
const IGNORED: &str = "the same configuration as before, without the change";

/// Makes a change, or rehearses it.
pub fn change(
    session: &mut Session,
    requested: &RequestedChange<'_>,
    options: &ChangeOptions,
) -> Result<Outcome, Error> {
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
fn modify(session: &mut Session, request: &Request, options: &ChangeOptions) -> Result<Outcome, Error> {
    refuse_lacking(session, options)?;
    let before = read(session)?;
    let evaluated = request.evaluate(&Config::from(&before))?;
    let (depends_on_read, notes) = (evaluated.depends_on_read, evaluated.notes.clone());
    let sent = evaluated.patch.to_string();
    let deletions = deletions(&before, &evaluated.patch, request, options);
    let patch = evaluated.normalized()?;
    options.refused(doubts_in_json(&before, &patch)).into_result(())?;
    let mut after = before.clone();
    merge_patch(&mut after, &Value::Object(patch));
    refuse_guarded([lost_credentials(&before, &after), deletions], options)?;
    if request.is_of_present_text() {
        session.host.warning(&format!(
            "`{}` does not give its text, so the block is made anew there, without comments",
            session.name
        ));
    }
    if !options.dry_run {
        if depends_on_read {
            session.host.warning(&format!(
                "`{}` does not offer conditional changes: \
                 another change at the same time could be overwritten",
                session.name
            ));
        }
        let reply = session.post(&Call {
            body: sent.as_bytes(),
            applies: true,
            ..Call::new(ApiOperation::Modify)
        })?;
        let made = session.object(&reply, true)?;
        if made == before && after != before {
            return Err(session.not_of_the_api(IGNORED, true));
        }
        after = made;
    }
    let notes = notes.into_iter().map(OutcomeNote::Edit).collect();
    Ok(Outcome { notes, ..outcome(before, Content::Json(after)) })
}

/// Replaces the configuration, or rehearses it.
fn replace(
    session: &mut Session,
    operation: ApiOperation,
    text: &[u8],
    options: &ChangeOptions,
) -> Result<Outcome, Error> {
    let new = &Arc::new(Snapshot::from_bytes(text.to_vec()));
    refuse_lacking(session, options)?;
    let before = read(session)?;
    let lost_line_ends = new.has_lost_line_ends().then_some(Guard::OneLine);
    refuse_guarded([lost_line_ends], options)?;
    if !new.is_valid() {
        return Err(Error::bad_new_text(new.clone()));
    }
    if let Some(refusal) = Error::masked_text(new.document().text()) {
        return Err(refusal);
    }
    refuse_guarded(guards(&before, new, options), options)?;
    let mut after = Content::Text(new.clone());
    if !options.dry_run {
        let reply = session.post(&Call { body: new.bytes(), applies: true, ..Call::new(operation) })?;
        if reply.body.as_deref().map(<[u8]>::trim_ascii) != Some(b"true") {
            return Err(session.not_of_the_api("something other than `true`", true));
        }
        // The change may have replaced the password.
        let made = session.try_read(&Call::read(Vec::new()));
        let made = made.filter(Value::is_object);
        if made.as_ref() == Some(&before) && after.to_json() != before {
            return Err(session.not_of_the_api(IGNORED, true));
        }
        after = made.map_or(after, Content::Json);
    }
    Ok(outcome(before, after))
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

fn read(session: &mut Session) -> Result<Value, Error> {
    let reply = session.send(&Call::read(Vec::new()))?;
    session.object(&reply, false)
}

fn outcome(before: Value, after: Content) -> Outcome {
    let is_same = matches!(&after, Content::Json(after) if *after == before);
    let after = if is_same { After::Unchanged } else { After::Replaced(after) };
    Outcome::new(Some(Content::Json(before)), after)
}

/// Refuses the first guard that is not accepted.
fn refuse_guarded(
    guards: impl IntoIterator<Item = Option<Guard>>,
    options: &ChangeOptions,
) -> Result<(), Error> {
    let mut open = guards.into_iter().flatten().filter(|guard| !options.accepts(guard));
    open.next().map_or(Ok(()), |guard| Err(Error::from(guard)))
}

/// The guard over streams that are deleted, but not one by one by their names.
fn deletions(before: &Value, patch: &Value, request: &Request, options: &ChangeOptions) -> Option<Guard> {
    let streams = patch.get(Kind::Streams.key()).filter(|_| !request.is_renaming())?;
    let named = request.named_deletions();
    let is_deleted = |name: &str| {
        let is_gone = streams.is_null() || streams.get(name).is_some_and(Value::is_null);
        is_gone && !named.contains(name)
    };
    deletion(before, &is_deleted, options)
}

/// The guard over many deleted streams.
fn deletion(before: &Value, is_deleted: &dyn Fn(&str) -> bool, options: &ChangeOptions) -> Option<Guard> {
    let names = Config::from(before).names(&[Kind::Streams.key()]);
    let deleted = names.iter().filter(|name| is_deleted(name)).count();
    before_deletion(deleted, names.len(), options.max_delete)
}

/// The guards over a whole new text.
fn guards(before: &Value, new: &Arc<Snapshot>, options: &ChangeOptions) -> [Option<Guard>; 2] {
    let config = new.config();
    let kept: HashSet<String> = config.names(&[Kind::Streams.key()]).into_iter().collect();
    let lost = || lost_credentials(before, &Content::Text(new.clone()).to_json());
    let empty = before_replacement(None, new.document());
    [empty.or_else(lost), deletion(before, &|name| !kept.contains(name), options)]
}

/// The guard over the account of the API.
fn lost_credentials(before: &Value, after: &Value) -> Option<Guard> {
    let has_credentials = |config: &Value| {
        let is_filled = |key: &str| {
            config[DirectiveRole::Editor.key(Scope::Top)][key].as_str().is_some_and(|text| !text.is_empty())
        };
        is_filled("login") && is_filled("password")
    };
    (has_credentials(before) && !has_credentials(after)).then_some(Guard::WouldRemoveCredentials)
}
