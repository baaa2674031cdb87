//! `status` and `nodes`: how the configuration is, and what there is to wait for.

use std::collections::BTreeMap;
use std::hash::BuildHasher;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::auth::Role;
use super::handler::{Call, Handler, place};
use super::message::{Response, names};
use super::read::hide_revisions;
use super::runtime::StreamFigures;
use crate::engine::{Engine, LastReload, last_change};
use crate::error::Error;
use crate::http::api::{API_VERSION, MAX_WAIT, WAIT, masked_text};
use crate::store::clock::rfc3339;
use crate::store::{NodeRecord, NodeState};

/// The most bytes of a status.
const MOST: usize = 4096;

/// The most characters of a message, a name, or a reason in it.
const MOST_WORDS: usize = 200;

/// The same where the status would be too long: as many as a revision has.
const FEWEST_WORDS: usize = 32;

/// How many times as many the output of a reload command may have.
const OUTPUT: usize = 4;

/// The most paths of a pending change in it.
const MOST_PATHS: usize = 5;

/// The most nodes in it that do not run what is wanted.
const MOST_NODES: usize = 20;

/// The interval at which it is looked for what nobody tells of: another program that wrote the file.
const LOOK: Duration = Duration::from_millis(50);

const _: () = assert!(LOOK.as_millis() <= 100, "a status is told within 100 ms of a change");

/// The interval at which the nodes of a cluster are looked at.
const LOOK_AT_NODES: Duration = Duration::from_secs(1);

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
    let Some(_place) = place(&handler.waiting, handler.most_waiting) else {
        return Ok(answer.with("Retry-After", "1".to_owned()));
    };
    let until = Instant::now() + wait;
    let mut nodes_seen = Instant::now();
    while answer.status == UNCHANGED && Instant::now() < until && !handler.is_stopping.load(Ordering::SeqCst)
    {
        engine.wait_for_change(&stamp, until.saturating_duration_since(Instant::now()).min(LOOK));
        let is_node_due = handler.service.node().is_some() && nodes_seen.elapsed() >= LOOK_AT_NODES;
        // What a change of this server has written is no edit by hand.
        if (engine.status_stamp() != stamp || is_node_due) && !engine.is_changing(&stamp) {
            (stamp, nodes_seen) = (engine.status_stamp(), Instant::now());
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
    if body.to_string().len() > MOST {
        clip_all(&mut body, FEWEST_WORDS);
    }
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
    Ok(Response::json(&handler.service.nodes()?.unwrap_or_default()))
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
    let streams = StreamFigures::from_snapshot(&state.running);
    let diagnostics = state.running.diagnostics();
    let entry = entries.into_iter().next();
    let message = entry.as_ref().filter(|entry| entry.after == Some(state.running.revision()));
    let message = message.and_then(|entry| entry.message.clone());
    let mut last = match &state.last_change {
        Some(made) => {
            let made = (made.at, &*made.by, &*made.operation);
            last_change(entry, made, state.running.revision())
        }
        None => entry,
    };
    hide_revisions(handler, last.iter_mut(), role);
    let mut body = json!({
        "role": if role == Role::Edit { "edit" } else { "view" },
        "login": call.record.login.as_deref().unwrap_or(&call.by),
        "revisions": { "running": shown(&*state.running), "file": shown(&*file) },
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
            "streams": streams.total,
            "static": streams.still,
            "ondemand": streams.on_demand(),
            "errors": diagnostics.errors(),
            "warnings": diagnostics.warnings(),
        },
        "versions": { "mediactl": env!("CARGO_PKG_VERSION"), "api": API_VERSION },
    });
    if handler.service.node().is_some() {
        body["nodes"] = handler.nodes.get(Instant::now(), || match handler.service.nodes() {
            Ok(records) => node_counts(&records.unwrap_or_default()),
            Err(refusal) => json!({ "unknown": masked_text(&refusal.message) }),
        });
    }
    Ok(body)
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
    let Some(activity) = engine.activity().filter(|activity| activity.has_reloaded()) else {
        return Value::Null;
    };
    let LastReload { at, succeeded, run } = activity.last_reload();
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

fn node_counts(records: &[NodeRecord]) -> Value {
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    records.iter().for_each(|record| *counts.entry(record.state.to_string()).or_default() += 1);
    let is_behind =
        |record: &&NodeRecord| record.state != NodeState::Running || record.serial != record.wanted;
    let shown = |record: &NodeRecord| {
        let (node, state) = (&record.node, record.state.to_string());
        json!({ "node": node, "state": state, "serial": record.serial, "wanted": record.wanted })
    };
    let behind: Vec<Value> = records.iter().filter(is_behind).take(MOST_NODES).map(shown).collect();
    json!({ "count": records.len(), "states": counts, "behind": behind })
}

/// Clips what users and other programs wrote to so many characters, wherever it stands; an output may have more.
fn clip_all(value: &mut Value, most: usize) {
    match value {
        Value::String(text) => {
            if let Some((end, _)) = text.char_indices().nth(most) {
                text.replace_range(end.., "…");
            }
        }
        Value::Array(elements) => elements.iter_mut().for_each(|element| clip_all(element, most)),
        Value::Object(members) => members.iter_mut().for_each(|(name, member)| {
            clip_all(member, if name == "output" { OUTPUT * most } else { most });
        }),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_status_keeps_what_matters() {
        let long = "ä".repeat(3000);
        let mut body = json!({
            "pending": { "id": "x", "paths": ["p".repeat(900)] },
            "last_reload": { "ok": false, "output": long },
        });
        clip_all(&mut body, FEWEST_WORDS);
        assert!(body.to_string().len() <= MOST);
        assert_eq!((&body["pending"]["id"], &body["last_reload"]["ok"]), (&json!("x"), &json!(false)));
        // In JSON one of these has six bytes.
        let words = "\u{1}".repeat(MOST_WORDS);
        let mut body = json!({
            "login": words,
            "revisions": { "running": "0".repeat(32) },
            "pending": { "by": words, "message": words, "paths": [words, words] },
            "last_change": { "by": words, "message": words },
            "last_reload": { "by": words, "output": words },
        });
        clip_all(&mut body, FEWEST_WORDS);
        assert!(body.to_string().len() <= MOST, "{}", body.to_string().len());
        assert_eq!(body["revisions"]["running"], "0".repeat(32));
    }
}
