//! `media.conf(5)`, from the schema table.

use mediactl::model::schema::{Derived, parameters};
use mediactl::model::{Kind, PARAMETERS, Parameter, Scope, Shape};
use mediactl::syntax::{MAX_DEPTH, MAX_DIAGNOSTICS};

use super::conf_facts::{ERRORS, GENERAL, WARNINGS};
use super::page::Page;

/// Where parameters may stand, with the heading and what is to be said first.
const SCOPES: &[(Scope, &str, &str)] = &[
    (Scope::Top, "At the top level", "Outside any block."),
    (
        Scope::Stream,
        "In a stream",
        "In the block of `stream` *NAME* or `ondemand` *NAME*, in `streams`.*NAME*.",
    ),
    (Scope::Live, "In a live", "In the block of `live` *PREFIX*, in `lives`.*PREFIX*."),
    (Scope::Plugin, "In a plugin", "In the block of `plugin` *NAME*, in `plugins`.*NAME*."),
    (
        Scope::Source,
        "In a source",
        "In an element of `urls`. Everything else in it is an option *KEY*`=`*VALUE* of the directive.",
    ),
    (
        Scope::Backend,
        "In auth",
        "In the object `auth`, beside `url` and `extra`, which are the words of the directive.",
    ),
];

/// The page of the file format.
pub fn page() -> String {
    let mut page = Page::new("MEDIA.CONF", 5);
    page.section("NAME").line("media.conf - configuration of a media server");
    page.section("DESCRIPTION").line(
        "The file holds directives, each with a keyword and words behind it, and blocks of them. \
         `mediactl`(1) shows it as JSON and changes it by JSON. The text stays the truth: \
         a change touches only the bytes that have to change, and nothing is ever added to the \
         file that was not asked for.",
    );
    syntax(&mut page);
    page.section("PARAMETERS").line(
        "What mediactl knows by name. *Text* is a directive as it is written, *JSON* is the key and the \
         form of its value. A keyword in brackets is read as well and stays as it is.",
    );
    for (scope, heading, where_it_is) in SCOPES {
        page.subsection(heading).line(where_it_is);
        parameters(*scope).for_each(|row| parameter(&mut page, row));
    }
    general(&mut page);
    modifications(&mut page);
    diagnostics(&mut page);
    limits(&mut page);
    page.section("EXAMPLE").verbatim(include_str!("../../../examples/media.conf"));
    page.section("SEE ALSO").line("`mediactl`(1), `mediactl-check`(1), `mediactl-modify`(1)");
    page.finish()
}

fn syntax(page: &mut Page) {
    page.section("SYNTAX").verbatim(
        "KEYWORD WORD...;              a directive\n\
         KEYWORD WORD... { ... }       a block, without a ; behind it\n\
         # text                        a comment, up to the end of the line",
    );
    page.points(&[
        "Words are separated by blanks, tabs and line breaks. A directive may span lines.",
        "`;`, `{` and `}` end a word wherever they stand outside quotes.",
        "A word that holds a blank, `;`, `{`, `}` or `\"`, that starts with `#`, or that is empty, stands \
         in double quotes. Inside them `\\\"` is a quote and `\\\\` is a backslash. Single quotes do not quote.",
        "A comment starts with a `#` where a word could start. Inside a word a `#` is part of it: `color=#ff0000`.",
        "An option is a word *KEY*`=`*VALUE*. Only its value may be quoted: `title=\"Camera 1\"`.",
        "The text is UTF-8. Lines end with LF or CRLF; either is kept.",
    ]);
}

/// One row of the schema.
fn parameter(page: &mut Page, row: &Parameter) {
    let terms = match row.keywords {
        [] => format!("`{}` (JSON only)", row.key),
        [keyword] => format!("`{keyword}`"),
        [keyword, others @ ..] => format!("`{keyword}` [`{}`]", others.join("`, `")),
    };
    page.item(&terms, &format!("{}.", row.doc));
    if !row.keywords.is_empty() {
        page.row(&format!("*Form:* {}", row.usage()));
    }
    if !row.example.is_empty() {
        page.row(&format!("*Text:* `{}`", row.example));
    }
    page.row(&format!("*JSON:* `{}`, {}", row.key, json_form(row.shape)));
    if !row.unit.is_empty() {
        page.row(&format!("*Unit:* {}", row.unit));
    }
    if row.secret {
        page.row(&format!("*Secret:* {}", secret_part(row.shape)));
    }
}

/// What the value in JSON looks like.
fn json_form(shape: Shape) -> &'static str {
    match shape {
        Shape::Ports => "an array of numbers and \"host:port\" strings; always shown",
        Shape::Port => "a number or a \"host:port\" string",
        Shape::Word => "a string",
        Shape::Switch => "true or false; the bare keyword is true",
        Shape::Account => "{\"login\", \"password\"}",
        Shape::Backend => "{\"url\", \"extra\"}; `auth false;` is the url false, the options are in extra",
        Shape::Sources => "an array of {\"url\", ...}; always shown",
        Shape::Seconds => "a number; `off` is false",
        Shape::Transcoder => "an array of [name, value]",
        Shape::Group(Kind::Stream | Kind::Plugin) => "an object by name; always shown",
        Shape::Group(Kind::Live) => "an object by prefix; always shown",
        Shape::PortOptions => "an object by port",
        Shape::Derived(Derived::Name | Derived::Address) => "a string",
        Shape::Derived(Derived::Static) => "true or false",
        Shape::Derived(Derived::Position) => "a number",
        Shape::Derived(Derived::Global) => "a string, not to be changed here",
        Shape::Derived(Derived::Former) => "a string, no longer shown",
        Shape::Derived(Derived::Runtime) => "an object, not to be changed",
    }
}

