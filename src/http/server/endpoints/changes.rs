//! The changes, and the decisions on the pending one: `change`, `modify_config`, `update_config`, `save_config`,
//! `rollback_config`, `confirm_config` and `cancel_config`

use std::collections::{BTreeMap, HashSet};
use std::mem;
use std::sync::PoisonError;

use serde_json::Value;

use crate::engine::{
    CHANGE_NAMES, ChangeOptions, ChangeReport, ChangeRequest, Decision, EntryEdit, EntryEdits, ReportParts,
    RequestedChange,
};
use crate::error::{Error, ErrorKind};
use crate::http::protocol::headers::{
    FORMAT_CONF, FORMAT_DIFF, HAND_EDIT_HEADER, NOTE_HEADER, PENDING_HEADER, SECRETS_SHOWN,
};
use crate::http::protocol::notes::{WARNINGS_IN_LOG, hand_edit_header, word_of, words_of_warnings};
use crate::http::protocol::parameters::Parameters;
use crate::http::protocol::problem::Problem;
use crate::http::protocol::routes::{ApiOperation, JSON, TEXT};
use crate::http::server::context::{Context, EndpointCall};
use crate::http::server::endpoints::diffs;
use crate::http::server::endpoints::shown::{NO_TEXT, Secrets};
use crate::http::server::entity_tag::{entity_tag, expected};
use crate::http::server::error_mapping::with_refusal;
use crate::http::server::message::Response;
use crate::store::ChangeRef;
use mediaconf::{Masker, Request};

/// `change`
pub fn change(context: &Context, call: &mut EndpointCall<'_>) -> Result<Response, Problem> {
    let body = mem::take(&mut call.body);
    let ChangeRequest { operation, options } =
        serde_json::from_slice(&body).map_err(|error| no_request(&body, &error))?;
    let requested = operation.within(context.patch_memory);
    let dry_run = options.dry_run;
    let mut made = make(context, call, requested, options)?;
    if let Some(masker) = Secrets::of(context, call)?.masker() {
        mask_values(&mut made, &masker);
    }
    answer(context, call, dry_run, made, |report| {
        Response::ok(JSON, serde_json::to_vec(report).expect("a report can be written"))
    })
}

/// Masks the secrets in a report, but for its lines, which are made so.
fn mask_values(report: &mut ChangeReport, masker: &Masker) {
    report.values = mem::take(&mut report.values).into_iter().map(|changed| changed.masked(masker)).collect();
    report.configuration = report.configuration.as_ref().map(|whole| masker.json(whole));
    report.account = None;
}

/// The problem of a body that is no request. The message of serde would quote the value, which may be a
/// secret.
fn no_request(body: &[u8], error: &serde_json::Error) -> Problem {
    let whole: BTreeMap<String, Value> = serde_json::from_slice(body).unwrap_or_default();
    let members = whole.get("operation").and_then(Value::as_object).cloned().unwrap_or_default();
    let known: Vec<&str> = CHANGE_NAMES.into_iter().filter(|name| members.contains_key(*name)).collect();
    let place = format!("at line {} column {}", error.line(), error.column());
    let why = match known[..] {
        _ if !whole.contains_key("operation") => format!("it has no `operation`, {place}"),
        [name] if members.len() == 1 => {
            format!(
                "in `{name}`, or in `options`, a member is unknown or missing, or its value is not right, {place}"
            )
        }
        [name, ..] if members.len() > 1 => {
            let others = known[1..].iter().map(|other| format!(" and `{other}`")).collect::<String>();
            format!("`operation` takes one member, and has {} with `{name}`{others}", members.len())
        }
        _ if error.is_data() => {
            format!("`operation` takes one of the members `{}`, {place}", CHANGE_NAMES.join("`, `"))
        }
        _ => error.to_string(),
    };
    Problem::new(ErrorKind::NotJson, format!("the body is no request: {why}"))
}

