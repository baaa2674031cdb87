//! `status` and `nodes`: how the configuration is, and what there is to wait for.

use std::hash::BuildHasher;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::auth::Role;
use super::handler::{Call, Handler, take_permit};
use super::message::{Response, names};
use super::read::hide_revisions;
use super::runtime::stream_counts;
use crate::engine::{Activity, CheckedConfig, Engine, LastReload, StatusPart, last_change};
use crate::error::Error;
use crate::http::api::{API_VERSION, MAX_WAIT, WAIT, masked_text, shortened};
use crate::store::clock::rfc3339;

/// The most characters of a text in a status, such as a message or a name, and of the output of the reload command.
const MOST_WORDS: usize = 100;
const MOST_OUTPUT: usize = 800;

/// The most paths of the pending change in a status.
const MOST_PATHS: usize = 5;

/// The interval at which it is looked for what nobody tells of: another program that wrote the file.
const LOOK: Duration = Duration::from_millis(50);

const _: () = assert!(LOOK.as_millis() <= 100, "a status is told within 100 ms of a change");

/// `status`. With `wait` it is answered when it is another one than the client knows.
pub fn status(handler: &Handler, call: &mut Call<'_>) -> Result<Response, Error> {
    let wait = call.query.seconds(WAIT, 0..=MAX_WAIT).unwrap_or_default();
    call.query.finish()?;
    let engine = &handler.engine;
    let mut stamp = engine.status_stamp();
    let mut answer = now(handler, call)?;
    if wait.is_zero() || answer.status != UNCHANGED {
        return Ok(answer);
    }
    let Some(_permit) = take_permit(&handler.waiting, (handler.max_connections / 4).max(1)) else {
        return Ok(answer.with("Retry-After", "1".to_owned()));
    };
    let until = Instant::now() + wait;
    while answer.status == UNCHANGED && Instant::now() < until && !handler.is_stopping.load(Ordering::SeqCst)
    {
        engine.wait_for_change(&stamp, until.saturating_duration_since(Instant::now()).min(LOOK));
        // What a change of this server has written is no edit by hand.
        if engine.status_stamp() != stamp && !engine.is_changing(&stamp) {
            stamp = engine.status_stamp();
            answer = now(handler, call)?;
        }
    }
    Ok(answer)
}

/// The status of the response to a client that knows it already.
const UNCHANGED: u16 = 304;

/// The status as it is now. The seconds that are left to confirm a change are no part of its tag.
fn now(handler: &Handler, call: &Call<'_>) -> Result<Response, Error> {
    let mut body = body(handler, call)?;
    clip_all(&mut body, MOST_WORDS);
    let mut lasting = body.clone();
    if let Some(pending) = lasting["pending"].as_object_mut() {
        pending.remove("seconds_left");
    }
    let hash = handler.revision_key.hash_one(lasting.to_string());
    let tag = format!("\"{hash:016x}-{}\"", env!("CARGO_PKG_VERSION"));
    let is_known = call.head.values("if-none-match").any(|list| names(list, &tag));
    let response = if is_known { Response::unchanged() } else { Response::json(&body) };
    Ok(response.with("ETag", tag))
}

/// `nodes`: the records of all nodes of the cluster.
pub fn nodes(handler: &Handler) -> Result<Response, Error> {
    Ok(Response::json(&handler.service.status(StatusPart::Nodes)?.nodes.unwrap_or_default()))
}

fn body(handler: &Handler, call: &Call<'_>) -> Result<Value, Error> {
    let (engine, role) = (&handler.engine, call.role);
    let file = engine.read()?;
    let entries = handler.service.history(1)?;
    let state = engine.state().ok_or_else(Error::no_server)?;
    let shown = |text| handler.shown_revision(text, role).to_string();
    let is_edited = !file.is_same_text(&state.saved);
    let conditions =
        [("unsaved-update", !state.is_saved()), ("edited-by-hand", is_edited), ("broken", !file.is_valid())];
    let conditions: Vec<_> =
        conditions.into_iter().filter_map(|(name, is_so)| is_so.then_some(name)).collect();
    let [streams, still] = stream_counts(&state.running);
    // As `check_config` counts them.
    let composed = (role == Role::Edit).then(|| engine.composed(&state.running)).flatten();
    let faults = CheckedConfig::of_text(&state.running, composed.as_ref(), false);
    let entry = entries.into_iter().next();
    let message = entry.as_ref().filter(|entry| entry.after == Some(state.running.revision()));
    let message = message.and_then(|entry| entry.message.clone());
    let mut last = last_change(entry, state.last_change.clone());
    hide_revisions(handler, last.iter_mut(), role);
    Ok(json!({
        "role": if role == Role::Edit { "edit" } else { "view" },
        "login": call.record.login.as_deref().unwrap_or(&call.by),
        "revisions": { "running": shown(&state.running), "file": shown(&file) },
        "state": conditions,
        "pending": pending(handler, message.as_deref())?,
        "last_change": last.map(|entry| entry.shown_by(masked_text)).map(|entry| json!({
            "number": entry.number,
            "at": rfc3339(entry.at),
            "operation": entry.operation,
            "by": entry.by,
            "message": entry.message,
            "after": entry.after.map(|after| after.to_string()),
        })),
        "last_reload": last_reload(engine, role),
        "counts": {
            "streams": streams,
            "static": still,
            "ondemand": streams - still,
            "errors": faults.errors,
            "warnings": faults.warnings,
        },
        "versions": { "mediactl": env!("CARGO_PKG_VERSION"), "api": API_VERSION },
    }))
}

fn pending(handler: &Handler, message: Option<&str>) -> Result<Value, Error> {
    let Some(pending) = handler.service.pending()? else { return Ok(Value::Null) };
    let paths = handler.engine.pending_paths();
    let first: Vec<String> = paths.iter().take(MOST_PATHS).map(|path| masked_text(path)).collect();
    Ok(json!({
        "id": pending.id,
        "by": masked_text(&pending.by),
        "operation": pending.operation,
        "message": message.map(masked_text),
        "seconds_left": pending.seconds_left,
        "paths": first,
        "path_count": paths.len(),
    }))
}

fn last_reload(engine: &Engine, role: Role) -> Value {
    let last = engine.activity().map(Activity::last_reload).filter(|last| !last.is_first);
    let Some(LastReload { at, succeeded, run, .. }) = last else { return Value::Null };
    let mut told = json!({
        "at": rfc3339(at),
        "by": masked_text(&run.by),
        "ok": succeeded,
        "exit_code": run.exit_code,
        "ms": run.took.map(|took| u64::try_from(took.as_millis()).unwrap_or(u64::MAX)),
    });
    if role == Role::Edit {
        told["output"] = json!(run.output.trim());
    }
    told
}

/// Clips what users and other programs wrote to so many characters, wherever it stands.
fn clip_all(value: &mut Value, most: usize) {
    match value {
        Value::String(text) => *text = shortened(text, most),
        Value::Array(elements) => elements.iter_mut().for_each(|element| clip_all(element, most)),
        Value::Object(members) => members.iter_mut().for_each(|(name, member)| {
            clip_all(member, if name == "output" { MOST_OUTPUT } else { most });
        }),
        _ => {}
    }
}
