//! The endpoints that read: `read_config`, `included`, `runtime`, `history`, `history/N` and `blame`

use std::sync::{Arc, PoisonError};

use serde_json::Value;

use crate::engine::{Blamed, Snapshot, add_paths, is_edited_since, value_history};
use crate::error::{Error, ErrorKind};
use crate::http::protocol::bodies::{IncludedFile, IncludedFiles};
use crate::http::protocol::headers::{
    FORMAT_DIFF, PENDING_HEADER, RUNTIME, SECRETS_SHOWN, SKIP_STREAMS, WITH_INCLUDES,
};
use crate::http::protocol::masked::masked_text;
use crate::http::protocol::notes::{EDITED_BY_HAND, IGNORED_PARAMETER, LOST_LINE_ENDS, TEXTS_MISSING};
use crate::http::protocol::parameters::Parameters;
use crate::http::protocol::problem::Problem;
use crate::http::protocol::routes::{JSON, TEXT};
use crate::http::server::auth::Role;
use crate::http::server::context::{Context, EndpointCall};
use crate::http::server::endpoints::diffs;
use crate::http::server::endpoints::shown::{Secrets, composed, entry, parsed, source, with_member};
use crate::http::server::entity_tag::{entity_tag, names};
use crate::http::server::message::Response;
use crate::store::{ChangeRef, HistoryEntry, NotAChangeRef, Revision, WHOLE_HISTORY};

/// `read_config`
pub fn read(context: &Context, call: &mut EndpointCall<'_>) -> Result<Response, Problem> {
    let (parameters, head) = (call.parameters, call.head);
    let own = source(context, call)?;
    let composed = if parameters.with_includes { composed(context, &own)? } else { None };
    let snapshot = composed.as_ref().map_or(&own, |composed| &composed.text);
    let (role, secrets) = (call.role, Secrets::of(context, call)?);
    if let (Some(path), Some(SECRETS_SHOWN)) = (&parameters.path, parameters.secrets) {
        call.record.detail = Some(format!("shows the secrets at `{}`", path.shown()));
    }
    let lost_line_ends = own.has_lost_line_ends();
    let noted = |response: Response| {
        let response = response.noted(&ignored(parameters));
        if lost_line_ends { response.noted(&[LOST_LINE_ENDS]) } else { response }
    };
    let tag = entity_tag(context.shown_revision(snapshot.revision(), role));
    let response = if !parameters.runtime && head.values("if-none-match").any(|list| names(list, &tag)) {
        Response::unchanged()
    } else if let (Some(path), true) = (&parameters.path, parameters.text) {
        entry(snapshot, path, &secrets)?
    } else if parameters.text {
        Response::ok(TEXT, secrets.text(context, snapshot))
    } else if !snapshot.is_valid() {
        return Err(Error::bad_config(snapshot.clone()).into());
    } else {
        let mut body = match &parameters.path {
            Some(path) => Arc::new(secrets.value(context, snapshot, path)?),
            None => secrets.json(context, snapshot, parameters.skip_streams),
        };
        if let (Some(composed), None) = (&composed, &parameters.path) {
            // Whoever sends it back is refused.
            let names: Vec<&str> = composed.files[1..].iter().map(|file| file.name.as_str()).collect();
            body = with_member(&body, WITH_INCLUDES, names.into(), role);
        }
        if parameters.runtime && parameters.path.is_none() {
            body = with_member(&body, "runtime", figures(context, role), role);
            // The figures differ each time, so there is no tag.
            return Ok(with_pending(context, noted(Response::ok(JSON, body))));
        }
        Response::ok(JSON, body)
    };
    Ok(with_pending(context, noted(response.with("ETag", tag))))
}

/// The notes about parameters that are of a whole configuration in JSON, and have no effect on another answer.
fn ignored(parameters: &Parameters) -> Vec<String> {
    let is_other = parameters.text || parameters.path.is_some();
    let given = [(parameters.skip_streams, SKIP_STREAMS), (parameters.runtime, RUNTIME)];
    let ignored = given.into_iter().filter(|(is_given, _)| is_other && *is_given);
    ignored.map(|(_, name)| format!("{IGNORED_PARAMETER} {name}")).collect()
}

/// `runtime`: the figures of the server alone.
pub fn runtime(context: &Context, call: &mut EndpointCall<'_>) -> Result<Response, Problem> {
    Ok(Response::ok(JSON, with_member(b"{}", "runtime", figures(context, call.role), call.role)))
}

