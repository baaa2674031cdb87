//! Which configuration a request is about, with what it includes, and how much of it the client may see.

use std::sync::Arc;

use crate::engine::{Composed, Snapshot};
use crate::http::protocol::problem::Problem;
use crate::http::protocol::routes::TEXT;
use crate::http::server::auth::Role;
use crate::http::server::context::{Context, EndpointCall};
use crate::http::server::error_mapping::broken_includes;
use crate::http::server::message::Response;
use crate::model::Masker;
use crate::model::redact::masked_document;
use crate::store::Follow;

/// The configuration that a request is about: the running one, or the file.
pub fn source(context: &Context, call: &EndpointCall<'_>) -> Result<Arc<Snapshot>, Problem> {
    match call.parameters.saved {
        true => Ok(context.engine.saved()?),
        false => Ok(context.running()),
    }
}

/// A configuration with the files that it includes; `None` if it includes none. Nothing of a file that has
/// errors is shown: it may be no configuration.
pub fn composed(context: &Context, text: &Arc<Snapshot>) -> Result<Option<Composed>, Problem> {
    match context.engine.composed(text, Follow::BELOW) {
        Some(composed) if !composed.is_valid() => Err(broken_includes(&composed)),
        composed => Ok(composed),
    }
}

/// The answer with that text.
pub fn text(snapshot: &Snapshot, role: Role) -> Response {
    Response::ok(TEXT, shown_text(snapshot, role))
}

/// The text of a configuration as this role sees it.
pub fn shown_text(snapshot: &Snapshot, role: Role) -> Vec<u8> {
    match role {
        Role::Edit => snapshot.bytes().to_vec(),
        Role::View => masked_document(snapshot.document(), &Masker::opaque()).into_bytes(),
    }
}
