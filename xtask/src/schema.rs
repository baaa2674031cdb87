//! The parts of `media.conf(5)` that the schema table makes.

use mediaconf::{Diagnostics, Document, ForeignKeyword, Parameter, Schema, Scope};

use crate::facts::{ERRORS, GENERAL, WARNINGS};
use crate::markup::terms;

/// The scopes of the schema, with the names of their rows in the page.
static SCOPES: &[(Scope, &str)] = &[
    (Scope::Top, "rows of Top"),
    (Scope::Stream, "rows of Stream"),
    (Scope::Live, "rows of Live"),
    (Scope::Plugin, "rows of Plugin"),
    (Scope::Source, "rows of Source"),
    (Scope::Backend, "rows of Backend"),
    (Scope::Template, "rows of Template"),
];

/// The values of the page.
pub fn values() -> Vec<(&'static str, String)> {
    let rows = SCOPES.iter().map(|(scope, name)| (*name, terms(scope.rows().map(row))));
    rows.chain([
        ("foreign", terms(Schema::foreign_keywords().iter().map(foreign))),
        ("general", general()),
        ("errors", points(ERRORS)),
        ("warnings", points(WARNINGS)),
        ("example", indented(include_str!("../../examples/media.conf"))),
        ("MAX_DEPTH", Document::MAX_DEPTH.to_string()),
        ("MAX_DIAGNOSTICS", Diagnostics::MAX.to_string()),
    ])
    .collect()
}

/// One row of the schema.
fn row(row: &Parameter) -> (String, String) {
    let term = match row.keywords {
        [] => format!("`{}` (JSON only)", row.key),
        [keyword] => format!("`{keyword}`"),
        [keyword, others @ ..] => format!("`{keyword}` [`{}`]", others.join("`, `")),
    };
    let mut lines = vec![format!("{}.", row.doc)];
    if !row.keywords.is_empty() {
        lines.push(format!("*Form:* {}", row.codec.facts().usage));
    }
    if !row.example.is_empty() {
        lines.push(format!("*Text:* `{}`", row.example));
    }
    lines.push(format!("*JSON:* `{}`, {}", row.key, row.json_form()));
    if !row.default.is_empty() {
        lines.push(format!("*Default:* {}", row.default));
    }
    if !row.unit.is_empty() {
        lines.push(format!("*Unit:* {}", row.unit));
    }
    if row.secret {
        lines.push(format!("*Secret:* {}", secret_part(row)));
    }
    (term, lines.join("\\\n"))
}

/// One row of the second tier.
fn foreign(row: &ForeignKeyword) -> (String, String) {
    let repeats = if row.repeats { ", repeatable" } else { "" };
    let secret = if row.secret { ", secret" } else { "" };
    let form = format!("*Form:* {}{repeats}{secret}; {}", row.usage(), row.places().join(", "));
    (format!("`{}`", row.keywords.join("`, `")), format!("{}.\\\n{form}", row.doc))
}

fn secret_part(row: &Parameter) -> &'static str {
    let facts = row.codec.facts();
    match facts.object.is_some() {
        true => "the password",
        false if facts.address.is_some() => "options with the name of a secret, and credentials in the URL",
        false => "yes",
    }
}

fn general() -> String {
    let rules = GENERAL.iter().enumerate().map(|(number, (rule, text, json))| {
        let term = format!("`R{}`\n: {rule}", number + 1);
        format!("{term}\n\n{}\n\n{}", indented(text), indented(json))
    });
    rules.collect::<Vec<_>>().join("\n\n")
}

fn points(facts: &[(&str, &str)]) -> String {
    facts.iter().map(|(what, _)| format!("- {what}")).collect::<Vec<_>>().join("\n")
}

fn indented(text: &str) -> String {
    let line = |line: &str| if line.is_empty() { String::new() } else { format!("    {line}") };
    text.lines().map(line).collect::<Vec<_>>().join("\n")
}

#[test]
fn every_row_of_the_schema_is_in_the_page() {
    let page = include_str!("../pages/media.conf.md");
    let in_page = SCOPES.iter().filter(|(_, name)| page.contains(&format!("{{{{{name}}}}}")));
    let shown: usize = in_page.map(|(scope, _)| scope.rows().count()).sum();
    assert_eq!(shown, mediaconf::Schema::rows().count());
}

#[test]
fn the_example_has_no_faults() {
    assert!(mediaconf::check(include_str!("../../examples/media.conf")).is_empty());
}
