//! The facts of `media.conf(5)` by example; every example is tried.

/// Text that no row of the schema is for, and its JSON form; the rule that it shows.
pub const GENERAL: &[(&str, &str, &str)] = &[
    (
        "A keyword that occurs once, without a block: its only word; true if it has no word; \
         an array of words if it has several.",
        "title News;\nhidden;\nrange 1 \"2\" three;",
        r#"{"title": "News", "hidden": true, "range": [1, "2", "three"]}"#,
    ),
    (
        "A keyword whose occurrences all have a name and a block, and whose names differ: \
         an object by name. One occurrence is enough.",
        "vod movies { path /srv; }\nvod series { path /data; }",
        r#"{"vod": {"movies": {"path": "/srv"}, "series": {"path": "/data"}}}"#,
    ),
    (
        "A keyword that occurs once, with a block and no name: an object.",
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

/// The errors, each with a text that has it.
pub const ERRORS: &[(&str, &str)] = &[
    ("A `;` or `}` is missing at the end of the file: it may have been cut off.", "rtmp 1935"),
    ("A quote is not closed.", "root \"/srv;\n"),
    ("A `}` closes nothing.", "rtmp 1935; }"),
    ("A block has no keyword before its `{`.", "{ rtmp 1935; }"),
    ("Two streams, two lives or two plugins have the same name.", "stream a;\nstream a;"),
    (
        "A strict directive has the wrong form. Strict are those with a port, a login and password, \
         an `auth` backend, or a named block.",
        "rtmp fast;",
    ),
    ("The text is not UTF-8, or holds a NUL byte.", "root \0;"),
    ("The file is in the old 3.x format of Erlang terms.", "{http, 8080}.\n"),
    (
        "A limit is exceeded; see LIMITS.",
        concat!(
            "a{a{a{a{a{a{a{a{a{a{a{a{a{a{a{a{a{a{a{a{a{a{a{a{a{a{a{a{a{a{a{a{a{",
            "a{a{a{a{a{a{a{a{a{a{a{a{a{a{a{a{a{a{a{a{a{a{a{a{a{a{a{a{a{a{a{a{",
        ),
    ),
];

/// The warnings, each with a text that has it.
pub const WARNINGS: &[(&str, &str)] = &[
    ("The `;` before a `}` is missing.", "stream a { url udp://239.0.0.1:1 }"),
    ("A `;` has no directive before it.", "rtmp 1935;;"),
    ("A directive or option that may occur once occurs twice. The last one counts.", "rtmp 1;\nrtmp 2;"),
    (
        "Any other known directive has the wrong form. It is then treated as an unknown one.",
        "stream a { prepush on; }",
    ),
    ("An unknown directive has nearly the name of a known one.", "stream a { prepsh 5; }"),
    (
        "A directive seems to contain the next one, because its `;` is missing.",
        "stream a {\n  url udp://239.0.0.1:1\n  prepush 5;\n}",
    ),
    ("A source has an empty address.", "stream a { url \"\"; }"),
    ("An address has a mistyped scheme, or lacks a `/`.", "stream a { url htp://x; }"),
    ("`auth` has a word that is nearly `false`.", "auth flase;"),
    (
        "An option, a time of `dvr` or a `loglevel` is nearly a known one.",
        "stream a { url udp://1 priorty=1; }",
    ),
    ("A port or address is listed twice, or a port is over 65535.", "http 80;\nhttp 80;"),
    (
        "`include` of standard input, or over a network, is kept, but the files that it names are not checked.",
        "include other.conf;",
    ),
    ("A word starts with a single quote, which does not quote.", "root '/srv';"),
];

#[cfg(test)]
mod tests {
    use mediaconf::{Config, Document, Severity, check};

    use super::{ERRORS, GENERAL, WARNINGS};

    #[test]
    fn the_examples_of_the_general_rule_read_as_they_are_said_to() {
        for (_, text, json) in GENERAL {
            let document = Document::parse((*text).to_owned());
            assert!(check(text).is_empty(), "{text}");
            let view = serde_json::to_value(Config::new(&document)).expect("a view is JSON");
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
                let found = check(text);
                assert!(found.iter().any(|diagnostic| diagnostic.severity == severity), "{what}");
                assert!(found.iter().all(|diagnostic| diagnostic.severity <= severity), "{what}");
            }
        }
    }
}
