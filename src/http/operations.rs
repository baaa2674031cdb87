//! Reading and changing the configuration, from their parameters to their answers.

use std::borrow::Cow;
use std::collections::HashSet;
use std::sync::Arc;
use std::time::Duration;

use super::handler::{Caller, Handler};
use super::log::Access;
use super::message::{Head, Request, Response};
use super::parameters::Parameters;
use super::problem::{Kind, Problem};
use super::refusal::problem;
use super::route::{JSON, Operation, TEXT};
use super::wire::{DELETED_STREAMS, HTTP_OPTIONS_DROPPED, NOTE_HEADER, PENDING_HEADER};
use crate::edit::Note;
use crate::engine::{self, Change, EngineError, Expected, Remark, Snapshot};
use crate::model::{Lens, View, top_members, write_compact};
use crate::store::{Revision, Which};

/// Behind the revision in an entity tag: another version of us may write other JSON.
const VERSION: &str = env!("CARGO_PKG_VERSION");

/// `read_config`
pub(super) fn read(handler: &Handler, head: &Head, parameters: &Parameters) -> Result<Response, Problem> {
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
pub(super) fn describe(handler: &Handler) -> Response {
    answer(200, vec![("Content-Type", JSON.to_owned())], handler.description())
}

/// `modify_config`, `update_config`, `save_config` and `rollback_config`
pub(super) fn change(
    handler: &Handler,
    operation: Operation,
    request: &Request,
    parameters: &Parameters,
    caller: &Caller,
    access: &mut Access,
) -> Result<Response, Problem> {
    let asked = engine::Request {
        dry_run: parameters.dry_run,
        force: parameters.force,
        // How many streams are deleted at once is asked about where somebody can answer.
        max_delete: Some(usize::MAX),
        named_deletions: HashSet::new(),
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
        Operation::Modify => handler.modify(&asked, &request.body),
        Operation::Save => engine.save(&asked, &request.body),
        Operation::Update => engine.update(&asked, &request.body),
        Operation::Rollback => {
            let which = parameters.to.ok_or(EngineError::NoSuchChange { which: Which::Back(0), known: 0 });
            which.and_then(|which| engine.rollback(&asked, which))
        }
        Operation::Read
        | Operation::OpenApi
        | Operation::History
        | Operation::Kept
        | Operation::Confirm
        | Operation::Cancel => {
            unreachable!("these change no text")
        }
    };
    let change = changed.map_err(|error| {
        access.detail = Some(error.without_output());
        problem(&error)
    })?;
    let after = change.after().or_else(|| change.before.clone());
    let after = after.ok_or_else(|| Problem::new(Kind::EngineFailed, "nothing is left to show"))?;
    if !parameters.dry_run {
        note(&change, before, &after, access);
    }
    let (body, kind) = match operation {
        Operation::Modify if parameters.text => (Arc::new(after.bytes().to_vec()), TEXT),
        Operation::Modify => (after.json().json().clone(), JSON),
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

fn note(change: &Change, before: Revision, after: &Snapshot, access: &mut Access) {
    access.revisions = Some((before, after.revision())).filter(|(before, after)| before != after);
    let warnings: Vec<String> = change.warnings.iter().map(ToString::to_string).collect();
    access.detail = (!warnings.is_empty()).then(|| warnings.join("; "));
}

/// What a change did beside what was asked for, each thing once.
fn note_words(change: &Change) -> Vec<String> {
    let mut words: Vec<String> = change.remarks.iter().copied().map(remark_word).collect();
    words.extend(change.notes.iter().map(|note| match note {
        Note::CommentsKept { .. } => "comments-kept".to_owned(),
        Note::ExtrasDropped { .. } => "extras-dropped".to_owned(),
        Note::PortOptionsDropped { port } => format!("{HTTP_OPTIONS_DROPPED} {}", in_header(port)),
    }));
    words.extend((!change.warnings.is_empty()).then(|| "warnings-in-log".to_owned()));
    let mut seen = HashSet::new();
    words.retain(|word| seen.insert(word.clone()));
    words
}

/// A word of the text in a header, percent-encoded where it could be taken for something else.
fn in_header(text: &str) -> Cow<'_, str> {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b".:[]-_".contains(&byte);
    match text.bytes().all(is_plain) {
        true => text.into(),
        false => form_urlencoded::byte_serialize(text.as_bytes()).collect::<String>().into(),
    }
}

/// What a note is called in its header.
pub fn remark_word(remark: Remark) -> String {
    match remark {
        Remark::SavedEarlierUpdate => "saved-earlier-update".to_owned(),
        Remark::PickedUpHandEdit => "picked-up-hand-edit".to_owned(),
        Remark::OverwroteHandEdit => "overwrote-hand-edit".to_owned(),
        Remark::DeletedStreams(count) => format!("{DELETED_STREAMS} {count}"),
    }
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

/// A strong entity tag (RFC 9110, 8.8.3).
pub(super) fn entity_tag(revision: Revision) -> String {
    format!("\"{revision}-{VERSION}\"")
}

/// Whether `If-None-Match` names the tag; the comparison is weak, so `W/` does not matter.
fn names(list: &str, tag: &str) -> bool {
    list.trim() == "*" || tags(list).any(|named| named == tag)
}

fn tags(list: &str) -> impl Iterator<Item = &str> {
    list.split(',').map(|tag| tag.trim()).map(|tag| tag.strip_prefix("W/").unwrap_or(tag))
}

/// What `If-Match` asks for; the comparison is strong, and tags of other versions match nothing.
fn expected(lists: &[&str]) -> Option<Expected> {
    let tags = lists.iter().flat_map(|list| list.split(',')).map(str::trim);
    match lists {
        [] => None,
        _ if tags.clone().any(|tag| tag == "*") => Some(Expected::Any),
        _ => {
            Some(Expected::OneOf(tags.filter(|tag| !tag.starts_with("W/")).filter_map(revision_of).collect()))
        }
    }
}

fn revision_of(tag: &str) -> Option<Revision> {
    let inside = tag.strip_prefix('"')?.strip_suffix('"')?;
    let (revision, version) = inside.split_once('-')?;
    if version == VERSION { revision.parse().ok() } else { None }
}
