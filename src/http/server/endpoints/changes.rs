//! The changes, and the decisions on the pending one: `change`, `modify_config`, `update_config`, `save_config`,
//! `rollback_config`, `confirm_config` and `cancel_config`

use std::collections::HashSet;
use std::sync::PoisonError;
use std::time::Duration;

use crate::engine::{
    CanaryFault, ChangeOptions, ChangeReport, Content, DEFAULT_CANARY_TIME, EngineError, Expected, Outcome,
    OutcomeNote,
};
use crate::http::protocol::bodies::RequestedChange;
use crate::http::protocol::headers::{HAND_EDIT_HEADER, NOTE_HEADER, PENDING_HEADER};
use crate::http::protocol::notes::{WARNINGS_IN_LOG, hand_edit_header, word_of, words_of_warnings};
use crate::http::protocol::parameters::Parameters;
use crate::http::protocol::problem::{Problem, ProblemKind};
use crate::http::protocol::routes::{ApiOperation, JSON, TEXT};
use crate::http::server::context::{Context, EndpointCall};
use crate::http::server::entity_tag::{entity_tag, expected};
use crate::http::server::error_mapping::{problem, with_refusal};
use crate::http::server::message::Response;
use crate::store::ChangeRef;
use mediaconf::edit::request::{ChangeRequest, Edits};

/// `change`
pub fn change(context: &Context, call: &mut EndpointCall<'_>) -> Result<Response, Problem> {
    let body = call.request.body.clone();
    let requested: RequestedChange<'_> = serde_json::from_slice(&body).map_err(|error| no_request(&error))?;
    let told = call.parameters.told;
    let (request, made) = match requested {
        RequestedChange::Modify(request) => {
            let request = request.into_owned().within(context.patch_memory);
            let made = make(context, call, |options| modified(context, &request, options));
            (Some(request), made)
        }
        RequestedChange::Save(text) => {
            (None, make(context, call, |options| context.changes.save(text.as_bytes(), options)))
        }
        RequestedChange::Update(text) => {
            (None, make(context, call, |options| update_running(context, text.as_bytes(), options)))
        }
        RequestedChange::Rollback(to) => {
            (None, make(context, call, |options| context.changes.rollback(to, options)))
        }
    };
    let made = made?;
    answer(context, call, made, |outcome| {
        let report = ChangeReport::new(outcome, request.as_ref(), told);
        Response::ok(JSON, serde_json::to_vec(&report).expect("a report can be written"))
    })
}

/// The problem of a body that is no request. What serde says of a value quotes it, and it may be a secret.
fn no_request(error: &serde_json::Error) -> Problem {
    let why = match error.is_data() {
        true => format!(
            "a member is unknown or missing, or its value is not right, at line {} column {}",
            error.line(),
            error.column()
        ),
        false => error.to_string(),
    };
    Problem::new(ProblemKind::NotJson, format!("the body is no request: {why}"))
}

/// `modify_config`. The patch is parsed again in its turn, so that requests which wait hold their text alone.
pub fn modify(context: &Context, call: &mut EndpointCall<'_>) -> Result<Response, Problem> {
    let edits = Edits::PatchText { text: call.request.body.clone(), memory: context.patch_memory };
    let request = ChangeRequest { edits, expectations: Vec::new() };
    let made = make(context, call, |options| modified(context, &request, options))?;
    let text = call.parameters.text;
    answer(context, call, made, |outcome| match (outcome.after().and_then(Content::snapshot), text) {
        (Some(after), true) => Response::ok(TEXT, after.bytes().to_vec()),
        (Some(after), false) => Response::ok(JSON, after.json().json().clone()),
        (None, _) => Response::done(),
    })
}

/// Merges a patch. A faulty one is refused before its turn.
fn modified(
    context: &Context,
    request: &ChangeRequest,
    options: &ChangeOptions,
) -> Result<Outcome, EngineError> {
    {
        let _one_at_a_time = context.checking_patch.lock().unwrap_or_else(PoisonError::into_inner);
        request.check_text()?;
    }
    context.changes.modify(request, options)
}

/// `update_config`
pub fn update(context: &Context, call: &mut EndpointCall<'_>) -> Result<Response, Problem> {
    let text = call.request.body.clone();
    let made = make(context, call, |options| update_running(context, &text, options))?;
    answer(context, call, made, |_| Response::done())
}

fn update_running(context: &Context, text: &[u8], options: &ChangeOptions) -> Result<Outcome, EngineError> {
    match options.canary.is_empty() {
        true => context.engine.update(text, options),
        false => Err(EngineError::Canary(CanaryFault::OneNode)),
    }
}

/// `save_config`
pub fn save(context: &Context, call: &mut EndpointCall<'_>) -> Result<Response, Problem> {
    let text = call.request.body.clone();
    let made = make(context, call, |options| context.changes.save(&text, options))?;
    answer(context, call, made, |_| Response::done())
}

/// `rollback_config`
pub fn rollback(context: &Context, call: &mut EndpointCall<'_>) -> Result<Response, Problem> {
    let to = call.parameters.to.unwrap_or(ChangeRef::Back(0));
    let made = make(context, call, |options| context.changes.rollback(to, options))?;
    answer(context, call, made, |_| Response::done())
}

