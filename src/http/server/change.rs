//! The changes, and the decisions on the pending one: `change`, `modify_config`, `update_config`, `save_config`,
//! `save_entry`, `rollback_config`, `confirm_config` and `cancel_config`.

use std::collections::{BTreeMap, HashSet};
use std::mem;
use std::sync::PoisonError;

use serde_json::Value;

use super::handler::{Call, Handler};
use super::message::{Response, entity_tag, expected};
use super::query::Query;
use super::read::{FORMAT_DIFF, unified};
use crate::engine::{
    CHANGE_NAMES, ChangeOptions, ChangeReport, ChangeRequest, Decision, EntryEdit, EntryEdits, ReportParts,
    RequestedChange,
};
use crate::error::{Error, ErrorKind};
use crate::http::api::{ApiOperation, FORMAT, FORMAT_CONF, ID, JSON, PENDING_HEADER, TEXT};
use crate::http::notes::{WARNINGS_IN_LOG, hand_edit_header, word_of, words_of_warnings};
use mediaconf::{Masker, Request};

/// The header with the paths of a hand edit that a change picked up, percent-encoded.
const HAND_EDIT_HEADER: &str = "Mediactl-Hand-Edit";

/// `change`
pub fn change(handler: &Handler, call: &mut Call<'_>) -> Result<Response, Error> {
    let is_diff = call.query.word(FORMAT, &[FORMAT_DIFF]).is_some();
    let masks = handler.masks(call)?;
    call.query.finish()?;
    let body = mem::take(&mut call.body);
    let ChangeRequest { operation, options } =
        serde_json::from_slice(&body).map_err(|error| no_request(&body, &error))?;
    let (masker, told) = (handler.masker_of(masks), options.told);
    let told = match is_diff {
        true => ReportParts { diff: true, ..ReportParts::masked_by(masker.as_ref()) },
        // Those of the request, with these masks if secrets are to be masked.
        false if masker.is_some() => {
            let ReportParts { secrets, mask_key, .. } = ReportParts::masked_by(masker.as_ref());
            ReportParts { secrets, mask_key, ..told }
        }
        false => told,
    };
    let options = ChangeOptions { told, ..options };
    let (is_dry, requested) = (options.dry_run, operation.within(handler.settings.patch_memory));
    let mut report = make(handler, call, requested, options)?;
    if let Some(masker) = masker {
        mask_values(&mut report, &masker);
    }
    let response = if is_diff { diff_of(&report) } else { Response::json(&report) };
    Ok(with_headers(handler, response, &report, is_dry))
}

/// Masks the secrets in a report, but for its lines, which are made so.
fn mask_values(report: &mut ChangeReport, masker: &Masker) {
    report.values = mem::take(&mut report.values).into_iter().map(|changed| changed.masked(masker)).collect();
    report.configuration = report.configuration.as_ref().map(|whole| masker.json(whole));
    report.account = None;
}

/// The refusal of a body that is no request. The message of serde would quote the value, which may be a
/// secret.
fn no_request(body: &[u8], error: &serde_json::Error) -> Error {
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
        [_, ..] if members.len() > 1 => {
            format!(
                "`operation` takes one member, and has {} with `{}`",
                members.len(),
                known.join("` and `")
            )
        }
        _ if error.is_data() => {
            format!("`operation` takes one of the members `{}`, {place}", CHANGE_NAMES.join("`, `"))
        }
        _ => error.to_string(),
    };
    Error::new(ErrorKind::NotJson, format!("the body is no request: {why}"))
}

