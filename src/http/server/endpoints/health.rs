//! `healthz`

use crate::http::protocol::problem::Problem;
use crate::http::protocol::routes::TEXT;
use crate::http::server::context::{Context, EndpointCall};
use crate::http::server::message::Response;

/// The loops that have to turn.
const VITAL: [&str; 3] = ["accept", "workers", "follow"];

/// Says whether the server is well, and nothing else: strangers may ask.
pub fn ok(context: &Context, _: &mut EndpointCall<'_>) -> Result<Response, Problem> {
    match context.runtime.loops().is_some_and(|loops| loops.are_late(&VITAL)) {
        false => Ok(Response::ok(TEXT, b"ok\n".to_vec())),
        true => Ok(Response { status: 503, ..Response::ok(TEXT, b"late\n".to_vec()) }),
    }
}