fn secret_part(shape: Shape) -> &'static str {
    match shape {
        Shape::Account => "the password",
        Shape::Backend => "options with the name of a secret, and credentials in the URL",
        _ => "yes",
    }
}

fn general(page: &mut Page) {
    page.section("OTHER DIRECTIVES").line(
        "Any other directive is kept, shown and can be changed. All occurrences of one keyword in one \
         block are one JSON value, by the first of these rules that fits:",
    );
    for (number, (rule, text, json)) in GENERAL.iter().enumerate() {
        page.item(&format!("`R{}`", number + 1), rule).verbatim(&format!("{text}\n\n{json}"));
    }
    page.text(
        "*Words.* An unquoted integer, without a plus and without zeros in front, is a number. Unquoted \
         `true` and `false` are booleans. Any other word is a string, and a quoted one always is: \
         a string that would read as a number or a boolean is written in quotes.",
    );
    page.text(
        "*Keys.* A keyword that has the name of a JSON key or keyword that is known at this place, or \
         that starts with `@`, gets an `@` in front: the directive `name x;` in a stream has the key `@name`. \
         Deeper inside other blocks no key is changed.",
    );
    page.text(
        "*Writing* goes the same way back, and a directive that is there keeps its form. An empty array, \
         null inside an array and a new key that can't be a keyword are refused. \
         `include` is shown like any other directive and is not followed.",
    );
}

fn modifications(page: &mut Page) {
    page.section("MODIFICATIONS").line(
        "A change is a JSON merge patch (RFC 7396): an object with only what is to be different. \
         What is not in it stays.",
    );
    page.points(&[
        "A value replaces or adds, `null` removes. A value that is there already changes nothing, so a whole \
         configuration can be sent back as it was read.",
        "Arrays are replaced as a whole. In the text only the elements that differ are touched; \
         the lines of the others stay, with their comments.",
        "`{\"auth\": {\"url\": X}}` changes the backend and keeps its options. New options are written in front \
         of those that stay. The url false writes `auth false;` and drops the options. \
         The url null removes the directive if no option is left.",
        "`position` counts from 1. Setting it moves the block, together with the comment lines directly above it.",
        "`runtime`, `auth.url_global` and `cluster_key_global` are ignored. `name` and `prefix` must equal \
         their key. Changing `static` changes the keyword.",
        "A new setting goes behind the last of its kind; a new block behind the last of its kind, indented \
         as its neighbours are. A directive on one line that gets a setting becomes a block.",
        "What is removed takes the comment on its own line along. Comment lines above it stay.",
        "The patch is checked as a whole, and the new text must read back as what was asked for; \
         otherwise nothing is written. A file with errors is not changed.",
    ]);
}

fn diagnostics(page: &mut Page) {
    let whats = |facts: &[(&'static str, &str)]| facts.iter().map(|(what, _)| *what).collect::<Vec<_>>();
    page.section("DIAGNOSTICS").line(
        "`mediactl check` shows every fault. A file with an *error* can't be changed or shown as JSON, \
         and can't be saved. A *warning* stands in the way of nothing.",
    );
    page.subsection("Errors").points(&whats(ERRORS));
    page.subsection("Warnings").points(&whats(WARNINGS));
}

fn limits(page: &mut Page) {
    page.section("LIMITS").points(&[
        &format!("Blocks nest at most {MAX_DEPTH} deep. So do the objects and arrays of a patch."),
        "A file has less than 2 GiB.",
        "Numbers go up to 9007199254740991, also below zero. What is larger is shown as a string. \
         So is a fraction: `1.5` is the string \"1.5\".",
        "A port is a number from 0 to 65535.",
        &format!("{MAX_DIAGNOSTICS} diagnostics of a file are shown. The rest is counted."),
    ]);
}

#[test]
fn every_row_of_the_schema_is_in_the_page() {
    let page = page();
    let escaped = |text: &str| text.replace('-', "\\-").replace('\'', "\\*(Aq");
    for (scope, heading, _) in SCOPES {
        let section = page.split(&format!(".SS {heading}\n")).nth(1).expect("a scope has its section");
        let section = section.split(".S").next().unwrap_or_default();
        assert_eq!(section.matches(".TP\n").count(), parameters(*scope).count(), "{scope:?}");
        for row in parameters(*scope) {
            let keywords = row.keywords.iter().map(|keyword| format!("\\fB{keyword}\\fR"));
            let key = format!("\\fIJSON:\\fR \\fB{}\\fR", row.key);
            for wanted in keywords.chain([key, escaped(row.doc), escaped(row.example)]) {
                assert!(section.contains(&wanted), "{}: {wanted}", row.key);
            }
        }
    }
    let shown: usize = SCOPES.iter().map(|(scope, ..)| parameters(*scope).count()).sum();
    assert_eq!(shown, PARAMETERS.len(), "a scope is missing in the page");
}

#[test]
fn the_example_has_no_faults() {
    let text = include_str!("../../../examples/media.conf").to_owned();
    let document = mediactl::syntax::Document::parse(text);
    assert!(mediactl::model::check(&document).is_empty());
}