/// The changes that every server has, and `save_entry`, with their options in the query. A patch is parsed again in its turn, so
/// that requests which wait hold their text alone. Only the command line asks a person about deleted streams.
pub fn of_query(handler: &Handler, call: &mut Call<'_>, operation: ApiOperation) -> Result<Response, Error> {
    let is_modify = operation == ApiOperation::Modify;
    let formats: &[_] = if is_modify { &["json", FORMAT_CONF, FORMAT_DIFF] } else { &[FORMAT_DIFF] };
    let format = call.query.word(FORMAT, formats);
    let (masks, is_diff) = (handler.masks(call)?, format == Some(FORMAT_DIFF));
    let parts = ReportParts::masked_by(handler.masker_of(masks).as_ref());
    let told = ReportParts { diff: is_diff, is_bare: !is_diff, ..parts };
    let options = ChangeOptions { max_delete: Some(usize::MAX), told, ..call.query.change_options() };
    let (is_dry, body) = (options.dry_run, mem::take(&mut call.body));
    let requested = match operation {
        ApiOperation::Modify => Request::from_json(body, handler.settings.patch_memory).into(),
        ApiOperation::Update => RequestedChange::Update(body),
        ApiOperation::Save => RequestedChange::Save(body),
        ApiOperation::SaveEntry => {
            let path = call.query.demand("path", Query::path)?;
            let texts = vec![EntryEdit { path, text: body, create: false }];
            RequestedChange::Entries(EntryEdits { texts, then: None })
        }
        _ => RequestedChange::Rollback(call.query.demand("to", Query::parsed)?),
    };
    let report = make(handler, call, requested, options)?;
    let response = match (format, report.snapshot.as_ref().filter(|_| is_modify)) {
        (Some(FORMAT_DIFF), _) => diff_of(&report),
        (Some(FORMAT_CONF), Some(after)) => Response::ok(TEXT, handler.shown_text(after, masks)),
        (_, Some(after)) => Response::ok(JSON, handler.shown_json(after, false, masks)),
        (_, None) => Response::done(),
    };
    Ok(with_headers(handler, response, &report, is_dry))
}

/// Makes a change, and notes in the log what it did.
fn make(
    handler: &Handler,
    call: &mut Call<'_>,
    requested: RequestedChange<'_>,
    options: ChangeOptions,
) -> Result<ChangeReport, Error> {
    call.query.finish()?;
    let is_dry = options.dry_run;
    let matched = expected(&call.head.values("if-match").collect::<Vec<_>>());
    let options = ChangeOptions {
        by: call.by.clone(),
        until: Some(handler.until()),
        expected: match (options.expected, matched) {
            (Some(named), Some(matched)) => Some(named.and(matched)),
            (named, matched) => named.or(matched),
        },
        ..options
    };
    let before = handler.running().revision();
    if let Some(request) = requested.request() {
        // A faulty patch is refused before its turn.
        let _one_at_a_time = handler.checking_patch.lock().unwrap_or_else(PoisonError::into_inner);
        request.check_text()?;
    }
    let report = handler.service.change(requested, &options)?;
    let after = report.after.ok_or_else(|| Error::new(ErrorKind::EngineFailed, "nothing is left to show"))?;
    if !is_dry {
        call.record.revisions = Some((before, after)).filter(|(before, after)| before != after);
        call.record.detail = (!report.warnings.is_empty()).then(|| report.warnings.join("; "));
    }
    Ok(report)
}

fn diff_of(report: &ChangeReport) -> Response {
    unified(["before", "after"], &report.diff)
}

/// Adds the headers that tell of a change.
fn with_headers(handler: &Handler, mut response: Response, report: &ChangeReport, is_dry: bool) -> Response {
    let mut words: Vec<String> = report.notes.iter().map(word_of).collect();
    words.extend(words_of_warnings(&report.new_warnings));
    words.extend((!report.warnings.is_empty()).then(|| WARNINGS_IN_LOG.to_owned()));
    let mut seen = HashSet::new();
    words.retain(|word| seen.insert(word.clone()));
    let pending = if is_dry { handler.pending() } else { report.pending.clone() };
    response.headers.extend(hand_edit_header(&report.notes).map(|paths| (HAND_EDIT_HEADER, paths)));
    response.headers.extend(pending.map(|pending| (PENDING_HEADER, pending.id)));
    response.headers.extend(report.after.map(|after| ("ETag", entity_tag(after))));
    response.noted(&words)
}

/// `confirm_config` and `cancel_config`: the pending change stays, or is rolled back.
pub fn decide(handler: &Handler, call: &mut Call<'_>, operation: ApiOperation) -> Result<Response, Error> {
    let id: String = call.query.demand(ID, Query::parsed)?;
    let decision = if operation == ApiOperation::Confirm { Decision::Keep } else { Decision::RollBack };
    let notes = handler.service.decide(decision, Some(&id), &call.by)?;
    Ok(Response::done().noted(&notes.iter().map(word_of).collect::<Vec<_>>()))
}