/// `modify_config`. The patch is parsed again in its turn, so that requests which wait hold their text alone.
pub fn modify(context: &Context, call: &mut EndpointCall<'_>) -> Result<Response, Problem> {
    let request = Request::from_json(mem::take(&mut call.body), context.patch_memory);
    let change = call.parameters.change.clone();
    let made = make(context, call, request.into(), change)?;
    let (text, secrets) = (call.parameters.format == Some(FORMAT_CONF), Secrets::of(context, call)?);
    answer(context, call, call.parameters.change.dry_run, made, |report| match (&report.snapshot, text) {
        (Some(after), true) => Response::ok(TEXT, secrets.text(context, after)),
        (Some(after), false) => Response::ok(JSON, secrets.json(context, after, false)),
        (None, _) => Response::done(),
    })
}

/// `update_config`
pub fn update(context: &Context, call: &mut EndpointCall<'_>) -> Result<Response, Problem> {
    let text = mem::take(&mut call.body);
    done(context, call, RequestedChange::Update(text))
}

/// `save_config`
pub fn save(context: &Context, call: &mut EndpointCall<'_>) -> Result<Response, Problem> {
    let text = mem::take(&mut call.body);
    done(context, call, RequestedChange::Save(text))
}

/// `save_entry`
pub fn save_entry(context: &Context, call: &mut EndpointCall<'_>) -> Result<Response, Problem> {
    let (text, path) = (mem::take(&mut call.body), call.parameters.path.clone());
    let path = path.ok_or_else(|| Problem::new(ErrorKind::BadParameter, "`path`: it is required"))?;
    let entries = EntryEdits { texts: vec![EntryEdit { path, text, create: false }], then: None };
    done(context, call, RequestedChange::Entries(entries))
}

/// `rollback_config`
pub fn rollback(context: &Context, call: &mut EndpointCall<'_>) -> Result<Response, Problem> {
    let to = call.parameters.to.unwrap_or(ChangeRef::Back(0));
    done(context, call, RequestedChange::Rollback(to))
}

/// Makes a change, and answers that it is done.
fn done(
    context: &Context,
    call: &mut EndpointCall<'_>,
    requested: RequestedChange<'_>,
) -> Result<Response, Problem> {
    let change = call.parameters.change.clone();
    let dry_run = change.dry_run;
    let made = make(context, call, requested, change)?;
    answer(context, call, dry_run, made, |_| Response::done())
}

/// Makes a change, and notes in the log what it did.
fn make(
    context: &Context,
    call: &mut EndpointCall<'_>,
    requested: RequestedChange<'_>,
    change: ChangeOptions,
) -> Result<ChangeReport, Problem> {
    let dry_run = change.dry_run;
    let before = context.running().revision();
    let made = refuse_faulty(context, &requested)
        .and_then(|()| context.service.change(requested, &options(context, call, change)));
    let report = made.map_err(|error| {
        call.record.detail = Some(error.brief().to_owned());
        match call.record.operation {
            Some(ApiOperation::Change) => with_refusal(&error),
            _ => error.into(),
        }
    })?;
    let after = report.after.ok_or_else(|| Problem::new(ErrorKind::EngineFailed, NO_TEXT))?;
    if !dry_run {
        call.record.revisions = Some((before, after)).filter(|(before, after)| before != after);
        call.record.detail = (!report.warnings.is_empty()).then(|| report.warnings.join("; "));
    }
    Ok(report)
}

/// Refuses a faulty patch before its turn.
fn refuse_faulty(context: &Context, requested: &RequestedChange<'_>) -> Result<(), Error> {
    let Some(request) = requested.request() else { return Ok(()) };
    let _one_at_a_time = context.checking_patch.lock().unwrap_or_else(PoisonError::into_inner);
    Ok(request.check_text()?)
}

