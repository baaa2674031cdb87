//! `openapi.json` against the tables of the program.

use std::collections::BTreeSet;

use mediaconf::Schema;
use mediactl::error::KINDS;
use mediactl::http::api::{ROUTES, Route};
use mediactl::http::problem::urn;
use serde_json::Value;

use super::handler::{Server, TEXT, body, header, text};

fn document() -> Value {
    body(&Server::over(TEXT).fetch("openapi.json"))
}

#[test]
fn the_document_names_its_server_and_needs_the_password() {
    let server = Server::over(TEXT);
    let answer = server.fetch("openapi.json");
    assert_eq!((answer.status, header(&answer, "Content-Type")), (200, Some("application/json")));
    let document = body(&answer);
    assert_eq!(document["openapi"], "3.1.0");
    assert_eq!(document["info"]["version"], env!("CARGO_PKG_VERSION"));
    assert_eq!(document["servers"][0]["url"], "/media/api");
    assert_eq!(server.fetch_as(("x", "y"), "openapi.json").status, 401);
}

#[test]
fn every_reference_leads_somewhere_and_nothing_is_left_over() {
    let document = document();
    let mut named = BTreeSet::new();
    references(&document, &mut named);
    for reference in &named {
        let place = reference.strip_prefix('#').and_then(|pointer| document.pointer(pointer));
        assert!(place.is_some(), "{reference}");
    }
    for part in ["schemas", "headers"] {
        for name in document["components"][part].as_object().expect("it is an object").keys() {
            assert!(named.contains(&format!("#/components/{part}/{name}")), "{name} is used nowhere");
        }
    }
}

fn references(value: &Value, found: &mut BTreeSet<String>) {
    match value {
        Value::Object(members) => {
            found.extend(members.get("$ref").and_then(Value::as_str).map(str::to_owned));
            members.values().for_each(|member| references(member, found));
        }
        Value::Array(elements) => elements.iter().for_each(|element| references(element, found)),
        _ => {}
    }
}

fn operations(document: &Value) -> Vec<(String, String, &Value)> {
    let paths = document["paths"].as_object().expect("they are an object").iter();
    let all = paths.flat_map(|(path, methods)| {
        let methods = methods.as_object().expect("they are an object").iter();
        let methods = methods.filter(|(method, _)| *method != "servers");
        methods.map(|(method, operation)| (path.clone(), method.clone(), operation))
    });
    all.collect()
}

/// The path of a route, with its argument in braces.
fn template(route: &Route) -> String {
    format!("{}{}", route.path, if route.has_argument { "/{change}" } else { "" })
}

fn operation<'d>(document: &'d Value, route: &Route, method: &str) -> &'d Value {
    &document["paths"][format!("/{}", template(route))][method.to_ascii_lowercase()]
}

#[test]
fn every_route_is_described_and_nothing_else() {
    let document = document();
    let routes = ROUTES.iter().flat_map(|route| {
        route.methods.iter().map(|method| (format!("/{}", template(route)), method.to_ascii_lowercase()))
    });
    let described = operations(&document);
    let named: BTreeSet<_> =
        described.iter().map(|(path, method, _)| (path.clone(), method.clone())).collect();
    assert_eq!(named, routes.collect());
    let ids: BTreeSet<&str> =
        described.iter().filter_map(|(.., said)| said["operationId"].as_str()).collect();
    assert_eq!(ids.len(), described.len(), "{ids:?}");
    for route in ROUTES {
        for method in route.methods {
            let said = operation(&document, route, method);
            assert_eq!(said["security"].is_array(), (route.path == "healthz"), "{}", route.path);
            for (status, answer) in said["responses"].as_object().expect("they are an object") {
                let is_status = status.parse::<u16>().is_ok_and(|status| (200..600).contains(&status));
                assert!(is_status && answer["description"].is_string(), "{} {status}", route.path);
            }
        }
    }
}