/// Makes a change, and notes in the log what it did.
fn make(
    context: &Context,
    call: &mut EndpointCall<'_>,
    make: impl FnOnce(&ChangeOptions) -> Result<Outcome, EngineError>,
) -> Result<Outcome, Problem> {
    refuse_canary(context, call.parameters)?;
    let before = context.running().revision();
    let outcome = make(&options(context, call)).map_err(|error| {
        call.record.detail = Some(error.without_output());
        match call.record.operation {
            Some(ApiOperation::Change) => with_refusal(&error),
            _ => problem(&error),
        }
    })?;
    let after = outcome.after().and_then(Content::snapshot);
    let after = after.ok_or_else(|| Problem::new(ProblemKind::EngineFailed, "nothing is left to show"))?;
    if !call.parameters.dry_run {
        let revisions = (before, after.revision());
        call.record.revisions = Some(revisions).filter(|(before, after)| before != after);
        call.record.detail = (!outcome.warnings.is_empty()).then(|| outcome.warnings.join("; "));
    }
    Ok(outcome)
}

/// Answers a change with what `show` makes of its outcome.
fn answer(
    context: &Context,
    call: &EndpointCall<'_>,
    outcome: Outcome,
    show: impl FnOnce(Outcome) -> Response,
) -> Result<Response, Problem> {
    let mut headers = Vec::new();
    let words = note_words(&outcome);
    headers.extend((!words.is_empty()).then(|| (NOTE_HEADER, words.join("; "))));
    headers.extend(hand_edit_header(&outcome.notes).map(|paths| (HAND_EDIT_HEADER, paths)));
    let pending = match call.parameters.dry_run {
        true => context.changes.pending(),
        false => outcome.pending.clone(),
    };
    headers.extend(pending.map(|pending| (PENDING_HEADER, pending.id)));
    let after = outcome.after().and_then(Content::snapshot);
    headers.extend(after.map(|after| ("ETag", entity_tag(after.revision()))));
    let mut response = show(outcome);
    response.headers.extend(headers);
    Ok(response)
}

/// Refuses a rollout where there can be none.
fn refuse_canary(context: &Context, parameters: &Parameters) -> Result<(), EngineError> {
    if parameters.canary.is_empty() {
        return Ok(());
    }
    match parameters.confirm {
        Some(_) => Err(EngineError::Canary(CanaryFault::AndConfirm)),
        None if context.changes.node().is_none() => Err(EngineError::Canary(CanaryFault::NoCluster)),
        None => Ok(()),
    }
}

fn options(context: &Context, call: &EndpointCall<'_>) -> ChangeOptions {
    let parameters = call.parameters;
    let is_rollout = !parameters.canary.is_empty();
    let canary_time = parameters.canary_timeout.map_or(DEFAULT_CANARY_TIME, Duration::from_secs);
    ChangeOptions {
        dry_run: parameters.dry_run,
        for_change: false,
        force: parameters.force,
        // Of the operations that every server has, only the command line asks a person about deleted streams.
        max_delete: match (call.record.operation, parameters.max_delete) {
            (Some(ApiOperation::Change), most) => most.and_then(|most| usize::try_from(most).ok()),
            _ => Some(usize::MAX),
        },
        accepted: parameters.accepted.clone(),
        by: call.by.to_owned(),
        message: parameters.message.clone(),
        command: parameters.command,
        owner: parameters.owner.clone(),
        expected: match &parameters.revisions[..] {
            [] => expected(&call.request.head.values("if-match").collect::<Vec<_>>()),
            revisions => Some(Expected::OneOf(revisions.to_vec())),
        },
        confirm: if is_rollout { Some(canary_time) } else { parameters.confirm.map(Duration::from_secs) },
        canary: parameters.canary.clone(),
        reload_later: parameters.reload_later,
        skip_included: parameters.skip_included,
        strict: parameters.strict,
        takes_faults: false,
        until: Some(context.until()),
        told: parameters.told,
    }
}

/// The words for the side effects of the change, each once.
fn note_words(outcome: &Outcome) -> Vec<String> {
    let mut words: Vec<String> = outcome.notes.iter().map(word_of).collect();
    words.extend(words_of_warnings(&outcome.new_warnings));
    words.extend((!outcome.warnings.is_empty()).then(|| WARNINGS_IN_LOG.to_owned()));
    let mut seen = HashSet::new();
    words.retain(|word| seen.insert(word.clone()));
    words
}

/// `confirm_config`: the pending change stays.
pub fn confirm(context: &Context, call: &mut EndpointCall<'_>) -> Result<Response, Problem> {
    context.changes.confirm(id(call))?;
    Ok(Response::done())
}

/// `cancel_config`: the pending change is rolled back.
pub fn cancel(context: &Context, call: &mut EndpointCall<'_>) -> Result<Response, Problem> {
    let aftermath = context.changes.cancel(id(call), call.by)?;
    let response = Response::done();
    Ok(match aftermath.is_hand_edit() {
        true => response.with(NOTE_HEADER, word_of(&OutcomeNote::KeptHandEdit)),
        false => response,
    })
}

fn id<'c>(call: &'c EndpointCall<'_>) -> &'c str {
    call.parameters.id.as_deref().unwrap_or_default()
}
