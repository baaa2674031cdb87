//! A change of a server that evaluates requests itself: one request, which answers with what the change did.

use serde_json::Value;

use super::api_client::{Call, is_report};
use super::session::Session;
use crate::engine::{ChangeOptions, ChangeReport, ChangeRequest, RequestedChange};
use crate::error::Error;
use crate::http::protocol::routes::ApiOperation;

/// Makes a change, or rehearses it; `None` if the server is a foreign one, which has changed nothing.
pub fn change(
    session: &mut Session,
    requested: &RequestedChange<'_>,
    options: &ChangeOptions,
) -> Result<Option<ChangeReport>, Error> {
    let request = ChangeRequest { operation: requested.by_ref(), options: options.clone() };
    let body = serde_json::to_vec(&request).expect("a request can be written");
    let call = Call { body: &body, applies: !options.dry_run, ..Call::new(ApiOperation::Change) };
    let Some(reply) = session.send_ours(&call)? else { return Ok(None) };
    // All other members may be missing, so any object would do.
    let report = |value: Value| serde_json::from_value(Some(value).filter(is_report)?).ok();
    session.parsed(&reply, call.applies, "something that is no report of a change", report).map(Some)
}
