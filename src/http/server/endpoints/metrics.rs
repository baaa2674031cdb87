//! `metrics`

use std::sync::Arc;

use crate::http::protocol::problem::{Problem, ProblemKind};
use crate::http::protocol::routes::METRICS;
use crate::http::server::context::{Context, EndpointCall};
use crate::http::server::message::Response;
use crate::http::server::metrics;

/// The metrics of the server. They are made of the whole configuration, so whoever needs no password for
/// them gets those of the last second.
pub fn metrics(context: &Context, call: &mut EndpointCall<'_>) -> Result<Response, Problem> {
    let make = || metrics::text(context).map(|text| Arc::new(text.into_bytes()));
    let make = || make().map_err(|error| format!("no metrics: {error}"));
    let text = match call.by.is_empty() {
        true => context.open_metrics.get(make),
        false => make(),
    };
    let text = text.map_err(|detail| Problem::new(ProblemKind::EngineFailed, detail))?;
    Ok(Response::ok(METRICS, text))
}