fn figures(context: &Context, role: Role) -> Value {
    let tag = |revision| entity_tag(context.shown_revision(revision, role));
    context.runtime.figures((&context.engine, &*context.service), (role, &tag))
}

/// Adds the header that names the pending change to a response.
fn with_pending(context: &Context, mut response: Response) -> Response {
    response.headers.extend(context.pending().map(|pending| (PENDING_HEADER, pending.id)));
    response
}

/// `included`: the files of each pattern.
pub fn included(context: &Context, call: &mut EndpointCall<'_>) -> Result<Response, Problem> {
    let composed = parsed(context, &source(context, call)?)?;
    let included = composed.map(|composed| composed.included).unwrap_or_default();
    let secrets = Secrets::of(context, call)?;
    let files = included.into_iter().map(|(pattern, texts)| {
        let files = texts.into_iter().map(|included| {
            let text = secrets.text(context, &Snapshot::from_bytes(included.bytes));
            IncludedFile { name: included.name, text: String::from_utf8_lossy(&text).into_owned() }
        });
        (pattern, files.collect())
    });
    let body = serde_json::to_vec(&files.collect::<IncludedFiles>()).expect("it holds only strings");
    Ok(Response::ok(JSON, body))
}

/// `history`: the changes, the last one first.
pub fn history(context: &Context, call: &mut EndpointCall<'_>) -> Result<Response, Problem> {
    let mut entries = context.service.history(WHOLE_HISTORY)?;
    with_paths(context, &mut entries);
    let entries: Vec<HistoryEntry> =
        entries.into_iter().map(|entry| masked(entry, context, call.role)).collect();
    let body = serde_json::to_vec(&entries).expect("an entry holds only strings, numbers and times");
    Ok(Response::ok(JSON, body))
}

/// Adds the paths that each change changed, as far as that is not in the entry already.
fn with_paths(context: &Context, entries: &mut [HistoryEntry]) {
    let mut known = context.changed_paths.lock().unwrap_or_else(PoisonError::into_inner);
    let file = context.engine.read().ok();
    let now = file.filter(|file| !is_edited_since(entries, file));
    add_paths(entries, now, &|serial| context.service.kept(ChangeRef::Serial(serial)), &mut known);
}

/// Masks an entry: users write the message, and may put a secret into it.
fn masked(entry: HistoryEntry, context: &Context, role: Role) -> HistoryEntry {
    let shown = |revision: Option<Revision>| revision.map(|revision| context.shown_revision(revision, role));
    let (before, after) = (shown(entry.before), shown(entry.after));
    HistoryEntry { before, after, ..entry.shown_by(masked_text) }
}

/// `blame`: the changes of one value, the last one first.
pub fn blame(context: &Context, call: &mut EndpointCall<'_>) -> Result<Response, Problem> {
    let (path, role) = (call.parameters.path.clone(), call.role);
    let path = path.ok_or_else(|| Problem::new(ErrorKind::BadParameter, "`path`: it is required"))?;
    let masker = Secrets::of(context, call)?.masker();
    let found = value_history(&*context.service, &path, call.parameters.limit, masker.as_ref())?;
    let changes: Vec<Blamed> = found
        .changes
        .into_iter()
        .map(|blamed| Blamed { entry: masked(blamed.entry, context, role), ..blamed })
        .collect();
    let body = serde_json::to_vec(&changes).expect("an entry holds only strings, numbers, times and JSON");
    let notes = [(found.is_edited, EDITED_BY_HAND), (found.is_cut, TEXTS_MISSING)];
    let notes: Vec<&str> = notes.into_iter().filter(|(is_so, _)| *is_so).map(|(_, word)| word).collect();
    Ok(Response::ok(JSON, body).noted(&notes))
}

/// `history/N`: the text before a change.
pub fn kept(context: &Context, call: &mut EndpointCall<'_>) -> Result<Response, Problem> {
    let unknown = |error: NotAChangeRef| Problem::new(ErrorKind::BadParameter, error.to_string());
    let change: ChangeRef = call.argument.parse().map_err(unknown)?;
    if call.parameters.format == Some(FORMAT_DIFF) {
        return diffs::of_entry(context, change, &Secrets::of(context, call)?);
    }
    let snapshot = context.service.kept(change)?;
    Ok(Response::ok(TEXT, Secrets::of(context, call)?.text(context, &snapshot)))
}
