//! `check_config`: the faults of a text, of an entry of one, or of a patch.

use std::sync::Arc;

use super::auth::Role;
use super::handler::{Call, Handler};
use super::message::Response;
use crate::engine::{CheckedConfig, Snapshot, entry_range};
use crate::error::{Error, ErrorKind};
use crate::http::notes::INCLUDES_LEFT_OUT;
use mediaconf::{Path, Request, Schema};

/// `check_config`
pub fn check(handler: &Handler, call: &mut Call<'_>) -> Result<Response, Error> {
    let is_utf16 = call.query.word("columns", &["characters", "utf16"]) == Some("utf16");
    let path = call.query.path();
    call.query.finish()?;
    let _turn = handler.turn(call.role)?;
    let is_patch = is_json(call);
    if call.role == Role::View && (is_patch || path.is_some()) {
        // They could tell a viewer whether a guess of a secret is right.
        let detail =
            "`view_auth` may check the text of a whole configuration; an entry and a patch need `edit_auth`";
        return Err(Error::new(ErrorKind::ViewOnly, detail));
    }
    let found = match path {
        None if is_patch => {
            let request = Request::from_json(call.body.clone(), handler.settings.patch_memory);
            handler.engine.check_request(&request, &handler.running())
        }
        None => return whole(handler, call, is_utf16),
        Some(_) if is_patch => {
            let detail = "`path`: with it the body is the text of an entry, not JSON";
            return Err(Error::new(ErrorKind::BadParameter, detail));
        }
        Some(path) => entry(handler, call, &path, is_utf16)?,
    };
    Ok(Response::json(&found))
}

/// True for a body that says it is JSON, or that begins as no configuration does and does not say that it is a text.
fn is_json(call: &Call<'_>) -> bool {
    let media_type = call.head.header("content-type").unwrap_or_default();
    let begins_so = || Schema::without_bom(&call.body).trim_ascii_start().starts_with(b"{");
    media_type.contains("json") || !media_type.starts_with("text/") && begins_so()
}

/// A whole text, for editors with what it includes.
fn whole(handler: &Handler, call: &Call<'_>, is_utf16: bool) -> Result<Response, Error> {
    let text = Arc::new(Snapshot::from_bytes(call.body.clone()));
    let composed = match call.role {
        Role::Edit => handler.service.composed(&text, None)?,
        Role::View => None,
    };
    let answer = Response::json(&CheckedConfig::of_text(&text, composed.as_ref(), is_utf16));
    let are_left_out = call.role == Role::View && !text.includes().is_empty();
    Ok(if are_left_out { answer.noted(&[INCLUDES_LEFT_OUT]) } else { answer })
}

/// The text of an entry in its place in what runs: the faults in it, with their places in this text.
fn entry(handler: &Handler, call: &Call<'_>, path: &Path, is_utf16: bool) -> Result<CheckedConfig, Error> {
    let running = handler.running();
    let range = entry_range(&running, path, None)?;
    let (old, body) = (running.document().text(), Snapshot::from_bytes(call.body.clone()));
    let whole = [&old[..range.start], body.document().text(), &old[range.end..]].concat();
    let end = range.start + body.document().text().len();
    Ok(CheckedConfig::of_part(&running, &whole, range.start..end, is_utf16))
}
