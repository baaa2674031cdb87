//! The responses of a route: each status with its body and headers.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

use super::schemas::{self, reference};
use crate::engine::RefusalKind;
use crate::http::protocol::headers::{
    HAND_EDIT_HEADER, LINE_HEADER, NOTE_HEADER, ON_EVERY_RESPONSE, PENDING_HEADER,
};
use crate::http::protocol::problem::{MEDIA_TYPE, urn};
use crate::http::protocol::routes::{Route, SuccessResponse};

/// The header that asks for login and password.
const CHALLENGE: &str = "WWW-Authenticate";

/// The `responses` of one method of a route.
pub(super) fn responses(route: &Route, method: &str) -> Map<String, Value> {
    // A map by number keeps the statuses in order.
    let mut responses: BTreeMap<u16, Value> = BTreeMap::new();
    for answer in route.answers {
        let response = responses.entry(answer.status()).or_insert_with(|| success(*answer));
        if let Some(media_type) = answer.media_type() {
            response["content"][media_type] = json!({ "schema": schema(*answer) });
        }
    }
    for (status, kinds) in problems(route) {
        responses.insert(status, problem(status, &kinds));
    }
    if method == "HEAD" {
        responses.values_mut().for_each(without_content);
    }
    responses.into_iter().map(|(status, response)| (status.to_string(), response)).collect()
}

fn success(answer: SuccessResponse) -> Value {
    let mut names = ON_EVERY_RESPONSE.to_vec();
    names.extend(["Vary", "Content-Encoding", PENDING_HEADER, NOTE_HEADER, HAND_EDIT_HEADER]);
    match answer {
        SuccessResponse::Configuration
        | SuccessResponse::Shown
        | SuccessResponse::Text
        | SuccessResponse::True
        | SuccessResponse::Report
        | SuccessResponse::Status
        | SuccessResponse::Unchanged => names.push("ETag"),
        _ => {}
    }
    if matches!(answer, SuccessResponse::Status | SuccessResponse::Unchanged) {
        names.push("Retry-After");
    }
    if answer == SuccessResponse::Shown {
        names.push(LINE_HEADER);
    }
    let description = match answer {
        SuccessResponse::Unchanged => "The configuration of the client is current.",
        _ => "The request succeeded.",
    };
    json!({ "description": description, "headers": refer(&names) })
}

fn schema(answer: SuccessResponse) -> Value {
    match answer {
        SuccessResponse::Configuration => reference(schemas::CONFIGURATION),
        SuccessResponse::Shown => {
            let at_path = json!({ "description": "With `path`, the value there." });
            json!({ "anyOf": [reference(schemas::CONFIGURATION), at_path] })
        }
        SuccessResponse::Included => {
            let files = json!({ "type": "array", "items": reference(schemas::INCLUDED_FILE) });
            json!({ "type": "object", "additionalProperties": files })
        }
        SuccessResponse::Text | SuccessResponse::Metrics | SuccessResponse::Diff => {
            json!({ "type": "string" })
        }
        SuccessResponse::Ok => json!({ "const": "ok\n" }),
        SuccessResponse::True => json!({ "const": true }),
        SuccessResponse::Report => reference(schemas::CHANGE_REPORT),
        SuccessResponse::Changes => json!({ "type": "array", "items": reference(schemas::CHANGE) }),
        SuccessResponse::Blamed => json!({ "type": "array", "items": schemas::blamed() }),
        SuccessResponse::Faults => reference(schemas::FAULTS),
        SuccessResponse::Status => reference(schemas::STATUS),
        SuccessResponse::Records => {
            json!({ "type": "array", "items": { "type": "object" } })
        }
        SuccessResponse::Document => json!({ "type": "object" }),
        SuccessResponse::Unchanged => json!(true),
    }
}

/// The problems of a route by their status.
fn problems(route: &Route) -> BTreeMap<u16, Vec<RefusalKind>> {
    let mut problems: BTreeMap<u16, Vec<RefusalKind>> = BTreeMap::new();
    for kind in route.problems() {
        for status in kind.statuses() {
            problems.entry(status).or_default().push(kind);
        }
    }
    problems
}

fn problem(status: u16, kinds: &[RefusalKind]) -> Value {
    let names: Vec<String> = kinds.iter().map(|&kind| urn(kind)).collect();
    let one = json!({ "type": "object", "properties": { "type": { "enum": names } } });
    let schema = json!({ "allOf": [reference(schemas::PROBLEM), one] });
    let titles = kinds.iter().map(|kind| format!("`{}`: {}", kind.name(), kind.title()));
    json!({
        "description": format!("{}.", titles.collect::<Vec<_>>().join("; ")),
        "headers": refer(&problem_headers(status)),
        "content": { MEDIA_TYPE: { "schema": schema } },
    })
}

fn problem_headers(status: u16) -> Vec<&'static str> {
    let own = match status {
        401 => Some(CHALLENGE),
        405 => Some("Allow"),
        429 | 503 => Some("Retry-After"),
        409 => Some(PENDING_HEADER),
        _ => None,
    };
    ON_EVERY_RESPONSE.into_iter().chain(["Vary", "Content-Encoding"]).chain(own).collect()
}

fn refer(names: &[&str]) -> Map<String, Value> {
    let headers = names
        .iter()
        .map(|name| (name.to_string(), json!({ "$ref": format!("#/components/headers/{name}") })));
    headers.collect()
}

fn without_content(response: &mut Value) {
    response.as_object_mut().expect("a response is made as an object").remove("content");
}
