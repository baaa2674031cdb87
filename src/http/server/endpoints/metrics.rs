//! `metrics`

use crate::http::protocol::problem::{Problem, ProblemKind};
use crate::http::protocol::routes::METRICS;
use crate::http::server::context::{Context, EndpointCall};
use crate::http::server::message::Response;
use crate::http::server::metrics;

/// The metrics of the server.
pub fn metrics(context: &Context, _: &mut EndpointCall<'_>) -> Result<Response, Problem> {
    let text = metrics::text(context)
        .map_err(|error| Problem::new(ProblemKind::EngineFailed, format!("no metrics: {error}")))?;
    Ok(Response::ok(METRICS, text.into_bytes()))
}
