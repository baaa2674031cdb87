//! The OpenAPI document of the API, made from the tables of routes, parameters, problems, and
//! configuration directives, and from `outline.json` with the rest.
//!
//! The document is of version 3.1, so its schemas are JSON Schema 2020-12.

mod answers;
mod schemas;

use serde_json::{Map, Value, json};

use crate::engine::{COMMANDS, GUARD_NAMES, RefusalKind};
use crate::http::protocol::parameters::{QueryParameter, SWITCH_WORDS, Values, taken_by};
use crate::http::protocol::routes::{Body, JSON, ROUTES, Route, RouteBase, SuccessResponse, TEXT};

/// The pattern of a change of the history in a URL.
const CHANGE_PATTERN: &str = "^([1-9][0-9]{0,8}|serial:[1-9][0-9]{0,8})$";

/// The parts of the document that no table holds: the headers, the schemas of problems and of the
/// history, the authentication.
const OUTLINE: &str = include_str!("outline.json");

/// The media type of a merge patch (RFC 7396); plain JSON is accepted, too.
const MERGE_PATCH: &str = "application/merge-patch+json";

/// Makes the document of a server with this prefix.
pub fn document(prefix: &str) -> Value {
    let mut document: Value = serde_json::from_str(OUTLINE).expect("it is a file of this program");
    document["info"]["version"] = json!(env!("CARGO_PKG_VERSION"));
    document["info"]["description"] = json!(env!("CARGO_PKG_DESCRIPTION"));
    document["servers"] = json!([{ "url": prefix }]);
    document["paths"] = json!(paths());
    schemas::add(&mut document["components"]["schemas"]);
    document
}

fn paths() -> Map<String, Value> {
    let mut paths = Map::new();
    for route in ROUTES {
        let path = paths.entry(format!("/{}", route.template())).or_insert_with(|| json!({}));
        if route.base == RouteBase::Root {
            path["servers"] = json!([{ "url": "/" }]);
        }
        for method in route.methods {
            path[method.to_ascii_lowercase()] = operation(route, method);
        }
    }
    paths
}

fn operation(route: &Route, method: &str) -> Value {
    let mut operation = json!({
        "operationId": operation_id(route, method),
        "description": route.summary,
        "parameters": parameters(route),
        "responses": answers::responses(route, method),
    });
    if route.is_open {
        operation["security"] = json!([]);
    }
    if let Some(body) = body(route.body) {
        operation["requestBody"] = body;
    }
    operation
}

/// Unique, and one word: generators of clients use it as a function name.
fn operation_id(route: &Route, method: &str) -> String {
    let path = route.path.replace('.', "_");
    let argument = route.argument.as_ref().map_or(String::new(), |argument| format!("_{}", argument.name));
    let is_main = route.methods.first() == Some(&method);
    let method = if is_main { String::new() } else { format!("{}_", method.to_ascii_lowercase()) };
    format!("{method}{path}{argument}")
}

fn parameters(route: &Route) -> Vec<Value> {
    let argument = route.argument.iter().map(|argument| {
        let schema = json!({ "type": "string", "pattern": CHANGE_PATTERN });
        json!({ "name": argument.name, "in": "path", "required": true, "description": argument.doc, "schema": schema })
    });
    let query =
        taken_by(route).map(|parameter| query_parameter(parameter, route.required.contains(&parameter.name)));
    argument.chain(query).chain(conditions(route)).collect()
}

fn query_parameter(parameter: &QueryParameter, required: bool) -> Value {
    let mut described = json!({
        "name": parameter.name,
        "in": "query",
        "required": required,
        "description": parameter.doc,
        "schema": values(&parameter.values),
    });
    if let Values::Guards(_) = parameter.values {
        // One value, separated by commas.
        described["style"] = json!("form");
        described["explode"] = json!(false);
    }
    described
}

fn values(values: &Values) -> Value {
    match values {
        Values::Switch(_) => {
            let words = SWITCH_WORDS.join("`, `");
            let doc = format!("In a query one of `{words}`, in any case.");
            json!({ "type": "boolean", "default": false, "description": doc })
        }
        Values::OneOf(words, _) => json!({ "type": "string", "enum": words, "default": words[0] }),
        Values::Words(words, _) => json!({ "type": "string", "enum": words }),
        Values::Guards(_) => {
            let names: Vec<&str> = GUARD_NAMES.iter().map(|(name, _)| *name).collect();
            json!({ "type": "array", "items": { "type": "string", "enum": names } })
        }
        Values::Command(_) => json!({ "type": "string", "enum": COMMANDS }),
        Values::Change(_) => json!({ "type": "string", "pattern": CHANGE_PATTERN }),
        Values::Text(_)
        | Values::Path(_)
        | Values::Nodes(_)
        | Values::Owner(_)
        | Values::Told(_)
        | Values::Base(_)
        | Values::Revisions(_)
        | Values::Key(_) => {
            json!({ "type": "string" })
        }
        Values::Number(bounds, _) | Values::Seconds(bounds, _) => {
            json!({ "type": "integer", "minimum": bounds.start(), "maximum": bounds.end() })
        }
    }
}

/// The headers that make a request conditional.
fn conditions(route: &Route) -> Option<Value> {
    let header = |name: &str, what: &str| {
        let schema = json!({ "type": "string" });
        json!({ "name": name, "in": "header", "description": what, "schema": schema })
    };
    match route {
        route if route.problems().any(|kind| kind == RefusalKind::Stale) => Some(header(
            "If-Match",
            "The `ETag` of the configuration that the change was made for; a change of any other is refused.",
        )),
        route if route.answers.contains(&SuccessResponse::Unchanged) => Some(header(
            "If-None-Match",
            "The `ETag` of the configuration that the client has; it is not sent again.",
        )),
        _ => None,
    }
}

fn body(body: Body) -> Option<Value> {
    let content = match body {
        Body::None => return None,
        Body::Patch => {
            let media = json!({ "schema": schemas::reference(schemas::PATCH) });
            json!({ JSON: media, MERGE_PATCH: media })
        }
        Body::Change => json!({ JSON: { "schema": schemas::reference(schemas::REQUESTED_CHANGE) } }),
        Body::Text => json!({ TEXT: { "schema": { "type": "string" } } }),
        Body::Checked => {
            let patch = json!({ "schema": schemas::reference(schemas::PATCH) });
            json!({ TEXT: { "schema": { "type": "string" } }, JSON: patch })
        }
    };
    Some(json!({ "required": true, "content": content }))
}
