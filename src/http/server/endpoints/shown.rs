//! The configuration of a request, with what it includes, and the part of it that the client may see.

use std::sync::Arc;

use serde_json::Value;

use crate::engine::{
    Composed, ConfigSource, MaskedForm, ReadForm, ReadQuery, RefusalKind, RelatedText, Snapshot,
};
use crate::http::protocol::problem::Problem;
use crate::http::protocol::routes::TEXT;
use crate::http::server::auth::Role;
use crate::http::server::context::{Context, EndpointCall};
use crate::http::server::error_mapping::broken_includes;
use crate::http::server::message::Response;
use mediaconf::plumbing::model::{Config, Lens, Masker, masked_json, write_compact};

/// The detail of the problem that a service has no text.
pub const NO_TEXT: &str = "nothing is left to show";

/// The configuration that a request is about: the running one, or the file.
pub fn source(context: &Context, call: &EndpointCall<'_>) -> Result<Arc<Snapshot>, Problem> {
    let running = read(context, ConfigSource::Running)?;
    if !call.parameters.saved {
        return Ok(running);
    }
    let saved = read(context, ConfigSource::Saved)?;
    let is_running = saved.is_same_text(&running);
    Ok(if is_running { running } else { running.related(RelatedText::Saved, saved) })
}

fn read(context: &Context, source: ConfigSource) -> Result<Arc<Snapshot>, Problem> {
    let reading = context.service.read(&ReadQuery { source: Some(source), form: ReadForm::Text })?;
    reading.content.snapshot().cloned().ok_or_else(|| Problem::new(RefusalKind::EngineFailed, NO_TEXT))
}

/// A configuration with the files that it includes, as one without errors; `None` if it includes none.
pub fn composed(context: &Context, text: &Arc<Snapshot>) -> Result<Option<Composed>, Problem> {
    match parsed(context, text)? {
        Some(composed) if !composed.is_valid() => Err(broken_includes(&composed)),
        composed => Ok(composed.map(|mut composed| {
            composed.text = text.related(RelatedText::Composed, composed.text);
            composed
        })),
    }
}

/// The same, in which names may stand twice. Nothing of a file that can't be parsed is shown: it may be no
/// configuration.
pub fn parsed(context: &Context, text: &Arc<Snapshot>) -> Result<Option<Composed>, Problem> {
    match context.service.composed(text, None)? {
        Some(composed) if !composed.is_parsed() => Err(broken_includes(&composed)),
        composed => Ok(composed),
    }
}

/// The answer with that text.
pub fn text(context: &Context, snapshot: &Snapshot, role: Role) -> Response {
    Response::ok(TEXT, shown_text(context, snapshot, role))
}

/// The text of a configuration as this role sees it.
pub fn shown_text(context: &Context, snapshot: &Snapshot, role: Role) -> Arc<Vec<u8>> {
    match role {
        Role::Edit => Arc::new(snapshot.bytes().to_vec()),
        Role::View => context.masked(snapshot, MaskedForm::Text),
    }
}

/// The whole configuration as JSON, as this role sees it.
pub fn shown_json(
    context: &Context,
    snapshot: &Snapshot,
    skip_static_streams: bool,
    role: Role,
) -> Arc<Vec<u8>> {
    match (role, skip_static_streams) {
        (Role::View, false) => context.masked(snapshot, MaskedForm::Json),
        (Role::View, true) => context.masked(snapshot, MaskedForm::JsonOfOthers),
        (Role::Edit, false) => snapshot.json().json().clone(),
        (Role::Edit, true) => {
            let lens = Lens { skip_static_streams, ..Lens::default() };
            let mut body = Vec::new();
            write_compact(&Config::from_members(snapshot.members(), lens).view(), &mut body)
                .expect("a vector takes everything");
            Arc::new(body)
        }
    }
}

/// The text of a JSON object with another member, as this role sees it.
pub fn with_member(object: &[u8], name: &str, value: Value, role: Role) -> Arc<Vec<u8>> {
    let mut member = Value::Object([(name.to_owned(), value)].into_iter().collect());
    if role == Role::View {
        member = masked_json(&member, &Masker::opaque());
    }
    let member = member.to_string();
    let mut body = Vec::with_capacity(object.len() + member.len());
    body.extend_from_slice(&object[..object.len().saturating_sub(1)]);
    if body.len() > 1 {
        body.push(b',');
    }
    body.extend_from_slice(&member.as_bytes()[1..]);
    Arc::new(body)
}
