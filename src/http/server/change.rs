//! The changes, and the decisions on the pending one: `change`, `modify_config`, `update_config`, `save_config`,
//! `rollback_config`, `confirm_config` and `cancel_config`.

use std::collections::HashSet;
use std::mem;

use super::handler::{Call, Handler};
use super::message::{Response, entity_tag, expected};
use super::query::Query;
use super::read::{FORMAT_DIFF, unified};
use crate::engine::{
    CHANGE_NAMES, ChangeOptions, ChangeReport, ChangeRequest, Decision, ReportParts, RequestedChange,
};
use crate::error::{Error, ErrorKind};
use crate::http::api::{
    ACCEPT, ApiOperation, FAILED_NODES, FORMAT, FORMAT_CONF, ID, JSON, PENDING_HEADER, TEXT,
};
use crate::http::notes::{WARNINGS_IN_LOG, hand_edit_header, word_of, words_of_warnings};
use crate::store::NEW_FORM;
use mediaconf::{Masker, Request};

/// The header with the paths of a hand edit that a change found, percent-encoded.
const HAND_EDIT_HEADER: &str = "Mediactl-Hand-Edit";

/// A change: as data in the body of `change`, or as an operation of its own, with its options in the query. A patch is parsed
/// again in its turn, so that requests which wait hold their text alone. Only the command line asks a person about deleted
/// streams.
pub fn change(handler: &Handler, call: &mut Call<'_>, operation: ApiOperation) -> Result<Response, Error> {
    let is_modify = operation == ApiOperation::Modify;
    let formats: &[_] = if is_modify { &["json", FORMAT_CONF, FORMAT_DIFF] } else { &[FORMAT_DIFF] };
    let format = call.query.word(FORMAT, formats);
    let (masks, diff) = (handler.masks(call)?, format == Some(FORMAT_DIFF));
    let masker = handler.masker_of(masks);
    let shown = ReportParts::masked_by(masker);
    let (requested, options) = if operation == ApiOperation::Change {
        call.query.finish()?;
        let sent = serde_json::from_slice(&mem::take(&mut call.body)).map_err(|error| no_request(&error))?;
        let ChangeRequest { operation, options } = sent;
        let told = match masker {
            _ if diff => ReportParts { diff, ..shown },
            // Those of the request, with these masks.
            Masker::Off => options.told,
            _ => ReportParts { secrets: shown.secrets, mask_key: shown.mask_key, ..options.told },
        };
        (operation, ChangeOptions { told, ..options })
    } else {
        let told = ReportParts { diff, is_bare: !diff, ..shown };
        let options = ChangeOptions { max_delete: Some(usize::MAX), told, ..call.query.change_options() };
        let body = mem::take(&mut call.body);
        let requested = match operation {
            ApiOperation::Modify => Request::from_json(body).into(),
            ApiOperation::Update => RequestedChange::Update(body),
            ApiOperation::Save => RequestedChange::Save(body),
            _ => RequestedChange::Rollback(call.query.demand("to", Query::parsed)?),
        };
        (requested, options)
    };
    let is_dry = options.dry_run;
    let mut report = make(handler, call, requested, options)?;
    if masker != Masker::Off && operation == ApiOperation::Change {
        mask_values(&mut report, masker);
    }
    let response = match (format, operation, &report.snapshot) {
        (Some(FORMAT_DIFF), ..) => unified(["before", "after"], &report.diff),
        (_, ApiOperation::Change, _) => Response::json(&report),
        (Some(FORMAT_CONF), _, Some(after)) => {
            Response::ok(TEXT, handler.shown(after, masks).bytes().to_vec())
        }
        (_, ApiOperation::Modify, Some(after)) => {
            Response::ok(JSON, handler.shown(after, masks).json().clone())
        }
        _ => Response::done(),
    };
    Ok(with_headers(handler, response, &report, is_dry))
}

/// Masks the secrets in a report, but for its lines, which are made so.
fn mask_values(report: &mut ChangeReport, masker: Masker) {
    report.values = mem::take(&mut report.values).into_iter().map(|changed| changed.masked(masker)).collect();
    report.configuration = report.configuration.as_ref().map(|whole| masker.json(whole));
    report.account = None;
}

/// The refusal of a body that is no request.
fn no_request(error: &serde_json::Error) -> Error {
    let why = match error.is_data() {
        true if error.to_string().contains(NEW_FORM) => NEW_FORM.to_owned(),
        // The message of serde would quote the value, which may be a secret.
        true => format!(
            "`operation` takes one of the members `{}`; at line {} column {} a member of it, or of `options`, is unknown or \
             missing, or its value is not right",
            CHANGE_NAMES.join("`, `"),
            error.line(),
            error.column(),
        ),
        false => error.to_string(),
    };
    Error::new(ErrorKind::NotJson, format!("the body is no request: {why}"))
        .hint("a request is, for example, `{\"operation\":{\"revert\":[7]},\"options\":{\"dry_run\":true}}`")
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
    if let RequestedChange::Modify(request) = &requested {
        // A faulty patch is refused before its turn.
        let _one_at_a_time = handler.checking_patch.lock();
        request.check_text(handler.settings.patch_memory)?;
    }
    let report = handler.service.change(requested, &options)?;
    let after = report.after.ok_or_else(|| Error::new(ErrorKind::EngineFailed, "nothing is left to show"))?;
    if !is_dry {
        call.record.revisions = Some((before, after)).filter(|(before, after)| before != after);
        call.record.detail = (!report.warnings.is_empty()).then(|| report.warnings.join("; "));
    }
    Ok(report)
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
    let decision = match operation {
        ApiOperation::Cancel => Decision::RollBack,
        _ if call.query.word(ACCEPT, &[FAILED_NODES]).is_some() => Decision::KeepThoughFailed,
        _ => Decision::Keep,
    };
    let id: String = call.query.demand(ID, Query::parsed)?;
    let decided = handler.service.decide(decision, Some(&id), &call.by)?;
    Ok(Response::done().noted(&decided.notes.iter().map(word_of).collect::<Vec<_>>()))
}
