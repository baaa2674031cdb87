//! `modify_config` of a server.

use std::hash::{BuildHasher, Hasher, RandomState};
use std::mem;
use std::sync::Arc;
use std::time::Duration;

use serde_json::Value;

use super::api_client::Call;
use super::block_change::change_block;
use super::change::{
    deletion, included_deletion, lost_credentials, outcome, parameters, refuse_guarded, refuse_unexpected,
    rehearsed,
};
use super::session::{Fetched, Session, status, text};
use crate::engine::{
    ChangeOptions, Content, EngineError, Feature, Guard, INCLUDE, Outcome, OutcomeNote, ServiceError,
    Snapshot, Source,
};
use crate::http::protocol::headers::{FORMAT, FORMAT_CONF, SKIP_INCLUDED, SOURCE, SOURCE_SAVED};
use crate::http::protocol::problem::ProblemKind;
use crate::http::protocol::routes::ApiOperation;
use mediaconf::edit::config_lookup::{Current, LocalView};
use mediaconf::edit::request::{ChangeRequest, Evaluated};
use mediaconf::edit::{self, guarded, json_merge};
use mediaconf::model::{Kind, Lens, top_members};

/// How often a request is evaluated again because the configuration of the server has changed meanwhile.
const MAX_RETRIES: u32 = 10;

/// The longest wait before the first retry, in milliseconds; the later ones grow with it.
const WAIT: u64 = 40;

/// Makes a change, or rehearses it.
pub fn modify(
    session: &mut Session,
    request: &ChangeRequest,
    options: &ChangeOptions,
) -> Result<Outcome, ServiceError> {
    let mut retries = 0;
    let mut last: Option<String> = None;
    let mut source = Source::Running;
    loop {
        let mut before = session.fetch(source)?;
        if source == Source::Running
            && let Err(error) = refuse_unexpected(&before.content, options)
        {
            // It may be made for the file as it was edited by hand.
            let saved = session.fetch(Source::Saved).map_err(|_| error)?;
            refuse_unexpected(&saved.content, options)?;
            (source, before) = (Source::Saved, saved);
        }
        if let (Source::Saved, Content::Text(file)) = (source, &before.content)
            && !file.is_valid()
        {
            return Err(EngineError::HandEditedBadly { file: file.clone(), is_conditional: false }.into());
        }
        let etag = before.reply.etag.clone();
        match attempt(session, (source, before), request, options, retries == 0) {
            Err(error) if is_stale(&error) => {
                if retries == MAX_RETRIES {
                    return Err(error);
                }
                // The running configuration did not change, so the file did: the change is evaluated on that, unless
                // it was made for what runs.
                if last.is_some() && last == etag {
                    if source == Source::Saved || options.expected.is_some() || options.force {
                        return Err(error);
                    }
                    source = Source::Saved;
                }
                last = etag;
                retries += 1;
                std::thread::sleep(random_wait(retries));
            }
            result => return result,
        }
    }
}

fn is_stale(error: &ServiceError) -> bool {
    matches!(error, ServiceError::Engine(EngineError::Stale))
        || status(error) == Some(ProblemKind::Stale.status())
}

