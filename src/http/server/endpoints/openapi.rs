//! `openapi.json`

use crate::http::protocol::problem::Problem;
use crate::http::protocol::routes::JSON;
use crate::http::server::context::{Context, EndpointCall};
use crate::http::server::message::Response;

/// The description of the API.
pub fn document(context: &Context, _: &mut EndpointCall<'_>) -> Result<Response, Problem> {
    Ok(Response::ok(JSON, context.openapi()))
}
