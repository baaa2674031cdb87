//! Issue 10, attack 4: work that grows with the size of a change, not with its square.
//!
//! No time is asserted: each change is made at a size that ends soon where the work is linear. Those
//! that the issue names are so large that a scan for each element is felt at once.

use mediaconf::plumbing::edit::modify;
use mediaconf::plumbing::syntax::Document;
use serde_json::Value;

use mediaconf::plumbing::model::{has_errors, secret_spans};

mod cases;

use cases::{CASES, Case, TEXTS};

/// Enough to notice a scan within a scan.
const ELEMENTS: usize = 500;

/// Enough to notice a scan: the keys of 200 KB.
const MANY: usize = 10_000;

fn make(text: String, patch: Value) -> String {
    let document = Document::parse(text);
    let edit = modify(&document, patch).expect("it is proved").expect("something changes");
    document.with(&edit.splices).text().to_owned()
}

fn case(name: &str) -> &'static Case {
    CASES.iter().find(|(known, _)| *known == name).expect("the table has it")
}

#[test]
fn every_change_of_the_table_is_made_and_proved() {
    for (name, change) in CASES {
        let (text, patch) = change(ELEMENTS);
        assert_ne!(make(text.clone(), patch), text, "{name}");
    }
}

#[test]
fn every_text_of_the_table_is_read() {
    for (name, text) in TEXTS {
        assert!(!has_errors(&Document::parse(text(ELEMENTS))), "{name}");
    }
}

/// A text diff masks the lines it shows, and asks for the secrets in each run of them.
#[test]
fn the_diff_of_one_large_block_takes_linear_work() {
    let text = format!("plugin a {{\n{}}}\n", cases::lines(4 * MANY, |_| "  password s3cret;\n".to_owned()));
    let lines = text.match_indices("  password s3cret;\n").step_by(2);
    let windows: Vec<_> = lines.map(|(at, line)| at..at + line.len()).collect();
    let document = Document::parse(text.clone());
    let spans = secret_spans(&document, &windows);
    assert_eq!(spans.len(), windows.len());
    assert!(spans.iter().all(|span| &text[span.clone()] == "s3cret"));
}

#[test]
fn unknown_top_level_keys_take_linear_work() {
    let (text, patch) = case("unknown top-level keys, new among others").1(MANY);
    assert_eq!(make(text, patch).lines().count(), 2 * MANY);
}

#[test]
fn a_reversed_http_list_takes_linear_work() {
    let (text, patch) = case("an http list, reversed").1(MANY);
    let reversed: Vec<String> = text.lines().rev().map(str::to_owned).collect();
    assert!(make(text, patch).lines().eq(reversed));
}

#[test]
fn keys_of_a_plugin_take_linear_work() {
    let (text, patch) = case("keys of a plugin, removed").1(MANY);
    assert_eq!(make(text, patch), "plugin a {\n}\n");
}
