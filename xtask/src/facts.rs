//! What `media.conf(5)` says by example; every example is tried.

/// Text that no row of the schema is for, and its JSON form; the rule that it shows.
pub const GENERAL: &[(&str, &str, &str)] = &[
    (
        "A keyword that is there once, without a block: its only word; true if it has none; \
         an array of words if it has several.",
        "title News;\nhidden;\nrange 1 \"2\" three;",
        r#"{"title": "News", "hidden": true, "range": [1, "2", "three"]}"#,
    ),
    (
        "A keyword of which every occurrence has a name and a block, and all names differ: \
         an object by name. This holds for a single one, too.",
        "vod movies { path /srv; }\nvod series { path /data; }",
        r#"{"vod": {"movies": {"path": "/srv"}, "series": {"path": "/data"}}}"#,
    ),
    (
        "A keyword that is there once, with a block and no name: an object.",
        "cache { size 10; }",
        r#"{"cache": {"size": 10}}"#,
    ),
    (
        "Anything else: an array of the occurrences, each an array of its words, \
         with the object of its block, if any, at the end.",
        "push a;\npush b { retry 3; }",
        r#"{"push": [["a"], ["b", {"retry": 3}]]}"#,
    ),
];

/// What is an error, and a text that has it.
pub const ERRORS: &[(&str, &str)] = &[
    ("A `;` or `}` is missing at the end of the file: it may have been cut off.", "rtmp 1935"),
    ("A quote is not closed.", "root \"/srv;\n"),
    ("A `}` closes nothing.", "rtmp 1935; }"),
    ("A block has no keyword in front of its `{`.", "{ rtmp 1935; }"),
    ("Two streams, two lives or two plugins have the same name.", "stream a;\nstream a;"),
    (
        "One of the strict parameters has the wrong form: those with a port, an account, \
         an `auth` backend or a named block.",
        "rtmp fast;",
    ),
    ("The text is not UTF-8, or holds a NUL byte.", "root \0;"),
    ("The file is in the old 3.x format of Erlang terms.", "{http, 8080}.\n"),
    (
        "A limit is passed, see LIMITS.",
        concat!(
            "a{a{a{a{a{a{a{a{a{a{a{a{a{a{a{a{a{a{a{a{a{a{a{a{a{a{a{a{a{a{a{a{a{",
            "a{a{a{a{a{a{a{a{a{a{a{a{a{a{a{a{a{a{a{a{a{a{a{a{a{a{a{a{a{a{a{a{",
        ),
    ),
];

/// What is a warning, and a text that has it.
pub const WARNINGS: &[(&str, &str)] = &[
    ("The `;` in front of a `}` is missing.", "stream a { url udp://239.0.0.1:1 }"),
    ("A `;` has no directive in front of it.", "rtmp 1935;;"),
    (
        "A parameter of which one counts is there twice; the last counts. The same for an option.",
        "rtmp 1;\nrtmp 2;",
    ),
    (
        "Any other parameter has the wrong form. It is then shown as an unknown one.",
        "stream a { prepush on; }",
    ),
    ("A directive is unknown and nearly one of the parameters.", "stream a { prepsh 5; }"),
    (
        "A line inside a directive starts with a parameter: a `;` is probably missing.",
        "stream a {\n  url udp://239.0.0.1:1\n  prepush 5;\n}",
    ),
    ("A source has an empty address.", "stream a { url \"\"; }"),
    ("A word starts with a single quote, which does not quote.", "root '/srv';"),
    ("A backslash in quotes stands in front of another character than `\\` and `\"`.", "root \"a\\b\";"),
    ("A comment holds a carriage return.", "# a\rb\nrtmp 1935;"),
];

#[cfg(test)]
mod tests {
    use mediactl::model::{Lens, View, check, top_members};
    use mediactl::syntax::{Document, Severity};

    use super::{ERRORS, GENERAL, WARNINGS};

    #[test]
    fn the_examples_of_the_general_rule_read_as_they_are_said_to() {
        for (_, text, json) in GENERAL {
            let document = Document::parse((*text).to_owned());
            assert!(check(&document).is_empty(), "{text}");
            let members = top_members(&document);
            let view = serde_json::to_value(View::new(&members, &Lens::default())).expect("a view is JSON");
            let wanted: serde_json::Value = serde_json::from_str(json).expect("an example is JSON");
            for (key, value) in wanted.as_object().expect("an example is an object") {
                assert_eq!(&view[key], value, "{text}");
            }
        }
    }

    #[test]
    fn the_diagnostics_are_what_they_are_said_to_be() {
        for (facts, severity) in [(ERRORS, Severity::Error), (WARNINGS, Severity::Warning)] {
            for (what, text) in facts {
                let found = check(&Document::parse((*text).to_owned()));
                assert!(found.iter().any(|diagnostic| diagnostic.severity == severity), "{what}");
                assert!(found.iter().all(|diagnostic| diagnostic.severity <= severity), "{what}");
            }
        }
    }
}
