//! The history over HTTP, and what is decided on a change that waits to be confirmed.

use std::sync::Arc;

use super::handler::{Caller, Handler};
use super::message::Response;
use super::parameters::Parameters;
use super::problem::Problem;
use super::refusal::{masked_text, problem};
use super::route::{JSON, Operation, TEXT};
use crate::engine::EngineError;
use crate::store::Entry;

/// `history`
pub(super) fn changes(handler: &Handler) -> Result<Response, Problem> {
    let entries = handler.engine.history().map_err(|error| problem(&error))?;
    let entries: Vec<Entry> = entries.into_iter().map(masked).collect();
    let body = serde_json::to_vec(&entries).expect("an entry holds only strings, numbers and times");
    Ok(answer(JSON, body))
}

/// A message is what somebody wrote: it may hold anything.
fn masked(entry: Entry) -> Entry {
    let shown = |text: Option<String>| text.map(|text| masked_text(&text));
    Entry { by: shown(entry.by), message: shown(entry.message), ..entry }
}

/// `history/N`
pub(super) fn kept(handler: &Handler, number: &str) -> Result<Response, Problem> {
    let is_plain = number.bytes().all(|byte| byte.is_ascii_digit());
    let number = number.parse().ok().filter(|_| is_plain).unwrap_or(usize::MAX);
    let snapshot = handler.engine.kept(number).map_err(|error| problem(&error))?;
    Ok(answer(TEXT, snapshot.bytes().to_vec()))
}

/// `confirm_config` and `cancel_config`
pub(super) fn decide(
    handler: &Handler,
    operation: Operation,
    parameters: &Parameters,
    caller: &Caller,
) -> Result<Response, Problem> {
    let (engine, id) = (&handler.engine, parameters.id.as_deref().unwrap_or_default());
    let decided: Result<(), EngineError> = match operation {
        Operation::Confirm => engine.confirm(id),
        _ => engine.cancel(id, &caller.by),
    };
    decided.map_err(|error| problem(&error))?;
    Ok(answer(JSON, b"true".to_vec()))
}

fn answer(media_type: &str, body: Vec<u8>) -> Response {
    Response { status: 200, headers: vec![("Content-Type", media_type.to_owned())], body: Arc::new(body) }
}