/// Evaluates the change on a configuration that was read, and makes it, or rehearses it.
fn attempt(
    session: &mut Session,
    (source, before): (Source, Fetched),
    request: &ChangeRequest,
    options: &ChangeOptions,
    is_first: bool,
) -> Result<Outcome, ServiceError> {
    if options.owner.is_some() && !before.reply.offers(Feature::Owner) {
        return Err(session.not_offered(Feature::Owner));
    }
    let skipped = match &before.content {
        Content::Text(base) => refuse_included(session, (base, source), request, options)?,
        Content::Json(_) => None,
    };
    if let (Some(block), Content::Text(running)) = (request.of_text(), &before.content) {
        let mut outcome = change_block(session, running, &block, options)?;
        outcome.notes.extend(skipped);
        return Ok(outcome);
    }
    let mut evaluated = evaluate(&before.content, request, options)?;
    if options.owner.is_some() {
        // What the server knows of the owner changes the patch, and what there is to note.
        evaluated.depends_on_read = true;
        evaluated.notes.clear();
    }
    let notes = mem::take(&mut evaluated.notes).into_iter().map(OutcomeNote::Edit);
    let notes: Vec<_> = notes.chain(skipped).collect();
    let noted =
        |outcome: Outcome| Outcome { notes: notes.into_iter().chain(outcome.notes).collect(), ..outcome };
    if is_first && request.of_text().is_some_and(|text| text.is_of_what_is_there()) {
        session.host.warning(&format!(
            "`{}` does not give its text, so the block is made anew there, without comments",
            session.name
        ));
    }
    if options.dry_run && !before.reply.offers(Feature::DryRun) {
        return rehearse(before.content, evaluated).map(noted);
    }
    let changes_includes = evaluated.patch.get(INCLUDE).is_some() && before.reply.offers(Feature::DryRun);
    match options.owner.is_some() || changes_includes {
        true => send_rehearsed(session, &before, &evaluated, options),
        false => send(session, &before, &evaluated, options),
    }
    .map(noted)
}

/// Refuses a change of what stands in an included file, as the server would. The paths of the request may
/// lead nowhere in the text without it.
fn refuse_included(
    session: &mut Session,
    (running, source): (&Arc<Snapshot>, Source),
    request: &ChangeRequest,
    options: &ChangeOptions,
) -> Result<Option<OutcomeNote>, ServiceError> {
    let (members, lens) = (top_members(running.document()), Lens::default());
    let evaluated = request.evaluate(&LocalView::new(&members, &lens)).ok();
    let patch = evaluated.as_ref().map(|done| &done.patch);
    let is_told = options.force || options.skip_included;
    match session.composed(running, source) {
        Ok(Some(composed)) => Ok(composed.refuse_change(request, patch, options)?),
        // What a pattern matches in files with errors is not known.
        Err(error) if request.stands_for_many() && !is_told => Err(error),
        Err(error) if request.stands_for_many() || patch.is_none() => {
            session.host.warning(&format!("what matches in included files is not known: {error}"));
            Ok(None)
        }
        // Of what is named, the server judges.
        Ok(None) | Err(_) => Ok(None),
    }
}

/// Makes a change of which only the server knows which streams go with it: a rehearsal tells their number first.
fn send_rehearsed(
    session: &mut Session,
    before: &Fetched,
    evaluated: &Evaluated,
    options: &ChangeOptions,
) -> Result<Outcome, ServiceError> {
    let rehearsal = ChangeOptions { dry_run: true, ..options.clone() };
    let rehearsed = send(session, before, evaluated, &rehearsal)?;
    let of_owner = options.owner.as_ref().and_then(|_| {
        let after = rehearsed.after().map_or(Value::Null, Content::to_json);
        let is_deleted = |name: &str| !after.contains(&[Kind::Stream.key(), name]);
        deletion(&before.content.to_json(), &is_deleted, options)
    });
    refuse_guarded([of_owner, included_deletion(&rehearsed, options)], options)?;
    if options.dry_run { Ok(rehearsed) } else { send(session, before, evaluated, options) }
}

fn send(
    session: &mut Session,
    before: &Fetched,
    evaluated: &Evaluated,
    options: &ChangeOptions,
) -> Result<Outcome, ServiceError> {
    let mut parameters = parameters(session, options, before)?;
    if before.reply.offers(Feature::Conf) {
        parameters.push((FORMAT, FORMAT_CONF.into()));
    }
    if options.skip_included && before.reply.offers(Feature::Included) {
        parameters.push((SKIP_INCLUDED, "true".into()));
    }
    let etag = before.reply.etag.as_deref().filter(|_| before.reply.offers(Feature::IfMatch));
    if evaluated.depends_on_read && etag.is_none() {
        session.host.warning(&format!(
            "`{}` does not offer conditional changes: \
             another change at the same time could be overwritten",
            session.name
        ));
    }
    let file = file_beside(session, before);
    let applies = !options.dry_run;
    let mut reply = session.post(&Call {
        parameters,
        if_match: etag
            .filter(|_| (evaluated.depends_on_read || options.expected.is_some()) && !options.force),
        body: evaluated.patch.to_string().as_bytes(),
        applies,
        ..Call::of(ApiOperation::Modify)
    })?;
    let after = session.content(&mut reply, applies)?;
    Ok(outcome(session, file.unwrap_or_else(|| before.content.clone()), after, reply, "modify", options))
}

