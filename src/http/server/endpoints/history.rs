//! The history over HTTP, and what is decided on a change that waits to be confirmed.

use std::sync::Arc;

use crate::engine::{Aftermath, OutcomeNote};
use crate::http::protocol::headers::NOTE_HEADER;
use crate::http::protocol::masked::masked_text;
use crate::http::protocol::notes::word_of;
use crate::http::protocol::parameters::Parameters;
use crate::http::protocol::problem::{Problem, ProblemKind};
use crate::http::protocol::routes::{ApiOperation, JSON, TEXT};
use crate::http::server::error_mapping::problem;
use crate::http::server::handler::{Caller, Handler};
use crate::http::server::message::Response;
use crate::store::{ChangeRef, HistoryEntry, NotAChangeRef};

/// `history`
pub(crate) fn changes(handler: &Handler) -> Result<Response, Problem> {
    let entries = handler.engine.history().map_err(|error| problem(&error))?;
    let entries: Vec<HistoryEntry> = entries.into_iter().map(masked).collect();
    let body = serde_json::to_vec(&entries).expect("an entry holds only strings, numbers and times");
    Ok(answer(JSON, body))
}

/// A message is what somebody wrote: it may hold anything.
fn masked(entry: HistoryEntry) -> HistoryEntry {
    let shown = |text: Option<String>| text.map(|text| masked_text(&text));
    HistoryEntry { by: shown(entry.by), message: shown(entry.message), ..entry }
}

/// `history/N`
pub(crate) fn kept(handler: &Handler, which: &str) -> Result<Response, Problem> {
    let which: ChangeRef = which
        .parse()
        .map_err(|error: NotAChangeRef| Problem::new(ProblemKind::BadParameter, error.to_string()))?;
    let snapshot = handler.engine.kept(which).map_err(|error| problem(&error))?;
    Ok(answer(TEXT, snapshot.bytes().to_vec()))
}

/// `confirm_config` and `cancel_config`
pub(crate) fn decide(
    handler: &Handler,
    operation: ApiOperation,
    parameters: &Parameters,
    caller: &Caller,
) -> Result<Response, Problem> {
    let (engine, id) = (&handler.engine, parameters.id.as_deref().unwrap_or_default());
    let file = match operation {
        ApiOperation::Confirm => engine.confirm(id).map(|()| None),
        _ => engine.cancel(id, &caller.by).map(Some),
    };
    let file = file.map_err(|error| problem(&error))?;
    let mut answer = answer(JSON, b"true".to_vec());
    // Running goes back all the same.
    if file == Some(Aftermath::ChangedMeanwhile) {
        answer.headers.push((NOTE_HEADER, word_of(&OutcomeNote::KeptHandEdit)));
    }
    Ok(answer)
}

fn answer(media_type: &str, body: Vec<u8>) -> Response {
    Response { status: 200, headers: vec![("Content-Type", media_type.to_owned())], body: Arc::new(body) }
}
