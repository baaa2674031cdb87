//! The configuration of a request, with what it includes, and the part of it that the client may see.

use std::sync::Arc;

use serde_json::Value;

use crate::engine::{Composed, ConfigSource, MaskedConfig, Snapshot, entry_range, json_of_others, not_there};
use crate::error::ErrorKind;
use crate::http::protocol::headers::{LINE_HEADER, SECRETS_MASKED, SECRETS_SHOWN};
use crate::http::protocol::problem::Problem;
use crate::http::protocol::routes::TEXT;
use crate::http::server::auth::Role;
use crate::http::server::context::{Context, EndpointCall};
use crate::http::server::error_mapping::broken_includes;
use crate::http::server::message::Response;
use mediaconf::{MaskedText, Masker, Path};

/// The detail of the problem that a service has no text.
pub const NO_TEXT: &str = "nothing is left to show";

/// The configuration that a request is about: the running one, or the file.
pub fn source(context: &Context, call: &EndpointCall<'_>) -> Result<Arc<Snapshot>, Problem> {
    let running = text_of(context, ConfigSource::Running)?;
    if !call.parameters.saved {
        return Ok(running);
    }
    let saved = text_of(context, ConfigSource::Saved)?;
    Ok(if saved.is_same_text(&running) { running } else { saved })
}

/// The text of the running configuration, or of the file.
pub fn text_of(context: &Context, source: ConfigSource) -> Result<Arc<Snapshot>, Problem> {
    Ok(context.service.read(Some(source))?)
}

/// A configuration with the files that it includes, as one without errors; `None` if it includes none.
pub fn composed(context: &Context, text: &Arc<Snapshot>) -> Result<Option<Composed>, Problem> {
    match parsed(context, text)? {
        Some(composed) if !composed.is_valid() => Err(broken_includes(&composed)),
        composed => Ok(composed),
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

/// How secrets are shown to whoever asks.
pub enum Secrets {
    Shown,
    /// To viewers: all by the same mask, so that they do not learn which are equal.
    Hidden,
    /// To editors who asked for masks: by those of this process.
    Masked(Masker),
}

impl Secrets {
    /// # Errors
    /// A viewer asks for the secrets.
    pub fn of(context: &Context, call: &EndpointCall<'_>) -> Result<Self, Problem> {
        match (call.role, call.parameters.secrets) {
            (Role::View, Some(SECRETS_SHOWN)) => {
                Err(Problem::new(ErrorKind::ViewOnly, "`view_auth` sees no secrets; that needs `edit_auth`"))
            }
            (Role::View, _) => Ok(Self::Hidden),
            (Role::Edit, Some(SECRETS_MASKED)) => Ok(Self::Masked(context.masker.clone())),
            (Role::Edit, _) => Ok(Self::Shown),
        }
    }

    /// The maker of masks; `None` if secrets are shown.
    pub fn masker(&self) -> Option<Masker> {
        match self {
            Self::Shown => None,
            Self::Hidden => Some(Masker::opaque()),
            Self::Masked(masker) => Some(masker.clone()),
        }
    }

    /// The configuration as it is shown; `None` if it is shown as it is.
    fn masked(&self, context: &Context, snapshot: &Snapshot) -> Option<Arc<MaskedConfig>> {
        match self {
            Self::Shown => None,
            Self::Hidden => Some(context.hidden(snapshot)),
            Self::Masked(_) => Some(context.masked(snapshot)),
        }
    }

    /// The text of a configuration.
    pub fn text(&self, context: &Context, snapshot: &Snapshot) -> Arc<Vec<u8>> {
        match self.masked(context, snapshot) {
            Some(masked) => masked.text(),
            None => Arc::new(snapshot.bytes().to_vec()),
        }
    }

    /// The whole configuration as JSON.
    pub fn json(&self, context: &Context, snapshot: &Snapshot, skip_static_streams: bool) -> Arc<Vec<u8>> {
        match self.masked(context, snapshot) {
            Some(masked) => masked.json(skip_static_streams),
            None if skip_static_streams => Arc::new(json_of_others(snapshot)),
            None => snapshot.json().clone(),
        }
    }

    /// The value at a path, or the values that it stands for, as JSON.
    pub fn value(&self, context: &Context, snapshot: &Snapshot, path: &Path) -> Result<Vec<u8>, Problem> {
        let masked = self.masked(context, snapshot);
        let shown = masked.as_ref().map_or(snapshot, |masked| &masked.snapshot);
        let found = shown.config().select(path).map_err(not_there)?;
        Ok(found.into_value().to_string().into_bytes())
    }
}

/// The text of the entry at a path, and the line at which it begins.
pub fn entry(snapshot: &Arc<Snapshot>, path: &Path, secrets: &Secrets) -> Result<Response, Problem> {
    let masker = secrets.masker();
    let range = entry_range(snapshot, path, masker.as_ref())?;
    let text = snapshot.document().text();
    let line = text[..range.start].matches('\n').count() + 1;
    let shown = MaskedText::new(snapshot.document(), masker, vec![range.clone()]);
    let body = shown.line(range).into_bytes();
    Ok(Response::ok(TEXT, body).with(LINE_HEADER, line.to_string()))
}

/// The text of a JSON object with another member, as this role sees it.
pub fn with_member(object: &[u8], name: &str, value: Value, role: Role) -> Arc<Vec<u8>> {
    let mut member = Value::Object([(name.to_owned(), value)].into_iter().collect());
    if role == Role::View {
        member = Masker::opaque().json(&member);
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
