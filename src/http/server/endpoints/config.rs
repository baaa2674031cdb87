//! Reading and changing the configuration, from their parameters to their answers.

use std::collections::HashSet;
use std::sync::Arc;
use std::time::Duration;

use crate::engine::{self, Content, EngineError, Outcome, Snapshot};
use crate::http::protocol::headers::{NOTE_HEADER, PENDING_HEADER};
use crate::http::protocol::notes::{WARNINGS_IN_LOG, word_of};
use crate::http::protocol::parameters::Parameters;
use crate::http::protocol::problem::{Problem, ProblemKind};
use crate::http::protocol::routes::{ApiOperation, JSON, TEXT};
use crate::http::server::entity_tag::{entity_tag, expected, names};
use crate::http::server::error_mapping::problem;
use crate::http::server::handler::{Caller, Handler};
use crate::http::server::log::AccessRecord;
use crate::http::server::message::{Head, Request, Response};
use crate::model::{Lens, View, top_members, write_compact};
use crate::store::{ChangeRef, Revision};

/// `read_config`
pub(crate) fn read(handler: &Handler, head: &Head, parameters: &Parameters) -> Result<Response, Problem> {
    let snapshot = match parameters.saved {
        true => handler.engine.saved().map_err(|error| problem(&error))?,
        false => handler.running(),
    };
    let tag = entity_tag(snapshot.revision());
    if !parameters.runtime && head.values("if-none-match").any(|known| names(known, &tag)) {
        return Ok(answer(304, Vec::new(), Arc::default()).with("ETag", tag));
    }
    if parameters.text {
        let body = Arc::new(snapshot.bytes().to_vec());
        return Ok(answer(200, vec![("Content-Type", TEXT.to_owned())], body).with("ETag", tag));
    }
    if !snapshot.is_valid() {
        return Err(problem(&EngineError::BadConfig(snapshot)));
    }
    let mut body =
        if parameters.skip_streams { without_static(&snapshot) } else { snapshot.json().json().clone() };
    if parameters.runtime {
        body = handler.runtime.added_to(&body, &handler.engine);
        return Ok(answer(200, vec![("Content-Type", JSON.to_owned())], body));
    }
    Ok(answer(200, vec![("Content-Type", JSON.to_owned())], body).with("ETag", tag))
}

fn without_static(snapshot: &Snapshot) -> Arc<Vec<u8>> {
    let lens = Lens { skip_static_streams: true, ..Lens::default() };
    let mut body = Vec::new();
    write_compact(&View::new(&top_members(snapshot.document()), &lens), &mut body)
        .expect("a vector takes everything");
    Arc::new(body)
}

/// `openapi.json`
pub(crate) fn describe(handler: &Handler) -> Response {
    answer(200, vec![("Content-Type", JSON.to_owned())], handler.description())
}

/// `modify_config`, `update_config`, `save_config` and `rollback_config`
pub(crate) fn change(
    handler: &Handler,
    operation: ApiOperation,
    request: &Request,
    parameters: &Parameters,
    caller: &Caller,
    access: &mut AccessRecord,
) -> Result<Response, Problem> {
    let asked = engine::ChangeOptions {
        dry_run: parameters.dry_run,
        force: parameters.force,
        // How many streams are deleted at once is asked about where somebody can answer.
        max_delete: Some(usize::MAX),
        accepted: parameters.accepted.clone(),
        by: caller.by.clone(),
        message: parameters.message.clone(),
        expected: expected(&request.head.values("if-match").collect::<Vec<_>>()),
        confirm: parameters.confirm.map(Duration::from_secs),
        reload_later: parameters.reload_later,
        until: Some(handler.until()),
    };
    let engine = &handler.engine;
    let before = handler.running().revision();
    let changed = match operation {
        ApiOperation::Modify => handler.modify(&asked, &request.body),
        ApiOperation::Save => engine.save(&asked, &request.body),
        ApiOperation::Update => engine.update(&asked, &request.body),
        ApiOperation::Rollback => {
            let which =
                parameters.to.ok_or(EngineError::NoSuchChange { which: ChangeRef::Back(0), known: 0 });
            which.and_then(|which| engine.rollback(&asked, which))
        }
        ApiOperation::Read
        | ApiOperation::OpenApi
        | ApiOperation::History
        | ApiOperation::Kept
        | ApiOperation::Confirm
        | ApiOperation::Cancel => {
            unreachable!("these change no text")
        }
    };
    let change = changed.map_err(|error| {
        access.detail = Some(error.without_output());
        problem(&error)
    })?;
    let after = change.after().and_then(Content::snapshot);
    let after = after.ok_or_else(|| Problem::new(ProblemKind::EngineFailed, "nothing is left to show"))?;
    if !parameters.dry_run {
        note(&change, before, after, access);
    }
    let (body, kind) = match operation {
        ApiOperation::Modify if parameters.text => (Arc::new(after.bytes().to_vec()), TEXT),
        ApiOperation::Modify => (after.json().json().clone(), JSON),
        _ => (Arc::new(b"true".to_vec()), JSON),
    };
    let mut headers = vec![("Content-Type", kind.to_owned())];
    let words = note_words(&change);
    if !words.is_empty() {
        headers.push((NOTE_HEADER, words.join("; ")));
    }
    headers.extend(change.pending.as_ref().map(|waiting| (PENDING_HEADER, waiting.id.clone())));
    Ok(answer(200, headers, body).with("ETag", entity_tag(after.revision())))
}

fn note(change: &Outcome, before: Revision, after: &Snapshot, access: &mut AccessRecord) {
    access.revisions = Some((before, after.revision())).filter(|(before, after)| before != after);
    access.detail = (!change.warnings.is_empty()).then(|| change.warnings.join("; "));
}

/// What a change did beside what was asked for, each thing once.
fn note_words(change: &Outcome) -> Vec<String> {
    let mut words: Vec<String> = change.notes.iter().map(word_of).collect();
    words.extend((!change.warnings.is_empty()).then(|| WARNINGS_IN_LOG.to_owned()));
    let mut seen = HashSet::new();
    words.retain(|word| seen.insert(word.clone()));
    words
}

fn answer(status: u16, headers: Vec<(&'static str, String)>, body: Arc<Vec<u8>>) -> Response {
    Response { status, headers, body }
}

impl Response {
    fn with(mut self, name: &'static str, value: String) -> Self {
        self.headers.push((name, value));
        self
    }
}
