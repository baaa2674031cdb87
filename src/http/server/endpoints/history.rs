//! `history` and `history/N`

use crate::http::protocol::masked::masked_text;
use crate::http::protocol::problem::{Problem, ProblemKind};
use crate::http::protocol::routes::JSON;
use crate::http::server::auth::Role;
use crate::http::server::context::{Context, EndpointCall};
use crate::http::server::endpoints::shown::text;
use crate::http::server::message::Response;
use crate::store::{ChangeRef, HistoryEntry, NotAChangeRef, Revision, WHOLE_HISTORY};

/// `history`: the changes, the last one first.
pub fn list(context: &Context, call: &mut EndpointCall<'_>) -> Result<Response, Problem> {
    let entries = context.engine.history(WHOLE_HISTORY)?;
    let entries: Vec<HistoryEntry> =
        entries.into_iter().map(|entry| masked(entry, context, call.role)).collect();
    let body = serde_json::to_vec(&entries).expect("an entry holds only strings, numbers and times");
    Ok(Response::ok(JSON, body))
}

/// Masks an entry: users write the message, and may put a secret into it.
fn masked(entry: HistoryEntry, context: &Context, role: Role) -> HistoryEntry {
    let shown = |revision: Option<Revision>| revision.map(|revision| context.shown_revision(revision, role));
    let (before, after) = (shown(entry.before), shown(entry.after));
    HistoryEntry { before, after, ..entry.shown_by(masked_text) }
}

/// `history/N`: the text before a change.
pub fn kept(context: &Context, call: &mut EndpointCall<'_>) -> Result<Response, Problem> {
    let unknown = |error: NotAChangeRef| Problem::new(ProblemKind::BadParameter, error.to_string());
    let change: ChangeRef = call.argument.parse().map_err(unknown)?;
    let snapshot = context.engine.kept(change)?;
    Ok(text(context, &snapshot, call.role))
}
