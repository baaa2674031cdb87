//! `healthz`

use crate::http::protocol::problem::Problem;
use crate::http::protocol::routes::TEXT;
use crate::http::server::context::{Context, EndpointCall};
use crate::http::server::message::Response;

/// Says that the server answers, and nothing else: strangers may ask.
pub fn ok(_: &Context, _: &mut EndpointCall<'_>) -> Result<Response, Problem> {
    Ok(Response::ok(TEXT, b"ok\n".to_vec()))
}