/// The text of the file, if it differs from the running configuration: the diff then shows everything
/// that goes into the file. If the file can't be read, the diff is only shorter.
fn file_beside(session: &Session, running: &Fetched) -> Option<Content> {
    if !(running.reply.offers(Feature::Saved) && running.reply.offers(Feature::Conf)) {
        return None;
    }
    let call = Call::read(vec![(FORMAT, FORMAT_CONF), (SOURCE, SOURCE_SAVED)]);
    session
        .try_read(&Call { if_none_match: running.reply.etag.as_deref(), ..call })
        .map(|answer| text(answer.bytes))
}

/// Computes the patch for the configuration of the server, and refuses what guards forbid. A server
/// with text has guards of its own; over the number of deleted streams there is one only here.
fn evaluate(
    before: &Content,
    request: &ChangeRequest,
    options: &ChangeOptions,
) -> Result<Evaluated, ServiceError> {
    match before {
        Content::Text(snapshot) if !snapshot.is_valid() => {
            Err(EngineError::BadConfig(snapshot.clone()).into())
        }
        Content::Text(snapshot) => {
            let (members, lens) = (top_members(snapshot.document()), Lens::default());
            let current = LocalView::new(&members, &lens);
            let evaluated = request.evaluate(&current).map_err(EngineError::from)?;
            refuse_guarded([deletions(&current, &evaluated, request, options)], options)?;
            Ok(evaluated)
        }
        Content::Json(current) => {
            let evaluated = request.evaluate(current).map_err(EngineError::from)?;
            let patch = evaluated.clone().normalized().map_err(EngineError::from)?;
            let refused = options.refused(guarded::in_json(current, &patch));
            refused.into_result(()).map_err(EngineError::from)?;
            let mut after = current.clone();
            json_merge::merge(&mut after, &evaluated.patch);
            let deletions = deletions(current, &evaluated, request, options);
            refuse_guarded([lost_credentials(current, &after), deletions], options)?;
            Ok(evaluated)
        }
    }
}

/// The guard over streams that are deleted, but not one by one by their names.
fn deletions(
    before: &dyn Current,
    evaluated: &Evaluated,
    request: &ChangeRequest,
    options: &ChangeOptions,
) -> Option<Guard> {
    let streams = evaluated.patch.get("streams").filter(|_| !request.is_renaming())?;
    let named = request.named_deletions();
    let is_deleted = |name: &str| {
        let is_gone = streams.is_null() || streams.get(name).is_some_and(Value::is_null);
        is_gone && !named.contains(name)
    };
    deletion(before, &is_deleted, options)
}

/// The outcome of the change on a server without dry runs; nothing is sent.
fn rehearse(before: Content, evaluated: Evaluated) -> Result<Outcome, ServiceError> {
    let after = match &before {
        Content::Text(snapshot) => {
            let edit = edit::modify(snapshot.document(), evaluated.patch).map_err(EngineError::from)?;
            let splices = edit.map(|edit| edit.splices).unwrap_or_default();
            Content::Text(Arc::new(Snapshot::edited(snapshot, &splices)))
        }
        Content::Json(value) => {
            let patch = evaluated.normalized().map_err(EngineError::from)?;
            let mut after = value.clone();
            json_merge::merge(&mut after, &Value::Object(patch));
            Content::Json(after)
        }
    };
    Ok(rehearsed(before, after))
}

/// A random time, so that two clients that wait for each other do not meet again.
fn random_wait(retries: u32) -> Duration {
    let random = RandomState::new().build_hasher().finish();
    Duration::from_millis(random % (WAIT * u64::from(retries)))
}