/// Names of parameters with `true` for those that have to be given.
fn parameters(operation: &Value) -> BTreeSet<(String, String, bool)> {
    let said = operation["parameters"].as_array().into_iter().flatten().map(|said| {
        let word = |member: &str| said[member].as_str().expect("it is a string").to_owned();
        assert!(said["schema"].is_object() && said["description"].is_string(), "{said}");
        (word("in"), word("name"), said["required"] == true)
    });
    said.filter(|(place, ..)| *place != "header").collect()
}

/// What a route takes is seen in its answer: a name twice, or a value that no parameter has, is refused, and a name that it
/// does not take is noted or refused as such.
#[test]
fn every_parameter_is_described_and_nothing_else() {
    let document = document();
    let server = Server::over(TEXT);
    let all: BTreeSet<String> = operations(&document)
        .iter()
        .flat_map(|(.., operation)| parameters(operation))
        .filter_map(|(place, name, _)| (place == "query").then_some(name))
        .collect();
    assert!(all.len() > 20, "{all:?}");
    for route in ROUTES {
        let described = parameters(operation(&document, route, route.methods[0]));
        let base = if route.is_at_root { "" } else { "/media/api" };
        let path = format!("{base}/{}", template(route).replace("{change}", "1"));
        let ask = |query: &str| server.ask(route.methods[0], &format!("{path}?{query}"), &[], "");
        let said = |query: &str| {
            let answer = ask(query);
            let notes = header(&answer, "Mediactl-Note").unwrap_or_default().to_owned();
            if answer.status == 400 { text(&answer) } else { notes }
        };
        let argument = route.has_argument.then(|| ("path".to_owned(), "change".to_owned(), true));
        let taken = all.iter().filter(|name| {
            let refused = said(&format!("{name}=%01&{name}=%01"));
            refused.contains(&format!("`{name}`: "))
                && !refused.contains(&format!("`{name}`: `{}` does not take it", route.path))
        });
        let missing = text(&ask(""));
        let is_required = |name: &str| missing.contains(&format!("`{name}`: it is required"));
        let taken = taken.map(|name| ("query".to_owned(), name.clone(), is_required(name)));
        assert_eq!(argument.into_iter().chain(taken).collect::<BTreeSet<_>>(), described, "{}", route.path);
        for method in route.methods {
            assert_eq!(parameters(operation(&document, route, method)), described, "{method} {}", route.path);
        }
    }
}

#[test]
fn every_problem_is_named_and_nothing_else() {
    let document = document();
    let known: BTreeSet<String> = KINDS.iter().map(|&kind| urn(kind)).collect();
    let named = |value: &Value| -> BTreeSet<String> {
        let names = value["properties"]["type"]["enum"].as_array().into_iter().flatten();
        names.map(|name| name.as_str().expect("it is a name").to_owned()).collect()
    };
    assert_eq!(named(&document["components"]["schemas"]["Problem"]), known);
    for (path, method, operation) in operations(&document) {
        for (status, answer) in operation["responses"].as_object().expect("they are an object") {
            let schema = &answer["content"]["application/problem+json"]["schema"]["allOf"][1];
            let names = named(schema);
            assert!(names.is_subset(&known), "{path} {method} {status}: {names:?}");
            for kind in KINDS.iter().filter(|&&kind| names.contains(&urn(kind))) {
                let mut statuses = kind.statuses().map(|known| known.to_string());
                assert!(statuses.any(|known| known == *status), "{path}: {kind:?} {status}");
            }
        }
    }
}

#[test]
fn every_property_says_what_its_directive_is() {
    let schemas = &document()["components"]["schemas"];
    for row in Schema::rows().filter(|row| !row.keywords.is_empty()) {
        let found = schemas.as_object().expect("it is an object").values().any(|schema| {
            let own = &schema["properties"][row.key]["x-mediactl"];
            own["keyword"] == row.keywords[0] && own["secret"] == row.secret
        });
        assert!(found, "{}", row.key);
    }
}
