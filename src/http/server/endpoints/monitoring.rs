//! The endpoints beside the configuration: `healthz`, `metrics` and `openapi.json`

use std::sync::Arc;

use serde_json::{Value, json};

use crate::http::protocol::problem::Problem;
use crate::http::protocol::routes::{JSON, METRICS, TEXT};
use crate::http::server::context::{Context, EndpointCall};
use crate::http::server::message::Response;
use crate::http::server::metrics;

/// The description of the API: an OpenAPI document of version 3.1.
const OPENAPI: &str = include_str!("../../openapi.json");

/// Says whether the server is well, and nothing else: strangers may ask.
pub fn health(context: &Context, _: &mut EndpointCall<'_>) -> Result<Response, Problem> {
    match context.runtime.is_late() {
        false => Ok(Response::ok(TEXT, b"ok\n".to_vec())),
        true => Ok(Response { status: 503, ..Response::ok(TEXT, b"late\n".to_vec()) }),
    }
}

/// The metrics of the server. They are made of the whole configuration, so clients that need no password
/// for them get those of the last second.
pub fn metrics(context: &Context, call: &mut EndpointCall<'_>) -> Result<Response, Problem> {
    let make = || Arc::new(metrics::text(context).into_bytes());
    let text = match call.by.is_empty() {
        true => context.open_metrics.get(make),
        false => make(),
    };
    Ok(Response::ok(METRICS, text))
}

/// The description of the API, with the prefix and the version of this server.
pub fn openapi(context: &Context, _: &mut EndpointCall<'_>) -> Result<Response, Problem> {
    let document = || {
        let mut document: Value = serde_json::from_str(OPENAPI).expect("it is a file of this program");
        document["info"]["version"] = json!(env!("CARGO_PKG_VERSION"));
        document["servers"][0]["url"] = json!(context.prefix);
        Arc::new(document.to_string().into_bytes())
    };
    Ok(Response::ok(JSON, context.openapi.get_or_init(document).clone()))
}
