//! `check_config`: the faults of a text, of an entry of one, or of a patch

use std::sync::Arc;

use crate::error::ErrorKind;
use mediaconf::{Path, Request, without_bom};

use crate::engine::{CheckedConfig, Snapshot, entry_range};
use crate::http::protocol::notes::INCLUDES_LEFT_OUT;
use crate::http::protocol::problem::Problem;
use crate::http::protocol::routes::JSON;
use crate::http::server::auth::Role;
use crate::http::server::context::{Context, EndpointCall};
use crate::http::server::message::Response;

/// `check_config`
pub fn check(context: &Context, call: &mut EndpointCall<'_>) -> Result<Response, Problem> {
    let is_utf16 = call.parameters.utf16;
    let found = match (is_json(call), &call.parameters.path) {
        (false, None) => return whole(context, call, is_utf16),
        (is_json, path) => {
            refuse_viewer(call.role)?;
            match path {
                None => patch(context, call),
                Some(_) if is_json => return Err(no_text()),
                Some(path) => entry(context, call, path, is_utf16)?,
            }
        }
    };
    Ok(answer(&found))
}

fn answer(found: &CheckedConfig) -> Response {
    Response::ok(JSON, serde_json::to_vec(found).expect("faults hold only strings and numbers"))
}

/// True for a body that says it is JSON, or that begins as no configuration does and does not say that it is a text.
fn is_json(call: &EndpointCall<'_>) -> bool {
    let media_type = call.head.header("content-type").unwrap_or_default();
    let begins_so = || without_bom(&call.body).trim_ascii_start().starts_with(b"{");
    media_type.contains("json") || !media_type.starts_with("text/") && begins_so()
}

/// A patch, or an entry with what stands around it, could tell a viewer whether a guess of a secret is right.
fn refuse_viewer(role: Role) -> Result<(), Problem> {
    let detail =
        "`view_auth` may check the text of a whole configuration; an entry and a patch need `edit_auth`";
    match role {
        Role::Edit => Ok(()),
        Role::View => Err(Problem::new(ErrorKind::ViewOnly, detail)),
    }
}

fn no_text() -> Problem {
    Problem::new(ErrorKind::BadParameter, "`path`: with it the body is the text of an entry, not JSON")
}

/// A whole text, for editors with what it includes.
fn whole(context: &Context, call: &EndpointCall<'_>, is_utf16: bool) -> Result<Response, Problem> {
    let text = Arc::new(Snapshot::from_bytes(call.body.clone()));
    let composed = match call.role {
        Role::Edit => context.service.composed(&text, None)?,
        Role::View => None,
    };
    let answer = answer(&CheckedConfig::of_text(&text, composed.as_ref(), is_utf16));
    let are_left_out = call.role == Role::View && !text.includes().is_empty();
    Ok(if are_left_out { answer.noted(&[INCLUDES_LEFT_OUT]) } else { answer })
}

fn patch(context: &Context, call: &EndpointCall<'_>) -> CheckedConfig {
    let request = Request::from_json(call.body.clone(), context.patch_memory);
    context.engine.check_request(&request, &context.running())
}

/// The text of an entry in its place in what runs: the faults in it, with their places in this text.
fn entry(
    context: &Context,
    call: &EndpointCall<'_>,
    path: &Path,
    is_utf16: bool,
) -> Result<CheckedConfig, Problem> {
    let running = context.running();
    let range = entry_range(&running, path, None)?;
    let (old, body) = (running.document().text(), Snapshot::from_bytes(call.body.clone()));
    let whole = [&old[..range.start], body.document().text(), &old[range.end..]].concat();
    let end = range.start + body.document().text().len();
    Ok(CheckedConfig::of_part(&running, &whole, range.start..end, is_utf16))
}
