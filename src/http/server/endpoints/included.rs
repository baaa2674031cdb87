//! `included`: the files that the configuration includes

use crate::engine::Snapshot;
use crate::http::protocol::included::{IncludedFile, IncludedFiles};
use crate::http::protocol::problem::Problem;
use crate::http::protocol::routes::JSON;
use crate::http::server::context::{Context, EndpointCall};
use crate::http::server::endpoints::shown::{parsed, shown_text, source};
use crate::http::server::message::Response;

/// `included`: the files of each pattern.
pub fn files(context: &Context, call: &mut EndpointCall<'_>) -> Result<Response, Problem> {
    let composed = parsed(context, &source(context, call)?)?;
    let included = composed.map(|composed| composed.included).unwrap_or_default();
    let files = included.into_iter().map(|(pattern, texts)| {
        let files = texts.into_iter().map(|included| {
            let text = shown_text(context, &Snapshot::of(included.bytes), call.role);
            IncludedFile { name: included.name, text: String::from_utf8_lossy(&text).into_owned() }
        });
        (pattern, files.collect())
    });
    let body = serde_json::to_vec(&files.collect::<IncludedFiles>()).expect("it holds only strings");
    Ok(Response::ok(JSON, body))
}
