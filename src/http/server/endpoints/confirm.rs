//! `confirm_config` and `cancel_config`

use crate::engine::OutcomeNote;
use crate::http::protocol::headers::NOTE_HEADER;
use crate::http::protocol::notes::word_of;
use crate::http::protocol::problem::Problem;
use crate::http::server::context::{Context, EndpointCall};
use crate::http::server::message::Response;

/// `confirm_config`: the pending change stays.
pub fn confirm(context: &Context, call: &mut EndpointCall<'_>) -> Result<Response, Problem> {
    context.changes.confirm(id(call))?;
    Ok(Response::done())
}

/// `cancel_config`: the pending change is rolled back.
pub fn cancel(context: &Context, call: &mut EndpointCall<'_>) -> Result<Response, Problem> {
    let aftermath = context.changes.cancel(id(call), call.by)?;
    let response = Response::done();
    Ok(match aftermath.is_hand_edit() {
        true => response.with(NOTE_HEADER, word_of(&OutcomeNote::KeptHandEdit)),
        false => response,
    })
}

fn id<'c>(call: &'c EndpointCall<'_>) -> &'c str {
    call.parameters.id.as_deref().unwrap_or_default()
}