/// Answers a change with what `show` makes of its report.
fn answer(
    context: &Context,
    call: &EndpointCall<'_>,
    dry_run: bool,
    report: ChangeReport,
    show: impl FnOnce(&ChangeReport) -> Response,
) -> Result<Response, Problem> {
    let mut headers = Vec::new();
    let words = note_words(&report);
    headers.extend((!words.is_empty()).then(|| (NOTE_HEADER, words.join("; "))));
    headers.extend(hand_edit_header(&report.notes).map(|paths| (HAND_EDIT_HEADER, paths)));
    let pending = match dry_run {
        true => context.pending(),
        false => report.pending.clone(),
    };
    headers.extend(pending.map(|pending| (PENDING_HEADER, pending.id)));
    headers.extend(report.after.map(|after| ("ETag", entity_tag(after))));
    let mut response = match call.parameters.format {
        Some(FORMAT_DIFF) => diffs::of_change(&report),
        _ => show(&report),
    };
    response.headers.extend(headers);
    Ok(response)
}

/// The options of a change, with what else the request says.
fn options(context: &Context, call: &EndpointCall<'_>, change: ChangeOptions) -> ChangeOptions {
    let Parameters { format, secrets, .. } = *call.parameters;
    let masker = secrets.filter(|secrets| *secrets != SECRETS_SHOWN).map(|_| context.masker.clone());
    let lines = ReportParts { diff: true, ..ReportParts::masked_by(masker.as_ref()) };
    let matched = expected(&call.head.values("if-match").collect::<Vec<_>>());
    // Of the operations that every server has, only the command line asks a person about deleted streams.
    let (max_delete, told) = match (call.record.operation, format) {
        (Some(ApiOperation::Change), None) => (change.max_delete, told_by(change.told, masker.as_ref())),
        (Some(ApiOperation::Change), Some(_)) => (change.max_delete, lines),
        (_, Some(FORMAT_DIFF)) => (Some(usize::MAX), lines),
        _ => (Some(usize::MAX), ReportParts { is_bare: true, ..ReportParts::masked_by(masker.as_ref()) }),
    };
    ChangeOptions {
        by: call.by.to_owned(),
        until: Some(context.until()),
        max_delete,
        told,
        expected: match (change.expected, matched) {
            (Some(named), Some(matched)) => Some(named.and(matched)),
            (named, matched) => named.or(matched),
        },
        ..change
    }
}

/// The parts of a report, with these masks if secrets are to be masked.
fn told_by(told: ReportParts, masker: Option<&Masker>) -> ReportParts {
    let ReportParts { secrets, mask_key, .. } = ReportParts::masked_by(masker);
    if masker.is_some() { ReportParts { secrets, mask_key, ..told } } else { told }
}

/// The words for the side effects of the change, each once.
fn note_words(report: &ChangeReport) -> Vec<String> {
    let mut words: Vec<String> = report.notes.iter().map(word_of).collect();
    words.extend(words_of_warnings(&report.new_warnings));
    words.extend((!report.warnings.is_empty()).then(|| WARNINGS_IN_LOG.to_owned()));
    let mut seen = HashSet::new();
    words.retain(|word| seen.insert(word.clone()));
    words
}

/// `confirm_config`: the pending change stays.
pub fn confirm(context: &Context, call: &mut EndpointCall<'_>) -> Result<Response, Problem> {
    context.service.decide(Decision::Keep, Some(id(call)), call.by)?;
    Ok(Response::done())
}

/// `cancel_config`: the pending change is rolled back.
pub fn cancel(context: &Context, call: &mut EndpointCall<'_>) -> Result<Response, Problem> {
    let notes = context.service.decide(Decision::RollBack, Some(id(call)), call.by)?;
    let words = notes.iter().map(|note| (NOTE_HEADER, word_of(note)));
    let mut response = Response::done();
    response.headers.extend(words);
    Ok(response)
}

fn id<'c>(call: &'c EndpointCall<'_>) -> &'c str {
    call.parameters.id.as_deref().unwrap_or_default()
}
